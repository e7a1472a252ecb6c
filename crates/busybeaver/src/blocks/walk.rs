//! Walking one block on the grid.

use super::{Block, BlockId, Op};
use crate::grid::{Direction, Grid, Location, Square};

/// A walk without data cells depends on location and direction only; after this many moves it has
/// been somewhere twice.
const ENDLESS: u16 = 4 * 64;

/// Finds what a block does. The caller got its id from a walk over the same grid (or it is the
/// entry); cells may have been chosen since, but none changed.
pub(crate) fn walk(grid: &Grid, id: BlockId) -> Block {
    let (mut location, mut direction) = if id == BlockId::ENTRY {
        (Location::ENTRY, Direction::Up)
    } else {
        // The direction is not part of the id. The PP faces a turn cell; if several neighbours
        // are turn cells, turning away from any of them ends the same way, because the cell it
        // came from is free.
        let faces_turn = |&direction: &Direction| grid.at(id.location().next(direction)) == Square::Turn;
        (id.location(), Direction::ALL.into_iter().find(faces_turn).unwrap_or(Direction::Up))
    };
    let value_is_zero = id.entered_with_zero();
    let mut steps = 0_u16;
    let mut data = 0_i8;
    loop {
        let next = location.next(direction);
        match grid.at(next) {
            Square::Turn if data != 0 => {
                let op = match direction {
                    Direction::Up => Op::Delta(data),
                    Direction::Down => Op::Delta(-data),
                    Direction::Right => Op::Shift(data),
                    Direction::Left => Op::Shift(-data),
                };
                // Entered with zero and then changed: not zero now.
                let never_zero = value_is_zero && matches!(op, Op::Delta(_));
                return Block::Work {
                    op,
                    steps: steps as u8,
                    zero: (!never_zero).then(|| BlockId::starting_at(location, true)),
                    nonzero: BlockId::starting_at(location, false),
                };
            }
            Square::Turn if value_is_zero => direction = direction.counter_clockwise(),
            Square::Turn => direction = direction.clockwise(),
            Square::Outside => return Block::Exit { steps: steps as u8 + 1 },
            Square::Unset => return Block::Open { column: next.column(), row: next.row() },
            free => {
                location = next;
                steps += 1;
                data += i8::from(free == Square::Data);
                if steps >= ENDLESS - 1 {
                    return Block::Hang;
                }
            }
        }
    }
}
