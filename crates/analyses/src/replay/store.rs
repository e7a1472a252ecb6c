//! Nodes and their items. Equal nodes are one node; a node's children have smaller numbers.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use model::Certainty;
use model::code::{BlockId, MethodId};
use model::flow::{Entered, Left};
use rustc_hash::FxHasher;

/// A node of a [`Replay`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// All that a thread did.
    Root,
    /// One call of a method, from its beginning to its end.
    Frame {
        /// Of this method.
        method: MethodId,
        /// How it began.
        entered: Entered,
        /// How it ended.
        left: Left,
    },
    /// The iterations of a natural loop, one after the other.
    Loop {
        /// The method that has the loop.
        method: MethodId,
        /// Its index in the method's loops; `None`: blocks that the recorder itself repeated.
        index: Option<u32>,
    },
    /// One iteration of a loop of this method.
    Iteration {
        /// The method that has the loop.
        method: MethodId,
    },
    /// Calls of this method, one directly after the other, made by code that was not recorded.
    Again {
        /// The method called.
        method: MethodId,
    },
}

impl Kind {
    /// Whether its items are iterations: the same thing again, of which one may be enough.
    pub fn has_iterations(self) -> bool {
        matches!(self, Kind::Loop { .. } | Kind::Again { .. })
    }
}

/// What an item stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// A block of the frame around it ran.
    Block(BlockId),
    /// The same for a handler that an exception led to.
    Catch(BlockId),
    /// A node: a call, a loop, an iteration.
    Node(NodeId),
    /// Something was lost here: so many blocks or records; 0 where nobody knows.
    Gap(u32),
    /// What follows was lost and has been deduced.
    Inferred(Inferred),
    /// What follows was recorded again.
    Observed,
}

/// What is known of records that were lost and deduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Inferred {
    /// How many, at most [`Inferred::MOST`].
    pub records: u32,
    /// How sure it is, in percent; 100 only where it is the only way.
    pub percent: u8,
}

impl Inferred {
    /// The largest number of records; more are counted as this many.
    pub const MOST: u32 = (1 << 20) - 1;

    /// So many records, this sure.
    pub fn new(records: u64, certainty: Certainty) -> Inferred {
        let percent = match certainty {
            Certainty::OnlyWay => 100,
            Certainty::Likely { probability } => (probability * 100.0).clamp(0.0, 99.0) as u8,
            Certainty::Unknown => 0,
        };
        Inferred { records: records.min(u64::from(Self::MOST)) as u32, percent }
    }

    /// Whether nothing else is possible.
    pub fn is_only_way(self) -> bool {
        self.percent == 100
    }
}

/// An item of a node, so many times in a row (never 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Item {
    tagged: u32,
    /// How often in a row.
    pub times: u32,
}

const PAYLOAD: u32 = (1 << 30) - 1;

/// Of a gap: something was lost and is known again. The percent stand above the count.
const KNOWN: u32 = 1 << 29;
const PERCENT: u32 = 20;

impl Item {
    /// Numbers from 2^30 on are clamped: a method has fewer blocks, a store fewer nodes.
    #[inline]
    pub fn new(what: What, times: u32) -> Item {
        let (tag, payload) = match what {
            What::Block(block) => (0, block),
            What::Catch(block) => (1, block),
            What::Node(node) => (2, node.0),
            What::Gap(lost) => (3, lost.min(KNOWN - 1)),
            What::Inferred(Inferred { records, percent }) => {
                (3, KNOWN | u32::from(percent) << PERCENT | records.min(Inferred::MOST))
            }
            What::Observed => (3, PAYLOAD),
        };
        Item { tagged: tag << 30 | payload.min(PAYLOAD), times: times.max(1) }
    }

    #[inline]
    pub(super) fn parts(self) -> (u32, u32) {
        (self.tagged, self.times)
    }

    pub(super) fn from_parts(tagged: u32, times: u32) -> Option<Item> {
        (times > 0).then_some(Item { tagged, times })
    }

    /// Whether it stands for the same thing, however often.
    #[inline]
    pub(super) fn is_like(self, other: Item) -> bool {
        self.tagged == other.tagged
    }

    /// What it stands for.
    #[inline]
    pub fn what(self) -> What {
        let payload = self.tagged & PAYLOAD;
        match self.tagged >> 30 {
            0 => What::Block(payload),
            1 => What::Catch(payload),
            2 => What::Node(NodeId(payload)),
            _ if payload < KNOWN => What::Gap(payload),
            _ if payload == PAYLOAD => What::Observed,
            _ => What::Inferred(Inferred {
                records: payload & Inferred::MOST,
                percent: ((payload & (KNOWN - 1)) >> PERCENT).min(100) as u8,
            }),
        }
    }

    /// The node, if it is one.
    #[inline]
    pub fn node(self) -> Option<NodeId> {
        match self.what() {
            What::Node(node) => Some(node),
            _ => None,
        }
    }

    /// The block, if it is one.
    pub fn block(self) -> Option<BlockId> {
        match self.what() {
            What::Block(block) | What::Catch(block) => Some(block),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) kind: Kind,
    pub(super) first: usize,
    pub(super) len: usize,
}

/// One thread of a [`Replay`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// The number that the recording gives it.
    pub serial: u32,
    /// What it did.
    pub root: NodeId,
    /// The clock at some positions, both ascending as far as the recorder could see to it.
    pub moments: Vec<(u64, i64)>,
    /// The recording's marks by their indices, each with the position at which it was set; ascending.
    pub marks: Vec<(u64, u32)>,
    /// The recording's values of calls by their indices, each with the position of the next call; ascending.
    pub values: Vec<(u64, u32)>,
    /// Steps that did not fit and were left out.
    pub inconsistent: u64,
}

/// What the threads of a recording did. See the module's head.
#[derive(Debug, Default)]
pub struct Replay {
    pub(super) rows: Vec<Row>,
    pub(super) items: Vec<Item>,
    /// The threads, in the order in which they were finished.
    pub threads: Vec<Thread>,
    table: HashTable<Known>,
    /// Nodes that were asked for lately, by a number that is quicker to find than a hash of all items.
    recent: Vec<u32>,
}

/// A node with the hash of what it is, so that nodes need not be looked at again when the table grows.
#[derive(Debug, Clone, Copy)]
struct Known {
    hash: u32,
    id: u32,
}

/// How many of them are remembered: a power of two.
const RECENT: usize = 1 << 12;

impl Replay {
    /// What the node stands for.
    #[inline]
    pub fn kind(&self, node: NodeId) -> Kind {
        self.rows.get(node.0 as usize).map_or(Kind::Root, |row| row.kind)
    }

    /// Its items, in order.
    #[inline]
    pub fn items(&self, node: NodeId) -> &[Item] {
        match self.rows.get(node.0 as usize) {
            Some(row) => self.items.get(row.first..row.first + row.len).unwrap_or(&[]),
            None => &[],
        }
    }

    /// How many different nodes there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many items all nodes have together.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    /// Whether the node has this content.
    #[inline]
    pub(super) fn is(&self, node: NodeId, kind: Kind, items: &[Item]) -> bool {
        let row = self.rows.get(node.0 as usize);
        row.is_some_and(|row| {
            row.len == items.len()
                && row.kind == kind
                && self.items.get(row.first..row.first + row.len) == Some(items)
        })
    }

    /// The node with this content, new or known. When there is no number left for a new one, the
    /// last node is given: 2^30 different calls and iterations would not fit into memory before.
    pub(crate) fn intern(&mut self, kind: Kind, items: &[Item]) -> NodeId {
        let slot = quick(kind, items);
        match self.recent.get(slot) {
            Some(&known) if self.is(NodeId(known), kind, items) => return NodeId(known),
            Some(_) => {}
            None => self.recent.resize(RECENT, u32::MAX),
        }
        let node = self.find(kind, items);
        if let Some(known) = self.recent.get_mut(slot) {
            *known = node.0;
        }
        node
    }

    /// The same, not asked for lately.
    fn find(&mut self, kind: Kind, items: &[Item]) -> NodeId {
        let hash = hash_of(kind, items);
        let (rows, all) = (&self.rows, &self.items);
        let equal = |known: &Known| {
            let row = &rows[known.id as usize];
            known.hash == hash && row.kind == kind && all[row.first..row.first + row.len] == *items
        };
        if let Some(known) = self.table.find(spread(hash), equal) {
            return NodeId(known.id);
        }
        if self.rows.len() >= PAYLOAD as usize {
            return NodeId(PAYLOAD - 1);
        }
        let id = self.rows.len() as u32;
        self.rows.push(Row { kind, first: self.items.len(), len: items.len() });
        self.items.extend_from_slice(items);
        self.table.insert_unique(spread(hash), Known { hash, id }, |known| spread(known.hash));
        NodeId(id)
    }

    /// The items up to `until` backwards: the last block that ran in them, if one did.
    pub(crate) fn last_block(&self, node: NodeId, until: usize) -> Option<BlockId> {
        let items = self.items(node);
        for item in items[..until.min(items.len())].iter().rev() {
            match item.what() {
                What::Block(block) | What::Catch(block) => return Some(block),
                What::Node(inner) => match self.kind(inner) {
                    Kind::Loop { .. } | Kind::Iteration { .. } => {
                        let found = self.last_block(inner, usize::MAX);
                        if found.is_some() {
                            return found;
                        }
                    }
                    _ => {}
                },
                What::Gap(_) | What::Inferred(_) | What::Observed => {}
            }
        }
        None
    }
}

/// The slot in [`Replay::recent`]: by the ends of the list, of which mostly one identifies it.
#[inline]
fn quick(kind: Kind, items: &[Item]) -> usize {
    let method = match kind {
        Kind::Root => 0,
        Kind::Frame { method, .. } => method.0,
        Kind::Loop { method, .. } | Kind::Iteration { method } | Kind::Again { method } => !method.0,
    };
    let end = |item: Option<&Item>| item.map_or(0, |item| item.tagged ^ item.times.rotate_left(16));
    let middle = end(items.get(items.len() / 2)).wrapping_mul(3);
    let mixed = method ^ (items.len() as u32).rotate_left(20) ^ end(items.last()).rotate_left(7) ^ middle;
    (mixed.wrapping_mul(0x9e37_79b9) >> 20) as usize & (RECENT - 1)
}

fn hash_of(kind: Kind, items: &[Item]) -> u32 {
    let mut hasher = FxHasher::default();
    kind.hash(&mut hasher);
    for item in items {
        hasher.write_u64(u64::from(item.tagged) << 32 | u64::from(item.times));
    }
    let hash = hasher.finish();
    (hash ^ hash >> 32) as u32
}

/// The table takes some bits from the top and some from the bottom.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}
