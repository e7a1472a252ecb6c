//! From words to steps: the [`FlowStep`]s of one thread.
//!
//! ```text
//! ThreadWords ---- chunk ----> Flow ---- word, and the method that owns it ----> blocks.rs, ...
//!                               |                                                   | |
//!                               |      Frames: the open frames of the thread  <-----+ |
//!                               +----- Queue: steps that are ready  <-----------------+
//! ```
//!
//! Each method says how its words are to be read ([`Encoding`]); a module of this folder reads one
//! encoding. It is given the word, may change the open frames, and puts steps into the queue. An
//! encoding that counts the turns of a loop puts its blocks once, with the count.
//!
//! A word that fits no frame is never an error: frames end unseen or begin unseen until it fits.

mod blocks;
mod frames;
mod queue;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use model::{FlowStep, Lost, Timestamp};

use super::methods::Methods;
use super::open::{Capture, Thread};
use super::paths::{PathDecoder, Taken, Ways};
use super::records::Encoding;
use super::thread_words::{Piece, ThreadWords};

use frames::Frames;
use queue::Queue;

/// How many steps are made ready at once: enough to stay in one loop, few enough for the cache.
const BATCH: usize = 2_048;

/// The steps of one thread.
pub struct Flow {
    words: ThreadWords,
    /// The next of `words.words`.
    at: usize,
    taken: u64,
    ended: bool,
    state: State,
}

/// What the encodings work on.
struct State {
    methods: Rc<Methods>,
    frames: Frames,
    queue: Queue,
    doubts: Doubts,
    /// Where some methods' words tell of paths.
    paths: Option<PathDecoder>,
}

/// What did not fit, counted: in a sound capture without losses all of it is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Doubts {
    /// Words that belong to no method that is known.
    pub unknown_words: u64,
    /// Frames that ended without a word for it, those still open at the end left out.
    pub unseen_ends: u64,
    /// Frames that began without a word for it.
    pub unseen_beginnings: u64,
    /// Words in chunks that could not be read.
    pub damaged_words: u64,
}

impl std::fmt::Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Flow").field("doubts", &self.state.doubts).finish_non_exhaustive()
    }
}

impl Capture {
    /// The steps of a thread of this capture, from its first. They may outlive the capture.
    pub fn flow(&self, thread: &Thread) -> Flow {
        let state = State {
            methods: Rc::clone(&self.methods),
            frames: Frames::default(),
            queue: Queue::default(),
            doubts: Doubts::default(),
            paths: (self.methods.tell_of_paths())
                .then(|| PathDecoder::new(Ways::new(Rc::clone(&self.methods)))),
        };
        Flow { words: ThreadWords::new(self, thread), at: 0, taken: 0, ended: false, state }
    }
}

impl Flow {
    /// The next step; `None` at the end.
    #[inline]
    pub fn next_step(&mut self) -> Option<FlowStep<'_>> {
        if self.state.queue.is_empty() {
            self.fill();
        }
        self.state.queue.next()
    }

    /// Words that were taken, of all that the thread has: how far it has come.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// What did not fit up to now.
    pub fn doubts(&self) -> Doubts {
        Doubts { damaged_words: self.words.damaged, ..self.state.doubts }
    }

    /// Makes steps ready until there are some, or the thread ends.
    fn fill(&mut self) {
        self.state.queue.clear();
        while self.state.queue.is_empty() {
            if self.at < self.words.words.len() {
                let taken = self.state.words(&self.words.words[self.at..]);
                self.at += taken;
                self.taken += taken as u64;
                continue;
            }
            self.at = 0;
            match self.words.next() {
                Some(Piece::Words) => {}
                Some(Piece::Moment(time)) => {
                    self.words.words.clear();
                    self.state.queue.moment(Timestamp(time));
                }
                Some(Piece::Gap(lost)) => {
                    self.words.words.clear();
                    self.state.gap(lost);
                }
                None if self.ended => return,
                None => {
                    self.words.words.clear();
                    self.ended = true;
                    if let Some(paths) = &mut self.state.paths {
                        paths.finish(&mut |step| self.state.queue.put(step));
                    }
                    self.state.frames.finish(&mut self.state.queue);
                }
            }
        }
    }
}

impl State {
    /// Takes words until enough steps are ready, and says how many it took.
    fn words(&mut self, words: &[u32]) -> usize {
        let (mut at, methods) = (0, Rc::clone(&self.methods));
        while at < words.len() && self.queue.len() < BATCH {
            at += self.run(&methods, &words[at..]);
        }
        at
    }

    /// Takes at least one word.
    #[inline]
    fn run(&mut self, methods: &Methods, words: &[u32]) -> usize {
        let word = words[0];
        if let Some(paths) = &mut self.paths {
            let queue = &mut self.queue;
            match paths.record(words, &mut self.doubts, &mut |step| queue.put(step)) {
                Taken::Words(taken) => return taken,
                // Words of an earlier recording's methods, which had another encoding.
                Taken::Unknown(_)
                    if self.methods.owner(word).is_some_and(|owner| self.is_of_blocks(owner)) => {}
                Taken::Unknown(taken) => {
                    self.doubts.unknown_words += taken as u64;
                    self.gap(Lost::Unknown);
                    return taken;
                }
            }
        }
        let owner = match self.frames.top() {
            Some(top) if word.wrapping_sub(top.first) < top.owned => Some(top.method),
            _ => methods.owner(word),
        };
        let Some(owner) = owner else {
            self.doubts.unknown_words += 1;
            self.gap(Lost::Unknown);
            return 1;
        };
        match methods.get(owner).encoding {
            Encoding::Blocks | Encoding::Calls | Encoding::Paths => self.blocks(methods, owner, words),
        }
    }

    /// Something is missing: from here on nobody knows where the open frames stand.
    fn gap(&mut self, lost: Lost) {
        self.frames.forget_places();
        if let Some(paths) = &mut self.paths {
            paths.forget_places();
        }
        self.queue.gap(lost);
    }

    fn is_of_blocks(&self, owner: u32) -> bool {
        self.methods.get(owner).encoding != Encoding::Paths
    }
}
