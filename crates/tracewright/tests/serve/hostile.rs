//! What others may try, and what must come of it. The order is that of a table of hazards: strangers' names for
//! us, other sites, other users of this machine, other files, drowning, text of a trace as code, the world outside.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::util::{Answer, KERNEL, Server, folder};

#[test]
fn only_our_own_name_is_answered_to() {
    let server = Server::start(KERNEL);
    let port = server.port;
    for path in ["/", "/app.js", "/api/about", "/nothing"] {
        let token = "Authorization: Bearer {token}";
        for hosts in [
            "Host: evil.example".to_owned(),
            format!("Host: evil.example:{port}"),
            format!("Host: 127.0.0.1.evil.example:{port}"),
            "Host: 127.0.0.1".into(),
            "Host: 127.0.0.1:1".into(),
            format!("Host: 127.0.0.1:{port}.evil"),
            "Host:".into(),
            "X-No-Host: 1".into(),
            format!("Host: 127.0.0.1:{port}\nHost: 127.0.0.1:{port}"),
            format!("Host: 127.0.0.1:{port}\nHost: evil.example"),
        ] {
            let answer = server.ask(&format!("GET {path} HTTP/1.1\n{hosts}\n{token}"));
            assert_eq!(answer.status, 403, "{path}, {hosts}: {answer:?}");
        }
        let answer = server.ask(&format!("GET http://evil.example{path} HTTP/1.1\nHost: {{host}}\n{token}"));
        assert_eq!(answer.status, 403, "{answer:?}");
        let answer =
            server.ask(&format!("GET http://127.0.0.1:{port}{path} HTTP/1.1\nHost: {{host}}\n{token}"));
        assert_eq!(answer.status, 403, "an absolute address is for proxies: {answer:?}");
    }
    let answer = server
        .ask(&format!("GET /api/about HTTP/1.1\nHost: localhost:{port}\nAuthorization: Bearer {{token}}"));
    assert_eq!(answer.status, 200, "localhost is our name too: {answer:?}");
}

#[test]
fn other_sites_get_nothing_and_change_nothing() {
    let server = Server::start(KERNEL);
    let mut answers = vec![];
    for line in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: https://{host}",
        "Origin: http://localhost:1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ] {
        for path in ["/", "/api/about", "/api/inference/choose"] {
            for method in ["GET", "POST"] {
                let head = format!(
                    "{method} {path} HTTP/1.1\nHost: {{host}}\nAuthorization: Bearer {{token}}\n{line}"
                );
                let answer = server.ask(&head);
                assert_eq!(answer.status, 403, "{head}: {answer:?}");
                answers.push(answer);
            }
        }
    }
    // A form can be sent from anywhere; it cannot bring the token.
    let form =
        "POST /api/inference/undo HTTP/1.1\nHost: {host}\nContent-Type: application/x-www-form-urlencoded";
    answers.push(server.ask(form));
    assert_eq!(answers.last().unwrap().status, 401);
    // What a browser asks before it sends a header of ours from another site.
    let preflight =
        "OPTIONS /api/about HTTP/1.1\nHost: {host}\nAccess-Control-Request-Headers: authorization";
    answers.push(server.ask(preflight));
    assert_eq!(answers.last().unwrap().status, 405);
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT"] {
        answers.push(
            server.ask(&format!(
                "{method} /api/about HTTP/1.1\nHost: {{host}}\nAuthorization: Bearer {{token}}"
            )),
        );
        assert_eq!(answers.last().unwrap().status, 405, "{method}");
    }
    answers.push(server.get("/api/about"));
    answers
        .push(server.ask("GET / HTTP/1.1\nHost: {host}\nOrigin: http://{host}\nSec-Fetch-Site: same-origin"));
    assert_eq!(answers.last().unwrap().status, 200);
    for answer in &answers {
        assert!(!answer.head.to_lowercase().contains("access-control"), "{answer:?}");
        assert!(!answer.head.to_lowercase().contains("set-cookie"), "{answer:?}");
    }
    // What changes something is not there for GET.
    for path in ["/api/inference/choose", "/api/inference/undo"] {
        assert_eq!(server.get(path).status, 405, "{path}");
    }
    assert_eq!(server.json("/api/inference")["revision"], 0);
}

#[test]
fn the_page_may_be_led_to_into_a_window_of_its_own_and_nothing_else_may() {
    let server = Server::start(KERNEL);
    let ask = |start: &str, more: &str| {
        let head = format!(
            "{start} HTTP/1.1\nHost: {{host}}\nAuthorization: Bearer {{token}}\nSec-Fetch-Site: cross-site\n{more}"
        );
        server.ask(&head).status
    };
    let window = "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document";
    assert_eq!(ask("GET /", window), 200);
    for (start, more) in [
        ("GET /api/about", window),
        ("GET /app.js", window),
        ("POST /", window),
        ("GET /", "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe"),
        ("GET /", "Sec-Fetch-Mode: no-cors\nSec-Fetch-Dest: document"),
        ("GET /", "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\nOrigin: null"),
        ("GET /", "Sec-Fetch-Mode: navigate\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document"),
    ] {
        assert_eq!(ask(start, more), 403, "{start} {more}");
    }
}

#[test]
fn the_token_is_needed_and_nobody_is_told_it() {
    let server = Server::start(KERNEL);
    let token = &server.token;
    assert_eq!(token.len(), 48, "192 bits");
    let mut answers = vec![];
    let (shorter, longer, loud) = (&token[..47], format!("{token}0"), token.to_uppercase());
    let wrong = format!("{}{}", &token[..47], if token.ends_with('0') { '1' } else { '0' });
    for line in [
        "X-Nothing: 1".to_owned(),
        "Authorization:".into(),
        "Authorization: Bearer".into(),
        "Authorization: Bearer ".into(),
        format!("Authorization: Bearer {shorter}"),
        format!("Authorization: Bearer {longer}"),
        format!("Authorization: Bearer {wrong}"),
        format!("Authorization: Bearer {}", "0".repeat(48)),
        format!("Authorization: Basic {token}"),
        format!("Authorization: {token}"),
        format!("Authorization: Bearer {token}\nAuthorization: Bearer {token}"),
        format!("Cookie: token={token}"),
    ] {
        if loud != *token {
            assert_eq!(
                server
                    .ask(&format!("GET /api/about HTTP/1.1\nHost: {{host}}\nAuthorization: Bearer {loud}"))
                    .status,
                401
            );
        }
        let head = format!("GET /api/about HTTP/1.1\nHost: {{host}}\n{line}");
        answers.push(server.ask(&head));
        assert_eq!(answers.last().unwrap().status, 401, "{head}");
    }
    answers.push(server.ask(&format!("GET /api/about?token={token} HTTP/1.1\nHost: {{host}}")));
    assert_eq!(answers.last().unwrap().status, 401);
    for path in [
        "/",
        "/index.html",
        "/app.js",
        "/index.css",
        "/nothing",
        "/api",
        "/api/",
        "/api/openapi.json",
        "/apix",
    ] {
        answers.push(
            server.ask(&format!("GET {path} HTTP/1.1\nHost: {{host}}\nReferer: http://x/#token={token}")),
        );
    }
    answers.push(server.get("/api/about"));
    answers.push(server.get("/api/openapi.json"));
    for answer in &answers {
        assert!(!answer.head.contains(token.as_str()) && !answer.body.contains(token.as_str()), "{answer:?}");
        assert_eq!(answer.header("Referrer-Policy"), Some("no-referrer"), "{answer:?}");
    }
}

#[test]
fn no_path_leads_to_a_file() {
    let server = Server::start(KERNEL);
    for path in [
        "/../../../../../../etc/passwd",
        "/..%2f..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/api/../../etc/passwd",
        "/trace.jsonl",
        "/./trace.jsonl",
        "/index.html%00.js",
        "/..\\..\\windows\\win.ini",
        "/C:/windows/win.ini",
        "/file:///etc/passwd",
        "/proc/self/environ",
    ] {
        let answer = server.get(path);
        assert!([400, 401, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(
            !answer.body.contains("root:") && !answer.body.contains("sched_switch"),
            "{path}: {answer:?}"
        );
    }
}

/// Kilobytes that the server holds.
pub(crate) fn resident(server: &Server) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().split(' ').next()?.parse().ok()
}

#[test]
fn drowning_does_not_work() {
    let server = Server::start(KERNEL);
    server.wait_for("/api/timeline");
    server.wait_for("/api/loops");
    let before = resident(&server);
    // Bodies: refused by what they say of their length, before any of it is read.
    for length in ["65537", "2147483648", "18446744073709551616", "99999999999999999999999999"] {
        let head = format!(
            "POST /api/inference/choose HTTP/1.1\nHost: {{host}}\nAuthorization: Bearer {{token}}\nContent-Length: {length}"
        );
        assert_eq!(server.ask(&head).status, 413, "{length}");
    }
    let head = "POST /api/inference/choose HTTP/1.1\nHost: {host}\nTransfer-Encoding: chunked";
    assert_eq!(server.ask(head).status, 411);
    for line in [
        "Content-Length: -1",
        "Content-Length: 1\nContent-Length: 2",
        "Content-Length: 0x10",
        "Content-Length:",
    ] {
        assert_eq!(server.ask(&format!("POST / HTTP/1.1\nHost: {{host}}\n{line}")).status, 400, "{line}");
    }
    // Heads.
    let long = format!("GET /{} HTTP/1.1\nHost: {{host}}", "a".repeat(100_000));
    assert_eq!(server.ask(&long).status, 431);
    let many: String = (0..200).map(|line| format!("X-{line}: 1\n")).collect();
    assert_eq!(server.ask(&format!("GET / HTTP/1.1\nHost: {{host}}\n{}", many.trim_end())).status, 431);
    for nonsense in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
    ] {
        assert_eq!(server.send(nonsense).status, 400);
    }
    // Pages: whatever is asked, answers are bounded.
    let rows: String = (0..3000).map(|row| format!("{},", row % 2)).collect();
    for target in [
        "/api/loops/lane?track=0&level=0&from=0&to=9223372036854775807&width=18446744073709551615".to_owned(),
        "/api/loops/lane?track=0&level=0&from=18446744073709551615&to=0".into(),
        "/api/loops/iterations?track=0&level=0&run=0&skip=18446744073709551615&count=18446744073709551615"
            .into(),
        "/api/loops/lane?track=99999999999&level=99999999".into(),
        format!("/api/timeline/states?from=-1e300&to=1e300&width=4294967295&rows={rows}"),
        "/api/timeline/states?from=NaN&to=inf&rows=0".into(),
        "/api/timeline/histogram?from=-9e18&to=9e18&width=4294967295".into(),
        "/api/timeline/marks?from=-9e18&to=9e18".into(),
        "/api/timeline/step?kind=doubt&time=1e308&back=1".into(),
        "/api/timeline/events?first=18446744073709551615&count=18446744073709551615".into(),
        "/api/timeline/events?time=-9e18&count=4294967295".into(),
    ] {
        // An answer that took longer than a reader of ours waits would have no status.
        let answer = server.get(&target);
        assert!([200, 400].contains(&answer.status), "{target}: {answer:?}");
        assert!(answer.body.len() < 2_000_000, "{target}: {} bytes", answer.body.len());
    }
    if let (Some(before), Some(after)) = (before, resident(&server)) {
        assert!(after < before + 32 * 1024, "grew from {before} to {after} kB");
    }
}

#[test]
fn every_answer_forbids_whatever_is_not_ours() {
    let name = "<img src=x onerror=alert(1)>";
    let line =
        format!("{{\"ts\":1,\"stream\":\"s\",\"name\":\"{name}\",\"fields\":{{\"<b>\":\"</script>\"}}}}\n");
    let server = Server::start(&line);
    server.wait_for("/api/timeline");
    for target in ["/", "/app.js", "/nothing", "/api/timeline", "/api/timeline/events?time=0", "/api/nothing"]
    {
        let answer = server.get(target);
        let policy = answer.header("Content-Security-Policy").unwrap();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert!(["-inline", "-eval", "-hashes"].iter().all(|way| !policy.contains(way)), "{policy}");
        assert_eq!(answer.header("X-Content-Type-Options"), Some("nosniff"));
        assert_eq!(answer.header("X-Frame-Options"), Some("DENY"));
        assert_eq!(answer.header("Cross-Origin-Resource-Policy"), Some("same-origin"));
        if answer.body.contains(name) {
            // Text of a trace leaves as JSON only, which no browser shows as a page.
            assert_eq!(answer.header("Content-Type"), Some("application/json"), "{target}");
        }
    }
    // Two requests on one connection, the second sent before the first was answered.
    let mut stream = server.connect();
    let one = format!("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
    stream.write_all(format!("{one}{one}").as_bytes()).unwrap();
    assert_eq!(Answer::read(&mut stream).status, 404);
}

#[test]
fn nobody_outside_this_machine_is_listened_to() {
    let server = Server::start(KERNEL);
    let Ok(table) = std::fs::read_to_string("/proc/net/tcp") else { return };
    let six = std::fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    let port = format!(":{:04X}", server.port);
    let listening = |table: &str| -> Vec<String> {
        let words = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let ours = words.filter(|words| words.len() > 3 && words[3] == "0A" && words[1].ends_with(&port));
        ours.map(|words| words[1].to_owned()).collect()
    };
    assert_eq!(listening(&table), [format!("0100007F{port}")]);
    assert!(listening(&six).is_empty());
}

#[test]
fn others_are_let_in_only_by_a_flag_and_by_a_name() {
    let view = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tracewright"));
        let output = command.args(["view", "--symbols", "AB", "--no-open"]).args(arguments).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    // An address of the documents, which no machine has.
    assert!(view(&["--host", "192.0.2.1"]).contains("--reachable-by-others"));
    assert!(view(&["--host", "192.0.2.1", "--reachable-by-others"]).contains("cannot listen"));
    for all in ["0.0.0.0", "::", "[::]"] {
        assert!(
            view(&["--host", all, "--reachable-by-others"]).contains("answers to that name only"),
            "{all}"
        );
    }
    assert!(view(&["--host", "no such name"]).contains("no address of this machine"));
    // Another address of this machine: what it is called decides, and nothing else.
    let server = Server::start_with(KERNEL, &["--host", "127.0.0.2"]);
    let port = server.port;
    let ask = |host: &str| {
        server.ask(&format!("GET /api/about HTTP/1.1\nHost: {host}\nAuthorization: Bearer {{token}}")).status
    };
    assert_eq!(server.host, "127.0.0.2");
    assert_eq!((ask(&format!("127.0.0.2:{port}")), ask(&format!("localhost:{port}"))), (200, 200));
    assert_eq!((ask(&format!("127.0.0.1:{port}")), ask("127.0.0.2"), ask("evil.example")), (403, 403, 403));
    let named = Server::start_with(KERNEL, &["--host", "LocalHost"]);
    assert_eq!(named.host, "localhost");
    assert_eq!(named.get("/api/about").status, 200);
}

/// What was wrong: the address with its token was an argument of the browser, and everybody reads those.
#[test]
fn the_token_is_in_no_argument_of_a_process_while_a_browser_starts() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    // It is what is asked for a browser, notes what it was given, and stays for a while.
    let opener = folder.path().join("xdg-open");
    let script = "#!/bin/sh\numask 077\necho \"$1\" >noted.part\nmv noted.part noted\nexec sleep 30\n";
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(folder.path().join("trace.jsonl"), KERNEL).unwrap();
    let run = folder.path().join("run");
    std::fs::create_dir(&run).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tracewright"));
    command
        .args(["view", "trace.jsonl"])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("XDG_RUNTIME_DIR", &run);
    let server = Server::by(command);
    let noted = folder.path().join("noted");
    let start = Instant::now();
    while !noted.exists() {
        assert!(start.elapsed() < Duration::from_secs(20), "no browser was started");
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut looked_at = 0;
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        for file in ["cmdline", "environ", "comm"] {
            let Ok(bytes) = std::fs::read(process.path().join(file)) else { continue };
            looked_at += 1;
            let has_token = bytes.windows(48).any(|bytes| bytes == server.token.as_bytes());
            assert!(!has_token, "{}/{file}", process.path().display());
        }
    }
    assert!(looked_at > 6, "{looked_at}");
    let page = std::path::PathBuf::from(std::fs::read_to_string(&noted).unwrap().trim());
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert!(page.starts_with(&run), "{page:?}");
    assert_eq!((mode(&page), mode(page.parent().unwrap())), (0o600, 0o700));
    let text = std::fs::read_to_string(&page).unwrap();
    let address = format!("0;url=http://127.0.0.1:{}/#token={}", server.port, server.token);
    assert!(text.contains(&address), "{text}");
    // Once the page was opened nothing is left of it.
    assert_eq!(server.get("/api/about").status, 200);
    let start = Instant::now();
    while page.parent().unwrap().exists() {
        assert!(start.elapsed() < Duration::from_secs(5), "it is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_nothing_can_be_shown_of_ends_before_a_server_starts() {
    let folder = folder();
    std::fs::write(folder.path().join("empty.jsonl"), "").unwrap();
    std::fs::write(folder.path().join("text.jsonl"), "no event\n").unwrap();
    std::fs::write(folder.path().join("gone.jsonl"), "\n\n").unwrap();
    std::fs::write(folder.path().join("picture.png"), b"\x89PNG\r\n\x1a\n").unwrap();
    std::fs::create_dir_all(folder.path().join("folder")).unwrap();
    std::fs::create_dir_all(folder.path().join("cut.capture")).unwrap();
    std::fs::write(folder.path().join("cut.capture/steps"), "").unwrap();
    std::fs::create_dir_all(folder.path().join("odd.capture")).unwrap();
    std::fs::write(folder.path().join("odd.capture/steps"), "no capture at all").unwrap();
    std::fs::write(folder.path().join("fine.jsonl"), KERNEL).unwrap();
    let view = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tracewright"));
        command.args(["view", "--no-open"]).args(arguments).current_dir(folder.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > Duration::from_secs(30) {
                child.kill().unwrap();
                panic!("{arguments:?}: a server was started");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        stderr
    };
    let missing = "tracewright: cannot open nothing: No such file or directory (os error 2)\n";
    assert_eq!(view(&["nothing"]), missing);
    assert_eq!(view(&["--history", "nothing"]), missing);
    let empty = "tracewright: empty.jsonl is an empty file\n";
    assert_eq!(view(&["empty.jsonl"]), empty);
    assert_eq!(view(&["--history", "empty.jsonl"]), empty);
    for (input, expected) in [
        ("text.jsonl", "text.jsonl holds no event that can be read: text.jsonl, line 1: "),
        ("gone.jsonl", "gone.jsonl holds no event, so there is nothing to show"),
        ("picture.png", "picture.png is no trace that can be read"),
        ("folder", "folder holds no CTF trace"),
        ("/dev/zero", "/dev/zero is neither a file nor a folder"),
        ("cut.capture", "cut.capture holds no step"),
        ("odd.capture", "odd.capture holds no step that can be read: code, byte 0: "),
    ] {
        let stderr = view(&[input]);
        assert!(stderr.starts_with(&format!("tracewright: {expected}")), "{input}: {stderr}");
    }
    assert!(view(&["fine.jsonl", "--model", "no-such"]).contains("no-such"));
}
