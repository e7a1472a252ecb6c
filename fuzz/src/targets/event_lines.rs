//! Event lines: whatever is read and written again is plain text, and reads the same the next time.

use formats::event_lines::{Reader, Writer};
use formats::harmless::is_harmless;
use model::{EventSource, Item};

/// Reads, writes, reads and writes.
///
/// # Panics
/// When the second round changes anything, or when text of the input could reach a terminal as a
/// control code.
pub fn run(input: &[u8]) {
    let once = round(input);
    let twice = round(&once);
    assert!(once == twice, "reading and writing again changed the lines");
    let text = str::from_utf8(&once);
    assert!(
        text.is_ok_and(|text| text.chars().all(|c| c == '\n' || is_harmless(c))),
        "a control code came through"
    );
}

fn round(input: &[u8]) -> Vec<u8> {
    let mut reader = Reader::new("fuzz.jsonl", input, input.len() as u64);
    let mut writer = Writer::default();
    let mut out = Vec::new();
    loop {
        let gap = match reader.next_item() {
            None => return out,
            Some(Item::Gap(gap)) => Some(gap),
            Some(Item::Event(event)) => {
                writer.event(&event, &mut out);
                None
            }
        };
        if let Some(gap) = gap {
            writer.gap(&gap, reader.streams(), &mut out);
        }
    }
}
