//! XML traces: read to the end, every field visited.

use formats::trace_xml::Reader;
use model::{EventSource, Item, OuterFields, Scope, Value};

/// Reads everything and drops it.
pub fn run(input: &[u8]) {
    let Ok(mut reader) = Reader::open("fuzz.xml", input, input.len() as u64) else { return };
    while let Some(item) = reader.next_item() {
        if let Item::Event(event) = item {
            let mut look = OuterFields::new(|name: &str, value: Value<'_>| {
                std::hint::black_box((name.len(), value));
            });
            event.fields.visit(Scope::Payload, &mut look);
        }
    }
    std::hint::black_box(reader.diagnostics().len());
}
