//! What an event says itself about the thread that it is of.

use model::{Event, OuterFields, Scope, Value};

/// The fields of one event that name a thread.
#[derive(Debug, Default)]
pub(super) struct OwnThread {
    pub(super) tid: Option<i64>,
    pub(super) is_pthread: bool,
    /// The number is a payload field called `tid`, which may mean another thread.
    pub(super) is_weak: bool,
    pub(super) process: Option<i64>,
    pub(super) procname: Option<Vec<u8>>,
    pub(super) switch: Option<Switch>,
    rank: u8,
}

/// Who leaves a CPU and who comes.
#[derive(Debug, Clone)]
pub(super) struct Switch {
    pub(super) prev: (i64, Vec<u8>),
    pub(super) next: (i64, Vec<u8>),
}

impl OwnThread {
    /// Reads `event`; looks for the fields of a switch only if it `is_switch`, and among the payload for a thread
    /// only if it `may_be_flat`.
    pub(super) fn of(event: &Event<'_>, is_switch: bool, may_be_flat: bool) -> OwnThread {
        let mut own = OwnThread::default();
        event.fields.visit(Scope::Context, &mut OuterFields::new(|name, value| own.field(name, value)));
        if is_switch {
            own.switch = switch(event);
        }
        if own.tid.is_none() && may_be_flat && own.switch.is_none() {
            for name in ["vtid", "tid", "pthread_id", "vpid", "procname"] {
                if let Some(value) = event.fields.get(name) {
                    own.field(name, value);
                    own.is_weak |= name == "tid";
                }
            }
        }
        own
    }

    fn field(&mut self, name: &str, value: Value<'_>) {
        match (name, value) {
            ("vtid", _) => self.thread(3, value),
            ("tid", _) => self.thread(2, value),
            ("pthread_id", _) => self.thread(1, value),
            ("vpid", _) => self.process = value.as_i64(),
            ("procname", Value::Text(text)) => self.procname = Some(text.to_vec()),
            _ => {}
        }
    }

    /// The better of two numbers wins: `vtid` is unique in its process and small, `pthread_id` is
    /// an address that a later thread may get again.
    fn thread(&mut self, rank: u8, value: Value<'_>) {
        let number = match value {
            Value::Unsigned(value, _) => i64::try_from(value).ok().or(Some(value as i64)),
            other => other.as_i64(),
        };
        if rank > self.rank && number.is_some() {
            (self.rank, self.tid, self.is_pthread) = (rank, number, rank == 1);
        }
    }
}

fn switch(event: &Event<'_>) -> Option<Switch> {
    let tid = |name| event.fields.get(name)?.as_i64();
    let comm = |name| match event.fields.get(name) {
        Some(Value::Text(text)) => text.to_vec(),
        _ => vec![],
    };
    let next = (tid("next_tid")?, comm("next_comm"));
    Some(Switch { prev: (tid("prev_tid")?, comm("prev_comm")), next })
}
