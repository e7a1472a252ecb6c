//! Every example in the help is run, so that none rots.

use crate::util::{WHOLE, folder};

fn examples(help: &str) -> Vec<&str> {
    let after = help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("no examples in {help}"));
    after.lines().take_while(|line| line.starts_with("  ")).map(str::trim).collect()
}

#[test]
fn every_example_works() {
    // The examples speak of a folder with a trace; here it is a link to event lines, because the
    // reader of folders has tests of its own.
    let switch =
        r#"{"ts":1,"cpu":0,"name":"sched_switch","fields":{"prev_tid":5,"prev_state":1,"next_tid":6}}"#;
    let folder = folder()
        .with("app.jsonl", WHOLE.replace("web", "app.jsonl"))
        .with("kernel.jsonl", format!("{switch}\n"))
        .with("history.txt", "A B B C A B B C");
    let mut count = 0;
    for command in [
        "",
        "info ",
        "events ",
        "loops ",
        "hangs ",
        "2l ",
        "2l show ",
        "2l run ",
        "2l search ",
        "2l verify ",
        "completions ",
        "man ",
    ] {
        let help = folder.run(&format!("{command}--help"));
        assert_eq!(help.code, 0);
        // Evaluation needs a trace of a kernel: its examples are run where its tests make one. A page is served until it is
        // stopped: those examples are run by the tests of the page.
        let is_run = |example: &&str| ![" evaluate ", " view "].iter().any(|word| example.contains(word));
        for example in examples(&help.out).into_iter().filter(is_run) {
            // Nothing can be checked in a trace of which the model knows no event.
            let is_of_kernel = example.contains(" check ") || example.contains(" infer ");
            let trace = if is_of_kernel { "kernel.jsonl" } else { "app.jsonl" };
            let ran = folder.shell(&example.replace("trace/", trace));
            assert_eq!(ran.code, 0, "{example}: {ran}");
            assert!(
                !ran.out.is_empty()
                    || example.contains("--from")
                    || example.contains(" > ")
                    || example.contains(" man "),
                "{example} prints nothing"
            );
            count += 1;
        }
    }
    assert!(count >= 12, "{count}");
}

#[test]
fn the_version_is_told() {
    assert!(folder().run("--version").out.starts_with("tracewright "));
}

/// An empty pattern names nothing: a recording of nothing is not what anybody asks for.
#[test]
fn a_pattern_of_methods_is_not_empty() {
    let folder = folder();
    for option in ["--include", "--exclude", "--values", "--inside"] {
        let ran = folder.shell(&format!("tracewright record {option} '' -- true"));
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.err.contains(&format!("a value is required for '{option} <PATTERN>'")), "{ran}");
    }
}
