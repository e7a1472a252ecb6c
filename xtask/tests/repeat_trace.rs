//! `cargo xtask repeat-trace`: the result is a trace to us and to babeltrace2, with every event and
//! every loss of the original in each of its parts.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::root;

fn repeat(from: &Path, to: &Path, times: u32) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("repeat-trace").arg(from).arg(to).arg(times.to_string()).output().unwrap()
}

/// A folder that is not there yet.
fn fresh(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Events and discarded events, as babeltrace2 counts them; `None` without it.
fn by_babeltrace(folder: &Path) -> Option<(usize, usize)> {
    let output = Command::new("babeltrace2").arg(folder).output().ok().or_else(|| {
        println!("left out: babeltrace2 is not there");
        None
    })?;
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{printed}");
    // "WARNING: Tracer discarded 12 events between ..."
    let discarded = printed.lines().filter(|line| line.contains("discarded") && line.contains(" event"));
    let count = |line: &str| line.split(' ').find_map(|word| word.parse::<usize>().ok()).unwrap();
    Some((String::from_utf8(output.stdout).unwrap().lines().count(), discarded.map(count).sum()))
}

#[test]
fn a_repeated_trace_has_everything_as_often_as_asked() {
    for (name, events) in [("complete", 2_608), ("lossy", 4_389), ("overwrite", 4_147)] {
        let (from, to) = (root().join("examples/traces").join(name), fresh(name));
        let ran = repeat(&from, &to, 3);
        let printed = String::from_utf8(ran.stdout).unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(printed, format!("{}: {} events\n", to.display(), 3 * events));
        if let (Some(once), Some(often)) = (by_babeltrace(&from), by_babeltrace(&to)) {
            assert_eq!(once.0, events, "{name}");
            assert_eq!(often, (3 * once.0, 3 * once.1), "{name}");
        }
    }
}

#[test]
fn what_cannot_be_repeated_is_skipped() {
    let (complete, there) = (root().join("examples/traces/complete"), fresh("there"));
    std::fs::create_dir_all(&there).unwrap();
    for (from, to, times, sentence) in [
        (complete.clone(), there.clone(), 2, "is there already"),
        (root().join("corpus"), fresh("corpus"), 2, "no file below it is called `metadata`"),
        (complete, fresh("none"), 0, "N is a number from 1 to 10000"),
    ] {
        let ran = repeat(&from, &to, times);
        assert_eq!(ran.status.code(), Some(2));
        let printed = String::from_utf8(ran.stderr).unwrap();
        assert!(printed.contains(sentence), "{printed}");
    }
    assert_eq!(std::fs::read_dir(&there).unwrap().count(), 0);
}
