//! Reading all of an input, for as long as somebody likes to wait.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use analyses::loops::Options;

use super::found::find;
use crate::cli;
use crate::exit::{Result, Stop};
use crate::process;
use crate::results::Found;

/// What reads the input meanwhile. If it is dropped, that goes on until the program ends.
pub(crate) struct Reading(Receiver<Result<(Found, bool)>>);

impl Reading {
    /// Begins to do what [`find`] does.
    pub(crate) fn begin(history: &cli::History, options: Options) -> Reading {
        let (history, guest) = (history.clone(), process::guest());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            // Whoever does not wait any more has no use for it.
            _ = sender.send(process::within(guest, || find(&history, options)));
        });
        Reading(receiver)
    }

    /// What was found, if all is read within this time.
    pub(crate) fn within(&self, time: Duration) -> Option<Result<(Found, bool)>> {
        match self.0.recv_timeout(time) {
            Ok(found) => Some(found),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(ended()),
        }
    }

    /// What was found, whenever that is.
    pub(crate) fn finish(self) -> Result<(Found, bool)> {
        self.0.recv().unwrap_or_else(|_| ended())
    }
}

/// The error of a reading thread that panicked, which has printed its message.
fn ended() -> Result<(Found, bool)> {
    Stop::failed("the input could not be read to its end")
}
