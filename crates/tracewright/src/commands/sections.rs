//! `tracewright sections`: the tests, requests and tasks that ran, and the marks.

use super::calls::{is_wanted, some_thread};
use crate::cli::sections::Sections;
use crate::exit::{Outcome, Result};
use crate::method_names::MethodNames;
use crate::output::Output;
use crate::paint::Paint;
use crate::pattern::Patterns;
use crate::recordings;
use crate::reports::{self, SectionOutcome, SectionReport, SectionsReport};
use crate::sections;
use crate::views::sections_text;
use crate::warn::warn_of;

pub(crate) fn run(options: &Sections) -> Result<Outcome> {
    let recording = recordings::open(&options.capture)?;
    let recording = recording.as_ref();
    let wanted = Patterns::new(&options.thread);
    some_thread(recording, &wanted)?;
    let is_incomplete = warn_of(&options.capture, recording);
    let mut all = sections::of(recording, |thread| is_wanted(&wanted, thread), true);
    if !options.name.is_empty() {
        let (names, texts) = (MethodNames::new(&options.name), Patterns::new(&options.name));
        all.sections.retain(|one| names.mean(recording.code(), one.section.method));
        let marks = recording.marks();
        all.marks.retain(|one| marks.get(one.mark as usize).is_some_and(|mark| texts.allow(&mark.text)));
    }
    let mut listed = SectionReport::all(recording, &all);
    listed.retain(|one| {
        (options.kind.is_empty() || options.kind.contains(&one.kind))
            && (!options.failed || one.outcome == Some(SectionOutcome::Threw))
    });
    let mut output = Output::default();
    if options.json {
        let more = listed.len().saturating_sub(options.limit);
        listed.truncate(options.limit);
        output.buffer = reports::json(&SectionsReport { sections: listed, more });
    } else if listed.is_empty() {
        output.buffer = b"no such section was recorded\n".to_vec();
    } else {
        output.buffer =
            sections_text::render(&listed, options.each, options.limit, Paint::for_stdout()).into();
    }
    output.flush()?;
    Ok(Outcome::new(is_incomplete, options.allow_loss))
}
