//! Models: the machines that a trace is checked against. Some are built in, others are files.
//!
//! The caller gives what was typed after `--model`. A name of a built-in model wins over a file of
//! the same name (`./kernel` is the file). Of a file with several analyses the first is used, unless
//! one is asked for.

use std::path::Path;

use formats::limits;
use formats::model_xml::{self, ModelFile};
use inference::UnsupportedModel;
use inference::derive::{Derived, Remark, derive};
use model::machine::Pattern;
use model::{Diagnostic, Location, Severity};

use crate::escape::plain;
use crate::exit::{Result, Stop};
use crate::input;
use crate::numbers::counted;
use crate::process::note;

/// A model that is part of the program.
#[derive(Debug)]
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) xml: &'static str,
}

/// All of them.
pub(crate) const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "kernel",
        about: "CPUs and threads of a Linux kernel trace",
        xml: include_str!("../models/kernel.xml"),
    },
    BuiltIn {
        name: "kernel-2018",
        about: "the same as in the founding text, its faults included: for --engine compat",
        xml: include_str!("../models/kernel-2018.xml"),
    },
];

/// A model, ready to be run.
#[derive(Debug)]
pub(crate) struct Model {
    /// Its name, or that of its file.
    pub(crate) name: String,
    pub(crate) pattern: Pattern,
    /// The pattern as in the file, where machines, or which instances events concern, were derived from it.
    as_written: Option<Pattern>,
    pub(crate) is_built_in: bool,
}

/// Diagnostics about a file that are printed; the rest are counted.
const MOST_REPORTED: usize = 20;

pub(crate) fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|model| model.name == name)
}

/// The model called `name`, or the model of the file `name`, with machines that can be checked: what
/// the file does not state is derived, and what cannot be derived is left out and reported.
pub(crate) fn load(name: &str) -> Result<Model> {
    let mut model = load_one(name, None)?;
    let Derived { pattern, remarks } = derive(&model.pattern);
    let remarks: Vec<Diagnostic> = remarks
        .into_iter()
        .map(|Remark { sentence, spot }| Diagnostic {
            code: "model-left-out",
            severity: Severity::Note,
            location: Location::Line { file: model.name.clone(), line: u64::from(spot.line) },
            sentence,
        })
        .collect();
    if pattern.started.is_empty() {
        let why = remarks.last().map(sentence).unwrap_or_default();
        return Stop::failed(format!(
            "nothing in the model {} can be checked ({why}); `tracewright states` shows what it writes",
            model.name
        ));
    }
    print_diagnostics(&remarks);
    if pattern != model.pattern {
        model.as_written = Some(std::mem::replace(&mut model.pattern, pattern));
    }
    Ok(model)
}

/// The same with the analysis called so.
pub(crate) fn load_one(name: &str, analysis: Option<&str>) -> Result<Model> {
    let file = read(name)?;
    print_diagnostics(&file.diagnostics);
    let ids: Vec<&str> = file.patterns.iter().map(|pattern| &*pattern.id).collect();
    let location = match analysis {
        Some(id) => ids.iter().position(|known| *known == id),
        None => Some(0).filter(|_| !ids.is_empty()),
    };
    let Some(location) = location else {
        return Stop::failed(match (analysis, ids.is_empty()) {
            (Some(id), false) => {
                format!("no analysis of {name} is called {id}; there are: {}", ids.join(", "))
            }
            _ => format!("{name} holds views only, no analysis, so there is nothing to run"),
        });
    };
    if analysis.is_none() && ids.len() > 1 {
        let names = plain(&ids.join(", ")).into_owned();
        note(format_args!("{}: of its analyses ({names}) only the first is used", plain(name)));
    }
    let pattern = file.patterns.into_iter().nth(location).unwrap_or_default();
    let is_built_in = built_in(name).is_some();
    let name = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy()).into_owned();
    Ok(Model { name, pattern, as_written: None, is_built_in })
}

/// All that a model or a file holds.
pub(crate) fn read(name: &str) -> Result<ModelFile> {
    if let Some(model) = built_in(name) {
        return parse(model.name, model.xml.as_bytes());
    }
    match input::whole(Path::new(name), limits::MODEL_BYTES as u64) {
        Ok(bytes) => parse(name, &bytes),
        Err(error) => {
            let names: Vec<&str> = BUILT_IN.iter().map(|model| model.name).collect();
            Stop::failed(format!(
                "cannot open the model {name}: {error}; the built-in models are: {}",
                names.join(", ")
            ))
        }
    }
}

fn parse(name: &str, bytes: &[u8]) -> Result<ModelFile> {
    model_xml::read(name, bytes).or_else(|diagnostics| {
        let first = diagnostics
            .iter()
            .find(|diagnostic| diagnostic.severity == Severity::Damage)
            .or(diagnostics.first());
        Stop::failed(match first {
            Some(diagnostic) => format!("this model cannot be used: {}", sentence(diagnostic)),
            None => format!("the model {name} cannot be used"),
        })
    })
}

impl Model {
    /// Whether its machines, or which instances events concern, were worked out.
    pub(crate) fn is_derived(&self) -> bool {
        self.as_written.is_some()
    }

    /// Why no engine can run it.
    pub(crate) fn refuse<T>(&self, unsupported: &UnsupportedModel) -> Result<T> {
        let UnsupportedModel { sentence, spot } = unsupported;
        Stop::failed(format!("the model {}, line {}, cannot be run: {sentence}", self.name, spot.line))
    }

    /// Reports which parts of the user's own model cannot apply to a trace with these events. A built-in
    /// model serves many kernels, none of which has all events.
    ///
    /// # Errors
    /// When the model knows none of the events: finding nothing wrong with them would mislead.
    pub(crate) fn compare<'n>(&self, events: impl IntoIterator<Item = &'n str> + Clone) -> Result<()> {
        if events.clone().into_iter().next().is_some()
            && !model_xml::check::is_about(&self.pattern, events.clone())
        {
            return Stop::failed(format!(
                "the model {} knows no event of this trace, so it says nothing of it (--model FILE.xml takes another)",
                self.name
            ));
        }
        self.remark(events);
        Ok(())
    }

    /// Reports which parts of the user's own model cannot apply to a trace with these events.
    pub(crate) fn remark<'n>(&self, events: impl IntoIterator<Item = &'n str>) {
        if !self.is_built_in {
            let written = self.as_written.as_ref().unwrap_or(&self.pattern);
            print_diagnostics(&model_xml::check::against_trace(&self.name, written, events));
        }
    }
}

pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics.iter().take(MOST_REPORTED) {
        note(format_args!("{}", plain(&sentence(diagnostic))));
    }
    if diagnostics.len() > MOST_REPORTED {
        note(format_args!(
            "and {} more about the model",
            counted((diagnostics.len() - MOST_REPORTED) as u64, "remark")
        ));
    }
}

fn sentence(diagnostic: &Diagnostic) -> String {
    match &diagnostic.location {
        Location::Line { file, line } => format!("{file}, line {line}: {}", diagnostic.sentence),
        _ => diagnostic.sentence.clone(),
    }
}
