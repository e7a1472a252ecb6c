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
        {"sections":[{"kind":"mark","name":"two","thread":null,"outcome":null,"at":null,"blocks":732,"calls":70,"gaps":0,"begin":1795608560860102044,"length":null,"within":null,"waiting":null,"handed_over":null}],"more":0}
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

/// A recording of requests whose work other threads went on with.
fn tasks() -> String {
    below_root("web/tests/tasks.capture")
}

#[test]
fn a_task_says_who_handed_it_over() {
    expect![[r#"
        3 requests, 7 tasks in shop

        request  Orders.handle           3x  returned  longest 144 ms   62 blocks  HTTP-Dispatcher
        task     Orders.lambda$handle$2  3x  returned  longest 32.2 ms  24 blocks  cook             from Orders.handle
        task     Orders.lambda$static$1      returned                    2 blocks  cook
        task     Orders.lambda$handle$3  3x  returned  longest 16.2 ms  27 blocks  packer           from Orders.lambda$handle$2
        exit 0
    "#]].assert_eq(&run(&["sections", &tasks()]));
    expect![[r#"
        3 tasks in shop

        task  Orders.lambda$handle$3    returned  11.6 ± 3.78 ms  9 blocks  packer  from Orders.lambda$handle$2#1
        task  Orders.lambda$handle$3    returned  13.8 ± 2.76 ms  9 blocks  packer  from Orders.lambda$handle$2#2
        task  Orders.lambda$handle$3    returned  16.2 ± 4.20 ms  9 blocks  packer  from Orders.lambda$handle$2#3
        exit 0
    "#]]
    .assert_eq(&run(&["sections", "--each", "--kind", "task", "--name", "Orders.lambda$handle$3", &tasks()]));
}

#[test]
fn a_request_is_shown_with_the_tasks_that_it_handed_over() {
    expect![[r#"
        Thread HTTP-Dispatcher  2 calls
          shop.Orders.handle (Orders.java:39-46)  63.2 ms, 60.8 ± 5.32 ms of it waiting
            39: Orders.work (Orders.java:21,24-25)

        Thread cook  3 calls
          shop.Orders.lambda$handle$2 (Orders.java:41)  32.1 ± 3.54 ms, 31.9 ± 3.69 ms of it waiting
            41: Orders.cook (Orders.java:28-29)  32.1 ± 3.54 ms, 31.9 ± 3.69 ms of it waiting
              28: Orders.work (Orders.java:21,24-25)  32.1 ± 3.54 ms, 31.9 ± 3.69 ms of it waiting

        Thread packer  3 calls
          shop.Orders.lambda$handle$3 (Orders.java:41)  13.8 ± 2.76 ms, 13.5 ± 2.98 ms of it waiting
            41: Orders.pack (Orders.java:33-34)  13.8 ± 2.76 ms, 13.5 ± 2.98 ms of it waiting
              33: Orders.work (Orders.java:21,24-25)  13.8 ± 2.76 ms, 13.5 ± 2.98 ms of it waiting
        exit 0
    "#]]
    .assert_eq(&run(&["calls", "--section", "Orders.handle#2", &tasks()]));
    expect![[r#"
        Thread cook
                 0  begins a task that HTTP-Dispatcher handed over
                 0  shop.Orders.lambda$handle$2
                 0    Orders.java:41
                 1    shop.Orders.cook
                 1      Orders.java:28
                 2      shop.Orders.work
                 2        Orders.java:21
                 3        Orders.java:24
                 4        Orders.java:25
                 5      Orders.java:29
                 6    Orders.java:41
                 7    Orders.java:41
        Thread packer
                 0  begins a task that cook handed over
                 0  shop.Orders.lambda$handle$3
                 0    Orders.java:41
                 1    Orders.java:41
                 2    shop.Orders.pack
                 2      Orders.java:33
                 3      shop.Orders.work
                 3        Orders.java:21
                 4        Orders.java:24
                 5        Orders.java:25
                 6      Orders.java:34
                 7    Orders.java:41
                 8    Orders.java:41
        exit 0
    "#]]
    .assert_eq(&run(&["calls", "--flat", "--section", "Orders.lambda$handle$2#3", &tasks()]));
    expect![[r#"
        {"thread":1,"what":"handed-over","position":9,"depth":1,"text":"a task is handed over to cook"}
        {"thread":1,"what":"handed-over","position":31,"depth":1,"text":"a task is handed over to cook"}
        {"thread":1,"what":"handed-over","position":51,"depth":1,"text":"a task is handed over to cook"}
        {"thread":2,"what":"begun","position":0,"depth":0,"text":"begins a task that HTTP-Dispatcher handed over"}
        {"thread":2,"what":"handed-over","position":8,"depth":0,"text":"a task is handed over to packer"}
        {"thread":2,"what":"begun","position":10,"depth":0,"text":"begins a task that HTTP-Dispatcher handed over"}
        {"thread":3,"what":"begun","position":0,"depth":0,"text":"begins a task that cook handed over"}
        {"thread":3,"what":"begun","position":9,"depth":0,"text":"begins a task that cook handed over"}
        {"thread":3,"what":"begun","position":18,"depth":0,"text":"begins a task that cook handed over"}
        exit 0
    "#]].assert_eq(&run(&["calls", "--flat", "--json", "--search", "handed over", "--limit", "3", &tasks()]));
}
