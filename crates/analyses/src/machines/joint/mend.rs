//! From a stretch in doubt to inferred events: ask, weigh, write down, and believe the result.

use model::{Certainty, Timestamp};

use super::costs::UNDECLARED;
use super::inferred::{Field, Guess, Inferred};
use super::names::{IDLE, UNKNOWN, USER};
use super::solve::{Stretch, Way, What};
use super::thread::{NOBODY, Place, SWAPPER, ThreadIx};
use super::walk::Joint;

/// Events of one explanation, at most.
const MOST: usize = 24;
/// The weight of all explanations that are longer than those that the search returns, beside the
/// best. Found by `evaluate` on many-threads; without a declared count nothing is ever sure.
const REST: f64 = 0.02;
/// An event that is less probable than this is not told.
const LEAST: f64 = 0.5;

/// An event to be written down.
pub(super) struct Told {
    pub(super) what: What,
    pub(super) mover: ThreadIx,
    pub(super) cpu: u32,
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) probability: f64,
    pub(super) is_sure: bool,
    pub(super) incoherence: Option<usize>,
    pub(super) window: Option<usize>,
    pub(super) reason: String,
}

pub(super) fn middle(from: i64, to: i64) -> i64 {
    ((i128::from(from) + i128::from(to)) / 2) as i64
}

impl Joint {
    /// The stretch of `cpu_number` ends with a switch away from `last`, which is not who was
    /// believed to run, or something in between did not fit.
    pub(super) fn close(&mut self, cpu_number: u32, time: i64, last: ThreadIx) {
        let Some(cpu) = self.cpus.get(cpu_number as usize) else { return };
        if !cpu.gaps.is_empty() {
            self.close_window(cpu_number, time, last);
            return;
        }
        if cpu.first == NOBODY {
            // The start of the trace: what was seen tells of this thread for the first time.
            self.unexplained += u64::from(cpu.doubt.is_some());
            self.believe(cpu_number, last, if cpu.doubt.is_some() { UNKNOWN } else { cpu.call });
            return;
        }
        let incoherence = match cpu.doubt {
            Some(doubt) => doubt,
            None => {
                let (running, tid) = (self.threads.get(cpu.running).tid, self.threads.get(last).tid);
                let sentence = format!(
                    "CPU {cpu_number} switches away from thread {tid} while thread {running} runs there"
                );
                self.misfit(time, cpu_number, Some(tid), sentence)
            }
        };
        if last != SWAPPER && Some(last) != self.cpus.get(cpu_number as usize).map(|cpu| cpu.first) {
            let thread = self.threads.get(last);
            match thread.place {
                Place::On if thread.cpu != cpu_number => {
                    let on = thread.cpu;
                    self.seen_elsewhere(last, on, cpu_number, time);
                }
                Place::Blocked => self.came_unwoken(last, cpu_number, time),
                Place::Left => self.resolve_pending(last, |state| state & 0x7ff == 0),
                _ => {}
            }
        }
        let Some(cpu) = self.cpus.get_mut(cpu_number as usize) else { return };
        let seen = std::mem::take(&mut cpu.seen);
        let (first, first_call, start) = (cpu.first, cpu.first_call, cpu.start);
        let (left_by, woken) = (cpu.left_by, cpu.woken);
        let others = std::mem::take(&mut cpu.others);
        let mut found = (Vec::new(), false);
        for limit in [left_by.min(woken), left_by] {
            let stretch = Stretch {
                threads: &self.threads,
                costs: &self.costs,
                first,
                first_call,
                start,
                seen: &seen,
                last,
                end: time,
                left_by: limit,
                others: &others,
                only_at: None,
                price: UNDECLARED,
                most: MOST,
            };
            found = stretch.ways();
            if !found.0.is_empty() || woken == i64::MAX {
                break;
            }
        }
        let (ways, _) = found;
        let Some(best) = ways.first() else {
            self.unexplained += 1;
            self.leave(first, cpu_number, start, UNKNOWN, None);
            self.believe(cpu_number, last, UNKNOWN);
            return;
        };
        if let Some(incoherence) = self.incoherences.get_mut(incoherence) {
            incoherence.is_explained = true;
        }
        let weight = |way: &Way| (-f64::from(way.cost - best.cost) / 1000.0).exp();
        let all: f64 = ways.iter().map(weight).sum::<f64>() + REST;
        let before =
            |slot: usize| slot.checked_sub(1).and_then(|slot| seen.get(slot)).map_or(start, |seen| seen.time);
        let after = |slot: usize| seen.get(slot).map_or(time, |seen| seen.time);
        let mut left: Vec<(ThreadIx, usize, i64)> = Vec::new();
        let call_of =
            |thread| best.calls.iter().find(|&&(by, _)| by == thread).map_or(UNKNOWN, |&(_, call)| call);
        let mut planned = Vec::new();
        for (index, (step, (&mover, &(early, late)))) in
            best.moves.iter().zip(best.movers.iter().zip(&best.ranges)).enumerate()
        {
            // The thread that comes was not ready yet when the other one is likely to have left: the
            // CPU was idle in between, if staying that long costs more than one more lost event.
            let idle = match step.what {
                What::Switch(next) if next != SWAPPER && mover != SWAPPER => {
                    let other = others.iter().find(|other| other.thread == next && next != last);
                    let since = other.map_or(self.threads.get(next).since, |other| other.since);
                    let is_back = best.movers.iter().take(index).any(|&by| by == next);
                    if is_back {
                        0
                    } else {
                        self.costs.stays(call_of(mover), since.saturating_sub(before(early)))
                    }
                }
                _ => 0,
            };
            let share = 1.0 / (1.0 + ((f64::from(UNDECLARED) - f64::from(idle)) / 1000.0).exp());
            if idle > UNDECLARED {
                planned.push((index, What::Switch(SWAPPER), mover, early, late, share));
                planned.push((index, step.what, SWAPPER, early, late, share));
            } else {
                planned.push((index, step.what, mover, early, late, 1.0 - share));
            }
        }
        for (index, what, mover, early, late, share) in planned {
            let Some(step) = best.moves.get(index) else { continue };
            let by_whom = best.movers.get(index).copied().unwrap_or(mover);
            let holds = |way: &&Way| {
                way.moves.iter().zip(&way.movers).any(|(other, &by)| other.what == step.what && by == by_whom)
            };
            let probability = share * ways.iter().filter(holds).map(weight).sum::<f64>() / all;
            let (mut from, mut to, mut cpu_told) = (before(early), after(late), cpu_number);
            match what {
                What::Switch(next) => {
                    let thread = self.threads.get(next);
                    let other = others.iter().find(|other| other.thread == next && next != last);
                    let since = other.map_or(thread.since, |other| other.since);
                    let is_back = best.movers.iter().take(index).any(|&by| by == next);
                    if next != SWAPPER && !is_back && since <= to && next != first {
                        from = from.max(since);
                    }
                    if is_back && next == first && woken != i64::MAX {
                        from = from.max(woken.min(to));
                    }
                    if !best.moves.iter().take(index).any(|step| matches!(step.what, What::Switch(_))) {
                        let limit = if left_by.min(woken) >= from { left_by.min(woken) } else { left_by };
                        to = to.min(limit.max(from));
                    }
                }
                What::Enter(_) | What::Leave(_) => {
                    let thread = self.threads.get(first);
                    if early == 0 && mover == first {
                        from = from.min(thread.call_since);
                        if let (What::Enter(_), Some((slept, on))) = (what, thread.slept) {
                            (to, cpu_told) = (slept.max(from), on);
                        }
                    }
                }
            }
            let at = self.inferred.len();
            if probability >= LEAST {
                let reason = self.reason(what, mover, last, cpu_number);
                self.tell(Told {
                    what,
                    mover,
                    cpu: cpu_told,
                    from,
                    to,
                    probability,
                    is_sure: false,
                    incoherence: Some(incoherence),
                    window: None,
                    reason,
                });
            }
            if let What::Switch(next) = what {
                left.retain(|&(thread, ..)| thread != next && thread != mover);
                left.push((mover, at, from));
            }
        }
        let call_of =
            |thread| best.calls.iter().find(|&&(by, _)| by == thread).map_or(UNKNOWN, |&(_, call)| call);
        let known = self.inferred.len();
        for (thread, at, from) in left {
            if thread != last {
                self.leave(thread, cpu_number, from, call_of(thread), Some(at).filter(|&at| at < known));
            }
        }
        if woken != i64::MAX
            && first != last
            && first != SWAPPER
            && self.threads.get(first).place == Place::Left
        {
            self.resolve_pending(first, |state| state & 0x7ff != 0 && state & 0x70 == 0);
            let thread = self.threads.get_mut(first);
            (thread.place, thread.since) = (Place::Ready, woken);
        }
        self.believe(cpu_number, last, call_of(last));
    }

    /// This thread runs there now.
    pub(super) fn believe(&mut self, cpu_number: u32, thread: ThreadIx, call: u32) {
        let call = if thread == SWAPPER { IDLE } else { call };
        if let Some(cpu) = self.cpus.get_mut(cpu_number as usize) {
            (cpu.running, cpu.call) = (thread, call);
        }
    }

    /// A thread left the CPU by a switch that was lost.
    fn leave(&mut self, index: ThreadIx, cpu: u32, from: i64, call: u32, told: Option<usize>) {
        if index == SWAPPER || index == NOBODY {
            return;
        }
        let thread = self.threads.get_mut(index);
        if thread.place == Place::On && thread.cpu != cpu {
            // It was seen elsewhere since, without being woken: it never stopped being ready.
            thread.pending = told;
            self.resolve_pending(index, |state| state & 0x7ff == 0);
            return;
        }
        if thread.place != Place::On && thread.since > from {
            // Another stream has told of it since: it was woken, so it had blocked.
            thread.pending = told;
            thread.call = call;
            self.resolve_pending(index, |state| state & 0x7ff != 0 && state & 0x70 == 0);
            return;
        }
        (thread.place, thread.since, thread.cpu, thread.target) = (Place::Left, from, cpu, u32::MAX);
        (thread.call, thread.pending) = (call, told);
    }

    /// What came later tells with which state a thread was switched out.
    pub(super) fn resolve_pending(&mut self, index: ThreadIx, fits: impl Fn(i64) -> bool) {
        let Some(told) = self.threads.get_mut(index).pending.take() else { return };
        let mut states =
            self.costs.states(fits).into_iter().map(|(state, share)| (Guess::Number(state), share));
        let Some(event) = self.inferred.get_mut(told) else { return };
        if let Some(field) = event.fields.iter_mut().find(|field| field.name == "prev_state")
            && let Some((value, _)) = states.next()
        {
            field.value = value;
            field.alternatives = states.collect();
        }
    }

    /// A blocked thread runs, and nobody was seen to wake it.
    pub(super) fn came_unwoken(&mut self, index: ThreadIx, cpu: u32, time: i64) {
        let thread = self.threads.get(index);
        let (tid, since) = (thread.tid, thread.since);
        let over = self.window_over(since, time);
        let sentence = format!("thread {tid} runs on CPU {cpu} though it is blocked and nobody woke it");
        // What a declared loss explains is no contradiction.
        let number = match over {
            Found::One(..) | Found::Several(..) => None,
            _ => Some(self.misfit(time, cpu, Some(tid), sentence)),
        };
        let (window, at, from, to, probability) = match over {
            Found::None => {
                self.unexplained += 1;
                return;
            }
            Found::Undeclared => (None, cpu, since, time, 0.5),
            Found::One(window, on, from, to) => (Some(window), on, from, to, 0.9),
            Found::Several(window, on, from, to) => (Some(window), on, from, to, 0.5),
        };
        if let Some(incoherence) = number.and_then(|number| self.incoherences.get_mut(number)) {
            incoherence.is_explained = true;
        }
        let thread = self.threads.get(index);
        let comm = String::from_utf8_lossy(&thread.comm).into_owned();
        let field = |name, value| Field { name, value, alternatives: Vec::new() };
        let fields = vec![
            field("comm", Guess::Text(comm)),
            field("tid", Guess::Number(tid)),
            field("prio", Guess::Number(thread.prio)),
            field("target_cpu", Guess::Number(i64::from(cpu))),
        ];
        self.spend(window);
        self.inferred.push(Inferred {
            from: Timestamp(from),
            to: Timestamp(to),
            at: Timestamp(middle(from, to)),
            name: "sched_wakeup".to_owned(),
            cpu: at,
            fields,
            probability,
            certainty: Certainty::Likely { probability },
            reason: format!(
                "thread {tid} was blocked and then ran on CPU {cpu}: somebody woke it in between"
            ),
            concerns: vec![tid],
            incoherence: number,
            window,
        });
    }

    /// A thread that waits for a CPU is woken: it must have run and blocked unseen.
    pub(super) fn woken_while_ready(&mut self, index: ThreadIx, cpu: u32, time: i64, target: u32) {
        let thread = self.threads.get(index);
        let (tid, since, sent) = (thread.tid, thread.since, thread.target);
        let is_declared = matches!(self.window_over(since, time), Found::One(..) | Found::Several(..));
        if !is_declared {
            let sentence =
                format!("thread {tid} is woken on CPU {cpu} though it is ready: it ran and blocked unseen");
            let number = self.misfit(time, cpu, Some(tid), sentence);
            if !self.ran_unseen(index, number, since, time, sent) {
                self.unexplained += 1;
            }
        }
        let thread = self.threads.get_mut(index);
        (thread.since, thread.target) = (time, target);
        thread.call = UNKNOWN;
    }

    /// A ready thread ran and blocked between two moments. Where it was sent to a CPU that seemed to
    /// be idle all the time since, it came and left there. What is in doubt is left to its end.
    fn ran_unseen(&mut self, index: ThreadIx, incoherence: usize, since: i64, time: i64, sent: u32) -> bool {
        let Some(cpu) = self.cpus.get(sent as usize) else { return false };
        if cpu.doubt.is_some() {
            return cpu.others.iter().any(|other| other.thread == index);
        }
        if cpu.first != SWAPPER || cpu.start > since || !self.windows.is_empty() {
            return false;
        }
        let tid = self.threads.get(index).tid;
        let probability = self.costs.keeps_target() * (1.0 - REST);
        for (what, mover) in [(What::Switch(index), SWAPPER), (What::Switch(SWAPPER), index)] {
            let reason = format!(
                "thread {tid} was ready for CPU {sent}, which seemed idle, and later had to be woken again"
            );
            let (from, to, cpu, incoherence) = (since, time, sent, Some(incoherence));
            let at = self.inferred.len();
            self.tell(Told {
                what,
                mover,
                cpu,
                from,
                to,
                probability,
                is_sure: false,
                incoherence,
                window: None,
                reason,
            });
            if mover == index {
                self.threads.get_mut(index).pending = Some(at);
                self.resolve_pending(index, |state| state & 0x7ff != 0 && state & 0x70 == 0);
            }
        }
        if let Some(incoherence) = self.incoherences.get_mut(incoherence) {
            incoherence.is_explained = true;
        }
        true
    }

    fn reason(&self, what: What, mover: ThreadIx, last: ThreadIx, cpu: u32) -> String {
        let tid = |thread: ThreadIx| self.threads.get(thread).tid;
        match what {
            What::Switch(next) if next == last => format!(
                "CPU {cpu} was given to thread {}, and the next switch there takes it from thread {}",
                tid(mover),
                tid(next)
            ),
            What::Switch(next) => format!(
                "what was seen on CPU {cpu} fits thread {} and no longer thread {}",
                tid(next),
                tid(mover)
            ),
            What::Enter(call) => {
                format!("thread {} leaves the call {} that it was not in", tid(mover), self.names.call(call))
            }
            What::Leave(call) => {
                format!(
                    "thread {} goes on outside the call {} that it was in",
                    tid(mover),
                    self.names.call(call)
                )
            }
        }
    }

    pub(super) fn tell(&mut self, told: Told) {
        let text = |comm: &[u8]| Guess::Text(String::from_utf8_lossy(comm).into_owned());
        let field = |name, value| Field { name, value, alternatives: Vec::new() };
        let mut concerns = Vec::new();
        let (name, fields) = match told.what {
            What::Switch(next) => {
                let mut fields = Vec::new();
                for (thread, names) in [
                    (told.mover, ["prev_comm", "prev_tid", "prev_prio"]),
                    (next, ["next_comm", "next_tid", "next_prio"]),
                ] {
                    let about = self.threads.get(thread);
                    if thread == NOBODY {
                        fields.extend(names.map(|name| field(name, Guess::Unknown)));
                    } else {
                        concerns.push(about.tid);
                        let comm = match thread {
                            SWAPPER => Guess::Text(format!("swapper/{}", told.cpu)),
                            _ => text(&about.comm),
                        };
                        let values = [comm, Guess::Number(about.tid), Guess::Number(about.prio)];
                        fields.extend(names.into_iter().zip(values).map(|(name, value)| field(name, value)));
                    }
                    if names.contains(&"prev_tid") {
                        let mut states = match thread {
                            SWAPPER => vec![(0, 1.0)],
                            _ => self.costs.states(|state| (state & 0x70 != 0) == about.has_exited),
                        }
                        .into_iter()
                        .map(|(state, share)| (Guess::Number(state), share));
                        let value = states.next().map_or(Guess::Unknown, |(state, _)| state);
                        fields.push(Field { name: "prev_state", value, alternatives: states.collect() });
                    }
                }
                ("sched_switch".to_owned(), fields)
            }
            What::Enter(call) | What::Leave(call) => {
                concerns.push(self.threads.get(told.mover).tid);
                let way = if matches!(told.what, What::Enter(_)) { "entry" } else { "exit" };
                (format!("syscall_{way}_{}", self.names.call(call)), Vec::new())
            }
        };
        let probability = told.probability;
        self.spend(told.window);
        self.inferred.push(Inferred {
            from: Timestamp(told.from),
            to: Timestamp(told.to),
            at: Timestamp(middle(told.from, told.to)),
            name,
            cpu: told.cpu,
            fields,
            probability,
            certainty: if told.is_sure { Certainty::OnlyWay } else { Certainty::Likely { probability } },
            reason: told.reason,
            concerns,
            incoherence: told.incoherence,
            window: told.window,
        });
    }

    fn spend(&mut self, window: Option<usize>) {
        if let Some(window) = window.and_then(|window| self.windows.get_mut(window)) {
            window.inferred += 1;
        }
    }

    /// The stretch has declared losses in it. Only what both sides imply is told: that the thread
    /// before left and the thread behind came; who ran in between nobody knows.
    fn close_window(&mut self, cpu_number: u32, time: i64, last: ThreadIx) {
        let Some(cpu) = self.cpus.get_mut(cpu_number as usize) else { return };
        let gaps = std::mem::take(&mut cpu.gaps);
        let seen = std::mem::take(&mut cpu.seen);
        let (first, start, left_by) = (cpu.first, cpu.start, cpu.left_by);
        let cut = |gap: Option<&(usize, usize)>| gap.copied().unwrap_or((0, 0));
        let ((opening, before), (closing, after)) = (cut(gaps.first()), cut(gaps.last()));
        // The calls on both sides, as far as each side tells alone.
        let mut call = cpu.first_call;
        for seen in seen.iter().take(before) {
            call = super::solve::next_call(call, seen.role).unwrap_or(UNKNOWN);
        }
        let behind = seen.iter().skip(after);
        let mut call_behind = UNKNOWN;
        for seen in behind {
            call_behind = super::solve::next_call(call_behind, seen.role).unwrap_or(UNKNOWN);
        }
        let moves = first != NOBODY && first != last;
        let span = |window: usize, joint: &Joint| {
            joint
                .windows
                .get(window)
                .map_or((start, time), |window| (window.from.0.max(start), window.to.0.min(time)))
        };
        let tell = |joint: &mut Joint, what, mover, window: usize, to: i64, reason: String| {
            let (from, end) = span(window, joint);
            let window = joint.room(window, cpu_number)?;
            let number = joint.inferred.len();
            joint.tell(Told {
                what,
                mover,
                cpu: cpu_number,
                from,
                to: end.min(to).max(from),
                probability: 0.99,
                is_sure: false,
                incoherence: None,
                window: Some(window),
                reason,
            });
            Some(number)
        };
        let (leaves, comes) = (self.threads.get(first).tid, self.threads.get(last).tid);
        if moves {
            let only_one =
                gaps.iter().filter_map(|&(window, _)| self.windows.get(window)?.lost).sum::<u64>() == 1;
            let reason = format!(
                "thread {leaves} ran before the declared loss on CPU {cpu_number}, and not behind it"
            );
            let next = if only_one { last } else { NOBODY };
            let told = tell(self, What::Switch(next), first, opening, left_by, reason);
            if !only_one {
                let reason = format!(
                    "thread {comes} runs behind the declared loss on CPU {cpu_number}, and did not before"
                );
                tell(self, What::Switch(last), NOBODY, closing, i64::MAX, reason);
            }
            let (from, _) = span(opening, self);
            self.leave(first, cpu_number, from, UNKNOWN, told);
            let thread = self.threads.get(last);
            if last != SWAPPER && thread.place == Place::On && thread.cpu != cpu_number {
                let on = thread.cpu;
                self.seen_elsewhere(last, on, cpu_number, time);
            }
        } else if first != NOBODY && first != SWAPPER {
            let first_behind = seen.iter().skip(after).map(|seen| seen.role).next();
            use super::names::Role;
            let what = match first_behind {
                Some(Role::Leave(left)) if call == USER => Some(What::Enter(left)),
                Some(Role::Enter(_)) if call != USER && call != UNKNOWN => Some(What::Leave(call)),
                _ => None,
            };
            if let Some(what) = what {
                let reason = self.reason(what, first, last, cpu_number);
                tell(self, what, first, closing, i64::MAX, reason);
            }
        }
        self.believe(cpu_number, last, call_behind);
    }

    /// The window that this loss is charged to: it, or another of the same CPU with room.
    fn room(&self, window: usize, cpu: u32) -> Option<usize> {
        let has_room = |index: usize| {
            self.windows
                .get(index)
                .is_some_and(|window| window.lost.is_none_or(|lost| window.inferred < lost))
        };
        if has_room(window) {
            return Some(window);
        }
        let near = window.checked_sub(1).map_or(0, |_| window.saturating_sub(64));
        (near..window).rev().find(|&index| {
            has_room(index) && self.windows.get(index).is_some_and(|window| window.cpu == Some(cpu))
        })
    }

    /// The declared windows that overlap this time.
    fn window_over(&self, since: i64, time: i64) -> Found {
        if self.windows.is_empty() {
            return Found::Undeclared;
        }
        let mut found = Found::None;
        for (index, window) in self.windows.iter().enumerate().rev() {
            let (from, to) = (window.from.0.max(since), window.to.0.min(time));
            let has_room = window.lost.is_none_or(|lost| window.inferred < lost);
            let Some(on) = window.cpu.filter(|_| from <= to && has_room) else { continue };
            found = match found {
                Found::None => Found::One(index, on, from, to),
                Found::One(window, on, from, to) | Found::Several(window, on, from, to) => {
                    Found::Several(window, on, from, to)
                }
                Found::Undeclared => Found::Undeclared,
            };
        }
        found
    }
}

/// What [`Joint::window_over`] found: the window, its CPU, and the overlap.
enum Found {
    /// The trace declares no loss at all.
    Undeclared,
    /// It declares losses, but none here.
    None,
    One(usize, u32, i64, i64),
    Several(usize, u32, i64, i64),
}
