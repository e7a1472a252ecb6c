//! One recording while it runs.

use std::sync::Arc;
use std::time::Instant;

use super::inside::Inside;
use super::old_frames::OldFrames;
use super::options::Choices;
use super::passed::Passed;
use super::spending::Budget;
use super::standing::Standing;
use crate::classes::recorded::RecordedClasses;
use crate::locks::{Lock, Rank};
use crate::writer::output::Output;

/// What one start has begun.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) choices: Choices,
    pub(crate) began: Instant,
    pub(crate) output: Arc<Output>,
    pub(crate) classes: RecordedClasses,
    /// The frames that are not recorded, since they ran before.
    pub(super) old_frames: Lock<OldFrames>,
    /// When the stacks of all threads are sampled, and what the last sample showed.
    pub(super) standing: Lock<Standing>,
    /// The number of the first of its calls whose values are kept.
    pub(super) first_call: u64,
    /// The calls of the methods inside which it records.
    pub(super) inside: Inside,
    /// What it costs, and which methods were throttled for that.
    pub(super) budget: Lock<Budget>,
    /// The tasks that were handed over in them, and have not begun.
    pub(super) passed: Passed,
}

impl Recording {
    pub(crate) fn new(choices: Choices, output: Arc<Output>, classes: RecordedClasses) -> Recording {
        Recording {
            inside: Inside::new(choices.one_in),
            passed: Passed::new(),
            budget: Lock::new(Rank::Leaf, Budget::new()),
            choices,
            began: Instant::now(),
            output,
            classes,
            old_frames: Lock::new(Rank::Samples, OldFrames::default()),
            standing: Lock::new(Rank::Leaf, Standing::default()),
            first_call: super::call_numbers::next(),
        }
    }
}
