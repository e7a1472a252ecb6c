//! XML traces, read: their events, and the diagnostics of damaged ones.

use expect_test::{Expect, expect};
use model::{EventSource, Item, Location, OuterFields, Scope, Value};

use super::Reader;

/// Events and diagnostics of a text, a line each.
fn read(text: &[u8]) -> String {
    let mut reader = match Reader::open("t.xml", text, text.len() as u64) {
        Ok(reader) => reader,
        Err(error) => return format!("refused: {error}\n"),
    };
    let mut out = String::new();
    loop {
        let line = match reader.next_item() {
            None => break,
            Some(Item::Gap(_)) => panic!("an XML trace says nothing of losses"),
            Some(Item::Event(event)) => {
                let mut line = format!(
                    "{} {} {:?} {:?}",
                    event.name(),
                    event.seq,
                    event.time.map(|time| time.0),
                    event.cpu
                );
                let mut add = OuterFields::new(|name: &str, value: Value<'_>| {
                    line += &match value {
                        Value::Text(text) => format!(" {name}={:?}", String::from_utf8_lossy(text)),
                        other => format!(" {name}={other:?}"),
                    };
                });
                event.fields.visit(Scope::Payload, &mut add);
                line
            }
        };
        out += &format!("{line}\n");
    }
    for diagnostic in reader.diagnostics() {
        let Location::Line { line, .. } = diagnostic.location else { panic!() };
        out += &format!("line {line} {}: {}\n", diagnostic.code, diagnostic.sentence);
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&read(text.as_bytes()));
}

#[test]
fn fields_have_their_types() {
    check(
        r#"<?xml version="1.0"?><!-- a > b --><trace>
<set_aspects><field name="cpu" type="int"/></set_aspects>
<event timestamp="1" name="a"><field name="cpu" type="int" value="3"/><field name="l" type="long" value="5000000000"/>
<field name="s" type="string" value="a &lt;&amp;&#65;&#x42; &no; &#xD800;"/><field name="d" type="double" value="1.5"/><field name="n" value='"1"'/></event>
<event timestamp="3" name="b&quot;"/><!-- <event timestamp="4" name="c"/> --><![CDATA[<event name="d"/>]]>
</trace><event timestamp="9" name="behind the end"/>"#,
        expect![[r#"
            a 0 Some(1) Some(3) cpu=Signed(3, Decimal) l=Signed(5000000000, Decimal) s="a <&AB &no; &#xD800;" d=Float(1.5) n="\"1\""
            b" 1 Some(3) None
        "#]],
    );
}

#[test]
fn what_cannot_be_read_is_told_with_its_line() {
    check(
        "<trace>\n<event name='a' timestamp='x'><field type='int' value='1'/>\n<field name='i' type='int' value='1x'/></event>\n<event timestamp='1'/>\n<event timestamp='2' name='open'>\n<event timestamp='3' name='b'>\n</event><event bad name='c' timestamp=4/>\n<event timestamp='5' name='cut'>",
        expect![[r#"
            a 0 None None i="1x"
            open 1 Some(2) None
            b 2 Some(3) None
            line 2 xml-field: a field was left out: it has no `name`
            line 3 xml-field: the value of `i` is not of its type, int
            line 2 xml-time: `timestamp` is not a whole number of nanoseconds; the event has no time
            line 4 xml-event: the event was left out: it has no `name`
            line 5 xml-event: the event does not end before the next begins
            line 7 xml-damaged: a value is not in quotes
            line 7 xml-event: the event was left out: it has no `name`
            line 8 xml-cut: the file ends before `</trace>`; what is missing is not known
        "#]],
    );
    check(
        "<trace><event timestamp='1' name='a'/>\n<!-- no end",
        expect![[r#"
        a 0 Some(1) None
        line 2 xml-damaged: the file ends within a comment
        line 2 xml-cut: the file ends before `</trace>`; what is missing is not known
    "#]],
    );
    check(
        "<trace><event timestamp='1' name='a",
        expect![[r#"
        line 1 xml-damaged: the file ends within a tag
        line 1 xml-cut: the file ends before `</trace>`; what is missing is not known
    "#]],
    );
}

#[test]
fn what_is_no_trace_is_refused() {
    check(
        "<tmfxml/>",
        expect![[r#"
        refused: it is a model (its root is `tmfxml`), not a trace; a model is given with --model
    "#]],
    );
    check(
        "<html><body/></html>",
        expect![[r#"
        refused: the root of its XML is `html`, not `trace`
    "#]],
    );
    check(
        "<!-- only a comment -->",
        expect![[r#"
        refused: there is no element in its XML
    "#]],
    );
    check(
        "\n<!DOCTYPE a [<!ENTITY b \"c\">]><trace/>",
        expect![[r#"
        refused: line 2: document types and entities are not read
    "#]],
    );
    check("<trace/>", expect![""]);
    check(
        "<event timestamp='1' name='a'/>\n<event timestamp='2' name='b'></event>",
        expect![[r#"
        a 0 Some(1) None
        b 1 Some(2) None
    "#]],
    );
    check(
        "<event timestamp='1' name='a'/>\n<event timestamp='2' name='b'>",
        expect![[r#"
        a 0 Some(1) None
        line 2 xml-cut: the file ends within this event
    "#]],
    );
}

/// Comments by the hundred thousand take no stack, and an endless tag takes no memory.
#[test]
fn size_does_no_harm() {
    let text = format!("<trace>{}<event timestamp='1' name='a'/></trace>", "<!---->".repeat(200_000));
    assert_eq!(read(text.as_bytes()), "a 0 Some(1) None\n");
    let text =
        format!("<trace>\n<event name='{}'/><event timestamp='1' name='a'/></trace>", "x".repeat(2 << 20));
    assert_eq!(read(text.as_bytes()), "a 0 Some(1) None\nline 2 xml-damaged: the tag is too long\n");
}

#[test]
fn xml_is_known_by_its_first_sign() {
    for xml in ["<trace>", "\u{feff}<trace>", " \n<?xml"] {
        assert!(super::begins(xml.as_bytes()), "{xml:?}");
    }
    for other in ["", "{\"name\":1}", "PERFILE2"] {
        assert!(!super::begins(other.as_bytes()), "{other:?}");
    }
}
