//! The control channel: who answers for a recorder, and what happens when nobody does.

use crate::support::{Folder, program, tracewright};

#[test]
fn a_process_that_is_no_jvm_is_refused_by_every_command() {
    let folder = Folder::new();
    let own = std::process::id().to_string();
    for command in ["attach", "start", "stop", "status"] {
        let ran = tracewright(&folder.0, &[command, &own]);
        assert_eq!(ran.code, 2, "{command}: {ran}");
        assert!(ran.err.contains(&format!("process {own} is")), "{command}: {ran}");
    }
    assert!(!folder.0.join("recording.capture").exists(), "a folder is left");
}

#[test]
fn a_jvm_of_ones_own_is_attached_to_and_stopped() {
    let folder = Folder::new();
    let Some(program) = program(&folder) else { return };
    let jvm = program.start(std::process::Command::new(&program.java), &[], &folder.0);
    let ran = tracewright(&folder.0, &["attach", &jvm.pid, "-o", "a.capture"]);
    assert_eq!(ran.code, 0, "{ran}");
    let ran = tracewright(&folder.0, &["stop", &jvm.pid]);
    assert!(ran.code == 0 && ran.out.contains("a.capture: "), "{ran}");
}
