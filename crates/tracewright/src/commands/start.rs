//! `tracewright start`: begins a recording in a program that has the recorder in it.

use std::path::Path;
use std::time::Duration;

use crate::cli::java::{Choices, Start};
use crate::exit::{Outcome, Result, Stop};
use crate::java::control::{Answer, Control};
use crate::java::process::Process;
use crate::java::{folder, options};
use crate::output::Output;

pub(crate) fn run(options: &Start) -> Result<Outcome> {
    let (process, mut control) = reach(options.pid)?;
    let dir = match &options.output {
        Some(path) => Some(folder::make(Some(path), process.user)?),
        // The one that `record` was given; an attached program was given none.
        None if control.ask("status")?.contains_key("base") => None,
        None => Some(folder::make(None, process.user)?),
    };
    begin(&mut control, &options.choices, dir.as_deref())
}

/// The process and the recorder in it.
pub(crate) fn reach(pid: u32) -> Result<(Process, Control)> {
    let Some(process) = Process::of(pid) else {
        return Stop::failed(format!("process {pid} is no Java program that runs"));
    };
    match Control::connect(&process) {
        Some(control) => Ok((process, control)),
        None => {
            Stop::failed(format!("no recorder is in process {pid}; `tracewright attach {pid}` puts it there"))
        }
    }
}

/// The recorder in a process into which it was just loaded: its socket may come a moment later.
pub(crate) fn connected(process: &Process) -> Result<Control> {
    for _ in 0..500 {
        if let Some(control) = Control::connect(process) {
            return Ok(control);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Stop::failed(format!("the recorder in process {} opened no socket", process.pid))
}

/// Begins, into this folder if one is named.
pub(crate) fn begin(control: &mut Control, choices: &Choices, dir: Option<&Path>) -> Result<Outcome> {
    let mut pairs = options::Pairs::of(choices);
    if let Some(dir) = dir {
        pairs.add_path("dir", dir);
    }
    let mut answer = Answer::new();
    for line in pairs.lines("start") {
        let asked = control.ask(&line);
        if asked.is_err()
            && let Some(dir) = dir
        {
            let _ = std::fs::remove_dir(dir); // only if nothing is in it
        }
        answer = asked?;
    }
    say(&format!("recording into {}", answer.get("dir").map_or("?", |dir| dir)))
}

/// A line of output.
pub(crate) fn say(line: &str) -> Result<Outcome> {
    let mut output = Output { buffer: format!("{}\n", crate::escape::plain(line)).into_bytes() };
    output.flush()?;
    Ok(Outcome::Complete)
}

/// What the recorder says of a recording.
pub(crate) fn told(answer: &Answer) -> String {
    let field = |key: &str| answer.get(key).map_or("?", |value| value.as_str());
    let number = |key: &str| field(key).parse().map_or_else(|_| "?".to_owned(), crate::numbers::grouped);
    let mut line = format!(
        "{}: {} records of {} methods in {} classes, {} bytes",
        field("dir"),
        number("words"),
        number("methods"),
        number("classes"),
        number("bytes")
    );
    if field("lost") != "0" {
        line += &format!("; {} records were dropped", number("lost"));
    }
    line
}
