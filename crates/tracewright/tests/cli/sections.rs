//! `tracewright sections` of kept recordings, and the parts that `--section` makes of them.

use expect_test::expect;

use super::capture_parts::marked;
use super::captures::without_times;
use super::util::{below_root, folder};

fn run(arguments: &[&str]) -> String {
    let ran = folder().run_with(arguments.iter().copied(), "");
    format!("{}{}exit {}\n", without_times(&ran.out), ran.err, ran.code)
}

#[test]
fn tasks_and_marks_are_listed() {
    let (marked, bakery) = (marked().display().to_string(), below_root("examples/bakery/bakery.capture"));
    expect![[r#"
        2 marks

        mark  one      2.04 s  8,316 blocks
        mark  two                732 blocks
        exit 0
    "#]]
    .assert_eq(&run(&["sections", &marked]));
    expect![[r#"
        2 tasks in bakery

        task  Main.lambda$main$0  2x  returned    65,392 blocks  baker 1..2
        exit 0
    "#]]
    .assert_eq(&run(&["sections", &bakery]));
    expect![[r#"
        2 tasks in bakery

        task  Main.lambda$main$0    returned    42,763 blocks  baker 1
        task  Main.lambda$main$0    returned    22,629 blocks  baker 2
        exit 0
    "#]]
    .assert_eq(&run(&["sections", &bakery, "--each", "--limit", "2"]));
    expect![[r#"
        {"sections":[{"kind":"mark","name":"two","thread":null,"outcome":null,"at":null,"blocks":732,"calls":70,"gaps":0,"begin":1795608560860102044,"length":null,"within":null,"waiting":null}],"more":0}
        exit 0
    "#]].assert_eq(&run(&["sections", &marked, "--kind", "mark", "--name", "t*", "--json"]));
    expect![[r#"
        no such section was recorded
        exit 0
    "#]]
    .assert_eq(&run(&["sections", &bakery, "--failed"]));
    expect![[r#"
        tracewright: cannot open nowhere: No such file or directory (os error 2)
        exit 2
    "#]]
    .assert_eq(&run(&["sections", "nowhere"]));
}

#[test]
fn a_mark_is_a_section_to_the_next_one() {
    let marked = marked().display().to_string();
    let section = run(&["calls", &marked, "--section", "one"]);
    assert!(section.contains("calls"), "{section}");
    assert_eq!(section, run(&["calls", &marked, "--from", "one", "--to", "two"]));
    expect![[r#"
        tracewright: "one#2" is not there: 1 section of that name ran
        exit 2
    "#]]
    .assert_eq(&run(&["calls", &marked, "--section", "one#2"]));
}
