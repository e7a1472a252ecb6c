//! Who runs on which CPU: events of those that run, leave and come.
//!
//! Most events fit and cost a look-up; only where one does not is the stretch of its CPU kept in
//! doubt until the next event seen there says who really ran.

use model::machine::Machine;

use super::belief::{ANY, Belief};
use super::costs::{Comer, UNDECLARED};
use super::cpu::{Cpu, Other, Seen};
use super::inferred::Guess;
use super::instances::{Ix, NOBODY, NOWHERE, REST};
use super::rules::{Part, Role};
use super::shared::Shared;
use super::watched::{Arrival, Took, Watched};
use crate::machines::state_set::StateSet;
use crate::machines::value::Name;

/// The machine whose instances run on CPUs.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) watched: Watched,
    pub(super) cpus: Vec<Cpu>,
    /// Events by which one leaves and another comes, by how often they were seen.
    pub(super) handovers: Vec<(u32, u64)>,
    /// Stretches that do not fit and that nothing short explains.
    pub(super) unexplained: u64,
    /// By symbol: the machine of the CPU that refuses it while the CPU rests, its state then and the
    /// states that would take it; `None`: not asked yet.
    pub(super) refused: Vec<Option<Option<(usize, StateSet, StateSet)>>>,
    /// By symbol: fields that say something of who leaves (true) or comes, and what it is called.
    pub(super) properties: Vec<Option<Vec<(usize, bool, u32)>>>,
    /// How often who ran or nobody (1) was followed by another one or nobody (1).
    pub(super) to_rest: [[u32; 2]; 2],
    /// Fields of a resting CPU: name, CPU, value.
    pub(super) rest_told: Vec<(String, u32, Guess)>,
}

/// Whom a field names, and the row of the event for it.
type Named = (Ix, Option<u32>);

/// How long an instance may take from its last event to leaving its CPU, in nanoseconds.
const ABOUT_TO_LEAVE: i64 = 2_000;

/// CPUs beyond this number are not followed.
pub(super) const MOST_CPUS: u32 = 65_536;

/// Events that are kept of the way of an instance.
const TRAIL: usize = 16;

impl Runner {
    pub(super) fn new(watched: Watched) -> Runner {
        Runner {
            watched,
            cpus: Vec::new(),
            handovers: Vec::new(),
            unexplained: 0,
            refused: Vec::new(),
            properties: Vec::new(),
            to_rest: [[0; 2]; 2],
            rest_told: Vec::new(),
        }
    }

    /// States in which an instance runs.
    pub(super) fn on(&self) -> StateSet {
        self.watched.rules.shape.stays
    }

    pub(super) fn cpu_mut(&mut self, number: u32) -> Option<&mut Cpu> {
        if number >= MOST_CPUS {
            return None;
        }
        if self.cpus.len() <= number as usize {
            let ghost = Belief::of(self.on());
            self.cpus.resize_with(number as usize + 1, || Cpu::new(ghost));
        }
        self.cpus.get_mut(number as usize)
    }

    /// Who runs on a CPU, if that is known.
    pub(super) fn running(&self, cpu: Option<u32>) -> Option<Name> {
        let cpu = self.cpus.get(cpu? as usize)?;
        self.watched.instances.get(cpu.running).map(|one| one.key)
    }

    /// Whether something on this CPU did not fit since the last time that somebody came.
    pub(super) fn is_in_doubt(&self, cpu: Option<u32>) -> bool {
        cpu.and_then(|cpu| self.cpus.get(cpu as usize)).is_some_and(|cpu| cpu.doubt.is_some())
    }

    /// Whether events of this name tell who runs, leaves or comes.
    pub(super) fn concerns(&self, symbol: model::Symbol) -> bool {
        self.watched.rules.plan(symbol.0).is_some_and(|plan| plan.role != Role::Plain)
    }

    /// Whether the loss behind this event is told already: the CPU is in doubt, or was up to now.
    pub(super) fn is_told(&self, shared: &Shared, now: &Arrival<'_>) -> bool {
        let last = shared.incoherences.last().is_some_and(|last| last.ordinal == shared.ordinal);
        let cpu = now.cpu.and_then(|cpu| self.cpus.get(cpu as usize));
        last || self.is_in_doubt(now.cpu) || cpu.is_some_and(|cpu| cpu.was_in_doubt == shared.ordinal)
    }

    pub(super) fn show(&self, shared: &Shared, who: Ix) -> String {
        match who {
            REST => "none".to_owned(),
            who => self
                .watched
                .instances
                .get(who)
                .map_or("an unknown one".to_owned(), |one| shared.world.texts.show_name(one.key)),
        }
    }

    /// An event of who runs, which is in one certain state and takes it there, where nothing is in doubt:
    /// most events by far. Whether it is one; else nothing was done.
    #[inline]
    pub(super) fn goes_on(&mut self, shared: &mut Shared, now: &Arrival<'_>) -> bool {
        let Some((row, number)) = self.watched.rules.plain(now.symbol.0).zip(now.cpu) else { return false };
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return false };
        if cpu.doubt.is_some() || cpu.woken != i64::MAX {
            return false;
        }
        let ix = cpu.running;
        let Some(step) = self.watched.quick(shared, now, ix, row) else { return false };
        cpu.push(&self.watched.rules, Seen { time: now.time, who: NOBODY, is_here: false, row });
        shared.is_in_doubt = false;
        self.opened(ix, step, (now.time, number));
        true
    }

    /// Where something is opened or closed, nothing lost before can have been on the way.
    fn opened(&mut self, ix: Ix, step: super::belief::Step, at: (i64, u32)) {
        if step.taken.is_none_or(|target| target.opens.is_some() || target.closes.is_some())
            && let Some(one) = self.watched.instances.get_mut(ix)
        {
            one.trail.clear();
            (one.trail_from, one.trail_belief) = (at, one.belief);
        }
    }

    /// Takes an event.
    pub(super) fn observe(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        others: &[Watched],
    ) {
        let Some(plan) = self.watched.rules.plan(now.symbol.0) else { return };
        shared.is_in_doubt = false;
        match plan.role {
            Role::Running => self.on_running(shared, machine, now, others),
            Role::Handover { leaver, comer } => {
                if let (Some(cpu), Some(leaver), Some(comer)) =
                    (now.cpu, self.named(shared, now, leaver), self.named(shared, now, comer))
                {
                    self.on_handover(shared, machine, now, (cpu, leaver, comer));
                }
            }
            Role::Plain => {
                // What is open in who runs is not known where nobody knows who that is.
                shared.is_in_doubt = self.is_in_doubt(now.cpu) || self.running(now.cpu).is_none();
                for place in 0..plan.parts.len() {
                    self.on_named(shared, machine, now, place);
                }
            }
        }
    }

    /// Whom a field names, and the row of the event for it.
    fn named(&mut self, shared: &mut Shared, now: &Arrival<'_>, slot: usize) -> Option<Named> {
        let key = shared.key_of(shared.facts.get(slot)?)?;
        if self.watched.rules.plan(now.symbol.0)?.except.contains(&key) {
            return Some((REST, None));
        }
        let ix = self.watched.find_or_add(key, now.time);
        Some((ix, self.watched.row(shared, now, Part::Field(slot), ix)))
    }

    fn on_running(&mut self, shared: &mut Shared, machine: &Machine, now: &Arrival<'_>, others: &[Watched]) {
        let Some(number) = now.cpu else { return };
        let Some(cpu) = self.cpu_mut(number) else { return };
        let running = cpu.running;
        let row = match running {
            REST | NOBODY => self.watched.rules.plan(now.symbol.0).and_then(|plan| plan.lost_as(Part::Runs)),
            ix => self.watched.row(shared, now, Part::Runs, ix),
        };
        let Some(row) = row else { return };
        let seen = Seen { time: now.time, who: NOBODY, is_here: false, row };
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        cpu.push(&self.watched.rules, seen);
        if cpu.doubt.is_some() {
            return;
        }
        if running == NOBODY && cpu.asked < cpu.gaps.len() {
            cpu.asked = cpu.gaps.len();
            let others = self.others(number, row);
            if let Some(cpu) = self.cpus.get_mut(number as usize) {
                cpu.others.extend(others);
            }
        }
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        match running {
            REST => {
                if let Some((place, states, accepts)) = self.refusal(shared, others, now.symbol.0)
                    && let Some(other) = others.get(place)
                {
                    let key = Name::Number(i64::from(number));
                    let since = self.cpus.get(number as usize).map_or(now.time, |cpu| cpu.start);
                    let sentence = format!("{} on CPU {number}, where nobody runs", shared.name(now.symbol));
                    let index = other.misfit(shared, now, (key, since), (states, accepts), None, sentence);
                    self.doubt(number, index, row);
                }
            }
            NOBODY => {
                let rules = self.watched.rules.row(row);
                let ghost =
                    rules.and_then(|row| row.step(cpu.ghost, ANY).or_else(|| row.anew(StateSet::all())));
                cpu.ghost = ghost.map_or(cpu.ghost, |step| step.after);
            }
            ix => {
                if cpu.woken != i64::MAX && self.was_away(shared, machine, now, (number, ix, row)) {
                    return;
                }
                let previous = self.watched.instances.get(ix).map_or(now.time, |one| one.time);
                match self.watched.take(shared, machine, now, (ix, row), None) {
                    Took::Nothing => {}
                    Took::Fits(step) | Took::ByLoss { step, .. } => {
                        self.opened(ix, step, (now.time, number));
                    }
                    Took::Misfit { before, accepts, window } => {
                        let sentence = format!(
                            "{} on CPU {number}, where {} runs, which is in {}",
                            self.what(shared, row),
                            self.show(shared, ix),
                            self.state(shared, machine, before),
                        );
                        let key = self.watched.instances.get(ix).map_or(Name::Number(-1), |one| one.key);
                        let states = (before.set, accepts);
                        let index =
                            self.watched.misfit(shared, now, (key, previous), states, window, sentence);
                        self.doubt(number, index, row);
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
            self.watched.costs.woke(cpu.woken_by, true);
            cpu.forget_woken();
            return false;
        }
        let Some(one) = self.watched.instances.get(ix) else { return false };
        let (key, previous, belief) = (one.key, one.time, one.belief);
        let sentence = format!(
            "{} on CPU {number}, where {} runs, which was made ready meanwhile: it had left",
            self.what(shared, row),
            self.show(shared, ix)
        );
        let states = (belief.set, self.off());
        let index = self.watched.misfit(shared, now, (key, previous), states, None, sentence);
        let _ = machine;
        self.doubt(number, index, row);
        true
    }

    /// The name of the event of a row.
    pub(super) fn what(&self, shared: &Shared, row: u32) -> String {
        let symbol = self.watched.rules.row(row).map_or(u32::MAX, |row| row.symbol);
        shared.name(model::Symbol(symbol)).to_owned()
    }

    /// A belief in words.
    pub(super) fn state(&self, shared: &Shared, machine: &Machine, belief: Belief) -> String {
        let states = Watched::show(machine, belief.set);
        match belief.open {
            ANY | super::belief::NOTHING => states,
            open => format!("{states} ({})", shared.stems.name(model::Symbol(open))),
        }
    }

    /// Why a resting CPU does not take an event: a machine of the CPU refuses it in the state in which
    /// a handover to nobody leaves it.
    fn refusal(
        &mut self,
        shared: &Shared,
        others: &[Watched],
        symbol: u32,
    ) -> Option<(usize, StateSet, StateSet)> {
        if self.refused.len() <= symbol as usize {
            self.refused.resize(symbol as usize + 1, None);
        }
        if let Some(Some(known)) = self.refused.get(symbol as usize) {
            return *known;
        }
        let mut found = None;
        for (place, other) in others.iter().enumerate() {
            let Some(plan) = other.rules.plan(symbol).filter(|plan| plan.parts == [Part::Cpu]) else {
                continue;
            };
            let mut rests = StateSet::default();
            for &(handover, _) in &self.handovers {
                let Some(mine) = self.watched.rules.plan(handover) else { continue };
                let (Role::Handover { comer, .. }, Some(theirs)) = (mine.role, other.rules.plan(handover))
                else {
                    continue;
                };
                let none = mine.except.first().map(|key| super::watched::value_of(*key));
                let known = |slot: usize| (slot == comer).then_some(none);
                let ordinary = other.rules.shape.ordinary;
                rests = rests.or(theirs.behind(ordinary, Part::Cpu, &shared.world.texts, &known));
            }
            let row = plan.lost_as(Part::Cpu).and_then(|row| other.rules.row(row));
            if let Some(row) = row
                && !rests.is_empty()
                && row.accepts.and(rests).is_empty()
                && !row.accepts.is_empty()
            {
                found = Some((place, rests, row.accepts));
                break;
            }
        }
        if let Some(place) = self.refused.get_mut(symbol as usize) {
            *place = Some(found);
        }
        found
    }

    /// From here on nobody knows who runs on a CPU.
    fn doubt(&mut self, number: u32, incoherence: usize, row: u32) {
        let others = self.others(number, row);
        if let Some(cpu) = self.cpus.get_mut(number as usize) {
            cpu.doubt = Some(incoherence);
            cpu.others.extend(others);
        }
    }

    /// Those that could come to a CPU and do this there, those sent to it first.
    pub(super) fn others(&self, number: u32, row: u32) -> Vec<Other> {
        let Some(comes) = self.comer_row() else { return Vec::new() };
        let (Some(comes), Some(row)) = (self.watched.rules.row(comes), self.watched.rules.row(row)) else {
            return Vec::new();
        };
        let on = self.on();
        let fits = |(ix, one): (Ix, &super::instances::Instance)| {
            // A loss may have widened what is known of it: then it may run, too.
            let off = Belief { set: one.belief.set.and(on.others()), open: one.belief.open };
            let is_off = one.on == NOWHERE || off.set == one.belief.set;
            let step = comes.step(off, ANY).filter(|_| is_off)?;
            row.step(step.after, ANY)?;
            let how = self.comer(one, number);
            let cost = self.watched.costs.comes(how);
            let order = (cost, one.cpu != number, std::cmp::Reverse(one.moved));
            Some((order, how, Other { ix, since: one.moved, belief: off, cost }))
        };
        let fitting: Vec<_> = self.watched.instances.iter().filter_map(fits).collect();
        // One of many of a kind is as much less probable.
        let alike = |how: Comer| fitting.iter().filter(|(_, of, _)| *of == how).count();
        let kinds = [Comer::SentHere, Comer::SentElsewhere, Comer::Unsent, Comer::Uncertain].map(alike);
        let mut others: Vec<_> = fitting
            .into_iter()
            .map(|(order, how, mut other)| {
                let many = kinds.get(how as usize).map_or(1.0, |many| *many as f64);
                other.cost = other.cost.saturating_add(super::costs::cost(1.0 / many.max(1.0)));
                (order, other)
            })
            .collect();
        others.sort_by_key(|(order, _)| *order);
        others.truncate(6);
        others.into_iter().map(|(_, other)| other).collect()
    }

    /// What is known of one who may come to a CPU.
    fn comer(&self, one: &super::instances::Instance, number: u32) -> Comer {
        let is_certain = one.belief.open != ANY && one.belief.set.and(self.on()).is_empty();
        match () {
            () if one.target == number => Comer::SentHere,
            () if one.target != NOWHERE => Comer::SentElsewhere,
            () if is_certain => Comer::Unsent,
            () => Comer::Uncertain,
        }
    }

    /// The most frequent event by which one leaves and another comes, and its rows.
    pub(super) fn handover(&self) -> Option<(u32, u32, u32)> {
        let &(symbol, _) = self.handovers.iter().max_by_key(|(_, times)| *times)?;
        let plan = self.watched.rules.plan(symbol)?;
        let Role::Handover { leaver, comer } = plan.role else { return None };
        Some((symbol, plan.lost_as(Part::Field(leaver))?, plan.lost_as(Part::Field(comer))?))
    }

    fn comer_row(&self) -> Option<u32> {
        self.handover().map(|(_, _, comes)| comes)
    }

    fn on_handover(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, (prev, prev_row), (next, next_row)): (u32, Named, Named),
    ) {
        let symbol = now.symbol.0;
        let kind = (usize::from(prev == REST), usize::from(next == REST));
        self.to_rest[kind.0][kind.1] += 1;
        match self.handovers.iter_mut().find(|(known, _)| *known == symbol) {
            Some((_, times)) => *times += 1,
            None => {
                self.handovers.push((symbol, 1));
                self.refused.clear();
            }
        }
        let Some(cpu) = self.cpu_mut(number) else { return };
        let (running, last) = (cpu.running, cpu.seen.last().map_or(cpu.start, |seen| seen.time));
        // It was seen off the CPU while it seemed to run. Between being about to leave and leaving that
        // is no wonder; that long after its last sign of life it had left.
        let was_away =
            cpu.woken != i64::MAX && prev != REST && cpu.woken.saturating_sub(last) > ABOUT_TO_LEAVE;
        let is_clear = cpu.doubt.is_none() && cpu.gaps.is_empty();
        let is_here = |one: &super::instances::Instance| one.on == number;
        let is_known =
            running == prev && (prev == REST || self.watched.instances.get(prev).is_some_and(is_here));
        let mut fits = is_clear && is_known && !was_away;
        if fits
            && prev != REST
            && let Some(row) = prev_row
        {
            let (before, _) = self.watched.before(shared, prev);
            fits = self.watched.rules.row(row).is_some_and(|row| row.step(before, ANY).is_some());
            if fits {
                self.watched.costs.dwelt(before, now.time.saturating_sub(last));
            }
        }
        if !fits {
            if let Some(cpu) = self.cpus.get_mut(number as usize) {
                cpu.was_in_doubt = shared.ordinal;
            }
            self.close(shared, machine, now, (number, prev, prev_row));
        }
        if prev != REST
            && let Some(row) = prev_row
        {
            self.leaves(shared, machine, now, (number, prev, row));
        }
        self.comes(shared, machine, now, (number, next, next_row));
        self.watched.rules.count_values(symbol, &shared.facts);
        self.remember(shared, (symbol, number), prev, next);
    }

    /// Somebody was seen to leave a CPU, where it ran.
    fn leaves(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, ix, row): (u32, Ix, u32),
    ) {
        let on = self.on();
        // What is not known of it is not held against it: that was settled before.
        if let Some(one) = self.watched.instances.get_mut(ix)
            && one.belief.set.and(on).is_empty()
        {
            one.belief = Belief { set: on, open: one.belief.open };
        }
        self.watched.take(shared, machine, now, (ix, row), None);
        if let Some(one) = self.watched.instances.get_mut(ix) {
            (one.on, one.target, one.pending) = (NOWHERE, NOWHERE, None);
        }
        self.walked(ix, (now.time, number), row);
    }

    /// Notes an event on the way of an instance.
    fn walked(&mut self, ix: Ix, at: (i64, u32), row: u32) {
        let Some(one) = self.watched.instances.get_mut(ix) else { return };
        if one.trail.len() >= TRAIL {
            one.trail.clear();
            (one.trail_from, one.trail_belief) = (at, one.belief);
            return;
        }
        one.trail.push(super::instances::Trail { time: at.0, cpu: at.1, row, after: one.belief });
    }

    /// Somebody was seen to come to a CPU.
    fn comes(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (number, ix, row): (u32, Ix, Option<u32>),
    ) {
        let mut belief = Belief::of(StateSet::default());
        if let Some(row) = row.filter(|_| ix != REST) {
            let one = self.watched.instances.get(ix);
            let (on, how) = one.map_or((NOWHERE, Comer::Uncertain), |one| (one.on, self.comer(one, number)));
            if on != NOWHERE && on != number {
                self.seen_elsewhere(shared, machine, now, (ix, on, number));
            }
            let previous = self.watched.instances.get(ix).map_or(now.time, |one| one.time);
            match self.watched.take(shared, machine, now, (ix, row), None) {
                Took::Misfit { before, accepts, window } if on == NOWHERE || on == number => {
                    self.came_unready(shared, machine, now, (ix, previous), (before, accepts), window);
                }
                Took::ByLoss { known, .. } if on == NOWHERE && known.set.and(self.on()).is_empty() => {
                    self.implied(shared, machine, now, (ix, previous), known, (Some(row), None));
                }
                Took::Fits(_) => self.watched.costs.came_to_run(how),
                _ => {}
            }
            if let Some(one) = self.watched.instances.get_mut(ix) {
                (one.on, one.pending) = (number, None);
                belief = one.belief;
            }
            self.walked(ix, (now.time, number), row);
        }
        if let Some(cpu) = self.cpu_mut(number) {
            cpu.begin(ix, belief, now.time);
        }
    }

    /// Somebody who is believed to run on `on` was seen on another CPU.
    pub(super) fn seen_elsewhere(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (ix, on, number): (Ix, u32, u32),
    ) {
        let (off, running) = (self.off(), self.on());
        let who = self.show(shared, ix);
        let Some(one) = self.watched.instances.get_mut(ix) else { return };
        let (key, previous, states) = (one.key, one.time, one.belief.set);
        one.on = NOWHERE;
        // It left there unseen, so it was ready here, in whatever.
        one.belief = Belief::of(off);
        let Some(cpu) = self.cpus.get_mut(on as usize) else { return };
        if cpu.first != ix || cpu.left_by != i64::MAX {
            return;
        }
        cpu.left_by = now.time;
        if cpu.doubt.is_none() && cpu.gaps.is_empty() {
            let sentence = format!("{who} comes to CPU {number} while it runs on CPU {on}");
            let states = (states.and(running), off);
            let index = self.watched.misfit(shared, now, (key, previous), states, None, sentence);
            let _ = machine;
            if let Some(cpu) = self.cpus.get_mut(on as usize) {
                cpu.doubt = Some(index);
            }
        }
    }

    /// States from which an instance comes to a CPU.
    pub(super) fn off(&self) -> StateSet {
        let row = self.comer_row().and_then(|row| self.watched.rules.row(row));
        row.map_or(StateSet::default(), |row| row.accepts)
    }

    /// An event that names its instances: it may say that one runs here, or that it does not.
    fn on_named(&mut self, shared: &mut Shared, machine: &Machine, now: &Arrival<'_>, place: usize) {
        let Some(plan) = self.watched.rules.plan(now.symbol.0) else { return };
        let Some(&part) = plan.parts.get(place) else { return };
        let key = match part {
            Part::Field(slot) => shared.facts.get(slot).and_then(|value| shared.key_of(value)),
            Part::Runs => self.running(now.cpu),
            Part::Cpu => now.cpu.map(|cpu| Name::Number(i64::from(cpu))),
        };
        let sends_to = plan.sends_to;
        let Some(key) = key.filter(|key| !plan.except.contains(key)) else { return };
        let ix = self.watched.find_or_add(key, now.time);
        let Some(row) = self.watched.row(shared, now, part, ix) else { return };
        let Some(accepts) = self.watched.rules.row(row).map(|row| row.accepts) else { return };
        if accepts.is_empty() {
            return;
        }
        let on = self.on();
        let is_here = accepts.and(on) == accepts;
        if is_here {
            self.on_here(shared, machine, now, (ix, row));
            return;
        }
        let (runs_on, since, target) = self
            .watched
            .instances
            .get(ix)
            .map_or((NOWHERE, now.time, NOWHERE), |one| (one.on, one.moved, one.target));
        if let Some(cpu) = self.cpus.get_mut(runs_on as usize)
            && cpu.first == ix
            && !accepts.and(on).is_empty()
            && self.watched.rules.row(row).is_some_and(|row| row.moves(on.others()))
        {
            // It takes this where it runs, but it means something elsewhere.
            let costs = &mut self.watched.costs;
            if cpu.is_open() {
                cpu.push(&self.watched.rules, Seen { time: now.time, who: ix, is_here: false, row });
            } else if cpu.woken == i64::MAX {
                let last = cpu.seen.last().map_or(cpu.start, |seen| seen.time);
                let belief = self.watched.instances.get(ix).map(|one| one.belief);
                cpu.wakes = belief.map_or(0, |belief| costs.stays(belief, now.time.saturating_sub(last)));
                (cpu.woken, cpu.woken_by) = (now.time, now.symbol.0);
            }
            cpu.wakes = cpu.wakes.saturating_add(costs.goes_on(now.symbol.0));
            costs.woke(now.symbol.0, false);
            if let Some(one) = self.watched.instances.get_mut(ix) {
                one.time = now.time;
            }
            return;
        }
        let took = self.watched.take(shared, machine, now, (ix, row), None);
        let sent = sends_to
            .and_then(|slot| shared.facts.get(slot)?.as_i64())
            .and_then(|cpu| u32::try_from(cpu).ok());
        match took {
            Took::Misfit { before, accepts, window } => {
                self.strayed(shared, machine, now, (ix, since, target), (before, accepts), window);
            }
            Took::Fits(_) => {}
            Took::ByLoss { known, .. } if known.set.and(on).is_empty() => {
                let rows = (Some(row), None);
                if !self.implied(shared, machine, now, (ix, since), known, rows) {
                    self.ran_unseen(shared, machine, (ix, None), (since, now.time), target);
                }
            }
            Took::ByLoss { .. } => {}
            Took::Nothing => return,
        }
        if let Some(one) = self.watched.instances.get_mut(ix) {
            if one.belief.set.and(on).is_empty() {
                one.on = NOWHERE;
            }
            if let Some(sent) = sent {
                one.target = sent;
            }
        }
        self.walked(ix, (now.time, NOWHERE), row);
        if self.watched.rules.row(row).is_some_and(|row| row.moves(on.others())) {
            self.watched.costs.woke(now.symbol.0, false);
        }
        // Perhaps it ran where nobody knows who does, and so it says that it did not just now.
        if !accepts.and(on).is_empty() {
            let seen = Seen { time: now.time, who: ix, is_here: false, row };
            for cpu in self.cpus.iter_mut().filter(|cpu| cpu.is_open()) {
                cpu.push(&self.watched.rules, seen);
            }
        }
    }

    /// An event that only who runs takes: it says who runs here.
    fn on_here(&mut self, shared: &mut Shared, machine: &Machine, now: &Arrival<'_>, (ix, row): (Ix, u32)) {
        let Some(number) = now.cpu else { return };
        let Some(cpu) = self.cpu_mut(number) else { return };
        let running = cpu.running;
        let seen = Seen { time: now.time, who: ix, is_here: true, row };
        let Some(cpu) = self.cpus.get_mut(number as usize) else { return };
        cpu.push(&self.watched.rules, seen);
        if cpu.doubt.is_some() {
            return;
        }
        if running == ix {
            self.watched.take(shared, machine, now, (ix, row), None);
            return;
        }
        if running == NOBODY {
            return;
        }
        let Some(one) = self.watched.instances.get(ix) else { return };
        let (key, previous, states) = (one.key, one.time, one.belief.set);
        let accepts = self.watched.rules.row(row).map_or(StateSet::default(), |row| row.accepts);
        let sentence = format!(
            "{} of {} on CPU {number}, where {} runs",
            self.what(shared, row),
            self.show(shared, ix),
            self.show(shared, running)
        );
        let index = self.watched.misfit(shared, now, (key, previous), (states, accepts), None, sentence);
        if let Some(cpu) = self.cpus.get_mut(number as usize) {
            cpu.doubt = Some(index);
        }
    }
}
