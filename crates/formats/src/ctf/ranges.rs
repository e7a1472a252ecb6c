//! Which of many ranges holds a value? Enumerations have labels and variants have options by range.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Ranges that may overlap, prepared so that the first one that holds a value is found by bisection:
/// hostile metadata has a hundred thousand of them, and a search for each event would take for ever.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ranges {
    /// Ascending and disjoint: both ends, and the number of the first range that covers them.
    segments: Vec<(i128, i128, u32)>,
}

impl Ranges {
    /// Prepares ranges, given by both ends, that are numbered from 0 in this order.
    pub(super) fn new(ranges: &[(i128, i128)]) -> Ranges {
        let mut starts: Vec<(i128, u32)> =
            ranges.iter().enumerate().map(|(number, &(low, _))| (low, number as u32)).collect();
        starts.sort_unstable();
        // Between two of these points the answer does not change.
        let mut points: Vec<i128> =
            ranges.iter().flat_map(|&(low, high)| [Some(low), high.checked_add(1)]).flatten().collect();
        points.sort_unstable();
        points.dedup();
        let high_of = |number: u32| ranges.get(number as usize).map_or(i128::MIN, |&(_, high)| high);
        let mut open: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
        let mut starts = starts.into_iter().peekable();
        let mut segments: Vec<(i128, i128, u32)> = Vec::new();
        for (index, &low) in points.iter().enumerate() {
            while let Some((_, number)) = starts.next_if(|&(start, _)| start <= low) {
                open.push(Reverse(number));
            }
            while open.peek().is_some_and(|&Reverse(number)| high_of(number) < low) {
                open.pop();
            }
            let Some(&Reverse(number)) = open.peek() else { continue };
            let high = points.get(index + 1).map_or(i128::MAX, |next| next - 1);
            match segments.last_mut() {
                Some(last) if last.2 == number && last.1.checked_add(1) == Some(low) => last.1 = high,
                _ => segments.push((low, high, number)),
            }
        }
        Ranges { segments }
    }

    /// The number of the first range that holds `value`.
    #[inline]
    pub(super) fn find(&self, value: i128) -> Option<u32> {
        let count = match self.segments.len() {
            0..=8 => self.segments.iter().take_while(|segment| segment.0 <= value).count(),
            _ => self.segments.partition_point(|segment| segment.0 <= value),
        };
        let &(_, high, number) = self.segments.get(count.checked_sub(1)?)?;
        (value <= high).then_some(number)
    }

    /// The prepared ranges.
    pub(super) fn segments(&self) -> &[(i128, i128, u32)] {
        &self.segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_range_wins() {
        let (min, max) = (i128::MIN, i128::MAX);
        let cases: [&[(i128, i128)]; 5] = [
            &[],
            &[(0, 0), (1, 1), (3, 9), (10, 10), (127, 127)],
            &[(5, 9), (0, 20), (9, 30), (7, 7), (25, 40)],
            &[(3, 3), (min, max), (4, 4)],
            &[(-3, -1), (-2, 5), (-9, -2), (8, max)],
        ];
        for ranges in cases {
            let prepared = Ranges::new(ranges);
            for value in (-12..50).chain([min, max, max - 1]) {
                let expected = ranges.iter().position(|(low, high)| (*low..=*high).contains(&value));
                assert_eq!(prepared.find(value), expected.map(|number| number as u32), "{value} {ranges:?}");
            }
        }
    }
}
