//! Keys: which instances of a machine an event concerns.
//!
//! An instance is one CPU, one thread, one object; its key is the number or text by which events
//! name it. A machine has rules; the first whose events include the name of an event decides.

use super::{EventPattern, Spot};

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRule {
    /// For these events.
    pub events: EventPattern,
    /// The instances, in this order. A source without a value names none.
    pub sources: Vec<KeySource>,
    /// Values that name no instance: thread 0 is another one on every CPU.
    pub except: Vec<String>,
    /// The field of the event without whose value a source names nothing: an address is another one in each
    /// process. Instances are pairs then.
    pub within: Option<String>,
    /// The field of the event that says on which CPU the instance will go on.
    pub sends_to: Option<String>,
    /// Where it was written.
    pub spot: Spot,
}

/// What names an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A field of the event.
    Field(String),
    /// The CPU on which the event happened.
    Cpu,
    /// The thread that runs on that CPU, according to scheduler switches.
    RunningThread,
}

impl KeyRule {
    /// The rules that the original has in its code for the machine called `id`, for files that
    /// have none of their own. `None`: the original has none either.
    pub fn of_the_original(id: &str) -> Option<Vec<KeyRule>> {
        let rule = |events: &str, sources: &[KeySource]| KeyRule {
            events: EventPattern::parse(events),
            sources: sources.to_vec(),
            except: Vec::new(),
            within: None,
            sends_to: None,
            spot: Spot::default(),
        };
        let field = |name: &str| KeySource::Field(name.to_owned());
        Some(match id {
            "cpu_fsm" => vec![rule("", &[KeySource::Cpu])],
            "process_fsm" => vec![
                rule("sched_switch", &[field("prev_tid"), field("next_tid")]),
                rule("", &[field("child_tid"), KeySource::RunningThread]),
            ],
            "irq_fsm" => vec![rule("", &[KeySource::RunningThread])],
            "softirq_fsm" => vec![rule("", &[field("vec")])],
            "dummy_fsm" => vec![rule("", &[field("obj_id")])],
            _ => return None,
        })
    }
}
