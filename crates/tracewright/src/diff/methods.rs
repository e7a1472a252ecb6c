//! The methods that differ, in the order in which they are worth reading.
//!
//! A change of the code explains all that follows from it, so it comes first; then the place where threads part, for
//! before it nothing differs; then the order of the run.

use std::collections::BTreeMap;

use analyses::diff::{Diff, Difference, THREAD, Varying};
use model::code::{BlockId, MethodId};

use super::code_changes::CodeChange;
use super::names::Names;
use crate::reports::diff::{ChangeReport, MethodReport, OnlyReport, RareReport, ThrewReport};

/// How much is listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) methods: usize,
    pub(super) changes: usize,
    pub(super) only: usize,
}

/// What differs in one method.
#[derive(Debug, Default)]
struct About<'d> {
    differences: Vec<&'d Difference>,
    code: Option<&'d CodeChange>,
    only: [Vec<BlockId>; 2],
    parts: Option<usize>,
    encloses: bool,
}

/// All of it, sorted.
pub(super) struct Methods<'d> {
    list: Vec<(MethodId, About<'d>)>,
    /// Differences that vary by themselves.
    pub(super) explained: usize,
    /// Blocks that only side B ran, where chance decides.
    rare: Vec<(MethodId, Vec<BlockId>)>,
}

impl<'d> Methods<'d> {
    pub(super) fn of(
        diff: &'d Diff,
        code: &'d [CodeChange],
        varying: &'d Varying,
        is_whole: [bool; 2],
        asked: impl Fn(MethodId) -> bool,
    ) -> Methods<'d> {
        let mut found: BTreeMap<MethodId, About<'d>> = BTreeMap::new();
        let (mut explained, mut rare) = (0, vec![]);
        // What baselines teach is true of the code that they ran.
        let has_new_code = |method: MethodId| code.iter().any(|change| change.method == method);
        for difference in &diff.differences {
            if varying.explains(difference.method, &difference.change) && !has_new_code(difference.method) {
                explained += 1;
            } else {
                found.entry(difference.method).or_default().differences.push(difference);
            }
        }
        for difference in varying.shifts().iter().filter(|shift| !has_new_code(shift.method)) {
            found.entry(difference.method).or_default().differences.push(difference);
        }
        let most = diff.coverage.iter().map(|coverage| coverage.len()).max().unwrap_or(0) as u32;
        for method in (0..most).map(MethodId) {
            let counts = diff.coverage.each_ref().map(|coverage| coverage.of_method(method));
            // Of a method that one side did not call at all this would be all of its blocks.
            if counts.iter().any(|counts| !counts.ran()) {
                continue;
            }
            let blocks = counts.iter().map(|counts| counts.blocks.len()).max().unwrap_or(0) as BlockId;
            for side in [0usize, 1].into_iter().filter(|side| is_whole[1 - *side]) {
                let mut only: Vec<BlockId> = (0..blocks)
                    .filter(|block| counts[side].block(*block) > 0 && counts[1 - side].block(*block) == 0)
                    .collect();
                let is_random: Vec<BlockId> = match has_new_code(method) {
                    true => vec![],
                    false => only.extract_if(.., |block| varying.explains_block(method, *block)).collect(),
                };
                explained += usize::from(!is_random.is_empty());
                if side == 1 && !is_random.is_empty() {
                    rare.push((method, is_random));
                }
                if !only.is_empty() {
                    found.entry(method).or_default().only[side] = only;
                }
            }
        }
        for (at, parting) in diff.threads.iter().filter_map(|thread| thread.parting.as_ref()).enumerate() {
            for (depth, (method, _)) in parting.frames.iter().rev().enumerate() {
                if let Some(about) = found.get_mut(method) {
                    about.encloses = true;
                    if depth == 0 {
                        about.parts.get_or_insert(at);
                    }
                }
            }
        }
        if !found.is_empty() {
            let parted: Vec<MethodId> = diff
                .threads
                .iter()
                .filter_map(|thread| thread.parting.as_ref())
                .flat_map(|parting| parting.frames.iter().map(|frame| frame.0))
                .collect();
            for change in code {
                let about = found.entry(change.method).or_default();
                about.code = Some(change);
                about.encloses |= parted.contains(&change.method);
            }
        }
        let mut list: Vec<_> = found.into_iter().filter(|(method, _)| asked(*method)).collect();
        list.sort_by_key(|(_, about)| about.rank());
        rare.retain(|(method, _)| asked(*method));
        Methods { list, explained, rare }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a method is among them.
    pub(super) fn has(&self, method: MethodId) -> bool {
        self.list.iter().any(|(listed, _)| *listed == method)
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Lines that only side B ran, where chance decides.
    pub(super) fn rare(&self, diff: &Diff, names: &Names<'_>, most: usize) -> Vec<RareReport> {
        let one = |(method, blocks): &(MethodId, Vec<BlockId>)| {
            let [_, lines] = only_lines(diff, names, *method, &[vec![], blocks.clone()]);
            RareReport { name: names.name(*method), lines }
        };
        self.rare.iter().map(one).filter(|rare| !rare.lines.is_empty()).take(most).collect()
    }

    pub(super) fn report(&self, diff: &Diff, names: &Names<'_>, bounds: Bounds) -> Vec<MethodReport> {
        let one = |(method, about): &(MethodId, About<'_>)| {
            let mut name = names.name(*method);
            name.code_changed = about.code.map(|change| change.lines.clone());
            let change = |one: &&Difference| names.change(one.method, one.change, one.counts, one.times);
            let only_lines = only_lines(diff, names, *method, &about.only);
            let changes: Vec<ChangeReport> =
                about.differences.iter().take(bounds.changes).map(change).collect();
            let mut mentioned = only_lines.clone();
            changes.iter().for_each(|change| change.lines(&mut mentioned));
            name.moved = names.moved(*method, mentioned.each_ref().map(Vec::as_slice));
            MethodReport {
                name,
                calls: diff.coverage.each_ref().map(|coverage| coverage.of_method(*method).calls),
                only_lines,
                changes,
                more_changes: about.differences.len().saturating_sub(bounds.changes),
            }
        };
        self.list.iter().take(bounds.methods).map(one).collect()
    }
}

impl About<'_> {
    fn rank(&self) -> (u8, u64) {
        let order = self.differences.first().map_or(u64::MAX, |first| first.order);
        let differs = !self.differences.is_empty() || self.only.iter().any(|only| !only.is_empty());
        match (self.code, self.parts) {
            (Some(_), _) if differs || self.encloses => (0, order),
            (Some(_), _) => (1, order),
            (None, Some(thread)) => (2, thread as u64),
            _ => (3, order),
        }
    }
}

/// The lines of blocks that ran on one side only; not those of which another part ran on the other.
fn only_lines(diff: &Diff, names: &Names<'_>, method: MethodId, only: &[Vec<BlockId>; 2]) -> [Vec<u16>; 2] {
    [0, 1].map(|side: usize| {
        let other = diff.coverage[1 - side].of_method(method);
        let ran: Vec<BlockId> =
            (0..other.blocks.len() as BlockId).filter(|block| other.block(*block) > 0).collect();
        let ran = names.lines(side, method, &ran);
        let mut lines = names.lines(side, method, &only[side]);
        lines.retain(|line| !ran.contains(line));
        lines
    })
}

/// Methods that ran on one side only.
pub(super) fn only(
    diff: &Diff,
    names: &Names<'_>,
    varying: &Varying,
    side: usize,
    asked: impl Fn(MethodId) -> bool,
) -> Vec<OnlyReport> {
    let methods = (0..diff.coverage[side].len() as u32).map(MethodId).filter(|method| *method != THREAD);
    let ran = |method: &MethodId| {
        diff.coverage[side].of_method(*method).ran() && !diff.coverage[1 - side].of_method(*method).ran()
    };
    let one = |method: MethodId| {
        let counts = diff.coverage[side].of_method(method);
        let blocks: Vec<BlockId> =
            (0..counts.blocks.len() as BlockId).filter(|block| counts.block(*block) > 0).collect();
        let lines = names.lines(side, method, &blocks);
        let mut name = names.name(method);
        name.moved = names.moved(method, if side == 0 { [&lines, &[]] } else { [&[], &lines] });
        OnlyReport { name, lines, calls: counts.calls }
    };
    methods.filter(ran).filter(|method| !varying.is_unsteady(*method) && asked(*method)).map(one).collect()
}

/// Methods that exceptions left more or less often.
pub(super) fn threw(diff: &Diff, names: &Names<'_>, varying: &Varying) -> Vec<ThrewReport> {
    let most = diff.coverage.iter().map(|coverage| coverage.len()).max().unwrap_or(0) as u32;
    let one = |method: MethodId| {
        let counts = diff.coverage.each_ref().map(|coverage| coverage.of_method(method).threw);
        let differs = counts[0] != counts[1] && !varying.explains_leaving(method);
        differs.then(|| ThrewReport { method: names.method(method), counts })
    };
    (0..most).map(MethodId).filter_map(one).collect()
}
