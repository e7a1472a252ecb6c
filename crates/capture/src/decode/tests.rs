//! Words in, steps out: against what really happened, whole, cut and damaged.

use model::code::EdgeKind;
use model::flow::{Entered, Left};
use model::flow_source::{Anomalies, Mark};
use model::{FlowStep, Lost, MethodId, Timestamp};

use crate::fixture::{self, Happened, Program, Rng};
use crate::frame::Frame;
use crate::records::put_mark;
use crate::{CODE, Capture, End, Loss, OPEN, STEPS, pool, words};

mod corpus;
mod from;

pub(super) fn decoded(capture: &Capture) -> (Vec<Vec<Happened>>, Anomalies) {
    let mut anomalies = Anomalies::default();
    let mut threads = vec![];
    for thread in &capture.threads {
        let (mut flow, mut out) = (capture.flow(thread), vec![]);
        while let Some(step) = flow.next_step() {
            fixture::happened(&step, &mut out);
        }
        anomalies += flow.anomalies();
        threads.push(out);
    }
    (threads, anomalies)
}

pub(super) fn capture(files: &[(&str, Vec<u8>)]) -> Capture {
    Capture::open(fixture::sources(files)).unwrap()
}

/// A random run: its files, and what happened in each thread.
pub(super) fn random_run(seed: u64, words: usize, chunk: usize) -> (Vec<u8>, Vec<u8>, Vec<fixture::Thread>) {
    let mut rng = Rng(seed * 0x9e37_79b9 + 1);
    let methods = 1 + rng.roll(12);
    let program = Program::random(&mut rng, methods);
    let threads: Vec<fixture::Thread> =
        (0..1 + seed % 3).map(|_| fixture::run(&program, &mut rng, words)).collect();
    let mut steps = vec![];
    for (index, thread) in threads.iter().enumerate() {
        fixture::steps_file(&mut steps, index as u32 + 1, &thread.words, chunk);
    }
    let mut code = program.code_file(threads.len() as u32);
    let words = threads.iter().map(|thread| thread.words.len() as u64).sum();
    End { reason: "killed".into(), time: 9, words, lost: 0, failed: false, instrumented: 0, lost_to: [0, 0] }
        .put(&mut code);
    (code, steps, threads)
}

#[test]
fn what_happened_comes_back() {
    for seed in 0..400 {
        let (code, steps, threads) = random_run(seed, 2_000, 300);
        let capture = capture(&[(CODE, code), (STEPS, steps)]);
        assert_eq!(capture.diagnostics, [], "seed {seed}");
        let (steps, anomalies) = decoded(&capture);
        for (got, thread) in steps.iter().zip(&threads) {
            let at = got.iter().zip(&thread.happened).position(|(got, want)| got != want);
            let enclosing =
                at.map(|at| (&got[at.saturating_sub(4)..=at], &thread.happened[at.saturating_sub(4)..=at]));
            assert_eq!(enclosing, None, "seed {seed}, step {at:?}");
            assert_eq!(got.len(), thread.happened.len(), "seed {seed}");
        }
        assert_eq!((anomalies.unknown_records, anomalies.unseen_beginnings), (0, 0), "seed {seed}");
    }
}

/// The steps up to a mark are those of a recording that ended there, or behind the record in whose middle it is.
#[test]
fn a_mark_comes_where_it_was_set() {
    const LONGEST_RECORD: usize = 4;
    let (mut within, mut exact) = (0, 0);
    for seed in 0..100 {
        let (code, steps, threads) = random_run(seed, 1_000, 170);
        let mut rng = Rng(seed + 77);
        let words: Vec<u32> = threads.iter().map(|thread| rng.roll(thread.words.len() as u32 + 1)).collect();
        let positions = (1..).zip(&words).map(|(serial, words)| (serial, (words / 170, words % 170)));
        let mark = Mark { text: "here".into(), time: Timestamp(1), positions: positions.collect() };
        let mut with_mark = code.clone();
        put_mark(&mark, &mut with_mark);
        let marked = capture(&[(CODE, with_mark), (STEPS, steps)]);
        for (index, (thread, words)) in threads.iter().zip(words).enumerate() {
            let mut flow = marked.flow(&marked.threads[index]);
            let (mut got, mut marks) = (vec![], vec![]);
            while let Some(step) = flow.next_step() {
                if step == FlowStep::Mark(0) {
                    marks.push(got.len());
                }
                fixture::happened(&step, &mut got);
            }
            let [at] = marks[..] else { panic!("seed {seed}: the mark came {} times", marks.len()) };
            let ended_after = |words: usize| {
                let mut cut = vec![];
                let words = words.min(thread.words.len());
                fixture::steps_file(&mut cut, index as u32 + 1, &thread.words[..words], 170);
                let (mut all, _) = decoded(&capture(&[(CODE, code.clone()), (STEPS, cut)]));
                let mut all = all.get_mut(index).map(std::mem::take).unwrap_or_default();
                while all.last() == Some(&Happened::Leave(Left::Open)) {
                    all.pop();
                }
                all
            };
            let fits = (0..LONGEST_RECORD).find(|more| ended_after(words as usize + more) == got[..at]);
            let more = fits.unwrap_or_else(|| panic!("seed {seed}, thread {index}, after {words} words"));
            exact += usize::from(more == 0);
            within += usize::from(at > 0 && at < got.len());
        }
    }
    assert!(exact > 100 && within > 100, "{exact} between two records, {within} inside a thread");
}

/// How much happens in the first thread before each of these marks.
pub(super) fn steps_before_marks(code: &[u8], steps: &[u8], marks: &[Mark]) -> Vec<usize> {
    let mut code = code.to_vec();
    marks.iter().for_each(|mark| put_mark(mark, &mut code));
    let capture = capture(&[(CODE, code), (STEPS, steps.to_vec())]);
    let mut flow = capture.flow(&capture.threads[0]);
    let (mut found, mut happened) = (vec![], vec![]);
    while let Some(step) = flow.next_step() {
        match step {
            FlowStep::Mark(_) => found.push(happened.len()),
            step => fixture::happened(&step, &mut happened),
        }
    }
    found
}

#[test]
fn marks_in_one_chunk_come_each_where_it_would_come_alone() {
    let (mut several, mut apart) = (0, 0);
    for seed in 0..50 {
        let (code, steps, threads) = random_run(seed, 1_000, 170);
        let mut rng = Rng(seed + 5);
        let words = 170.min(threads[0].words.len() as u32);
        let mut at: Vec<u32> = (0..4).map(|_| rng.roll(words + 1)).collect();
        at.sort_unstable();
        let mark =
            |at: &u32| Mark { text: String::new(), time: Timestamp(1), positions: vec![(1, (0, *at))] };
        let alone: Vec<usize> =
            at.iter().flat_map(|at| steps_before_marks(&code, &steps, &[mark(at)])).collect();
        let marks: Vec<Mark> = at.iter().map(mark).collect();
        assert_eq!(steps_before_marks(&code, &steps, &marks), alone, "seed {seed}: {at:?}");
        several += 1;
        apart += usize::from(alone.windows(2).all(|pair| pair[0] < pair[1]));
    }
    assert!(several == 50 && apart > 10, "{apart} with steps between all marks");
}

#[test]
fn a_mark_that_lists_a_thread_nowhere_comes_before_it_or_after_it() {
    let (code, steps, threads) = random_run(3, 1_000, 170);
    let all = threads[0].happened.len();
    // The chunks of a run begin at 1,000 ns.
    for (time, comes_before) in [(1, true), (1_000, true), (1_001, false), (1 << 40, false)] {
        let mark = Mark { text: String::new(), time: Timestamp(time), positions: vec![] };
        let found = steps_before_marks(&code, &steps, &[mark]);
        let [count] = found[..] else { panic!("{found:?}") };
        assert!(if comes_before { count == 0 } else { count > 0 }, "at {time}: {count} of {all}");
    }
}

#[test]
fn how_far_a_thread_has_come_is_told_in_words() {
    let (code, mut steps, threads) = random_run(11, 20_000, 700);
    let read = |steps: &[u8]| {
        let capture = capture(&[(CODE, code.clone()), (STEPS, steps.to_vec())]);
        let mut flow = capture.flow(&capture.threads[0]);
        let mut taken = vec![flow.taken()];
        while flow.next_step().is_some() {
            taken.push(flow.taken());
        }
        assert_eq!(taken[0], 0);
        assert!(taken.is_sorted());
        taken
    };
    let words = threads[0].words.len() as u64;
    let taken = read(&steps);
    assert_eq!(taken.last(), Some(&words));
    assert!(taken[1] < words / 2, "steps come long before all words were taken");
    steps[60] ^= 1; // in the words of the first chunk
    assert_eq!(read(&steps).last(), Some(&(words - 700)));
}

#[test]
fn chunks_may_lie_in_any_order() {
    for seed in 0..40 {
        let (code, steps, threads) = random_run(seed, 600, 20);
        let mut frames = vec![];
        let mut rest = &steps[..];
        while let Some(frame) = Frame::read(rest) {
            let (frame, after) = rest.split_at(frame.before_body + frame.body as usize);
            frames.push(frame);
            rest = after;
        }
        assert!(rest.is_empty() && frames.len() >= 30 * threads.len());
        let mut rng = Rng(seed + 1);
        (1..frames.len()).rev().for_each(|at| frames.swap(at, rng.roll(at as u32 + 1) as usize));
        let shuffled = frames.concat();
        assert_ne!(shuffled, steps);
        let [shuffled, steps] =
            [shuffled, steps].map(|steps| capture(&[(CODE, code.clone()), (STEPS, steps)]));
        assert_eq!(shuffled.diagnostics, [], "seed {seed}");
        assert_eq!(decoded(&shuffled).0, decoded(&steps).0, "seed {seed}");
    }
}

/// `got` without its gaps and the ends that nothing records is a beginning of `want`.
fn is_prefix(got: &[Happened], want: &[Happened]) -> bool {
    let unseen =
        |step: &&Happened| !matches!(step, Happened::Gap(_) | Happened::Leave(Left::Unseen | Left::Open));
    let (got, want): (Vec<_>, Vec<_>) =
        (got.iter().filter(unseen).collect(), want.iter().filter(unseen).collect());
    want.starts_with(&got)
}

#[test]
fn steps_cut_at_any_length_give_a_prefix() {
    let (code, steps, threads) = random_run(7, 600, 50);
    for cut in 0..=steps.len() {
        let capture = capture(&[(CODE, code.clone()), (STEPS, steps[..cut].to_vec())]);
        let (got, _) = decoded(&capture);
        for (got, thread) in got.iter().zip(&threads) {
            assert!(is_prefix(got, &thread.happened), "cut at {cut}");
        }
    }
}

#[test]
fn code_cut_at_any_length_does_no_harm() {
    let (code, steps, _) = random_run(8, 100, 50);
    for cut in 0..=code.len() {
        let capture = capture(&[(CODE, code[..cut].to_vec()), (STEPS, steps.clone())]);
        let (_, anomalies) = decoded(&capture);
        let complete = cut == code.len();
        assert_eq!(
            capture.diagnostics.is_empty(),
            complete,
            "cut at {cut}: {:?} {anomalies:?}",
            capture.diagnostics
        );
    }
}

#[test]
fn a_damaged_chunk_is_a_counted_gap() {
    let (code, mut steps, _) = random_run(9, 200, 50);
    steps[60] ^= 1; // in the words of the first chunk
    let capture = capture(&[(CODE, code), (STEPS, steps)]);
    let (got, anomalies) = decoded(&capture);
    assert_eq!(anomalies.damaged_records, 50);
    assert!(got.iter().any(|thread| thread.contains(&Happened::Gap(Lost::Events(50)))));
}

#[test]
fn the_pool_gives_what_steps_have_not() {
    let (mut code, steps, threads) = random_run(10, 90, 50);
    code.truncate(code.len() - 1); // no orderly end
    let mut first = vec![];
    fixture::steps_file(&mut first, 1, &threads[0].words[..50], 50);
    let mut open = pool::head(&[pool::SlotSize { bytes: 4096, slots: 3 }], [0; 2]);
    let mut slot = |number, state, words: &[u32]| {
        let at = open.len();
        open.extend_from_slice(&pool::slot_head(1, number, state, 0, 5));
        open.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        open.resize(at + 4096, 0);
    };
    slot(0, pool::FULL, &threads[0].words[..50]); // it stands in `steps` already
    slot(1, pool::IN_USE, &threads[0].words[50..]);
    slot(2, pool::FREE, &[]);
    assert_eq!(steps.len().min(first.len()), first.len());
    let whole = capture(&[(CODE, code.clone()), (STEPS, first.clone()), (OPEN, open.clone())]);
    assert_eq!(decoded(&whole).0[0], threads[0].happened);
    let codes: Vec<&str> = whole.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["capture-cut", "capture-no-end"]);
    for cut in 0..open.len() {
        if cut % 7 == 0 || cut > pool::HEAD && cut < pool::HEAD + 600 {
            let capture =
                capture(&[(CODE, code.clone()), (STEPS, first.clone()), (OPEN, open[..cut].to_vec())]);
            assert!(is_prefix(&decoded(&capture).0[0], &threads[0].happened), "cut at {cut}");
        }
    }
}

/// A pool without slots, and with these tails: bytes that were written, bytes behind them.
fn pool_with_tails(tails: [(usize, &[u8]); 2]) -> Vec<u8> {
    let capacity = tails.map(|(_, bytes)| bytes.len().next_multiple_of(4096));
    let mut open = pool::head(&[], capacity.map(|capacity| capacity as u32));
    for ((at, capacity), (written, bytes)) in pool::tail::AT.into_iter().zip(capacity).zip(tails) {
        let mut set = |field: usize, number: usize| {
            open[at + field..][..8].copy_from_slice(&(number as u64).to_le_bytes());
        };
        set(pool::tail::WRITTEN, written);
        set(pool::tail::END, written + bytes.len());
        let start = open.len();
        open.extend_from_slice(bytes);
        open.resize(start + capacity, 0);
    }
    open
}

#[test]
fn the_tails_give_what_the_files_have_not() {
    let (code, steps, threads) = random_run(14, 300, 50);
    let mut rng = Rng(5);
    for _ in 0..60 {
        let [in_code, in_steps] = [&code, &steps].map(|file| rng.roll(file.len() as u32 + 1) as usize);
        let open = pool_with_tails([(in_code, &code[in_code..]), (in_steps, &steps[in_steps..])]);
        // Killed in the middle of writing, or before that was recorded: some of the tail is in the file, too.
        let more = rng.roll((steps.len() - in_steps) as u32 + 1) as usize;
        let files = [
            (CODE, code[..in_code].to_vec()),
            (STEPS, steps[..in_steps + more].to_vec()),
            (OPEN, open.clone()),
        ];
        let whole = capture(&files);
        assert_eq!(whole.diagnostics, [], "{in_code} {in_steps} {more}");
        for (got, thread) in decoded(&whole).0.iter().zip(&threads) {
            assert_eq!(*got, thread.happened);
        }
        // What comes after a file that was cut is not put in its place.
        if in_steps > 0 {
            let cut = capture(&[files[0].clone(), (STEPS, steps[..in_steps - 1].to_vec()), (OPEN, open)]);
            for (got, thread) in decoded(&cut).0.iter().zip(&threads) {
                assert!(is_prefix(got, &thread.happened));
            }
        }
    }
}

#[test]
fn a_tail_that_cannot_be_is_none() {
    let (code, steps, _) = random_run(14, 100, 50);
    let of = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut open = pool_with_tails([(code.len(), &[]), (100, &steps[100..])]);
        change(&mut open);
        let capture = capture(&[(CODE, code.clone()), (STEPS, steps[..100].to_vec()), (OPEN, open)]);
        capture.threads.iter().map(|thread| thread.words()).sum::<u64>()
    };
    let [_, at] = pool::tail::AT;
    let all = of(&|_| ());
    let numbers = [(pool::tail::WRITTEN, u64::MAX), (pool::tail::END, u64::MAX), (pool::tail::END, 99)];
    for (field, number) in numbers {
        let less = of(&|open| open[at + field..][..8].copy_from_slice(&number.to_le_bytes()));
        assert!(less < all, "{field} {number}");
    }
    for capacity in [0, 4, u32::MAX] {
        let less = of(&|open| open[at + pool::tail::BYTES..][..4].copy_from_slice(&capacity.to_le_bytes()));
        assert!(less < all, "{capacity}");
    }
    assert!(of(&|open| open.truncate(pool::HEAD + 50)) < all);
    assert!(of(&|open| open.truncate(50)) < all);
}

#[test]
fn a_missing_chunk_and_a_loss_are_gaps() {
    let (code, _, threads) = random_run(12, 150, 50);
    let mut steps = vec![];
    fixture::steps_file(&mut steps, 1, &threads[0].words[..100], 50);
    let second = {
        let mut walked = crate::walk::Walk::new(&steps);
        walked.next();
        let Some(crate::walk::Step::Frame(found)) = walked.next() else { panic!("two chunks") };
        found.offset as usize
    };
    let mut code = code;
    Loss { thread: 1, before_chunk: 2, words: 77, reason: "full".into() }.put(&mut code);
    let capture = capture(&[(CODE, code), (STEPS, steps[second..].to_vec())]);
    let (got, _) = decoded(&capture);
    assert_eq!(got[0][0], Happened::Gap(Lost::Unknown));
    assert!(got[0].contains(&Happened::Gap(Lost::Events(77))), "{got:?}");
}

#[test]
fn files_that_are_missing_are_told() {
    assert!(Capture::open(vec![]).is_err());
    let (code, steps, _) = random_run(3, 50, 50);
    let without = capture(&[(STEPS, steps)]);
    assert_eq!(
        without.diagnostics[0].sentence,
        "The file `code` is missing, and with it the names of everything that ran."
    );
    assert!(decoded(&without).1.unknown_records > 0);
    let without = capture(&[(CODE, code)]);
    assert_eq!(
        without.diagnostics[0].sentence,
        "The file `steps` is missing, and with it all completed chunks."
    );
}

#[test]
fn a_later_version_is_refused() {
    let mut body = vec![];
    source::bytes::put_number(&mut body, u64::from(crate::VERSION) + 1);
    let mut code = vec![];
    crate::frame::put(&mut code, crate::frame::kind::HEADER, 0, &[], &body);
    let error = Capture::open(fixture::sources(&[(CODE, code)])).unwrap_err();
    assert_eq!(error.to_string(), "The capture has format version 2; this program reads version 1 only.");
}

/// Two methods, `f` (blocks 0, 1 -> 2 or handler 3) and `g` (one block), words written by hand.
#[test]
fn frames_that_were_open_before_are_unseen() {
    let mut rng = Rng(5);
    let mut program = Program::random(&mut rng, 4);
    // A line of three blocks without calls, for a frame that was running when recording began.
    let f = &mut program.records[0];
    let block = f.method.blocks[0].clone();
    f.method.blocks = (0..3)
        .map(|at| model::code::Block {
            ending: if at == 2 { model::code::Ending::Return } else { model::code::Ending::FallThrough },
            is_handler: false,
            ..block.clone()
        })
        .collect();
    let edge = |from, to| model::code::Edge { from, to, kind: EdgeKind::Next };
    (f.method.edges, f.method.exception_edges) = (vec![edge(0, 1), edge(1, 2)], vec![]);
    (f.owned, f.block_flags, f.first) = (6, vec![0, 0, 1], 900);
    let written = [words::block(900, 1), words::block(900, 2), words::block(900, 0), words::block(900, 1)];
    let mut steps = vec![];
    fixture::steps_file(&mut steps, 1, &written, 10);
    let capture = capture(&[(CODE, program.code_file(1)), (STEPS, steps)]);
    let (got, anomalies) = decoded(&capture);
    use Happened::{Block, Enter, Leave};
    let unseen = Enter(MethodId(0), Entered::Unseen);
    let (returned, open) = (Leave(Left::Returned), Leave(Left::Open));
    assert_eq!(got[0], [unseen, Block(1), Block(2), returned, unseen, Block(0), Block(1), open]);
    assert_eq!(anomalies.unseen_beginnings, 2);
}

#[test]
fn moments_stand_at_the_ends_of_chunks() {
    let (code, steps, _) = random_run(3, 100, 50);
    let capture = capture(&[(CODE, code), (STEPS, steps)]);
    let (mut flow, mut moments) = (capture.flow(&capture.threads[0]), vec![]);
    while let Some(step) = flow.next_step() {
        if let FlowStep::Moment(time) = step {
            moments.push(time.0);
        }
    }
    assert_eq!(moments, [1_000, 1_099, 1_100, 1_199]);
}

#[test]
fn any_words_give_frames_that_nest_and_blocks_that_follow_edges() {
    for seed in 1..300 {
        let mut rng = Rng(seed * 0x9e37_79b9);
        let program = Program::random(&mut rng, 8);
        let most = program.records.iter().map(|record| record.first + record.owned).max().unwrap();
        let words: Vec<u32> = (0..500).map(|_| 1 + rng.roll(most + 1)).collect();
        let mut steps = vec![];
        fixture::steps_file(&mut steps, 1, &words, 100);
        let capture = capture(&[(CODE, program.code_file(1)), (STEPS, steps)]);
        // Each open frame: its method and the block it stands in, where that is known.
        let mut frames: Vec<(MethodId, Option<u32>)> = vec![];
        for step in &decoded(&capture).0[0] {
            match *step {
                Happened::Enter(method, how) => {
                    assert_eq!(
                        how == Entered::Outermost,
                        frames.is_empty() && how != Entered::Unseen,
                        "seed {seed}"
                    );
                    frames.push((method, None));
                }
                Happened::Block(to) | Happened::Catch(to) => {
                    let (method, position) = frames.last_mut().unwrap();
                    let about = capture.code.method(*method).unwrap();
                    if let Some(from) = *position {
                        let by_edge = about.edges.iter().any(|edge| (edge.from, edge.to) == (from, to));
                        let thrown = about.exception_edges.contains(&(from, to));
                        let caught = matches!(step, Happened::Catch(_));
                        assert!(if caught { thrown } else { by_edge }, "seed {seed}: {from} to {to}");
                    }
                    *position = Some(to);
                }
                Happened::Leave(_) => assert!(frames.pop().is_some(), "seed {seed}"),
                Happened::Gap(_) => frames.iter_mut().for_each(|frame| frame.1 = None),
            }
        }
        assert!(frames.is_empty(), "seed {seed}");
    }
}
