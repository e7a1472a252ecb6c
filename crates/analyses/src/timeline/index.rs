//! The index of a trace: what every picture of the timeline is made from, while it grows and when it is whole.
//!
//! Whoever reads the trace adds to it, a few thousand events at a time, and pictures are made of what is there. So
//! the first picture comes at once, whatever the size of the trace.

use std::collections::{BTreeMap, HashMap};

use model::{Alphabet, Lost, Severity};

use super::lane::{Lane, StateId, Weigh};
use super::names::EventNames;
use super::on_cpu::{OnCpu, Wake};

/// Events between two known places of the input.
pub const BLOCK: usize = 256;

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowKind {
    /// A CPU: which thread it runs, in kinds of states.
    Cpu,
    /// The interrupts of a CPU.
    Interrupts,
    /// A thread of a kernel trace.
    Thread,
    /// An instance of any other machine of a model.
    Machine,
    /// Any other track; its states are the events that happened last.
    Track,
}

/// One row.
#[derive(Debug)]
pub struct Row {
    /// What it is about.
    pub kind: RowKind,
    /// The instance of the machine, or the number of the track.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// The thread that made it.
    pub parent: Option<String>,
    /// Its states.
    pub lane: Lane,
}

/// A state of the legend.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The rows that have it.
    pub kind: RowKind,
    /// What it is called; several, where it is not known which of them it was.
    pub names: Vec<String>,
    /// It was concluded, with the help of events that were inferred.
    pub is_inferred: bool,
}

/// All states that any lane holds, by number.
#[derive(Debug, Default)]
pub struct States {
    /// By number.
    pub all: Vec<State>,
    numbers: HashMap<State, StateId>,
}

impl States {
    /// The number of `state`; beyond 65,000 all share the last.
    pub fn number(&mut self, state: State) -> StateId {
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoherence {
    /// When, in nanoseconds of the trace.
    pub time: i64,
    /// The row that it does not fit; `None`: it has none in this layer.
    pub row: Option<usize>,
    /// What the event is called.
    pub event: String,
    /// Where it was recorded.
    pub cpu: Option<u32>,
    /// What does not fit, in words.
    pub sentence: String,
}

/// What the reader of the trace found wrong, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticLine {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, with its place.
    pub sentence: String,
}

/// A declared loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The stream that lost it, and its CPU.
    pub stream: String,
    /// The CPU of the stream.
    pub cpu: Option<u32>,
    /// How much.
    pub lost: Lost,
    /// From when to when it may have been; several intervals where the trace leaves it open.
    pub intervals: Vec<(Option<i64>, Option<i64>)>,
}

/// One layer of the timeline.
#[derive(Debug, Default)]
pub struct Index {
    /// Events are in the order of time here: nanoseconds of each.
    pub times: Vec<i64>,
    /// What they are called.
    pub names: EventNames,
    /// Byte of the input at which every [`BLOCK`]-th event begins, where the format has it; else nothing.
    pub offsets: Vec<u64>,
    /// What is shown one below the other; [`Index::order`] says how.
    pub rows: Vec<Row>,
    pub(super) by_key: HashMap<(RowKind, String), usize>,
    /// What lanes hold.
    pub states: States,
    /// Declared losses, by the moment from which they may be.
    pub losses: Vec<Loss>,
    /// By time.
    pub incoherences: Vec<Incoherence>,
    /// What the reader found wrong, in the order of finding.
    pub diagnostics: Vec<DiagnosticLine>,
    /// The names of the events so far.
    pub alphabet: Alphabet,
    /// Who ran on each CPU of a kernel trace.
    pub on_cpu: BTreeMap<u32, OnCpu>,
    /// Threads of a kernel trace that were woken, by time.
    pub wakes: Vec<Wake>,
    /// Whether it is a kernel trace, with states of threads and CPUs.
    pub is_kernel: bool,
}

impl Index {
    /// An index of the same trace with the same rows and states, nothing in its lanes.
    pub fn like(other: &Index) -> Index {
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

    /// The first moment that is known.
    pub fn start(&self) -> i64 {
        self.times.first().copied().unwrap_or(0)
    }

    /// The last moment that is known.
    pub fn end(&self) -> i64 {
        self.times.last().copied().unwrap_or(0)
    }

    /// The row of an instance, which is added when it is new.
    pub fn row(&mut self, kind: RowKind, key: &str) -> usize {
        if let Some(&row) = self.by_key.get(&(kind, key.to_owned())) {
            return row;
        }
        let row = self.rows.len();
        let name = match kind {
            RowKind::Cpu => format!("CPU {key}"),
            RowKind::Interrupts => format!("CPU {key} interrupts"),
            RowKind::Thread => format!("thread {key}"),
            RowKind::Machine | RowKind::Track => key.to_owned(),
        };
        let weigh = if kind == RowKind::Track { Weigh::Count } else { Weigh::Time };
        self.rows.push(Row { kind, key: key.to_owned(), name, parent: None, lane: Lane::new(weigh) });
        self.by_key.insert((kind, key.to_owned()), row);
        row
    }

    /// Makes the state of a row unknown after `end`, where what it was recorded in ends. If the row changed later,
    /// or the trace ends there too, it stays as it is.
    pub fn ends(&mut self, row: usize, end: i64) {
        let Some(kind) = self.rows.get(row).map(|row| row.kind) else { return };
        if end >= self.end() {
            return;
        }
        let unknown = self.states.number(State { kind, names: vec![], is_inferred: false });
        let Some(lane) = self.rows.get_mut(row).map(|row| &mut row.lane) else { return };
        let last = lane.len().checked_sub(1).and_then(|last| lane.get(last));
        if last.is_some_and(|(time, ..)| time <= end) {
            lane.change(end.saturating_add(1), unknown);
        }
    }

    /// How the thread of a row was woken at `time`, if that was recorded.
    pub fn wake(&self, row: usize, time: i64) -> Option<Wake> {
        let first = self.wakes.partition_point(|wake| wake.time < time);
        let at_time = self.wakes.get(first..)?.iter().take_while(|wake| wake.time == time);
        at_time.into_iter().find(|wake| wake.row as usize == row).copied()
    }

    /// The row of an instance, where there is one.
    pub fn find(&self, kind: RowKind, key: &str) -> Option<usize> {
        self.by_key.get(&(kind, key.to_owned())).copied()
    }

    /// The rows as they are shown: CPUs with their interrupts, then threads as a tree; each with its depth.
    pub fn order(&self) -> Vec<(usize, usize)> {
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
            if matches!(about.kind, RowKind::Thread | RowKind::Machine | RowKind::Track) {
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
