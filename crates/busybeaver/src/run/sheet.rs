//! The tape of the fast executor: cells in leaves, to which something can be added at once.
//!
//! ```text
//! leaf      256 cells; every fourth of them is a strand, with its own numbers:
//!   pending      what is still to be added to each of its cells
//!   below, above no cell holds a number strictly between these (without what is pending)
//! ```
//!
//! Sweeps leave patterns of period 2 or 4 behind, each strand of which is even or grows evenly;
//! that is why strands are apart.
//!
//! A sweep tests and changes every cell it passes in the same way. Where the values it looks for
//! lie in a gap of every strand, the leaf is passed in one go. Adding to a strand leaves its cells
//! alone, so the gap stays as it is until a value that is looked for comes to the edge of it.

/// Cells in a leaf.
pub(super) const LEAF: usize = 256;
/// Strands of a leaf; divides [`LEAF`], so that a strand goes on in the next leaf.
pub(super) const STRANDS: usize = 4;

/// What is known of the strands of a leaf.
#[derive(Debug, Clone, Copy, Default)]
struct Leaf {
    pending: [i32; STRANDS],
    below: [i32; STRANDS],
    above: [i32; STRANDS],
}

/// A strand of every leaf that is touched: all bits set, or none.
pub(super) type Strands = [i32; STRANDS];

/// Cells of a tape.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    cells: Vec<i32>,
    leaves: Vec<Leaf>,
}

impl Sheet {
    /// All zero; `leaves` of them.
    pub(super) fn new(leaves: usize) -> Self {
        Sheet { cells: vec![0; leaves * LEAF], leaves: vec![Default::default(); leaves] }
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Adds leaves of zeros in front or behind.
    pub(super) fn grow(&mut self, leaves: usize, in_front: bool) {
        if in_front {
            self.cells.splice(0..0, std::iter::repeat_n(0, leaves * LEAF));
            self.leaves.splice(0..0, std::iter::repeat_n(Default::default(), leaves));
        } else {
            self.cells.resize(self.cells.len() + leaves * LEAF, 0);
            self.leaves.resize(self.leaves.len() + leaves, Default::default());
        }
    }

    /// The value of a cell; zero off the sheet.
    #[inline]
    pub(super) fn value(&self, at: usize) -> i32 {
        match (self.cells.get(at), self.leaves.get(at / LEAF)) {
            (Some(cell), Some(leaf)) => cell + leaf.pending[at % STRANDS],
            _ => 0,
        }
    }

    /// Adds to a cell and gives its new value; zero off the sheet.
    #[inline]
    pub(super) fn add(&mut self, at: usize, amount: i32) -> i32 {
        match (self.cells.get_mut(at), self.leaves.get_mut(at / LEAF)) {
            (Some(cell), Some(leaf)) => {
                let strand = at % STRANDS;
                *cell += amount;
                // Into the gap it can only have come from one of its sides.
                if *cell > leaf.below[strand] && *cell < leaf.above[strand] {
                    let side = if amount > 0 { &mut leaf.below } else { &mut leaf.above };
                    side[strand] = *cell;
                }
                *cell + leaf.pending[strand]
            }
            _ => 0,
        }
    }

    /// All values.
    pub(super) fn values(&self) -> impl Iterator<Item = i32> + '_ {
        (0..self.cells.len()).map(|at| self.value(at))
    }

    /// The bare cells, with nothing pending. Gaps are unknown after they were written to, so the
    /// caller calls [`Sheet::forget`] then.
    pub(super) fn bare(&mut self) -> &mut [i32] {
        for (cells, leaf) in self.cells.chunks_mut(LEAF).zip(&mut self.leaves) {
            for group in cells.chunks_mut(STRANDS) {
                group.iter_mut().zip(leaf.pending).for_each(|(cell, pending)| *cell += pending);
            }
            leaf.pending = [0; STRANDS];
        }
        &mut self.cells
    }

    /// Takes note that cells were written to behind its back.
    pub(super) fn forget(&mut self) {
        for leaf in &mut self.leaves {
            (leaf.below, leaf.above) = Default::default();
        }
    }

    /// Adds `amount` to all cells of some strands of a leaf, if it is seen at once that none of
    /// them has a value from `low` to `high`.
    #[inline]
    pub(super) fn pass_all(
        &mut self,
        leaf: usize,
        strands: Strands,
        low: i32,
        high: i32,
        amount: i32,
    ) -> bool {
        let Some(Leaf { pending, below, above }) = self.leaves.get_mut(leaf) else { return false };
        let mut free = true;
        for n in 0..STRANDS {
            let in_gap = (below[n] < low - pending[n]) & (high - pending[n] < above[n]);
            free &= in_gap | (strands[n] == 0);
        }
        if free {
            (0..STRANDS).for_each(|n| pending[n] += amount & strands[n]);
        }
        free
    }

    /// Whether no cell of a strand has a value from `low` to `high`, seen by looking at them. The
    /// gap around these is known then.
    pub(super) fn strand_lacks(&mut self, leaf: usize, strand: usize, low: i32, high: i32) -> bool {
        let Some(gap) = self.leaves.get_mut(leaf) else { return false };
        let (low, high) = (low - gap.pending[strand], high - gap.pending[strand]);
        let cells = self.cells.get(leaf * LEAF + strand..(leaf + 1) * LEAF).unwrap_or_default();
        let (mut below, mut above) = (i32::MIN, i32::MAX);
        for &cell in cells.iter().step_by(STRANDS) {
            below = if cell < low { below.max(cell) } else { below };
            // A number within is no gap; it counts as above, and is seen below to be too low.
            above = if cell >= low { above.min(cell) } else { above };
        }
        (gap.below[strand], gap.above[strand]) = (below, above);
        high < above
    }

    /// Whether all values of a strand are such.
    pub(super) fn strand_holds(&self, leaf: usize, strand: usize, such: impl Fn(i32) -> bool) -> bool {
        let at = leaf * LEAF + strand..(leaf + 1) * LEAF;
        match (self.cells.get(at), self.leaves.get(leaf)) {
            (Some(cells), Some(leaf)) => {
                cells.iter().step_by(STRANDS).all(|cell| such(cell + leaf.pending[strand % STRANDS]))
            }
            _ => false,
        }
    }

    /// Adds to all cells of some strands.
    pub(super) fn add_to_strands(&mut self, leaf: usize, strands: Strands, amount: i32) {
        if let Some(leaf) = self.leaves.get_mut(leaf) {
            (0..STRANDS).for_each(|n| leaf.pending[n] += amount & strands[n]);
        }
    }

    /// Goes from `cell` on by `stride` within its leaf and adds `amount` to each cell, for as long
    /// as `holds` says yes to its value, at most `most` times. Says how many times.
    #[inline]
    pub(super) fn pass_some(
        &mut self,
        cell: usize,
        stride: isize,
        most: u64,
        amount: i32,
        holds: impl Fn(i32) -> bool,
    ) -> u64 {
        let leaf = cell / LEAF;
        let Some(known) = self.leaves.get_mut(leaf) else { return 0 };
        let Some(cells) = self.cells.get_mut(leaf * LEAF..(leaf + 1) * LEAF) else { return 0 };
        let mut at = cell % LEAF;
        let mut made = 0;
        while made < most {
            let Some(cell) = cells.get_mut(at) else { break };
            if !holds(*cell + known.pending[at % STRANDS]) {
                break;
            }
            *cell += amount;
            made += 1;
            at = at.wrapping_add_signed(stride);
        }
        if made > 0 && amount != 0 {
            // Every gap is narrowed as if its strand had been touched: cheaper than to look at
            // each cell.
            for n in 0..STRANDS {
                known.below[n] = known.below[n].saturating_add(amount.max(0));
                known.above[n] = known.above[n].saturating_add(amount.min(0));
            }
        }
        made
    }
}
