//! `tracewright table`: an answer about one or many inputs as rows and columns.

use std::num::NonZero;

use crate::cli::table::Table;
use crate::exit::{Outcome, Result, Stop};
use crate::output::Output;
use crate::tables::{self, Asked, Format, VERSION};

pub(crate) fn run(options: &Table) -> Result<Outcome> {
    let inputs = tables::expand(&options.inputs)?;
    let asked = Asked {
        what: options.what,
        names: &options.name,
        fields: vec![],
        model: options.model.as_deref(),
        track_by: options.track_by,
        is_alone: inputs.len() == 1,
        part: options.part.clone(),
    };
    let mut asked = asked.with_fields(!options.name.is_empty(), &inputs);
    if options.columns {
        return describe(&asked);
    }
    if inputs.is_empty() {
        return Stop::failed("give at least one input; --help has examples");
    }
    asked.check(inputs.len()).or_else(Stop::failed)?;
    let file = options.output.as_deref().filter(|file| file.as_os_str() != "-");
    let format = match (options.format, file) {
        (Some(format), _) => format,
        (None, None) => Format::Csv,
        (None, Some(file)) => Format::of(file).map_or_else(
            || {
                let shown = file.display();
                Stop::failed(format!(
                    "{shown} does not end in .csv, .arrow or .parquet; --format says what to write"
                ))
            },
            Ok,
        )?,
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = options.jobs.map_or(cores, |jobs| jobs as usize);
    if let (Some(part), [input]) = (asked.part.take(), &inputs[..]) {
        asked.part = Some(part.counted(input, jobs));
    }
    tables::run(&asked, &inputs, file, format, jobs)
}

/// The columns, as a table for documents.
fn describe(asked: &Asked<'_>) -> Result<Outcome> {
    let mut text = format!("Version {VERSION}.\n\n| column | kind | what it holds |\n|---|---|---|\n");
    for column in asked.columns() {
        text += &format!(
            "| `{}` | {} | {} |\n",
            column.name,
            column.kind.name(),
            column.about.replace('|', "\\|")
        );
    }
    let mut output = Output { buffer: text.into_bytes() };
    output.flush()?;
    Ok(Outcome::Complete)
}
