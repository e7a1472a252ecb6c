//! Loss windows: where, in the order of items, something may be missing.
//!
//! Only two numbers are kept for each scope, because a step has to know just whether a window lies
//! between it and a moment before it: how many windows are open, and when the last one closed.

use std::collections::HashMap;

/// What a window concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Scope {
    Stream(u32),
    /// `None`: a stream of the trace whose CPU nobody knows, so it may be any.
    Cpu(usize, Option<u32>),
    Trace(usize),
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    open: u32,
    last_closed: u64,
}

/// All windows up to now. Moments are numbers of items, from 1.
#[derive(Debug, Default)]
pub(super) struct Windows {
    states: HashMap<Scope, State>,
    /// The windows that are open, by stream.
    open: HashMap<u32, [Scope; 3]>,
}

impl Windows {
    /// A loss in `stream`: its window is open from here on.
    pub(super) fn open(&mut self, stream: u32, trace: usize, cpu: Option<u32>) {
        let scopes = [Scope::Stream(stream), Scope::Cpu(trace, cpu), Scope::Trace(trace)];
        if self.open.insert(stream, scopes).is_none() {
            for scope in scopes {
                self.states.entry(scope).or_default().open += 1;
            }
        }
    }

    /// An event of `stream` at `moment`: its window, if one is open, ends here.
    pub(super) fn close(&mut self, stream: u32, moment: u64) {
        // Most traces lose nothing; then this costs one look.
        if self.open.is_empty() {
            return;
        }
        for scope in self.open.remove(&stream).into_iter().flatten() {
            let state = self.states.entry(scope).or_default();
            state.open = state.open.saturating_sub(1);
            state.last_closed = moment;
        }
    }

    /// Whether a window of `scope` overlaps the time from `moment` to now.
    pub(super) fn since(&self, scope: Scope, moment: u64) -> bool {
        if self.states.is_empty() {
            return false;
        }
        let touched =
            |scope| self.states.get(&scope).is_some_and(|state| state.open > 0 || state.last_closed > moment);
        match scope {
            Scope::Cpu(trace, Some(_)) => touched(scope) || touched(Scope::Cpu(trace, None)),
            _ => touched(scope),
        }
    }
}
