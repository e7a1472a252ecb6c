//! Small runs, written as text, and the sections that are found in them.

use expect_test::{Expect, expect};
use model::code::MethodId;
use model::flow::{Entered, FlowStep, Left};
use model::{Lost, TaskStep};

use super::{Begins, Handler, Sections};

/// `(3`: a call of method 3; `)` it returns, `!` it throws; `u3`: it was called before; `7`: block 7; `?` a loss, `m1` mark 1,
/// `>1` hands over task 1, `<1` begins it.
fn check(run: &str, expected: Expect) {
    // 0 is main, 1 and 2 are tests, 3 to 5 pass requests on, `a` answers them and `b` is mapped to a path; all others are tasks
    // where nothing called them.
    let begins = |method: MethodId| match method.0 {
        0 => Begins::Never,
        1 | 2 => Begins::Test,
        3..=5 => Begins::Request(Handler::Passes),
        0xa => Begins::Request(Handler::Answers),
        0xb => Begins::Request(Handler::Mapped),
        _ => Begins::Outermost,
    };
    let mut sections = Sections::new(&begins);
    let mut characters = run.chars().filter(|character| *character != ' ');
    while let Some(character) = characters.next() {
        let mut number = || characters.next().and_then(|digit| digit.to_digit(16)).unwrap();
        let blocks = [character.to_digit(10).unwrap_or(0)];
        sections.observe(&match character {
            '(' => FlowStep::Enter { method: MethodId(number()), how: Entered::Call },
            'u' => FlowStep::Enter { method: MethodId(number()), how: Entered::Unseen },
            ')' => FlowStep::Leave { how: Left::Returned },
            '!' => FlowStep::Leave { how: Left::Threw },
            '?' => FlowStep::Gap { lost: Lost::Events(5) },
            'm' => FlowStep::Mark(number()),
            '>' => FlowStep::Task(TaskStep::HandedOver(number())),
            '<' => FlowStep::Task(TaskStep::Begun(number())),
            _ => FlowStep::Blocks { blocks: &blocks, times: 10 },
        });
    }
    let found = sections.finish();
    let mut text = String::new();
    for one in found.sections {
        text += &format!(
            "{:?} m{} call {} depth {} position {}: {} blocks, {} calls, {} gaps, {:?} in m{} at {:?}\n",
            one.kind,
            one.method.0,
            one.call,
            one.depth,
            one.position,
            one.blocks,
            one.calls,
            one.gaps,
            one.left,
            one.end.0.0,
            one.end.1
        );
        if let Some(task) = one.task {
            text += &format!("  begins with task {task}\n");
        }
    }
    for one in found.handed_over {
        text += &format!("call {} hands over task {}\n", one.call, one.task);
    }
    for one in found.marks {
        text += &format!("after mark {}: {} blocks, {} calls\n", one.mark, one.blocks, one.calls);
    }
    expected.assert_eq(&text);
}

#[test]
fn each_test_is_a_section() {
    check(
        "(0 0 (1 1 (9 2) 3) (9 (2 5 6! 7) 8)",
        expect![[r#"
        Test m1 call 1 depth 2 position 10: 30 blocks, 1 calls, 0 gaps, Returned in m1 at Some(3)
        Test m2 call 4 depth 3 position 40: 20 blocks, 0 calls, 0 gaps, Threw in m2 at Some(6)
    "#]],
    );
}

#[test]
fn a_request_is_called_after_what_it_is_meant_for_and_not_after_what_that_includes() {
    // Filters, a servlet that includes another one.
    check(
        "(3 (4 1 (a 2 (a 3) (a 4) 5)))",
        expect![[r#"
        Request m10 call 0 depth 1 position 0: 50 blocks, 4 calls, 0 gaps, Returned in m10 at Some(5)
    "#]],
    );
    // The servlet of a framework, and what it leads to, which forwards.
    check(
        "(3 (a 2 (b 3 (b 4) (a 5))))",
        expect![[r#"
        Request m11 call 0 depth 1 position 0: 40 blocks, 4 calls, 0 gaps, Returned in m11 at Some(3)
    "#]],
    );
}

#[test]
fn of_one_kind_the_outer_one_is_the_section() {
    check(
        "(1 0 (2 0) (1 0)) (2 0)",
        expect![[r#"
        Test m1 call 0 depth 1 position 0: 30 blocks, 2 calls, 0 gaps, Returned in m1 at Some(0)
        Test m2 call 3 depth 1 position 30: 10 blocks, 0 calls, 0 gaps, Returned in m2 at Some(0)
    "#]],
    );
}

#[test]
fn a_request_is_called_after_whom_it_is_passed_on_to() {
    // What is called after the servlet has returned is another matter.
    check(
        "(3 0 (9 (4 0 (5 0) 0 (4 0)))) (3 0)",
        expect![[r#"
            Request m5 call 0 depth 1 position 0: 50 blocks, 4 calls, 0 gaps, Returned in m5 at Some(0)
            Request m3 call 5 depth 1 position 50: 10 blocks, 0 calls, 0 gaps, Returned in m3 at Some(0)
        "#]],
    );
}

#[test]
fn a_request_ends_where_its_handler_does_if_that_ends_alike() {
    check(
        "(3 0 (5 7! 8! (3 0 (5 7) 8!",
        expect![[r#"
        Request m5 call 0 depth 1 position 0: 30 blocks, 1 calls, 0 gaps, Threw in m5 at Some(7)
        Request m5 call 2 depth 1 position 30: 30 blocks, 1 calls, 0 gaps, Threw in m3 at Some(8)
    "#]],
    );
}

#[test]
fn a_task_is_what_nothing_recorded_called() {
    check(
        "u8 0) (7 0 (8 0) (1 0)) (9 0 ?",
        expect![[r#"
        Task m7 call 1 depth 1 position 10: 30 blocks, 2 calls, 0 gaps, Returned in m7 at Some(0)
        Test m1 call 3 depth 2 position 30: 10 blocks, 0 calls, 0 gaps, Returned in m1 at Some(0)
        Task m9 call 4 depth 1 position 40: 10 blocks, 0 calls, 1 gaps, Open in m9 at Some(0)
    "#]],
    );
}

#[test]
fn what_ran_after_each_mark_is_counted() {
    check(
        "(0 0 m0 0 (9 0) m1 0) m2",
        expect![[r#"
        after mark 0: 20 blocks, 1 calls
        after mark 1: 10 blocks, 0 calls
        after mark 2: 0 blocks, 0 calls
    "#]],
    );
}

#[test]
fn the_innermost_section_hands_over_a_task_and_the_next_call_begins_it() {
    check(
        "(0 >8 (3 1 (6 >1 ) (1 >2 >3 ) ) )",
        expect![[r#"
        Request m3 call 1 depth 2 position 0: 10 blocks, 2 calls, 0 gaps, Returned in m3 at Some(1)
        Test m1 call 3 depth 3 position 10: 0 blocks, 0 calls, 0 gaps, Returned in m1 at None
        call 1 hands over task 1
        call 3 hands over task 2
        call 3 hands over task 3
    "#]],
    );
    check(
        "<1 (7 ) >4 <2 >5 (7 ) (8 ) >6",
        expect![[r#"
        Task m7 call 0 depth 1 position 0: 0 blocks, 0 calls, 0 gaps, Returned in m7 at None
          begins with task 1
        Task m7 call 1 depth 1 position 0: 0 blocks, 0 calls, 0 gaps, Returned in m7 at None
          begins with task 2
        Task m8 call 2 depth 1 position 0: 0 blocks, 0 calls, 0 gaps, Returned in m8 at None
        call 0 hands over task 4
        call 1 hands over task 6
    "#]],
    );
    check(
        "(9 <1 (7 1 ) <2 (3 ) <3 (8 <4 (7 ) ) )",
        expect![[r#"
            Task m9 call 0 depth 1 position 0: 10 blocks, 4 calls, 0 gaps, Returned in m9 at None
            Task m7 call 1 depth 2 position 0: 10 blocks, 0 calls, 0 gaps, Returned in m7 at Some(1)
              begins with task 1
            Request m3 call 2 depth 2 position 10: 0 blocks, 0 calls, 0 gaps, Returned in m3 at None
              begins with task 2
            Task m8 call 3 depth 2 position 10: 0 blocks, 1 calls, 0 gaps, Returned in m8 at None
              begins with task 3
            Task m7 call 4 depth 3 position 10: 0 blocks, 0 calls, 0 gaps, Returned in m7 at None
              begins with task 4
        "#]],
    );
    check(
        "<1 (7 1 >4 ) (7 ) <2 (0 (7 ) )",
        expect![[r#"
        Task m7 call 0 depth 1 position 0: 10 blocks, 0 calls, 0 gaps, Returned in m7 at Some(1)
          begins with task 1
        Task m7 call 1 depth 1 position 10: 0 blocks, 0 calls, 0 gaps, Returned in m7 at None
        call 0 hands over task 4
    "#]],
    );
}
