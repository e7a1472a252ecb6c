//! Ends of paths that need no record, since only one thing can come.
//!
//! A call is **sure** if exactly one method can be meant, one of the same class, which is recorded: it
//! leaves a record of its own, and a reader who has seen it return knows that its caller goes on. If
//! from there on to the return, or to where the next segment begins, there is one path and nothing on
//! it can throw or call, then that path is recorded as well: the end of it is silent.
//!
//! ```text
//!   call of fib ---> iadd ---> ireturn              no record at the return
//!   call of step --> i++ ----> back to the header   none on the edge
//!   if (x) f(); return        the edges that lead to the return are cut already where one of them is:
//!                             the record on the edge is that of the return, too
//! ```
//!
//! So a return is silent where all that leads to it are cut edges, sure calls and blocks behind sure
//! calls; what is missing to that is cut, for a record on an edge costs no more than one before the
//! return. The same holds for an edge where a path ends: the record moves to where a handler joins the
//! path behind a sure call, say. No circle is silent as a whole: a sure call lies on it, or the edge leads
//! to a block where something is decided.

use crate::control_flow_graph::{ControlFlowGraph, Ending};
use crate::dominators::Adjacency;
use model::{BlockId, EdgeRole};

use super::counted::Counted;
use super::facts::Facts;
use super::states::States;

/// So many edges more may be cut for a silent return.
const MAX_CUT: usize = 3;

/// Makes edges silent; the blocks whose return is.
/// `incoming`: by block the edges that lead to it from blocks that can be reached.
pub(super) fn returns(
    states: &mut States,
    graph: &ControlFlowGraph,
    facts: &[Facts],
    counted: &Counted,
    incoming: &Adjacency,
) -> Vec<bool> {
    let method = Method { graph, facts, counted, incoming };
    let all = (0..).take(graph.blocks.len());
    let quiet: Vec<bool> = all.clone().map(|block| method.is_quiet(states, block)).collect();
    if !quiet.contains(&true) {
        method.silence(states, &quiet, &quiet, &quiet);
        return quiet;
    }

    // What follows sure calls alone, and what follows them or cut edges.
    let after_calls = method.settled(states, quiet.clone(), false, &quiet);
    let ends = method.settled(states, quiet.clone(), true, &quiet);
    let mut silent = vec![false; graph.blocks.len()];
    for block in all {
        if !is(&ends, block) || !method.may_end(states, block, &quiet) {
            continue;
        }
        for &edge in incoming.of_block(block) {
            if method.is_bad(states, &ends, true, edge) {
                states.set(at(edge), EdgeRole::Cut);
            }
        }
        if let Some(silent) = silent.get_mut(at(block)) {
            *silent = method.returns(block);
        }
    }
    method.silence(states, &quiet, &after_calls, &ends);
    silent
}

struct Method<'m> {
    graph: &'m ControlFlowGraph,
    facts: &'m [Facts],
    counted: &'m Counted,
    incoming: &'m Adjacency,
}

impl Method<'_> {
    /// Makes cut edges silent where they need no record.
    fn silence(&self, states: &mut States, quiet: &[bool], after_calls: &[bool], ends: &[bool]) {
        for (index, edge) in self.graph.edges.iter().enumerate() {
            let is_bare = self.facts.get(at(edge.to)).is_some_and(|facts| facts.bare);
            if states.role(index) == EdgeRole::Cut
                && self.graph.dominators.is_reachable(edge.from)
                && (self.is_sure(edge.from)
                    || is(after_calls, edge.from)
                    || is(ends, edge.from) && !is(quiet, edge.to))
                && !is_bare
            {
                states.set(index, EdgeRole::Silent);
            }
        }
    }

    fn returns(&self, block: BlockId) -> bool {
        self.graph.blocks.get(at(block)).is_some_and(|block| block.ending == Ending::Return)
    }

    /// Whether a path can end silently at the end of this block, whatever leads to it.
    fn may_end(&self, states: &States, block: BlockId, quiet: &[bool]) -> bool {
        let is_cut = |(index, to): (usize, BlockId)| {
            matches!(states.role(index), EdgeRole::Cut | EdgeRole::Silent) && !is(quiet, to)
        };
        let mut out = self.graph.edges_out_of(block).zip(self.graph.out_of(block).map(|edge| edge.to));
        self.returns(block) || out.next().is_some_and(is_cut)
    }

    /// Whether the block ends with a sure call, and has one path on.
    fn is_sure(&self, block: BlockId) -> bool {
        let facts = self.facts.get(at(block)).copied().unwrap_or_default();
        facts.sure && !facts.bare && self.graph.out_of(block).count() == 1
    }

    /// Whether nothing can happen in the block but that it is run to its end.
    fn is_quiet(&self, states: &States, block: BlockId) -> bool {
        let facts = self.facts.get(at(block)).copied().unwrap_or_default();
        let is_known = |list: &[bool]| list.get(at(block)) == Some(&true);
        let plain = self.graph.blocks.get(at(block)).is_some_and(|block| !block.is_handler);
        plain
            && block != 0
            && !(facts.site || facts.throws || facts.bare)
            && self.counted.enclosing(self.graph, block).is_none()
            && !is_known(&states.counted)
            && !is_known(&states.fresh)
            && self.graph.dominators.is_reachable(block)
            && (self.returns(block) || self.graph.out_of(block).count() == 1)
    }

    /// The blocks of these whose callers are all known: sure calls, each other, and, `with_cuts`, cut
    /// edges.
    fn settled(&self, states: &States, mut blocks: Vec<bool>, with_cuts: bool, quiet: &[bool]) -> Vec<bool> {
        loop {
            let mut is_settled = true;
            for block in (0..).take(blocks.len()) {
                if !is(&blocks, block) {
                    continue;
                }
                let incoming = self.incoming.of_block(block);
                let is_bad = |edge: &&u32| self.is_bad(states, &blocks, with_cuts, **edge);
                let bad = incoming.iter().filter(is_bad).count();
                let may_cut =
                    bad <= MAX_CUT && bad < incoming.len() && with_cuts && self.may_end(states, block, quiet);
                if bad > 0 && !may_cut {
                    is_settled = false;
                    if let Some(known) = blocks.get_mut(at(block)) {
                        *known = false;
                    }
                }
            }
            if is_settled {
                return blocks;
            }
        }
    }

    /// Whether an edge comes from where nobody knows that its target comes next.
    fn is_bad(&self, states: &States, blocks: &[bool], with_cuts: bool, edge: u32) -> bool {
        let from = self.graph.edges.get(at(edge)).map_or(0, |edge| edge.from);
        match states.role(at(edge)) {
            EdgeRole::Through => !(self.is_sure(from) || is(blocks, from)),
            EdgeRole::Cut | EdgeRole::Silent => !with_cuts,
            EdgeRole::Iteration => true,
        }
    }
}

fn is(list: &[bool], block: BlockId) -> bool {
    list.get(at(block)) == Some(&true)
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
