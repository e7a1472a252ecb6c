//! Captures, by the one of the bakery that lies in `examples/`.

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};

use crate::util::{Folder, folder};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery/bakery.capture")
}

/// One with marks: `web/tests/marked.md`.
fn marked() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/marked.capture")
}

/// A folder with a copy of the capture, called `shop.capture` as in the help.
fn with_capture() -> Folder {
    let folder = folder();
    let copy = folder.path.join("shop.capture");
    std::fs::create_dir(&copy).unwrap();
    for name in ["code", "steps"] {
        std::fs::copy(example().join(name), copy.join(name)).unwrap();
    }
    folder
}

fn check(arguments: &str, expected: Expect) {
    let ran = with_capture().run(arguments);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments}");
    expected.assert_eq(&ran.out);
}

/// Times differ from recording to recording; whoever records anew must not have to touch the tests.
fn without_times(text: &str) -> String {
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
        Thread main  606 calls, 1,498 blocks
          bakery.Main.main (Main.java:9-12,18,21-22)
            9: Order.morning (Order.java:10-12,15-16)
              10: Bread.<init> (Bread.java:3)
              10: Pretzel.<init> (Pretzel.java:3)
              10: Cake.<init> (Cake.java:3)
              loop at 12-13 x 60
                13: Order.<init> (Order.java:7)
              15: Order.compareTo (Order.java:7) x 269  via library (List.sort)
                7: Order.compareTo (Order.java:21)
            10: Till.<init> (Till.java:4)
            loop at 12-16 x 2
            loop at 18-20 x 2
            21: Till.pieces (Till.java:19)
            21: Till.cents (Till.java:23)
    "#]]
    .assert_eq(&without_times(&ran.out));
}

/// Both bakers began the same calls; a thread that is asked for by its name is told by itself.
#[test]
fn threads_that_did_alike_are_one_section() {
    let ran = with_capture().run("calls shop.capture --depth 1");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    expect![[r#"
        Thread main  606 calls, 1,498 blocks
          bakery.Main.main (Main.java:9-12,18,21-22)
            9: Order.morning (Order.java:10-12,15-16)
              ... 601 calls, 1,450 blocks inside
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
    let told: Vec<_> = ran.out.lines().map(|line| line.strip_prefix("  ").unwrap()).collect();
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
                12: Bread.minutes (Bread.java:11)"#]]
    .assert_eq(&told.join("\n"));
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

#[test]
fn the_list_has_a_line_for_each_call_and_block() {
    check(
        "calls shop.capture --flat --limit 12 --thread main",
        expect![[r#"
        Thread main
                 0  bakery.Main.main
                 0    Main.java:9
                 1    bakery.Order.morning
                 1      Order.java:10
                 2      bakery.Bread.<init>
                 2        Bread.java:3
                 3        Bread.java:3
                 4      Order.java:10
                 5      bakery.Pretzel.<init>
                 5        Pretzel.java:3
                 6        Pretzel.java:3
                 7      Order.java:10
        ... and more (--limit N or --all shows it)
    "#]],
    );
}

/// What was wrong: the summary said "nothing" of all but what the recorder itself had dropped.
#[test]
fn a_damaged_byte_and_a_missing_file_are_losses_of_the_summary() {
    let lost = |folder: &Folder| {
        let ran = folder.run("calls shop.capture --summary");
        assert_eq!(ran.code, 1, "{ran}");
        ran.out.lines().find(|line| line.starts_with("lost ")).unwrap().to_owned()
    };
    for (file, expected) in [("steps", "1 gap"), ("code", "101 gaps")] {
        let folder = with_capture();
        let path = folder.path.join("shop.capture").join(file);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 8;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(lost(&folder), format!("lost     an unknown number of records in {expected}"), "{file}");
    }
    let folder = with_capture();
    std::fs::write(folder.path.join("shop.capture/open"), "").unwrap();
    std::fs::remove_file(folder.path.join("shop.capture/steps")).unwrap();
    assert_eq!(lost(&folder), "lost     what missing or damaged parts held, which is not counted");
    let ran = folder.run("calls shop.capture --summary");
    assert!(ran.err.contains("no step can be read: what would hold them is missing or damaged"), "{ran}");
    let info = folder.run("info shop.capture");
    assert!(info.out.contains("  lost     nothing that is counted; see the diagnostics\n"), "{info}");
}

/// All that folding leaves out is in the list: as many lines as there are blocks and calls.
#[test]
fn the_list_is_complete() {
    let folder = with_capture();
    let summary = folder.run("calls shop.capture --summary --json");
    let summary: serde_json::Value = serde_json::from_str(&summary.out).unwrap();
    let list = folder.run("calls shop.capture --flat --json --all");
    let count =
        |what: &str| list.out.lines().filter(|line| line.contains(&format!("\"what\":\"{what}\""))).count();
    assert_eq!(count("block") + count("caught"), summary["blocks"].as_u64().unwrap() as usize);
    assert_eq!(count("call"), summary["calls"].as_u64().unwrap() as usize);
    for line in list.out.lines().take(50) {
        let _: serde_json::Value = serde_json::from_str(line).unwrap();
    }
}

#[test]
fn the_sample_is_folded_by_more_than_85_percent() {
    let ran = with_capture().run("calls shop.capture --summary --json");
    let summary: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(summary["reduction_percent"].as_f64().unwrap() > 85.0, "{summary}");
    assert_eq!((summary["threads"].as_u64(), summary["lost"].as_u64()), (Some(3), Some(0)));
}

#[test]
fn json_tells_the_same_calls() {
    let ran = with_capture().run("calls shop.capture --json --thread main");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let main = &report["threads"][0]["ran"][0];
    assert_eq!(
        (main["method"].as_str(), main["file"].as_str()),
        (Some("bakery.Main.main"), Some("Main.java"))
    );
    let names: Vec<&str> =
        main["inside"].as_array().unwrap().iter().filter_map(|entry| entry["method"].as_str()).collect();
    assert_eq!(names[0], "bakery.Order.morning", "{names:?}");
    let ran = with_capture().run("calls shop.capture --json --method Till.pay");
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["calls"][0]["times"].as_u64(), Some(60));
}

#[test]
fn the_other_commands_read_captures_too() {
    let folder = with_capture();
    let info = folder.run("info shop.capture");
    assert_eq!((info.code, info.err.as_str()), (0, ""));
    assert!(info.out.contains("format   Tracewright capture 1, blocks"), "{}", info.out);
    check(
        "events shop.capture --limit 2",
        expect![[r#"
        (main) bakery.Main.main:9#0
        (main) bakery.Order.morning:10#0
    "#]],
    );
    let loops = folder.run("loops shop.capture --json");
    let loops: serde_json::Value = serde_json::from_str(&loops.out).unwrap();
    assert_eq!(loops["tracks"].as_array().map(Vec::len), Some(3));
    assert_eq!(folder.run("hangs shop.capture").code, 0);
}

#[test]
fn exports_have_every_call_and_every_block() {
    let folder = with_capture();
    let summary: serde_json::Value =
        serde_json::from_str(&folder.run("calls shop.capture --summary --json").out).unwrap();
    for form in ["etr", "chrome", "perfetto"] {
        let ran = folder.run(&format!("export shop.capture --to {form} -o out.{form}"));
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{form}");
    }
    let read = |name: &str| std::fs::read(folder.path.join(name)).unwrap();
    assert_eq!(read("out.etr").len() as u64, 14 * summary["blocks"].as_u64().unwrap());
    assert!(read("out.etr.em").starts_with(b"# records: thread u8"));
    let chrome: serde_json::Value = serde_json::from_slice(&read("out.chrome")).unwrap();
    let events = chrome["traceEvents"].as_array().unwrap();
    let calls = summary["calls"].as_u64().unwrap() as usize;
    let count = |letter: &str| events.iter().filter(|event| event["ph"] == letter).count();
    assert_eq!((count("B"), count("E"), count("M")), (calls, calls, 4));
    assert!(read("out.perfetto").len() > calls * 2 * 10);
    let again = folder.run("export shop.capture --to etr -o out.etr");
    assert_eq!(again.code, 2, "no file is written over");
}

#[test]
fn what_is_damaged_is_told_and_the_rest_is_shown() {
    let folder = with_capture();
    let steps = folder.path.join("shop.capture/steps");
    let mut bytes = std::fs::read(&steps).unwrap();
    let cut = bytes.len() - 100;
    bytes.truncate(cut);
    std::fs::write(&steps, bytes).unwrap();
    let ran = folder.run("calls shop.capture --summary");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("the last 100 bytes of its last record are missing"), "{}", ran.err);
    assert!(ran.out.contains("baker 1") && ran.out.contains("lost     552 records\n"), "{}", ran.out);
    assert_eq!(folder.run("calls shop.capture --summary --allow-loss").code, 0);
    std::fs::remove_file(&steps).unwrap();
    let ran = folder.run("calls shop.capture");
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("The file `steps` is missing"), "{}", ran.err);
}

#[test]
fn what_is_no_capture_is_refused_in_a_sentence() {
    let folder = folder().with("file", "x");
    let ran = folder.run("calls file");
    assert_eq!(ran.code, 2);
    assert_eq!(
        ran.err,
        "tracewright: file is no recording of control flow: expected a folder that `tracewright record` or `uftrace record` has written, a file of trace events in JSON, or a trace of Perfetto with something on a track\n"
    );
}

#[test]
fn every_example_of_the_help_works() {
    let folder = with_capture();
    for command in ["calls", "export"] {
        let help = folder.run(&format!("{command} --help"));
        let behind = help.out.split("Examples:\n").nth(1).unwrap();
        for example in behind.lines().take_while(|line| line.starts_with("  ")) {
            // The kept capture knows a bakery.
            let example = example.trim().replace("'shop.Till.*'", "'bakery.Till.*'");
            // It has no marks; another one has.
            let marked = format!("{} --from one --to two", marked().display());
            let example = example.replace("shop.capture --from 'login clicked' --to 'logged in'", &marked);
            let ran = folder.shell(&example);
            assert_eq!(ran.code, 0, "{example}: {ran}");
        }
    }
}

#[test]
fn a_recording_of_nothing_says_why() {
    use capture::records::WhenFull;
    use capture::{Encoding, Header};
    let of = |include: &[&str]| {
        let about = include.iter().map(|pattern| ("include".to_owned(), (*pattern).to_owned())).collect();
        let header = Header {
            version: capture::VERSION,
            encoding: Encoding::Blocks,
            when_full: WhenFull::Drop,
            pid: 1,
            time: 1,
            about,
        };
        let (mut code, folder) = (vec![], folder());
        header.put(&mut code);
        std::fs::create_dir(folder.path.join("shop.capture")).unwrap();
        std::fs::write(folder.path.join("shop.capture/code"), code).unwrap();
        std::fs::write(folder.path.join("shop.capture/steps"), []).unwrap();
        folder
    };
    let told = |folder: &Folder, arguments: &str| {
        let ran = folder.run(arguments);
        (ran.code, ran.err.lines().last().unwrap_or_default().to_owned())
    };
    let (anything, shop) = (of(&[]), of(&["shop", "bank.*"]));
    let sentence = "tracewright: no step was recorded: the program ran no classes but the JDK's, \
                    and those are recorded only when --include names them";
    assert_eq!(told(&anything, "calls shop.capture"), (2, sentence.to_owned()));
    assert_eq!(told(&anything, "calls shop.capture --summary").1, sentence);
    assert_eq!(
        told(&shop, "calls shop.capture").1,
        "tracewright: no step was recorded: the program loaded no class that --include names (shop, bank.*)"
    );
}

/// What lies between two marks is a recording of its own.
#[test]
fn marks_are_shown_and_cut_at() {
    let run = |options: &str| {
        let ran = folder().run(&format!("calls {} {options}", marked().display()));
        format!("{}{}{}", without_times(&ran.out), ran.err, ran.code)
    };
    expect![[r#"
        Thread main  2,401 calls, 25,203 blocks
          mark one: after 16,155 blocks; the last was of Shop.work (Shop.java:2)
          mark two: after 24,471 blocks; the last was of Shop.work (Shop.java:2)
          Shop.main (Shop.java:6-7)
          ... and more (--limit N or --all shows it; --depth N, --method and --search look closer)
        0"#]]
    .assert_eq(&run("--limit 1"));
    expect![[r#"
        Thread main  794 calls, 8,316 blocks
          mark one: after 0 blocks
          mark two: after 8,316 blocks; the last was of Shop.work (Shop.java:2)
          Shop.main (Shop.java)  beginning not seen  still open at the end
            Shop.login (Shop.java:3)  beginning not seen
            loop at 6 x 199
              x 1 (6)
                6: Shop.pay (Shop.java:4)
                  4: Shop.work (Shop.java:2)
              x 197 (6)
                6: Shop.login (Shop.java:3)
                  3: Shop.work (Shop.java:2)
                6: Shop.pay (Shop.java:4)  as before
              x 1 (6)
                6: Shop.login (Shop.java:3)  still open at the end
                  3: Shop.work (Shop.java:2)
        0"#]]
    .assert_eq(&run("--from one --to two --depth 2"));
    expect![[r#"
        Thread main
                 0  Shop.main  beginning not seen
                 0    Shop.login  beginning not seen
                 0      mark one
        ... and more (--limit N or --all shows it)
        0"#]]
    .assert_eq(&run("--from one --flat --limit 3"));
    for (options, sentence) in [
        (
            "--from three",
            "no mark, recorded line (Oven.java:14) or method is called \"three\"; marks are one, two",
        ),
        (
            "--from two --to one",
            "no mark, recorded line (Oven.java:14) or method is called \"one\" after \"two\"; marks are one, two",
        ),
    ] {
        assert_eq!(run(options), format!("tracewright: {sentence}\n2"), "{options}");
    }
    let bakery = folder().run(&format!("calls {} --to one", example().display()));
    let sentence = "tracewright: no recorded line (Oven.java:14) or method is called \"one\", and there are no marks; \
                    `tracewright mark PID TEXT` sets one\n";
    assert_eq!((bakery.code, bakery.err.as_str()), (2, sentence));
}

/// From a line or a call to another one: each thread by itself, in the middle of whatever runs.
#[test]
fn what_ran_between_two_lines_or_calls_is_told() {
    let bakery = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/bakery.capture");
    let run = |options: &str| {
        let ran = folder().run(&format!("calls {bakery} {options}"));
        format!("{}{}{}", ran.out, ran.err, ran.code)
    };
    expect![[r#"
        Thread main  3 calls, 2 blocks
          shop.Bakery.main (Bakery.java:13)  beginning not seen  still open at the end
            13: Bakery.close (Bakery.java:31)  still open at the end
              31: Oven.cool (Oven.java)  still open at the end
        0"#]]
    .assert_eq(&run("--from Bakery.java:13 --to Oven.cool"));
    expect![[r#"
        Thread main
                 0  shop.Bakery.main  beginning not seen
                 0    shop.Bakery.sell  beginning not seen
                 0      shop.Oven.bake  beginning not seen
                 0        shop.Oven.heat
                 0          Oven.java:17
                 1          Oven.java:18
                 2          Oven.java:17
                 3          Oven.java:18
                 4          Oven.java:17
                 5          Oven.java:18
                 6          Oven.java:17
                 7          Oven.java:18
                 8          Oven.java:17
                 9          Oven.java:18
                10          Oven.java:17
                11          Oven.java:18
                12          Oven.java:17
                13          Oven.java:20
                14        Oven.java:13
                15      shop.Oven.bake  still open at the end
                15    shop.Bakery.sell  still open at the end
                15  shop.Bakery.main  still open at the end
        0"#]]
    .assert_eq(&run("--from Oven.heat --to Oven.java:13 --flat"));
    expect![[r#"
        Thread main  3 calls, 7 blocks
          shop.Bakery.main (Bakery.java:14)  beginning not seen
            Bakery.close (Bakery.java:32-33,35)  beginning not seen
              Oven.cool (Oven.java:29-30)  beginning not seen  threw
              caught
        0"#]]
    .assert_eq(&run("--from Oven.java:29 --to Oven.java:29"));
    let sentence = "tracewright: no recorded line (Oven.java:14) or method is called \"Oven.java:999\", and there are no marks; \
                    `tracewright mark PID TEXT` sets one\n2";
    assert_eq!(run("--from Oven.java:999"), sentence);
}

/// The methods that did the most and the first exceptions, with --summary.
#[test]
fn the_methods_that_did_the_most_and_the_first_exceptions_are_told() {
    let bakery = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/bakery.capture");
    let ran = folder().run(&format!("calls {bakery} --summary --top 3"));
    let (_, top) = ran.out.split_once("\nMethods").unwrap();
    expect![[r#"
         by blocks of their own
          blocks  calls  method
           8,372  2,430  shop.Oven.turn (Oven.java)
           4,860  2,430  shop.Oven.lambda$bake$0 (Oven.java)
           4,065      5  shop.Bakery.sell (Bakery.java)

        Exceptions in the order of their first occurrence
          thread  from                           ended   caught
          main    shop.Oven.cool (Oven.java:30)  1 call  shop.Bakery.close (Bakery.java:32)
    "#]]
    .assert_eq(top);
    let ran = folder().run(&format!("calls {bakery} --summary --top 1 --json"));
    let summary: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(summary["top"]["methods"].as_array().unwrap().len(), 1);
    assert_eq!(summary["top"]["exceptions"][0]["caught"]["method"], "shop.Bakery.close");
    assert_eq!(folder().run(&format!("calls {bakery} --top 1")).code, 2);
}

/// A folder with a copy of the capture from which single records were left out, as if they had been dropped.
fn with_lossy_capture() -> Folder {
    let folder = folder();
    let [code, steps] = ["code", "steps"].map(|name| std::fs::read(example().join(name)).unwrap());
    let named = |name: &str, bytes: &[u8]| source::NamedSource {
        name: name.to_owned(),
        source: Box::new(bytes.to_vec()),
    };
    let whole = capture::Capture::open(vec![named("code", &code), named("steps", &steps)]).unwrap();
    let damaged = capture::damage::without(&whole, 1, 2_000, &mut capture::fixture::Rng(3));
    let copy = folder.path.join("lossy.capture");
    std::fs::create_dir(&copy).unwrap();
    std::fs::write(copy.join("code"), code).unwrap();
    std::fs::write(copy.join("steps"), damaged.steps).unwrap();
    folder
}

#[test]
fn what_lost_records_told_is_inferred_and_marked_or_left_out() {
    let lossy = with_lossy_capture();
    let told = lossy.run("calls lossy.capture --flat --all --allow-loss");
    assert_eq!(told.code, 0, "{}", told.err);
    let inferred = told.out.lines().filter(|line| line.contains("what they told is inferred")).count();
    let again = told.out.lines().filter(|line| line.ends_with("recorded again from here on")).count();
    assert!(inferred > 5 && inferred == again, "{inferred} {again}");
    assert!(!told.out.contains("are missing here"));
    // What is told between them is what the whole capture tells.
    let without_marks = |out: &str| -> Vec<String> {
        let lines = out.lines().filter(|line| !line.contains("inferred") && !line.contains("recorded again"));
        lines.map(|line| line.replacen('?', " ", 1)).collect()
    };
    let whole = with_capture().run("calls shop.capture --flat --all");
    assert!(without_marks(&told.out) == without_marks(&whole.out));
    let left_out = lossy.run("calls lossy.capture --flat --all --allow-loss --no-inferred");
    assert_eq!(left_out.out.lines().filter(|line| line.contains("are missing here")).count(), inferred);
    assert!(!left_out.out.contains("inferred"));
    let summary = lossy.run("calls lossy.capture --summary --json --allow-loss");
    let summary: serde_json::Value = serde_json::from_str(&summary.out).unwrap();
    assert_eq!(summary["lost"], 0);
    assert!(summary["inferred"].as_u64().unwrap() >= inferred as u64);
    let tree = lossy.run("calls lossy.capture --json --allow-loss");
    assert!(tree.out.contains(r#""what":"inferred""#) && tree.out.contains(r#""what":"observed""#));
}
