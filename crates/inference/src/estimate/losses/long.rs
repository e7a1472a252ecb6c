//! Long losses: no list of events, but what usually happens on that CPU in as many events.
//!
//! Intervals of the same CPU in which nothing was lost, with about as many events, are taken from all over the kept
//! marks: how many switches they have, and in which part of their time each ran. Those that last about as long as the loss,
//! that begin with who ran when it began and end with who ran when it ended, weigh most. The middle nine tenths of the
//! weight are what is stated for the loss, if losses come anywhere. Besides, nobody ran here while it is seen to run
//! elsewhere: that bounds its time whatever is usual.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::Losses;
use super::bands::{Ends, Interval, PARTS, bands, in_roles, of_both_ends, weights};
use super::marks::{Marks, NONE, What, Who};
use super::segment::{Loss, Segment};

/// What is known of a loss whose events are not listed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Long {
    /// The declared loss.
    pub(crate) window: u32,
    /// Its CPU.
    pub(crate) cpu: u32,
    /// Between which moments it is.
    pub(crate) from: i64,
    /// See `from`.
    pub(crate) to: i64,
    /// How many switches: from and to, in nine of ten intervals like it.
    pub(crate) switches: (u64, u64),
    /// How long each ran, those that run longest first.
    pub(crate) running: Vec<Running>,
    /// How probable it is in each of [`PARTS`] equal parts of the time that none of these ran.
    pub(crate) others: [f64; PARTS],
    /// On how many intervals like it that rests.
    pub(crate) intervals: u64,
}

/// How long one ran while a loss lasted, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Running {
    /// Who.
    pub(crate) who: Who,
    /// In nine of ten intervals like it: from and to; and on average.
    pub(crate) usual: (u64, u64),
    /// See `usual`.
    pub(crate) mean: u64,
    /// No longer than that: the rest of the time it is seen to run elsewhere.
    pub(crate) most: u64,
    /// How probable it is that it ran, in each of [`PARTS`] equal parts of the time.
    pub(crate) band: [f64; PARTS],
}

/// Intervals that are compared.
const INTERVALS: usize = 300;
/// By how much wider an interval is stated that one independent interval says.
const WIDER: f64 = 4.0;
/// So many times the events of a loss are around it.
const NEAR: usize = 12;
/// With fewer nothing is stated.
const LEAST: usize = 20;
/// The instances that are listed: so many at most, if they ran for so large a part of the time on average.
const NAMED: usize = 6;
const WORTH: f64 = 0.01;

/// Events of a CPU in a row of which none was lost: when each was, and who left and came by it.
type Run = Vec<(i64, Option<(Who, Who)>)>;

/// The intervals of marks, by CPU and length.
#[derive(Debug)]
pub(super) struct Intervals<'m> {
    marks: &'m Marks,
    /// By CPU.
    segments: HashMap<u32, Vec<Run>>,
    known: HashMap<(u32, usize), Vec<Interval>>,
}

impl<'m> Intervals<'m> {
    pub(super) fn new(marks: &'m Marks) -> Intervals<'m> {
        Intervals { marks, segments: HashMap::new(), known: HashMap::new() }
    }

    /// What is known of the losses of a segment that are not listed.
    pub(super) fn of(&mut self, segment: &Segment, losses: &dyn Losses) -> Vec<Long> {
        let (mut found, marks) = (Vec::new(), self.marks);
        let (Some(start), Some(end)) = (marks.get(segment.start), marks.get(segment.end)) else {
            return found;
        };
        for &window in &segment.windows {
            let Some(Loss { lost: Some(lost), from, to, is_elsewhere: false }) = losses.of(window) else {
                continue;
            };
            // A tracer that knows only the packet says a time that is too long: so much is lost at once.
            let (from, to) = (from.max(start.time), to.min(end.time));
            let length = (lost as usize).next_power_of_two().min(1 << 14);
            let scale = lost as f64 / length as f64;
            let (like, apart) = self.like(segment.cpu, length, (from, to));
            if like.len() < LEAST || to <= from {
                continue;
            }
            let duration = to.saturating_sub(from) as f64;
            let ends = ends(marks, segment, window);
            let like = in_roles(like, ends);
            let by_duration = weights(&like, duration, ends);
            let weights = of_both_ends(&like, &by_duration, ends);
            let all: f64 = weights.iter().sum();
            // Intervals that overlap say the same.
            let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
            let independent = all * all / squares * (apart as f64 / like.len() as f64).min(1.0);
            let weighted = |value: &dyn Fn(&Interval) -> f64| -> Vec<(f64, f64)> {
                like.iter().map(value).zip(weights.iter().copied()).collect()
            };
            let switches = middle(weighted(&|one| one.switches * scale), independent);
            let mut means: BTreeMap<Who, f64> = [NONE].into_iter().map(|who| (who, 0.0)).collect();
            means.extend([ends.0, ends.1].into_iter().flatten().map(|who| (who, 0.0)));
            for (one, weight) in like.iter().zip(&weights) {
                for who in one.shares.keys() {
                    *means.entry(*who).or_default() += one.share(*who) * weight / all;
                }
            }
            let mut means: Vec<(Who, f64)> = means.into_iter().collect();
            means.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            let is_named = |who: Who| who == NONE || ends.0 == Some(who) || ends.1 == Some(who);
            let mut indices = 0..NAMED;
            means.retain(|(who, mean)| is_named(*who) || *mean >= WORTH && indices.next().is_some());
            // Nobody first.
            means.sort_by_key(|(who, _)| *who != NONE);
            let time = |time: f64, bound: f64| time.min(bound).max(0.0) as u64;
            let running = means.into_iter().map(|(who, mean)| {
                let (least, most) = middle(weighted(&|one| one.share(who) * duration), independent);
                let bound = duration - elsewhere(marks, segment, who, (from, to)) as f64;
                Running {
                    who,
                    usual: (time(least.floor(), bound), time(most.ceil(), bound)),
                    mean: time(mean * duration, bound),
                    most: time(bound, bound),
                    band: [0.0; PARTS],
                }
            });
            let mut running: Vec<Running> = running.collect();
            let names: Vec<Who> = running.iter().map(|one| one.who).collect();
            let found_bands = bands((&like, &by_duration), ((from, to), ends), &names, |who, time| {
                elsewhere(marks, segment, who, time)
            });
            running.iter_mut().zip(&found_bands).for_each(|(one, band)| one.band = *band);
            let others = found_bands.last().copied().unwrap_or_default();
            found.push(Long {
                window,
                cpu: segment.cpu,
                from,
                to,
                switches: (switches.0.floor().max(0.0) as u64, switches.1.ceil() as u64),
                running,
                others,
                intervals: like.len() as u64,
            });
        }
        found
    }

    /// Intervals of a CPU with so many events: from all over it, and as many again from around a loss, as who runs changes
    /// with what the machine does. Also how many of them there are that do not overlap.
    fn like(&mut self, cpu: u32, length: usize, loss: (i64, i64)) -> (Vec<Interval>, usize) {
        let marks = self.marks;
        let segments = self.segments.entry(cpu).or_insert_with(|| segments(marks, cpu));
        let from_all = self.known.entry((cpu, length)).or_insert_with(|| {
            let all: Vec<_> = segments.iter().map(|run| (run, 0..run.len())).collect();
            draw(&all, length)
        });
        let near = NEAR * length;
        let before = segments.iter().rfind(|run| run.last().is_some_and(|(time, _)| *time <= loss.0));
        let after = segments.iter().find(|run| run.first().is_some_and(|(time, _)| *time >= loss.1));
        let before = before.map(|run| (run, run.len().saturating_sub(near)..run.len()));
        let after = after.map(|run| (run, 0..run.len().min(near)));
        let context: Vec<_> = before.into_iter().chain(after).collect();
        let mut found = draw(&context, length);
        found.extend(from_all.iter().cloned());
        let apart = segments.iter().map(|run| run.len() / length.max(1)).sum();
        (found, apart)
    }
}

/// Intervals of so many events, evenly over these ranges of pieces.
fn draw(ranges: &[(&Run, Range<usize>)], length: usize) -> Vec<Interval> {
    let starts = |range: &Range<usize>| range.len().saturating_sub(length);
    let all: usize = ranges.iter().map(|(_, range)| starts(range)).sum();
    let count = INTERVALS.min(all);
    let (mut found, mut number, mut passed) = (Vec::new(), 0, 0);
    for (run, range) in ranges {
        while number < count && number * all / count < passed + starts(range) {
            let start = range.start + number * all / count - passed;
            number += 1;
            let before = run.iter().take(start + 1).rev();
            let runs = before.filter_map(|(_, switch)| *switch).next().map(|(_, next)| next);
            let events = run.get(start..=start + length);
            found.extend(events.and_then(|events| Interval::of(events, runs)));
        }
        passed += starts(range);
    }
    found
}

/// Who ran when a loss began and when it ended. Between two losses of a segment nobody is seen to come or leave.
fn ends(marks: &Marks, segment: &Segment, window: u32) -> Ends {
    let switch = |index: usize| match marks.get(index).map(|mark| mark.what) {
        Some(What::Switch { prev, next, .. }) => Some((prev, next)),
        _ => None,
    };
    let is = |end: Option<&u32>| end == Some(&window);
    let first = switch(segment.start).filter(|_| is(segment.windows.first()));
    let last = switch(segment.end).filter(|_| is(segment.windows.last()));
    (first.map(|(_, next)| next), last.map(|(prev, _)| prev))
}

/// How long one is seen to run on other CPUs in a time.
fn elsewhere(marks: &Marks, segment: &Segment, who: Who, (from, to): (i64, i64)) -> i64 {
    let (mut since, mut sum) = (None, 0);
    for (_, mark) in segment.inner(marks) {
        let What::Switch { prev, next, .. } = mark.what else { continue };
        if mark.cpu == segment.cpu || who == NONE {
            continue;
        }
        let time = mark.time.clamp(from, to);
        if next == who {
            since = Some(time);
        } else if prev == who
            && let Some(since) = since.take()
        {
            sum += time - since;
        }
    }
    sum
}

fn segments(marks: &Marks, cpu: u32) -> Vec<Run> {
    let mut segments = vec![Vec::new()];
    for mark in marks.iter().filter(|mark| mark.cpu == cpu) {
        let switch = match mark.what {
            What::Switch { prev, next, .. } => Some((prev, next)),
            What::Gap { .. } => {
                segments.push(Vec::new());
                continue;
            }
            What::Ready { .. } => continue,
            _ => None,
        };
        segments.last_mut().into_iter().for_each(|run| run.push((mark.time, switch)));
    }
    segments
}

/// The middle nine tenths of values with their weights, wider the fewer of them are independent of each other.
fn middle(mut values: Vec<(f64, f64)>, independent: f64) -> (f64, f64) {
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    let all: f64 = values.iter().map(|(_, weight)| weight).sum();
    let at = |part: f64| {
        let mut sum = 0.0;
        let reached = values.iter().find(|(_, weight)| {
            sum += weight;
            sum >= all * part
        });
        reached.or(values.last()).map_or(0.0, |(value, _)| *value)
    };
    let (least, middle, most) = (at(0.05), at(0.5), at(0.95));
    let wider = 1.0 + WIDER / independent.max(1.0);
    (middle - (middle - least) * wider, middle + (most - middle) * wider)
}

#[cfg(test)]
mod tests {
    use super::super::marks::Mark;
    use super::super::tests::Declared;
    use super::*;

    #[test]
    fn a_loss_is_as_intervals_of_the_same_length_are() {
        let mut marks = Marks::default();
        let mut put = |time: i64, what: What| marks.push(Mark { time, cpu: 0, symbol: 0, what });
        // A runs a quarter of the time, and 64 events are lost after half of it.
        for round in (0..200i64).chain(232..432) {
            let switch = |prev, next| What::Switch { prev, next, stays_ready: Some(false) };
            put(round * 40, switch(NONE, 7));
            put(round * 40 + 10, switch(7, NONE));
            if round == 199 {
                put(round * 40 + 11, What::Gap { window: 0 });
            }
        }
        let loss = Loss { lost: Some(64), from: 7_970, to: 9_970, is_elsewhere: false };
        let segment = Segment { cpu: 0, start: 399, end: 401, windows: vec![0] };
        let found = Intervals::new(&marks).of(&segment, &Declared(|_| Some(loss)));
        let [long] = &*found else { panic!("{found:?}") };
        assert!(long.switches.0 >= 63 && long.switches.1 <= 65, "{long:?}");
        let of = |who: Who| long.running.iter().find(|one| one.who == who).unwrap();
        // The next event that was recorded ends it; 64 events are 32 rounds, and the rest of the time nobody ran.
        assert_eq!((long.from, long.to), (7_970, 9_280));
        assert!((310..330).contains(&of(7).mean) && (980..1_000).contains(&of(NONE).mean), "{long:?}");
        assert!(of(7).usual.0 >= 310 && of(7).usual.1 <= 330 && of(7).most == 1_310, "{long:?}");
    }
}
