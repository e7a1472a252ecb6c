//! All blocks that a program can reach.

use super::walk::walk;
use super::{Block, BlockId};
use crate::grid::Grid;

/// The blocks of a program, by id, and the order in which they were named.
///
/// Naming order: the entry first; when a block has been found, its zero continuation and then its
/// non-zero one get the next names if they have none; then the zero side is followed all the way
/// before the other.
#[derive(Debug, Clone)]
pub struct Graph {
    blocks: [Option<Block>; BlockId::COUNT],
    order: Vec<BlockId>,
}

impl Graph {
    /// Finds the blocks of a grid.
    pub fn of(grid: &Grid) -> Self {
        let mut graph = Graph { blocks: [None; BlockId::COUNT], order: vec![BlockId::ENTRY] };
        let mut waiting = vec![BlockId::ENTRY];
        while let Some(id) = waiting.pop() {
            if graph.blocks[id.index()].is_some() {
                continue;
            }
            let block = walk(grid, id);
            graph.blocks[id.index()] = Some(block);
            if let Block::Work { zero, nonzero, .. } = block {
                for next in zero.into_iter().chain([nonzero]) {
                    if !graph.order.contains(&next) {
                        graph.order.push(next);
                    }
                }
                waiting.push(nonzero);
                waiting.extend(zero);
            }
        }
        graph
    }

    /// The block of an id; none if the program cannot reach it.
    #[inline]
    pub fn block(&self, id: BlockId) -> Option<Block> {
        self.blocks[id.index()]
    }

    /// All blocks, in the order of their names.
    pub fn blocks(&self) -> impl Iterator<Item = (BlockId, Block)> + '_ {
        self.order.iter().filter_map(|&id| Some((id, self.block(id)?)))
    }

    /// Where a block stands in the order of names.
    pub fn rank(&self, id: BlockId) -> Option<usize> {
        self.order.iter().position(|&known| known == id)
    }
}
