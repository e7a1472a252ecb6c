//! The index of a trace: what every picture of the timeline is made from, while it grows and when it is whole.
//!
//! A thread reads the trace and adds to it under a lock, a few thousand events at a time; requests look at
//! what is there. So the first picture comes at once, whatever the size of the trace.

use std::collections::HashMap;

use model::Alphabet;

use super::lane::{Lane, StateId, Weigh};
use crate::answer::Window;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::serve) enum RowKind {
    Cpu,
    Interrupts,
    Thread,
    Track,
}

/// One row.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) kind: RowKind,
    /// The instance of the machine, or the number of the track.
    pub(super) key: String,
    pub(super) name: String,
    /// The thread that made it.
    pub(super) parent: Option<String>,
    pub(super) lane: Lane,
}

/// A state of the legend.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    pub(super) kind: RowKind,
    /// What it is called; several, where nobody knows which of them it was.
    pub(super) names: Vec<String>,
    /// It was concluded, with the help of events that were inferred.
    pub(super) is_inferred: bool,
}

/// All states that any lane holds, by number.
#[derive(Debug, Default)]
pub(super) struct States {
    pub(super) all: Vec<State>,
    numbers: HashMap<State, StateId>,
}

impl States {
    /// The number of `state`; beyond 65,000 all share the last.
    pub(super) fn number(&mut self, state: State) -> StateId {
        if let Some(&number) = self.numbers.get(&state) {
            return number;
        }
        let number = StateId::try_from(self.all.len()).unwrap_or(StateId::MAX);
        if number < StateId::MAX {
            self.all.push(state.clone());
            self.numbers.insert(state, number);
        }
        number
    }
}

/// An event that did not fit.
#[derive(Debug, Clone)]
pub(super) struct Incoherence {
    pub(super) time: i64,
    pub(super) row: Option<usize>,
    pub(super) event: String,
    pub(super) cpu: Option<u32>,
    pub(super) sentence: String,
}

/// One layer of the timeline.
#[derive(Debug, Default)]
pub(in crate::serve) struct Index {
    /// Events are in the order of time here: nanoseconds of each.
    pub(super) times: Vec<i64>,
    pub(super) rows: Vec<Row>,
    by_key: HashMap<(RowKind, String), usize>,
    pub(super) states: States,
    /// Declared losses, by the moment from which they may be.
    pub(super) losses: Vec<Window>,
    pub(super) incoherences: Vec<Incoherence>,
    /// The names of all events; complete once the index is.
    pub(in crate::serve) alphabet: Alphabet,
    /// Whether it is a kernel trace, with states of threads and CPUs.
    pub(super) is_kernel: bool,
}

impl Index {
    /// An index of the same trace with the same rows and states, nothing in its lanes.
    pub(super) fn like(other: &Index) -> Index {
        let mut index = Index { is_kernel: other.is_kernel, ..Index::default() };
        // Only where the trace begins and ends matters to a layer.
        index.times.extend(other.times.first().into_iter().chain(other.times.last()));
        for row in &other.rows {
            index.row(row.kind, &row.key);
        }
        for state in &other.states.all {
            index.states.number(state.clone());
        }
        index
    }

    pub(in crate::serve) fn start(&self) -> i64 {
        self.times.first().copied().unwrap_or(0)
    }

    /// The last moment that is known.
    pub(super) fn end(&self) -> i64 {
        self.times.last().copied().unwrap_or(0)
    }

    /// The row of an instance, which is added when it is new.
    pub(super) fn row(&mut self, kind: RowKind, key: &str) -> usize {
        if let Some(&row) = self.by_key.get(&(kind, key.to_owned())) {
            return row;
        }
        let row = self.rows.len();
        let name = match kind {
            RowKind::Cpu => format!("CPU {key}"),
            RowKind::Interrupts => format!("CPU {key} interrupts"),
            RowKind::Thread => format!("thread {key}"),
            RowKind::Track => key.to_owned(),
        };
        let weigh = if kind == RowKind::Track { Weigh::Count } else { Weigh::Time };
        self.rows.push(Row { kind, key: key.to_owned(), name, parent: None, lane: Lane::new(weigh) });
        self.by_key.insert((kind, key.to_owned()), row);
        row
    }

    pub(in crate::serve) fn find(&self, kind: RowKind, key: &str) -> Option<usize> {
        self.by_key.get(&(kind, key.to_owned())).copied()
    }

    /// The rows as they are shown: CPUs with their interrupts, then threads as a tree; each with its depth.
    pub(super) fn order(&self) -> Vec<(usize, usize)> {
        let number = |row: &Row| row.key.parse::<i64>().unwrap_or(i64::MAX);
        let mut out: Vec<(usize, usize)> = Vec::with_capacity(self.rows.len());
        let mut cpus: Vec<usize> = (0..self.rows.len())
            .filter(|&row| matches!(self.rows[row].kind, RowKind::Cpu | RowKind::Interrupts))
            .collect();
        cpus.sort_by_key(|&row| (number(&self.rows[row]), self.rows[row].kind));
        out.extend(
            cpus.into_iter().map(|row| (row, usize::from(self.rows[row].kind == RowKind::Interrupts))),
        );
        let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        for (row, about) in self.rows.iter().enumerate() {
            if matches!(about.kind, RowKind::Thread | RowKind::Track) {
                let parent = about.parent.as_ref().and_then(|parent| self.find(RowKind::Thread, parent));
                children.entry(parent.filter(|&parent| parent != row)).or_default().push(row);
            }
        }
        // Those that did something come first; equally busy ones by number.
        for rows in children.values_mut() {
            rows.sort_by_key(|&row| {
                (std::cmp::Reverse(self.rows[row].lane.len().min(2)), number(&self.rows[row]), row)
            });
        }
        let mut waiting: Vec<(usize, usize)> =
            children.remove(&None).unwrap_or_default().into_iter().rev().map(|row| (row, 0)).collect();
        loop {
            while let Some((row, depth)) = waiting.pop() {
                out.push((row, depth));
                let below = children.remove(&Some(row)).unwrap_or_default();
                waiting.extend(below.into_iter().rev().map(|row| (row, depth + 1)));
            }
            // Whatever a trace claims about parents, each row is shown once.
            let Some(&next) = children.keys().min() else { return out };
            waiting =
                children.remove(&next).unwrap_or_default().into_iter().rev().map(|row| (row, 1)).collect();
        }
    }
}
