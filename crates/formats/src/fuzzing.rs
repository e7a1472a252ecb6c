//! What targets of fuzzing do with whatever they opened: everything is read and looked at.

use model::{EventSource, FieldSink, Item, Scope, Value};

/// What events of a kernel are asked for.
pub(crate) const OF_KERNEL: &[&str] = &["prev_tid", "prev_state", "args", "tid"];

/// Counts, so that nothing is optimised away.
#[derive(Debug, Default)]
struct Count(u64);

impl FieldSink for Count {
    fn value(&mut self, name: &str, value: Value<'_>) {
        self.0 += name.len() as u64 + u64::from(value.as_i64().is_some());
    }
    fn begin_struct(&mut self, _: &str) {
        self.0 += 1;
    }
    fn begin_array(&mut self, _: &str, _: u64) {
        self.0 += 1;
    }
    fn end(&mut self) {}
}

/// Reads to the end, and asks each event for these fields. Gives back a number that depends on all that was read.
pub(crate) fn read_all(reader: &mut dyn EventSource, asked: &[&str]) -> u64 {
    let mut count = Count::default();
    while let Some(item) = reader.next_item() {
        count.0 += 1;
        if let Item::Event(event) = item {
            event.fields.visit(Scope::Context, &mut count);
            event.fields.visit(Scope::Payload, &mut count);
            for name in asked {
                count.0 += u64::from(event.fields.get(name).is_some());
            }
        }
    }
    count.0 + reader.diagnostics().len() as u64
}
