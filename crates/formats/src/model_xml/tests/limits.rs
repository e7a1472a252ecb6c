//! Files that are made to be slow or large.

use super::*;

/// Each of them twice as long as the one before: refused before it grows.
#[test]
fn locations_that_double_are_refused() {
    for (before, after) in [("", ""), ("<stateAttribute type='query'>", "</stateAttribute>")] {
        let double = |n: usize| {
            let inner = format!("<stateAttribute type='location' value='l{n}'/>").repeat(2);
            format!("<location id='l{}'>{before}{inner}{after}</location>\n", n + 1)
        };
        let locations: String = (0..1000).map(double).collect();
        let file = format!(
            "<tmfxml><pattern id='p'><location id='l0'><stateAttribute type='constant' value='x'/></location>{locations}<patternHandler/></pattern></tmfxml>"
        );
        let diagnostics = read("t.xml", file.as_bytes()).unwrap_err();
        assert!(diagnostics[0].sentence.ends_with("The path has more than 256 steps."), "{diagnostics:?}");
    }
}

/// Bombs are refused before the parser sees them: the scan takes no memory, and its time is that
/// of one pass.
#[test]
fn bombs_are_refused_at_once() {
    let laughs =
        "<!DOCTYPE l [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;&a;\">]><tmfxml>&b;</tmfxml>".to_owned();
    let external = "<!DOCTYPE l SYSTEM \"file:///etc/passwd\"><tmfxml/>".to_owned();
    let attributes: String = (0..100_000).map(|number| format!("a{number}='1' ")).collect();
    let deep = "<a>".repeat(100_000);
    let wide = "<a/>".repeat(400_000);
    let long = format!("<tmfxml><!--{}--></tmfxml>", "x".repeat(3 << 20));
    let open_comments = "<!--".repeat(300_000);
    let open_quotes = "<a b='".repeat(300_000);
    for bomb in
        [laughs, external, format!("<tmfxml {attributes}/>"), deep, wide, long, open_comments, open_quotes]
    {
        let diagnostics = read("bomb.xml", bomb.as_bytes()).unwrap_err();
        assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
        // The bound is 50 ms; tests run unoptimised.
        assert!(is_done_within(200, || read("bomb.xml", bomb.as_bytes()).is_err()), "{diagnostics:?}");
    }
}

/// Whether it is true, and was so in so many milliseconds once: on a busy machine an iteration may take any time.
fn is_done_within(most: u128, is_true: impl Fn() -> bool) -> bool {
    (0..20).any(|_| {
        let start = std::time::Instant::now();
        is_true() && start.elapsed().as_millis() < most
    })
}

#[test]
fn the_largest_files_are_read_in_time() {
    let widest = file(&format!("{STATE}{}", "<test id='a'/>".repeat(crate::limits::MODEL_NODES / 2 - 50)));
    assert!(is_done_within(1_000, || read("wide.xml", widest.as_bytes()).is_err()));
}
