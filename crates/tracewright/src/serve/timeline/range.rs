//! `/api/timeline/range`: what happened in a range of time, by the index alone: the trace is not read again.
//!
//! A range is from one moment to another, events at both included. What nobody knows of a row is counted as unknown:
//! before the first event of it, and after the end of what it was recorded in. Where events were lost the states that
//! remain possible are one entry, with all their names.

use analyses::timeline::{Index, Weigh};
use model::Lost;

use viewer::api::timeline::{InferredCounts, NameCount, RangeSummary, RowShares, StateShare};
use viewer::api::{Handled, Parameters};

use super::super::session::Session;
use super::marks::{loss_of, overlaps};
use super::range;
use super::states::{asked_rows, with_layer};

/// Names of one answer.
const NAMES: usize = 100;
/// Losses of one answer.
const LOSSES: usize = 50;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<RangeSummary> {
    let is_whole = session.timeline.whole().is_some();
    let mut summary = session.timeline.with_original(|index| {
        let (from, to) = clamped(range(asked, index), index);
        of_all(index, from, to, is_whole)
    });
    let (rows, moments) = with_layer(session, asked, |index| {
        let (from, to) = clamped(range(asked, index), index);
        let rows = asked_rows(asked).into_iter().filter_map(|row| shares(index, row, from, to));
        Ok((rows.collect(), (from, to)))
    })?;
    summary.rows = rows;
    summary.inferred = session.inference.names_between(moments.0, moments.1).map(|names| {
        let mut counts: Vec<NameCount> = Vec::new();
        let all = names.len();
        for name in names {
            match counts.iter_mut().find(|known| known.name == name) {
                Some(known) => known.count += 1,
                None => counts.push(NameCount { name, count: 1 }),
            }
        }
        counts.sort_by_key(|known| std::cmp::Reverse(known.count));
        counts.truncate(NAMES);
        InferredCounts { all, names: counts }
    });
    Ok(summary)
}

fn clamped((from, to): (i64, i64), index: &Index) -> (i64, i64) {
    let (start, end) = (index.start(), index.end().max(index.start()));
    let from = from.clamp(start, end);
    (from, to.clamp(from, end))
}

/// All but what is about rows and inferred events.
fn of_all(index: &Index, from: i64, to: i64, is_whole: bool) -> RangeSummary {
    let first = index.times.partition_point(|&time| time < from);
    let last = index.times.partition_point(|&time| time <= to);
    let counts = index.names.counts(first, last);
    let name = |&(name, count): &(u16, u64)| NameCount {
        name: index.alphabet.name(model::Symbol(u32::from(name))).to_owned(),
        count,
    };
    let losses = || index.losses.iter().enumerate().filter(|(_, loss)| overlaps(loss, from, to));
    let lost = losses().map(|(_, loss)| match loss.lost {
        Lost::Events(count) => Some(count),
        Lost::Packets(_) | Lost::Unknown => None,
    });
    let found = |time: i64| index.incoherences.partition_point(|found| found.time < time);
    RangeSummary {
        from: from.saturating_sub(index.start()),
        to: to.saturating_sub(index.start()),
        is_whole,
        events: last.saturating_sub(first),
        all_names: counts.len(),
        names: counts.iter().take(NAMES).map(name).collect(),
        rows: vec![],
        all_losses: losses().count(),
        losses: losses().take(LOSSES).map(|(number, loss)| loss_of(index, number, loss)).collect(),
        lost_events: lost.clone().flatten().fold(0, u64::saturating_add),
        uncounted_losses: lost.filter(Option::is_none).count(),
        incoherences: found(to.saturating_add(1)).saturating_sub(found(from)),
        inferred: None,
    }
}

/// The states of one row.
fn shares(index: &Index, number: usize, from: i64, to: i64) -> Option<RowShares> {
    let row = index.rows.get(number)?;
    let is_count = row.lane.weigh() == Weigh::Count;
    // Events at the last moment count; a state that begins there lasts no time.
    let held = row.lane.held(from, if is_count { to.saturating_add(1) } else { to });
    let is_known =
        |state: u16| index.states.all.get(usize::from(state)).is_some_and(|state| !state.names.is_empty());
    let states = held.into_iter().filter(|(state, _)| is_known(*state));
    let states: Vec<StateShare> = states.map(|(state, weight)| StateShare { state, weight }).collect();
    let known = states.iter().map(|share| share.weight).sum();
    let unknown = if is_count { 0 } else { to.abs_diff(from).saturating_sub(known) };
    Some(RowShares { row: number, name: row.name.clone(), is_count, states, unknown })
}
