//! The first square, online: units come one by one, and the moment the units since the last
//! [`SquareFinder::clear`] (the *tail*) end with some word twice in a row, its length is reported.
//!
//! The founding text scans the whole tail for each unit (with the Z-function), which is quadratic
//! on histories that do not loop. Here a unit costs the same however long the tail is:
//!
//! ```text
//! tail  ........xyzabcdefg........xyzabcdefg      square of period k = |......xyzabcdefg|
//!                  ^                 ^
//!                  anchor            the same anchor, k later: propose k, compare backward once,
//!                                    sleep until the square can be complete, compare the rest
//! ```
//!
//! - [`near`]: periods up to 128 are counted, for every unit.
//! - [`anchors`]: for periods from `8w` to `16w` (`w` = 16, 32, 64, ...) anchors about `w` apart are
//!   paired with the equal ones one period before. There are at most some thirty to look at.
//! - [`candidates`]: a pair proposes a period, and two comparisons decide.
//!
//! Why no square is missed: leave out, of the second half of a square of period `k` in `8w..16w`,
//! the first `3w` units and the last `2w`. In the `3w` or more that remain lies an anchor; it was
//! chosen by units of that half alone, so its twin lies `k` before it, and it is known before the
//! square ends (see [`anchors`] for the three numbers).
//!
//! Source of the task: founding text 1, "Loop detection". The caller clears the tail when a square
//! was found. A tail holds fewer than 2^32 units.

mod anchors;
mod candidates;
mod checkpoints;
mod hash;
mod near;

use anchors::Scale;
use candidates::{Candidates, repeats};
use checkpoints::Checkpoints;
use hash::Sums;
use near::{Near, REACH, mark};

/// Units in a window of scale 0; each further scale has twice as many.
const WIDTH: usize = REACH / 8;

/// A tail shorter than this has no square that [`near`] does not see.
pub(super) const FAR: usize = 2 * REACH;

/// Finds the first square of the units it is given.
#[derive(Debug, Clone)]
pub(super) struct SquareFinder {
    tail: Vec<u32>,
    /// [`REACH`] bytes of padding, then the mark of each unit of the tail.
    marks: Vec<u8>,
    near: Near,
    sums: Sums,
    scales: Vec<Scale>,
    candidates: Candidates,
    /// How many units of the tail the scales have seen.
    seen: usize,
    /// Earlier states, for [`SquareFinder::truncate`]; `None` where nobody will ask.
    checkpoints: Option<Checkpoints>,
}

impl Default for SquareFinder {
    fn default() -> Self {
        SquareFinder {
            tail: Vec::new(),
            marks: Vec::new(),
            near: Near::NEW,
            sums: Sums::default(),
            scales: Vec::new(),
            candidates: Candidates::default(),
            seen: 0,
            checkpoints: None,
        }
    }
}

impl SquareFinder {
    /// A finder that can be truncated.
    pub(super) fn that_rewinds() -> Self {
        SquareFinder { checkpoints: Some(Checkpoints::default()), ..SquareFinder::default() }
    }

    /// The units since the last clear.
    pub(super) fn tail(&self) -> &[u32] {
        &self.tail
    }

    /// A hash of the first `length` units of the tail, at least [`FAR`].
    pub(super) fn hash_of_first(&self, length: usize) -> u64 {
        self.sums.of_first(length)
    }

    /// Forgets the tail.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.tail.clear();
        self.marks.truncate(REACH);
        self.near = Near::NEW;
        if self.seen > 0 {
            self.seen = 0;
            self.sums.clear();
            self.candidates.clear();
            self.scales.iter_mut().for_each(Scale::clear);
        }
        if let Some(checkpoints) = &mut self.checkpoints {
            checkpoints.clear();
        }
    }

    /// Goes back to the state in which the tail had `length` units; `length` is at most what it
    /// has. It costs no more than a few times the units that go (and a little), so whoever pushes
    /// and truncates in turn pays for pushing only.
    pub(super) fn truncate(&mut self, length: usize) {
        let mut old = std::mem::take(&mut self.tail);
        old.truncate(length);
        let checkpoints = self.checkpoints.as_mut().and_then(|checkpoints| checkpoints.back_to(length));
        let known = match checkpoints {
            Some(checkpoint) => {
                self.near = checkpoint.near;
                self.candidates = checkpoint.candidates.clone();
                self.sums.truncate(checkpoint.length);
                self.scales.truncate(checkpoint.scales.len());
                for (scale, state) in self.scales.iter_mut().zip(&checkpoint.scales) {
                    scale.restore(state);
                }
                checkpoint.length
            }
            None => 0,
        };
        if known == 0 {
            self.clear();
        }
        self.marks.truncate(REACH + known);
        self.seen = known;
        let again = old.split_off(known);
        self.tail = old;
        for unit in again {
            let square = self.push(unit);
            debug_assert!(square.is_none(), "a tail has no square before its end");
        }
    }

    /// Appends `unit` and gives the smallest period of a square that the tail now ends with.
    #[inline]
    pub(super) fn push(&mut self, unit: u32) -> Option<usize> {
        if self.marks.is_empty() {
            self.marks.resize(REACH, 0);
        }
        let before = self.tail.len();
        self.tail.push(unit);
        let mark = mark(unit);
        let window = self.marks[before..].first_chunk();
        let near = window.is_some_and(|window| self.near.push(window, before, mark));
        self.marks.push(mark);
        if near {
            let tail = &self.tail;
            let square = self.near.periods().find(|&period| repeats(tail, period, period) == period);
            if square.is_some() {
                return square;
            }
        }
        if before + 1 < FAR {
            return None;
        }
        let square = self.push_far();
        if square.is_none()
            && let Some(checkpoints) = &mut self.checkpoints
        {
            checkpoints.keep(self.seen, self.near, &self.candidates, &self.scales);
        }
        square
    }

    /// Periods beyond [`near`].
    fn push_far(&mut self) -> Option<usize> {
        let SquareFinder { tail, sums, scales, candidates, seen, .. } = self;
        while *seen < tail.len() {
            sums.push(tail[*seen]);
            *seen += 1;
            choose_anchors(&tail[..*seen], sums, scales, candidates);
        }
        candidates.complete(tail)
    }
}

/// Takes the last unit of `tail` through the scales, and proposes the periods that its anchors
/// show.
#[inline]
fn choose_anchors(tail: &[u32], sums: &Sums, scales: &mut Vec<Scale>, candidates: &mut Candidates) {
    if scales.is_empty() {
        scales.push(Scale::new(WIDTH));
    }
    let position = tail.len() - 1;
    let Some(hash) = sums.of(position, &scales[0].word) else { return };
    if scales[0].arrive(position as u32, hash) {
        propose_twins(tail, sums, &mut scales[0], candidates);
        climb(tail, sums, scales, candidates);
    }
}

/// Hands the new anchors of scale 0 to the scales above, as far as each makes anchors of them.
fn climb(tail: &[u32], sums: &Sums, scales: &mut Vec<Scale>, candidates: &mut Candidates) {
    let mut level = 1;
    loop {
        if level == scales.len() {
            let width = scales[level - 1].width * 2;
            scales.push(Scale::new(width));
        }
        let (below, above) = scales.split_at_mut(level);
        let (below, scale) = (&below[level - 1], &mut above[0]);
        let mut grown = false;
        let taken = scale.take_up_to(below.positions.len());
        for &position in &below.positions[taken..] {
            let Some(hash) = sums.of(position as usize, &scale.word) else { continue };
            if scale.arrive(position, hash) {
                grown = true;
                propose_twins(tail, sums, scale, candidates);
            }
        }
        if !grown {
            return;
        }
        level += 1;
    }
}

/// Proposes the distances between the newest anchor of `scale` and its twins.
#[inline]
fn propose_twins(tail: &[u32], sums: &Sums, scale: &mut Scale, candidates: &mut Candidates) {
    let Some(&position) = scale.positions.last() else { return };
    let last = tail.len() - 1;
    let least = last - position as usize + 3 * scale.width;
    // Twins are common in words of low complexity. One more hash, of the last units of the tail
    // and of those a period before, spares most of the comparisons.
    let (reach, mut now) = (scale.reach, None);
    for twin in scale.twins() {
        let period = (position - twin) as usize;
        let now = *now.get_or_insert_with(|| sums.of(last, &reach));
        if now == sums.of(last - period, &reach) {
            candidates.propose(tail, period, least);
        }
    }
}

#[cfg(test)]
mod tests;
