//! The open frames of a thread.

use model::BlockId;
use model::flow::{Entered, Left};

use crate::capture::methods::{MethodWords, Methods};
use crate::limits;

use super::Doubts;
use super::queue::Queue;

/// One open frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Its method, by index.
    pub(super) method: u32,
    /// The first id of its method's words, and how many it owns.
    pub(super) first: u32,
    pub(super) owned: u32,
    /// The block that ran last, [`BEFORE`] or [`ANYWHERE`].
    pub(super) last: BlockId,
}

/// Place of a frame: no block of it ran yet.
pub(super) const BEFORE: BlockId = BlockId::MAX;

/// Place of a frame: nobody knows.
pub(super) const ANYWHERE: BlockId = BlockId::MAX - 1;

#[derive(Debug, Default)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// Frames below this were open when something was lost.
    forgotten: usize,
    /// How much further than [`limits::CAPTURE_SEARCH`] the next searches may go.
    credit: usize,
}

impl Frames {
    #[inline]
    pub(super) fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Where the innermost frame stands.
    #[inline]
    pub(super) fn place(&self) -> Option<BlockId> {
        let top = self.frames.last()?;
        Some(if self.frames.len() <= self.forgotten { ANYWHERE } else { top.last })
    }

    /// The innermost frame now stands in `block`.
    #[inline]
    pub(super) fn stand(&mut self, block: BlockId) {
        self.forgotten = self.forgotten.min(self.frames.len().saturating_sub(1));
        if let Some(top) = self.frames.last_mut() {
            top.last = block;
        }
    }

    /// How a frame of `callee` comes to be that is entered now.
    #[inline]
    pub(super) fn how(&self, methods: &Methods, callee: &MethodWords) -> Entered {
        let (Some(top), Some(place)) = (self.frames.last(), self.place()) else { return Entered::Outermost };
        let caller = methods.get(top.method);
        let direct = match place {
            BEFORE => false,
            ANYWHERE => caller.may_call(callee),
            block => caller.calls(block, callee),
        };
        if direct { Entered::Call } else { Entered::Library }
    }

    /// Opens a frame. Where the thread is too deep, all others end first.
    #[inline]
    pub(super) fn push(
        &mut self,
        method: u32,
        about: &MethodWords,
        how: Entered,
        last: BlockId,
        queue: &mut Queue,
    ) {
        if self.frames.len() >= limits::CAPTURE_DEPTH {
            self.leave_all(queue);
        }
        self.frames.push(Frame { method, first: about.first, owned: about.owned, last });
        queue.enter(about.id, how);
    }

    /// Ends the innermost frame.
    #[inline]
    pub(super) fn pop(&mut self, how: Left, queue: &mut Queue) {
        self.frames.pop();
        self.forgotten = self.forgotten.min(self.frames.len());
        queue.leave(how);
    }

    /// The nearest frame of `method` for which `fits` says yes to its place; the frames above it end.
    /// Without one nothing changes. Says whether there was one.
    pub(super) fn close_down_to(
        &mut self,
        method: u32,
        fits: impl Fn(BlockId) -> bool,
        queue: &mut Queue,
        doubts: &mut Doubts,
    ) -> bool {
        let most = limits::CAPTURE_SEARCH + self.credit;
        let depth = self.frames.len();
        let place = |index: usize| if index < self.forgotten { ANYWHERE } else { self.frames[index].last };
        let found = (0..depth)
            .rev()
            .take(most)
            .position(|index| self.frames[index].method == method && fits(place(index)));
        let searched = found.map_or(depth.min(most), |above| above + 1);
        self.credit = (most - searched).saturating_sub(limits::CAPTURE_SEARCH);
        let Some(above) = found else { return false };
        for _ in 0..above {
            // Returning leaves a word. Where nothing was lost, a frame that ended without one was left
            // by an exception that could not be noted: in a constructor before `super()`, or because
            // the stack was too full for the handler.
            let threw = self.frames.len() > self.forgotten;
            doubts.unseen_ends += u64::from(!threw);
            self.pop(if threw { Left::Threw } else { Left::Unseen }, queue);
        }
        true
    }

    /// A word fitted: searches may go further again.
    #[inline]
    pub(super) fn earn(&mut self, words: usize) {
        self.credit += words;
    }

    /// From here on nobody knows where the open frames stand.
    pub(super) fn forget_places(&mut self) {
        self.forgotten = self.frames.len();
    }

    /// Ends all frames: too many are open for us to tell which ended.
    fn leave_all(&mut self, queue: &mut Queue) {
        while !self.frames.is_empty() {
            self.pop(Left::Unseen, queue);
        }
    }

    /// The recording or the thread is over. What was lost before may be the end of a frame.
    pub(super) fn finish(&mut self, queue: &mut Queue) {
        while !self.frames.is_empty() {
            let how = if self.frames.len() <= self.forgotten { Left::Unseen } else { Left::Open };
            self.pop(how, queue);
        }
    }
}
