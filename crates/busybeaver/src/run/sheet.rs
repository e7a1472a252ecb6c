//! The tape of the fast executor: cells in leaves of 64, to which something can be added at once.
//!
//! ```text
//! leaf      64 cells; every fourth of them is a strand, with its own numbers:
//!   pending   what is still to be added to each of its cells
//!   least     no value is below this  } pending included; may be too wide,
//!   most      no value is above this  } never too narrow
//! ```
//!
//! Sweeps leave patterns of period 2 or 4 behind, each strand of which is even or grows evenly;
//! that is why strands are apart.
//!
//! A sweep tests and changes every cell it passes in the same way. Where the value it looks for
//! lies outside of what a leaf holds, the leaf is passed in one go.

/// Cells in a leaf.
pub(super) const LEAF: usize = 64;
/// Strands of a leaf; divides [`LEAF`], so that a strand goes on in the next leaf.
pub(super) const STRANDS: usize = 4;

#[derive(Debug, Clone, Copy, Default)]
struct Strand {
    pending: i32,
    least: i32,
    most: i32,
}

/// Cells of a tape.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    cells: Vec<i32>,
    leaves: Vec<[Strand; STRANDS]>,
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
            (Some(cell), Some(leaf)) => cell + leaf[at % STRANDS].pending,
            _ => 0,
        }
    }

    /// Adds to a cell and gives its new value; zero off the sheet.
    #[inline]
    pub(super) fn add(&mut self, at: usize, amount: i32) -> i32 {
        match (self.cells.get_mut(at), self.leaves.get_mut(at / LEAF)) {
            (Some(cell), Some(leaf)) => {
                let strand = &mut leaf[at % STRANDS];
                *cell += amount;
                let value = *cell + strand.pending;
                strand.least = strand.least.min(value);
                strand.most = strand.most.max(value);
                value
            }
            _ => 0,
        }
    }

    /// All values.
    pub(super) fn values(&self) -> impl Iterator<Item = i32> + '_ {
        (0..self.cells.len()).map(|at| self.value(at))
    }

    /// The bare cells, with nothing pending. Bounds are unknown after they were written to, so the
    /// caller calls [`Sheet::forget`] then.
    pub(super) fn bare(&mut self) -> &mut [i32] {
        for (cells, leaf) in self.cells.chunks_mut(LEAF).zip(&mut self.leaves) {
            for group in cells.chunks_mut(STRANDS) {
                group.iter_mut().zip(leaf.iter()).for_each(|(cell, strand)| *cell += strand.pending);
            }
            leaf.iter_mut().for_each(|strand| strand.pending = 0);
        }
        &mut self.cells
    }

    /// Takes note that cells were written to behind its back.
    pub(super) fn forget(&mut self) {
        for leaf in &mut self.leaves {
            for strand in leaf {
                (strand.least, strand.most) = (i32::MIN, i32::MAX);
            }
        }
    }

    /// Whether no cell of a strand (`only` false) or every one (`only` true) has this value.
    pub(super) fn strand_holds(&mut self, leaf: usize, strand: usize, value: i32, only: bool) -> bool {
        let Some(bounds) = self.leaves.get_mut(leaf).and_then(|leaf| leaf.get_mut(strand)) else {
            return false;
        };
        if !only && (value < bounds.least || value > bounds.most) {
            return true;
        }
        let cells = self.cells.get(leaf * LEAF + strand..(leaf + 1) * LEAF).unwrap_or_default();
        let bare = value.wrapping_sub(bounds.pending);
        let (mut least, mut most, mut equal) = (i32::MAX, i32::MIN, 0);
        for &cell in cells.iter().step_by(STRANDS) {
            least = least.min(cell);
            most = most.max(cell);
            equal += usize::from(cell == bare);
        }
        (bounds.least, bounds.most) = (least + bounds.pending, most + bounds.pending);
        equal == if only { LEAF / STRANDS } else { 0 }
    }

    /// Adds to all cells of a strand.
    pub(super) fn add_to_strand(&mut self, leaf: usize, strand: usize, amount: i32) {
        if let Some(strand) = self.leaves.get_mut(leaf).and_then(|leaf| leaf.get_mut(strand)) {
            strand.pending += amount;
            strand.least = strand.least.saturating_add(amount);
            strand.most = strand.most.saturating_add(amount);
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
        let Some(strands) = self.leaves.get_mut(leaf) else { return 0 };
        let Some(cells) = self.cells.get_mut(leaf * LEAF..(leaf + 1) * LEAF) else { return 0 };
        let mut at = cell % LEAF;
        let mut made = 0;
        while made < most {
            let Some(cell) = cells.get_mut(at) else { break };
            if !holds(*cell + strands[at % STRANDS].pending) {
                break;
            }
            *cell += amount;
            made += 1;
            at = at.wrapping_add_signed(stride);
        }
        if made > 0 && amount != 0 {
            // Every strand is widened as if it had been touched: cheaper than to look at each cell.
            for strand in strands {
                strand.least = strand.least.saturating_add(amount.min(0));
                strand.most = strand.most.saturating_add(amount.max(0));
            }
        }
        made
    }
}
