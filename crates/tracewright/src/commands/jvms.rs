//! `tracewright jvms`: the Java programs that run here. None of them notices.

use crate::commands::start;
use crate::exit::{Outcome, Result};
use crate::java::control::Control;
use crate::java::process::{Can, Process};

pub(crate) fn run() -> Result<Outcome> {
    let all = Process::all();
    if all.is_empty() {
        return start::say("no Java program runs here");
    }
    let rows =
        all.iter().map(|process| format!("{:>8}  {:<40} {}", process.pid, process.main, state(process)));
    for row in rows {
        start::say(&row)?;
    }
    Ok(Outcome::Complete)
}

fn state(process: &Process) -> String {
    match process.can() {
        Can::Yes => "can be recorded".to_owned(),
        Can::No(reason) => format!("cannot be recorded: {reason}"),
        Can::HasRecorder => {
            let answer = Control::connect(process).and_then(|mut control| control.ask("status").ok());
            match answer.as_ref().and_then(|answer| answer.get("state")).map(String::as_str) {
                Some("recording") => {
                    let dir = answer.as_ref().and_then(|answer| answer.get("dir")).map_or("?", |dir| dir);
                    format!("is being recorded into {dir}")
                }
                _ => "has the recorder in it, which is idle".to_owned(),
            }
        }
    }
}
