//! How often each method, block and handler ran on a side: one walk over the tree, whatever the run's length.

use model::code::{BlockId, MethodId};
use model::flow::Left;

use super::join::{Joint, Side};
use crate::replay::{Kind, NodeId, What};

/// The counts of one side, by joint numbers.
#[derive(Debug, Default)]
pub struct Coverage {
    methods: Vec<Counts>,
}

/// Those of a method.
#[derive(Debug, Default, Clone)]
pub struct Counts {
    /// Its calls.
    pub calls: u64,
    /// Calls that an exception left.
    pub threw: u64,
    /// By block: how often it ran.
    pub blocks: Vec<u64>,
    /// By block: how often an exception led to it.
    pub caught: Vec<u64>,
}

/// Methods and blocks beyond these come from damaged recordings and are not counted.
const METHODS: usize = 1 << 22;
const BLOCKS: usize = 1 << 16;

impl Coverage {
    /// Of some threads of a side, by their indices, and of its class initialisers.
    pub(super) fn of(joint: &Joint, side: &Side, wanted: impl Fn(usize) -> bool) -> Coverage {
        let mut coverage = Coverage::default();
        for (node, times) in (0..).map(NodeId).zip(times(joint, side, wanted)).filter(|(_, times)| *times > 0)
        {
            coverage.node(joint, node, times);
        }
        coverage
    }

    fn node(&mut self, joint: &Joint, node: NodeId, times: u64) {
        let method = match joint.replay.kind(node) {
            Kind::Frame { method, left, .. } => {
                if let Some(counts) = self.counts(method) {
                    counts.calls = counts.calls.saturating_add(times);
                    let threw = if left == Left::Threw { times } else { 0 };
                    counts.threw = counts.threw.saturating_add(threw);
                }
                method
            }
            Kind::Loop { method, .. } | Kind::Iteration { method } => method,
            Kind::Root | Kind::Again { .. } => return,
        };
        let Some(counts) = self.counts(method) else { return };
        for item in joint.replay.items(node) {
            let all = times.saturating_mul(u64::from(item.times));
            match item.what() {
                What::Block(block) => add(&mut counts.blocks, block, all),
                What::Catch(block) => {
                    add(&mut counts.blocks, block, all);
                    add(&mut counts.caught, block, all);
                }
                What::Node(_) | What::Gap(_) | What::Inferred(_) | What::Observed => {}
            }
        }
    }

    fn counts(&mut self, method: MethodId) -> Option<&mut Counts> {
        let at = method.0 as usize;
        if at >= METHODS {
            return None;
        }
        if self.methods.len() <= at {
            self.methods.resize(at + 1, Counts::default());
        }
        self.methods.get_mut(at)
    }

    /// Those of a method; all 0 for one that did not run.
    pub fn of_method(&self, method: MethodId) -> &Counts {
        static NONE: Counts = Counts { calls: 0, threw: 0, blocks: vec![], caught: vec![] };
        self.methods.get(method.0 as usize).unwrap_or(&NONE)
    }

    /// How many methods are counted; those behind did not run.
    pub fn len(&self) -> usize {
        self.methods.len()
    }

    /// Whether nothing ran.
    pub fn is_empty(&self) -> bool {
        self.methods.iter().all(|counts| counts.calls == 0)
    }
}

/// By node: how often some threads of a side, by their indices, and its class initialisers ran it.
pub(super) fn times(joint: &Joint, side: &Side, wanted: impl Fn(usize) -> bool) -> Vec<u64> {
    let mut times = vec![0u64; joint.replay.len()];
    let mut add = |node: NodeId, more: u64| {
        if let Some(index) = times.get_mut(node.0 as usize) {
            *index = index.saturating_add(more);
        }
    };
    side.initializers.iter().for_each(|&(node, count)| add(node, count));
    let threads = side.threads.iter().enumerate().filter(|(at, _)| wanted(*at));
    threads.for_each(|(_, thread)| add(thread.root, 1));
    // Children have smaller numbers, so all that is around a node was looked at before it.
    for node in (0..joint.replay.len()).rev() {
        let Some(&enclosing) = times.get(node).filter(|times| **times > 0) else { continue };
        for item in joint.replay.items(NodeId(node as u32)) {
            if let Some(index) = item.node().and_then(|inner| times.get_mut(inner.0 as usize)) {
                *index = index.saturating_add(enclosing.saturating_mul(u64::from(item.times)));
            }
        }
    }
    times
}

impl Counts {
    /// How often a block ran.
    pub fn block(&self, block: BlockId) -> u64 {
        self.blocks.get(block as usize).copied().unwrap_or(0)
    }

    /// How often an exception led to a block.
    pub fn caught_at(&self, block: BlockId) -> u64 {
        self.caught.get(block as usize).copied().unwrap_or(0)
    }

    /// Whether anything of it ran.
    pub fn ran(&self) -> bool {
        self.calls > 0 || self.blocks.iter().any(|count| *count > 0)
    }
}

fn add(counts: &mut Vec<u64>, block: BlockId, times: u64) {
    let at = block as usize;
    if at >= BLOCKS {
        return;
    }
    if counts.len() <= at {
        counts.resize(at + 1, 0);
    }
    if let Some(count) = counts.get_mut(at) {
        *count = count.saturating_add(times);
    }
}
