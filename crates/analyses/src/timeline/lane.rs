//! A lane: the states of one row over time, and how long each was held in any segment of it.
//!
//! ```text
//! times    0   5   9   30 ...                       a state holds from its time to the next one
//! values   a   b   a   c  ...
//! sums     for each block of 64 changes: how long a, b, c were held up to it, where that differs from the block before
//! ```
//!
//! How long a state was held between two moments is a difference of two sums and two short scans. So a picture
//! is exact at every zoom and costs the same however much lies in a column of it: there are no levels of detail.

use super::sums::{Column, Sums, add};

/// Changes between two sums.
const BLOCK: usize = 64;

/// States as numbers that [`super::States`] gives.
pub type StateId = u16;

/// What a column of a picture shows of each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weigh {
    /// How long it was held.
    #[default]
    Time,
    /// How often it began: for rows whose states are events.
    Count,
}

/// The states of one row over time.
#[derive(Debug, Default)]
pub struct Lane {
    weigh: Weigh,
    times: Vec<i64>,
    values: Vec<StateId>,
    sums: Sums,
}

impl Lane {
    /// An empty one.
    pub fn new(weigh: Weigh) -> Lane {
        Lane { weigh, ..Lane::default() }
    }

    /// From `time` on the state is `value`. Times that run backwards are taken as the last one.
    pub fn push(&mut self, time: i64, value: StateId) {
        let last = self.times.last().copied();
        let time = last.map_or(time, |last| time.max(last));
        let blocks = self.times.len().div_ceil(BLOCK);
        if let (Weigh::Time, Some(last), Some(&held)) = (self.weigh, last, self.values.last()) {
            self.sums.add(held, time.abs_diff(last), blocks);
        }
        if self.weigh == Weigh::Count {
            self.sums.add(value, 1, self.times.len() / BLOCK + 1);
        }
        self.times.push(time);
        self.values.push(value);
    }

    /// The same, unless the state is `value` already.
    pub fn change(&mut self, time: i64, value: StateId) {
        if self.values.last() != Some(&value) {
            self.push(time, value);
        }
    }

    /// How many changes there are.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether nothing is known of the row.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The change that holds at `time`.
    pub fn index_at(&self, time: i64) -> Option<usize> {
        self.times.partition_point(|&change| change <= time).checked_sub(1)
    }

    /// The same, found from a change that holds at an earlier moment: what is near is found at once.
    fn index_after(&self, known: Option<usize>, time: i64) -> Option<usize> {
        let start = known.unwrap_or(0);
        let rest = self.times.get(start..).unwrap_or_default();
        let mut reach = 1;
        while rest.get(reach).is_some_and(|&change| change <= time) {
            reach *= 2;
        }
        let near = rest.get(..reach.min(rest.len())).unwrap_or_default();
        (start + near.partition_point(|&change| change <= time)).checked_sub(1)
    }

    /// When a change was, to what, and when the next one is.
    pub fn get(&self, index: usize) -> Option<(i64, StateId, Option<i64>)> {
        Some((*self.times.get(index)?, *self.values.get(index)?, self.times.get(index + 1).copied()))
    }

    /// All changes from `index` on.
    pub fn from(&self, index: usize) -> impl Iterator<Item = (i64, StateId)> + Clone + '_ {
        let rest = index.min(self.times.len());
        self.times[rest..].iter().copied().zip(self.values[rest..].iter().copied())
    }

    /// The next change behind `from`, or the last one before it, to a state that is `wanted`.
    pub fn next_to(
        &self,
        from: Option<usize>,
        back: bool,
        wanted: impl Fn(StateId) -> bool,
    ) -> Option<usize> {
        let is_wanted = |index: &usize| self.values.get(*index).is_some_and(|&value| wanted(value));
        let (block, last) = (from.map_or(0, |from| from / BLOCK), self.values.len().checked_sub(1)?);
        let columns = self.sums.columns().iter().filter(|column| wanted(column.value));
        if back {
            let from = from?;
            let near = (block * BLOCK..from).rev().find(is_wanted);
            // A sum that differs from block `b` on shows a change in block `b - 1`.
            let far = |column: &Column| {
                let before = column.sums.partition_point(|&(differs, _)| differs as usize <= block);
                Some(column.sums.get(before.checked_sub(1)?)?.0 as usize - 1)
            };
            return near.or_else(|| {
                let block = columns.filter_map(far).max()?;
                (block * BLOCK..(block + 1) * BLOCK).rev().find(is_wanted)
            });
        }
        let start = from.map_or(0, |from| from + 1);
        let near = (start..((block + 1) * BLOCK).min(last + 1)).find(is_wanted);
        let far = |column: &Column| {
            let upper = column.sums.partition_point(|&(differs, _)| differs as usize <= block + 1);
            Some(column.sums.get(upper)?.0 as usize - 1)
        };
        let far = || {
            let block = columns.filter_map(far).min()?;
            (block * BLOCK..((block + 1) * BLOCK).min(last + 1)).find(is_wanted)
        };
        // No sum includes yet how long the last state is held.
        near.or_else(far).or_else(|| (start <= last).then_some(last).filter(is_wanted))
    }

    /// How long each state was held from `from` up to `to`, or how often it began there, the most first. Before the
    /// first change nothing is held, so the sum may be less than the time between.
    pub fn held(&self, from: i64, to: i64) -> Vec<(StateId, u64)> {
        let mut out = Vec::new();
        let first = self.index_at(if self.weigh == Weigh::Count { from.saturating_sub(1) } else { from });
        if let Some(last) = self.index_at(to.saturating_sub(1)).filter(|_| from < to)
            && !(self.weigh == Weigh::Count && Some(last) == first)
        {
            self.shares(from, to, first, last, &mut out);
        }
        out.sort_unstable_by_key(|&(value, weight)| (std::cmp::Reverse(weight), value));
        out
    }

    /// What the numbers of [`Lane::held`] are.
    pub fn weigh(&self) -> Weigh {
        self.weigh
    }

    /// Fills `out` with the states held in `from..to`, each with how long. `first` and `last` are the changes
    /// that hold at `from` and right before `to`; before the first change nothing is held.
    fn shares(&self, from: i64, to: i64, first: Option<usize>, last: usize, out: &mut Vec<(StateId, u64)>) {
        out.clear();
        if self.weigh == Weigh::Count {
            return self.counts(first.map_or(0, |first| first + 1), last, out);
        }
        let start = first.unwrap_or(0);
        if last - start <= 2 * BLOCK {
            self.scan(from, to, start, last, |value, lasted| add(out, value, lasted));
            return;
        }
        // A block that begins before `from` is not whole.
        let is_before = first.is_some_and(|first| self.time(first) < from);
        let (head, tail) = ((start + usize::from(is_before)).div_ceil(BLOCK), last / BLOCK);
        self.sums.between(head, tail, out);
        let (whole_from, whole_to) = (self.time(head * BLOCK), self.time(tail * BLOCK));
        if whole_from > from && head * BLOCK > 0 {
            self.scan(from, whole_from, start, head * BLOCK - 1, |value, lasted| add(out, value, lasted));
        }
        self.scan(whole_to, to, tail * BLOCK, last, |value, lasted| add(out, value, lasted));
    }

    /// How often each state began with the changes `start..=last`.
    fn counts(&self, start: usize, last: usize, out: &mut Vec<(StateId, u64)>) {
        let mut scan = |from: usize, to: usize| {
            self.values.get(from..to).unwrap_or_default().iter().for_each(|&value| add(out, value, 1));
        };
        let (head, tail) = (start.div_ceil(BLOCK), last / BLOCK);
        if tail <= head {
            return scan(start, last + 1);
        }
        let mut sums = Vec::new();
        self.sums.between(head, tail, &mut sums);
        scan(start, head * BLOCK);
        scan(tail * BLOCK, last + 1);
        sums.into_iter().for_each(|(value, count)| add(out, value, count));
    }

    fn time(&self, index: usize) -> i64 {
        self.times.get(index).copied().unwrap_or(i64::MAX)
    }

    fn scan(&self, from: i64, to: i64, first: usize, last: usize, mut each: impl FnMut(StateId, u64)) {
        for index in first..=last {
            let Some(&value) = self.values.get(index) else { return };
            let start = self.time(index).max(from);
            let end = self.time(index + 1).min(to);
            if end > start {
                each(value, end.abs_diff(start));
            }
        }
    }
}

/// What a column of a picture shows.
#[derive(Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing is known of the row yet.
    Nothing,
    /// One state all the time, and nothing happened.
    One(StateId),
    /// Several: each with its weight, the largest first. Where events are counted, also a single one.
    Mixed(&'a [(StateId, u64)]),
}

/// Calls `each` for every one of `width` columns between `from` and `to`. `end`: nothing is known from there on.
pub fn cells(lane: &Lane, from: i64, to: i64, end: i64, width: u32, mut each: impl FnMut(u32, Cell<'_>)) {
    let mut shares = Vec::new();
    let span = i128::from(to) - i128::from(from);
    let edge = |column: u32| {
        let at = i128::from(from) + span * i128::from(column) / i128::from(width.max(1));
        i64::try_from(at).unwrap_or(to)
    };
    let mut last = lane.index_at(if lane.weigh == Weigh::Count { from.saturating_sub(1) } else { from });
    for column in 0..width {
        let (start, stop) = (edge(column), edge(column + 1).min(end));
        if start >= end {
            each(column, Cell::Nothing);
            continue;
        }
        let first = last;
        // A column shorter than a nanosecond is the moment at its start.
        last = lane.index_after(first, stop.max(start.saturating_add(1)) - 1);
        match (first, last) {
            (_, None) => each(column, Cell::Nothing),
            (Some(first), Some(last)) if first == last => match lane.values.get(last) {
                Some(&value) => each(column, Cell::One(value)),
                None => each(column, Cell::Nothing),
            },
            (first, Some(last)) => {
                lane.shares(start, stop.max(start + 1), first, last, &mut shares);
                shares.sort_unstable_by_key(|&(value, lasted)| (std::cmp::Reverse(lasted), value));
                match shares[..] {
                    [] => each(column, Cell::Nothing),
                    [(value, _)] if lane.weigh == Weigh::Time => each(column, Cell::One(value)),
                    _ => each(column, Cell::Mixed(&shares)),
                }
            }
        }
        // The change at the very start of the next column belongs to that one: it holds there, and counts there.
        last = match lane.weigh {
            Weigh::Time => lane.index_after(last, edge(column + 1)),
            Weigh::Count => lane.index_after(last, edge(column + 1).saturating_sub(1)),
        };
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    /// The same, by looking at every nanosecond.
    fn plainly(changes: &[(i64, StateId)], from: i64, to: i64) -> Vec<(StateId, u64)> {
        let mut out = vec![];
        for time in from..to {
            if let Some((_, value)) = changes.iter().rev().find(|(change, _)| *change <= time) {
                add(&mut out, *value, 1);
            }
        }
        out.sort_unstable_by_key(|&(value, lasted)| (std::cmp::Reverse(lasted), value));
        out
    }

    #[test]
    fn columns_tell_exactly_how_long_each_state_was_held() {
        let mut random = Rng::with_seed(1);
        let (mut lane, mut changes, mut time) = (Lane::default(), vec![], 10);
        for _ in 0..700 {
            let value = random.u32(..5) as StateId;
            lane.push(time, value);
            changes.push((time, value));
            // Several changes at one moment happen too.
            time += random.i64(0..4);
        }
        for (from, to, width) in
            [(0, 1200, 3), (0, 1200, 1), (5, 900, 7), (100, 131, 31), (400, 410, 40), (0, 9, 3)]
        {
            let mut shown = 0;
            cells(&lane, from, to, i64::MAX, width, |column, cell| {
                let span = to - from;
                let edge = |column: u32| from + span * i64::from(column) / i64::from(width);
                let (start, stop) = (edge(column), edge(column + 1).max(edge(column) + 1));
                let expected = plainly(&changes, start, stop);
                match cell {
                    Cell::Nothing => assert_eq!(expected, [], "{from} {to} {width} {column}"),
                    Cell::One(value) => {
                        assert_eq!(expected.len(), 1, "{from} {to} {width} {column}");
                        assert_eq!(expected[0].0, value);
                    }
                    Cell::Mixed(shares) => assert_eq!(shares, expected, "{from} {to} {width} {column}"),
                }
                shown += 1;
            });
            assert_eq!(shown, width);
        }
    }

    #[test]
    fn what_is_held_in_a_range_is_what_every_nanosecond_of_it_shows() {
        for weigh in [Weigh::Time, Weigh::Count] {
            let (mut lane, mut changes, mut time) = (Lane::new(weigh), vec![], 10);
            let mut random = Rng::with_seed(5);
            for _ in 0..900 {
                let value = random.u32(..8) as StateId;
                lane.push(time, value);
                changes.push((time, value));
                time += random.i64(0..3);
            }
            for from in (0..time + 20).step_by(37) {
                for to in (0..time + 20).step_by(53) {
                    let mut expected = vec![];
                    match weigh {
                        Weigh::Time => expected = plainly(&changes, from, to),
                        Weigh::Count => {
                            let inside = changes.iter().filter(|(time, _)| (from..to).contains(time));
                            inside.for_each(|(_, value)| add(&mut expected, *value, 1));
                        }
                    }
                    expected.sort_unstable_by_key(|&(value, weight)| (std::cmp::Reverse(weight), value));
                    assert_eq!(lane.held(from, to), expected, "{weigh:?} {from} {to}");
                }
            }
        }
        assert_eq!(Lane::default().held(0, 5), []);
    }

    #[test]
    fn columns_tell_how_often_each_event_happened() {
        let (mut lane, mut random) = (Lane::new(Weigh::Count), Rng::with_seed(7));
        let changes: Vec<(i64, StateId)> =
            (0..1000).map(|number| (10 + number * 3, random.u32(..16) as StateId)).collect();
        changes.iter().for_each(|&(time, value)| lane.push(time, value));
        for (from, to, width) in [(0, 4000, 3), (0, 4000, 1), (5, 900, 70), (100, 131, 31)] {
            let mut total = 0;
            cells(&lane, from, to, i64::MAX, width, |column, cell| {
                let edge = |column: u32| from + (to - from) * i64::from(column) / i64::from(width);
                let inside =
                    changes.iter().filter(|(time, _)| (edge(column)..edge(column + 1)).contains(time));
                let Cell::Mixed(shares) = cell else { return assert_eq!(inside.count(), 0) };
                for (value, count) in shares {
                    let expected = inside.clone().filter(|(_, other)| other == value).count() as u64;
                    assert_eq!(expected, *count, "{from} {to} {width} {column}");
                }
                total += shares.iter().map(|(_, count)| count).sum::<u64>();
            });
            let inside = changes.iter().filter(|(time, _)| (from..to).contains(time)).count() as u64;
            assert_eq!(total, inside);
        }
    }

    #[test]
    fn the_next_change_to_a_state_is_that_of_a_search_through_all() {
        for weigh in [Weigh::Time, Weigh::Count] {
            let (mut lane, mut random) = (Lane::new(weigh), Rng::with_seed(11));
            for number in 0..1000 {
                // Some states are rare, one comes at the very end only, some moments are the same.
                let value =
                    if number == 999 { 99 } else { (random.u32(..1024) as StateId).saturating_sub(990) };
                lane.push(number / 2, value);
            }
            for wanted in [0, 7, 30, 33, 99, 1000] {
                let is_wanted = |state: StateId| state == wanted;
                let all: Vec<usize> = (0..1000).filter(|&at| lane.values[at] == wanted).collect();
                assert_eq!(lane.next_to(None, false, is_wanted), all.first().copied(), "{wanted}");
                assert_eq!(lane.next_to(None, true, is_wanted), None);
                for from in 0..1000 {
                    let next = all.iter().copied().find(|&at| at > from);
                    assert_eq!(lane.next_to(Some(from), false, is_wanted), next, "{wanted} from {from}");
                    let before = all.iter().rev().copied().find(|&at| at < from);
                    assert_eq!(
                        lane.next_to(Some(from), true, is_wanted),
                        before,
                        "{wanted} back from {from}"
                    );
                }
            }
        }
        assert_eq!(Lane::default().next_to(None, false, |_| true), None);
    }

    #[test]
    fn nothing_is_shown_behind_the_end_or_before_the_first_change() {
        let mut lane = Lane::default();
        lane.push(10, 1);
        let mut shown = vec![];
        cells(&lane, 0, 40, 30, 4, |_, cell| shown.push(format!("{cell:?}")));
        assert_eq!(shown, ["Nothing", "One(1)", "One(1)", "Nothing"]);
        lane.change(12, 1);
        assert_eq!(lane.len(), 1);
        lane.push(5, 2);
        assert_eq!(lane.get(1), Some((10, 2, None)));
    }
}
