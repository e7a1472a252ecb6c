//! The 2L Busy Beaver engine, in this process: programs searched and steps run, a second.
//!
//! Rates are of processor time where the system reports it (Linux), so that other work on the machine
//! does not count; what threads bring can only be seen on the clock. Each figure is the least of
//! some rounds and the one in the middle, and the one in the middle is held against the target.

use std::time::Instant;

use busybeaver::blocks::Graph;
use busybeaver::run::{Fast, Folded, Limits, Walk};
use busybeaver::search::engine::Engine;
use busybeaver::search::{Mode, Plan, Search, canon};
use serde_json::json;

use super::measure::median;
use super::table::{Row, Table};
use crate::sh::{Outcome, Trouble};

const ROUNDS: usize = 7;
/// Programs of the orchestrated 6x6 search.
const PROGRAMS: u64 = 8_022_654;
const PLAN: Plan = Plan { width: 6, height: 6, mode: Mode::Orchestrated, max_steps: 1_000_000, check: false };
/// What the original does of them in a second of processor time, recorded on another machine.
const ORIGINAL: &str = "4.1 M/s recorded";
/// Halts after so many steps.
const CHAMPION: (&str, u64) = ("d+/vAjhUqpBBbYG3+8", 918_785_141);
/// Halts after so many steps, which are sweeps over an even tape.
const EVEN: (&str, u64) = ("d/o/lLhb7hJBbYG368", 819_045_700);
/// The program of the founding text's Figure 1 never halts.
const FIGURE_1: &str = "ZgoCQhGBUIBlqA";
const LONG: u64 = 1_000_000_000_000_000;
const REPEATS: u32 = 500;

pub(crate) fn run(table: &mut Table) -> Outcome {
    search(table)?;
    execute(table)?;
    fold(table)
}

fn wrong(error: impl std::fmt::Display) -> Trouble {
    Trouble::Wrong(error.to_string())
}

/// One thread and two, turn by turn.
fn search(table: &mut Table) -> Outcome {
    let (mut processor, mut one, mut two) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let starts = canon::starts(&PLAN).map_err(wrong)?;
        let began = processor_seconds();
        let programs: u64 =
            starts.into_iter().map(|start| Engine::search(start, PLAN.max_steps, ()).0.total()).sum();
        processor.push(processor_seconds() - began);
        if programs != PROGRAMS {
            return Err(wrong(format!("{programs} programs of 6x6 were found, not {PROGRAMS}")));
        }
        for (threads, samples) in [(1, &mut one), (2, &mut two)] {
            let mut search = Search::new(PLAN).map_err(wrong)?;
            let began = Instant::now();
            search.run(threads, |_| true);
            samples.push(began.elapsed().as_secs_f64());
        }
    }
    let rate = |seconds: f64| PROGRAMS as f64 / seconds / 1e6;
    let middle = rate(median(&processor));
    table.push(Row {
        what: "2l, search 6x6, one thread".into(),
        ours: format!("{middle:.1} M programs/s, best {:.1}", rate(least(&processor))),
        peer: ORIGINAL.into(),
        ratio: Some(middle / 4.1),
        target: ">= 8 M programs/s".into(),
        reached: Some(middle >= 8.0),
        samples: json!({ "processor_seconds": processor, "programs": PROGRAMS }),
    });
    let ratios: Vec<f64> = one.iter().zip(&two).map(|(one, two)| one / two).collect();
    let best = ratios.iter().copied().fold(0.0, f64::max);
    table.push(Row {
        what: "2l, search 6x6, two threads to one, by the clock".into(),
        ours: format!("{:.2} times, best {best:.2}", median(&ratios)),
        peer: format!("{:.1} M programs/s on one", rate(median(&one))),
        ratio: Some(median(&ratios)),
        target: ">= 1.8 times".into(),
        reached: Some(median(&ratios) >= 1.8),
        samples: json!({ "one_seconds": one, "two_seconds": two }),
    });
    Ok(())
}

/// A long run of even sweeps, and one that never ends: what loops of loops save.
fn fold(table: &mut Table) -> Outcome {
    let graph = Graph::of(&EVEN.0.parse().map_err(wrong)?);
    let (mut folded, mut chains) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (leaping, samples) in [(true, &mut folded), (false, &mut chains)] {
            let began = processor_seconds();
            let mut fast = Fast::new(&graph);
            fast.run(Limits { leaps: leaping, ..Limits::steps(2 * EVEN.1) });
            samples.push(processor_seconds() - began);
            if fast.steps() != EVEN.1 {
                return Err(wrong(format!("{} halted after {} steps", EVEN.0, fast.steps())));
            }
        }
    }
    let ratio = median(&chains) / median(&folded);
    table.push(Row {
        what: "2l, 819 M steps of even sweeps, folded".into(),
        ours: format!("{:.1} ms, best {:.1}", median(&folded) * 1e3, least(&folded) * 1e3),
        peer: format!("{:.0} ms without leaps", median(&chains) * 1e3),
        ratio: Some(ratio),
        target: ">= 4 times".into(),
        reached: Some(ratio >= 4.0),
        samples: json!({ "folded_seconds": folded, "chains_seconds": chains, "steps": EVEN.1 }),
    });
    let graph = Graph::of(&FIGURE_1.parse().map_err(wrong)?);
    let (mut long, mut short, mut spent) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        for (steps, samples) in [(LONG / 1_000_000, &mut short), (LONG, &mut long)] {
            // One takes less than the least time that can be measured.
            let began = processor_seconds();
            for _ in 0..REPEATS {
                let mut run = Folded::new(&graph);
                run.run(steps);
                spent = run.spent();
            }
            samples.push((processor_seconds() - began) / f64::from(REPEATS));
        }
    }
    let ratio = median(&long) / median(&short);
    table.push(Row {
        what: "2l, Figure 1, 10^15 steps to 10^9, folded".into(),
        ours: format!("{:.2} ms, {spent} units", median(&long) * 1e3),
        peer: format!("{:.2} ms for 10^9", median(&short) * 1e3),
        ratio: Some(ratio),
        target: "<= 2 times for a million times the steps".into(),
        reached: Some(ratio <= 2.0),
        samples: json!({ "long_seconds": long, "short_seconds": short }),
    });
    Ok(())
}

/// The champion of 7x7: in chains, with leaps, and block by block for scale.
fn execute(table: &mut Table) -> Outcome {
    let graph = Graph::of(&CHAMPION.0.parse().map_err(wrong)?);
    let (mut chains, mut leaps, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (leaping, samples) in [(false, &mut chains), (true, &mut leaps)] {
            let began = processor_seconds();
            let mut fast = Fast::new(&graph);
            fast.run(Limits { leaps: leaping, ..Limits::steps(2 * CHAMPION.1) });
            samples.push(processor_seconds() - began);
            if fast.steps() != CHAMPION.1 {
                return Err(wrong(format!("{} halted after {} steps", CHAMPION.0, fast.steps())));
            }
        }
        let began = processor_seconds();
        let mut walk = Walk::new(&graph);
        while walk.steps() < CHAMPION.1 / 10 && walk.step().is_none() {}
        plain.push((processor_seconds() - began) * 10.0);
    }
    let rate = |seconds: f64| CHAMPION.1 as f64 / seconds / 1e9;
    let (middle, scale) = (rate(median(&chains)), rate(median(&plain)));
    table.push(Row {
        what: "2l, fast executor, no leaps".into(),
        ours: format!("{middle:.2} G steps/s, best {:.2}", rate(least(&chains))),
        peer: format!("{scale:.2} G steps/s block by block"),
        ratio: Some(middle / scale),
        target: ">= 1.5 G steps/s".into(),
        reached: Some(middle >= 1.5),
        samples: json!({ "processor_seconds": chains, "plain_seconds": plain, "steps": CHAMPION.1 }),
    });
    let middle = median(&leaps) * 1e3;
    table.push(Row {
        what: "2l, champion of 7x7, with leaps".into(),
        ours: format!("{middle:.1} ms, best {:.1}", least(&leaps) * 1e3),
        peer: format!("{:.0} ms without", median(&chains) * 1e3),
        ratio: Some(median(&chains) * 1e3 / middle),
        target: "< 50 ms".into(),
        reached: Some(middle < 50.0),
        samples: json!({ "processor_seconds": leaps }),
    });
    Ok(())
}

fn least(samples: &[f64]) -> f64 {
    samples.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Processor time of this thread; time by the clock where that is not available.
fn processor_seconds() -> f64 {
    static BEGAN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|text| text.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGAN.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}
