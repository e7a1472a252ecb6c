//! `tracewright evaluate`: what it deletes is really deleted, what it scores can be scored anew, and
//! the engines reach what they are trusted for.

use std::collections::HashMap;

use expect_test::expect;
use serde_json::{Value, json};

use crate::outputs;
use crate::repair::unpacked;
use crate::util::{Folder, folder};

const MODEL: &str = include_str!("models/evaluation.xml");

/// Event lines of a small kernel: two CPUs, three threads each that read and write in turns, are
/// switched away within a call and sleep until they are woken. Nothing is missing.
fn kernel() -> String {
    let mut events: Vec<(i64, u32, String)> = Vec::new();
    for cpu in 0..2u32 {
        let thread = |number: i64| i64::from(cpu) * 100 + 11 + number.rem_euclid(3);
        let mut time = 1_000 + i64::from(cpu) * 370;
        let mut event = |step: i64, name: &str, fields: String| {
            time += step;
            let line = format!(
                "{{\"ts\":{time},\"stream\":\"cpu{cpu}\",\"cpu\":{cpu},\"name\":\"{name}\",\"fields\":{{{fields}}}}}"
            );
            events.push((time, cpu, line));
        };
        for iteration in 0..60i64 {
            let (this, next) = (thread(iteration), thread(iteration + 1));
            if iteration >= 3 {
                event(400, "syscall_exit_read", "\"ret\":1".into());
            }
            event(700 + iteration % 7, "syscall_entry_write", "\"fd\":1".into());
            event(300, "syscall_exit_write", "\"ret\":8".into());
            event(500, "syscall_entry_read", "\"fd\":0".into());
            event(
                150,
                "sched_wakeup",
                format!("\"comm\":\"t{next}\",\"tid\":{next},\"prio\":20,\"target_cpu\":{cpu}"),
            );
            event(
                200 + iteration % 5,
                "sched_switch",
                format!(
                    "\"prev_comm\":\"t{this}\",\"prev_tid\":{this},\"prev_prio\":20,\"prev_state\":1,\
                     \"next_comm\":\"t{next}\",\"next_tid\":{next},\"next_prio\":20"
                ),
            );
        }
    }
    events.sort();
    events.into_iter().map(|(_, _, line)| line + "\n").collect()
}

fn small_kernel() -> Folder {
    folder().with("trace.jsonl", kernel())
}

fn evaluate(folder: &Folder, arguments: &str) -> Value {
    let ran = folder.run(&format!("evaluate {arguments} --json"));
    assert_eq!(ran.code, 0, "{ran}");
    serde_json::from_str(&ran.out).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// A multiset of inferred events, without how probable they are: that is corrected by trials on the trace that is
/// there, which is not the same one.
fn bag(values: &[Value]) -> HashMap<String, i64> {
    let mut bag = HashMap::new();
    for value in values {
        let mut value = value.clone();
        for odds in ["probability", "alternative_probabilities", "name_probabilities"] {
            value.as_object_mut().unwrap().remove(odds);
        }
        *bag.entry(value.to_string()).or_default() += 1;
    }
    bag
}

/// The slow way to a case: a file without these lines, read by `infer`. With `is_declared` a line
/// says for each run of them what is missing.
fn infer_without(lines: &[&str], gone: &[usize], is_declared: bool) -> Value {
    let stream =
        |line: &str| serde_json::from_str::<Value>(line).unwrap()["stream"].as_str().unwrap().to_owned();
    let time = |line: &str| serde_json::from_str::<Value>(line).unwrap()["ts"].as_i64().unwrap();
    let mut text = String::new();
    let mut is_open: HashMap<String, bool> = HashMap::new();
    for (number, line) in lines.iter().enumerate() {
        let name = stream(line);
        if gone.contains(&number) {
            is_open.insert(name, true);
            continue;
        }
        is_open.insert(name.clone(), false);
        text += &format!("{line}\n");
        // What follows of the same stream is known here, as the tracer knows it.
        let mut after = (number + 1..lines.len()).filter(|next| stream(lines[*next]) == name);
        let run = after.by_ref().take_while(|next| gone.contains(next)).count();
        if is_declared && run > 0 {
            let to = (number + 1..lines.len()).filter(|next| stream(lines[*next]) == name).nth(run);
            let to = to.map_or(json!(null), |to| json!(time(lines[to])));
            text += &json!({"stream": name, "lost": run, "from": time(line), "to": to}).to_string();
            text += "\n";
        }
    }
    let ran = folder().with("case.jsonl", text).run("infer case.jsonl --json --allow-loss");
    assert_eq!(ran.code, 0, "{ran}");
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn a_case_is_what_infer_says_of_a_trace_without_these_events() {
    let folder = small_kernel();
    let text = kernel();
    let lines: Vec<&str> = text.lines().collect();
    let number = |event: &Value| {
        let fits = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["ts"] == event["ts"] && line["cpu"] == event["cpu"] && line["name"] == event["name"]
        };
        lines.iter().position(|line| fits(line)).unwrap()
    };
    let intact = infer_without(&lines, &[], false);
    assert!(list(&intact["incoherences"]).is_empty() && list(&intact["inferred"]).is_empty(), "{intact}");
    let kinds = "--delete sched_switch --delete sched_switch:3 --delete syscall:2 --delete burst:9 --delete syscall_*";
    let mut inferred = 0;
    for declared in ["", " --declare-loss"] {
        let found = evaluate(&folder, &format!("trace.jsonl {kinds} --count 3{declared}"));
        assert_eq!(list(&found["cases"]).len(), 15);
        for case in list(&found["cases"]) {
            let gone: Vec<usize> = list(&case["delete"]).iter().map(number).collect();
            let expected = infer_without(&lines, &gone, !declared.is_empty());
            assert_eq!(bag(list(&case["inferred"])), bag(list(&expected["inferred"])), "{}", case["id"]);
            assert_eq!(case["incoherences"], list(&expected["incoherences"]).len(), "{}", case["id"]);
            inferred += list(&case["inferred"]).len();
        }
    }
    assert!(inferred >= 15, "only {inferred} events were compared");
}

#[test]
fn joint_finds_single_switches_of_a_small_kernel() {
    let found = evaluate(&small_kernel(), "trace.jsonl --delete sched_switch --count 60");
    let row = &found["results"][0];
    assert_eq!(
        (&row["deleted"], &row["cases"], &row["events"]),
        (&json!("sched_switch"), &json!(60), &json!(60))
    );
    assert!(row["precision"].as_f64().unwrap() >= 0.95 && row["recall"].as_f64().unwrap() >= 0.9, "{row}");
    // Everything can be scored anew from what is printed.
    let mut right = 0;
    for case in list(&found["cases"]) {
        let [deleted] = list(&case["delete"]) else { panic!("{case}") };
        let is_right = |event: &&Value| {
            ["name", "cpu"].iter().all(|member| event[*member] == deleted[*member])
                && ["prev_tid", "next_tid"]
                    .iter()
                    .all(|field| event["fields"][*field] == deleted["fields"][*field])
                && event["from"].as_i64() <= deleted["ts"].as_i64()
                && event["to"].as_i64() >= deleted["ts"].as_i64()
        };
        let verdicts: Vec<bool> = list(&case["inferred"]).iter().map(|event| is_right(&event)).collect();
        assert_eq!(case["right"], json!(verdicts), "{case}");
        assert_eq!(deleted["found"], verdicts.contains(&true));
        right += verdicts.iter().filter(|right| **right).count();
    }
    assert_eq!(row["right"], right);
}

/// Two objects go round; the last event fits too.
fn objects() -> Folder {
    let event = |(position, (name, object)): (usize, (char, i64))| {
        let time = 10 + 10 * position;
        format!("{{\"ts\":{time},\"cpu\":0,\"name\":\"{name}\",\"fields\":{{\"obj_id\":{object}}}}}\n")
    };
    let events = "DABCDAAABCD".chars().map(|name| (name, 1)).chain("DABCB".chars().map(|name| (name, 2)));
    let lines: String = events.enumerate().map(event).collect();
    folder().with("model.xml", MODEL).with("trace.jsonl", lines)
}

#[test]
fn a_table_of_kinds_and_engines() {
    let ran = objects().run(
        "evaluate trace.jsonl --engine compat --model model.xml --delete B --delete A:2 --count 2 --wrong 1",
    );
    expect![[r#"
        4 cases on 16 events, seed 1; losses are not declared
        as it is, without any case: compat (model model.xml) finds 0 incoherences and infers 0 events

        deleted  engine  cases  events  inferred  placed  right  partly  false  precision  recall  exact  unnoticed  interval
        B        compat      2       2         1       1      1       0      0    100.0 %  50.0 %      1          1     20 ns
        A:2      compat      2       4         6       2      2       0      4     33.3 %  50.0 %      0          1     20 ns
        placed: name and CPU are those of a deleted event, and it was in the interval; right: so are its threads or other
        key fields; partly: so are those that are told, others are left open; false: what is told is not so; exact: cases in
        which all was found and nothing else; unnoticed: cases in which nothing was said; interval: the middle one of the right

        compat does not say how probable its events are
          3 of 7 that it infers are right

        case B 2, compat
          not found: 1970-01-01 00:00:00.000000160 CPU 0 B { obj_id=2 }

        exit 0
    "#]].assert_eq(&ran.to_string());
}

#[test]
fn cases_of_a_file() {
    let cases = r#"{"cases":[{"id":7,"delete":[{"ts":30,"cpu":0,"name":"B"}]},
        {"id":"range","delete_range":{"cpu":0,"first_ts":70,"last_ts":80}},
        {"delete":[{"ts":40}],"delete_range":{"cpu":0,"first_ts":20,"last_ts":20}}]}"#;
    let folder = objects().with("cases.json", cases);
    let found = evaluate(&folder, "trace.jsonl --engine compat --model model.xml --cases cases.json");
    let output = |case: &Value| {
        let times: Vec<&Value> = list(&case["delete"]).iter().map(|event| &event["ts"]).collect();
        json!([case["id"], times])
    };
    let output: Vec<Value> = list(&found["cases"]).iter().map(output).collect();
    assert_eq!(json!(output), json!([[7, [30]], ["range", [70, 80]], [3, [20, 40]]]));
    assert_eq!(found["seed"], json!(null));
}

#[test]
fn what_is_printed_can_be_given_again() {
    let folder = objects();
    let options = "--engine compat --model model.xml";
    let first =
        folder.run(&format!("evaluate trace.jsonl {options} --delete ? --delete burst:3 --count 9 --json"));
    let folder = folder.with("again.json", &first.out);
    let again = folder.run(&format!("evaluate trace.jsonl {options} --cases again.json --json"));
    assert_eq!(first.out.replace("\"seed\":1", "\"seed\":null"), again.out);
    // The same from standard input, and other cases by another seed.
    let lines = std::fs::read(folder.path.join("trace.jsonl")).unwrap();
    let arguments = format!("evaluate - {options} --cases again.json --json");
    assert_eq!(folder.run_with(arguments.split(' '), lines).out, again.out);
    let other = folder.run(&format!(
        "evaluate trace.jsonl {options} --delete ? --delete burst:3 --count 9 --seed 2 --json"
    ));
    assert_ne!(other.out.replace("\"seed\":2", "\"seed\":1"), first.out);
}

#[test]
fn cases_that_cannot_be_used() {
    let folder = objects();
    let mut output = String::new();
    for cases in [
        "",
        "[]",
        r#"{"cases":[]}"#,
        r#"{"cases":[{"id":1}]}"#,
        r#"{"cases":[{"id":[],"delete":[]}]}"#,
        r#"{"cases":[{"id":1,"delete":{}}]}"#,
        r#"{"cases":[{"id":1,"delete":[{"cpu":0}]}]}"#,
        r#"{"cases":[{"id":1,"delete":[{"ts":"x"}]}]}"#,
        r#"{"cases":[{"id":1,"delete":[{"ts":1.5}]}]}"#,
        r#"{"cases":[{"id":1,"delete":[{"ts":40,"cpu":-1}]}]}"#,
        r#"{"cases":[{"id":1,"delete":[{"ts":40,"cpu":1,"name":"B"}]}]}"#,
        r#"{"cases":[{"id":1,"delete":[{"ts":40,"name":3}]}]}"#,
        r#"{"cases":[{"id":1,"delete":[{"ts":40},{"ts":40}]}]}"#,
        r#"{"cases":[{"id":"x\u001b[2J","delete_range":{"cpu":0,"first_ts":41,"last_ts":49}}]}"#,
        r#"{"cases":[{"id":1,"delete_range":{"cpu":0,"first_ts":60,"last_ts":40}}]}"#,
        r#"{"cases":[{"id":1,"delete_range":{"first_ts":41,"last_ts":49}}]}"#,
        r#"{"cases":[{"id":1,"delete":[{"ts":40}]},{"id":1,"delete":[{"ts":50}]}]}"#,
    ] {
        std::fs::write(folder.path.join("cases.json"), cases).unwrap();
        let ran = folder.run("evaluate trace.jsonl --engine compat --model model.xml --cases cases.json");
        assert_eq!((ran.code, &*ran.out), (2, ""), "{cases}: {ran}");
        let sentence = ran.err.strip_prefix("tracewright: the cases cases.json cannot be used: ");
        output += sentence.unwrap_or_else(|| panic!("{cases}: {ran}"));
    }
    expect![[r#"
        this is no JSON: EOF while parsing a value at line 1 column 0
        a member `cases`, a list, is expected
        it has no case
        case 1: it deletes nothing; `delete` or `delete_range` is expected
        case 1: its id is no text and no whole number
        case 1: `delete` is no list
        case 1: `ts` is missing
        case 1: `ts` is no whole number of nanoseconds
        case 1: `ts` is no whole number of nanoseconds
        case 1: `cpu` is no number of a CPU
        case 1: the trace has no such event called B on CPU 1 at 40
        case 1: the name of an event is no text
        case 1: the trace has no such event at 40
        case x\u{1b}[2J: no event of CPU 0 lies between 41 and 49
        case 1: no event of CPU 0 lies between 60 and 40
        case 1: `delete_range` has no `cpu`
        case 1: another case with this id deletes other events
    "#]]
    .assert_eq(&output);
}

#[test]
fn kinds_that_cannot_be_deleted() {
    let folder = objects();
    let mut output = String::new();
    for (arguments, code) in [
        ("", 2),
        ("--delete packet", 2),
        ("--delete nothing:4", 2),
        ("--delete B:100", 2),
        ("--delete burst", 2),
        ("--delete a:0", 2),
        ("--count 0", 2),
        ("--cases x.json", 2),
        ("--cases x.json --delete B", 2),
        ("--delete B --delete nothing", 0),
    ] {
        let line = format!("evaluate trace.jsonl --engine compat --model model.xml {arguments}");
        let ran = folder.run(line.trim());
        assert_eq!(ran.code, code, "{arguments}: {ran}");
        output += ran.err.lines().next().unwrap();
        output += "\n";
    }
    expect![[r#"
        tracewright: trace.jsonl has nothing to delete that is called sched_switch or syscall; --delete says what else
        tracewright: trace.jsonl has nothing to delete that is called packet; --delete says what else
        tracewright: trace.jsonl has nothing to delete that is called nothing:4; --delete says what else
        tracewright: trace.jsonl has nothing to delete that is called B:100; --delete says what else
        error: invalid value 'burst' for '--delete <KIND>': say how many events, for instance burst:50
        error: invalid value 'a:0' for '--delete <KIND>': a run is of 1 to 1000000 events
        error: invalid value '0' for '--count <N>': 0 is not in 1..=1000000
        tracewright: cannot read the cases x.json: No such file or directory (os error 2)
        error: the argument '--cases <FILE>' cannot be used with '--delete <KIND>'
        tracewright: trace.jsonl has nothing that is called nothing: left out
    "#]].assert_eq(&output);
}

#[test]
fn packets_of_a_recorded_trace() {
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/traces/");
    // The model of a kernel knows nothing of this trace.
    let folder = folder().with("model.xml", outputs::MODEL);
    let info = folder.run(&format!("info {trace}complete --json"));
    let info: Value = serde_json::from_str(&info.out).unwrap();
    let packets: u64 = list(&info["streams"]).iter().map(|stream| stream["packets"].as_u64().unwrap()).sum();
    let found = evaluate(
        &folder,
        &format!("{trace}complete --model model.xml --delete packet --count 1000 --declare-loss"),
    );
    assert_eq!(found["results"][0]["cases"], packets);
    // Every event is in one packet, and in one case.
    assert_eq!(found["results"][0]["events"], found["events"]);
    // A trace that lost something can be evaluated, and says so.
    let ran = folder.run(&format!("evaluate {trace}lossy --model model.xml --delete burst:5 --count 2"));
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.out.contains("the trace itself: 501 events lost in 20 gaps\n"), "{ran}");
}

#[test]
fn every_example_of_the_help_works() {
    let folder = small_kernel();
    let help = folder.run("evaluate --help").out;
    let after = help.split("Examples:\n").nth(1).unwrap();
    let mut count = 0;
    for example in after.lines().take_while(|line| line.starts_with("  ")) {
        let ran = folder.shell(&example.replace("trace/", "trace.jsonl"));
        assert_eq!(ran.code, 0, "{example}: {ran}");
        count += 1;
    }
    assert!(count >= 4, "{count}");
}

/// The founding text's own trace of objects, each event deleted once: the original infers 94 events.
#[test]
fn the_recorded_evaluation_as_a_whole() {
    let Some(path) = testing::shared("data/lost-events/eval_cases.json") else { return };
    let recorded: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let line = |event: &Value| {
        let fields = json!({ "obj_id": event["obj_id"] });
        json!({ "ts": event["ts"], "cpu": 0, "name": event["name"], "fields": fields }).to_string() + "\n"
    };
    let lines: String = list(&recorded["full_trace"]).iter().map(line).collect();
    let folder = folder().with("model.xml", MODEL).with("trace.jsonl", lines);
    let found = evaluate(&folder, "trace.jsonl --engine compat --model model.xml --delete * --count 63");
    let row = &found["results"][0];
    // 46 are where and what they should be; for two of them the original has forgotten which object it was,
    // as it does near the end of a trace.
    assert_eq!(
        [&row["cases"], &row["inferred"], &row["placed"], &row["right"], &row["unnoticed"]],
        [63, 94, 46, 44, 13],
        "{row}"
    );
}

/// What the engine is trusted for, on the great trace: a part of the figures that the benchmark prints.
#[test]
fn joint_finds_single_switches_of_the_great_trace() {
    let Some(folder) = unpacked("many-threads") else { return };
    let found = evaluate(&folder, "many-threads --delete sched_switch --count 25 --seed 3");
    let row = &found["results"][0];
    assert_eq!((&row["cases"], &row["events"]), (&json!(25), &json!(25)));
    assert!(row["precision"].as_f64().unwrap() >= 0.95 && row["recall"].as_f64().unwrap() >= 0.9, "{row}");
    let engine = &found["engines"][0];
    assert!(engine["intact"]["incoherences"].as_u64().unwrap() <= 5, "{engine}");
    assert!(engine["calibration"]["brier"].as_f64().unwrap() <= 0.1, "{engine}");
}
