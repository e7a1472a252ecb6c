//! Calls on lanes, each in the lane below the call around it: what a picture of a thread over time is drawn from.

use super::TimedCall;

/// Calls by lane, in each lane in the order of time. Calls of one lane do not overlap.
#[derive(Debug, Clone, Default)]
pub struct Lanes {
    /// From the outermost: numbers of calls.
    lanes: Vec<Vec<u32>>,
}

/// What a lane shows of a part of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The call, or the longest of those that are too short to be seen one by one.
    pub call: u32,
    /// When the first of them began and the last ended, ns since 1970.
    pub from: i64,
    /// See `from`.
    pub to: i64,
    /// How many they are.
    pub count: u64,
}

fn begin(call: &TimedCall) -> i64 {
    call.begin.from + (call.begin.to - call.begin.from) / 2
}

fn end(call: &TimedCall) -> i64 {
    call.end.from + (call.end.to - call.end.from) / 2
}

impl Lanes {
    /// Of the calls of one thread, in the order in which they ended.
    pub fn of(calls: &[TimedCall]) -> Lanes {
        let mut lanes: Vec<Vec<u32>> = vec![];
        let mut enclosing: Vec<&TimedCall> = vec![];
        // From the last that ended, a call comes after all that are around it.
        for (number, call) in calls.iter().enumerate().rev() {
            let is_within = |outer: &TimedCall| call.depth > outer.depth && call.position >= outer.position;
            while enclosing.last().is_some_and(|outer| !is_within(outer)) {
                enclosing.pop();
            }
            let lane = enclosing.len();
            if lanes.len() == lane {
                lanes.push(vec![]);
            }
            if let Some(lane) = lanes.get_mut(lane) {
                lane.push(u32::try_from(number).unwrap_or(u32::MAX));
            }
            enclosing.push(call);
        }
        lanes.iter_mut().for_each(|lane| lane.reverse());
        Lanes { lanes }
    }

    /// How many lanes there are.
    pub fn len(&self) -> usize {
        self.lanes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// What a lane shows from `from` to `to`: calls that are shorter than `least` and closer to each other than that are
    /// put together.
    pub fn segments(
        &self,
        calls: &[TimedCall],
        lane: usize,
        (from, to): (i64, i64),
        least: i64,
    ) -> Vec<Segment> {
        let Some(lane) = self.lanes.get(lane) else { return vec![] };
        let call = |number: &u32| calls.get(*number as usize);
        let first = lane.partition_point(|number| call(number).is_some_and(|call| end(call) < from));
        let mut segments: Vec<Segment> = vec![];
        for number in lane.get(first..).unwrap_or_default() {
            let Some(one) = call(number) else { continue };
            let (begins, ends) = (begin(one), end(one));
            if begins > to {
                break;
            }
            let length = ends - begins;
            match segments.last_mut() {
                Some(last) if length < least && last.to - last.from < least && begins - last.to < least => {
                    if call(&last.call).is_none_or(|longest| length > end(longest) - begin(longest)) {
                        last.call = *number;
                    }
                    last.to = last.to.max(ends);
                    last.count += 1;
                }
                _ => segments.push(Segment { call: *number, from: begins, to: ends, count: 1 }),
            }
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::collect;
    use super::*;

    /// Each lane, its calls by the letters of their methods.
    fn lanes(text: &str) -> Vec<String> {
        let collected = collect(text);
        let lanes = Lanes::of(&collected.calls);
        let name = |number: &u32| char::from(b'A' + collected.calls[*number as usize].method.0 as u8 - 1);
        lanes.lanes.iter().map(|lane| lane.iter().map(name).collect()).collect()
    }

    #[test]
    fn a_call_lies_in_the_lane_below_the_one_around_it() {
        assert_eq!(lanes("0 A . 1 . 10 B . 11 . 20 b . 21 C . 22 . 30 c . 31 a 32"), ["A", "BC"]);
        // What is not known is not there: D lies within a call between two readings, and not within A, which had ended.
        assert_eq!(lanes("0 A . 1 . 10 a . 11 X D . 12 . 20 d 21 . x 22"), ["AX", "D"]);
        assert_eq!(lanes("0 A . 1 . 10 a B . 11 . 20 b 21"), ["AB"]);
        assert_eq!(lanes(""), Vec::<String>::new());
    }

    #[test]
    fn short_calls_are_put_together_where_they_cannot_be_told_apart() {
        let collected = collect("0 A . 1 . 10 a 11 A . 12 . 31 a 32 A . 33 . 40 a 41");
        let lanes = Lanes::of(&collected.calls);
        let segments = |from: i64, to: i64, least: i64| -> Vec<(u32, i64, u64)> {
            let found =
                lanes.segments(&collected.calls, 0, (from * 1_000_000, to * 1_000_000), least * 1_000_000);
            found.iter().map(|one| (one.call, (one.to - one.from) / 1_000_000, one.count)).collect()
        };
        assert_eq!(segments(0, 50, 1), [(0, 10, 1), (1, 20, 1), (2, 8, 1)]);
        assert_eq!(segments(0, 50, 60), [(1, 40, 3)]);
        assert_eq!(segments(35, 36, 1), [(2, 8, 1)]);
    }
}
