//! Tracks: what was described of them, and what they are called.
//!
//! ```text
//! 60 track       1 number, 2 name, 5 track around it, 3 process (1 pid, 6 name), 4 thread (1 pid, 2 tid, 5 name)
//! 2  processes   1 process (1 pid, 3 command line*), 2 thread (1 tid, 2 name)
//! ```

use std::collections::HashMap;

use super::proto::{Message, Wire, text};
use crate::limits;

/// What one description says.
#[derive(Debug, Clone, Default)]
struct Track {
    name: Option<String>,
    parent: Option<u64>,
    /// Process and thread.
    thread: Option<(u64, u64)>,
    process: Option<u64>,
}

/// All tracks, processes and threads.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    tracks: HashMap<u64, Track>,
    processes: HashMap<u64, String>,
    threads: HashMap<u64, String>,
    first_process: Option<u64>,
}

/// How many tracks around one are looked at.
const DEPTH: usize = 16;

impl Tracks {
    /// Takes a descriptor of a track.
    pub(super) fn descriptor(&mut self, bytes: &[u8]) {
        let mut track = Track::default();
        let mut number = 0;
        for field in Message::new(bytes) {
            match field {
                (1, Wire::Number(uuid)) => number = uuid,
                (2 | 10 | 13, Wire::Bytes(name)) => track.name = Some(short(name)),
                (5, Wire::Number(uuid)) => track.parent = Some(uuid),
                (3, Wire::Bytes(process)) => track.process = Some(self.process(process)),
                (4, Wire::Bytes(thread)) => track.thread = Some(self.thread(thread)),
                _ => {}
            }
        }
        if self.tracks.len() < limits::PERFETTO_TRACKS || self.tracks.contains_key(&number) {
            // A repeated descriptor may omit what an earlier one had.
            let known = self.tracks.entry(number).or_default();
            known.name = track.name.or(known.name.take());
            known.parent = track.parent.or(known.parent);
            known.thread = track.thread.or(known.thread);
            known.process = track.process.or(known.process);
        }
    }

    fn process(&mut self, bytes: &[u8]) -> u64 {
        let (mut pid, mut name) = (0, None);
        for field in Message::new(bytes) {
            match field {
                (1, Wire::Number(number)) => pid = number,
                (6, Wire::Bytes(text)) => name = Some(short(text)),
                _ => {}
            }
        }
        self.first_process.get_or_insert(pid);
        if let Some(name) = name.filter(|_| self.processes.len() < limits::PERFETTO_TRACKS) {
            self.processes.insert(pid, name);
        }
        pid
    }

    /// Process and thread.
    pub(super) fn thread(&mut self, bytes: &[u8]) -> (u64, u64) {
        let (mut pid, mut tid, mut name) = (0, 0, None);
        for field in Message::new(bytes) {
            match field {
                (1, Wire::Number(number)) => pid = number,
                (2, Wire::Number(number)) => tid = number,
                (5, Wire::Bytes(text)) => name = Some(short(text)),
                _ => {}
            }
        }
        self.name_thread(tid, name);
        (pid, tid)
    }

    fn name_thread(&mut self, tid: u64, name: Option<String>) {
        if let Some(name) = name.filter(|_| self.threads.len() < limits::PERFETTO_TRACKS) {
            self.threads.insert(tid, name);
        }
    }

    /// Takes a list of processes and threads of the system.
    pub(super) fn tree(&mut self, bytes: &[u8]) {
        for field in Message::new(bytes) {
            match field {
                (1, Wire::Bytes(process)) => {
                    let (mut pid, mut name) = (0, None);
                    for field in Message::new(process) {
                        match field {
                            (1, Wire::Number(number)) => pid = number,
                            (3, Wire::Bytes(text)) if name.is_none() => name = Some(short(text)),
                            _ => {}
                        }
                    }
                    if let Some(name) = name.filter(|_| self.processes.len() < limits::PERFETTO_TRACKS) {
                        self.processes.entry(pid).or_insert(name);
                    }
                }
                (2, Wire::Bytes(thread)) => {
                    let (mut tid, mut name) = (0, None);
                    for field in Message::new(thread) {
                        match field {
                            (1, Wire::Number(number)) => tid = number,
                            (2, Wire::Bytes(text)) => name = Some(short(text)),
                            _ => {}
                        }
                    }
                    if !self.threads.contains_key(&tid) {
                        self.name_thread(tid, name);
                    }
                }
                _ => {}
            }
        }
    }

    /// The first process that was described: what it is called, and its number.
    pub(super) fn program(&self) -> (Option<String>, Option<u32>) {
        let pid = self.first_process;
        (pid.and_then(|pid| self.processes.get(&pid)).cloned(), pid.and_then(|pid| u32::try_from(pid).ok()))
    }

    /// What a track is called, and its thread.
    pub(super) fn name(&self, number: u64) -> (String, Option<u64>) {
        let Some(track) = self.tracks.get(&number) else { return (format!("track {number}"), None) };
        if let Some((pid, tid)) = track.thread {
            return (self.of_thread(pid, tid), Some(tid));
        }
        let own = track.name.clone().or_else(|| Some(self.processes.get(&track.process?)?.clone()));
        let own = own.unwrap_or_else(|| format!("track {number}"));
        // Something beside a thread, or in a process of several.
        let mut enclosing = track.parent;
        for _ in 0..DEPTH {
            let Some(track) = enclosing.and_then(|parent| self.tracks.get(&parent)) else { break };
            if let Some((pid, tid)) = track.thread {
                return (format!("{}: {own}", self.of_thread(pid, tid)), None);
            }
            if let Some(process) = track.process {
                return (self.in_process(process, own), None);
            }
            enclosing = track.parent;
        }
        (own, None)
    }

    /// What a thread is called.
    pub(super) fn of_thread(&self, pid: u64, tid: u64) -> String {
        let name = self.threads.get(&tid).cloned().unwrap_or_else(|| format!("thread {tid}"));
        self.in_process(pid, name)
    }

    fn in_process(&self, pid: u64, name: String) -> String {
        match self.processes.get(&pid).filter(|_| self.processes.len() > 1) {
            Some(process) => format!("{process}: {name}"),
            None => name,
        }
    }
}

fn short(bytes: &[u8]) -> String {
    text(bytes.get(..limits::PERFETTO_NAME).unwrap_or(bytes))
}
