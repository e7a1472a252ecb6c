//! Pattern files, read and refused: most tests are a piece of XML and its diagnostics.

use expect_test::{Expect, expect};
use model::Location;
use model::machine::{PathStep, Pattern, StepKind};

use super::check::against_trace;
use super::read;

mod limits;
mod providers;

/// A pattern file around the inside of a handler, on line 3.
fn file(inside: &str) -> String {
    format!(
        "<tmfxml xmlns:tw=\"urn:tracewright:pattern:1\"><pattern id=\"p\">\n<patternHandler>\n{inside}\n</patternHandler>\n<location id=\"thread\"><stateAttribute type=\"constant\" value=\"Threads\"/><stateAttribute type=\"eventField\" value=\"tid\"/></location>\n<definedValue name=\"BUSY\" value=\"7\" color=\"#0000EE\"/>\n<mappingGroup id=\"names\"><entry><stateValue type=\"int\" value=\"1\"/><stateValue type=\"string\" value=\"one\"/></entry></mappingGroup>\n<storedField id=\"fd\" alias=\"file\"/></pattern></tmfxml>"
    )
}

fn messages(diagnostics: &[model::Diagnostic]) -> String {
    let line = |diagnostic: &model::Diagnostic| {
        let Location::Line { file, line } = &diagnostic.location else { panic!() };
        format!("{file}:{line} {} {}\n", diagnostic.code, diagnostic.sentence)
    };
    diagnostics.iter().map(line).collect()
}

fn pattern(inside: &str) -> Pattern {
    read("t.xml", file(inside).as_bytes())
        .unwrap_or_else(|diagnostics| panic!("{}", messages(&diagnostics)))
        .patterns
        .remove(0)
}

/// Compares the diagnostics of a handler that is refused, or odd.
fn check(inside: &str, expected: Expect) {
    check_file(&file(inside), expected);
}

fn check_file(text: &str, expected: Expect) {
    let messages = match read("t.xml", text.as_bytes()) {
        Ok(file) => format!("accepted\n{}", messages(&file.diagnostics)),
        Err(diagnostics) => format!("refused\n{}", messages(&diagnostics)),
    };
    expected.assert_eq(&messages);
}

const STATE: &str = "<fsm id=\"f\"><state id=\"s\"/></fsm>";

#[test]
fn all_kinds_of_conditions() {
    let pattern = pattern(
        r#"<test id="a"><if><condition operator="ge"><field name="x"/><stateValue type="long" value="0x10"/></condition></if></test>
<test id="b"><if><condition><stateAttribute type="location" value="thread"/><stateAttribute type="self"/><stateAttribute type="constant" value="Status"/><stateValue type="int" value="$BUSY"/></condition></if></test>
<test id="c"><if><not><or><condition><stateValue type="eventName"/><stateValue type="eventField" value="n" forcedType="string" mappingGroup="names"/></condition><and><condition><field name="$BUSY"/><stateValue type="null"/></condition></and></or></not></if></test>
<test id="d"><if><condition><timerange unit="us"><out begin="1" end="2"/></timerange></condition></if></test>
<test id="e"><if><condition><elapsedTime unit="ms"><more since="s" value="3"/></elapsedTime></condition></if></test>
<fsm id="f"><state id="s"/></fsm>"#,
    );
    let conditions: String =
        pattern.tests.iter().map(|test| format!("{} {:?}\n", test.id, test.condition)).collect();
    expect![[r#"
        a Compare { left: Field("x"), comparison: GreaterOrEqual, right: ValueExpr { source: Long(16), forced: None, mapping: None } }
        b Compare { left: Path(Path { steps: [Constant("Threads"), Field("tid"), Constant("Status")] }), comparison: Equal, right: ValueExpr { source: Int(7), forced: None, mapping: None } }
        c Not(Any([Same(ValueExpr { source: EventName, forced: None, mapping: None }, Equal, ValueExpr { source: Field("n"), forced: Some(Text), mapping: Some(0) }), All([Compare { left: Field("7"), comparison: Equal, right: ValueExpr { source: Null, forced: None, mapping: None } }])]))
        d Within { begin: 1000, end: 2000, inside: false }
        e Elapsed { comparison: Greater, since: "s", nanoseconds: 3000000 }
    "#]].assert_eq(&conditions);
}

#[test]
fn mistakes_that_change_the_meaning_are_reported() {
    let of_test = |inside: &str| format!("<test id=\"a\"><if>\n{inside}\n</if></test>{STATE}");
    let equal = r#"<condition><field name="x"/><stateValue type="int" value="1"/></condition>"#;
    check(
        &of_test("<or/>"),
        expect![[r#"
        refused
        t.xml:4 pattern-refused Column 1: `or` holds no condition.
    "#]],
    );
    check(
        &of_test(&format!("<not>{equal}{equal}</not>")),
        expect![[r#"
        refused
        t.xml:4 pattern-refused Column 1: `not` holds exactly one condition.
    "#]],
    );
    check(
        &format!(
            "<action id=\"a\"><segment><segType segName=\"s\"/>\n<segTime><begin type=\"long\" value=\"1\"/>\
             <end type=\"long\" value=\"2\"/><duration type=\"long\" value=\"1\"/></segTime></segment></action>{STATE}"
        ),
        expect![[r#"
            refused
            t.xml:4 pattern-refused Column 1: `segTime` needs `begin`, and either `end` or `duration`.
        "#]],
    );
    let change = |value: &str| {
        format!(
            "<action id=\"a\"><stateChange><stateAttribute type=\"constant\" value=\"A\"/>\n\
             <stateValue type=\"int\" value=\"1\" {value}/></stateChange></action>{STATE}"
        )
    };
    check(
        &change("incremnt=\"true\""),
        expect![[r#"
        accepted
        t.xml:4 pattern-odd Column 1: `stateValue` has no attribute `incremnt`: it was ignored.
    "#]],
    );
    check(
        &change("increment=\"true\" tw:note=\"of ours\""),
        expect![[r#"
        accepted
    "#]],
    );
}

#[test]
fn an_action_inside_another_is_done_there_and_has_a_name() {
    let pattern = pattern(
        r#"<action id="outer"><stateChange><stateAttribute type="constant" value="A"/><stateValue type="int" value="1"/></stateChange>
<action id="inner"><stateChange><stateAttribute type="constant" value="B"/><stateValue type="int" value="2"/></stateChange></action></action>
<fsm id="f"><state id="s"><transition event="e" target="s" action="inner"/></state></fsm>"#,
    );
    let actions = |index: usize| pattern.actions.get(index).unwrap();
    assert_eq!([&*actions(0).id, &*actions(1).id], ["outer", "inner"]);
    assert_eq!(actions(0).steps.last().unwrap().then, [StepKind::Run(1)]);
    assert_eq!(pattern.machines[0].states[0].transitions[0].actions, [1]);
}

#[test]
fn all_kinds_of_actions() {
    let pattern = pattern(
        r##"<action id="a"><stateChange><stateAttribute type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="#currentState"/><stateValue type="int" value="1" increment="true"/></stateChange>
<stateChange><if><condition><field name="x"/><stateValue type="null"/></condition></if><then><stateAttribute type="eventName"/><stateValue type="delete"/></then><else><stateAttribute type="query"><stateAttribute type="constant" value="A"/></stateAttribute><stateValue type="string" value="v" update="true"/></else></stateChange>
<action id="b"/></action>
<action id="b"><stateChange><stateAttribute type="constant" value="S"/><stateValue type="eventField" value="x" stack="push"/></stateChange>
<segment><segType segName="call"/><segTime><begin type="eventField" value="t"/><duration type="long" value="5"/></segTime><segContent><segField name="n" type="eventField" value="ret"/></segContent></segment></action>
<fsm id="f"><state id="s"/></fsm>"##,
    );
    let steps = pattern
        .actions
        .iter()
        .flat_map(|action| action.steps.iter().map(move |step| format!("{} {step:?}\n", action.id)));
    expect![[r#"
        a Step { condition: None, then: [Assign(Assignment { path: Path { steps: [CurrentScenario, CurrentState] }, value: ValueExpr { source: Int(1), forced: None, mapping: None }, mode: Increment, at: None, called: None })], otherwise: [] }
        a Step { condition: Some(Compare { left: Field("x"), comparison: Equal, right: ValueExpr { source: Null, forced: None, mapping: None } }), then: [Assign(Assignment { path: Path { steps: [EventName] }, value: ValueExpr { source: Null, forced: None, mapping: None }, mode: Delete, at: None, called: None })], otherwise: [Assign(Assignment { path: Path { steps: [Query(Path { steps: [Constant("A")] })] }, value: ValueExpr { source: Text("v"), forced: None, mapping: None }, mode: Update, at: None, called: None })] }
        a Step { condition: None, then: [Run(1)], otherwise: [] }
        b Step { condition: None, then: [Assign(Assignment { path: Path { steps: [Constant("S")] }, value: ValueExpr { source: Field("x"), forced: None, mapping: None }, mode: Push, at: None, called: None })], otherwise: [] }
        b Step { condition: None, then: [Segment(Segment { name: Fixed("call"), time: Given { begin: ValueExpr { source: Field("t"), forced: Some(Long), mapping: None }, end: After(ValueExpr { source: Long(5), forced: Some(Long), mapping: None }) }, content: [SegmentField { name: "n", value: Value(ValueExpr { source: Field("ret"), forced: None, mapping: None }) }] })], otherwise: [] }
    "#]].assert_eq(&steps.collect::<String>());
}

#[test]
fn a_machine_with_everything() {
    let pattern = pattern(
        r##"<fsm id="f" multiple="false"><precondition event="a|b*"/><initialState><transition event="a" target="s" saveStoredFields="true"/></initialState>
<state id="s" tw:stands-for="t"><transition event="b" cond="" target="done" clearStoredFields="true" tw:closes="true" tw:like="p"/></state><state id="t"><transition target="s" tw:opens="true" tw:optional="true"/></state><final id="done"/><abandonState id="given up"/>
<tw:instances><tw:key events="a" of="x @cpu" sends-to="y"/><tw:key of="@thread"/></tw:instances></fsm>"##,
    );
    let machine = &pattern.machines[0];
    let states: Vec<_> = machine.states.iter().map(|state| (&*state.id, &*state.stands_for)).collect();
    let text = format!(
        "{:?}\ninitial {} last {:?} abandon {:?} error {:?} consuming {} multiple {}\n{:?}\n{:?}\n",
        states,
        machine.initial,
        machine.last,
        machine.abandon,
        machine.error,
        machine.consuming,
        machine.multiple,
        machine.preconditions,
        machine.keys
    ) + &machine
        .states
        .iter()
        .flat_map(|state| &state.transitions)
        .map(|one| format!("{} {} {:?} {}\n", one.opens, one.closes, one.like, one.optional))
        .collect::<String>();
    expect![[r##"
        [("#initial", []), ("s", [2]), ("t", []), ("done", []), ("given up", [])]
        initial 0 last Some(3) abandon Some(4) error None consuming true multiple false
        [Precondition { events: EventPattern { names: ["a", "b*"] }, tests: [], spot: Spot { line: 3, column: 30 } }]
        Some([KeyRule { events: EventPattern { names: ["a"] }, sources: [Field("x"), Cpu], except: [], within: None, sends_to: Some("y"), spot: Spot { line: 5, column: 15 } }, KeyRule { events: EventPattern { names: [] }, sources: [RunningThread], except: [], within: None, sends_to: None, spot: Spot { line: 5, column: 60 } }])
        false false None false
        false true Some("p") false
        true false None true
    "##]].assert_eq(&text);
}

#[test]
fn machines_without_our_extension_follow_the_original() {
    let pattern =
        pattern("<fsm id=\"cpu_fsm\"><state id=\"s\"/></fsm><fsm id=\"other\"><state id=\"s\"/></fsm>");
    assert!(pattern.machines[0].keys.is_some());
    assert_eq!(pattern.machines[1].keys, None);
    assert_eq!(pattern.started, [0, 1]);
}

#[test]
fn what_never_worked_is_refused_with_its_line() {
    check(
        "<action id=\"a\">\n <fsmScheduleAction/></action>",
        expect![[r#"
        refused
        t.xml:4 pattern-refused Column 2: `fsmScheduleAction` was announced by the original but never worked.
    "#]],
    );
    check(
        "<fsm id=\"f\"><state id=\"s\">\n<state id=\"t\"/></state></fsm>",
        expect![[r#"
        refused
        t.xml:4 pattern-refused Column 1: States inside states are not supported.
    "#]],
    );
    check(
        "<action id=\"a\"><stateChange><stateAttribute type=\"constant\" value=\"A\"/>\n<stateValue type=\"script\" value=\"for (;;) x\"/></stateChange></action>",
        expect![[r#"
            refused
            t.xml:4 pattern-refused Column 1: This script is not an expression that can be computed: `for` is neither a value of the script nor a function that is known here.
        "#]],
    );
}

#[test]
fn unknown_names_have_line_and_column() {
    check(
        "<fsm id=\"f\"><state id=\"s\">\n  <transition cond=\"no\" target=\"s\"/></state></fsm>",
        expect![[r#"
            refused
            t.xml:4 pattern-refused Column 3: No `test` is called `no`.
        "#]],
    );
    check(
        "<fsm id=\"f\"><state id=\"s\">\n  <transition target=\"no\"/></state></fsm>",
        expect![[r#"
        refused
        t.xml:4 pattern-refused Column 3: There is no state `no` to go to.
    "#]],
    );
    check(
        "<fsm id=\"f\"><state id=\"s\">\n  <transition target=\"s\" action=\"no\"/></state></fsm>",
        expect![[r#"
            accepted
            t.xml:4 pattern-odd Column 3: No `action` is called `no`: the transition has no effect.
        "#]],
    );
    check(
        "<action id=\"a\"><action id=\"no\"/></action>",
        expect![[r#"
        refused
        t.xml:3 pattern-refused Column 16: No `action` is called `no`.
    "#]],
    );
    check(
        "<action id=\"a\"><stateChange><stateAttribute type=\"location\" value=\"no\"/><stateValue type=\"int\" value=\"$NO\"/></stateChange></action>",
        expect![[r#"
            accepted
            t.xml:3 pattern-odd Column 29: No `location` is called `no`: what uses it is left out.
            t.xml:3 pattern-odd Column 73: No `definedValue` is called `NO`: what uses it is left out.
        "#]],
    );
    check(
        "<unknown/>",
        expect![[r#"
            accepted
            t.xml:3 pattern-odd Column 1: `unknown` is not known here and was ignored.
        "#]],
    );
    check(
        "<fsm id=\"f\"/>",
        expect![[r#"
        refused
        t.xml:3 pattern-refused Column 1: The machine has no state to begin in.
    "#]],
    );
}

#[test]
fn actions_that_call_themselves_are_refused() {
    check(
        "<action id=\"a\"><action id=\"b\"/></action><action id=\"b\"><action id=\"a\"/></action>",
        expect![[r#"
            refused
            t.xml:3 pattern-refused Column 1: The action calls itself, or does more than 4096 steps in all.
        "#]],
    );
    let doubling: String = (0..30)
        .map(|level| {
            format!("<action id=\"a{level}\"><action id=\"a{0}\"/><action id=\"a{0}\"/></action>", level + 1)
        })
        .collect();
    check(
        &format!("{doubling}<action id=\"a30\"/>"),
        expect![[r#"
        refused
        t.xml:3 pattern-refused Column 1: The action calls itself, or does more than 4096 steps in all.
    "#]],
    );
}

#[test]
fn what_is_no_pattern_file_is_refused() {
    check_file(
        "<tmfxml>",
        expect![[r#"
        refused
        t.xml:1 pattern-xml This is not well-formed XML: the root node was opened but never closed.
    "#]],
    );
    check_file(
        "<tmfxml/>",
        expect![[r#"
            refused
            t.xml:1 pattern-refused Column 1: There is neither an analysis nor a view in it.
        "#]],
    );
    check_file(
        "<other/>",
        expect![[r#"
        refused
        t.xml:1 pattern-refused Column 1: The root is `other`, not `tmfxml`.
    "#]],
    );
    check_file(
        "\n<!DOCTYPE a [<!ENTITY b \"c\">]><tmfxml/>",
        expect![[r#"
        refused
        t.xml:2 pattern-xml Document types and entities are not accepted.
    "#]],
    );
    check_file(
        "<tmfxml>\n<other/></tmfxml>",
        expect![[r#"
        refused
        t.xml:2 pattern-refused Column 1: `other` is not an element of a model file, and nothing else is in it.
    "#]],
    );
    check_file(
        "<tmfxml><stateProvider/><timeGraphView/></tmfxml>",
        expect![[r#"
            refused
            t.xml:1 pattern-refused Column 9: A `stateProvider` needs an `eventHandler`, and there is none.
            t.xml:1 pattern-refused Column 9: `stateProvider` needs an attribute `id`.
            t.xml:1 pattern-refused Column 25: `timeGraphView` needs an attribute `id`.
        "#]],
    );
}

/// Locations are put in where they are used, in other locations, too, wherever those stand.
#[test]
fn locations_use_locations() {
    let handler = "<patternHandler><action id='a'><stateChange><stateAttribute type='location' value='of'/><stateValue type='int' value='1'/></stateChange></action></patternHandler>";
    let cpus = "<location id='cpus'><stateAttribute type='constant' value='CPUs'/></location>\n";
    let of = "<location id='of'><stateAttribute type='location' value='cpus'/><stateAttribute type='eventField' value='cpu'/></location>\n";
    let file = |locations: &str| format!("<tmfxml><pattern id='p'>\n{locations}{handler}</pattern></tmfxml>");
    for locations in [format!("{cpus}{of}"), format!("{of}{cpus}")] {
        let read = read("t.xml", file(&locations).as_bytes()).unwrap();
        let StepKind::Assign(assignment) = &read.patterns[0].actions[0].steps[0].then[0] else { panic!() };
        let expected = [PathStep::Constant("CPUs".into()), PathStep::Field("cpu".into())];
        assert_eq!(assignment.path.steps, expected);
    }
    check_file(
        &file(
            "<location id='a'><stateAttribute type='query'><stateAttribute type='location' value='b'/></stateAttribute></location>\n<location id='b'><stateAttribute type='location' value='a'/></location><location id='of'/>",
        ),
        expect![[r#"
            refused
            t.xml:2 pattern-refused Column 1: The location `a` uses itself.
            t.xml:3 pattern-odd Column 18: No `location` is called `a`: what uses it is left out.
            t.xml:3 pattern-refused Column 122: A state change needs a path.
        "#]],
    );
    check_file(
        &file("<location id='of'><stateAttribute type='location' value='of'/></location>"),
        expect![[r#"
            refused
            t.xml:2 pattern-refused Column 1: The location `of` uses itself.
            t.xml:2 pattern-odd Column 118: No `location` is called `of`: what uses it is left out.
        "#]],
    );
}

/// A chain of thousands is followed without recursion.
#[test]
fn a_chain_of_locations_is_as_long_as_it_likes() {
    let link = |n: usize| {
        format!("<location id='l{n}'><stateAttribute type='location' value='l{}'/></location>", n + 1)
    };
    let chain: String = (0..5_000).map(link).collect();
    let text = format!(
        "<tmfxml><pattern id='p'>{chain}<location id='l5000'><stateAttribute type='constant' value='x'/></location><patternHandler/></pattern></tmfxml>"
    );
    assert_eq!(messages(&read("t.xml", text.as_bytes()).unwrap().diagnostics), "");
}

#[test]
fn only_utf_8_is_read_with_any_ends_of_lines() {
    let text = file("<fsm id=\"f\"><state id=\"s\"/></fsm>");
    let expected = read("t.xml", text.as_bytes()).unwrap();
    for other in [text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
        let read = read("t.xml", other.as_bytes())
            .unwrap_or_else(|diagnostics| panic!("{}", messages(&diagnostics)));
        assert_eq!(
            (&read.patterns[0].id, &read.diagnostics),
            (&expected.patterns[0].id, &expected.diagnostics)
        );
    }
    let latin = text.replace("\"f\"", "\"\u{e9}\"").chars().map(|letter| letter as u8).collect::<Vec<u8>>();
    let wide: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let refused = |bytes: &[u8]| messages(&read("t.xml", bytes).unwrap_err());
    expect![[r#"
        t.xml:3 pattern-xml This line is not UTF-8; only UTF-8 is read: save it so (and say so in its first line).
        t.xml:1 pattern-xml It is written in UTF-16; only UTF-8 is read: save it so (and say so in its first line).
    "#]]
    .assert_eq(&(refused(&latin) + &refused(&wide)));
}

#[test]
fn a_time_since_an_unknown_state_is_told() {
    check(
        "<test id=\"t\"><if><condition><elapsedTime unit=\"us\">\n<less since=\"nowhere\" value=\"5\"/></elapsedTime></condition></if></test><fsm id=\"f\"><state id=\"s\"/></fsm>",
        expect![[r#"
            accepted
            t.xml:4 pattern-odd Column 1: No machine has a state `nowhere` to count the time from.
        "#]],
    );
}

#[test]
fn a_trace_shows_what_preconditions_and_keys_wait_for_in_vain() {
    let pattern = pattern(
        "<fsm id=\"f\"><tw:instances><tw:key events=\"a\" of=\"x\"/>\n<tw:key events=\"c*\" of=\"x\"/></tw:instances><precondition event=\"a|d\"/><state id=\"s\"><transition event=\"a\" target=\"s\"/></state></fsm>",
    );
    expect![[r#"
        t.xml:4 pattern-event-absent Column 44: A precondition of machine `f` is for `d`, and no event of the trace is called so.
        t.xml:4 pattern-event-absent Column 1: A key of machine `f` is for `c*`, and no event of the trace is called so.
    "#]].assert_eq(&messages(&against_trace("t.xml", &pattern, ["a", "b"])));
}

#[test]
fn a_trace_shows_what_never_happens() {
    let pattern = pattern(
        "<fsm id=\"f\"><state id=\"s\"><transition event=\"sys_*|a\" target=\"t\"/>\n<transition event=\"b\" target=\"u\"/></state><state id=\"t\"/>\n<state id=\"u\"/></fsm>",
    );
    expect![[r#"
        t.xml:3 pattern-event-absent Column 27: Machine `f` waits for `sys_*`, and no event of the trace is called so.
        t.xml:4 pattern-event-absent Column 1: Machine `f` waits for `b`, and no event of the trace is called so.
        t.xml:5 pattern-state-unreachable Column 1: No event of the trace leads machine `f` to its state `u`.
    "#]].assert_eq(&messages(&against_trace("t.xml", &pattern, ["a", "sysctl"])));
}

/// The models that ship are read without a word, and cut or changed anywhere they do no harm.
#[test]
fn shipped_models_are_clean_and_damaged_ones_do_no_harm() {
    for model in [
        include_str!("../../../tracewright/models/kernel-2018.xml"),
        include_str!("../../../tracewright/models/kernel.xml"),
    ] {
        let file = read("model.xml", model.as_bytes())
            .unwrap_or_else(|diagnostics| panic!("{}", messages(&diagnostics)));
        assert_eq!(messages(&file.diagnostics), "");
        for at in (0..model.len()).step_by(211) {
            super::fuzz::fuzz_pattern(&model.as_bytes()[..at]);
            let mut changed = model.as_bytes().to_vec();
            changed[at] = b"<>\"&=z"[at % 6];
            super::fuzz::fuzz_pattern(&changed);
        }
    }
}
