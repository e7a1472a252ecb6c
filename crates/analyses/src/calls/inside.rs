//! What is inside an entry of a report, kept until it is asked for.
//!
//! ```text
//! Report::inside(threads)  ─▶ open(main)   take(inside main)      kept: nothing more is told now
//! Report::inside(main)     ─▶ open(loop)   take(inside loop)
//!                             open(close)  take(inside close)
//! ```
//!
//! Counts and kinds are those of a report that tells all at once. Only recursion may be told together more often than
//! there: whether an order holds is asked of what is inside alone, because nobody knows what was unfolded before.

use crate::replay::NodeId;

use super::entry::Tells;
use super::groups::Group;
use super::report::{Around, Report};

/// What is inside an entry.
#[derive(Debug, Clone)]
pub struct Inside {
    /// What is alike; several are told as variants.
    groups: Vec<Group>,
    /// Whether one is told as a variant too.
    is_each: bool,
    around: Around,
}

impl Inside {
    /// One group is told itself, several as variants.
    pub(super) fn of(groups: Vec<Group>, around: Around) -> Inside {
        Inside { groups, is_each: false, around }
    }

    /// Each group is told as a variant.
    pub(super) fn of_each(groups: Vec<Group>, around: Around) -> Inside {
        Inside { groups, is_each: true, around }
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
                let around = Around { times: group.times(), ..Around::everything(true) };
                Inside::of(vec![group], around)
            })
            .collect()
    }

    /// Tells what was kept.
    pub fn inside(&mut self, inside: &Inside, to: &mut dyn Tells) {
        self.told.clear();
        self.named = inside.around.methods.iter().copied().collect();
        self.work = 0;
        self.tell(inside.clone(), to);
    }

    /// Tells what is inside an entry. `false`: no more.
    pub(super) fn tell(&mut self, inside: Inside, to: &mut dyn Tells) -> bool {
        match (inside.groups.as_slice(), inside.is_each) {
            ([only], false) => self.body(only, &inside.around, to),
            _ => self.variants(inside.groups, &inside.around, to),
        }
    }
}
