//! `tracewright learn`: machines of a trace, written as a model that a person can read and change.

use std::io::Write;

use formats::model_xml;
use inference::learn::{Events, learn};

use crate::atomic::{AtomicFile, Existing};
use crate::cli::machines::Learn;
use crate::escape::plain;
use crate::exit::{Outcome, Result, Stop};
use crate::losses::Losses;
use crate::open::open;
use crate::output::Output;
use crate::paint::Paint;
use crate::progress::Progress;
use crate::reports::{self, LearnReport};
use crate::views::learn_text;
use crate::warn::is_incomplete;

pub(crate) fn run(options: &Learn) -> Result<Outcome> {
    let input = &options.trace.input;
    let mut source = open(input)?;
    let mut progress = Progress::new(false);
    let mut losses = Losses::default();
    let events = Events::read(source.as_mut(), |source| progress.step(source), |gap| losses.add(gap));
    progress.finish();
    crate::warn::warn(input, losses.total, source.as_ref());
    let shown = input.display().to_string();
    let shown = plain(&shown);
    if events.is_cut() {
        eprintln!("tracewright: {shown} is long: learned from its first {} events", events.len());
    }
    let count = events.len();
    let mut learned = learn(events);
    if learned.pattern.machines.is_empty() {
        return Stop::failed(format!(
            "no machine can be learned from {shown}: among its {} no field names anything with an order of its own",
            crate::numbers::counted(count as u64, "event")
        ));
    }
    let name = input.file_name().map(|name| name.to_string_lossy().into_owned());
    // A name that no model can hold is left out of the label.
    let name = name.filter(|name| !name.chars().any(char::is_control) && name != "-");
    learned.pattern.label = format!("Learned from {}", name.as_deref().unwrap_or("standard input"));
    let remarks: Vec<String> = learned.evidence.iter().map(learn_text::remark).collect();
    let xml = model_xml::write(&learned.pattern, &remarks)
        .or_else(|error| Stop::failed(format!("the model cannot be written: {error}")))?;
    if let Some(file) = &options.output {
        // Somebody may have worked on one that is there.
        let mut out = AtomicFile::create(file, Existing::Refuse)?;
        out.write_all(xml.as_bytes())
            .or_else(|error| Stop::failed(format!("cannot write {}: {error}", file.display())))?;
        out.commit()?;
    }
    let buffer = match (options.json, &options.output) {
        (true, _) => reports::json(&LearnReport::of(&learned, count, &xml)),
        (false, None) => xml.into(),
        (false, Some(file)) => learn_text::render(&learned, count, (file, &xml), Paint::for_stdout()).into(),
    };
    Output { buffer }.flush()?;
    Ok(Outcome::new(is_incomplete(losses.total, source.as_ref()), options.trace.allow_loss))
}
