//! Rows: two threads side by side, call by call, and where they differ.
//!
//! ```text
//! A  main  bake  heat  cool        rows   0 main | main    differs: its own code went another path
//! B  main  bake  cool  wash               1 bake | bake    equal
//!                                         2 heat |         only in A
//!                                         3 cool | cool    equal
//!                                         4      | wash    only in B
//! ```
//!
//! A row is a call of both sides or of one. The rows of a pair of nodes are known by number without unfolding it: equal
//! calls are one part, whatever is inside, and each pair of different nodes is aligned once ([`align`]). Calls are named by
//! their number in the thread; class initialisers and what they call are left out, as everywhere in a diff.

mod align;
#[cfg(test)]
mod tests;

use super::join::Joint;
use super::threads::{Paired, paired};
use crate::replay::{Measure, NodeId};

/// No two threads nest deeper.
const DEEPEST: usize = 1 << 20;

/// The threads of two sides in rows.
#[derive(Debug, Default)]
pub struct Rows {
    /// The threads: those of the first side in their order, then those that only the second has.
    pub threads: Vec<ThreadRows>,
    /// There was too much that differs: some of it is not aligned and stands on one side, then on the other.
    pub is_cut: bool,
    pairs: Vec<PairRows>,
}

/// A pair of threads.
#[derive(Debug, Clone, Copy)]
pub struct ThreadRows {
    /// Their indices among the threads of each side.
    pub indices: Paired,
    /// All of its rows.
    pub sums: Sums,
    pair: u32,
}

/// How many of something are in a part of the rows, or before a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sums {
    /// Rows.
    pub rows: u64,
    /// Places where a difference begins: a call whose own code differs, or the first of calls on one side only.
    pub differences: u64,
    /// Calls of each side.
    pub calls: [u64; 2],
    /// Rows of each side that the other does not have.
    pub only: [u64; 2],
}

impl Sums {
    fn plus(self, other: Sums) -> Sums {
        let add = |a: [u64; 2], b: [u64; 2]| [a[0].saturating_add(b[0]), a[1].saturating_add(b[1])];
        Sums {
            rows: self.rows.saturating_add(other.rows),
            differences: self.differences.saturating_add(other.differences),
            calls: add(self.calls, other.calls),
            only: add(self.only, other.only),
        }
    }

    fn times(self, times: u64) -> Sums {
        let of = |count: u64| count.saturating_mul(times);
        Sums {
            rows: of(self.rows),
            differences: of(self.differences),
            calls: self.calls.map(of),
            only: self.only.map(of),
        }
    }

    /// So many rows of a part, the first of them.
    fn of_part(part: Part, rows: u64) -> Sums {
        match part {
            Part::Same(_) => Sums { rows, calls: [rows, rows], ..Sums::default() },
            Part::Only { side, is_known, .. } => {
                let mut sums = Sums { rows, ..Sums::default() };
                sums.calls[usize::from(side)] = rows;
                if is_known {
                    sums.only[usize::from(side)] = rows;
                    sums.differences = u64::from(rows > 0);
                }
                sums
            }
            Part::Pair(_) => Sums::default(),
        }
    }
}

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its number in the thread.
    pub number: u64,
    /// The call of each side, by its number among the calls of the thread.
    pub calls: [Option<u64>; 2],
    /// How the sides compare.
    pub verdict: RowVerdict,
}

/// How the two sides of a row compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowVerdict {
    /// The calls did the same by their own code; what they called may differ.
    Equal,
    /// Their own code ran differently, or one returned and the other threw.
    Differs,
    /// One side did not make the call.
    Only,
    /// One side has it, and what the other did there was lost or not seen any more.
    Unknown,
}

/// What stands in a row of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Equal on both sides.
    Same(NodeId),
    /// What names the same and differs inside, by its number.
    Pair(u32),
    /// On one side only; whether the other is known not to have it.
    Only { side: u8, node: NodeId, is_known: bool },
}

/// A part with all its repetitions, and what there is up to its end.
#[derive(Debug, Clone, Copy)]
struct Entry {
    part: Part,
    end: Sums,
}

/// The parts of a pair of nodes.
#[derive(Debug, Default)]
struct PairRows {
    /// What stands before the parts: the row of a pair of calls.
    own: Sums,
    entries: Vec<Entry>,
}

impl PairRows {
    fn all(&self) -> Sums {
        self.own.plus(self.entries.last().map_or(Sums::default(), |entry| entry.end))
    }
}

/// A row and what lies before it.
struct Found {
    row: Row,
    before: Sums,
}

impl Rows {
    /// Aligns the threads of sides `a` and `b`.
    pub fn of(joint: &Joint, a: usize, b: usize) -> Rows {
        let root = |side: usize, index: Option<usize>| Some(joint.sides.get(side)?.threads.get(index?)?.root);
        let indices = paired(joint, a, b);
        let roots: Vec<[Option<NodeId>; 2]> =
            indices.iter().map(|indices| [root(a, indices.0), root(b, indices.1)]).collect();
        let aligned = align::Align::of(joint, &roots);
        let pairs = align::summed(&aligned, &Measure::calls(&joint.replay));
        let thread = |(indices, pair): (&Paired, &u32)| ThreadRows {
            indices: *indices,
            sums: pairs.get(*pair as usize).map_or(Sums::default(), PairRows::all),
            pair: *pair,
        };
        let threads = indices.iter().zip(&aligned.tops).map(thread).collect();
        Rows { threads, is_cut: aligned.is_cut, pairs }
    }

    /// A row of a thread.
    pub fn row(&self, thread: usize, number: u64) -> Option<Row> {
        Some(self.find(thread, number, |sums| sums.rows)?.row)
    }

    /// The row in which side `side` (0 or 1) has its call `call`.
    pub fn row_of_call(&self, thread: usize, side: usize, call: u64) -> Option<u64> {
        Some(self.find(thread, call, |sums| sums.calls[side.min(1)])?.row.number)
    }

    /// What there is before a row; behind the last: all.
    pub fn before(&self, thread: usize, number: u64) -> Sums {
        let all = self.threads.get(thread).map_or(Sums::default(), |thread| thread.sums);
        match self.find(thread, number, |sums| sums.rows) {
            Some(found) => found.before,
            None => all,
        }
    }

    /// The row where the `number`-th difference of a thread begins.
    pub fn difference(&self, thread: usize, number: u64) -> Option<u64> {
        Some(self.find(thread, number, |sums| sums.differences)?.row.number)
    }

    /// The row where the next difference behind a row begins, and its number; `from` `None`: the first.
    pub fn next(&self, thread: usize, from: Option<u64>) -> Option<(u64, u64)> {
        let number = from.map_or(0, |from| self.before(thread, from.saturating_add(1)).differences);
        Some((self.difference(thread, number)?, number))
    }

    /// The same for the one that begins before a row.
    pub fn previous(&self, thread: usize, from: u64) -> Option<(u64, u64)> {
        let number = self.before(thread, from).differences.checked_sub(1)?;
        Some((self.difference(thread, number)?, number))
    }

    /// The row that holds the `k`-th of what `by` counts.
    fn find(&self, thread: usize, k: u64, by: impl Fn(&Sums) -> u64) -> Option<Found> {
        let mut pair = self.pairs.get(self.threads.get(thread)?.pair as usize)?;
        let (mut before, mut left) = (Sums::default(), k);
        for _ in 0..DEEPEST {
            let own = by(&pair.own);
            if left < own {
                let verdict = if pair.own.differences > 0 { RowVerdict::Differs } else { RowVerdict::Equal };
                let row = Row { number: before.rows, calls: before.calls.map(Some), verdict };
                return Some(Found { row, before });
            }
            left -= own;
            before = before.plus(pair.own);
            let at = pair.entries.partition_point(|entry| by(&entry.end) <= left);
            let entry = pair.entries.get(at)?;
            if let Some(last) = at.checked_sub(1).and_then(|last| pair.entries.get(last)) {
                left -= by(&last.end);
                before = before.plus(last.end);
            }
            let (side, verdict) = match entry.part {
                Part::Pair(inner) => {
                    pair = self.pairs.get(inner as usize)?;
                    let one = pair.all();
                    let copy = left / by(&one).max(1);
                    left %= by(&one).max(1);
                    before = before.plus(one.times(copy));
                    continue;
                }
                Part::Same(_) => (None, RowVerdict::Equal),
                Part::Only { side, is_known: true, .. } => (Some(side), RowVerdict::Only),
                Part::Only { side, is_known: false, .. } => (Some(side), RowVerdict::Unknown),
            };
            // All repetitions of a part that is not aligned are one row of rows.
            before = before.plus(Sums::of_part(entry.part, left));
            let mut calls = before.calls.map(Some);
            if let Some(side) = side {
                calls[1 - usize::from(side.min(1))] = None;
            }
            return Some(Found { row: Row { number: before.rows, calls, verdict }, before });
        }
        None
    }
}
