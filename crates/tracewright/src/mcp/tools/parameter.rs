//! Parameters of tools: what a client may pass, and the arguments made of it.
//!
//! A text only ever becomes the value of an option, `--search=TEXT`, or an operand after `--`, so it can name no file and no
//! other option, whatever it is.

use serde_json::{Value, json};

use crate::models::BUILT_IN;

/// Longest text that an option may have.
const LONGEST: usize = 1_000;

/// Most words of a command that is recorded.
const WORDS: usize = 200;

/// Longest time to record, in seconds: a client waits for the answer.
const SECONDS: u64 = 40;

/// An option of a command, as a client gives it.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// `--name=TEXT`
    Text,
    /// `--name=NUMBER`
    Count,
    /// The same, with this default.
    CountOr(u64),
    /// `--name`, if true
    Switch,
    /// `--name=MODEL`, one that is built in: any other would be a file.
    Model,
    /// One of these commands; the first is the default.
    Command(&'static [&'static str]),
    /// Another of the inputs, which stands before the first.
    Input,
    /// A text after the inputs.
    Operand,
    /// The pid of a process, after the options.
    Process,
    /// A program and its arguments, after `--`.
    Program,
    /// The name of a new recording in the folder for these.
    Recording,
    /// `--for=NUMBERs`
    Seconds,
}

pub(super) const fn text(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, kind: Kind::Text }
}

pub(super) const fn count(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, kind: Kind::Count }
}

pub(super) const fn switch(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, kind: Kind::Switch }
}

impl Parameter {
    pub(super) fn is_required(&self) -> bool {
        matches!(self.kind, Kind::Input | Kind::Operand | Kind::Process | Kind::Program | Kind::Recording)
    }

    /// Its default.
    pub(super) fn usual(&self) -> Option<Value> {
        match self.kind {
            Kind::CountOr(usual) => Some(json!(usual)),
            _ => None,
        }
    }

    pub(super) fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string", "maxLength": LONGEST}),
            Kind::Count => json!({"type": "integer", "minimum": 1}),
            Kind::CountOr(usual) => json!({"type": "integer", "minimum": 1, "default": usual}),
            Kind::Switch => json!({"type": "boolean", "default": false}),
            Kind::Model => {
                json!({"type": "string", "enum": BUILT_IN.iter().map(|model| model.name).collect::<Vec<_>>()})
            }
            Kind::Command(words) => json!({"type": "string", "enum": words, "default": words[0]}),
            Kind::Input => json!({"type": ["integer", "string"]}),
            Kind::Operand => json!({"type": "string", "maxLength": LONGEST}),
            Kind::Process => json!({"type": "integer", "minimum": 1}),
            Kind::Program => {
                json!({"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": WORDS})
            }
            Kind::Recording => json!({"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}),
            Kind::Seconds => json!({"type": "integer", "minimum": 1, "maximum": SECONDS}),
        };
        schema["description"] = json!(self.about);
        schema
    }

    /// What is typed for it.
    pub(super) fn option(&self, value: &Value) -> Result<Option<String>, String> {
        let name = self.name;
        match self.kind {
            Kind::Text => match value.as_str() {
                Some(text) if text.len() <= LONGEST && !text.contains('\0') => {
                    Ok(Some(format!("--{name}={text}")))
                }
                _ => Err(format!("{name} is a text of at most {LONGEST} bytes")),
            },
            Kind::Count | Kind::CountOr(_) => match value.as_u64() {
                Some(number @ 1..=0xffff_ffff) => Ok(Some(format!("--{name}={number}"))),
                _ => Err(format!("{name} is a whole number, 1 or more")),
            },
            Kind::Switch => match value.as_bool() {
                Some(is_on) => Ok(is_on.then(|| format!("--{name}"))),
                None => Err(format!("{name} is true or false")),
            },
            Kind::Model => match BUILT_IN.iter().find(|model| value.as_str() == Some(model.name)) {
                Some(model) => Ok(Some(format!("--{name}={}", model.name))),
                None => Err(format!(
                    "{name} is one of {}",
                    BUILT_IN.iter().map(|model| model.name).collect::<Vec<_>>().join(", ")
                )),
            },
            Kind::Seconds => match value.as_u64() {
                Some(seconds @ 1..=SECONDS) => Ok(Some(format!("--for={seconds}s"))),
                _ => Err(format!("{name} is a whole number from 1 to {SECONDS}")),
            },
            Kind::Command(_)
            | Kind::Input
            | Kind::Operand
            | Kind::Process
            | Kind::Program
            | Kind::Recording => Ok(None),
        }
    }

    /// The operands after the options.
    pub(super) fn operands(&self, value: &Value) -> Result<Vec<String>, String> {
        let name = self.name;
        let is_text = |text: &str| text.len() <= LONGEST && !text.contains('\0');
        match self.kind {
            Kind::Operand => match value.as_str().filter(|text| is_text(text)) {
                Some(text) => Ok(vec![text.to_owned()]),
                None => Err(format!("{name} is a text of at most {LONGEST} bytes")),
            },
            Kind::Process => match value.as_u64() {
                Some(number @ 1..=0xffff_ffff) => Ok(vec![number.to_string()]),
                _ => Err(format!("{name} is the number of a process")),
            },
            Kind::Program => {
                let words = value.as_array().filter(|words| (1..=WORDS).contains(&words.len()));
                let words = words
                    .and_then(|words| words.iter().map(|word| word.as_str()).collect::<Option<Vec<_>>>());
                match words.filter(|words| words.iter().all(|word| is_text(word))) {
                    Some(words) => Ok(words.into_iter().map(str::to_owned).collect()),
                    None => Err(format!("{name} is a list of 1 to {WORDS} texts of at most {LONGEST} bytes")),
                }
            }
            _ => Ok(vec![]),
        }
    }

    /// The name of a new recording.
    pub(super) fn recording(&self, value: &Value) -> Result<String, String> {
        let is_plain = |text: &&str| {
            (1..=64).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        let name = value.as_str().filter(is_plain);
        name.map(|name| format!("{name}.capture"))
            .ok_or_else(|| format!("{} has 1 to 64 letters, digits, - and _", self.name))
    }
}
