//! Long losses, held against the truth: did each run as long, and when, as was stated?

use std::collections::{BTreeMap, HashMap};

use model::{EventSource, Item, Scalar};

use crate::model::LongLoss;

/// The runs of a CPU: from when on who ran (`None`: nobody), ascending, and when the last one ended.
type Runs = (Vec<(i64, Option<Scalar>)>, i64);

/// Who ran on each CPU, as the events say by which one leaves and another comes.
#[derive(Debug, Default)]
pub struct Runners(HashMap<u32, Runs>);

impl Runners {
    /// Reads `source` to its end.
    pub fn read(source: &mut dyn EventSource) -> Runners {
        let mut found = Runners::default();
        while let Some(item) = source.next_item() {
            let Item::Event(event) = item else { continue };
            let value = |name: &str| Scalar::of(event.fields.get(name)?);
            let (Some(cpu), Some(time), Some(prev), Some(next)) =
                (event.cpu, event.time, value("prev_tid"), value("next_tid"))
            else {
                continue;
            };
            let known = |who: Scalar| Some(who).filter(|who| *who != Scalar::Number(0));
            let (starts, end) = found.0.entry(cpu).or_default();
            if starts.is_empty() {
                starts.push((i64::MIN, known(prev)));
            }
            starts.push((time.0, known(next)));
            *end = time.0;
        }
        found
    }

    /// The runs on a CPU between two moments, cut there: who, from and to. Empty where they are not known.
    pub fn between(&self, cpu: u32, (from, to): (i64, i64)) -> Vec<(Option<&Scalar>, i64, i64)> {
        let Some((starts, end)) = self.0.get(&cpu) else { return vec![] };
        if to > *end {
            return vec![];
        }
        let first = starts.partition_point(|(time, _)| *time <= from).saturating_sub(1);
        let ends = starts.iter().skip(first + 1).map(|(time, _)| *time).chain([*end]);
        let runs = starts.iter().skip(first).zip(ends);
        runs.take_while(|((start, _), _)| *start < to)
            .map(|((start, who), end)| (who.as_ref(), (*start).max(from), end.min(to)))
            .collect()
    }
}

/// How stated bands and intervals of long losses hold, summed over losses.
#[derive(Debug, Clone, Default)]
pub struct LongTally {
    /// Losses whose truth is known.
    pub losses: u64,
    /// Intervals of running times that were stated, and those that hold.
    pub times: (u64, u64),
    /// The same of numbers of switches.
    pub switches: (u64, u64),
    /// Time of the losses in ns: all, and that of those (threads, or nobody) whose stated mean misses by less than a tenth.
    pub lost: (u64, u64),
    /// By tenths of the stated probability that somebody runs in a part of a loss: how many were stated, their sum,
    /// and the sum of the shares that did run.
    pub bands: [(u64, f64, f64); 10],
}

impl LongTally {
    /// Adds a loss.
    pub fn add(&mut self, long: &LongLoss, runners: &Runners) {
        let (from, to) = (long.from.0, long.to.0);
        let runs = runners.between(long.cpu, (from, to));
        let Some(switches) = runs.len().checked_sub(1) else { return };
        let mut times: BTreeMap<Option<&Scalar>, u64> = BTreeMap::new();
        for (who, from, to) in &runs {
            *times.entry(*who).or_default() += (to - from) as u64;
        }
        self.losses += 1;
        let holds = |(least, most): (u64, u64), value: u64| u64::from((least..=most).contains(&value));
        self.switches.0 += 1;
        self.switches.1 += holds(long.switches, switches as u64);
        self.lost.0 += (to - from) as u64;
        for one in &long.running {
            let time = times.get(&one.instance.as_ref()).copied().unwrap_or(0);
            self.times.0 += 1;
            self.times.1 += holds(one.usual, time);
            self.lost.1 += if one.mean.abs_diff(time) * 10 < time { time } else { 0 };
            self.add_band((from, to), &one.band, |who| who == one.instance.as_ref(), &runs);
        }
        let is_other = |who: Option<&Scalar>| long.running.iter().all(|one| one.instance.as_ref() != who);
        self.add_band((from, to), &long.others, is_other, &runs);
    }

    fn add_band(
        &mut self,
        (from, to): (i64, i64),
        band: &[f64],
        is_it: impl Fn(Option<&Scalar>) -> bool,
        runs: &[(Option<&Scalar>, i64, i64)],
    ) {
        for (part, stated) in band.iter().enumerate() {
            let edge = |part: usize| from + ((to - from) as f64 * part as f64 / band.len() as f64) as i64;
            let (begin, end) = (edge(part), edge(part + 1));
            let inside = runs.iter().filter(|(who, ..)| is_it(*who));
            let ran: i64 = inside.map(|(_, from, to)| (*to.min(&end) - *from.max(&begin)).max(0)).sum();
            if let Some(bin) = self.bands.get_mut(((stated * 10.0) as usize).min(9)) {
                bin.0 += 1;
                bin.1 += stated;
                bin.2 += ran as f64 / (end - begin).max(1) as f64;
            }
        }
    }

    /// By how much stated probabilities of the bands differ from what is true, on average.
    pub fn band_error(&self) -> Option<f64> {
        let count: u64 = self.bands.iter().map(|bin| bin.0).sum();
        let sum: f64 = self.bands.iter().map(|(_, stated, ran)| (stated - ran).abs()).sum();
        (count > 0).then(|| sum / count as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RunningTime;
    use model::Timestamp;

    fn runners() -> Runners {
        let who = |tid: i64| (tid > 0).then_some(Scalar::Number(tid));
        let starts = vec![(i64::MIN, who(1)), (100, who(2)), (150, who(0)), (200, who(1))];
        Runners(HashMap::from([(0, (starts, 300))]))
    }

    #[test]
    fn runs_are_cut_at_both_ends() {
        let runners = runners();
        let (one, two) = (Scalar::Number(1), Scalar::Number(2));
        let expected = vec![(Some(&one), 50, 100), (Some(&two), 100, 150), (None, 150, 160)];
        assert_eq!(runners.between(0, (50, 160)), expected);
        assert_eq!(runners.between(0, (110, 120)), [(Some(&two), 110, 120)]);
        assert_eq!(runners.between(0, (110, 301)), []);
        assert_eq!(runners.between(1, (110, 120)), []);
    }

    #[test]
    fn what_is_stated_is_held_against_what_ran() {
        let time = |tid: Option<i64>, usual, mean, band: [f64; 2]| RunningTime {
            instance: tid.map(Scalar::Number),
            usual,
            mean,
            most: 200,
            band: band.to_vec(),
        };
        let long = LongLoss {
            window: 0,
            cpu: 0,
            from: Timestamp(100),
            to: Timestamp(200),
            switches: (1, 3),
            running: vec![time(None, (40, 60), 54, [0.25, 0.95]), time(Some(2), (10, 40), 30, [0.75, 0.0])],
            others: vec![0.0, 0.05],
            intervals: 20,
        };
        let mut tally = LongTally::default();
        tally.add(&long, &runners());
        assert_eq!((tally.losses, tally.times, tally.switches, tally.lost), (1, (2, 1), (1, 1), (100, 50)));
        assert_eq!(tally.bands[2], (1, 0.25, 0.0));
        assert_eq!(tally.bands[7], (1, 0.75, 1.0));
        assert_eq!(tally.bands[9], (1, 0.95, 1.0));
        assert!((tally.band_error().unwrap() - 0.6 / 6.0).abs() < 1e-9, "{tally:?}");
    }
}
