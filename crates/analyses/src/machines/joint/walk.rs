//! The walk over the trace: what is believed, what does not fit it, and when to ask what is missing.
//!
//! Most events fit and cost a look-up; only where one does not is the stretch of its CPU kept in
//! doubt until the next switch seen there says who really ran. The caller gives events in the order
//! of time. Memory follows the threads that were seen and the open stretches.

use model::{Alphabet, Edge, Event, EventSource, Fields, Gap, Item, Lost, Timestamp, Value};

use super::costs::Costs;
use super::cpu::{Cpu, Other};
use super::inferred::{Incoherence, Inferred, Window};
use super::names::{IDLE, Names, Role, UNKNOWN, USER};
use super::solve::{Seen, next_call};
use super::switch::SwitchFields;
use super::thread::{NOBODY, Place, SWAPPER, ThreadIx, Threads};
use crate::machines::KeptEvent;

/// Reads events one by one and infers what was lost. See the module for how to use it.
#[derive(Debug)]
pub struct Joint {
    pub(super) names: Names,
    pub(super) threads: Threads,
    pub(super) cpus: Vec<Cpu>,
    pub(super) costs: Costs,
    pub(super) incoherences: Vec<Incoherence>,
    pub(super) inferred: Vec<Inferred>,
    pub(super) windows: Vec<Window>,
    /// The CPU of each stream.
    streams: Vec<u32>,
    switch: SwitchFields,
    events: u64,
    pub(super) unexplained: u64,
}

/// How long a thread may take from its last event to the switch, in nanoseconds.
const ABOUT_TO_BLOCK: i64 = 10_000;

/// CPUs beyond this number are not followed.
const MOST_CPUS: u32 = 65_536;

fn number(fields: &dyn Fields, name: &str) -> Option<i64> {
    fields.get(name).and_then(|value| value.as_i64())
}

impl Default for Joint {
    fn default() -> Joint {
        Joint::new()
    }
}

impl Joint {
    /// An engine that has seen nothing.
    pub fn new() -> Joint {
        Joint {
            names: Names::default(),
            threads: Threads::new(),
            cpus: Vec::new(),
            costs: Costs::default(),
            incoherences: Vec::new(),
            inferred: Vec::new(),
            windows: Vec::new(),
            streams: Vec::new(),
            switch: SwitchFields::default(),
            events: 0,
            unexplained: 0,
        }
    }

    /// Takes the next item of `source`; `false` at its end.
    pub fn feed(&mut self, source: &mut dyn EventSource) -> bool {
        let kept = match source.next_item() {
            None => return false,
            Some(Item::Gap(gap)) => {
                self.gap(&gap);
                return true;
            }
            Some(Item::Event(event)) if self.names.knows(event.symbol) => {
                self.observe(&event);
                return true;
            }
            Some(Item::Event(event)) => KeptEvent::copy(&event),
        };
        self.learn(source.alphabet());
        self.observe(&kept.event());
        true
    }

    /// Learns the names of `alphabet`; events of symbols that were not learned are looked over.
    pub fn learn(&mut self, alphabet: &Alphabet) {
        self.names.learn(alphabet);
    }

    /// Takes one event. Its symbol must have been learned.
    pub fn observe(&mut self, event: &Event<'_>) {
        self.events += 1;
        let role = self.names.role(event.symbol);
        if role == Role::Other {
            return;
        }
        let (Some(cpu), Some(Timestamp(time))) = (event.cpu, event.time) else { return };
        if cpu >= MOST_CPUS {
            return;
        }
        if self.cpus.len() <= cpu as usize {
            self.cpus.resize_with(cpu as usize + 1, Cpu::new);
        }
        match role {
            Role::Enter(_) | Role::Leave(_) => self.on_call(cpu, time, role),
            Role::Switch => {
                let stream = event.stream.0 as usize;
                if self.streams.len() <= stream && stream < 65_536 {
                    self.streams.resize(stream + 1, u32::MAX);
                }
                if let Some(place) = self.streams.get_mut(stream) {
                    *place = cpu;
                }
                let mut switch = std::mem::take(&mut self.switch);
                switch.read(event.fields);
                self.on_switch(cpu, time, &switch);
                self.switch = switch;
            }
            Role::Wakeup => {
                let target = number(event.fields, "target_cpu").and_then(|cpu| u32::try_from(cpu).ok());
                if let Some(tid) = number(event.fields, "tid").filter(|&tid| tid > 0) {
                    self.on_wakeup(cpu, time, tid, target.unwrap_or(u32::MAX));
                }
            }
            Role::Fork => {
                let parent = number(event.fields, "parent_tid");
                self.on_named(cpu, time, parent, role, "sched_process_fork");
                if let Some(tid) = number(event.fields, "child_tid").filter(|&tid| tid > 0) {
                    let call = self.cpus.get(cpu as usize).map_or(UNKNOWN, |cpu| match cpu.doubt {
                        None => cpu.call,
                        Some(_) => UNKNOWN,
                    });
                    let child = self.threads.of(tid);
                    self.threads.renew(child);
                    let child = self.threads.get_mut(child);
                    (child.place, child.since, child.call_since) = (Place::Ready, time, time);
                    child.call = if call == IDLE || call == USER { UNKNOWN } else { call };
                    if let Some(Value::Text(comm)) = event.fields.get("child_comm") {
                        child.comm = comm.to_vec();
                    }
                }
            }
            Role::Exit => self.on_named(cpu, time, number(event.fields, "tid"), role, "sched_process_exit"),
            Role::Free => {
                if let Some(tid) = number(event.fields, "tid").filter(|&tid| tid > 0) {
                    let thread = self.threads.of(tid);
                    self.resolve_pending(thread, |state| state & 0x70 != 0);
                    let thread = self.threads.get_mut(thread);
                    if thread.place != Place::On {
                        (thread.place, thread.since) = (Place::Dead, time);
                    }
                }
            }
            Role::Dump | Role::Other => {}
        }
    }

    /// Takes a loss that the tracer declared.
    pub fn gap(&mut self, gap: &Gap) {
        let cpu = self.streams.get(gap.stream.0 as usize).copied().filter(|&cpu| cpu != u32::MAX);
        let lost = match (gap.lost, gap.edge) {
            (Lost::Events(lost), Edge::Start) => Some(lost),
            // Another place of a loss that was counted: it may take what that one leaves over.
            (Lost::Events(_), Edge::End) => Some(0),
            _ => None,
        };
        let from = gap.from.unwrap_or(Timestamp(i64::MIN));
        let to = gap.to.unwrap_or(Timestamp(i64::MAX));
        let window = self.windows.len();
        self.windows.push(Window { cpu, from, to, lost, inferred: 0 });
        if let Some(cpu) = cpu.and_then(|cpu| self.cpus.get_mut(cpu as usize)) {
            if cpu.gaps.len() < 1_024 {
                cpu.gaps.push((window, cpu.seen.len()));
            }
            // Who runs behind the window is not known until a switch says so.
            (cpu.running, cpu.call) = (NOBODY, UNKNOWN);
        }
    }

    /// The trace ends.
    pub fn finish(&mut self) {
        let open = self.cpus.iter().filter(|cpu| cpu.doubt.is_some()).count();
        self.unexplained += open as u64;
        self.inferred.sort_by_key(|event| (event.at, event.cpu));
    }

    /// What did not fit, in the order of finding.
    pub fn incoherences(&self) -> &[Incoherence] {
        &self.incoherences
    }

    /// What was lost; sorted by time once the trace was finished.
    pub fn inferred(&self) -> &[Inferred] {
        &self.inferred
    }

    /// The losses that the tracer declared, and how much of them was inferred.
    pub fn windows(&self) -> &[Window] {
        &self.windows
    }

    /// How many events were taken.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Stretches that do not fit and that nothing short explains.
    pub fn unexplained(&self) -> u64 {
        self.unexplained
    }

    pub(super) fn misfit(&mut self, time: i64, cpu: u32, tid: Option<i64>, sentence: String) -> usize {
        let time = Timestamp(time);
        self.incoherences.push(Incoherence { time, cpu, sentence, tid, is_explained: false });
        self.incoherences.len() - 1
    }

    fn on_call(&mut self, cpu_number: u32, time: i64, role: Role) {
        let Some(cpu) = self.cpus.get_mut(cpu_number as usize) else { return };
        cpu.push(Seen { time, who: NOBODY, role });
        if cpu.doubt.is_some() {
            return;
        }
        if let Some(call) = next_call(cpu.call, role) {
            if cpu.call != UNKNOWN {
                match role {
                    Role::Enter(call) => self.costs.entered(call),
                    _ => self.costs.left(cpu.call),
                }
            }
            cpu.call = call;
            return;
        }
        let (running, call) = (cpu.running, cpu.call);
        let tid = self.threads.get(running).tid;
        let who = if running == SWAPPER { "the idle thread".to_owned() } else { format!("thread {tid}") };
        let what = match role {
            Role::Enter(next) => format!("the call {} begins", self.names.call(next)),
            Role::Leave(left) => format!("the call {} ends", self.names.call(left)),
            _ => String::new(),
        };
        let state = match call {
            IDLE => "which makes no calls".to_owned(),
            0 => "which is in no call".to_owned(),
            call => format!("which is in the call {}", self.names.call(call)),
        };
        let sentence = format!("{what} on CPU {cpu_number}, where {who} runs, {state}");
        let index = self.misfit(time, cpu_number, Some(tid), sentence);
        let others = self.others(cpu_number, role);
        if let Some(cpu) = self.cpus.get_mut(cpu_number as usize) {
            (cpu.doubt, cpu.others) = (Some(index), others);
        }
    }

    /// The threads that could run on a CPU and do this there, those sent to it first.
    fn others(&self, cpu: u32, role: Role) -> Vec<Other> {
        let fits = |index: ThreadIx| {
            let thread = self.threads.get(index);
            let ready = matches!(thread.place, Place::Ready | Place::Left);
            ready && next_call(thread.call, role).is_some()
        };
        let mut others: Vec<ThreadIx> = self.threads.indices().filter(|&index| fits(index)).collect();
        others.sort_by_key(|&index| {
            let thread = self.threads.get(index);
            (thread.target != cpu, thread.call == UNKNOWN, thread.cpu != cpu, std::cmp::Reverse(thread.since))
        });
        others.truncate(6);
        let other = |thread| {
            let about = self.threads.get(thread);
            Other { thread, since: about.since, call: about.call }
        };
        others.into_iter().map(other).collect()
    }

    /// An event that names the thread that runs.
    fn on_named(&mut self, cpu_number: u32, time: i64, tid: Option<i64>, role: Role, name: &str) {
        let Some(tid) = tid.filter(|&tid| tid > 0) else { return };
        let who = self.threads.of(tid);
        if role == Role::Exit {
            self.threads.get_mut(who).has_exited = true;
        }
        let Some(cpu) = self.cpus.get_mut(cpu_number as usize) else { return };
        cpu.push(Seen { time, who, role });
        if cpu.doubt.is_some() || cpu.running == who || cpu.running == NOBODY {
            return;
        }
        let running = self.threads.get(cpu.running).tid;
        let sentence = format!("{name} of thread {tid} on CPU {cpu_number}, where thread {running} runs");
        let index = self.misfit(time, cpu_number, Some(tid), sentence);
        if let Some(cpu) = self.cpus.get_mut(cpu_number as usize) {
            cpu.doubt = Some(index);
        }
    }

    fn on_wakeup(&mut self, cpu: u32, time: i64, tid: i64, target: u32) {
        let index = self.threads.of(tid);
        let thread = self.threads.get_mut(index);
        match thread.place {
            Place::Unknown | Place::Blocked | Place::Left => {
                let was = thread.place;
                (thread.place, thread.since, thread.target) = (Place::Ready, time, target);
                if was == Place::Left {
                    self.resolve_pending(index, |state| state & 0x7ff != 0 && state & 0x70 == 0);
                }
            }
            Place::Ready => self.woken_while_ready(index, cpu, time, target),
            Place::On => {
                let on = thread.cpu as usize;
                if let Some(on) = self.cpus.get_mut(on)
                    && on.first == index
                {
                    on.woken = on.woken.min(time);
                }
            }
            Place::Dead => {}
        }
    }

    fn on_switch(&mut self, cpu_number: u32, time: i64, switch: &SwitchFields) {
        let (Some(prev), Some(next)) = (switch.prev, switch.next) else { return };
        let state = switch.state;
        let (prev, next) = (self.threads.of(prev), self.threads.of(next));
        let Some(cpu) = self.cpus.get(cpu_number as usize) else { return };
        let elsewhere = prev != SWAPPER
            && cpu.running != NOBODY
            && (self.threads.get(prev).place != Place::On || self.threads.get(prev).cpu != cpu_number);
        // It was woken while it seemed to run. Between being about to block and blocking that is no
        // wonder; that long after its last sign of life it had blocked.
        let was_away = cpu.woken != i64::MAX
            && prev != SWAPPER
            && cpu.woken.saturating_sub(cpu.seen.last().map_or(cpu.start, |seen| seen.time)) > ABOUT_TO_BLOCK;
        if cpu.running != prev || cpu.doubt.is_some() || !cpu.gaps.is_empty() || elsewhere || was_away {
            self.close(cpu_number, time, prev);
        } else {
            let last = cpu.seen.last().map_or(cpu.start, |seen| seen.time);
            self.costs.switched(cpu.call, state, time.saturating_sub(last));
        }
        let (call, since) = self.cpus.get(cpu_number as usize).map_or((UNKNOWN, None), |cpu| {
            let is_call = |seen: &&Seen| matches!(seen.role, Role::Enter(_) | Role::Leave(_));
            (cpu.call, cpu.seen.iter().rev().find(is_call).map(|seen| seen.time))
        });
        if prev != SWAPPER {
            let thread = self.threads.get_mut(prev);
            thread.place = match state & 0x7ff {
                // Preempted: it may have been about to block, so somebody may wake it.
                0 if state != 0 => Place::Left,
                0 => Place::Ready,
                state if state & 0x70 != 0 => Place::Dead,
                _ => Place::Blocked,
            };
            (thread.since, thread.cpu, thread.target, thread.call) = (time, cpu_number, u32::MAX, call);
            if let Some(since) = since {
                (thread.call_since, thread.slept) = (since, None);
            }
            if state == 1 {
                if call == USER {
                    thread.slept = thread.slept.or(Some((time, cpu_number)));
                } else {
                    thread.call_since = time;
                }
            }
            if !switch.prev_comm.is_empty() && switch.prev_comm != thread.comm {
                thread.comm.clone_from(&switch.prev_comm);
            }
        }
        let call = self.comes(cpu_number, time, next);
        if let Some(cpu) = self.cpus.get_mut(cpu_number as usize) {
            cpu.begin(next, call, time);
        }
        if next != SWAPPER {
            let thread = self.threads.get_mut(next);
            if !switch.next_comm.is_empty() && switch.next_comm != thread.comm {
                thread.comm.clone_from(&switch.next_comm);
            }
            if let Some(prio) = switch.next_prio {
                thread.prio = prio;
            }
        }
    }

    /// A thread was seen to be switched in; the call in which it is.
    fn comes(&mut self, cpu_number: u32, time: i64, index: ThreadIx) -> u32 {
        if index == SWAPPER {
            return IDLE;
        }
        let thread = self.threads.get(index);
        let (place, on, tid, target) = (thread.place, thread.cpu, thread.tid, thread.target);
        match place {
            Place::On if on != cpu_number => {
                self.seen_elsewhere(index, on, cpu_number, time);
            }
            Place::Left => self.resolve_pending(index, |state| state & 0x7ff == 0),
            Place::Blocked => self.came_unwoken(index, cpu_number, time),
            Place::Dead => self.threads.renew(index),
            _ => {}
        }
        if place == Place::Ready && target != u32::MAX {
            self.costs.placed(target == cpu_number);
        }
        let thread = self.threads.get_mut(index);
        thread.tid = tid;
        (thread.place, thread.since, thread.cpu, thread.pending) = (Place::On, time, cpu_number, None);
        thread.call
    }

    /// A thread that is believed to run on `on` was seen on another CPU.
    pub(super) fn seen_elsewhere(&mut self, index: ThreadIx, on: u32, cpu_number: u32, time: i64) {
        let tid = self.threads.get(index).tid;
        self.threads.get_mut(index).call = UNKNOWN;
        let Some(cpu) = self.cpus.get_mut(on as usize) else { return };
        if cpu.first != index || cpu.left_by != i64::MAX {
            return;
        }
        cpu.left_by = time;
        if cpu.doubt.is_none() && cpu.gaps.is_empty() {
            let sentence = format!("thread {tid} comes to CPU {cpu_number} while it runs on CPU {on}");
            let number = self.misfit(time, cpu_number, Some(tid), sentence);
            if let Some(cpu) = self.cpus.get_mut(on as usize) {
                cpu.doubt = Some(number);
            }
        }
    }
}
