//! JSON in memory, written member by member. Objects and arrays are closed by whoever opened them.

use std::io::Write;

use formats::event_lines;
use serde::Serialize;

use crate::reports;

/// A JSON text that grows.
#[derive(Debug, Default)]
pub(crate) struct Json {
    pub(crate) out: Vec<u8>,
}

impl Json {
    fn separate(&mut self) {
        if !matches!(self.out.last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(b',');
        }
    }

    /// The name of the next value.
    pub(crate) fn key(&mut self, name: &str) -> &mut Json {
        self.separate();
        event_lines::key(&mut self.out, name);
        self
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.separate();
        event_lines::text(&mut self.out, text.as_bytes());
    }

    /// A text, or null.
    pub(crate) fn text_or_null(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.text(text),
            None => self.null(),
        }
    }

    pub(crate) fn number(&mut self, number: impl std::fmt::Display) {
        self.separate();
        let _ = write!(self.out, "{number}"); // memory cannot fail
    }

    /// A number, or null.
    pub(crate) fn number_or_null(&mut self, number: Option<impl std::fmt::Display>) {
        match number {
            Some(number) => self.number(number),
            None => self.null(),
        }
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.separate();
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    pub(crate) fn null(&mut self) {
        self.separate();
        self.out.extend_from_slice(b"null");
    }

    /// A report as one value.
    pub(crate) fn report(&mut self, report: &impl Serialize) {
        self.separate();
        reports::write(report, &mut self.out);
    }

    /// An object with the members that `fill` writes.
    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Json)) {
        self.separate();
        self.out.push(b'{');
        fill(self);
        self.out.push(b'}');
    }

    /// An array with an element for each of `items`.
    pub(crate) fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut each: impl FnMut(&mut Json, T),
    ) {
        self.separate();
        self.out.push(b'[');
        for item in items {
            each(self, item);
        }
        self.out.push(b']');
    }
}
