//! Text from a trace never reaches the terminal as a command to it.

use crate::util::folder;

/// Names as an attacker would choose them: a clipboard write, a colour, a title, a cursor move by a
/// C1 code, reversed reading, a bell, a page script and a very long one.
fn lines() -> String {
    let long = "x".repeat(1_000_000);
    let evil = [
        "\\u001b]52;c;ZWNobyBwd25lZA==\\u0007",
        "\\u001b[31mred",
        "\\u009b2J",
        "\u{9b}2J",
        "\u{202e}gnp.exe",
        "\u{7f}\\u0000",
        "<img src=x onerror=alert(1)>",
        "a\\nb\\rc",
        &long,
    ];
    let line = |(number, text): (usize, &&str)| {
        format!(
            "{{\"ts\":{number},\"stream\":\"{text}\",\"cpu\":{number},\"name\":\"{text}\",\"fields\":{{\"{text}\":\"{text}\",\"e\":{{\"value\":1,\"label\":\"{text}\"}},\"procname\":\"{text}\",\"vtid\":{number}}}}}\n{{\"stream\":\"{text}\",\"lost\":1}}\n{text}\n{{\"name\":\"{text}\",\"x\":{text}}}\n"
        )
    };
    evil.iter().enumerate().map(line).collect()
}

fn is_harmful(character: char) -> bool {
    let is_control = character.is_control() && character != '\n';
    is_control
        || ('\u{202a}'..='\u{202e}').contains(&character)
        || ('\u{2066}'..='\u{2069}').contains(&character)
}

#[test]
fn no_output_holds_a_control_character() {
    let folder = folder().with("evil.jsonl", lines());
    for arguments in [
        "info evil.jsonl --all",
        "info evil.jsonl --json",
        "events evil.jsonl",
        "events evil.jsonl --json --gaps",
        "events evil.jsonl --track nobody",
        "loops evil.jsonl --all",
        "loops evil.jsonl --json",
        "loops evil.jsonl --track-by stream",
        "loops --history evil.jsonl --json",
        "loops --history evil.jsonl",
    ] {
        let ran = folder.run(arguments);
        let found = ran.out.chars().chain(ran.err.chars()).find(|&character| is_harmful(character));
        assert_eq!(found, None, "{arguments}");
        assert!(
            [1, 2].contains(&ran.code) || arguments.contains("--history"),
            "{arguments}: exit {}",
            ran.code
        );
        assert!(!ran.err.contains("panicked"), "{arguments}");
    }
}

#[test]
fn a_file_name_is_escaped_too() {
    let ran = folder().run_with(["info", "no\u{1b}[31mfile"], "");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no\\u{1b}[31mfile"), "{ran}");
}
