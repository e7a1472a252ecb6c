//! A small run in each of the forms.

use expect_test::{Expect, expect};
use model::code::{Block, CallKind, CallSite, Class, Ending, Method};
use model::flow::{Entered, FlowStep, Left};
use model::{ClassId, CodeMap, Lost, MethodId, Timestamp};

use super::{ThreadName, chrome, etr, perfetto};
use source::bytes::Cursor;

fn code() -> CodeMap {
    let block =
        |lines: &[u16], ending| Block { start: 0, end: 1, lines: lines.into(), ending, is_handler: false };
    let call = |name: &str| {
        Ending::Call(CallSite {
            class: "shop.Oven".into(),
            name: name.into(),
            descriptor: "()V".into(),
            kind: CallKind::Virtual,
        })
    };
    let method = |name: &str, blocks| Method {
        class: ClassId(0),
        name: name.into(),
        descriptor: "()V".into(),
        access_flags: 1,
        blocks,
        edges: vec![],
        exception_edges: vec![],
        loops: vec![],
    };
    let main = vec![block(&[3, 4], call("bake")), block(&[5], Ending::Branch), block(&[], Ending::Return)];
    let bake = vec![block(&[9], Ending::FallThrough), block(&[10], Ending::Throw)];
    CodeMap {
        classes: vec![Class {
            name: "shop.Oven".into(),
            source_file: Some("Oven.java".into()),
            origin: None,
        }],
        methods: vec![method("main", main), method("bake", bake)],
        ..CodeMap::default()
    }
}

/// main calls bake, which throws; main catches, loops, loses something and returns.
fn steps() -> Vec<FlowStep<'static>> {
    vec![
        FlowStep::Moment(Timestamp(1_000_000)),
        FlowStep::Enter { method: MethodId(0), how: Entered::Outermost },
        FlowStep::Blocks { blocks: &[0], times: 1 },
        FlowStep::Enter { method: MethodId(1), how: Entered::Library },
        FlowStep::Blocks { blocks: &[0, 1], times: 1 },
        FlowStep::Leave { how: Left::Threw },
        FlowStep::Catch { block: 1 },
        FlowStep::Blocks { blocks: &[1], times: 3 },
        FlowStep::Gap { lost: Lost::Events(7) },
        FlowStep::Blocks { blocks: &[2], times: 1 },
        FlowStep::Leave { how: Left::Returned },
        FlowStep::Moment(Timestamp(1_008_000)),
    ]
}

fn thread() -> ThreadName {
    ThreadName { serial: 1, name: "main \"x\"".into() }
}

fn check(got: &str, expected: Expect) {
    expected.assert_eq(got);
}

#[test]
fn etr_has_14_bytes_for_each_block() {
    let (code, mut out) = (code(), vec![]);
    let mut writer = etr::Writer::new(&code, 300);
    steps().iter().for_each(|step| writer.step(step, &mut out));
    let lines: Vec<String> = out.chunks(14).map(|record| format!("{record:?}\n")).collect();
    check(
        &lines.concat(),
        expect![[r#"
            [255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            [255, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 3]
            [255, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2]
            [255, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3]
            [255, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3]
            [255, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1]
        "#]],
    );
    check(
        &etr::names(&code, &[thread()]),
        expect![[r#"
            # records: thread u8, class u32, method u32, block u32, kind u8 (0 call, 1 return, 2 throw, 3 other)
            thread 1 main "x"
            class 0 shop.Oven Oven.java
            method 0 class 0 main ()V
            block 0.0 lines 3,4
            block 0.1 lines 5
            block 0.2 lines -
            method 1 class 0 bake ()V
            block 1.0 lines 9
            block 1.1 lines 10
        "#]],
    );
}

#[test]
fn chrome_has_calls_on_a_clock() {
    let (code, mut out) = (code(), vec![]);
    chrome::begin(&mut out, "shop.Main", 7);
    let mut writer = chrome::Writer::new(&code, 7, &thread(), &mut out);
    steps().iter().for_each(|step| writer.step(step, &mut out));
    writer.finish(&mut out);
    chrome::end(&mut out);
    let text = String::from_utf8(out).unwrap();
    check(
        text.split_once("traceEvents").unwrap().1,
        expect![[r#"
            ":[
            {"ph":"M","name":"process_name","pid":7,"tid":0,"args":{"name":"shop.Main"}},
            {"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"main \"x\""}},
            {"ph":"B","pid":7,"tid":1,"ts":1000.000,"name":"shop.Oven.main"},
            {"ph":"B","pid":7,"tid":1,"ts":1001.000,"name":"shop.Oven.bake","args":{"called":"via library"}},
            {"ph":"E","pid":7,"tid":1,"ts":1003.000,"args":{"left":"threw"}},
            {"ph":"i","pid":7,"tid":1,"ts":1007.000,"s":"t","name":"lost","args":{"records":7}},
            {"ph":"E","pid":7,"tid":1,"ts":1008.000}
            ]}
        "#]],
    );
}

/// Any message as text: `field=value`, messages in braces where their fields are known to be some.
fn message(bytes: &[u8], nested: &[u64], path: u64, out: &mut String) {
    let mut cursor = Cursor::new(bytes);
    while let Some(tag) = cursor.number() {
        let field = tag >> 3;
        match tag & 7 {
            0 => *out += &format!(" {field}={}", cursor.number().unwrap()),
            _ => {
                let inner = cursor.bytes().unwrap();
                let here = path * 100 + field;
                if nested.contains(&here) {
                    *out += &format!(" {field}{{");
                    message(inner, nested, here, out);
                    *out += " }";
                } else {
                    *out += &format!(" {field}={:?}", String::from_utf8_lossy(inner));
                }
            }
        }
    }
}

#[test]
fn perfetto_has_packets_with_the_published_numbers() {
    let (code, mut out) = (code(), vec![]);
    perfetto::begin(&mut out, "shop.Main", 7);
    let mut writer = perfetto::Writer::new(&code, 7, &thread(), &mut out);
    steps().iter().for_each(|step| writer.step(step, &mut out));
    writer.finish(&mut out);
    // Packet 1; descriptor 160 with process 16003 and thread 16004; event 111 with annotation 11104;
    // interned data 112 with a name 11202.
    let mut text = String::new();
    message(&out, &[1, 160, 16003, 16004, 111, 11104, 112, 11202], 0, &mut text);
    check(
        &text.replace(" 1{", "\n1{").replace(super::ABOUT_TIME, "..."),
        expect![[r#"

            1{ 10=1 60{ 1=1 3{ 1=7 6="shop.Main" } 14="..." } }
            1{ 10=2 60{ 1=2 5=1 4{ 1=7 2=8 5="main \"x\"" } } }
            1{ 8=1000000 10=2 13=3 12{ 2{ 1=1 2="shop.Oven.main" } } 11{ 9=1 11=2 10=1 } }
            1{ 8=1001000 10=2 13=2 12{ 2{ 1=2 2="shop.Oven.bake" } } 11{ 9=1 11=2 10=2 4{ 10="called" 6="via library" } } }
            1{ 8=1003000 10=2 13=2 11{ 9=2 11=2 4{ 10="left" 6="threw" } } }
            1{ 8=1007000 10=2 13=2 11{ 9=3 11=2 23="7 records lost" } }
            1{ 8=1008000 10=2 13=2 11{ 9=2 11=2 } }"#]],
    );
}
