//! Choices as text: which value a field of an inferred event has, as the user decided.
//!
//! ```text
//! tracewright choices 1
//!
//! event sched_switch process_fsm 4297 1457113582794569892 1457113582794572361 1
//!   |   name         machine     instance   from          to                  its index among those between
//!   next_tid = 869        # 0 154 4 and 8,568 others
//! ```
//!
//! Lines are words split by white space; what follows `#` is for people. A word with spaces stands in
//! quotes, with \ before " and \. A field belongs to the event above it; a value that is a whole number of 64
//! bits is that number, everything else is text. To change the format, change the number in its first line.

use std::collections::HashMap;
use std::sync::Arc;

use model::{Choice, EventKey, Scalar, Timestamp};

use crate::limits;

/// What a file begins with.
pub const FIRST_LINE: &str = "tracewright choices 1";

/// A choice as it stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenChoice {
    /// The choice.
    pub choice: Choice,
    /// Its line, counted from 1.
    pub line: usize,
}

/// Reads choices: what could be read, each field of an event once, and sentences about the rest.
pub fn read(text: &str) -> (Vec<WrittenChoice>, Vec<String>) {
    let (mut choices, mut problems): (Vec<WrittenChoice>, Vec<String>) = (vec![], vec![]);
    if text.len() > limits::CHOICES_BYTES {
        problems.push(format!("it has {} bytes, more than {}", text.len(), limits::CHOICES_BYTES));
        return (choices, problems);
    }
    let mut lines = (1..).zip(text.lines());
    if lines.next().map(|(_, line)| line.trim()) != Some(FIRST_LINE) {
        problems.push(format!("its first line is not `{FIRST_LINE}`"));
        return (choices, problems);
    }
    let mut event: Option<Arc<EventKey>> = None;
    // Where each field of each event was chosen.
    let mut known: HashMap<(Arc<EventKey>, String), usize> = HashMap::new();
    for (line, text) in lines {
        if problems.len() >= limits::DIAGNOSTICS {
            break;
        }
        let words = words(text);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let problem = match words[..] {
            [] => continue,
            ["event", name, machine, instance, from, to, rank] => {
                match (from.parse(), to.parse(), rank.parse()) {
                    (Ok(from), Ok(to), Ok(rank)) => {
                        let (name, machine) = (name.to_owned(), machine.into());
                        let (instance, from, to) = (instance.to_owned(), Timestamp(from), Timestamp(to));
                        event = Some(Arc::new(EventKey { name, machine, instance, from, to, rank }));
                        continue;
                    }
                    _ => "the interval and the place of an event are whole numbers".to_owned(),
                }
            }
            [field, "=", value] => match &event {
                None => "a choice stands before the first event".to_owned(),
                Some(event) => {
                    let value = value.parse().map_or_else(|_| Scalar::Text(value.into()), Scalar::Number);
                    let (event, field) = (event.clone(), field.to_owned());
                    let slot = (event.clone(), field.clone());
                    match known.get(&slot).and_then(|&other| choices.get(other)) {
                        Some(other) if other.choice.value == value => continue,
                        Some(other) => format!(
                            "{field} = {}, but line {} says {}",
                            shown(&value),
                            other.line,
                            shown(&other.choice.value)
                        ),
                        None => {
                            known.insert(slot, choices.len());
                            choices.push(WrittenChoice { choice: Choice { event, field, value }, line });
                            continue;
                        }
                    }
                }
            },
            _ => "expected `event NAME MACHINE INSTANCE FROM TO PLACE` or `FIELD = VALUE`".to_owned(),
        };
        problems.push(format!("line {line}: {problem}"));
    }
    (choices, problems)
}

/// The line that begins the choices for an event.
pub fn event_line(event: &EventKey) -> String {
    let EventKey { name, machine, instance, from, to, rank } = event;
    format!("event {} {} {} {} {} {rank}", word(name), word(machine), word(instance), from.0, to.0)
}

/// A value as it is written.
pub fn shown(value: &Scalar) -> String {
    match value {
        Scalar::Number(number) => number.to_string(),
        Scalar::Text(text) => word(text),
    }
}

/// A text as one word.
pub fn word(text: &str) -> String {
    let is_plain =
        |letter: char| !letter.is_whitespace() && !letter.is_control() && !"\"\\#=".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            // All control characters become `?`: a line must stay a line.
            letter if letter.is_control() => out.push('?'),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

/// The words of a line, without its remark.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut letters = line.chars().peekable();
    while let Some(&letter) = letters.peek() {
        if letter == '#' {
            break;
        }
        if letter.is_whitespace() {
            letters.next();
            continue;
        }
        let mut word = String::new();
        if letter == '"' {
            letters.next();
            while let Some(letter) = letters.next() {
                match letter {
                    '"' => break,
                    '\\' => word.extend(letters.next()),
                    letter => word.push(letter),
                }
            }
        } else {
            while let Some(letter) = letters.next_if(|letter| !letter.is_whitespace() && *letter != '#') {
                word.push(letter);
            }
        }
        // A line with more words says nothing, however many they are.
        if words.len() > 7 {
            break;
        }
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for text in ["a", "a b", "", "x=\"1\\\"", "#"] {
            assert_eq!(words(&format!(" {}  # remark", word(text))), [text]);
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_and_the_rest_is_read() {
        let text = "tracewright choices 1\n a = 1\nevent e f k 1 2 1 # why\n a = 1\n a = 1\n a = 2\n \"b c\" = \"d\nx\n\
                    event e f k 1 2 1\n a = \"1\"\n z = 99999999999999999999\nevent e f k 1 2 -1\n";
        let (choices, problems) = read(text);
        let lines: Vec<String> = choices
            .iter()
            .map(|WrittenChoice { choice, line }| {
                format!("{line} {} = {}", choice.field, shown(&choice.value))
            })
            .collect();
        assert_eq!(lines, ["4 a = 1", "7 b c = d", "11 z = 99999999999999999999"]);
        assert_eq!(event_line(&choices[0].choice.event), "event e f k 1 2 1");
        assert_eq!(
            problems,
            [
                "line 2: a choice stands before the first event",
                "line 6: a = 2, but line 4 says 1",
                "line 8: expected `event NAME MACHINE INSTANCE FROM TO PLACE` or `FIELD = VALUE`",
                "line 12: the interval and the place of an event are whole numbers",
            ]
        );
        assert_eq!(read("tracewright choices 2\n").1, ["its first line is not `tracewright choices 1`"]);
    }
}
