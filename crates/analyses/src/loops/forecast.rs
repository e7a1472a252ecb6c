//! Forecasts: what has followed a loop whenever it was left.
//!
//! Which loop is found, and when, depends only on the units since the last loop was left. So when
//! the same units come after the same loop again, the answer is known. What came so far is kept as a
//! tree, units from the exit of the loop to the second iteration of the next one:
//!
//! ```text
//! loop P was left:   B - C - B - C      the loop [BC] is found
//!                      ` D - A - D - A  the loop [DA] is found, behind the transition B
//! ```
//!
//! A unit is one step in it; only where the units leave the tree does the search for squares take over.
//! Histories of loops in loops hardly ever search, though an iteration may take one of several courses.
//!
//! It makes no difference to any result, only to the time; short loops, which depend on more than
//! the pending units, do without.

use model::RunId;

/// The longest way from the exit of a loop to the second iteration of the next one that is remembered, in units.
const LONGEST: usize = 1 << 12;

/// Units of all trees together; when there are as many, they are forgotten. A node has 16 bytes.
const NODES: usize = 1 << 16;

/// Units that may come behind the same ones: looking through so many is no slower than a search.
const BRANCHES: usize = 16;

/// The index of no node: the trees have no common root.
const NONE: u32 = 0;

/// What followed one loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Forecast {
    /// The transition that the units begin with, if they do not begin with the next loop.
    pub(super) transition: Option<RunId>,
    /// The loop whose first two iterations the units end with.
    pub(super) next: RunId,
    /// Units an iteration.
    pub(super) period: u32,
}

/// A unit in a tree.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    unit: u32,
    /// The first of those that follow it.
    child: u32,
    /// The next of those that follow the same one as it does.
    sibling: u32,
    /// 1 + the index of what is known here, 0 for nothing.
    forecast: u32,
}

/// The forecasts of one level, and how far the pending units have kept to them.
#[derive(Debug, Clone, Default)]
pub(super) struct Forecasts {
    list: Vec<Forecast>,
    /// The first is none; it stands for [`NONE`].
    nodes: Vec<Node>,
    /// By run id: a node without a unit, whose children are the first units after that loop.
    roots: Vec<u32>,
    /// The node that the pending units have come to; [`NONE`]: they are not followed.
    at: u32,
    /// The units that have come true.
    right: Vec<u32>,
}

/// What a unit means for what is followed.
#[derive(Debug)]
pub(super) enum Continuation<'a> {
    /// Nothing is followed.
    Nothing,
    /// It came before.
    Right,
    /// It came before, and completes the second iteration of a loop; all units since the exit of the last one.
    Complete(Forecast, &'a [u32]),
    /// It did not come before; these units, which had, must be looked at anew.
    Wrong(&'a [u32]),
}

impl Forecasts {
    /// The loop `run` was left: follows what is known of it.
    #[inline]
    pub(super) fn left(&mut self, run: RunId) {
        self.at = self.roots.get(run.0 as usize).copied().unwrap_or(NONE);
        self.right.clear();
    }

    /// Follows nothing.
    pub(super) fn drop(&mut self) {
        self.at = NONE;
    }

    /// The next pending unit.
    #[inline]
    pub(super) fn follow(&mut self, unit: u32) -> Continuation<'_> {
        if self.at == NONE {
            return Continuation::Nothing;
        }
        self.at = self.child(self.at, unit);
        let Some(node) = self.nodes.get(self.at as usize).filter(|_| self.at != NONE) else {
            return Continuation::Wrong(&self.right);
        };
        self.right.push(unit);
        match node.forecast.checked_sub(1) {
            None => Continuation::Right,
            Some(forecast) => {
                self.at = NONE;
                Continuation::Complete(self.list[forecast as usize], &self.right)
            }
        }
    }

    /// The node of `unit` behind this one; [`NONE`] if there is none.
    #[inline]
    fn child(&self, at: u32, unit: u32) -> u32 {
        let mut child = self.nodes[at as usize].child;
        while child != NONE && self.nodes[child as usize].unit != unit {
            child = self.nodes[child as usize].sibling;
        }
        child
    }

    /// The pending units that have come true, if they are followed.
    pub(super) fn pending(&self) -> Option<&[u32]> {
        (self.at != NONE).then_some(&self.right[..])
    }

    /// Remembers what followed the loop `run`; `units` up to the second iteration of the next one.
    pub(super) fn learn(&mut self, run: RunId, units: &[u32], forecast: Forecast) {
        if units.len() > LONGEST {
            return;
        }
        if self.nodes.len() + units.len() > NODES {
            self.nodes.clear();
            self.list.clear();
            self.roots.clear();
        }
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let id = run.0 as usize;
        if self.roots.len() <= id {
            self.roots.resize(id + 1, NONE);
        }
        if self.roots[id] == NONE {
            self.roots[id] = self.nodes.len() as u32;
            self.nodes.push(Node::default());
        }
        let mut at = self.roots[id];
        for &unit in units {
            let Some(child) = self.child_or_new(at, unit) else { return };
            at = child;
        }
        self.list.push(forecast);
        self.nodes[at as usize].forecast = self.list.len() as u32;
    }

    /// The node of `unit` behind this one, added if need be; `None` where there are too many.
    fn child_or_new(&mut self, at: u32, unit: u32) -> Option<u32> {
        let (mut child, mut count) = (self.nodes[at as usize].child, 0);
        while child != NONE {
            let node = self.nodes[child as usize];
            if node.unit == unit {
                return Some(child);
            }
            (child, count) = (node.sibling, count + 1);
        }
        if count == BRANCHES {
            return None;
        }
        let new = self.nodes.len() as u32;
        let sibling = std::mem::replace(&mut self.nodes[at as usize].child, new);
        self.nodes.push(Node { unit, sibling, ..Node::default() });
        Some(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(next: u32) -> Forecast {
        Forecast { transition: Some(RunId(4)), next: RunId(next), period: 1 }
    }

    /// What each of the units means after `run` was left.
    fn followed(forecasts: &mut Forecasts, run: RunId, units: &[u32]) -> String {
        forecasts.left(run);
        let describe = |unit: &u32| match forecasts.follow(*unit) {
            Continuation::Nothing => "nothing".to_owned(),
            Continuation::Right => "right".to_owned(),
            Continuation::Complete(forecast, units) => format!("{} after {units:?}", forecast.next.0),
            Continuation::Wrong(units) => format!("wrong after {units:?}"),
        };
        units.iter().map(describe).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_came_before_is_expected_again() {
        let (mut forecasts, run) = (Forecasts::default(), RunId(3));
        assert_eq!(followed(&mut forecasts, run, &[7]), "nothing");
        forecasts.learn(run, &[7, 8, 8], forecast(5));
        forecasts.learn(run, &[7, 9, 7, 9], forecast(6));
        forecasts.learn(RunId(0), &[7, 7], forecast(2));
        assert_eq!(followed(&mut forecasts, run, &[7, 8, 8, 8]), "right, right, 5 after [7, 8, 8], nothing");
        assert_eq!(followed(&mut forecasts, run, &[7, 9, 7, 9]), "right, right, right, 6 after [7, 9, 7, 9]");
        assert_eq!(followed(&mut forecasts, run, &[7, 9, 9, 9]), "right, right, wrong after [7, 9], nothing");
        assert_eq!(followed(&mut forecasts, run, &[7]), "right");
        assert_eq!(forecasts.pending(), Some(&[7][..]));
        forecasts.drop();
        assert_eq!(forecasts.pending(), None);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut forecasts = Forecasts::default();
        for first in 0..2 * BRANCHES as u32 {
            forecasts.learn(RunId(0), &[first, 8, 8], forecast(5));
        }
        assert_eq!(followed(&mut forecasts, RunId(0), &[BRANCHES as u32 - 1, 8]), "right, right");
        assert_eq!(followed(&mut forecasts, RunId(0), &[BRANCHES as u32, 8]), "wrong after [], nothing");
        let long: Vec<u32> = (0..LONGEST as u32).collect();
        for run in 1..2 * (NODES / LONGEST) as u32 {
            forecasts.learn(RunId(run), &long, forecast(5));
            assert!(forecasts.nodes.len() <= NODES + 1);
            assert_eq!(followed(&mut forecasts, RunId(run), &[0, 1]), "right, right");
        }
        forecasts.learn(RunId(0), &[&long[..], &[1]].concat(), forecast(5));
        assert_eq!(followed(&mut forecasts, RunId(0), &[0]), "nothing");
    }
}
