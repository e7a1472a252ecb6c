//! Ends of ways that need no record, since only one thing can come.
//!
//! A call is **sure** if exactly one method can be meant, one of the same class, which is recorded: it
//! leaves a record of its own, and a reader who has seen it return knows that its caller goes on. If
//! from there on to the return, or to where the next stretch begins, there is one way and nothing on
//! it can throw or call, then that way is told as well: the end of it is silent.
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
//! return. The same holds for an edge where a way ends: the record moves to where a handler joins the
//! way behind a sure call, say. No circle is silent as a whole: a sure call lies on it, or the edge leads
//! to a block where something is decided.

use crate::control_flow_graph::{BlockId, ControlFlowGraph, Ending};

use super::counted::Counted;
use super::facts::Facts;
use super::states::{EdgeRole, States};

/// So many edges more may be cut for a silent return.
const MAX_CUT: usize = 3;

/// Makes edges silent; the blocks whose return is.
pub(super) fn returns(
    states: &mut States,
    graph: &ControlFlowGraph,
    facts: &[Facts],
    counted: &Counted,
) -> Vec<bool> {
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); graph.blocks.len()];
    for (index, edge) in graph.edges.iter().enumerate() {
        if graph.dominators.is_reachable(edge.from)
            && let Some(incoming) = incoming.get_mut(at(edge.to))
        {
            incoming.push(index);
        }
    }
    let method = Method { graph, facts, counted, incoming };
    let all = (0..).take(graph.blocks.len());
    let quiet: Vec<bool> = all.clone().map(|block| method.is_quiet(states, block)).collect();

    // What follows sure calls alone, and what follows them or cut edges.
    let behind_calls = method.settled(states, quiet.clone(), false, &quiet);
    let ends = method.settled(states, quiet.clone(), true, &quiet);
    let mut silent = vec![false; graph.blocks.len()];
    for block in all {
        if !is(&ends, block) || !method.may_end(states, block, &quiet) {
            continue;
        }
        let bad = method.bad(states, &ends, block, true);
        for edge in bad {
            states.set(edge, EdgeRole::Cut);
        }
        if let Some(silent) = silent.get_mut(at(block)) {
            *silent = method.returns(block);
        }
    }
    for (index, edge) in graph.edges.iter().enumerate() {
        let is_bare = facts.get(at(edge.to)).is_some_and(|facts| facts.bare);
        if states.role(index) == EdgeRole::Cut
            && graph.dominators.is_reachable(edge.from)
            && (method.is_sure(edge.from)
                || is(&behind_calls, edge.from)
                || is(&ends, edge.from) && !is(&quiet, edge.to))
            && !is_bare
        {
            states.set(index, EdgeRole::Silent);
        }
    }
    silent
}

struct Method<'m> {
    graph: &'m ControlFlowGraph,
    facts: &'m [Facts],
    counted: &'m Counted,
    /// By block: the edges that lead to it from blocks that can be reached.
    incoming: Vec<Vec<usize>>,
}

impl Method<'_> {
    fn returns(&self, block: BlockId) -> bool {
        self.graph.blocks.get(at(block)).is_some_and(|block| block.ending == Ending::Return)
    }

    /// Whether a way can end silently at the end of this block, whatever leads to it.
    fn may_end(&self, states: &States, block: BlockId, quiet: &[bool]) -> bool {
        let is_cut = |(index, to): (usize, BlockId)| {
            matches!(states.role(index), EdgeRole::Cut | EdgeRole::Silent) && !is(quiet, to)
        };
        let mut out = self.graph.ways_out_of(block).zip(self.graph.out_of(block).map(|edge| edge.to));
        self.returns(block) || out.next().is_some_and(is_cut)
    }

    /// Whether the block ends with a sure call, and has one way on.
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
            && self.counted.around(self.graph, block).is_none()
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
                let incoming = self.incoming.get(at(block)).map_or(0, Vec::len);
                let bad = self.bad(states, &blocks, block, with_cuts).len();
                let may_cut =
                    bad <= MAX_CUT && bad < incoming && with_cuts && self.may_end(states, block, quiet);
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

    /// The edges that lead to a block from where nobody knows that it comes next.
    fn bad(&self, states: &States, blocks: &[bool], block: BlockId, with_cuts: bool) -> Vec<usize> {
        let incoming = self.incoming.get(at(block)).map_or(&[][..], Vec::as_slice);
        let is_bad = |&edge: &usize| {
            let from = self.graph.edges.get(edge).map_or(0, |edge| edge.from);
            match states.role(edge) {
                EdgeRole::Through => !(self.is_sure(from) || is(blocks, from)),
                EdgeRole::Cut | EdgeRole::Silent => !with_cuts,
                EdgeRole::Turn => true,
            }
        };
        incoming.iter().copied().filter(is_bad).collect()
    }
}

fn is(list: &[bool], block: BlockId) -> bool {
    list.get(at(block)) == Some(&true)
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
