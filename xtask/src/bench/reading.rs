//! What "reading a trace" means where checking and inferring are compared with it.
//!
//! The founding text set its checking beside reading *and keeping the states*: 12.18 s to 9.56 s. So there
//! are three peers, each with more work than the one before: `info`, which counts events and decodes no
//! field of them; all fields decoded; and the states kept as well, by the same machines and without any
//! checking. The last two run in this process, so they pay for no start of a program, and we do.

use std::path::Path;

use formats::model_xml;
use inference::{Checking, Engine, Options};
use model::{EventSource, FieldSink, Item, Scope, Value};

use crate::repeat_trace::open;
use crate::sh::{self, Trouble};

/// Reads every event with all its fields; how many there were.
pub(super) fn fields(trace: &Path) -> Result<u64, Trouble> {
    let mut source = open(trace)?;
    let (mut events, mut counted) = (0, Counted::default());
    while let Some(item) = source.next_item() {
        if let Item::Event(event) = item {
            events += 1;
            event.fields.visit(Scope::Context, &mut counted);
            event.fields.visit(Scope::Payload, &mut counted);
        }
    }
    // So that nobody finds out that the values are not needed.
    std::hint::black_box(counted);
    Ok(events)
}

/// Reads every event, and keeps the states of the model as the founding text does when it does not check.
pub(super) fn states(trace: &Path) -> Result<u64, Trouble> {
    let mut source = open(trace)?;
    let file = sh::root().join("crates/tracewright/models/kernel-2018.xml");
    let text = std::fs::read(&file).map_err(|error| Trouble::CannotDo(format!("{file:?}: {error}")))?;
    let read = model_xml::read("kernel-2018.xml", &text)
        .map_err(|diagnostics| Trouble::Wrong(format!("kernel-2018.xml: {diagnostics:?}")))?;
    let Some(pattern) = read.patterns.into_iter().next() else {
        return Err(Trouble::Wrong("kernel-2018.xml has no analysis".into()));
    };
    let options = Options { by_key: true, checking: Checking::Off, history: false, segments: false };
    let mut engine = Engine::new(pattern, options)
        .map_err(|unsupported| Trouble::Wrong(format!("kernel-2018: {unsupported:?}")))?;
    while engine.feed(&mut source).is_some() {}
    engine.finish();
    Ok(engine.events())
}

/// Looks at each value just enough that it has to be decoded.
#[derive(Debug, Default)]
struct Counted {
    sum: u128,
}

impl FieldSink for Counted {
    fn value(&mut self, name: &str, value: Value<'_>) {
        let of_value = match value {
            Value::Unsigned(number, _) => number,
            Value::Signed(number, _) | Value::Enum(number, _) => number as u128,
            Value::Float(number) => u128::from(number.to_bits()),
            Value::Text(text) => text.len() as u128,
            Value::Bool(_) | Value::Null => 1,
        };
        self.sum = self.sum.wrapping_add(of_value).wrapping_add(name.len() as u128);
    }

    fn begin_struct(&mut self, _: &str) {}

    fn begin_array(&mut self, _: &str, _: u64) {}

    fn end(&mut self) {}
}
