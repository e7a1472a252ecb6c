//! Which classes are recorded that come in unusual ways: without a name, hidden, or with an agent written in Java.

use std::fs;

use crate::jdk::{Program, program, program_of, shown};
use crate::show;

/// Runs it below the recorder: what it wrote to both of its outputs, and the recorded classes.
fn recorded(java: &Program, record: &[&str], options: &[&str]) -> (String, Vec<String>) {
    let _ = fs::remove_dir_all(java.folder.join("c"));
    let ran = java.recorded(&[&["-o", "c"], record].concat(), options, &[]).output().unwrap();
    assert!(ran.status.success(), "{}", shown(&ran));
    let capture = show::open(&java.folder.join("c"));
    let names = capture.code.classes.iter().map(|class| class.name.clone());
    (shown(&ran), names.collect())
}

#[test]
fn a_class_without_a_name_is_recorded_and_a_hidden_one_is_listed() {
    let Some(java) = program("Defined") else { return };
    let (ran, classes) = recorded(&java, &[], &[]);
    assert!(ran.starts_with("7\n7\n7\n7\nlambda\n-- stderr\n-- "), "{ran}");
    assert_eq!(classes, ["Defined", "Defined$Own", "Defined$Sum"]);
    let calls = java.tracewright(&["calls", "c"]).output().unwrap();
    assert_eq!(shown(&calls).matches("Sum.of").count(), 1, "{}", shown(&calls));
    let info = shown(&java.tracewright(&["info", "c"]).output().unwrap());
    let skipped: Vec<&str> = info.lines().filter(|line| line.contains("hidden")).map(str::trim).collect();
    let [only] = skipped[..] else { panic!("{info}") };
    let expected = "Defined$Sum: it is a hidden class, which the virtual machine gives to no agent";
    assert!(only.starts_with("skipped") && only.ends_with(expected), "{info}");
}

#[test]
fn the_virtual_machine_finds_nothing_wrong_with_what_the_recorder_calls() {
    let Some(java) = program("Defined") else { return };
    let (ran, _) = recorded(&java, &[], &["-Xcheck:jni"]);
    assert!(ran.starts_with("7\n7\n7\n7\nlambda\n-- stderr\n-- "), "{ran}");
}

#[test]
fn classes_of_an_agent_are_recorded_only_where_they_are_named() {
    let text = "public class Watcher { public static void premain(String a) { System.out.println(watched()); } \
                static int watched() { return 5; } }";
    let (Some(java), Some(watcher)) = (program("Defined"), program_of("Watcher", text)) else { return };
    fs::write(watcher.folder.join("manifest"), "Premain-Class: Watcher\n").unwrap();
    let archive = watcher.tool("jar").args(["cfm", "w.jar", "manifest", "Watcher.class"]).output().unwrap();
    assert!(archive.status.success(), "{}", shown(&archive));
    let option = format!("-javaagent:{}", watcher.folder.join("w.jar").display());
    for (record, is_recorded) in
        [(&[][..], false), (&["--include", "*"], false), (&["--include", "Watcher"], true)]
    {
        let (ran, classes) = recorded(&java, record, &[&option]);
        assert!(ran.starts_with("5\n7\n"), "{ran}");
        assert_eq!(classes.contains(&"Watcher".to_owned()), is_recorded, "{record:?}: {classes:?}");
        assert_eq!(classes.contains(&"Defined".to_owned()), record != ["--include", "Watcher"]);
    }
}
