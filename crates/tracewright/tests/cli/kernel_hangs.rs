//! `tracewright hangs` of traces of the kernel's scheduler: who waits for whom at the end.
//!
//! `examples/pipes/` has the programs, and recordings of them by perf.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::util::{Folder, folder};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/pipes")
}

/// A folder with the kept recordings.
fn corpus() -> Folder {
    let all = ["reads", "writes", "locks", "talk", "serves"].map(|how| format!("{how}.data.gz"));
    all.iter().fold(folder(), |folder, name| folder.with(name, std::fs::read(examples().join(name)).unwrap()))
}

/// How the answer begins, without numbers of threads and times.
fn answer(folder: &Folder, file: &str) -> String {
    let ran = folder.run(&format!("hangs {file}"));
    assert!(ran.code <= 1, "{ran}");
    let first = ran.out.split("\n\n").next().unwrap_or_default();
    let words: Vec<&str> = first.split_inclusive([' ', '\n']).collect();
    let is_number =
        |word: &&&str| !word.trim_matches([' ', '\n', ';', ',', '(']).parse::<u64>().is_ok_and(|it| it > 99);
    words.iter().filter(is_number).copied().collect()
}

#[test]
fn two_processes_that_wait_for_each_other_over_pipes() {
    let ran = corpus().run("hangs reads.data.gz --json");
    let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let tracks = answer["tracks"].as_array().unwrap();
    let of =
        |name: &str| tracks.iter().find(|track| track["name"].as_str().unwrap().starts_with(name)).unwrap();
    for (one, other) in [("ping", "pong"), ("pong", "ping")] {
        let thread = &of(one)["thread"];
        assert_eq!((&thread["doing"], &thread["call"]), (&"stuck".into(), &"read".into()), "{ran}");
        assert_eq!((&thread["is_pipe"], &thread["deadlock"]), (&true.into(), &0.into()), "{ran}");
        assert_eq!(thread["waits_for"], serde_json::json!([of(other)["name"]]), "{ran}");
    }
}

#[test]
fn the_kept_recordings_begin_with_what_is_true_of_them() {
    let folder = corpus();
    for (how, begins) in ANSWERS {
        let answer = answer(&folder, &format!("{how}.data.gz"));
        assert!(answer.starts_with(begins), "{how}: {answer}");
    }
}

/// How the answer about each program begins.
const ANSWERS: [(&str, &str); 5] = [
    ("reads", "deadlock of 2 threads: ping waited for pong in read of descriptor"),
    ("writes", "deadlock of 2 threads: ping waited for pong in write of descriptor"),
    ("locks", "deadlock of 3 threads: locks waited for locks"),
    ("talk", "nothing is seen to hang: "),
    ("serves", "nothing is seen to hang: "),
];

#[test]
fn recordings_made_here_begin_so_too() {
    let folder = folder();
    let script = examples().join("record.sh");
    let ran = Command::new("timeout").arg("100").arg("sh").arg(script).env("OUT", &folder.path).output();
    let Some(_) = ran.ok().filter(|output| output.status.success()) else {
        return testing::skip("no C compiler, or perf cannot record here");
    };
    for (how, begins) in ANSWERS {
        let answer = answer(&folder, &format!("{how}.data.gz"));
        assert!(answer.starts_with(begins), "{how}: {answer}");
    }
}

/// Without the arguments of system calls nobody is accused, but it is said who waits since when.
#[test]
fn an_event_log_with_switches_and_wake_ups() {
    let mut lines = String::new();
    let mut event = |time: u64, name: &str, fields: &str| {
        lines += &format!(
            "{{\"ts\":{time},\"stream\":\"cpu 0\",\"cpu\":0,\"name\":\"{name}\",\"fields\":{{{fields}}}}}\n"
        );
    };
    let switch = |prev: u64, state: u64, next: u64| {
        let name = |tid| ["idle", "server", "client"][tid as usize];
        format!(
            "\"prev_comm\":\"{}\",\"prev_tid\":{prev},\"prev_state\":{state},\"next_comm\":\"{}\",\"next_tid\":{next}",
            name(prev),
            name(next)
        )
    };
    for round in 0..5 {
        let start = round * 1_000_000;
        event(start, "sched_switch", &switch(0, 0, 2));
        event(start + 10, "sched_wakeup", "\"comm\":\"server\",\"tid\":1,\"target_cpu\":0");
        event(start + 20, "sched_switch", &switch(2, 1, 1));
        event(start + 30, "sched_switch", &switch(1, 1, 0));
        event(start + 900_000, "sched_wakeup", "\"comm\":\"client\",\"tid\":2,\"target_cpu\":0");
    }
    let folder = folder().with("log.jsonl", &lines);
    let ran = folder.run("hangs log.jsonl");
    let begins = "nothing is seen to hang: client 2 waited for a CPU; server 1 was idle\n";
    assert!(ran.out.starts_with(begins), "{ran}");
    assert!(
        ran.out.contains("it had waited so 4 times, 999.980 us at most; woken last by client 2 at "),
        "{ran}"
    );
}

#[test]
fn a_track_that_falls_silent_is_said_to() {
    let line = |time: u64, stream: &str| {
        format!("{{\"ts\":{time},\"stream\":\"{stream}\",\"name\":\"{stream}\"}}\n")
    };
    let mut lines: String = (0..20).map(|n| line(1_000_000 * n, "worker")).collect();
    lines += &(0..100).map(|n| line(50_000_000 * n, "clock")).collect::<String>();
    let folder = folder().with("log.jsonl", &lines);
    let ran = folder.run("hangs log.jsonl");
    let silent = "silent since 1970-01-01 00:00:00.019000000, for 4.931 s to the end of the trace; it never paused for more than 1.000 ms";
    assert_eq!(ran.out.matches("silent since").count(), 1, "{ran}");
    assert!(ran.out.contains(silent), "{ran}");
}

/// The table has a row for each thread, as `hangs` tells of it.
#[test]
fn the_table_has_what_each_thread_was_in_the_middle_of() {
    let folder = corpus();
    for (how, _) in ANSWERS {
        let ran = folder.run(&format!("hangs {how}.data.gz --json"));
        let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        let threads =
            report["tracks"].as_array().unwrap().iter().filter(|track| track.get("thread").is_some());
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let mut expected: Vec<[String; 5]> = threads
            .map(|track| {
                let thread = &track["thread"];
                let wakers: Vec<String> = thread["waits_for"].as_array().unwrap().iter().map(text).collect();
                [
                    text(&track["name"]),
                    text(&thread["call"]),
                    thread["since"].to_string(),
                    text(&thread["doing"]),
                    wakers.join(", "),
                ]
            })
            .collect();
        expected.sort();
        let ran = folder.run(&format!("table hangs {how}.data.gz"));
        let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
        let names = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let cell = |row: &csv::StringRecord, name: &str| {
            row[names.iter().position(|known| known == name).unwrap()].to_owned()
        };
        let of_threads = rows.iter().filter(|row| cell(row, "kind") == "thread");
        let mut found: Vec<[String; 5]> = of_threads
            .map(|row| {
                let call = cell(row, "what").split(' ').next().unwrap_or_default().to_owned();
                [cell(row, "track"), call, cell(row, "since"), cell(row, "state"), cell(row, "waits_for")]
            })
            .collect();
        // One without a step is no track.
        let is_track = |row: &[String; 5]| expected.iter().any(|track| track[0] == row[0]);
        assert!(found.iter().all(|row| is_track(row) || row[3] != "unknown"), "{how}: {ran}");
        found.retain(is_track);
        found.sort();
        assert!(expected.len() > 1 && found == expected, "{how}: {ran}\n{expected:?}");
    }
    let reads = folder.run("table hangs reads.data.gz");
    let stuck: Vec<&str> =
        reads.out.lines().filter(|line| line.contains(",thread,") && line.contains(",stuck,")).collect();
    assert!(stuck.len() == 2 && stuck.iter().all(|line| line.contains(",read of descriptor ")), "{reads}");
}

/// Who runs on a CPU after a loss is not known until it says so: its system call is not the one of the thread from before.
#[test]
fn after_a_loss_the_running_thread_is_not_known() {
    let event = |time: u64, name: &str, fields: &str| {
        format!(
            "{{\"ts\":{time},\"stream\":\"cpu 0\",\"cpu\":0,\"name\":\"{name}\",\"fields\":{{{fields}}}}}\n"
        )
    };
    let switch = |prev: (&str, u64), state: u64, next: (&str, u64)| {
        let ((prev_comm, prev_tid), (next_comm, next_tid)) = (prev, next);
        format!(
            "\"prev_comm\":\"{prev_comm}\",\"prev_tid\":{prev_tid},\"prev_state\":{state},\
             \"next_comm\":\"{next_comm}\",\"next_tid\":{next_tid}"
        )
    };
    let (idle, client, server) = (("idle", 0), ("client", 2), ("server", 1));
    let lost = "{\"stream\":\"cpu 0\",\"lost\":3,\"from\":30,\"to\":40}\n";
    let of = |lost: &str| {
        let lines = [
            event(10, "sched_switch", &switch(idle, 0, client)),
            event(20, "syscall_entry_getpid", ""),
            event(25, "syscall_exit_getpid", "\"ret\":2"),
            lost.to_owned(),
            event(50, "syscall_entry_read", "\"fd\":7,\"count\":1"),
            event(60, "sched_switch", &switch(server, 1, idle)),
            event(2_000_000_000, "sched_waking", "\"comm\":\"other\",\"tid\":9,\"target_cpu\":0"),
        ];
        let ran = folder().with("log.jsonl", lines.concat()).run("hangs log.jsonl --json");
        let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{ran}"));
        let tracks = answer["tracks"].as_array().unwrap().clone();
        let client = tracks.into_iter().find(|track| track["name"].as_str().unwrap().starts_with("client"));
        client.unwrap()["thread"]["call"].clone()
    };
    assert_eq!(of(""), "read");
    assert_eq!(of(lost), serde_json::Value::Null);
}
