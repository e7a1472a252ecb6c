//! Small traces, an event a line: who does what.

use model::Base;
use model::field::NoFields;
use model::{Alphabet, Event, FieldSink, Fields, Origin, Scope, StreamId, Value};

use super::*;

/// The fields of an event: numbers.
struct Numbers<'a>(Vec<(&'a str, i64)>);

impl Fields for Numbers<'_> {
    fn visit(&self, _: Scope, sink: &mut dyn FieldSink) {
        for (name, value) in &self.0 {
            sink.value(name, Value::Signed(i128::from(*value), Base::Decimal));
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| Value::Signed(i128::from(*value), Base::Decimal))
    }
}

fn with_event<R>(fields: &dyn Fields, use_it: impl FnOnce(&Event<'_>) -> R) -> R {
    let mut alphabet = Alphabet::default();
    let symbol = alphabet.intern("event");
    let origin = Origin::named(&alphabet);
    use_it(&Event { stream: StreamId(0), seq: 0, time: None, cpu: None, symbol, fields, origin })
}

/// Runs lines: `1 fork 2`, `1 clone 2` (a thread), `1 calls read 3`, `1 returns 0`, `1 waited 5 by 2`, `1 waits`, `1 runs`, `1 ends`.
/// The answer: who does what at the end.
fn ran(lines: &str) -> String {
    let mut threads = Threads::new(true);
    let mut states = std::collections::BTreeMap::new();
    for line in lines.split(';').map(str::trim) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<i64>().ok());
        let tid = number(0).unwrap();
        threads.seen(tid, None);
        match words[1] {
            "fork" => {
                let fields = Numbers(vec![("parent_tid", tid), ("child_tid", number(2).unwrap())]);
                with_event(&fields, |event| threads.observe("sched_process_fork", event, Some(tid)));
            }
            "clone" => {
                let child = number(2).unwrap();
                let fields = Numbers(vec![("parent_tid", tid), ("child_tid", child), ("child_pid", tid)]);
                with_event(&fields, |event| threads.observe("sched_process_fork", event, Some(tid)));
            }
            "calls" => {
                let mut call = SystemCall { name: words[2].to_owned(), ..SystemCall::default() };
                for (at, argument) in call.arguments.iter_mut().enumerate() {
                    *argument = number(3 + at);
                }
                threads.enters(tid, call);
            }
            "returns" => {
                let fields = Numbers(vec![("ret", number(2).unwrap())]);
                with_event(&fields, |event| threads.returns(tid, event));
                threads.left(tid);
            }
            "waited" => threads.waited(tid, 0, number(2).unwrap(), number(4)),
            "waits" => _ = states.insert(tid, State::Waits),
            "runs" => _ = states.insert(tid, State::Runs),
            "ends" => _ = states.insert(tid, State::Over),
            other => panic!("{other}"),
        }
    }
    let states: Vec<_> = states.into_iter().map(|(tid, state)| (tid, state, 100, false)).collect();
    let ends = threads.finish(&states, 200);
    let show = |end: &ThreadEnd| match end.deadlock {
        Some(number) => format!("{} {:?} {number}", end.tid, end.doing),
        None => format!("{} {:?}", end.tid, end.doing),
    };
    ends.iter().map(show).collect::<Vec<_>>().join(", ")
}

const PIPES: &str = "1 calls pipe; 1 returns 0; 1 calls pipe; 1 returns 0; 1 fork 2";

#[test]
fn two_processes_that_read_from_each_other_are_a_deadlock() {
    let both = format!("{PIPES}; 1 calls read 5; 1 waits; 2 calls read 3; 2 waits");
    assert_eq!(ran(&both), "1 Stuck 0, 2 Stuck 0");
    let writes = format!("{PIPES}; 1 calls write 4; 1 waits; 2 calls write 6; 2 waits");
    assert_eq!(ran(&writes), "1 Stuck 0, 2 Stuck 0");
    let parent = format!(
        "9 fork 1; {PIPES}; 9 calls wait4 -1; 9 waits; 1 calls read 5; 1 waits; 2 calls read 3; 2 waits"
    );
    assert_eq!(ran(&parent), "1 Stuck 0, 2 Stuck 0, 9 Stuck", "whose parent waits as well");
}

#[test]
fn whoever_may_still_write_keeps_a_reader_from_being_stuck() {
    for other in
        ["2 runs", "2 calls nanosleep; 2 waits", "2 calls read 0; 2 waits", "2 calls poll 7 1 -1; 2 waits"]
    {
        let lines = format!("{PIPES}; 1 calls read 5; 1 waits; {other}");
        assert!(ran(&lines).starts_with("1 Waits"), "{other}: {}", ran(&lines));
    }
    let third = format!("{PIPES}; 1 fork 3; 3 runs; 1 calls read 5; 1 waits; 2 calls read 3; 2 waits");
    assert_eq!(ran(&third), "1 Waits, 2 Waits, 3 Runs");
    let socket =
        format!("{PIPES}; 1 calls socket; 1 returns 9; 1 calls read 9; 1 waits; 2 calls read 3; 2 waits");
    assert_eq!(ran(&socket), "1 Waits, 2 Waits", "somebody from outside may write to a socket");
    let outside = format!(
        "{PIPES}; 8 runs; 1 calls read 5; 8 calls kill; 1 waited 50 by 8; 1 waits; 2 calls read 3; 2 waits"
    );
    assert_eq!(ran(&outside), "1 Waits, 2 Waits, 8 Runs", "who has woken it may do so again");
}

#[test]
fn a_process_that_was_run_holds_the_pipes_that_are_not_closed_then() {
    // pipe2 with O_CLOEXEC.
    let pipes = "1 calls pipe2 0 524288; 1 returns 0; 1 fork 2; 2 calls execve; 2 returns 0";
    assert_eq!(ran(&format!("{pipes}; 2 runs; 1 calls read 3; 1 waits")), "1 Stuck, 2 Runs");
    let inherited = "1 calls pipe2 0 524288; 1 returns 0; 1 fork 2; 2 calls dup2 4 1; 2 returns 1; 2 calls execve; 2 returns 0";
    assert_eq!(ran(&format!("{inherited}; 2 runs; 1 calls read 3; 1 waits")), "1 Waits, 2 Runs");
}

#[test]
fn threads_of_a_process_that_wait_for_one_another_are_a_deadlock() {
    let two = "1 clone 2; 1 clone 3; 1 calls futex 16 265 3 0; 1 waits; 2 calls futex 32 128 2 0; 2 waits";
    assert_eq!(ran(&format!("{two}; 3 calls futex 64 128 2 0; 3 waits")), "1 Stuck 0, 2 Stuck 0, 3 Stuck 0");
    assert_eq!(ran(&format!("{two}; 3 calls futex 64 128 2 7; 3 waits")), "1 Waits, 2 Waits, 3 Pauses");
    assert_eq!(ran(&format!("{two}; 3 runs")), "1 Waits, 2 Waits, 3 Runs");
    let last = "1 clone 2; 2 ends; 1 calls futex 32 128 2 0; 1 waits";
    assert_eq!(ran(last), "1 Stuck", "nobody is left to wake it");
}

#[test]
fn who_waits_as_usual_is_idle() {
    let server = "1 calls read 0; 1 waited 50 by 2; 1 waited 60 by 2; 1 waited 70 by 2; 1 waits";
    assert_eq!(ran(server), "1 Idle");
    let late = "1 calls read 0; 1 waited 5 by 2; 1 waited 6 by 2; 1 waited 7 by 2; 1 waits";
    assert_eq!(ran(late), "1 Waits");
    assert_eq!(ran("1 calls epoll_wait 3 0 9 -1; 1 waits"), "1 Idle");
    assert_eq!(ran("1 calls epoll_wait 3 0 9 50; 1 waits"), "1 Pauses");
    assert_eq!(ran("1 calls accept4 3; 1 waits"), "1 Idle");
}

#[test]
fn arguments_are_those_of_an_array_or_named() {
    let fields = Numbers(vec![("fd", 7), ("buf", -1), ("count", 4)]);
    let call = with_event(&fields, |event| SystemCall::of("read", event));
    assert_eq!(call.awaits(), Awaits::Input(7));
    assert_eq!(SystemCall::of("read", &with_no_fields()).awaits(), Awaits::Unknown);
}

fn with_no_fields() -> Event<'static> {
    let alphabet = Box::leak(Box::new(Alphabet::default()));
    let symbol = alphabet.intern("event");
    let origin = Origin { alphabet, traces: &[], streams: &[] };
    Event { stream: StreamId(0), seq: 0, time: None, cpu: None, symbol, fields: &NoFields, origin }
}
