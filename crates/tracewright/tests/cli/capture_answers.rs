//! What captures answer beside their folded calls: lists, JSON, exports, losses, refusals.

use expect_test::expect;

use super::capture_parts::marked;
use super::captures::{check, example, with_capture};
use crate::util::{Folder, folder};

#[test]
fn library_calls_are_shown_by_the_first_one() {
    check(
        "calls shop.capture --own=bakery.Main --thread main --times off",
        expect![[r#"
        Thread main  5 calls, 296 blocks, 211.066 ms
          bakery.Main.main (Main.java:9-12,18,21-22)
            9: Order.morning (Order.java:10-12,15-16)
              loop at 12-13 x 60
            10: Till.<init> (Till.java:4)
            loop at 12-16 x 2
            loop at 18-20 x 2
            21: Till.pieces (Till.java:19)
            21: Till.cents (Till.java:23)

        601 calls that libraries made of libraries: --libraries shows them (own: 1 class of bakery.Main)
    "#]],
    );
    check(
        "calls shop.capture --flat --own=bakery.Main --thread main --limit 8",
        expect![[r#"
        Thread main
                 0  bakery.Main.main
                 0    Main.java:9
                 1    bakery.Order.morning
                 1      Order.java:10
                 2      Order.java:10
                 3      Order.java:10
                 4      Order.java:10-11
                 5      Order.java:11-12
        ... and more (--limit N or --all shows it)

        4 calls that libraries made of libraries: --libraries shows them (own: 1 class of bakery.Main)
    "#]],
    );
    let folder = with_capture();
    let ran = folder.run("calls shop.capture --own=nix");
    let expected = "tracewright: no class that was recorded is the program's own: nix names none\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, expected));
    let [with, without] = ["calls shop.capture --own", "calls shop.capture"].map(|line| folder.run(line).out);
    assert_eq!(with, without, "all that was recorded is in the package of the main class");
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
    for (file, expected) in [("steps", "1 gap"), ("code", "104 gaps")] {
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
    for command in ["calls", "sections", "export"] {
        let help = folder.run(&format!("{command} --help"));
        let after = help.out.split("Examples:\n").nth(1).unwrap();
        let examples = after.lines().take_while(|line| line.starts_with("  "));
        // Whether two sections differ is asked elsewhere.
        for example in examples.filter(|example| !example.contains(" diff ")) {
            // The kept capture knows a bakery.
            let example = example.trim().replace("'shop.Till.*'", "'bakery.Till.*'");
            let example = example.replace("'CartTest.adds'", "'Main.lambda$main$0#2'");
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
    let output = |folder: &Folder, arguments: &str| {
        let ran = folder.run(arguments);
        (ran.code, ran.err.lines().last().unwrap_or_default().to_owned())
    };
    let (anything, shop) = (of(&[]), of(&["shop", "bank.*"]));
    let sentence = "tracewright: no step was recorded: the program ran no classes but the JDK's, \
                    and those are recorded only when --include names them";
    assert_eq!(output(&anything, "calls shop.capture"), (2, sentence.to_owned()));
    assert_eq!(output(&anything, "calls shop.capture --summary").1, sentence);
    assert_eq!(
        output(&shop, "calls shop.capture").1,
        "tracewright: no step was recorded: the program loaded no class that --include names (shop, bank.*)"
    );
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
    let output = lossy.run("calls lossy.capture --flat --all --allow-loss");
    assert_eq!(output.code, 0, "{}", output.err);
    let inferred = output.out.lines().filter(|line| line.contains(" recorded is inferred")).count();
    let again = output.out.lines().filter(|line| line.ends_with("recorded again from here on")).count();
    assert!(inferred > 5 && inferred == again, "{inferred} {again}");
    assert!(!output.out.contains("are missing here"));
    // What is told between them is what the whole capture tells.
    let without_marks = |out: &str| -> Vec<String> {
        let lines = out.lines().filter(|line| !line.contains("inferred") && !line.contains("recorded again"));
        lines.map(|line| line.replacen('?', " ", 1)).collect()
    };
    let whole = with_capture().run("calls shop.capture --flat --all");
    assert!(without_marks(&output.out) == without_marks(&whole.out));
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
