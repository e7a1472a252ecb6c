//! Profile: how deep the calls of a thread were, pixel by pixel, whatever its length.

use super::measure::Measure;
use super::store::{Kind, NodeId, Replay, What};

/// The least and the greatest number of open calls while any block of a pixel ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pixel {
    /// The least.
    pub min: u32,
    /// The greatest.
    pub max: u32,
}

/// For each node: how deep the calls in it are, counted from outside of it.
#[derive(Debug, Default)]
pub struct Heights {
    nodes: Vec<Option<Pixel>>,
}

impl Heights {
    /// Costs one look at each item.
    pub fn of(replay: &Replay) -> Heights {
        let mut heights = Heights { nodes: Vec::with_capacity(replay.rows.len()) };
        for (row, id) in replay.rows.iter().zip(0..) {
            let own = u32::from(matches!(row.kind, Kind::Frame { .. }));
            let mut here: Option<Pixel> = None;
            for item in replay.items(NodeId(id)) {
                let inner = match item.what() {
                    What::Block(_) | What::Catch(_) => Some(Pixel { min: own, max: own }),
                    What::Node(node) => heights.of_node(node).map(|pixel| pixel.raised(own)),
                    What::Gap(_) | What::Inferred(_) | What::Observed => None,
                };
                here = join(here, inner);
            }
            heights.nodes.push(here);
        }
        heights
    }

    /// Of one node; `None` if no block ran in it.
    pub fn of_node(&self, node: NodeId) -> Option<Pixel> {
        self.nodes.get(node.0 as usize).copied().flatten()
    }

    /// The thread's blocks in `pixels` equal parts; `None` for a part without a whole block of its
    /// own (a thread with fewer blocks than pixels).
    pub fn profile(
        &self,
        replay: &Replay,
        blocks: &Measure,
        root: NodeId,
        pixels: usize,
    ) -> Vec<Option<Pixel>> {
        let total = blocks.of_node(root);
        let pixels = vec![None; pixels];
        let mut draw = Draw { heights: self, replay, blocks, total, pixels, todo: Vec::new() };
        if total > 0 && !draw.pixels.is_empty() {
            draw.todo.push((root, 0, 0));
        }
        // A list of what is to do, as calls may nest deeper than our own stack.
        while let Some((node, begin, depth)) = draw.todo.pop() {
            draw.node(node, begin, depth);
        }
        draw.pixels
    }
}

struct Draw<'a> {
    heights: &'a Heights,
    replay: &'a Replay,
    blocks: &'a Measure,
    total: u64,
    pixels: Vec<Option<Pixel>>,
    todo: Vec<(NodeId, u64, u32)>,
}

impl Draw<'_> {
    fn pixel(&self, position: u64) -> usize {
        let scaled = u128::from(position) * self.pixels.len() as u128 / u128::from(self.total);
        (scaled as usize).min(self.pixels.len() - 1)
    }

    /// The first position behind a pixel.
    fn edge(&self, pixel: usize) -> u64 {
        if pixel + 1 >= self.pixels.len() {
            return u64::MAX;
        }
        let scaled = (pixel as u128 + 1) * u128::from(self.total);
        u64::try_from(scaled.div_ceil(self.pixels.len() as u128)).unwrap_or(u64::MAX)
    }

    fn mark(&mut self, from: usize, to: usize, pixel: Option<Pixel>) {
        if let Some(range) = self.pixels.get_mut(from..=to) {
            for one in range {
                *one = join(*one, pixel);
            }
        }
    }

    fn node(&mut self, node: NodeId, begin: u64, depth: u32) {
        let (replay, kind) = (self.replay, self.replay.kind(node));
        let depth = depth + u32::from(matches!(kind, Kind::Frame { .. }));
        let mut at = begin;
        // Most items of a long loop lie within a pixel.
        let mut here = self.pixel(at);
        let mut edge = self.edge(here);
        for (index, item) in replay.items(node).iter().enumerate() {
            let one = self.blocks.one(kind, index, *item);
            let all = one.saturating_mul(u64::from(item.times));
            if all == 0 {
                continue;
            }
            let whole = match item.what() {
                What::Node(inner) => self.heights.of_node(inner).map(|pixel| pixel.raised(depth)),
                _ => Some(Pixel { min: depth, max: depth }),
            };
            if at.saturating_add(all) <= edge {
                self.mark(here, here, whole);
                at += all;
                continue;
            }
            let (from, to) = (self.pixel(at), self.pixel(at + all - 1));
            match item.what() {
                What::Node(inner) if from < to => {
                    for copy in 0..u64::from(item.times) {
                        let start = at + copy * one;
                        // Copies within one pixel from here on are all alike, so all pixels are.
                        if self.pixel(start) == self.pixel(start + one - 1) {
                            let per_pixel = self.total / self.pixels.len() as u64;
                            if one.saturating_mul(2) <= per_pixel {
                                self.mark(self.pixel(start), to, whole);
                                break;
                            }
                            let pixel = self.pixel(start);
                            self.mark(pixel, pixel, whole);
                        } else {
                            self.todo.push((inner, start, depth));
                        }
                    }
                }
                _ => self.mark(from, to, whole),
            }
            at += all;
            here = self.pixel(at);
            edge = self.edge(here);
        }
    }
}

impl Pixel {
    fn raised(self, by: u32) -> Pixel {
        Pixel { min: self.min + by, max: self.max + by }
    }
}

fn join(one: Option<Pixel>, other: Option<Pixel>) -> Option<Pixel> {
    match (one, other) {
        (Some(a), Some(b)) => Some(Pixel { min: a.min.min(b.min), max: a.max.max(b.max) }),
        (one, other) => one.or(other),
    }
}
