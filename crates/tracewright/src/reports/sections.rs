//! What `sections --json` prints.
//!
//! ```text
//! {"sections":[{"kind":"test","name":"shop.CartTest.adds","thread":"main","outcome":"threw","at":{"file":"CartTest.java","line":40},
//!    "blocks":320,"calls":12,"gaps":0,"begin":1767225600000000000,"length":1210000,"within":40000,"waiting":null,"handed_over":null}],
//!  "more":0}
//! ```
//!
//! `kind` is `test`, `request`, `task` or `mark`; `outcome` is `returned`, `threw`, `open` (it had not ended when
//! recording did) or `unknown` (its end was lost). `at` says where an exception left it. `begin` is ns since 1970; `length`
//! is known to `within` ns, and `waiting` of it the thread was on no processor; they are null where that is not known.
//! `handed_over` says where a task comes from, where that is known: `{"thread":"exec-1","section":"shop.Api.handle#3"}`, the
//! section as `calls --section` takes it, null where no section was running there.
//! `gaps` is how many times something was lost in it. A mark has no thread and no outcome, and its length is exact.

use analyses::sections::{AfterMark, Section, SectionKind};
use model::FlowSource;
use model::flow::Left;
use serde::Serialize;

use crate::cli::sections::Kind;
use crate::sections::{All, ThreadSection};
use crate::views::code_names::{file, last_line};

/// The answer of `sections`.
#[derive(Debug, Serialize)]
pub(crate) struct SectionsReport {
    pub(crate) sections: Vec<SectionReport>,
    /// Sections that are not listed.
    pub(crate) more: usize,
}

/// One section.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SectionReport {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) thread: Option<String>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) at: Option<SourceLine>,
    pub(crate) blocks: u64,
    pub(crate) calls: u64,
    pub(crate) gaps: u64,
    pub(crate) begin: Option<i64>,
    pub(crate) length: Option<i64>,
    pub(crate) within: Option<i64>,
    pub(crate) waiting: Option<i64>,
    pub(crate) handed_over: Option<HandedOver>,
}

/// Where a task was handed over.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct HandedOver {
    pub(crate) thread: String,
    pub(crate) section: Option<String>,
}

/// How a section ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Returned,
    Threw,
    Open,
    Unknown,
}

impl Outcome {
    /// As it is written in answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Outcome::Returned => "returned",
            Outcome::Threw => "threw",
            Outcome::Open => "open",
            Outcome::Unknown => "unknown",
        }
    }
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct SourceLine {
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u16>,
}

impl SectionReport {
    /// All of a recording: tests first, then requests, tasks and marks, each in the order of the recording.
    pub(crate) fn all(recording: &dyn FlowSource, all: &All) -> Vec<SectionReport> {
        let mut reports: Vec<SectionReport> =
            all.sections.iter().map(|found| section(recording, found)).collect();
        reports.sort_by_key(|report| report.kind);
        reports.extend(all.marks.iter().filter_map(|after| mark(recording, after)));
        reports
    }
}

fn mark(recording: &dyn FlowSource, after: &AfterMark) -> Option<SectionReport> {
    let mark = recording.marks().get(after.mark as usize)?;
    let next = recording.marks().get(after.mark as usize + 1);
    Some(SectionReport {
        kind: Kind::Mark,
        name: mark.text.clone(),
        thread: None,
        outcome: None,
        at: None,
        blocks: after.blocks,
        calls: after.calls,
        gaps: 0,
        begin: Some(mark.time.0),
        length: next.map(|next| next.time.0.saturating_sub(mark.time.0)),
        within: next.map(|_| 0),
        waiting: None,
        handed_over: None,
    })
}

fn section(recording: &dyn FlowSource, found: &ThreadSection) -> SectionReport {
    let (code, section) = (recording.code(), &found.section);
    let length = found.time.map(|time| time.length());
    SectionReport {
        kind: match section.kind {
            SectionKind::Test => Kind::Test,
            SectionKind::Request => Kind::Request,
            SectionKind::Task => Kind::Task,
        },
        name: code.method_name(section.method),
        thread: recording.threads().get(found.thread).map(|thread| thread.name.clone()),
        outcome: Some(match section.left {
            Left::Returned => Outcome::Returned,
            Left::Threw => Outcome::Threw,
            Left::Open => Outcome::Open,
            Left::Unseen => Outcome::Unknown,
        }),
        at: (section.left == Left::Threw).then(|| thrown_at(recording, section)),
        blocks: section.blocks,
        calls: section.calls,
        gaps: section.gaps,
        begin: found.time.map(|time| time.begin.from),
        length: length.map(|length| length.value),
        within: length.map(|length| length.within),
        waiting: found.time.and_then(|time| time.waiting()).map(|waiting| waiting.value),
        handed_over: found.origin.as_ref().and_then(|origin| {
            let thread = recording.threads().get(origin.thread)?.name.clone();
            Some(HandedOver { thread, section: origin.section.clone() })
        }),
    }
}

fn thrown_at(recording: &dyn FlowSource, section: &Section) -> SourceLine {
    let code = recording.code();
    let (method, last) = section.end;
    let line = last.and_then(|block| last_line(code.method(method)?, block));
    SourceLine { file: file(code, method).map(str::to_owned), line }
}
