//! The fields of a switch, collected in one visit: asking for six of them by name costs six walks.

use model::{FieldSink, Fields, Scope, Value};

/// What a switch says. Texts are kept between events to save their memory.
#[derive(Debug, Default)]
pub(super) struct SwitchFields {
    pub(super) prev: Option<i64>,
    pub(super) next: Option<i64>,
    pub(super) state: i64,
    pub(super) next_prio: Option<i64>,
    pub(super) prev_comm: Vec<u8>,
    pub(super) next_comm: Vec<u8>,
    depth: usize,
}

impl SwitchFields {
    pub(super) fn read(&mut self, fields: &dyn Fields) {
        (self.prev, self.next, self.state, self.next_prio, self.depth) = (None, None, 0, None, 0);
        self.prev_comm.clear();
        self.next_comm.clear();
        fields.visit(Scope::Payload, self);
    }
}

impl FieldSink for SwitchFields {
    fn value(&mut self, name: &str, value: Value<'_>) {
        if self.depth > 0 {
            return;
        }
        match (name, value) {
            ("prev_comm", Value::Text(text)) => self.prev_comm.extend_from_slice(text),
            ("next_comm", Value::Text(text)) => self.next_comm.extend_from_slice(text),
            ("prev_tid", value) => self.prev = value.as_i64(),
            ("next_tid", value) => self.next = value.as_i64(),
            ("prev_state", value) => self.state = value.as_i64().unwrap_or(0),
            ("next_prio", value) => self.next_prio = value.as_i64(),
            _ => {}
        }
    }

    fn begin_struct(&mut self, _: &str) {
        self.depth += 1;
    }

    fn begin_array(&mut self, _: &str, _: u64) {
        self.depth += 1;
    }

    fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
