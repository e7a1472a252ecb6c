//! `tracewright mcp`: what a client of either revision is told, and that nothing it says does harm.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::util::{Ran, below_root, folder};

fn trace() -> String {
    below_root("examples/traces/lossy")
}

fn capture() -> String {
    below_root("web/tests/bakery.capture")
}

/// What the server does with these lines.
fn served(lines: &[impl AsRef<[u8]>], inputs: &[&str]) -> Ran {
    let input: Vec<u8> = lines.iter().flat_map(|line| [line.as_ref(), b"\n"].concat()).collect();
    folder().run_with(["mcp"].into_iter().chain(inputs.iter().copied()), input)
}

/// Its answers; each is one line.
fn answers(lines: &[impl AsRef<[u8]>], inputs: &[&str]) -> Vec<Value> {
    let ran = served(lines, inputs);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran}");
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn answer(line: &str, inputs: &[&str]) -> Value {
    let all = answers(&[line], inputs);
    assert_eq!(all.len(), 1, "{line}: {all:?}");
    all[0].clone()
}

fn modern(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// The text of a tool and whether it failed; the whole line has at most as many bytes as were asked for.
fn called(tool: &str, arguments: Value, inputs: &[&str]) -> (String, bool) {
    let limit = arguments["limit_bytes"].as_u64().unwrap_or(8_000);
    let ran = served(&[modern("tools/call", json!({"name": tool, "arguments": arguments}))], inputs);
    assert_eq!(ran.code, 0, "{ran}");
    assert!(ran.out.len() as u64 <= limit, "{} bytes, {limit} asked for", ran.out.len());
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete", "{answer}");
    (result["content"][0]["text"].as_str().unwrap().to_owned(), result["isError"].as_bool().unwrap())
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap()
}

#[test]
fn a_client_that_initializes_is_served() {
    let initialize = |version: &str| {
        json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
        .to_string()
    };
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"}).to_string();
    let call = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "overview"}});
    let lines = [initialize("2025-11-25"), initialized, list, ping, call.to_string()];
    let all = answers(&lines, &[&capture()]);
    assert_eq!(
        all.iter().map(|answer| answer["id"].clone()).collect::<Vec<_>>(),
        [json!("a"), json!(2), json!(3), json!(4)]
    );
    assert_eq!(all[0]["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(all[0]["result"]["serverInfo"]["name"], "tracewright");
    assert!(all[0]["result"]["capabilities"]["tools"].is_object());
    let tools = all[1]["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "info",
            "overview",
            "calls",
            "sections",
            "values",
            "between",
            "who_called",
            "source",
            "loops",
            "hangs",
            "lost",
            "diff",
            "events"
        ]
    );
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["inputSchema"]["properties"]["limit_bytes"]["maximum"], 25_000);
    }
    assert_eq!(all[2]["result"], json!({}));
    assert!(
        all[3]["result"]["content"][0]["text"].as_str().unwrap().contains("calls    5,699"),
        "{}",
        all[3]
    );
    assert!(all[3]["result"].get("resultType").is_none(), "that revision has none");
    // Another revision is answered with one that is spoken.
    for (asked, spoken) in [("2025-06-18", "2025-06-18"), ("2024-11-05", "2025-11-25"), ("", "2025-11-25")] {
        assert_eq!(answer(&initialize(asked), &[&capture()])["result"]["protocolVersion"], spoken);
    }
}

#[test]
fn a_client_of_the_stateless_revision_is_served() {
    let found = answer(&modern("server/discover", json!({})), &[&capture()]);
    let result = &found["result"];
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["cacheScope"], "private");
    assert!(result["ttlMs"].is_u64());
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "tracewright");
    let list = answer(&modern("tools/list", json!({})), &[&capture()]);
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 13);
    assert!(list["result"]["ttlMs"].is_u64());
    // What was said before does not matter, and each request says what it is.
    let code = |line: String| answer(&line, &[&capture()])["error"]["code"].as_i64();
    assert_eq!(code(modern("ping", json!({}))), Some(-32601), "that revision has no ping");
    assert_eq!(code(modern("tools/list", json!({})).replace("2026-07-28", "1900-01-01")), Some(-32022));
    assert_eq!(code(modern("tools/list", json!({})).replace("clientCapabilities", "x")), Some(-32602));
    assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.into()), Some(-32602));
    assert_eq!(code(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#.into()), Some(-32602));
    let unknown =
        answer(&modern("server/discover", json!({})).replace("2026-07-28", "1900-01-01"), &[&capture()]);
    assert_eq!(unknown["error"]["data"], json!({"supported": ["2026-07-28"], "requested": "1900-01-01"}));
}

#[test]
fn each_tool_answers() {
    let (trace, capture, marked) = (trace(), capture(), below_root("web/tests/marked.capture"));
    for (tool, arguments, input, part) in [
        ("info", json!({}), &trace, "501 events lost in 20 gaps"),
        ("info", json!({}), &capture, "Tracewright capture"),
        ("overview", json!({}), &capture, "calls    5,699"),
        ("calls", json!({}), &capture, "Bakery.sell"),
        ("calls", json!({"thread": "main", "depth": 1}), &capture, "calls, "),
        ("calls", json!({"method": "Oven.cool"}), &capture, "threw"),
        ("calls", json!({"search": "Oven.java:29"}), &capture, "Oven.cool"),
        ("sections", json!({}), &marked, "mark  one"),
        ("calls", json!({"section": "one"}), &marked, "calls, "),
        ("between", json!({"from": "Bakery.java:13", "to": "Oven.cool"}), &capture, "Bakery.close"),
        ("overview", json!({"top": 1}), &capture, "Exceptions in the order of their first occurrence"),
        ("who_called", json!({"method": "Oven.cool"}), &capture, "called by"),
        ("source", json!({"method": "Oven.cool"}), &capture, "lines\n"),
        ("loops", json!({"limit_bytes": 20_000}), &trace, "clerk 5336: 1,746 steps"),
        ("hangs", json!({}), &trace, "Observed, not proved"),
        ("events", json!({}), &trace, "shop:open"),
        ("events", json!({"name": "shop:pay", "from": "+0.000s", "to": "+0.001s"}), &trace, "shop:pay"),
        ("events", json!({}), &capture, "shop.Bakery.main:6"),
    ] {
        let (text, is_error) = called(tool, arguments, &[input]);
        assert!(!is_error && text.contains(part), "{tool}: {text}");
        assert!(last_line(&text).starts_with("Left out: "), "{tool}: {text}");
        let code = if *input == trace { "exit code 1, done, but" } else { "exit code 0, done" };
        assert!(text.contains(code), "{tool}: {text}");
    }
    let (text, _) = called("events", json!({}), &[&trace]);
    assert!(text.contains("501 events lost in 20 gaps; "), "what the command says of losses is told: {text}");
}

/// Source text comes from the folders that the server was given, and from no other.
#[test]
fn source_is_shown_with_what_ran() {
    let capture = below_root("examples/bakery/bakery.capture");
    let source = below_root("examples/bakery");
    let asked = json!({"method": "Baker.bakeAll"});
    let (text, is_error) = called("source", asked.clone(), &[&capture, "--source-root", &source]);
    assert!(!is_error && text.contains("orders.forEach(this::bakeOne)"), "{text}");
    let (text, is_error) = called("source", asked, &[&capture]);
    assert!(
        !is_error && !text.contains("orders.forEach(this::bakeOne)") && text.contains("called by"),
        "{text}"
    );
    let (text, is_error) = called("source", json!({"method": "x", "source-root": "/"}), &[&capture]);
    assert!(is_error && text.starts_with("source has no source-root"), "{text}");
    let (text, is_error) = called("source", json!({}), &[&capture]);
    assert!(is_error && text == "source needs method", "{text}");
}

/// What changes programs is not there unless it was allowed, and then names no file.
#[test]
fn recording_is_there_for_who_allows_it() {
    let capture = capture();
    let names = |inputs: &[&str]| {
        let list = answer(&modern("tools/list", json!({})), inputs);
        let tools = list["result"]["tools"].as_array().unwrap().clone();
        let name = |tool: &Value| {
            (tool["name"].as_str().unwrap().to_owned(), tool["annotations"]["readOnlyHint"].as_bool())
        };
        tools.iter().map(name).collect::<Vec<_>>()
    };
    assert!(names(&[&capture]).iter().all(|(name, reads)| name != "record" && *reads == Some(true)));
    let refused = answer(&modern("tools/call", json!({"name": "record", "arguments": {}})), &[&capture]);
    assert!(refused["error"]["message"].as_str().unwrap().starts_with("there is no such tool"), "{refused}");
    let allowed = [capture.as_str(), "--allow-record", "recordings"];
    let changing: Vec<String> = names(&allowed)
        .into_iter()
        .filter(|(_, reads)| *reads == Some(false))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(changing, ["record", "jvms", "attach", "start", "stop", "mark"]);
    for (tool, arguments, sentence) in [
        ("record", json!({"name": "a"}), "record needs command"),
        ("record", json!({"name": "../a", "command": ["true"]}), "name has 1 to 64 letters, digits, - and _"),
        ("record", json!({"name": "a", "command": "true"}), "command is a list of 1 to 200 texts"),
        ("record", json!({"name": "a", "command": [], "input": 1}), "record has no input"),
        ("attach", json!({"name": "a", "pid": "4711"}), "pid is the number of a process"),
        ("attach", json!({"name": "a", "pid": 1, "seconds": 100}), "seconds is a whole number from 1 to 40"),
        ("mark", json!({"pid": 1}), "mark needs text"),
        ("info", json!({"input": "../recordings/x.capture"}), "no such input"),
        ("info", json!({"input": "x.capture"}), "no such input"),
    ] {
        let (text, is_error) = called(tool, arguments.clone(), &allowed);
        assert!(is_error && text.starts_with(sentence), "{tool} {arguments}: {text}");
    }
    // A program that is none of Java leaves nothing behind.
    let (text, is_error) = called("record", json!({"name": "a", "command": ["true"]}), &allowed);
    assert!(is_error && text.contains("record --output=recordings/a.capture"), "{text}");
}

#[test]
fn what_is_lost_is_inferred_and_checked() {
    let event = |ts: u32, name: &str, fields: &str| {
        format!("{{\"ts\":{ts},\"cpu\":0,\"name\":\"{name}\",\"fields\":{fields}}}\n")
    };
    let switch = |ts, from: u32, to: u32| {
        event(ts, "sched_switch", &format!("{{\"prev_tid\":{from},\"prev_state\":1,\"next_tid\":{to}}}"))
    };
    // 5 went away, and then goes away again: in between it came back.
    let folder = folder().with("kernel.jsonl", switch(1, 5, 6) + &switch(9, 5, 7));
    let path = folder.path.join("kernel.jsonl");
    let path = path.to_str().unwrap();
    let (text, is_error) = called("lost", json!({}), &[path]);
    assert!(!is_error && text.contains("sched_switch") && text.contains("concluded, not observed"), "{text}");
    let (text, is_error) = called("lost", json!({"kind": "check"}), &[path]);
    assert!(!is_error && text.contains("tracewright check"), "{text}");
    // No rules are known for these events, and the client is told so as a failure.
    let (text, is_error) = called("lost", json!({}), &[&trace()]);
    assert!(
        is_error && text.contains("exit code 2") && text.contains("knows no event of this trace"),
        "{text}"
    );
}

/// All of it, page by page, is what the command prints.
#[test]
fn pages_put_together_are_the_whole() {
    let capture = capture();
    let whole = folder().run_with(["loops", &capture], "").out;
    for limit in [2_000, 3_333] {
        let (mut all, mut offset) = (String::new(), 0);
        let mut pages = 0;
        loop {
            let (text, _) = called("loops", json!({"limit_bytes": limit, "offset": offset}), &[&capture]);
            let (page, notes) = text.rsplit_once("--\n").unwrap();
            all.push_str(page);
            pages += 1;
            let Some((_, rest)) = notes.split_once("ask again with \"offset\": ") else {
                assert!(notes.ends_with("nothing behind it."), "{notes}");
                break;
            };
            offset = rest.split('.').next().unwrap().parse().unwrap();
            assert_eq!(offset, all.len());
        }
        assert!(pages > 1, "the bound of {limit} was never met");
        assert_eq!(all, whole);
    }
    let (text, _) = called("loops", json!({"offset": 10_000_000}), &[&capture]);
    assert!(last_line(&text).contains("nothing is at offset 10000000"), "{text}");
}

#[test]
fn no_answer_is_longer_than_its_bound() {
    // Text that grows where it is escaped, and one line that is longer than any answer.
    let hostile =
        format!("{{\"ts\":1,\"stream\":\"s\",\"name\":\"{}\"}}\n", "\\\"\\\\\\u0001ä".repeat(20_000));
    let folder = folder().with("log.jsonl", hostile);
    let path = folder.path.join("log.jsonl");
    for limit in [2_000, 8_000, 25_000] {
        for tool in ["events", "info", "loops"] {
            let (text, _) = called(tool, json!({"limit_bytes": limit}), &[path.to_str().unwrap()]);
            assert!(last_line(&text).starts_with("Left out: "), "{text}");
        }
    }
    let (text, _) = called("events", json!({"offset": 5_000}), &[path.to_str().unwrap()]);
    assert!(text.contains("5,000 bytes before this; "), "{}", last_line(&text));
}

/// What is far behind the page is not printed only to be counted.
#[test]
fn a_command_that_would_print_for_long_is_ended() {
    let line = format!(
        "{{\"ts\":1,\"stream\":\"s\",\"name\":\"n\",\"fields\":{{\"f\":\"{}\"}}}}\n",
        "f".repeat(4_000)
    );
    let folder = folder().with("log.jsonl", line.repeat(5_000));
    let path = folder.path.join("log.jsonl");
    let (text, is_error) = called("events", json!({"offset": 100}), &[path.to_str().unwrap()]);
    assert!(!is_error && text.contains("so it was not run to its end"), "{}", last_line(&text));
    assert!(
        last_line(&text).starts_with("Left out: 100 bytes before this; at least 16,"),
        "{}",
        last_line(&text)
    );
}

#[test]
fn inputs_are_those_that_were_named() {
    let (trace, capture) = (trace(), capture());
    let inputs = [trace.as_str(), capture.as_str()];
    for asked in [json!(2), json!("2"), json!(capture)] {
        let (text, is_error) = called("info", json!({"input": asked}), &inputs);
        assert!(!is_error && text.contains("Tracewright capture"), "{text}");
    }
    let (text, is_error) = called("info", json!({}), &inputs);
    assert!(is_error && text.starts_with("say which input: 1 = "), "{text}");
    let outside = format!("{trace}/../complete");
    for asked in
        [json!(outside), json!("/etc/passwd"), json!("../x"), json!("-"), json!(0), json!(3), json!({})]
    {
        let (text, is_error) = called("info", json!({"input": asked}), &inputs);
        assert!(is_error && text.starts_with("no such input; there are 1 = "), "{asked}: {text}");
    }
    // Values that look like options stay values, and a model is no file.
    let (text, is_error) = called("calls", json!({"search": "--version", "input": 2}), &inputs);
    assert!(is_error && text.contains("nothing that ran has --version"), "{text}");
    let (text, is_error) = called("lost", json!({"model": "/etc/passwd", "input": 1}), &inputs);
    assert!(is_error && text.starts_with("model is one of kernel"), "{text}");
    let (text, is_error) = called("calls", json!({"json": true, "input": 2}), &inputs);
    assert!(is_error && text.starts_with("calls has no json; it has method, search"), "{text}");
    let ran = folder().run("mcp not-there");
    assert_eq!(ran.code, 2, "{ran}");
    assert!(ran.err.starts_with("tracewright: cannot open not-there: "), "{ran}");
    assert_eq!(folder().run("mcp -").code, 2);
}

#[test]
fn hostile_lines_are_answered_and_the_next_one_too() {
    let ping = r#"{"jsonrpc":"2.0","id":"after","method":"ping"}"#;
    let id = |id: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}").into_bytes();
    let (refused, broken) = (-32600, -32700);
    for (line, code) in [
        ("[".repeat(1_000_000).into_bytes(), broken),
        ("{\"a\":".repeat(150_000).into_bytes(), broken),
        (vec![b'x'; 5_000_000], refused),
        (b"\xff\xfe\x00".to_vec(), broken),
        (b"nothing".to_vec(), broken),
        (b"{\"jsonrpc\":\"2.0\"".to_vec(), broken),
        (b"[]".to_vec(), refused),
        (format!("[{ping},{ping}]").into_bytes(), refused),
        (b"{}".to_vec(), refused),
        (b"null".to_vec(), refused),
        (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}".to_vec(), refused),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}".to_vec(), refused),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[1]}".to_vec(), -32602),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rm -rf\"}".to_vec(), -32601),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}".to_vec(), -32602),
        (modern("tools/call", json!({})).into_bytes(), -32602),
        (modern("tools/call", json!({"name": "record"})).into_bytes(), -32602),
        (modern("tools/call", json!({"name": "info", "arguments": [1]})).into_bytes(), -32602),
        (modern("tools/list", json!({"cursor": "x"})).into_bytes(), -32602),
        (id("null"), refused),
        (id("true"), refused),
        (id("1.5"), refused),
        (id("{}"), refused),
        (id("[[1]]"), refused),
        (id("18446744073709551616"), refused),
        (id(&format!("\"{}\"", "i".repeat(1_000))), refused),
    ] {
        let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        let all = answers(&[line, ping.as_bytes().to_vec()], &[&capture()]);
        assert_eq!(all.len(), 2, "{shown}: {all:?}");
        assert_eq!(all[0]["error"]["code"], code, "{shown}: {}", all[0]);
        assert!(!all[0].to_string().contains("null"), "an unknown id is left out: {}", all[0]);
        assert_eq!(all[1], json!({"jsonrpc": "2.0", "id": "after", "result": {}}), "{shown}");
    }
    for valid in ["0", "-7", "18446744073709551615", "\"\"", "\"a\\u0000\""] {
        let all = answers(&[id(valid)], &[&capture()]);
        assert_eq!(all[0]["id"], serde_json::from_str::<Value>(valid).unwrap());
    }
    // Notifications and answers are never answered, and neither are empty lines.
    for silent in
        [r#"{"jsonrpc":"2.0","method":"ping"}"#, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "", "  "]
    {
        assert_eq!(answers(&[silent], &[&capture()]), [] as [Value; 0], "{silent}");
    }
}

#[test]
fn it_ends_when_nobody_reads_or_writes_and_starts_at_once() {
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args(["mcp", &capture()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    writeln!(stdin, "{}", modern("server/discover", json!({}))).unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("supportedVersions"), "{line}");
    // It takes some milliseconds; the rest of the bound is for a machine that is busy.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    // A call that is cancelled is not answered; the other one is, while standard input is open.
    let call = |id: u32| {
        modern("tools/call", json!({"name": "overview"})).replace("\"id\":1", &format!("\"id\":{id}"))
    };
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 11}});
    writeln!(stdin, "{}\n{}\n{cancel}", call(10), call(11)).unwrap();
    line.clear();
    stdout.read_line(&mut line).unwrap();
    assert!(line.contains("\"id\":10"), "{line}");
    // Nobody reads any more: it ends by itself, and does not complain.
    drop(stdout);
    let ended = Instant::now();
    while child.try_wait().unwrap().is_none() {
        let _ = writeln!(stdin, r#"{{"jsonrpc":"2.0","id":1,"method":"ping"}}"#);
        assert!(ended.elapsed() < Duration::from_secs(20), "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]));
}
