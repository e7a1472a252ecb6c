//! Standard input, which comes once: looked at before it is read, or copied so that it comes again.
//!
//! ```text
//! not opened ──beginning──> looked at ──stream──> read
//!                           └──copy──> copied ──stream──> the copy, from its start, as often as asked for
//! ```

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::copied::Copied;
use crate::input::{self, Stream};

/// What became of it.
#[derive(Debug)]
enum State {
    /// Also when it was read: a second reader finds its end.
    NotOpened,
    Peeked(Stream),
    Copied(Copied),
    /// Part of it is gone, and why.
    Failed(String),
}

static STATE: Mutex<State> = Mutex::new(State::NotOpened);

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes that it begins with, decompressed; none are taken.
pub(crate) fn beginning() -> io::Result<Vec<u8>> {
    let mut state = state();
    if let State::NotOpened = *state {
        *state = State::Peeked(input::standard()?);
    }
    match &*state {
        State::Failed(sentence) => Err(io::Error::other(sentence.clone())),
        State::Peeked(stream) => Ok(stream.beginning().to_vec()),
        State::Copied(copy) => Ok(input::copied(NAME.into(), copy)?.beginning().to_vec()),
        State::NotOpened => Ok(vec![]),
    }
}

/// Copies it, decompressed, unless that was done.
pub(crate) fn copy() -> io::Result<()> {
    let mut state = state();
    let copied = match std::mem::replace(&mut *state, State::NotOpened) {
        State::Peeked(mut stream) => Copied::of(&mut stream),
        State::Copied(copy) => Ok(copy),
        State::Failed(sentence) => Err(io::Error::other(sentence)),
        State::NotOpened => input::standard().and_then(|mut stream| Copied::of(&mut stream)),
    };
    let (next, result) = match copied {
        Ok(copy) => (State::Copied(copy), Ok(())),
        Err(error) => (State::Failed(error.to_string()), Err(error)),
    };
    *state = next;
    result
}

/// All of it, as [`input::stream`] hands it out.
pub(crate) fn stream() -> io::Result<Stream> {
    let mut state = state();
    match &*state {
        State::Copied(copy) => return input::copied(NAME.into(), copy),
        State::Failed(sentence) => return Err(io::Error::other(sentence.clone())),
        State::NotOpened | State::Peeked(_) => {}
    }
    match std::mem::replace(&mut *state, State::NotOpened) {
        State::Peeked(stream) => Ok(stream),
        _ => input::standard(),
    }
}

/// What messages call it.
const NAME: &str = "stdin";
