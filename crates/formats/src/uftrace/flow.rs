//! Records become steps: entries and exits of functions, put right by the depth that each record says.

use std::collections::VecDeque;
use std::rc::Rc;

use model::code::MethodId;
use model::flow::{ClockReading, Entered, FlowStep, Left};
use model::flow_source::{Anomalies, Flow};
use model::{Lost, Timestamp};
use source::Source;

use super::open::Functions;
use super::records::{Kind, Next, Record, Records};

/// The one block of a function.
const BODY: &[u32] = &[0];
/// Records per `Moment` step.
const MOMENTS: u64 = 1_024;

/// The steps of one thread.
pub(super) struct Steps {
    records: Records,
    functions: Rc<Functions>,
    /// Its index among the threads.
    thread: usize,
    /// The open calls, each with its depth, outermost first.
    frames: Vec<(u16, MethodId)>,
    ready: VecDeque<FlowStep<'static>>,
    taken: u64,
    /// Something is missing directly before what comes next.
    is_after_gap: bool,
    is_over: bool,
    anomalies: Anomalies,
}

impl Steps {
    pub(super) fn new(file: Rc<dyn Source>, thread: usize, functions: Rc<Functions>) -> Steps {
        Steps {
            records: Records::new(file),
            functions,
            thread,
            frames: vec![],
            ready: VecDeque::new(),
            taken: 0,
            is_after_gap: false,
            is_over: false,
            anomalies: Anomalies::default(),
        }
    }

    fn advance(&mut self) {
        match self.records.next() {
            Some(Next::Record(record)) => {
                if self.taken.is_multiple_of(MOMENTS) && record.time > 0 {
                    self.ready.push_back(FlowStep::Moment(Timestamp(record.time.cast_signed())));
                }
                self.taken += 1;
                let time = Some(Timestamp(record.time.cast_signed())).filter(|time| time.0 > 0);
                let clock = time.map(|time| FlowStep::Clock(ClockReading::at(time)));
                self.ready.extend(clock);
                self.record(record);
                self.ready.extend(clock);
            }
            Some(Next::Damage { bytes, .. }) => {
                self.anomalies.damaged_records += bytes.div_ceil(16);
                self.gap(Lost::Unknown);
            }
            None => {
                self.is_over = true;
                while self.frames.pop().is_some() {
                    self.ready.push_back(FlowStep::Leave { how: Left::Open });
                }
            }
        }
    }

    fn gap(&mut self, lost: Lost) {
        self.is_after_gap = true;
        self.ready.push_back(FlowStep::Gap { lost });
    }

    fn record(&mut self, record: Record) {
        match record.kind {
            Kind::Event => return,
            Kind::Lost => return self.gap(Lost::Events(record.address)),
            Kind::Entry => {
                self.leave_to(record.depth);
                let how = match self.frames.last() {
                    None if record.depth == 0 => Entered::Outermost,
                    Some((depth, _)) if depth + 1 == record.depth => Entered::Call,
                    _ if self.is_after_gap => Entered::Unseen,
                    None => Entered::Outermost,
                    // Functions between them were left out while recording.
                    Some(_) => Entered::Library,
                };
                self.enter(record, how);
            }
            Kind::Exit => {
                self.leave_to(record.depth.saturating_add(1));
                let method = self.functions.of(self.thread, record.time, record.address);
                if self.frames.last() != Some(&(record.depth, method)) {
                    self.leave_to(record.depth);
                    self.anomalies.unseen_beginnings += 1;
                    self.enter(record, Entered::Unseen);
                }
                self.frames.pop();
                self.ready.push_back(FlowStep::Leave { how: Left::Returned });
            }
        }
        self.is_after_gap = false;
    }

    fn enter(&mut self, record: Record, how: Entered) {
        let method = self.functions.of(self.thread, record.time, record.address);
        self.frames.push((record.depth, method));
        self.ready.push_back(FlowStep::Enter { method, how });
        self.ready.push_back(FlowStep::Blocks { blocks: BODY, times: 1 });
    }

    /// Ends the frames of this depth and deeper ones, whose ends were not recorded.
    fn leave_to(&mut self, depth: u16) {
        while self.frames.last().is_some_and(|(deeper, _)| *deeper >= depth) {
            self.frames.pop();
            self.anomalies.unseen_ends += 1;
            self.ready.push_back(FlowStep::Leave { how: Left::Unseen });
        }
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
        self.taken
    }

    fn anomalies(&self) -> Anomalies {
        self.anomalies
    }
}
