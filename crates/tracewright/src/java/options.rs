//! The options that the agent is given, as its `options` module reads them.

use std::path::Path;

use crate::cli::java::{Choices, Mode, WhenFull};

/// `key=value` pairs in the making.
#[derive(Debug, Default)]
pub(crate) struct Pairs(Vec<String>);

impl Pairs {
    /// What the user chose.
    pub(crate) fn of(choices: &Choices) -> Pairs {
        let mut pairs = Pairs::default();
        choices.include.iter().for_each(|pattern| pairs.add("include", pattern.as_bytes()));
        choices.exclude.iter().for_each(|pattern| pairs.add("exclude", pattern.as_bytes()));
        if choices.generated {
            pairs.add("generated", b"1");
        }
        choices.values.iter().for_each(|pattern| pairs.add("values", pattern.as_bytes()));
        choices.inside.iter().for_each(|pattern| pairs.add("inside", pattern.as_bytes()));
        if let Some(percent) = choices.budget {
            pairs.add("budget", percent.to_string().as_bytes());
        }
        if let Some(count) = choices.one_in {
            pairs.add("one-in", count.to_string().as_bytes());
        }
        if choices.tasks {
            pairs.add("tasks", b"1");
        }
        let mode = match choices.mode {
            Mode::Blocks => "blocks",
            Mode::Paths => "paths",
            Mode::Calls => "calls",
        };
        pairs.add("mode", mode.as_bytes());
        let when_full = match choices.when_full {
            WhenFull::Bounded => "bounded",
            WhenFull::Drop => "drop",
            WhenFull::Wait => "wait",
        };
        pairs.add("when-full", when_full.as_bytes());
        if let Some(seconds) = choices.seconds {
            pairs.add("for", seconds.to_string().as_bytes());
        }
        if let Some(size) = choices.size {
            pairs.add("size", size.to_string().as_bytes());
        }
        pairs
    }

    /// One more. Whatever could end a value early is written as `%` and two hex digits.
    pub(crate) fn add(&mut self, key: &str, value: &[u8]) {
        let mut pair = format!("{key}=");
        for &byte in value {
            if byte.is_ascii_alphanumeric() || b"/._-*$#:".contains(&byte) {
                pair.push(char::from(byte));
            } else {
                pair += &format!("%{byte:02x}");
            }
        }
        self.0.push(pair);
    }

    pub(crate) fn add_path(&mut self, key: &str, path: &Path) {
        self.add(key, path.as_os_str().as_encoded_bytes());
    }

    /// For its socket: lines of the command `choose`, short enough for it, and at last this one.
    pub(crate) fn lines(&self, command: &str) -> Vec<String> {
        let choices = self.0.iter().map(|pair| format!("choose {pair}"));
        choices.chain([command.to_owned()]).collect()
    }

    /// For the start of the agent.
    pub(crate) fn by_commas(&self) -> String {
        self.0.join(",")
    }
}
