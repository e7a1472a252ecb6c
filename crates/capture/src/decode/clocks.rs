//! Where the clock found a thread among its words, from the ticks of a capture.
//!
//! ```text
//! ticks      at 5 ms: 10 words      at 9 ms, the look before at 8 ms: 12 words
//! readings   behind 10 words: 5 ms and 8 ms     behind 12 words: 9 ms
//! ```

use std::rc::Rc;

use model::Timestamp;
use model::flow::ClockReading;

use crate::thread_ticks::{MICROSECOND, MISSED, ThreadAt, UNKNOWN};

/// The readings of a thread that are still to come.
pub(super) struct Clocks {
    ticks: Rc<Vec<ThreadAt>>,
    next: usize,
    /// Whether it was recorded up to when the thread stayed where the last tick found it.
    has_stayed: bool,
}

impl Clocks {
    pub(super) fn of(ticks: &Rc<Vec<ThreadAt>>) -> Clocks {
        Clocks { ticks: Rc::clone(ticks), next: 0, has_stayed: true }
    }

    /// The next reading, if it is not behind this position.
    pub(super) fn next_at(&mut self, position: (u32, usize)) -> Option<ClockReading> {
        let tick = self.ticks.get(self.next)?;
        if !std::mem::replace(&mut self.has_stayed, true)
            && let Some(last) = self.next.checked_sub(1).and_then(|last| self.ticks.get(last))
        {
            let stayed = tick.from.saturating_sub(i64::from(tick.sampled) * MICROSECOND);
            if tick.sampled != MISSED && stayed > last.from {
                return Some(ClockReading { from: Timestamp(stayed), to: Timestamp(stayed), used: None });
            }
        }
        let (chunk, words) = tick.position;
        if (chunk, words as usize) > position {
            return None;
        }
        (self.next, self.has_stayed) = (self.next + 1, false);
        let until = tick.from.saturating_add(i64::from(tick.took) * MICROSECOND);
        let used = Some(tick.used).filter(|used| *used != UNKNOWN);
        Some(ClockReading { from: Timestamp(tick.from), to: Timestamp(until), used })
    }

    /// How many words of this chunk lie before the next reading, if that is in it.
    pub(super) fn words_before(&self, chunk: u32) -> Option<usize> {
        let (number, words) = self.ticks.get(self.next)?.position;
        (number == chunk).then_some(words as usize)
    }
}

#[cfg(test)]
mod tests {
    use model::FlowStep;
    use model::flow_source::Mark;

    use super::*;
    use crate::decode::tests::{capture, decoded, random_run};
    use crate::fixture::Rng;
    use crate::records::{ThreadTick, Tick, TickWriter, put_mark};
    use crate::{CODE, End, STEPS};

    /// Readings change no step, and come where marks come that were set there.
    #[test]
    fn a_reading_comes_where_the_clock_found_the_thread() {
        const CHUNK: u32 = 170;
        let mut met = 0;
        for seed in 0..60 {
            let (mut code, steps, threads) = random_run(seed, 1_000, CHUNK as usize);
            let (mut rng, mut ticks) = (Rng(seed + 5), TickWriter::default());
            let mut positions: Vec<(u32, u32)> =
                (0..20).map(|_| (rng.roll(5), 1 + rng.roll(CHUNK - 1))).collect();
            positions.sort_unstable();
            for (at, position) in (1..).zip(&positions) {
                let time = at * 1_000_000;
                let was_missed = rng.roll(2) == 0;
                let threads = vec![ThreadTick { serial: 1, position: *position, was_missed, used: Some(5) }];
                ticks.add(&Tick { time, before: time - 1_000, until: time, threads });
                let positions = vec![(1, *position)];
                put_mark(&Mark { text: "here".into(), time: Timestamp(time), positions }, &mut code);
                if at == 9 {
                    ticks.put(&mut code);
                }
            }
            // Of a thread that nothing else records.
            let threads_of =
                |serial| vec![ThreadTick { serial, position: (0, 1), was_missed: false, used: None }];
            ticks.add(&Tick { time: 99_000_000, threads: threads_of(77), ..Tick::default() });
            ticks.put(&mut code);
            End {
                reason: "end".into(),
                time: 9,
                words: 0,
                lost: 0,
                failed: false,
                instrumented: 0,
                lost_to: [0, 0],
            }
            .put(&mut code);
            let capture = capture(&[(CODE, code), (STEPS, steps)]);
            assert_eq!(capture.diagnostics, []);
            for (got, thread) in decoded(&capture).0.iter().zip(&threads) {
                assert!(*got == thread.happened, "seed {seed}");
            }
            let (mut flow, mut awaited) = (capture.flow(&capture.threads[0]), vec![]);
            while let Some(step) = flow.next_step() {
                match step {
                    FlowStep::Mark(index) => awaited.push((i64::from(index) + 1) * 1_000_000),
                    FlowStep::Clock(reading) => {
                        if reading.used.is_some() {
                            assert_eq!(awaited.first(), Some(&reading.from.0), "seed {seed}");
                            awaited.remove(0);
                            met += 1;
                        }
                    }
                    FlowStep::Moment(_) => {}
                    _ => assert_eq!(awaited, [0; 0], "seed {seed}: {step:?}"),
                }
            }
        }
        assert_eq!(met, 60 * 20);
    }

    #[test]
    fn a_thread_that_stayed_is_read_twice_at_one_position() {
        let (mut ticks, mut last) = (vec![], None);
        for (before, time, position, used) in [
            (4_000, 5_000, (0, 10), Some(7)),
            (8_000, 9_000, (0, 12), None),
            // Damage: backwards in both.
            (8_100, 8_500, (0, 11), None),
            (9_000, 10_000, (1, 0), Some(9)),
        ] {
            let tick =
                Tick { time: time * 1_000, before: before * 1_000, until: time * 1_000, threads: vec![] };
            let thread = ThreadTick { serial: 1, position, was_missed: false, used };
            ticks.push(ThreadAt::new(&tick, &thread, last.as_ref()));
            last = ticks.last().copied();
        }
        let mut clocks = Clocks::of(&Rc::new(ticks));
        let mut until = |position| {
            let mut readings_ms = vec![];
            while let Some(reading) = clocks.next_at(position) {
                readings_ms.push((reading.from.0 / 1_000_000, reading.used));
            }
            (readings_ms, clocks.words_before(0))
        };
        assert_eq!(until((0, 9)), (vec![], Some(10)));
        assert_eq!(until((0, 10)), (vec![(5, Some(7)), (8, None)], Some(12)));
        assert_eq!(until((0, 12)), (vec![(9, None), (9, None)], None));
        assert_eq!(until((u32::MAX, usize::MAX)), (vec![(10, Some(9))], None));
    }

    #[test]
    fn of_a_thread_that_a_look_missed_it_is_not_said_that_it_stayed() {
        let tick = |time| Tick { time, before: time - 1_000_000, until: time, threads: vec![] };
        for was_missed in [false, true] {
            let thread = |position| ThreadTick { serial: 1, position, was_missed, used: None };
            let first = ThreadAt::new(&tick(5_000_000), &thread((0, 1)), None);
            let second = ThreadAt::new(&tick(9_000_000), &thread((0, 2)), Some(&first));
            let mut clocks = Clocks::of(&Rc::new(vec![first, second]));
            let readings = std::iter::from_fn(|| clocks.next_at((0, 1)));
            let readings_ms: Vec<i64> = readings.map(|reading| reading.from.0).collect();
            assert_eq!(readings_ms, if was_missed { vec![5_000_000] } else { vec![5_000_000, 8_000_000] });
        }
    }
}
