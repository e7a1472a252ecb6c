//! What commands answer, as data: a struct for each answer, whose fields are what `--json` prints.
//!
//! A report borrows from what a command found and adds nothing but names and units, so whatever prints or compares
//! answers, a table say, begins here. Trees without a bound, as `calls --json` prints them, are written as they are
//! walked instead (`views::calls_json`): a thread may nest deeper than a stack of ours.

mod check;
pub(crate) mod diff;
pub(crate) mod diff_events;
mod evaluate;
mod hangs;
mod infer;
mod info;
mod json;
mod learn;
mod loops;
mod losses;
mod method;
mod models;
mod open_frames;
mod scalar;
mod sections;
mod states;
pub(crate) mod top;
mod values;

pub(crate) use check::CheckReport;
pub(crate) use evaluate::EvaluateReport;
pub(crate) use hangs::{HangsReport, doing};
pub(crate) use infer::InferReport;
pub(crate) use info::InfoReport;
pub(crate) use json::{json, json_text, write};
pub(crate) use learn::LearnReport;
pub(crate) use loops::LoopsReport;
pub(crate) use losses::LostTotal;
pub(crate) use method::{CallsOf, LineOf, MethodReport, MethodUse};
pub(crate) use models::{BuiltInModels, ModelReport};
pub(crate) use open_frames::{NamedOpen, Open, state};
pub(crate) use sections::{Outcome as SectionOutcome, SectionReport, SectionsReport};
pub(crate) use states::StatesReport;
pub(crate) use values::{CallReport, ValueReport, ValuesReport};
