//! What a capture teaches about the records that it lost: what came after what, and what called whom.

use super::super::frames::{ANYWHERE, BEFORE};
use super::frequencies::{Context, Frequencies};
use super::lattice::node;
use super::may_run::MayRun;
use super::record::Record;
use super::trial::Trial;
use crate::paths;
use model::flow::Entered;

/// See the module's head.
#[derive(Debug, Default)]
pub(crate) struct Learned {
    pub(super) frequencies: Frequencies,
    pub(super) may_run: MayRun,
}

impl Learned {
    /// Takes a record that came after these.
    pub(super) fn see(&mut self, trial: &mut Trial, preceding: Context, record: Record) {
        let frames = &trial.state.frames;
        self.frequencies.count(&preceding, node(frames), record);
        let above = frames
            .nth(0)
            .map(|(frame, is_forgotten)| (frame.method, if is_forgotten { ANYWHERE } else { frame.last }));
        if let [first, more @ ..] = record.words()
            && let Some(iterations) = more.last()
            && trial.state.records_paths
        {
            let code = first & paths::CODE;
            let counts = trial.state.paths.find(code).is_some_and(|path| path.counted);
            if counts {
                self.may_run.note_iterations(code, *iterations);
            } else if more.len() == 3
                && let Some(r) = more.first()
            {
                self.may_run.note_iterations(*r, *iterations);
            }
        }
        let did = trial.take(&record);
        trial.state.frames.earn(1);
        self.may_run.ends_silently |= did.ended_silently && above.is_some_and(|(_, block)| block != ANYWHERE);
        for (callee, how) in did.entered {
            // The record may have begun with the position of the caller, which is now below the new frame.
            let site =
                trial.state.frames.nth(did.open).map(|(frame, _)| (frame.method, frame.last)).or(above);
            let site = site.filter(|(_, block)| *block != ANYWHERE && *block != BEFORE);
            match how {
                Entered::Library if site.is_some() => self.may_run.saw(site, callee, true),
                Entered::Outermost => self.may_run.saw(None, callee, false),
                _ => self.may_run.saw(site.or(Some((u32::MAX, 0))), callee, false),
            }
        }
    }
}
