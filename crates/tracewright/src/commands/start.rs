//! `tracewright start`: begins a recording in a program that has the recorder in it.

use std::time::Duration;

use crate::cli::java::{Choices, Start};
use crate::exit::{Outcome, Result, Stop};
use crate::java::control::{Answer, Control, Found, probe};
use crate::java::folder::{self, Folder};
use crate::java::options;
use crate::java::process::Process;
use crate::output::Output;

pub(crate) fn run(options: &Start) -> Result<Outcome> {
    let (process, mut control) = reach(options.pid)?;
    let dir = match &options.output {
        Some(path) => Some(folder::make_for(Some(path), &process)?),
        // The one that `record` was given; an attached program was given none.
        None if control.ask("status")?.contains_key("base") => None,
        None => Some(folder::make_for(None, &process)?),
    };
    begin(&process, &mut control, &options.choices, dir.as_ref())
}

/// The virtual machine with this number.
pub(crate) fn process(pid: u32) -> Result<Process> {
    match Process::of(pid) {
        Some(process) if process.status.is_stopped => {
            Stop::failed(format!("process {pid} is stopped (by SIGSTOP or a debugger) and does not answer"))
        }
        Some(process) => Ok(process),
        None => Stop::failed(format!("process {pid} is not a running Java program")),
    }
}

/// The process and the recorder in it.
pub(crate) fn reach(pid: u32) -> Result<(Process, Control)> {
    let process = process(pid)?;
    match probe(&process) {
        Ok(Found::Recorder(control)) => Ok((process, control)),
        Ok(Found::Nothing(_)) => {
            Stop::failed(format!("no recorder is in process {pid}; `tracewright attach {pid}` puts it there"))
        }
        Err(reason) => Stop::failed(format!("cannot reach process {pid}: {reason}")),
    }
}

/// The recorder in a process into which it was just loaded: its socket may come a moment later.
pub(crate) fn connected(process: &Process) -> Result<Control> {
    let pid = process.pid;
    let begin = std::time::Instant::now();
    while begin.elapsed() < Duration::from_secs(4) {
        match probe(process) {
            Ok(Found::Recorder(control)) => return Ok(control),
            Ok(Found::Nothing(_)) => std::thread::sleep(Duration::from_millis(10)),
            Err(reason) => return Stop::failed(format!("cannot reach process {pid}: {reason}")),
        }
    }
    Stop::failed(format!("the recorder in process {pid} opened no socket in a folder of its user's"))
}

/// Begins, into this folder if one is named.
pub(crate) fn begin(
    process: &Process,
    control: &mut Control,
    choices: &Choices,
    dir: Option<&Folder>,
) -> Result<Outcome> {
    let answer = begin_quietly(process, control, choices, dir)?;
    print(&format!("recording into {}", answer.get("dir").map_or("?", |dir| dir)))
}

/// Starts recording without printing anything.
pub(crate) fn begin_quietly(
    process: &Process,
    control: &mut Control,
    choices: &Choices,
    dir: Option<&Folder>,
) -> Result<Answer> {
    let mut pairs = options::Pairs::of(choices);
    if let Some(dir) = dir {
        pairs.add_path("dir", &dir.path);
    }
    let mut answer = Answer::new();
    for line in pairs.lines("start") {
        let handle = dir.filter(|_| line == "start").and_then(|dir| dir.to_hand_over(process));
        let asked = control.ask_with(&line, handle);
        if asked.is_err()
            && let Some(dir) = dir
        {
            dir.remove(process);
        }
        answer = asked?;
    }
    Ok(answer)
}

/// A line of output.
pub(crate) fn print(line: &str) -> Result<Outcome> {
    let mut output = Output { buffer: format!("{}\n", crate::escape::plain(line)).into_bytes() };
    output.flush()?;
    Ok(Outcome::Complete)
}

/// The recorder's answer about a recording, as a line.
pub(crate) fn described(answer: &Answer) -> String {
    let field = |key: &str| answer.get(key).map_or("?", |value| value.as_str());
    let number = |key: &str, noun: &str, plural: &str| match field(key).parse() {
        Ok(1) => format!("1 {noun}"),
        Ok(number) => format!("{} {plural}", crate::numbers::grouped(number)),
        Err(_) => format!("? {plural}"),
    };
    let mut line = format!(
        "{}: {} of {} in {}, {}",
        field("dir"),
        number("words", "record", "records"),
        number("methods", "method", "methods"),
        number("classes", "class", "classes"),
        number("bytes", "byte", "bytes")
    );
    match field("lost") {
        "0" => {}
        "1" => line += "; 1 record was dropped",
        _ => line += &format!("; {} were dropped", number("lost", "record", "records")),
    }
    line
}
