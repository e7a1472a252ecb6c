//! A lane: the states of one row over time, and how long each was held in any stretch of it.
//!
//! ```text
//! times    0   5   9   30 ...                       a state holds from its time to the next one
//! values   a   b   a   c  ...
//! sums     after every 64th change: how long a, b, c were held up to there
//! ```
//!
//! How long a state was held between two moments is a difference of two sums and two short scans. So a picture
//! is exact at every zoom and costs the same however much lies in a column of it: there are no levels of detail.

/// Changes between two sums.
const BLOCK: usize = 64;

/// States as numbers that [`super::index::States`] gives.
pub(super) type StateId = u16;

/// One row.
#[derive(Debug, Default)]
pub(super) struct Lane {
    times: Vec<i64>,
    values: Vec<StateId>,
    columns: Vec<Column>,
}

/// How long one state was held.
#[derive(Debug)]
struct Column {
    value: StateId,
    /// Up to the last change.
    held: u64,
    /// The block with which `sums` begins; it was never held before.
    first: usize,
    /// By block: up to its first change.
    sums: Vec<u64>,
}

impl Lane {
    /// From `time` on the state is `value`. Times that run backwards are taken as the last one.
    pub(super) fn push(&mut self, time: i64, value: StateId) {
        let last = self.times.last().copied();
        let time = last.map_or(time, |last| time.max(last));
        if let (Some(last), Some(&held)) = (last, self.values.last()) {
            let lasted = time.abs_diff(last);
            match self.columns.iter_mut().find(|column| column.value == held) {
                Some(column) => column.held = column.held.saturating_add(lasted),
                None => self.columns.push(Column {
                    value: held,
                    held: lasted,
                    first: self.times.len().div_ceil(BLOCK),
                    sums: vec![],
                }),
            }
        }
        if self.times.len().is_multiple_of(BLOCK) {
            for column in &mut self.columns {
                column.sums.push(column.held);
            }
        }
        self.times.push(time);
        self.values.push(value);
    }

    /// The same, unless the state is `value` already.
    pub(super) fn change(&mut self, time: i64, value: StateId) {
        if self.values.last() != Some(&value) {
            self.push(time, value);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// The change that holds at `time`.
    pub(super) fn index_at(&self, time: i64) -> Option<usize> {
        self.times.partition_point(|&change| change <= time).checked_sub(1)
    }

    /// When a change was, to what, and when the next one is.
    pub(super) fn get(&self, index: usize) -> Option<(i64, StateId, Option<i64>)> {
        Some((*self.times.get(index)?, *self.values.get(index)?, self.times.get(index + 1).copied()))
    }

    /// All changes from `index` on.
    pub(super) fn from(&self, index: usize) -> impl Iterator<Item = (i64, StateId)> + '_ {
        let rest = index.min(self.times.len());
        self.times[rest..].iter().copied().zip(self.values[rest..].iter().copied())
    }

    /// Fills `out` with the states held in `from..to`, each with how long. `first` and `last` are the changes
    /// that hold at `from` and right before `to`; before the first change nothing is held.
    fn shares(&self, from: i64, to: i64, first: Option<usize>, last: usize, out: &mut Vec<(StateId, u64)>) {
        out.clear();
        let start = first.unwrap_or(0);
        if last - start <= 2 * BLOCK {
            self.scan(from, to, start, last, |value, lasted| add(out, value, lasted));
            return;
        }
        let (head, tail) = (start.div_ceil(BLOCK), last / BLOCK);
        for column in &self.columns {
            let at = |block: usize| {
                block.checked_sub(column.first).and_then(|place| column.sums.get(place)).copied().unwrap_or(0)
            };
            let lasted = at(tail).saturating_sub(at(head));
            if lasted > 0 {
                out.push((column.value, lasted));
            }
        }
        let (whole_from, whole_to) = (self.time(head * BLOCK), self.time(tail * BLOCK));
        if whole_from > from && head * BLOCK > 0 {
            self.scan(from, whole_from, start, head * BLOCK - 1, |value, lasted| add(out, value, lasted));
        }
        self.scan(whole_to, to, tail * BLOCK, last, |value, lasted| add(out, value, lasted));
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

fn add(out: &mut Vec<(StateId, u64)>, value: StateId, lasted: u64) {
    match out.iter_mut().find(|(known, _)| *known == value) {
        Some((_, sum)) => *sum += lasted,
        None => out.push((value, lasted)),
    }
}

/// What a column of a picture shows.
#[derive(Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// Nothing is known of the row yet.
    Nothing,
    /// One state all the time.
    One(StateId),
    /// Several: each with the time it was held, longest first.
    Mixed(&'a [(StateId, u64)]),
}

/// Calls `each` for every one of `width` columns between `from` and `to`. `end`: nothing is known from there on.
pub(super) fn cells(
    lane: &Lane,
    from: i64,
    to: i64,
    end: i64,
    width: u32,
    mut each: impl FnMut(u32, Cell<'_>),
) {
    let mut shares = Vec::new();
    let span = i128::from(to) - i128::from(from);
    let edge = |column: u32| {
        let at = i128::from(from) + span * i128::from(column) / i128::from(width.max(1));
        i64::try_from(at).unwrap_or(to)
    };
    let mut last = lane.index_at(from);
    for column in 0..width {
        let (start, stop) = (edge(column), edge(column + 1).min(end));
        if start >= end {
            each(column, Cell::Nothing);
            continue;
        }
        let first = last;
        // A column shorter than a nanosecond is the moment at its start.
        last = lane.index_at(stop.max(start.saturating_add(1)) - 1);
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
                    [(value, _)] => each(column, Cell::One(value)),
                    _ => each(column, Cell::Mixed(&shares)),
                }
            }
        }
        // The change at the very start of the next column belongs to that one.
        last = lane.index_at(edge(column + 1));
    }
}

#[cfg(test)]
mod tests {
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
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        let (mut lane, mut changes, mut time) = (Lane::default(), vec![], 10);
        for _ in 0..700 {
            let value = random(5) as StateId;
            lane.push(time, value);
            changes.push((time, value));
            // Several changes at one moment happen too.
            time += random(4) as i64;
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
