//! The open frames of a thread: one stack for all encodings, so that frames of any of them nest.

use model::BlockId;
use model::flow::Entered;

use crate::limits;
use crate::methods::{MethodWords, Methods};

/// One open frame, of a method whose words record blocks or paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    /// Its method, by index.
    pub(super) method: u32,
    /// The first id of its method's words, and how many it owns; none if they record paths.
    pub(super) first: u32,
    pub(super) owned: u32,
    /// The block that ran last, [`BEFORE`] or [`ANYWHERE`].
    pub(super) last: BlockId,
    /// Paths: the first code of the segment that it is in, else 0.
    pub(super) start: u32,
    /// Paths: how many blocks of the segment were emitted.
    pub(super) emitted: u32,
    /// Paths: what comes when the call is over that the last block ends with, if only one thing can: the
    /// code of the path up to there; else 0.
    pub(super) then: u32,
    /// It is the call that the frame below waits for.
    pub(super) awaited: bool,
}

impl Frame {
    /// One of a method whose words record blocks, or of calls alone.
    #[inline]
    pub(super) fn of_blocks(method: u32, about: &MethodWords, last: BlockId) -> Frame {
        let (first, owned) = (about.first, about.owned);
        Frame { method, first, owned, last, start: 0, emitted: 0, then: 0, awaited: false }
    }

    /// One of a method whose words record paths, at the beginning of a segment.
    #[inline]
    pub(super) fn of_paths(method: u32, start: u32) -> Frame {
        Frame { method, first: 0, owned: 0, last: BEFORE, start, emitted: 0, then: 0, awaited: false }
    }
}

/// Position of a frame: no block of it ran yet.
pub(super) const BEFORE: BlockId = BlockId::MAX;

/// Position of a frame: nobody knows.
pub(super) const ANYWHERE: BlockId = BlockId::MAX - 1;

#[derive(Debug, Default, Clone, PartialEq, Eq, Hash)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// Frames below this were open when something was lost.
    forgotten: usize,
    /// Frames below this are there only as likely as what was deduced of a loss: no record of theirs has come since.
    doubted: usize,
    /// How much further than [`limits::SEARCH`] the next searches may go.
    credit: usize,
}

impl Frames {
    #[inline]
    pub(super) fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Where the innermost frame stands.
    #[inline]
    pub(super) fn position(&self) -> Option<BlockId> {
        let top = self.frames.last()?;
        Some(if self.frames.len() <= self.forgotten { ANYWHERE } else { top.last })
    }

    /// The innermost frame now stands in `block`.
    #[inline]
    pub(super) fn stand(&mut self, block: BlockId) {
        self.remember_top();
        self.believe_top();
        if let Some(top) = self.frames.last_mut() {
            top.last = block;
        }
    }

    /// How a frame of `callee` comes to be that is entered now.
    #[inline]
    pub(super) fn how(&self, methods: &Methods, callee: &MethodWords) -> Entered {
        let (Some(top), Some(position)) = (self.frames.last(), self.position()) else {
            return Entered::Outermost;
        };
        let caller = methods.get(top.method);
        let direct = match position {
            BEFORE => false,
            ANYWHERE => caller.may_call(callee),
            block => caller.calls(block, callee),
        };
        if direct { Entered::Call } else { Entered::Library }
    }

    /// Whether the innermost frame waits for a call of `callee`.
    #[inline]
    pub(super) fn awaits(&self, methods: &Methods, callee: &MethodWords) -> bool {
        self.frames.last().is_some_and(|top| {
            top.then > 0
                && self.frames.len() > self.forgotten
                && methods.get(top.method).calls_own(top.last, callee)
        })
    }

    #[inline]
    pub(super) fn top_mut(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// Whether there is no room for another frame.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.frames.len() >= limits::DEPTH
    }

    /// Whether nobody knows where the innermost frame stands.
    #[inline]
    pub(super) fn is_forgotten(&self) -> bool {
        self.frames.len() <= self.forgotten
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    #[inline]
    pub(super) fn push(&mut self, frame: Frame) {
        self.frames.push(frame);
    }

    /// Takes the innermost frame away; whether the one below waits for it to return. If something was lost
    /// since, that one may wait for another of its kind, or have gone on.
    #[inline]
    pub(super) fn pop(&mut self) -> bool {
        let is_known = !self.is_forgotten();
        let Some(frame) = self.frames.pop() else { return false };
        self.forgotten = self.forgotten.min(self.frames.len());
        self.doubted = self.doubted.min(self.frames.len());
        is_known && frame.awaited
    }

    /// How many frames lie above the nearest one for which `fits` is true. Its other argument: whether the position
    /// of the frame is unknown.
    pub(super) fn above(&mut self, fits: impl Fn(&Frame, bool) -> bool) -> Option<usize> {
        let most = limits::SEARCH + self.credit;
        let found = (self.frames.iter().enumerate().rev())
            .take(most)
            .position(|(index, frame)| fits(frame, index < self.forgotten));
        let searched = found.map_or(self.frames.len().min(most), |above| above + 1);
        self.credit = (most - searched).saturating_sub(limits::SEARCH);
        found
    }

    /// What is known of the innermost frame holds from here on; of the calls around it nothing does.
    #[inline]
    pub(super) fn remember_top(&mut self) {
        if self.is_forgotten()
            && let Some(top) = self.frames.last_mut()
        {
            (top.awaited, top.then) = (false, 0);
            self.forgotten = self.frames.len() - 1;
        }
    }

    /// A word fitted: searches may go further again.
    #[inline]
    pub(super) fn earn(&mut self, words: usize) {
        self.credit += words;
    }

    /// The frame so far below the innermost one, and whether nobody knows where it stands.
    pub(super) fn nth(&self, below: usize) -> Option<(&Frame, bool)> {
        let index = self.frames.len().checked_sub(below + 1)?;
        self.frames.get(index).map(|frame| (frame, index < self.forgotten))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The innermost ones, at most so many. Searches in them go as far as they reach.
    pub(super) fn innermost(&self, most: usize) -> Frames {
        let below = self.frames.len().saturating_sub(most);
        let frames = self.frames.get(below..).unwrap_or_default().to_vec();
        let (forgotten, doubted) = (self.forgotten.saturating_sub(below), self.doubted.saturating_sub(below));
        Frames { frames, forgotten, doubted, credit: 0 }
    }

    /// A record of the innermost frame has come: it is there.
    #[inline]
    pub(super) fn believe_top(&mut self) {
        self.doubted = self.doubted.min(self.frames.len().saturating_sub(1));
    }

    /// From here on each frame may be another than it seems, until a record of it comes.
    pub(super) fn mark_uncertain(&mut self) {
        self.doubted = self.frames.len();
    }

    /// Whether the innermost frame may be another, or none.
    pub(super) fn is_doubted(&self) -> bool {
        self.doubted > 0 && self.frames.len() <= self.doubted
    }

    /// Searches go no further for what was found before.
    pub(super) fn forget_credit(&mut self) {
        self.credit = 0;
    }

    /// From here on nobody knows where the open frames stand.
    pub(super) fn forget_positions(&mut self) {
        self.forgotten = self.frames.len();
    }
}

#[cfg(test)]
mod tests;
