//! One word for each block: [`crate::words`]. Where only calls are recorded, the words of
//! entries and ends are the same, and nobody knows where a frame stands.

use model::BlockId;
use model::flow::{Entered, Left};

use crate::Encoding;
use crate::methods::{Meaning, MethodWords, Methods, RETURNS, has, meaning};

use super::frames::{ANYWHERE, BEFORE, Frame};
use super::state::State;

impl State {
    /// Takes at least one word, the first of which belongs to method `owner`; returns how many.
    #[inline]
    pub(super) fn blocks(&mut self, methods: &Methods, owner: u32, words: &[u32]) -> usize {
        let about = methods.get(owner);
        match meaning(words[0] - about.first, about.blocks()) {
            Meaning::Entry => self.entry(methods, owner, about),
            Meaning::Block(block) => {
                if self.frames.top().is_some_and(|top| top.method == owner) && self.block_of_top(about, block)
                {
                    return 1 + self.more_blocks(about, block, &words[1..]);
                }
                self.block_of_another(owner, about, block);
            }
            Meaning::Returns => {
                let fits = |current| current == ANYWHERE || about.returns(current);
                self.end(owner, about, fits, Left::Returned);
            }
            Meaning::Unwound => self.unwound(owner, about),
        }
        1
    }

    /// The blocks that follow `last` in the innermost frame, as long as they follow its edges.
    #[inline]
    fn more_blocks(&mut self, about: &MethodWords, last: BlockId, words: &[u32]) -> usize {
        let mut last = last;
        let mut taken = 0;
        // A frame that returned has no more; `block_of_top` closed it.
        if has(about.flags(last), RETURNS) {
            return 0;
        }
        for word in words.iter().take(super::state::BATCH) {
            let block = word.wrapping_sub(about.first).wrapping_sub(1);
            if block >= about.blocks() || !about.has_edge(last, block) {
                break;
            }
            self.queue.block(block);
            last = block;
            taken += 1;
            if has(about.flags(block), RETURNS) {
                self.frames.earn(taken);
                self.leave(Left::Returned);
                return taken;
            }
        }
        self.frames.earn(taken);
        self.frames.stand(last);
        taken
    }

    pub(super) fn entry(&mut self, methods: &Methods, owner: u32, about: &MethodWords) {
        let how = self.frames.how(methods, about);
        let awaited = self.frames.awaits(methods, about);
        self.frames.earn(1);
        let current = if about.encoding == Encoding::Calls { ANYWHERE } else { BEFORE };
        self.open(Frame { awaited, ..Frame::of_blocks(owner, about, current) }, about.id, how);
        if current == BEFORE && about.begins_with_block_0 {
            self.ran(about, 0);
        }
    }

    /// Block `block` ran in the innermost frame, which is one of `about`.
    fn ran(&mut self, about: &MethodWords, block: BlockId) {
        self.queue.block(block);
        self.frames.stand(block);
        self.may_return(about, block);
    }

    fn may_return(&mut self, about: &MethodWords, block: BlockId) {
        if has(about.flags(block), RETURNS) {
            self.leave(Left::Returned);
        }
    }

    /// Takes `block` as one of the innermost frame, if it fits.
    #[inline]
    fn block_of_top(&mut self, about: &MethodWords, block: BlockId) -> bool {
        let current = self.frames.position().unwrap_or(BEFORE);
        if !fits(about, current, block) {
            return false;
        }
        self.frames.earn(1);
        let caught = current < about.blocks() && !about.has_edge(current, block);
        if caught {
            self.queue.catch(block);
            self.frames.stand(block);
            self.may_return(about, block);
        } else {
            self.ran(about, block);
        }
        true
    }

    /// The block does not fit the innermost frame: it belongs to one below, or to one whose
    /// beginning nobody saw.
    fn block_of_another(&mut self, owner: u32, about: &MethodWords, block: BlockId) {
        self.belongs_to(owner, about, |current| fits(about, current, block));
        self.block_of_top(about, block);
    }

    /// A frame of `about` ended: the nearest one whose position `fits`.
    fn end(&mut self, owner: u32, about: &MethodWords, fits: impl Fn(BlockId) -> bool, how: Left) {
        self.belongs_to(owner, about, fits);
        self.leave(how);
    }

    /// The nearest frame of `about` whose position `fits` becomes the innermost one, a new one if there is none.
    fn belongs_to(&mut self, owner: u32, about: &MethodWords, fits: impl Fn(BlockId) -> bool) {
        let known = self.close_down_to(|frame, is_forgotten| {
            frame.method == owner && fits(if is_forgotten { ANYWHERE } else { frame.last })
        });
        if !known {
            self.anomalies.unseen_beginnings += 1;
            self.open(Frame::of_blocks(owner, about, ANYWHERE), about.id, Entered::Unseen);
        }
    }

    /// An exception left a frame of `about`.
    pub(super) fn unwound(&mut self, owner: u32, about: &MethodWords) {
        let fits = |current| !about.is_uncovered(if current == BEFORE { 0 } else { current });
        self.end(owner, about, fits, Left::Threw);
    }
}

/// Whether `block` may run in a frame that stands at `current`.
#[inline]
fn fits(about: &MethodWords, current: BlockId, block: BlockId) -> bool {
    match current {
        ANYWHERE => true,
        BEFORE => block == 0,
        current => about.has_edge(current, block) || about.has_exception_edge(current, block),
    }
}
