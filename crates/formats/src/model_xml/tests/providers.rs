//! State providers, the elements that they share with patterns, and views.

use expect_test::expect;

use super::*;

fn provider(inside: &str) -> String {
    format!("<tmfxml><stateProvider id=\"p\" version=\"1\">\n{inside}\n</stateProvider></tmfxml>")
}

#[test]
fn a_state_provider_has_handlers() {
    let text = provider(
        r#"<definedValue name="BUSY" value="7"/>
<eventHandler eventName="a|b*"><stateChange><if><condition operator="gt"><field name="x"/><stateValue type="int" value="1"/></condition></if><then><if><condition><stateAttribute type="pool"/><stateValue type="null"/></condition></if><then><stateAttribute type="constant" value="A"/><stateValue type="int" value="$BUSY"/></then><else><stateAttribute type="constant" value="A"/><stateValue stack="popAll" type="null"/></else></then></stateChange>
<stateChange><stateAttribute type="constant" value="B"/><stateValue type="script" value="ts + 1"><stateValue id="ts" type="eventField" value="timestamp"/></stateValue><futureTime type="long" value="5"/></stateChange></eventHandler>"#,
    );
    let file =
        read("t.xml", text.as_bytes()).unwrap_or_else(|diagnostics| panic!("{}", messages(&diagnostics)));
    let handler = &file.patterns[0].handlers[0];
    let steps: String = handler.steps.iter().map(|step| format!("{step:?}\n")).collect();
    expect![[r#"
        EventPattern { names: ["a", "b*"] }
        Step { condition: Some(Compare { left: Field("x"), comparison: Greater, right: ValueExpr { source: Int(1), forced: None, mapping: None } }), then: [Choose(Step { condition: Some(Compare { left: Path(Path { steps: [Pool] }), comparison: Equal, right: ValueExpr { source: Null, forced: None, mapping: None } }), then: [Assign(Assignment { path: Path { steps: [Constant("A")] }, value: ValueExpr { source: Int(7), forced: None, mapping: None }, mode: Set, at: None, called: Some("BUSY") })], otherwise: [Assign(Assignment { path: Path { steps: [Constant("A")] }, value: ValueExpr { source: Null, forced: None, mapping: None }, mode: PopAll, at: None, called: None })] })], otherwise: [] }
        Step { condition: None, then: [Assign(Assignment { path: Path { steps: [Constant("B")] }, value: ValueExpr { source: Script(Script { expression: Binary(Add, Name(0), Whole(1)), names: [("ts", ValueExpr { source: Field("timestamp"), forced: None, mapping: None })], text: "ts + 1" }), forced: None, mapping: None }, mode: Set, at: Some(ValueExpr { source: Long(5), forced: None, mapping: None }), called: None })], otherwise: [] }
    "#]].assert_eq(&format!("{:?}\n{steps}", handler.events));
}

#[test]
fn what_stands_behind_the_last_handler_belongs_to_none() {
    let handler = "<eventHandler eventName=\"a\"><stateChange><stateAttribute type=\"constant\" value=\"A\"/><stateValue type=\"null\"/></stateChange></eventHandler>";
    check_file(
        &provider(&format!("{handler}\n<definedValue name=\"A\" value=\"1\"/>\n<location id=\"l\"/>")),
        expect![[r#"
            refused
            t.xml:3 pattern-refused Column 1: No `eventHandler` follows this `definedValue` before the `stateProvider` ends in line 5.
        "#]],
    );
    check_file(
        &provider(&format!("{handler}\n<head/>")),
        expect![[r#"
        refused
        t.xml:3 pattern-refused Column 1: `head` has to come first.
    "#]],
    );
    check_file(
        &provider("<head/>"),
        expect![[r#"
        refused
        t.xml:1 pattern-refused Column 9: A `stateProvider` needs an `eventHandler`, and there is none.
    "#]],
    );
}

#[test]
fn what_uses_an_unknown_name_is_left_out() {
    let change = |path: &str, value: &str| {
        format!(
            "<stateChange>\n<stateAttribute type=\"location\" value=\"{path}\"/><stateValue type=\"int\" value=\"{value}\"/></stateChange>"
        )
    };
    let text = provider(&format!(
        "<location id=\"l\"><stateAttribute type=\"constant\" value=\"A\"/></location><eventHandler eventName=\"a\">{}{}{}<stateChange><if><not><condition><stateAttribute type=\"location\" value=\"no\"/><stateValue type=\"null\"/></condition></not></if><then><stateAttribute type=\"constant\" value=\"A\"/><stateValue type=\"null\"/></then></stateChange></eventHandler>",
        change("no", "1"),
        change("l", "$NO"),
        change("l", "1"),
    ));
    let file =
        read("t.xml", text.as_bytes()).unwrap_or_else(|diagnostics| panic!("{}", messages(&diagnostics)));
    assert_eq!(file.patterns[0].handlers[0].steps.len(), 2);
    expect![[r#"
        t.xml:3 pattern-odd Column 1: No `location` is called `no`: what uses it is left out.
        t.xml:4 pattern-odd Column 44: No `definedValue` is called `NO`: what uses it is left out.
        t.xml:5 pattern-odd Column 125: No `location` is called `no`: what uses it is left out.
    "#]]
    .assert_eq(&messages(&file.diagnostics));
}

#[test]
fn views_are_read_and_checked() {
    let view = |entries: &str| {
        format!(
            "<tmfxml><timeGraphView id=\"v\"><head><analysis id=\"p\"/><label value=\"V\"/></head>{entries}</timeGraphView>\n<xyView id=\"x\"><entry path=\"R/*\" displayType=\"delta\"><display type=\"self\"/></entry></xyView></tmfxml>"
        )
    };
    let text = view(
        "<entry path=\"CPUs/*\"><display type=\"constant\" value=\"Status\"/><entry path=\"*\"><display type=\"self\"/></entry></entry>",
    );
    let file = read("t.xml", text.as_bytes()).unwrap();
    assert!(file.patterns.is_empty() && file.diagnostics.is_empty());
    let paths: Vec<_> = file.views.iter().map(|view| (&*view.label, view.paths.join(" "))).collect();
    assert_eq!(paths, [("V", "CPUs/* CPUs/*/*".to_owned()), ("", "R/*".to_owned())]);
    check_file(
        &view(
            "<entry path=\"CPUs/*\"><display type=\"self\"/>\n<display type=\"constant\" value=\"a\"/></entry>",
        ),
        expect![[r#"
            refused
            t.xml:2 pattern-refused Column 1: An `entry` has one `display`, and this is the second.
        "#]],
    );
    check_file(
        "<tmfxml><xyView id=\"x\"><entry path=\"*\"><display type=\"self\"/></entry>\n<entry path=\"*/*\"/></xyView></tmfxml>",
        expect![[r#"
            refused
            t.xml:2 pattern-refused Column 1: An `xyView` has one `entry`, and this is the second.
        "#]],
    );
}

#[test]
fn elements_of_others_are_ignored_with_a_remark() {
    check_file(
        "<tmfxml>\n<my><sub/></my>\n<callstack id=\"c\"><callstackGroup/><pattern id=\"p\"><patternHandler/></pattern></callstack></tmfxml>",
        expect![[r#"
            accepted
            t.xml:2 pattern-odd Column 1: `my` is an extension that is not known here and was ignored.
        "#]],
    );
}

#[test]
fn scripts_are_expressions() {
    let messages_of = |script: &str| {
        let text = provider(&format!(
            "<eventHandler eventName=\"a\"><stateChange><stateAttribute type=\"constant\" value=\"A\"/><stateValue type=\"script\" value=\"{script}\"><stateValue id=\"x\" type=\"eventField\" value=\"x\"/></stateValue></stateChange></eventHandler>"
        ));
        match read("t.xml", text.as_bytes()) {
            Ok(file) => {
                let StepKind::Assign(assignment) = &file.patterns[0].handlers[0].steps[0].then[0] else {
                    panic!()
                };
                let model::machine::ValueSource::Script(script) = &assignment.value.source else { panic!() };
                format!("{:?}\n", script.expression)
            }
            Err(diagnostics) => diagnostics[0].sentence.clone() + "\n",
        }
    };
    let all = [
        "x == 'op1' ? 'TRUE' : 1.5e3",
        "-x * 2 + 3 &gt;&gt; 1 &lt; 0x10 &amp;&amp; !true;",
        "Math.max(x.length, parseInt(x, 16))",
        "x.substring(1).y",
        "y + 1",
        "x +",
        "(x",
        "'x",
        "x = 5",
        "Math.max()",
        "x y",
    ];
    expect![[r#"
        Choice(Binary(Equal { strict: false }, Name(0), Text("op1")), Text("TRUE"), Number(1500.0))
        Binary(And, Binary(Less, Binary(ShiftRight, Binary(Add, Binary(Multiply, Unary(Minus, Name(0)), Whole(2)), Whole(3)), Whole(1)), Whole(16)), Unary(Not, Truth(true)))
        Call(Max, [Call(Length, [Name(0)]), Call(ParseInt, [Name(0), Whole(16)])])
        Column 85: This script is not an expression that can be computed: `y` is neither a value of the script nor a function that is known here.
        Column 85: This script is not an expression that can be computed: `y` is neither a value of the script nor a function that is known here.
        Column 85: This script is not an expression that can be computed: it ends too early.
        Column 85: This script is not an expression that can be computed: a `)` is missing.
        Column 85: This script is not an expression that can be computed: a text in quotes does not end.
        Column 85: This script is not an expression that can be computed: `=` is not part of an expression.
        Column 85: This script is not an expression that can be computed: `Math.max` is given too few values.
        Column 85: This script is not an expression that can be computed: `y` is not expected here.
    "#]].assert_eq(&all.map(messages_of).concat());
    assert!(messages_of(&"(".repeat(10_000)).contains("nests deeper"));
    assert!(messages_of(&"-".repeat(10_000)).contains("nests deeper"));
    assert!(messages_of(&"x+".repeat(10_000)).contains("in a row"));
}
