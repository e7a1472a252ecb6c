//! The state of a decoder: which frames are open and where they stand, and the steps that are ready.
//!
//! The encodings add to it what their words stand for: `blocks.rs`, `paths.rs`, `by_hand.rs`.

use std::rc::Rc;

use model::flow::{Entered, Left};
use model::flow_source::Anomalies;
use model::{Lost, MethodId};

use super::coming::One;
use super::frames::{self, Frame, Frames};
use super::paths::Many;
use super::queue::Queue;
use crate::methods::Methods;
use crate::paths::{FOLLOWING, Paths};

/// How many steps are made ready at once: enough to stay in one loop, few enough for the cache.
pub(super) const BATCH: usize = 2_048;

/// What the encodings work on.
pub(super) struct State {
    pub(super) methods: Rc<Methods>,
    pub(super) frames: Frames,
    pub(super) queue: Queue,
    pub(super) anomalies: Anomalies,
    /// What the words of those methods stand for that record paths.
    pub(super) paths: Paths,
    /// Whether there are such methods.
    pub(super) records_paths: bool,
    /// Iterations that the next record has besides those that it states.
    pub(super) many: Option<Many>,
    /// Frames that ended without the record that they should have left.
    pub(super) silent_ends: u64,
}

impl State {
    /// Takes words until enough steps are ready or `most` are taken, and returns how many it took. A record that begins
    /// before the last of them is taken whole.
    pub(super) fn words(&mut self, words: &[u32], most: usize) -> usize {
        let (mut at, methods) = (0, Rc::clone(&self.methods));
        let most = most.min(words.len());
        while at < most && self.queue.len() < BATCH {
            at += self.run(&methods, &words[at..self.readable(words, at, most)]);
        }
        at
    }

    /// How far may be read from `at`: to `most`, but to the end of the record that begins there.
    #[inline]
    fn readable(&self, words: &[u32], at: usize, most: usize) -> usize {
        if most == words.len() {
            return most;
        }
        let following = if self.records_paths { (words[at] >> FOLLOWING) as usize } else { 0 };
        words.len().min(most.max(at + 1 + following))
    }

    /// Takes what the recorder writes besides the words.
    pub(super) fn note(&mut self, one: One) {
        if let One::Task(_, Some(at)) = one
            && self.records_paths
        {
            // Whoever handed it over may have left no record yet.
            self.caller_is_at(at);
        }
        match one {
            One::Values(index) => self.queue.values(index),
            One::Task(step, _) => self.queue.task(step),
        }
    }

    /// Takes at least one word.
    #[inline]
    pub(super) fn run(&mut self, methods: &Methods, words: &[u32]) -> usize {
        let word = words[0];
        let owner = match self.frames.top() {
            Some(top) if word.wrapping_sub(top.first) < top.owned => Some(top.method),
            _ if self.records_paths => match self.record(methods, words) {
                Ok(taken) => return taken,
                Err(unknown) => {
                    self.anomalies.unknown_records += unknown as u64;
                    self.gap(Lost::Unknown);
                    return unknown;
                }
            },
            _ => methods.owner(word),
        };
        let Some(owner) = owner else {
            self.anomalies.unknown_records += 1;
            self.gap(Lost::Unknown);
            return 1;
        };
        self.blocks(methods, owner, words)
    }

    /// Something is missing: from here on nobody knows where the open frames stand.
    pub(super) fn gap(&mut self, lost: Lost) {
        self.frames.forget_positions();
        self.many = None;
        self.queue.gap(lost);
    }

    /// Opens a frame. Where the thread is too deep, all others end first: it is not known which did.
    #[inline]
    pub(super) fn open(&mut self, frame: Frame, method: MethodId, how: Entered) {
        if self.frames.is_full() {
            while !self.frames.is_empty() {
                self.leave(Left::Unseen);
            }
        }
        self.frames.push(frame);
        self.queue.enter(method, how);
    }

    /// The innermost frame is left. One that waited for that goes on, as far as only one thing can come.
    #[inline]
    pub(super) fn leave(&mut self, how: Left) {
        if matches!(how, Left::Threw | Left::Open) {
            self.begin_segment();
        }
        let mut was_awaited = self.frames.pop() && how == Left::Returned;
        self.queue.leave(how);
        while was_awaited && self.go_on() {
            was_awaited = self.frames.pop();
            self.queue.leave(Left::Returned);
        }
    }

    /// The frames above the nearest one that `fits` end; see [`Frames::above`]. Without one nothing
    /// changes. Returns whether there was one.
    pub(super) fn close_down_to(&mut self, fits: impl Fn(&Frame, bool) -> bool) -> bool {
        let Some(above) = self.frames.above(fits) else { return false };
        for _ in 0..above {
            // Returning leaves a word. Where nothing was lost, a frame that ended without one was left
            // by an exception that could not be noted: in a constructor before `super()`, or because
            // the stack was too full for the handler.
            let threw = !self.frames.is_forgotten();
            self.anomalies.unseen_ends += u64::from(!threw);
            self.silent_ends += u64::from(threw && !self.may_end_silently());
            self.leave(if threw { Left::Threw } else { Left::Unseen });
        }
        true
    }

    /// Whether the innermost frame may be left by an exception without a record of it.
    pub(super) fn may_end_silently(&mut self) -> bool {
        let Some(&frame) = self.frames.top() else { return false };
        // Where a segment has begun and has no record yet, its first block may have thrown.
        let begun = if frame.start > 0 && frame.emitted == 0 { self.paths.find(frame.start) } else { None };
        let begun = begun.and_then(|path| self.paths.blocks(path).first().copied());
        let last = if frame.last == frames::BEFORE { 0 } else { frame.last };
        self.methods.get(frame.method).is_uncovered(begun.unwrap_or(last))
    }

    /// The recording or the thread is over. What was lost before may be the end of a frame.
    pub(super) fn finish(&mut self) {
        while !self.frames.is_empty() {
            self.leave(if self.frames.is_forgotten() { Left::Unseen } else { Left::Open });
        }
    }
}
