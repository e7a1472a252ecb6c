//! Reading a capture for what it teaches about the records that it lost.

use std::rc::Rc;

use model::Lost;

use super::frequencies::Context;
use super::learned::Learned;
use super::may_run::MayRun;
use super::record::{self, Record};
use super::trial::Trial;
use crate::Encoding;
use crate::contents::Capture;
use crate::thread_words::{Part, ThreadWords};

/// So many records of all threads are looked at.
const RECORDS: u64 = 4_000_000;

/// Reads the capture, at most the beginning of each thread where it is long.
fn learn(capture: &Capture) -> Learned {
    let throttled = capture.throttled.iter().map(|throttled| throttled.method).collect();
    let mut may_run = MayRun::of(&capture.code, &capture.methods, &throttled);
    let is_filter = |(key, _): &(String, String)| key == "include" || key == "exclude";
    let is_filtered = capture.header.as_ref().is_some_and(|header| header.about.iter().any(is_filter));
    // Initialisers of classes that were left alone may call recorded code from where nothing shows it.
    may_run.runs_anywhere |= is_filtered || !capture.skipped.is_empty();
    let mut learned = Learned { may_run, ..Learned::default() };
    let of_paths = capture.header.as_ref().is_some_and(|header| header.encoding == Encoding::Paths);
    let records_paths = of_paths || capture.methods.record_paths();
    let each = RECORDS / capture.threads.len().max(1) as u64;
    for thread in &capture.threads {
        let mut trial = Trial::new(&capture.methods, records_paths);
        let (mut words, mut left, mut preceding) =
            (ThreadWords::new(capture, thread), each, Context::default());
        while let Some(part) = words.next() {
            match part {
                Part::Gap(_) => {
                    trial.state.gap(Lost::Unknown);
                    preceding = Context::default();
                }
                Part::Words => {
                    let mut at = 0;
                    loop {
                        let rest = words.words.get(at..).unwrap_or_default();
                        let length = record::length(rest, records_paths);
                        if length == 0 || left == 0 {
                            break;
                        }
                        let record = Record::of(&rest[..length]);
                        learned.see(&mut trial, preceding, record);
                        preceding = preceding.then(record);
                        (at, left) = (at + length, left - 1);
                    }
                }
                Part::Moment(_) => {}
            }
            if left == 0 {
                break;
            }
        }
    }
    learned
}

impl Capture {
    /// What this capture teaches, worked out when it is first asked for.
    pub(crate) fn learned(&self) -> Rc<Learned> {
        Rc::clone(self.learned.get_or_init(|| Rc::new(learn(self))))
    }
}
