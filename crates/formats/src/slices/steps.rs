//! The entries of a track as steps: whole slices end where their time is over, others where it is written.

use std::collections::VecDeque;
use std::rc::Rc;

use model::code::MethodId;
use model::flow::{ClockReading, Entered, FlowStep, Left};
use model::flow_source::{Anomalies, Flow};
use model::{Lost, Timestamp};

use super::{Entry, What};

const BODY: &[u32] = &[0];

/// An open slice.
#[derive(Debug, Clone, Copy)]
enum Open {
    /// Its end is written.
    Begun,
    /// It ends then.
    Until(i64),
    /// It would end after a slice around it, and ends with that: then.
    Across(i64),
}

impl Open {
    fn end(self) -> Option<i64> {
        match self {
            Open::Begun => None,
            Open::Until(end) | Open::Across(end) => Some(end),
        }
    }
}

/// The steps of one track.
pub(super) struct Steps {
    entries: Rc<Vec<Entry>>,
    at: usize,
    /// Open slices, outermost first.
    open: Vec<Open>,
    ready: VecDeque<FlowStep<'static>>,
    anomalies: Anomalies,
    is_over: bool,
}

impl Steps {
    pub(super) fn new(entries: Rc<Vec<Entry>>) -> Steps {
        Steps {
            entries,
            at: 0,
            open: vec![],
            ready: VecDeque::new(),
            anomalies: Anomalies::default(),
            is_over: false,
        }
    }

    fn advance(&mut self) {
        let Some(entry) = self.entries.get(self.at).copied() else {
            self.is_over = true;
            while let Some(open) = self.open.last() {
                let how = if matches!(open, Open::Begun) { Left::Open } else { Left::Returned };
                match open.end() {
                    Some(end) => self.leave_at(end, how),
                    None => self.leave(how),
                }
            }
            return;
        };
        self.at += 1;
        self.end_until(entry.time);
        self.ready.push_back(FlowStep::Moment(Timestamp(entry.time)));
        self.clock(entry.time);
        match entry.what {
            What::Begin(method, how) => self.enter(method, how, Open::Begun),
            What::Whole(method, length) => {
                let end = entry.time.saturating_add_unsigned(length);
                let enclosing =
                    self.open.iter().rev().find_map(|open| open.end()).filter(|enclosing| *enclosing < end);
                self.enter(method, Entered::Call, enclosing.map_or(Open::Until(end), Open::Across));
            }
            What::Instant(method) => {
                self.enter(method, Entered::Call, Open::Begun);
                self.leave(Left::Returned);
            }
            What::Lost(count) => {
                let lost = count.map_or(Lost::Unknown, Lost::Events);
                self.ready.push_back(FlowStep::Gap { lost });
            }
            What::End(how) => self.end(how),
        }
        self.clock(entry.time);
    }

    fn clock(&mut self, time: i64) {
        self.ready.push_back(FlowStep::Clock(ClockReading::at(Timestamp(time))));
    }

    /// Ends the whole slices whose time is over, and what was begun in them and has not ended.
    fn end_until(&mut self, time: i64) {
        let is_over = |open: &Open| open.end().is_some_and(|end| end <= time);
        let Some(first) = self.open.iter().position(is_over) else { return };
        let last = self.open.get(first).and_then(|open| open.end()).unwrap_or(time);
        while self.open.len() > first {
            let open = self.open.last();
            let how = if matches!(open, Some(Open::Until(_))) { Left::Returned } else { Left::Unseen };
            let end = open.and_then(|open| open.end()).unwrap_or(last);
            self.leave_at(end.min(last), how);
        }
    }

    fn leave_at(&mut self, time: i64, how: Left) {
        self.clock(time);
        self.leave(how);
        self.clock(time);
    }

    /// The innermost slice that was begun ends, and what lies in it.
    fn end(&mut self, how: Left) {
        let Some(at) = self.open.iter().rposition(|open| matches!(open, Open::Begun)) else {
            self.anomalies.unseen_beginnings += 1;
            return;
        };
        while self.open.len() > at + 1 {
            self.leave(Left::Unseen);
        }
        self.leave(how);
    }

    fn enter(&mut self, method: MethodId, how: Entered, open: Open) {
        let how = if self.open.is_empty() && how == Entered::Call { Entered::Outermost } else { how };
        self.open.push(open);
        self.ready.push_back(FlowStep::Enter { method, how });
        self.ready.push_back(FlowStep::Blocks { blocks: BODY, times: 1 });
    }

    fn leave(&mut self, how: Left) {
        let is_across = matches!(self.open.pop(), Some(Open::Across(_)));
        let how = if is_across { Left::Unseen } else { how };
        self.anomalies.unseen_ends += u64::from(how == Left::Unseen);
        self.ready.push_back(FlowStep::Leave { how });
    }
}

impl Flow for Steps {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        while self.ready.is_empty() && !self.is_over {
            self.advance();
        }
        self.ready.pop_front()
    }

    fn taken(&self) -> u64 {
        self.at as u64
    }

    fn anomalies(&self) -> Anomalies {
        self.anomalies
    }
}
