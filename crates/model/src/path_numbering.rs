//! The numbering of a method's paths, after Ball and Larus: what the recorder adds up and a reader takes apart.
//!
//! What a code stands for, and when one is recorded, is explained where paths are instrumented (`classfile::paths`)
//! and where they are read (`capture::paths`).

use crate::code::BlockId;

/// What says which path a code stands for. Codes count from the method's first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbering {
    /// By block.
    pub blocks: Vec<NumberedBlock>,
    /// By edge, in the order of the method's edges.
    pub edges: Vec<NumberedEdge>,
    /// The reachable handlers; number n has the code 1 + n.
    pub handlers: Vec<BlockId>,
    /// The code of the entry, where it has a record of its own before block 0 runs.
    pub entry: Option<u32>,
    /// How many codes there are.
    pub codes: u32,
}

/// What is known of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NumberedBlock {
    /// The first code of the paths that begin here, if any can.
    pub start: Option<u32>,
    /// The frame may be unrecorded when it begins.
    pub fresh: bool,
    /// Iterations may be unrecorded when it begins, or while it runs.
    pub counted: bool,
    /// It lies in a counted loop.
    pub in_counted_loop: bool,
    /// Recorded code may run inside.
    pub site: bool,
    /// It has a code of its own while it runs.
    pub stop: bool,
    /// It returns, and nothing is recorded there.
    pub silent: bool,
}

impl NumberedBlock {
    /// Whether a code says that the frame begins, before the block's own: the record before a site.
    pub fn records_frame(self) -> bool {
        self.fresh && self.site
    }

    /// What the sum has gained when its stop holds.
    pub fn stop_value(self) -> u32 {
        u32::from(self.records_frame())
    }

    /// Whether the frame may be unrecorded when it ends.
    pub fn ends_fresh(self) -> bool {
        self.fresh && !self.site
    }

    /// Whether iterations may be unrecorded when it ends.
    pub fn ends_counted(self) -> bool {
        self.in_counted_loop || self.counted && !self.site
    }
}

/// What happens on an ordinary edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeRole {
    /// It belongs to a path.
    Through,
    /// A path ends here and is recorded; the next one begins at the target.
    Cut,
    /// The same without a record: that this path was taken follows from the call before it.
    Silent,
    /// It closes a counted loop.
    Iteration,
}

impl EdgeRole {
    /// Whether a path begins where the edge leads.
    pub fn begins(self) -> bool {
        matches!(self, Self::Cut | Self::Silent)
    }
}

/// What is known of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedEdge {
    /// What happens on it.
    pub role: EdgeRole,
    /// What the sum gains from the start of its source to the record on it or the start of its target. An edge that
    /// closes an iteration gives back what the iteration has gained.
    pub value: i32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_records_its_frame_and_the_iterations_before() {
        let of = |fresh, site, counted, in_counted_loop| {
            let block = NumberedBlock { fresh, site, counted, in_counted_loop, ..NumberedBlock::default() };
            (block.records_frame(), block.ends_fresh(), block.ends_counted())
        };
        assert_eq!(of(false, false, false, false), (false, false, false));
        assert_eq!(of(true, false, false, false), (false, true, false));
        assert_eq!(of(true, true, false, false), (true, false, false));
        assert_eq!(of(false, true, true, false), (false, false, false));
        assert_eq!(of(false, false, true, false), (false, false, true));
        assert_eq!(of(false, true, true, true), (false, false, true), "the loop goes on");
        assert_eq!(of(false, true, false, true), (false, false, true));
    }
}
