//! The server for assistants: the Model Context Protocol on standard input and output.
//!
//! ```text
//! stdin ── lines ── protocol ──┬── what it is, which tools: answered at once
//!                              └── worker ── tools ── child (one of our own commands) ── answer ── stdout
//! ```
//!
//! By hand on `serde_json`, and not with `rmcp`, the protocol's library for Rust: that brings an asynchronous runtime and a generator
//! of schemas with their dozens of crates, for four messages a person can read, one a line. What it would take off our hands
//! (HTTP, sessions, sign-in) is not wanted here; what is wanted, a bound on every line that comes and goes, it does not have.
//!
//! A tool runs one of the commands in a process of its own. So an answer is what a person sees who types the same; a command that is
//! slow or wants much memory takes nothing but itself away; and what a client says can only become a value of an option, never a file.

mod answer;
mod child;
mod inputs;
mod lines;
mod protocol;
mod tools;
mod worker;

use std::io::{self, BufReader};
use std::path::PathBuf;

use inputs::Inputs;
use lines::Line;
use protocol::{Heard, Protocol};
use worker::{Out, Worker};

use crate::exit::{Outcome, Result, Stop};

/// Serves `inputs`, with the source text below `sources`, and records into `recordings` if that is allowed, until standard input ends or nobody reads the answers.
pub(crate) fn serve(inputs: &[PathBuf], sources: &[PathBuf], recordings: Option<PathBuf>) -> Result<Outcome> {
    let inputs = Inputs::new(inputs, sources, recordings).map_err(Stop::Failed)?;
    let executable = std::env::current_exe()
        .map_err(|error| Stop::Failed(format!("cannot find the own executable: {error}")))?;
    let mut protocol = Protocol::new(&inputs);
    let out = Out::default();
    let worker = Worker::start(executable, out.clone());
    let mut stdin = BufReader::new(io::stdin().lock());
    loop {
        let line = match lines::next(&mut stdin) {
            Ok(line) => line,
            Err(error) => return Stop::failed(format!("cannot read standard input: {error}")),
        };
        let heard = match line {
            Line::End => break,
            Line::TooLong => protocol::too_long(),
            Line::Whole(bytes) => protocol.hear(&bytes),
        };
        match heard {
            Heard::Nothing => {}
            Heard::Answer(answer) => out.write(&answer),
            Heard::Call(call) => worker.ask(call),
            Heard::Cancelled(id) => worker.cancel(&id),
        }
        if out.is_closed() {
            break;
        }
    }
    worker.finish();
    Ok(Outcome::Complete)
}
