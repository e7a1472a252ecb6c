//! `tracewright hangs`: what a track ends in, in words that say what is observed.

use expect_test::expect;

use crate::util::folder;

#[test]
fn a_loop_around_a_growing_loop() {
    let ran = folder().run("hangs --symbols xaabaaabaaaabaa");
    assert_eq!(ran.code, 0, "{ran}");
    expect![[r#"
        1 of 1 track ends in a loop

        symbols: 15 steps; ends in a loop
          level 1  [Q R] since step 1: 3 whole iterations and 1 unit of the next,
                   14 steps, 93.3 % of the track
                   R = b
                   Q = [a] iterates 2 times at first, 1 more each time, 4 the last time
          level 0  [a] since step 13: 2 whole iterations, 2 steps, 13.3 % of the track;
                   elsewhere at most 4 iterations

        Observed, not proved: a history shows what was, not that it goes on for ever.
    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn json_has_the_counts() {
    let ran = folder().run("hangs --symbols xaabaaabaaaabaa --json");
    assert_eq!(ran.code, 0, "{ran}");
    expect![[r#"
        {"tracks":[{"name":"symbols","steps":15,"ends_in_loop":true,"end_is_lost":false,"loops":[{"level":1,"iteration":[1,2],"since_step":1,"steps":14,"iterations":3,"rest":1,"most_before":null,"inner":[{"level":0,"iteration":["a"],"counts":"linear","first":[2,0],"last":[4,0],"step":1}],"since":null},{"level":0,"iteration":["a"],"since_step":13,"steps":2,"iterations":2,"rest":0,"most_before":4,"inner":[],"since":null}]}],"proved":[]}
    "#]].assert_eq(&ran.out);
}

#[test]
fn an_end_without_a_loop_and_an_end_that_is_lost() {
    let folder = folder();
    expect![[r#"
        0 of 1 track ends in a loop

        symbols: 3 steps; ends in no loop

        Observed, not proved: a history shows what was, not that it goes on for ever.
    "#]]
    .assert_eq(&folder.run("hangs --symbols abc").out);
    let ran = folder.run_with(["hangs", "--history", "-"], "a b a b a b <gap>");
    expect![[r#"
        0 of 1 track ends in a loop

        stdin: 6 steps; what came last is lost

        Observed, not proved: a history shows what was, not that it goes on for ever.
    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn times_are_told_where_the_trace_has_them() {
    let lines: String = (0..6)
        .map(|n| {
            format!("{{\"ts\":{},\"stream\":\"s\",\"name\":\"{}\"}}\n", 1_000_000_000 + n, ["x", "y"][n % 2])
        })
        .collect();
    let folder = folder().with("log.jsonl", &lines);
    let ran = folder.run("hangs log.jsonl");
    expect![[r#"
        1 of 1 track ends in a loop

        s: 6 steps; ends in a loop
          level 0  [xy] since step 0 (1970-01-01 00:00:01.000000000): 3 whole iterations,
                   6 steps, 100.0 % of the track

        Observed, not proved: a history shows what was, not that it goes on for ever.
    "#]]
    .assert_eq(&ran.out);
}
