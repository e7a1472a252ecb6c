//! What a thread ran while records were lost: deduced from what it had open before, what it ran after, and how many
//! words are missing.
//!
//! ```text
//!   frames before ──── n words are missing ──── records after
//!        │                                           │
//!   next.rs   what may come, by the code             │ the decoder refuses what they do not fit
//!        └──► lattice.rs   all that fits  ◄──────────┘
//!                  ├── one way, nothing left out: the only way
//!                  └── more: ranked.rs, by how often what came after what elsewhere   frequencies.rs
//! ```
//!
//! What was found is put where it was lost, and the decoder makes steps of it as of all other records.
//!
//! **The only way** is reported if no other records, with as many words, fit. That covers each branch, exceptions
//! from every block, what overrides a method anywhere in the capture, initialisers of classes that were not seen to
//! run, and code that is not recorded and may call what it likes: where a path passes such a call with
//! words left for it, nothing is certain. It rests on two things: that the count of lost words is right, and that no
//! frame ended for want of stack without its record while records were lost. Where one was seen to end so in this
//! thread, nothing is certain in it.

mod filling;
mod frequencies;
mod lattice;
pub(crate) mod learned;
mod learning;
mod may_run;
mod next;
mod ranked;
mod record;
#[cfg(test)]
mod tests;
mod trial;

use std::collections::BTreeSet;
use std::rc::Rc;

use model::Certainty;
use model::flow::Entered;

use super::frames::Frames;
use crate::Encoding;
use crate::methods::Methods;
use crate::paths::{CODE, PathEnd};
pub use filling::Filled;
pub(super) use filling::Filling;
use frequencies::Context;
use lattice::Lattice;
use learned::Learned;
use next::{Lister, Next};
use record::Record;
use trial::Trial;

/// More lost words than this are not looked for.
pub const MOST: u64 = 32;

/// So many frames are looked at.
const DEPTH: usize = 64;

/// So many records after a gap are held against what may have been lost.
const AFTER: usize = 300;

/// So many of them are weighed.
const WEIGHED: usize = 8;

/// What was lost, as far as it can be deduced.
#[derive(Debug, Clone, PartialEq)]
pub struct Deduced {
    /// The words.
    pub words: Vec<u32>,
    /// How sure that is.
    pub certainty: Certainty,
}

/// Why nothing can be deduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotDeduced {
    /// The count of lost words is not known.
    NotCounted,
    /// They are too many.
    TooMany,
    /// What was open before is not known, or nothing is read after.
    NoBorder,
    /// Nothing fits: something happened that is not foreseen.
    NothingFits,
}

/// Deduces what was lost in one thread.
pub(super) struct Deducer {
    learned: Rc<Learned>,
    trial: Trial,
    /// The last records that were read.
    preceding: Context,
}

impl Deducer {
    pub(super) fn new(learned: &Rc<Learned>, methods: &Rc<Methods>, records_paths: bool) -> Deducer {
        let trial = Trial::new(methods, records_paths);
        Deducer { learned: Rc::clone(learned), trial, preceding: Context::default() }
    }

    /// Something was lost and is not known.
    pub(super) fn forget(&mut self) {
        self.preceding = Context::default();
    }

    /// These words were read.
    pub(super) fn read(&mut self, words: &[u32]) {
        // The last few records: where the words begin is where a record does.
        let mut at = 0;
        let mut last = std::collections::VecDeque::new();
        while let Some(record) = self.record_at(words, at) {
            at += record.words().len();
            last.push_back(record);
            if last.len() > 8 {
                last.pop_front();
            }
        }
        self.preceding = last.into_iter().fold(self.preceding, Context::then);
    }

    fn record_at(&self, words: &[u32], at: usize) -> Option<Record> {
        let rest = words.get(at..)?;
        let length = record::length(rest, self.trial.state.records_paths);
        (length > 0).then(|| Record::of(&rest[..length]))
    }

    /// What was lost between these frames and these words, `lost` of them.
    pub(super) fn deduce(
        &mut self,
        frames: &Frames,
        lost: u64,
        words: &[u32],
    ) -> Result<Deduced, NotDeduced> {
        if lost > MOST || lost == 0 {
            return Err(NotDeduced::TooMany);
        }
        let lost = lost as usize;
        let (mut after, mut at) = (vec![], 0);
        while let Some(record) = self.record_at(words, at).filter(|_| after.len() < AFTER) {
            at += record.words().len();
            after.push(record);
        }
        if after.is_empty() || frames.nth(0).is_some_and(|(_, is_forgotten)| is_forgotten) {
            return Err(NotDeduced::NoBorder);
        }
        let (suspects, is_anchored) = self.suspects(&after);
        let begin = frames.innermost(DEPTH);
        let is_cut = begin.len() < frames.len();
        let records_paths = self.trial.state.records_paths;
        let learned = Rc::clone(&self.learned);
        let trial = std::cell::RefCell::new(&mut self.trial);
        let next = |frames: &Frames| {
            let state = &mut trial.borrow_mut().state;
            let methods = Rc::clone(&state.methods);
            let next = Next::default();
            let lister = Lister {
                methods: &methods,
                may_run: &learned.may_run,
                paths: &mut state.paths,
                suspects: &suspects,
                records_paths,
                next,
            };
            lister.list(frames)
        };
        let take = |frames: &Frames, record: &Record| trial.borrow_mut().accepts(frames, record);
        let is_doubted = std::cell::Cell::new(false);
        let fits = |frames: &Frames| fits(&mut trial.borrow_mut(), frames, &after, is_cut, &is_doubted);
        let mut lattice = Lattice::of(begin.clone(), lost, true, next, take, fits);
        if lattice.is_incomplete {
            // Then what came elsewhere at least.
            let seen = |frames: &Frames| {
                let mut next = next(frames);
                next.records.retain(|(record, _)| learned.frequencies.has(*record));
                next
            };
            lattice = Lattice::of(begin, lost, false, seen, take, fits);
            lattice.is_incomplete = true;
        }
        if lattice.nodes.first().is_none_or(|node| node.branches == 0) {
            return Err(NotDeduced::NothingFits);
        }
        let weighed = |node: usize| {
            let trial = &mut trial.borrow_mut();
            let mut frames = lattice.nodes.get(node).map_or(Frames::default(), |node| node.frames.clone());
            let mut out = vec![];
            for record in after.iter().take(WEIGHED) {
                out.push((*record, lattice::node(&frames), 4));
                let Some(on) = trial.accepts(&frames, record) else { break };
                frames = on;
            }
            out
        };
        let ranked = ranked::ranked(&lattice, &learned.frequencies, self.preceding, lost, weighed);
        let Some(best) = ranked.first() else { return Err(NotDeduced::NothingFits) };
        // Code that is not recorded may have called others for a while, and these are gone again.
        let may_be_gone = || {
            let short = lattice.nodes.iter().filter(|node| node.words < lost && node.passes_open);
            short.into_iter().any(|node| fits(&node.frames))
        };
        // Or they are still there: then what was seen of them fits a frame that began a few words before.
        let may_be_there = || {
            // What begins now may have been called by one of them that will end without a record.
            let silent = after.first().is_none_or(|first| begins(&mut trial.borrow_mut(), first));
            match lattice.open_for {
                0 => false,
                1 => silent || !is_anchored,
                most => {
                    silent || !is_anchored || {
                        let unknown = Lattice::of(Frames::default(), most - 1, true, next, take, |_| true);
                        let mut begun = unknown.nodes.iter().filter(|node| node.words > 0);
                        unknown.is_incomplete
                            || begun
                                .any(|node| fits_above_unknown(&mut trial.borrow_mut(), &node.frames, &after))
                    }
                }
            }
        };
        let is_only = lattice.nodes[0].branches == 1
            && !lattice.is_incomplete
            && !lattice.stands_for_others()
            && !lattice.nodes.iter().any(|node| node.words < lost && node.frames.is_doubted())
            && !is_doubted.get()
            && !learned.may_run.ends_silently
            && !may_be_gone()
            && !may_be_there();
        let certainty = if is_only {
            Certainty::OnlyWay
        } else {
            Certainty::Likely { probability: best.share.min(0.999) }
        };
        let words = best.records.iter().flat_map(|record| record.words()).copied().collect();
        Ok(Deduced { words, certainty })
    }

    /// The methods of frames that are seen after the gap and were not seen to begin there, or began with nothing
    /// around them that is known; and whether there are some of the first kind.
    fn suspects(&mut self, after: &[Record]) -> (BTreeSet<u32>, bool) {
        self.trial.state.frames = Frames::default();
        let (mut suspects, mut is_anchored) = (BTreeSet::new(), false);
        for record in after {
            let did = self.trial.take(record);
            let outermost = did.entered.iter().filter(|(_, how)| *how == Entered::Outermost);
            suspects
                .extend(did.unseen.iter().chain(outermost.map(|(method, _)| method)).map(|method| method.0));
            is_anchored |= did.unseen.is_some();
        }
        (suspects, is_anchored)
    }
}

/// Whether what was read after the gap fits these frames.
/// `is_doubted` is set where that rests on frames which may be others.
fn fits(
    trial: &mut Trial,
    frames: &Frames,
    after: &[Record],
    is_cut: bool,
    is_doubted: &std::cell::Cell<bool>,
) -> bool {
    trial.state.frames.clone_from(frames);
    for record in after {
        let (was, doubted) = (trial.state.frames.len(), trial.state.frames.is_doubted());
        let did = trial.take(record);
        if did.is_nonsense || did.ended_silently || did.unseen.is_some() {
            is_doubted.set(is_doubted.get() || doubted || trial.state.frames.is_doubted());
            // Of frames further down, which were left out, nothing is known.
            return is_cut && was <= 1;
        }
        trial.state.frames.forget_credit();
    }
    true
}

/// Whether what was read after the gap fits these frames, below which others may be open that are not known.
fn fits_above_unknown(trial: &mut Trial, frames: &Frames, after: &[Record]) -> bool {
    trial.state.frames.clone_from(frames);
    for record in after {
        let is_over = match trial.state.frames.len() {
            0 => true,
            1 => trial.state.may_end_silently(),
            _ => false,
        };
        let did = trial.take(record);
        if did.unseen.is_some() {
            return is_over;
        }
        if did.is_nonsense || did.ended_silently {
            return false;
        }
        trial.state.frames.forget_credit();
    }
    true
}

/// Whether a record begins a frame, or that is not known.
fn begins(trial: &mut Trial, record: &Record) -> bool {
    let &[first, ref more @ ..] = record.words() else { return true };
    let methods = Rc::clone(&trial.state.methods);
    let code = first & CODE;
    let Some(owner) = methods.owner(code) else { return true };
    let about = methods.get(owner);
    if about.encoding != Encoding::Paths {
        return code == about.first;
    }
    let paths = &mut trial.state.paths;
    match (paths.find(code), more.first()) {
        (Some(path), Some(came)) if matches!(path.end, PathEnd::Caught(_) | PathEnd::Unwound) => {
            paths.find(*came).is_none_or(|path| path.fresh)
        }
        (Some(path), _) => path.fresh,
        (None, _) => true,
    }
}
