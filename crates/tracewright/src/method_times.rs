//! How long the calls of each method took, those of all threads together.

use std::cmp::Reverse;
use std::collections::HashMap;

use analyses::times::{Collected, TimedCall};
use model::MethodId;

use crate::cli::captures::SortBy;

/// The calls of one method whose length is known. Times in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MethodTimes {
    pub(crate) method: MethodId,
    /// How many they are.
    pub(crate) calls: u64,
    /// How long they took, those left out that were made within others of them.
    pub(crate) time: i64,
    /// How long without the calls in them whose length is known as well.
    pub(crate) own: i64,
    /// How much of `time` their threads were on no processor; `None` if that is not known of each.
    pub(crate) waiting: Option<i64>,
    /// The longest.
    pub(crate) longest: i64,
}

impl MethodTimes {
    /// All methods, those first that took longest in what they are sorted by.
    pub(crate) fn of(threads: &HashMap<u32, Collected>, by: Option<SortBy>) -> Vec<MethodTimes> {
        let mut methods: HashMap<MethodId, MethodTimes> = HashMap::new();
        for collected in threads.values() {
            // Calls stand in the order in which they ended, so those around others come first from behind.
            let mut enclosing: HashMap<MethodId, TimedCall> = HashMap::new();
            for call in collected.calls.iter().rev() {
                let outer = enclosing.get(&call.method);
                let is_within =
                    outer.is_some_and(|outer| call.depth > outer.depth && call.position >= outer.position);
                if !is_within {
                    enclosing.insert(call.method, *call);
                }
                let none = MethodTimes {
                    method: call.method,
                    calls: 0,
                    time: 0,
                    own: 0,
                    waiting: Some(0),
                    longest: 0,
                };
                let times = methods.entry(call.method).or_insert(none);
                let length = call.length().value;
                times.calls += 1;
                times.own += call.own();
                times.longest = times.longest.max(length);
                if !is_within {
                    times.time += length;
                    let waiting = call.waiting().map(|waiting| waiting.value);
                    times.waiting = times.waiting.zip(waiting).map(|(sum, more)| sum + more);
                }
            }
        }
        let mut all: Vec<MethodTimes> = methods.into_values().collect();
        all.sort_unstable_by_key(|one| {
            let by = match by {
                None | Some(SortBy::Time) => one.time,
                Some(SortBy::Own) => one.own,
                Some(SortBy::Waiting) => one.waiting.unwrap_or(-1),
                Some(SortBy::Longest) => one.longest,
            };
            (Reverse(by), one.method)
        });
        all
    }
}
