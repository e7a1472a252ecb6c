//! Decides programs, or searches a size. Only for trying; the real command line is `tracewright 2l`.
//!
//! ```text
//! cargo run --release -p busybeaver --example decide -- ZgoCQhGBUIBlqA Zv6+kpUoAqW0bw
//! cargo run --release -p busybeaver --example decide -- search 5 5
//! cargo run --release -p busybeaver --example decide -- search 5 5 check
//! cargo run --release -p busybeaver --example decide -- fast d+/vAjhUqpBBbYG3+8
//! ```
#![allow(clippy::unwrap_used)] // An example may stop at bad arguments.

use busybeaver::Grid;
use busybeaver::blocks::Graph;
use busybeaver::proof::{Effort, Hang, check, decide};
use busybeaver::report;
use busybeaver::run::{Fast, Folded, Limits};
use busybeaver::search::engine::{Engine, Witness};
use busybeaver::search::{Mode, Plan, canon, totals::Totals};
use std::time::Instant;

/// Checks every certificate of a search.
#[derive(Default)]
struct Checks {
    valid: u64,
}

impl Witness for Checks {
    const CERTIFICATES: bool = true;

    fn hang(&mut self, program: &Grid, hang: &Hang) {
        match check(&hang.certificate) {
            Ok(()) => self.valid += 1,
            Err(refusal) => println!("{program} {} refused: {refusal}", hang.kind.name()),
        }
    }
}

/// CPU time of this thread in nanoseconds, as reported by Linux.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let began = Instant::now();
    match words.as_slice() {
        ["fast", program] => {
            let graph = Graph::of(&program.parse().unwrap());
            let began = cpu_time();
            let mut folded = Folded::new(&graph);
            let end = folded.run(1 << 40);
            println!(
                "folded: {end:?} after {} steps, {} blocks, {:.1} ms, {} spent, rules and depth {:?}",
                folded.steps(),
                folded.blocks(),
                (cpu_time() - began) / 1e6,
                folded.spent(),
                folded.rules()
            );
            for leaps in [true, false] {
                let began = cpu_time();
                let mut fast = Fast::new(&graph);
                let end = fast.run(Limits { leaps, ..Limits::steps(2_000_000_000) });
                let (steps, time) = (fast.steps(), cpu_time() - began);
                let rate = steps as f64 / time;
                println!(
                    "leaps {leaps}: {end:?} after {steps} steps, {:.1} ms, {rate:.2} G steps/s",
                    time / 1e6
                );
            }
        }
        ["search", width, height, rest @ ..] => {
            let mode = if rest.contains(&"plain") { Mode::Plain } else { Mode::Orchestrated };
            let (width, height) = (width.parse().unwrap(), height.parse().unwrap());
            let plan = Plan { width, height, mode, max_steps: 1_000_000, check: false };
            let mut totals = Totals::default();
            let mut valid = 0;
            for start in canon::starts(&plan).unwrap() {
                if rest.contains(&"check") {
                    let (found, checks) = Engine::search(start, plan.max_steps, Checks::default());
                    totals.add(&found);
                    valid += checks.valid;
                } else {
                    totals.add(&Engine::search(start, plan.max_steps, ()).0);
                }
            }
            println!("{}", report::totals_text(&plan, &totals));
            println!("{valid} certificates valid, {:?}", began.elapsed());
        }
        programs => {
            for text in programs {
                let began = Instant::now();
                let grid: Grid = text.parse().unwrap();
                let verdict = decide(&grid, Effort::default());
                println!("{} ({:?})", report::verdict_text(&grid, &verdict), began.elapsed());
            }
        }
    }
}
