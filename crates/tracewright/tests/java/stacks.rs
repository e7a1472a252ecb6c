//! A recorded program has room on its stacks for as many frames as without the recorder.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::jdk::{Program, kill, program, shown};

/// What the program says of each kind of thread and recursion.
fn depths(mut command: Command) -> Vec<(String, u64)> {
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", shown(&ran));
    let text = String::from_utf8(ran.stdout).unwrap();
    let pairs = text.lines().map(|line| line.split_once(' ').unwrap());
    pairs.map(|(kind, depth)| (kind.to_owned(), depth.parse().unwrap())).collect()
}

/// One kind of recursion, once, in all threads.
const ARGUMENTS: [&str; 3] = ["1", "1", "threads"];

fn check(what: &str, plain: &[(String, u64)], recorded: &[(String, u64)]) {
    assert_eq!(plain.len(), recorded.len(), "{what}");
    for ((kind, plain), (same, recorded)) in plain.iter().zip(recorded) {
        assert_eq!(kind, same);
        assert!(
            *plain > 100 && recorded >= plain,
            "{what}: {kind} has {recorded} frames in place of {plain}"
        );
    }
}

#[test]
fn recursion_gets_as_deep_as_without_the_recorder_in_each_mode_and_compiler() {
    let Some(java) = program("Deep") else { return };
    for compiler in ["-Xint", "-XX:TieredStopAtLevel=1", "-XX:+TieredCompilation", "-XX:-TieredCompilation"] {
        // Whether a method was compiled in time is not left to chance.
        let (options, arguments) = ([compiler, "-Xbatch"], ["5", "4"]);
        let plain = depths(java.java(&options, &arguments));
        assert_eq!(plain.len(), 5);
        for mode in ["paths", "blocks", "calls"] {
            let name = format!("{mode}{compiler}");
            let recorded = java.recorded(&["-o", &name, "--mode", mode], &options, &arguments);
            check(&name, &plain, &depths(recorded));
        }
    }
}

#[test]
fn a_size_that_was_asked_for_is_scaled_wherever_it_stands() {
    let Some(java) = program("Deep") else { return };
    // Interpreted: what is compiled meanwhile is left to chance.
    std::fs::write(java.folder.join("options"), "# large\n-Xint -Xss3m").unwrap();
    std::fs::write(java.folder.join("run"), "#!/bin/sh\nexec \"$@\"\n").unwrap();
    std::fs::set_permissions(java.folder.join("run"), std::fs::Permissions::from_mode(0o755)).unwrap();
    // Behind `--`, options of `record`, options of `java`, and variables.
    for (start, record, options, variable) in [
        (None, None, &["-Xss2m", "-Xint"][..], None),
        (None, None, &["@options"], None),
        (None, None, &["-XX:ThreadStackSize=3000", "-Xint"], None),
        (None, None, &["-Xint"], Some(("JAVA_TOOL_OPTIONS", "-Xss2m"))),
        (None, None, &["-Xint"], Some(("JDK_JAVA_OPTIONS", "-Xss2m"))),
        (Some("./run"), None, &["-Xss2m", "-Xint"], None),
        (Some("./run"), None, &["@options"], None),
        (None, Some("environment"), &["-Xint"], None),
        (None, Some("environment"), &["-Xint"], Some(("JAVA_TOOL_OPTIONS", "-Xss2m"))),
    ] {
        let what = format!("{start:?} {record:?} {options:?} {variable:?}");
        let mut plain = java.java(options, &ARGUMENTS);
        let mut recorded = recorded(&java, start, record, options);
        for command in [&mut plain, &mut recorded] {
            command.envs(variable);
        }
        check(&what, &depths(plain), &depths(recorded));
        std::fs::remove_dir_all(java.folder.join("capture")).unwrap();
    }
}

fn recorded(java: &Program, start: Option<&str>, via: Option<&str>, options: &[&str]) -> Command {
    let plain = java.java(options, &ARGUMENTS);
    let mut command = java.tracewright(&["record", "-o", "capture"]);
    command.args(via.iter().flat_map(|via| ["--via", via]));
    command.arg("--").args(start).arg(plain.get_program()).args(plain.get_args());
    command
}

#[test]
fn whoever_attaches_is_told_that_the_stacks_stay_as_they_are() {
    let Some(java) = program("Spin") else { return };
    let mut child = java.java(&[], &[]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let attached = java.tracewright(&["attach", &child.id().to_string(), "-o", "c"]).output().unwrap();
    kill(&mut child);
    let expected = "-- stderr\ntracewright: the program keeps the stacks that it was started with, ";
    assert!(attached.status.success() && shown(&attached).contains(expected), "{}", shown(&attached));
}
