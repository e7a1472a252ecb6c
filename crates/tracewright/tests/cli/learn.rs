//! `tracewright learn`: machines of programs that write what they do, and what they are good for.

use std::fmt::Write;

use expect_test::expect;
use serde_json::Value;

use crate::util::{Folder, folder};

/// Good enough to draw what a program does.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Events of a program in the order of time: (when, name, fields).
type Log = Vec<(u64, &'static str, String)>;

fn lines(mut log: Log) -> String {
    log.sort();
    let mut last = 0;
    let mut out = String::new();
    for (time, name, fields) in log {
        last = time.max(last + 1);
        _ = writeln!(out, "{{\"ts\":{last},\"name\":\"{name}\",\"fields\":{{{fields}}}}}");
    }
    out
}

/// Six threads take eight locks, one at a time, and wait for those that are taken if there are `waits`.
fn locks(seed: u64, count: usize, has_waits: bool) -> String {
    let mut random = Random(seed);
    let mut free = [0; 8];
    let mut threads: Vec<u64> = (0..6).map(|_| random.below(1_000)).collect();
    let mut log = Log::new();
    while log.len() < count {
        let thread = (0..threads.len()).min_by_key(|thread| threads[*thread]).unwrap();
        let lock = random.below(8) as usize;
        let fields = format!("\"tid\":{},\"lock\":{}", 101 + thread, 0x7f10 + 64 * lock);
        let mut now = threads[thread];
        if free[lock] > now {
            if has_waits {
                log.push((now, "lock_contended", fields.clone()));
            }
            now = free[lock] + random.below(20);
        }
        let until = now + 10 + random.below(300);
        log.push((now + 1, "lock_acquire", fields.clone()));
        log.push((until, "lock_release", fields));
        free[lock] = until + 30;
        threads[thread] = until + 1 + random.below(900);
    }
    lines(log)
}

/// Eight workers serve requests: each asks the database, again while that fails, and renders.
fn requests(seed: u64, count: usize) -> String {
    let mut random = Random(seed);
    let mut workers: Vec<u64> = (0..8).map(|_| random.below(100_000)).collect();
    let mut log = Log::new();
    let mut request = 5_000;
    while log.len() < count {
        let worker = (0..workers.len()).min_by_key(|worker| workers[*worker]).unwrap();
        let own = format!("\"worker\":{worker},\"request\":{request}");
        let mut now = workers[worker];
        let mut event = |now: &mut u64, name: &'static str, more: String| {
            log.push((*now, name, format!("{more}{own}")));
            *now += 100 + random.below(50_000);
            random.below(1_000)
        };
        event(&mut now, "begin", String::new());
        let mut draw = event(&mut now, "db", "\"outcome\":\"ok\",".into());
        while draw < 200 {
            if let Some((.., last)) = log.last_mut() {
                *last = last.replace("\"ok\"", "\"failed\"");
            }
            let mut event = |now: &mut u64, name: &'static str, more: String| {
                log.push((*now, name, format!("{more}{own}")));
                *now += 100 + random.below(50_000);
                random.below(1_000)
            };
            event(&mut now, "retry", String::new());
            draw = event(&mut now, "db", "\"outcome\":\"ok\",".into());
        }
        for name in ["render", "end"] {
            log.push((now, name, own.clone()));
            now += 100 + random.below(50_000);
        }
        workers[worker] = now + random.below(100_000);
        request += 1;
    }
    lines(log)
}

/// Ten connections are taken from a pool, used, given back, and opened anew now and then.
fn pool(seed: u64, count: usize) -> String {
    let mut random = Random(seed);
    let mut log = Log::new();
    for connection in 0..10 {
        let mut now = random.below(100_000);
        let mut event = |now: &mut u64, name: &'static str| {
            let size = random.below(50);
            log.push((*now, name, format!("\"size\":{size},\"conn\":\"c{connection}\"")));
            *now += 50 + random.below(90_000);
            random.below(10)
        };
        for _ in 0..count / 80 {
            event(&mut now, "checkout");
            loop {
                event(&mut now, "query");
                if event(&mut now, "result") < 5 {
                    break;
                }
            }
            if event(&mut now, "checkin") == 0 {
                event(&mut now, "close");
                event(&mut now, "open");
            }
        }
    }
    lines(log)
}

/// The log of a web server: every event is called alike, a field says which phase of a request it is, and requests
/// have numbers that never come back.
fn web(seed: u64, count: usize) -> String {
    let mut random = Random(seed);
    let mut log = Log::new();
    let mut begin = 0;
    while log.len() < count {
        begin += random.below(8_000_000);
        let (mut now, request) = (begin, random.below(1 << 31));
        let path = ["/", "/login", "/cart", "/item", "/search"][random.below(5) as usize];
        let own = format!("\"req\":\"{request:08x}\",\"ip\":\"10.0.0.{}\"", 1 + random.below(60));
        let mut phase = |name: &str, more: &str| {
            log.push((now, "log", format!("\"phase\":\"{name}\",{more}{own}")));
            now += 1_000 + random.below(4_000_000);
            random.below(10)
        };
        phase("accept", &format!("\"path\":\"{path}\","));
        phase("route", "");
        if matches!(path, "/login" | "/cart") {
            phase("auth", "");
        }
        phase("upstream", "");
        if phase("reply", "") < 3 {
            phase("upstream", "");
            phase("reply", "");
        }
        phase("send", "\"status\":200,");
        if random.below(5) == 0 {
            log.push((now, "gc", format!("\"pause\":{}", random.below(99))));
        }
    }
    lines(log)
}

#[test]
fn a_lock_is_learned_as_a_person_would_write_it() {
    let folder = folder().with("app.jsonl", locks(1, 4_000, true));
    let ran = folder.run("learn app.jsonl");
    assert_eq!((ran.code, &*ran.err), (0, ""));
    expect![[""]].assert_eq(&ran.out);
    assert!(ran.out.lines().count() <= 40);
    let ran = folder.run("learn app.jsonl -o model.xml");
    assert_eq!((ran.code, &*ran.err), (0, ""));
    expect![[""]].assert_eq(&ran.out);
    let ran = folder.run("models model.xml");
    assert_eq!((ran.code, &*ran.err), (0, ""));
    expect![[""]].assert_eq(&ran.out);
    // What it was learned from fits.
    let ran = folder.run("check app.jsonl --model model.xml");
    assert_eq!(ran.code, 0);
    assert!(ran.out.starts_with("no incoherences"), "{}", ran.out);
    let ran = folder.run("learn app.jsonl -o model.xml");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("model.xml"), "{}", ran.err);
}

#[test]
fn a_lost_event_is_inferred_with_a_learned_model() {
    let whole = locks(2, 2_000, false);
    let mut left: Vec<&str> = whole.lines().collect();
    let place = left.iter().skip(1_000).position(|line| line.contains("lock_release")).unwrap();
    let lost = left.remove(1_000 + place);
    let folder = folder().with("whole.jsonl", &whole).with("left.jsonl", left.join("\n") + "\n");
    assert_eq!(folder.run("learn whole.jsonl -o model.xml").code, 0);
    let ran = folder.run("infer left.jsonl --model model.xml --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let inferred = answer["inferred"].as_array().unwrap();
    let lost: Value = serde_json::from_str(lost).unwrap();
    assert_eq!(inferred.len(), 1, "{inferred:?}");
    assert_eq!(inferred[0]["name"], lost["name"], "{inferred:?}");
}

/// Learns from one run of a program, evaluates on another: (precision, recall, lines of the file).
fn measured(learn_from: &str, other: &str) -> (f64, f64, usize) {
    let folder: Folder = folder().with("one.jsonl", learn_from).with("other.jsonl", other);
    let ran = folder.run("learn one.jsonl -o model.xml");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines = std::fs::read_to_string(folder.path.join("model.xml")).unwrap().lines().count();
    let ran = folder.run("evaluate other.jsonl --model model.xml --delete * --count 60 --seed 7 --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let row = &answer["results"][0];
    let value = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{answer:#}"));
    (value("precision"), value("recall"), lines)
}

#[test]
fn single_losses_are_found_without_a_model_that_anybody_wrote() {
    for (name, one, other) in [
        ("locks", locks(1, 3_000, false), locks(5, 2_000, false)),
        ("requests", requests(1, 3_000), requests(5, 2_000)),
        ("pool", pool(1, 3_000), pool(5, 2_000)),
        ("web", web(1, 3_000), web(5, 2_000)),
    ] {
        let (precision, recall, lines) = measured(&one, &other);
        assert!(precision >= 0.95 && recall >= 0.9, "{name}: {precision} {recall}");
        assert!(lines <= 120, "{name}: {lines}");
    }
}

#[test]
fn what_was_lost_is_told_and_not_learned_across() {
    let whole = locks(3, 2_000, false);
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    lines[700] = "{\"ts\":0,\"lost\":1}".into();
    let folder = folder().with("app.jsonl", lines.join("\n") + "\n");
    let ran = folder.run("learn app.jsonl -o model.xml");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("lost"), "{}", ran.err);
    assert_eq!(folder.run("learn app.jsonl --allow-loss").code, 0);
}

#[test]
fn where_nothing_is_regular_nothing_is_learned() {
    let mut random = Random(9);
    let any = (0..1_000).map(|time| {
        let name = ["a", "b", "c"][random.below(3) as usize];
        (time, name, format!("\"tid\":{},\"size\":{}", random.below(5), random.below(100)))
    });
    let folder = folder().with("app.jsonl", lines(any.collect())).with("empty.jsonl", "");
    let ran = folder.run("learn app.jsonl -o model.xml");
    assert_eq!((ran.code, &*ran.out), (2, ""));
    expect![[""]].assert_eq(&ran.err);
    assert!(!folder.path.join("model.xml").exists());
    assert_eq!(folder.run("learn empty.jsonl").code, 2);
}

#[test]
fn programs_are_told_what_a_machine_stands_on() {
    let folder = folder().with("app.jsonl", locks(1, 1_000, false));
    let ran = folder.run("learn app.jsonl --json");
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let machine = &answer["machines"][0];
    assert_eq!((machine["id"].as_str(), machine["instances"].as_u64()), (Some("lock"), Some(8)));
    assert!(answer["model"].as_str().unwrap().starts_with("<tmfxml"));
}
