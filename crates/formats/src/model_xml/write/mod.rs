//! Writes models: machines over events, with their instances, states and tests.
//!
//! What is written is read back as the same machines (a test holds that). Actions, handlers, segments and
//! definitions are not written: who has those has a file. What the format cannot say is refused by name.

mod condition;
mod machine;
#[cfg(test)]
mod tests;

use model::machine::Pattern;

use super::NAMESPACE;

/// Why a model cannot be written, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable(pub String);

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unwritable {}

/// The file of a model; `remarks` are comments above its machines, in their order.
///
/// # Errors
/// When the model has something that is not written, or names that the format cannot hold.
pub fn write(pattern: &Pattern, remarks: &[String]) -> Result<String, Unwritable> {
    let has_more = !pattern.actions.is_empty()
        || !pattern.handlers.is_empty()
        || !pattern.stored_fields.is_empty()
        || !pattern.mappings.is_empty()
        || !pattern.definitions.is_empty();
    if has_more {
        return refuse("models with actions, handlers or definitions are not written");
    }
    let mut out = Lines::default();
    out.open(&format!("<tmfxml xmlns:tw=\"{NAMESPACE}\">"));
    out.open(&format!("<pattern id=\"{}\" version=\"1\">", text(&pattern.id)?));
    if !pattern.label.is_empty() || !pattern.trace_types.is_empty() {
        out.open("<head>");
        for id in &pattern.trace_types {
            out.line(&format!("<traceType id=\"{}\"/>", text(id)?));
        }
        if !pattern.label.is_empty() {
            out.line(&format!("<label value=\"{}\"/>", text(&pattern.label)?));
        }
        out.close("</head>");
    }
    let is_all = pattern.started.iter().copied().eq(0..pattern.machines.len());
    let started: Vec<String> = pattern
        .started
        .iter()
        .filter_map(|index| pattern.machines.get(*index))
        .map(|machine| name(&machine.id))
        .collect::<Result<_, _>>()?;
    match is_all {
        true => out.open("<patternHandler>"),
        false => out.open(&format!("<patternHandler initial=\"{}\">", started.join(":"))),
    }
    for test in &pattern.tests {
        condition::test(&mut out, test)?;
    }
    for (number, machine) in pattern.machines.iter().enumerate() {
        if let Some(remark) = remarks.get(number).filter(|remark| !remark.is_empty()) {
            out.line(&format!("<!-- {} -->", remark.replace("--", "- -").replace(['\n', '\r'], " ")));
        }
        machine::write(&mut out, pattern, machine)?;
    }
    out.close("</patternHandler>");
    out.close("</pattern>");
    out.close("</tmfxml>");
    Ok(out.text)
}

fn refuse<T>(sentence: impl Into<String>) -> Result<T, Unwritable> {
    Err(Unwritable(sentence.into()))
}

/// Lines that are indented by what is open.
#[derive(Default)]
struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    fn line(&mut self, line: &str) {
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    fn close(&mut self, line: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }
}

/// The value of an attribute.
fn text(text: &str) -> Result<String, Unwritable> {
    // XML has no way to say most control characters, and reads line breaks as spaces.
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}')) {
        return refuse(format!("the name {text:?} cannot stand in a model"));
    }
    Ok(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;"))
}

/// The value of an attribute that `$` would make the name of a definition.
fn constant(value: &str) -> Result<String, Unwritable> {
    if value.starts_with('$') {
        return refuse(format!("the value {value:?} cannot stand in a model"));
    }
    text(value)
}

/// A name in a list that colons separate.
fn name(name: &str) -> Result<String, Unwritable> {
    if name.is_empty() || name.trim() != name || name.contains(':') {
        return refuse(format!("the name {name:?} cannot stand in a model"));
    }
    text(name)
}

/// A list that spaces separate.
fn words<'a>(all: impl Iterator<Item = &'a str>) -> Result<String, Unwritable> {
    let mut list: Vec<String> = Vec::new();
    for word in all {
        if word.is_empty() || word.contains(char::is_whitespace) {
            return refuse(format!("the name {word:?} cannot stand in a model"));
        }
        list.push(text(word)?);
    }
    Ok(list.join(" "))
}
