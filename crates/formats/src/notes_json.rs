//! Notes: what people wrote beside moments of a trace, in a file that lies beside it.
//!
//! ```text
//! {"next":4,"notes":[
//! {"id":1,"revision":1,"from":1457113582794572361,"text":"here it begins"},
//! {"id":2,"revision":3,"from":1457113582794572361,"to":1457113582794579999,"row":"CPU 3","text":"nobody runs"}]}
//! ```
//!
//! Times are of the trace, in nanoseconds since 1970; of a capture they are blocks of a thread, and `row` is the number and the
//! name of the thread (`1 main`). Each change of any note takes the number `next`: a new note has it
//! as its `id`, a changed one as its `revision`. So no number is used twice, and a client that changes a note it has read
//! notices that another one has changed it since.

use std::collections::HashSet;

/// What the name of a file of notes has behind that of its trace, which it lies beside.
pub const ENDING: &str = ".notes.json";

use serde::{Deserialize, Serialize};

use crate::limits;

/// All notes of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Notes {
    /// The number of the next change.
    pub next: u64,
    /// In any order.
    pub notes: Vec<WrittenNote>,
}

impl Default for Notes {
    fn default() -> Notes {
        Notes { next: 1, notes: vec![] }
    }
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenNote {
    /// The number of the change that made it.
    pub id: u64,
    /// The number of its last change.
    pub revision: u64,
    /// The moment, or where the range begins: nanoseconds since 1970, or blocks of the thread that `row` is.
    pub from: i64,
    /// Where the range ends, which is later; nothing for a moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<i64>,
    /// The name of the row that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// What was written, of at most [`limits::NOTE_LETTERS`] characters.
    pub text: String,
}

/// Reads a file; the error is a sentence about the first thing that is wrong.
pub fn read(text: &str) -> Result<Notes, String> {
    let file: Notes = serde_json::from_str(text).map_err(|error| format!("not a file of notes: {error}"))?;
    if file.notes.len() > limits::NOTES {
        return Err(format!("it has {} notes, more than {}", file.notes.len(), limits::NOTES));
    }
    let mut ids = HashSet::new();
    for note in &file.notes {
        let id = note.id;
        if !ids.insert(id) {
            return Err(format!("two notes have the id {id}"));
        }
        if id.max(note.revision) >= file.next {
            return Err(format!("`next` is {}, which note {id} has been numbered by", file.next));
        }
        if note.to.is_some_and(|to| to <= note.from) {
            return Err(format!("note {id} ends before it begins"));
        }
        if note.text.chars().count() > limits::NOTE_LETTERS {
            return Err(format!("note {id} has more than {} characters", limits::NOTE_LETTERS));
        }
    }
    Ok(file)
}

/// The file, a line for each note.
pub fn write(notes: &Notes) -> String {
    let lines: Vec<String> = notes.notes.iter().filter_map(|note| serde_json::to_string(note).ok()).collect();
    format!("{{\"next\":{},\"notes\":[\n{}]}}\n", notes.next, lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        let found = match read(text) {
            Ok(notes) => write(&notes),
            Err(sentence) => sentence,
        };
        expected.assert_eq(&found);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let note = |id, to, row: Option<&str>, text: &str| WrittenNote {
            id,
            revision: id,
            from: 1_457_113_582_794_572_361,
            to,
            row: row.map(str::to_owned),
            text: text.to_owned(),
        };
        let notes = vec![
            note(1, None, None, "a \"moment\"\nin two lines"),
            note(7, Some(1_457_113_582_794_572_362), Some("CPU 3"), "東京"),
        ];
        let notes = Notes { next: 8, notes };
        assert_eq!(read(&write(&notes)), Ok(notes));
        assert_eq!(read(&write(&Notes::default())), Ok(Notes::default()));
    }

    #[test]
    fn what_is_wrong_is_said() {
        check(
            r#"{"next":3,"notes":[{"id":1,"revision":2,"from":-5,"to":5,"text":""}]}"#,
            expect![[r#"
            {"next":3,"notes":[
            {"id":1,"revision":2,"from":-5,"to":5,"text":""}]}
        "#]],
        );
        check(
            r#"{"next":3,"notes":[{"id":1,"revision":1,"from":5,"to":5,"text":""}]}"#,
            expect!["note 1 ends before it begins"],
        );
        check(
            r#"{"next":2,"notes":[{"id":1,"revision":2,"from":5,"text":""}]}"#,
            expect!["`next` is 2, which note 1 has been numbered by"],
        );
        let one = r#"{"id":1,"revision":1,"from":5,"text":""}"#;
        check(&format!(r#"{{"next":3,"notes":[{one},{one}]}}"#), expect!["two notes have the id 1"]);
        check(
            r#"{"next":3,"notes":[],"author":"me"}"#,
            expect![
                "not a file of notes: unknown field `author`, expected `next` or `notes` at line 1 column 29"
            ],
        );
        check(
            r#"{"traceEvents":[]}"#,
            expect![
                "not a file of notes: unknown field `traceEvents`, expected `next` or `notes` at line 1 column 14"
            ],
        );
        check("", expect!["not a file of notes: EOF while parsing a value at line 1 column 0"]);
        let long = |letters: usize| {
            let text = "é".repeat(letters);
            format!(r#"{{"next":2,"notes":[{{"id":1,"revision":1,"from":5,"text":"{text}"}}]}}"#)
        };
        assert!(read(&long(limits::NOTE_LETTERS)).is_ok());
        check(&long(limits::NOTE_LETTERS + 1), expect!["note 1 has more than 2000 characters"]);
        let many = |count: u64| {
            let note =
                |id| WrittenNote { id, revision: id, from: 0, to: None, row: None, text: String::new() };
            write(&Notes { next: count, notes: (0..count).map(note).collect() })
        };
        assert!(read(&many(limits::NOTES as u64)).is_ok());
        check(&many(limits::NOTES as u64 + 1), expect!["it has 1001 notes, more than 1000"]);
    }
}
