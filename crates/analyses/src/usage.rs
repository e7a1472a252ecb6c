//! Usage: of chosen methods who called them, what they called, and how often each of their blocks ran.
//!
//! ```text
//! flow    ... main: block 3, enter bake, blocks 0 1, enter knead, leave, block 2, leave ...
//! bake    1 call; by main at block 3: 1; of knead at block 1: 1; blocks 0: 1, 1: 1, 2: 1
//! ```
//!
//! One walk over the steps of each thread; blocks that ran in a row of iterations are counted at once. What was lost
//! is in no count.

use std::collections::BTreeMap;

use model::code::{BlockId, MethodId};
use model::flow::{Entered, FlowStep, Left};
use model::flow_source::Flow;

/// The method at the other end of calls, and the block of the caller that ran last before; no method: whoever called was
/// not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The method that called, or was called.
    pub method: Option<MethodId>,
    /// Where in the caller.
    pub block: Option<BlockId>,
    /// How the calls began.
    pub entered: Entered,
}

/// What is known of one method.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// Its calls.
    pub calls: u64,
    /// Calls that ended with an exception.
    pub threw: u64,
    /// How often each block ran.
    pub blocks: BTreeMap<BlockId, u64>,
    /// How often one block ran directly after another one of the same call, whatever was called between.
    pub followed: BTreeMap<(BlockId, BlockId), u64>,
    /// How often it was called from where.
    pub callers: BTreeMap<Site, u64>,
    /// How often it called whom from where.
    pub callees: BTreeMap<Site, u64>,
    /// Calls by thread, as the caller numbers threads.
    pub threads: BTreeMap<usize, u64>,
}

/// Adds up the usage of chosen methods.
#[derive(Debug)]
pub struct Usages {
    /// By method: its index in `all`.
    indices: BTreeMap<MethodId, usize>,
    all: Vec<(MethodId, Usage)>,
}

/// A call that is open.
struct Frame {
    method: MethodId,
    index: Option<usize>,
    last: Option<BlockId>,
}

impl Usages {
    /// Of these methods, none of which was seen yet.
    pub fn new(methods: impl IntoIterator<Item = MethodId>) -> Usages {
        let all: Vec<_> = methods.into_iter().map(|method| (method, Usage::default())).collect();
        Usages { indices: all.iter().zip(0..).map(|((method, _), index)| (*method, index)).collect(), all }
    }

    /// Adds what a thread did.
    pub fn add(&mut self, thread: usize, flow: &mut dyn Flow) {
        let mut frames: Vec<Frame> = vec![];
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, how } => self.enter(thread, &mut frames, method, how),
                FlowStep::Leave { how } => {
                    let left = frames.pop().and_then(|frame| frame.index);
                    if let Some((_, usage)) = left.and_then(|index| self.all.get_mut(index)) {
                        usage.threw += u64::from(how == Left::Threw);
                    }
                }
                FlowStep::Blocks { blocks, times } => self.ran(&mut frames, blocks, times),
                FlowStep::Catch { block } => self.ran(&mut frames, &[block], 1),
                FlowStep::Gap { .. }
                | FlowStep::Inferred { .. }
                | FlowStep::Observed
                | FlowStep::Moment(_)
                | FlowStep::Clock(_)
                | FlowStep::Mark(_)
                | FlowStep::Values(_)
                | FlowStep::Task(_) => {}
            }
        }
    }

    fn enter(&mut self, thread: usize, frames: &mut Vec<Frame>, method: MethodId, entered: Entered) {
        let block = frames.last().and_then(|frame| frame.last);
        if let Some((_, caller)) = frames.last().and_then(|frame| self.all.get_mut(frame.index?)) {
            *caller.callees.entry(Site { method: Some(method), block, entered }).or_default() += 1;
        }
        let index = self.indices.get(&method).copied();
        if let Some((_, usage)) = index.and_then(|index| self.all.get_mut(index)) {
            let caller = frames.last().map(|frame| frame.method);
            usage.calls += 1;
            *usage.callers.entry(Site { method: caller, block, entered }).or_default() += 1;
            *usage.threads.entry(thread).or_default() += 1;
        }
        frames.push(Frame { method, index, last: None });
    }

    fn ran(&mut self, frames: &mut [Frame], blocks: &[BlockId], times: u64) {
        let Some(frame) = frames.last_mut() else { return };
        let before = frame.last;
        frame.last = blocks.last().copied().or(frame.last);
        if let Some((_, usage)) = frame.index.and_then(|index| self.all.get_mut(index)) {
            for block in blocks {
                let count = usage.blocks.entry(*block).or_default();
                *count = count.saturating_add(times);
            }
            let mut follow = |before: Option<BlockId>, block: Option<&BlockId>, times: u64| {
                if let (Some(before), Some(block), 1..) = (before, block, times) {
                    let count = usage.followed.entry((before, *block)).or_default();
                    *count = count.saturating_add(times);
                }
            };
            follow(before, blocks.first(), 1);
            blocks.windows(2).for_each(|two| follow(two.first().copied(), two.last(), times));
            // Each further iteration comes from the end of the one before.
            follow(blocks.last().copied(), blocks.first(), times - 1);
        }
    }

    /// What was added up, in the order in which the methods were given.
    pub fn finish(self) -> Vec<(MethodId, Usage)> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use model::flow_source::Anomalies;

    use super::*;

    struct Steps(std::vec::IntoIter<FlowStep<'static>>);

    impl Flow for Steps {
        fn next_step(&mut self) -> Option<FlowStep<'_>> {
            self.0.next()
        }
        fn taken(&self) -> u64 {
            0
        }
        fn anomalies(&self) -> Anomalies {
            Anomalies::default()
        }
    }

    #[test]
    fn calls_blocks_and_places_are_counted() {
        let [main, bake, knead] = [0, 1, 2].map(MethodId);
        let enter = |method, how| FlowStep::Enter { method, how };
        let blocks = |blocks, times| FlowStep::Blocks { blocks, times };
        let leave = |how| FlowStep::Leave { how };
        let steps = vec![
            enter(main, Entered::Outermost),
            blocks(&[0, 3], 1),
            enter(bake, Entered::Call),
            blocks(&[0, 1], 5),
            enter(knead, Entered::Library),
            leave(Left::Threw),
            FlowStep::Catch { block: 4 },
            leave(Left::Threw),
            enter(bake, Entered::Call),
            blocks(&[0], 1),
            leave(Left::Returned),
            leave(Left::Returned),
        ];
        let mut usages = Usages::new([bake, MethodId(9)]);
        usages.add(7, &mut Steps(steps.into_iter()));
        let mut out = String::new();
        for (method, usage) in usages.finish() {
            out += &format!(
                "{method:?}: {} calls, {} threw, {:?} {:?} {:?}\n",
                usage.calls, usage.threw, usage.blocks, usage.followed, usage.threads
            );
            for (site, times) in usage.callers.iter().chain(&usage.callees) {
                out += &format!("{:?} {:?} {:?} x {times}\n", site.method, site.block, site.entered);
            }
        }
        expect![[r#"
            MethodId(1): 2 calls, 1 threw, {0: 6, 1: 5, 4: 1} {(0, 1): 5, (1, 0): 4, (1, 4): 1} {7: 2}
            Some(MethodId(0)) Some(3) Call x 2
            Some(MethodId(2)) Some(1) Library x 1
            MethodId(9): 0 calls, 0 threw, {} {} {}
        "#]]
        .assert_eq(&out);
    }
}
