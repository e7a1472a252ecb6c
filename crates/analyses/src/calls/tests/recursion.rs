//! Recursion is reported in the order in which it ran, and a search finds what a search of the unfolded text finds.

use super::*;

/// A filter's work before and behind the rest of the chain, the servlet within all of them.
#[test]
fn a_chain_in_which_none_is_like_another_is_told_as_it_ran() {
    check(
        "(0 0 (1 0 (0 0 (2 0 (0 0 (3 0) 3) (4 0) 3) 3) (5 0) 3) 3 )",
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 m1 Call Some(Returned) [0, 3] x1
            m1.0 m0 Call Some(Returned) [0, 3] x1
              m0.0 m2 Call Some(Returned) [0, 3] x1
                m2.0 m0 Call Some(Returned) [0, 3] x1
                  m0.0 m3 Call Some(Returned) [0] x1
                m2.0 m4 Call Some(Returned) [0] x1
            m1.0 m5 Call Some(Returned) [0] x1
    "#]],
    );
}

/// `doFilter` and what it hands over to are alike on each level; only the filters differ.
#[test]
fn a_chain_that_leads_on_by_another_method_each_time_is_told_as_it_ran() {
    check(
        "(0 0 (6 0 (1 0 (0 0 (6 0 (2 0 (0 0 (6 0 (3 0) ) ) 3) ) ) 3) ) )",
        expect![[r#"
        m0 Call Some(Returned) [0] x1
          m0.0 m6 Call Some(Returned) [0] x1
            m6.0 m1 Call Some(Returned) [0, 3] x1
              m1.0 m0 Call Some(Returned) [0] x1
                m0.0 m6 Call Some(Returned) [0] x1
                  m6.0 m2 Call Some(Returned) [0, 3] x1
                    m2.0 m0 Call Some(Returned) [0] x1
                      m0.0 m6 Call Some(Returned) [0] x1
                        m6.0 m3 Call Some(Returned) [0] x1
    "#]],
    );
}

/// The same method on the way again.
#[test]
fn what_comes_again_on_the_way_is_a_recursion() {
    check(
        "(0 0 (6 0 (0 0 (6 0 (0 0 (6 0 (0 0 (3 0) ) ) ) ) ) ) )",
        expect![[r#"
        m0 Call Some(Returned) [0] x1
          m0.0 m6 Call Some(Returned) [0] x1
            m6.0 m0 within x1
            recursion of m0, 4 deep x3
              variant Some(Returned) [0] x2
                m0.0 m6 Call Some(Returned) [0] x2
                  m6.0 m0 within x1
                  m6.0 m0 Call Some(Returned) [0] x1
                    m0.0 m3 Call Some(Returned) [0] x1
    "#]],
    );
}

#[test]
fn a_deep_recursion_is_told_once_and_its_end_where_it_was_reached() {
    let run = format!("{}0 (2 0){}", "(0 0 (1 0) 1 ".repeat(90), " 3 (3 0) )".repeat(90));
    check(
        &run,
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 m1 Call Some(Returned) [0] x1
          m0.0 loop, come by 1, [1] x1
            m0.1 m0 within x1
            recursion of m0, 90 deep x89
              variant Some(Returned) [0, 3] x88
                m0.0 m1 Call Some(Returned) [0] x88
                m0.0 loop, come by 88, [1] x88
                  m0.1 m0 within x87
                  m0.1 m0 Call Some(Returned) [0, 3] x1
                    m0.0 m1 Call Some(Returned) [0] x1
                    m0.0 loop, come by 1, [1] x1
                    m0.0 m2 Call Some(Returned) [0] x1
                    m0.3 m3 Call Some(Returned) [0] x1
                m0.3 m3 Call Some(Returned) [0] x88
          m0.3 m3 Call Some(Returned) [0] x1
    "#]],
    );
    let search = |method: MethodId, _: &[BlockId]| method == MethodId(2);
    let options = Options { search: Some(&search), ..Options::default() };
    check_with(
        &run,
        options,
        usize::MAX,
        expect![[r#"
        m0 Call Some(Returned) [0, 3] x1
          m0.0 loop, come by 1, [1] x1
            m0.1 m0 within x1
            recursion of m0, 90 deep x89
              variant Some(Returned) [0, 3] x88
                m0.0 loop, come by 88, [1] x88
                  m0.1 m0 within x87
                  m0.1 m0 Call Some(Returned) [0, 3] x1
                    m0.0 m2 Call Some(Returned) [0] x1
    "#]],
    );
}

/// Calls of 0, 1 and 2 within each other, of 3 and 4 again and again, and of each other method
/// once at most.
fn random_calls(rng: &mut Rng, depth: u64, next: &mut u32, run: &mut Vec<FlowStep<'static>>) {
    const BLOCKS: [BlockId; 4] = [0, 1, 2, 3];
    let how = Entered::Call;
    run.push(FlowStep::Blocks { blocks: &BLOCKS[..1], times: 1 });
    for _ in 0..rng.u64(..4) {
        if rng.u64(..3) == 0 {
            let mut method = 3 + rng.u32(..3);
            if method == 5 && *next < 40 {
                method = *next;
                *next += 1;
            }
            run.push(FlowStep::Enter { method: MethodId(method), how });
            run.push(FlowStep::Blocks { blocks: &BLOCKS[..1], times: 1 });
            run.push(FlowStep::Leave { how: Left::Returned });
        } else if depth > 0 && rng.u64(..4) == 0 {
            // One within the other, all alike but for the innermost.
            let (method, levels) = (MethodId(rng.u32(..3)), 2 + rng.u64(..6));
            for _ in 0..levels {
                run.push(FlowStep::Enter { method, how });
                run.push(FlowStep::Blocks { blocks: &BLOCKS[..1], times: 1 });
            }
            random_calls(rng, depth - 1, next, run);
            for _ in 0..levels {
                run.push(FlowStep::Blocks { blocks: &BLOCKS[3..], times: 1 });
                run.push(FlowStep::Leave { how: Left::Returned });
            }
        } else if depth > 0 {
            run.push(FlowStep::Enter { method: MethodId(rng.u32(..3)), how });
            random_calls(rng, depth - 1, next, run);
            let how = if rng.u64(..6) == 0 { Left::Threw } else { Left::Returned };
            run.push(FlowStep::Leave { how });
        }
        run.push(FlowStep::Blocks { blocks: &BLOCKS[3..], times: 1 });
    }
}

/// How many calls of one method are open at once, at most.
fn most_open(run: &[FlowStep<'_>]) -> usize {
    let (mut open, mut most) = (vec![], 0);
    for step in run {
        match step {
            FlowStep::Enter { method, .. } => {
                open.push(*method);
                most = most.max(open.iter().filter(|other| *other == method).count());
            }
            FlowStep::Leave { .. } => drop(open.pop()),
            _ => {}
        }
    }
    most
}

/// The methods in the order in which they are reported first.
#[derive(Default)]
struct Order(Vec<MethodId>);

impl Visitor for Order {
    fn open(&mut self, entry: &Entry<'_>) -> bool {
        if let What::Call { method, .. } | What::AsBefore { method, .. } | What::Within { method } =
            entry.what
            && !self.0.contains(&method)
        {
            self.0.push(method);
        }
        true
    }

    fn close(&mut self) {}
}

#[test]
fn recursion_changes_neither_the_order_nor_what_a_search_finds() {
    let code = code();
    let mut rng = Rng::with_seed(11);
    let mut folded = 0;
    for round in 0..2_000 {
        let (mut run, mut next) = (vec![], 6);
        run.push(FlowStep::Enter { method: MethodId(0), how: Entered::Outermost });
        random_calls(&mut rng, 3 + round % 9, &mut next, &mut run);
        run.push(FlowStep::Leave { how: Left::Returned });
        let mut builder = Builder::new(&code);
        run.iter().for_each(|step| builder.observe(1, *step));
        let replay = builder.finish();
        let (blocks, calls) = (Measure::blocks(&replay), Measure::calls(&replay));
        let root = replay.threads[0].root;
        let written = |unfold: bool, search: Option<&Search<'_>>| {
            let options = Options { unfold, search, ..Options::default() };
            let (mut order, mut text) =
                (Order::default(), Written { most: usize::MAX, ..Written::default() });
            Report::new(&replay, &blocks, &calls, options).thread(root, &mut order);
            let options = Options { unfold, search, ..Options::default() };
            Report::new(&replay, &blocks, &calls, options).thread(root, &mut text);
            (order.0, text.text)
        };
        let (order, text) = written(false, None);
        // Deeper ones are reported together even where that changes the order.
        if most_open(&run) <= LEVELS {
            assert_eq!(order, written(true, None).0, "round {round}:\n{text}");
            folded += usize::from(text.contains("recursion"));
        }
        for method in (0..next).map(MethodId) {
            let search = |found: MethodId, _: &[BlockId]| found == method;
            let (mut found, text) = written(false, Some(&search));
            let (mut all, _) = written(true, Some(&search));
            found.sort_unstable();
            all.sort_unstable();
            assert_eq!(found, all, "round {round}, {method:?}:\n{text}");
        }
    }
    assert!(folded > 100, "only {folded} had calls that were told together");
}
