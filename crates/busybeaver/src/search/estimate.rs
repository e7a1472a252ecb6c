//! How large a search is, from a sample of its parts.
//!
//! A probe goes down from a share and chooses the first cells that it meets at random, then searches all below. A part that is n
//! cells below its share is found by one in 3^n probes of the share, so what is in it counts 3^n times: the mean over all probes,
//! times the number of shares, is what a search would count.
//!
//! The deeper a probe chooses, the less it takes and the more results vary. First every cell is chosen at random, which is
//! quick and gives the order of magnitude: from that follows how deep a part lies that has [`PART`] programs on average.
//!
//! Source: D. E. Knuth, Estimating the efficiency of backtrack programs (1975).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::Serialize;

use super::engine::{Engine, Witness};
use super::shares::{Part, Search};
use super::totals::Totals;
use crate::proof::Hang;
use crate::{Cell, Grid};

/// Probes that are drawn from one seed: so the estimate is the same for any number of threads.
const BATCH: u64 = 100;
/// Probes that choose every cell.
const PILOT: u64 = 20_000;
/// Programs of a part, on average.
const PART: f64 = 300.0;

/// What a search would count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// How many parts were searched for it.
    pub probes: u64,
    /// How many programs these had.
    pub searched: u64,
    /// How many cells below its share each part is, at most.
    pub depth: usize,
    /// Programs in all.
    pub programs: Figure,
    /// Those that halt.
    pub halt: Figure,
    /// Those that are proved to hang.
    pub hang: Figure,
    /// Those without an answer.
    pub undecided: Figure,
    /// Bytes of certificates, each with the end of its line; only where they are made.
    pub certificate_bytes: Option<Figure>,
    /// Processor time in seconds.
    pub seconds: Figure,
}

/// An estimate of a total.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Figure {
    /// The estimate.
    pub total: f64,
    /// Its standard error.
    pub error: f64,
}

/// Sums of what is estimated, and of its squares.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    of: [(f64, f64); 6],
    programs: u64,
}

impl Sums {
    fn add(&mut self, values: [f64; 6]) {
        for ((sum, squares), value) in self.of.iter_mut().zip(values) {
            *sum += value;
            *squares += value * value;
        }
    }

    fn merge(&mut self, other: &Sums) {
        for ((sum, squares), (more, more_squares)) in self.of.iter_mut().zip(other.of) {
            *sum += more;
            *squares += more_squares;
        }
        self.programs += other.programs;
    }

    fn figures(&self, probes: u64) -> [Figure; 6] {
        let count = (probes as f64).max(1.0);
        self.of.map(|(sum, squares)| {
            let mean = sum / count;
            let variance = (squares / count - mean * mean).max(0.0);
            Figure { total: mean, error: (variance / count).sqrt() }
        })
    }
}

/// Counts the bytes of certificates.
struct Bytes<const CERTIFICATES: bool>(usize);

impl<const CERTIFICATES: bool> Witness for Bytes<CERTIFICATES> {
    const CERTIFICATES: bool = CERTIFICATES;

    fn hang(&mut self, _program: &Grid, hang: &Hang) {
        self.0 += hang.certificate.to_line().len() + 1;
    }
}

impl Search {
    /// Estimates what this search counts, from about so many parts that are drawn with this seed. `clock`: the processor time
    /// of the calling thread. `random`: from a seed, numbers below a bound.
    pub fn estimate<R: FnMut(usize) -> Option<usize>>(
        &self,
        probes: u64,
        seed: u64,
        threads: usize,
        clock: impl Fn() -> Duration + Sync,
        random: impl Fn(u64) -> R + Sync,
    ) -> Estimate {
        let world = (&clock, &random);
        let cells = usize::from(self.plan().width) * usize::from(self.plan().height);
        let shares = self.shares().max(1) as f64;
        let [programs, ..] = self.sample(PILOT, (seed, cells), threads, world).figures(PILOT);
        let depth = (programs.total / shares / PART).max(1.0).log(3.0).ceil() as usize;
        let probes = probes.next_multiple_of(BATCH);
        let sums = self.sample(probes, (seed.wrapping_add(1), depth), threads, world);
        let [programs, halt, hang, undecided, bytes, seconds] = sums.figures(probes);
        let certificate_bytes = self.plan().check.then_some(bytes);
        let searched = sums.programs;
        Estimate { probes, searched, depth, programs, halt, hang, undecided, certificate_bytes, seconds }
    }

    /// So many probes that choose the first `depth` cells.
    fn sample<R: FnMut(usize) -> Option<usize>>(
        &self,
        probes: u64,
        (seed, depth): (u64, usize),
        threads: usize,
        world: (&(impl Fn() -> Duration + Sync), &(impl Fn(u64) -> R + Sync)),
    ) -> Sums {
        let batches = probes / BATCH;
        let next = AtomicU64::new(0);
        let work = || {
            let mut found = vec![];
            loop {
                let batch = next.fetch_add(1, Ordering::Relaxed);
                if batch >= batches {
                    return found;
                }
                found.push((batch, self.batch(batch, (seed, depth), world)));
            }
        };
        let mut all: Vec<(u64, Sums)> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        });
        // Sums of floating-point numbers depend on their order.
        all.sort_by_key(|(batch, _)| *batch);
        let mut sums = Sums::default();
        all.iter().for_each(|(_, one)| sums.merge(one));
        sums
    }

    fn batch<R: FnMut(usize) -> Option<usize>>(
        &self,
        batch: u64,
        (seed, depth): (u64, usize),
        (clock, random): (&impl Fn() -> Duration, &impl Fn(u64) -> R),
    ) -> Sums {
        // Generators step by constants of their own; batches must not begin such a step apart.
        let mut below = random(seed ^ batch.wrapping_mul(0xD134_2543_DE82_EF95));
        let mut sums = Sums::default();
        for _ in 0..BATCH {
            let before = clock();
            let Some(part) = below(self.shares()).and_then(|share| self.part(share)) else { continue };
            let (totals, bytes, chosen) = match self.plan().check {
                true => self.probe(part, (&mut below, depth), Bytes::<true>(0)),
                false => self.probe(part, (&mut below, depth), Bytes::<false>(0)),
            };
            let seconds = clock().saturating_sub(before).as_secs_f64();
            let weight = self.shares() as f64 * 3f64.powi(chosen);
            let counts = [
                totals.total(),
                totals.success,
                totals.hanging(),
                totals.undecided.len() as u64,
                bytes as u64,
            ];
            let [programs, halt, hang, undecided, bytes] = counts.map(|count| weight * count as f64);
            sums.programs += totals.total();
            sums.add([programs, halt, hang, undecided, bytes, weight * seconds]);
        }
        sums
    }

    /// A part below a share: its totals, the bytes of its certificates, and how many cells were chosen.
    fn probe<const CERTIFICATES: bool>(
        &self,
        part: &Part,
        (below, depth): (&mut impl FnMut(usize) -> Option<usize>, usize),
        witness: Bytes<CERTIFICATES>,
    ) -> (Totals, usize, i32) {
        let mut path = part.path.clone();
        let cells = [Cell::Noop, Cell::Data, Cell::Turn];
        path.extend((0..depth).filter_map(|_| cells.get(below(cells.len())?).copied()));
        let (totals, witness, left) =
            Engine::search_path(part.start.clone(), &path, self.plan().max_steps, witness);
        (totals, witness.0, i32::try_from(depth.saturating_sub(left)).unwrap_or(i32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Mode, Plan};
    use super::*;

    fn random(seed: u64) -> impl FnMut(usize) -> Option<usize> {
        let mut rng = fastrand::Rng::with_seed(seed);
        move |end| Some(rng.usize(..end))
    }

    /// A search of all is near what is estimated of it, as near as the estimate states; and the estimate is the same for any
    /// number of threads.
    #[test]
    fn estimates_are_as_near_to_a_search_as_they_state() {
        for (width, height, mode) in
            [(4, 4, Mode::Plain), (5, 4, Mode::Orchestrated), (5, 5, Mode::Orchestrated)]
        {
            for check in [false, true] {
                let plan = Plan { width, height, mode, max_steps: 10_000, check };
                let mut search = Search::new(plan).unwrap();
                let estimate = search.estimate(2_000, 7, 2, || Duration::from_micros(1), random);
                let again = search.estimate(2_000, 7, 1, || Duration::from_micros(1), random);
                assert_eq!(estimate, again, "{plan:?}");
                search.store_certificates();
                let mut bytes = 0;
                search.run(2, |share| {
                    bytes +=
                        share.certificates.iter().flatten().map(|line| line.len() as u64 + 1).sum::<u64>();
                    true
                });
                let totals = search.totals(&[]);
                let certificates = estimate.certificate_bytes.unwrap_or_default();
                assert_eq!(estimate.certificate_bytes.is_some(), check);
                for (figure, exact) in [
                    (estimate.programs, totals.total()),
                    (estimate.halt, totals.success),
                    (estimate.hang, totals.hanging()),
                    (estimate.undecided, totals.undecided.len() as u64),
                    (certificates, if check { bytes } else { 0 }),
                ] {
                    let distance = (figure.total - exact as f64).abs();
                    assert!(distance <= 4.0 * figure.error, "{plan:?}: {figure:?}, found {exact}");
                    assert!(
                        figure.error <= 0.1 * exact as f64 || exact < 5_000,
                        "{plan:?}: {figure:?} of {exact}"
                    );
                }
            }
        }
    }
}
