//! An assistant that may record: it starts a program, and asks about what it recorded; it goes into one that runs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::jdk::{kill, program_of};

const SHOP: &str = r#"
public class Shop {
    static long sold;
    static void sell(int n) { for (int i = 0; i < n; i++) sold += i; }
    public static void main(String[] args) throws Exception {
        boolean stays = args.length > 0;
        if (stays) System.out.println("open");
        do { sell(3); Thread.sleep(stays ? 20 : 0); } while (stays);
        System.out.println("sold " + sold);
    }
}
"#;

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        kill(&mut self.0);
    }
}

/// What a tool answers, and whether it failed.
fn ask(to: &mut ChildStdin, from: &mut impl BufRead, tool: &str, arguments: &Value) -> (String, bool) {
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments,
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}},
    }});
    writeln!(to, "{line}").unwrap();
    let mut answer = String::new();
    from.read_line(&mut answer).unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let result = &answer["result"];
    (result["content"][0]["text"].as_str().unwrap().to_owned(), result["isError"].as_bool().unwrap())
}

#[test]
fn an_assistant_records_programs_and_asks_about_them() {
    let Some(java) = program_of("Shop", SHOP) else { return };
    let mut server = java.tracewright(&["mcp", "--allow-record", "made"]);
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut to = server.stdin.take().unwrap();
    let mut from: BufReader<ChildStdout> = BufReader::new(server.stdout.take().unwrap());
    let mut ask = |tool: &str, arguments: Value| ask(&mut to, &mut from, tool, &arguments);

    let line = java.java(&[], &[]);
    let words = std::iter::once(line.get_program()).chain(line.get_args());
    let words: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
    let (text, is_error) = ask("record", json!({"name": "first", "command": words}));
    assert!(!is_error && text.starts_with("sold 3\n"), "{text}");
    let (text, is_error) = ask("who_called", json!({"input": "first.capture", "method": "sell"}));
    assert!(
        !is_error && text.contains("1 call in 1 thread (main)") && text.contains("Shop.main (Shop.java:8)"),
        "{text}"
    );
    // A name is taken once.
    let (text, is_error) = ask("record", json!({"name": "first", "command": words}));
    assert!(is_error && text.contains("first.capture"), "{text}");

    let mut running = Running(java.java(&[], &["stay"]).stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let pid = running.0.id();
    let (text, is_error) = ask("attach", json!({"name": "second", "pid": pid}));
    assert!(!is_error, "{text}");
    let (text, is_error) = ask("mark", json!({"pid": pid, "text": "now"}));
    assert!(!is_error, "{text}");
    std::thread::sleep(std::time::Duration::from_millis(200));
    let (text, is_error) = ask("stop", json!({"pid": pid}));
    assert!(!is_error, "{text}");
    let (text, is_error) = ask("calls", json!({"input": "second.capture", "from": "now", "method": "sell"}));
    assert!(!is_error && text.contains("Shop.sell"), "{text}");
    drop(to);
    assert!(server.wait().unwrap().success());
}
