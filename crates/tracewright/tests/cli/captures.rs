//! Captures, by the one of the bakery that lies in `examples/`.

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};

use crate::util::{Folder, folder};

pub(super) fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery/bakery.capture")
}

/// A folder with a copy of the capture, called `shop.capture` as in the help.
pub(super) fn with_capture() -> Folder {
    let folder = folder();
    let copy = folder.path.join("shop.capture");
    std::fs::create_dir(&copy).unwrap();
    for name in ["code", "steps"] {
        std::fs::copy(example().join(name), copy.join(name)).unwrap();
    }
    folder
}

pub(super) fn check(arguments: &str, expected: Expect) {
    let ran = with_capture().run(arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments}");
    expected.assert_eq(&ran.out);
}

/// Times differ from recording to recording; whoever records anew must not have to touch the tests.
pub(super) fn without_times(text: &str) -> String {
    let line = |line: &str| match line.starts_with("Thread ") || line.starts_with("Threads ") {
        true => line.rsplit_once(", ").map_or(line, |(before, _)| before).to_owned() + "\n",
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn the_report_tells_what_the_main_thread_did() {
    let ran = with_capture().run("calls shop.capture --thread main");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    expect![[r#"
        Thread main  337 calls, 960 blocks
          bakery.Main.main (Main.java:9-12,18,21-22)
            9: Order.morning (Order.java:10-12,15-16)
              10: Bread.<init> (Bread.java:3)
              10: Pretzel.<init> (Pretzel.java:3)
              10: Cake.<init> (Cake.java:3)
              loop at 12-13 x 60
                13: Order.<init> (Order.java:7)
              15: Order.compareTo (Order.java:21) x 269  via library (List.sort)
            10: Till.<init> (Till.java:4)
            loop at 12-16 x 2
            loop at 18-20 x 2
            21: Till.pieces (Till.java:19)
            21: Till.cents (Till.java:23)

        269 calls of bridges, accessors and stubs that a compiler made: --synthetic shows them
    "#]]
    .assert_eq(&without_times(&ran.out));
}

/// Both bakers began the same calls; a thread that is asked for by its name is told by itself.
#[test]
fn threads_that_did_alike_are_one_section() {
    let ran = with_capture().run("calls shop.capture --depth 1");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    expect![[r#"
        Thread main  337 calls, 960 blocks
          bakery.Main.main (Main.java:9-12,18,21-22)
            9: Order.morning (Order.java:10-12,15-16)
              ... 332 calls, 912 blocks inside
            10: Till.<init> (Till.java:4)
            loop at 12-16 x 2
            loop at 18-20 x 2
            21: Till.pieces (Till.java:19)
            21: Till.cents (Till.java:23)

        Threads baker 1..2  2 threads, 12,747 calls, 65,392 blocks
          bakery.Main.lambda$main$0 (Main.java:14)
            14: Baker.<init> (Baker.java:8,10-12)
              ... 2 calls, 10 blocks inside
            14: Baker.bakeAll (Baker.java:15-16)
              ... 12,739 calls, 65,376 blocks inside

        269 calls of bridges, accessors and stubs that a compiler made: --synthetic shows them
    "#]]
    .assert_eq(&without_times(&ran.out));
    let json = with_capture().run("calls shop.capture --depth 1 --json");
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["threads"].as_array().unwrap().len(), 3);
}

#[test]
fn loops_recursion_variants_and_exceptions_of_a_baker() {
    let ran = with_capture().run_with(["calls", "shop.capture", "--thread", "baker 2"], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    expect![[r#"
        Thread baker 2  4,458 calls, 22,629 blocks
          bakery.Main.lambda$main$0 (Main.java:14)
            14: Baker.<init> (Baker.java:8,10-12)
              8: Oven.<init> (Oven.java:4)
            14: Baker.bakeAll (Baker.java:15-16)
              15: Baker.bakeOne (Baker.java:19,22-23) x 30  via library (List.forEach)
                loop at 19-20 x 114
                  x 84 (19-20)
                    19: Order.pieces (Order.java:7)
                    20: Order.recipe (Order.java:7)
                    20: Baker.bakePiece (Baker.java:26,36)
                      loop at 27-28,30-35 x 86
                        x 28 (27-28,30-31,34-35)
                          28: Dough.mix (Dough.java:12)
                            12: Dough.<init> (Dough.java:7-9)
                            12: Recipe.folds (Recipe.java:17)
                            12: Dough.fold (Dough.java:16,19)
                              19: Dough.<init> (Dough.java:7-9)
                              19: Dough.fold (Dough.java:16-17)
                          30: Pretzel.minutes (Pretzel.java:11)
                          30: Oven.bake (Oven.java:8-10,13,16)
                            loop at 10-11 x 336
                              11: Oven.warm (Oven.java:20)
                            16: Dough.layers (Dough.java:23)
                        x 28 (27-28,30-31,34-35)
                          28: Dough.mix (Dough.java:12)
                            12: Dough.<init> (Dough.java:7-9)
                            12: Bread.folds (Bread.java:16)
                            12: Dough.fold (Dough.java:16,19)
                              19: Dough.<init> (Dough.java:7-9)
                              19: Dough.fold  recursion
                              recursion of Dough.fold x 84, 4 deep
                                x 56 (16,19)
                                  19: Dough.<init> (Dough.java:7-9)
                                  19: Dough.fold x 28  recursion
                                  19: Dough.fold (Dough.java:16-17) x 28
                          30: Bread.minutes (Bread.java:11)
                          30: Oven.bake (Oven.java:8-10,13,16)
                            loop at 10-11 x 1,120
                              11: Oven.warm (Oven.java:20)
                            16: Dough.layers (Dough.java:23)
                        x 28 (27-28,30-31,34-35)
                          28: Dough.mix (Dough.java:12)  as before
                          30: Cake.minutes (Cake.java:11)
                          30: Oven.bake (Oven.java:8-10,13,16)
                            loop at 10-11 x 1,540
                              11: Oven.warm (Oven.java:20)
                            16: Dough.layers (Dough.java:23)
                        x 2 (27-28,30,32-33,35)
                          28: Dough.mix (Dough.java:12)  as before
                          30: Bread.minutes (Bread.java:11)
                          30: Oven.bake (Oven.java:8-10,13-14)  threw
                            loop at 10-11 x 80
                              11: Oven.warm (Oven.java:20)
                            14: BurntException.<init> (BurntException.java:5-6)
                          32: caught
                          33: Till.note (Till.java:15-16)
                  x 30 (19)
                    19: Order.pieces (Order.java:7)
                22: Till.pay (Till.java)
                  x 20 (10-12)
                    10,11: Order.pieces (Order.java:7) x 40
                    11: Order.recipe (Order.java:7)
                    11: Recipe.cents (Recipe.java)
                      x 10 (12)
                        12: Pretzel.minutes (Pretzel.java:11)
                      x 10 (12)
                        12: Bread.minutes (Bread.java:11)
                  x 10 (10-12)
                    10,11: Order.pieces (Order.java:7) x 20
                    11: Order.recipe (Order.java:7)
                    11: Cake.cents (Cake.java:16)
    "#]]
    .assert_eq(&without_times(&ran.out));
}

#[test]
fn a_search_shows_what_leads_there() {
    let ran =
        with_capture().run_with(["calls", "shop.capture", "--search", "Oven.java:14", "--thread", "3"], "");
    expect![[r#"
        Thread baker 2  4,458 calls, 22,629 blocks
          bakery.Main.lambda$main$0 (Main.java:14)
            14: Baker.bakeAll (Baker.java:15-16)
              15: Baker.bakeOne (Baker.java:19,22-23) x 2  via library (List.forEach)
                loop at 19-20 x 8
                  x 6 (19-20)
                    20: Baker.bakePiece (Baker.java:26,36) x 2
                      loop at 27-28,30-35 x 4
                        x 2 (27-28,30,32-33,35)
                          30: Oven.bake (Oven.java:8-10,13-14)  threw
                            loop at 10-11 x 80
                              11: Oven.warm (Oven.java:20)
                            14: BurntException.<init> (BurntException.java:5-6)
    "#]]
    .assert_eq(&without_times(&ran.out));
    let ran = with_capture().run("calls shop.capture --search nowhere");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(ran.err, "tracewright: nothing that ran has nowhere in its class, method or line\n");
}

/// The recording of a chain of filters, made by `filters/record.sh` on 2026-11-25.
const FILTERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/filters/filters.capture");

#[test]
fn a_chain_of_filters_is_told_as_it_ran() {
    let ran = folder().run_with(["calls", FILTERS], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    expect![[r#"
        Thread main  91 calls, 279 blocks
          shop.App.main (App.java:17-20,23)
            17: App.<init> (App.java:6-7)
              7: Orders$Repo.<init> (Orders.java:5)
            18: Filters$Timing.<init> (Filters.java:41)
            18: Filters$Errors.<init> (Filters.java:55)
            18: Filters$Login.<init> (Filters.java:71)
            loop at 20-21 x 4
              21: Filters$Chain.<init> (Filters.java:24-27)
              21: Filters$Request.<init> (Filters.java:11)
              21: Filters$Chain.doFilter (Filters.java:30,34-38)
                36: Filters$Timing.filter (Filters.java:45-47)
                  45: Filters$Chain.doFilter (Filters.java:30,34-38)
                    36: Filters$Errors.filter (Filters.java)
                      x 2 (57,59,63-64)
                        59: Filters$Chain.doFilter (Filters.java:30,34-38)
                          36: Filters$Login.filter (Filters.java:73,76-78)
                            73: Filters$Login.known (Filters.java:81)
                            76: Filters$Chain.doFilter (Filters.java:30-32)
                              31: App.serve (App.java:10,13-14)
                                10,13: Filters$Request.number (Filters.java:11) x 4
                                13: Orders$Repo.load (Orders.java:7)
                                  7: Orders$Repo.parts (Orders.java:11-12,15)
                                    11: Orders$Repo.read (Orders.java:18)
                                    15: Orders$Repo.parts  recursion
                                    recursion of Orders$Repo.parts x 9, 7 deep
                                      x 7 (11-12,15)
                                        11: Orders$Repo.read (Orders.java:18)
                                        15: Orders$Repo.parts x 5  recursion
                                        15: Orders$Repo.parts (Orders.java:11-13) x 2
                                          11: Orders$Repo.read (Orders.java:18)
                                          13: Orders$Repo.bread (Orders.java:21)
                                  7: Orders$Repo.close (Orders.java:25)
                            77: Filters$Login.log (Filters.java:84)
                      x 2 (57,59-62,64)
                        59: Filters$Chain.doFilter (Filters.java:30,34-36)  threw
                          36: Filters$Login.filter (Filters.java)
                            x 1 (73,76)  threw
                              73: Filters$Login.known (Filters.java:81)
                              76: Filters$Chain.doFilter (Filters.java:30-31)  threw
                                31: App.serve (App.java:10-11)  threw
                                  10: Filters$Request.number (Filters.java:11)
                                  11: Filters$Refused.<init> (Filters.java:15-16)
                            x 1 (73-74)  threw
                              73: Filters$Login.known (Filters.java:81)
                              74: Filters$Refused.<init> (Filters.java:15-16)
                        60: caught
                        62: Filters$Errors.page (Filters.java:67)
                  46: Filters$Timing.count (Filters.java:50-51)
    "#]]
    .assert_eq(&without_times(&ran.out));
}

#[test]
fn a_search_goes_through_recursion_to_what_is_searched() {
    let ran = folder().run_with(["calls", FILTERS, "--search", "Repo.bread"], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    expect![[r#"
        Thread main  91 calls, 279 blocks
          shop.App.main (App.java:17-20,23)
            loop at 20-21 x 4
              21: Filters$Chain.doFilter (Filters.java:30,34-38) x 2
                36: Filters$Timing.filter (Filters.java:45-47)
                  45: Filters$Chain.doFilter (Filters.java:30,34-38)
                    36: Filters$Errors.filter (Filters.java:57,59,63-64)
                      59: Filters$Chain.doFilter (Filters.java:30,34-38)
                        36: Filters$Login.filter (Filters.java:73,76-78)
                          76: Filters$Chain.doFilter (Filters.java:30-32)
                            31: App.serve (App.java:10,13-14)
                              13: Orders$Repo.load (Orders.java:7)
                                7: Orders$Repo.parts (Orders.java:11-12,15)
                                  15: Orders$Repo.parts  recursion
                                  recursion of Orders$Repo.parts x 9, 7 deep
                                    x 7 (11-12,15)
                                      15: Orders$Repo.parts x 5  recursion
                                      15: Orders$Repo.parts (Orders.java:11-13) x 2
                                        13: Orders$Repo.bread (Orders.java:21)
    "#]]
    .assert_eq(&without_times(&ran.out));
}

#[test]
fn a_nested_class_is_found_in_each_spelling() {
    for name in
        ["Repo.load", "Orders.Repo.load", "Orders$Repo.load", "shop.Orders$Repo.load", "shop.*.Repo.load"]
    {
        let ran = folder().run_with(["calls", FILTERS, "--method", name, "--depth", "0"], "");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        assert!(ran.out.starts_with("  shop.Orders$Repo.load (Orders.java:7) x 2\n"), "{name}: {}", ran.out);
    }
}

#[test]
fn all_calls_of_a_method() {
    let ran = with_capture().run("calls shop.capture --method Till.pay");
    // An expected text cannot begin with white space, and every line of this one does.
    let output: Vec<_> = ran.out.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    expect![[r#"
        bakery.Till.pay (Till.java) x 60
          x 20 (10-12)
            10,11: Order.pieces (Order.java:7) x 40
            11: Order.recipe (Order.java:7)
            11: Cake.cents (Cake.java:16)
          x 40 (10-12)
            10,11: Order.pieces (Order.java:7) x 80
            11: Order.recipe (Order.java:7)
            11: Recipe.cents (Recipe.java)
              x 20 (12)
                12: Pretzel.minutes (Pretzel.java:11)
              x 20 (12)
                12: Bread.minutes (Bread.java:11)

        269 calls of bridges, accessors and stubs that a compiler made anywhere in the recording: --synthetic shows them"#]]
    .assert_eq(&output.join("\n"));
    let (bare, whole) = (
        with_capture().run("calls shop.capture --method pay"),
        with_capture().run("calls shop.capture --method bakery.Till.pay"),
    );
    assert_eq!(bare.out, whole.out);
    assert_eq!(bare.code, 0);
    let ran = with_capture().run("calls shop.capture --method Till.steal");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no recorded method is called Till.steal"), "{}", ran.err);
}
