//! How regular a row of counts is.

/// The lengths of one inner loop, iteration after iteration of the loop around it, in units of its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// Always the same.
    Constant(u64),
    /// The same difference from each turn to the next; at least three iterations show it.
    Linear {
        /// In the first iteration.
        first: u64,
        /// In the last whole iteration.
        last: u64,
        /// What each iteration adds; negative where the loop gets shorter.
        step: i64,
    },
    /// Neither.
    Other {
        /// The fewest.
        least: u64,
        /// The most.
        most: u64,
    },
}

impl Counts {
    /// What `lengths` look like; `None` if there are none.
    pub fn of(lengths: &[u64]) -> Option<Counts> {
        let (&first, &last) = (lengths.first()?, lengths.last()?);
        let step = |pair: &[u64]| i128::from(pair[1]) - i128::from(pair[0]);
        let mut steps = lengths.windows(2).map(step);
        let Some(one) = steps.next() else { return Some(Counts::Constant(first)) };
        if steps.all(|other| other == one) {
            match i64::try_from(one) {
                Ok(0) => return Some(Counts::Constant(first)),
                Ok(step) if lengths.len() > 2 => return Some(Counts::Linear { first, last, step }),
                _ => {}
            }
        }
        let (least, most) = lengths
            .iter()
            .fold((first, first), |(least, most), &length| (least.min(length), most.max(length)));
        Some(Counts::Other { least, most })
    }
}
