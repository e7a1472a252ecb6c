//! Who runs on which CPU: events of those that run, leave and come.
//!
//! Most events fit and cost a look-up; only where one does not is the interval of its CPU uncertain
//! until the next event seen there shows who really ran.

use model::Scalar;
use model::machine::Machine;

use crate::estimate::cpus::cpu::{Cpu, Seen};
use crate::estimate::instances::costs::UNDECLARED;
use crate::estimate::instances::instance::{IDLE, Ix, NO_INSTANCE};
use crate::estimate::instances::monitor::{Monitor, Took};
use crate::estimate::instances::shared::Shared;
use crate::state_machines::arrival::Arrival;
use crate::state_machines::plan::{Part, Role};
use crate::state_machines::state_estimate::{ANY, StateEstimate};
use crate::state_set::StateSet;
use crate::value::Name;

/// The machine whose instances run on CPUs.
#[derive(Debug)]
pub(crate) struct CpuMonitor {
    pub(crate) monitor: Monitor,
    pub(crate) cpus: Vec<Cpu>,
    /// Events by which one leaves and another comes, by how often they were seen.
    pub(crate) switches: Vec<(u32, u64)>,
    /// Intervals that do not fit and that nothing short explains.
    pub(crate) unexplained: u64,
    /// By symbol: the machine of the CPU that refuses it while the CPU rests, its state then and the
    /// states that would take it; `None`: not asked yet.
    pub(crate) refused: Vec<Option<Option<(usize, StateSet, StateSet)>>>,
    /// By symbol: fields that say something of who leaves (true) or comes, and what it is called.
    pub(crate) properties: Vec<Option<Vec<(usize, bool, u32)>>>,
    /// How often a switch led from an instance (0) or idle (1) to an instance (0) or idle (1).
    pub(crate) to_rest: [[u32; 2]; 2],
    /// Fields of a resting CPU: name, CPU, value.
    pub(crate) idle_reported: Vec<(String, u32, Option<Scalar>)>,
}

/// Whom a field names, and the row of the event for it.
pub(crate) type Named = (Ix, Option<u32>);

/// How long an instance may take from its last event to leaving its CPU, in nanoseconds.
pub(crate) const ABOUT_TO_LEAVE: i64 = 2_000;

/// Who runs on a CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occupant {
    /// There is no evidence, or something was lost or did not fit since the last change.
    Unknown,
    /// It is idle.
    NoInstance,
    /// An instance of a machine, an index into those of the pattern.
    Instance {
        /// The machine.
        machine: usize,
        /// The instance.
        key: Name,
    },
}

/// CPUs beyond this number are not followed.
pub(crate) const MOST_CPUS: u32 = 65_536;

/// Events that are kept of the path of an instance.
pub(crate) const TRAIL: usize = 16;

impl CpuMonitor {
    pub(crate) fn new(monitor: Monitor) -> CpuMonitor {
        CpuMonitor {
            monitor,
            cpus: Vec::new(),
            switches: Vec::new(),
            unexplained: 0,
            refused: Vec::new(),
            properties: Vec::new(),
            to_rest: [[0; 2]; 2],
            idle_reported: Vec::new(),
        }
    }

    /// States in which an instance runs.
    pub(crate) fn on(&self) -> StateSet {
        self.monitor.rules.shape.stays
    }

    pub(crate) fn cpu_mut(&mut self, number: u32) -> Option<&mut Cpu> {
        if number >= MOST_CPUS {
            return None;
        }
        if self.cpus.len() <= number as usize {
            let ghost = StateEstimate::of(self.on());
            self.cpus.resize_with(number as usize + 1, || Cpu::new(ghost));
        }
        self.cpus.get_mut(number as usize)
    }

    /// Who runs on a CPU, if that is known.
    pub(crate) fn running(&self, cpu: Option<u32>) -> Option<Name> {
        let cpu = self.cpus.get(cpu? as usize)?;
        self.monitor.instances.get(cpu.running).map(|one| one.key)
    }

    /// Who runs on a CPU, as far as everything since that one came fits.
    pub(crate) fn occupant(&self, cpu: u32) -> Occupant {
        let Some(cpu) = self.cpus.get(cpu as usize).filter(|cpu| !cpu.is_open()) else {
            return Occupant::Unknown;
        };
        match (cpu.running, self.monitor.instances.get(cpu.running)) {
            (IDLE, _) => Occupant::NoInstance,
            (_, Some(one)) => Occupant::Instance { machine: self.monitor.rules.index, key: one.key },
            _ => Occupant::Unknown,
        }
    }

    /// Whether something on this CPU did not fit since the last change of who runs on it.
    pub(crate) fn is_uncertain(&self, cpu: Option<u32>) -> bool {
        cpu.and_then(|cpu| self.cpus.get(cpu as usize)).is_some_and(|cpu| cpu.uncertainty.is_some())
    }

    /// Whether events of this name show which instance runs, leaves or comes.
    pub(crate) fn concerns(&self, symbol: model::Symbol) -> bool {
        self.monitor.rules.plan(symbol.0).is_some_and(|plan| plan.role != Role::Plain)
    }

    /// Whether the loss after this event is reported already: the CPU is uncertain, or was up to now.
    pub(crate) fn is_reported(&self, shared: &Shared, now: &Arrival<'_>) -> bool {
        let last = shared.incoherences.last().is_some_and(|last| last.ordinal == shared.ordinal);
        let cpu = now.cpu.and_then(|cpu| self.cpus.get(cpu as usize));
        last || self.is_uncertain(now.cpu) || cpu.is_some_and(|cpu| cpu.was_uncertain == shared.ordinal)
    }

    pub(crate) fn show(&self, shared: &Shared, who: Ix) -> String {
        match who {
            IDLE => "none".to_owned(),
            who => self
                .monitor
                .instances
                .get(who)
                .map_or("an unknown one".to_owned(), |one| shared.world.texts.show_name(one.key)),
        }
    }

    /// An event of who runs, which is in one certain state and takes it there, where nothing is uncertain:
    /// most events by far. Whether it is one; else nothing was done.
    #[inline]
    pub(crate) fn goes_on(&mut self, shared: &mut Shared, now: &Arrival<'_>) -> bool {
        let Some((row, number)) = self.monitor.rules.plain(now.symbol.0).zip(now.cpu) else { return false };
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return false };
        if cpu.uncertainty.is_some() || cpu.woken != i64::MAX {
            return false;
        }
        let ix = cpu.running;
        let Some(step) = self.monitor.quick(shared, now, ix, row) else { return false };
        cpu.push(&self.monitor.rules, Seen { time: now.time, who: NO_INSTANCE, is_here: false, row });
        shared.is_uncertain = false;
        self.opened(ix, step, (now.time, number));
        true
    }

    /// Where something is opened or closed, nothing lost before can have been on the way.
    fn opened(&mut self, ix: Ix, step: crate::state_machines::state_estimate::Step, at: (i64, u32)) {
        if step.taken.is_none_or(|target| target.opens.is_some() || target.closes.is_some())
            && let Some(one) = self.monitor.instances.get_mut(ix)
        {
            one.trail.clear();
            (one.trail_from, one.trail_estimate) = (at, one.estimate);
        }
    }

    /// Takes an event.
    pub(crate) fn observe(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        others: &[Monitor],
    ) {
        let Some(plan) = self.monitor.rules.plan(now.symbol.0) else { return };
        shared.is_uncertain = false;
        match plan.role {
            Role::Running => self.on_running(shared, machine, now, others),
            Role::Switch { prev_field, next_field } => {
                if let (Some(cpu), Some(prev_field), Some(next_field)) =
                    (now.cpu, self.named(shared, now, prev_field), self.named(shared, now, next_field))
                {
                    self.on_switch(shared, machine, now, (cpu, prev_field, next_field));
                }
            }
            Role::Plain => {
                // What is open in who runs is not known where nobody knows who that is.
                shared.is_uncertain = self.is_uncertain(now.cpu) || self.running(now.cpu).is_none();
                for position in 0..plan.parts.len() {
                    self.on_named(shared, machine, now, position);
                    shared.is_uncertain |= self.is_uncertain(now.cpu);
                }
            }
        }
    }

    /// Whom a field names, and the row of the event for it.
    fn named(&mut self, shared: &mut Shared, now: &Arrival<'_>, slot: usize) -> Option<Named> {
        let key = shared.key_of(shared.facts.get(slot)?)?;
        if self.monitor.rules.plan(now.symbol.0)?.except.contains(&key) {
            return Some((IDLE, None));
        }
        let ix = self.monitor.find_or_add(key, now.time);
        Some((ix, self.monitor.row(shared, now, Part::Field(slot), ix)))
    }

    fn on_running(&mut self, shared: &mut Shared, machine: &Machine, now: &Arrival<'_>, others: &[Monitor]) {
        let Some(number) = now.cpu else { return };
        let Some(cpu) = self.cpu_mut(number) else { return };
        let running = cpu.running;
        let row = match running {
            IDLE | NO_INSTANCE => {
                self.monitor.rules.plan(now.symbol.0).and_then(|plan| plan.lost_as(Part::Runs))
            }
            ix => self.monitor.row(shared, now, Part::Runs, ix),
        };
        let Some(row) = row else { return };
        let seen = Seen { time: now.time, who: NO_INSTANCE, is_here: false, row };
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        cpu.push(&self.monitor.rules, seen);
        if cpu.uncertainty.is_some() {
            return;
        }
        if running == NO_INSTANCE && cpu.asked < cpu.gaps.len() {
            cpu.asked = cpu.gaps.len();
            let others = self.others(number, row);
            if let Some(cpu) = self.cpus.get_mut(number as usize) {
                cpu.others.extend(others);
            }
        }
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        match running {
            IDLE => {
                if let Some((position, states, accepts)) = self.refusal(shared, others, now.symbol.0)
                    && let Some(other) = others.get(position)
                {
                    let key = Name::Number(i64::from(number));
                    let since = self.cpus.get(number as usize).map_or(now.time, |cpu| cpu.start);
                    let sentence = format!("{} on CPU {number}, where nobody runs", shared.name(now.symbol));
                    let index =
                        other.inconsistency(shared, now, (key, since), (states, accepts), None, sentence);
                    self.uncertainty(number, index, row);
                }
            }
            NO_INSTANCE => {
                let rules = self.monitor.rules.row(row);
                let ghost =
                    rules.and_then(|row| row.step(cpu.ghost, ANY).or_else(|| row.anew(StateSet::all())));
                cpu.ghost = ghost.map_or(cpu.ghost, |step| step.after);
            }
            ix => {
                if cpu.woken != i64::MAX && self.was_away(shared, machine, now, (number, ix, row)) {
                    return;
                }
                let previous = self.monitor.instances.get(ix).map_or(now.time, |one| one.time);
                match self.monitor.take(shared, machine, now, (ix, row), None) {
                    Took::Nothing => {}
                    Took::Fits(step) | Took::ByLoss { step, .. } => {
                        self.opened(ix, step, (now.time, number));
                    }
                    Took::Inconsistent { before, accepts, window } => {
                        let sentence = format!(
                            "{} on CPU {number}, where {} runs, which is in {}",
                            self.what(shared, row),
                            self.show(shared, ix),
                            self.state(shared, machine, before),
                        );
                        let key = self.monitor.instances.get(ix).map_or(Name::Number(-1), |one| one.key);
                        let states = (before.set, accepts);
                        let index = self.monitor.inconsistency(
                            shared,
                            now,
                            (key, previous),
                            states,
                            window,
                            sentence,
                        );
                        self.uncertainty(number, index, row);
                    }
                }
            }
        }
    }

    /// Who runs goes on though another stream saw that it was off the CPU. Either it was about to leave
    /// and did not, which is rare, or it left and came back.
    fn was_away(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, ix, row): (u32, Ix, u32),
    ) -> bool {
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return false };
        if cpu.wakes < UNDECLARED {
            self.monitor.costs.woke(cpu.woken_by, true);
            cpu.forget_woken();
            return false;
        }
        let Some(one) = self.monitor.instances.get(ix) else { return false };
        let (key, previous, estimate) = (one.key, one.time, one.estimate);
        let sentence = format!(
            "{} on CPU {number}, where {} runs, which was made ready meanwhile: it had left",
            self.what(shared, row),
            self.show(shared, ix)
        );
        let states = (estimate.set, self.off());
        let index = self.monitor.inconsistency(shared, now, (key, previous), states, None, sentence);
        let _ = machine;
        self.uncertainty(number, index, row);
        true
    }

    /// The name of the event of a row.
    pub(crate) fn what(&self, shared: &Shared, row: u32) -> String {
        let symbol = self.monitor.rules.row(row).map_or(u32::MAX, |row| row.symbol);
        shared.name(model::Symbol(symbol)).to_owned()
    }

    /// An estimate in words.
    pub(crate) fn state(&self, shared: &Shared, machine: &Machine, estimate: StateEstimate) -> String {
        let states = Monitor::show(machine, estimate.set);
        match estimate.open {
            ANY | crate::state_machines::state_estimate::NOTHING => states,
            open => format!("{states} ({})", shared.stems.name(model::Symbol(open))),
        }
    }

    /// Why a resting CPU does not take an event: a machine of the CPU refuses it in the state in which
    /// a handover to nobody leaves it.
    fn refusal(
        &mut self,
        shared: &Shared,
        others: &[Monitor],
        symbol: u32,
    ) -> Option<(usize, StateSet, StateSet)> {
        if self.refused.len() <= symbol as usize {
            self.refused.resize(symbol as usize + 1, None);
        }
        if let Some(Some(known)) = self.refused.get(symbol as usize) {
            return *known;
        }
        let mut found = None;
        for (position, other) in others.iter().enumerate() {
            let Some(plan) = other.rules.plan(symbol).filter(|plan| plan.parts == [Part::Cpu]) else {
                continue;
            };
            let mut idle_states = StateSet::default();
            for &(switch, _) in &self.switches {
                let Some(mine) = self.monitor.rules.plan(switch) else { continue };
                let (Role::Switch { next_field, .. }, Some(theirs)) = (mine.role, other.rules.plan(switch))
                else {
                    continue;
                };
                let none = mine.except.first().map(|key| crate::state_machines::askers::value_of(*key));
                let known = |slot: usize| (slot == next_field).then_some(none);
                let ordinary = other.rules.shape.ordinary;
                idle_states = idle_states.or(theirs.after(ordinary, Part::Cpu, &shared.world.texts, &known));
            }
            let row = plan.lost_as(Part::Cpu).and_then(|row| other.rules.row(row));
            if let Some(row) = row
                && !idle_states.is_empty()
                && row.accepts.and(idle_states).is_empty()
                && !row.accepts.is_empty()
            {
                found = Some((position, idle_states, row.accepts));
                break;
            }
        }
        if let Some(position) = self.refused.get_mut(symbol as usize) {
            *position = Some(found);
        }
        found
    }

    /// From here on nobody knows who runs on a CPU.
    fn uncertainty(&mut self, number: u32, incoherence: usize, row: u32) {
        let others = self.others(number, row);
        if let Some(cpu) = self.cpus.get_mut(number as usize) {
            cpu.uncertainty = Some(incoherence);
            cpu.others.extend(others);
        }
    }
}
