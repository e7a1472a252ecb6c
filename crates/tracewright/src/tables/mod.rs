//! Answers as tables: rows and columns that engines read (DuckDB, pandas, Polars, Spark).
//!
//! ```text
//! inputs ── a thread for each core: a trace at a time ──> rows ──> batches ──> one file, in the order of the inputs
//!           (a long one alone: a share of it)               share
//!           events gaps states incoherences inferred        batch    csv arrow   output
//!           loops calls blocks sections values hangs        reader: batches, for other processes than ours
//! ```
//!
//! Every table has `trace` and `error` first. An input that cannot be read is a row with an error and nothing else, so a
//! job over a thousand traces ends with all that could be read. Columns, their order and their kinds are a version of
//! the schema; docs/tables.md lists them, and a test compares.

#[cfg(feature = "columnar")]
mod arrow;
mod batch;
mod blocks;
mod calls;
mod column;
mod csv;
mod events;
mod format;
mod gaps;
mod hangs;
mod incoherences;
mod inferred;
mod inputs;
mod job;
mod loops;
mod output;
#[cfg(feature = "columnar")]
mod reader;
mod sections;
mod share;
mod states;
mod values;

use std::path::Path;

use clap::ValueEnum;
use model::EventSource;

use crate::cli::TrackBy;
use crate::exit::Result;
use crate::open::open;
use crate::part::{Part, open_part};

pub(crate) use batch::Rows;
pub(crate) use column::{Cell, Column, Kind};
pub(crate) use format::Format;
pub(crate) use inputs::expand;
pub(crate) use job::run;
#[cfg(feature = "columnar")]
pub use reader::{Message, Request, TableReader};
pub(crate) use share::Share;

/// The version of all schemas: it changes when a column goes, moves or means something else.
pub const VERSION: u32 = 1;

/// Which table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// Events of a trace
    Events,
    /// Places where something was lost
    Gaps,
    /// States that a model makes of a trace
    States,
    /// Events that do not fit a model
    Incoherences,
    /// Events that were lost and are inferred
    Inferred,
    /// Runs of every level: loops, and what lies between them
    Loops,
    /// Who called whom from where, how often
    Calls,
    /// Blocks that ran, with lines and counts
    Blocks,
    /// Tests, requests and tasks that ran, and marks
    Sections,
    /// With which arguments methods were called, and what came of it
    Values,
    /// Loops that tracks end in, and what threads were in the middle of
    Hangs,
}

impl What {
    /// What it is called.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Whether the rows of a part are known without what is before it.
    fn has_parts(self) -> bool {
        matches!(self, What::Events | What::Gaps)
    }
}

/// What a table is made by.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) what: What,
    /// Names of events, as patterns.
    pub(crate) names: &'a [String],
    /// Fields of events that have a column of their own.
    pub(crate) fields: Vec<Column>,
    /// For the tables that need one.
    pub(crate) model: Option<&'a str>,
    pub(crate) track_by: TrackBy,
    /// One input alone may use all cores.
    pub(crate) is_alone: bool,
    /// Of the one input only this part.
    pub(crate) part: Option<Part>,
}

/// Whether something is missing from an input.
pub(crate) type IsIncomplete = bool;

impl Asked<'_> {
    /// Whether it can be done, with so many inputs.
    pub(crate) fn check(&self, inputs: usize) -> std::result::Result<(), String> {
        match self.part {
            None => Ok(()),
            Some(_) if inputs != 1 => Err(format!("a part is of one input, not of {inputs}")),
            Some(_) if self.what.has_parts() => Ok(()),
            Some(_) => Err(format!(
                "`{}` has no parts: what it says of a part depends on all that came before; `events` and `gaps` have",
                self.what.name()
            )),
        }
    }

    /// Opens an input, or the part of it that is asked for.
    fn open(&self, input: &Path) -> Result<Box<dyn EventSource>> {
        match &self.part {
            Some(part) => open_part(input, part),
            None => open(input),
        }
    }

    /// All columns.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::new("trace", Kind::Text, "the input, as it was given"),
            Column::new("error", Kind::Text, "why the input could not be read; then all else is empty"),
        ];
        let own = match self.what {
            What::Events => events::columns(),
            What::Gaps => gaps::columns(),
            What::States => states::columns(),
            What::Incoherences => incoherences::columns(),
            What::Inferred => inferred::columns(),
            What::Loops => loops::columns(),
            What::Calls => calls::columns(),
            What::Blocks => blocks::columns(),
            What::Sections => sections::columns(),
            What::Values => values::columns(),
            What::Hangs => hangs::columns(),
        };
        columns.extend(own);
        columns.extend(self.fields.iter().cloned());
        columns
    }

    /// How many threads make rows of one input.
    fn readers(&self, input: &Path, threads: usize, inputs: usize) -> usize {
        if self.what == What::Events { share::readers(input, threads, inputs) } else { 1 }
    }

    /// Puts the rows of one input, or of a share of it.
    fn fill(&self, input: &Path, share: Share, rows: &mut dyn Rows) -> Result<IsIncomplete> {
        match self.what {
            What::Events => events::fill(self, input, share, rows),
            What::Gaps => gaps::fill(self, input, rows),
            What::States => states::fill(self, input, rows),
            What::Incoherences => incoherences::fill(self, input, rows),
            What::Inferred => inferred::fill(self, input, rows),
            What::Loops => loops::fill(self, input, rows),
            What::Calls => calls::fill(input, rows),
            What::Blocks => blocks::fill(input, rows),
            What::Sections => sections::fill(input, rows),
            What::Values => values::fill(input, rows),
            What::Hangs => hangs::fill(self, input, rows),
        }
    }

    /// Gives fields of the events that were asked for a column each, where `is_wanted`: which, and of what kind, is
    /// taken from the first events of the inputs.
    pub(crate) fn with_fields(mut self, is_wanted: bool, inputs: &[std::path::PathBuf]) -> Self {
        if self.what == What::Events && is_wanted {
            self.fields = events::fields(self.names, inputs);
        }
        self
    }
}
