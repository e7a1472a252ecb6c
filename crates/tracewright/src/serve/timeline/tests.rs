//! Ranges, waits and searches of a small kernel trace with a loss, as the API answers them, against plain counts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use inference::{Joint, Retention, Spans};
use serde_json::Value;
use tempfile::TempDir;
use viewer::Request;

use super::super::session::Session;
use super::super::{routes, tests};
use crate::models;
use crate::open::open;

/// The first event of the trace.
const START: i64 = 1_000_000_000;
/// What CPU 0 lost: from and to, after the start.
const LOST: (i64, i64) = (600_000, 700_000);
/// When the last event of CPU 1 is, after the start.
const ENDS: i64 = 899_000;

/// A trace in a folder of its own, with a session on it that has read it.
struct Opened {
    session: Session,
    input: PathBuf,
    _folder: TempDir,
}

/// Events of two CPUs, 1 µs apart. On each of them two threads run in turn and sleep; each is woken by the one that runs,
/// but every third time nobody is seen to wake it. Thread 9 sleeps before the loss and is never seen again.
fn lines() -> Vec<(i64, u32, String)> {
    let mut out = vec![];
    let switch = |prev: u32, state: u32, next: u32| {
        format!(
            "\"name\":\"sched_switch\",\"fields\":{{\"prev_comm\":\"t{prev}\",\"prev_tid\":{prev},\"prev_state\":{state},\
             \"next_comm\":\"t{next}\",\"next_tid\":{next}}}"
        )
    };
    let call = |name: &str, field: &str| format!("\"name\":\"syscall_{name}\",\"fields\":{{{field}}}");
    for (cpu, threads) in [(0u32, [1u32, 2]), (1, [3, 4])] {
        let (mut time, mut round) = (i64::from(cpu) * 500, 0usize);
        let mut add = |time: &mut i64, text: String| {
            let is_lost = cpu == 0 && *time > LOST.0 && *time < LOST.1;
            if !is_lost && (cpu == 0 || *time <= ENDS) {
                out.push((*time, cpu, text));
            }
            *time += 1000 + (*time * 7919 / 1000) % 700;
        };
        if cpu == 1 {
            add(&mut time, switch(0, 0, 9));
            add(&mut time, call("entry_read", "\"fd\":9"));
            add(&mut time, switch(9, 1, 0));
        }
        while time < 1_000_000 {
            let (now, next) = (threads[round % 2], threads[(round + 1) % 2]);
            add(&mut time, switch(0, 0, now));
            add(&mut time, call("exit_read", &format!("\"ret\":{}", round as i64 % 5 - 1)));
            add(&mut time, call("entry_read", &format!("\"fd\":{round}")));
            if round % 3 != 2 {
                let wake = format!("\"fields\":{{\"comm\":\"t{next}\",\"tid\":{next},\"target_cpu\":{cpu}}}");
                add(&mut time, format!("\"name\":\"sched_wakeup\",{wake}"));
            }
            add(&mut time, switch(now, 1, 0));
            round += 1;
        }
    }
    out.sort_by_key(|&(time, cpu, _)| (time, cpu));
    out
}

fn opened() -> Opened {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("trace.jsonl");
    let (mut text, mut is_lost) = (String::new(), false);
    for (time, cpu, line) in lines() {
        if !is_lost && time > LOST.0 {
            is_lost = true;
            let [from, to] = [LOST.0, LOST.1].map(|time| START + time);
            text += &format!("{{\"stream\":\"cpu0\",\"lost\":80,\"from\":{from},\"to\":{to}}}\n");
        }
        text += &format!("{{\"ts\":{},\"stream\":\"cpu{cpu}\",\"cpu\":{cpu},{line}}}\n", START + time);
    }
    std::fs::write(&input, text).unwrap();
    let session = tests::session_of(&[input.to_str().unwrap()]);
    let opened = Opened { session, input, _folder: folder };
    opened.until("timeline", |answer| answer["phase"] == "done");
    opened
}

impl Opened {
    fn ask(&self, target: &str) -> Value {
        let reply = routes().answer(&self.session, &Request::get(&format!("/api/{target}")));
        assert_eq!(reply.status, 200, "{target}: {}", String::from_utf8_lossy(&reply.body));
        serde_json::from_slice(&reply.body).unwrap()
    }

    fn until(&self, target: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let answer = self.ask(target);
            if is_it(&answer) {
                return answer;
            }
            assert!(Instant::now() < end, "{target}: {answer}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn rows(&self) -> BTreeMap<String, u64> {
        let rows = self.ask("timeline/rows");
        let row = |row: &Value| (row["name"].as_str().unwrap().to_owned(), row["row"].as_u64().unwrap());
        rows["rows"].as_array().unwrap().iter().map(row).collect()
    }

    /// Shares of all rows in a range: by the name of the row and the names of the state; "" is what is not known.
    fn shares(&self, from: i64, to: i64) -> BTreeMap<(String, String), u64> {
        let states = self.ask("timeline")["states"].clone();
        let rows: Vec<String> = self.rows().values().map(ToString::to_string).collect();
        let answer = self.ask(&format!("timeline/range?from={from}&to={to}&rows={}", rows.join(",")));
        let mut out = BTreeMap::new();
        for row in answer["rows"].as_array().unwrap() {
            let name = row["name"].as_str().unwrap();
            for share in row["states"].as_array().unwrap() {
                let state = &states[share["state"].as_u64().unwrap() as usize]["names"];
                let names: Vec<&str> = state.as_array().unwrap().iter().filter_map(Value::as_str).collect();
                out.insert((name.to_owned(), names.join("|")), share["weight"].as_u64().unwrap());
            }
            out.insert((name.to_owned(), String::new()), row["unknown"].as_u64().unwrap());
        }
        out.retain(|_, weight| *weight > 0);
        out
    }
}

/// The same, by the engine's own spans, each cut to the range.
fn plain_shares(opened: &Opened, from: i64, to: i64) -> BTreeMap<(String, String), u64> {
    let Ok(model) = models::load("kernel") else { panic!("no model") };
    let retention = Retention { spans: Spans::All, ..Retention::default() };
    let (Ok(mut engine), Ok(mut source)) =
        (Joint::new(model.pattern.clone(), retention), open(&opened.input))
    else {
        panic!("no engine")
    };
    while engine.feed(source.as_mut()).is_some() {}
    engine.finish();
    let mut out = BTreeMap::new();
    for one in engine.spans() {
        let machine = &model.pattern.machines[one.machine];
        let key = engine.texts().show_name(one.key);
        let row = match &*machine.id {
            "cpu" => format!("CPU {key}"),
            "interrupts" => format!("CPU {key} interrupts"),
            _ => format!("t{key} {key}"),
        };
        let names: Vec<&str> = one.span.value.iter().map(|state| &*machine.states[state].id).collect();
        let [begins, ends] = [one.span.from, one.span.to.unwrap()].map(|time| time.0 - START);
        let lasted = (ends.min(to) - begins.max(from)).max(0);
        *out.entry((row, names.join("|"))).or_insert(0) += lasted.cast_unsigned();
    }
    out.retain(|_, weight| *weight > 0);
    out
}

#[test]
fn a_range_has_the_states_and_events_of_a_plain_count() {
    let opened = opened();
    let length = opened.ask("timeline")["length"].as_i64().unwrap();
    let lines = lines();
    for (from, to) in
        [(0, length), (0, 1), (10_000, 11_500), (3_000, 590_000), (550_000, 750_000), (800_000, length)]
    {
        let found = opened.shares(from, to);
        // Where a stream has ended, and where nothing was seen after a loss, the view knows less than the engine reports.
        let (mut compared, plain) = (0, plain_shares(&opened, from, to));
        for row in opened.rows().keys() {
            let is_known = |shares: &BTreeMap<(String, String), u64>| -> Vec<(String, u64)> {
                let of_row = shares.iter().filter(|((known, state), _)| known == row && !state.is_empty());
                of_row.map(|((_, state), weight)| (state.clone(), *weight)).collect()
            };
            if to <= LOST.0 || ["CPU 0", "t1 1", "t2 2"].contains(&row.as_str()) {
                assert_eq!(is_known(&found), is_known(&plain), "{row} {from} {to}");
                compared += 1;
            }
            let all = found.iter().filter(|((known, _), _)| known == row).map(|(_, weight)| *weight);
            assert_eq!(all.sum::<u64>(), (to - from).cast_unsigned(), "{row} {from} {to}");
        }
        assert!(compared >= 3, "{from} {to}");
        let mut names: BTreeMap<&str, u64> = BTreeMap::new();
        for (time, _, line) in &lines {
            if (from..=to).contains(time) {
                *names.entry(line.split('"').nth(3).unwrap()).or_default() += 1;
            }
        }
        let answer = opened.ask(&format!("timeline/range?from={from}&to={to}"));
        let counted = answer["names"].as_array().unwrap().iter();
        let counted: BTreeMap<&str, u64> =
            counted.map(|one| (one["name"].as_str().unwrap(), one["count"].as_u64().unwrap())).collect();
        assert_eq!(counted, names, "{from} {to}");
        assert_eq!(answer["events"].as_u64().unwrap(), names.values().sum::<u64>());
        let touches = from <= LOST.1 && to >= LOST.0;
        assert_eq!(answer["all_losses"], u64::from(touches), "{from} {to}");
        assert_eq!(answer["lost_events"], if touches { 80 } else { 0 });
    }
}

#[test]
fn what_nobody_knows_is_no_state() {
    let opened = opened();
    let of = |row: &str, from, to| -> Vec<(String, u64)> {
        let shares = opened.shares(from, to);
        shares
            .into_iter()
            .filter(|((known, _), _)| known == row)
            .map(|((_, state), weight)| (state, weight))
            .collect()
    };
    // Within the loss of its CPU, after the end of its stream, and of a thread that is not seen after a loss.
    assert_eq!(of("CPU 0", LOST.0 + 5000, LOST.1 - 5000), [("idle|busy".to_owned(), 90_000)]);
    assert_eq!(of("CPU 1", ENDS + 1000, ENDS + 51_000), [(String::new(), 50_000)]);
    assert_eq!(of("t9 9", 100_000, 500_000), [("blocked_call".to_owned(), 400_000)]);
    assert_eq!(of("t9 9", 700_000, 800_000), [(String::new(), 100_000)]);
    // Another CPU lost nothing.
    let mut busy = of("CPU 1", LOST.0, LOST.1);
    busy.retain(|(state, _)| state != "busy" && state != "idle");
    assert_eq!(busy, []);
}

/// Checks the answer about the state of a row at a time.
fn waits(opened: &Opened, row: &str, time: i64, expected: Expect) {
    let answer = opened.ask(&format!("timeline/wait?row={}&time={time}", opened.rows()[row]));
    let mut text =
        format!("{} from {} to {}, then {}", answer["doing"], answer["from"], answer["to"], answer["next"]);
    let woken = &answer["woken"];
    if woken.is_object() {
        let keys = ["name", "time", "ready", "cpu", "by", "row_name"].map(|key| woken[key].to_string());
        text += &format!("\nwoken by {}", keys.join(" "));
    }
    text += &format!("\nCPU {}, next {}", answer["cpu"], answer["is_next_cpu"]);
    for ran in answer["runners"].as_array().unwrap() {
        text += &format!("\n{} ran {}", ran["name"], ran["lasted"]);
    }
    text += &format!("\nidle {}, unknown {}\n", answer["idle"], answer["unknown"]);
    expected.assert_eq(&text.replace('"', ""));
}

#[test]
fn a_wait_says_who_woke_the_thread_and_who_ran_meanwhile() {
    let opened = opened();
    waits(
        &opened,
        "t1 1",
        7_000,
        expect![[r#"
        waits from 4452 to 9441, then ready
        woken by sched_wakeup 9441 9441 0 thread t2 2
        CPU 0, next false
        t2 2 ran 3734
        idle 1255, unknown 0
    "#]],
    );
    waits(
        &opened,
        "t1 1",
        11_500,
        expect![[r#"
        ready from 9441 to 12344, then runs
        woken by sched_wakeup 9441 9441 0 thread t2 2
        CPU 0, next true
        t2 2 ran 1563
        idle 1340, unknown 0
    "#]],
    );
    // Nobody was seen to wake it.
    waits(
        &opened,
        "t2 2",
        13_000,
        expect![[r#"
        waits from 11004 to 18061, then runs
        CPU 0, next false
        t1 1 ran 4167
        idle 2890, unknown 0
    "#]],
    );
    waits(
        &opened,
        "t2 2",
        20_500,
        expect![[r#"
        runs from 20411 to 23319, then waits
        CPU null, next false
        idle 0, unknown 0
    "#]],
    );
    // It is not seen after the loss.
    waits(
        &opened,
        "t9 9",
        300_000,
        expect![[r#"
        waits from 3072 to 600001, then unknown
        CPU 1, next false
        t3 3 ran 235859
        t4 4 ran 232366
        idle 128704, unknown 0
    "#]],
    );
    waits(
        &opened,
        "t9 9",
        800_000,
        expect![[r#"
        unknown from 600001 to null, then null
        CPU null, next false
        idle 0, unknown 0
    "#]],
    );
    waits(
        &opened,
        "CPU 0",
        5_000,
        expect![[r#"
        unknown from 4452 to 5707, then unknown
        CPU null, next false
        idle 0, unknown 0
    "#]],
    );
}

/// Whether an event of a CPU, as its line has it, is found.
type IsHit<'t> = &'t dyn Fn(u32, &str) -> bool;

#[test]
fn a_search_finds_what_a_plain_look_finds() {
    let opened = opened();
    let all = lines();
    let searched = |query: &str| {
        let query = query.replace('<', "%3C").replace(' ', "%20").replace('*', "%2A");
        opened.until(&format!("timeline/search?query={query}"), |answer| answer["phase"] == "done")
    };
    let is_switch = |line: &str| line.contains("sched_switch");
    let cases: [(&str, IsHit<'_>); 6] = [
        ("sched_switch", &|_, line| is_switch(line)),
        ("sched_*", &|_, line| line.contains("\"sched_")),
        ("next_comm=t3", &|_, line| line.contains("\"next_comm\":\"t3\"")),
        ("ret<0", &|_, line| line.contains("\"ret\":-1")),
        ("cpu=1 sched_switch", &|cpu, line| cpu == 1 && is_switch(line)),
        ("~T9", &|_, line| line.contains("t9")),
    ];
    for (query, is_hit) in cases {
        let hits: Vec<usize> = (0..all.len()).filter(|&at| is_hit(all[at].1, &all[at].2)).collect();
        let found = searched(query);
        assert_eq!(
            (found["found"].as_u64(), found["looked_at"].as_u64()),
            (Some(hits.len() as u64), Some(all.len() as u64))
        );
        assert!(!hits.is_empty() && found["problem"].is_null(), "{query}");
        let query = query.replace('<', "%3C").replace(' ', "%20").replace('*', "%2A");
        for at in (0..all.len()).step_by(37) {
            for back in [false, true] {
                let expected = match back {
                    true => hits.iter().rposition(|&hit| hit < at),
                    false => hits.iter().position(|&hit| hit > at),
                };
                let answer = opened.ask(&format!("timeline/search?query={query}&event={at}&back={back}"));
                let hit = &answer["hit"];
                assert_eq!(
                    hit["event"].as_u64(),
                    expected.map(|nth| hits[nth] as u64),
                    "{query} {at} {back}"
                );
                assert_eq!(hit["nth"].as_u64(), expected.map(|nth| nth as u64 + 1));
                assert_eq!(hit["time"].as_i64(), expected.map(|nth| all[hits[nth]].0));
                assert_eq!(answer["is_known"], true);
            }
        }
        // The same in columns, each from its first moment on; the last one with its last.
        let length = opened.ask("timeline")["length"].as_i64().unwrap();
        for (from, to, width) in [(0, length, 50), (100_000, 700_000, 7), (5, 6, 3), (length, length + 9, 2)]
        {
            let target = format!("timeline/hits?query={query}&from={from}&to={to}&width={width}");
            let mut expected = BTreeMap::new();
            for &hit in &hits {
                let time = all[hit].0;
                if (from..=to).contains(&time) {
                    let column =
                        (0..width - 1).take_while(|at| time >= from + (to - from) * (at + 1) / width);
                    *expected.entry(column.count() as u64).or_insert(0u64) += 1;
                }
            }
            let answer = opened.ask(&target);
            let found: Vec<u64> =
                answer["columns"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
            let expected: Vec<u64> = expected.into_iter().flat_map(<[u64; 2]>::from).collect();
            assert_eq!(found, expected, "{target}");
            assert_eq!(answer["found"], found.iter().skip(1).step_by(2).sum::<u64>(), "{target}");
            assert_eq!((&answer["is_whole"], &answer["is_over"]), (&true.into(), &true.into()));
        }
    }
    let wrong = opened.ask("timeline/hits?query=ret%3Cfew");
    assert_eq!((&wrong["found"], &wrong["is_over"]), (&0.into(), &true.into()));
    assert_eq!(
        searched("sched_swich")["problem"],
        "No event of this trace is called \"sched_swich\"; write ~sched_swich to find it in a field."
    );
    assert_eq!(
        searched("")["problem"],
        "Write the name of an event, or a field with its value: next_comm=java."
    );
    assert_eq!(
        searched("sched_wakeup fd=1")["note"],
        "No event called sched_wakeup that fulfils what stands before it has a field \"fd\"."
    );
}
