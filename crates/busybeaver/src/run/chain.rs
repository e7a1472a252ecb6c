//! Chains: what a program does as long as no value is zero, several blocks at a time.
//!
//! ```text
//! blocks   e>1 g-1 m+2 e>1 ...      each goes on at the next one when the value is not zero
//! links    (>1 -1) (+2) (>1 ...     a shift and the change after it are one link
//! ```
//!
//! A link moves the DP, looks whether the value there is zero, changes it and looks again; where a
//! block has only one of the two, the other does nothing. So all links are alike, a chain is run
//! without asking what comes next, and only a zero leads out of it. Zeros are rare in long runs.

use crate::blocks::{Block, BlockId, Graph, Op};

/// Links of a chain.
pub(super) const LINKS: usize = 6;
/// A value that no cell ever has.
const NEVER: i32 = i32::MIN;

/// A shift, a look, a change, a look. The looks lead out of the chain.
#[derive(Debug, Clone, Copy)]
struct Link {
    shift: i32,
    /// Leads out if the value after the shift is this one: zero, or none if there was no shift.
    wrong: i32,
    delta: i32,
}

/// An exit: the state after the block that came out zero.
#[derive(Debug, Clone, Copy, Default)]
struct Exit {
    steps: u32,
    blocks: u32,
    next: u8,
}

/// The chain that begins with a block.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct Chain {
    links: [Link; LINKS],
    /// Zero: the block is an end.
    steps: u32,
    blocks: u32,
    next: u8,
}

/// All chains of a program.
#[derive(Debug, Clone)]
pub(super) struct Chains {
    chains: Box<[Chain; BlockId::COUNT]>,
    /// Ways out after the first and the second look of each link.
    exits: Box<[[[Exit; 2]; LINKS]; BlockId::COUNT]>,
}

/// Where a run is, and what it took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waypoint {
    pub(super) at: usize,
    pub(super) block: u8,
    pub(super) steps: u64,
    pub(super) blocks: u64,
}

impl Chains {
    pub(super) fn of(graph: &Graph) -> Chains {
        let link = Link { shift: 0, wrong: NEVER, delta: 0 };
        let chain = Chain { links: [link; LINKS], steps: 0, blocks: 0, next: 0 };
        let mut chains = Chains {
            chains: Box::new([chain; BlockId::COUNT]),
            exits: Box::new([[[Exit::default(); 2]; LINKS]; BlockId::COUNT]),
        };
        for (id, _) in graph.blocks() {
            chains.add(graph, id);
        }
        chains
    }

    fn add(&mut self, graph: &Graph, first: BlockId) {
        let (chain, exits) = (&mut self.chains[first.index()], &mut self.exits[first.index()]);
        let mut due = first;
        let mut blocks = |chain: &mut Chain, wants_shift: bool| {
            let Some(Block::Work { op, steps, zero, nonzero }) = graph.block(due) else { return None };
            if matches!(op, Op::Shift(_)) != wants_shift {
                return None;
            }
            chain.steps += u32::from(steps);
            chain.blocks += 1;
            chain.next = nonzero.number();
            due = nonzero;
            let next = zero.unwrap_or(nonzero).number();
            Some((op.amount(), Exit { steps: chain.steps, blocks: chain.blocks, next }))
        };
        for (index, exits) in exits.iter_mut().enumerate() {
            if let Some((shift, exit)) = blocks(chain, true) {
                (chain.links[index].shift, chain.links[index].wrong) = (shift.into(), 0);
                exits[0] = exit;
            }
            if let Some((delta, exit)) = blocks(chain, false) {
                chain.links[index].delta = delta.into();
                exits[1] = exit;
            }
        }
    }

    /// Runs chains until the DP has left `inside`, `rounds` chains were run, or the block due is an
    /// end (then true). The cells reach beyond `inside` as far as one chain can.
    pub(super) fn run(
        &self,
        cells: &mut [i32],
        waypoint: &mut Waypoint,
        inside: std::ops::Range<usize>,
        limit: u64,
    ) -> bool {
        let Waypoint { mut at, mut block, mut steps, mut blocks } = *waypoint;
        let mut ended = false;
        'chains: while inside.contains(&at) && steps < limit {
            let chain = &self.chains[usize::from(block & 127)];
            if chain.steps == 0 {
                ended = true;
                break;
            }
            for (index, link) in chain.links.iter().enumerate() {
                at = at.wrapping_add_signed(link.shift as isize);
                let Some(cell) = cells.get_mut(at) else { break 'chains };
                let value = *cell;
                let changed = value + link.delta;
                let is_right = usize::from(value != link.wrong);
                if is_right == 0 || changed == 0 {
                    std::hint::cold_path();
                    if is_right == 1 {
                        *cell = changed;
                    }
                    let exit = self.exits[usize::from(block & 127)][index][is_right];
                    steps += u64::from(exit.steps);
                    blocks += u64::from(exit.blocks);
                    block = exit.next;
                    continue 'chains;
                }
                *cell = changed;
            }
            steps += u64::from(chain.steps);
            blocks += u64::from(chain.blocks);
            block = chain.next;
        }
        *waypoint = Waypoint { at, block, steps, blocks };
        ended
    }
}
