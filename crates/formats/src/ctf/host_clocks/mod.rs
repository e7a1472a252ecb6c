//! Clocks of several hosts, brought together by the messages that they sent each other.
//!
//! ```text
//! host A   ──s1────────r2───        s1 + ahead <= r1: an upper bound, at s1
//!            ╲        ╱
//! host B   ───r1────s2──────        s2 <= r2 + ahead: a lower bound, at r2     (B is the reference)
//! ```
//!
//! No message is received before it was sent. So how far the clock of B is ahead of that of A lies, at every moment
//! of A, below all upper bounds and above all lower ones; between them a straight line is drawn (`line.rs`).
//! Where messages are too few or no line fits, times stay as they were recorded, and that is reported.
//!
//! Source: the convex hull of Duda, Harrus, Haddad and Bernard (1987), as Trace Compass uses it for traces.

mod line;
mod messages;

use std::collections::BTreeMap;

use model::{EventSource, HostClock, Timestamp};

use line::{Line, between};
use messages::{Message, messages};

/// The clocks of all hosts but the reference, by host, and sentences about those of which nothing is known.
#[derive(Debug, Default)]
pub(super) struct HostClocks {
    pub(super) clocks: BTreeMap<String, HostClock>,
    pub(super) unknown: Vec<(String, String)>,
}

/// Whether a session has traces of more than one host.
pub(super) fn are_several(source: &dyn EventSource) -> bool {
    let mut hosts = source.traces().iter().filter_map(|trace| trace.host.as_deref());
    let first = hosts.next();
    hosts.any(|host| Some(host) != first)
}

/// Reads `source` to its end for the messages between its hosts. The first host by the name of its trace is the
/// reference.
pub(super) fn host_clocks(source: &mut dyn EventSource) -> HostClocks {
    let hosts: Vec<Option<String>> = source.traces().iter().map(|trace| trace.host.clone()).collect();
    let messages = messages(source);
    let mut found = HostClocks::default();
    let mut left: Vec<String> = hosts.iter().flatten().cloned().collect();
    let Some(reference) = left.first().cloned() else { return found };
    left.retain(|host| *host != reference);
    // Each host over the ones before it: one that sent nothing to the reference may have to one that did.
    let mut done: Vec<(String, Option<HostClock>)> = vec![(reference.clone(), None)];
    left.sort();
    left.dedup();
    let mut next = 0;
    while let Some((near, its)) = done.get(next).cloned() {
        next += 1;
        left.retain(|far| {
            let (to, back) = (of(&messages, &hosts, far, &near), of(&messages, &hosts, &near, far));
            let Some(clock) = clock(&reference, &to, &back) else { return true };
            let clock = its.as_ref().map_or(clock.clone(), |its| over(clock, its));
            found.clocks.insert(far.clone(), clock.clone());
            done.push((far.clone(), Some(clock)));
            false
        });
    }
    for far in left {
        let near = |message: &&Message| {
            [message.from, message.to].iter().any(|trace| hosts.get(*trace) == Some(&Some(far.clone())))
        };
        let why = match messages.iter().filter(near).count() {
            0 => "no message of it to or from another host of the trace was recorded".to_owned(),
            count => format!(
                "what it and other hosts of the trace sent each other ({count}) goes one way only, or fits no line"
            ),
        };
        let sentence =
            format!("The clock of the host {far} cannot be brought to that of {reference}: {why}.");
        found.unknown.push((far, sentence));
    }
    found
}

/// The messages from one host to another: when each was sent and received.
fn of(messages: &[Message], hosts: &[Option<String>], from: &str, to: &str) -> Vec<(i64, i64)> {
    let is = |trace: usize, host: &str| hosts.get(trace).is_some_and(|name| name.as_deref() == Some(host));
    let between = messages.iter().filter(|message| is(message.from, from) && is(message.to, to));
    between.map(|message| (message.sent.0, message.received.0)).collect()
}

/// The clock of a host from what it sent and what it received.
fn clock(reference: &str, to: &[(i64, i64)], back: &[(i64, i64)]) -> Option<HostClock> {
    let own = to.iter().map(|(sent, _)| *sent).chain(back.iter().map(|(_, received)| *received));
    let (from, until) = (own.clone().min()?, own.max()?);
    // Differences from the first moment and the first difference are small enough for floating point.
    let base = to.first().map(|(sent, received)| i128::from(*received) - i128::from(*sent))?;
    let point = |own: i64, other: i64| {
        let ahead = i128::from(other) - i128::from(own) - base;
        ((i128::from(own) - i128::from(from)) as f64, ahead as f64)
    };
    let upper: Vec<(f64, f64)> = to.iter().map(|(sent, received)| point(*sent, *received)).collect();
    let lower: Vec<(f64, f64)> = back.iter().map(|(sent, received)| point(*received, *sent)).collect();
    let middle = (i128::from(until) - i128::from(from)) as f64 / 2.0;
    let Line { ahead, drift, drift_between, ahead_between } = between(&upper, &lower, middle)?;
    let base = base as f64;
    Some(HostClock {
        reference: reference.to_owned(),
        from: Timestamp(from),
        ahead: base + ahead,
        drift,
        ahead_between: (base + ahead_between.0, base + ahead_between.1),
        drift_between,
        messages: (to.len() + back.len()) as u64,
    })
}

/// A clock that was measured on one that stands to the reference as `its`.
fn over(clock: HostClock, its: &HostClock) -> HostClock {
    let there = clock.on_reference(i128::from(clock.from.0));
    let ahead = its.on_reference(there) - i128::from(clock.from.0);
    let more = its.ahead + (there - i128::from(its.from.0)) as f64 * its.drift;
    let wider = |(low, high): (f64, f64), other: (f64, f64)| (low + other.0, high + other.1);
    let width = (its.ahead_between.0 - its.ahead, its.ahead_between.1 - its.ahead);
    HostClock {
        ahead: ahead as f64,
        drift: clock.drift + its.drift + clock.drift * its.drift,
        ahead_between: wider((clock.ahead_between.0 + more, clock.ahead_between.1 + more), width),
        drift_between: wider(clock.drift_between, its.drift_between),
        ..clock
    }
}
