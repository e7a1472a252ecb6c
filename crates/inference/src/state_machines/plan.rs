//! What the events of one name are to a machine: which instances have a part in them, and what they do to
//! those, as far as the answers to all tests are known.

use crate::state_machines::ask::{Ask, Known};
use crate::state_machines::state_estimate::{Row, Target};
use crate::state_set::StateSet;
use crate::value::{Name, Texts};

/// The part that an instance has in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// It is named by this field.
    Field(usize),
    /// It is the CPU.
    Cpu,
    /// It runs on the CPU.
    Runs,
}

/// What the events of a name are to a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Each instance for itself.
    Plain,
    /// One instance leaves a CPU and another comes: the fields that name them.
    Switch { prev_field: usize, next_field: usize },
    /// It concerns who runs on the CPU.
    Running,
}

/// A transition for the events of one name.
#[derive(Debug)]
pub(crate) struct Arc {
    pub(crate) asks: Vec<usize>,
    pub(crate) like: Option<usize>,
    pub(crate) target: Target,
}

/// A machine and the events of one name.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) role: Role,
    pub(crate) parts: Vec<Part>,
    pub(crate) except: Vec<Name>,
    pub(crate) sends_to: Option<usize>,
    /// The field without whose value the parts name nothing.
    pub(crate) within: Option<usize>,
    /// The field that names the instance that another is like.
    pub(crate) like: Option<usize>,
    /// Tests, by their number in the pattern, and which of them, by index, only attributes can answer.
    pub(crate) asks: Vec<(usize, Ask)>,
    pub(crate) of_attributes: u64,
    pub(crate) arcs: Vec<Vec<Arc>>,
    /// Fields that tests ask for, besides keys.
    pub(crate) asked: Vec<usize>,
    /// Rows by the answers to all tests.
    pub(crate) rows: Vec<(u64, u32)>,
    /// Rows by the field that names the instance and the only other field that is asked.
    pub(crate) quick: Vec<(usize, Option<i64>, u32)>,
    /// Row of a lost event in which the instance has a part, by that part.
    pub(crate) lost: Vec<(Part, u32)>,
    /// The values that the asked fields had, and how often.
    pub(crate) values: Vec<(usize, Vec<(i64, u32)>)>,
}

impl Plan {
    /// By state, the transitions that fit, given the answers to the tests. Where an answer is not
    /// known, the transition and those behind it may all be taken.
    pub(crate) fn targets(&self, answer: &dyn Fn(usize) -> Option<bool>, is_like: bool) -> Vec<Vec<Target>> {
        let of_state = |arcs: &Vec<Arc>| {
            let mut targets: Vec<Target> = Vec::new();
            let mut maybe: Option<Target> = None;
            for arc in arcs {
                if arc.like.is_some() && !is_like {
                    continue;
                }
                let mut holds = Some(true);
                for ask in &arc.asks {
                    holds = match (holds, answer(*ask)) {
                        (Some(false), _) | (_, Some(false)) => Some(false),
                        (None, _) | (_, None) => None,
                        _ => Some(true),
                    };
                }
                let mut target = arc.target;
                match (holds, &mut maybe) {
                    (Some(false), _) => continue,
                    (None, Some(before)) => {
                        before.set = before.set.or(target.set);
                        continue;
                    }
                    (None, None) => {
                        maybe = Some(target);
                        continue;
                    }
                    (Some(true), Some(before)) => {
                        target.set = target.set.or(before.set);
                        maybe = None;
                    }
                    (Some(true), None) => {}
                }
                targets.push(target);
                if target.closes.is_none() {
                    break;
                }
            }
            targets.extend(maybe);
            targets
        };
        self.arcs.iter().map(of_state).collect()
    }

    /// What a lost event may do to an instance of which only the part in it is known.
    pub(crate) fn lost_row(&self, symbol: u32, part: Part, texts: &Texts) -> Row {
        let own = |slot: usize| Some(part == Part::Field(slot) || !matches!(part, Part::Field(_)));
        let answer = |ask: usize| self.asks.get(ask).and_then(|(_, ask)| ask.holds(texts, &|_| None, &own));
        Row::new(symbol, &self.targets(&answer, true))
    }

    /// The states after the event from any of a set, with `known` of it.
    pub(crate) fn after(&self, set: StateSet, part: Part, texts: &Texts, known: Known<'_>) -> StateSet {
        let own = |slot: usize| Some(part == Part::Field(slot) || !matches!(part, Part::Field(_)));
        let answer = |ask: usize| self.asks.get(ask).and_then(|(_, ask)| ask.holds(texts, known, &own));
        let targets = self.targets(&answer, true);
        let of = |state: usize| targets.get(state).into_iter().flatten();
        set.iter().flat_map(of).fold(StateSet::default(), |set, target| set.or(target.set))
    }

    /// The row of a lost event for an instance with this part.
    pub(crate) fn lost_as(&self, part: Part) -> Option<u32> {
        self.lost.iter().find(|(known, _)| *known == part).map(|(_, row)| *row)
    }
}

/// A way from a state to others that nobody saw.
#[derive(Debug, Clone)]
pub(crate) struct LostArc {
    pub(crate) from: usize,
    pub(crate) to: StateSet,
    pub(crate) part: Part,
    pub(crate) index: usize,
    pub(crate) opens: bool,
    pub(crate) closes: bool,
    /// The model says the whole name of its events, without a `*`.
    pub(crate) is_named: bool,
}
