//! What notes are about: the rows of a timeline with its time, or the threads of a capture with the blocks in them.

use crate::serve::overview::threads;
use crate::serve::session::Session;

/// What numbers and names in notes mean.
#[derive(Debug)]
pub(super) struct Subject {
    /// What the file counts moments from, which the page counts from 0; nothing: no event has been read yet.
    pub(super) start: Option<i64>,
    pub(super) rows: Vec<Row>,
    pub(super) is_capture: bool,
}

/// A row or a thread.
#[derive(Debug)]
pub(super) struct Row {
    /// As the page has it.
    pub(super) number: usize,
    /// As the file has it.
    pub(super) written: String,
    /// As people call it.
    pub(super) name: String,
}

impl Subject {
    pub(super) fn of(session: &Session) -> Subject {
        match session.play.has_capture() {
            true => Subject::of_capture(session),
            false => session.timeline.with_original(|index| {
                let rows = index.rows.iter().enumerate().map(|(number, row)| Row {
                    number,
                    written: row.name.clone(),
                    name: row.name.clone(),
                });
                Subject { start: index.times.first().copied(), rows: rows.collect(), is_capture: false }
            }),
        }
    }

    /// Several threads may have one name, so the file has their numbers, too.
    fn of_capture(session: &Session) -> Subject {
        let recording = session.play.read().and_then(|(_, recording)| recording);
        let rows = recording.iter().flat_map(|recording| {
            recording.replay.threads.iter().map(|thread| {
                let name = threads::name(recording, thread).to_owned();
                Row { number: thread.serial as usize, written: format!("{} {name}", thread.serial), name }
            })
        });
        let rows = rows.collect();
        Subject { start: recording.map(|_| 0), rows, is_capture: true }
    }
}
