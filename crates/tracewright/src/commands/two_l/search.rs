//! `tracewright 2l search`: all programs of a size, on all cores, in a file that can be gone on with.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

use busybeaver::report::{totals_json, totals_text};
use busybeaver::search::{Mode, Plan, Search as Searching};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::two_l::Search;
use crate::exit::{Outcome, Result, Stop};
use crate::output::Output;

pub(crate) fn run(options: &Search) -> Result<Outcome> {
    let mode = if options.plain { Mode::Plain } else { Mode::Orchestrated };
    let plan = Plan {
        width: options.width,
        height: options.height,
        mode,
        max_steps: options.steps,
        check: options.check,
    };
    let mut search = Searching::new(plan).or_else(|error| Stop::failed(error.to_string()))?;
    let mut file = None;
    if let Some(path) = &options.file {
        file = Some(keep_in(path, &mut search, plan)?);
    }
    let threads = options.threads.map_or_else(cores, usize::from);
    let mut bar = Bar::new(&search);
    let mut failed = None;
    search.run(threads, |share| {
        bar.step(share.totals.total());
        // A share counts as done only when it is in the file as a whole line.
        match file.as_mut().map_or(Ok(()), |file| file.write_all(share.line().as_bytes())) {
            Ok(()) => true,
            Err(error) => {
                failed = Some(error);
                false
            }
        }
    });
    bar.finish();
    if let (Some(error), Some(path)) = (failed, &options.file) {
        return cannot("write", path, &error);
    }
    let totals = search.totals();
    let mut output = Output::default();
    let text = match options.json {
        true => totals_json(&plan, &totals).to_string() + "\n",
        false => totals_text(&plan, &totals),
    };
    output.buffer = text.into_bytes();
    output.flush()?;
    Ok(Outcome::Complete)
}

/// Opens the file of a search: an empty or new one gets its first line, another is gone on with.
fn keep_in(path: &Path, search: &mut Searching, plan: Plan) -> Result<File> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return cannot("read", path, &error),
    };
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    let mut file = opened.or_else(|error| cannot("write", path, &error))?;
    // A line that an interruption cut off is taken away, so that the next one starts a line.
    let cut = file.set_len(whole as u64).and_then(|()| io::Seek::seek(&mut file, io::SeekFrom::End(0)));
    cut.or_else(|error| cannot("write", path, &error))?;
    if whole == 0 {
        let first = file.write_all(search.first_line().as_bytes());
        first.or_else(|error| cannot("write", path, &error))?;
        return Ok(file);
    }
    let kept = Searching::read(&text[..whole]);
    *search = kept.or_else(|error| Stop::failed(format!("{}: {error}", path.display())))?;
    if search.plan() != plan {
        let message = "holds another search; give the same size and options, or another file";
        return Stop::failed(format!("{} {message}", path.display()));
    }
    Ok(file)
}

fn cannot<T>(what: &str, path: &Path, error: &io::Error) -> Result<T> {
    Stop::failed(format!("cannot {what} {}: {error}", path.display()))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Shares done, programs a second, and how long the rest may take; on a terminal only.
struct Bar {
    start: Instant,
    programs: u64,
    bar: Option<ProgressBar>,
}

impl Bar {
    fn new(search: &Searching) -> Bar {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:40} {pos} of {len} shares  {msg}  {eta} left");
            let bar = ProgressBar::new(search.shares() as u64);
            bar.set_position(search.done() as u64);
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Bar { start: Instant::now(), programs: 0, bar }
    }

    fn step(&mut self, programs: u64) {
        self.programs += programs;
        if let Some(bar) = &self.bar {
            bar.inc(1);
            let rate = self.programs as f64 / self.start.elapsed().as_secs_f64().max(1e-3) / 1e6;
            bar.set_message(format!("{rate:.1} M programs/s"));
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
