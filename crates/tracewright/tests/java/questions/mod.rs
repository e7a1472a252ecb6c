//! Questions about recordings of real programs: an assistant's tools are asked, and what they answer is held against facts
//! that are counted another way, step by step in the flat list of what ran.
//!
//! `questions.json` has for each question the tools that are asked, at most three, and the facts that their answers must
//! have. Seven are about the kept capture of the bakery; thirty about antlr4, h2 and rhino, which are recorded here from the
//! jars of Debian's packages `antlr4`, `libh2-java` and `rhino`.

mod facts;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use facts::{Ran, facts};

const JARS: &str = "/usr/share/java";
/// Of thirty questions about real programs.
const ANSWERED: usize = 28;

fn questions(recording: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("questions.json")).unwrap();
    let all = all.as_array().unwrap().iter();
    all.filter(|question| question["recording"] == recording).cloned().collect()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
    command.args(arguments);
    command
}

/// What the tools of a server on this recording answer, one after the other.
fn asked(capture: &Path, calls: &[Value]) -> String {
    let mut server =
        command(&["mcp"]).arg(capture).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut to = server.stdin.take().unwrap();
    let mut from = BufReader::new(server.stdout.take().unwrap());
    let mut text = String::new();
    for (id, call) in calls.iter().enumerate() {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
            "name": call[0], "arguments": call[1],
            "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}},
        }});
        writeln!(to, "{line}").unwrap();
        let mut answer = String::new();
        from.read_line(&mut answer).unwrap();
        assert!(answer.len() <= 25_000, "{} bytes", answer.len());
        let answer: Value = serde_json::from_str(&answer).unwrap();
        text += answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        text.push('\n');
    }
    drop(to);
    server.wait().unwrap();
    text
}

/// The questions about a recording that were not answered, each with the facts that are missing.
fn unanswered(name: &str, capture: &Path) -> Vec<String> {
    let flat = command(&["calls", "--flat", "--json", "--all", "--no-inferred", "--allow-loss"])
        .arg(capture)
        .output()
        .unwrap();
    let ran = Ran::of(&String::from_utf8(flat.stdout).unwrap());
    let mut missing = vec![];
    for question in questions(name) {
        let calls = question["calls"].as_array().unwrap();
        assert!((1..=3).contains(&calls.len()), "{question}");
        let text = asked(capture, calls);
        let needed: Vec<Vec<String>> =
            question["facts"].as_array().unwrap().iter().flat_map(|fact| facts(&ran, fact)).collect();
        assert!(!needed.is_empty(), "nothing is needed of the answer: {question}");
        let has =
            |words: &&Vec<String>| text.lines().any(|line| words.iter().all(|word| has_word(line, word)));
        let lacking: Vec<_> = needed.iter().filter(|words| !has(words)).collect();
        if !lacking.is_empty() {
            missing
                .push(format!("{name}: {}\n  not in the answer: {lacking:?}\n{text}", question["question"]));
        }
    }
    missing
}

/// Whether a line has a text that is no part of a longer number or name.
fn has_word(line: &str, word: &str) -> bool {
    let goes_on = |mut characters: Box<dyn Iterator<Item = char> + '_>| match characters.next() {
        Some(',') => characters.next().is_some_and(|one| one.is_ascii_digit()),
        Some(one) => one.is_alphanumeric(),
        None => false,
    };
    line.match_indices(word).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + word.len()..]);
        !goes_on(Box::new(before.chars().rev())) && !goes_on(Box::new(after.chars()))
    })
}

#[test]
fn questions_about_the_bakery_are_answered() {
    let capture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/bakery.capture");
    let missing = unanswered("bakery", &capture);
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Name, jars, what is recorded, arguments; `@` stands for the folder.
type Recorded = (&'static str, &'static [&'static str], &'static str, &'static [&'static str]);

const PROGRAMS: [Recorded; 3] = [
    (
        "antlr4",
        &[
            "antlr4",
            "antlr4-runtime",
            "antlr3-runtime",
            "stringtemplate4",
            "treelayout",
            "icu4j",
            "javax.json",
        ],
        "org.antlr.v4.*",
        &["org.antlr.v4.Tool", "-o", "@/out", "@/Calc.g4"],
    ),
    (
        "h2",
        &["h2", "jts-core", "slf4j-api"],
        "org.h2.*",
        &["org.h2.tools.Shell", "-url", "jdbc:h2:mem:test", "-sql", SQL],
    ),
    (
        "rhino",
        &["rhino"],
        "org.mozilla.*",
        &["org.mozilla.javascript.tools.shell.Main", "-opt", "-1", "-f", "@/try.js"],
    ),
];

const SQL: &str = "create table t(id int primary key, name varchar); insert into t values(1,'a'),(2,'b'),(3,'c'); \
                   select count(*) from t where id > 1; select * from missing";

const GRAMMAR: &str = "grammar Calc;
prog: stat+ ;
stat: expr NEWLINE | ID '=' expr NEWLINE | NEWLINE ;
expr: expr ('*'|'/') expr | expr ('+'|'-') expr | INT | ID | '(' expr ')' ;
ID: [a-zA-Z]+ ;
INT: [0-9]+ ;
NEWLINE: '\\r'? '\\n' ;
WS: [ \\t]+ -> skip ;
";

const SCRIPT: &str = "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
var text = '';
for (var i = 0; i < 8; i++) { text += fib(i) + ','; }
try { nothing.here(); } catch (e) { text += 'caught'; }
print(text);
";

#[test]
fn questions_about_real_programs_are_answered_within_three_calls() {
    let Some(home) = testing::jdk() else { return };
    let jar = |name: &str| Path::new(JARS).join(format!("{name}.jar"));
    for (name, jars, ..) in PROGRAMS {
        if let Some(missing) = jars.iter().find(|name| !jar(name).exists()) {
            testing::skip(format_args!("no {missing}.jar of Debian's packages, which {name} needs"));
            return;
        }
    }
    let temporary = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = temporary.path();
    fs::write(folder.join("Calc.g4"), GRAMMAR).unwrap();
    fs::write(folder.join("try.js"), SCRIPT).unwrap();
    let (mut all, mut missing) = (0, vec![]);
    for (name, jars, include, arguments) in PROGRAMS {
        let capture = folder.join(format!("{name}.capture"));
        let path: Vec<String> = jars.iter().map(|name| jar(name).display().to_string()).collect();
        let location = folder.display().to_string();
        let recorded = command(&["record", "--include", include, "--output"])
            .arg(&capture)
            .arg("--")
            .arg(home.join("bin/java"))
            .args(["-cp", &path.join(":")])
            .args(arguments.iter().map(|argument| argument.replace('@', &location)))
            .current_dir(folder)
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .env_remove("XDG_RUNTIME_DIR")
            .output()
            .unwrap();
        assert!(capture.join("steps").exists(), "{}", String::from_utf8_lossy(&recorded.stderr));
        all += questions(name).len();
        missing.extend(unanswered(name, &capture));
    }
    assert_eq!(all, 30);
    assert!(
        all - missing.len() >= ANSWERED,
        "{} of {all} answered\n{}",
        all - missing.len(),
        missing.join("\n")
    );
}
