//! Which method a word belongs to, and what a decoder must know of it.

use std::collections::HashMap;

use model::code::{CallKind, CodeMap, Ending, Method};
use model::{BlockId, MethodId};

use super::paths::PathGraph;
use super::records::Encoding;
use super::words::{self, block_flags};

/// A method as decoders see it.
#[derive(Debug)]
pub struct MethodWords {
    /// Which one it is.
    pub id: MethodId,
    /// The first id of its words.
    pub first: u32,
    /// How many ids it owns.
    pub owned: u32,
    /// How its words are to be read.
    pub encoding: Encoding,
    /// By which numbering its words name paths, for [`Encoding::Paths`].
    pub(super) paths: Option<Box<PathGraph>>,
    /// Whether block 0 runs with the entry and has no word of its own: nothing leads back to it.
    pub begins_with_block_0: bool,
    /// Its name and descriptor as one number; a call site with the same number names it.
    pub name: u32,
    /// Whether the virtual machine calls it by itself.
    is_class_initializer: bool,
    /// Whether it is a constructor, whose class a call must name.
    is_constructor: bool,
    /// The class, as one number.
    class: u32,
    /// Whether a compiler made it out of a lambda expression.
    is_lambda: bool,
    blocks: Vec<BlockWords>,
    /// Targets beyond the first two: (from, to), sorted.
    more_edges: Vec<(BlockId, BlockId)>,
    exception_edges: Vec<(BlockId, BlockId)>,
}

#[derive(Debug)]
struct BlockWords {
    next: [BlockId; 2],
    flags: u8,
    has_more: bool,
    returns: bool,
    call: Option<CallNumbers>,
}

/// A call site, its texts as numbers.
#[derive(Debug, Clone, Copy)]
struct CallNumbers {
    name: u32,
    class: u32,
    /// Whether it calls what a lambda expression became.
    of_lambda: bool,
}

/// No block.
const NONE: BlockId = BlockId::MAX;

impl MethodWords {
    /// How many blocks it has.
    pub fn blocks(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Whether block `to` may run directly after `from`.
    #[inline]
    pub fn has_edge(&self, from: BlockId, to: BlockId) -> bool {
        let block = &self.blocks[from as usize];
        block.next[0] == to
            || block.next[1] == to
            || (block.has_more && self.more_edges.binary_search(&(from, to)).is_ok())
    }

    /// Whether an exception in block `from` may lead to `to`.
    pub fn has_exception_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.exception_edges.binary_search(&(from, to)).is_ok()
    }

    /// The blocks that may run directly after `from`.
    pub(super) fn edges(&self, from: BlockId) -> impl Iterator<Item = BlockId> {
        let block = self.blocks.get(from as usize);
        let near = block.into_iter().flat_map(|block| block.next).filter(|to| *to != NONE);
        near.chain(targets(&self.more_edges, from))
    }

    /// The handlers that an exception in block `from` may lead to.
    pub(super) fn handlers(&self, from: BlockId) -> impl Iterator<Item = BlockId> {
        targets(&self.exception_edges, from)
    }

    /// Name and descriptor, as one number, of what the call at the end of `block` names.
    pub(super) fn called_name(&self, block: BlockId) -> Option<u32> {
        self.blocks.get(block as usize)?.call.map(|call| call.name)
    }

    /// Whether recorded code may run inside `block`; `None` if the recorder has not recorded that.
    pub(super) fn is_site(&self, block: BlockId) -> Option<bool> {
        let numbering = &self.paths.as_ref()?.numbering;
        numbering.blocks.get(block as usize).map(|block| block.site)
    }

    /// Bits of [`block_flags`].
    #[inline]
    pub fn flags(&self, block: BlockId) -> u8 {
        self.blocks[block as usize].flags
    }

    /// Whether `block` ends with a return.
    pub fn returns(&self, block: BlockId) -> bool {
        self.blocks.get(block as usize).is_some_and(|block| block.returns)
    }

    /// Whether an exception that leaves a frame which stands in `block` leaves no word.
    pub fn is_uncovered(&self, block: BlockId) -> bool {
        self.blocks.get(block as usize).is_some_and(|block| has(block.flags, UNCOVERED))
    }

    /// Whether the call at the end of `block` calls `callee` directly, as far as names show.
    pub fn calls(&self, block: BlockId, callee: &MethodWords) -> bool {
        let Some(call) = self.blocks.get(block as usize).and_then(|block| block.call) else { return false };
        if callee.is_class_initializer {
            return false;
        }
        if callee.is_lambda && call.of_lambda {
            return true;
        }
        call.name == callee.name && (!callee.is_constructor || call.class == callee.class)
    }

    /// Whether the call at the end of `block` calls `callee`, of the same class.
    pub(super) fn calls_own(&self, block: BlockId, callee: &MethodWords) -> bool {
        self.class == callee.class && self.calls(block, callee)
    }

    /// Whether any call in it may call `callee` directly.
    pub fn may_call(&self, callee: &MethodWords) -> bool {
        (0..self.blocks()).any(|block| self.calls(block, callee))
    }
}

/// Where the edges lead that leave `from`, of these sorted ones.
fn targets(edges: &[(BlockId, BlockId)], from: BlockId) -> impl Iterator<Item = BlockId> {
    let first = edges.partition_point(|edge| edge.0 < from);
    let own = edges.get(first..).unwrap_or_default().iter();
    own.take_while(move |edge| edge.0 == from).map(|edge| edge.1)
}

/// What a record has of a method's words; the rest of it went into the [`CodeMap`].
#[derive(Debug)]
pub(super) struct Numbered {
    pub(super) first: u32,
    pub(super) owned: u32,
    pub(super) encoding: Encoding,
    pub(super) block_flags: Vec<u8>,
    pub(super) numbering: Vec<u8>,
}

/// All methods of a capture, found by their words.
#[derive(Debug, Default)]
pub struct Methods {
    methods: Vec<MethodWords>,
    /// Indices into `methods` by first id.
    by_first: Vec<(u32, u32)>,
    /// For each page of ids, the first of `by_first` that ends in it or behind.
    pages: Vec<u32>,
}

/// Ids of one page of [`Methods::pages`], as a shift.
const PAGE: u32 = 9;

impl Methods {
    /// From the records of all methods in the order of their ids in `code`. Gives also those whose
    /// words belong to an earlier one already.
    pub(super) fn new(records: Vec<Numbered>, code: &CodeMap) -> (Methods, Vec<MethodId>) {
        let mut texts = Texts::new(code);
        let methods: Vec<MethodWords> = code
            .methods
            .iter()
            .zip(records)
            .enumerate()
            .map(|(index, (method, record))| method_words(index, method, record, code, &mut texts))
            .collect();
        let mut by_first: Vec<(u32, u32)> =
            (0..methods.len() as u32).map(|at| (methods[at as usize].first, at)).collect();
        by_first.sort_unstable();
        let (mut end, mut doubled) = (0, vec![]);
        by_first.retain(|(first, at)| {
            let overlaps = *first < end;
            match overlaps {
                true => doubled.push(MethodId(*at)),
                false => end = first.saturating_add(methods[*at as usize].owned),
            }
            !overlaps
        });
        let mut pages = Vec::with_capacity((end >> PAGE) as usize + 1);
        let mut at = 0;
        for page in 0..=(end >> PAGE) {
            while at < by_first.len() && end_of(&methods, by_first[at]) <= page << PAGE {
                at += 1;
            }
            pages.push(at as u32);
        }
        (Methods { methods, by_first, pages }, doubled)
    }

    /// The method that owns `word`.
    #[inline]
    pub fn owner(&self, word: u32) -> Option<u32> {
        let page = (word >> PAGE) as usize;
        let start = *self.pages.get(page)? as usize;
        let stop = self.pages.get(page + 1).map_or(self.by_first.len(), |next| *next as usize + 1);
        let candidates = self.by_first.get(start..stop.min(self.by_first.len()))?;
        let end = candidates.partition_point(|(first, _)| *first <= word);
        let (first, at) = *candidates.get(end.checked_sub(1)?)?;
        (word - first < self.methods[at as usize].owned).then_some(at)
    }

    /// Whether any method records paths.
    pub(super) fn record_paths(&self) -> bool {
        self.methods.iter().any(|method| method.encoding == Encoding::Paths)
    }

    /// By [`MethodId`].
    #[inline]
    pub fn get(&self, at: u32) -> &MethodWords {
        &self.methods[at as usize]
    }
}

fn end_of(methods: &[MethodWords], (first, at): (u32, u32)) -> u32 {
    first.saturating_add(methods[at as usize].owned)
}

fn method_words(
    index: usize,
    method: &Method,
    record: Numbered,
    code: &CodeMap,
    texts: &mut Texts<'_>,
) -> MethodWords {
    let mut blocks: Vec<BlockWords> = method
        .blocks
        .iter()
        .enumerate()
        .map(|(at, block)| BlockWords {
            next: [NONE; 2],
            flags: record.block_flags.get(at).copied().unwrap_or(0),
            has_more: false,
            returns: block.ending == Ending::Return,
            call: match &block.ending {
                Ending::Call(call) => Some(CallNumbers {
                    name: texts.number(&call.name, &call.descriptor),
                    class: texts.number(&call.class, ""),
                    of_lambda: call.kind == CallKind::Interface
                        && texts.is_lambda_call(&call.class, &call.name),
                }),
                _ => None,
            },
        })
        .collect();
    let mut more_edges = vec![];
    for edge in &method.edges {
        let Some(block) = blocks.get_mut(edge.from as usize) else { continue };
        match block.next.iter_mut().find(|next| **next == NONE) {
            Some(next) => *next = edge.to,
            None => {
                block.has_more = true;
                more_edges.push((edge.from, edge.to));
            }
        }
    }
    more_edges.sort_unstable();
    let mut exception_edges = method.exception_edges.clone();
    exception_edges.sort_unstable();
    let leads_to_0 =
        method.edges.iter().any(|edge| edge.to == 0) || exception_edges.iter().any(|(_, to)| *to == 0);
    let class = code.class(method.class).map_or("", |class| &class.name);
    MethodWords {
        id: MethodId(index as u32),
        first: record.first,
        owned: record.owned,
        encoding: record.encoding,
        paths: match record.encoding {
            Encoding::Paths => PathGraph::read(&record.numbering, method).map(Box::new),
            Encoding::Blocks | Encoding::Calls => None,
        },
        begins_with_block_0: !leads_to_0,
        name: texts.number(&method.name, &method.descriptor),
        is_class_initializer: method.name == "<clinit>",
        is_constructor: method.name == "<init>",
        class: texts.number(class, ""),
        is_lambda: method.name.starts_with("lambda$"),
        blocks,
        more_edges,
        exception_edges,
    }
}

/// Texts as numbers, so that they are compared quickly.
struct Texts<'a> {
    numbers: HashMap<(String, String), u32>,
    /// Interface and method of every place where an object is made of a lambda expression: the class
    /// that the dynamic call gives, and its name.
    lambdas: std::collections::HashSet<(&'a str, &'a str)>,
}

impl<'a> Texts<'a> {
    fn new(code: &'a CodeMap) -> Texts<'a> {
        let blocks = code.methods.iter().flat_map(|method| &method.blocks);
        let calls = blocks.filter_map(|block| match &block.ending {
            Ending::Call(call) if call.kind == CallKind::Dynamic => Some(call),
            _ => None,
        });
        let lambdas = calls.filter_map(|call| {
            let made = call.descriptor.split_once(")L")?.1.strip_suffix(';')?;
            Some((made, call.name.as_str()))
        });
        Texts { numbers: HashMap::new(), lambdas: lambdas.collect() }
    }

    fn number(&mut self, name: &str, descriptor: &str) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry((name.to_owned(), descriptor.to_owned())).or_insert(next)
    }

    fn is_lambda_call(&self, class: &str, name: &str) -> bool {
        self.lambdas.contains(&(class.replace('.', "/").as_str(), name))
    }
}

/// Whether the flag is set.
pub(super) fn has(flags: u8, flag: u8) -> bool {
    flags & flag != 0
}

/// How `word` of a method of [`Encoding::Blocks`] is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Entry,
    Block(BlockId),
    Returns,
    Unwound,
}

/// See [`Meaning`]; `offset` counts from the first id of the method.
#[inline]
pub(super) fn meaning(offset: u32, blocks: u32) -> Meaning {
    if offset == words::entry(0) {
        Meaning::Entry
    } else if offset <= blocks {
        Meaning::Block(offset - 1)
    } else if offset == words::returns(0, blocks) {
        Meaning::Returns
    } else {
        Meaning::Unwound
    }
}

pub(super) use block_flags::{RETURNS, UNCOVERED};
