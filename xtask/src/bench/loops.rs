//! The loop finder, in this process: units a second, and whether long histories cost more a unit.

use analyses::grammar;
use analyses::loops::{LoopFinder, Options};
use serde_json::json;
use testing::sequitur::Sequitur;

use super::measure::{median, seconds};
use super::table::{Row, Table};
use super::{real, words};
use crate::sh::Outcome;

const SHORT: usize = 1_000_000;
const LONG: usize = 10_000_000;
const VERY_LONG: usize = 100_000_000;
/// Time a unit at 10 M to that at 1 M.
const MOST_GROWTH: f64 = 1.5;
/// The same at 100 M, where nothing fits into any cache.
const MOST_LONG_GROWTH: f64 = 2.0;

/// How an input is made, what it is called and how many million units a second it must reach.
type Input = (&'static str, fn(usize) -> Vec<u32>, f64);

const INPUTS: [Input; 9] = [
    ("one block", words::one_block, 150.0),
    ("nested loops", words::nested, 150.0),
    ("growing sweep", words::growing_sweep, 150.0),
    ("phases of nested loops", words::phases, 1.0),
    ("random, 2 symbols", |len| words::random(len, 2, 2), 10.0),
    ("random, 4 symbols", |len| words::random(len, 4, 4), 10.0),
    ("random, 16 symbols", |len| words::random(len, 16, 16), 10.0),
    ("random, 256 symbols", |len| words::random(len, 256, 256), 10.0),
    ("square-free", words::square_free, 10.0),
];

/// Histories that were once quadratic, or look as if they might be.
const HARD: [Input; 7] = [
    ("nests of 10 levels", words::nests_of_ten, 5.0),
    ("period doubling", words::period_doubling, 5.0),
    ("Fibonacci", words::fibonacci, 5.0),
    ("Thue-Morse", words::thue_morse, 5.0),
    ("de Bruijn", words::de_bruijn, 5.0),
    ("square-free", words::square_free, 5.0),
    ("source tokens", real::source_tokens, 5.0),
];

/// Histories written as rules, against Sequitur: how many symbols it takes.
pub(crate) fn run_rules(table: &mut Table) -> Outcome {
    for (name, units) in real::histories() {
        let rules = grammar::of(&find(&units).summary());
        let mut sequitur = Sequitur::default();
        units.iter().for_each(|&unit| sequitur.push(unit));
        let (ours, theirs) = (rules.symbols(), sequitur.symbols());
        table.push(Row {
            what: format!("rules, {name}, {} units", units.len()),
            ours: format!("{ours} symbols"),
            peer: format!("{theirs} in Sequitur"),
            ratio: Some(ours as f64 / theirs as f64),
            target: "<= 1".into(),
            reached: Some(ours <= theirs),
            samples: json!({ "units": units.len(), "rules": rules.rules.len() }),
        });
    }
    for (name, make, _) in HARD.into_iter().chain([INPUTS[5]]) {
        let (short, long) = (find(&make(SHORT)).summary(), find(&make(LONG)).summary());
        let (at_short, at_long) = (seconds(3, || grammar::of(&short)), seconds(1, || grammar::of(&long)));
        let growth = median(&at_long) / LONG as f64 / (median(&at_short) / SHORT as f64);
        table.push(Row {
            what: format!("rules, {name}, time a unit, 10 M : 1 M"),
            ours: format!("{growth:.2}"),
            peer: format!("{:.1} M units/s", LONG as f64 / median(&at_long) / 1e6),
            ratio: Some(growth),
            target: format!("<= {MOST_LONG_GROWTH}"),
            reached: Some(growth <= MOST_LONG_GROWTH),
            samples: json!({ "short": at_short, "long": at_long }),
        });
    }
    Ok(())
}

/// Three rows for each input: the rate at 1 M, the rate at 10 M, and the growth between them.
pub(crate) fn run(table: &mut Table) -> Outcome {
    let hard = HARD.iter().filter(|hard| INPUTS.iter().all(|usual| usual.0 != hard.0));
    for input in INPUTS.iter().chain(hard) {
        // Turn by turn: five short runs and a long one, three times.
        rows(table, *input, (LONG, "10 M"), 3, MOST_GROWTH);
    }
    Ok(())
}

/// The same at 1 M and at 100 M, which takes minutes and some GB.
pub(crate) fn run_long(table: &mut Table) -> Outcome {
    for input in HARD {
        rows(table, input, (VERY_LONG, "100 M"), 1, MOST_LONG_GROWTH);
    }
    Ok(())
}

fn rows(table: &mut Table, input: Input, (length, length_name): (usize, &str), rounds: usize, most: f64) {
    let (name, make, target) = input;
    let short = make(SHORT);
    let long = make(length);
    let (mut at_short, mut at_long, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        at_short.extend(seconds(5, || find(&short)));
        at_long.extend(seconds(1, || find(&long)));
        plain.extend(seconds(1, || sum(&long)));
    }
    let rate = |len: usize, samples: &[f64]| len as f64 / median(samples) / 1e6;
    let limit = rate(length, &plain);
    for (len, label, samples) in [(SHORT, "1 M", &at_short), (length, length_name, &at_long)] {
        let ours = rate(len, samples);
        table.push(Row {
            what: format!("loops, {name}, {label}"),
            ours: format!("{ours:.1} M units/s"),
            peer: format!("{limit:.0} M units/s summed"),
            ratio: Some(ours / limit),
            target: format!(">= {target:.0} M units/s"),
            reached: Some(ours >= target),
            samples: json!({ "seconds": samples, "units": len, "sum_seconds": plain }),
        });
    }
    let growth = (median(&at_long) / length as f64) / (median(&at_short) / SHORT as f64);
    table.push(Row {
        what: format!("loops, {name}, time a unit, {length_name} : 1 M"),
        ours: format!("{growth:.2}"),
        peer: String::new(),
        ratio: Some(growth),
        target: format!("<= {most}"),
        reached: Some(growth <= most),
        samples: json!(null),
    });
}

/// Unit by unit, as a live program gives them. (`extend` runs through long loops at the speed of
/// memory, which shows more of the memory than of the finder.)
fn find(units: &[u32]) -> LoopFinder {
    let mut finder = LoopFinder::new(Options::default());
    for &unit in units {
        finder.push(unit);
    }
    finder
}

/// The plainest thing that looks at every unit: no analysis can be faster than this.
fn sum(units: &[u32]) -> u64 {
    units.iter().map(|&unit| u64::from(unit)).sum()
}
