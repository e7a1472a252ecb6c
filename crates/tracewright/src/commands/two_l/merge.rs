//! `tracewright 2l merge`: the parts of a search, put together.

use std::io::Write;

use busybeaver::report::{totals_json, totals_text};
use busybeaver::search::Search;

use super::search::{LONGEST, cannot};
use crate::atomic::{AtomicFile, Existing};
use crate::cli::two_l::Merge;
use crate::exit::{Outcome, Result, Stop};
use crate::input;
use crate::output::Output;

pub(crate) fn run(options: &Merge) -> Result<Outcome> {
    let mut whole: Option<Search> = None;
    for path in &options.files {
        let shown = path.display();
        let text = input::whole_text(path, LONGEST).or_else(|error| cannot("read", path, &error))?;
        let part = Search::read(&text).or_else(|error| Stop::failed(format!("{shown}: {error}")))?;
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => whole.merge(part).or_else(|error| Stop::failed(format!("{shown}: {error}")))?,
        }
    }
    let Some(whole) = whole else { return Stop::failed("give the files of a search") };
    let missing: Vec<String> =
        whole.missing().iter().map(|range| format!("{}-{}", range.start(), range.end())).collect();
    if !missing.is_empty() {
        let (shown, all) = (missing.iter().take(20).cloned().collect::<Vec<_>>().join(", "), whole.shares());
        let more = if missing.len() > 20 { " and more" } else { "" };
        return Stop::failed(format!("of {all} shares these are missing: {shown}{more}"));
    }
    if let Some(path) = &options.output {
        let mut file = AtomicFile::create(path, Existing::Replace)?;
        file.write_all(whole.text().as_bytes()).or_else(|error| cannot("write", path, &error))?;
        file.commit()?;
    }
    let totals = whole.totals(&[]);
    let text = match options.json {
        true => totals_json(&whole.plan(), &totals).to_string() + "\n",
        false => totals_text(&whole.plan(), &totals),
    };
    let mut output = Output::default();
    output.buffer.extend_from_slice(text.as_bytes());
    output.flush()?;
    Ok(Outcome::Complete)
}
