//! Which slots of a recording are free, and how more of them come.
//!
//! ```text
//! a slot    unnamed -> coming -> free <-> in the hands of a thread or of the writer
//!                        `-> missing: its memory cannot be had
//! ```
//!
//! Slots are named before somebody makes their memory ready, which takes long and is done without the lock on
//! [`super::threads::Threads`]. So whatever is named is one thread's to make ready, and nobody else's. As
//! many as are in use are kept free by the writer: small recordings touch little memory, and large
//! ones soon have all of it. Where the writer comes too late, a thread makes a few ready by itself.

use capture::pool::SlotSize;

use super::pool::{Pool, Slot};

/// How many are made ready in one go, small ones and large ones: 256 KiB and 1 MiB. Nobody can have them until all
/// are ready, and changes to the process's memory have to wait that long.
const AT_ONCE: [u32; 2] = [64, 8];

/// A thread that needs one makes so many ready: 64 KiB and 256 KiB. Fewer hardly take less time.
const BY_THREAD: [u32; 2] = [16, 2];

/// Slots that were named, and the recording they were named for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) first: Slot,
    pub(crate) count: u32,
    recording: u32,
}

impl Range {
    fn has(&self, slot: Slot) -> bool {
        slot.0.checked_sub(self.first.0).is_some_and(|at| at < self.count)
    }
}

/// One of the two sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    Small,
    Large,
}

/// What there is for a thread: a slot, or some that it has to make ready.
#[derive(Debug)]
pub(crate) enum Taken {
    Slot(Slot),
    Range(Range),
}

/// The slots of one size.
#[derive(Debug, Default)]
struct Size {
    first: u32,
    /// Of each.
    bytes: u32,
    /// How many this recording has.
    count: u32,
    /// How many of them were named, from the first on.
    named: u32,
    /// Those of them that are coming or missing.
    not_ready: Vec<Range>,
    free: Vec<Slot>,
}

impl Size {
    fn not_ready(&self) -> u32 {
        self.not_ready.iter().map(|range| range.count).sum()
    }

    /// How many are free or soon will be.
    fn spare(&self) -> u32 {
        self.free.len() as u32 + self.not_ready()
    }

    fn is_short(&self) -> bool {
        self.spare() * 2 <= self.named && self.named < self.count
    }

    /// Names at most so many.
    fn name(&mut self, most: u32, recording: u32) -> Option<Range> {
        let count = most.min(self.count - self.named);
        let range = Range { first: Slot(self.first + self.named), count, recording };
        self.named += count;
        (count > 0).then(|| {
            self.not_ready.push(range);
            range
        })
    }

    fn is_ready(&self, slot: Slot) -> bool {
        let is_named = slot.0.checked_sub(self.first).is_some_and(|at| at < self.named);
        is_named && !self.not_ready.iter().any(|range| range.has(slot))
    }
}

/// All slots of a recording.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    recording: u32,
    small: Size,
    large: Size,
    /// How many ranges are being made ready.
    coming: u32,
    /// How many small ones were lent.
    lent: u32,
}

impl Slots {
    /// The slots of a recording, all of them unnamed.
    pub(crate) fn new(recording: u32, [small, large]: &[SlotSize; 2]) -> Slots {
        let of = |first: u32, &SlotSize { bytes, slots: count }: &SlotSize| Size {
            first,
            bytes,
            count,
            ..Size::default()
        };
        Slots { recording, small: of(0, small), large: of(Pool::FIRST_LARGE.0, large), coming: 0, lent: 0 }
    }

    fn size(&mut self, which: Which) -> &mut Size {
        match which {
            Which::Small => &mut self.small,
            Which::Large => &mut self.large,
        }
    }

    fn size_of(&mut self, slot: Slot) -> &mut Size {
        self.size(if Pool::is_small(slot) { Which::Small } else { Which::Large })
    }

    /// Whether there are large ones, or can be.
    pub(crate) fn has_large(&self) -> bool {
        let Size { count, named, .. } = self.large;
        count > named || named > self.large.not_ready()
    }

    /// Whether more shall be made ready although none is missed yet.
    pub(crate) fn is_short(&self) -> bool {
        self.small.is_short() || self.large.is_short()
    }

    /// Whether none of a size is free.
    pub(crate) fn is_out(&self) -> bool {
        let is_out = |size: &Size| size.count > 0 && size.free.is_empty();
        is_out(&self.small) || is_out(&self.large)
    }

    /// Whether somebody is about to make some ready.
    pub(crate) fn are_coming(&self) -> bool {
        self.coming > 0
    }

    /// The next ones that shall be made ready before they are missed: where fewer words have space.
    pub(crate) fn name_more(&mut self) -> Option<Range> {
        let sizes = [&mut self.small, &mut self.large].into_iter().zip(AT_ONCE);
        let short = sizes.filter(|(size, _)| size.is_short());
        let (size, at_once) = short.min_by_key(|(size, _)| size.spare() * size.bytes)?;
        let range = size.name(at_once, self.recording)?;
        self.coming += 1;
        Some(range)
    }

    /// The next ones for a thread that found none.
    pub(crate) fn name_few(&mut self, which: Which) -> Option<Range> {
        let [small, large] = BY_THREAD;
        let most = if which == Which::Small { small } else { large };
        let recording = self.recording;
        let range = self.size(which).name(most, recording)?;
        self.coming += 1;
        Some(range)
    }

    /// What was named is ready, or its memory cannot be had: then no more is asked for. `is_free`: the slot
    /// is not in the hands of a thread that an earlier recording gave it to. Such slots come back later.
    pub(crate) fn made(&mut self, range: Range, is_ready: bool, is_free: impl Fn(&Slot) -> bool) {
        if range.recording != self.recording {
            return;
        }
        self.coming -= 1;
        if !is_ready {
            self.small.count = self.small.named;
            self.large.count = self.large.named;
            return;
        }
        let size = self.size_of(range.first);
        size.not_ready.retain(|other| *other != range);
        // The first ones are taken first.
        let last = range.first.0 + range.count;
        let mut slots: Vec<Slot> = (range.first.0..last).rev().map(Slot).filter(is_free).collect();
        slots.append(&mut size.free);
        size.free = slots;
    }

    /// One that is ready.
    pub(crate) fn take(&mut self, which: Which) -> Option<Slot> {
        self.size(which).free.pop()
    }

    /// A small one for a thread that would rather have a large one and will lose words otherwise. Each is lent
    /// once: a thread that always writes faster than the writer gains little by small ones. Of the small ones,
    /// a quarter is for first words.
    pub(crate) fn lend(&mut self) -> Option<Taken> {
        if self.lent >= self.small.count / 4 * 3 {
            return None;
        }
        if let Some(slot) = self.take(Which::Small) {
            self.lent += 1;
            return Some(Taken::Slot(slot));
        }
        self.name_few(Which::Small).map(Taken::Range)
    }

    /// The writer has come to its end.
    pub(crate) fn end_loan(&mut self) {
        self.lent = 0;
    }

    /// A slot that nobody uses any more. One that is not ready is given out when it is.
    pub(crate) fn give_back(&mut self, slot: Slot) {
        let size = self.size_of(slot);
        if size.is_ready(slot) {
            size.free.push(slot);
        }
    }
}
