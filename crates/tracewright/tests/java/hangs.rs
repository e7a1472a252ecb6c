//! Programs that hang, each in another kind of loop: `hangs` names method and line, however the recording ends.
//!
//! `programs/Hang.java` has the loops and marks their lines; the table here says which method it is.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::jdk::{Program, kill, program, shown};

/// The argument of the program, which the comments in it repeat, and the method that does not end.
const HANGS: [(&str, &str); 20] = [
    ("plain", "Hang.plain"),
    ("calls", "Hang.calls"),
    ("nested", "Hang.nested"),
    ("doWhile", "Hang.doWhile"),
    ("forField", "Hang.forField"),
    ("initialiser", "Hang$Initialised.<clinit>"),
    ("lambda", "Hang.lambda$"),
    ("constructor", "Hang$Constructed.<init>"),
    ("twoThreads", "Hang.twoThreads"),
    ("recursion", "Hang.deep"),
    ("onVolatile", "Hang.onVolatile"),
    ("arrays", "Hang.arrays"),
    ("switched", "Hang.switched"),
    ("excluded", "Hang$Excluded.spin"),
    ("caught", "Hang.caught"),
    ("texts", "Hang.texts"),
    ("pattern", "Hang.pattern"),
    ("counted", "Hang.counted"),
    ("labelled", "Hang.labelled"),
    ("huge", "Huge.spin"),
];

/// Those of them that record each iteration: interpreted, they record no more than can be read in a moment.
const RECORDING: [&str; 11] = [
    "plain",
    "calls",
    "nested",
    "doWhile",
    "initialiser",
    "constructor",
    "switched",
    "caught",
    "texts",
    "labelled",
    "slow",
];

/// How the recording ends, and whether it began while the program ran.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum How {
    Stop,
    Kill,
    Attach,
}

/// Starts the program, and waits until it says so.
pub(crate) fn start(mut command: Command) -> Child {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    child
}

/// What `hangs` says of the program, and what `status` said before the end.
fn hangs(java: &Program, argument: &str, how: How) -> (String, String) {
    hangs_of(java, "Hang", argument, how)
}

/// The same of another program, which is called so.
pub(crate) fn hangs_of(java: &Program, class: &str, argument: &str, how: How) -> (String, String) {
    let name = format!("{class}-{argument}.capture");
    let options = ["--exclude", "Hang$Excluded", "--size", "4M", "-o", &name];
    let jvm: &[&str] = if RECORDING.contains(&argument) { &["-Xint"] } else { &[] };
    let command = match how {
        How::Attach => java.java(jvm, &[argument]),
        _ => java.recorded(&options, jvm, &[argument]),
    };
    let mut child = start(command);
    let pid = child.id().to_string();
    let run = |arguments: &[&str]| shown(&java.tracewright(arguments).output().unwrap());
    if how == How::Attach {
        let began = run(&[&["attach", &pid][..], &options].concat());
        assert!(began.contains("exit status: 0"), "{argument}: {began}");
    }
    // A machine that is busy otherwise lets it run for a part of this.
    std::thread::sleep(Duration::from_millis(700));
    let status = if how == How::Kill { String::new() } else { run(&["status", &pid]) };
    if how != How::Kill {
        run(&["stop", &pid]);
    }
    kill(&mut child);
    let hangs = run(&["hangs", &name]);
    std::fs::remove_dir_all(java.folder.join(&name)).unwrap();
    (hangs, status)
}

/// The lines of the source with this comment.
fn lines(argument: &str) -> Vec<usize> {
    lines_of("Hang", argument)
}

pub(crate) fn lines_of(class: &str, argument: &str) -> Vec<usize> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/java/programs");
    let source = folder.join(class).with_extension("java");
    let text = std::fs::read_to_string(source).unwrap();
    let mark = format!("// {argument}");
    (1..).zip(text.lines()).filter(|(_, line)| line.ends_with(&mark)).map(|(number, _)| number).collect()
}

/// The beginning of a line, up to the moment since when.
pub(crate) fn without_times(line: &str) -> &str {
    [", no record", ", since ", " (20"]
        .iter()
        .fold(line, |line, end| line.split(end).next().unwrap_or_default())
}

/// All numbers of a text.
pub(crate) fn numbers(text: &str) -> Vec<usize> {
    let apart = |letter: char| !letter.is_ascii_digit();
    text.split(apart).filter_map(|number| number.parse().ok()).collect()
}

fn check(how: How) {
    let Some(java) = program("Hang") else { return };
    for (argument, method) in HANGS {
        let (hangs, _) = hangs(&java, argument, how);
        // Where iterations are recorded the loop is found by them, else the first line says where it stays.
        let answer = hangs.lines().next().unwrap_or_default();
        let is_loop = answer.contains(" goes round a loop that is ");
        let is_stay = answer.contains("stays in") || answer.contains("stay where nothing is recorded");
        assert!(is_loop || is_stay, "{argument}: {hangs}");
        // It is printed before the steps are read, and not again.
        assert_eq!(hangs.lines().filter(|line| *line == answer).count(), 1, "{argument}: {hangs}");
        let parts = hangs.lines().map(without_times);
        let output: Vec<usize> = parts.filter(|line| line.contains(method)).flat_map(numbers).collect();
        let expected = lines(argument);
        assert!(
            !expected.is_empty() && expected.iter().any(|line| output.contains(line)),
            "{argument}: {hangs}"
        );
    }
}

#[test]
fn every_hang_is_named_after_a_stop() {
    check(How::Stop);
}

#[test]
fn every_hang_is_named_after_a_kill() {
    check(How::Kill);
}

#[test]
fn every_hang_is_named_after_attaching() {
    check(How::Attach);
}

#[test]
fn calls_info_and_status_name_what_is_open() {
    let Some(java) = program("Hang") else { return };
    let mut child = start(java.recorded(&["-o", "open.capture"], &[], &["onVolatile"]));
    let pid = child.id().to_string();
    std::thread::sleep(Duration::from_millis(700));
    let run = |arguments: &[&str]| shown(&java.tracewright(arguments).output().unwrap());
    let line = lines("onVolatile")[0];
    let status = run(&["status", &pid]);
    assert!(status.contains(&format!("\nmain in Hang.onVolatile, line {line}, no record for ")), "{status}");
    run(&["stop", &pid]);
    kill(&mut child);
    let stays = format!("stays in Hang.onVolatile (Hang.java:{line}), no record for ");
    let calls = run(&["calls", "open.capture"]);
    assert!(calls.contains(&format!("\n  {stays}")), "{calls}");
    let open =
        format!("\n  its loop at line {line} is open: how often it went round is recorded when it is left\n");
    assert!(calls.contains(&open), "{calls}");
    let info = run(&["info", "open.capture"]);
    assert!(info.contains(&format!("\nOpen in 1 thread: what had not ended\n  main {stays}")), "{info}");
    let json = run(&["hangs", "open.capture", "--json"]);
    let frame = format!(
        "\"open_loop\":[{line}],\"frames\":[{{\"method\":\"Hang.onVolatile\",\"descriptor\":\"()V\",\
         \"file\":\"Hang.java\",\"line\":{line},\"recorded\":true}}"
    );
    let does = "\"state\":\"runnable\",\"doing\":\"runs\",\"waits_on\":null,\"held_by\":null,\"deadlock\":null,\"stays\":true,\"moves_on\":false";
    assert!(json.contains(does) && json.contains(&frame), "{json}");
}

/// One that ended, one that computes and records, and three that wait.
#[test]
fn who_ends_works_or_waits_is_not_accused() {
    let Some(java) = program("Hang") else { return };
    let ran = java.recorded(&["-o", "ends.capture"], &[], &["ends"]).output().unwrap();
    assert!(ran.status.success(), "{}", shown(&ran));
    let ended = shown(&java.tracewright(&["hangs", "ends.capture"]).output().unwrap());
    assert!(ended.starts_with("0 of 1 track ends in a loop\n") && !ended.contains("Hang."), "{ended}");
    for argument in ["slow", "sleeps", "reads", "waits"] {
        for how in [How::Stop, How::Kill] {
            let (hangs, status) = hangs(&java, argument, how);
            assert!(
                !hangs.contains("stays") && !status.contains("no record for"),
                "{argument}: {hangs}{status}"
            );
        }
    }
}

/// A virtual thread was running before recording began, and records nothing: only what carries it leads to it.
#[test]
fn a_virtual_thread_that_spins_is_named_and_nobody_says_that_nothing_goes_on() {
    let Some(java) = program("Virtual").and_then(Program::with_virtual_threads) else { return };
    let name = "Virtual.capture";
    let mut child = start(java.java(&[], &[]));
    let pid = child.id().to_string();
    let run = |arguments: &[&str]| shown(&java.tracewright(arguments).output().unwrap());
    let began = run(&["attach", &pid, "-o", name]);
    std::thread::sleep(Duration::from_millis(700));
    let stopped = run(&["stop", &pid]);
    kill(&mut child);
    let hangs = run(&["hangs", name]);
    let answer = hangs.lines().next().unwrap_or_default();
    let line = lines_of("Virtual", "spin")[0];
    assert!(answer.contains("Virtual.await"), "{began}{stopped}{hangs}");
    assert!(answer.contains(&format!("line {line}")) || answer.contains(&format!(":{line}")), "{hangs}");
    assert!(!hangs.contains("nothing goes on"), "{hangs}");
}
