//! Connections: who makes room for whom, and when one ends.

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::hostile::resident;
use crate::util::{Answer, KERNEL, Server};

/// How long the owner waits for an answer, in milliseconds.
fn wait_of_owner(server: &Server) -> u128 {
    let start = Instant::now();
    let answer = server.get("/api/about");
    assert_eq!(answer.status, 200, "{answer:?}");
    start.elapsed().as_millis()
}

/// What was wrong: 64 silent connections kept the owner waiting for ten seconds.
#[test]
fn silent_connections_make_room_for_the_owner() {
    let server = Server::start(KERNEL);
    let before = resident(&server);
    let mut held: Vec<_> = (0..64).map(|_| server.connect()).collect();
    let waited = wait_of_owner(&server);
    assert!(waited < 2500, "{waited} ms");
    // The one that had been silent for the longest time was closed, and told nothing.
    held[0].set_nonblocking(true).unwrap();
    let start = Instant::now();
    while !matches!(std::io::Read::read(&mut held[0], &mut [0]), Ok(0)) {
        assert!(start.elapsed() < Duration::from_secs(2), "it is still open");
        std::thread::sleep(Duration::from_millis(10));
    }
    // Thousands more, a head that has only begun among them.
    for number in 0..5000 {
        let mut stream = server.connect();
        if number % 3 == 0 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: ");
        }
        held.push(stream);
        if held.len() > 500 {
            held.remove(0);
        }
        if number % 500 == 0 {
            let waited = wait_of_owner(&server);
            assert!(waited < 2500, "{waited} ms after {number}");
        }
    }
    drop(held);
    assert!(wait_of_owner(&server) < 2500);
    if let (Some(before), Some(after)) = (before, resident(&server)) {
        assert!(after < before + 32 * 1024, "grew from {before} to {after} kB");
    }
}

#[test]
fn who_asks_and_does_not_read_makes_room_for_the_owner() {
    let server = Server::start(KERNEL);
    let one = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port);
    let many = one.repeat(20_000);
    let held: Vec<_> = (0..64)
        .map(|_| {
            let stream = server.connect();
            // Our own writing ends when neither side has room for more.
            stream.set_write_timeout(Some(Duration::from_millis(20))).unwrap();
            let _ = (&stream).write_all(many.as_bytes());
            stream
        })
        .collect();
    let waited = wait_of_owner(&server);
    assert!(waited < 2500, "{waited} ms");
    drop(held);
}

/// A question for what is finished is held, and 64 of them must not lock the owner out.
#[test]
fn held_questions_make_room_for_the_owner_and_end() {
    let server = Server::start(KERNEL);
    let head = |after: &str| {
        format!(
            "GET /api/finished?after={after} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
            server.port, server.token
        )
    };
    let hold = || {
        let mut stream = server.connect();
        stream.write_all(head("1000000").as_bytes()).unwrap();
        stream
    };
    let start = Instant::now();
    let mut held: Vec<_> = (0..131).map(|_| hold()).collect();
    for _ in 0..10 {
        let waited = wait_of_owner(&server);
        assert!(waited < 2500, "{waited} ms");
    }
    // Which ones made room depends on how soon their heads were read: until then they are nobody's.
    let closed = held.iter_mut().filter_map(|one| (Answer::read(one).status == 0).then_some(())).count();
    assert!(closed >= held.len() - 64, "{closed} made room");
    drop(held);
    // One that is left alone is answered after a while, and one that asks for less at once.
    let mut last = hold();
    let known = server.send(head("x").as_bytes());
    assert_eq!(known.status, 400, "{known:?}");
    let answer = Answer::read(&mut last);
    assert_eq!((answer.status, answer.body.as_str()), (200, "{\"finished\":1}"));
    let took = start.elapsed();
    assert!(took > Duration::from_secs(5) && took < Duration::from_secs(40), "{took:?}");
    assert_eq!(server.send(head("0").replace(&server.token, "wrong").as_bytes()).status, 401);
}

/// What a server sends until it ends the connection, and how long that took.
fn until_closed(server: &Server, head: &str) -> (String, Duration) {
    let mut stream = server.connect();
    let head = head.replace("{host}", &format!("{}:{}", server.host, server.port)).replace('\n', "\r\n");
    let start = Instant::now();
    stream.write_all(head.as_bytes()).unwrap();
    let mut text = vec![];
    std::io::Read::read_to_end(&mut stream, &mut text).unwrap();
    (String::from_utf8_lossy(&text).into_owned(), start.elapsed())
}

#[test]
fn a_connection_ends_after_the_answer_for_who_asks_for_that() {
    let server = Server::start(KERNEL);
    for head in [
        "GET /nothing HTTP/1.1\nHost: {host}\nConnection: close\n\n",
        "GET /nothing HTTP/1.1\nHost: {host}\nConnection: Foo, Close\n\n",
        "GET /nothing HTTP/1.0\nHost: {host}\n\n",
        "GET /nothing HTTP/1.0\nHost: {host}\nConnection: close\n\n",
    ] {
        let (text, took) = until_closed(&server, head);
        assert!(took < Duration::from_secs(1), "{head}: {took:?}");
        assert!(
            text.starts_with("HTTP/1.1 404 ") && text.contains("\r\nConnection: close\r\n"),
            "{head}: {text}"
        );
    }
    for head in [
        "GET /nothing HTTP/1.1\nHost: {host}\n\n",
        "GET /nothing HTTP/1.0\nHost: {host}\nConnection: keep-alive\n\n",
    ] {
        // The second is asked on the same connection, and so answered.
        let last = "GET /nothing HTTP/1.1\nHost: {host}\nConnection: close\n\n";
        let (text, _) = until_closed(&server, &format!("{head}{last}"));
        assert_eq!(text.matches("HTTP/1.1 404 ").count(), 2, "{head}: {text}");
        assert_eq!(text.matches("\r\nConnection: keep-alive\r\n").count(), 1, "{head}: {text}");
    }
    // No name of ours, no answer: also where the protocol does not ask for one.
    let (text, _) = until_closed(&server, "GET / HTTP/1.0\n\n");
    assert!(text.starts_with("HTTP/1.1 403 "), "{text}");
}

#[test]
fn a_head_that_comes_slowly_is_given_three_seconds() {
    let server = Server::start(KERNEL);
    let mut stream = server.connect();
    let start = Instant::now();
    stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    // One letter a second keeps no connection alive.
    let mut writer = stream.try_clone().unwrap();
    std::thread::spawn(move || {
        while writer.write_all(b"X").is_ok() {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    assert_eq!(Answer::read(&mut stream).status, 408);
    let took = start.elapsed();
    assert!(took > Duration::from_secs(2) && took < Duration::from_secs(8), "{took:?}");
}
