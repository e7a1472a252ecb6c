//! Who passes the gate, as a table of requests. What these answers look like on a connection: `tests/serve`.

use formats::http_head::{self, Head};

use super::*;

const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef";

/// The gate of a server at this address, which the user called `host`, with a token that is known here.
fn gate(address: &str, host: &str) -> Gate {
    let gate = Gate::new(address.parse().unwrap(), host).unwrap();
    Gate { token: TOKEN.into(), ..gate }
}

fn request(lines: &str) -> Request {
    let head = lines.replace('\n', "\r\n") + "\r\n\r\n";
    match http_head::read(head.as_bytes()) {
        Head::Whole(head) => Request { head, body: vec![] },
        other => panic!("{lines}: {other:?}"),
    }
}

/// The status with which a request is refused by `gate`; 200: it may pass.
fn asked(gate: &Gate, lines: &str) -> u16 {
    gate.refuses(&request(lines)).map_or(200, |reply| reply.status)
}

/// The status for a request to 127.0.0.1:4000, sent with the right name.
fn status(start: &str, more: &str) -> u16 {
    let head = format!("{start} HTTP/1.1\nHost: 127.0.0.1:4000\n{more}");
    asked(&gate("127.0.0.1:4000", "127.0.0.1"), head.trim_end())
}

#[test]
fn a_server_has_the_names_by_which_browsers_reach_it() {
    let names = |address, host| {
        let gate = gate(address, host);
        assert_eq!(Some(gate.host()), gate.hosts.first().map(String::as_str));
        gate.hosts.join(" ")
    };
    assert_eq!(names("127.0.0.1:4000", "127.0.0.1"), "127.0.0.1:4000 localhost:4000");
    assert_eq!(names("127.0.0.1:4000", "localhost"), "localhost:4000 127.0.0.1:4000 localhost:4000");
    assert_eq!(names("[::1]:4000", "::1"), "[::1]:4000 localhost:4000");
    assert_eq!(names("[::1]:4000", "[::1]"), "[::1]:4000 localhost:4000");
    assert_eq!(names("192.0.2.1:4000", "Box.example"), "box.example:4000 192.0.2.1:4000");
    assert_eq!(names("192.0.2.1:80", "box"), "box:80 192.0.2.1:80 box 192.0.2.1");
}

#[test]
fn only_names_of_the_server_are_answered_to() {
    let own = gate("127.0.0.1:4000", "127.0.0.1");
    for (status, hosts) in [
        (200, "Host: 127.0.0.1:4000"),
        (200, "Host: localhost:4000"),
        (403, "Host: evil.example"),
        (403, "Host: 127.0.0.1"),
        (403, "X-No-Host: 1"),
        (403, "Host: 127.0.0.1:4000\nHost: 127.0.0.1:4000"),
    ] {
        assert_eq!(asked(&own, &format!("GET / HTTP/1.1\n{hosts}")), status, "{hosts}");
    }
    assert_eq!(status("GET http://127.0.0.1:4000/", ""), 403, "we are no proxy");
}

#[test]
fn other_sites_may_not_ask() {
    for (expected, line) in [
        (200, "Origin: http://127.0.0.1:4000"),
        (403, "Origin: http://localhost:4000"),
        (403, "Origin: https://127.0.0.1:4000"),
        (403, "Origin: http://evil.example"),
        (403, "Origin: null"),
        (403, "Origin: http://127.0.0.1:4000\nOrigin: http://evil.example"),
        (200, "Sec-Fetch-Site: same-origin"),
        (200, "Sec-Fetch-Site: none"),
        (403, "Sec-Fetch-Site: same-site"),
        (403, "Sec-Fetch-Site: cross-site"),
        (403, "Upgrade: websocket"),
    ] {
        assert_eq!(status("GET /", line), expected, "{line}");
    }
}

#[test]
fn a_link_from_elsewhere_leads_to_the_page_in_a_window_and_to_nothing_else() {
    let link = "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document";
    assert_eq!(status("GET /", link), 200);
    assert_eq!(status("GET /?at=1", link), 200);
    for (start, more) in [
        ("GET /app.js", link),
        ("POST /", link),
        ("HEAD /", link),
        ("GET /", "Sec-Fetch-Site: cross-site"),
        ("GET /", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate"),
        ("GET /", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: iframe"),
        ("GET /", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors\nSec-Fetch-Dest: document"),
        ("GET /", &format!("{link}\nSec-Fetch-Mode: navigate")),
        ("GET /", &format!("{link}\nOrigin: http://127.0.0.1:4000")),
    ] {
        assert_eq!(status(start, more), 403, "{start} {more}");
    }
}

#[test]
fn three_methods_are_known() {
    let token = format!("Authorization: Bearer {TOKEN}");
    for method in ["GET", "HEAD", "POST"] {
        assert_eq!(status(&format!("{method} /api/about"), &token), 200, "{method}");
    }
    for method in ["PUT", "DELETE", "OPTIONS", "get"] {
        assert_eq!(status(&format!("{method} /api/about"), &token), 405, "{method}");
    }
}

#[test]
fn what_tells_of_traces_needs_the_token() {
    let token = |text: &str| format!("Authorization: Bearer {text}");
    for (expected, line) in [
        (200, token(TOKEN)),
        (401, String::new()),
        (401, token(&TOKEN[1..])),
        (401, token(&format!("{TOKEN}0"))),
        (401, format!("Authorization: {TOKEN}")),
        (401, format!("{}\n{}", token(TOKEN), token(TOKEN))),
    ] {
        assert_eq!(status("GET /api/about", &line), expected, "{line}");
    }
    assert_eq!(status("GET /apiary", ""), 401, "whatever begins like it");
    assert_eq!(status("GET /app.js", ""), 200, "a part of the program, the same for everybody");
}

#[test]
fn only_the_whole_token_is_the_token() {
    assert!(same(b"abc", b"abc"));
    for wrong in [&b"ab"[..], b"abcd", b"abd", b"bbc", b"bac", b"", b"ABC"] {
        assert!(!same(wrong, b"abc"));
    }
}

#[test]
fn each_server_has_a_token_of_its_own() {
    let new = || Gate::new("127.0.0.1:4000".parse().unwrap(), "127.0.0.1").unwrap().token().to_owned();
    let (one, other) = (new(), new());
    assert_ne!(one, other);
    assert_eq!(one.len(), 48, "192 bits");
    assert!(one.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{one}");
}
