//! Tiny traces, and what the engine `joint` infers from them with the model `kernel`. A line is `time cpu event`, with
//! `switch A>B [state]`, `wake T >cpu`, `enter CALL`, `leave CALL`, `fork P>C`, `exit T`, and
//! `gap from..to lost`.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

use formats::model_xml;
use inference::joint::{Joint, Retention};
use inference::model::Scalar;
use model::{Alphabet, Base, Edge, Gap, Lost, Origin, OwnedEvent, StreamId, Timestamp, Value};

fn kernel() -> model::machine::Pattern {
    let file =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/tracewright/models/kernel.xml");
    model_xml::read("kernel.xml", &std::fs::read(file).unwrap()).unwrap().patterns.swap_remove(0)
}

fn infer(trace: &str) -> (Joint, String) {
    let (mut joint, mut alphabet) =
        (Joint::new(kernel(), Retention::default()).unwrap(), Alphabet::default());
    for line in trace.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (time, cpu): (i64, u32) = (words[0].parse().unwrap(), words[1].parse().unwrap());
        let pair = || words[3].split_once('>').unwrap();
        let of = |text: &str| Value::Signed(text.parse().unwrap(), Base::Decimal);
        let (name, fields) = match words[2] {
            "switch" => {
                let state = of(words.get(4).copied().unwrap_or("1"));
                let fields =
                    vec![("prev_tid", of(pair().0)), ("prev_state", state), ("next_tid", of(pair().1))];
                ("sched_switch".to_owned(), fields)
            }
            "wake" => {
                let target = of(words[4].trim_start_matches('>'));
                ("sched_wakeup".to_owned(), vec![("tid", of(words[3])), ("target_cpu", target)])
            }
            "enter" => (format!("syscall_entry_{}", words[3]), vec![]),
            "leave" => (format!("syscall_exit_{}", words[3]), vec![]),
            "fork" => {
                let fields = vec![("parent_tid", of(pair().0)), ("child_tid", of(pair().1))];
                ("sched_process_fork".to_owned(), fields)
            }
            "exit" => ("sched_process_exit".to_owned(), vec![("tid", of(words[3]))]),
            "gap" => {
                let (from, to) = words[3].split_once("..").unwrap();
                let gap = Gap {
                    stream: StreamId(cpu),
                    before_event: 0,
                    from: Some(Timestamp(from.parse().unwrap())),
                    to: Some(Timestamp(to.parse().unwrap())),
                    lost: Lost::Events(words[4].parse().unwrap()),
                    edge: Edge::Start,
                };
                joint.lose(&gap, Some(cpu));
                continue;
            }
            other => panic!("{other}"),
        };
        let symbol = alphabet.intern(&name);
        let origin = Origin::named(&alphabet);
        joint.observe(&OwnedEvent::new(symbol, time, cpu, &fields).event(origin));
    }
    joint.finish();
    let mut text = String::new();
    for event in joint.inferred() {
        let number = |name: &str| {
            event.field(name).map(|field| match &field.value {
                Some(Scalar::Number(number)) => number.to_string(),
                _ => "?".to_owned(),
            })
        };
        let what = match (number("prev_tid"), number("next_tid"), number("tid")) {
            (Some(prev), Some(next), _) => format!(" {prev}>{next}"),
            (_, _, Some(tid)) => format!(" {tid}"),
            _ => String::new(),
        };
        text.push_str(&format!(
            "{}..{} {} {}{what}\n",
            event.key.from.0,
            event.key.to.0,
            event.cpu.unwrap(),
            event.key.name
        ));
    }
    (joint, text)
}

const CASES: [(&str, &str, usize, &str); 9] = [
    ("what fits needs nothing", "1 0 switch 0>7\n2 0 enter read\n3 0 leave read\n4 0 switch 7>0", 0, ""),
    (
        "a switch between the last call of one thread and the first of the other",
        "1 0 switch 0>8\n2 0 switch 8>7 0\n3 0 enter read\n4 0 leave read\n5 0 enter poll\n9 0 switch 8>0",
        1,
        "2..9 0 sched_switch 7>8\n",
    ),
    (
        "the call of the thread that came narrows it",
        "1 0 switch 0>8\n2 0 enter futex\n3 0 switch 8>7\n4 1 wake 8 >0\n5 0 enter read\n6 0 leave read\n\
         8 0 leave futex\n9 0 switch 8>0",
        1,
        "6..8 0 sched_switch 7>8\n",
    ),
    (
        "a wake-up narrows it",
        "1 0 switch 0>8\n2 0 switch 8>7\n6 1 wake 8 >0\n9 0 switch 8>0",
        1,
        "6..9 0 sched_switch 7>8\n",
    ),
    (
        "a thread seen elsewhere had left",
        "1 0 switch 0>7\n5 1 switch 0>7\n9 0 switch 0>8",
        1,
        "1..5 0 sched_switch 7>0\n",
    ),
    (
        "a lost begin of a call",
        "1 0 switch 0>7\n2 0 enter read\n3 0 leave read\n5 0 leave poll\n6 0 switch 7>0",
        1,
        "3..5 0 syscall_entry_poll\n",
    ),
    (
        "a lost end of a call",
        "0 0 switch 7>0\n1 0 switch 0>7\n2 0 enter read\n3 0 leave read\n4 0 enter read\n5 0 enter poll\n6 0 switch 7>0",
        1,
        "4..5 0 syscall_exit_read\n",
    ),
    (
        "a thread that is woken twice ran on the idle CPU",
        "1 1 switch 7>0\n2 0 switch 8>0\n3 1 wake 7 >0\n9 1 wake 7 >0\n10 0 switch 0>7",
        1,
        "3..9 0 sched_switch 0>7\n3..9 0 sched_switch 7>0\n",
    ),
    (
        "a declared loss tells only what both sides imply",
        "1 0 switch 0>7\n3 0 gap 2..5 100\n6 0 enter read\n7 0 switch 8>0",
        0,
        "2..5 0 sched_switch 7>?\n2..5 0 sched_switch ?>8\n",
    ),
];

#[test]
fn tiny_traces() {
    for (what, trace, incoherences, expected) in CASES {
        let (joint, text) = infer(trace);
        assert_eq!(text, expected, "{what}");
        assert_eq!(joint.incoherences().len(), incoherences, "{what}: {:?}", joint.incoherences());
    }
}

#[test]
fn a_window_never_gives_more_than_it_declares() {
    let (joint, text) = infer("1 0 switch 0>7\n3 0 gap 2..5 1\n7 0 switch 8>0");
    assert_eq!(text, "2..5 0 sched_switch 7>8\n");
    assert_eq!(joint.windows()[0].inferred, 1);
}

#[test]
fn one_declared_loss_that_only_one_event_explains_leaves_no_doubt() {
    let (joint, _) = infer("1 0 switch 0>7\n3 0 gap 2..5 1\n7 0 switch 8>0");
    assert!(joint.inferred()[0].is_only_explanation);
    // Of two that were lost one is not accounted for: the CPU rested in between, or something else.
    let (joint, text) = infer("1 0 switch 0>7\n3 0 gap 2..5 2\n7 0 switch 8>0");
    assert_eq!(text, "2..5 0 sched_switch 7>0\n2..5 0 sched_switch 0>8\n");
    assert!(joint.inferred().iter().all(|event| !event.is_only_explanation));
}

#[test]
fn what_a_trace_never_records_is_not_missed() {
    // Nobody is woken in this trace, so it does not record that.
    let (joint, _) = infer("1 0 switch 7>8\n2 0 switch 8>7\n3 0 switch 7>8\n4 0 switch 8>0");
    assert_eq!(joint.incoherences().len(), 0);
    let (joint, _) = infer("1 0 switch 7>8\n2 0 switch 8>7\n2 0 wake 9 >0\n3 0 switch 7>8\n4 0 switch 8>0");
    assert_eq!(joint.incoherences().len(), 1);
}

#[test]
fn nothing_is_ever_sure_without_a_declared_count() {
    let (joint, _) = infer(CASES[1].1);
    assert!(joint.inferred().iter().all(|event| !event.is_only_explanation));
}

#[test]
fn behind_the_last_handover_of_all_none_is_missed() {
    // Some tracers switch events off one by one: a call on an idle CPU is no contradiction there.
    let calls = "1 0 switch 0>7\n2 0 switch 7>0\n5 0 enter read\n6 0 leave read";
    assert_eq!(infer(calls).0.incoherences().len(), 0);
    // Where handovers go on, here or elsewhere, one was lost.
    for more in ["9 0 switch 8>0", "9 1 switch 0>9"] {
        assert_eq!(infer(&format!("{calls}\n{more}")).0.incoherences().len(), 1, "{more}");
    }
}
