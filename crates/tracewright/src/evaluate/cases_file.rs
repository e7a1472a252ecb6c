//! Cases from a file, for deletions that matter to the user, and to repeat those of another run.
//!
//! [`formats::cases_json`] draws the file. Of several events that fit, the first that is not deleted yet is taken. A
//! case that comes again (once for each engine) is one case.

use std::collections::{BTreeSet, HashMap};

use formats::cases_json::{self, WrittenCase, WrittenEvent};
use model::Scalar;

use super::Case;
use super::Index;

/// A file of cases is read whole.
pub(crate) const MOST_BYTES: u64 = 256 << 20;

/// The cases of `text`; the error is a sentence without the name of the file.
pub(crate) fn read(text: &str, index: &Index) -> Result<Vec<Case>, String> {
    let written = cases_json::read(text)?;
    let finder = Finder::new(index);
    let mut cases: Vec<Case> = Vec::with_capacity(written.len().min(1 << 16));
    let mut known: HashMap<Scalar, usize> = HashMap::new();
    for case in written {
        let problem = |problem| format!("case {}: {problem}", case.id);
        let gone = finder.case(&case).map_err(problem)?;
        if let Some(other) = known.get(&case.id).and_then(|&number| cases.get(number)) {
            if other.gone != gone {
                return Err(problem("another case with this id deletes other events".to_owned()));
            }
            continue;
        }
        known.insert(case.id.clone(), cases.len());
        let kind = case.kind.unwrap_or_else(|| "cases".to_owned());
        cases.push(Case { id: case.id, kind, gone, is_packet: false });
    }
    if cases.is_empty() {
        return Err("it has no case".into());
    }
    // Cases of one kind are reported together, in the order of their first.
    let mut order: HashMap<String, usize> = HashMap::new();
    for case in &cases {
        let next = order.len();
        order.entry(case.kind.clone()).or_insert(next);
    }
    cases.sort_by_key(|case| order.get(&case.kind).copied());
    Ok(cases)
}

/// Finds events by when and where they were.
struct Finder<'a> {
    index: &'a Index,
    /// Numbers of the events that have a time, by that.
    by_time: Vec<(i64, usize)>,
}

impl Finder<'_> {
    fn new(index: &Index) -> Finder<'_> {
        let timed = index.events.iter().enumerate().filter_map(|(number, entry)| Some((entry.time?, number)));
        let mut by_time: Vec<_> = timed.collect();
        by_time.sort_unstable();
        Finder { index, by_time }
    }

    fn between(&self, first: i64, last: i64) -> impl Iterator<Item = usize> {
        let (from, to) = (
            self.by_time.partition_point(|&(time, _)| time < first),
            self.by_time.partition_point(|&(time, _)| time <= last),
        );
        self.by_time.get(from..to.max(from)).unwrap_or(&[]).iter().map(|&(_, number)| number)
    }

    fn case(&self, written: &WrittenCase) -> Result<Vec<usize>, String> {
        let mut gone = BTreeSet::new();
        for event in &written.delete {
            let found = self.event(event, &gone)?;
            gone.insert(found);
        }
        if let Some(range) = written.delete_range {
            let of_cpu = |&number: &usize| {
                self.index.events.get(number).is_some_and(|entry| entry.cpu == Some(range.cpu))
            };
            let before = gone.len();
            gone.extend(self.between(range.first, range.last).filter(of_cpu));
            if gone.len() == before {
                let (cpu, first, last) = (range.cpu, range.first, range.last);
                return Err(format!("no event of CPU {cpu} lies between {first} and {last}"));
            }
        }
        Ok(gone.into_iter().collect())
    }

    fn event(&self, written: &WrittenEvent, gone: &BTreeSet<usize>) -> Result<usize, String> {
        let WrittenEvent { time, cpu, name } = written;
        let mut at = self.between(*time, *time).filter(|number| {
            self.index.events.get(*number).is_some_and(|entry| {
                cpu.is_none_or(|cpu| entry.cpu == Some(cpu))
                    && name.as_ref().is_none_or(|name| self.index.name(entry) == name)
            })
        });
        at.find(|number| !gone.contains(number)).ok_or_else(|| {
            let what = name.as_ref().map_or_else(String::new, |name| format!(" called {name}"));
            let entry = cpu.map_or_else(String::new, |cpu| format!(" on CPU {cpu}"));
            format!("the trace has no such event{what}{entry} at {time}")
        })
    }
}
