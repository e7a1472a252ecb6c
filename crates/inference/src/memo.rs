//! Answers to tests, remembered until an attribute changes: the rows of a state share most of them.

use super::program::Program;
use super::world::{Asker, Input, World};

/// What was asked since the last change, by test.
#[derive(Debug)]
pub(super) struct Memo {
    answers: Vec<(u64, bool)>,
    about: (u64, u32, u64),
    stamp: u64,
}

impl Memo {
    pub(super) fn new(program: &Program) -> Memo {
        Memo { answers: vec![(0, false); program.tests.len()], about: (0, 0, 0), stamp: 0 }
    }

    /// Whether all tests hold for an asker; `event` and `who` say which event and which asker.
    pub(super) fn all_hold(
        &mut self,
        (event, who): (u64, u32),
        (program, world): (&Program, &mut World),
        tests: &[usize],
        input: &Input<'_>,
        asker: &Asker<'_>,
    ) -> bool {
        let about = (event, who, world.states.changes());
        if self.about != about || self.stamp == 0 {
            self.about = about;
            self.stamp += 1;
        }
        tests.iter().all(|&test| {
            if let Some(&(stamp, holds)) = self.answers.get(test)
                && stamp == self.stamp
            {
                return holds;
            }
            let Some(question) = program.tests.get(test) else { return false };
            let holds = world.holds(program, question, input, asker);
            if let Some(index) = self.answers.get_mut(test) {
                *index = (self.stamp, holds);
            }
            holds
        })
    }
}
