//! The block due turns for ever.
//!
//! Without a data cell nothing changes but location and direction; the interpretation of blocks says
//! so after more moves than there are locations and directions.

use super::Refusal;
use crate::blocks::{Block, Graph};
use crate::run::Walk;

pub(super) fn check(graph: &Graph, walk: &Walk<'_>) -> Result<(), Refusal> {
    match graph.block(walk.block()) {
        Some(Block::Hang) => Ok(()),
        _ => Err(Refusal::NotTurning),
    }
}
