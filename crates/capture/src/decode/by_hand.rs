//! Words written by hand, where random runs do not come: calls alone, and words that fit nothing.

use model::code::{Block, CallKind, CallSite, Edge, EdgeKind, Ending};
use model::flow::{Entered, Left};
use model::{Lost, MethodId};

use super::tests::{capture, decoded};
use crate::maker::{self, Dice, Happened, Program};
use crate::{CODE, Doubts, Encoding, STEPS, words};

/// Method 0 has two blocks, after the first of which it calls method 1, of one block that calls nobody.
fn caller_and_callee() -> Program {
    let mut program = Program::random(&mut Dice(5), 2);
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
fn told(program: &Program, written: &[u32]) -> (Vec<Happened>, Doubts) {
    let mut steps = vec![];
    maker::steps_file(&mut steps, 1, written, written.len());
    let (got, doubts) = decoded(&capture(&[(CODE, program.code_file(1)), (STEPS, steps)]));
    (got[0].clone(), doubts)
}

#[test]
fn calls_alone_give_frames_without_blocks() {
    let mut program = caller_and_callee();
    program.records.iter_mut().for_each(|record| record.encoding = Encoding::Calls);
    use Happened::{Enter, Leave};
    let (f, g) = (MethodId(0), MethodId(1));
    let (enters, leaves) =
        ([words::entry(100), words::entry(200)], [words::returns(100, 2), words::returns(200, 1)]);
    let (returned, threw, open) = (Leave(Left::Returned), Leave(Left::Threw), Leave(Left::Open));
    let call = Enter(g, Entered::Call);
    let (got, doubts) =
        told(&program, &[enters[0], enters[1], leaves[1], enters[1], words::unwound(200, 1), leaves[0]]);
    assert_eq!(got, [Enter(f, Entered::Outermost), call, returned, call, threw, returned]);
    assert_eq!(doubts, Doubts::default());
    // A frame that left no word was left by an exception; g calls nobody itself; what is not over at the end is open.
    let (got, _) = told(&program, &[enters[0], enters[1], leaves[0], enters[1], enters[0]]);
    let outermost = [Enter(f, Entered::Outermost), call, threw, returned];
    assert_eq!(got[..4], outermost);
    assert_eq!(got[4..], [Enter(g, Entered::Outermost), Enter(f, Entered::Library), open, open]);
    // A frame that was there before.
    let (got, doubts) = told(&program, &[leaves[1], leaves[0]]);
    assert_eq!(got, [Enter(g, Entered::Unseen), returned, Enter(f, Entered::Unseen), returned]);
    assert_eq!(doubts, Doubts { unseen_beginnings: 2, ..Doubts::default() });
}

#[test]
fn words_that_fit_no_frame_are_counted() {
    let program = caller_and_callee();
    let unknown = 5_000;
    let (got, doubts) = told(&program, &[words::entry(100), unknown, words::entry(200), unknown, unknown]);
    use Happened::{Enter, Gap, Leave};
    let begin = [Enter(MethodId(0), Entered::Outermost), Happened::Block(0), Gap(Lost::Unknown)];
    assert_eq!(got[..3], begin);
    // After a gap nobody knows where f stands, but it may call g.
    assert_eq!(got[3..6], [Enter(MethodId(1), Entered::Call), Happened::Block(0), Gap(Lost::Unknown)]);
    assert_eq!(got[6..], [Leave(Left::Unseen), Leave(Left::Unseen)]);
    assert_eq!(doubts, Doubts { unknown_words: 3, ..Doubts::default() });
    // The end of f ends g, too, of which after a loss nobody knows how it ended.
    let (got, doubts) =
        told(&program, &[words::entry(100), words::entry(200), unknown, words::block(100, 1)]);
    let after = [Leave(Left::Unseen), Happened::Block(1), Leave(Left::Open)];
    assert_eq!(got[got.len() - 3..], after, "{got:?}");
    assert_eq!(doubts, Doubts { unknown_words: 1, unseen_ends: 1, ..Doubts::default() });
}
