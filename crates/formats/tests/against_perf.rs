//! Recordings made here and now, compared with what perf itself makes of them: every sample, and every
//! lost one. perf records only the command that is given to it.
//!
//! Where perf is missing or not allowed (a container, `perf_event_paranoid`), these tests are skipped: no
//! machine has to have it.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

use std::path::Path;
use std::process::Command;

use formats::perf::Reader;
use model::{Edge, Event, EventSource, Gap, Item, Lost, Scope, Value};
use source::NamedSource;
use tempfile::{NamedTempFile, TempPath};

/// Records `command` with `options` into a file of its own; `None`, and the test is skipped, where that is impossible.
fn record(options: &[&str], command: &[&str]) -> Option<TempPath> {
    let path = NamedTempFile::new().unwrap().into_temp_path();
    let run = Command::new("perf")
        .args(["record", "-o"])
        .arg(&path)
        .args(options)
        .args(["-e", "sched:*", "-e", "raw_syscalls:*", "--"])
        .args(command)
        .output();
    let why = match run {
        // What it recorded counts, not how the command ended.
        Ok(_) if std::fs::metadata(&path).is_ok_and(|about| about.len() > 4096) => return Some(path),
        Ok(output) => String::from_utf8_lossy(&output.stderr).lines().take(3).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    };
    testing::skip(format_args!("perf cannot record here ({why})"));
    None
}

fn perf(arguments: &[&str], path: &Path) -> String {
    let output = Command::new("perf").args(arguments).arg("-i").arg(path).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Losses as perf reports them: by LOST records, and in all by LOST_SAMPLES where it counts them.
fn losses_by_perf(path: &Path) -> (u64, Option<u64>) {
    let lost: u64 = perf(&["script", "--show-lost-events"], path)
        .lines()
        .filter_map(|line| line.split_once("PERF_RECORD_LOST lost ")?.1.trim().parse::<u64>().ok())
        .sum();
    let stats = perf(&["report", "--stats"], path);
    // First how many records of each kind there are, then the samples that each event lost.
    let (_, by_event) = stats.split_once(" stats:\n").unwrap_or_default();
    let (_, by_event) = by_event.split_once(" stats:\n").unwrap_or_default();
    let mut counts = by_event.lines().filter_map(|line| line.split_once("LOST_SAMPLES events:"));
    let total = counts.try_fold(0, |sum, (_, count)| Some(sum + count.trim().parse::<u64>().ok()?));
    let appends_totals = stats.lines().any(|line| line.contains("LOST_SAMPLES events:"));
    (lost, total.filter(|_| appends_totals))
}

/// What perf writes of a sample: thread, CPU, time, and of the events whose text is easy to write, that.
fn line_of(event: &Event<'_>) -> String {
    let number = |name: &str| event.fields.get(name).and_then(|value| value.as_i64());
    let text = |name: &str| match event.fields.get(name) {
        Some(Value::Text(text)) => String::from_utf8_lossy(text).into_owned(),
        other => panic!("{name} is {other:?}"),
    };
    let (time, cpu) = (event.time.unwrap().0, event.cpu.unwrap());
    let (seconds, rest) = (time / 1_000_000_000, time % 1_000_000_000);
    let start = format!("{} [{cpu:03}] {seconds}.{rest:09}:", context_tid(event));
    let fields = |names: &[&str]| names.iter().map(|name| number(name).unwrap()).collect::<Vec<_>>();
    if let (Some(id), Some(ret)) = (number("id"), number("ret")) {
        format!("{start} raw_syscalls:sys_exit: NR {id} = {ret}")
    } else if let Some(id) = number("id") {
        let mut arguments = Arguments(vec![]);
        event.fields.visit(Scope::Payload, &mut arguments);
        format!("{start} raw_syscalls:sys_enter: NR {id} ({})", arguments.0.join(", "))
    } else if let Some(state) = number("prev_state") {
        let state = match state {
            0 => "R",
            0x100 => "R+",
            1 => "S",
            2 => "D",
            16 => "X",
            32 => "Z",
            _ => "?",
        };
        let (prev, next) = (fields(&["prev_tid", "prev_prio"]), fields(&["next_tid", "next_prio"]));
        format!(
            "{start} sched:sched_switch: prev_comm={} prev_pid={} prev_prio={} prev_state={state} ==> next_comm={} \
             next_pid={} next_prio={}",
            text("prev_comm"),
            prev[0],
            prev[1],
            text("next_comm"),
            next[0],
            next[1]
        )
    } else {
        start
    }
}

/// The elements of the array `args`, as `%lx` writes them.
struct Arguments(Vec<String>);

impl model::FieldSink for Arguments {
    fn value(&mut self, name: &str, value: Value<'_>) {
        if let (true, Value::Unsigned(value, _)) = (name.is_empty(), value) {
            self.0.push(format!("{value:x}"));
        }
    }
    fn begin_struct(&mut self, _: &str) {}
    fn begin_array(&mut self, _: &str, _: u64) {}
    fn end(&mut self) {}
}

/// The thread of the sample; the payload may have a `tid` of its own.
fn context_tid(event: &Event<'_>) -> i64 {
    struct Tid(i64);
    impl model::FieldSink for Tid {
        fn value(&mut self, name: &str, value: Value<'_>) {
            if name == "tid" {
                self.0 = value.as_i64().unwrap_or(-1);
            }
        }
        fn begin_struct(&mut self, _: &str) {}
        fn begin_array(&mut self, _: &str, _: u64) {}
        fn end(&mut self) {}
    }
    let mut tid = Tid(-1);
    event.fields.visit(Scope::Context, &mut tid);
    tid.0
}

/// The name of an event of perf in the kernel models, without the call where it is one of those.
fn our_name(theirs: &str) -> &str {
    match theirs {
        "raw_syscalls:sys_enter" => "syscall_entry_",
        "raw_syscalls:sys_exit" => "syscall_exit_",
        other => other.strip_prefix("sched:").unwrap_or(other),
    }
}

/// Text with one space where there are several.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compares a recording with perf; how many samples it has and how many were lost.
fn compare(path: &Path) -> (usize, u64) {
    let source = Box::new(std::fs::read(path).unwrap());
    let mut reader = Reader::open(NamedSource { name: "perf.data".into(), source }).unwrap();
    let (mut ours, mut lost) = (vec![], 0);
    while let Some(item) = reader.next_item() {
        match item {
            Item::Gap(Gap { edge: Edge::Start, lost: Lost::Events(count), .. }) => lost += count,
            Item::Gap(gap) => panic!("{gap:?} in a whole file"),
            Item::Event(event) => ours.push((event.symbol, squeezed(&line_of(&event)))),
        }
    }
    let script = perf(&["script", "--ns", "-F", "tid,cpu,time,event,trace"], path);
    let theirs: Vec<String> = script.lines().map(squeezed).collect();
    assert_eq!(ours.len(), theirs.len(), "samples");
    for (number, ((symbol, ours), theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert!(theirs.starts_with(ours), "sample {number}\nours {ours}\nperf {theirs}");
        let name = theirs.split(' ').nth(3).unwrap().trim_end_matches(':');
        let ours = reader.alphabet().name(*symbol);
        assert!(ours.starts_with(our_name(name)), "sample {number}: {ours}, {name}");
    }
    assert_eq!(reader.diagnostics(), []);
    let (by_record, in_all) = losses_by_perf(path);
    let after = in_all.map_or(0, |in_all| in_all - by_record);
    eprintln!("{} samples, {lost} lost, {after} of these behind the last record of a buffer", ours.len());
    assert_eq!(lost, in_all.unwrap_or(by_record), "LOST says {by_record}, LOST_SAMPLES {in_all:?}");
    (ours.len(), lost)
}

/// Whether more was lost while a buffer was written than perf counted at its end.
fn contradicts_itself(path: &Path) -> bool {
    let (by_record, in_all) = losses_by_perf(path);
    in_all.is_some_and(|in_all| in_all < by_record)
}

#[test]
fn a_recording_without_loss_is_read_like_perf_reads_it() {
    let command = ["sh", "-c", "for i in 1 2 3; do /bin/true; done"];
    let Some(path) = record(&["-m", "1024"], &command) else { return };
    let (count, _) = compare(&path);
    assert!(count > 100, "{count}");
}

#[test]
fn every_sample_that_perf_lost_is_accounted_for() {
    // One page for each CPU overflows at once. A command that ends in the middle of a burst leaves losses
    // after the last record of its buffer, which no LOST record reports.
    let calm_end = ["sh", "-c", "dd if=/dev/zero of=/dev/null bs=1 count=20000; sleep 0.1; true"];
    let sudden_end = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=20000"];
    let short = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=300"];
    let cases: [(&str, &[&str], &[&str]); 7] = [
        ("calm end", &["-m", "1"], &calm_end),
        ("sudden end", &["-m", "1"], &sudden_end),
        ("short", &["-m", "1"], &short),
        ("short again", &["-m", "1"], &short),
        ("and again", &["-m", "1"], &short),
        ("not its children", &["-m", "1", "-i"], &sudden_end),
        ("buffers of threads", &["-m", "1", "--per-thread"], &sudden_end),
    ];
    let mut all = 0;
    for (name, options, command) in cases {
        let mut recorded = record(options, command);
        for _ in 0..2 {
            // What perf counts twice and differently, as it does now and then on a busy machine, is no truth to compare with.
            if recorded.as_deref().is_some_and(contradicts_itself) {
                recorded = record(options, command);
            }
        }
        let Some(path) = recorded else { return };
        eprint!("{name}: ");
        let (_, lost) = compare(&path);
        all += lost;
    }
    assert!(all > 0, "nothing was lost, so nothing was tested");
}
