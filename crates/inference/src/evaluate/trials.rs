//! Trials: losses like those that a trace has, put where it lost nothing.
//!
//! What was lost is drawn by a seed, so the same trace and the same losses give the same trials. A run of the engine
//! has several losses, far enough apart that none concerns another, and more runs the shorter the trace: all runs
//! together read about [`EVENTS`] events.

use std::collections::{BTreeMap, BTreeSet};

use model::{Lost, Scalar};

use super::calibration::{Calibration, Statement};
use super::index::Index;
use super::score::Scored;
use super::truth::Deleted;
use super::{Case, SplitMix};
use crate::model::InferredEvent;

/// Events that all runs read together.
pub const EVENTS: usize = 4_000_000;
/// Losses that are tried of each kind.
const WANTED: usize = 96;
/// Runs of the engine, at most and, however long the trace is, at least.
const RUNS: std::ops::RangeInclusive<usize> = 2..=64;
/// Events between two losses of a run, for each CPU.
const APART: usize = 60;
/// No event is left out in more than this part of a run.
const PART: usize = 12;

/// A kind of loss.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// So many events of these names that follow each other on one CPU, whatever lies between.
    Named(Vec<String>, usize),
    /// So many events of one CPU in a row.
    Any(usize),
}

impl Loss {
    /// How many events it takes.
    fn length(&self) -> usize {
        let (Loss::Named(_, run) | Loss::Any(run)) = self;
        *run
    }
}

/// Losses like these: `inferred` is what an engine concluded, `declared` what the tracer says of each loss.
pub fn like(inferred: &[InferredEvent], declared: &[Lost]) -> Vec<Loss> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for event in inferred {
        *names.entry(&event.key.name).or_default() += 1;
    }
    let mut names: Vec<(&str, usize)> = names.into_iter().collect();
    names.sort_by_key(|(name, times)| (std::cmp::Reverse(*times), *name));
    let mut losses = BTreeSet::new();
    let mut counts: Vec<u64> = declared
        .iter()
        .map(|lost| match lost {
            Lost::Events(count) => *count,
            Lost::Packets(_) | Lost::Unknown => 256,
        })
        .collect();
    counts.sort_unstable();
    // Single events with others between them: somebody filters. Else whatever came was lost.
    if counts.is_empty() || counts.first() == Some(&1) {
        for (name, _) in names.iter().take(1) {
            losses.extend([1, 2, 5, 15].map(|run| Loss::Named(vec![(*name).to_owned()], run)));
        }
    }
    if counts.first() == Some(&1) {
        for (name, _) in names.iter().take(4).skip(1) {
            losses.insert(Loss::Named(vec![(*name).to_owned()], 1));
        }
    }
    match counts.is_empty() {
        true => losses.extend([Loss::Any(1), Loss::Any(5), Loss::Any(20)]),
        false => {
            for part in [0, 1, 2, 3, 4] {
                let count = counts.get(part * (counts.len() - 1) / 4).copied().unwrap_or(1);
                losses.insert(Loss::Any(count.min(10_000) as usize));
            }
        }
    }
    losses.into_iter().collect()
}

/// Runs of an engine, each a case with several losses; `like` says how many losses the trace has itself. No loss begins
/// with an event of `taken`: were none of its events to be among them, long losses would hardly be tried.
pub fn draw(index: &Index, losses: &[Loss], like: usize, taken: &BTreeSet<usize>) -> Vec<Case> {
    let events = index.events.len().max(1);
    let runs = (EVENTS / events).clamp(*RUNS.start(), *RUNS.end());
    let wanted = WANTED * losses.len();
    let each = wanted.div_ceil(runs).max(like.min(wanted));
    let lanes: Vec<Vec<Vec<usize>>> = losses.iter().map(|loss| rows(index, loss)).collect();
    let cpus: BTreeSet<(bool, u32)> = index.events.iter().map(Index::lane).collect();
    let apart = APART * cpus.len().clamp(1, 16);
    let mut random = SplitMix(0x7265_7061_6972);
    let mut cases = Vec::new();
    let mut next = 0;
    for run in 0..runs {
        let mut gone: BTreeSet<usize> = BTreeSet::new();
        let mut spans: Vec<(usize, usize)> = index.gaps.iter().map(|gap| (*gap, *gap)).collect();
        // Long ones first: there is little room for them between others.
        let mut of_run: Vec<usize> = (0..each).map(|number| (next + number) % losses.len().max(1)).collect();
        next += each;
        of_run.sort_by_key(|loss| losses.get(*loss).map(|loss| std::cmp::Reverse(loss.length())));
        for number in of_run {
            let (Some(loss), Some(rows)) = (losses.get(number), lanes.get(number)) else { break };
            for _ in 0..16 {
                let Some(hole) = one(rows, loss, &mut random) else { break };
                let (Some(&first), Some(&last)) = (hole.first(), hole.last()) else { break };
                let is_near = |&(from, to): &(usize, usize)| first <= to + apart && from <= last + apart;
                // A loss at an end of the trace has nothing on its other side.
                if first < apart || last + apart > events || spans.iter().any(is_near) {
                    continue;
                }
                if taken.contains(&first) || gone.len() + hole.len() > events / PART {
                    continue;
                }
                spans.push((first, last));
                gone.extend(hole);
                break;
            }
        }
        if !gone.is_empty() {
            cases.push(Case {
                id: Scalar::Number(run as i64),
                kind: String::new(),
                gone: gone.into_iter().collect(),
                is_packet: false,
            });
        }
    }
    cases
}

/// What the statements of all runs teach: for each what is new in it, and what was left out.
pub fn learn<'r>(runs: impl Iterator<Item = (Vec<InferredEvent>, Vec<&'r Deleted>)>) -> Option<Calibration> {
    let (mut statements, mut count) = (Vec::new(), 0);
    for (inferred, deleted) in runs {
        count += deleted.len() as u64;
        let scored = Scored::new(inferred, &deleted, 0);
        statements.extend(Statement::of_all(&scored.inferred, &scored.holds));
    }
    Calibration::learn(&statements, count)
}

/// By CPU, the events that may be lost.
fn rows(index: &Index, loss: &Loss) -> Vec<Vec<usize>> {
    let fits: Vec<bool> = match loss {
        Loss::Any(_) => vec![true; index.names.len()],
        Loss::Named(names, _) => {
            index.names.names().map(|name| names.iter().any(|one| one == name)).collect()
        }
    };
    let mut lanes: BTreeMap<(bool, u32), Vec<usize>> = BTreeMap::new();
    for (number, entry) in index.events.iter().enumerate() {
        if fits.get(entry.symbol.0 as usize) == Some(&true) {
            lanes.entry(Index::lane(entry)).or_default().push(number);
        }
    }
    lanes.into_values().collect()
}

/// A loss somewhere in these rows: each beginning is as probable as any other.
fn one(rows: &[Vec<usize>], loss: &Loss, random: &mut SplitMix) -> Option<Vec<usize>> {
    let run = loss.length();
    let starts = |row: &Vec<usize>| (row.len() + 1).saturating_sub(run);
    let all: usize = rows.iter().map(starts).sum();
    let mut start = random.below(all)?;
    for row in rows {
        if start < starts(row) {
            return row.get(start..start + run).map(<[usize]>::to_vec);
        }
        start -= starts(row);
    }
    None
}
