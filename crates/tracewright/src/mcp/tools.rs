//! The tools: what each is called, which command is behind it, and which options a client may give it.
//!
//! A client's text only ever becomes the value of an option, `--search=TEXT`, or one of a few words; so it can name no file and no
//! other option, whatever it is.

use std::ffi::OsString;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::inputs::Inputs;
use crate::escape::plain;
use crate::models::BUILT_IN;

/// Bounds of an answer, in bytes.
const LIMIT: (u64, u64, u64) = (2_000, 8_000, 25_000);

/// Longest text that an option may have.
const LONGEST: usize = 1_000;

/// An option of a command, as a client gives it.
#[derive(Debug)]
struct Parameter {
    name: &'static str,
    about: &'static str,
    kind: Kind,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// `--name=TEXT`
    Text,
    /// `--name=NUMBER`
    Count,
    /// `--name`, if true
    Switch,
    /// `--name=MODEL`, one that is built in: any other would be a file.
    Model,
    /// Which command it is; the first unless it is said.
    Command(&'static [&'static str]),
    /// Another of the inputs, which stands before the first.
    Input,
}

#[derive(Debug)]
pub(super) struct Tool {
    name: &'static str,
    about: &'static str,
    command: &'static str,
    /// Options that are always given.
    fixed: &'static [&'static str],
    parameters: &'static [Parameter],
    /// What of the answer is observed and what is concluded.
    ground: &'static str,
    /// How to be told less.
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
    /// In the order in which they are typed.
    inputs: Vec<PathBuf>,
}

const fn text(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, kind: Kind::Text }
}

const fn count(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, kind: Kind::Count }
}

const fn switch(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, kind: Kind::Switch }
}

const ALL: Parameter =
    switch("all", "Without the bounds that the command has by itself; the answer stays bounded");
const TRACK: Parameter =
    text("track", "Only tracks (threads) with such a name; * and ? stand for any text and any character");
const THREAD: Parameter =
    text("thread", "Only threads with such a name or number; * and ? stand for any text and any character");

static TOOLS: [Tool; 8] = [
    Tool {
        name: "info",
        about: "What an input is: format, origin, clocks, streams, how many events of which name, losses with their places, diagnostics. Begin here.",
        command: "info",
        fixed: &[],
        parameters: &[ALL],
        ground: "Counted from what was recorded; gaps are what the recorder reports",
        narrower: "",
    },
    Tool {
        name: "overview",
        about: "Of a recording of control flow (a Tracewright capture, uftrace, trace events, Perfetto): figures of each thread, calls, blocks, how \
                far they fold, exceptions, losses.",
        command: "calls",
        fixed: &["--summary"],
        parameters: &[THREAD],
        ground: "Counted from what was recorded",
        narrower: "Narrow with thread.",
    },
    Tool {
        name: "calls",
        about: "Of a recording of control flow: the tree of calls with the lines that ran, loops and recursion folded, exceptions. \
                `14: shop.Baker.bake (Baker.java:30-33)` reads: line 14 called it, and these lines ran. With method it begins at that method's calls; \
                with search it shows only what leads to a class, method or line.",
        command: "calls",
        fixed: &["--all"],
        parameters: &[
            text("method", "Begin with all calls of such a method: pay, Till.pay, shop.Till.*"),
            text(
                "search",
                "Only what leads to such a class, method or line (Oven.java:14), and what that did",
            ),
            THREAD,
            count("depth", "Maximum depth of calls"),
            text("from", "Begin at the first mark of this name"),
            text("to", "End at the first mark of this name"),
            switch("unfold", "Iterations and recursion one after the other"),
        ],
        ground: "Observed: these calls and lines ran",
        narrower: "Or narrow with method, search, thread, depth.",
    },
    Tool {
        name: "loops",
        about: "The loops of each thread, and the loops of those loops: what repeats, how often, where the rhythm breaks. For traces and recordings.",
        command: "loops",
        fixed: &[],
        parameters: &[
            TRACK,
            count("levels", "Maximum number of levels; 1 is only the innermost"),
            count("tracks", "Maximum number of tracks, 10 unless it is said"),
            count("runs", "Maximum number of runs of each level, 20 unless it is said"),
            ALL,
        ],
        ground: "Folded from what was recorded",
        narrower: "Or narrow with track, tracks, runs, levels.",
    },
    Tool {
        name: "hangs",
        about: "What each thread ends in: loops, since when, how regular; of a Java recording also deadlocks and threads that wait for ever.",
        command: "hangs",
        fixed: &[],
        parameters: &[TRACK, count("tracks", "Maximum number of tracks, 20 unless it is said"), ALL],
        ground: "Concluded from what was recorded up to its end; that a program goes on for ever cannot be observed",
        narrower: "Or narrow with track, tracks.",
    },
    Tool {
        name: "lost",
        about: "Of a trace of events that a model knows (Linux kernel traces): with kind `infer` the events that were lost, as far as what is left implies \
                them, each with interval, probability and reason; with kind `check` which events do not fit. Gaps of any trace are listed by info.",
        command: "infer",
        fixed: &[],
        parameters: &[
            Parameter {
                name: "kind",
                about: "infer, unless check is said",
                kind: Kind::Command(&["infer", "check"]),
            },
            Parameter { name: "model", about: "A built-in model", kind: Kind::Model },
            count("limit", "Maximum number of events to list"),
            ALL,
        ],
        ground: "Inferred events are concluded, not observed; probabilities and reasons stand beside them",
        narrower: "Or narrow with limit.",
    },
    Tool {
        name: "diff",
        about: "What an input did that another one, `against`, did not: where each thread parts, which methods did something else and in which lines, \
                calls, iterations and exceptions more or less, what ran on one side only; of two traces events by name and track. \
                A is `against`, B is `input`. Begin with it when one run fails and another does not.",
        command: "diff",
        // Without it an answer about what is left would count as a failure; what is missing is told in any case.
        fixed: &["--allow-loss"],
        parameters: &[
            Parameter {
                name: "against",
                about: "The input that is side A, by number or path",
                kind: Kind::Input,
            },
            THREAD,
            text("method", "Only such methods: pay, Till.pay, shop.Till.*"),
            count("depth", "Maximum number of callers where threads part, 3 unless it is said"),
            ALL,
        ],
        ground: "Observed on both sides; which thread or method of one is which of the other is concluded from names and content",
        narrower: "Or narrow with thread, method.",
    },
    Tool {
        name: "events",
        about: "The events of a trace in the order of time, one a line; of a recording of control flow the blocks that ran. \
                A moment is nanoseconds since 1970, 2026-11-21T07:25:08.5 (UTC), 07:25:08.5 or +1.5s (after the first event).",
        command: "events",
        fixed: &[],
        parameters: &[
            text("from", "Only events at this moment or later"),
            text("to", "Only events at this moment or earlier"),
            text("name", "Only events with such a name; * and ? stand for any text and any character"),
            TRACK,
        ],
        ground: "Observed",
        narrower: "Or narrow with from, to, name, track.",
    },
];

pub(super) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

pub(super) fn names() -> String {
    TOOLS.iter().map(|tool| tool.name).collect::<Vec<_>>().join(", ")
}

/// The answer to `tools/list`.
pub(super) fn list(inputs: &Inputs) -> Vec<Value> {
    TOOLS.iter().map(|tool| tool.described(inputs)).collect()
}

impl Tool {
    fn described(&self, inputs: &Inputs) -> Value {
        let (least, usual, most) = LIMIT;
        let mut properties = Map::new();
        let about =
            format!("Which input, by number or path: {}. May be left out if there is one.", inputs.listed());
        properties.insert("input".into(), json!({"type": ["integer", "string"], "description": about}));
        for parameter in self.parameters {
            properties.insert(parameter.name.into(), parameter.schema());
        }
        let about = "Maximum size of the answer in bytes";
        let limit = json!({"type": "integer", "minimum": least, "maximum": most, "default": usual, "description": about});
        properties.insert("limit_bytes".into(), limit);
        let about = "Go on here: the number that the last line of an answer names. The other arguments must be the same";
        properties.insert(
            "offset".into(),
            json!({"type": "integer", "minimum": 0, "default": 0, "description": about}),
        );
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": {"type": "object", "properties": properties, "additionalProperties": false},
            "annotations": {"readOnlyHint": true, "openWorldHint": false},
        })
    }

    /// The command with its options; a sentence for the client if they are not right.
    pub(super) fn call(&self, given: &Map<String, Value>, inputs: &Inputs) -> Result<Call, String> {
        let known = |name: &str| {
            ["input", "limit_bytes", "offset"].contains(&name)
                || self.parameters.iter().any(|one| one.name == name)
        };
        if let Some(name) = given.keys().find(|name| !known(name)) {
            let shown: String = plain(name).chars().take(64).collect();
            let names = self.parameters.iter().map(|one| one.name).collect::<Vec<_>>().join(", ");
            return Err(format!("{} has no {shown}; it has input, {names}, limit_bytes, offset", self.name));
        }
        let given = |name: &str| given.get(name).filter(|value| !value.is_null());
        let input = inputs.find(given("input"))?;
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
        for parameter in self.parameters {
            let Some(value) = given(parameter.name) else {
                match parameter.kind {
                    Kind::Input => return Err(format!("{} needs {}", self.name, parameter.name)),
                    _ => continue,
                }
            };
            match parameter.kind {
                Kind::Input => inputs_typed.push(inputs.find(Some(value))?.clone()),
                Kind::Command(words) => {
                    let word = words.iter().find(|word| value.as_str() == Some(word));
                    command =
                        word.ok_or_else(|| format!("{} is one of {}", parameter.name, words.join(", ")))?;
                }
                _ => options.extend(parameter.option(value)?.map(OsString::from)),
            }
        }
        let mut arguments = vec![OsString::from(command)];
        arguments.extend(options);
        // Behind it nothing is an option, whatever a path begins with.
        arguments.push("--".into());
        inputs_typed.push(input.clone());
        arguments.extend(inputs_typed.iter().map(|input| input.clone().into_os_string()));
        let (ground, narrower) = (self.ground, self.narrower);
        Ok(Call { arguments, offset, limit: limit as usize, ground, narrower, inputs: inputs_typed })
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({"type": "string", "maxLength": LONGEST}),
            Kind::Count => json!({"type": "integer", "minimum": 1}),
            Kind::Switch => json!({"type": "boolean", "default": false}),
            Kind::Model => {
                json!({"type": "string", "enum": BUILT_IN.iter().map(|model| model.name).collect::<Vec<_>>()})
            }
            Kind::Command(words) => json!({"type": "string", "enum": words, "default": words[0]}),
            Kind::Input => json!({"type": ["integer", "string"]}),
        };
        schema["description"] = json!(self.about);
        schema
    }

    /// What is typed for it.
    fn option(&self, value: &Value) -> Result<Option<String>, String> {
        let name = self.name;
        match self.kind {
            Kind::Text => match value.as_str() {
                Some(text) if text.len() <= LONGEST && !text.contains('\0') => {
                    Ok(Some(format!("--{name}={text}")))
                }
                _ => Err(format!("{name} is a text of at most {LONGEST} bytes")),
            },
            Kind::Count => match value.as_u64() {
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
            Kind::Command(_) | Kind::Input => Ok(None),
        }
    }
}

impl Call {
    /// Whether exit code 1 says that the inputs differ.
    pub(super) fn compares(&self) -> bool {
        self.inputs.len() > 1
    }

    /// As a person would type it.
    pub(super) fn typed(&self) -> String {
        let options = &self.arguments[..self.arguments.len() - 1 - self.inputs.len()];
        let words = options.iter().map(|word| word.to_string_lossy().into_owned());
        let inputs = self.inputs.iter().map(|input| input.to_string_lossy().into_owned());
        let typed = words.chain(inputs).fold("tracewright".to_owned(), |typed, word| typed + " " + &word);
        plain(&typed).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, given: Value) -> Result<Vec<String>, String> {
        let inputs = Inputs::new(&[env!("CARGO_MANIFEST_DIR").into()]).unwrap();
        let call = find(tool).unwrap().call(given.as_object().unwrap(), &inputs)?;
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
