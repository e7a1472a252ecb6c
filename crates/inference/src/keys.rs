//! Which instances an event concerns, and who runs on which CPU.

use model::machine::{KeySource, Machine};
use model::{Event, Symbol};

use super::program::{FieldId, Program};
use super::value::{Name, TextId};
use super::world::{Input, World};

/// The rules of one machine, ready to be used.
#[derive(Debug)]
pub(super) struct Keys {
    rules: Vec<(Vec<KeyPart>, Vec<Name>)>,
}

#[derive(Debug, Clone, Copy)]
enum KeyPart {
    Field(FieldId),
    Cpu,
    RunningThread,
}

impl Keys {
    pub(super) fn new(machine: &Machine, world: &mut World, program: &mut Program) -> Keys {
        let rules = machine.keys.iter().flatten().map(|rule| {
            let parts = rule.sources.iter().map(|source| match source {
                KeySource::Field(name) => KeyPart::Field(program.field(name)),
                KeySource::Cpu => KeyPart::Cpu,
                KeySource::RunningThread => KeyPart::RunningThread,
            });
            (parts.collect(), rule.except.iter().map(|name| world.texts.name(name)).collect())
        });
        Keys { rules: rules.collect() }
    }

    /// Adds the keys of an event by one of the rules, in their order.
    pub(super) fn read(
        &self,
        rule: Option<usize>,
        (program, world): (&Program, &mut World),
        input: &Input<'_>,
        keys: &mut Vec<Name>,
    ) {
        let Some((parts, except)) = rule.and_then(|rule| self.rules.get(rule)) else { return };
        for part in parts {
            let key = match *part {
                KeyPart::Cpu => input.event.cpu.map(|cpu| Name::Number(i64::from(cpu))),
                KeyPart::RunningThread => input.running.map(Name::Number),
                KeyPart::Field(field) => {
                    let value = world.field(program, field, input);
                    value.and_then(|value| world.texts.name_of(value))
                }
            };
            keys.extend(key.filter(|key| !except.contains(key)));
        }
    }
}

/// CPU numbers from here on share one entry, so that a damaged number costs no memory.
const MOST_CPUS: usize = 65_536;

/// The threads that run on the CPUs, according to scheduler switches.
#[derive(Debug)]
pub(super) struct RunningThreads {
    by_cpu: Vec<Option<i64>>,
    switch: TextId,
    next: FieldId,
}

impl RunningThreads {
    pub(super) fn new(world: &mut World, program: &mut Program) -> RunningThreads {
        let switch = world.texts.intern("sched_switch");
        RunningThreads { by_cpu: Vec::new(), switch, next: program.field("next_tid") }
    }

    /// The event as an input; a switch counts from itself on.
    pub(super) fn input<'e>(
        &mut self,
        (program, world): (&Program, &mut World),
        event: &'e Event<'e>,
        name: TextId,
        time: i64,
    ) -> Input<'e> {
        let mut input = Input { event, name, time, running: None };
        let Some(cpu) = event.cpu else { return input };
        let cpu = (cpu as usize).min(MOST_CPUS);
        if name == self.switch
            && let Some(next) = world.field(program, self.next, &input)
        {
            if self.by_cpu.len() <= cpu {
                self.by_cpu.resize(cpu + 1, None);
            }
            if let Some(slot) = self.by_cpu.get_mut(cpu) {
                *slot = next.as_i64();
            }
        }
        input.running = self.by_cpu.get(cpu).copied().flatten();
        input
    }

    /// Switches of a CPU (`None`: of any) may have been lost.
    pub(super) fn forget(&mut self, cpu: Option<u32>) {
        match cpu {
            Some(cpu) => {
                if let Some(slot) = self.by_cpu.get_mut((cpu as usize).min(MOST_CPUS)) {
                    *slot = None;
                }
            }
            None => self.by_cpu.clear(),
        }
    }
}

/// What a name that was seen before is called.
#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<Option<TextId>>,
}

impl Names {
    pub(super) fn get(&self, symbol: Symbol) -> Option<TextId> {
        self.texts.get(symbol.0 as usize).copied().flatten()
    }

    pub(super) fn set(&mut self, symbol: Symbol, name: TextId) {
        let index = symbol.0 as usize;
        if self.texts.len() <= index {
            self.texts.resize(index + 1, None);
        }
        if let Some(slot) = self.texts.get_mut(index) {
            *slot = Some(name);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Symbol, TextId)> {
        let named = (0u32..).zip(&self.texts);
        named.filter_map(|(symbol, name)| Some((Symbol(symbol), (*name)?)))
    }
}
