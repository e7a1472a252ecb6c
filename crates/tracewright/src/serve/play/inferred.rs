//! What was lost and is inferred, in answers.

use analyses::replay::{Inferences, InferredRange, Measure, NodeId, Path};
use model::code::BlockId;
use viewer::api::play::{InferredPart, InferredRecords};

use super::list::call_at;
use super::recording::Recording;
use crate::views::lost_records;

impl Recording {
    /// Where what ran is inferred.
    pub(super) fn inferences(&self) -> &Inferences {
        self.inferences.get_or_init(|| Inferences::of(&self.replay))
    }

    /// How many records are inferred, in all threads.
    pub(in crate::serve) fn inferred_records(&self) -> InferredRecords {
        let roots = || self.replay.threads.iter().map(|thread| thread.root);
        if !roots().any(|root| self.inferences().are_in(root)) {
            return InferredRecords::default();
        }
        let sum =
            |measure: Measure| roots().fold(0, |sum: u64, root| sum.saturating_add(measure.of_node(root)));
        let [records, only_way] = [Measure::inferred, Measure::only_way].map(|of| sum(of(&self.replay)));
        InferredRecords { records, only_way }
    }

    /// How many records are inferred in a call, that by which it began aside.
    pub(in crate::serve) fn inferred_inside(&self, call: NodeId) -> u64 {
        match self.inferences().are_in(call) {
            true => self.measures.get("inferred", || Measure::inferred(&self.replay)).of_node(call),
            false => 0,
        }
    }

    /// The lost records by which the block at the end of a path, or the begin of the call there, is inferred.
    pub(super) fn inferred_at(&self, root: NodeId, path: &Path) -> Option<InferredPart> {
        let range = self.inferences().around(&self.replay, &self.blocks, root, path)?;
        Some(part(&range))
    }

    /// The inferred records after which recording goes on with the block at the end of a path.
    pub(super) fn resumes_at(&self, root: NodeId, path: &Path) -> Option<InferredPart> {
        let range = self.inferences().last_before(&self.replay, &self.blocks, root, path)?;
        (range.end == path.position).then(|| part(&range))
    }

    /// Whether recording went on before the call at the end of a path, and after the row before it began.
    pub(super) fn resumes_before(&self, root: NodeId, rows: &Measure, row: u64, path: &Path) -> bool {
        let (replay, blocks) = (&self.replay, &self.blocks);
        let is_inferred = self.inferences().around(replay, blocks, root, path).is_some();
        let resumed = self.inferences().resumed_before(replay, blocks, root, path);
        !is_inferred && resumed.is_some_and(|resumed| replay.rank(rows, &resumed) == row)
    }

    /// Of the blocks that ran in the call at `step` of a path, up to its end, those that are inferred.
    pub(super) fn inferred_up_to(&self, root: NodeId, path: &Path, step: usize) -> Vec<(BlockId, u64)> {
        self.inferred_counts(root, |inferences, counts| inferences.up_to(&self.replay, counts, path, step))
    }

    /// The same of the whole call.
    pub(super) fn inferred_in(&self, root: NodeId, path: &Path, step: usize) -> Vec<(BlockId, u64)> {
        self.inferred_counts(root, |inferences, counts| inferences.of_call(&self.replay, counts, path, step))
    }

    fn inferred_counts(
        &self,
        root: NodeId,
        count: impl FnOnce(&Inferences, &mut analyses::replay::Counts) -> Vec<(BlockId, u64)>,
    ) -> Vec<(BlockId, u64)> {
        match self.inferences().are_in(root) {
            true => self.with_counts(|counts| count(self.inferences(), counts)),
            false => vec![],
        }
    }

    /// The first inferred ranges of a thread, at most so many, and how many there are.
    pub(super) fn inferred_ranges(&self, root: NodeId, most: u64) -> (Vec<InferredPart>, u64) {
        let all = self.inferences().len(root);
        let get = |number| self.inferences().get(&self.replay, &self.blocks, root, number);
        ((0..all.min(most)).filter_map(get).map(|range| part(&range)).collect(), all)
    }

    /// The lost records by which the begin of a call is inferred that begins at this position.
    pub(in crate::serve) fn inferred_begin(
        &self,
        root: NodeId,
        position: u64,
        call: NodeId,
    ) -> Option<InferredPart> {
        let path = self.seek(root, position)?;
        let step = path.steps.iter().position(|step| step.node == call)?;
        self.inferred_at(root, &call_at(self, &path, step)?)
    }
}

fn part(range: &InferredRange) -> InferredPart {
    let InferredRange { inferred, begin, end } = *range;
    InferredPart {
        records: inferred.records,
        percent: inferred.percent,
        only_way: inferred.is_only_way(),
        text: lost_records::sentence(inferred),
        begin,
        end,
    }
}
