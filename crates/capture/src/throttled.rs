//! The throttled methods of a capture.

use std::collections::BTreeMap;

use model::{MethodId, Throttled, Timestamp};

use crate::limits;
use crate::records::ThrottleRecord;

/// What was read up to now, by the first record number of the method.
#[derive(Debug, Default)]
pub(super) struct Throttling {
    begun: BTreeMap<u32, (Timestamp, u32)>,
    calls: BTreeMap<u32, u64>,
}

impl Throttling {
    pub(super) fn add(&mut self, record: ThrottleRecord) {
        match record {
            // A method is throttled once; damage may say otherwise.
            ThrottleRecord::Begun { method, time, share } if self.begun.len() < limits::METHODS => {
                self.begun.entry(method).or_insert((time, share));
            }
            ThrottleRecord::Calls { method, calls } if self.calls.len() < limits::METHODS => {
                self.calls.insert(method, calls);
            }
            _ => {}
        }
    }

    /// All were read: in the order in which they were throttled. `method_of`: the method with this first record number.
    pub(super) fn finish(self, method_of: impl Fn(u32) -> Option<MethodId>) -> Vec<Throttled> {
        let one = |(first, (since, share)): (&u32, &(Timestamp, u32))| {
            let calls = self.calls.get(first).copied();
            Some(Throttled { method: method_of(*first)?, since: *since, share: *share, calls })
        };
        let mut all: Vec<Throttled> = self.begun.iter().filter_map(one).collect();
        all.sort_by_key(|throttled| (throttled.since, std::cmp::Reverse(throttled.share)));
        all
    }
}
