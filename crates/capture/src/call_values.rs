//! The values of calls, put together from entries and outcomes.

use std::collections::HashMap;

use model::call_values::{CallValues, Ended, Outcome};
use model::{MethodId, Timestamp};

use crate::limits;
use crate::records::{EntryValues, OutcomeValue, ValuesRecord};

/// What was read up to now.
#[derive(Default)]
pub(super) struct Gathering {
    entries: Vec<EntryValues>,
    outcomes: HashMap<u64, OutcomeValue>,
    /// The recorder kept no more at some moment.
    pub(super) is_full: bool,
    /// There were more than are read.
    pub(super) is_bounded: bool,
}

impl Gathering {
    pub(super) fn add(&mut self, record: ValuesRecord) {
        self.is_bounded |= self.entries.len().max(self.outcomes.len()) >= limits::VALUES;
        match record {
            ValuesRecord::Full => self.is_full = true,
            _ if self.is_bounded => {}
            ValuesRecord::Entry(entry) => self.entries.push(entry),
            ValuesRecord::Outcome(outcome) => drop(self.outcomes.insert(outcome.number, outcome)),
        }
    }

    /// All of them, thread by thread in the order in which they ran. `method`: whose first word that is; values of a
    /// method that nothing records are left out.
    pub(super) fn finish(mut self, method: impl Fn(u32) -> Option<MethodId>) -> Vec<CallValues> {
        self.entries.sort_by_key(|entry| (entry.thread, entry.position, entry.number));
        let mut outcomes = self.outcomes;
        let entries = self.entries.into_iter().filter_map(|entry| {
            let method = method(entry.first)?;
            let mut values = entry.values.into_iter();
            let object = if entry.has_object { values.next() } else { None };
            let outcome = outcomes.remove(&entry.number).and_then(ended);
            Some(CallValues {
                thread: entry.thread,
                position: entry.position,
                method,
                began: Timestamp(entry.time),
                object,
                arguments: values.collect(),
                outcome,
            })
        });
        entries.collect()
    }
}

fn ended(outcome: OutcomeValue) -> Option<Outcome> {
    let OutcomeValue { time, threw, value, .. } = outcome;
    let ended = if threw { Ended::Threw(value?) } else { Ended::Returned(value) };
    Some(Outcome { time: Timestamp(time), ended })
}

#[cfg(test)]
mod tests {
    use model::ProgramValue;

    use super::*;

    fn entry(number: u64, thread: u32, position: (u32, u32), first: u32) -> ValuesRecord {
        let values = vec![ProgramValue::Integer(number.cast_signed())];
        let time = number.cast_signed() * 10;
        ValuesRecord::Entry(EntryValues { number, thread, position, first, time, has_object: false, values })
    }

    fn outcome(number: u64, threw: bool) -> ValuesRecord {
        let time = number.cast_signed() * 10 + 5;
        ValuesRecord::Outcome(OutcomeValue { number, time, threw, value: Some(ProgramValue::Null) })
    }

    #[test]
    fn entries_have_their_own_outcomes_and_the_order_of_their_threads() {
        let mut gathering = Gathering::default();
        // Calls 3 and 4 stand at one position, one within the other; 6 is of a method that nothing records.
        for record in [
            outcome(9, false),
            entry(5, 2, (0, 7), 20),
            entry(4, 1, (1, 0), 10),
            entry(3, 1, (1, 0), 10),
            entry(6, 1, (0, 1), 99),
            entry(2, 1, (0, 9), 20),
            outcome(3, true),
            outcome(2, false),
            ValuesRecord::Full,
        ] {
            gathering.add(record);
        }
        assert!(gathering.is_full && !gathering.is_bounded);
        let values = gathering.finish(|first| (first < 99).then_some(MethodId(first / 10)));
        let shown: Vec<_> = values
            .iter()
            .map(|one| {
                let ended = one.outcome.as_ref().map(|outcome| matches!(outcome.ended, Ended::Threw(_)));
                (one.thread, one.position, one.method.0, one.began.0, one.duration(), ended)
            })
            .collect();
        assert_eq!(
            shown,
            [
                (1, (0, 9), 2, 20, Some(5), Some(false)),
                (1, (1, 0), 1, 30, Some(5), Some(true)),
                (1, (1, 0), 1, 40, None, None),
                (2, (0, 7), 2, 50, None, None),
            ]
        );
    }
}
