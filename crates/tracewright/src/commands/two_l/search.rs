//! `tracewright 2l search`: all programs of a size, on all cores, in a file that can be gone on with.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use busybeaver::report::{estimate_json, estimate_text, totals_json, totals_text};
use busybeaver::search::{Mode, Plan, Search as Searching};
use indicatif::{ProgressBar, ProgressStyle};
use inference::evaluate::SplitMix;

use crate::atomic::{AtomicFile, Existing};
use crate::cli::two_l::Search;
use crate::exit::{Outcome, Result, Stop};
use crate::input;
use crate::numbers::grouped;
use crate::output::Output;

pub(crate) fn run(options: &Search) -> Result<Outcome> {
    let mode = if options.plain { Mode::Plain } else { Mode::Orchestrated };
    let (&max_steps, stages) = options.steps.split_first().unwrap_or((&0, &[]));
    if !options.steps.is_sorted_by(|one, next| one < next) {
        return Stop::failed("each number of --steps must be larger than the one before it");
    }
    let plan = Plan { width: options.width, height: options.height, mode, max_steps, check: options.check };
    let mut search = Searching::new(plan).or_else(|error| Stop::failed(error.to_string()))?;
    if let Some(probes) = options.estimate {
        return estimate(&search, probes, options);
    }
    let mut file = None;
    if let Some(path) = &options.file {
        file = Some(OutputFile { path, file: store_in(path, &mut search, plan)?, failed: None });
    }
    if let Some((first, last)) = options.shares {
        if !stages.is_empty() {
            return Stop::failed(
                "--shares takes one number of --steps; stages follow when the parts are merged",
            );
        }
        if !search.restrict_to(first..=last) {
            let last = search.shares().saturating_sub(1);
            return Stop::failed(format!("this search has the shares 0-{last}"));
        }
    }
    let mut proofs = None;
    if let Some(path) = &options.certificates {
        search.store_certificates();
        proofs = Some(OutputFile { path, file: Proofs::create(path)?, failed: None });
        // What was found before first.
        for line in search.known_certificates() {
            if !add(&mut proofs, || format!("{line}\n")) {
                break;
            }
        }
    }
    let threads = options.threads.map_or_else(super::cores, usize::from);
    let mut bar = Bar::new("shares", search.wanted().count(), search.done());
    search.run(threads, |share| {
        bar.step(share.totals.total());
        // The proofs first: a share that is in the file is not searched again.
        let lines = || share.certificates.iter().flatten().flat_map(|line| [line.as_str(), "\n"]).collect();
        keep(&mut proofs, lines) && keep(&mut file, || share.line())
    });
    bar.finish();
    for (index, &stage) in stages.iter().enumerate() {
        if has_failed(&file) || has_failed(&proofs) {
            break;
        }
        let before = stages.get(..index).unwrap_or_default();
        let stage = search.stage(before, stage);
        let mut bar = Bar::new(&format!("groups of stage {}", index + 2), stage.groups(), stage.done());
        search.run_stage(&stage, threads, |group| {
            bar.step(group.members as u64);
            keep(&mut file, || group.line())
        });
        bar.finish();
    }
    if let Some(file) = file {
        file.finish()?;
    }
    if let Some(proofs) = proofs
        && let Proofs::File(file) = proofs.finish()?
    {
        file.commit()?;
    }
    let totals = search.totals(stages);
    let text = match options.json {
        true => totals_json(&plan, &totals).to_string() + "\n",
        false => totals_text(&plan, &totals),
    };
    if options.certificates.as_deref() == Some(Path::new("-")) {
        eprint!("{text}");
        return Ok(Outcome::Complete);
    }
    let mut output = Output::default();
    output.buffer.extend_from_slice(text.as_bytes());
    output.flush()?;
    Ok(Outcome::Complete)
}

fn estimate(search: &Searching, probes: u64, options: &Search) -> Result<Outcome> {
    let threads = options.threads.map_or_else(super::cores, usize::from);
    let random = |seed| {
        let mut random = SplitMix(seed);
        move |end| random.below(end)
    };
    let estimate = search.estimate(probes, options.seed, threads, processor_time, random);
    let plan = search.plan();
    let text = match options.json {
        true => estimate_json(&plan, &estimate).to_string() + "\n",
        false => estimate_text(&plan, &estimate),
    };
    let mut output = Output::default();
    output.buffer.extend_from_slice(text.as_bytes());
    output.flush()?;
    Ok(Outcome::Complete)
}

/// The processor time of this thread.
fn processor_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).unwrap_or_default()
}

/// A file that lines are added to, and what went wrong with it.
struct OutputFile<'a, W> {
    path: &'a Path,
    file: W,
    failed: Option<io::Error>,
}

impl<W> OutputFile<'_, W> {
    fn finish(self) -> Result<W> {
        match self.failed {
            Some(error) => cannot("write", self.path, &error),
            None => Ok(self.file),
        }
    }
}

fn has_failed<W>(output: &Option<OutputFile<'_, W>>) -> bool {
    output.as_ref().is_some_and(|output| output.failed.is_some())
}

/// Writes what is to be kept, if there is a file for it. False if that failed: what was written
/// before stays, and the last line may be cut, which whoever reads it expects.
fn keep(output: &mut Option<OutputFile<'_, impl Write>>, text: impl FnOnce() -> String) -> bool {
    add(output, text) && flush(output)
}

fn add(output: &mut Option<OutputFile<'_, impl Write>>, text: impl FnOnce() -> String) -> bool {
    tried(output, |file| file.write_all(text().as_bytes()))
}

fn flush(output: &mut Option<OutputFile<'_, impl Write>>) -> bool {
    tried(output, Write::flush)
}

fn tried<W: Write>(
    output: &mut Option<OutputFile<'_, W>>,
    what: impl FnOnce(&mut W) -> io::Result<()>,
) -> bool {
    let Some(output) = output else { return true };
    match what(&mut output.file) {
        Ok(()) => true,
        Err(error) => {
            output.failed = Some(error);
            false
        }
    }
}

/// Where certificates go.
enum Proofs {
    Stdout(io::Stdout),
    /// It has its name only when the search has ended.
    File(AtomicFile),
}

impl Proofs {
    fn create(path: &Path) -> Result<Proofs> {
        match path == Path::new("-") {
            true => Ok(Proofs::Stdout(io::stdout())),
            false => Ok(Proofs::File(AtomicFile::create(path, Existing::Replace)?)),
        }
    }
}

impl Write for Proofs {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Proofs::Stdout(stdout) => stdout.write(bytes),
            Proofs::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Proofs::Stdout(stdout) => stdout.flush(),
            Proofs::File(file) => file.flush(),
        }
    }
}

/// The longest file of a search that is gone on with, in bytes; it is read whole.
pub(super) const LONGEST: u64 = 1 << 30;

/// Opens the file of a search: an empty or new one gets its first line, another is gone on with. Nothing is written
/// to a file that is none of a search.
fn store_in(path: &Path, search: &mut Searching, plan: Plan) -> Result<File> {
    let shown = path.display();
    // It is written to at its end, so neither a stream nor a compressed file will do.
    let text = match input::file(path).and_then(|_| input::whole_text(path, LONGEST)) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return cannot("read", path, &error),
    };
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let first = search.first_line();
    if whole == 0 && !first.starts_with(&text) {
        return Stop::failed(format!("{shown} holds no search; give another file"));
    }
    if whole > 0 {
        *search =
            Searching::read(&text[..whole]).or_else(|error| Stop::failed(format!("{shown}: {error}")))?;
        if search.plan() != plan {
            let message = "holds another search; give the same size and options, or another file";
            return Stop::failed(format!("{shown} {message}"));
        }
    }
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    let mut file = opened.or_else(|error| cannot("write", path, &error))?;
    // A line that an interruption cut off is taken away, so that the next one starts a line.
    let written = file.set_len(whole as u64).and_then(|()| {
        file.seek(SeekFrom::End(0))?;
        if whole == 0 { file.write_all(first.as_bytes()) } else { Ok(()) }
    });
    written.or_else(|error| cannot("write", path, &error))?;
    Ok(file)
}

pub(super) fn cannot<T>(what: &str, path: &Path, error: &io::Error) -> Result<T> {
    Stop::failed(format!("cannot {what} {}: {error}", path.display()))
}

/// Shares or groups done, programs a second, and how long the rest may take; on a terminal only.
struct Bar {
    start: Instant,
    programs: u64,
    bar: Option<ProgressBar>,
}

impl Bar {
    fn new(what: &str, all: usize, done: usize) -> Bar {
        let bar = std::io::stderr().is_terminal().then(|| {
            let template = "{bar:30} {pos} of {len} {prefix}  {msg}  {eta} left";
            let style = ProgressStyle::with_template(template);
            let bar = ProgressBar::new(all as u64).with_prefix(what.to_owned());
            bar.set_position(done as u64);
            // What was done before took no time now.
            bar.reset_eta();
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Bar { start: Instant::now(), programs: 0, bar }
    }

    fn step(&mut self, programs: u64) {
        self.programs += programs;
        if let Some(bar) = &self.bar {
            bar.inc(1);
            let rate = self.programs as f64 / self.start.elapsed().as_secs_f64().max(1e-3);
            bar.set_message(match rate {
                1e5.. => format!("{:.1} M programs/s", rate / 1e6),
                _ => format!("{} programs/s", grouped(rate as u64)),
            });
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
