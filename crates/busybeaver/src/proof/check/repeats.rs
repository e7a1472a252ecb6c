//! The same blocks for ever.
//!
//! The iteration is run once. If it ends where it began (net shift 0), every test in it is about a
//! value that changes by a fixed amount with every iteration. If it ends elsewhere, everything from
//! its rearmost cell onward must be as it was one iteration before, seen from the data pointer: then
//! the next iteration does the same, and so on.
//!
//! Source: periodic loops of the original (spec, 4.4); "translated cyclers" of the Busy Beaver
//! community for those that travel.

use super::{LONGEST_PERIOD, Refusal, step};
use crate::run::{Tape, Walk};
use std::collections::HashMap;

pub(super) fn check(mut walk: Walk<'_>, period: u64) -> Result<(), Refusal> {
    if period == 0 || period > LONGEST_PERIOD {
        return Err(Refusal::Period(period));
    }
    let begin = walk.tape().clone();
    let first = walk.block();
    let start = begin.position();
    let mut iteration = Vec::new();
    // Offset of each test, and whether the value was zero.
    let mut tests = Vec::new();
    let (mut least, mut most) = (0, 0);
    let claimed = walk.blocks() + period;
    for _ in 0..period {
        iteration.push(walk.block());
        step(&mut walk, claimed)?;
        let offset = walk.tape().position() - start;
        (least, most) = (offset.min(least), offset.max(most));
        tests.push((offset, walk.tape().value()));
    }
    if walk.block() != first {
        return Err(Refusal::OtherBlock);
    }
    // One certificate for one loop: a multiple of the period would be true, too.
    let shortest = (1..iteration.len()).find(|n| {
        iteration.len() % n == 0 && iteration.iter().skip(*n).eq(iteration.iter().take(iteration.len() - n))
    });
    if let Some(shortest) = shortest {
        return Err(Refusal::NotShortest { found: period, shortest: shortest as u64 });
    }
    let end = walk.tape();
    let shift = end.position() - start;
    if shift == 0 {
        return stays(&begin, end, &tests);
    }
    let (low, high) = extent(&begin, end);
    let reach = if shift > 0 { least..=(high - start).max(most) } else { (low - start).min(least)..=most };
    for offset in reach {
        if begin.at(start + offset) != end.at(start + shift + offset) {
            return Err(Refusal::OtherValue { offset });
        }
    }
    Ok(())
}

/// Stationary: no test comes out otherwise in any later iteration.
fn stays(begin: &Tape, end: &Tape, tests: &[(i64, i64)]) -> Result<(), Refusal> {
    let mut changes = HashMap::new();
    for &(offset, value) in tests {
        let at = begin.position() + offset;
        let change = *changes.entry(offset).or_insert_with(|| end.at(at) - begin.at(at));
        // After n more iterations the value tested here is value + n * change.
        let stays = match (value, change) {
            (_, 0) => true,
            _ => value % change != 0 || value / change > 0,
        };
        if !stays {
            return Err(Refusal::LeavesLoop { offset });
        }
    }
    Ok(())
}

/// The segment outside of which both tapes are zero.
fn extent(one: &Tape, other: &Tape) -> (i64, i64) {
    let bounds = [one.bounds(), other.bounds()].into_iter().flatten();
    let (low, high) =
        bounds.fold((i64::MAX, i64::MIN), |(low, high), (first, last)| (low.min(first), high.max(last)));
    if low > high { (one.position(), one.position()) } else { (low, high) }
}

#[cfg(test)]
mod tests;
