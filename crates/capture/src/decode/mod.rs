//! From words to steps: the [`FlowStep`]s of one thread.
//!
//! ```text
//! ThreadWords ---- chunk ----> Flow ---- word, and the method that owns it ----> blocks.rs, paths.rs
//!                               |                                                   | |
//!                               |      Frames: the open frames of the thread  <-----+ |
//!                               +----- Queue: steps that are ready  <-----------------+
//! ```
//!
//! Each method says how its words are to be read ([`Encoding`]); a module of this folder reads one
//! encoding. It is given the word, may change the open frames, and puts steps into the queue. An
//! encoding that counts the iterations of a loop puts its blocks once, with the count. Methods of different
//! encodings call each other: where paths are recorded, a method that they would make too long tells of
//! its blocks. A record of either is thus looked at with all frames in sight.
//!
//! A word that fits no frame is never an error: frames end unseen or begin unseen until it fits.

mod blocks;
#[cfg(test)]
mod by_hand;
mod frames;
#[cfg(test)]
mod losses;
mod lost;
mod marks;
mod paths;
mod queue;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use model::flow::{Entered, Left};
use model::flow_source::Anomalies;
use model::{FlowStep, Lost, MethodId, Timestamp};

use super::contents::{Capture, Thread};
use super::methods::Methods;
use super::paths::{FOLLOWING, Paths};
use super::records::Encoding;
use super::thread_words::{Piece, ThreadWords};

use frames::{Frame, Frames};
use lost::Filling;
pub(crate) use lost::Learned;
pub use lost::{Deduced, Filled, MOST as MOST_LOST, Untold};
use marks::Marks;
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
    marks: Marks,
    state: State,
    /// Deduces what was lost, where that is wanted.
    filling: Option<Box<Filling>>,
}

/// What the encodings work on.
struct State {
    methods: Rc<Methods>,
    frames: Frames,
    queue: Queue,
    anomalies: Anomalies,
    /// What the words of those methods stand for that tell of paths.
    paths: Paths,
    /// Whether there are such methods.
    tells_of_paths: bool,
    /// Iterations that the next record has besides those that it tells.
    many: Option<paths::Many>,
    /// Frames that ended without the record that they should have left.
    silent_ends: u64,
}

impl std::fmt::Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Flow").field("anomalies", &self.state.anomalies).finish_non_exhaustive()
    }
}

impl Capture {
    /// The steps of a thread of this capture, from its first. They may outlive the capture.
    pub fn flow(&self, thread: &Thread) -> Flow {
        // Where paths are recorded, even a method that tells of its blocks says where its caller is.
        let of_paths = self.header.as_ref().is_some_and(|header| header.encoding == Encoding::Paths);
        let state = State {
            methods: Rc::clone(&self.methods),
            frames: Frames::default(),
            queue: Queue::default(),
            anomalies: Anomalies::default(),
            paths: Paths::new(Rc::clone(&self.methods)),
            tells_of_paths: self.methods.tell_of_paths() || of_paths,
            many: None,
            silent_ends: 0,
        };
        let (words, marks) = (ThreadWords::new(self, thread), Marks::of(self, thread));
        Flow { words, at: 0, taken: 0, ended: false, marks, state, filling: None }
    }

    /// The same with what was lost told where it can be deduced, see [`FlowStep::Inferred`].
    pub fn flow_with_lost(&self, thread: &Thread) -> Flow {
        let mut flow = self.flow(thread);
        if thread.lost() > 0 || flow.words.has_damage() {
            let filling = Filling::new(&self.learned(), &self.methods, flow.state.tells_of_paths);
            flow.filling = Some(Box::new(filling));
        }
        flow
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

    /// What was lost up to now, gap by gap, and what is told of it; empty unless that was asked for.
    pub fn filled(&self) -> &[Filled] {
        self.filling.as_ref().map_or(&[], |filling| &filling.filled)
    }

    /// Words that were taken, of all that the thread has: how far it has come.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// What did not fit up to now.
    pub fn anomalies(&self) -> Anomalies {
        Anomalies { damaged_records: self.words.damaged, ..self.state.anomalies }
    }

    /// Makes steps ready until there are some, or the thread ends.
    fn fill(&mut self) {
        self.state.queue.clear();
        while self.state.queue.is_empty() {
            if self.at < self.words.words.len() {
                let chunk = self.words.chunk();
                while let Some(mark) = self.marks.next_at((chunk, self.at)) {
                    self.state.queue.mark(mark);
                }
                let most = self.marks.words_before(chunk).map_or(usize::MAX, |words| words - self.at);
                let taken = self.state.words(&self.words.words[self.at..], most);
                self.at += taken;
                self.taken += taken as u64;
                continue;
            }
            self.at = 0;
            if let Some(filling) = &mut self.filling {
                filling.read(&self.words.words);
            }
            match self.words.next() {
                Some(Piece::Words) => {}
                Some(Piece::Moment(time)) => {
                    self.words.words.clear();
                    self.state.queue.moment(Timestamp(time));
                }
                Some(Piece::Gap(lost)) => {
                    self.words.words.clear();
                    match &mut self.filling {
                        Some(filling) => filling.gap(lost, &self.words, &mut self.state),
                        None => self.state.gap(lost),
                    }
                }
                None if self.ended => return,
                None => {
                    self.words.words.clear();
                    self.ended = true;
                    while let Some(mark) = self.marks.next_at((u32::MAX, usize::MAX)) {
                        self.state.queue.mark(mark);
                    }
                    self.state.finish();
                }
            }
        }
    }
}

impl State {
    /// Takes words until enough steps are ready or `most` are taken, and says how many it took. A record that begins
    /// before the last of them is taken whole.
    fn words(&mut self, words: &[u32], most: usize) -> usize {
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
        let following = if self.tells_of_paths { (words[at] >> FOLLOWING) as usize } else { 0 };
        words.len().min(most.max(at + 1 + following))
    }

    /// Takes at least one word.
    #[inline]
    fn run(&mut self, methods: &Methods, words: &[u32]) -> usize {
        let word = words[0];
        let owner = match self.frames.top() {
            Some(top) if word.wrapping_sub(top.first) < top.owned => Some(top.method),
            _ if self.tells_of_paths => match self.record(methods, words) {
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
    fn gap(&mut self, lost: Lost) {
        self.frames.forget_places();
        self.many = None;
        self.queue.gap(lost);
    }

    /// Opens a frame. Where the thread is too deep, all others end first: nobody can tell which did.
    #[inline]
    fn open(&mut self, frame: Frame, method: MethodId, how: Entered) {
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
    fn leave(&mut self, how: Left) {
        if matches!(how, Left::Threw | Left::Open) {
            self.begin_stretch();
        }
        let mut was_awaited = self.frames.pop() && how == Left::Returned;
        self.queue.leave(how);
        while was_awaited && self.go_on() {
            was_awaited = self.frames.pop();
            self.queue.leave(Left::Returned);
        }
    }

    /// The frames above the nearest one that `fits` end; see [`Frames::above`]. Without one nothing
    /// changes. Says whether there was one.
    fn close_down_to(&mut self, fits: impl Fn(&Frame, bool) -> bool) -> bool {
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
    fn may_end_silently(&mut self) -> bool {
        let Some(&frame) = self.frames.top() else { return false };
        // Where a stretch has begun and tells nothing yet, its first block may have thrown.
        let begun = if frame.start > 0 && frame.told == 0 { self.paths.find(frame.start) } else { None };
        let begun = begun.and_then(|path| self.paths.blocks(path).first().copied());
        let last = if frame.last == frames::BEFORE { 0 } else { frame.last };
        self.methods.get(frame.method).is_uncovered(begun.unwrap_or(last))
    }

    /// The recording or the thread is over. What was lost before may be the end of a frame.
    fn finish(&mut self) {
        while !self.frames.is_empty() {
            self.leave(if self.frames.is_forgotten() { Left::Unseen } else { Left::Open });
        }
    }
}
