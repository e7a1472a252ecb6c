//! Outputs appear whole or not at all: a full disk, a signal, a file that is there already.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::util::{Folder, folder};

fn examples() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A model of the example's events, which a kernel does not have.
pub(crate) const MODEL: &str = "<tmfxml xmlns:tw='urn:tracewright:pattern:1'><pattern id='p'><patternHandler><fsm id='f'>\
    <tw:instances><tw:key of='@cpu'/></tw:instances>\
    <state id='s'><transition event='shop:*' target='s'/></state></fsm></patternHandler></pattern></tmfxml>";

/// Names in the folder, hidden ones too.
fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(&folder.path).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The limit counts blocks of 512 bytes; with its signal ignored, writing fails as on a full disk.
#[test]
fn a_full_disk_leaves_nothing_and_the_next_run_succeeds() {
    let capture = examples().join("bakery/bakery.capture");
    for form in ["etr", "chrome", "perfetto"] {
        let folder = folder();
        let export = format!("tracewright export {} --to {form} -o out", capture.display());
        let full = folder.shell(&format!("trap '' XFSZ; ulimit -f 16; {export}"));
        assert_eq!(full.code, 2, "{full}");
        assert!(full.err.contains("cannot write out"), "{full}");
        assert_eq!(names(&folder), [""; 0]);
        let again = folder.shell(&export);
        assert_eq!(again.code, 0, "{again}");
        let expected: &[&str] = if form == "etr" { &["out", "out.em"] } else { &["out"] };
        assert_eq!(names(&folder), expected);
    }
    let folder = folder().with("model.xml", MODEL);
    let trace = examples().join("traces/lossy");
    let infer =
        format!("tracewright infer {} --model model.xml --out repaired --allow-loss", trace.display());
    let full = folder.shell(&format!("trap '' XFSZ; ulimit -f 16; {infer}"));
    assert_eq!(full.code, 2, "{full}");
    assert!(
        full.err.contains("cannot write repaired") && full.err.contains("nothing is left of it"),
        "{full}"
    );
    assert_eq!(names(&folder), ["model.xml"]);
    let search = "tracewright 2l search 4 5 --certificates proofs";
    let full = folder.shell(&format!("trap '' XFSZ; ulimit -f 16; {search}"));
    assert_eq!(full.code, 2, "{full}");
    assert!(full.err.contains("cannot write proofs"), "{full}");
    assert_eq!(names(&folder), ["model.xml"]);
}

/// Starts a command, sends it a signal when a part of its output is there, and says how it ended.
fn ended_by(folder: &Folder, arguments: &[&str], signal: &str) -> Option<i32> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args(arguments)
        .current_dir(&folder.path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while !names(folder).iter().any(|name| name.contains(".part-")) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before a part was seen");
        assert!(start.elapsed() < Duration::from_secs(60), "no part of an output came");
        std::thread::yield_now();
    }
    let sent = Command::new("kill").arg(format!("-{signal}")).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
    child.wait().unwrap().signal()
}

#[test]
fn a_signal_removes_what_is_half_written() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = folder().with("proofs", "of before");
        let arguments = ["2l", "search", "7", "7", "--certificates", "proofs"];
        assert_eq!(ended_by(&folder, &arguments, signal), Some(number));
        assert_eq!(names(&folder), ["proofs"]);
        assert_eq!(std::fs::read_to_string(folder.path.join("proofs")).unwrap(), "of before");
    }
}

#[test]
fn a_signal_removes_a_folder_that_is_half_written() {
    let folder = folder().with("model.xml", MODEL);
    let trace = folder.path.join("trace");
    std::fs::create_dir(&trace).unwrap();
    for entry in std::fs::read_dir(examples().join("traces/lossy/ust/uid/0/64-bit")).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            std::fs::copy(entry.path(), trace.join(entry.file_name())).unwrap();
        }
    }
    // Copying it takes long enough to be interrupted.
    std::fs::File::create(trace.join("zeros")).unwrap().set_len(400 << 20).unwrap();
    let arguments = ["infer", "trace", "--model", "model.xml", "--out", "repaired", "--allow-loss"];
    assert_eq!(ended_by(&folder, &arguments, "TERM"), Some(15));
    assert_eq!(names(&folder), ["model.xml", "trace"]);
}

/// `nohup` has SIGHUP ignored, and so it stays.
#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = folder();
    let ran = folder.shell(
        "trap '' HUP; tracewright 2l search 5 5 --check --certificates proofs > out & \
         while [ -z \"$(ls -A | grep part-)\" ]; do :; done; kill -HUP $!; wait $!",
    );
    assert_eq!(ran.code, 0, "{ran}");
    assert_eq!(names(&folder), ["out", "proofs"]);
}

#[test]
fn what_is_there_already_is_replaced_only_where_the_help_says_so() {
    let capture = examples().join("bakery/bakery.capture");
    let folder = folder().with("out", "mine").with("proofs", "old").with("real", "old");
    let refused = folder.run(&format!("export {} --to chrome -o out", capture.display()));
    assert_eq!(refused.code, 2, "{refused}");
    assert_eq!(std::fs::read_to_string(folder.path.join("out")).unwrap(), "mine");
    std::os::unix::fs::symlink("real", folder.path.join("link")).unwrap();
    for name in ["proofs", "link"] {
        let ran = folder.run(&format!("2l search 4 4 --certificates {name}"));
        assert_eq!(ran.code, 0, "{ran}");
    }
    assert!(folder.path.join("link").is_symlink());
    // A line for each program that hangs, see `docs/bb-6x6.md`.
    let are_proofs = |name: &str| {
        let text = std::fs::read_to_string(folder.path.join(name)).unwrap();
        text.lines().count() == 25 && text.lines().all(|line| line.split(' ').count() >= 4)
    };
    for name in ["proofs", "real"] {
        assert!(are_proofs(name), "{name}");
    }
    let piped =
        folder.shell("mkfifo pipe; cat pipe > got & tracewright 2l search 4 4 --certificates pipe; wait");
    assert_eq!(piped.code, 0, "{piped}");
    assert!(are_proofs("got"));
}

/// `--max-bytes` keeps whole lines, says how much it left out, and prints no piece of a JSON object.
#[test]
fn an_answer_has_the_bound_that_was_asked_for() {
    let trace = examples().join("traces/complete");
    let trace = trace.to_str().unwrap();
    let whole = folder().run_with(["events", trace], []);
    for most in [0, 1, 100, 1_000, 70_000, 100_000] {
        let ran = folder().run_with(["events", trace, "--max-bytes", &most.to_string()], []);
        if ran.out.is_empty() {
            assert!(
                most < 200 && ran.code == 2 && ran.err.contains("no line that ends within --max-bytes"),
                "{ran}"
            );
            continue;
        }
        assert!(ran.out.len() <= most && ran.out.len() + 400 > most && ran.out.ends_with('\n'), "{most}");
        assert!(whole.out.starts_with(&ran.out));
        let left = formatted(whole.out.len() - ran.out.len());
        assert!(ran.err.starts_with(&format!("tracewright: {left} bytes were left out")), "{}", ran.err);
    }
    let ran = folder().run_with(["info", trace, "--json", "--max-bytes", "500"], []);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran}");
    let ran = folder().run_with(["info", trace, "--max-bytes", "1000000"], []);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran}");
}

fn formatted(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
