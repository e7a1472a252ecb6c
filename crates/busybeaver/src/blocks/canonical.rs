//! The canonical form of a block graph: blocks that do the same are one.
//!
//! Breadth first from the entry, zero side first. A block is merged into an earlier one with the
//! same operation and the same continuations *as numbered in the source*: one pass, not a fixed
//! point, so that it groups the same programs as the original. All exits are one, all endless
//! blocks are one, all open blocks are one. The merged block keeps the fewest steps.

use super::text::{name, op_text};
use super::{Block, BlockId, Graph, Op};
use std::collections::VecDeque;

/// What makes two blocks of the source the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Work { op: Op, zero: Option<BlockId>, nonzero: BlockId },
    Exit,
    Hang,
    Open,
}

/// A block of a canonical form; continuations are locations in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// One operation.
    Work {
        /// The operation.
        op: Op,
        /// What follows on zero.
        zero: Option<usize>,
        /// What follows on anything else.
        nonzero: usize,
    },
    /// Leaves the grid.
    Exit,
    /// Turns for ever.
    Hang,
    /// Meets a cell that is not chosen yet.
    Open,
}

/// The canonical form of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canonical {
    /// The merged blocks; the entry is the first.
    pub blocks: Vec<Merged>,
    /// The fewest steps of those merged into each; none where there is no number.
    pub steps: Vec<Option<u8>>,
}

impl Canonical {
    /// The canonical form of a graph.
    pub fn of(graph: &Graph) -> Self {
        let mut number_of = [None; BlockId::COUNT];
        let mut keys: Vec<Key> = Vec::new();
        let mut steps: Vec<Option<u8>> = Vec::new();
        let mut waiting = VecDeque::from([BlockId::ENTRY]);
        while let Some(id) = waiting.pop_front() {
            if number_of[id.index()].is_some() {
                continue;
            }
            let Some(block) = graph.block(id) else { continue };
            let (key, taken) = match block {
                Block::Work { op, steps, zero, nonzero } => (Key::Work { op, zero, nonzero }, Some(steps)),
                Block::Exit { steps } => (Key::Exit, Some(steps)),
                Block::Hang => (Key::Hang, None),
                Block::Open { .. } => (Key::Open, Some(0)),
            };
            let number = keys.iter().position(|&known| known == key).unwrap_or_else(|| {
                keys.push(key);
                steps.push(taken);
                keys.len() - 1
            });
            number_of[id.index()] = Some(number);
            steps[number] = steps[number].min(taken);
            if let Block::Work { zero, nonzero, .. } = block {
                waiting.extend(zero);
                waiting.push_back(nonzero);
            }
        }
        let number = |id: BlockId| number_of[id.index()].unwrap_or(0);
        let blocks = keys.iter().map(|key| match *key {
            Key::Work { op, zero, nonzero } => {
                Merged::Work { op, zero: zero.map(number), nonzero: number(nonzero) }
            }
            Key::Exit => Merged::Exit,
            Key::Hang => Merged::Hang,
            Key::Open => Merged::Open,
        });
        Canonical { blocks: blocks.collect(), steps }
    }

    /// Its text, as that of a block graph.
    pub fn text(&self) -> String {
        let word = |(rank, block): (usize, &Merged)| match block {
            Merged::Work { op, zero, nonzero } => {
                let zero = zero.map_or("-".into(), name);
                format!("{}{}{zero}{}", name(rank), op_text(*op), name(*nonzero))
            }
            Merged::Exit => format!("{}X", name(rank)),
            Merged::Hang => format!("{}H", name(rank)),
            Merged::Open => format!("{}?", name(rank)),
        };
        self.blocks.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
    }
}
