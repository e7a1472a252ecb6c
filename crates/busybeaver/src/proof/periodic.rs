//! Programs that repeat the same blocks for ever.
//!
//! ```text
//! stationary   an iteration ends where it began: each value tested changes by the same amount with
//!              every iteration, so whether a test ever comes out otherwise is arithmetic
//! travelling   an iteration ends farther along: if everything it sees was the same one iteration before,
//!              it will be the same one iteration later
//! ```
//!
//! Given are the last blocks that ran and the tape after them; the answer is a period, and the
//! certificate names it and the moment.

use crate::blocks::{Block, BlockId, Op};
use crate::run::Tape;

/// The longest period looked for. Checking one takes time in proportion to it.
const LONGEST: usize = 1 << 14;
/// An iteration that visits at most so many cells needs no memory of its own.
const FEW: usize = 32;

/// What is known of a program in the middle of its run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment<'a> {
    /// The last blocks that ran, newest last; all of them work on.
    pub(crate) recent: &'a [BlockId],
    /// The block due.
    pub(crate) due: BlockId,
    /// The tape now.
    pub(crate) tape: &'a Tape,
}

/// Finds a number of blocks that will be repeated for ever, if the last iteration was one already.
pub(crate) fn period(moment: Moment<'_>, find: impl Fn(BlockId) -> Block) -> Option<usize> {
    let recent = moment.recent;
    // Periods that do not go on, and how many blocks at the end have them: several iterations of one of
    // these are the same claim again, and a long loop would bring it up again and again.
    let mut failed: Vec<(usize, usize)> = Vec::new();
    // Smallest first, so that the period found is primitive: a multiple holds whenever it does.
    for period in 1..=(recent.len() / 2).min(LONGEST) {
        let (before, iteration) = recent.split_at(recent.len() - period);
        if iteration.first() != Some(&moment.due)
            || failed.iter().any(|&(shorter, long)| period % shorter == 0 && period <= long)
            || !before.ends_with(iteration)
        {
            continue;
        }
        if goes_on(iteration, moment, &find) {
            return Some(period);
        }
        let again = recent.iter().rev().skip(period).zip(recent.iter().rev());
        failed.push((period, period + again.take_while(|(earlier, later)| earlier == later).count()));
    }
    None
}

fn goes_on(iteration: &[BlockId], moment: Moment<'_>, find: &impl Fn(BlockId) -> Block) -> bool {
    let mut offset = 0_i64;
    let (mut least, mut most) = (0_i64, 0_i64);
    for &id in iteration {
        let Block::Work { op, .. } = find(id) else { return false };
        if let Op::Shift(amount) = op {
            offset += i64::from(amount);
            (least, most) = (least.min(offset), most.max(offset));
        }
    }
    let shift = offset;
    // By offset from the least one: what a whole iteration adds, and what it has added so far. Most
    // iterations need little room, and memory that is asked for takes longer than they do.
    let (mut few, mut many) = ([0_i64; 2 * FEW], Vec::new());
    let width = (most - least) as usize + 1;
    let both = if width <= FEW {
        few.as_mut_slice()
    } else {
        many.resize(2 * width, 0_i64);
        many.as_mut_slice()
    };
    let (changes, added) = both.split_at_mut(both.len() / 2);
    offset = 0;
    for &id in iteration {
        match find(id) {
            Block::Work { op: Op::Shift(amount), .. } => offset += i64::from(amount),
            Block::Work { op: Op::Delta(amount), .. } => {
                if let Some(change) = changes.get_mut((offset - least) as usize) {
                    *change += i64::from(amount);
                }
            }
            _ => return false,
        }
    }
    if shift != 0 {
        return travels(shift, (least, most), moment, changes);
    }
    // It ends where it began: no test may ever come out otherwise.
    let mut followers = iteration.iter().skip(1).copied().chain([moment.due]);
    iteration.iter().all(|&id| {
        let Block::Work { op, zero, .. } = find(id) else { return false };
        if let Op::Shift(amount) = op {
            offset += i64::from(amount);
        }
        let index = (offset - least) as usize;
        let (Some(added), Some(&change)) = (added.get_mut(index), changes.get(index)) else { return false };
        if let Op::Delta(amount) = op {
            *added += i64::from(amount);
        }
        let value = moment.tape.at(moment.tape.position() + offset) + *added;
        match (zero == followers.next(), change) {
            (true, change) => value == 0 && change == 0,
            (false, 0) => value != 0,
            // Zero after -value / change more iterations, if that is a whole number of them.
            (false, change) => !(value % change == 0 && -value / change >= 0),
        }
    })
}

/// An iteration that ends farther along: one iteration before, everything from the rearmost cell it saw
/// onward must have been the same. `changes` is what it adds to each cell from its least one on.
fn travels(shift: i64, (least, most): (i64, i64), moment: Moment<'_>, changes: &[i64]) -> bool {
    let tape = moment.tape;
    let now = tape.position();
    let before = now - shift;
    let change = |offset: i64| {
        usize::try_from(offset - least).ok().and_then(|index| changes.get(index)).copied().unwrap_or(0)
    };
    let value_before = |at: i64| tape.at(at) - change(at - before);
    let same = |n: i64| value_before(before + n) == tape.at(now + n);
    if shift > 0 {
        let last = tape.last().unwrap_or(now);
        (least..=(last - before).max(most)).all(same)
    } else {
        let first = tape.first().unwrap_or(now);
        ((first - before).min(least)..=most).all(same)
    }
}
