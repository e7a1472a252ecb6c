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
//! encodings call each other: where paths are recorded, a method that they would make too long records
//! its blocks. A record of either is thus looked at with all frames in sight.
//!
//! A word that fits no frame is never an error: frames end unseen or begin unseen until it fits.

mod blocks;
#[cfg(test)]
mod by_hand;
mod clocks;
mod coming;
mod frames;
#[cfg(test)]
mod losses;
pub(crate) mod lost;
mod marks;
mod paths;
mod queue;
mod state;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use model::flow_source::Anomalies;
use model::{FlowStep, Lost, Timestamp};

use super::contents::{Capture, Thread};
use super::paths::Paths;
use super::records::Encoding;
use super::thread_words::{Part, ThreadWords};

use clocks::Clocks;
use coming::Coming;
use frames::Frames;
use lost::Filling;
pub use lost::{Deduced, Filled, MOST as MOST_LOST, NotDeduced};
use marks::Marks;
use queue::Queue;
use state::State;

/// The steps of one thread.
pub struct Flow {
    words: ThreadWords,
    /// The next of `words.words`.
    at: usize,
    taken: u64,
    ended: bool,
    marks: Marks,
    clocks: Clocks,
    coming: Coming,
    state: State,
    /// Deduces what was lost, where that is wanted.
    filling: Option<Box<Filling>>,
}

impl std::fmt::Debug for Flow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Flow").field("anomalies", &self.state.anomalies).finish_non_exhaustive()
    }
}

impl Capture {
    /// The steps of a thread of this capture, from its first. They may outlive the capture.
    pub fn flow(&self, thread: &Thread) -> Flow {
        // Where paths are recorded, even a method that records its blocks says where its caller is.
        let of_paths = self.header.as_ref().is_some_and(|header| header.encoding == Encoding::Paths);
        let state = State {
            methods: Rc::clone(&self.methods),
            frames: Frames::default(),
            queue: Queue::default(),
            anomalies: Anomalies::default(),
            paths: Paths::new(Rc::clone(&self.methods)),
            records_paths: self.methods.record_paths() || of_paths,
            many: None,
            silent_ends: 0,
        };
        let (words, marks) = (ThreadWords::new(self, thread), Marks::of(self, thread));
        let clocks = Clocks::of(&thread.ticks);
        let coming = Coming::of(&self.values, &self.tasks.recorded, thread.serial);
        Flow { words, at: 0, taken: 0, ended: false, marks, clocks, coming, state, filling: None }
    }

    /// The same from the chunk on that has the word with this number, or the last one. What comes before it is a gap, if
    /// there is anything; readings of clocks, marks, values and tasks of there are left out.
    pub fn flow_from(&self, thread: &Thread, word: u64) -> Flow {
        let mut flow = self.flow(thread);
        flow.taken = flow.words.skip_to(word);
        if flow.taken > 0 {
            let first = (flow.words.chunk(), 0);
            while flow.marks.next_at(first).is_some() {}
            while flow.clocks.next_at(first).is_some() {}
            while flow.coming.next_at(first).is_some() {}
            flow.state.gap(Lost::Unknown);
        }
        flow
    }

    /// The flow of a thread, with lost records where they can be deduced, see [`FlowStep::Inferred`].
    pub fn flow_with_lost(&self, thread: &Thread) -> Flow {
        let mut flow = self.flow(thread);
        if thread.lost() > 0 || flow.words.has_damage() {
            let filling = Filling::new(&self.learned(), &self.methods, flow.state.records_paths);
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

    /// What was lost up to now, gap by gap, and what was deduced; empty unless that was asked for.
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

    /// Makes the readings of clocks ready up to this position.
    fn read_clocks(&mut self, position: (u32, usize)) {
        while let Some(reading) = self.clocks.next_at(position) {
            self.state.queue.clock(reading);
        }
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
                self.read_clocks((chunk, self.at));
                while let Some(one) = self.coming.next_at((chunk, self.at)) {
                    self.state.note(one);
                }
                let Flow { marks, clocks, coming, .. } = self;
                let next =
                    [marks.words_before(chunk), clocks.words_before(chunk), coming.words_before(chunk)];
                let most = next.into_iter().flatten().min().map_or(usize::MAX, |words| words - self.at);
                let taken = self.state.words(&self.words.words[self.at..], most);
                self.at += taken;
                self.taken += taken as u64;
                continue;
            }
            if self.at > 0 {
                self.read_clocks((self.words.chunk(), self.at));
            }
            self.at = 0;
            if let Some(filling) = &mut self.filling {
                filling.read(&self.words.words);
            }
            match self.words.next() {
                Some(Part::Words) => {}
                Some(Part::Moment(time)) => {
                    self.words.words.clear();
                    self.state.queue.moment(Timestamp(time));
                }
                Some(Part::Gap(lost)) => {
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
                    while let Some(one) = self.coming.next_at((u32::MAX, usize::MAX)) {
                        self.state.note(one);
                    }
                    while let Some(mark) = self.marks.next_at((u32::MAX, usize::MAX)) {
                        self.state.queue.mark(mark);
                    }
                    self.read_clocks((u32::MAX, usize::MAX));
                    self.state.finish();
                }
            }
        }
    }
}
