//! Which edges are cut, and what is not recorded yet where a block begins.
//!
//! One pass in the order of the paths. An edge is cut where it leads back, where somebody wants it
//! (too many paths behind it), and where its target cannot know what the edge brings along: a fresh
//! frame meets one that is recorded already, or iterations are not recorded yet and another loop begins.

use crate::control_flow_graph::ControlFlowGraph;
use crate::dominators::Adjacency;
use model::code::Edge;
use model::{BlockId, EdgeRole};

use super::counted::Counted;
use super::facts::Facts;
use super::silent;

#[derive(Clone, Debug)]
pub(super) struct States {
    /// The reachable blocks, each behind all blocks that lead to it by edges that are not cut for
    /// leading back.
    pub(super) order: Vec<BlockId>,
    /// By edge, in the order of the graph's.
    pub(super) roles: Vec<EdgeRole>,
    /// By block: nothing was recorded of the frame when it begins.
    pub(super) fresh: Vec<bool>,
    /// By block: there may be iterations that are not recorded when it begins, or inside it.
    pub(super) counted: Vec<bool>,
    /// The frame is recorded at the method's entry, before block 0.
    pub(super) recorded_at_entry: bool,
    /// By block: nothing is recorded where it returns.
    pub(super) silent: Vec<bool>,
}

impl States {
    pub(super) fn of(
        graph: &ControlFlowGraph,
        facts: &[Facts],
        counted: &Counted,
        forced: &[bool],
        recorded_at_entry: bool,
    ) -> Self {
        let order = order(graph);
        let reachable = |(_, edge): &(u32, &Edge)| graph.dominators.is_reachable(edge.from);
        let edges = (0..).zip(&graph.edges).filter(reachable);
        let incoming = Adjacency::of(graph.blocks.len(), edges.map(|(index, edge)| (edge.to, index)));
        let mut roles = vec![EdgeRole::Through; graph.edges.len()];
        for (edge, role) in graph.edges.iter().zip(&mut roles) {
            if graph.dominators.is_retreating(edge.from, edge.to) {
                *role = if closes(graph, counted, edge) { EdgeRole::Iteration } else { EdgeRole::Cut };
            } else if forced.get(at(edge.to)) == Some(&true) {
                *role = EdgeRole::Cut;
            }
        }
        let led_back_to_0 =
            incoming.of_block(0).iter().any(|&edge| roles.get(at(edge)) == Some(&EdgeRole::Cut));
        let is_handler = |block: BlockId| graph.blocks.get(at(block)).is_some_and(|block| block.is_handler);
        let recorded_at_entry = recorded_at_entry || led_back_to_0 || is_handler(0);
        let mut states = Self {
            order: Vec::new(),
            roles,
            fresh: vec![false; graph.blocks.len()],
            counted: vec![false; graph.blocks.len()],
            recorded_at_entry,
            silent: Vec::new(),
        };
        for &block in &order {
            let incoming = incoming.of_block(block);
            let inside = counted.enclosing(graph, block);
            // Edges from outside the block's own counted loop.
            let from = |edge: u32| graph.edges.get(at(edge)).map_or(0, |edge| edge.from);
            let outer = |edge: &u32| inside.is_none() || counted.enclosing(graph, from(*edge)) != inside;
            let iterations_on = |states: &Self, edge: u32| {
                states.is(edge, EdgeRole::Through) && states.counted_after(graph, facts, counted, from(edge))
            };
            // A loop with records would record the iterations of the one before again and again, and a
            // counted one has no room for them.
            let refuses = counted.is_header(graph, block) || inside.is_none() && states.has_cut(incoming);
            for &edge in incoming.iter().filter(|edge| refuses && outer(edge)) {
                if iterations_on(&states, edge) {
                    states.cut(edge);
                }
            }
            let mut through = incoming.iter().filter(|&&edge| states.is(edge, EdgeRole::Through)).peekable();
            let fresh = if block == 0 {
                !recorded_at_entry
            } else {
                !is_handler(block)
                    && !states.has_cut(incoming)
                    && through.peek().is_some()
                    && through.all(|&edge| states.fresh_after(facts, from(edge)))
            };
            if !fresh {
                for &edge in incoming.iter().filter(|edge| outer(edge)) {
                    if states.is(edge, EdgeRole::Through) && states.fresh_after(facts, from(edge)) {
                        states.cut(edge);
                    }
                }
            }
            let brings = incoming.iter().filter(|edge| outer(edge)).any(|&edge| iterations_on(&states, edge));
            if let Some(known) = states.fresh.get_mut(at(block)) {
                *known = fresh;
            }
            if let Some(known) = states.counted.get_mut(at(block)) {
                *known = brings || inside.is_some();
            }
        }
        states.order = order;
        states.silent = silent::returns(&mut states, graph, facts, counted, &incoming);
        states
    }

    pub(super) fn role(&self, edge: usize) -> EdgeRole {
        self.roles.get(edge).copied().unwrap_or(EdgeRole::Cut)
    }

    pub(super) fn set(&mut self, edge: usize, role: EdgeRole) {
        if let Some(known) = self.roles.get_mut(edge) {
            *known = role;
        }
    }

    fn is(&self, edge: u32, role: EdgeRole) -> bool {
        self.roles.get(at(edge)) == Some(&role)
    }

    fn has_cut(&self, edges: &[u32]) -> bool {
        edges.iter().any(|&edge| self.is(edge, EdgeRole::Cut))
    }

    fn cut(&mut self, edge: u32) {
        self.set(at(edge), EdgeRole::Cut);
    }

    /// Whether the frame is still unrecorded where a block ends.
    pub(super) fn fresh_after(&self, facts: &[Facts], block: BlockId) -> bool {
        self.fresh.get(at(block)) == Some(&true) && !facts.get(at(block)).is_some_and(|facts| facts.site)
    }

    /// Whether iterations may be unrecorded where a block ends.
    pub(super) fn counted_after(
        &self,
        graph: &ControlFlowGraph,
        facts: &[Facts],
        counted: &Counted,
        block: BlockId,
    ) -> bool {
        counted.enclosing(graph, block).is_some()
            || self.counted.get(at(block)) == Some(&true)
                && !facts.get(at(block)).is_some_and(|facts| facts.site)
    }
}

/// Whether a back edge is that of a counted loop.
fn closes(graph: &ControlFlowGraph, counted: &Counted, edge: &Edge) -> bool {
    counted.is_header(graph, edge.to)
        && counted.enclosing(graph, edge.from) == counted.enclosing(graph, edge.to)
}

/// The reachable blocks in an order in which every edge that does not lead back leads forward.
fn order(graph: &ControlFlowGraph) -> Vec<BlockId> {
    let mut seen = vec![false; graph.blocks.len()];
    let mut postorder: Vec<BlockId> = Vec::with_capacity(graph.blocks.len());
    let mut path = Vec::new();
    let mut see = |block: BlockId| seen.get_mut(at(block)).is_some_and(|seen| !std::mem::replace(seen, true));
    for root in (0..).take(graph.blocks.len()) {
        if !graph.dominators.is_reachable(root) || !see(root) {
            continue;
        }
        let out_of = |block: BlockId| (block, graph.edges_out_of(block));
        path.push(out_of(root));
        while let Some((block, left)) = path.last_mut() {
            let next = left.next_back().and_then(|edge| graph.edges.get(edge));
            match next.filter(|edge| !graph.dominators.is_retreating(edge.from, edge.to)) {
                Some(edge) if see(edge.to) => path.push(out_of(edge.to)),
                Some(_) => {}
                None if next.is_some() => {}
                None => {
                    postorder.push(*block);
                    path.pop();
                }
            }
        }
    }
    postorder.reverse();
    postorder
}

fn at(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
