//! `tracewright status`: what the recorder in a program is doing.

use crate::cli::java::Status;
use crate::commands::start;
use crate::exit::{Outcome, Result};

pub(crate) fn run(options: &Status) -> Result<Outcome> {
    let (_, mut control) = start::reach(options.pid)?;
    let answer = control.ask("status")?;
    match answer.get("state").map(String::as_str) {
        Some("recording") => {
            let seconds = answer.get("seconds").map_or("?", |seconds| seconds);
            start::print(&format!("recording for {seconds} s into {}", start::described(&answer)))?;
            // Who has run for long without a record.
            for stay in answer.get("stay").iter().flat_map(|stay| stay.split("; ")) {
                start::print(stay)?;
            }
            Ok(Outcome::Complete)
        }
        _ => match answer.get("reason") {
            None => start::print("nothing is being recorded"),
            Some(reason) => {
                let dir = answer.get("dir").map_or("?", |dir| dir);
                start::print(&format!(
                    "nothing is being recorded: the recording into {dir} has ended: {reason}"
                ))
            }
        },
    }
}
