//! A machine with its instances, and the step that every event comes to.

use model::machine::Machine;
use model::{Symbol, Timestamp};

use crate::estimate::instances::carried::Carried;
use crate::estimate::instances::costs::{Costs, UNHEARD_OF};
use crate::estimate::instances::instance::{Instances, Ix};
use crate::estimate::instances::lives::Lives;
use crate::estimate::instances::pairs::Pairs;
use crate::estimate::instances::shared::Shared;
use crate::estimate::instances::spans::Tally;
use crate::model::Inconsistency;
use crate::state_machines::arrival::Arrival;
use crate::state_machines::plan::Part;
use crate::state_machines::rules::Rules;
use crate::state_machines::state_estimate::{ANY, NOTHING, StateEstimate, Step};
use crate::state_set::StateSet;
use crate::value::Name;

#[derive(Debug)]
pub(crate) struct Monitor {
    pub(crate) rules: Rules,
    pub(crate) instances: Instances,
    pub(crate) tally: Tally,
    pub(crate) costs: Costs,
    pub(crate) lives: Lives,
    pub(crate) pairs: Pairs,
    pub(crate) carried: Carried,
    /// By row and state: how often that state took it, where it was certain.
    pub(crate) flows: Vec<u32>,
    /// By way of the rules: the events seen that it can be, and what `*` stands for in them.
    pub(crate) arc_symbols: Vec<Vec<(u32, u32)>>,
    /// How often what was open in an instance that another is like.
    inherited: Vec<u32>,
}

/// Things that are open beyond this number are not counted where they are inherited.
const MOST_INHERITED: u32 = 1 << 14;

/// What an event was to an instance.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Took {
    /// No state takes it.
    Nothing,
    /// A state that is possible takes it.
    Fits(Step),
    /// A state takes it that is possible only because something was lost. What was believed before.
    ByLoss { known: StateEstimate, step: Step },
    /// Only states that are not possible take it. What was believed; who would take it; the loss
    /// since the last event.
    Inconsistent { before: StateEstimate, accepts: StateSet, window: Option<usize> },
}

impl Monitor {
    pub(crate) fn new(rules: Rules, lives: Lives) -> Monitor {
        let arc_symbols = vec![Vec::new(); rules.lost.len()];
        Monitor {
            rules,
            instances: Instances::default(),
            tally: Tally::default(),
            costs: Costs::default(),
            lives,
            pairs: Pairs::default(),
            carried: Carried::default(),
            flows: Vec::new(),
            arc_symbols,
            inherited: Vec::new(),
        }
    }

    /// Learns a name of an event.
    pub(crate) fn prepare(&mut self, shared: &mut Shared, machine: &Machine, symbol: Symbol, name: &str) {
        let Shared { facts, world, stems, .. } = shared;
        self.rules.prepare(machine, (symbol.0, name), facts, &mut world.texts, stems);
        for (arc, symbols) in self.rules.lost.iter().zip(&mut self.arc_symbols) {
            let state = machine.states.get(arc.from);
            let transition = state.and_then(|state| state.transitions.get(arc.index));
            if let Some(pattern) = transition.and_then(|transition| transition.events.matching(name)) {
                symbols.push((symbol.0, stems.intern(crate::state_machines::rules::stem(pattern, name)).0));
            }
        }
    }

    /// Where an instance begins that nobody saw yet.
    pub(crate) fn unknown(&self) -> StateEstimate {
        StateEstimate::of(self.rules.shape.unknown())
    }

    pub(crate) fn find_or_add(&mut self, key: Name, time: i64) -> Ix {
        let (ix, is_new) = self.instances.of(key, StateEstimate::of(self.rules.shape.unknown()), time);
        self.tally.instances += u64::from(is_new);
        ix
    }

    /// The row of an event for an instance.
    pub(crate) fn row(&mut self, shared: &mut Shared, now: &Arrival<'_>, part: Part, ix: Ix) -> Option<u32> {
        let key = self.pairs.own(self.instances.get(ix)?.key);
        let symbol = now.symbol.0;
        let is_like = self.like(shared, symbol).is_some_and(|open| open < NOTHING);
        let Shared { world, program, facts, .. } = shared;
        match &now.input {
            None => {
                let no = &mut |_| false;
                self.rules.row_of(symbol, (part, key), facts, &world.texts, is_like, no)
            }
            Some(input) => {
                let asker = world.asker(self.rules.index, key, input);
                let mut answers: Vec<(usize, bool)> = Vec::new();
                // The tests are asked first: the texts cannot be lent twice.
                for test in self.rules.attribute_tests(symbol) {
                    let holds = program
                        .tests
                        .get(test)
                        .is_some_and(|question| world.holds(program, question, input, &asker));
                    answers.push((test, holds));
                }
                let answer = &mut |test| answers.iter().any(|(known, holds)| *known == test && *holds);
                self.rules.row_of(symbol, (part, key), facts, &world.texts, is_like, answer)
            }
        }
    }

    /// What is open in the instance that another is like by this event, if that is believed: where it is
    /// something that hardly ever is open then, an event of that instance was lost.
    pub(crate) fn like(&self, shared: &Shared, symbol: u32) -> Option<u32> {
        let open = self.open_in_other(shared, symbol)?;
        let times = |open: u32| self.inherited.get(open as usize).copied().unwrap_or(0);
        let most = self.inherited.iter().copied().max().unwrap_or(0);
        (most <= UNHEARD_OF * (times(open) + 1)).then_some(open)
    }

    fn open_in_other(&self, shared: &Shared, symbol: u32) -> Option<u32> {
        let slot = self.rules.plan(symbol)?.like.filter(|_| !shared.is_uncertain)?;
        let key = shared.key_of(shared.facts.get(slot)?)?;
        Some(self.instances.get(self.instances.find(key)?)?.estimate.open)
    }

    /// Counts what is open in an instance that another is like.
    fn inherits(&mut self, shared: &Shared, symbol: u32) {
        let open = self.open_in_other(shared, symbol).filter(|open| *open < MOST_INHERITED);
        let Some(open) = open.map(|open| open as usize) else { return };
        if self.inherited.len() <= open {
            self.inherited.resize(open + 1, 0);
        }
        if let Some(times) = self.inherited.get_mut(open) {
            *times += 1;
        }
    }

    /// What is believed of an instance just before an event at `time`: a loss may have widened it.
    pub(crate) fn before(&self, shared: &Shared, ix: Ix) -> (StateEstimate, Option<usize>) {
        let Some(instance) = self.instances.get(ix) else { return (self.unknown(), None) };
        let shape = &self.rules.shape;
        let estimate = match instance.estimate.set.and(shape.ends) == instance.estimate.set {
            // It is over; whatever comes now is another one.
            true => StateEstimate { set: instance.estimate.set.or(shape.unknown()), open: ANY },
            false => instance.estimate,
        };
        if shared.windows.all.is_empty() {
            return (estimate, None);
        }
        let stays = estimate.set.and(shape.stays) == estimate.set;
        let on = Some(instance.cpu).filter(|cpu| stays && *cpu != crate::state_machines::arrival::NO_CPU);
        match shared.windows.after(Timestamp(instance.time), on) {
            Some(window) => (StateEstimate::of(shape.widen(estimate.set)), Some(window)),
            None => (estimate, None),
        }
    }

    /// An event that leaves the instance of this CPU in the state in which it is certain to be, by far
    /// the most frequent for machines of CPUs; whether it is one.
    #[inline]
    pub(crate) fn stays(&mut self, shared: &Shared, now: &Arrival<'_>) -> bool {
        if now.input.is_some() || !shared.windows.all.is_empty() {
            return false;
        }
        let Some((row, cpu)) = self.rules.plain(now.symbol.0).zip(now.cpu) else { return false };
        let Some(ix) = self.instances.find(Name::Number(i64::from(cpu))) else { return false };
        let Some(one) = self.instances.get_mut(ix) else { return false };
        if !self.rules.row(row).is_some_and(|row| row.keeps(one.estimate)) {
            return false;
        }
        (one.time, one.cpu) = (now.time, cpu);
        self.tally.events += 1;
        true
    }

    /// The step of an instance that is in one certain state and takes the event there: by far the most
    /// frequent. `None`: it is not so simple.
    #[inline]
    pub(crate) fn quick(&mut self, shared: &mut Shared, now: &Arrival<'_>, ix: Ix, row: u32) -> Option<Step> {
        if now.input.is_some() || !shared.windows.all.is_empty() {
            return None;
        }
        let instance = self.instances.get_mut(ix)?;
        let (before, state) = (instance.estimate, instance.estimate.set.only()?);
        let target = *self.rules.rows.get(row as usize)?.target(state, before.open)?;
        if target.is_like || instance.pending.is_some() {
            return None;
        }
        let open = match (target.opens, target.closes) {
            (Some(stem), _) => stem,
            (None, Some(_)) => NOTHING,
            (None, None) => before.open,
        };
        let after = StateEstimate { set: target.set, open };
        (instance.time, instance.estimate) = (now.time, after);
        if let Some(cpu) = now.cpu {
            instance.cpu = cpu;
        }
        self.tally.events += 1;
        self.count(before, state, row, now.symbol.0);
        if after.set != before.set {
            self.changed(shared, now, ix, before.set);
        }
        Some(Step { from: before.set, after, taken: Some(target) })
    }

    #[inline]
    fn count(&mut self, before: StateEstimate, state: usize, row: u32, symbol: u32) {
        let context = self.costs.context(before);
        self.costs.came(context, symbol);
        let position = row as usize * self.rules.states.max(1) + state;
        if self.flows.len() <= position {
            self.flows.resize((position + 1).next_power_of_two(), 0);
        }
        if let Some(times) = self.flows.get_mut(position) {
            *times += 1;
        }
    }

    /// Gives an event to an instance. An estimate that it does not fit starts anew behind it; the
    /// caller says what that means.
    pub(crate) fn take(
        &mut self,
        shared: &mut Shared,
        machine: &Machine,
        now: &Arrival<'_>,
        (ix, row): (Ix, u32),
        among: Option<StateSet>,
    ) -> Took {
        if among.is_none()
            && let Some(step) = self.quick(shared, now, ix, row)
        {
            return Took::Fits(step);
        }
        let (mut before, window) = self.before(shared, ix);
        if let Some(among) = among {
            before.set = before.set.and(among);
        }
        let symbol = now.symbol.0;
        self.inherits(shared, symbol);
        let Some(rules) = self.rules.row(row) else { return Took::Nothing };
        if rules.accepts.is_empty() {
            return Took::Nothing;
        }
        let like = self.like(shared, symbol).unwrap_or(ANY);
        let mut step = rules.step(before, like);
        if step.is_none() {
            // What is not recorded everywhere, and never was in this trace, cannot be missed.
            let reached = self.rules.silently(before, machine, shared);
            step = reached.and_then(|estimate| rules.step(estimate, like));
        }
        let ordinary = self.rules.shape.unknown();
        let known = self.instances.get(ix).map_or(before, |one| one.estimate);
        let (took, step) = match step {
            Some(step) if window.is_some() && rules.step(known, like).is_none() => {
                (Took::ByLoss { known, step }, step)
            }
            Some(step) => (Took::Fits(step), step),
            None => match rules.anew(ordinary) {
                None => return Took::Nothing,
                Some(step) => {
                    let accepts = rules.accepts.and(ordinary);
                    (Took::Inconsistent { before, accepts, window }, step)
                }
            },
        };
        if let Some(input) = &now.input
            && let Some(target) = step.taken
        {
            shared.act(machine, self.rules.index, self.instances.get(ix).map(|one| one.key), target, input);
        }
        if let Some(reported) = self.instances.get(ix).and_then(|instance| instance.pending)
            && matches!(took, Took::Fits(_))
        {
            shared.resolve(reported, step.from, &self.rules);
            if let Some(instance) = self.instances.get_mut(ix) {
                instance.pending = None;
            }
        }
        if let (Took::Fits(_), Some(target)) = (&took, step.taken) {
            match before.set.only() {
                Some(state) => self.count(before, state, row, symbol),
                None => _ = target,
            }
        }
        self.tally.events += 1;
        self.believe(shared, now, ix, (before, window), step.after);
        took
    }

    /// Notes that an event does not fit an instance; the number of the incoherence.
    pub(crate) fn inconsistency(
        &self,
        shared: &mut Shared,
        now: &Arrival<'_>,
        (key, previous): (Name, i64),
        (states, accepted_by): (StateSet, StateSet),
        window: Option<usize>,
        sentence: String,
    ) -> usize {
        // A state that takes the event is none that contradicts it: then it is not the state but where the instance
        // is that does not fit.
        let fitting = states.and(accepted_by);
        let (states, accepted_by) = match states.and(fitting.others()) {
            _ if fitting.is_empty() => (states, accepted_by),
            rest if rest.is_empty() => {
                (states, self.rules.shape.ordinary.and(self.rules.shape.stays.others()))
            }
            rest => (rest, accepted_by),
        };
        let machine = self.rules.index;
        shared.incoherences.push(Inconsistency {
            machine: shared.called.machine(machine),
            instance: shared.world.texts.show_name(key),
            time: Timestamp(now.time),
            event: shared.event_name(now.symbol),
            ordinal: shared.ordinal,
            cpu: now.cpu,
            states: shared.called.states(machine, states),
            accepted_by: shared.called.states(machine, accepted_by),
            previous: Some(Timestamp(previous)),
            window,
            sentence: Some(sentence),
            is_explained: false,
        });
        shared.incoherences.len() - 1
    }

    /// The names of states, for sentences.
    pub(crate) fn show(machine: &Machine, set: StateSet) -> String {
        let names: Vec<&str> =
            set.iter().filter_map(|state| machine.states.get(state)).map(|state| &*state.id).collect();
        match names.len() {
            0 => "nowhere".to_owned(),
            1..=6 => names.join(" or "),
            more => format!("one of {more} states"),
        }
    }
}
