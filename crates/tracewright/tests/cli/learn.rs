//! `tracewright learn`: machines of programs that write what they do, and what they are good for.

use std::fmt::Write;

use fastrand::Rng;
use serde_json::Value;

use crate::util::folder;

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
    let mut random = Rng::with_seed(seed);
    let mut free = [0; 8];
    let mut threads: Vec<u64> = (0..6).map(|_| random.u64(..1_000)).collect();
    let mut log = Log::new();
    while log.len() < count {
        let thread = (0..threads.len()).min_by_key(|thread| threads[*thread]).unwrap();
        let lock = random.usize(..8);
        let fields = format!("\"tid\":{},\"lock\":{}", 101 + thread, 0x7f10 + 64 * lock);
        let mut now = threads[thread];
        if free[lock] > now {
            if has_waits {
                log.push((now, "lock_contended", fields.clone()));
            }
            now = free[lock] + random.u64(..20);
        }
        let until = now + 10 + random.u64(..300);
        log.push((now + 1, "lock_acquire", fields.clone()));
        log.push((until, "lock_release", fields));
        free[lock] = until + 30;
        threads[thread] = until + 1 + random.u64(..900);
    }
    lines(log)
}

#[test]
fn a_lock_is_learned_as_a_person_would_write_it() {
    let folder = folder().with("app.jsonl", locks(1, 4_000, true));
    let ran = folder.run("learn app.jsonl -o model.xml");
    assert_eq!((ran.code, &*ran.err), (0, ""));
    assert!(ran.out.contains("\nlock: 8 instances, "), "{}", ran.out);
    let xml = std::fs::read_to_string(folder.path.join("model.xml")).unwrap();
    // The machine of locks alone: others, as that of threads, may stand beside it.
    let machine = xml.split("<fsm id=\"lock\">").nth(1).unwrap().split("</fsm>").next().unwrap();
    assert!(machine.lines().count() <= 30, "{xml}");
    for line in [
        "<tw:key events=\"lock_acquire|lock_release\" of=\"lock\"/>",
        "<state id=\"after lock_release\">",
        "<transition event=\"lock_acquire\" target=\"after lock_acquire\"/>",
        "<transition event=\"lock_release\" target=\"after lock_release\"/>",
    ] {
        assert!(machine.lines().any(|own| own.trim() == line), "{line} is not in\n{xml}");
    }
    // Whoever waits does so while another thread has the lock, so that is in the order of threads.
    let machine = xml.split("<fsm id=\"tid\">").nth(1).unwrap().split("</fsm>").next().unwrap();
    assert!(
        machine.contains("<transition event=\"lock_contended\" target=\"after lock_contended\"/>"),
        "{xml}"
    );
    // Without -o the file is printed.
    assert_eq!(folder.run("learn app.jsonl").out, xml);
    let ran = folder.run("models model.xml");
    assert_eq!((ran.code, &*ran.err), (0, ""));
    assert!(ran.out.contains("  instances: by lock, for lock_acquire"), "{}", ran.out);
    // What it was learned from fits.
    let ran = folder.run("check app.jsonl --model model.xml --json");
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["incoherences"].as_array().map(Vec::len), Some(0), "{}", ran.out);
    // Somebody may have worked on a model that is there.
    let ran = folder.run("learn app.jsonl -o model.xml");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("model.xml"), "{}", ran.err);
}

#[test]
fn a_lost_event_is_inferred_with_a_learned_model() {
    let whole = locks(2, 2_000, false);
    let mut left: Vec<&str> = whole.lines().collect();
    let position = left.iter().skip(1_000).position(|line| line.contains("lock_release")).unwrap();
    let lost = left.remove(1_000 + position);
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

#[test]
fn what_was_learned_from_one_run_is_good_for_another() {
    let folder =
        folder().with("one.jsonl", locks(1, 3_000, false)).with("other.jsonl", locks(5, 2_000, false));
    assert_eq!(folder.run("learn one.jsonl -o model.xml").code, 0);
    let ran = folder.run("evaluate other.jsonl --model model.xml --delete * --count 20 --seed 7 --json");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let value = |name: &str| answer["results"][0][name].as_f64().unwrap_or_default();
    assert!(value("precision") >= 0.95 && value("recall") >= 0.9, "{}", answer["results"]);
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
    let mut random = Rng::with_seed(9);
    let any = (0..1_000).map(|time| {
        let name = ["a", "b", "c"][random.usize(..3)];
        (time, name, format!("\"tid\":{},\"size\":{}", random.u64(..5), random.u64(..100)))
    });
    let folder = folder().with("app.jsonl", lines(any.collect())).with("empty.jsonl", "");
    let ran = folder.run("learn app.jsonl -o model.xml");
    assert_eq!((ran.code, &*ran.out), (2, ""));
    assert_eq!(
        ran.err,
        "tracewright: no machine can be learned from app.jsonl: among its 1,000 events no field names anything with an order of \
         its own\n"
    );
    assert!(!folder.path.join("model.xml").exists());
    assert_eq!(folder.run("learn empty.jsonl").code, 2);
}

#[test]
fn programs_are_told_what_a_machine_stands_on() {
    let folder = folder().with("app.jsonl", locks(1, 1_000, false));
    let ran = folder.run("learn app.jsonl --json");
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let machines = answer["machines"].as_array().unwrap();
    let machine = machines.iter().find(|machine| machine["id"] == "lock").unwrap();
    assert_eq!(machine["instances"].as_u64(), Some(8), "{}", ran.out);
    assert!(answer["model"].as_str().unwrap().starts_with("<tmfxml"));
}
