//! What varies by itself: learned from several recordings of the same, and not reported.
//!
//! ```text
//! a method that did the same in all baselines             steady     any difference counts
//! a method that did not, and all that it calls            unsteady   a rate counts that lies far out of the baselines' range
//! a steady method, at a call of one that varies           what comes back decides: nothing counts that follows at once
//! ```
//!
//! Of an unsteady method each place is looked at by itself ([`super::decisions`]): behind block 3, in how many of so many
//! runs came block 4? Iterations of one call depend on one another, so no more of them count than there were calls. How
//! far a rate must lie out is learned too: each baseline is held against the others, and what that finds was chance.

use model::code::{BlockId, MethodId};
use model::flow::Left;
use rustc_hash::{FxHashMap, FxHashSet};

use super::change::{Change, Difference, Next};
use super::coverage::Coverage;
use super::decisions::{After, Decisions};
use super::join::Joint;
use super::rates::{Rate, score};
use super::{Diff, without_numbers};
use crate::replay::Measure;

/// Standard deviations below which a rate is taken for chance.
const LEAST: f64 = 4.0;
/// What chance was seen to do, it may do by so much more.
const MARGIN: f64 = 1.5;

/// What was learned, and what it says of a recording.
#[derive(Debug, Default)]
pub struct Varying {
    varies: FxHashSet<MethodId>,
    unsteady: FxHashSet<MethodId>,
    /// Without the numbers in them.
    threads: FxHashSet<String>,
    is_initializer: FxHashSet<MethodId>,
    /// Blocks of steady methods at which something that varies decides, or that follow only from such.
    explained: FxHashSet<(MethodId, Option<BlockId>)>,
    /// Steady methods that an exception of what varies may leave.
    leaves: FxHashSet<MethodId>,
    /// Steady methods with such blocks.
    decides: FxHashSet<MethodId>,
    shifts: Vec<Difference>,
    is_there: bool,
}

/// What is counted of a side.
struct Counted {
    coverage: Coverage,
    decisions: Decisions,
}

impl Counted {
    fn of(joint: &Joint, side: usize, wanted: impl Fn(&str) -> bool) -> Counted {
        let Some(about) = joint.sides.get(side) else {
            return Counted { coverage: Coverage::default(), decisions: Decisions::default() };
        };
        let is_wanted = |at: usize| about.threads.get(at).is_some_and(|thread| wanted(&thread.name));
        Counted {
            coverage: Coverage::of(joint, about, is_wanted),
            decisions: Decisions::of(joint, about, is_wanted),
        }
    }

    /// How often something came next, of no more cases than there were calls.
    fn rate(&self, method: MethodId, after: &After, next: Next) -> Rate {
        let [count, all] = self.decisions.rate(method, after, next);
        let calls = self.coverage.of_method(method).calls.max(1);
        if all <= calls {
            return [count, all];
        }
        let scaled = (count as f64 * calls as f64 / all as f64).round() as u64;
        [scaled, calls]
    }
}

impl Varying {
    /// Of sides `same` of `joint`, all of them recordings of the same, with what that says of side `other`.
    pub fn of(
        joint: &Joint,
        blocks: &Measure,
        same: &[usize],
        other: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> Varying {
        let mut varying = Varying { is_there: true, ..Varying::default() };
        for (at, &one) in same.iter().enumerate() {
            for &other in same.iter().skip(at + 1) {
                varying.learn(joint, &Diff::of(joint, blocks, one, other, &wanted), [one, other]);
            }
        }
        let counted: Vec<Counted> =
            same.iter().chain([&other]).map(|side| Counted::of(joint, *side, &wanted)).collect();
        let initializers = counted.iter().flat_map(|side| side.decisions.methods());
        varying.is_initializer = initializers.filter(|method| joint.code.is_initializer(*method)).collect();
        varying.spread(&counted);
        varying.decided(&counted);
        varying.shifts = varying.found(&counted);
        varying
    }

    fn learn(&mut self, joint: &Joint, diff: &Diff, sides: [usize; 2]) {
        self.varies.extend(diff.differences.iter().map(|difference| difference.method));
        let most = diff.coverage[0].len().max(diff.coverage[1].len()) as u32;
        for method in (0..most).map(MethodId) {
            let [one, other] = diff.coverage.each_ref().map(|coverage| coverage.of_method(method));
            if one.calls != other.calls || one.blocks != other.blocks {
                self.varies.insert(method);
            }
        }
        for thread in diff.threads.iter().filter(|thread| !thread.is_equal()) {
            let name =
                |side: usize, at: Option<usize>| Some(&joint.sides.get(sides[side])?.threads.get(at?)?.name);
            let names = name(0, thread.indices.0).into_iter().chain(name(1, thread.indices.1));
            self.threads.extend(names.map(|name| without_numbers(name)));
        }
    }

    /// Whatever a method that varies calls may do something else too.
    fn spread(&mut self, counted: &[Counted]) {
        let mut waiting: Vec<MethodId> = self.varies.iter().copied().collect();
        if !waiting.is_empty() {
            // Which classes are used first, and when, follows from what varies.
            waiting.extend(&self.is_initializer);
        }
        while let Some(method) = waiting.pop() {
            if !self.unsteady.insert(method) {
                continue;
            }
            for (_, nexts) in counted.iter().flat_map(|side| side.decisions.branches(method)) {
                waiting.extend(nexts.iter().filter_map(|(next, _)| match next {
                    Next::Call(callee) => Some(*callee),
                    _ => None,
                }));
            }
        }
    }

    /// Of steady methods: where something that varies decides, and what follows from that alone.
    fn decided(&mut self, counted: &[Counted]) {
        let steady: FxHashSet<MethodId> = counted
            .iter()
            .flat_map(|side| side.decisions.methods())
            .filter(|method| !self.unsteady.contains(method))
            .collect();
        for method in steady {
            let mut decided: FxHashSet<Option<BlockId>> = FxHashSet::default();
            // By block: the places that lead to it.
            let mut into: FxHashMap<BlockId, Vec<After>> = FxHashMap::default();
            for (after, nexts) in counted.iter().flat_map(|side| side.decisions.branches(method)) {
                let varies = after.called.is_some_and(|called| self.unsteady.contains(&called));
                if varies {
                    decided.insert(after.block);
                }
                for (next, _) in nexts {
                    match next {
                        Next::Block(block) | Next::Catch(block) => {
                            into.entry(*block).or_default().push(*after);
                            if varies {
                                decided.insert(Some(*block));
                            }
                        }
                        Next::Left(Left::Threw) if varies => drop(self.leaves.insert(method)),
                        _ => {}
                    }
                }
            }
            if decided.is_empty() {
                continue;
            }
            self.decides.insert(method);
            loop {
                let is_new = |(block, from): (&BlockId, &Vec<After>)| {
                    let follows = from.iter().all(|after| decided.contains(&after.block));
                    (follows && !decided.contains(&Some(*block))).then_some(Some(*block))
                };
                let more: Vec<_> = into.iter().filter_map(is_new).collect();
                if more.is_empty() {
                    break;
                }
                decided.extend(more);
            }
            self.explained.extend(decided.into_iter().map(|block| (method, block)));
        }
    }

    /// Rates of unsteady methods that lie far out of the baselines' range. The last of `counted` is judged by the others.
    fn found(&self, counted: &[Counted]) -> Vec<Difference> {
        let Some((one, same)) = counted.split_last() else { return vec![] };
        let mut least = LEAST;
        if same.len() > 2 {
            for at in 0..same.len() {
                let others: Vec<&Counted> =
                    same.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, side)| side).collect();
                for (score, _) in self.scores(&others, &same[at]) {
                    least = least.max(score * MARGIN);
                }
            }
        }
        let others: Vec<&Counted> = same.iter().collect();
        let mut found: Vec<(f64, Difference)> = self.scores(&others, one);
        found.retain(|(score, _)| *score > least);
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut known = FxHashSet::default();
        // A place where one way became rarer has another that became more frequent.
        found.retain(|(_, difference)| match difference.change {
            Change::Path { after, .. } => known.insert((difference.method, after)),
            _ => true,
        });
        let numbered =
            |(order, (_, difference)): (u64, (f64, Difference))| Difference { order, ..difference };
        (0..).zip(found).map(numbered).collect()
    }

    /// What of unsteady methods is not as in the others, with how far out it lies.
    fn scores(&self, others: &[&Counted], one: &Counted) -> Vec<(f64, Difference)> {
        let mut found = vec![];
        for &method in &self.unsteady {
            let mut branches: FxHashMap<After, Vec<Next>> = FxHashMap::default();
            for (after, nexts) in others.iter().chain([&one]).flat_map(|side| side.decisions.branches(method))
            {
                let known = branches.entry(*after).or_default();
                for (next, _) in nexts {
                    if !known.contains(next) {
                        known.push(*next);
                    }
                }
            }
            for (after, nexts) in branches {
                for &next in &nexts {
                    let rates: Vec<Rate> =
                        others.iter().map(|side| side.rate(method, &after, next)).collect();
                    let rate = one.rate(method, &after, next);
                    let score = score(&rates, rate);
                    if score > 0.0 {
                        found.push((score, difference(method, after, next, &nexts, others, one)));
                    }
                }
            }
        }
        found
    }

    /// How many methods vary.
    pub fn methods(&self) -> usize {
        self.varies.len()
    }

    /// Whether anything a method does may be chance: it did not do the same in all baselines, or such a method calls it.
    pub fn is_unsteady(&self, method: MethodId) -> bool {
        self.unsteady.contains(&method)
    }

    /// Whether threads of this name did not run the same in all of them.
    pub fn thread_varies(&self, name: &str) -> bool {
        self.threads.contains(&without_numbers(name))
    }

    /// What unsteady methods did at other rates than in the baselines, the clearest first.
    pub fn shifts(&self) -> &[Difference] {
        &self.shifts
    }

    /// Whether a block that ran on one side only may have been reached, or missed, by chance.
    pub fn explains_block(&self, method: MethodId, block: BlockId) -> bool {
        self.is_unsteady(method) || self.explained.contains(&(method, Some(block)))
    }

    /// Whether other numbers of calls that an exception left are chance.
    pub fn explains_leaving(&self, method: MethodId) -> bool {
        self.is_unsteady(method) || self.leaves.contains(&method)
    }

    /// Whether a change is chance, given what varies.
    pub fn explains(&self, method: MethodId, change: &Change) -> bool {
        if !self.is_there {
            return false;
        }
        let follows = |block: Option<BlockId>| self.explained.contains(&(method, block));
        self.is_unsteady(method)
            || match *change {
                Change::Path { after, .. } => follows(after),
                // How often something is called that varies is what its caller does.
                Change::Calls { at, .. } => at.is_some() && follows(at),
                Change::Caught { block } => follows(Some(block)),
                Change::Ended { .. } => self.leaves.contains(&method),
                Change::Moved { .. }
                | Change::Iterations { .. }
                | Change::Variant { .. }
                | Change::Order { .. } => self.decides.contains(&method),
            }
    }
}

/// A rate as a difference: what the others did mostly, and what one side did instead.
fn difference(
    method: MethodId,
    after: After,
    next: Next,
    nexts: &[Next],
    others: &[&Counted],
    one: &Counted,
) -> Difference {
    let share = |side: &Counted, next: Next| {
        let [count, all] = side.decisions.rate(method, &after, next);
        count as f64 / all.max(1) as f64
    };
    let theirs = |next: Next| others.iter().map(|side| share(side, next)).fold(0.0, f64::max);
    let is_more = share(one, next) > theirs(next);
    let fallen = |next: &Next| theirs(*next) - share(one, *next);
    let most = |of: &dyn Fn(&Next) -> f64| nexts.iter().copied().max_by(|a, b| of(a).total_cmp(&of(b)));
    let pair = match is_more {
        true => [most(&fallen).unwrap_or(next), next],
        false => [next, most(&|next| -fallen(next)).unwrap_or(next)],
    };
    let times = one.decisions.rate(method, &after, pair[1])[0];
    Difference {
        method,
        change: Change::Path { after: after.block, next: pair },
        times,
        counts: [0, times],
        order: 0,
    }
}
