//! Machines, their states and transitions.

use super::{EventPattern, KeyRule, Spot};

/// The name of the state in which a scenario waits for its first event.
pub const INITIAL: &str = "#initial";

/// The name of the state of a scenario whose events do not fit.
pub const ERROR: &str = "#error";

/// A state machine. Each scenario of it is about one instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// Its id.
    pub id: String,
    /// Whether an event that one scenario took is kept from the others.
    pub consuming: bool,
    /// Whether there may be more than one scenario.
    pub multiple: bool,
    /// One of them must hold for an event to be looked at; none: every event is.
    pub preconditions: Vec<Precondition>,
    /// All states in the order of the document, `#initial` first if there is one.
    pub states: Vec<State>,
    /// The state in which a scenario begins, an index into `states`.
    pub initial: usize,
    /// The state that ends a scenario well.
    pub last: Option<usize>,
    /// The state that ends a scenario badly.
    pub abandon: Option<usize>,
    /// The state called `#error`.
    pub error: Option<usize>,
    /// Which instances an event concerns; `None`: not specified.
    pub keys: Option<Vec<KeyRule>>,
    /// Where it stands.
    pub spot: Spot,
}

/// A state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    /// Its id.
    pub id: String,
    /// Tried in this order, the first that fits is taken.
    pub transitions: Vec<Transition>,
    /// Not a state of its own but "one of these, it is not known which": indices into the states
    /// of the machine. Empty for an ordinary state.
    pub stands_for: Vec<usize>,
    /// While an instance is in this state, all that happens to it happens on the CPU of its last
    /// event: a loss on another CPU cannot have changed it.
    pub stays_on_cpu: bool,
    /// An instance is in one of these states when it comes into being. Where the machine has any, one that is
    /// first seen in the midst of a trace began there.
    pub begins: bool,
    /// An instance may be left alone in this state for ever. Where the machine has any, one that is left alone
    /// for long in another state went on unseen.
    pub ends: bool,
    /// An instance that is in this state does nothing until something else makes it go on: a thread that is blocked.
    pub waits: bool,
    /// Where it stands.
    pub spot: Spot,
}

/// What leads from a state to a state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transition {
    /// For these events.
    pub events: EventPattern,
    /// All must hold; indices into the tests of the pattern, tried in this order.
    pub tests: Vec<usize>,
    /// The state it leads to.
    pub target: usize,
    /// Done in this order; indices into the actions of the pattern.
    pub actions: Vec<usize>,
    /// An action that it names does not exist. Such a transition fits, but when it is taken its
    /// actions up to there are done and the state stays.
    pub is_broken: bool,
    /// Keeps the stored fields of the event, before the actions.
    pub saves_fields: bool,
    /// Forgets the stored fields, after the actions.
    pub clears_fields: bool,
    /// From here on something is open in the instance: what the `*` of the event name stands for
    /// (`read` for `syscall_entry_*` and `syscall_entry_read`).
    pub opens: bool,
    /// Only for what is open, by the same rule, or where nobody knows what is; then nothing is.
    pub closes: bool,
    /// Only if something is known to be open in the instance that this field of the event names;
    /// then the same is open in this one.
    pub like: Option<String>,
    /// Not every trace records these events: where there are none at all, none is missing.
    pub optional: bool,
    /// Where it stands.
    pub spot: Spot,
}

/// A condition on the input of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Precondition {
    /// For these events.
    pub events: EventPattern,
    /// All must hold; indices into the tests of the pattern.
    pub tests: Vec<usize>,
    /// Where it was written.
    pub spot: Spot,
}

impl Machine {
    /// The index of the state called `id`.
    pub fn state(&self, id: &str) -> Option<usize> {
        self.states.iter().position(|state| state.id == id)
    }
}
