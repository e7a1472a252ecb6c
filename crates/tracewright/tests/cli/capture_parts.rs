//! A part of a capture, between marks, lines and calls.

use std::path::{Path, PathBuf};

use expect_test::expect;

use super::captures::{example, without_times};
use crate::util::folder;

/// One with marks: `web/tests/marked.md`.
pub(super) fn marked() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/marked.capture")
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
