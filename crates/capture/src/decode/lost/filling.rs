//! Puts what was deduced where it was lost.

use std::rc::Rc;

use model::{Certainty, Lost};

use super::super::state::State;
use super::{Deduced, Deducer, Learned, MOST, NotDeduced};
use crate::methods::Methods;
use crate::thread_words::{Part, ThreadWords};

/// What is less likely is not recorded.
const LEAST: f64 = 0.5;

/// Words after a gap that are examined, if there are as many.
const AFTER: usize = 800;

/// A gap, and what was deduced of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// How many words are missing.
    pub lost: Lost,
    /// What they were, or why that is not known.
    pub found: Result<Deduced, NotDeduced>,
}

impl Filled {
    /// Whether it is reported among the steps.
    pub fn is_reported(&self) -> bool {
        self.found.as_ref().is_ok_and(|deduced| match deduced.certainty {
            Certainty::OnlyWay => true,
            Certainty::Likely { probability } => probability >= LEAST,
            Certainty::Unknown => false,
        })
    }
}

/// Fills the gaps of one thread.
pub(in super::super) struct Filling {
    deducer: Deducer,
    pub(in super::super) filled: Vec<Filled>,
    /// Gaps that follow and were filled with the one before.
    done: usize,
}

impl Filling {
    pub(in super::super) fn new(
        learned: &Rc<Learned>,
        methods: &Rc<Methods>,
        records_paths: bool,
    ) -> Filling {
        Filling { deducer: Deducer::new(learned, methods, records_paths), filled: vec![], done: 0 }
    }

    /// These words were read.
    pub(in super::super) fn read(&mut self, words: &[u32]) {
        self.deducer.read(words);
    }

    /// So much is missing; `after` reads on from here.
    pub(in super::super) fn gap(&mut self, lost: Lost, after: &ThreadWords, state: &mut State) {
        if self.done > 0 {
            self.done -= 1;
            return;
        }
        let (mut all, mut words, mut gaps) = (lost, vec![], 0);
        let mut reader = after.clone();
        while words.len() < AFTER {
            match reader.next() {
                Some(Part::Gap(more)) if words.is_empty() => {
                    all = match (all, more) {
                        (Lost::Events(lost), Lost::Events(more)) => Lost::Events(lost.saturating_add(more)),
                        _ => Lost::Unknown,
                    };
                    gaps += 1;
                }
                Some(Part::Words) => words.extend_from_slice(&reader.words),
                Some(Part::Moment(_)) => {}
                Some(Part::Gap(_)) | None => break,
            }
        }
        let found = match all {
            Lost::Events(lost) if lost > MOST => Err(NotDeduced::TooMany),
            Lost::Events(lost) => self.deducer.deduce(&state.frames, lost, &words),
            Lost::Packets(_) | Lost::Unknown => Err(NotDeduced::NotCounted),
        };
        let filled = Filled { lost: all, found };
        match &filled.found {
            Ok(deduced) if filled.is_reported() => {
                self.done = gaps;
                self.report(deduced, state);
            }
            _ => {
                state.gap(lost);
                state.frames.mark_uncertain();
                self.deducer.forget();
                self.done = 0;
            }
        }
        self.filled.push(filled);
    }

    fn report(&mut self, deduced: &Deduced, state: &mut State) {
        state.queue.inferred(deduced.words.len() as u64, deduced.certainty);
        let (mut at, methods) = (0, Rc::clone(&state.methods));
        while let Some(rest) = deduced.words.get(at..).filter(|rest| !rest.is_empty()) {
            at += state.run(&methods, rest).max(1);
        }
        state.queue.observed();
        if deduced.certainty != Certainty::OnlyWay {
            state.frames.mark_uncertain();
        }
        self.deducer.read(&deduced.words);
    }
}
