//! `task.txt`: a line for each program that was started, and for each thread.
//!
//! ```text
//! SESS timestamp=349.944763531 pid=10467 sid=be3561887d275ea9 exename="/tmp/sort"
//! TASK timestamp=349.944829329 tid=10467 pid=10467
//! FORK timestamp=350.000000000 pid=10480 ppid=10467
//! ```

use std::collections::BTreeMap;

use crate::limits;

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// The sessions in the order of the file.
    pub(super) sessions: Vec<Session>,
    /// The process of each thread.
    pub(super) processes: BTreeMap<u64, u64>,
    /// Who made each process.
    parents: BTreeMap<u64, u64>,
    /// Lines that make no sense: the first of them, counted from 1, and how many.
    pub(super) strange: Option<(usize, usize)>,
}

/// A program in a process, from its start to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    /// ns of the clock of the records.
    pub(super) begin: u64,
    pub(super) pid: u64,
    /// What its `sid-*.map` is called by.
    pub(super) id: String,
    pub(super) program: String,
}

impl Tasks {
    pub(super) fn read(text: &str) -> Tasks {
        let mut tasks = Tasks::default();
        for (number, line) in text.lines().enumerate() {
            if tasks.line(line).is_none() {
                let (first, count) = tasks.strange.unwrap_or((number + 1, 0));
                tasks.strange = Some((first, count + 1));
            }
        }
        tasks
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let (kind, rest) = line.split_once(' ')?;
        let value = |key: &str| {
            let at = rest.find(&format!("{key}="))? + key.len() + 1;
            let value = rest.get(at..)?;
            Some(match value.strip_prefix('"') {
                Some(quoted) => quoted.split('"').next()?,
                None => value.split_whitespace().next()?,
            })
        };
        let number = |key: &str| value(key)?.parse::<u64>().ok();
        let is_full =
            self.processes.len() >= limits::UFTRACE_TASKS || self.sessions.len() >= limits::UFTRACE_TASKS;
        match kind {
            _ if is_full => return None,
            "SESS" => self.sessions.push(Session {
                begin: nanoseconds(value("timestamp")?)?,
                pid: number("pid")?,
                id: value("sid")?.to_owned(),
                program: value("exename")?.to_owned(),
            }),
            "TASK" => drop(self.processes.insert(number("tid")?, number("pid")?)),
            "FORK" => {
                let pid = number("pid")?;
                self.processes.insert(pid, pid);
                self.parents.insert(pid, number("ppid")?);
            }
            _ => return None,
        }
        Some(())
    }

    /// The session that a thread was in at a moment, as its index in [`Tasks::sessions`]: the last one that its
    /// process had begun, else that of the process which made it.
    pub(super) fn session(&self, tid: u64, time: u64) -> Option<usize> {
        let mut pid = *self.processes.get(&tid)?;
        // A process that is its own ancestor is nobody's.
        for _ in 0..self.parents.len() + 1 {
            let begun = |(_, session): &(usize, &Session)| session.pid == pid && session.begin <= time;
            let last =
                self.sessions.iter().enumerate().filter(begun).max_by_key(|(_, session)| session.begin);
            if let Some((at, _)) = last {
                return Some(at);
            }
            pid = *self.parents.get(&pid)?;
        }
        None
    }
}

/// `349.944763531` seconds.
fn nanoseconds(text: &str) -> Option<u64> {
    let (seconds, rest) = text.split_once('.')?;
    let nanoseconds = if rest.len() == 9 { rest.parse::<u64>().ok()? } else { return None };
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(nanoseconds)
}
