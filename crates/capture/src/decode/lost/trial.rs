//! Whether a record may come next: the decoder itself is asked.

use std::rc::Rc;

use model::MethodId;
use model::flow::{Entered, FlowStep, Left};
use model::flow_source::Anomalies;

use super::super::frames::Frames;
use super::super::queue::Queue;
use super::super::state::State;
use super::record::Record;
use crate::methods::Methods;
use crate::paths::Paths;

/// A decoder of its own, which is set to any frames and fed one record.
pub(super) struct Trial {
    pub(super) state: State,
}

/// What a record did.
#[derive(Debug, Default)]
pub(super) struct Did {
    /// A frame began that no open frame explains.
    pub(super) unseen: Option<MethodId>,
    /// Frames that began, and whether recorded code called them.
    pub(super) entered: Vec<(MethodId, Entered)>,
    /// So many of these are still open.
    pub(super) open: usize,
    /// A frame ended without a record that cannot.
    pub(super) ended_silently: bool,
    /// It makes no sense.
    pub(super) is_nonsense: bool,
}

impl Trial {
    pub(super) fn new(methods: &Rc<Methods>, records_paths: bool) -> Trial {
        let state = State {
            methods: Rc::clone(methods),
            frames: Frames::default(),
            queue: Queue::default(),
            anomalies: Anomalies::default(),
            paths: Paths::new(Rc::clone(methods)),
            records_paths,
            many: None,
            silent_ends: 0,
        };
        Trial { state }
    }

    /// Takes a record in the frames that are set.
    pub(super) fn take(&mut self, record: &Record) -> Did {
        let state = &mut self.state;
        state.queue.clear();
        (state.anomalies, state.silent_ends) = (Anomalies::default(), 0);
        let methods = Rc::clone(&state.methods);
        let words = record.words();
        let taken = if words.is_empty() { 0 } else { state.run(&methods, words) };
        let mut did = Did {
            is_nonsense: taken != words.len() || state.anomalies.unknown_records > 0,
            ended_silently: state.silent_ends > 0 || state.anomalies.unseen_ends > 0,
            ..Did::default()
        };
        while let Some(step) = state.queue.next() {
            match step {
                FlowStep::Enter { method, how: Entered::Unseen } => did.unseen = Some(method),
                FlowStep::Enter { method, how } => {
                    did.entered.push((method, how));
                    did.open += 1;
                }
                FlowStep::Leave { how } => {
                    did.open = did.open.saturating_sub(1);
                    did.ended_silently |= how == Left::Unseen;
                }
                FlowStep::Gap { .. } => did.is_nonsense = true,
                _ => {}
            }
        }
        state.queue.clear();
        did
    }

    /// The frames after this record, if it may come in these.
    pub(super) fn accepts(&mut self, frames: &Frames, record: &Record) -> Option<Frames> {
        self.state.frames.clone_from(frames);
        let did = self.take(record);
        let fits = !did.is_nonsense && !did.ended_silently && did.unseen.is_none();
        fits.then(|| self.state.frames.clone())
    }
}
