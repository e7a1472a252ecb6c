//! A Kotlin program: what was inlined is shown where it stands in the file, and where it comes from.
//!
//! `kotlin/MainKt.class` was made by Kotlin 1.3.31, so that no test needs its compiler or its library:
//! `kotlinc -Xno-param-assertions -Xno-call-assertions Lists.kt Main.kt -d .`

use std::fs;

use expect_test::expect;

use crate::jdk::{program, shown};

#[test]
fn inlined_lines_are_those_of_the_file_and_their_origin_is_named() {
    let Some(mut java) = program("Iterations") else { return };
    java.main = "MainKt".to_owned();
    fs::write(java.folder.join("MainKt.class"), include_bytes!("kotlin/MainKt.class")).unwrap();
    let ran = java.recorded(&["-o", "c"], &["-Xverify:all"], &[]).output().unwrap();
    assert!(ran.status.success() && ran.stdout == b"70\n", "{}", shown(&ran));
    let calls = java.tracewright(&["calls", "c"]).output().unwrap();
    // The first line says how long it took, and that of `main` too if it was long enough to be known.
    let output = shown(&calls);
    let lines = output
        .lines()
        .skip(1)
        .map(|line| line.split_once(")  ").map_or(line.to_owned(), |(call, _how_long)| format!("{call})")));
    let text = lines.collect::<Vec<_>>().join("\n");
    expect![[r#"
          MainKt.main (Main.kt:7-8,12-13)
            loop at 2-3,8-10, inlined Lists.kt:2-3 x 4
        -- stderr
        -- exit status: 0"#]]
    .assert_eq(&text);
    let json = shown(&java.tracewright(&["calls", "c", "--json"]).output().unwrap());
    assert!(json.contains(r#""inlined":"Lists.kt:2-3""#), "{json}");
    let table = shown(&java.tracewright(&["table", "blocks", "c"]).output().unwrap());
    let inlined = table.lines().filter(|row| row.contains("Main.kt") && row.contains("Lists.kt:"));
    assert!(inlined.count() > 0, "{table}");
    // Each line that is shown is one of the file.
    let capture = crate::show::open(&java.folder.join("c"));
    let lines = capture.code.methods.iter().flat_map(|method| &method.blocks).flat_map(|block| &block.lines);
    let last = include_str!("kotlin/Main.kt").lines().count();
    assert!(lines.clone().count() > 8 && lines.clone().all(|line| usize::from(*line) <= last));
}
