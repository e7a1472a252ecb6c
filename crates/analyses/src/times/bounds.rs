//! What is known of a time: that it lies between two others.

/// A moment between two others, ns since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Not before this.
    pub from: i64,
    /// Not after this.
    pub to: i64,
}

/// A length in nanoseconds that is off by at most so much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Known {
    /// The middle of what it can be.
    pub value: i64,
    /// How far the bounds are from there.
    pub within: i64,
}

impl Known {
    /// Between these, the first not below 0.
    pub fn between(least: i64, most: i64) -> Known {
        let least = least.max(0);
        let most = most.max(least);
        Known { value: least + (most - least) / 2, within: most - least - (most - least) / 2 }
    }

    /// Both together.
    pub fn plus(self, other: Known) -> Known {
        Known {
            value: self.value.saturating_add(other.value),
            within: self.within.saturating_add(other.within),
        }
    }
}

impl Bounds {
    /// From this moment to one that is not earlier.
    pub fn until(self, end: Bounds) -> Known {
        Known::between(end.from.saturating_sub(self.to), end.to.saturating_sub(self.from))
    }

    fn width(self) -> u64 {
        self.to.saturating_sub(self.from).max(0).cast_unsigned()
    }
}

/// The least and the most processor time that was used from a beginning to an end, of what the thread had used: before
/// and after the beginning, before and after the end. It can have used no more than passed.
pub(super) fn used(begin: Bounds, end: Bounds, used: [Option<u64>; 4]) -> Option<Known> {
    let [begin_before, begin_after, end_before, end_after] = used;
    let begin_after = begin_after?;
    let end_after = end_after?;
    let least_at_begin = begin_before.unwrap_or(0).max(begin_after.saturating_sub(begin.width()));
    let least_at_end = end_before.unwrap_or(0).max(end_after.saturating_sub(end.width())).max(begin_after);
    let length = |from: u64, to: u64| i64::try_from(to.saturating_sub(from)).unwrap_or(i64::MAX);
    Some(Known::between(length(begin_after, least_at_end), length(least_at_begin, end_after)))
}
