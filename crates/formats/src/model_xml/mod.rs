//! Model files: state machines over events and what events write, as Trace Compass writes them in XML.
//!
//! ```text
//! <tmfxml xmlns:tw="urn:tracewright:pattern:1">
//!   <stateProvider id="..." version="...">      one analysis without machines
//!     <head/>  <definedValue/>  <location/>  <mappingGroup/>
//!     <eventHandler eventName="a*">              what these events write
//!       <stateChange/>
//!   <pattern id="..." version="...">            one analysis with machines
//!     <head/>  <storedField/>  <definedValue/>  <location/>  <mappingGroup/>
//!     <patternHandler initial="a:b">
//!       <test/>  <action/>                       named conditions, named writes
//!       <fsm id="a">
//!         <tw:instances>                         ours: which instances an event concerns
//!           <tw:key events="sched_switch" of="prev_tid next_tid"/>
//!           <tw:key of="@thread" except="0"/>    @thread: who runs on the CPU; @cpu: the CPU
//!           <tw:key events="wake" of="tid" sends-to="target_cpu"/>   where it will go on
//!           <tw:key events="free" of="ptr" within="pid"/>   another one in each process
//!         </tw:instances>
//!         <state id="unknown" tw:stands-for="user call"/>   ours: one of these states
//!         <state id="user" tw:stays-on-cpu="true">          ours, as begins, ends, waits: see `model::machine::State`
//!           <transition tw:opens="true"/>                   ours; closes, like, optional: see `Transition`
//!   <timeGraphView/>  <xyView/>                 read and checked, not drawn
//!   <callstack/>                                the analyses in it are read
//! ```
//!
//! `docs/models.md` explains the format to whoever writes such a file. Source: the founding text on
//! lost events and what was found out about its files (the notes on that text, parts 1.1, 1.2 and
//! 1.4), and Trace Compass's own description of the format. Files without our extension mean what
//! they mean there: rules for a few ids stand in `model::machine::keys`.
//!
//! The caller gives the bytes and a name for diagnostics. Document types, entities and whatever the
//! original announced but never did (`fsmScheduleAction`, states in states) are refused with a
//! sentence that names the line. Nothing is fetched, nothing is run: scripts are read as expressions.
//! `write` is the way back, for machines that were learned.

mod action;
mod attributes;
pub mod check;
mod condition;
mod context;
mod definitions;
mod fsm;
pub mod fuzz;
mod ids;
mod pattern;
mod provider;
mod scan;
mod script;
mod segment;
#[cfg(test)]
mod tests;
mod value;
mod view;
mod write;

use model::machine::{Pattern, View, ViewKind};
use model::{Diagnostic, Location, Severity};
use roxmltree::{Document, ParsingOptions};

pub use write::{Unwritable, write};

use context::Context;

/// The namespace of our extension.
pub const NAMESPACE: &str = "urn:tracewright:pattern:1";

/// What a model file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFile {
    /// Its analyses; none in a file of views only.
    pub patterns: Vec<Pattern>,
    /// Its views.
    pub views: Vec<View>,
    /// What is odd about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a model file. The error is all that is wrong with it; the first diagnostic of severity
/// [`Severity::Damage`] is what it was refused for.
pub fn read(file: &str, bytes: &[u8]) -> Result<ModelFile, Vec<Diagnostic>> {
    let refuse = |line: u64, sentence: String| {
        vec![Diagnostic {
            code: "pattern-xml",
            severity: Severity::Damage,
            location: Location::Line { file: file.to_owned(), line },
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
        nodes_limit: u32::try_from(crate::limits::MODEL_NODES * 3).unwrap_or(u32::MAX),
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
    let (mut patterns, mut views, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for node in root.children().filter(roxmltree::Node::is_element) {
        match node.tag_name().name() {
            "pattern" => patterns.push(pattern::read(&mut context, node)),
            "stateProvider" => patterns.push(provider::read(&mut context, node)),
            "callstack" => {
                for inner in context::children(node) {
                    match inner.tag_name().name() {
                        "pattern" => patterns.push(pattern::read(&mut context, inner)),
                        "stateProvider" => patterns.push(provider::read(&mut context, inner)),
                        "callstackGroup" | "analysis" => {}
                        _ => context.unexpected(inner),
                    }
                }
            }
            "timeGraphView" => views.push(view::read(&mut context, node, ViewKind::TimeGraph)),
            "xyView" => views.push(view::read(&mut context, node, ViewKind::Chart)),
            "latencyView" => {}
            _ => unknown.push(node),
        }
    }
    // Other programs may put elements of their own beside what we know; alone they are no model.
    let is_nothing_else = patterns.is_empty() && views.is_empty();
    for node in unknown {
        let name = node.tag_name().name();
        match is_nothing_else {
            true => context.refuse(
                node,
                format!("`{name}` is not an element of a model file, and nothing else is in it."),
            ),
            false => context
                .note(node, format!("`{name}` is an extension that is not known here and was ignored.")),
        }
    }
    if root.tag_name().name() == "tmfxml" && !root.children().any(|child| child.is_element()) {
        context.refuse(root, "There is neither an analysis nor a view in it.".into());
    }
    attributes::check(&mut context, &document);
    if context.is_refused() {
        return Err(context.diagnostics);
    }
    Ok(ModelFile { patterns, views, diagnostics: context.diagnostics })
}
