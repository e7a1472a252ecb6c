//! What an event is to the joint model, by its name: looked up once for each symbol.
//!
//! Only names are read here. Source: the kernel's tracepoints, the tables of the notes on the
//! founding text (part 1.6) and LTTng 2.8's own names.

use model::{Alphabet, Symbol};

/// A thread outside any system call.
pub(super) const USER: u32 = 0;
/// Nobody knows whether the thread is in a call.
pub(super) const UNKNOWN: u32 = u32::MAX;
/// The idle thread, which makes no calls.
pub(super) const IDLE: u32 = u32::MAX - 1;

/// What an event does. Calls are numbered from 1, see [`Names::call`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Says nothing about threads.
    Other,
    Switch,
    Wakeup,
    Fork,
    Exit,
    Free,
    Dump,
    /// A system call begins.
    Enter(u32),
    /// This system call ends.
    Leave(u32),
}

#[derive(Debug, Default)]
pub(super) struct Names {
    roles: Vec<Role>,
    calls: Alphabet,
}

impl Names {
    /// Learns the names that are new in `alphabet`.
    pub(super) fn learn(&mut self, alphabet: &Alphabet) {
        for name in alphabet.names().skip(self.roles.len()) {
            let role = self.classify(name);
            self.roles.push(role);
        }
    }

    /// Whether `symbol` was learned.
    pub(super) fn knows(&self, symbol: Symbol) -> bool {
        (symbol.0 as usize) < self.roles.len()
    }

    pub(super) fn role(&self, symbol: Symbol) -> Role {
        self.roles.get(symbol.0 as usize).copied().unwrap_or(Role::Other)
    }

    /// The name of a call.
    pub(super) fn call(&self, call: u32) -> &str {
        match call {
            USER | UNKNOWN | IDLE => "?",
            call => self.calls.name(Symbol(call - 1)),
        }
    }

    fn classify(&mut self, name: &str) -> Role {
        let mut call = |name: &str| self.calls.intern(name).0 + 1;
        match name {
            "sched_switch" => Role::Switch,
            "sched_wakeup" | "sched_wakeup_new" => Role::Wakeup,
            "sched_process_fork" => Role::Fork,
            "sched_process_exit" => Role::Exit,
            "sched_process_free" => Role::Free,
            "lttng_statedump_process_state" => Role::Dump,
            _ => {
                if let Some(name) = name.strip_prefix("syscall_entry_") {
                    Role::Enter(call(name))
                } else if let Some(name) = name.strip_prefix("syscall_exit_") {
                    Role::Leave(call(name))
                } else {
                    Role::Other
                }
            }
        }
    }
}
