//! Choices as text: what was read, written again, reads the same and without a diagnostic.

use formats::choices_text::{FIRST_LINE, WrittenChoice, event_line, read, shown, word};

/// Reads, writes and reads.
///
/// # Panics
/// When the second reading differs.
pub fn run(input: &[u8]) {
    let (choices, _) = read(&String::from_utf8_lossy(input));
    let text = write(&choices);
    let (again, problems) = read(&text);
    // Control codes become question marks, which may make two names the same.
    if text.contains('?') {
        return;
    }
    assert_eq!(problems, [""; 0], "what we wrote is refused");
    assert_eq!(choices.len(), again.len());
    assert_eq!(text, write(&again), "other choices came back");
}

fn write(choices: &[WrittenChoice]) -> String {
    let mut text = format!("{FIRST_LINE}\n");
    for WrittenChoice { choice, .. } in choices {
        text +=
            &format!("{}\n {} = {}\n", event_line(&choice.event), word(&choice.field), shown(&choice.value));
    }
    text
}
