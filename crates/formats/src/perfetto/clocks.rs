//! Clocks: each packet may carry the time of another one. Snapshots say what several showed at one moment.
//!
//! Times are converted to `BOOTTIME`, as in Perfetto. Between two snapshots the first holds; before the first, the
//! first. A clock that no snapshot connects with it is taken as it is.

use std::collections::HashMap;

use super::proto::{Message, Wire};
use crate::limits;

/// `BUILTIN_CLOCK_BOOTTIME`.
const BOOT: u32 = 6;

/// The first clock that belongs to one sequence, and the last.
const OWN: std::ops::RangeInclusive<u32> = 64..=127;

/// A clock, and whose it is.
type Key = (u32, u32);

/// What is known of a clock.
#[derive(Debug, Clone, Copy, Default)]
struct Clock {
    /// To add to what it shows; `None`: no snapshot connects it.
    offset: Option<i128>,
    /// ns for each tick.
    unit: u64,
    /// It shows what went by since the packet before.
    is_incremental: bool,
    shown: u64,
}

#[derive(Debug, Default)]
pub(super) struct Clocks {
    clocks: HashMap<Key, Clock>,
}

fn key(clock: u32, sequence: u32) -> Key {
    if OWN.contains(&clock) { (sequence, clock) } else { (0, clock) }
}

impl Clocks {
    /// Takes a snapshot of a sequence.
    pub(super) fn snapshot(&mut self, bytes: &[u8], sequence: u32) {
        let mut shown: Vec<(u32, Clock)> = vec![];
        for field in Message::new(bytes) {
            let (1, Wire::Bytes(clock)) = field else { continue };
            let mut id = 0;
            let mut about = Clock { unit: 1, ..Clock::default() };
            for field in Message::new(clock) {
                match field {
                    (1, Wire::Number(number)) => id = u32::try_from(number).unwrap_or(0),
                    (2, Wire::Number(time)) => about.shown = time,
                    (3, Wire::Number(is)) => about.is_incremental = is != 0,
                    (4, Wire::Number(unit)) => about.unit = unit.max(1),
                    _ => {}
                }
            }
            if shown.len() < limits::PERFETTO_CLOCKS {
                shown.push((id, about));
            }
        }
        let ns = |clock: &Clock| i128::from(clock.shown) * i128::from(clock.unit);
        // Connected by this one or by one before.
        let known = shown.iter().find_map(|(id, about)| {
            if *id == BOOT {
                return Some(ns(about));
            }
            Some(ns(about) + self.clocks.get(&key(*id, sequence))?.offset?)
        });
        let boot = shown.iter().find(|(id, _)| *id == BOOT).map(|(_, about)| ns(about)).or(known);
        for (id, about) in shown {
            if self.clocks.len() < limits::PERFETTO_CLOCKS || self.clocks.contains_key(&key(id, sequence)) {
                let offset = boot.map(|boot| boot - ns(&about));
                self.clocks.insert(key(id, sequence), Clock { offset, ..about });
            }
        }
    }

    /// What `BOOTTIME` showed when the clock of a sequence showed `time`, in ns.
    pub(super) fn time(&mut self, clock: u32, sequence: u32, time: u64) -> i64 {
        let Some(known) = self.clocks.get_mut(&key(clock, sequence)) else {
            return clamped(i128::from(time));
        };
        let shown = if known.is_incremental { known.shown.saturating_add(time) } else { time };
        known.shown = if known.is_incremental { shown } else { known.shown };
        if clock == BOOT {
            return clamped(i128::from(shown));
        }
        clamped(i128::from(shown) * i128::from(known.unit) + known.offset.unwrap_or(0))
    }
}

fn clamped(time: i128) -> i64 {
    model::Timestamp::clamped(time).0.0
}
