//! Words written by hand, where random runs do not come: calls alone, and words that fit nothing.

use model::code::{Block, CallKind, CallSite, Edge, EdgeKind, Ending};
use model::flow::{Entered, Left};
use model::flow_source::{Anomalies, Mark};
use model::{EdgeRole, Lost, MethodId, NumberedBlock, NumberedEdge, Numbering, Timestamp};

use super::tests::{capture, decoded, steps_before_marks};
use crate::fixture::Happened::{self, Enter, Gap, Leave};
use crate::fixture::{self, Program, Rng};
use crate::paths::{FOLLOWING, NO_STATE, put_numbering};
use crate::{CODE, Encoding, STEPS, words};

/// Method 0 has two blocks, after the first of which it calls method 1, of one block that calls nobody.
fn caller_and_callee() -> Program {
    let mut program = Program::random(&mut Rng(5), 2);
    let block = program.records[0].method.blocks[0].clone();
    let call = CallSite {
        class: String::new(),
        name: "m1".to_owned(),
        descriptor: "()V".to_owned(),
        kind: CallKind::Virtual,
    };
    for (record, endings) in
        program.records.iter_mut().zip([vec![Ending::Call(call), Ending::Return], vec![Ending::Return]])
    {
        let blocks = endings.into_iter().map(|ending| Block { ending, is_handler: false, ..block.clone() });
        record.method.blocks = blocks.collect();
        let count = record.method.blocks.len() as u32;
        record.method.edges = (1..count).map(|to| Edge { from: to - 1, to, kind: EdgeKind::Next }).collect();
        record.method.exception_edges = vec![];
        (record.owned, record.block_flags) = (words::owned(count), vec![0; count as usize]);
    }
    (program.records[0].first, program.records[1].first) = (100, 200);
    program
}

/// What the first thread of a program did that wrote these words.
fn decode(program: &Program, written: &[u32]) -> (Vec<Happened>, Anomalies) {
    let mut steps = vec![];
    fixture::steps_file(&mut steps, 1, written, written.len());
    let (got, anomalies) = decoded(&capture(&[(CODE, program.code_file(1)), (STEPS, steps)]));
    (got[0].clone(), anomalies)
}

#[test]
fn calls_alone_give_frames_without_blocks() {
    let mut program = caller_and_callee();
    program.records.iter_mut().for_each(|record| record.encoding = Encoding::Calls);
    let (f, g) = (MethodId(0), MethodId(1));
    let (enters, leaves) =
        ([words::entry(100), words::entry(200)], [words::returns(100, 2), words::returns(200, 1)]);
    let (returned, threw, open) = (Leave(Left::Returned), Leave(Left::Threw), Leave(Left::Open));
    let call = Enter(g, Entered::Call);
    let (got, anomalies) =
        decode(&program, &[enters[0], enters[1], leaves[1], enters[1], words::unwound(200, 1), leaves[0]]);
    assert_eq!(got, [Enter(f, Entered::Outermost), call, returned, call, threw, returned]);
    assert_eq!(anomalies, Anomalies::default());
    // A frame that left no word was left by an exception; g calls nobody itself; what is not over at the end is open.
    let (got, _) = decode(&program, &[enters[0], enters[1], leaves[0], enters[1], enters[0]]);
    let outermost = [Enter(f, Entered::Outermost), call, threw, returned];
    assert_eq!(got[..4], outermost);
    assert_eq!(got[4..], [Enter(g, Entered::Outermost), Enter(f, Entered::Library), open, open]);
    // A frame that was there before.
    let (got, anomalies) = decode(&program, &[leaves[1], leaves[0]]);
    assert_eq!(got, [Enter(g, Entered::Unseen), returned, Enter(f, Entered::Unseen), returned]);
    assert_eq!(anomalies, Anomalies { unseen_beginnings: 2, ..Anomalies::default() });
}

#[test]
fn words_that_fit_no_frame_are_counted() {
    let program = caller_and_callee();
    let unknown = 5_000;
    let (got, anomalies) =
        decode(&program, &[words::entry(100), unknown, words::entry(200), unknown, unknown]);
    let begin = [Enter(MethodId(0), Entered::Outermost), Happened::Block(0), Gap(Lost::Unknown)];
    assert_eq!(got[..3], begin);
    // After a gap nobody knows where f stands, but it may call g.
    assert_eq!(got[3..6], [Enter(MethodId(1), Entered::Call), Happened::Block(0), Gap(Lost::Unknown)]);
    assert_eq!(got[6..], [Leave(Left::Unseen), Leave(Left::Unseen)]);
    assert_eq!(anomalies, Anomalies { unknown_records: 3, ..Anomalies::default() });
    // The end of f ends g, too, of which after a loss nobody knows how it ended.
    let (got, anomalies) =
        decode(&program, &[words::entry(100), words::entry(200), unknown, words::block(100, 1)]);
    let after = [Leave(Left::Unseen), Happened::Block(1), Leave(Left::Open)];
    assert_eq!(got[got.len() - 3..], after, "{got:?}");
    assert_eq!(anomalies, Anomalies { unknown_records: 1, unseen_ends: 1, ..Anomalies::default() });
}

/// The same two methods, of which the callee records paths: one path through it, with the code 201.
fn callee_of_paths() -> Program {
    let mut program = caller_and_callee();
    let start = NumberedBlock { start: Some(1), fresh: true, ..NumberedBlock::default() };
    let numbering = Numbering { blocks: vec![start], edges: vec![], handlers: vec![], entry: None, codes: 2 };
    let callee = &mut program.records[1];
    (callee.encoding, callee.owned, callee.numbering) = (Encoding::Paths, numbering.codes, vec![]);
    put_numbering(&numbering, &mut callee.numbering);
    program
}

/// A mark that is set in the middle of a record comes after it, and cuts nothing off.
#[test]
fn a_mark_within_a_record_comes_behind_it() {
    const PATH: u32 = 201;
    let program = callee_of_paths();
    for following in [0, 1] {
        let record = [following << FOLLOWING | PATH, NO_STATE];
        let record = &record[..1 + following as usize];
        let written = [record, record].concat();
        let mut steps = vec![];
        fixture::steps_file(&mut steps, 1, &written, written.len());
        for at in 0..=written.len() as u32 {
            let mark = Mark { text: String::new(), time: Timestamp(1), positions: vec![(1, (0, at))] };
            let records = at.div_ceil(record.len() as u32) as usize;
            let found = steps_before_marks(&program.code_file(1), &steps, &[mark]);
            // Each is a call, its block and its return.
            assert_eq!(found, [3 * records], "{following} words follow, mark at {at}");
        }
    }
}

#[test]
fn records_that_make_no_sense_are_left_out_with_what_follows_them() {
    const PATH: u32 = 201;
    let of = |code: u32, following: u32| following << FOLLOWING | code;
    let program = callee_of_paths();
    let path = [Enter(MethodId(1), Entered::Outermost), Happened::Block(0), Leave(Left::Returned)];
    for (record, unknown) in [
        (vec![], 0),
        // Nobody's code.
        (vec![of(5_000, 0)], 1),
        (vec![of(5_000, 2), PATH, PATH], 3),
        (vec![of(5_000, 3), PATH, PATH, PATH], 4),
        // A path that is not followed by so many words.
        (vec![of(PATH, 2), NO_STATE, 2], 3),
        (vec![of(PATH, 3), NO_STATE, 2, 2], 4),
        // No method begins with these, and they belong to nobody.
        (vec![NO_STATE], 1),
        (vec![of(NO_STATE, 2), 5_000, 1], 3),
        (vec![of(NO_STATE, 3), 5_000, NO_STATE, 1], 4),
        (vec![of(NO_STATE, 3), 200, NO_STATE, 1], 4),
        // A method that records its blocks has at most one word after its entry, and none after the others.
        (vec![of(words::entry(100), 2), NO_STATE, NO_STATE], 3),
        (vec![of(words::block(100, 1), 1), NO_STATE], 2),
        // An exception on a path of nobody, or of another method.
        (vec![of(200, 2), 5_000, NO_STATE], 3),
        (vec![of(200, 2), words::entry(100), NO_STATE], 3),
        (vec![of(200, 1), PATH], 2),
        (vec![of(200, 0)], 1),
    ] {
        let (got, anomalies) = decode(&program, &[&record[..], &[PATH]].concat());
        let gap = Gap(Lost::Unknown);
        let expected: Vec<Happened> = (unknown > 0).then_some(gap).into_iter().chain(path).collect();
        assert_eq!(got, expected, "{record:?}");
        assert_eq!(anomalies, Anomalies { unknown_records: unknown, ..Anomalies::default() }, "{record:?}");
    }
    // A record goes over the end of its chunk.
    let (got, anomalies) = decode(&program, &[PATH, of(PATH, 2), NO_STATE]);
    assert_eq!(got, [&path[..], &[Gap(Lost::Unknown)]].concat());
    assert_eq!(anomalies.unknown_records, 2);
    // Where the position of the caller is invalid, the rest is recorded all the same.
    let (got, anomalies) = decode(&program, &[of(PATH, 1), 5_000]);
    assert_eq!((&got[..], anomalies.unknown_records), (&path[..], 1));
    let (got, anomalies) = decode(&program, &[of(NO_STATE, 1), 5_000, PATH]);
    assert_eq!((&got[..], anomalies.unknown_records), (&path[..], 1));
}

#[test]
fn an_exception_leaves_a_frame_that_began_with_its_record() {
    let program = callee_of_paths();
    let threw = [Enter(MethodId(1), Entered::Outermost), Happened::Block(0), Leave(Left::Threw)];
    for record in
        [vec![2 << FOLLOWING | 200, 201, NO_STATE], vec![3 << FOLLOWING | NO_STATE, 201, NO_STATE, 0]]
    {
        let (got, anomalies) = decode(&program, &record);
        assert_eq!((&got[..], anomalies), (&threw[..], Anomalies::default()), "{record:?}");
    }
    // Noted late of a method that records its blocks.
    let words = [words::entry(100), 3 << FOLLOWING | NO_STATE, words::unwound(100, 2), NO_STATE, 0];
    let (got, anomalies) = decode(&program, &words);
    assert_eq!(got, [Enter(MethodId(0), Entered::Outermost), Happened::Block(0), Leave(Left::Threw)]);
    assert_eq!(anomalies, Anomalies::default());
    // Any other of its words is no end.
    let words = [words::entry(100), 3 << FOLLOWING | NO_STATE, words::block(100, 1), NO_STATE, 0];
    let (_, anomalies) = decode(&program, &words);
    assert_eq!(anomalies, Anomalies { unknown_records: 4, ..Anomalies::default() });
}

/// Block 1 leads back to itself, and to block 2, which returns. Each iteration has a record.
fn looping() -> Program {
    let mut program = callee_of_paths();
    let record = &mut program.records[1];
    let block = record.method.blocks[0].clone();
    let endings = [Ending::FallThrough, Ending::Branch, Ending::Return];
    record.method.blocks = endings.map(|ending| Block { ending, ..block.clone() }).to_vec();
    let edge = |(from, to)| Edge { from, to, kind: EdgeKind::Next };
    record.method.edges = [(0, 1), (1, 1), (1, 2)].map(edge).to_vec();
    let none = NumberedBlock::default();
    let blocks = vec![
        NumberedBlock { start: Some(1), fresh: true, ..none },
        NumberedBlock { start: Some(2), ..none },
        none,
    ];
    let edges = [(EdgeRole::Cut, 0), (EdgeRole::Cut, 0), (EdgeRole::Through, 1)];
    let edges = edges.map(|(role, value)| NumberedEdge { role, value }).to_vec();
    let numbering = Numbering { blocks, edges, handlers: vec![], entry: None, codes: 4 };
    (record.owned, record.block_flags, record.numbering) = (numbering.codes, vec![0; 3], vec![]);
    put_numbering(&numbering, &mut record.numbering);
    program
}

/// A path from the middle of a method belongs to a frame whose beginning was not recorded.
#[test]
fn a_frame_that_began_unseen_is_counted() {
    for (word, left) in [(202, Left::Open), (203, Left::Returned)] {
        let (got, anomalies) = decode(&looping(), &[word]);
        assert_eq!(got.first(), Some(&Enter(MethodId(1), Entered::Unseen)), "{word}");
        assert_eq!(got.last(), Some(&Leave(left)), "{word}");
        assert_eq!(anomalies, Anomalies { unseen_beginnings: 1, ..Anomalies::default() }, "{word}");
    }
}

/// What a thread was in the middle of when the recording ended: at least the first block of a segment has begun.
#[test]
fn a_segment_that_has_begun_is_told() {
    let (begins, again, ends) = (201, 202, 203);
    let program = looping();
    for (words, blocks, left) in [
        (vec![begins], vec![0, 1], Left::Open),
        (vec![begins, again], vec![0, 1, 1], Left::Open),
        (vec![begins, again, again], vec![0, 1, 1, 1], Left::Open),
        (vec![begins, ends], vec![0, 1, 2], Left::Returned),
        (vec![begins, again, again, ends], vec![0, 1, 1, 1, 2], Left::Returned),
    ] {
        let (got, anomalies) = decode(&program, &words);
        let blocks = blocks.into_iter().map(Happened::Block);
        let expected: Vec<Happened> =
            [Enter(MethodId(1), Entered::Outermost)].into_iter().chain(blocks).chain([Leave(left)]).collect();
        assert_eq!(got, expected, "{words:?}");
        assert_eq!(anomalies, Anomalies::default());
    }
    // An exception left it, which only the next record of another frame shows.
    let (got, _) = decode(&program, &[words::entry(100), begins, words::block(100, 1)]);
    assert!(
        got.ends_with(&[Happened::Block(1), Leave(Left::Threw), Happened::Block(1), Leave(Left::Open)]),
        "{got:?}"
    );
}
