//! `/api/notes...`: what the user writes beside moments and ranges of a trace, or of threads of a capture.
//!
//! ```text
//! a change ── lock, read TRACE.notes.json, apply, write whole ── what the file has now
//!                └── it cannot be read or written ── what this program has, until it ends, and why
//! ```
//!
//! The file is what counts, because two programs may show one trace: each change is made to what the file has then. A
//! file that cannot be read is not written either, for it is somebody's.

mod file;
mod subject;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use formats::limits::{NOTE_LETTERS, NOTES as MOST};
use formats::notes_json::{Notes as Written, WrittenNote};
use viewer::Reply;
use viewer::api::notes::{ADD, EDIT, NOTES, NewNote, Note, NoteEdit, NoteVersion, Notes, REMOVE};
use viewer::api::{Handled, Parameters, Route};

use super::session::Session;
use crate::escape::{lines, plain};
use subject::Subject;

/// Bytes of the name of a row that are written; a note on one with a longer name is on none.
const ROW_BYTES: usize = 1000;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![NOTES.answered_by(answer), ADD.changed_by(add), EDIT.changed_by(edit), REMOVE.changed_by(remove)]
}

/// What this part has in the session.
#[derive(Debug)]
pub(crate) struct Part {
    /// Where they are saved.
    path: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    notes: Written,
    /// Why they are not saved.
    problem: Option<String>,
    /// Whether they are more than the file has.
    is_unsaved: bool,
    /// What the file had when they became so, if it could be read.
    before: Option<Written>,
}

impl State {
    /// Whether what the file has now may be written over: it is what these notes came from, or nothing.
    fn may_replace(&self, found: &Written) -> bool {
        match &self.before {
            Some(before) => before == found,
            None => found.notes.is_empty(),
        }
    }

    fn not_saved(&mut self, before: Option<Written>, sentence: String) {
        self.is_unsaved = true;
        self.before = before;
        self.problem = Some(sentence);
    }
}

impl Part {
    pub(crate) fn new(input: Option<&Path>) -> Part {
        Part { path: input.and_then(file::beside), state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what the file has now, unless there is more than was saved.
    fn refresh(&self) {
        let Some(path) = &self.path else { return };
        let mut state = self.lock();
        if state.is_unsaved {
            return;
        }
        match file::read(path) {
            Ok(notes) => *state = State { notes, ..State::default() },
            Err(sentence) => state.problem = Some(sentence),
        }
    }

    /// Makes a change and saves it.
    fn change(&self, apply: impl FnOnce(&mut Written) -> Handled<()>) -> Handled<()> {
        let mut state = self.lock();
        let Some(path) = &self.path else { return apply(&mut state.notes) };
        let _locked = file::Lock::of(path).map_err(|file::Busy| {
            Reply::refusal(503, "Another program is writing the notes; try again.\n")
        })?;
        let found = match file::read(path) {
            Ok(found) => found,
            Err(sentence) => {
                apply(&mut state.notes)?;
                state.not_saved(None, sentence);
                return Ok(());
            }
        };
        if !state.is_unsaved {
            state.notes = found.clone();
        } else if !state.may_replace(&found) {
            // Somebody else has changed the file meanwhile, which must not be lost.
            return apply(&mut state.notes);
        }
        apply(&mut state.notes)?;
        match file::write(path, &state.notes) {
            Ok(()) => (state.is_unsaved, state.before, state.problem) = (false, None, None),
            Err(sentence) => state.not_saved(Some(found), sentence),
        }
        Ok(())
    }
}

fn answer(session: &Session, _: &Parameters<'_>) -> Handled<Notes> {
    session.notes.refresh();
    Ok(all(session))
}

fn all(session: &Session) -> Notes {
    let part = &session.notes;
    let subject = Subject::of(session);
    let start = subject.start.unwrap_or(0);
    // Of rows of one name the first is meant.
    let rows: HashMap<&str, &subject::Row> =
        subject.rows.iter().rev().map(|row| (row.written.as_str(), row)).collect();
    let state = part.lock();
    let note = |note: &WrittenNote| Note {
        id: note.id,
        revision: note.revision,
        from: note.from.saturating_sub(start),
        to: note.to.map(|to| to.saturating_sub(start)),
        row: note.row.as_deref().and_then(|name| rows.get(name)).map(|row| row.number),
        row_name: note
            .row
            .as_deref()
            .map(|name| rows.get(name).map_or(name, |row| row.name.as_str()))
            .map(|name| plain(name).into_owned()),
        text: lines(&note.text),
    };
    let mut notes: Vec<Note> = state.notes.notes.iter().map(note).collect();
    // Positions in different threads do not compare.
    let thread = |note: &Note| note.row.filter(|_| subject.is_capture);
    notes.sort_by_key(|note| (thread(note), note.from, note.to, note.id));
    let problem = match (&part.path, &state.problem) {
        (None, _) => {
            Some("Notes are not saved: the trace is no file or folder that they could lie beside.".to_owned())
        }
        (Some(_), problem) => problem.as_deref().map(|sentence| plain(sentence).into_owned()),
    };
    let file = part.path.as_ref().map(|path| plain(&path.to_string_lossy()).into_owned());
    Notes { file, problem, most: MOST, longest: NOTE_LETTERS, notes }
}

/// The text as it is written: what a page would obey is escaped, so that everybody sees what is there.
fn words(text: &str) -> Handled<String> {
    let text = lines(&text.trim().replace("\r\n", "\n"));
    if text.is_empty() {
        return Err(Reply::refusal(400, "There is nothing in the note.\n"));
    }
    if text.chars().count() > NOTE_LETTERS {
        return Err(Reply::refusal(413, "The note has more than 2,000 characters.\n"));
    }
    Ok(text)
}

fn add(session: &Session, new: NewNote) -> Handled<Notes> {
    let text = words(&new.text)?;
    if new.to.is_some_and(|to| to <= new.from) {
        return Err(Reply::refusal(400, "The range ends before it begins.\n"));
    }
    let Subject { start, rows, is_capture } = Subject::of(session);
    let Some(start) = start else {
        return Err(Reply::refusal(409, "Nothing of the input has been read yet.\n"));
    };
    let row = new.row.and_then(|number| rows.into_iter().find(|row| row.number == number));
    if is_capture && (row.is_none() || new.from < 0) {
        return Err(Reply::refusal(400, "A note on a capture is about a position in one of its threads.\n"));
    }
    let row = row.map(|row| row.written);
    let time = |offset: i64| start.saturating_add(offset);
    let from = time(new.from);
    session.notes.change(|notes| {
        if notes.notes.len() >= MOST {
            return Err(Reply::refusal(
                409,
                "There are 1,000 notes already, which is as many as there may be.\n",
            ));
        }
        let id = number(notes)?;
        notes.notes.push(WrittenNote {
            id,
            revision: id,
            from,
            // Beyond the last moment that there is.
            to: new.to.map(time).filter(|&to| to > from),
            row: row.filter(|name| name.len() <= ROW_BYTES),
            text,
        });
        Ok(())
    })?;
    Ok(all(session))
}

fn edit(session: &Session, edit: NoteEdit) -> Handled<Notes> {
    let text = words(&edit.text)?;
    session.notes.change(|notes| {
        let at = position(notes, edit.id, edit.revision)?;
        let revision = number(notes)?;
        if let Some(note) = notes.notes.get_mut(at) {
            note.text = text;
            note.revision = revision;
        }
        Ok(())
    })?;
    Ok(all(session))
}

fn remove(session: &Session, version: NoteVersion) -> Handled<Notes> {
    session.notes.change(|notes| {
        let at = position(notes, version.id, version.revision)?;
        notes.notes.remove(at);
        Ok(())
    })?;
    Ok(all(session))
}

/// The number of a change.
fn number(notes: &mut Written) -> Handled<u64> {
    let number = notes.next;
    let Some(next) = number.checked_add(1) else {
        return Err(Reply::refusal(409, "There were too many changes.\n"));
    };
    notes.next = next;
    Ok(number)
}

/// Where a note is, if nobody has changed it since it was read.
fn position(notes: &Written, id: u64, revision: u64) -> Handled<usize> {
    let at = notes.notes.iter().position(|note| note.id == id);
    let Some(at) = at else {
        return Err(Reply::refusal(409, "The note was removed meanwhile.\n"));
    };
    if notes.notes.get(at).is_none_or(|note| note.revision != revision) {
        return Err(Reply::refusal(409, "The note was changed meanwhile; look at it again.\n"));
    }
    Ok(at)
}
