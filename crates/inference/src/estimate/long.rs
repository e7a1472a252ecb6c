//! Long losses: no list of events, but what usually happens on that CPU in as many events.
//!
//! Intervals of the same CPU in which nothing was lost, with about as many events, are taken from all over the kept
//! marks: how many handovers they have, and how long each ran. The middle nine tenths of those are what is stated for
//! the loss, if losses come anywhere; what is left of its time nobody ran, for a CPU that records as many events in a
//! longer time rested longer. Besides, nobody ran here while it is seen to run elsewhere: that bounds its time whatever
//! is usual.

use std::collections::{BTreeMap, HashMap};

use super::Losses;
use super::marks::{Marks, NONE, What, Who};
use super::stretch::{Loss, Stretch};

/// What is known of a loss whose events are not listed.
#[derive(Debug, Clone, PartialEq)]
pub struct Long {
    /// The declared loss.
    pub window: u32,
    /// Its CPU.
    pub cpu: u32,
    /// Between which moments it is.
    pub from: i64,
    /// See `from`.
    pub to: i64,
    /// How many handovers: from and to, in nine of ten intervals like it.
    pub handovers: (u64, u64),
    /// How long each ran, those that run longest first.
    pub running: Vec<Running>,
    /// On how many intervals like it that rests.
    pub intervals: u64,
}

/// How long one ran while a loss lasted, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Running {
    /// Who.
    pub who: Who,
    /// In nine of ten intervals like it: from and to; and on average.
    pub usual: (u64, u64),
    /// See `usual`.
    pub mean: u64,
    /// No longer than that: the rest of the time it is seen to run elsewhere.
    pub most: u64,
}

/// Intervals that are compared.
const INTERVALS: usize = 100;
/// With fewer nothing is stated.
const LEAST: usize = 20;
/// Those that are told: so many, if they ran for so large a part of the time on average.
const TOLD: usize = 6;
const WORTH: f64 = 0.01;

/// An interval in which nothing was lost.
#[derive(Debug, Clone)]
struct Interval {
    handovers: f64,
    /// How long each ran, and all together.
    times: BTreeMap<Who, f64>,
    busy: f64,
}

/// Events of a CPU in a row of which none was lost: when each was, and who left and came by it.
type Piece = Vec<(i64, Option<(Who, Who)>)>;

/// The intervals of marks, by CPU and length.
#[derive(Debug)]
pub(super) struct Intervals<'m> {
    marks: &'m Marks,
    /// By CPU.
    pieces: HashMap<u32, Vec<Piece>>,
    known: HashMap<(u32, usize), Vec<Interval>>,
}

impl<'m> Intervals<'m> {
    pub(super) fn new(marks: &'m Marks) -> Intervals<'m> {
        Intervals { marks, pieces: HashMap::new(), known: HashMap::new() }
    }

    /// What is known of the losses of a stretch that are not listed.
    pub(super) fn of(&mut self, stretch: &Stretch, losses: &dyn Losses) -> Vec<Long> {
        let mut found = Vec::new();
        let (Some(start), Some(end)) = (self.marks.get(stretch.start), self.marks.get(stretch.end)) else {
            return found;
        };
        for &window in &stretch.windows {
            let Some(Loss { lost: Some(lost), from, to, is_elsewhere: false }) = losses.of(window) else {
                continue;
            };
            // A tracer that knows only the packet says a time that is too long: so much is lost at once.
            let (from, to) = (from.max(start.time), to.min(end.time));
            let length = (lost as usize).next_power_of_two().min(1 << 14);
            let scale = lost as f64 / length as f64;
            let like = self.like(stretch.cpu, length).to_vec();
            if like.len() < LEAST || to <= from {
                continue;
            }
            let duration = to.saturating_sub(from) as f64;
            let handovers = middle(like.iter().map(|one| one.handovers * scale).collect());
            let count = like.len() as f64;
            let mut sums: BTreeMap<Who, f64> = BTreeMap::new();
            for (who, time) in like.iter().flat_map(|one| &one.times) {
                *sums.entry(*who).or_default() += time * scale;
            }
            let mut sums: Vec<(Who, f64)> = sums.into_iter().collect();
            sums.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            sums.retain(|(_, sum)| sum / count >= WORTH * duration);
            let busy = middle(like.iter().map(|one| one.busy * scale).collect());
            let mean = like.iter().map(|one| one.busy * scale).sum::<f64>() / count;
            let time = |time: f64, bound: f64| time.min(bound).max(0.0) as u64;
            let mut running = vec![Running {
                who: NONE,
                usual: (time(duration - busy.1, duration), time(duration - busy.0, duration)),
                mean: time(duration - mean, duration),
                most: duration as u64,
            }];
            running.extend(sums.into_iter().take(TOLD).map(|(who, sum)| {
                let times = like.iter().map(|one| one.times.get(&who).copied().unwrap_or(0.0) * scale);
                let (least, most) = middle(times.collect());
                let bound = duration - self.elsewhere(stretch, who, (from, to)) as f64;
                Running {
                    who,
                    usual: (time(least, bound), time(most, bound)),
                    mean: time(sum / count, bound),
                    most: time(bound, bound),
                }
            }));
            found.push(Long {
                window,
                cpu: stretch.cpu,
                from,
                to,
                handovers: (handovers.0.floor() as u64, handovers.1.ceil() as u64),
                running,
                intervals: like.len() as u64,
            });
        }
        found
    }

    /// How long one is seen to run on other CPUs in a time.
    fn elsewhere(&self, stretch: &Stretch, who: Who, (from, to): (i64, i64)) -> i64 {
        let (mut since, mut sum) = (None, 0);
        for (_, mark) in stretch.inner(self.marks) {
            let What::Handover { prev, next, .. } = mark.what else { continue };
            if mark.cpu == stretch.cpu || who == NONE {
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

    /// Intervals of a CPU with so many events.
    fn like(&mut self, cpu: u32, length: usize) -> &[Interval] {
        let marks = self.marks;
        let pieces = self.pieces.entry(cpu).or_insert_with(|| pieces(marks, cpu));
        self.known.entry((cpu, length)).or_insert_with(|| {
            let rooms: Vec<usize> = pieces.iter().map(|piece| piece.len().saturating_sub(length)).collect();
            let all: usize = rooms.iter().sum();
            let mut found = Vec::new();
            for number in 0..INTERVALS.min(all) {
                let mut start = number * all / INTERVALS.min(all);
                for (piece, room) in pieces.iter().zip(&rooms) {
                    if start < *room {
                        found.extend(piece.get(start..=start + length).and_then(interval));
                        break;
                    }
                    start -= room;
                }
            }
            found
        })
    }
}

fn pieces(marks: &Marks, cpu: u32) -> Vec<Piece> {
    let mut pieces = vec![Vec::new()];
    for mark in marks.iter().filter(|mark| mark.cpu == cpu) {
        let handover = match mark.what {
            What::Handover { prev, next, .. } => Some((prev, next)),
            What::Gap { .. } => {
                pieces.push(Vec::new());
                continue;
            }
            What::Ready { .. } => continue,
            _ => None,
        };
        pieces.last_mut().into_iter().for_each(|piece| piece.push((mark.time, handover)));
    }
    pieces
}

/// What happened in an interval; `None`: nobody was seen to come or leave.
fn interval(events: &[(i64, Option<(Who, Who)>)]) -> Option<Interval> {
    let (start, end) = (events.first()?.0, events.last()?.0);
    let mut times: BTreeMap<Who, f64> = BTreeMap::new();
    let (mut since, mut runs, mut handovers) = (start, None, 0.0);
    for &(time, handover) in events.iter().skip(1) {
        let Some((prev, next)) = handover else { continue };
        *times.entry(prev).or_default() += (time - since) as f64;
        (since, runs, handovers) = (time, Some(next), handovers + 1.0);
    }
    *times.entry(runs?).or_default() += (end - since) as f64;
    times.remove(&NONE);
    Some(Interval { handovers, busy: times.values().sum(), times })
}

/// The middle nine tenths.
fn middle(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let rank = |part: f64| ((values.len() + 1) as f64 * part) as usize;
    let at = |rank: usize| values.get(rank.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0);
    (at(rank(0.05).saturating_sub(1)), at(rank(0.95)))
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
            let handover = |prev, next| What::Handover { prev, next, stays_ready: Some(false) };
            put(round * 40, handover(NONE, 7));
            put(round * 40 + 10, handover(7, NONE));
            if round == 199 {
                put(round * 40 + 11, What::Gap { window: 0 });
            }
        }
        let loss = Loss { lost: Some(64), from: 7_970, to: 9_970, is_elsewhere: false };
        let stretch = Stretch { cpu: 0, start: 399, end: 401, windows: vec![0] };
        let found = Intervals::new(&marks).of(&stretch, &Declared(|_| Some(loss)));
        let [long] = &*found else { panic!("{found:?}") };
        assert!(long.handovers.0 >= 63 && long.handovers.1 <= 65, "{long:?}");
        let of = |who: Who| long.running.iter().find(|one| one.who == who).unwrap();
        // The next event that was recorded ends it; 64 events are 32 rounds, and the rest of the time nobody ran.
        assert_eq!((long.from, long.to), (7_970, 9_280));
        assert!((310..330).contains(&of(7).mean) && (980..1_000).contains(&of(NONE).mean), "{long:?}");
        assert!(of(7).usual.0 >= 310 && of(7).usual.1 <= 330 && of(7).most == 1_310, "{long:?}");
    }
}
