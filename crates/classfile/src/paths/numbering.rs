//! The codes of a method: what every edge adds to `r`, and where segments begin.
//!
//! From a block on there are as many codes as there are paths on from it that can be distinguished: one if
//! the frame is recorded there (`records_frame`), one if it can throw or call (`stop`), one
//! for a return or a cut edge, and all of the target's for any other edge. They are counted from the
//! back; the value of an edge is the sum of what was counted before it. A block with a stop whose only
//! path on is a return or a cut edge needs no second code for that: the kind of record distinguishes them.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::code::Code;
use crate::constant_pool::ConstantPool;
use model::code::EdgeKind;
use model::{BlockId, EdgeRole, NumberedBlock, NumberedEdge, Numbering};

use crate::control_flow_graph::{ControlFlowGraph, Ending};
use crate::throwing::Throwing;

use super::bounded;
use super::counted::Counted;
use super::facts::{self, Facts, Surroundings, This};
use super::states::States;
use super::{CODES_END, MAX_CODES};

/// A method's paths in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedPaths {
    /// The codes.
    pub numbering: Numbering,
    /// Some counted loop may make more iterations than an int can count.
    pub many_iterations: bool,
}

impl NumberedPaths {
    /// Numbers a method. `throwing`: the instructions that can throw. `covered`: the segments of
    /// instructions (by index) that the catch-all covers.
    pub fn of(
        code: &Code<'_>,
        graph: &ControlFlowGraph,
        throwing: &Throwing,
        pool: &ConstantPool<'_>,
        this: This<'_>,
        covered: &[Range<usize>],
        surroundings: Surroundings,
    ) -> Self {
        let facts = facts::of(code, graph, throwing, pool, this, covered, surroundings);
        // Where no record afterwards shows what has thrown, it is recorded beforehand: the frame where it
        // begins (a site does that by itself), each block where it is entered.
        let mut forced: Vec<bool> = facts.iter().map(|facts| facts.bare).collect();
        let recorded_at_entry = forced.contains(&true) && !facts.first().is_some_and(|first| first.site);
        let mut counted = Counted::of(graph, &facts);
        counted.retain(|iteration| !iteration.iter().any(|&block| forced.get(at(block)) == Some(&true)));
        // Each round forces at least one more cut or gives up a counted loop, and finds nearly all.
        let numbering = loop {
            let states = States::of(graph, &facts, &counted, &forced, recorded_at_entry);
            let builder = Builder { graph, facts: &facts, counted: &counted, states: &states };
            let (sizes, too_many) = builder.sizes();
            if too_many.is_empty() {
                break builder.number(&sizes);
            }
            let mut changes = false;
            for block in too_many {
                match counted.enclosing(graph, block) {
                    Some(id) if !counted.is_header(graph, block) => changes |= counted.remove(id),
                    _ => {
                        let known = forced.get_mut(at(block));
                        changes |= known.is_some_and(|known| !std::mem::replace(known, true));
                    }
                }
            }
            if !changes {
                let builder = Builder { graph, facts: &facts, counted: &counted, states: &states };
                break builder.number(&sizes);
            }
        };
        let may_go_on = |iteration: &Vec<BlockId>| !bounded::is_bounded(code, graph, iteration);
        Self { numbering, many_iterations: counted.iterations().any(may_go_on) }
    }

    /// Whether the codes fit below [`CODES_END`] if the method's first is `first`, and what edges add
    /// fits `iinc`.
    pub fn fits(&self, first: u32) -> bool {
        first.checked_add(self.numbering.codes).is_some_and(|end| end <= CODES_END)
            && self.numbering.edges.iter().all(|edge| edge.value.abs() < i32::from(i16::MAX))
    }
}

struct Builder<'c> {
    graph: &'c ControlFlowGraph,
    facts: &'c [Facts],
    counted: &'c Counted,
    states: &'c States,
}

impl Builder<'_> {
    fn block(&self, block: BlockId) -> NumberedBlock {
        let facts = self.facts.get(at(block)).copied().unwrap_or_default();
        NumberedBlock {
            start: None,
            fresh: self.states.fresh.get(at(block)) == Some(&true),
            counted: self.states.counted.get(at(block)) == Some(&true),
            in_counted_loop: self.counted.enclosing(self.graph, block).is_some(),
            site: facts.site,
            stop: facts.site || facts.throws,
            silent: self.states.silent.get(at(block)) == Some(&true),
        }
    }

    fn role(&self, edge: usize) -> EdgeRole {
        self.states.role(edge)
    }

    /// The edges of a block in the order in which they are numbered: the jump that is taken first, so
    /// that it has the smallest value, the fall-through last.
    fn edges_in_order(&self, block: BlockId) -> impl Iterator<Item = usize> {
        let edges = self.graph.edges_out_of(block);
        let is_next =
            |edge: usize| self.graph.edges.get(edge).is_some_and(|edge| edge.kind == EdgeKind::Next);
        edges.clone().filter(move |&edge| !is_next(edge)).chain(edges.filter(move |&edge| is_next(edge)))
    }

    /// What the codes of a block's own take; shows the edges behind them with their values, `None`
    /// for an iteration, which has no code.
    fn values(&self, id: BlockId, sizes: &[u32], mut show: impl FnMut(usize, Option<u32>)) -> u32 {
        let block = self.block(id);
        let mut next = u32::from(block.records_frame()) + u32::from(block.stop);
        let ending = self.graph.blocks.get(at(id)).map(|block| block.ending);
        if ending == Some(Ending::Return) {
            return next.max(1);
        }
        let mut edges = self.edges_in_order(id);
        if let ((Some(only), None), true, false) = ((edges.next(), edges.next()), block.stop, block.site)
            && self.role(only) == EdgeRole::Cut
        {
            show(only, Some(block.stop_value()));
            return next;
        }
        for edge in self.edges_in_order(id) {
            let size = match self.role(edge) {
                EdgeRole::Iteration => {
                    show(edge, None);
                    continue;
                }
                EdgeRole::Cut | EdgeRole::Silent => 1,
                EdgeRole::Through => {
                    let to = self.graph.edges.get(edge).map_or(0, |edge| edge.to);
                    sizes.get(at(to)).copied().unwrap_or(1)
                }
            };
            show(edge, Some(next));
            next = next.saturating_add(size);
        }
        next.max(1)
    }

    /// How many codes there are from each block on, and targets that must become cut.
    fn sizes(&self) -> (Vec<u32>, BTreeSet<BlockId>) {
        let mut sizes = vec![0; self.graph.blocks.len()];
        let mut too_many = BTreeSet::new();
        for &block in self.states.order.iter().rev() {
            let mut size = self.values(block, &sizes, |_, _| ());
            if size > MAX_CODES {
                let mut targets: Vec<(u32, BlockId)> = Vec::new();
                for edge in self.edges_in_order(block) {
                    let to = self.graph.edges.get(edge).map_or(0, |edge| edge.to);
                    let to_size = sizes.get(at(to)).copied().unwrap_or(1);
                    if self.role(edge) == EdgeRole::Through && to_size > 1 {
                        targets.push((to_size, to));
                    }
                }
                targets.sort_unstable_by(|left, right| right.cmp(left));
                for (to_size, to) in targets {
                    if size <= MAX_CODES {
                        break;
                    }
                    size -= to_size - 1;
                    too_many.insert(to);
                }
            }
            if let Some(known) = sizes.get_mut(at(block)) {
                *known = size;
            }
        }
        (sizes, too_many)
    }

    fn number(&self, sizes: &[u32]) -> Numbering {
        let graph = self.graph;
        let all = (0..).take(graph.blocks.len());
        let mut blocks: Vec<NumberedBlock> = all.clone().map(|block| self.block(block)).collect();
        let mut edges: Vec<NumberedEdge> =
            (0..graph.edges.len()).map(|edge| NumberedEdge { role: self.role(edge), value: 0 }).collect();
        for block in all.clone() {
            self.values(block, sizes, |edge, value| {
                if let (Some(known), Some(value)) = (edges.get_mut(edge), value) {
                    known.value = i32::try_from(value).unwrap_or(0);
                }
            });
        }
        self.give_back(&mut edges);
        let reachable = |block: BlockId| graph.dominators.is_reachable(block);
        let is_handler = |block: BlockId| graph.blocks.get(at(block)).is_some_and(|block| block.is_handler);
        let handlers: Vec<BlockId> =
            all.clone().filter(|&block| is_handler(block) && reachable(block)).collect();
        let mut codes = 1 + u32::try_from(handlers.len()).unwrap_or(0);
        let entry = self.states.recorded_at_entry.then_some(codes);
        codes += u32::from(entry.is_some());
        let mut cut_to = vec![false; graph.blocks.len()];
        for (edge, number) in graph.edges.iter().zip(&edges) {
            if number.role.begins()
                && reachable(edge.from)
                && let Some(cut_to) = cut_to.get_mut(at(edge.to))
            {
                *cut_to = true;
            }
        }
        for block in all {
            if (block == 0 || cut_to.get(at(block)) == Some(&true) || is_handler(block)) && reachable(block) {
                if let Some(known) = blocks.get_mut(at(block)) {
                    known.start = Some(codes);
                }
                codes = codes.saturating_add(sizes.get(at(block)).copied().unwrap_or(1));
            }
        }
        Numbering { blocks, edges, handlers, entry, codes }
    }

    /// An iteration takes back what its blocks have added, so that `r` is the same in each.
    fn give_back(&self, edges: &mut [NumberedEdge]) {
        for iteration in self.counted.iterations() {
            let mut gained = 0;
            for (index, &block) in iteration.iter().enumerate() {
                let next = iteration.get(index + 1).copied();
                for edge in self.edges_in_order(block) {
                    let to = self.graph.edges.get(edge).map_or(0, |edge| edge.to);
                    let Some(number) = edges.get_mut(edge) else { continue };
                    match number.role {
                        EdgeRole::Iteration => number.value = -gained,
                        EdgeRole::Through if Some(to) == next => gained += number.value,
                        _ => {}
                    }
                }
            }
        }
    }
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
