//! How long the instances of a model were in each state, for two traces side by side.
//!
//! Threads of two runs have other numbers, so those of the same name are one; CPUs and whatever else a model has go by
//! their keys.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use analyses::diff::without_numbers;
use analyses::tracks::{TrackBy, Tracker};
use inference::{InstanceSpan, Joint, Retention, Spans, StateSet};
use model::machine::Machine;
use model::{Adapter, Item};

use crate::exit::Result;
use crate::models::Model;
use crate::open::open;
use crate::reports::diff_events::StateTime;

/// The time in ns, by instance and state.
pub(super) type Times = BTreeMap<(String, String), u64>;

/// What happens to an instance until its state is another one.
#[derive(Clone, Copy)]
struct Open {
    since: i64,
    states: StateSet,
}

/// Reads a trace to its end. Uncertain states have all their names; what is not known is left out.
///
/// # Errors
/// Where the trace cannot be opened, or the model knows none of its events.
pub(super) fn read(input: &Path, model: &Model) -> Result<Times> {
    let mut source = open(input)?;
    let retention = Retention { spans: Spans::All, ..Retention::default() };
    let mut engine =
        Joint::new(model.pattern.clone(), retention).or_else(|unsupported| model.refuse(&unsupported))?;
    let mut named = Named { source: source.as_mut(), tracker: Tracker::new(TrackBy::Thread), last: None };
    let (mut sums, mut open, mut spans) = (HashMap::new(), HashMap::new(), Vec::new());
    loop {
        let fed = engine.feed(&mut named);
        if fed.is_none() {
            engine.finish();
        }
        spans.append(&mut engine.take_spans());
        spans.drain(..).for_each(|span| add(&mut sums, &mut open, &span));
        if fed.is_none() {
            break;
        }
    }
    model.compare(named.source.alphabet().names())?;
    let end = named.last.unwrap_or(i64::MIN);
    for (who, last) in open {
        close(&mut sums, who, last, end);
    }
    let names: HashMap<String, String> = named.names();
    let mut times = Times::new();
    for ((machine, key, states), time) in sums {
        let Some(machine) = engine.pattern().machines.get(machine) else { continue };
        // What has ended is in no state any more, however long the trace goes on.
        if states.iter().all(|state| is_over(machine, state)) {
            continue;
        }
        let state = |state: usize| machine.states.get(state).map(|state| state.id.replace('_', " "));
        let states: Vec<String> = states.iter().filter_map(state).collect();
        // Any of them: nothing is known.
        if states.is_empty() || states.len() > machine.states.len() / 2 {
            continue;
        }
        let key = engine.texts().show_name(key);
        let instance = names.get(&key).cloned().unwrap_or_else(|| format!("{} {key}", machine.id));
        *times.entry((instance.trim_end().to_owned(), states.join(" or "))).or_default() += time;
    }
    Ok(times)
}

/// Whether an instance in this state has ended: nothing can follow but that it is forgotten.
fn is_over(machine: &Machine, state: usize) -> bool {
    if machine.last == Some(state) {
        return true;
    }
    let Some(about) = machine.states.get(state).filter(|about| about.stands_for.is_empty()) else {
        return false;
    };
    let leads = |to: usize| about.transitions.iter().any(|transition| transition.target == to);
    machine.last.is_some_and(leads)
        && about
            .transitions
            .iter()
            .all(|transition| transition.target == state || machine.last == Some(transition.target))
}

type Sums = HashMap<(usize, inference::Name, StateSet), u64>;

fn add(sums: &mut Sums, open: &mut HashMap<(usize, inference::Name), Open>, span: &InstanceSpan) {
    let who = (span.machine, span.key);
    let now = Open { since: span.span.from.0, states: span.span.value };
    if let Some(last) = open.insert(who, now) {
        close(sums, who, last, now.since);
    }
}

fn close(sums: &mut Sums, (machine, key): (usize, inference::Name), last: Open, until: i64) {
    let time = u64::try_from(until.saturating_sub(last.since)).unwrap_or(0);
    *sums.entry((machine, key, last.states)).or_default() += time;
}

/// Hands out a source, and knows the names of its threads afterwards.
struct Named<'s> {
    source: &'s mut dyn model::EventSource,
    tracker: Tracker,
    last: Option<i64>,
}

impl Named<'_> {
    /// By number: the name without it.
    fn names(&self) -> HashMap<String, String> {
        let split = |name: &str| {
            let (name, number) = name.rsplit_once(' ')?;
            number.parse::<u64>().ok()?;
            Some((number.to_owned(), without_numbers(name)))
        };
        self.tracker.tracks().iter().filter_map(|track| split(&track.name)).collect()
    }
}

impl Adapter for Named<'_> {
    fn next_adapted(&mut self) -> Option<Item<'_>> {
        let item = self.source.next_item()?;
        if let Item::Event(event) = &item {
            self.tracker.assign(event);
            self.last = event.time.map(|time| time.0).max(self.last);
        }
        Some(item)
    }

    fn inner(&self) -> &dyn model::EventSource {
        self.source
    }
}

/// Those that differ, the largest difference first, at most so many, and how many were left out.
pub(super) fn differences(times: &[Times; 2], most: usize) -> (Vec<StateTime>, usize) {
    let mut found: Vec<StateTime> = vec![];
    let keys: std::collections::BTreeSet<_> = times.iter().flat_map(BTreeMap::keys).collect();
    for key in keys {
        let ns = [0, 1].map(|side| times.get(side).and_then(|times| times.get(key)).copied().unwrap_or(0));
        if ns[0] != ns[1] {
            found.push(StateTime { instance: key.0.clone(), state: key.1.clone(), ns });
        }
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.ns[0].abs_diff(one.ns[1])));
    let more = found.len().saturating_sub(most);
    found.truncate(most);
    (found, more)
}
