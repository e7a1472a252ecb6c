//! `/api/timeline/wait`: of a state of a thread who woke it, and who ran on the CPU meanwhile.
//!
//! The model defines which states are waiting and which are running (`tw:waits`, `tw:stays-on-cpu`). What woke a thread is
//! reported as recorded: the event, its CPU, and who ran there; nothing proves that this thread did it on purpose.

use std::collections::{HashMap, HashSet};

use analyses::hangs::kernel::State;
use analyses::timeline::{Index, Runner, State as StateNames};
use model::Symbol;
use model::machine::Pattern;

use viewer::Reply;
use viewer::api::timeline::{Doing, Ran, Wait, Waker, Woken};
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::row_kind::row_kind;
use super::states::with_layer;
use super::{RowKind, moment};
use crate::hangs::thread_states::{Kinds, common};

/// Threads of one answer.
const RUNNERS: usize = 12;
/// Changes of state that are looked at for when a thread ran next.
const LOOKAHEAD: usize = 64;

/// What states mean, by their names.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    /// Those of threads.
    threads: HashMap<String, State>,
    /// Those of other machines in which an instance is left alone, as nothing leads out of them.
    over: HashSet<String>,
}

impl Meanings {
    pub(super) fn of(pattern: &Pattern) -> Meanings {
        let (mut all, mut over) = (HashMap::new(), HashSet::new());
        for machine in pattern.machines.iter().filter(|machine| row_kind(machine) == RowKind::Machine) {
            let is_over = |state: &&model::machine::State| state.ends && state.transitions.is_empty();
            over.extend(machine.states.iter().filter(is_over).map(|state| state.id.clone()));
        }
        for machine in pattern.machines.iter().filter(|machine| row_kind(machine) == RowKind::Thread) {
            for (name, state) in Kinds::of(machine).by_name(machine) {
                // Two machines of threads may mean something else by the same name.
                all.entry(name.to_owned())
                    .and_modify(|known| *known = if *known == state { state } else { State::Unknown })
                    .or_insert(state);
            }
        }
        Meanings { threads: all, over }
    }

    /// Whether nothing more is to come of what is in this state.
    pub(super) fn is_over(&self, state: &StateNames) -> bool {
        match state.kind {
            RowKind::Machine => state.names.len() == 1 && self.over.contains(&state.names[0]),
            _ => self.doing(state) == Doing::Over,
        }
    }

    /// What a state of a thread means.
    pub(super) fn doing(&self, state: &StateNames) -> Doing {
        let one = |name: &String| self.threads.get(name).copied().unwrap_or(State::Unknown);
        match common(state.names.iter().map(one)) {
            _ if state.kind != RowKind::Thread => Doing::Unknown,
            State::Runs => Doing::Runs,
            State::Ready => Doing::Ready,
            State::Waits => Doing::Waits,
            State::Over => Doing::Over,
            State::Unknown => Doing::Unknown,
        }
    }
}

/// One state of the row, and what comes before and after it.
struct Segment {
    from: i64,
    to: Option<i64>,
    doing: Doing,
    before: Option<Doing>,
    next: Option<Doing>,
    /// When it ran next, where nothing but being ready lies between.
    runs: Option<i64>,
}

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<Wait> {
    let Some(row) = asked.number::<usize>("row") else {
        return Err(Reply::refusal(400, "Which row, and when?\n"));
    };
    let meanings = session.timeline.meanings();
    let segment = with_layer(session, asked, |index| {
        let time = moment(asked, "time", index).filter(|_| row < index.rows.len());
        let Some(time) = time else { return Err(Reply::refusal(400, "Which row, and when?\n")) };
        Ok(segment(index, &meanings, row, time))
    })?;
    session.timeline.with_original(|index| Ok(wait(index, row, segment)))
}

fn segment(index: &Index, meanings: &Meanings, row: usize, time: i64) -> Option<Segment> {
    let lane = &index.rows.get(row)?.lane;
    let at = lane.index_at(time)?;
    let doing = |at: usize| {
        let (_, state, _) = lane.get(at)?;
        Some(meanings.doing(index.states.all.get(usize::from(state))?))
    };
    let (from, _, to) = lane.get(at)?;
    let mut later = (at + 1..lane.len()).take(LOOKAHEAD).map(|at| (at, doing(at)));
    let runs = later.find(|(_, doing)| *doing != Some(Doing::Ready));
    let runs = runs.filter(|(_, doing)| *doing == Some(Doing::Runs)).and_then(|(at, _)| lane.get(at));
    Some(Segment {
        from,
        to,
        doing: doing(at)?,
        before: at.checked_sub(1).and_then(doing),
        next: doing(at + 1),
        runs: runs.map(|(from, ..)| from),
    })
}

fn wait(index: &Index, row: usize, segment: Option<Segment>) -> Wait {
    let offset = |time: i64| time.saturating_sub(index.start());
    let mut answer = Wait {
        row,
        doing: Doing::Unknown,
        from: None,
        to: None,
        next: None,
        woken: None,
        cpu: None,
        is_next_cpu: false,
        all_runners: 0,
        runners: vec![],
        idle: 0,
        unknown: 0,
    };
    let Some(Segment { from, to, doing, before, next, runs }) = segment else { return answer };
    (answer.doing, answer.from, answer.to, answer.next) = (doing, Some(offset(from)), to.map(offset), next);
    let ready = match doing {
        Doing::Waits if next == Some(Doing::Ready) => to,
        Doing::Ready if before == Some(Doing::Waits) => Some(from),
        _ => None,
    };
    answer.woken = ready.and_then(|ready| woken(index, row, ready));
    if !matches!(doing, Doing::Waits | Doing::Ready) {
        return answer;
    }
    let is_it = |runner: Runner| u32::try_from(row).is_ok_and(|row| runner == Runner::Row(row));
    let next_cpu = runs.and_then(|time| index.on_cpu.iter().find(|(_, lane)| is_it(lane.at(time))));
    let last_cpu = index.on_cpu.iter().find(|(_, lane)| is_it(lane.before(from)));
    // Who is ready waits for the CPU that it gets; who waits has left the one that it had.
    let cpu = match doing {
        Doing::Ready => next_cpu.map(|cpu| (cpu, true)).or(last_cpu.map(|cpu| (cpu, false))),
        _ => last_cpu.map(|cpu| (cpu, false)).or(next_cpu.map(|cpu| (cpu, true))),
    };
    let Some(((&cpu, lane), is_next)) = cpu else { return answer };
    (answer.cpu, answer.is_next_cpu) = (Some(cpu), is_next);
    let mut ran: HashMap<u32, (i64, u64)> = HashMap::new();
    for (start, end, runner) in lane.between(from, to.unwrap_or(index.end())) {
        let lasted = end.abs_diff(start);
        match runner {
            Runner::Unknown => answer.unknown += lasted,
            Runner::Idle => answer.idle += lasted,
            Runner::Row(row) => ran.entry(row).or_insert((start, 0)).1 += lasted,
        }
    }
    answer.all_runners = ran.len();
    let mut ran: Vec<(u32, i64, u64)> =
        ran.into_iter().map(|(row, (from, lasted))| (row, from, lasted)).collect();
    ran.sort_unstable_by_key(|&(row, _, lasted)| (std::cmp::Reverse(lasted), row));
    let of_row = |&(row, from, lasted): &(u32, i64, u64)| {
        let name = index.rows.get(row as usize)?.name.clone();
        Some(Ran { row: row as usize, name, from: offset(from), lasted })
    };
    answer.runners = ran.iter().take(RUNNERS).filter_map(of_row).collect();
    answer
}

fn woken(index: &Index, row: usize, ready: i64) -> Option<Woken> {
    let wake = index.wake(row, ready)?;
    let time = *index.times.get(wake.event as usize)?;
    let name = Symbol(u32::from(*index.names.all().get(wake.event as usize)?));
    let lane = wake.cpu.and_then(|cpu| index.on_cpu.get(&cpu));
    let (by, row) = match lane.map_or(Runner::Unknown, |lane| lane.at(time)) {
        Runner::Unknown => (Waker::Unknown, None),
        Runner::Idle => (Waker::Nobody, None),
        Runner::Row(row) => (Waker::Thread, Some(row as usize)),
    };
    let held = |row: usize| {
        let lane = &index.rows.get(row)?.lane;
        Some(lane.get(lane.index_at(time)?)?.1)
    };
    let of_cpu = |kind| index.find(kind, &wake.cpu?.to_string());
    Some(Woken {
        time: time.saturating_sub(index.start()),
        ready: ready.saturating_sub(index.start()),
        event: wake.event,
        name: index.alphabet.name(name).to_owned(),
        cpu: wake.cpu,
        cpu_row: of_cpu(RowKind::Cpu),
        by,
        row,
        row_name: row.and_then(|row| Some(index.rows.get(row)?.name.clone())),
        state: row.and_then(held),
        interrupt: of_cpu(RowKind::Interrupts).and_then(held),
    })
}
