//! What the threads of a trace were in the middle of at its end, by the states that a model gives them.

use std::collections::HashMap;
use std::path::Path;

use analyses::hangs::kernel::{State, SystemCall, ThreadEnd, Threads};
use analyses::tracks::{TrackBy, Tracker};
use inference::{InstanceSpan, Joint, Name, Retention, Spans, StateSet};
use model::machine::{KeySource, Machine, Pattern};
use model::{Adapter, Event, EventSource, Gap, Item, OuterFields, Scope, TrackId};

use crate::engines::Hosts;
use crate::exit::Result;
use crate::models::Model;
use crate::open::open;

/// The threads that had not ended, and what they are called.
#[derive(Debug, Default)]
pub(crate) struct ThreadStates {
    pub(crate) threads: Vec<ThreadEnd>,
    names: HashMap<i64, String>,
    by_track: HashMap<TrackId, i64>,
}

impl ThreadStates {
    /// What a thread is called.
    pub(crate) fn name(&self, tid: i64) -> String {
        self.names.get(&tid).cloned().unwrap_or_else(|| format!("thread {tid}"))
    }

    /// What the thread of a track was in the middle of.
    pub(crate) fn of(&self, track: TrackId) -> Option<&ThreadEnd> {
        let tid = self.by_track.get(&track)?;
        self.threads.iter().find(|thread| thread.tid == *tid)
    }
}

/// The machine of the model whose instances are threads, if it has states of waiting and the trace has their events.
fn machine_of_threads<'n>(pattern: &Pattern, events: impl Iterator<Item = &'n str> + Clone) -> Option<usize> {
    pattern.started.iter().copied().find(|index| {
        pattern.machines.get(*index).is_some_and(|machine| {
            let keys = machine.keys.iter().flatten().flat_map(|rule| &rule.sources);
            let is_of_threads = keys.into_iter().any(|source| *source == KeySource::RunningThread);
            let transitions = machine.states.iter().flat_map(|state| &state.transitions);
            let mut blocks =
                transitions.filter(|it| machine.states.get(it.target).is_some_and(|state| state.waits));
            let occurs =
                |names: &model::machine::EventPattern| events.clone().any(|name| names.matches(name));
            is_of_threads && blocks.any(|transition| occurs(&transition.events))
        })
    })
}

/// Reads the trace once more, to its end. Nothing where the model has no states of threads for it, or where it is of several hosts, whose
/// threads may have the same numbers.
///
/// # Errors
/// Where the trace cannot be opened.
pub(crate) fn read<'n>(
    input: &Path,
    model: &Model,
    events: impl Iterator<Item = &'n str> + Clone,
) -> Result<Option<ThreadStates>> {
    let Some(number) = machine_of_threads(&model.pattern, events) else { return Ok(None) };
    let mut source = open(input)?;
    if Hosts::several(source.as_ref()).is_some() {
        return Ok(None);
    }
    let retention = Retention { spans: Spans::All, ..Retention::default() };
    let mut engine =
        Joint::new(model.pattern.clone(), retention).or_else(|unsupported| model.refuse(&unsupported))?;
    let Some(machine) = model.pattern.machines.get(number) else { return Ok(None) };
    let kinds = Kinds::of(machine);
    let sees_all = source.traces().iter().any(model::TraceInfo::sees_own_threads_only);
    let seen = Seen {
        machine,
        tracker: Tracker::new(TrackBy::Thread),
        calls: vec![],
        threads: Threads::new(sees_all),
        tid: None,
        after: After::Nothing,
        time: None,
        lost_until: None,
    };
    let mut followed = Followed { source: source.as_mut(), seen, lost: None };
    let mut since: HashMap<i64, (StateSet, i64)> = HashMap::new();
    loop {
        let is_over = engine.feed(&mut followed).is_none();
        if is_over {
            engine.finish();
        }
        for InstanceSpan { machine: its, key, span } in engine.take_spans() {
            let (Name::Number(tid), Some(to)) = (key, span.to) else { continue };
            if its != number {
                continue;
            }
            if is_over {
                since.insert(tid, (span.value, span.from.0));
            } else if kinds.state(span.value) == State::Waits {
                followed.seen.threads.waited(tid, span.from.0, to.0, followed.seen.tid);
            }
        }
        if is_over {
            break;
        }
        followed.seen.settle();
    }
    let Seen { tracker, threads, time, lost_until, .. } = followed.seen;
    let end = time.unwrap_or(0);
    let mut states: Vec<(i64, State, i64, bool)> = vec![];
    for (tid, (set, from)) in since {
        states.push((tid, kinds.state(set), from, lost_until.is_some_and(|lost| lost >= from)));
    }
    states.sort_unstable_by_key(|(tid, ..)| *tid);
    let by_track: HashMap<TrackId, i64> =
        tracker.tracks().iter().filter_map(|track| Some((track.id, tracker.thread_of(track.id)?))).collect();
    let named = |track: &model::Track| Some((*by_track.get(&track.id)?, track.name.clone()));
    let names = tracker.tracks().iter().filter_map(named).collect();
    Ok(Some(ThreadStates { threads: threads.finish(&states, end), names, by_track }))
}

/// What the states of a machine of threads mean, by their numbers.
#[derive(Debug)]
pub(crate) struct Kinds(Vec<State>);

impl Kinds {
    /// Those of a machine whose instances are threads.
    pub(crate) fn of(machine: &Machine) -> Kinds {
        let opens = machine.states.iter().flat_map(|state| &state.transitions).any(|it| it.opens);
        // Where nothing can be called or run any more it is over.
        let is_alive = |state: &model::machine::State| match opens {
            true => state.transitions.iter().any(|it| it.opens || it.closes),
            false => state.stays_on_cpu,
        };
        let mut alive: Vec<bool> = machine.states.iter().map(is_alive).collect();
        loop {
            let reaches = |at: usize| {
                let state = machine.states.get(at);
                let mut next = state.into_iter().flat_map(|state| &state.transitions).map(|it| it.target);
                let mut stands = state.into_iter().flat_map(|state| &state.stands_for);
                next.any(|to| alive.get(to) == Some(&true)) || stands.any(|to| alive.get(*to) == Some(&true))
            };
            let found: Vec<usize> =
                (0..alive.len()).filter(|at| alive.get(*at) == Some(&false) && reaches(*at)).collect();
            if found.is_empty() {
                break;
            }
            found.iter().for_each(|at| alive.iter_mut().skip(*at).take(1).for_each(|it| *it = true));
        }
        let kind = |(state, is_alive): (&model::machine::State, bool)| match state {
            _ if !is_alive => State::Over,
            state if state.waits => State::Waits,
            state if state.stays_on_cpu => State::Runs,
            _ => State::Ready,
        };
        Kinds(machine.states.iter().zip(alive).map(kind).collect())
    }

    /// That of all states of a set, where it is one. That a thread may be about to end is always possible where calls and ends
    /// were not recorded, so it counts only where nothing else is possible.
    pub(crate) fn state(&self, set: StateSet) -> State {
        common(set.iter().map(|state| self.0.get(state).copied().unwrap_or(State::Unknown)))
    }

    /// The states of the machine by their names.
    pub(crate) fn by_name<'m>(&self, machine: &'m Machine) -> impl Iterator<Item = (&'m str, State)> {
        machine.states.iter().map(|state| &*state.id).zip(self.0.iter().copied())
    }
}

/// See [`Kinds::state`].
pub(crate) fn common(states: impl Iterator<Item = State>) -> State {
    let (mut is_over, mut found) = (false, None);
    for state in states {
        match state {
            State::Over => is_over = true,
            state if found.is_none_or(|known| known == state) => found = Some(state),
            _ => return State::Unknown,
        }
    }
    found.unwrap_or(if is_over { State::Over } else { State::Unknown })
}

/// What the name of an event means for the system calls of its thread.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Calls {
    Enters(String),
    Leaves,
    No,
}

/// What happens to a thread once the engine has seen the event.
enum After {
    Enters(SystemCall),
    Left,
    Nothing,
}

/// What was seen of a trace.
struct Seen<'m> {
    machine: &'m Machine,
    tracker: Tracker,
    /// By symbol.
    calls: Vec<Calls>,
    threads: Threads,
    /// The thread of the last event.
    tid: Option<i64>,
    after: After,
    time: Option<i64>,
    /// Until when events may have been lost.
    lost_until: Option<i64>,
}

impl Seen<'_> {
    /// The engine has seen the last event: its thread is in another system call, or in none.
    fn settle(&mut self) {
        let Some(tid) = self.tid else { return };
        match std::mem::replace(&mut self.after, After::Nothing) {
            After::Enters(call) => self.threads.enters(tid, call),
            After::Left => self.threads.left(tid),
            After::Nothing => {}
        }
    }

    fn observe(&mut self, event: &Event<'_>) {
        let assigned = self.tracker.assign(event);
        self.time = event.time.map(|time| time.0).max(self.time);
        self.tid = self.tracker.thread_of(assigned.step.track).filter(|tid| *tid != 0);
        while self.calls.len() <= event.symbol.0 as usize {
            let next = model::Symbol(self.calls.len() as u32);
            self.calls.push(kind(self.machine, event.origin.alphabet.name(next)));
        }
        self.after = After::Nothing;
        if let Some(tid) = self.tid {
            self.threads.seen(tid, process(event, tid));
            match self.calls.get(event.symbol.0 as usize) {
                Some(Calls::Enters(call)) => self.after = After::Enters(SystemCall::of(call, event)),
                Some(Calls::Leaves) => {
                    self.threads.returns(tid, event);
                    self.after = After::Left;
                }
                _ => {}
            }
        }
        self.threads.observe(event.name(), event, self.tid);
    }
}

/// Hands out a source, and looks at each item.
struct Followed<'s> {
    source: &'s mut dyn EventSource,
    seen: Seen<'s>,
    /// The loss that was handed out last: the tracker, which asks the source about it, can have it only with the next item.
    lost: Option<Gap>,
}

impl Adapter for Followed<'_> {
    fn next_adapted(&mut self) -> Option<Item<'_>> {
        if let Some(gap) = self.lost.take() {
            self.seen.tracker.gap(&gap, self.source);
        }
        let item = self.source.next_item()?;
        match &item {
            Item::Event(event) => self.seen.observe(event),
            Item::Gap(gap) => {
                (self.seen.tid, self.seen.after) = (None, After::Nothing);
                // One that may reach to the end leaves nothing certain.
                let until = gap.to.map_or(i64::MAX, |to| to.0);
                self.seen.lost_until = self.seen.lost_until.max(Some(until));
                self.lost = Some(*gap);
            }
        }
        Some(item)
    }

    fn inner(&self) -> &dyn EventSource {
        self.source
    }
}

/// What an event of this name means according to the machine.
fn kind(machine: &Machine, name: &str) -> Calls {
    let transitions = || machine.states.iter().flat_map(|state| &state.transitions);
    let opened = transitions().filter(|it| it.opens).find_map(|it| it.events.matching(name));
    if let Some(pattern) = opened {
        let (prefix, suffix) = pattern.split_once('*').unwrap_or((pattern, ""));
        let call = name.strip_prefix(prefix).unwrap_or(name);
        return Calls::Enters(call.strip_suffix(suffix).unwrap_or(call).to_owned());
    }
    match transitions().any(|it| it.closes && it.events.matches(name)) {
        true => Calls::Leaves,
        false => Calls::No,
    }
}

/// The process of a thread, where the tracer adds it to each of its events.
fn process(event: &Event<'_>, tid: i64) -> Option<i64> {
    let (mut process, mut thread) = (None, None);
    let mut fields = OuterFields::new(|name, value: model::Value<'_>| match name {
        "pid" | "vpid" => process = value.as_i64(),
        "tid" | "vtid" => thread = value.as_i64(),
        _ => {}
    });
    event.fields.visit(Scope::Context, &mut fields);
    process.filter(|_| thread == Some(tid))
}
