//! Pattern files: state machines over events, as Trace Compass writes them in XML.
//!
//! ```text
//! <tmfxml xmlns:tw="urn:tracewright:pattern:1">
//!   <pattern id="..." version="...">            one analysis; views are not looked at
//!     <head/>  <storedField/>  <definedValue/>  <location/>  <mappingGroup/>
//!     <patternHandler initial="a:b">
//!       <test/>  <action/>                       named conditions, named writes
//!       <fsm id="a">
//!         <tw:instances>                         ours: which instances an event concerns
//!           <tw:key events="sched_switch" of="prev_tid next_tid"/>
//!           <tw:key of="@thread" except="0"/>    @thread: who runs on the CPU; @cpu: the CPU
//!           <tw:key events="wake" of="tid" sends-to="target_cpu"/>   where it will go on
//!         </tw:instances>
//!         <state id="unknown" tw:stands-for="user call"/>   ours: one of these states
//!         <state id="user" tw:stays-on-cpu="true">          ours: see `model::machine::State`
//!           <transition tw:opens="true"/>                   ours; closes, like, optional: see `Transition`
//! ```
//!
//! Source: the founding text on lost events and what was found out about its files (the notes on
//! that text, parts 1.1, 1.2 and 1.4). Files without our extension mean what they meant there:
//! rules for a few ids stand in `model::machine::keys`.
//!
//! The caller gives the bytes and a name for diagnostics. Document types, entities and whatever the
//! original announced but never did (`fsmScheduleAction`, states in states, scripts) are refused
//! with a sentence that names the line. Nothing is fetched, nothing is run.

mod action;
pub mod check;
mod condition;
mod context;
mod fsm;
pub mod fuzz;
mod ids;
mod pattern;
mod scan;
mod segment;
#[cfg(test)]
mod tests;
mod value;

use model::machine::Pattern;
use model::{Diagnostic, Place, Severity};
use roxmltree::{Document, ParsingOptions};

use context::Context;

/// The namespace of our extension.
pub const NAMESPACE: &str = "urn:tracewright:pattern:1";

/// What a pattern file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternFile {
    /// Its analyses; at least one.
    pub patterns: Vec<Pattern>,
    /// What is odd about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a pattern file. The error is all that is wrong with it; the first diagnostic of severity
/// [`Severity::Damage`] is what it was refused for.
pub fn read(file: &str, bytes: &[u8]) -> Result<PatternFile, Vec<Diagnostic>> {
    let refuse = |line: u64, sentence: String| {
        vec![Diagnostic {
            code: "pattern-xml",
            severity: Severity::Damage,
            place: Place::Line { file: file.to_owned(), line },
            sentence,
        }]
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64;
        let is_wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let what = if is_wide { "It is written in UTF-16" } else { "This line is not UTF-8" };
        refuse(line, format!("{what}; only UTF-8 is read: save it so (and say so in its first line)."))
    })?;
    scan::check(text).map_err(|(offset, sentence)| refuse(scan::line_of(text, offset), sentence))?;
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: u32::try_from(crate::limits::PATTERN_NODES * 3).unwrap_or(u32::MAX),
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        refuse(u64::from(error.pos().row), format!("This is not well-formed XML: {error}."))
    })?;
    let mut context = Context::new(file, text);
    let root = document.root_element();
    if root.tag_name().name() != "tmfxml" {
        context.refuse(root, format!("The root is `{}`, not `tmfxml`.", root.tag_name().name()));
    }
    let mut patterns = Vec::new();
    let mut provider = None;
    for node in root.children().filter(roxmltree::Node::is_element) {
        match node.tag_name().name() {
            "pattern" => patterns.push(pattern::read(&mut context, node)),
            "timeGraphView" | "xyView" | "latencyView" => {}
            "stateProvider" => {
                provider.get_or_insert(node);
                context.note(node, "State providers are not run, only patterns are.".into());
            }
            name => context.note(node, format!("`{name}` is not known here.")),
        }
    }
    if patterns.is_empty() && !context.is_refused() {
        match provider {
            Some(node) => {
                let sentence = "This `stateProvider` is not run, only a `pattern` is, and there is none.";
                context.refuse(node, sentence.into());
            }
            None => context.refuse(root, "There is no `pattern` in it.".into()),
        }
    }
    if context.is_refused() {
        return Err(context.diagnostics);
    }
    Ok(PatternFile { patterns, diagnostics: context.diagnostics })
}
