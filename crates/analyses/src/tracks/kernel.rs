//! Which thread runs on which CPU of a kernel trace.

use std::collections::HashMap;

use model::TrackId;

use super::own_thread::Switch;
use super::tracker::{Key, Table};
use super::windows::{Scope, Windows};

/// The CPUs of all kernel traces, by trace and number.
#[derive(Debug, Default)]
pub(super) struct Cpus {
    cpus: HashMap<(usize, u32), Cpu>,
}

#[derive(Debug)]
struct Cpu {
    running: Option<TrackId>,
    /// Nothing was lost and no switch was seen: the first switch shows which thread has run all the time.
    is_fresh: bool,
}

impl Default for Cpu {
    fn default() -> Self {
        Cpu { running: None, is_fresh: true }
    }
}

impl Cpus {
    /// Something was lost on a CPU (`None`: on any of the trace). If a switch may be among it, the
    /// thread that runs there is unknown from now on.
    pub(super) fn lose(&mut self, trace: usize, cpu: Option<u32>, may_hide_switch: bool, table: &mut Table) {
        if let Some(cpu) = cpu {
            self.cpus.entry((trace, cpu)).or_default();
        }
        for (&(its_trace, its_cpu), state) in &mut self.cpus {
            if its_trace != trace || cpu.is_some_and(|cpu| cpu != its_cpu) {
                continue;
            }
            state.is_fresh = false;
            if may_hide_switch && let Some(track) = state.running.take() {
                table.state(track).runs_on = None;
            }
            if let Some(unknown) = table.find(Key::Unknown(trace, its_cpu)) {
                table.state(unknown).broken = true;
            }
        }
    }

    /// The track of an event that is no switch.
    pub(super) fn running(&mut self, trace: usize, cpu: u32, table: &mut Table) -> TrackId {
        match self.cpus.entry((trace, cpu)).or_default().running {
            Some(track) => track,
            None => table.get(Key::Unknown(trace, cpu)),
        }
    }

    /// The track of a switch: that of the thread which leaves. [`Cpus::enter`] follows when the
    /// step is made.
    pub(super) fn leave(
        &mut self,
        (trace, cpu): (usize, u32),
        switch: &Switch,
        table: &mut Table,
        windows: &Windows,
    ) -> TrackId {
        let key = thread_key(trace, cpu, switch.prev.0);
        let state = self.cpus.entry((trace, cpu)).or_default();
        if state.is_fresh
            && state.running.is_none()
            && let Some(unknown) = table.find(Key::Unknown(trace, cpu))
            && table.find(key).is_none()
        {
            table.rekey(unknown, Key::Unknown(trace, cpu), key);
        }
        let known = state.running.take();
        let track = table.get(key);
        table.call(track, &switch.prev.1);
        if known != Some(track) {
            // No event showed that this thread runs here: it was away until now.
            table.arrive(track, windows, trace);
            if let Some(other) = known {
                // A switch is missing that no loss accounts for: both histories are cut.
                for track in [track, other] {
                    table.state(track).broken = true;
                }
            }
        }
        if let Some(other) = known {
            table.state(other).runs_on = None;
        }
        table.state(track).runs_on = None;
        track
    }

    /// The thread that comes.
    pub(super) fn enter(
        &mut self,
        (trace, cpu): (usize, u32),
        switch: &Switch,
        table: &mut Table,
        windows: &Windows,
    ) {
        let track = table.get(thread_key(trace, cpu, switch.next.0));
        table.call(track, &switch.next.1);
        table.arrive(track, windows, trace);
        if let Some(other) = table.state(track).runs_on.replace(cpu)
            && other != cpu
        {
            // It cannot run in two places: the switch that took it away there is missing.
            table.state(track).broken = true;
            if let Some(state) = self.cpus.get_mut(&(trace, other)) {
                state.running = None;
            }
        }
        let state = self.cpus.entry((trace, cpu)).or_default();
        (state.running, state.is_fresh) = (Some(track), false);
    }
}

/// The idle thread is number 0 on every CPU, so it is one thread for each.
pub(super) fn thread_key(trace: usize, cpu: u32, tid: i64) -> Key {
    if tid == 0 { Key::Idle(trace, cpu) } else { Key::Thread { trace, process: -1, tid } }
}

/// What a step of a thread that runs on `cpu` has to fear.
pub(super) fn scope(trace: usize, cpu: u32) -> Scope {
    Scope::Cpu(trace, Some(cpu))
}
