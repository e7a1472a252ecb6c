//! How often which record came after which, in what was not lost.
//!
//! The probability of a record is that with which it came after the last four; of what came too seldom there, that
//! after the last two, the last one, at this position of the innermost frame. Each takes the next one in as if that had been seen once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::record::Record;

/// So many sequences of records are counted; what else comes is not.
const MOST: usize = 1 << 20;

/// How many records back are looked at, most first.
const ORDERS: [usize; 4] = [8, 4, 2, 1];

/// What a record comes after: the last four, the last one first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Context([u64; 8]);

impl Context {
    /// The same after one more.
    pub(super) fn then(self, record: Record) -> Context {
        let [a, b, c, d, e, f, g, _] = self.0;
        Context([key(record), a, b, c, d, e, f, g])
    }

    fn last(&self, order: usize) -> u64 {
        self.0.iter().take(order).fold(order as u64, |sum, key| mix(sum ^ key))
    }
}

#[derive(Debug, Default)]
pub(super) struct Frequencies {
    counts: HashMap<u64, u32, BuildHasherDefault<Mixed>>,
}

impl Frequencies {
    /// This record came after those, at this position of a frame.
    pub(super) fn count(&mut self, preceding: &Context, state: u64, record: Record) {
        self.add(seen(record));
        for context in contexts(preceding, state) {
            self.add(context);
            self.add(mix(context ^ key(record)));
        }
    }

    fn add(&mut self, what: u64) {
        let has_capacity = self.counts.len() < MOST;
        match self.counts.get_mut(&what) {
            Some(count) => *count = count.saturating_add(1),
            None if has_capacity => drop(self.counts.insert(what, 1)),
            None => {}
        }
    }

    /// Whether this record came anywhere.
    pub(super) fn has(&self, record: Record) -> bool {
        self.counts.contains_key(&seen(record))
    }

    fn of(&self, what: u64) -> f64 {
        f64::from(self.counts.get(&what).copied().unwrap_or(0))
    }

    /// The probability of a record after those, at this position, where `others` could come instead.
    pub(super) fn probability(&self, preceding: &Context, state: u64, record: Record, others: usize) -> f64 {
        let mut probability = 1.0 / (others.max(1) as f64 + 1.0);
        for context in contexts(preceding, state).into_iter().rev() {
            let all = self.of(context);
            probability = (self.of(mix(context ^ key(record))) + probability) / (all + 1.0);
        }
        probability
    }
}

/// Where a record is counted, the closest first.
fn contexts(preceding: &Context, state: u64) -> [u64; 5] {
    let [eight, four, two, one] = ORDERS.map(|order| preceding.last(order));
    [eight, four, two, one, mix(state ^ 0x5151)]
}

fn seen(record: Record) -> u64 {
    mix(key(record) ^ 0xa5a5)
}

fn key(record: Record) -> u64 {
    record.words().iter().fold(7, |sum, word| mix(sum ^ u64::from(*word)))
}

/// Spreads what differs little over all bits.
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (value ^ (value >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// A hasher of numbers that are mixed already.
#[derive(Debug, Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
