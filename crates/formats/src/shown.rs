//! What a reader of events gives, as text for the tests.

use std::fmt::Write;

use model::{EventSource, FieldSink, Item, Scope, Symbol, Value};

/// Fields as `name=value`.
#[derive(Default)]
struct Shown(String);

impl FieldSink for Shown {
    fn value(&mut self, name: &str, value: Value<'_>) {
        let value = match value {
            Value::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
            Value::Unsigned(value, _) => format!("{value:#x}"),
            Value::Signed(value, _) => value.to_string(),
            other => format!("{other:?}"),
        };
        self.0 += &format!(" {name}={value}");
    }
    fn begin_struct(&mut self, _: &str) {}
    fn begin_array(&mut self, name: &str, len: u64) {
        self.0 += &format!(" {name}[{len}");
    }
    fn end(&mut self) {
        self.0 += "]";
    }
}

/// All gaps, and the events that are `wanted`, a line each: stream, time, name, context, `|`, payload.
pub(crate) fn events(reader: &mut dyn EventSource, mut wanted: impl FnMut(Symbol) -> bool) -> String {
    let mut text = String::new();
    loop {
        let line = match reader.next_item() {
            None => return text,
            Some(Item::Gap(gap)) => {
                let (from, to) = (gap.from.map(|time| time.0), gap.to.map(|time| time.0));
                format!("gap {} before {}: {:?} {from:?} {to:?}", gap.stream.0, gap.before_event, gap.lost)
            }
            Some(Item::Event(event)) => {
                let mut fields = Shown::default();
                event.fields.visit(Scope::Context, &mut fields);
                fields.0 += " |";
                event.fields.visit(Scope::Payload, &mut fields);
                if !wanted(event.symbol) {
                    continue;
                }
                let time = event.time.map(|time| time.0);
                format!("{} {time:?} {}{}", event.stream.0, event.name(), fields.0)
            }
        };
        writeln!(text, "{line}").unwrap();
    }
}

/// The reader's diagnostics, a line each.
pub(crate) fn diagnostics(all: &[model::Diagnostic]) -> String {
    let line = |one: &model::Diagnostic| format!("{:?} {:?}: {}\n", one.severity, one.location, one.sentence);
    all.iter().map(line).collect()
}
