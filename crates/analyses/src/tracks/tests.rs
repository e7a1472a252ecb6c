//! Tests are data: a list of events in, tracks out.
//!
//! An event is `cpu:name`, with `(prev>next)` for a switch and `@tid` for a thread in the context;
//! `cpu:!` is a loss on the stream of that CPU. A track is its name and its steps, `|` where broken.

use expect_test::{Expect, expect};
use model::{
    Alphabet, Base, Diagnostic, Edge, Event, EventSource, FieldSink, Fields, Gap, Item, Lost, Origin, Scope,
    StreamId, StreamInfo, TraceInfo, Value,
};

use super::{TrackBy, Tracker};

struct List {
    words: Vec<&'static str>,
    at: usize,
    alphabet: Alphabet,
    streams: Vec<StreamInfo>,
    traces: Vec<TraceInfo>,
    fields: ListFields,
}

#[derive(Default)]
struct ListFields {
    context: Option<i64>,
    switch: Option<(i64, i64)>,
}

fn comm(tid: i64) -> String {
    let names = ["swapper", "init", "make", "cc", "ld"];
    names.get(tid as usize).copied().unwrap_or("other").to_owned()
}

impl Fields for ListFields {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        if let (Scope::Context, Some(tid)) = (scope, self.context) {
            sink.value("vtid", Value::Signed(tid.into(), Base::Decimal));
            sink.value("procname", Value::Text(comm(tid).as_bytes()));
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        let (prev, next) = self.switch?;
        match name {
            "prev_tid" => Some(Value::Signed(prev.into(), Base::Decimal)),
            "next_tid" => Some(Value::Signed(next.into(), Base::Decimal)),
            "prev_comm" => Some(Value::Text(comm(prev).leak().as_bytes())),
            "next_comm" => Some(Value::Text(comm(next).leak().as_bytes())),
            _ => None,
        }
    }
}

impl EventSource for List {
    fn next_item(&mut self) -> Option<Item<'_>> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        let (cpu, what) = word.split_once(':').unwrap();
        let cpu: u32 = cpu.parse().unwrap();
        let stream = StreamId(cpu);
        if what == "!" {
            let (from, to, before_event) = (None, None, 0);
            let lost = Lost::Events(1);
            return Some(Item::Gap(Gap { stream, before_event, from, to, lost, edge: Edge::Start }));
        }
        self.fields = ListFields::default();
        let mut name = what;
        if let Some((first, tid)) = what.split_once('@') {
            (name, self.fields.context) = (first, Some(tid.parse().unwrap()));
        }
        if let Some((prev, next)) =
            name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')?.split_once('>'))
        {
            self.fields.switch = Some((prev.parse().unwrap(), next.parse().unwrap()));
            name = "sched_switch";
        }
        let symbol = self.alphabet.intern(name);
        let cpu = Some(cpu);
        Some(Item::Event(Event {
            stream,
            seq: 0,
            time: None,
            cpu,
            symbol,
            fields: &self.fields,
            origin: Origin::of(self),
        }))
    }

    fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    fn traces(&self) -> &[TraceInfo] {
        &self.traces
    }

    fn streams(&self) -> &[StreamInfo] {
        &self.streams
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }

    fn progress(&self) -> (u64, u64) {
        (0, 0)
    }
}

fn tracks(by: TrackBy, words: &'static str, traces: usize) -> String {
    let mut alphabet = Alphabet::default();
    if words.contains('>') {
        alphabet.intern("sched_switch"); // a binary trace knows its event types before its events
    }
    let name = |number| if traces == 1 { String::new() } else { format!("t{number}") };
    let trace = |number| TraceInfo { name: name(number), ..TraceInfo::default() };
    let stream = |cpu: u32| StreamInfo::new(format!("channel_{cpu}"), cpu as usize % traces, Some(cpu));
    let mut list = List {
        words: words.split_whitespace().collect(),
        at: 0,
        alphabet,
        streams: (0..4).map(stream).collect(),
        traces: (0..traces).map(trace).collect(),
        fields: ListFields::default(),
    };
    let mut tracker = Tracker::new(by);
    let mut lines: Vec<String> = vec![];
    while let Some(assigned) = tracker.next(&mut list, |_| ()) {
        let track = assigned.step.track.0 as usize;
        lines.resize(lines.len().max(track + 1), String::new());
        lines[track] += if assigned.broken { " |" } else { "" };
        let name = list.alphabet.name(assigned.step.symbol);
        lines[track] += &format!(" {}", if name == "sched_switch" { "switch" } else { name });
    }
    lines.resize(tracker.tracks().len(), String::new());
    let line = |(track, steps): (&model::Track, &String)| format!("{}:{steps}\n", track.name);
    tracker.tracks().iter().zip(&lines).map(line).collect()
}

fn check(words: &'static str, expected: Expect) {
    expected.assert_eq(&tracks(TrackBy::Thread, words, 1));
}

#[test]
fn the_first_switch_names_who_ran_before_it() {
    check(
        "0:a 0:b 0:(1>2) 0:c 0:(2>0) 0:d 0:(0>1) 0:e",
        expect![[r#"
            init 1: a b switch e
            make 2: c switch
            swapper/0: d switch
        "#]],
    );
}

#[test]
fn idle_threads_are_one_for_each_cpu() {
    check(
        "0:(0>1) 1:(0>2) 0:a 1:b 0:(1>0) 1:(2>0) 0:c 1:d",
        expect![[r#"
            swapper/0: switch c
            init 1: a switch
            swapper/1: switch d
            make 2: b switch
        "#]],
    );
}

#[test]
fn an_idle_thread_is_not_touched_by_what_other_cpus_lost() {
    check(
        "0:(0>1) 0:a 1:! 0:(1>0) 0:b 1:c 0:(0>1) 0:d",
        expect![[r#"
        swapper/0: switch b switch
        init 1: a switch | d
        unknown thread on cpu 1: c
    "#]],
    );
}

#[test]
fn a_loss_on_the_cpu_hides_who_runs_until_the_next_switch() {
    check(
        "0:(1>2) 0:a 0:! 0:b 0:c 0:(2>3) 0:d",
        expect![[r#"
            init 1: switch
            make 2: a | switch
            unknown thread on cpu 0: b c
            cc 3: d
        "#]],
    );
}

#[test]
fn a_loss_elsewhere_leaves_who_runs_alone_and_breaks_who_is_away() {
    check(
        "0:(1>2) 1:(0>3) 0:a 1:b 1:! 0:c 1:d 0:e 0:(2>1) 0:f 0:(1>2) 0:g",
        expect![[r#"
            init 1: switch | f switch
            make 2: a c e switch g
            swapper/1: switch
            cc 3: b
            unknown thread on cpu 1: d
        "#]],
    );
}

#[test]
fn a_thread_that_left_after_a_loss_was_over_is_whole() {
    check(
        "0:(1>2) 1:(0>3) 1:! 1:(3>0) 0:a 0:(2>1) 0:b 0:(1>2) 0:c",
        expect![[r#"
            init 1: switch | b switch
            make 2: a switch c
            swapper/1: switch
            cc 3: switch
        "#]],
    );
}

#[test]
fn a_switch_that_contradicts_breaks_both_threads() {
    check(
        "0:(1>2) 0:a 0:(3>2) 0:b 1:(1>2) 1:c",
        expect![[r#"
            init 1: switch switch
            make 2: a | b | c
            cc 3: switch
        "#]],
    );
}

#[test]
fn a_thread_in_the_context_counts_and_any_loss_breaks_it() {
    check(
        "0:a@2 1:b@3 0:c@2 1:! 0:d@2 1:e@3 0:f@2 0:g@2",
        expect![[r#"
            make 2: a c | d | f g
            cc 3: b | e
        "#]],
    );
}

#[test]
fn without_threads_the_stream_is_the_track() {
    check(
        "0:a 1:b 0:! 1:c 0:d",
        expect![[r#"
            channel_0: a | d
            channel_1: b c
        "#]],
    );
}

#[test]
fn cpus_and_streams_are_broken_by_their_own_losses_only() {
    let words = "0:a 1:b 0:! 1:c 0:d 1:! 1:! 1:e 1:f";
    expect![[r#"
        cpu 0: a | d
        cpu 1: b c | e f
    "#]]
    .assert_eq(&tracks(TrackBy::Cpu, words, 1));
    expect![[r#"
        channel_0: a | d
        channel_1: b c | e f
    "#]]
    .assert_eq(&tracks(TrackBy::Stream, words, 1));
}

#[test]
fn traces_of_a_session_are_kept_apart() {
    expect![[r#"
        t0: init 1: switch
        t0: make 2: a b switch
        t1: init 1: switch
        t1: make 2: c d
        t0: cc 3: switch
        t0: swapper/2:
        t0: swapper/0:
    "#]]
    .assert_eq(&tracks(TrackBy::Thread, "0:(1>2) 0:a 2:! 0:b 1:(1>2) 1:c 2:(3>0) 1:d 0:(2>0)", 2));
}
