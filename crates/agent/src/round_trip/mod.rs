//! What path mode records is read back as the very blocks that ran.
//!
//! A simulator walks through methods at random, with calls, exceptions and stack overflows inside the
//! recorder, runs the code that the plan inserts and keeps what it writes; the reader of captures reads
//! that. Methods are generated, and where a JDK is installed those of java.base are taken as well.

mod generated;
mod lost;
mod program;
mod simulator;

use capture::paths::MANY;
use capture::{CODE, Capture, Flow, STEPS, fixture};
use model::flow::{Entered, FlowStep, Left};
use model::flow_source::Anomalies;
use program::Program;
use simulator::{MOST_ITERATIONS, Simulator, Step};

/// How many times blocks ran that a record stands for.
fn iterations(times: u64) -> u64 {
    times / MANY * u64::try_from(MOST_ITERATIONS).unwrap() + times % MANY
}

/// Reads the words of many threads in one capture: the steps of each, one block a step.
fn read(program: &Program, threads: &[Vec<u32>]) -> Vec<Vec<Step>> {
    let mut chunks = Vec::new();
    for (serial, words) in (1..).zip(threads) {
        fixture::steps_file(&mut chunks, serial, words, words.len().max(1));
    }
    let files = fixture::sources(&[(CODE, program.code_file(threads.len())), (STEPS, chunks)]);
    let capture = Capture::open(files).unwrap();
    assert_eq!(capture.diagnostics, []);
    capture.threads.iter().map(|thread| steps_of(capture.flow(thread))).collect()
}

fn steps_of(mut flow: Flow) -> Vec<Step> {
    let mut steps = Vec::new();
    while let Some(step) = flow.next_step() {
        match step {
            // The simulator calls anything from anywhere: the names do not say.
            FlowStep::Enter { method, how: Entered::Call } => {
                steps.push(Step::Enter(method.0, Entered::Library));
            }
            FlowStep::Enter { method, how } => steps.push(Step::Enter(method.0, how)),
            FlowStep::Blocks { blocks, times } => {
                for _ in 0..iterations(times) {
                    steps.extend(blocks.iter().map(|&block| Step::Block(block)));
                }
            }
            FlowStep::Catch { block } => steps.push(Step::Catch(block)),
            FlowStep::Leave { how } => steps.push(Step::Leave(how)),
            FlowStep::Moment(_)
            | FlowStep::Clock(_)
            | FlowStep::Mark(_)
            | FlowStep::Values(_)
            | FlowStep::Task(_) => {}
            FlowStep::Gap { .. } | FlowStep::Inferred { .. } | FlowStep::Observed => panic!("{step:?}"),
        }
    }
    assert_eq!(flow.anomalies(), Anomalies::default());
    steps
}

/// What walks wrote: everything comes back, and a beginning of it from a beginning of the words.
fn check(program: &Program, walks: &[(u64, Simulator<'_>)]) -> usize {
    let each = |(seed, walk): &(u64, Simulator<'_>)| {
        let words = walk.words();
        let cut = words[..walk.boundary(*seed)].to_vec();
        [words, cut]
    };
    let threads: Vec<Vec<u32>> = walks.iter().flat_map(each).collect();
    let mut read = read(program, &threads).into_iter();
    let mut steps = 0;
    for (seed, walk) in walks {
        let truth = walk.steps();
        for is_cut in [false, true] {
            let mut read_back = read.next().unwrap();
            let whole = !is_cut && !walk.killed();
            // What was still open when everything ended.
            while !whole && read_back.last() == Some(&Step::Leave(Left::Open)) {
                read_back.pop();
            }
            let same = read_back.iter().zip(&truth).take_while(|(left, right)| left == right).count();
            if same < read_back.len() || whole && same < truth.len() {
                let from = same.saturating_sub(12);
                panic!(
                    "seed {seed}: differs at step {same}\nran   {:?}\nread  {:?}\n{}",
                    &truth[from..(same + 6).min(truth.len())],
                    &read_back[from..(same + 6).min(read_back.len())],
                    program.describe(&truth[..same]),
                );
            }
        }
        steps += truth.len();
    }
    steps
}

#[test]
fn generated_methods_come_back() {
    let mut steps = 0;
    for seed in 0..300 {
        let program = Program::of(&[generated::class(seed)], seed, seed % 2 == 1);
        let walk = |round| {
            let seed = seed * 100 + round;
            let mut walk = Simulator::new(&program, seed, 2000);
            walk.run();
            (seed, walk)
        };
        steps += check(&program, &(0..4).map(walk).collect::<Vec<_>>());
    }
    eprintln!("{steps} steps");
    assert!(steps > 500_000, "{steps}");
}

#[test]
fn methods_of_java_base_come_back() {
    let Some(classes) = program::java_base() else { return testing::skip("no JDK with jimage") };
    let (mut steps, mut methods, mut words) = (0, 0, 0);
    // All of them with `ROUND_TRIP_ALL`, every fifth lot every day.
    let stride = if std::env::var_os("ROUND_TRIP_ALL").is_some() { 1 } else { 5 };
    for (seed, classes) in (0..).zip(classes.chunks(40)).step_by(stride) {
        let program = Program::of(classes, seed, seed % 2 == 1);
        methods += program.len();
        let walk = |start| {
            let seed = seed * 1000 + start as u64;
            let mut walk = Simulator::new(&program, seed, 150);
            walk.run_method(start);
            (seed, walk)
        };
        let walks: Vec<_> = (0..program.len()).map(walk).collect();
        words += walks.iter().map(|(_, walk)| walk.words().len()).sum::<usize>();
        steps += check(&program, &walks);
    }
    eprintln!("{methods} methods, {steps} steps, {words} words");
    assert!(steps > 200_000);
}

/// Words that no recorder wrote: nothing panics, and what is read is bounded by what was given.
#[test]
fn damaged_records_do_no_harm() {
    let mut random = fastrand::Rng::with_seed(1);
    for seed in 0..60 {
        let program = Program::of(&[generated::class(seed)], seed, seed % 2 == 1);
        let mut walk = Simulator::new(&program, seed, 500);
        walk.run();
        if walk.words().is_empty() {
            continue; // every method was left alone
        }
        let mut threads = Vec::new();
        for _ in 0..20 {
            let mut words = walk.words();
            for _ in 0..1 + random.usize(..8) {
                if words.len() < 2 {
                    break;
                }
                let (at, from) = (random.usize(..words.len()), random.usize(..words.len()));
                match random.usize(..4) {
                    0 => words[at] ^= 1 << random.usize(..32),
                    1 => drop(words.remove(at)),
                    2 => words[at] = words[from],
                    _ => words.truncate(at + 1),
                }
            }
            words.iter_mut().filter(|word| **word == 0).for_each(|word| *word = 1);
            threads.push(words);
        }
        let mut chunks = Vec::new();
        for (serial, words) in (1..).zip(&threads) {
            fixture::steps_file(&mut chunks, serial, words, 1 + words.len() / 2);
        }
        let files = fixture::sources(&[(CODE, program.code_file(threads.len())), (STEPS, chunks)]);
        let capture = Capture::open(files).unwrap();
        for thread in &capture.threads {
            let (mut flow, mut open, mut steps) = (capture.flow(thread), 0, 0);
            while let Some(step) = flow.next_step() {
                match step {
                    FlowStep::Enter { .. } => open += 1,
                    FlowStep::Leave { .. } => open -= 1,
                    FlowStep::Blocks { blocks, .. } => assert!(open > 0 && !blocks.is_empty()),
                    _ => {}
                }
                steps += 1;
            }
            assert!(open == 0 && steps < 100_000, "{open} {steps}");
        }
    }
}
