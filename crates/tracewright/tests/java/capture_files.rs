//! What happens to the files of a capture while it is recorded: the program notices nothing, and whoever has to
//! know is told at once.

use std::fs::{self, File, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::jdk::{Program, program, shown, wait_for};
use crate::server::Server;
use crate::show;

/// A program that runs: it has begun.
struct Running {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    /// What it has written up to then.
    before: String,
}

impl Running {
    fn start(mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut before = String::new();
        while !before.ends_with("begun\n") {
            assert!(output.read_line(&mut before).unwrap() > 0, "{before}");
        }
        Running { child, output, before }
    }

    /// The rest of its output, its errors and how it ended.
    fn end(mut self) -> (String, String, Option<i32>) {
        let (mut out, mut err) = (String::new(), String::new());
        self.output.read_to_string(&mut out).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (out, err, self.child.wait().unwrap().code())
    }
}

fn truncate(path: &Path) {
    File::options().write(true).open(path).unwrap().set_len(0).unwrap();
}

/// So many iterations of each thread keep it busy for a second or more.
fn iterations(option: &str) -> &'static str {
    if option == "-Xint" { "1000000" } else { "8000000" }
}

fn sum(java: &Program, iterations: &str) -> String {
    let plain = java.java(&[], &[iterations]).output().unwrap();
    String::from_utf8(plain.stdout).unwrap().strip_prefix("begun\n").unwrap().to_owned()
}

#[test]
fn truncating_the_memory_of_a_recording_harms_no_program() {
    let Some(java) = program("Busy") else { return };
    let rounds: u64 = std::env::var("KILLS").map_or(2, |number| number.parse().unwrap());
    for option in ["-Xint", "-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"] {
        let iterations = iterations(option);
        let sum = sum(&java, iterations);
        for round in 0..rounds {
            let name = format!("t{option}-{round}.capture");
            let command = java.recorded(&["-o", &name], &[option], &[iterations]);
            let running = Running::start(command);
            std::thread::sleep(Duration::from_millis(round * 37 % 400));
            truncate(&java.folder.join(&name).join("open"));
            let (out, err, code) = running.end();
            let folder = java.folder.join(&name);
            let line = format!(
                "tracewright: recording into {} has ended: cannot write to the capture: its file `open` was \
                 truncated, or the disk had no room for a page of it; the last records are missing\n",
                folder.display()
            );
            assert_eq!((out, err, code), (sum.clone(), line, Some(0)), "{name}");
            let capture = show::open(&folder);
            assert!(capture.end.as_ref().is_some_and(|end| end.failed), "{name}");
            for thread in &capture.threads {
                let mut flow = capture.flow(thread);
                while flow.next_step().is_some() {}
                let anomalies = flow.anomalies();
                assert_eq!(
                    (anomalies.unknown_records, anomalies.damaged_records),
                    (0, 0),
                    "{name} {}",
                    thread.name()
                );
            }
            let summary = java.tracewright(&["calls", &name, "--summary"]).output().unwrap();
            if capture.threads.iter().any(|thread| thread.words() > 0) {
                assert_eq!(summary.status.code(), Some(1), "{}", shown(&summary));
                let lost = String::from_utf8(summary.stdout).unwrap();
                let lost = lost.lines().find(|line| line.starts_with("lost ")).unwrap().to_owned();
                assert!(lost.ends_with("all since it ended, which is not counted"), "{lost}");
            }
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}

#[test]
fn whatever_becomes_of_its_files_the_program_goes_on_and_the_true_reason_is_told() {
    let Some(java) = program("Busy") else { return };
    let iterations = iterations("");
    let sum = sum(&java, iterations);
    type Meddle = fn(&Path);
    let cases: [(&str, Meddle, &str); 7] = [
        (
            "modes",
            |folder| {
                for name in ["code", "steps", "open", ""] {
                    fs::set_permissions(folder.join(name), Permissions::from_mode(0o000)).unwrap();
                }
            },
            "",
        ),
        (
            "no-open",
            |folder| fs::remove_file(folder.join("open")).unwrap(),
            "the file `open` of the capture was taken away",
        ),
        (
            "other-steps",
            |folder| {
                fs::write(folder.join("new"), "").unwrap();
                fs::rename(folder.join("new"), folder.join("steps")).unwrap();
            },
            "the file `steps` of the capture was taken away",
        ),
        (
            "short-steps",
            |folder| {
                wait_for("something in `steps`", || fs::metadata(folder.join("steps")).unwrap().len() > 0);
                truncate(&folder.join("steps"));
            },
            "cannot write to the capture: somebody else has changed the length of its file",
        ),
        (
            "short-code",
            |folder| truncate(&folder.join("code")),
            "cannot write to the capture: somebody else has changed the length of its file",
        ),
        (
            "moved",
            |folder| fs::rename(folder, folder.with_file_name("elsewhere")).unwrap(),
            "the folder of the capture was taken away",
        ),
        ("removed", |folder| fs::remove_dir_all(folder).unwrap(), "the folder of the capture was taken away"),
    ];
    for (name, meddle, reason) in cases {
        let running = Running::start(java.recorded(&["-o", name], &[], &[iterations]));
        let folder = java.folder.join(name);
        meddle(&folder);
        let (out, err, code) = running.end();
        let line = match reason {
            "" => String::new(),
            _ => format!("tracewright: recording into {} has ended: {reason}\n", folder.display()),
        };
        assert_eq!((out, err, code), (sum.clone(), line, Some(0)), "{name}");
    }
}

#[test]
fn status_and_stop_say_why_a_recording_has_ended() {
    let Some(java) = program("Server") else { return };
    let mut server = Server::start(java.java(&[], &[]));
    let pid = server.pid();
    let run = |words: &[&str]| shown(&java.tracewright(words).output().unwrap());
    run(&["attach", &pid, "-o", "gone.capture"]);
    let folder = java.folder.join("gone.capture");
    fs::remove_dir_all(&folder).unwrap();
    wait_for("the end of the recording", || run(&["status", &pid]).starts_with("nothing"));
    let sentence = format!(
        "nothing is being recorded: the recording into {} has ended: the folder of the capture was taken away\n",
        folder.display()
    );
    assert_eq!(run(&["status", &pid]), format!("{sentence}-- stderr\n-- exit status: 0"));
    assert_eq!(
        run(&["stop", &pid]),
        format!("-- stderr\ntracewright: process {pid}: {sentence}-- exit status: 2")
    );
    // Another recording, and it is of the past.
    run(&["attach", &pid, "-o", "next.capture"]);
    run(&["stop", &pid]);
    assert_eq!(run(&["status", &pid]), "nothing is being recorded\n-- stderr\n-- exit status: 0");
    assert_eq!(server.ask("work 6"), "8");
    server.quit();
}

/// There the virtual machine complains of every handler that is not its own.
#[test]
fn no_handler_of_ours_stands_before_one_that_is_checked() {
    let Some(java) = program("Busy") else { return };
    let iterations = "3000000";
    let sum = sum(&java, iterations);
    let running = Running::start(java.recorded(&["-o", "checked"], &["-Xcheck:jni"], &[iterations]));
    let folder = java.folder.join("checked");
    assert_eq!(fs::metadata(folder.join("open")).unwrap().len(), 0, "it is mapped");
    let before = running.before.clone();
    let (out, err, code) = running.end();
    assert_eq!((out, code), (sum, Some(0)), "{before}{err}");
    assert!(!format!("{before}{err}").contains("SIGBUS"), "{before}{err}");
    let capture = show::open(&folder);
    assert!(capture.diagnostics.is_empty(), "{:?}", capture.diagnostics);
    assert!(show::entries(&capture)["Busy.step"] == 9_000_000);
}

/// The pages of `open` are taken away and the disk is filled, so that the next store into one has none.
#[test]
fn a_page_that_a_full_disk_has_no_room_for_harms_no_program() {
    let Some(java) = program("Busy") else { return };
    let disk = java.folder.join("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=80m", "tmpfs"]).arg(&disk).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return testing::skip("no small disk can be mounted here");
    }
    let result = std::panic::catch_unwind(|| {
        let iterations = iterations("");
        let folder = disk.join("c");
        let running = Running::start(java.recorded(&["-o", folder.to_str().unwrap()], &[], &[iterations]));
        let fill = "cat /dev/zero >fill; fallocate -p -o 0 -l 67108864 c/open; cat /dev/zero >>fill";
        Command::new("sh").args(["-c", fill]).current_dir(&disk).output().unwrap();
        let (out, err, code) = running.end();
        let begin = format!(
            "tracewright: recording into {} has ended: cannot write to the capture: ",
            folder.display()
        );
        assert_eq!((out, code), (sum(&java, iterations), Some(0)), "{err}");
        assert!(err.starts_with(&begin) && err.lines().count() == 1, "{err}");
    });
    let _ = Command::new("umount").arg("-l").arg(&disk).output();
    result.unwrap();
}
