//! Whether threads get in each other's way: two that do the same against one, with and without the recorder.
//!
//! ```text
//! a processor for each thread   two threads on two processors, and one on one: what the recorder does besides has to
//!                               be done there as well, so this is what more threads on more processors cost
//! two processors for both       one thread leaves the other processor to the recorder's writer, two do not
//! ```
//!
//! How well two threads of the program itself get on changes with what else the machine does, from one minute to
//! the next, and with what the compilers made of the kernel in this virtual machine. So each sample without a
//! recorder is compared with the sample with one beside it, and all begins anew with other machines a few times.

use serde_json::json;

use super::java::{Jvm, Mode, PATHS, Program};
use super::{Size, row};
use crate::bench::measure::{median, median_ratio};
use crate::bench::table::Table;
use crate::sh::{Outcome, Trouble};

/// Two threads may take so much longer, compared with one, than they do without a recorder.
const MOST: f64 = 1.2;

/// How often new virtual machines are started.
const LIVES: usize = 3;

/// With and without a recorder: the program that has all processors, and the one that has one.
struct Pair {
    all: Jvm,
    one: Jvm,
}

/// Milliseconds until all are done, and how long each thread ran.
#[derive(Clone, Copy)]
struct Sample {
    two: (f64, f64),
    one: (f64, f64),
    /// One thread with one processor.
    pinned: (f64, f64),
}

pub(super) fn run(table: &mut Table, program: &Program, size: Size) -> Outcome {
    for kernel in ["sort", "interpreter", "trees"] {
        eprintln!("jvm: threads, {kernel}");
        let (mut samples, mut records) = ([Vec::new(), Vec::new()], (0.0, 0.0));
        for _ in 0..LIVES {
            live(program, kernel, size, &mut samples, &mut records)?;
        }
        let (recorded, lost) = records;
        let dropped = 100.0 * lost / (recorded + lost).max(1.0);
        let of = |factor: fn(&Sample) -> f64| {
            samples.each_ref().map(|samples| samples.iter().map(factor).collect::<Vec<f64>>())
        };
        let pinned = of(|sample| sample.two.0 / sample.pinned.0);
        let shared = of(|sample| sample.two.0 / sample.one.0);
        let ran = of(|sample| sample.two.1 / sample.one.1);
        let mut show = |what: &str, factors: [Vec<f64>; 2], more: String| {
            let [none, paths] = factors.each_ref().map(|factors| median(factors));
            let ratio = median_ratio(&factors[1], &factors[0]);
            table.push(row(
                &format!("jvm, {kernel}, two threads to one, {what}"),
                format!("paths {paths:.2} times as long; {more}"),
                format!("none {none:.2}"),
                Some(ratio),
                format!("<= {MOST}"),
                Some(ratio <= MOST),
                json!(factors),
            ));
        };
        show("a processor for each", pinned, format!("dropped {dropped:.0} %"));
        let [none, paths] = ran.each_ref().map(|ran| median(ran));
        show(
            "two processors",
            shared,
            format!("each ran {paths:.2} times as long, without a recorder {none:.2}"),
        );
    }
    Ok(())
}

/// Samples of new virtual machines, without and with a recorder, and the records that were kept and lost.
fn live(
    program: &Program,
    kernel: &str,
    size: Size,
    samples: &mut [Vec<Sample>; 2],
    (recorded, lost): &mut (f64, f64),
) -> Outcome {
    let mut pairs = [Pair::start(program, Mode::None)?, Pair::start(program, PATHS)?];
    for Pair { all, one } in &mut pairs {
        all.run(kernel, size.warm)?;
        all.ask(&format!("threads {kernel} {} 2", size.warm))?;
        one.run(kernel, size.warm)?;
        one.ask(&format!("threads {kernel} {} 1", size.warm * 2))?;
    }
    let before = pairs[1].all.records()?;
    for _ in 0..size.rounds * 2 + 1 {
        for (pair, samples) in pairs.iter_mut().zip(&mut *samples) {
            let times = size.runs * 4;
            let (two, one) = (took(&mut pair.all, kernel, times, 2)?, took(&mut pair.all, kernel, times, 1)?);
            samples.push(Sample { two, one, pinned: took(&mut pair.one, kernel, times, 1)? });
        }
    }
    let after = pairs[1].all.records()?;
    (*recorded, *lost) = (*recorded + after.0 - before.0, *lost + after.1 - before.1);
    pairs.into_iter().try_for_each(|pair| pair.all.end().and(pair.one.end()))
}

impl Pair {
    fn start(program: &Program, mode: Mode) -> Result<Pair, Trouble> {
        let all = Jvm::start(program, mode, &[])?;
        let mut one = Jvm::start_as(program, mode, &[], "one-processor")?;
        // Only who has answered has all its threads.
        one.ask("list")?;
        one.pin()?;
        Ok(Pair { all, one })
    }
}

/// How long a kernel takes, run so many times in so many threads at once.
fn took(jvm: &mut Jvm, kernel: &str, times: usize, threads: usize) -> Result<(f64, f64), Trouble> {
    let answer = jvm.ask(&format!("threads {kernel} {times} {threads}"))?;
    let took = answer.split_once(' ').and_then(|(long, each)| Some((long.parse().ok()?, each.parse().ok()?)));
    took.ok_or_else(|| Trouble::Wrong(format!("`{answer}` are no times")))
}
