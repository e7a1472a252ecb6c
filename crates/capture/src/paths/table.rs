//! Ways by code: worked out when a code is first met, then looked up.
//!
//! Codes are dense, so they are looked up in pages of numbers, which exist where a code was met.
//! What a path costs is bounded by the method: it passes a block at most once.

use std::rc::Rc;

use model::{BlockId, EdgeRole, MethodId, NumberedEdge};

use super::CODE;
use super::numbering::PathGraph;
use crate::limits;
use crate::methods::{MethodWords, Methods};

const PAGE: usize = 1024;

/// What the codes of a capture stand for.
#[derive(Debug)]
pub(crate) struct Paths {
    methods: Rc<Methods>,
    /// By code: the number of its path + 1, [`NOTHING`] if it has none, 0 if it was not met yet.
    pages: Vec<Option<Box<[u32; PAGE]>>>,
    paths: Vec<Path>,
    blocks: Vec<BlockId>,
}

const NOTHING: u32 = u32::MAX;

/// A method whose codes are looked up.
struct Owner<'o> {
    about: &'o MethodWords,
    graph: &'o PathGraph,
}

/// The meaning of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathEnd {
    /// A path that does not end yet, and nothing that stands alone.
    Stop,
    /// A path that does not end yet.
    Open,
    /// A path ends on a cut edge; the first code of the next segment.
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
pub(crate) struct Path {
    pub(crate) method: MethodId,
    pub(crate) end: PathEnd,
    /// The first code of its segment.
    pub(crate) start: u32,
    /// Where its blocks are.
    from: u32,
    pub(crate) length: u32,
    /// The frame is not recorded before this.
    pub(crate) fresh: bool,
    /// Iterations may not be recorded before this.
    pub(crate) counted: bool,
    /// Its block is a site: a record with iterations records a path that does not end yet.
    pub(crate) site: bool,
    /// Its block ends with a call after which only one thing can come, which is not recorded: the code of
    /// the path up to its end; else 0.
    pub(crate) then: u32,
    /// Its end is not recorded.
    pub(crate) silent: bool,
    /// It ends on an edge from which on only one thing can come, which is not recorded.
    pub(crate) goes_on: bool,
    /// The last counted loop: where it begins in the path, and where the blocks of an iteration are.
    iteration: Option<(u32, u32, u32)>,
}

impl Paths {
    /// Of a capture with these methods.
    pub(crate) fn new(methods: Rc<Methods>) -> Paths {
        Paths { methods, pages: vec![], paths: vec![], blocks: vec![] }
    }

    pub(crate) fn methods(&self) -> &Methods {
        &self.methods
    }

    /// Forgets all paths if they take too much memory. No [`Path`] that was found before may be used after.
    #[inline]
    pub(crate) fn limit_memory(&mut self) {
        if self.blocks.len() > limits::PATH_BLOCKS {
            self.pages.clear();
            self.paths.clear();
            self.blocks.clear();
        }
    }

    /// What a code stands for.
    #[inline]
    pub(crate) fn find(&mut self, code: u32) -> Option<Path> {
        let (page, slot) = ((code & CODE) as usize / PAGE, code as usize % PAGE);
        let known = self.pages.get(page).and_then(|page| page.as_ref()).and_then(|page| page.get(slot));
        match known {
            Some(&NOTHING) => None,
            Some(&number) if number > 0 => self.paths.get(number as usize - 1).copied(),
            _ => self.work_out(code & CODE),
        }
    }

    /// The blocks of a path.
    #[inline]
    pub(crate) fn blocks(&self, path: Path) -> &[BlockId] {
        self.blocks.get(path.from as usize..(path.from + path.length) as usize).unwrap_or_default()
    }

    /// The last counted loop on a path: where it begins in it, and the blocks of an iteration.
    #[inline]
    pub(crate) fn iteration(&self, path: Path) -> Option<(usize, &[BlockId])> {
        let (at, from, length) = path.iteration?;
        Some((at as usize, self.blocks.get(from as usize..(from + length) as usize)?))
    }

    /// Whether recorded code may run inside this block of a path.
    pub(crate) fn is_site(&self, path: Path, block: BlockId) -> bool {
        let graph = self.methods.get(path.method.0).paths.as_ref();
        let block = graph.and_then(|graph| graph.numbering.blocks.get(block as usize));
        block.is_some_and(|block| block.site)
    }

    /// Whether the segment of a path may begin with a handler.
    pub(crate) fn begins_caught(&self, path: Path) -> bool {
        let graph = self.methods.get(path.method.0).paths.as_ref();
        let first = self.blocks(path).first();
        graph.is_some_and(|graph| first.is_some_and(|first| graph.numbering.handlers.contains(first)))
    }

    #[cold]
    fn work_out(&mut self, code: u32) -> Option<Path> {
        let about = self.methods.get(self.methods.owner(code)?);
        let graph = about.paths.as_ref()?;
        let before = self.blocks.len();
        let path = Owner { about, graph }.path(code - about.first, &mut self.blocks);
        let number = match path {
            Some(path) => {
                self.paths.push(path);
                u32::try_from(self.paths.len()).unwrap_or(NOTHING)
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
        path
    }
}

impl Owner<'_> {
    fn path(&self, code: u32, blocks: &mut Vec<BlockId>) -> Option<Path> {
        let from = blocks.len();
        let mut path = self.path_up_to(code, blocks)?;
        if matches!(path.end, PathEnd::Caught(_) | PathEnd::Unwound) {
            return Some(path);
        }
        path.iteration = self.iteration(from, blocks);
        path.then = blocks.get(from..).and_then(|own| self.then(code, path, own)).unwrap_or(0);
        path.goes_on = match path.end {
            PathEnd::Cut(next) => self.is_silent_end(next.checked_sub(self.about.first)?).is_some(),
            _ => false,
        };
        Some(path)
    }

    /// The path without what needs a look at others.
    fn path_up_to(&self, code: u32, blocks: &mut Vec<BlockId>) -> Option<Path> {
        let from = u32::try_from(blocks.len()).ok()?;
        let mut path = Path {
            method: self.about.id,
            end: PathEnd::Unwound,
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
            return Some(path);
        }
        if let Some(&handler) = numbering.handlers.get(code as usize - 1) {
            path.end = PathEnd::Caught(handler);
            path.start = self.start_of(handler)?;
            return Some(path);
        }
        if numbering.entry == Some(code) {
            (path.end, path.fresh) = (PathEnd::Cut(self.start_of(0)?), true);
            return Some(path);
        }
        let starts = (0..).zip(&numbering.blocks).filter_map(|(id, block)| Some((block.start?, id)));
        let (start, block) = starts.filter(|(start, _)| *start <= code).max()?;
        path.start = self.about.first.checked_add(start)?;
        self.walk(block, code - start, &mut path, blocks)?;
        path.length = u32::try_from(blocks.len()).ok()? - from;
        Some(path)
    }

    /// What comes after the call at the end of a path, if only one thing can.
    fn then(&self, code: u32, path: Path, blocks: &[BlockId]) -> Option<u32> {
        let end = *blocks.get(..path.length as usize)?.last()?;
        let block = self.graph.numbering.blocks.get(end as usize)?;
        let before = match path.end {
            PathEnd::Open => 0,
            PathEnd::Stop => u32::from(block.records_frame()),
            _ => return None,
        };
        let mut on = self.graph.out_of(end);
        let (Some((_, number)), None) = (on.next().filter(|_| block.site), on.next()) else { return None };
        let code = code.checked_sub(before)?.checked_add(u32::try_from(number.value).ok()?)?;
        self.is_silent_end(code)?;
        self.about.first.checked_add(code)
    }

    /// The path of a code, if its end is silent.
    fn is_silent_end(&self, code: u32) -> Option<Path> {
        self.path_up_to(code, &mut Vec::new()).filter(|path| path.silent)
    }

    /// Follows the remainder from a block on.
    fn walk(&self, mut id: BlockId, mut left: u32, path: &mut Path, blocks: &mut Vec<BlockId>) -> Option<()> {
        for _ in 0..=self.about.blocks() {
            let block = self.graph.numbering.blocks.get(id as usize)?;
            blocks.push(id);
            let returns = self.about.returns(id);
            if block.records_frame() && left == 0 {
                (path.end, path.fresh, path.counted) = (PathEnd::Open, true, block.counted);
                return Some(());
            }
            if block.stop && left == u32::from(block.records_frame()) {
                (path.fresh, path.counted, path.site) = (block.ends_fresh(), block.counted, block.site);
                // A record on its only edge has the same code.
                let shared = self.graph.out_of(id).find(|(_, number)| {
                    number.role == EdgeRole::Cut && number.value == i32::from(block.records_frame())
                });
                path.end = match shared {
                    _ if returns => PathEnd::Returns,
                    Some((to, _)) => PathEnd::Cut(self.start_of(to)?),
                    None => PathEnd::Stop,
                };
                return Some(());
            }
            let value = |number: NumberedEdge| u32::try_from(number.value).ok();
            let paths = self.graph.out_of(id).filter(|(_, number)| number.role != EdgeRole::Iteration);
            let paths = paths.filter(|(_, number)| value(*number).is_some_and(|value| value <= left));
            match paths.max_by_key(|(_, number)| number.value) {
                None if left == 0 => {
                    (path.fresh, path.counted) = (block.ends_fresh(), block.ends_counted());
                    path.end = if returns { PathEnd::Returns } else { PathEnd::Stop };
                    path.silent = returns && block.silent;
                    return Some(());
                }
                None => return None,
                Some((to, number)) if matches!(number.role, EdgeRole::Cut | EdgeRole::Silent) => {
                    path.silent = number.role == EdgeRole::Silent;
                    (path.fresh, path.counted) = (block.ends_fresh(), block.ends_counted());
                    path.end = PathEnd::Cut(self.start_of(to)?);
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

    /// The last counted loop on the path whose blocks lie from `from` on, and appends the blocks of an iteration.
    fn iteration(&self, from: usize, blocks: &mut Vec<BlockId>) -> Option<(u32, u32, u32)> {
        let known = &self.graph.numbering.blocks;
        let inside = |block: BlockId| known.get(block as usize).is_some_and(|block| block.in_counted_loop);
        let path = blocks.get(from..)?;
        let last = path.iter().rposition(|&block| inside(block))?;
        let before = path.get(..last)?.iter().rposition(|&block| !inside(block));
        let at = before.map_or(0, |before| before + 1);
        let mut block = *path.get(at)?;
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
