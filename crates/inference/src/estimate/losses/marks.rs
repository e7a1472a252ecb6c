//! Marks: what recorded events show of which instance runs where, held for a while around losses.

use std::collections::VecDeque;

/// Who runs, by a number of the caller's.
pub(crate) type Who = u32;
/// The CPU is idle.
pub(crate) const NONE: Who = u32::MAX - 1;

/// What an event is to those that run on CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// Nothing that is known.
    Other,
    /// Something that the one who runs does.
    Own,
    /// Something that says who runs.
    Here {
        /// Who.
        who: Who,
    },
    /// One leaves and another comes.
    Switch {
        /// Who leaves.
        prev: Who,
        /// Who comes.
        next: Who,
        /// How the first one goes on; `None`: it does not say.
        stays_ready: Option<bool>,
    },
    /// One is made ready that did not run.
    Ready {
        /// Who.
        who: Who,
        /// For which CPU.
        target: u32,
    },
    /// Events were lost from here on.
    Gap {
        /// The declared loss, by a number of the caller's.
        window: u32,
    },
}

/// What an event shows of who runs where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// When it was.
    pub(crate) time: i64,
    /// On which CPU.
    pub(crate) cpu: u32,
    /// What it is called.
    pub(crate) symbol: u32,
    /// What it is.
    pub(crate) what: What,
}

/// The latest marks.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    list: VecDeque<Mark>,
    /// Gaps among them.
    pub(super) gaps: usize,
    /// Segments that end before this position were estimated.
    pub(super) done: usize,
}

/// Marks that are held, and how many must follow a segment before it is estimated: later ones bear on it, too.
pub(crate) const MOST_MARKS: usize = 1 << 18;
/// See [`MOST_MARKS`].
pub(crate) const LATER: usize = 1 << 16;

impl Marks {
    /// Adds a mark.
    #[inline]
    pub(crate) fn push(&mut self, mark: Mark) {
        self.gaps += usize::from(matches!(mark.what, What::Gap { .. }));
        self.list.push_back(mark);
    }

    /// Replaces what the latest mark shows.
    #[inline]
    pub(crate) fn set_latest(&mut self, what: What) {
        if let Some(last) = self.list.back_mut() {
            last.what = what;
        }
    }

    /// Whether it is time to estimate what is known and to forget the first half.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MOST_MARKS
    }

    /// Forgets so many.
    pub(crate) fn forget(&mut self, count: usize) {
        let gone = self.list.drain(..count.min(self.list.len()));
        self.done = self.done.saturating_sub(count);
        self.gaps -= gone.filter(|mark| matches!(mark.what, What::Gap { .. })).count();
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// A mark.
    pub(crate) fn get(&self, index: usize) -> Option<&Mark> {
        self.list.get(index)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Mark> + Clone {
        self.list.iter()
    }

    /// Those from a position on.
    pub(crate) fn from(&self, index: usize) -> impl Iterator<Item = &Mark> {
        self.list.range(index.min(self.list.len())..)
    }
}
