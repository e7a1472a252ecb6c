//! A look at what passes while a trace is read: when events were and what they are called, how threads are called, what
//! was lost, who begins to wake whom, and in which streams CPUs and threads were seen: where a stream ends, nothing more
//! is known of them.

use std::collections::{BTreeSet, HashMap};

use analyses::hangs::kernel::{WOKEN, begins_to_wake};
use analyses::timeline::{BLOCK, Index, Loss, RowKind, Runner};
use model::{Adapter, EventSource, Item, Symbol};
use rustc_hash::FxHashMap;

use crate::answer::Window;
use crate::engines::Windows;
use crate::views::diagnostic_line;

/// Looks at what passes: moments, names of threads, who made whom, losses.
pub(super) struct Tap<'a> {
    pub(super) source: &'a mut dyn EventSource,
    times: Vec<i64>,
    symbols: Vec<u32>,
    /// The last item, if it is an event.
    pub(super) at: Option<At>,
    /// By symbol: whether somebody begins to wake a thread.
    wakes: Vec<bool>,
    /// By thread: the event by which somebody began to wake it last.
    waking: FxHashMap<i64, At>,
    /// Where events begin, if the source reports it.
    offsets: Option<Vec<u64>>,
    /// Events so far.
    count: usize,
    has_names: bool,
    last: i64,
    /// By symbol: which fields name threads.
    naming: Vec<Naming>,
    names: Vec<(i64, String)>,
    parents: Vec<(i64, i64)>,
    known: HashMap<i64, String>,
    pub(super) seen: Seen,
    pub(super) losses: Windows,
}

/// Where and when an event was.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    /// Its number.
    pub(super) event: u32,
    pub(super) time: i64,
    pub(super) cpu: Option<u32>,
}

/// In which streams CPUs and threads were seen.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The stream of the last event.
    pub(super) stream: usize,
    /// By stream: the CPU of its last event.
    last: Vec<Option<u32>>,
    /// CPUs, each with the streams that have events of it.
    cpus: BTreeSet<(u32, usize)>,
    /// By thread: the stream in which it was switched to or from last.
    threads: HashMap<i64, usize>,
}

impl Seen {
    fn event(&mut self, stream: usize, cpu: Option<u32>) {
        self.stream = stream;
        if self.last.len() <= stream {
            self.last.resize(stream + 1, None);
        }
        if let (Some(cpu), Some(last)) = (cpu, self.last.get_mut(stream))
            && *last != Some(cpu)
        {
            *last = Some(cpu);
            self.cpus.insert((cpu, stream));
        }
    }
}

/// Fields with the number and the name of a thread, and those with a thread and who made it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Naming {
    Nothing,
    Names(&'static [(&'static str, &'static str)], Option<(&'static str, &'static str)>),
}

fn naming(name: &str) -> Naming {
    match name {
        "sched_switch" => Naming::Names(&[("next_tid", "next_comm"), ("prev_tid", "prev_comm")], None),
        "sched_process_fork" => {
            Naming::Names(&[("child_tid", "child_comm")], Some(("child_tid", "parent_tid")))
        }
        "sched_process_exec" => Naming::Nothing,
        "lttng_statedump_process_state" => Naming::Names(&[("tid", "name")], Some(("tid", "ppid"))),
        _ => Naming::Nothing,
    }
}

impl<'a> Tap<'a> {
    pub(super) fn new(source: &'a mut dyn EventSource, has_offsets: bool, has_names: bool) -> Tap<'a> {
        Tap {
            source,
            times: vec![],
            symbols: vec![],
            at: None,
            wakes: vec![],
            waking: FxHashMap::default(),
            offsets: has_offsets.then(Vec::new),
            count: 0,
            has_names,
            last: i64::MIN,
            naming: vec![],
            names: vec![],
            parents: vec![],
            known: HashMap::new(),
            seen: Seen::default(),
            losses: Windows::default(),
        }
    }

    /// Hands what was seen to the index.
    pub(super) fn give(&mut self, index: &mut Index) {
        index.times.append(&mut self.times);
        self.symbols.drain(..).for_each(|symbol| index.names.push(symbol));
        for name in self.source.alphabet().names().skip(index.alphabet.len()) {
            index.alphabet.intern(name);
        }
        if let Some(offsets) = &mut self.offsets {
            index.offsets.append(offsets);
        }
        for (tid, name) in self.names.drain(..) {
            let row = index.row(RowKind::Thread, &tid.to_string());
            if let Some(row) = index.rows.get_mut(row) {
                row.name = format!("{name} {tid}");
            }
        }
        for (tid, parent) in self.parents.drain(..) {
            let row = index.row(RowKind::Thread, &tid.to_string());
            if let Some(row) = index.rows.get_mut(row) {
                row.parent = (parent > 0).then(|| parent.to_string());
            }
        }
        give_losses(&self.losses, index);
        let streams = self.source.streams();
        let new = self.source.diagnostics().get(index.diagnostics.len()..).unwrap_or_default();
        index.diagnostics.extend(new.iter().map(|found| diagnostic_line(found, streams)));
    }

    /// Where the streams end in which CPUs and threads were seen last nothing more is known of them. To be called
    /// once all of the trace was read.
    pub(super) fn end_rows(&self, index: &mut Index) {
        let mut ends: HashMap<u32, i64> = HashMap::new();
        for &(cpu, stream) in &self.seen.cpus {
            if let Some(end) = self.end_of(stream) {
                let latest = ends.entry(cpu).or_insert(end);
                *latest = end.max(*latest);
            }
        }
        for (cpu, end) in ends {
            for kind in [RowKind::Cpu, RowKind::Interrupts] {
                if let Some(row) = index.find(kind, &cpu.to_string()) {
                    index.ends(row, end);
                }
            }
            let is_last = end >= index.end();
            if let Some(lane) = index.on_cpu.get_mut(&cpu).filter(|_| !is_last) {
                lane.change(end.saturating_add(1), Runner::Unknown);
            }
        }
        for (tid, &stream) in &self.seen.threads {
            let row = index.find(RowKind::Thread, &tid.to_string());
            if let (Some(row), Some(end)) = (row, self.end_of(stream)) {
                index.ends(row, end);
            }
        }
    }

    /// The event by which a thread was woken that had waited since `from` and is ready by the last event.
    pub(super) fn woken(&self, tid: i64, from: i64) -> Option<At> {
        self.waking.get(&tid).filter(|at| at.time >= from).copied().or(self.at)
    }

    /// The time up to which a stream was recorded; `None` without a clock.
    pub(super) fn end_of(&self, stream: usize) -> Option<i64> {
        self.source.streams().get(stream)?.end().map(|end| end.0)
    }
}

fn give_losses(losses: &Windows, index: &mut Index) {
    let known: usize = index.losses.iter().map(|loss| loss.intervals.len()).sum();
    if losses.all.iter().map(|loss| loss.intervals.len()).sum::<usize>() == known {
        return;
    }
    // The last one may lie elsewhere too by now, so all are handed over again.
    let loss = |loss: &Window| Loss {
        stream: loss.stream.clone(),
        cpu: loss.cpu,
        lost: loss.lost,
        intervals: loss.intervals.clone(),
    };
    index.losses = losses.all.iter().map(loss).collect();
    index.losses.sort_by_key(|loss| loss.intervals.first().and_then(|interval| interval.0));
}

impl Adapter for Tap<'_> {
    fn next_adapted(&mut self) -> Option<Item<'_>> {
        // Asked no more often than is needed: some readers count all that they have for it.
        let begins = self.count.is_multiple_of(BLOCK) && self.offsets.is_some();
        let offset = if begins { self.source.progress().0 } else { 0 };
        let item = self.source.next_item()?;
        self.at = None;
        if let Item::Event(event) = item {
            if let Some(offsets) = self.offsets.as_mut().filter(|_| begins) {
                offsets.push(offset);
            }
            self.count += 1;
            let alphabet = event.origin.alphabet;
            for number in self.naming.len()..alphabet.len() {
                let name = alphabet.name(Symbol(number as u32));
                self.naming.push(if self.has_names { naming(name) } else { Naming::Nothing });
                self.wakes.push(self.has_names && begins_to_wake(name));
            }
            self.seen.event(event.stream.0 as usize, event.cpu);
            let time = event.time.map_or(self.last, |time| time.0).max(self.last);
            self.last = time;
            let time = if time == i64::MIN { 0 } else { time };
            self.times.push(time);
            self.symbols.push(event.symbol.0);
            let at = At { event: u32::try_from(self.count - 1).unwrap_or(u32::MAX), time, cpu: event.cpu };
            self.at = Some(at);
            if self.wakes.get(event.symbol.0 as usize) == Some(&true)
                && let Some(tid) = event.fields.get(WOKEN).and_then(|value| value.as_i64())
            {
                self.waking.insert(tid, at);
            }
            if let Some(&Naming::Names(names, parent)) = self.naming.get(event.symbol.0 as usize) {
                let number = |field: &str| event.fields.get(field).and_then(|value| value.as_i64());
                for (tid, name) in names {
                    let (Some(tid), Some(model::Value::Text(name))) = (number(tid), event.fields.get(name))
                    else {
                        continue;
                    };
                    self.seen.threads.insert(tid, self.seen.stream);
                    // The idle thread has a row for each CPU, if any.
                    if tid != 0 && self.known.get(&tid).is_none_or(|known| known.as_bytes() != name) {
                        let name = String::from_utf8_lossy(name).into_owned();
                        self.known.insert(tid, name.clone());
                        self.names.push((tid, name));
                    }
                }
                if let Some((child, parent)) = parent
                    && let (Some(child), Some(parent)) = (number(child), number(parent))
                {
                    self.parents.push((child, parent));
                }
            }
        }
        Some(item)
    }

    fn inner(&self) -> &dyn EventSource {
        self.source
    }
}
