//! What is inside an entry of a report, kept until it is asked for.
//!
//! ```text
//! Report::inside(threads)  ─▶ open(main)   take(inside main)      kept: nothing more is reported now
//! Report::inside(main)     ─▶ open(loop)   take(inside loop)
//!                             open(close)  take(inside close)
//! ```
//!
//! Counts and kinds are those of a report of everything at once. Only recursion may be reported together more often than
//! there: whether an order holds is checked for what is inside alone, since what was unfolded before is not known.

use model::code::MethodId;
use rustc_hash::FxHashMap;

use crate::replay::{Kind, NodeId};

use super::entry::Visitor;
use super::groups::Group;
use super::report::{Enclosing, Report};

/// What is inside an entry.
#[derive(Debug, Clone)]
pub struct Inside {
    /// What is alike; several are reported as variants.
    groups: Vec<Group>,
    /// Whether one is reported as a variant too.
    is_each: bool,
    /// It is threads that made the same calls in another order, which is that of a pool's tasks: reported by callee.
    is_by_callee: bool,
    enclosing: Enclosing,
}

impl Inside {
    /// One group is reported itself, several as variants.
    pub(super) fn of(groups: Vec<Group>, enclosing: Enclosing) -> Inside {
        Inside { groups, is_each: false, is_by_callee: false, enclosing }
    }

    /// Each group is reported as a variant.
    pub(super) fn of_each(groups: Vec<Group>, enclosing: Enclosing) -> Inside {
        Inside { groups, is_each: true, is_by_callee: false, enclosing }
    }

    /// The nodes whose content it is, each with how often it occurred; those that ran first come first.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, u64)> + '_ {
        self.groups.iter().flat_map(|group| group.nodes.iter().copied())
    }
}

impl Report<'_> {
    /// What is inside threads with these roots: for each kind of thread, those that began the same calls in the same
    /// order, one. Equal roots count as often as they are given.
    pub fn threads(&mut self, roots: &[NodeId]) -> Vec<Inside> {
        let mut all = Group::default();
        roots.iter().for_each(|root| all.add(*root, 1));
        let kinds = all.by_shape(self.replay, &mut self.shapes).into_iter();
        kinds
            .map(|group| {
                let found = self.searched.is_everything();
                let enclosing = Enclosing { times: group.times(), ..Enclosing::everything(found) };
                Inside::of(vec![group], enclosing)
            })
            .collect()
    }

    /// The same, where threads that began calls of the same methods are one kind, however many calls and in whatever
    /// order. These are reported method by method, unless all of them have the same order.
    pub fn pools(&mut self, roots: &[NodeId]) -> Vec<Inside> {
        let mut kinds: Vec<(Vec<MethodId>, Inside)> = vec![];
        for inside in self.threads(roots) {
            let root = inside.nodes().next().map(|(root, _)| root);
            let mut methods: Vec<MethodId> = root
                .map_or(vec![], |root| self.outermost(root))
                .iter()
                .map(|(method, _, _)| *method)
                .collect();
            methods.sort_unstable();
            methods.dedup();
            let known = kinds.iter_mut().find(|(known, _)| !methods.is_empty() && *known == methods);
            match known {
                None => kinds.push((methods, inside)),
                Some((_, kind)) => {
                    kind.is_by_callee = true;
                    kind.enclosing.times = kind.enclosing.times.saturating_add(inside.enclosing.times);
                    kind.groups.extend(inside.groups);
                }
            }
        }
        kinds.into_iter().map(|(_, inside)| inside).collect()
    }

    /// The outermost calls of a thread, each with its method and how often it came in a row; none if it has anything
    /// else.
    fn outermost(&self, root: NodeId) -> Vec<(MethodId, NodeId, u64)> {
        let mut calls = vec![];
        for item in self.replay.items(root) {
            let Some(node) = item.node() else { return vec![] };
            let times = u64::from(item.times);
            match self.replay.kind(node) {
                Kind::Frame { method, .. } => calls.push((method, node, times)),
                Kind::Again { method } => {
                    let each = self.replay.items(node).iter();
                    let each = each.filter_map(|one| {
                        Some((method, one.node()?, times.saturating_mul(u64::from(one.times))))
                    });
                    calls.extend(each);
                }
                _ => return vec![],
            }
        }
        calls
    }

    /// Reports what threads of one kind did, as [`Report::threads`] gives it: a kind of one thread as
    /// [`Report::thread`] does.
    pub fn kind(&mut self, threads: &Inside, to: &mut dyn Visitor) {
        self.shown.clear();
        self.named.clear();
        self.describe(threads.clone(), to);
    }

    /// Reports what was kept.
    pub fn inside(&mut self, inside: &Inside, to: &mut dyn Visitor) {
        self.shown.clear();
        self.named = inside.enclosing.methods.iter().copied().collect();
        self.work = 0;
        self.describe(inside.clone(), to);
    }

    /// Reports what is inside an entry. `false`: no more.
    pub(super) fn describe(&mut self, inside: Inside, to: &mut dyn Visitor) -> bool {
        if inside.is_by_callee {
            return self.by_callee(&inside, to);
        }
        match (inside.groups.as_slice(), inside.is_each) {
            ([only], false) => self.body(only, &inside.enclosing, to),
            _ => self.variants(inside.groups, &inside.enclosing, to),
        }
    }

    fn by_callee(&mut self, inside: &Inside, to: &mut dyn Visitor) -> bool {
        let mut callees: Vec<(MethodId, Group)> = vec![];
        let mut index_of: FxHashMap<MethodId, usize> = FxHashMap::default();
        for (root, times) in inside.nodes() {
            for (method, call, in_a_row) in self.outermost(root) {
                let at = *index_of.entry(method).or_insert(callees.len());
                if at == callees.len() {
                    callees.push((method, Group::default()));
                }
                if let Some((_, group)) = callees.get_mut(at) {
                    group.add(call, times.saturating_mul(in_a_row));
                }
            }
        }
        callees.into_iter().all(|(method, group)| self.calls(method, group, &inside.enclosing, to))
    }
}
