//! What is added is read again by our own reader.

use expect_test::expect;
use model::{EventSource, Item, Timestamp, Value};

use super::{Added, Cell, add_stream};
use crate::ctf::Reader;
use source::NamedSource;

fn metadata(order: &str, header: &str, clock: &str) -> String {
    format!(
        "/* CTF 1.8 */\ntrace {{ major = 1; minor = 8; byte_order = {order}; packet.header := struct {{\n\
         integer {{ size = 32; align = 32; }} magic; {header} }}; }};\n{clock}\n\
         stream {{ id = 0; }};"
    )
}

const STREAM: &str =
    "integer { size = 16; align = 64; } stream_id; integer { size = 64; align = 64; } stream_instance_id;";
const CLOCK: &str = "clock { name = c; freq = 1000000; offset_s = 1; offset = 5; };";

fn added<'a>(name: &'a str, time: i64, cpu: u32, fields: &[(&'a str, Cell<'a>)]) -> Added<'a> {
    let context = vec![("inferred_by", Cell::Text("test")), ("probability", Cell::Float(0.25))];
    Added { name, time: Timestamp(time), cpu: Some(cpu), context, fields: fields.to_vec() }
}

#[test]
fn both_byte_orders_come_back() {
    for order in ["le", "be"] {
        let events = [
            added(
                "sched \"x\"",
                2_000_000_500,
                3,
                &[("prev-tid", Cell::Number(-7)), ("event", Cell::Text("a\0b"))],
            ),
            added("call", 1_000_009_000, 3, &[]),
            added("call", 1_000_010_000, 1, &[("ret", Cell::Number(1))]),
        ];
        let addition = add_stream(metadata(order, STREAM, CLOCK).into_bytes(), &events).unwrap();
        let mut files = vec![NamedSource { name: "metadata".into(), source: Box::new(addition.metadata) }];
        for (name, bytes) in addition.streams {
            files.push(NamedSource { name, source: Box::new(bytes) });
        }
        let mut reader = Reader::open(files).unwrap();
        let mut out = String::new();
        loop {
            match reader.next_item() {
                Some(Item::Event(event)) => {
                    let get = |name| {
                        event.fields.get(name).map(|value| match value {
                            Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
                            Value::Signed(number, _) => number.to_string(),
                            Value::Float(number) => number.to_string(),
                            other => format!("{other:?}"),
                        })
                    };
                    let fields: Vec<_> = ["inferred_by", "probability", "prev_tid", "event", "ret"]
                        .into_iter()
                        .filter_map(get)
                        .collect();
                    let (time, cpu) = (event.time.unwrap().0, event.cpu.unwrap());
                    out += &format!("{time} {cpu} {}: {}\n", event.name(), fields.join(" "));
                }
                Some(Item::Gap(gap)) => panic!("{gap:?}"),
                None => break,
            }
        }
        assert_eq!(reader.diagnostics(), []);
        expect![[r#"
            1000009000 3 call: test 0.25
            1000010000 1 call: test 0.25 1
            2000000000 3 sched "x": test 0.25 -7 a
        "#]]
        .assert_eq(&out);
    }
}

#[test]
fn what_cannot_be_extended_is_refused_with_a_sentence() {
    let refusal = |metadata: &str| add_stream(metadata.into(), &[added("x", 0, 0, &[])]).unwrap_err() + "\n";
    let sentences = [
        refusal("no metadata"),
        refusal(&metadata("le", STREAM, "")),
        refusal(&metadata("le", "", CLOCK)),
        refusal(&metadata("le", "integer { size = 5; align = 1; } stream_id;", CLOCK)),
        refusal(
            &metadata("le", "integer { size = 8; align = 8; } stream_id;", CLOCK)
                .replace("id = 0", "id = 255"),
        ),
    ];
    expect![[r#"
        Expected a declaration, found `no`.
        The trace has no clock, so nothing can be placed between its events.
        The packet header has no `stream_id`, so that a stream of another kind cannot be distinguished from those that are there.
        The field `stream_id` of the packet header is not made of whole bytes, and only such are written.
        The packet header has no room for a stream with the id 256.
    "#]].assert_eq(&sentences.concat());
}
