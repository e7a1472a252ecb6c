//! `cargo xtask demo`: what Tracewright makes of the example traces. Needs cargo and nothing else.

use crate::sh::{self, Outcome, Trouble};

/// What is shown: the words before it, the arguments, and the exit code that it must end with.
const SCENES: [(&str, &str, i32); 4] = [
    (
        "A small shop was recorded: three threads, 2,608 events, nothing lost. What is in the trace?",
        "info examples/traces/complete",
        0,
    ),
    (
        "Which loops did each thread turn? A run is [body]*turns; the levels above find loops of loops.",
        "loops examples/traces/complete --runs 12",
        0,
    ),
    (
        "The same shop, recorded with buffers that were too small. LTTng threw 501 of 4,890 events\n\
         away. Loss is data: it has a place and a count, and the exit code (1) says that it is there.",
        "info examples/traces/lossy",
        1,
    ),
    (
        "The baker's loops again: none is said to go on across a place where events are missing.",
        "loops examples/traces/lossy --track 'baker*' --runs 12",
        1,
    ),
];

/// Builds the program and plays the scenes.
pub(crate) fn run() -> Outcome {
    sh::run("cargo build --quiet --release --package tracewright")?;
    let program = sh::target_dir().join("release/tracewright");
    for (words, arguments, expected) in SCENES {
        println!("\n--- {}\n\n$ tracewright {arguments}", words.replace('\n', "\n    "));
        let mut command = std::process::Command::new(&program);
        // Shown as one types it in a shell; given as the shell would give it.
        command.args(arguments.split(' ').map(|word| word.trim_matches('\''))).current_dir(sh::root());
        match command.status() {
            Ok(status) if status.code() == Some(expected) => {}
            Ok(status) => {
                let what = format!("`tracewright {arguments}` ended with {status}, not with {expected}");
                return Err(Trouble::Wrong(what));
            }
            Err(error) => return Err(Trouble::CannotDo(format!("{}: {error}", program.display()))),
        }
    }
    println!("\nYour own trace: {} info PATH", program.display());
    Ok(())
}
