//! The progress bar: on a terminal, and nowhere else.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use model::EventSource;

use crate::process;

/// Items between two looks at the source: often enough for the eye, seldom enough to cost nothing.
const EVERY: u32 = 1 << 14;

/// Work that is done sooner shows no bar: it would only flicker.
const PATIENCE: Duration = Duration::from_millis(300);

/// Shows how far a source has been read.
#[derive(Debug)]
pub(crate) struct Progress {
    start: Instant,
    is_wanted: bool,
    bar: Option<ProgressBar>,
    countdown: u32,
}

impl Progress {
    /// A bar for reading, if standard error is a terminal. `prints_on_the_way`: the command prints
    /// lines to standard output as it reads; if that is a terminal too, a bar would tear them apart.
    pub(crate) fn new(prints_on_the_way: bool) -> Progress {
        let is_wanted = process::is_ours()
            && std::io::stderr().is_terminal()
            && !(prints_on_the_way && std::io::stdout().is_terminal());
        Progress { start: Instant::now(), is_wanted, bar: None, countdown: EVERY }
    }

    /// One item more was read.
    #[inline]
    pub(crate) fn step(&mut self, source: &dyn EventSource) {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.countdown = EVERY;
            self.update(source);
        }
    }

    /// Many items more were read.
    pub(crate) fn update(&mut self, source: &dyn EventSource) {
        if self.is_wanted && self.start.elapsed() > PATIENCE {
            self.show(source);
        }
    }

    fn show(&mut self, source: &dyn EventSource) {
        let (read, total) = source.progress();
        // Standard input does not say how long it will be.
        let template = match total {
            0 => "{spinner} {bytes} read",
            _ => "{bar:40} {percent:>3} %  {bytes} of {total_bytes}  {eta} left",
        };
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template(template);
            ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        bar.set_position(read);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Shows how many cases are done. Any thread may step.
#[derive(Debug)]
pub(crate) struct CaseBar(ProgressBar);

impl CaseBar {
    /// A bar for `total` cases, if standard error is a terminal.
    pub(crate) fn new(total: u64) -> CaseBar {
        if !process::is_ours() || !std::io::stderr().is_terminal() {
            return CaseBar(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{bar:40} {pos} of {len} cases  {eta} left");
        CaseBar(ProgressBar::new(total).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
    }

    pub(crate) fn step(&self) {
        self.0.inc(1);
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
