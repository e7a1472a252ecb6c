//! Blocks as text: `a+1-b b>1cd c+1-e dX`.
//!
//! A letter names the block, then the operation (`+ - < >`), its amount, the names of the zero and
//! the non-zero continuation (`-`: cannot be). `X` leaves the grid, `H` turns for ever, `?` meets
//! a cell that is not chosen yet.

use super::{Block, Graph, Op};
use std::borrow::Cow;

/// The name of the block with this rank: `a..z`, `A..Z`, then `{52}` and so on.
pub fn name(rank: usize) -> Cow<'static, str> {
    const NAMES: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    match NAMES.get(rank..=rank) {
        Some(letter) => letter.into(),
        None => format!("{{{rank}}}").into(),
    }
}

/// The operation and its amount: `+1`, `<2`.
pub fn op_text(op: Op) -> String {
    let sign = match op {
        Op::Delta(amount) if amount >= 0 => '+',
        Op::Delta(_) => '-',
        Op::Shift(amount) if amount >= 0 => '>',
        Op::Shift(_) => '<',
    };
    format!("{sign}{}", op.amount().unsigned_abs())
}

/// The text of a block graph.
pub fn graph_text(graph: &Graph) -> String {
    let words: Vec<String> = graph
        .blocks()
        .enumerate()
        .map(|(rank, (_, block))| {
            let next = |id| graph.rank(id).map_or("?".into(), name);
            match block {
                Block::Work { op, zero, nonzero, .. } => {
                    let zero = zero.map_or("-".into(), next);
                    format!("{}{}{zero}{}", name(rank), op_text(op), next(nonzero))
                }
                Block::Exit { .. } => format!("{}X", name(rank)),
                Block::Hang => format!("{}H", name(rank)),
                Block::Open { .. } => format!("{}?", name(rank)),
            }
        })
        .collect();
    words.join(" ")
}
