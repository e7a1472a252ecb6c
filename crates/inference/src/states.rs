//! The state system: a tree of attributes, each with a value over time.
//!
//! Without history it holds what is alive: one value for each attribute. With history it keeps
//! every interval as well, so that it can be asked about any moment and any range. Attributes are
//! never taken out again, as in the original: there are as many as there were different names.

use model::{Evidence, Span, Timestamp};

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::value::{Name, Value};

/// An attribute, by number. The root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// The root of the tree.
pub const ROOT: NodeId = NodeId(0);

const NONE: u32 = u32::MAX;

/// Intervals that are kept in all, so that no trace takes all memory; further ones are counted.
const MOST_INTERVALS: usize = 1 << 24;

/// How many look-ups are remembered.
const RECENT: usize = 1024;

#[derive(Debug)]
struct Node {
    name: Name,
    value: Value,
    first_child: u32,
    last_child: u32,
    next: u32,
}

impl Node {
    fn new(name: Name) -> Node {
        Node { name, value: Value::Null, first_child: NONE, last_child: NONE, next: NONE }
    }
}

/// Attributes and their values.
#[derive(Debug)]
pub struct StateSystem {
    nodes: Vec<Node>,
    children: HashMap<(u32, Name), NodeId, FxBuildHasher>,
    /// The children that were looked up last. An event looks up the same few again and again, and
    /// the table of all of them does not fit into the caches of a processor.
    recent: Vec<(u32, Name, NodeId)>,
    /// For each attribute, when it took which value, ascending; `None`: not kept.
    history: Option<Vec<Vec<(i64, Value)>>>,
    /// Intervals that are kept, and those that there was no room for.
    intervals: usize,
    dropped: u64,
    /// The moment from which on attributes have a value, none at first.
    start: i64,
    /// The last moment at which anything was written.
    last: i64,
    /// Counts writes, so that answers may be remembered until the next one.
    changes: u64,
}

impl StateSystem {
    /// An empty tree.
    pub fn new(has_history: bool) -> StateSystem {
        StateSystem {
            nodes: vec![Node::new(Name::Number(0))],
            children: HashMap::default(),
            recent: vec![(NONE, Name::Number(0), ROOT); RECENT],
            history: has_history.then(|| vec![Vec::new()]),
            intervals: 0,
            dropped: 0,
            start: i64::MIN,
            last: i64::MIN,
            changes: 0,
        }
    }

    /// The trace begins: what an attribute is from its beginning, it is from here on.
    pub(super) fn begin(&mut self, time: i64) {
        self.start = time;
    }

    /// The child of that name, made if there is none.
    pub fn child(&mut self, parent: NodeId, name: Name) -> NodeId {
        let position = (u64::from(parent.0).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ name.word())
            .wrapping_mul(0xd6e8_feb8_6659_fd93);
        let position = (position >> 32) as usize % RECENT;
        if let Some(&(its_parent, its_name, node)) = self.recent.get(position)
            && its_parent == parent.0
            && its_name == name
        {
            return node;
        }
        let node = match self.children.get(&(parent.0, name)) {
            Some(&node) => node,
            None => self.add(parent, name),
        };
        if let Some(recent) = self.recent.get_mut(position) {
            *recent = (parent.0, name, node);
        }
        node
    }

    fn add(&mut self, parent: NodeId, name: Name) -> NodeId {
        let id = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        self.nodes.push(Node::new(name));
        if let Some(history) = &mut self.history {
            history.push(Vec::new());
        }
        let last = self.nodes.get_mut(parent.0 as usize).map(|parent| {
            let last = std::mem::replace(&mut parent.last_child, id);
            if last == NONE {
                parent.first_child = id;
            }
            last
        });
        if let Some(last) = last.and_then(|last| self.nodes.get_mut(last as usize)) {
            last.next = id;
        }
        self.children.insert((parent.0, name), NodeId(id));
        NodeId(id)
    }

    /// The child of that name, if there is one.
    pub fn find(&self, parent: NodeId, name: Name) -> Option<NodeId> {
        self.children.get(&(parent.0, name)).copied()
    }

    /// The children in the order in which they were first named.
    pub fn children(&self, parent: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.nodes.get(parent.0 as usize).map_or(NONE, |node| node.first_child);
        let next = |id: &u32| self.nodes.get(*id as usize).map(|node| node.next);
        std::iter::successors(Some(first), next).take_while(|id| *id != NONE).map(NodeId)
    }

    /// What an attribute is called.
    pub fn name(&self, node: NodeId) -> Name {
        self.nodes.get(node.0 as usize).map_or(Name::Number(0), |node| node.name)
    }

    /// The value now.
    pub fn value(&self, node: NodeId) -> Value {
        self.nodes.get(node.0 as usize).map_or(Value::Null, |node| node.value)
    }

    /// Gives an attribute a value from `time` on. A time before the last one of the attribute
    /// counts as that one: order comes before time.
    pub fn set(&mut self, node: NodeId, time: i64, value: Value) {
        self.last = self.last.max(time);
        let Some(known) = self.nodes.get_mut(node.0 as usize) else { return };
        if known.value == value {
            return;
        }
        known.value = value;
        self.changes += 1;
        if let Some(history) = self.history.as_mut().and_then(|history| history.get_mut(node.0 as usize)) {
            match history.last_mut() {
                Some((start, last)) if *start >= time => *last = value,
                _ if self.intervals >= MOST_INTERVALS => self.dropped += 1,
                _ => {
                    self.intervals += 1;
                    history.push((time, value));
                }
            }
        }
    }

    /// Replaces the value that an attribute has, as if it had been written so at first.
    pub fn update(&mut self, node: NodeId, time: i64, value: Value) {
        let history = self.history.as_mut().and_then(|history| history.get_mut(node.0 as usize));
        let (Some(intervals), Some(known)) = (history, self.nodes.get_mut(node.0 as usize)) else {
            return self.set(node, time, value);
        };
        match intervals.last_mut() {
            Some((_, last)) => *last = value,
            None => intervals.push((self.start.min(time), value)),
        }
        known.value = value;
        self.changes += 1;
        self.last = self.last.max(time);
    }

    /// An attribute and all below it have no value from `time` on.
    pub fn clear(&mut self, node: NodeId, time: i64) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            self.set(node, time, Value::Null);
            open.extend(self.children(node));
        }
    }

    /// The same at a moment in the past: later values are forgotten. Only for what nobody will
    /// write again.
    pub(super) fn clear_back_to(&mut self, node: NodeId, time: i64) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if let Some(known) = self.nodes.get_mut(node.0 as usize) {
                known.value = Value::Null;
            }
            if let Some(history) = self.history.as_mut().and_then(|all| all.get_mut(node.0 as usize)) {
                history.truncate(history.partition_point(|(start, _)| *start < time));
                if history.last().is_some_and(|(_, value)| !value.is_null()) {
                    history.push((time, Value::Null));
                }
            }
            open.extend(self.children(node));
        }
        self.changes += 1;
    }

    /// The last moment at which anything was written.
    pub fn last_change(&self) -> i64 {
        self.last
    }

    /// A number that changes whenever a value does.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// Whether the past can be asked about.
    pub fn has_history(&self) -> bool {
        self.history.is_some()
    }

    /// The value at a moment; without history the value now.
    pub fn value_at(&self, node: NodeId, moment: Timestamp) -> Value {
        let Some(history) = &self.history else { return self.value(node) };
        let Some(intervals) = history.get(node.0 as usize) else { return Value::Null };
        let index = intervals.partition_point(|(start, _)| *start <= moment.0);
        index.checked_sub(1).and_then(|index| intervals.get(index)).map_or(Value::Null, |(_, value)| *value)
    }

    /// The first value that an attribute has at a moment or later; `None` without history.
    pub fn first_at_or_after(&self, node: NodeId, moment: Timestamp) -> Option<Value> {
        let intervals = self.history.as_ref()?.get(node.0 as usize)?;
        let first = intervals.partition_point(|(start, _)| *start <= moment.0).saturating_sub(1);
        intervals.iter().skip(first).map(|(_, value)| *value).find(|value| !value.is_null())
    }

    /// When an attribute took which value, from its first one on; empty without history.
    pub fn history(&self, node: NodeId) -> &[(i64, Value)] {
        let intervals = self.history.as_ref().and_then(|all| all.get(node.0 as usize));
        intervals.map_or(&[], |intervals| intervals)
    }

    /// Intervals that there was no room for.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The intervals that meet `from..to`, without those that have no value; empty without history.
    pub fn range(&self, node: NodeId, from: Timestamp, to: Timestamp) -> Vec<Span<Value>> {
        let intervals = self.history.as_ref().and_then(|all| all.get(node.0 as usize));
        let Some(intervals) = intervals else { return Vec::new() };
        let first = intervals.partition_point(|(start, _)| *start <= from.0).saturating_sub(1);
        let ends = intervals.iter().skip(first + 1).map(|(start, _)| Some(Timestamp(*start)));
        let met = intervals.iter().skip(first).zip(ends.chain(std::iter::once(None)));
        met.take_while(|((start, _), _)| *start < to.0)
            .filter(|((_, value), end)| !value.is_null() && end.is_none_or(|end| end > from))
            .map(|(&(start, value), to)| Span {
                from: Timestamp(start),
                to,
                value,
                evidence: Evidence::Observed,
            })
            .collect()
    }

    /// How many attributes there are, the root not counted.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there is no attribute.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
