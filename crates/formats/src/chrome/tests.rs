//! Files of trace events, and the calls that come of them.

use expect_test::{Expect, expect};
use model::flow::FlowStep;

/// The steps of all tracks, a line each, and the diagnostics.
fn text_of(text: &str) -> String {
    text_of_bytes(text.as_bytes())
}

fn text_of_bytes(bytes: &[u8]) -> String {
    let recording = match super::read("trace.json", bytes) {
        Ok(recording) => recording,
        Err(error) => return format!("{error}\n"),
    };
    let mut out = String::new();
    for (at, thread) in recording.threads().iter().enumerate() {
        out += &format!("{} {:?}: {} lost\n", thread.name, thread.tid, thread.lost);
        let (mut flow, mut depth, mut time) = (recording.flow(at), 1, 0);
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, how } => {
                    let name = recording.code().method_name(method);
                    out += &format!("{}{name} {how:?} at {time}\n", "  ".repeat(depth));
                    depth += 1;
                }
                FlowStep::Leave { how } => {
                    depth -= 1;
                    out += &format!("{}{how:?}\n", "  ".repeat(depth));
                }
                FlowStep::Gap { lost } => out += &format!("{}{lost:?}\n", "  ".repeat(depth)),
                FlowStep::Inferred { .. } | FlowStep::Observed => {}
                FlowStep::Clock(_) | FlowStep::Mark(_) | FlowStep::Values(_) | FlowStep::Task(_) => {}
                FlowStep::Moment(moment) => time = moment.0,
                FlowStep::Blocks { .. } | FlowStep::Catch { .. } => {}
            }
        }
    }
    for diagnostic in recording.diagnostics() {
        out += &format!("{:?} {:?}: {}\n", diagnostic.severity, diagnostic.location, diagnostic.sentence);
    }
    out
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&text_of(text));
}

#[test]
fn slices_are_calls_in_the_order_of_time() {
    check(
        r#"[{"ph":"M","name":"thread_name","pid":1,"tid":7,"args":{"name":"main"}},
            {"ph":"X","name":"parse","pid":1,"tid":7,"ts":2,"dur":3.5},
            {"ph":"X","name":"load (/shop/a.py:12)","pid":1,"tid":7,"ts":1,"dur":10},
            {"ph":"B","name":"shop.Baker.bake","pid":1,"tid":7,"ts":"6"},
            {"ph":"i","name":"tick","pid":1,"tid":7,"ts":7},
            {"ph":"E","pid":1,"tid":7,"ts":8},
            {"ph":"X","name":"equal","pid":1,"tid":7,"ts":9,"dur":1},
            {"ph":"X","name":"longer","pid":1,"tid":7,"ts":9,"dur":2},
            {"ph":"B","name":"open","pid":1,"tid":7,"ts":20}]"#,
        &expect![[r#"
            main Some(7): 0 lost
              load Outermost at 1000
                parse Call at 2000
                Returned
                shop.Baker.bake Call at 6000
                  tick Call at 7000
                  Returned
                Returned
                longer Call at 9000
                  equal Call at 9000
                  Returned
                Returned
              Returned
              open Outermost at 20000
              Open
        "#]],
    );
}

#[test]
fn an_object_may_have_other_things_around_the_events() {
    check(
        r#"{"displayTimeUnit":"ns","otherData":{"a":[1,{"traceEvents":[]}]},
            "traceEvents":[{"ph":"X","name":"a","pid":"p","tid":"t","ts":1,"dur":1,"args":[1,{"name":2}]}],
            "metadata":{}}"#,
        &expect![[r#"
            thread t None: 0 lost
              a Outermost at 1000
              Returned
        "#]],
    );
}

#[test]
fn what_goes_over_threads_has_a_track_for_each_identifier() {
    check(
        r#"[{"ph":"b","cat":"net","id":"0x1","name":"get","pid":1,"tid":1,"ts":1},
            {"ph":"b","cat":"net","id":"0x2","name":"get","pid":1,"tid":1,"ts":2},
            {"ph":"n","cat":"net","id":"0x1","name":"redirect","pid":1,"tid":2,"ts":3},
            {"ph":"e","cat":"net","id":"0x1","name":"get","pid":1,"tid":3,"ts":4},
            {"ph":"C","name":"memory","pid":1,"tid":1,"ts":4,"args":{"value":1}},
            {"ph":"s","name":"flow","id":1,"pid":1,"tid":1,"ts":4}]"#,
        &expect![[r#"
            net 0x1 None: 0 lost
              get Outermost at 1000
                redirect Call at 3000
                Returned
              Returned
            net 0x2 None: 0 lost
              get Outermost at 2000
              Open
            Note File { file: "trace.json", offset: 0 }: Events that are no slices are left out: 1 of kind C, 1 of kind s.
        "#]],
    );
}

#[test]
fn a_list_that_is_cut_off_or_damaged_is_read_as_far_as_it_goes() {
    check(
        "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1},\n{\"ph\":\"X\",\"name\":\"b\",\"ts\"",
        &expect![[r#"
            thread 0 Some(0): 0 lost
              a Outermost at 1000
              Returned
            Damage File { file: "trace.json", offset: 39 }: The file is cut in the middle of an event.
        "#]],
    );
    check(
        "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":1},\n{\"ph\":]},\n7,{\"ph\":\"X\",\"name\":\"c\",\"ts\":3,\"dur\":1}]",
        &expect![[r#"
            thread 0 Some(0): 0 lost
              a Outermost at 1000
              Returned
              c Outermost at 3000
              Returned
            Damage File { file: "trace.json", offset: 39 }: An event makes no sense and was left out.
        "#]],
    );
}

#[test]
fn slices_that_do_not_nest_end_with_the_one_around_them() {
    check(
        r#"[{"ph":"X","name":"outer","ts":1,"dur":5},{"ph":"X","name":"across","ts":3,"dur":9},
            {"ph":"E","ts":20},{"ph":"X","name":"after","ts":21,"dur":1}]"#,
        &expect![[r#"
            thread 0 Some(0): 0 lost
              outer Outermost at 1000
                across Call at 3000
                Unseen
              Returned
              after Outermost at 21000
              Returned
        "#]],
    );
}

#[test]
fn what_is_lost_is_a_gap_as_our_own_export_says_it() {
    check(
        r#"[{"ph":"B","name":"a","ts":1,"args":{"called":"via library"}},
            {"ph":"i","name":"lost","ts":2,"args":{"records":12}},
            {"ph":"i","name":"lost","ts":2,"args":{"records":null}},
            {"ph":"E","ts":3,"args":{"left":"threw"}}]"#,
        &expect![[r#"
            thread 0 Some(0): 12 lost
              a Library at 1000
                Events(12)
                Unknown
              Threw
        "#]],
    );
}

#[test]
fn other_json_is_refused() {
    for text in ["", "{}", "{\"a\":1}", "7", "{\"traceEvents\":7}", "{\"a\":", "hello"] {
        assert_eq!(text_of(text), "it holds no list of trace events\n", "{text}");
    }
    assert_eq!(text_of("[]"), "");
}

#[test]
fn what_is_no_text_is_shown_in_its_place() {
    let mut bytes =
        br#"[{"ph":"i","name":"a#b","tid":1,"ts":7},{"ph":"i","name":"c#","tid":1,"ts":8}]"#.to_vec();
    bytes.iter_mut().filter(|byte| **byte == b'#').for_each(|byte| *byte = 0xff);
    let expected = expect![[r#"
        thread 1 Some(1): 0 lost
          a?b Outermost at 7000
          Returned
          c? Outermost at 8000
          Returned
        Damage File { file: "trace.json", offset: 0 }: 2 bytes are no text (UTF-8) and are shown as "?".
    "#]];
    expected.assert_eq(&text_of_bytes(&bytes));
}

#[test]
fn an_event_without_a_time_is_left_out_and_reported() {
    let text = r#"[{"ph":"X","name":"a","tid":1,"ts":7,"dur":2},{"ph":"X","name":"b","tid":1,"ts":"soon","dur":2},
        {"ph":"B","name":"c","tid":1},{"ph":"M","name":"thread_name","tid":1,"args":{"name":"main"}}]"#;
    expect![[r#"
        main Some(1): 0 lost
          a Outermost at 7000
          Returned
        Damage File { file: "trace.json", offset: 0 }: Events whose `ts` is no number are left out: 2.
    "#]]
    .assert_eq(&text_of(text));
}

/// Files are read in pieces, which may end within a letter.
#[test]
fn letters_on_the_edge_of_a_chunk_stay_whole() {
    for before in 0..5 {
        let name = "日本".repeat(super::CHUNK / 6 + 4);
        let text = format!("[{}{{\"ph\":\"i\",\"name\":\"{name}\",\"tid\":1,\"ts\":7}}]", " ".repeat(before));
        let recording = super::read("trace.json", text.as_bytes()).unwrap();
        assert!(recording.diagnostics().is_empty(), "{before}");
        assert_eq!(recording.code().methods[0].name, name, "{before}");
    }
}
