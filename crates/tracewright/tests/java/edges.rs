//! What is recorded where a way ends in its middle, since memory is used up or recording ends: both modes
//! tell the same blocks.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use expect_test::expect;

use crate::jdk::{Program, program, shown};
use crate::show;

/// Runs `Edges` and stops the recording while it waits; what was recorded, and what the program wrote.
fn stopped_while_open(java: &Program, mode: &str) -> (String, String) {
    let options = ["-o", mode, "--mode", mode, "--when-full", "wait", "--exclude", "Edges$Asking"];
    let mut command = java.recorded(&options, &["-Xmx32m", "-Xverify:all"], &[]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut written = String::new();
    while !written.ends_with("held\n") {
        assert!(output.read_line(&mut written).unwrap() > 0, "{written}");
    }
    let stopped = java.tracewright(&["stop", &child.id().to_string()]).output().unwrap();
    assert!(stopped.status.success(), "{}", shown(&stopped));
    child.stdin.take().unwrap().write_all(b"a").unwrap();
    output.read_to_string(&mut written).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let capture = show::open(&java.folder.join(mode));
    assert!(capture.diagnostics.is_empty(), "{mode}: {:?}", capture.diagnostics);
    (show::flow(&capture), written)
}

#[test]
fn memory_that_is_used_up_and_methods_that_are_open_at_the_end() {
    let Some(java) = program("Edges") else { return };
    let [blocks, paths] = ["blocks", "paths"].map(|mode| stopped_while_open(&java, mode));
    assert_eq!(blocks.1, "1211\nheld\n115\n");
    assert_eq!(paths, blocks);
    let all: Vec<&str> = blocks.0.lines().collect();
    let in_loop = all.iter().position(|line| line.contains("Edges.inLoop")).unwrap();
    expect![[r#"
              Edges.guarded (via library)
                26+27 27 29 29
                Edges.one
                  8+9 9 9+10
                  threw
                catch:30+31+33+34 27 27 29 29
                Edges.inLoop
                  14+15 15 16+17 15 15 16+17 15 15 16+17 15 15 16+17 18+19
                  threw
                catch:30+31+33+34 27 27 36
    "#]]
    .assert_eq(&lines(&all[in_loop - 6..in_loop + 4]));
    expect![[r#"
              Edges.hold
                48+49 49 50+51 49 49 50+51 52 54 55 55
                Edges.through
                  44 44 44
                  Edges.lambda$hold$0 (via library)
                    57
                    Edges.hold
                      48+49 49 50+51 49 49 50+51 52 54 63
                      Edges.hold
                        48+49 49 50+51 49 49 50+51 52 53
                        open
                      open
                    open
                  open
                open
              open
            open
    "#]]
    .assert_eq(&lines(&all[all.len() - 17..]));
}

/// The lines, as far to the left as they can stand.
fn lines(lines: &[&str]) -> String {
    let indent = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    lines.iter().map(|line| format!("{}\n", &line[indent..])).collect()
}
