//! Two builds of one program: lines that moved are no difference, and lines that are named have the numbers of both.

use serde_json::{Value, json};

use super::{diff, record};
use crate::jdk::{Program, program_of};

const OVEN: &str = r#"public class Oven {
    static int opened;
    static int heat(int degrees) {
        int hot = 0;
        for (int i = 0; i < degrees; i++) {
            if (i % 3 == 0) {
                open();
            }
            if (i % 5 == 0) {
                open();
            }
            hot += i;
        }
        return hot;
    }
    static void open() {
        opened++;
    }
    public static void main(String[] arguments) {
        heat(20);
        heat(opened);
    }
}
"#;

/// The program with some of its lines replaced.
fn build(replaced: &[(&str, &str)]) -> Option<Program> {
    let mut text = OVEN.to_owned();
    for (old, new) in replaced {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    let java = program_of("Oven", &text)?;
    record(&java, "a");
    Some(java)
}

/// What differs between the first build and another, by the code alone and by the sources.
fn against(replaced: &[(&str, &str)]) -> Option<[(Value, i32); 2]> {
    let (old, new) = (build(&[])?, build(replaced)?);
    let path = |java: &Program, name: &str| java.folder.join(name).display().to_string();
    let captures = [path(&old, "a"), path(&new, "a")];
    let mut arguments: Vec<&str> = captures.iter().map(String::as_str).collect();
    let by_code = diff(&old, &arguments);
    let roots = [path(&old, ""), path(&new, "")];
    arguments.extend(["--source-root", &roots[0], "--source-root-b", &roots[1]]);
    Some([by_code, diff(&old, &arguments)])
}

const ABOVE: [(&str, &str); 3] = [
    (
        "public class Oven {",
        "// An oven.\n\npublic class Oven {\n    static void unused() {\n        heat(1);\n    }\n",
    ),
    ("        int hot = 0;", "        // Nothing yet.\n        int hot = 0;"),
    (
        "                open();\n            }\n            hot",
        "                open(); // again\n            }\n\n            hot",
    ),
];

#[test]
fn lines_that_moved_are_no_difference() {
    let Some(both) = against(&ABOVE) else { return };
    for (report, code) in both {
        assert_eq!((code, report["verdict"].as_str()), (0, Some("equal")), "{report}");
        assert_eq!(report["code_changed_elsewhere"], json!([]), "{report}");
    }
}

#[test]
fn a_change_among_lines_that_moved_is_named_with_both_numbers() {
    let changed = [&ABOVE[..2], &[("i % 5 == 0", "i % 7 == 0")]].concat();
    let Some(both) = against(&changed) else { return };
    for (report, code) in both {
        assert_eq!(code, 1, "{report}");
        let method = &report["methods"][0];
        assert_eq!(method["method"], "Oven.heat", "{report}");
        assert_eq!(method["code_changed"], json!([[9], [16]]), "{report}");
        assert!(method["moved"].as_array().unwrap().contains(&json!([10, 17])), "{report}");
        let frame = &report["threads"][0]["parts"]["stack"][0];
        assert_eq!((&frame["method"], &frame["line"]), (&json!("Oven.heat"), &json!(9)), "{report}");
    }
}

#[test]
fn a_call_that_was_inserted_before_one_like_it_is_the_new_one() {
    // The blocks of both calls do the same: only the text says which of them is new.
    let inserted = [(
        "            if (i % 3 == 0) {",
        "            if (i == 4) {\n                open();\n            }\n            if (i % 3 == 0) {",
    )];
    let Some([_, (report, code)]) = against(&inserted) else { return };
    assert_eq!(code, 1, "{report}");
    let method = &report["methods"][0];
    // The condition and the call: both are new.
    assert_eq!(method["only_lines"], json!([[], [6, 7]]), "{report}");
    assert!(
        method["moved"]
            .as_array()
            .unwrap()
            .iter()
            .all(|pair| pair[1] == json!(pair[0].as_u64().unwrap() + 3)),
        "{report}"
    );
}
