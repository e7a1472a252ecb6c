//! Formats that a reader needs twice or at any offset, from standard input: the same answer as from a file, and no copy is
//! left.

use std::path::Path;

use crate::util::{Folder, folder};

fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)).unwrap()
}

const SERVER: &str = r#"[{"ph": "X", "pid": 9, "tid": 9, "ts": 100, "dur": 80, "name": "serve"},
{"ph": "X", "pid": 9, "tid": 9, "ts": 101, "dur": 30, "name": "answer"}]"#;

/// A folder with an input of each format, and one for copies.
fn with_inputs() -> Folder {
    folder()
        .with("server.json", SERVER)
        .with("slices.pftrace", corpus("perfetto/slices.pftrace"))
        .with("kernel.pftrace", corpus("perfetto/kernel.pftrace"))
        .with("perf.data", corpus("perf/rich"))
        .with("trace.dat", corpus("trace_dat/version-6"))
        .with("copies/none", "")
}

#[test]
fn standard_input_is_read_as_a_file_is() {
    let folder = with_inputs();
    for (input, commands) in [
        ("server.json", &["calls", "hangs", "loops", "info", "events"][..]),
        ("slices.pftrace", &["calls", "hangs", "loops", "info", "events"]),
        ("kernel.pftrace", &["loops", "info", "events"]),
        ("perf.data", &["loops", "info", "events", "check"]),
        ("trace.dat", &["loops", "info", "events", "check"]),
    ] {
        for command in commands {
            let file = folder.shell(&format!("tracewright {command} {input}"));
            assert!(file.code <= 1 && !file.out.is_empty(), "{command} {input}: {file}");
            for feed in ["cat", "gzip -c"] {
                let line = format!("{feed} {input} | TMPDIR=copies tracewright {command} -");
                let ran = folder.shell(&line);
                // Some diagnostics are said with the input in front, others without.
                let named = |text: &str| {
                    let text = text.replace("tracewright: -: ", "tracewright: ");
                    text.replace(&format!("tracewright: {input}: "), "tracewright: ").replace(input, "stdin")
                };
                assert_eq!(
                    (ran.code, named(&ran.out), named(&ran.err)),
                    (file.code, named(&file.out), named(&file.err)),
                    "{line}"
                );
            }
        }
    }
    // When a loop began, and what threads waited for, is not told of what came once: how each track ends is.
    let endings = |text: &str| {
        let mut lines: Vec<String> =
            text.lines().filter(|line| line.contains("; ends in")).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    for input in ["kernel.pftrace", "perf.data", "trace.dat"] {
        let (file, ran) =
            (folder.run(&format!("hangs {input}")), folder.shell(&format!("tracewright hangs - < {input}")));
        assert_eq!((ran.code, endings(&ran.out)), (file.code, endings(&file.out)), "{ran}");
        assert!(endings(&ran.out).len() > 1, "{ran}");
    }
    assert_eq!(std::fs::read_dir(folder.path.join("copies")).unwrap().count(), 1);
}

#[test]
fn a_copy_that_cannot_be_made_is_told() {
    let folder = with_inputs();
    for input in ["perf.data", "slices.pftrace"] {
        let ran = folder.shell(&format!("TMPDIR=nowhere tracewright info - < {input}"));
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran}");
        assert!(ran.err.contains("cannot open -: it cannot be copied to nowhere: "), "{ran}");
    }
}
