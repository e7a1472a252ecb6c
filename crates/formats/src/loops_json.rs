//! What `loops --json` prints, read again: of each track its history.
//!
//! ```text
//! {"tracks":[{"name":"h.txt","steps":10,
//!    "alphabet":["a","b","c"],           symbols 0, 1 and 2
//!    "rules":[[0,1],[3,2]],              numbers from 3 on are rules: the first is a b, the second that and c
//!    "history":[4,null,[4,2],1],         a b c <gap> a b c a b c b: null is a gap, [4,2] rule 4 twice
//!    "text":{"alphabet":[null,"\n","<gap>"],"rules":[],"history":[...]}
//!    ...}]}
//! ```
//!
//! Rules are made of those before them. `text` is there for a history that was read from a text: what the text is made of,
//! in the same form, where null in `alphabet` stands for the next unit of the history. Other members (the levels, which are
//! segments of the history) are not looked at.

use std::cell::Cell;
use std::fmt;
use std::io::Read;

use model::Grammar;
use model::grammar::{Item, What};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};

use crate::limits;

/// A track as it was written.
#[derive(Debug)]
pub struct WrittenTrack {
    /// What it is called.
    pub name: String,
    /// The names of its symbols: the units of the grammar.
    pub alphabet: Vec<String>,
    /// Its history.
    pub history: Grammar,
    /// The text that it was read from, if it was.
    pub text: Option<WrittenText>,
}

/// A text around a history.
#[derive(Debug)]
pub struct WrittenText {
    /// The pieces of the text: the units of the grammar. `None` is the next unit of the history.
    pub texts: Vec<Option<String>>,
    /// The text.
    pub grammar: Grammar,
}

/// Reads all tracks; the error is a sentence about the first thing that is wrong.
pub fn read(input: impl Read) -> Result<Vec<WrittenTrack>, String> {
    LEFT.set(limits::LOOPS_PARTS);
    let file: File = serde_json::from_reader(input).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => format!("it is not what `loops --json` prints: {error}"),
        _ => error.to_string(),
    })?;
    file.tracks.into_iter().map(track).collect()
}

fn track(track: Track) -> Result<WrittenTrack, String> {
    let Track { name, steps, alphabet, rules, history, text } = track;
    let problem = |problem: &str| format!("track {name}: {problem}");
    let alphabet: Vec<String> = alphabet.into_iter().map(|name| name.0).collect();
    let history = grammar(rules, history, alphabet.len()).map_err(|sentence| problem(&sentence))?;
    if history.len() != steps {
        return Err(problem(&format!("its history has {} units, and its steps are {steps}", history.len())));
    }
    let text = match text {
        None => None,
        Some(Text { alphabet, rules, history }) => {
            let texts: Vec<Option<String>> =
                alphabet.into_iter().map(|symbol| symbol.map(|symbol| symbol.0)).collect();
            let grammar = grammar(rules, history, texts.len()).map_err(|sentence| problem(&sentence))?;
            let units = units(&grammar, &texts);
            if units != steps {
                return Err(problem(&format!("its text has {units} units, and its steps are {steps}")));
            }
            Some(WrittenText { texts, grammar })
        }
    };
    Ok(WrittenTrack { name, alphabet, history, text })
}

/// The numbers that were read become symbols and rules.
fn grammar(rules: Vec<Vec<Part>>, start: Vec<Part>, symbols: usize) -> Result<Grammar, String> {
    let items = |parts: Vec<Part>| {
        let item = |Part(mut item)| {
            if let What::Unit(number) = item.what
                && let Some(rule) = (number as usize).checked_sub(symbols)
            {
                item.what = What::Rule(rule as u32);
            }
            item
        };
        parts.into_iter().map(item).collect::<Vec<Item>>()
    };
    let rules = rules.into_iter().map(items).collect();
    Grammar::new(rules, items(start))
        .ok_or_else(|| "a rule is empty or stands for one that does not come before it".to_owned())
}

/// How many units of the history a text has.
fn units(grammar: &Grammar, texts: &[Option<String>]) -> u64 {
    let mut rules: Vec<u64> = Vec::with_capacity(grammar.rules.len());
    let of = |items: &[Item], rules: &[u64]| {
        items.iter().fold(0u64, |sum, item| {
            let one = match item.what {
                What::Unit(symbol) => u64::from(matches!(texts.get(symbol as usize), Some(None))),
                What::Rule(rule) => rules.get(rule as usize).copied().unwrap_or(0),
                What::Gap => 0,
            };
            sum.saturating_add(one.saturating_mul(item.times))
        })
    };
    for rule in &grammar.rules {
        let units = of(&rule.items, &rules);
        rules.push(units);
    }
    of(&grammar.start, &rules)
}

#[derive(Deserialize)]
struct File {
    tracks: Vec<Track>,
}

#[derive(Deserialize)]
struct Track {
    name: String,
    steps: u64,
    alphabet: Vec<Name>,
    rules: Vec<Vec<Part>>,
    history: Vec<Part>,
    text: Option<Text>,
}

#[derive(Deserialize)]
struct Text {
    alphabet: Vec<Option<Name>>,
    rules: Vec<Vec<Part>>,
    history: Vec<Part>,
}

thread_local! {
    /// How many parts and names may still come: two bytes of a file become many in memory.
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

fn count<E: serde::de::Error>() -> Result<(), E> {
    let left = LEFT.get().checked_sub(1);
    let left =
        left.ok_or_else(|| E::custom(format_args!("it has more than {} parts", limits::LOOPS_PARTS)))?;
    LEFT.set(left);
    Ok(())
}

struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        count()?;
        String::deserialize(deserializer).map(Name)
    }
}

/// A number, a number and how often, or null. Numbers of rules are not distinguished from those of symbols yet.
struct Part(Item);

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        count()?;
        deserializer.deserialize_any(PartVisitor).map(Part)
    }
}

struct PartVisitor;

impl<'de> Visitor<'de> for PartVisitor {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, [number, times] or null")
    }

    fn visit_unit<E>(self) -> Result<Item, E> {
        Ok(Item::once(What::Gap))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Item, E> {
        let number = u32::try_from(number).map_err(|_| E::custom("a number above 4,294,967,295"))?;
        Ok(Item::once(What::Unit(number)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Item, A::Error> {
        let missing = || A::Error::custom("a list is a number and how often it stands there");
        let number: u64 = list.next_element()?.ok_or_else(missing)?;
        let times: u64 = list.next_element()?.ok_or_else(missing)?;
        if list.next_element::<u64>()?.is_some() {
            return Err(missing());
        }
        Ok(Item { times, ..self.visit_u64(number)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_is_read() {
        let text = r#"{"tracks":[{"name":"h","steps":10,"alphabet":["a","b","c"],"rules":[[0,1],[3,2]],
            "history":[4,null,[4,2],1],"levels":[{"runs":[]}],
            "text":{"alphabet":[null,"\n"],"rules":[],"history":[[0,10],1]}}],"lost":{}}"#;
        let tracks = read(text.as_bytes()).unwrap();
        let shown = |what| match what {
            What::Unit(unit) => tracks[0].alphabet[unit as usize].as_str(),
            _ => "/",
        };
        assert_eq!(tracks[0].history.expand().map(shown).collect::<String>(), "abc/abcabcb");
        let text = tracks[0].text.as_ref().unwrap();
        assert_eq!((text.texts.len(), text.grammar.len()), (2, 11));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |rules: &str, history: &str, rest: &str| {
            let track = format!(
                r#"{{"tracks":[{{"name":"h","steps":2,"alphabet":["a"],"rules":{rules},"history":{history}{rest}}}]}}"#
            );
            read(track.as_bytes()).unwrap_err()
        };
        let rule = "track h: a rule is empty or stands for one that does not come before it";
        assert_eq!(wrong("[[2],[0,0]]", "[1]", ""), rule);
        assert_eq!(wrong("[[]]", "[0,0]", ""), rule);
        assert_eq!(wrong("[]", "[[0,0]]", ""), rule);
        assert_eq!(wrong("[]", "[9,9]", ""), rule);
        assert_eq!(wrong("[]", "[0]", ""), "track h: its history has 1 units, and its steps are 2");
        let text = r#","text":{"alphabet":["x"],"rules":[],"history":[0]}"#;
        assert_eq!(wrong("[]", "[0,0]", text), "track h: its text has 0 units, and its steps are 2");
        let data = wrong("[]", "[-1]", "");
        assert!(data.starts_with("it is not what `loops --json` prints: "), "{data}");
        assert!(data.contains("a number, [number, times] or null at line 1 column "), "{data}");
        assert!(read(&b"{"[..]).unwrap_err().starts_with("EOF while parsing"));
    }
}
