//! Cases from a file, for deletions that matter to the user, and to repeat those of another run.
//!
//! ```text
//! {"cases":[{"id":1,   "delete":[{"ts":1457113582794572361,"cpu":5,"name":"sched_switch"}]},
//!           {"id":"b", "delete_range":{"cpu":3,"first_ts":1457113582794569892,"last_ts":1457113582794572361}}]}
//! ```
//!
//! `delete` names events one by one; `cpu` and `name` may be left out where `ts` is enough. Of several
//! that fit, the first that is not deleted yet is taken. `delete_range` is all that one CPU did
//! between two moments, both included. Other members are not looked at, so what `evaluate --json` prints is
//! such a file too; a case that comes again (once for each engine) is one case.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::Case;
use super::index::Index;
use crate::answer::Known;

/// A file of cases is read whole.
pub(crate) const MOST_BYTES: u64 = 256 << 20;

/// The cases of `text`; the error is a sentence without the name of the file.
pub(crate) fn read(text: &str, index: &Index) -> Result<Vec<Case>, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| format!("this is no JSON: {error}"))?;
    let listed =
        file.get("cases").and_then(Value::as_array).ok_or("a member `cases`, a list, is expected")?;
    let mut finder = Finder::new(index);
    let mut cases: Vec<Case> = Vec::with_capacity(listed.len().min(1 << 16));
    let mut known: HashMap<Known, usize> = HashMap::new();
    for (number, written) in listed.iter().enumerate() {
        let id = match written.get("id") {
            None => Known::Number(number as i64 + 1),
            Some(Value::String(text)) => Known::Text(text.clone()),
            Some(id) => id
                .as_i64()
                .map(Known::Number)
                .ok_or_else(|| format!("case {}: its id is no text and no whole number", number + 1))?,
        };
        let case = |problem| match &id {
            Known::Number(id) => format!("case {id}: {problem}"),
            Known::Text(id) => format!("case {id}: {problem}"),
        };
        let gone = finder.case(written).map_err(case)?;
        if let Some(other) = known.get(&id).and_then(|&number| cases.get(number)) {
            if other.gone != gone {
                return Err(case("another case with this id deletes other events".to_owned()));
            }
            continue;
        }
        let kind = written.get("kind").and_then(Value::as_str).unwrap_or("cases").to_owned();
        known.insert(id.clone(), cases.len());
        cases.push(Case { id, kind, gone, is_packet: false });
    }
    if cases.is_empty() {
        return Err("it has no case".into());
    }
    // Kinds are told one after the other.
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
        let timed = index.places.iter().enumerate().filter_map(|(number, place)| Some((place.time?, number)));
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

    fn case(&mut self, written: &Value) -> Result<Vec<usize>, String> {
        let mut gone = BTreeSet::new();
        if let Some(events) = written.get("delete") {
            let events = events.as_array().ok_or("`delete` is no list")?;
            for event in events {
                let found = self.event(event, &gone)?;
                gone.insert(found);
            }
        }
        if let Some(range) = written.get("delete_range") {
            let cpu = cpu(range)?.ok_or("`delete_range` has no `cpu`")?;
            let (first, last) = (moment(range, "first_ts")?, moment(range, "last_ts")?);
            let of_cpu =
                |&number: &usize| self.index.places.get(number).is_some_and(|place| place.cpu == Some(cpu));
            let before = gone.len();
            gone.extend(self.between(first, last).filter(of_cpu));
            if gone.len() == before {
                return Err(format!("no event of CPU {cpu} lies between {first} and {last}"));
            }
        }
        match gone.is_empty() {
            true => Err("it deletes nothing; `delete` or `delete_range` is expected".into()),
            false => Ok(gone.into_iter().collect()),
        }
    }

    fn event(&self, written: &Value, gone: &BTreeSet<usize>) -> Result<usize, String> {
        let (time, cpu) = (moment(written, "ts")?, cpu(written)?);
        let name = match written.get("name") {
            None => None,
            Some(name) => Some(name.as_str().ok_or("the name of an event is no text")?),
        };
        let mut at = self.between(time, time).filter(|number| {
            self.index.places.get(*number).is_some_and(|place| {
                cpu.is_none_or(|cpu| place.cpu == Some(cpu))
                    && name.is_none_or(|name| self.index.name(place) == name)
            })
        });
        at.find(|number| !gone.contains(number)).ok_or_else(|| {
            let what = name.map_or_else(String::new, |name| format!(" called {name}"));
            let place = cpu.map_or_else(String::new, |cpu| format!(" on CPU {cpu}"));
            format!("the trace has no such event{what}{place} at {time}")
        })
    }
}

fn moment(written: &Value, member: &str) -> Result<i64, String> {
    let time = written.get(member).ok_or_else(|| format!("`{member}` is missing"))?;
    time.as_i64().ok_or_else(|| format!("`{member}` is no whole number of nanoseconds"))
}

fn cpu(written: &Value) -> Result<Option<u32>, String> {
    match written.get("cpu") {
        None | Some(Value::Null) => Ok(None),
        Some(cpu) => {
            let cpu = cpu.as_u64().and_then(|cpu| u32::try_from(cpu).ok());
            cpu.map(Some).ok_or_else(|| "`cpu` is no number of a CPU".into())
        }
    }
}
