//! Habits: what usually follows what on CPUs, counted over marks of which nothing was lost.
//!
//! Counted are: who follows whom; how those that leave go on, by what they did last; whether nobody comes although
//! somebody is ready; whether those that come were known to be ready; what the one who runs does next; which event
//! follows which on a CPU. Segments in which something was lost are not counted.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::marks::{Marks, NONE, What, Who};

type Map<K, V> = HashMap<K, V, FxBuildHasher>;

/// Where somebody is who does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadState {
    Runs(u32),
    /// Ready, sent to a CPU.
    Ready(u32),
    Blocked,
}

/// What is known of all who run while marks pass.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) thread_states: Map<Who, ThreadState>,
    /// What each did last.
    pub(super) did: Map<Who, u32>,
    /// By CPU, who runs.
    pub(super) runs: Map<u32, Who>,
    ready: Map<u32, u32>,
    ready_in_all: u32,
}

/// Nothing is known to have been done.
pub(super) const NOTHING: u32 = u32::MAX;

impl Known {
    fn put(&mut self, who: Who, index: ThreadState) {
        if let Some(ThreadState::Ready(cpu)) = self.thread_states.insert(who, index) {
            *self.ready.entry(cpu).or_default() -= 1;
            self.ready_in_all -= 1;
        }
        if let ThreadState::Ready(cpu) = index {
            *self.ready.entry(cpu).or_default() += 1;
            self.ready_in_all += 1;
        }
    }

    /// How many are ready here and elsewhere.
    fn ready(&self, cpu: u32) -> (u32, u32) {
        let here = self.ready.get(&cpu).copied().unwrap_or(0);
        (here, self.ready_in_all - here)
    }

    pub(super) fn take(&mut self, cpu: u32, symbol: u32, what: What) {
        match what {
            What::Own => {
                if let Some(&who) = self.runs.get(&cpu).filter(|who| **who != NONE) {
                    self.did.insert(who, symbol);
                }
            }
            What::Switch { prev, next, stays_ready } => {
                if prev != NONE {
                    let is_ready = stays_ready.unwrap_or(false);
                    self.put(prev, if is_ready { ThreadState::Ready(cpu) } else { ThreadState::Blocked });
                }
                if next != NONE {
                    self.put(next, ThreadState::Runs(cpu));
                }
                self.runs.insert(cpu, next);
            }
            What::Ready { who, target } => {
                if !matches!(self.thread_states.get(&who), Some(ThreadState::Runs(_))) {
                    self.put(who, ThreadState::Ready(target));
                }
            }
            What::Gap { .. } => {
                self.runs.remove(&cpu);
            }
            What::Here { .. } | What::Other => {}
        }
    }
}

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Habits {
    follows: Map<(Who, Who), u32>,
    left: Map<Who, u32>,
    came: Map<Who, u32>,
    switches: u32,
    /// By what it did last, and by who: (blocked, ready).
    leaves_after: Map<u32, [u32; 2]>,
    leaves_who: Map<Who, [u32; 2]>,
    leaves: [u32; 2],
    /// Somebody comes or nobody, where nobody is ready here (0) or somebody is.
    idle: [[u32; 2]; 2],
    /// Those that came: ready here, ready elsewhere, not known to be; and how often there were such.
    classes: [(u32, u32); 3],
    /// Made ready: not ready before, ready before, running.
    woken: [u32; 3],
    does: Map<(u32, u32), u32>,
    does_after: Map<u32, u32>,
    done: Map<u32, u32>,
    /// By CPU: what follows what.
    next: Map<(u32, u32), u32>,
    after: Map<u32, u32>,
    /// Symbols of switches.
    pub(super) switch_symbols: Vec<u32>,
    kinds: Kinds,
    successors: Map<Who, Vec<Who>>,
    predecessors: Map<Who, Vec<Who>>,
}

/// Which event follows which on a CPU, as a table.
#[derive(Debug, Default)]
struct Kinds {
    symbols: Vec<u32>,
    at: Map<u32, usize>,
    /// By symbol: its followers, and their shares.
    rows: Vec<Vec<(usize, f64)>>,
    is_switch: Vec<bool>,
}

/// Followers that are remembered of each.
const FOLLOWERS: usize = 8;

impl Habits {
    /// Counts all marks.
    pub(super) fn learn(marks: &Marks) -> Habits {
        let mut habits = Habits::default();
        let mut known = Known::default();
        let mut last: Map<u32, u32> = Map::default();
        for mark in marks.iter() {
            habits.count(&known, mark.cpu, mark.symbol, mark.what);
            match mark.what {
                What::Gap { .. } => {
                    last.remove(&mark.cpu);
                }
                What::Ready { .. } if last.get(&mark.cpu) == Some(&mark.symbol) => {}
                _ => {
                    if let Some(before) = last.insert(mark.cpu, mark.symbol) {
                        *habits.next.entry((before, mark.symbol)).or_default() += 1;
                        *habits.after.entry(before).or_default() += 1;
                    }
                }
            }
            known.take(mark.cpu, mark.symbol, mark.what);
        }
        habits.kinds = habits.table();
        let mut pairs: Vec<((Who, Who), u32)> =
            habits.follows.iter().map(|(pair, times)| (*pair, *times)).collect();
        pairs.sort_by_key(|(pair, times)| (std::cmp::Reverse(*times), *pair));
        for ((prev, next), _) in pairs {
            let of = habits.successors.entry(prev).or_default();
            if of.len() < FOLLOWERS {
                of.push(next);
            }
            let of = habits.predecessors.entry(next).or_default();
            if of.len() < FOLLOWERS {
                of.push(prev);
            }
        }
        habits
    }

    fn table(&self) -> Kinds {
        let mut symbols: Vec<u32> = self.after.keys().copied().collect();
        symbols.sort_unstable();
        let at: Map<u32, usize> =
            symbols.iter().enumerate().map(|(index, symbol)| (*symbol, index)).collect();
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); symbols.len()];
        for ((one, next), times) in &self.next {
            if let (Some(from), Some(to)) = (at.get(one), at.get(next))
                && let Some(row) = rows.get_mut(*from)
            {
                let all = self.after.get(one).copied().unwrap_or(1);
                row.push((*to, f64::from(*times) / f64::from(all.max(1))));
            }
        }
        rows.iter_mut().for_each(|row| row.sort_unstable_by_key(|(to, _)| *to));
        let is_switch = symbols.iter().map(|symbol| self.switch_symbols.contains(symbol)).collect();
        Kinds { symbols, at, rows, is_switch }
    }

    fn count(&mut self, known: &Known, cpu: u32, symbol: u32, what: What) {
        match what {
            What::Own => {
                if let Some(who) = known.runs.get(&cpu).filter(|who| **who != NONE) {
                    let before = known.did.get(who).copied().unwrap_or(NOTHING);
                    *self.does.entry((before, symbol)).or_default() += 1;
                    *self.does_after.entry(before).or_default() += 1;
                    *self.done.entry(symbol).or_default() += 1;
                }
            }
            What::Switch { prev, next, stays_ready } => {
                if !self.switch_symbols.contains(&symbol) {
                    self.switch_symbols.push(symbol);
                }
                if known.runs.get(&cpu) != Some(&prev) {
                    return;
                }
                *self.follows.entry((prev, next)).or_default() += 1;
                *self.left.entry(prev).or_default() += 1;
                *self.came.entry(next).or_default() += 1;
                self.switches += 1;
                let (mut here, elsewhere) = known.ready(cpu);
                if prev != NONE
                    && let Some(stays_ready) = stays_ready
                {
                    let did = known.did.get(&prev).copied().unwrap_or(NOTHING);
                    let index = usize::from(stays_ready);
                    for counts in [
                        self.leaves_after.entry(did).or_default(),
                        self.leaves_who.entry(prev).or_default(),
                        &mut self.leaves,
                    ] {
                        counts.get_mut(index).into_iter().for_each(|count| *count += 1);
                    }
                    here += u32::from(stays_ready);
                }
                if prev != NONE {
                    let counts = self.idle.get_mut(usize::from(here > 0));
                    let count = counts.and_then(|counts| counts.get_mut(usize::from(next == NONE)));
                    count.into_iter().for_each(|count| *count += 1);
                }
                if next != NONE {
                    let class = match known.thread_states.get(&next) {
                        Some(ThreadState::Ready(target)) if *target == cpu => 0,
                        Some(ThreadState::Ready(_)) => 1,
                        _ => 2,
                    };
                    for (index, (came, there)) in self.classes.iter_mut().enumerate() {
                        *came += u32::from(index == class);
                        *there += u32::from([here > 0, elsewhere > 0, true].get(index) == Some(&true));
                    }
                }
            }
            What::Ready { who, .. } => {
                let index = match known.thread_states.get(&who) {
                    Some(ThreadState::Ready(_)) => 1,
                    Some(ThreadState::Runs(_)) => 2,
                    _ => 0,
                };
                self.woken.get_mut(index).into_iter().for_each(|count| *count += 1);
            }
            What::Gap { .. } | What::Here { .. } | What::Other => {}
        }
    }

    /// How well somebody follows another, as a share of all who may.
    pub(super) fn follows(&self, prev: Who, next: Who) -> f64 {
        let times = |map: &Map<Who, u32>, who: Who| f64::from(map.get(&who).copied().unwrap_or(0));
        let usual = (times(&self.came, next) + 0.2) / (f64::from(self.switches) + 2.0);
        let pair = f64::from(self.follows.get(&(prev, next)).copied().unwrap_or(0));
        (pair + 2.0 * usual) / (times(&self.left, prev) + 2.0)
    }

    /// Those that follow one most often.
    pub(super) fn successors(&self, prev: Who) -> &[Who] {
        self.successors.get(&prev).map_or(&[], |list| list)
    }

    /// Those that one follows most often.
    pub(super) fn predecessors(&self, next: Who) -> &[Who] {
        self.predecessors.get(&next).map_or(&[], |list| list)
    }

    /// How probably one stays ready that leaves after it did this.
    pub(super) fn stays_ready(&self, who: Who, did: u32) -> f64 {
        let share = |[blocked, ready]: [u32; 2], usual: f64, trust: f64| {
            (f64::from(ready) + trust * usual) / (f64::from(blocked) + f64::from(ready) + trust)
        };
        let all = share(self.leaves, 0.3, 2.0);
        let after = share(self.leaves_after.get(&did).copied().unwrap_or_default(), all, 2.0);
        share(self.leaves_who.get(&who).copied().unwrap_or_default(), after, 4.0).clamp(0.005, 0.995)
    }

    /// How probably nobody comes, where nobody is ready here and where somebody is.
    pub(super) fn idle(&self) -> [f64; 2] {
        self.idle.map(|[some, none]| (f64::from(none) + 0.5) / (f64::from(some) + f64::from(none) + 1.0))
    }

    /// The odds of those that come: see [`super::chain::Weights::classes`].
    pub(super) fn classes(&self) -> [f64; 3] {
        self.classes.map(|(came, there)| (f64::from(came) + 0.2) / (f64::from(there) + 1.0))
    }

    /// What it weighs that one is made ready who runs, and who is ready.
    pub(super) fn woken(&self) -> (f64, f64) {
        let [off, ready, running] = self.woken.map(f64::from);
        let all = off + ready + running + 2.0;
        ((running + 0.1) / all, (ready + 0.1) / all)
    }

    /// How probable it is that one who did something does this next.
    pub(super) fn does(&self, before: u32, symbol: u32) -> f64 {
        let all: f64 = f64::from(self.done.values().sum::<u32>());
        let usual = (f64::from(self.done.get(&symbol).copied().unwrap_or(0)) + 0.5) / (all + 10.0);
        let pair = f64::from(self.does.get(&(before, symbol)).copied().unwrap_or(0));
        (pair + 0.5 * usual) / (f64::from(self.does_after.get(&before).copied().unwrap_or(0)) + 0.5)
    }

    /// What it weighs, by their number, that so many of the events lost between these two are switches.
    pub(super) fn kinds(
        &self,
        before: Option<u32>,
        lost: usize,
        after: Option<u32>,
        most: usize,
    ) -> Vec<f64> {
        let Kinds { symbols, at, rows, is_switch } = &self.kinds;
        let usual = 1e-4;
        let size = symbols.len();
        // By symbol and number of switches.
        let mut now: Vec<Vec<f64>> = vec![vec![0.0; most + 1]; size];
        let start = before.and_then(|before| at.get(&before)).and_then(|row| rows.get(*row));
        for (index, of) in now.iter_mut().enumerate() {
            let share = start.map_or(1.0, |row| {
                row.iter().find(|(to, _)| *to == index).map_or(usual, |(_, share)| *share)
            });
            let count = usize::from(is_switch.get(index) == Some(&true));
            of.get_mut(count).into_iter().for_each(|weight| *weight = share);
        }
        for _ in 1..lost {
            let mut next: Vec<Vec<f64>> = vec![vec![0.0; most + 1]; size];
            for (from, of) in now.iter().enumerate() {
                for &(to, share) in rows.get(from).into_iter().flatten() {
                    let step = usize::from(is_switch.get(to) == Some(&true));
                    for (count, weight) in of.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
                        let index = next.get_mut(to).and_then(|row| row.get_mut(count + step));
                        index.into_iter().for_each(|index| *index += weight * share);
                    }
                }
            }
            now = next;
        }
        let mut kinds = vec![0.0; most + 1];
        for (index, of) in now.iter().enumerate() {
            let symbol = symbols.get(index).copied();
            let share = match (symbol, after) {
                (Some(symbol), Some(after)) => {
                    let times = f64::from(self.next.get(&(symbol, after)).copied().unwrap_or(0));
                    times / f64::from(self.after.get(&symbol).copied().unwrap_or(1)) + usual
                }
                _ => 1.0,
            };
            for (count, weight) in of.iter().enumerate() {
                kinds.get_mut(count).into_iter().for_each(|kind: &mut f64| *kind += weight * share);
            }
        }
        let all: f64 = kinds.iter().sum();
        if all > 0.0 {
            kinds.iter_mut().for_each(|weight| *weight = (*weight / all).max(1e-6));
        } else {
            kinds.fill(1.0 / (most + 1) as f64);
        }
        kinds
    }
}
