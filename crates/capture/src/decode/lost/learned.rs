//! What a capture teaches about the records that it lost: what came after what, and what called whom.

use std::rc::Rc;

use super::super::frames::{ANYWHERE, BEFORE};
use super::frequencies::{Context, Frequencies};
use super::lattice::place;
use super::may_run::MayRun;
use super::record::{self, Record};
use super::trial::Trial;
use crate::contents::Capture;
use crate::thread_words::{Piece, ThreadWords};
use crate::{Encoding, paths};
use model::Lost;
use model::flow::Entered;

/// So many records of all threads are looked at.
const RECORDS: u64 = 4_000_000;

/// See the module's head.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    pub(super) frequencies: Frequencies,
    pub(super) may_run: MayRun,
}

impl Learned {
    /// Reads the capture, at most the beginning of each thread where it is long.
    pub(crate) fn of(capture: &Capture) -> Learned {
        let mut may_run = MayRun::of(&capture.code, &capture.methods);
        let is_filter = |(key, _): &(String, String)| key == "include" || key == "exclude";
        let is_filtered = capture.header.as_ref().is_some_and(|header| header.about.iter().any(is_filter));
        // Initialisers of classes that were left alone may call recorded code from where nothing shows it.
        may_run.runs_anywhere |= is_filtered || !capture.skipped.is_empty();
        let mut learned = Learned { may_run, ..Learned::default() };
        let of_paths = capture.header.as_ref().is_some_and(|header| header.encoding == Encoding::Paths);
        let tells_of_paths = of_paths || capture.methods.tell_of_paths();
        let each = RECORDS / capture.threads.len().max(1) as u64;
        for thread in &capture.threads {
            let mut trial = Trial::new(&capture.methods, tells_of_paths);
            let (mut words, mut left, mut preceding) =
                (ThreadWords::new(capture, thread), each, Context::default());
            while let Some(piece) = words.next() {
                match piece {
                    Piece::Gap(_) => {
                        trial.state.gap(Lost::Unknown);
                        preceding = Context::default();
                    }
                    Piece::Words => {
                        let mut at = 0;
                        loop {
                            let rest = words.words.get(at..).unwrap_or_default();
                            let length = record::length(rest, tells_of_paths);
                            if length == 0 || left == 0 {
                                break;
                            }
                            let record = Record::of(&rest[..length]);
                            learned.see(&mut trial, preceding, record);
                            preceding = preceding.then(record);
                            (at, left) = (at + length, left - 1);
                        }
                    }
                    Piece::Moment(_) => {}
                }
                if left == 0 {
                    break;
                }
            }
        }
        learned
    }

    fn see(&mut self, trial: &mut Trial, preceding: Context, record: Record) {
        let frames = &trial.state.frames;
        self.frequencies.count(&preceding, place(frames), record);
        let above = frames
            .nth(0)
            .map(|(frame, is_forgotten)| (frame.method, if is_forgotten { ANYWHERE } else { frame.last }));
        if let [first, more @ ..] = record.words()
            && let Some(iterations) = more.last()
            && trial.state.tells_of_paths
        {
            let code = first & paths::CODE;
            let counts = trial.state.paths.find(code).is_some_and(|path| path.counted);
            if counts {
                self.may_run.note_iterations(code, *iterations);
            } else if more.len() == 3
                && let Some(r) = more.first()
            {
                self.may_run.note_iterations(*r, *iterations);
            }
        }
        let did = trial.take(&record);
        trial.state.frames.earn(1);
        self.may_run.ends_silently |= did.ended_silently && above.is_some_and(|(_, block)| block != ANYWHERE);
        for (callee, how) in did.entered {
            // The record may have told first how far the caller is, which is now below the new frame.
            let site =
                trial.state.frames.nth(did.open).map(|(frame, _)| (frame.method, frame.last)).or(above);
            let site = site.filter(|(_, block)| *block != ANYWHERE && *block != BEFORE);
            match how {
                Entered::Library if site.is_some() => self.may_run.saw(site, callee, true),
                Entered::Outermost => self.may_run.saw(None, callee, false),
                _ => self.may_run.saw(site.or(Some((u32::MAX, 0))), callee, false),
            }
        }
    }
}

impl Capture {
    /// What this capture teaches, worked out when it is first asked for.
    pub(crate) fn learned(&self) -> Rc<Learned> {
        Rc::clone(self.learned.get_or_init(|| Rc::new(Learned::of(self))))
    }
}
