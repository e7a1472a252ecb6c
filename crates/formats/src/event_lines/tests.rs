//! Event lines, read and written back: most tests are lines in and lines out.

use expect_test::{Expect, expect};
use model::{Base, Event, EventSource, FieldSink, Fields, Item, Origin, Scope, StreamId, Symbol, Value};

use super::{Reader, Writer};
use crate::limits;

/// Reads `input` and writes it again; diagnostics follow behind `!`.
fn round(input: &[u8]) -> String {
    let mut reader = Reader::new("log.jsonl", input, 0);
    let mut writer = Writer::default();
    let mut out = vec![];
    loop {
        let gap = match reader.next_item() {
            None => break,
            Some(Item::Gap(gap)) => Some(gap),
            Some(Item::Event(event)) => {
                writer.event(&event, &mut out);
                None
            }
        };
        if let Some(gap) = gap {
            writer.gap(&gap, reader.streams(), &mut out);
        }
    }
    let mut text = String::from_utf8(out).unwrap();
    for diagnostic in reader.diagnostics() {
        let model::Location::Line { file, line } = &diagnostic.location else { panic!() };
        text += &format!("! {file}:{line} {}: {}\n", diagnostic.code, diagnostic.sentence);
    }
    text
}

fn check(input: &str, expected: Expect) {
    let once = round(input.as_bytes());
    expected.assert_eq(&once);
    let lines: String =
        once.lines().filter(|line| !line.starts_with('!')).map(|line| format!("{line}\n")).collect();
    assert_eq!(round(lines.as_bytes()), lines, "a second round changes nothing");
}

#[test]
fn a_name_is_enough_and_unknown_keys_are_fields() {
    check(
        r#"{"name":"start"}
           {"level":"info","name":"request","ts":12,"user":{"id":7,"tags":["a",null,true]},"fields":{"ms":1.5}}"#,
        expect![[r#"
            {"stream":"log.jsonl","name":"start","fields":{}}
            {"ts":12,"stream":"log.jsonl","name":"request","fields":{"level":"info","user":{"id":7,"tags":["a",null,true]},"ms":1.5}}
        "#]],
    );
}

#[test]
fn streams_cpus_and_enumerations_come_back() {
    check(
        r#"{"ts":-5,"stream":"a/b","cpu":3,"name":"x","fields":{"state":{"value":2,"label":"RUNNING"},"other":{"value":-9},"two":{"value":1,"more":2}}}"#,
        expect![[r#"
            {"ts":-5,"stream":"a/b","cpu":3,"name":"x","fields":{"state":{"value":2,"label":"RUNNING"},"other":{"value":-9},"two":{"value":1,"more":2}}}
        "#]],
    );
}

#[test]
fn integers_are_exact_to_128_bits_and_floats_stay_floats() {
    check(
        r#"{"name":"n","a":340282366920938463463374607431768211455,"b":-170141183460469231731687303715884105728,"c":340282366920938463463374607431768211456,"d":1e300,"e":-0.0,"f":2.0,"g":0.1,"h":-0,"i":"NaN"}"#,
        expect![[r#"
            {"stream":"log.jsonl","name":"n","fields":{"a":340282366920938463463374607431768211455,"b":-170141183460469231731687303715884105728,"c":3.402823669209385e38,"d":1e300,"e":-0.0,"f":2.0,"g":0.1,"h":-0.0,"i":"NaN"}}
        "#]],
    );
}

#[test]
fn texts_that_a_terminal_would_obey_are_escaped() {
    check(
        "{\"name\":\"\\u001b]52;c;AAAA\\u0007\",\"rtl\":\"\u{202e}abc\",\"c1\":\"\u{9b}31m\",\"del\":\"\u{7f}\",\"pair\":\"\\ud83e\\udd80 \\udd80\",\"nl\":\"a\\nb\\\"\\\\\\/\"}",
        expect![[r#"
            {"stream":"log.jsonl","name":"\u001b]52;c;AAAA\u0007","fields":{"rtl":"\u202eabc","c1":"\u009b31m","del":"\u007f","pair":"🦀 �","nl":"a\nb\"\\/"}}
        "#]],
    );
}

#[test]
fn losses_come_back_with_both_ends() {
    check(
        r#"{"stream":"s","lost":7,"from":10,"to":20}
           {"stream":"s","lost":0,"unit":"events","edge":"end","from":10,"to":20}
           {"stream":"s","lost":2,"unit":"packets","to":30}
           {"stream":"s","lost":null,"ts":4}
           {"stream":"s","lost":"many"}"#,
        expect![[r#"
            {"ts":10,"stream":"s","lost":7,"unit":"events","from":10,"to":20}
            {"ts":10,"stream":"s","lost":0,"unit":"events","edge":"end","from":10,"to":20}
            {"ts":30,"stream":"s","lost":2,"unit":"packets","to":30}
            {"ts":4,"stream":"s","lost":null,"unit":"events","from":4,"to":4}
            ! log.jsonl:5 line-loss: the line was left out: `lost` is neither a count nor null
        "#]],
    );
}

#[test]
fn damaged_lines_are_told_and_the_rest_is_read() {
    check(
        "{\"name\":\"a\"}\n{\"name\":\"b\"\n\n[1]\n{\"name\":7}\n{\"name\":\"c\",\"ts\":\"noon\",\"x\":}\n{\"name\":\"d\"} x\n{\"name\":\"e\",\"ts\":\"noon\"}\n{\"name\":\"f",
        expect![[r#"
            {"stream":"log.jsonl","name":"a","fields":{}}
            {"stream":"log.jsonl","name":"e","fields":{"ts":"noon"}}
            ! log.jsonl:2 line-damaged: the line was left out: it ends at byte 12 where `,` or `}` should be
            ! log.jsonl:4 line-damaged: the line was left out: it is not a JSON object
            ! log.jsonl:5 line-without-name: the line was left out: it has no `name` that is a text
            ! log.jsonl:6 line-damaged: the line was left out: at byte 29 stands '}' where a value should be
            ! log.jsonl:7 line-damaged: the line was left out: at byte 14 stands 'x' where the end of the line should be
            ! log.jsonl:8 line-time: `ts` is not a whole number of nanoseconds that 64 bits hold; the event has no time
            ! log.jsonl:9 line-damaged: the line was left out: it ends at byte 11 where the closing quote of a text should be
        "#]],
    );
}

#[test]
fn times_that_step_back_are_reported_once() {
    let input = "{\"name\":\"a\",\"ts\":5}\n{\"name\":\"b\",\"ts\":3}\n{\"name\":\"c\",\"ts\":2}\n";
    expect![[r#"
        {"ts":5,"stream":"log.jsonl","name":"a","fields":{}}
        {"ts":3,"stream":"log.jsonl","name":"b","fields":{}}
        {"ts":2,"stream":"log.jsonl","name":"c","fields":{}}
        ! log.jsonl:2 line-time-backwards: `ts` steps back from 5 to 3, as it may do further on; the lines stay in their order
    "#]].assert_eq(&round(input.as_bytes()));
}

#[test]
fn bytes_that_are_not_utf8_are_replaced() {
    let out = round(b"{\"name\":\"a\xff\xfeb\"}\n");
    assert!(out.starts_with("{\"stream\":\"log.jsonl\",\"name\":\"a\u{fffd}\u{fffd}b\""), "{out}");
}

#[test]
fn nesting_and_diagnostics_are_bounded() {
    let deep = format!("{{\"name\":\"x\",\"a\":{}", "[".repeat(1_000_000));
    assert!(round(deep.as_bytes()).contains("nests deeper than 64"));
    let many = "x\n".repeat(limits::DIAGNOSTICS + 5);
    assert!(round(many.as_bytes()).ends_with("5 further diagnostics are not listed (limit 1000)\n"));
}

#[test]
fn no_cut_and_no_flipped_byte_makes_the_reader_panic() {
    let line = br#"{"ts":12,"stream":"s","cpu":1,"name":"x","fields":{"a":[1,-2.5e3,"\ud83e\udd80\n"],"e":{"value":2,"label":"R"}}}"#;
    for cut in 0..line.len() {
        round(&line[..cut]);
    }
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        let mut damaged = line.to_vec();
        for _ in 0..3 {
            let position = random.usize(..damaged.len());
            damaged[position] = random.u8(..);
        }
        round(&damaged);
    }
}

/// An event with a context, as only binary formats have it.
struct WithContext;

impl Fields for WithContext {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        match scope {
            Scope::Payload => {
                sink.value("tid", Value::Unsigned(7, Base::Decimal));
                sink.begin_struct("in");
                sink.value("prio", Value::Null);
                sink.end();
                sink.begin_array("empty", 0);
                sink.end();
            }
            Scope::Context => {
                sink.value("tid", Value::Unsigned(9, Base::Hexadecimal));
                sink.value("prio", Value::Float(f64::NEG_INFINITY));
            }
        }
    }

    fn get(&self, _: &str) -> Option<Value<'_>> {
        None
    }
}

#[test]
fn a_context_field_gives_way_to_a_payload_field_of_the_same_name() {
    let mut alphabet = model::Alphabet::default();
    let symbol: Symbol = alphabet.intern("x");
    let event = Event {
        stream: StreamId(0),
        seq: 0,
        time: None,
        cpu: None,
        symbol,
        fields: &WithContext,
        origin: Origin::named(&alphabet),
    };
    let (mut writer, mut out) = (Writer::default(), vec![]);
    writer.event(&event, &mut out);
    expect![[r#"
        {"stream":"?","name":"x","fields":{"tid":7,"in":{"prio":null},"empty":[],"context.tid":9,"prio":"-inf"}}
    "#]]
    .assert_eq(&String::from_utf8(out).unwrap());
}
