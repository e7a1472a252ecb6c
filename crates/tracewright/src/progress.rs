//! The progress bar: on a terminal, and nowhere else.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use model::EventSource;

/// Items between two looks at the source: often enough for the eye, seldom enough to cost nothing.
const EVERY: u32 = 1 << 14;

/// Shows how far a source has been read.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    countdown: u32,
}

impl Progress {
    /// A bar for reading, if standard error is a terminal. `to_terminal`: the command prints lines
    /// to standard output as it reads; if that is a terminal too, a bar would tear them apart.
    pub(crate) fn new(prints_on_the_way: bool) -> Progress {
        let wanted =
            std::io::stderr().is_terminal() && !(prints_on_the_way && std::io::stdout().is_terminal());
        let bar = wanted.then(|| {
            let style =
                ProgressStyle::with_template("{bar:40} {percent:>3} %  {bytes} of {total_bytes}  {eta} left");
            ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Progress { bar, countdown: EVERY }
    }

    /// One item more was read.
    #[inline]
    pub(crate) fn step(&mut self, source: &dyn EventSource) {
        self.countdown -= 1;
        if self.countdown == 0 {
            self.countdown = EVERY;
            if let Some(bar) = &self.bar {
                let (read, total) = source.progress();
                bar.set_length(total.max(read));
                bar.set_position(read);
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
