//! What is believed of each thread: where it is, in which call, and since when.

use rustc_hash::FxHashMap;

use super::names::{IDLE, UNKNOWN};

/// Threads by number of first sight; 0 stands for the idle threads of all CPUs.
pub(super) type ThreadIx = u32;
/// The idle thread.
pub(super) const SWAPPER: ThreadIx = 0;
/// Nobody knows which thread.
pub(super) const NOBODY: ThreadIx = u32::MAX;

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Never seen.
    Unknown,
    /// May run, or was just made.
    Ready,
    /// Waits; somebody must wake it.
    Blocked,
    /// Off the CPU, ready or blocked: the switch that says which was lost.
    Left,
    /// Runs on [`Thread::cpu`].
    On,
    /// Has ended.
    Dead,
}

#[derive(Debug, Clone)]
pub(super) struct Thread {
    pub(super) tid: i64,
    pub(super) place: Place,
    /// When it came to that place.
    pub(super) since: i64,
    /// Where it runs or ran last.
    pub(super) cpu: u32,
    /// Where it was last sent by a wake-up; `u32::MAX`: nowhere.
    pub(super) target: u32,
    /// In which call it is while it does not run.
    pub(super) call: u32,
    /// From when on the call may have changed unseen.
    pub(super) call_since: i64,
    /// When and where it went to sleep in user mode, as far as is known: it was in a call then.
    pub(super) slept: Option<(i64, u32)>,
    /// It was seen to exit: all that is left to it is to leave the CPU.
    pub(super) has_exited: bool,
    pub(super) comm: Vec<u8>,
    pub(super) prio: i64,
    /// The inferred switch by which it left, whose `prev_state` its next event tells.
    pub(super) pending: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Threads {
    list: Vec<Thread>,
    by_tid: FxHashMap<i64, ThreadIx>,
    nobody: Thread,
}

fn fresh(tid: i64) -> Thread {
    Thread {
        tid,
        place: Place::Unknown,
        since: i64::MIN,
        cpu: u32::MAX,
        target: u32::MAX,
        call: UNKNOWN,
        call_since: i64::MIN,
        slept: None,
        has_exited: false,
        comm: Vec::new(),
        prio: 20,
        pending: None,
    }
}

impl Threads {
    pub(super) fn new() -> Threads {
        let mut idle = fresh(0);
        idle.call = IDLE;
        Threads { list: vec![idle], by_tid: FxHashMap::default(), nobody: fresh(-1) }
    }

    /// The number of the thread called `tid`, which is added when it is new.
    pub(super) fn of(&mut self, tid: i64) -> ThreadIx {
        if tid == 0 {
            return SWAPPER;
        }
        let next = self.list.len() as u32;
        let index = *self.by_tid.entry(tid).or_insert(next);
        if index == next {
            self.list.push(fresh(tid));
        }
        index
    }

    /// The `tid` now names another thread than before.
    pub(super) fn renew(&mut self, index: ThreadIx) {
        if index != SWAPPER
            && let Some(thread) = self.list.get_mut(index as usize)
        {
            *thread = fresh(thread.tid);
        }
    }

    pub(super) fn get(&self, index: ThreadIx) -> &Thread {
        self.list.get(index as usize).unwrap_or(&self.nobody)
    }

    pub(super) fn get_mut(&mut self, index: ThreadIx) -> &mut Thread {
        self.list.get_mut(index as usize).unwrap_or(&mut self.nobody)
    }

    /// All threads but the idle one.
    pub(super) fn indices(&self) -> impl Iterator<Item = ThreadIx> {
        1..self.list.len() as u32
    }
}
