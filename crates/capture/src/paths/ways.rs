//! Ways by code: worked out when a code is first met, then looked up.
//!
//! Codes are dense, so they are looked up in pages of numbers, which exist where a code was met.
//! What a way costs is bounded by the method: it passes a block at most once.

use std::rc::Rc;

use model::{BlockId, EdgeRole, MethodId, NumberedEdge};

use super::CODE;
use super::numbering::PathGraph;
use crate::limits;
use crate::methods::{MethodWords, Methods};

const PAGE: usize = 1024;

/// What the codes of a capture stand for.
#[derive(Debug)]
pub(crate) struct Ways {
    methods: Rc<Methods>,
    /// By code: the number of its way + 1, [`NOTHING`] if it has none, 0 if it was not met yet.
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    ways: Vec<Way>,
    blocks: Vec<BlockId>,
}

const NOTHING: u32 = u32::MAX;

/// A method whose codes are looked up.
struct Owner<'o> {
    about: &'o MethodWords,
    graph: &'o PathGraph,
}

/// What a code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    /// A way that does not end yet, and nothing that stands alone.
    Stop,
    /// A way that does not end yet.
    Told,
    /// A way ends on a cut edge; the first code of the next stretch.
    Cut(u32),
    /// The frame returns.
    Returns,
    /// A handler runs.
    Caught(BlockId),
    /// An exception left the frame.
    Unwound,
}

/// What a code stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    pub(crate) method: MethodId,
    pub(crate) says: Says,
    /// The first code of its stretch.
    pub(crate) start: u32,
    /// Where its blocks are.
    from: u32,
    pub(crate) length: u32,
    /// The frame is not told before this.
    pub(crate) fresh: bool,
    /// Iterations may not be told before this.
    pub(crate) counted: bool,
    /// Its block is a site: a record with iterations tells of a way that does not end yet.
    pub(crate) site: bool,
    /// Its block ends with a call after which only one thing can come, which is not recorded: the code of
    /// the way up to its end; else 0.
    pub(crate) then: u32,
    /// Its end is not recorded.
    silent: bool,
    /// It ends on an edge from which on only one thing can come, which is not recorded.
    pub(crate) goes_on: bool,
    /// The last counted loop: where it begins in the way, and where the blocks of an iteration are.
    iteration: Option<(u32, u32, u32)>,
}

impl Ways {
    /// Of a capture with these methods.
    pub(crate) fn new(methods: Rc<Methods>) -> Ways {
        Ways { methods, pages: vec![], ways: vec![], blocks: vec![] }
    }

    pub(crate) fn methods(&self) -> &Methods {
        &self.methods
    }

    /// Forgets all ways if they take too much room. No [`Way`] that was found before may be used after.
    #[inline]
    pub(crate) fn keep_small(&mut self) {
        if self.blocks.len() > limits::WAY_BLOCKS {
            self.pages.clear();
            self.ways.clear();
            self.blocks.clear();
        }
    }

    /// What a code stands for.
    #[inline]
    pub(crate) fn find(&mut self, code: u32) -> Option<Way> {
        let (page, slot) = ((code & CODE) as usize / PAGE, code as usize % PAGE);
        let known = self.pages.get(page).and_then(|page| page.as_ref()).and_then(|page| page.get(slot));
        match known {
            Some(&NOTHING) => None,
            Some(&number) if number > 0 => self.ways.get(number as usize - 1).copied(),
            _ => self.work_out(code & CODE),
        }
    }

    /// The blocks of a way.
    #[inline]
    pub(crate) fn blocks(&self, way: Way) -> &[BlockId] {
        self.blocks.get(way.from as usize..(way.from + way.length) as usize).unwrap_or_default()
    }

    /// The last counted loop on a way: where it begins in it, and the blocks of an iteration.
    #[inline]
    pub(crate) fn iteration(&self, way: Way) -> Option<(usize, &[BlockId])> {
        let (at, from, length) = way.iteration?;
        Some((at as usize, self.blocks.get(from as usize..(from + length) as usize)?))
    }

    /// Whether recorded code may run inside this block of a way.
    pub(crate) fn is_site(&self, way: Way, block: BlockId) -> bool {
        let graph = self.methods.get(way.method.0).paths.as_ref();
        let block = graph.and_then(|graph| graph.numbering.blocks.get(block as usize));
        block.is_some_and(|block| block.site)
    }

    /// Whether the stretch of a way may begin with a handler.
    pub(crate) fn begins_caught(&self, way: Way) -> bool {
        let graph = self.methods.get(way.method.0).paths.as_ref();
        let first = self.blocks(way).first();
        graph.is_some_and(|graph| first.is_some_and(|first| graph.numbering.handlers.contains(first)))
    }

    #[cold]
    fn work_out(&mut self, code: u32) -> Option<Way> {
        let about = self.methods.get(self.methods.owner(code)?);
        let graph = about.paths.as_ref()?;
        let before = self.blocks.len();
        let way = Owner { about, graph }.way(code - about.first, &mut self.blocks);
        let number = match way {
            Some(way) => {
                self.ways.push(way);
                u32::try_from(self.ways.len()).unwrap_or(NOTHING)
            }
            None => {
                self.blocks.truncate(before);
                NOTHING
            }
        };
        let (page, slot) = (code as usize / PAGE, code as usize % PAGE);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages.get_mut(page)?.get_or_insert_with(|| Box::new([0; PAGE]));
        if let Some(known) = page.get_mut(slot) {
            *known = number;
        }
        way
    }
}

impl Owner<'_> {
    fn way(&self, code: u32, blocks: &mut Vec<BlockId>) -> Option<Way> {
        let from = blocks.len();
        let mut way = self.way_up_to(code, blocks)?;
        if matches!(way.says, Says::Caught(_) | Says::Unwound) {
            return Some(way);
        }
        way.iteration = self.iteration(from, blocks);
        way.then = blocks.get(from..).and_then(|own| self.then(code, way, own)).unwrap_or(0);
        way.goes_on = match way.says {
            Says::Cut(next) => self.is_silent_end(next.checked_sub(self.about.first)?).is_some(),
            _ => false,
        };
        Some(way)
    }

    /// The way without what needs a look at others.
    fn way_up_to(&self, code: u32, blocks: &mut Vec<BlockId>) -> Option<Way> {
        let from = u32::try_from(blocks.len()).ok()?;
        let mut way = Way {
            method: self.about.id,
            says: Says::Unwound,
            start: self.about.first.checked_add(code)?,
            from,
            length: 0,
            fresh: false,
            counted: false,
            site: false,
            then: 0,
            silent: false,
            goes_on: false,
            iteration: None,
        };
        let numbering = &self.graph.numbering;
        if code == 0 {
            return Some(way);
        }
        if let Some(&handler) = numbering.handlers.get(code as usize - 1) {
            way.says = Says::Caught(handler);
            way.start = self.start_of(handler)?;
            return Some(way);
        }
        if numbering.entry == Some(code) {
            (way.says, way.fresh) = (Says::Cut(self.start_of(0)?), true);
            return Some(way);
        }
        let starts = (0..).zip(&numbering.blocks).filter_map(|(id, block)| Some((block.start?, id)));
        let (start, block) = starts.filter(|(start, _)| *start <= code).max()?;
        way.start = self.about.first.checked_add(start)?;
        self.walk(block, code - start, &mut way, blocks)?;
        way.length = u32::try_from(blocks.len()).ok()? - from;
        Some(way)
    }

    /// What comes after the call at the end of a way, if only one thing can.
    fn then(&self, code: u32, way: Way, blocks: &[BlockId]) -> Option<u32> {
        let end = *blocks.get(..way.length as usize)?.last()?;
        let block = self.graph.numbering.blocks.get(end as usize)?;
        let before = match way.says {
            Says::Told => 0,
            Says::Stop => u32::from(block.records_frame()),
            _ => return None,
        };
        let mut on = self.graph.out_of(end);
        let (Some((_, number)), None) = (on.next().filter(|_| block.site), on.next()) else { return None };
        let code = code.checked_sub(before)?.checked_add(u32::try_from(number.value).ok()?)?;
        self.is_silent_end(code)?;
        self.about.first.checked_add(code)
    }

    /// The way of a code, if its end is silent.
    fn is_silent_end(&self, code: u32) -> Option<Way> {
        self.way_up_to(code, &mut Vec::new()).filter(|way| way.silent)
    }

    /// Follows the remainder from a block on.
    fn walk(&self, mut id: BlockId, mut left: u32, way: &mut Way, blocks: &mut Vec<BlockId>) -> Option<()> {
        for _ in 0..=self.about.blocks() {
            let block = self.graph.numbering.blocks.get(id as usize)?;
            blocks.push(id);
            let returns = self.about.returns(id);
            if block.records_frame() && left == 0 {
                (way.says, way.fresh, way.counted) = (Says::Told, true, block.counted);
                return Some(());
            }
            if block.stop && left == u32::from(block.records_frame()) {
                (way.fresh, way.counted, way.site) = (block.ends_fresh(), block.counted, block.site);
                // A record on its only edge has the same code.
                let shared = self.graph.out_of(id).find(|(_, number)| {
                    number.role == EdgeRole::Cut && number.value == i32::from(block.records_frame())
                });
                way.says = match shared {
                    _ if returns => Says::Returns,
                    Some((to, _)) => Says::Cut(self.start_of(to)?),
                    None => Says::Stop,
                };
                return Some(());
            }
            let value = |number: NumberedEdge| u32::try_from(number.value).ok();
            let ways = self.graph.out_of(id).filter(|(_, number)| number.role != EdgeRole::Iteration);
            let ways = ways.filter(|(_, number)| value(*number).is_some_and(|value| value <= left));
            match ways.max_by_key(|(_, number)| number.value) {
                None if left == 0 => {
                    (way.fresh, way.counted) = (block.ends_fresh(), block.ends_counted());
                    way.says = if returns { Says::Returns } else { Says::Stop };
                    way.silent = returns && block.silent;
                    return Some(());
                }
                None => return None,
                Some((to, number)) if matches!(number.role, EdgeRole::Cut | EdgeRole::Silent) => {
                    way.silent = number.role == EdgeRole::Silent;
                    (way.fresh, way.counted) = (block.ends_fresh(), block.ends_counted());
                    way.says = Says::Cut(self.start_of(to)?);
                    return (value(number)? == left).then_some(());
                }
                Some((to, number)) => {
                    left -= value(number)?;
                    id = to;
                }
            }
        }
        None
    }

    fn start_of(&self, block: BlockId) -> Option<u32> {
        self.about.first.checked_add(self.graph.numbering.blocks.get(block as usize)?.start?)
    }

    /// The last counted loop on the way whose blocks lie from `from` on, and appends the blocks of an iteration.
    fn iteration(&self, from: usize, blocks: &mut Vec<BlockId>) -> Option<(u32, u32, u32)> {
        let known = &self.graph.numbering.blocks;
        let inside = |block: BlockId| known.get(block as usize).is_some_and(|block| block.in_counted_loop);
        let way = blocks.get(from..)?;
        let last = way.iter().rposition(|&block| inside(block))?;
        let before = way.get(..last)?.iter().rposition(|&block| !inside(block));
        let at = before.map_or(0, |before| before + 1);
        let mut block = *way.get(at)?;
        let iteration = u32::try_from(blocks.len()).ok()?;
        for _ in 0..=self.about.blocks() {
            blocks.push(block);
            let mut on = self.graph.out_of(block);
            let (to, number) = on.find(|(to, number)| {
                inside(*to) && matches!(number.role, EdgeRole::Through | EdgeRole::Iteration)
            })?;
            if number.role == EdgeRole::Iteration {
                return Some((
                    u32::try_from(at).ok()?,
                    iteration,
                    u32::try_from(blocks.len()).ok()? - iteration,
                ));
            }
            block = to;
        }
        None
    }
}
