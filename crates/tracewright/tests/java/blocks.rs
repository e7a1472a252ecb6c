//! What is recorded is what ran, and the program does not notice.

use expect_test::expect;

use crate::jdk::{program, shown};
use crate::show;

#[test]
fn every_kind_of_thing_is_recorded_as_it_ran() {
    let Some(kinds) = program("Kinds") else { return };
    let plain = kinds.java(&[], &[]).output().unwrap();
    // Full verification, so that the recorder's own classes and all that was inserted are checked.
    let traced = kinds.recorded(&["-o", "kinds.capture"], &["-Xverify:all"], &[]).output().unwrap();
    assert_eq!(shown(&traced), shown(&plain));
    assert_eq!(plain.status.code(), Some(7));
    let capture = show::open(&kinds.folder.join("kinds.capture"));
    assert!(capture.diagnostics.is_empty(), "{:?}", capture.diagnostics);
    assert_eq!(capture.end.as_ref().map(|end| (&end.reason[..], end.lost)), Some(("the program ended", 0)));
    // Compilers of different age number lambda expressions differently: the class file says how this one did.
    let class = std::fs::read(kinds.folder.join("Kinds.class")).unwrap();
    let has = |name: &&str| class.windows(name.len()).any(|part| part == name.as_bytes());
    let of_worker = ["lambda$main$1", "lambda$main$0"].into_iter().find(has).unwrap();
    expect![[r#"
        main:
          Kinds.main (outermost)
            61
            Kinds.factorial
              21 21
              Kinds.factorial
                21 21
                Kinds.factorial
                  21 21 21
                21 21
              21 21
            61 62
            Kinds.loops
              24+25 25 26 26 27 27 26 26 27 28 26 26 27 27 26 26 25 25 26 26 27 27 26 26 27 28 26 26 25 25 26 26 27 27 26 26 25 25 31
            62 63
            Kinds.pick
              34 35
            63
            Kinds.pick
              34 37
            63 63 64
            Kinds$Lazy.<clinit> (via library)
              10 10 10 10 10 10 10 10 10
            65
            Kinds.deep
              41 42
              Kinds.deep
                41 42
                Kinds.deep
                  41 41 41
                  threw
                threw
              threw
            catch:65 65 66
            Kinds.guarded
              46+50
              Kinds.check
                18 18
              50+46
            66
            Kinds.guarded
              46+50 catch:47+48+50
              Kinds.check
                18 18
              50+48
            66 67
            Kinds$Child.<init>
              15
              Kinds$Child.parse
                16
                threw
              threw
            catch:67 68
            Kinds$Child.<init>
              14
              Kinds.<init>
                5 5
              14
              Kinds.check
                18 18
              14
            68 69
            Kinds$Square.<init>
              7 7
            69+70
            Kinds$Square.area
              7
            70 71
            Kinds.sorted
              54 54 54 54 54 54+55 55
              Kinds.lambda$sorted$0 (via library)
                55 55 55
                Kinds.compare
                  58
                55
              Kinds.lambda$sorted$0 (via library)
                55 55 55
                Kinds.compare
                  58
                55
              Kinds.lambda$sorted$0 (via library)
                55 55 55
                Kinds.compare
                  58
                55
              Kinds.lambda$sorted$0 (via library)
                55 55 55
                Kinds.compare
                  58
                55
              56 57
            72 72 72+73 74 74
            Kinds$Heir.read
              81 81 81
              Kinds$Late.<clinit> (via library)
                79
                Kinds.check
                  18 18
                79
            74 75
            open
        worker:
          Kinds.lambda$main$1 (outermost)
            72
            Kinds.factorial
              21 21
              Kinds.factorial
                21 21 21
              21 21
            72 72
    "#]].assert_eq(&show::flow(&capture).replace(of_worker, "lambda$main$1"));
}

#[test]
fn paths_tell_what_blocks_tell() {
    let Some(kinds) = program("Kinds") else { return };
    let [blocks, paths] = ["blocks", "paths"].map(|mode| {
        let traced = kinds.recorded(&["-o", mode, "--mode", mode], &["-Xverify:all"], &[]).output().unwrap();
        assert_eq!(traced.status.code(), Some(7), "{}", shown(&traced));
        let capture = show::open(&kinds.folder.join(mode));
        assert!(capture.diagnostics.is_empty(), "{mode}: {:?}", capture.diagnostics);
        show::flow(&capture)
    });
    assert_eq!(blocks, paths);
}

#[test]
fn iterations_are_counted_beyond_the_ints() {
    let Some(iterations) = program("Iterations") else { return };
    let traced = iterations.recorded(&["-o", "iterations"], &["-Xverify:all"], &[]).output().unwrap();
    assert!(traced.status.success(), "{}", shown(&traced));
    let output = iterations.tracewright(&["calls", "iterations"]).output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let loops: Vec<&str> = output.lines().map(str::trim).filter(|line| line.contains(" x ")).collect();
    assert_eq!(loops, ["loop at 6 x 4,294,967,295", "loop at 13 x 4,294,967,297"], "{output}");
}

#[test]
fn the_jdk_can_be_recorded() {
    let Some(kinds) = program("Kinds") else { return };
    let plain = kinds.java(&[], &[]).output().unwrap();
    for mode in ["blocks", "paths"] {
        let options =
            ["-o", mode, "--mode", mode, "--include", "java", "--include", "jdk", "--include", "sun"];
        let traced = kinds.recorded(&options, &["-Xverify:all"], &[]).output().unwrap();
        assert_eq!(shown(&traced), shown(&plain), "{mode}");
        let capture = show::open(&kinds.folder.join(mode));
        assert!(capture.diagnostics.is_empty(), "{mode}: {:?}", capture.diagnostics);
        let entries = show::entries(&capture);
        assert!(entries.get("java.util.ArrayList.sort").is_some_and(|&count| count > 0), "{mode}");
        // Compiled code calls the virtual machine's own: it would be told now and then.
        assert!(!entries.contains_key("java.lang.StringLatin1.equals"), "{mode}");
        let mut left = capture.classes.iter().flat_map(|class| &class.skipped);
        let intrinsic = |(name, descriptor, reason): &(String, String, String)| {
            (&name[..], &descriptor[..]) == ("equals", "([B[B)Z")
                && reason == "the virtual machine runs code of its own in its place, now and then"
        };
        assert!(left.any(intrinsic), "{mode}");
        let summary = shown(&kinds.tracewright(&["calls", "--summary", mode]).output().unwrap());
        let row = summary.lines().find(|line| line.starts_with("not recorded")).unwrap_or_default();
        assert!(row.contains(" methods: calls of them are not in these figures"), "{mode}: {summary}");
    }
}

#[test]
fn a_script_is_recorded_and_no_byte_of_its_output_changes() {
    let Some(kinds) = program("Kinds") else { return };
    let java = kinds.java(&[], &[]);
    let line = |word: &std::ffi::OsStr| format!("'{}'", word.display());
    let java: Vec<String> = std::iter::once(java.get_program()).chain(java.get_args()).map(line).collect();
    // Two programs, the second with what a preload that was there before left in the environment.
    let script = format!("#!/bin/sh\necho begin >&2\n{0}\n{0}\necho \"code $?\"\nexit 3\n", java.join(" "));
    let path = kinds.folder.join("run.sh");
    std::fs::write(&path, script).unwrap();
    let script = path.to_str().unwrap();
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg("exec \"$@\"").arg("sh").args(words);
        command
    };
    let plain = run(&["sh", script]).current_dir(&kinds.folder).output().unwrap();
    let traced = kinds.tracewright(&["record", "-o", "s.capture", "--", "sh", script]).output().unwrap();
    assert_eq!(shown(&traced), shown(&plain));
    assert_eq!(plain.status.code(), Some(3));
    for name in ["s.capture", "s-2.capture"] {
        let capture = show::open(&kinds.folder.join(name));
        assert!(capture.diagnostics.is_empty(), "{name}: {:?}", capture.diagnostics);
        assert_eq!(show::entries(&capture)["Kinds.factorial"], 5, "{name}");
    }
}

#[test]
fn filters_choose_classes_and_methods() {
    let Some(kinds) = program("Kinds") else { return };
    for (name, options, expected) in [
        ("a", &["--include", "Kinds#fac*"][..], &["Kinds.factorial"][..]),
        ("b", &["--include", "Kinds$Child", "--exclude", "Kinds#parse"], &["Kinds$Child.<init>"]),
        ("c", &["--include", "Nobody"], &[]),
        ("d", &["--include", "java.util.ArrayList#sort"], &["java.util.ArrayList.sort"]),
    ] {
        let options = [&["-o", name][..], options].concat();
        let traced = kinds.recorded(&options, &["-Xverify:all"], &[]).output().unwrap();
        assert_eq!(traced.status.code(), Some(7), "{}", shown(&traced));
        let entries = show::entries(&show::open(&kinds.folder.join(name)));
        assert_eq!(entries.keys().collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn what_cannot_be_recorded_is_said_in_a_sentence() {
    let Some(kinds) = program("Kinds") else { return };
    std::fs::create_dir(kinds.folder.join("full")).unwrap();
    std::fs::write(kinds.folder.join("full/file"), "x").unwrap();
    for (arguments, sentence) in [
        (&["record", "--", "no-such-program"][..], "there is no program no-such-program"),
        (&["record", "-o", "full", "--", "true"], "full exists already; name another folder with -o"),
        (&["record", "-o", "none/x", "--", "true"], "cannot make the folder none/x"),
        (&["attach", "1"], "process 1 is not a running Java program"),
        (&["stop", "999999999"], "process 999999999 is not a running Java program"),
    ] {
        let ran = kinds.tracewright(arguments).output().unwrap();
        let shown = shown(&ran);
        assert!(shown.contains(sentence) && ran.status.code() == Some(2), "{arguments:?}: {shown}");
    }
    let rules = kinds.tracewright(&["record", "--explain-filters"]).output().unwrap();
    let rules = String::from_utf8(rules.stdout).unwrap();
    for rule in ["protobuf", "annotated", "proxy", "lambda", "java.lang.Thread", "com.sun.*"] {
        assert!(rules.contains(rule), "{rule} is not in\n{rules}");
    }
}
