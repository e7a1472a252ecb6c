//! Kills, full disks and other ends: the program gives what it would have given, the capture opens,
//! and what is missing is said.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::jdk::{kill, program, shown, wait_for};
use crate::show;

#[test]
fn whatever_kills_the_program_its_capture_opens() {
    let Some(java) = program("Busy") else { return };
    let rounds: u64 = std::env::var("KILLS").map_or(4, |number| number.parse().unwrap());
    for round in 0..rounds {
        let name = format!("{round}.capture");
        let mut command = java.recorded(&["-o", &name], &[], &["1000000000"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        std::thread::sleep(Duration::from_millis(round * 37 % 400));
        kill(&mut child);
        let capture = show::open(&java.folder.join(&name));
        assert!(capture.end.is_none());
        let mut recorded = 0;
        for thread in &capture.threads {
            let mut flow = capture.flow(thread);
            while flow.next_step().is_some() {}
            let anomalies = flow.anomalies();
            // Where words were dropped frames end and begin unseen; nothing else may be in doubt.
            assert_eq!(
                (anomalies.unknown_records, anomalies.damaged_records),
                (0, 0),
                "{round} {}",
                thread.name()
            );
            if thread.lost() == 0 {
                assert_eq!(
                    (anomalies.unseen_ends, anomalies.unseen_beginnings),
                    (0, 0),
                    "{round} {}",
                    thread.name()
                );
            }
            recorded += thread.words();
        }
        assert!(recorded > 0, "{round}: nothing was recorded");
        std::fs::remove_dir_all(java.folder.join(&name)).unwrap();
    }
}

/// Each thread says in a mapped file how many calls it has made; whatever it said before it was killed
/// must be in the capture. Blocks are records at once; what paths gather first is another matter.
#[test]
fn what_a_thread_recorded_outlives_a_kill() {
    let Some(java) = program("Announced") else { return };
    let rounds: u64 = std::env::var("KILLS").map_or(4, |number| number.parse().unwrap());
    for round in 0..rounds {
        let options = ["-o", "told.capture", "--mode", "blocks", "--when-full", "wait"];
        let mut child = java.recorded(&options, &[], &["told"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n");
        wait_for("a thousand calls", || {
            let counted = std::fs::read(java.folder.join("told")).unwrap_or_default();
            counted.chunks_exact(8).any(|counted| u32::from_be_bytes(counted[..4].try_into().unwrap()) > 1000)
        });
        std::thread::sleep(Duration::from_millis(round * 37 % 400));
        kill(&mut child);
        let counted = std::fs::read(java.folder.join("told")).unwrap();
        let capture = show::open(&java.folder.join("told.capture"));
        let calls = show::entries_by_thread(&capture, "Announced.step");
        for (number, counted) in counted.chunks_exact(8).enumerate() {
            let counted = u64::from(u32::from_be_bytes(counted[..4].try_into().unwrap()));
            let calls = calls.get(&format!("teller-{number}")).copied().unwrap_or_default();
            // One more may have been made and not been told.
            assert!(
                (counted..=counted + 1).contains(&calls),
                "{round}: {counted} calls told, {calls} recorded"
            );
        }
        std::fs::remove_file(java.folder.join("told")).unwrap();
        std::fs::remove_dir_all(java.folder.join("told.capture")).unwrap();
    }
}

/// The same output and exit code as without the recorder, but for a line that says this; and a capture that opens.
fn same_as_plain(
    java: &crate::jdk::Program,
    mut traced: Command,
    capture: &Path,
    message: &str,
) -> capture::Capture {
    let plain = java.java(&[], &["1000000"]).output().unwrap();
    let traced = traced.output().unwrap();
    let end = format!("-- {}", plain.status);
    let line = format!("tracewright: recording into {} has ended: {message}\n", capture.display());
    assert_eq!(shown(&traced), shown(&plain).replace(&end, &format!("{line}{end}")));
    show::open(capture)
}

#[test]
fn a_limit_of_file_sizes_ends_the_recording_and_not_the_program() {
    let Some(java) = program("Busy") else { return };
    // The recorder's library is written to the cache now, where there is no limit.
    let warmed = java.tracewright(&["record", "-o", "warm.capture", "--", "true"]).output().unwrap();
    assert_eq!(warmed.status.code(), Some(2), "nothing could be recorded");
    // In blocks of 512 bytes: less than the least pool, and room for a small pool and a second or so.
    for blocks in ["40", "2000"] {
        let name = format!("limit-{blocks}.capture");
        let traced = java.recorded(&["-o", &name, "--when-full", "wait"], &[], &["1000000"]);
        let limited = |command: Command| {
            let mut shell = Command::new("sh");
            shell.args(["-c", "ulimit -f \"$0\"; exec \"$@\"", blocks]).arg(command.get_program());
            shell.args(command.get_args()).envs(envs(&command)).current_dir(&java.folder);
            shell.output().unwrap()
        };
        let plain = limited(java.java(&[], &["1000000"]));
        let folder = java.folder.join(&name);
        let message = match blocks {
            "40" => format!("nothing is recorded: cannot make the capture {}", folder.display()),
            _ => format!("recording into {} has ended: cannot write to the capture", folder.display()),
        };
        let end = format!("-- {}", plain.status);
        let line = format!("tracewright: {message}: File too large (os error 27)\n{end}");
        assert_eq!(shown(&limited(traced)), shown(&plain).replace(&end, &line), "{blocks}");
        if blocks == "40" {
            assert!(!folder.join("code").exists(), "nothing could be recorded");
            continue;
        }
        let capture = show::open(&folder);
        let reason = capture.end.as_ref().map(|end| end.reason.as_str()).unwrap_or_default();
        assert!(reason.contains("File too large"), "{blocks}: {reason}");
        assert!(
            capture.diagnostics.iter().any(|diagnostic| diagnostic.code == "capture-ended-early"),
            "{blocks}"
        );
        assert!(capture.threads.iter().any(|thread| thread.words() > 0), "{blocks}");
    }
}

fn envs(command: &Command) -> Vec<(OsString, OsString)> {
    command.get_envs().filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned()))).collect()
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let Some(java) = program("Busy") else { return };
    for size in ["2m", "3m"] {
        let disk = java.folder.join(format!("disk-{size}"));
        std::fs::create_dir(&disk).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(&disk)
            .output();
        if !mounted.is_ok_and(|output| output.status.success()) {
            return testing::skip("no disk can be mounted here");
        }
        let folder = disk.join("full.capture");
        let path = folder.to_str().unwrap();
        let result = std::panic::catch_unwind(|| {
            let traced = java.recorded(&["-o", path, "--when-full", "wait"], &[], &["1000000"]);
            let message = "cannot write to the capture: No space left on device (os error 28)";
            let capture = same_as_plain(&java, traced, &folder, message);
            // Sound up to where it ends, and it says why.
            assert!(show::flow(&capture).contains("Busy.turns"), "{size}");
            let reason = capture.end.map(|end| end.reason).unwrap_or_default();
            assert!(reason.contains("No space left"), "{size}: {reason}");
        });
        let _ = Command::new("umount").arg(&disk).output();
        result.unwrap();
    }
}

#[test]
fn a_folder_that_is_taken_away_ends_the_recording_and_not_the_program() {
    let Some(java) = program("Server") else { return };
    let mut server = crate::server::Server::start(java.recorded(&["-o", "gone.capture"], &[], &[]));
    assert_eq!(server.ask("work 6"), "8");
    std::fs::remove_dir_all(java.folder.join("gone.capture")).unwrap();
    let mut control = server.control();
    wait_for("the end of the recording", || {
        crate::server::send(&mut control, "status").starts_with("ok state=idle")
    });
    assert_eq!(server.ask("work 6"), "8");
    // And it can be recorded again.
    assert!(crate::server::send(&mut control, "start").starts_with("ok state=recording"));
    assert_eq!(server.ask("work 6"), "8");
    server.quit();
    let capture = show::open(&java.folder.join("gone.capture"));
    assert_eq!(show::entries(&capture)["Server$Work.fib"], 25);
}
