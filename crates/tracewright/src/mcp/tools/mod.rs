//! The tools: what each is called, which command is behind it, and which options a client may give it.
//!
//! ```text
//! arguments of a client ── parameter ── options, operands ── Call ── child
//!                          reading       what there is to ask
//!                          recording     what there is to do, where that is allowed
//! ```

mod parameter;
mod reading;
mod recording;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use parameter::{Kind, Parameter};
use reading::READING;
use recording::RECORDING;

use super::inputs::Inputs;
use crate::escape::plain;

/// Bounds of an answer, in bytes.
const LIMIT: (u64, u64, u64) = (2_000, 8_000, 25_000);

#[derive(Debug)]
pub(super) struct Tool {
    name: &'static str,
    about: &'static str,
    command: &'static str,
    /// Options that are always given.
    fixed: &'static [&'static str],
    parameters: &'static [Parameter],
    /// Whether the folders with source text are handed on.
    reads_sources: bool,
    /// What of the answer is observed and what is concluded.
    ground: &'static str,
    /// How to get a shorter answer.
    narrower: &'static str,
}

/// A tool with its arguments.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) arguments: Vec<OsString>,
    pub(super) offset: u64,
    /// In bytes.
    pub(super) limit: usize,
    pub(super) ground: &'static str,
    pub(super) narrower: &'static str,
    /// How many of the inputs it compares.
    inputs: usize,
    /// Whether it may run again, for the next page.
    pub(super) is_repeatable: bool,
}

/// Those that these inputs allow.
fn tools(inputs: &Inputs) -> impl Iterator<Item = &'static Tool> {
    let recording = if inputs.recordings().is_some() { &RECORDING[..] } else { &[] };
    READING.iter().chain(recording)
}

pub(super) fn find(name: &str, inputs: &Inputs) -> Option<&'static Tool> {
    tools(inputs).find(|tool| tool.name == name)
}

pub(super) fn names(inputs: &Inputs) -> String {
    tools(inputs).map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

/// The answer to `tools/list`.
pub(super) fn list(inputs: &Inputs) -> Vec<Value> {
    tools(inputs).map(|tool| tool.described(inputs)).collect()
}

impl Tool {
    /// Whether it asks about an input, or does something.
    fn reads(&self) -> bool {
        READING.iter().any(|tool| tool.name == self.name)
    }

    fn described(&self, inputs: &Inputs) -> Value {
        let (least, usual, most) = LIMIT;
        let mut properties = Map::new();
        let about =
            format!("Which input, by number or path: {}. May be left out if there is one.", inputs.listed());
        if self.reads() {
            properties.insert("input".into(), json!({"type": ["integer", "string"], "description": about}));
        }
        for parameter in self.parameters {
            properties.insert(parameter.name.into(), parameter.schema());
        }
        let about = "Maximum size of the answer in bytes";
        let limit = json!({"type": "integer", "minimum": least, "maximum": most, "default": usual, "description": about});
        properties.insert("limit_bytes".into(), limit);
        let about = "Go on here: the number that the last line of an answer names. The other arguments must be the same";
        // To do something again only to read on would be wrong.
        if self.reads() {
            let offset = json!({"type": "integer", "minimum": 0, "default": 0, "description": about});
            properties.insert("offset".into(), offset);
        }
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": {
                "type": "object",
                "properties": properties,
                "required": self.parameters.iter().filter(|one| one.is_required()).map(|one| one.name).collect::<Vec<_>>(),
                "additionalProperties": false,
            },
            "annotations": {"readOnlyHint": self.reads(), "openWorldHint": !self.reads()},
        })
    }

    /// The command with its options; a sentence for the client if they are not right.
    pub(super) fn call(&self, given: &Map<String, Value>, inputs: &Inputs) -> Result<Call, String> {
        let common = if self.reads() { &["input", "limit_bytes", "offset"][..] } else { &["limit_bytes"] };
        let known = |name: &str| common.contains(&name) || self.parameters.iter().any(|one| one.name == name);
        if let Some(name) = given.keys().find(|name| !known(name)) {
            let shown: String = plain(name).chars().take(64).collect();
            let names = self.parameters.iter().map(|one| one.name).chain(common.iter().copied());
            return Err(format!(
                "{} has no {shown}; it has {}",
                self.name,
                names.collect::<Vec<_>>().join(", ")
            ));
        }
        let given = |name: &str| given.get(name).filter(|value| !value.is_null());
        let input = if self.reads() { Some(inputs.find(given("input"))?) } else { None };
        let (least, usual, most) = LIMIT;
        let limit = match given("limit_bytes") {
            None => usual,
            Some(value) => value
                .as_u64()
                .filter(|limit| (least..=most).contains(limit))
                .ok_or_else(|| format!("limit_bytes is a whole number from {least} to {most}"))?,
        };
        let offset = match given("offset") {
            None => 0,
            Some(value) => value.as_u64().ok_or("offset is a whole number, 0 or more")?,
        };
        let mut inputs_typed = vec![];
        let mut command = self.command;
        let mut options: Vec<OsString> = self.fixed.iter().map(OsString::from).collect();
        let mut operands: Vec<OsString> = vec![];
        if self.reads_sources {
            options.extend(inputs.sources().iter().map(|folder| option("--source-root=", folder)));
        }
        for parameter in self.parameters {
            let usual = parameter.usual();
            let Some(value) = given(parameter.name).or(usual.as_ref()) else {
                match parameter.is_required() {
                    true => return Err(format!("{} needs {}", self.name, parameter.name)),
                    false => continue,
                }
            };
            match parameter.kind {
                Kind::Input => inputs_typed.push(inputs.find(Some(value))?),
                Kind::Command(words) => {
                    let word = words.iter().find(|word| value.as_str() == Some(word));
                    command =
                        word.ok_or_else(|| format!("{} is one of {}", parameter.name, words.join(", ")))?;
                }
                Kind::Recording => {
                    let folder = inputs.recordings().ok_or("recording is not allowed here")?;
                    options.push(option("--output=", &folder.join(parameter.recording(value)?)));
                }
                _ => {
                    options.extend(parameter.option(value)?.map(OsString::from));
                    operands.extend(parameter.operands(value)?.into_iter().map(OsString::from));
                }
            }
        }
        inputs_typed.extend(input);
        let compared = inputs_typed.len();
        let mut arguments = vec![OsString::from(command)];
        arguments.extend(options);
        if compared > 0 || !operands.is_empty() {
            // After it nothing is an option, whatever a path or a text begins with.
            arguments.push("--".into());
        }
        arguments.extend(inputs_typed.into_iter().map(PathBuf::into_os_string));
        arguments.extend(operands);
        let (ground, narrower) = (self.ground, self.narrower);
        let limit = limit as usize;
        Ok(Call { arguments, offset, limit, ground, narrower, inputs: compared, is_repeatable: self.reads() })
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

impl Call {
    /// Whether exit code 1 says that the inputs differ.
    pub(super) fn compares(&self) -> bool {
        self.inputs > 1
    }

    /// As a person would type it.
    pub(super) fn typed(&self) -> String {
        let words = self.arguments.iter().filter(|word| *word != "--").map(|word| word.to_string_lossy());
        let typed = words.fold("tracewright".to_owned(), |typed, word| typed + " " + &word);
        plain(&typed).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, given: Value) -> Result<Vec<String>, String> {
        let recordings = std::env::temp_dir();
        let inputs =
            Inputs::new(&[env!("CARGO_MANIFEST_DIR").into()], &["src".into()], Some(recordings)).unwrap();
        let call = find(tool, &inputs).unwrap().call(given.as_object().unwrap(), &inputs)?;
        Ok(call.arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn what_a_client_says_is_a_value_and_nothing_else() {
        let typed =
            call("calls", json!({"search": "--json", "depth": 3, "method": "-o /tmp/x", "unfold": false}));
        assert_eq!(
            typed.unwrap(),
            [
                "calls",
                "--all",
                "--method=-o /tmp/x",
                "--search=--json",
                "--depth=3",
                "--",
                env!("CARGO_MANIFEST_DIR")
            ]
        );
        assert_eq!(
            call("lost", json!({"kind": "check"})).unwrap(),
            ["check", "--", env!("CARGO_MANIFEST_DIR")]
        );
        assert_eq!(
            call("diff", json!({"against": 1})).unwrap(),
            ["diff", "--allow-loss", "--", env!("CARGO_MANIFEST_DIR"), env!("CARGO_MANIFEST_DIR")]
        );
        for (tool, given) in [
            ("lost", json!({"kind": "record"})),
            ("lost", json!({"model": "../model.xml"})),
            ("calls", json!({"input": "../src"})),
            ("calls", json!({"source-root": "/"})),
            ("calls", json!({"depth": -1})),
            ("calls", json!({"depth": "3"})),
            ("calls", json!({"method": ["a"]})),
            ("calls", json!({"method": "a\0b"})),
            ("calls", json!({"method": "x".repeat(1001)})),
            ("calls", json!({"limit_bytes": 25_001})),
            ("calls", json!({"limit_bytes": 0})),
            ("calls", json!({"offset": -1})),
            ("info", json!({"all": "yes"})),
            ("diff", json!({})),
            ("diff", json!({"against": "../src"})),
            ("diff", json!({"against": 2})),
        ] {
            assert!(call(tool, given.clone()).is_err(), "{tool} {given}");
        }
    }
}
