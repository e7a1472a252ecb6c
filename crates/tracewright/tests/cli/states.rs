//! `states`, and models from files for `models`, `check` and `infer`: analyses as Trace Compass has them.

use std::fmt::Write;
use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::Value;

use crate::repair::unpack;
use crate::util::{Folder, folder};

/// An event: time, name, fields by `name=value`.
type Event<'a> = (u32, &'a str, &'a str);

/// An XML trace. A value that is a number is an `int`.
fn trace(events: &[Event<'_>]) -> String {
    let mut out = "<trace>\n".to_owned();
    for (time, name, fields) in events {
        _ = writeln!(out, "<event timestamp=\"{time}\" name=\"{name}\">");
        for (field, value) in fields.split(' ').filter_map(|field| field.split_once('=')) {
            let kind = if value.parse::<i32>().is_ok() { "int" } else { "string" };
            _ = writeln!(out, "<field name=\"{field}\" type=\"{kind}\" value=\"{value}\"/>");
        }
        out += "</event>\n";
    }
    out + "</trace>\n"
}

/// `on NAME: PATH := VALUE` of a state provider, in XML. In a path `{field}`, `?` (pool), `@` (name of the event).
fn handler(name: &str, path: &str, value: &str) -> String {
    let step = |step: &str| match (step, step.strip_prefix('{').and_then(|step| step.strip_suffix('}'))) {
        (_, Some(field)) => format!("<stateAttribute type=\"eventField\" value=\"{field}\"/>"),
        ("?", _) => "<stateAttribute type=\"pool\"/>".to_owned(),
        ("@", _) => "<stateAttribute type=\"eventName\"/>".to_owned(),
        (name, _) => format!("<stateAttribute type=\"constant\" value=\"{name}\"/>"),
    };
    let path: String = path.split('/').map(step).collect();
    format!("<eventHandler eventName=\"{name}\"><stateChange>{path}{value}</stateChange></eventHandler>\n")
}

fn provider(handlers: &[String]) -> String {
    format!(
        "<tmfxml>\n<stateProvider id=\"p\" version=\"1\">\n<definedValue name=\"FREE\" value=\"0\"/>\n\
         <definedValue name=\"HELD\" value=\"1\"/>\n{}</stateProvider>\n</tmfxml>\n",
        handlers.concat()
    )
}

const HELD: &str = "<stateValue type=\"int\" value=\"$HELD\"/>";
const FREE: &str = "<stateValue type=\"int\" value=\"$FREE\"/>";

/// Two locks, of which `b` is taken twice in a row.
fn locks() -> Folder {
    let model = provider(&[handler("take", "Locks/{lock}", HELD), handler("drop", "Locks/{lock}", FREE)]);
    let rounds = |from: u32| {
        let one = move |(index, lock): (u32, &'static str)| {
            [(from + index * 2, "take", lock), (from + index * 2 + 1, "drop", lock)]
        };
        (0..).zip(["lock=a", "lock=b"]).flat_map(one)
    };
    let mut events: Vec<Event<'_>> = (1..20).flat_map(|round| rounds(round * 10)).collect();
    events.retain(|event| *event != (103, "drop", "lock=b"));
    folder().with("locks.xml", model).with("trace.xml", trace(&events))
}

/// Attribute by attribute: `from value` from interval to interval.
fn states(folder: &Folder, model: &str, trace: &str) -> String {
    let ran = folder.run(&format!("states {trace} --model {model} --json"));
    assert_eq!(ran.code, 0, "{ran}");
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    let mut out = String::new();
    for attribute in json["attributes"].as_array().unwrap() {
        let states = attribute["states"].as_array().unwrap().iter();
        let states: Vec<String> =
            states.map(|state| format!("{} {}", state["from"], state["value"])).collect();
        _ = writeln!(out, "{}: {}", attribute["attribute"].as_str().unwrap(), states.join(", "));
    }
    for segment in json["segments"].as_array().unwrap() {
        _ = writeln!(
            out,
            "segment {} {}..{} {}",
            segment["name"], segment["from"], segment["to"], segment["content"]
        );
    }
    out
}

#[test]
fn a_state_provider_is_said_in_words() {
    let folder = locks();
    expect![[r#"
        p: state provider in locks.xml

        On take
          Locks/{lock} := HELD (1)

        On drop
          Locks/{lock} := FREE (0)

        Machine Locks/*, made of what is written
          instances: by lock, for take, drop
          states: HELD, FREE
          drop: HELD -> FREE
          take: FREE -> HELD
        exit 0
    "#]]
    .assert_eq(&folder.run("models locks.xml").to_string());
    expect![[r#"
        {"analyses":[{"id":"p","label":"","kind":"stateProvider","machines":[{"id":"Locks/*","states":["HELD","FREE"],"instances":[{"events":["take"],"by":["lock"],"except":[]},{"events":["drop"],"by":["lock"],"except":[]}],"transitions":[{"from":"HELD","events":["drop"],"if":[],"to":"FREE"},{"from":"FREE","events":["take"],"if":[],"to":"HELD"}]}],"left_out":[]}],"views":[]}
    "#]].assert_eq(&folder.run("models locks.xml --json").out);
}

#[test]
fn a_state_provider_is_checked_and_mended() {
    let folder = locks();
    expect![[r#"
        1 incoherence in 75 events (model locks.xml, engine joint)

        kinds
          1  Locks/* in HELD:  take

        incoherences
          1970-01-01 00:00:00.000000112  Locks/* b  take  in HELD, fits FREE

        exit 0
    "#]]
    .assert_eq(&folder.run("check trace.xml --model locks.xml").to_string());
    expect![[r#"
        1 incoherence in 75 events (model locks.xml, engine joint)
        1 event inferred
        probabilities are not calibrated and stated low: too little of the trace is intact, or it can be read only once

        [00:00:00.000 000 107] drop { lock=b }
            Locks/* b, after 1970-01-01 00:00:00.000000102, before 00:00:00.000000112, probability 0.769
            Locks/* b was in HELD, and take does not follow
        exit 0
    "#]]
    .assert_eq(&folder.run("infer trace.xml --model locks.xml").to_string());
}

#[test]
fn states_are_limited_and_picked() {
    let folder = locks();
    expect![[r#"
        2 attributes in 75 events (model locks.xml, analysis p)

        Locks/a
          1970-01-01 00:00:00.000000010  00:00:00.000000011  1
          1970-01-01 00:00:00.000000011  00:00:00.000000020  0
          1970-01-01 00:00:00.000000020  00:00:00.000000021  1
        ... and 72 more states (--limit N, --all)
        exit 0
    "#]]
    .assert_eq(
        &folder.run_with(["states", "trace.xml", "--model", "locks.xml", "--limit", "3"], "").to_string(),
    );
    let only = folder.run_with(["states", "trace.xml", "--model", "locks.xml", "--attribute", "*/b"], "").out;
    assert!(only.contains("Locks/b") && !only.contains("Locks/a"), "{only}");
}

#[test]
fn states_are_those_that_trace_compass_makes() {
    let value = |attributes: &str| format!("<stateValue {attributes}/>");
    let one = |name: &str, path: &str, attributes: &str| handler(name, path, &value(attributes));
    let script = "<stateValue type=\"script\" value=\"n * 2 + (n > 1 ? 100 : 0)\">\
                  <stateValue id=\"n\" type=\"eventField\" value=\"n\"/></stateValue>";
    let later = "<stateValue type=\"int\" value=\"7\"/><futureTime type=\"script\" value=\"t + 2\">\
                 <stateValue id=\"t\" type=\"eventField\" value=\"timestamp\"/></futureTime>";
    let model = provider(&[
        one("*", "Count/@", "type=\"int\" value=\"1\" increment=\"true\""),
        one("a", "Update", "type=\"string\" value=\"first\""),
        one("b", "Update", "type=\"string\" value=\"second\" update=\"true\""),
        one("a", "Stack", "type=\"eventField\" value=\"n\" stack=\"push\""),
        one("b", "Stack", "stack=\"pop\" type=\"null\""),
        one("c", "Stack", "stack=\"popAll\" type=\"null\""),
        one("a", "Pool/?", "type=\"eventField\" value=\"n\""),
        handler("a", "Script", script),
        handler("b", "Later", later),
        one("a", "Gone/{n}", "type=\"int\" value=\"1\""),
        one("c", "Gone", "type=\"delete\""),
        one("a", "Forced", "type=\"eventField\" value=\"n\" forcedType=\"string\""),
        one("a", "Unknown/{nothing}", "type=\"int\" value=\"1\""),
    ]);
    let events =
        [(1, "a", "n=1"), (3, "b", ""), (4, "a", "n=2"), (6, "a", "n=3"), (8, "c", ""), (9, "d", "")];
    let folder = folder().with("all.xml", model).with("trace.xml", trace(&events));
    expect![[r#"
        Count/a: 1 1, 4 2, 6 3
        Count/b: 1 null, 3 1
        Count/c: 1 null, 8 1
        Count/d: 1 null, 9 1
        Update: 1 "second", 4 "first"
        Stack: 1 1, 3 null, 4 1, 6 2, 8 null
        Stack/1: 1 1, 3 null, 4 2, 8 null
        Stack/2: 1 null, 6 3, 8 null
        Pool/0: 1 1, 4 2, 6 3
        Script: 1 2, 4 104, 6 106
        Later: 1 null, 5 7
        Gone/1: 1 1, 8 null
        Gone/2: 1 null, 4 1, 8 null
        Gone/3: 1 null, 6 1, 8 null
        Forced: 1 "1", 4 "2", 6 "3"
    "#]]
    .assert_eq(&states(&folder, "all.xml", "trace.xml"));
}

/// Calls that begin and end, each on its own thread.
const CALLS: &str = r##"<tmfxml>
<pattern id="calls" version="1">
<storedField id="size" alias="bytes"/>
<patternHandler initial="call">
<test id="same"><if><condition>
<stateAttribute type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="tid"/>
<stateValue type="eventField" value="tid"/>
</condition></if></test>
<action id="keep"><stateChange>
<stateAttribute type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="tid"/>
<stateValue type="eventField" value="tid"/>
</stateChange></action>
<action id="made"><segment><segType segName="call"/></segment></action>
<fsm id="call" initial="out">
<state id="out"><transition event="begin" target="in" action="keep" saveStoredFields="true"/></state>
<state id="in"><transition event="end" cond="same" target="done" action="made" clearStoredFields="true"/></state>
<final id="done"/>
</fsm>
</patternHandler>
</pattern>
</tmfxml>
"##;

#[test]
fn a_pattern_makes_scenarios_and_segments_and_is_checked() {
    let events = [
        (1, "begin", "tid=5 size=10"),
        (2, "begin", "tid=6 size=20"),
        (3, "end", "tid=6"),
        (5, "end", "tid=5"),
        (7, "begin", "tid=5"),
        (9, "begin", "tid=5"),
    ];
    let folder = folder().with("calls.xml", CALLS).with("trace.xml", trace(&events));
    expect![[r#"
        scenarios/call/0/status: 1 1, 5 2
        scenarios/call/0/state: 1 "in", 5 "done"
        scenarios/call/0/state/out/startTime: 1 1, 5 null
        scenarios/call/0/state/in/startTime: 1 1, 5 null
        scenarios/call/0/state/done/startTime: 1 null, 5 5
        scenarios/call/0/storedFields/bytes: 1 10, 5 null
        scenarios/call/0/tid: 1 5, 5 null
        scenarios/call/0/startTime: 1 1, 5 null
        scenarios/call/1/status: 1 null, 2 1, 3 2, 9 1
        scenarios/call/1/state: 1 null, 2 "in", 3 "done", 9 "in"
        scenarios/call/1/state/out/startTime: 1 null, 2 2, 3 null, 9 9
        scenarios/call/1/state/in/startTime: 1 null, 2 2, 3 null, 9 9
        scenarios/call/1/state/done/startTime: 1 null, 3 3
        scenarios/call/1/storedFields/bytes: 1 null, 2 20, 3 null
        scenarios/call/1/tid: 1 null, 2 6, 3 null, 9 5
        scenarios/call/1/startTime: 1 null, 2 2, 3 null, 9 9
        scenarios/call/2/status: 1 null, 3 0, 7 1
        scenarios/call/2/state: 1 null, 3 "out", 7 "in"
        scenarios/call/2/state/out/startTime: 1 null, 3 3
        scenarios/call/2/state/in/startTime: 1 null, 7 7
        scenarios/call/2/tid: 1 null, 7 5
        scenarios/call/2/startTime: 1 null, 7 7
        segment "call" 2..3 {"bytes":"20"}
        segment "call" 1..5 {"bytes":"10"}
    "#]]
    .assert_eq(&states(&folder, "calls.xml", "trace.xml"));
    let check = folder.run("check trace.xml --model calls.xml");
    assert!(check.out.contains("call 5  begin  in in, fits out"), "{check}");
    let infer = folder.run("infer trace.xml --model calls.xml");
    assert!(infer.out.contains("end { tid=5 }"), "{infer}");
}

#[test]
fn what_cannot_be_checked_says_why_and_can_be_printed() {
    let model =
        provider(&[handler("*", "Count/@", "<stateValue type=\"int\" value=\"1\" increment=\"true\"/>")]);
    let folder = folder().with("count.xml", model).with("trace.xml", trace(&[(1, "a", ""), (2, "a", "")]));
    expect![[r#"
        ! tracewright: nothing in the model count.xml can be checked (count.xml, line 2: No attribute of this state provider has states that belong to something events name.); `tracewright states` shows what it writes
        exit 2
    "#]].assert_eq(&folder.run("check trace.xml --model count.xml").to_string());
    assert_eq!(states(&folder, "count.xml", "trace.xml"), "Count/a: 1 1, 2 2\n");
}

#[test]
fn a_file_with_a_mistake_is_refused_with_its_line() {
    let wrong =
        provider(&[handler("a", "A", HELD), handler("a", "A", "<stateValue type=\"colour\" value=\"1\"/>")]);
    let folder = folder().with("wrong.xml", wrong).with("trace.xml", trace(&[(1, "a", "")]));
    for command in
        ["models wrong.xml", "states trace.xml --model wrong.xml", "check trace.xml --model wrong.xml"]
    {
        let ran = folder.run(command);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.err.contains("wrong.xml, line 6") && ran.err.contains("`colour`"), "{ran}");
    }
}

#[test]
fn one_of_several_analyses_is_taken_by_its_name() {
    let one = |id: &str, name: &str| {
        provider(&[handler("a", name, HELD)])
            .replace("<tmfxml>", "")
            .replace("</tmfxml>", "")
            .replace("id=\"p\"", &format!("id=\"{id}\""))
    };
    let both = format!("<tmfxml>{}{}</tmfxml>", one("first", "One"), one("second", "Two"));
    let folder = folder().with("both.xml", both).with("trace.xml", trace(&[(1, "a", "")]));
    for (analysis, attribute) in [("first", "One"), ("second", "Two")] {
        let ran = folder.run(&format!("states trace.xml --model both.xml --analysis {analysis}"));
        assert!(ran.out.contains(&format!("\n{attribute}\n")), "{ran}");
    }
    let ran = folder.run("states trace.xml --model both.xml --analysis third");
    assert!(ran.code == 2 && ran.err.contains("third"), "{ran}");
}

#[test]
fn xml_traces_are_traces() {
    let events = [(1, "a", "n=1 text=x"), (3, "b", "cpu=2")];
    let folder = folder().with("trace.xml", trace(&events));
    expect![[r#"
        [1970-01-01 00:00:00.000000001] (trace.xml) a: { n = 1, text = "x" }
        [1970-01-01 00:00:00.000000003] (cpu 2) b: { cpu = 2 }
        exit 0
    "#]]
    .assert_eq(&folder.run("events trace.xml").to_string());
    let damaged = folder.with(
        "damaged.xml",
        "<trace>\n<event timestamp=\"x\" name=\"a\"/>\n<event timestamp=\"2\" name=\"b\"/>",
    );
    let ran = damaged.run("events damaged.xml");
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.out.contains(" b") && ran.err.contains("line 2"), "{ran}");
}

/// Trace Compass's own test files, where the shared folder is there.
fn of_trace_compass() -> Option<Folder> {
    unpack("data/lost-events/trace-compass-xml.tar.zst")
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn what_trace_compass_reads_runs() {
    let Some(folder) = of_trace_compass() else { return };
    let names = files(&folder.path.join("trace-compass-xml/valid"));
    assert_eq!(names.len(), 12);
    for name in names {
        let model = format!("trace-compass-xml/valid/{name}");
        let words = folder.run(&format!("models {model}"));
        assert!(words.code == 0 && words.err.is_empty() && !words.out.is_empty(), "{words}");
        for trace in ["testTrace1", "testTrace2", "testTrace3"] {
            let ran =
                folder.run(&format!("states trace-compass-xml/traces/{trace}.xml --model {model} --json"));
            assert_eq!(ran.code, 0, "{ran}");
            let json: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(json["events"], 4, "{ran}");
        }
    }
}

/// What Trace Compass's tests, or comments in the files, say of the states.
#[test]
fn states_of_trace_compass_are_those_that_its_files_state() {
    let Some(folder) = of_trace_compass() else { return };
    let check = |model: &str, trace: &str, expected: Expect| {
        let (model, trace) =
            (format!("trace-compass-xml/valid/{model}.xml"), format!("trace-compass-xml/traces/{trace}.xml"));
        expected.assert_eq(&states(&folder, &model, &trace));
    };
    check(
        "test_attributes",
        "testTrace1",
        expect![[r#"
        test: 1 1, 5 2
        test1: 1 null, 3 1, 7 2
    "#]],
    );
    check(
        "test_conditions",
        "testTrace1",
        expect![[r#"
        checkpoint: 1 0, 3 1
        test: 1 0
        test1: 1 null, 3 0
        and_three_operands: 1 1, 3 0
        not_operand: 1 0, 3 1
    "#]],
    );
    check(
        "test_doubles",
        "testTrace3",
        expect![[r#"
        testField: 1 3.141592, 3 2.71828, 5 1.41421, 7 2.68545
    "#]],
    );
    check(
        "test_pattern_segment",
        "testTrace2",
        expect![[r#"
        scenarios/test/0/status: 1 1
        scenarios/test/0/state: 1 "state2", 3 "state1", 5 "state2", 7 "state1"
        scenarios/test/0/state/state1/startTime: 1 1, 3 3, 7 7
        scenarios/test/0/state/state2/startTime: 1 1, 5 5
        scenarios/test/0/startTime: 1 1
        scenarios/test/1/status: 1 null, 3 0
        scenarios/test/1/state: 1 null, 3 "state1"
        scenarios/test/1/state/state1/startTime: 1 null, 3 3
        segment "test1" 1..1 {}
        segment "test2" 1..3 {"field1":"100","field2":"test","field3":"1"}
        segment "test1" 1..5 {}
        segment "test2" 1..7 {"field1":"200","field2":"test","field3":"1"}
    "#]],
    );
}

#[test]
fn what_trace_compass_refuses_is_refused_where_it_is_wrong() {
    let Some(folder) = of_trace_compass() else { return };
    let mut output = String::new();
    for name in files(&folder.path.join("trace-compass-xml/invalid")) {
        let ran = folder.run(&format!("models trace-compass-xml/invalid/{name}"));
        assert_eq!(ran.code, 2, "{ran}");
        output += &ran.err;
    }
    expect![[r#"
        tracewright: this model cannot be used: trace-compass-xml/invalid/invalid_condition_operators.xml, line 24: Column 6: `an_invalid_operator` is not a comparison: eq, ne, ge, gt, le and lt are.
        tracewright: this model cannot be used: trace-compass-xml/invalid/state_provider_placement.xml, line 31: Column 3: No `eventHandler` follows this `definedValue` before the `stateProvider` ends in line 36.
        tracewright: this model cannot be used: trace-compass-xml/invalid/test_invalid.xml, line 6: Column 5: `element` is not an element of a model file, and nothing else is in it.
    "#]].assert_eq(&output);
}
