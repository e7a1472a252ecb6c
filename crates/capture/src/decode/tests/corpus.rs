//! Captures that were kept: what could be read once, from the first released version on, can always be read.

use expect_test::expect;
use model::flow::{Entered, Left};
use model::flow_source::Anomalies;
use model::{FlowStep, MethodId};

use super::{capture, decoded, pool_with_tails, random_run};
use crate::{CODE, Encoding, OPEN, STEPS, fixture, fuzz, pool};

/// Where the kept inputs of the fuzz target `capture` lie.
fn corpus(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/capture").join(name)
}

/// A capture whose program was killed: the last words of a thread are in the pool, nothing was ended.
fn killed() -> [Vec<u8>; 3] {
    let (mut code, _, threads) = random_run(10, 90, 50);
    code.truncate(code.len() - 1);
    let mut steps = vec![];
    fixture::steps_file(&mut steps, 1, &threads[0].words[..50], 50);
    let mut open = pool::head(&[pool::SlotSize { bytes: 4096, slots: 1 }], [0; 2]);
    open.extend_from_slice(&pool::slot_head(1, 1, pool::IN_USE, 3, 5));
    open.extend(threads[0].words[50..].iter().flat_map(|word| word.to_le_bytes()));
    [code, steps, open]
}

#[test]
fn corpus_captures_read_as_they_always_did() {
    // What was kept once is never written over: it stands for files that are out there.
    if !corpus("killed").exists() {
        let [cut, first, open] = killed();
        std::fs::write(corpus("killed"), fuzz::join(&cut, &first, &open)).unwrap();
    }
    if !corpus("killed-in-pool").exists() {
        let (code, steps, _) = random_run(22, 300, 50);
        let (in_code, in_steps) = (code.len() / 3, steps.len() / 2);
        let open = pool_with_tails([(in_code, &code[in_code..]), (in_steps, &steps[in_steps..])]);
        let files = fuzz::join(&code[..in_code], &steps[..in_steps], &open);
        std::fs::write(corpus("killed-in-pool"), files).unwrap();
    }
    for (name, expected) in [
        (
            "killed",
            expect![[r#"
                12 methods, 2 threads, ["capture-cut", "capture-no-end"]
                thread 1 91 lost 3: 125 steps, at last [Leave(Returned), Block(2), Leave(Open)]
                thread 2 0 lost 0: 0 steps, at last []
            "#]],
        ),
        // The last bytes of both files in the pool.
        (
            "killed-in-pool",
            expect![[r#"
                5 methods, 2 threads, []
                thread 1 300 lost 0: 451 steps, at last [Leave(Open), Leave(Open), Leave(Open)]
                thread 2 300 lost 0: 443 steps, at last [Enter(MethodId(4), Outermost), Block(0), Leave(Open)]
            "#]],
        ),
        // Recorded: a program with one of each kind of thing, by paths, without and with a dictionary of words.
        (
            "paths",
            expect![[r#"
                26 methods, 2 threads, []
                main 88 lost 0: 225 steps, at last [Block(30), Block(31), Leave(Open)]
                worker 4 lost 0: 16 steps, at last [Block(1), Block(2), Leave(Returned)]
            "#]],
        ),
        (
            "dictionary",
            expect![[r#"
                26 methods, 2 threads, []
                main 88 lost 0: 225 steps, at last [Block(30), Block(31), Leave(Open)]
                worker 4 lost 0: 16 steps, at last [Block(1), Block(2), Leave(Returned)]
            "#]],
        ),
        // The bakery of the examples, with dictionaries of units of several words.
        (
            "long-units",
            expect![[r#"
                42 methods, 3 threads, []
                main 1067 lost 0: 2710 steps, at last [Block(24), Block(25), Leave(Returned)]
                baker 1 16672 lost 0: 59341 steps, at last [Leave(Returned), Block(2), Leave(Returned)]
                baker 2 8955 lost 0: 31545 steps, at last [Leave(Returned), Block(2), Leave(Returned)]
            "#]],
        ),
    ] {
        let [code, steps, open] = fuzz::split(&std::fs::read(corpus(name)).unwrap());
        let mut files = vec![(CODE, code), (STEPS, steps)];
        if !open.is_empty() {
            files.push((OPEN, open));
        }
        let capture = capture(&files);
        let codes: Vec<&str> = capture.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        let mut text =
            format!("{} methods, {} threads, {codes:?}\n", capture.code.methods.len(), capture.threads.len());
        for (thread, got) in capture.threads.iter().zip(decoded(&capture).0) {
            let last = &got[got.len().saturating_sub(3)..];
            text += &format!(
                "{} {} lost {}: {} steps, at last {last:?}\n",
                thread.name(),
                thread.words(),
                thread.lost(),
                got.len()
            );
        }
        expected.assert_eq(&text);
    }
}

/// Recorded: a method that records its blocks among those that record paths, and two loops with more iterations
/// than a word can hold.
#[test]
fn a_corpus_capture_of_blocks_among_paths_reads_as_it_always_did() {
    let [code, steps, _] = fuzz::split(&std::fs::read(corpus("blocks-and-paths")).unwrap());
    let capture = capture(&[(CODE, code), (STEPS, steps)]);
    assert_eq!(capture.diagnostics, []);
    let of_blocks = (0..capture.code.methods.len() as u32)
        .map(MethodId)
        .filter(|&method| capture.encoding(method) == Some(Encoding::Blocks))
        .map(|method| capture.code.method_name(method));
    assert_eq!(of_blocks.collect::<Vec<_>>(), ["Big.big"]);
    let mut flow = capture.flow(&capture.threads[0]);
    let (mut frames, mut threw, mut blocks, mut catches, mut most) = (0, 0, 0, 0, vec![]);
    while let Some(step) = flow.next_step() {
        match step {
            FlowStep::Enter { how, .. } => {
                frames += 1;
                assert_ne!(how, Entered::Unseen);
            }
            FlowStep::Blocks { blocks: list, times } => {
                blocks += list.len() as u64 * times;
                most.extend(Some(times).filter(|&times| times > 1 << 30));
            }
            FlowStep::Catch { .. } => catches += 1,
            FlowStep::Leave { how } => threw += u64::from(how == Left::Threw),
            _ => {}
        }
    }
    assert_eq!(flow.anomalies(), Anomalies::default());
    assert_eq!(most, [(1 << 32) - 1, 1 << 32]);
    expect!["1577 frames, 1 left by exceptions, 12884910595 blocks, 1 handlers"].assert_eq(&format!(
        "{frames} frames, {threw} left by exceptions, {} blocks, {catches} handlers",
        blocks + catches
    ));
}
