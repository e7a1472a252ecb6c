//! The walk over the trace: each event goes to the instances that it concerns, of each machine.
//!
//! The caller gives events in the order of time. Memory follows the instances that were seen and
//! what is found.

use std::collections::HashMap;
use std::sync::Arc;

use model::machine::{KeySource, Pattern};
use model::{Choice, Event, EventSource, Gap, Item, Symbol, Timestamp, TraceInfo};

use crate::engine::{Fed, UnsupportedModel};
use crate::estimate::cpus::monitor::{CpuMonitor, Occupant};
use crate::estimate::instances::carried::Carried;
use crate::estimate::instances::instance::NO_INSTANCE;
use crate::estimate::instances::lives::Lives;
use crate::estimate::instances::monitor::Monitor;
use crate::estimate::instances::shared::{Retention, Shared};
use crate::estimate::instances::spans::InstanceSpan;
use crate::estimate::losses::marks::{self, Mark};
use crate::joint::filter::narrow;
use crate::model::{Inconsistency, InferredEvent, InferredField, LongLoss};
use crate::repair::same_event::agree;
use crate::state_machines::arrival::{Arrival, NO_CPU};
use crate::state_machines::intake::{Batch, Declaration, IS_DECLARATION};
use crate::state_machines::rules::Rules;
use crate::state_machines::state_estimate::StateEstimate;
use crate::value::{Name, Texts, Value};
use crate::windows::LossWindow;
use crate::{StateSet, StateSystem, Tally};

/// Reads events one by one, says what does not fit and infers what was lost. See the module.
#[derive(Debug)]
pub struct Joint {
    pattern: Arc<Pattern>,
    shared: Shared,
    /// The machine whose instances run on CPUs, if there is one.
    cpu_monitor: Option<CpuMonitor>,
    others: Vec<Monitor>,
    /// By symbol: fields that the event does not have and that are known otherwise.
    specials: Vec<Vec<(usize, Special)>>,
    unexplained: u64,
    /// Only what some threads did themselves was recorded.
    own_threads_only: bool,
}

/// What names mean where the event has no such field.
#[derive(Debug, Clone, Copy)]
enum Special {
    Cpu,
    Runs,
    Time,
}

impl Joint {
    /// An engine for `pattern` that has seen nothing.
    ///
    /// # Errors
    /// When a machine does not say which instances an event concerns, or has too many states.
    pub fn new(pattern: Pattern, retention: Retention) -> Result<Joint, UnsupportedModel> {
        let pattern = Arc::new(pattern);
        let mut shared = Shared::new(&pattern, retention);
        let (mut cpu_monitor, mut others) = (None, Vec::new());
        for &index in &pattern.started {
            let Some(machine) = pattern.machines.get(index) else { continue };
            let id = &machine.id;
            let Some(keys) = &machine.keys else {
                let sentence = format!(
                    "Nothing says which instances of machine `{id}` an event concerns: `tw:instances` is missing."
                );
                return Err(UnsupportedModel { sentence, spot: machine.spot });
            };
            if machine.states.len() > StateSet::MOST {
                let sentence = format!("Machine `{id}` has more than {} states.", StateSet::MOST);
                return Err(UnsupportedModel { sentence, spot: machine.spot });
            }
            let Shared { facts, world, .. } = &mut shared;
            let Some(rules) = Rules::new(&pattern, index, facts, &mut world.texts) else { continue };
            shared.needs_attributes |= rules.needs_attributes(machine);
            let runs = keys.iter().any(|rule| rule.sources.contains(&KeySource::RunningThread));
            let monitor = Monitor::new(rules, Lives::new(machine));
            if runs && cpu_monitor.is_none() && !monitor.rules.shape.stays.is_empty() {
                cpu_monitor = Some(CpuMonitor::new(monitor));
            } else {
                shared.needs_attributes |= runs && cpu_monitor.is_none();
                others.push(monitor);
            }
        }
        if cpu_monitor.is_none() {
            // Where machines of a kernel are, who runs decides; elsewhere what events have in common does.
            let keys = pattern.started.iter().filter_map(|index| pattern.machines.get(*index));
            let keys = keys.flat_map(|machine| machine.keys.iter().flatten()).flat_map(|rule| &rule.sources);
            let names: std::collections::BTreeSet<&String> = keys
                .filter_map(|source| match source {
                    KeySource::Field(name) => Some(name),
                    _ => None,
                })
                .collect();
            let fields: Vec<usize> = names
                .into_iter()
                .map(|name| shared.facts.slot(name, crate::state_machines::facts::Kind::Asked))
                .collect();
            for monitor in &mut others {
                monitor.carried = Carried::of(fields.clone());
                monitor.costs.is_closed = monitor.rules.lost.iter().all(|arc| !arc.opens && !arc.closes);
            }
        }
        Ok(Joint {
            pattern,
            shared,
            cpu_monitor,
            others,
            specials: Vec::new(),
            unexplained: 0,
            own_threads_only: false,
        })
    }

    /// Takes the next item of a reader, gaps included; `None` at its end.
    pub fn feed(&mut self, source: &mut dyn EventSource) -> Option<Fed> {
        if self.shared.ordinal == 0 {
            self.own_threads_only = source.traces().iter().any(TraceInfo::sees_own_threads_only);
        }
        Some(match source.next_item()? {
            Item::Gap(gap) => {
                let stream = source.streams().get(gap.stream.0 as usize);
                self.lose(&gap, stream.and_then(|stream| stream.cpu));
                Fed::Gap(gap)
            }
            Item::Event(event) => {
                self.observe(&event);
                Fed::Event { symbol: event.symbol, time: event.time }
            }
        })
    }

    fn knows(&self, symbol: Symbol) -> bool {
        self.shared.names.get(symbol.0 as usize).is_some_and(Option::is_some)
    }

    /// Takes the next event.
    pub fn observe(&mut self, event: &Event<'_>) {
        if !self.knows(event.symbol) {
            self.prepare(event.symbol, event.name());
        }
        self.observe_known(event);
    }

    fn prepare(&mut self, symbol: Symbol, name: &str) {
        if self.knows(symbol) {
            return;
        }
        let index = symbol.0 as usize;
        while self.shared.names.len() <= index {
            self.shared.names.push(None);
        }
        let text = self.shared.world.texts.intern(name);
        if let Some(position) = self.shared.names.get_mut(index) {
            *position = Some(text);
        }
        self.shared.by_name.insert(name.to_owned(), symbol.0);
        let pattern = Arc::clone(&self.pattern);
        let cpu_monitor = self.cpu_monitor.iter_mut().map(|cpu_monitor| &mut cpu_monitor.monitor);
        for monitor in cpu_monitor.chain(&mut self.others) {
            if let Some(machine) = pattern.machines.get(monitor.rules.index) {
                monitor.prepare(&mut self.shared, machine, symbol, name);
            }
        }
        while self.specials.len() <= index {
            self.specials.push(Vec::new());
        }
        let special = |name: &str| match () {
            () if name.eq_ignore_ascii_case("cpu") => Some(Special::Cpu),
            () if name.eq_ignore_ascii_case("tid") => Some(Special::Runs),
            () if name.eq_ignore_ascii_case("timestamp") => Some(Special::Time),
            () => None,
        };
        let wanted = self.shared.facts.wanted(symbol.0);
        let specials =
            wanted.iter().filter_map(|slot| Some((*slot, special(self.shared.facts.name(*slot))?)));
        let specials = specials.collect();
        if let Some(position) = self.specials.get_mut(index) {
            *position = specials;
        }
    }

    fn observe_known(&mut self, event: &Event<'_>) {
        let time = event.time.map_or(self.shared.last_time, |time| time.0);
        let shared = &mut self.shared;
        shared.last_time = time;
        shared.facts.read(event, &mut shared.world.texts);
        self.complete(event.symbol, time, event.cpu);
        let shared = &mut self.shared;
        let mut now = Arrival { symbol: event.symbol, time, cpu: event.cpu, input: None };
        let name = shared.names.get(event.symbol.0 as usize).copied().flatten();
        if let Some(name) = name.filter(|_| shared.needs_attributes) {
            shared.world.next_event(&shared.program);
            now.input = Some(shared.running.input((&shared.program, &mut shared.world), event, name, time));
        }
        if self.own_threads_only
            && let Some(cpu_monitor) = &mut self.cpu_monitor
        {
            // What a CPU does between them is not known, so machines of CPUs are not asked.
            if let Some(machine) = self.pattern.machines.get(cpu_monitor.monitor.rules.index) {
                cpu_monitor.observe_own(shared, machine, &now, event);
            }
            shared.ordinal += 1;
            return;
        }
        self.concern(&now);
    }

    /// Whether batches have all that is needed: not if attributes are, or whose events these are.
    pub fn takes_batches(&self, source: &dyn EventSource) -> bool {
        !self.shared.needs_attributes && !source.traces().iter().any(TraceInfo::sees_own_threads_only)
    }

    /// Takes the next items that an [`super::Intake`] of the same pattern took from a reader.
    pub fn take(&mut self, batch: &Batch) {
        let mut declarations = batch.declarations.iter();
        let mut next = 0usize;
        for head in &batch.heads {
            if head.symbol == IS_DECLARATION {
                match declarations.next() {
                    Some(Declaration::Event(symbol, name)) => self.prepare(*symbol, name),
                    Some(Declaration::Field(name)) => self.shared.facts.named_in_batches(name),
                    Some(Declaration::Order(symbol, order)) => {
                        self.shared.facts.ordered_in_batches(symbol.0, order);
                    }
                    Some(Declaration::Gap(gap, cpu)) => self.lose(gap, *cpu),
                    None => {}
                }
                continue;
            }
            let values = batch.values.get(next..next + head.values as usize).unwrap_or_default();
            next += head.values as usize;
            let shared = &mut self.shared;
            shared.last_time = head.time;
            shared.facts.fill(batch, values, &mut shared.world.texts);
            let (symbol, time) = (Symbol(head.symbol), head.time);
            let cpu = Some(head.cpu).filter(|cpu| *cpu != NO_CPU);
            self.complete(symbol, time, cpu);
            self.concern(&Arrival { symbol, time, cpu, input: None });
        }
    }

    /// What the event does not say itself.
    #[inline]
    fn complete(&mut self, symbol: Symbol, time: i64, cpu: Option<u32>) {
        let shared = &mut self.shared;
        for &(slot, special) in self.specials.get(symbol.0 as usize).into_iter().flatten() {
            if !shared.facts.has(slot) {
                let value = match special {
                    Special::Cpu => cpu.map(|cpu| Value::Long(i64::from(cpu))),
                    Special::Time => Some(Value::Long(time)),
                    Special::Runs => {
                        let runs = self.cpu_monitor.as_ref().and_then(|cpu_monitor| cpu_monitor.running(cpu));
                        runs.map(crate::state_machines::askers::value_of)
                    }
                };
                shared.facts.put(slot, value);
            }
        }
    }

    /// Gives an event to all that it concerns.
    #[inline]
    fn concern(&mut self, now: &Arrival<'_>) {
        let shared = &mut self.shared;
        if let Some(cpu_monitor) = &mut self.cpu_monitor {
            cpu_monitor.mark(shared, now);
            if shared.marks.is_full() {
                self.settle(false);
            }
        }
        let shared = &mut self.shared;
        if let Some(cpu_monitor) = &mut self.cpu_monitor
            && !cpu_monitor.goes_on(shared, now)
            && let Some(machine) = self.pattern.machines.get(cpu_monitor.monitor.rules.index)
        {
            cpu_monitor.observe(shared, machine, now, &self.others);
        }
        for monitor in &mut self.others {
            if !monitor.rules.knows(now.symbol.0) || monitor.stays(shared, now) {
                continue;
            }
            let Some(plan) = monitor.rules.plan(now.symbol.0) else { continue };
            let Some(machine) = self.pattern.machines.get(monitor.rules.index) else { continue };
            for position in 0..plan.parts.len() {
                let cpu_monitor = self.cpu_monitor.as_ref();
                self.unexplained += narrow(monitor, shared, cpu_monitor, (machine, position), now);
            }
        }
        self.shared.ordinal += 1;
    }

    /// Something was lost on a CPU, or on any if it is not known which. The other end of a loss
    /// that was reported before widens what is known, but is no loss of its own.
    pub fn lose(&mut self, gap: &Gap, cpu: Option<u32>) {
        self.shared.running.forget(cpu);
        let known = self.shared.windows.all.len();
        let position = self.shared.windows.add(gap, cpu);
        if let Some(cpu) = cpu
            && known < self.shared.windows.all.len()
            && let Some(window) =
                self.shared.windows.sites.get(position).map(|position| position.window as u32)
        {
            let time = gap.from.map_or(self.shared.last_time, |from| from.0);
            self.shared.marks.push(Mark { time, cpu, symbol: u32::MAX, what: marks::What::Gap { window } });
        }
        let Some(cpu_monitor) = &mut self.cpu_monitor else { return };
        let on = StateEstimate::of(cpu_monitor.on());
        if let Some(cpu) = cpu {
            cpu_monitor.cpu_mut(cpu);
        }
        for (number, one) in (0u32..).zip(&mut cpu_monitor.cpus) {
            if cpu.is_none_or(|cpu| cpu == number) {
                if one.gaps.len() < 1_024 {
                    one.gaps.push((position, one.seen.len()));
                }
                // Who runs behind it is not known until somebody is seen to leave.
                (one.running, one.ghost) = (NO_INSTANCE, on);
            }
        }
    }

    /// Estimates who ran while something was lost, as far as enough behind it was seen.
    fn settle(&mut self, is_over: bool) {
        if let Some(cpu_monitor) = &mut self.cpu_monitor
            && let Some(machine) = self.pattern.machines.get(cpu_monitor.monitor.rules.index)
        {
            cpu_monitor.settle(&mut self.shared, machine, is_over);
        }
    }

    /// The trace is over: what still lasts ends now.
    pub fn finish(&mut self) {
        let end = self.shared.last_time;
        self.shared.is_over = true;
        self.settle(true);
        if let Some(cpu_monitor) = &mut self.cpu_monitor {
            cpu_monitor.forget_ends(&mut self.shared);
            self.unexplained +=
                cpu_monitor.cpus.iter().filter(|cpu| cpu.uncertainty.is_some()).count() as u64;
            self.unexplained += cpu_monitor.unexplained;
        }
        let cpu_monitor = self.cpu_monitor.iter_mut().map(|cpu_monitor| &mut cpu_monitor.monitor);
        for monitor in cpu_monitor.chain(&mut self.others) {
            monitor.finish(&mut self.shared, end);
        }
        for monitor in &self.others {
            if let Some(machine) = self.pattern.machines.get(monitor.rules.index) {
                monitor.ended_unseen(&mut self.shared, machine, end);
            }
        }
        if self.cpu_monitor.is_none() && self.others.len() > 1 {
            self.shared.inferred = agree(std::mem::take(&mut self.shared.inferred));
        }
        self.shared.spans.sort_by_key(|span| (span.machine, span.key, span.span.from));
        if let Some(cpu_monitor) = &self.cpu_monitor {
            cpu_monitor.merge(&mut self.shared);
        }
        self.shared.inferred.sort_by_key(|event| (event.time, event.cpu));
        rank(&mut self.shared.inferred);
    }

    /// What did not fit, in the order of finding.
    pub fn incoherences(&self) -> &[Inconsistency] {
        &self.shared.incoherences
    }

    /// The same for who keeps it: the engine forgets it, so that a long trace is not reported twice.
    pub fn take_incoherences(&mut self) -> Vec<Inconsistency> {
        std::mem::take(&mut self.shared.incoherences)
    }

    /// What was lost; sorted by time once the trace was finished.
    pub fn inferred(&self) -> &[InferredEvent] {
        &self.shared.inferred
    }

    /// The same for who keeps it; once the trace was finished.
    pub fn take_inferred(&mut self) -> Vec<InferredEvent> {
        std::mem::take(&mut self.shared.inferred)
    }

    /// Declared losses whose events are not listed, with what is known of them; once the trace was finished.
    pub fn take_long_losses(&mut self) -> Vec<LongLoss> {
        std::mem::take(&mut self.shared.long_losses)
    }

    /// What the user decided of events that would be inferred: to be reported before the first event.
    pub fn choose(&mut self, choices: Vec<Choice>) {
        self.shared.choices.add(choices);
    }

    /// Choices that contradict each other, together: nothing explains what was seen and has all of them.
    pub fn contradictions(&self) -> &[Vec<Choice>] {
        &self.shared.choices.contradictions
    }

    /// The losses that the tracer declared, what they did, and how much of them was inferred.
    pub fn windows(&self) -> &[LossWindow] {
        &self.shared.windows.all
    }

    /// Incoherences that nothing short explains. Complete after [`Joint::finish`].
    pub fn unexplained(&self) -> u64 {
        self.unexplained
    }

    /// How certain the instances of each machine were, by the index of the machine.
    pub fn tallies(&self) -> impl Iterator<Item = (usize, Tally)> + '_ {
        self.monitors().map(|monitor| (monitor.rules.index, monitor.tally))
    }

    fn monitors(&self) -> impl Iterator<Item = &Monitor> {
        self.cpu_monitor.iter().map(|cpu_monitor| &cpu_monitor.monitor).chain(&self.others)
    }

    /// When instances may have been in which states, by machine, key and time; as far as kept.
    /// Complete after [`Joint::finish`].
    pub fn spans(&self) -> &[InstanceSpan] {
        &self.shared.spans
    }

    /// Those that were found since this was asked last, which are kept no longer: who looks at each once needs
    /// no memory for all. After [`Joint::finish`] the last ones, sorted as above.
    pub fn take_spans(&mut self) -> Vec<InstanceSpan> {
        std::mem::take(&mut self.shared.spans)
    }

    /// Where an instance may be now; `None`: nothing was seen of it.
    pub fn states_of(&self, machine: usize, key: Name) -> Option<StateSet> {
        let monitor = self.monitors().find(|monitor| monitor.rules.index == machine)?;
        let ix = monitor.instances.find(key)?;
        monitor.instances.get(ix).map(|one| one.estimate.set)
    }

    /// Who runs on a CPU now.
    pub fn occupant(&self, cpu: u32) -> Occupant {
        self.cpu_monitor.as_ref().map_or(Occupant::Unknown, |cpu_monitor| cpu_monitor.occupant(cpu))
    }

    /// The pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The attributes. Only written where tests need them or their past is kept.
    pub fn attributes(&self) -> &StateSystem {
        &self.shared.world.states
    }

    /// The texts among names and values.
    pub fn texts(&self) -> &Texts {
        &self.shared.world.texts
    }

    /// The name of an event.
    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        self.shared.name(symbol)
    }

    /// How many events were taken.
    pub fn events(&self) -> u64 {
        self.shared.ordinal
    }
}

/// Numbers the events of the same instance and interval, and puts the values of their fields in order.
fn rank(inferred: &mut [InferredEvent]) {
    let mut ranks: HashMap<(Arc<str>, String, Timestamp, Timestamp), u32> = HashMap::new();
    for event in inferred {
        let key = &mut event.key;
        let rank = ranks.entry((key.machine.clone(), key.instance.clone(), key.from, key.to)).or_default();
        *rank += 1;
        key.rank = *rank;
        event.fields.iter_mut().for_each(InferredField::rank);
    }
}
