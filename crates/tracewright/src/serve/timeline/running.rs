//! Which thread runs on which CPU and which was woken by which event, by the model, while a trace is read.

use analyses::hangs::kernel::State;
use analyses::timeline::{Index, RowKind, Runner, Wake};
use inference::{InstanceSpan, Joint, Name, Occupant};
use model::Gap;
use model::machine::Pattern;
use rustc_hash::FxHashMap;

use super::row_kind::row_kind;
use super::tap::{At, Tap};
use crate::hangs::thread_states::Kinds;

/// What was seen since the index was given it last.
#[derive(Debug, Default)]
pub(super) struct Running {
    /// By machine of the model: what its states mean, where its instances are threads.
    kinds: Vec<Option<Kinds>>,
    /// By CPU: who ran there last.
    cpus: FxHashMap<u32, Occupant>,
    changes: Vec<(u32, i64, Occupant)>,
    wakes: Vec<(usize, Name, i64, At)>,
}

impl Running {
    pub(super) fn of(pattern: &Pattern) -> Running {
        let is_of_threads = |machine: &model::machine::Machine| row_kind(machine) == RowKind::Thread;
        let kinds = pattern.machines.iter().map(|machine| is_of_threads(machine).then(|| Kinds::of(machine)));
        Running { kinds: kinds.collect(), ..Running::default() }
    }

    /// The engine has taken the last event of `tap`, by which these states ended.
    pub(super) fn event(&mut self, checker: &Joint, tap: &Tap<'_>, ended: &[InstanceSpan]) {
        let Some(at) = tap.at else { return };
        if let Some(cpu) = at.cpu {
            self.update(checker, cpu, at.time);
        }
        for InstanceSpan { machine, key, span } in ended {
            let waited = |kinds: &Kinds| kinds.state(span.value) == State::Waits;
            let kinds = self.kinds.get(*machine).and_then(Option::as_ref);
            if span.to.map(|to| to.0) == Some(at.time)
                && kinds.is_some_and(waited)
                && let Name::Number(tid) = *key
                && let Some(by) = tap.woken(tid, span.from.0)
            {
                self.wakes.push((*machine, *key, at.time, by));
            }
        }
    }

    /// Something was lost: who runs may be unknown from here on.
    pub(super) fn gap(&mut self, checker: &Joint, gap: &Gap) {
        let cpus: Vec<u32> = self.cpus.keys().copied().collect();
        for cpu in cpus {
            self.update(checker, cpu, gap.from.map_or(i64::MIN, |from| from.0));
        }
    }

    fn update(&mut self, checker: &Joint, cpu: u32, time: i64) {
        let now = checker.occupant(cpu);
        if self.cpus.insert(cpu, now) != Some(now) {
            self.changes.push((cpu, time, now));
        }
    }

    /// Hands what was seen to the index; `row` is the row of an instance.
    pub(super) fn give(&mut self, index: &mut Index, mut row: impl FnMut(&mut Index, usize, Name) -> usize) {
        let mut row = |index: &mut Index, machine, key| u32::try_from(row(index, machine, key)).ok();
        for (cpu, time, occupant) in self.changes.drain(..) {
            let runner = match occupant {
                Occupant::Unknown => Runner::Unknown,
                Occupant::NoInstance => Runner::Idle,
                Occupant::Instance { machine, key } => {
                    row(index, machine, key).map_or(Runner::Unknown, Runner::Row)
                }
            };
            index.on_cpu.entry(cpu).or_default().change(time, runner);
        }
        for (machine, key, time, At { event, cpu, .. }) in self.wakes.drain(..) {
            if let Some(row) = row(index, machine, key) {
                index.wakes.push(Wake { time, row, event, cpu });
            }
        }
    }
}
