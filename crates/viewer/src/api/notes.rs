//! Notes: what the user wrote beside moments and ranges of a trace.

use serde::{Deserialize, Serialize};

use super::Endpoint;

/// All notes.
pub const NOTES: Endpoint<Notes> =
    Endpoint::get("/api/notes", "Notes on the trace, and where they are saved", &[]);
/// One more note.
pub const ADD: Endpoint<Notes, NewNote> = Endpoint::post("/api/notes/add", "Writes a note");
/// Other words.
pub const EDIT: Endpoint<Notes, NoteEdit> = Endpoint::post(
    "/api/notes/edit",
    "Gives a note another text; refused where it was changed since it was read",
);
/// One note less.
pub const REMOVE: Endpoint<Notes, NoteVersion> =
    Endpoint::post("/api/notes/remove", "Removes a note; refused where it was changed since it was read");

/// Notes on the trace.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Notes {
    /// The file beside the trace; null: there is none to be beside.
    pub file: Option<String>,
    /// Why they are not saved and last as long as the program runs, as a sentence; null: they are saved.
    pub problem: Option<String>,
    /// How many there may be.
    pub most: usize,
    /// How many characters each may have.
    pub longest: usize,
    /// By time.
    pub notes: Vec<Note>,
}

/// One note.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Note {
    pub id: u64,
    /// Grows with each change.
    pub revision: u64,
    /// The moment, or where the range begins.
    pub from: i64,
    /// Where the range ends; null: it is about a moment.
    pub to: Option<i64>,
    /// The row that it is about, where the trace has it.
    pub row: Option<usize>,
    /// Its name, whether the trace has it or not.
    pub row_name: Option<String>,
    pub text: String,
}

/// A note to write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NewNote {
    /// The moment, or where the range begins.
    pub from: i64,
    /// Where the range ends; null: it is about a moment.
    pub to: Option<i64>,
    /// The row that it is about; null: none.
    pub row: Option<usize>,
    pub text: String,
}

/// Another text for a note.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoteEdit {
    pub id: u64,
    /// What it was when it was read.
    pub revision: u64,
    pub text: String,
}

/// A note as it was read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NoteVersion {
    pub id: u64,
    /// What it was when it was read.
    pub revision: u64,
}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&NOTES);
    document.add_change(&ADD);
    document.add_change(&EDIT);
    document.add_change(&REMOVE);
}
