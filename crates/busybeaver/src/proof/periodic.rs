//! Programs that repeat the same blocks for ever.
//!
//! ```text
//! stationary   a turn ends where it began: each value tested changes by the same amount with
//!              every turn, so whether a test ever comes out otherwise is arithmetic
//! travelling   a turn ends farther along: if everything it sees was the same one turn before,
//!              it will be the same one turn later
//! ```
//!
//! Given are the last blocks that ran and the tape after them; the answer is a period, and the
//! certificate names it and the moment.

use crate::blocks::{Block, BlockId, Op};
use crate::run::Tape;

/// The longest period looked for. Checking one takes time in proportion to it.
const LONGEST: usize = 1 << 14;

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

/// Finds a number of blocks that will be repeated for ever, if the last turn was one already.
pub(crate) fn period(moment: Moment<'_>, find: impl Fn(BlockId) -> Block) -> Option<usize> {
    let recent = moment.recent;
    // Periods that do not go on, and how many blocks at the end have them: several turns of one of
    // these are the same claim again, and a long loop would bring it up again and again.
    let mut failed: Vec<(usize, usize)> = Vec::new();
    // Smallest first, so that the period found is primitive: a multiple holds whenever it does.
    for period in 1..=(recent.len() / 2).min(LONGEST) {
        let (before, turn) = recent.split_at(recent.len() - period);
        if turn.first() != Some(&moment.due)
            || failed.iter().any(|&(shorter, long)| period % shorter == 0 && period <= long)
            || !before.ends_with(turn)
        {
            continue;
        }
        if goes_on(turn, moment, &find) {
            return Some(period);
        }
        let again = recent.iter().rev().skip(period).zip(recent.iter().rev());
        failed.push((period, period + again.take_while(|(earlier, later)| earlier == later).count()));
    }
    None
}

/// One test of a value: after a block of the turn, was it zero?
struct Test {
    offset: i64,
    /// Added to the value up to then, since the turn began.
    added: i64,
    wants_zero: bool,
}

fn goes_on(turn: &[BlockId], moment: Moment<'_>, find: &impl Fn(BlockId) -> Block) -> bool {
    let mut tests = Vec::with_capacity(turn.len());
    let mut offset = 0_i64;
    let (mut least, mut most) = (0_i64, 0_i64);
    for &id in turn {
        let Block::Work { op, .. } = find(id) else { return false };
        if let Op::Shift(amount) = op {
            offset += i64::from(amount);
            (least, most) = (least.min(offset), most.max(offset));
        }
    }
    let shift = std::mem::take(&mut offset);
    // What a turn adds, by offset from the least one.
    let mut changes = vec![0_i64; (most - least) as usize + 1];
    for (index, &id) in turn.iter().enumerate() {
        let Block::Work { op, zero, .. } = find(id) else { return false };
        if let Op::Shift(amount) = op {
            offset += i64::from(amount);
        }
        let Some(change) = changes.get_mut((offset - least) as usize) else { return false };
        if let Op::Delta(amount) = op {
            *change += i64::from(amount);
        }
        let next = turn.get(index + 1).copied().unwrap_or(moment.due);
        tests.push(Test { offset, added: *change, wants_zero: zero == Some(next) });
    }
    let change = |offset: i64| {
        usize::try_from(offset - least).ok().and_then(|index| changes.get(index)).copied().unwrap_or(0)
    };
    let tape = moment.tape;
    let now = tape.position();
    if shift == 0 {
        return tests.iter().all(|test| {
            let value = tape.at(now + test.offset) + test.added;
            match (test.wants_zero, change(test.offset)) {
                (true, change) => value == 0 && change == 0,
                (false, 0) => value != 0,
                // Zero after -value / change more turns, if that is a whole number of them.
                (false, change) => !(value % change == 0 && -value / change >= 0),
            }
        });
    }
    // One turn before, everything from the rearmost cell it saw onward must have been the same.
    let before = now - shift;
    let value_before = |at: i64| tape.at(at) - change(at - before);
    let (first, last) = tape.bounds().unwrap_or((now, now));
    let same = |n: i64| value_before(before + n) == tape.at(now + n);
    if shift > 0 {
        (least..=(last - before).max(most)).all(same)
    } else {
        ((first - before).min(least)..=most).all(same)
    }
}
