//! CTF 2: metadata of JSON, field classes that TSDL does not have, and what is refused.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod ctf_fixture;

use ctf_fixture::{Bytes, Trace};
use expect_test::{Expect, expect};

/// Fragments as a JSON text sequence.
fn sequence(fragments: &[&str]) -> String {
    fragments.iter().map(|fragment| format!("\x1e{fragment}\n")).collect()
}

const PREAMBLE: &str =
    r#"{"type": "preamble", "version": 2, "uuid": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}"#;
const U8: &str = r#"{"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}"#;

/// A trace of one event with these members.
fn of_members(members: &[(&str, &str)], bytes: Bytes) -> Trace {
    let members: Vec<String> = members
        .iter()
        .map(|(name, class)| format!(r#"{{"name": "{name}", "field-class": {class}}}"#))
        .collect();
    let event = format!(
        r#"{{"type": "event-record-class", "name": "e",
             "payload-field-class": {{"type": "structure", "member-classes": [{}]}}}}"#,
        members.join(", ")
    );
    let streams = r#"{"type": "data-stream-class"}"#;
    Trace::default()
        .file("metadata", sequence(&[PREAMBLE, r#"{"type": "trace-class"}"#, streams, &event]))
        .stream(bytes)
}

fn check(members: &[(&str, &str)], bytes: Bytes, expected: Expect) {
    expected.assert_eq(&of_members(members, bytes).show());
}

#[test]
fn numbers_of_variable_length() {
    let unsigned = r#"{"type": "variable-length-unsigned-integer", "mappings": {"many": [[300, 999]]}}"#;
    let signed = r#"{"type": "variable-length-signed-integer"}"#;
    let bytes = Bytes::little()
        .raw(&[0xac, 0x02, 0x7f])
        .raw(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0x80, 0x7f]);
    check(
        &[("u", unsigned), ("s", signed)],
        bytes,
        expect![[r#"
        0: e u=many(300) s=-1
        0: e u=?(18446744073709551615) s=-128
    "#]],
    );
    // Eleven bytes; 65 bits.
    for bytes in [vec![0x80; 11], [vec![0xff; 9], vec![0x02]].concat()] {
        let shown = of_members(&[("u", unsigned)], Bytes::little().raw(&bytes)).show();
        assert!(shown.contains("more than 64 bits"), "{shown}");
    }
}

#[test]
fn bits_of_every_kind() {
    let class = |kind: &str, more: &str| {
        format!(r#"{{"type": "fixed-length-{kind}", "length": 8, "byte-order": "big-endian"{more}}}"#)
    };
    let reversed = r#", "bit-order": "first-to-last""#;
    let flags = r#", "flags": {"low": [[0, 1]], "high": [[7, 7]], "none": [[3, 3]]}"#;
    check(
        &[
            ("array", &class("bit-array", "")),
            ("back", &class("bit-array", reversed)),
            ("true", &class("boolean", "")),
            ("map", &class("bit-map", flags)),
            ("minus", &class("signed-integer", reversed)),
            ("label", &class("unsigned-integer", r#", "mappings": {"ten": [[10, 10]]}"#)),
        ],
        Bytes::big().raw(&[0x0f, 0x01, 0x40, 0x81, 0x03, 10]),
        expect![[r#"
            0: e array=0xf back=0x80 true=Bool(true) map={value=0x81 flags=["high" "low"]} minus=-64 label=ten(10)
        "#]],
    );
}

#[test]
fn texts_and_blobs() {
    let location = r#""length-field-location": {"path": ["len"]}"#;
    check(
        &[
            ("len", U8),
            ("plain", r#"{"type": "null-terminated-string"}"#),
            ("wide", r#"{"type": "null-terminated-string", "encoding": "utf-16le"}"#),
            ("wider", r#"{"type": "null-terminated-string", "encoding": "utf-32be"}"#),
            ("static", r#"{"type": "static-length-string", "length": 4}"#),
            ("dynamic", &format!(r#"{{"type": "dynamic-length-string", {location}}}"#)),
            ("blob", r#"{"type": "static-length-blob", "length": 2, "media-type": "image/png"}"#),
            ("long", &format!(r#"{{"type": "dynamic-length-blob", {location}}}"#)),
        ],
        Bytes::little()
            .u8(3)
            .text("abc")
            .raw(b"\xe9\0!\0\0\0")
            .raw(b"\0\x01\xf6\0\0\0\0\0")
            .raw(b"ab\0x")
            .raw(b"xyz")
            .raw(&[1, 2])
            .raw(&[3, 4, 5]),
        expect![[r#"
            0: e len=3 plain="abc" wide="é!" wider="😀" static="ab" dynamic="xyz" blob=[0x1 0x2] long=[0x3 0x4 0x5]
        "#]],
    );
}

#[test]
fn what_depends_on_other_fields() {
    let boolean = r#"{"type": "fixed-length-boolean", "length": 8, "byte-order": "little-endian"}"#;
    let up = r#"{"type": "structure", "member-classes": [
        {"name": "list", "field-class": {"type": "dynamic-length-array", "element-field-class": "byte",
            "length-field-location": {"path": [null, "len"]}}}]}"#
        .replace(r#""byte""#, U8);
    let optional = format!(
        r#"{{"type": "optional", "selector-field-location": {{"origin": "event-record-payload", "path": ["is"]}}, "field-class": {U8}}}"#
    );
    let variant = format!(
        r#"{{"type": "variant", "selector-field-location": {{"path": ["len"]}}, "options": [
            {{"name": "a", "selector-field-ranges": [[0, 1]], "field-class": {U8}}},
            {{"selector-field-ranges": [[2, 9]], "field-class": {{"type": "null-terminated-string"}}}}]}}"#
    );
    let members = [("len", U8), ("is", boolean), ("in", &up), ("maybe", &optional), ("one", &variant)];
    check(
        &members,
        Bytes::little().raw(&[2, 1, 7, 8, 9]).text("hi"),
        expect![[r#"
        0: e len=2 is=Bool(true) in={list=[7 8]} maybe=9 one="hi"
    "#]],
    );
    check(
        &members,
        Bytes::little().raw(&[1, 0, 7, 6]),
        expect![[r#"
        0: e len=1 is=Bool(false) in={list=[7]} maybe=Null one=6
    "#]],
    );
}

/// Packets with every role, and events of two classes.
fn every_role() -> Trace {
    let number = |bits: u32, role: &str| {
        format!(
            r#"{{"type": "fixed-length-unsigned-integer", "length": {bits}, "byte-order": "little-endian",
                 "alignment": 8, "roles": ["{role}"]}}"#
        )
    };
    let structure = |members: &[(&str, String)]| {
        let members: Vec<String> = members
            .iter()
            .map(|(name, class)| format!(r#"{{"name": "{name}", "field-class": {class}}}"#))
            .collect();
        format!(r#"{{"type": "structure", "member-classes": [{}]}}"#, members.join(", "))
    };
    let uuid = r#"{"type": "static-length-blob", "length": 16, "roles": ["metadata-stream-uuid"]}"#;
    let header = structure(&[
        ("m", number(32, "packet-magic-number")),
        ("u", uuid.into()),
        ("s", number(8, "data-stream-class-id")),
    ]);
    let context = structure(&[
        ("b", number(16, "default-clock-timestamp")),
        ("e", number(16, "packet-end-default-clock-timestamp")),
        ("c", number(16, "packet-content-length")),
        ("t", number(16, "packet-total-length")),
        ("d", number(16, "discarded-event-record-counter-snapshot")),
        ("n", number(8, "packet-sequence-number")),
        ("cpu_id", U8.into()),
    ]);
    let event =
        structure(&[("id", number(8, "event-record-class-id")), ("t", number(8, "default-clock-timestamp"))]);
    let metadata = sequence(&[
        PREAMBLE,
        &format!(
            r#"{{"type": "trace-class", "packet-header-field-class": {header}, "environment": {{"hostname": "h"}}}}"#
        ),
        r#"{"type": "clock-class", "id": "c", "frequency": 1000000000, "offset-from-origin": {"seconds": 1, "cycles": 0}}"#,
        &format!(r#"{{"type": "field-class-alias", "name": "byte", "field-class": {U8}}}"#),
        &format!(
            r#"{{"type": "data-stream-class", "id": 5, "default-clock-class-id": "c",
                 "packet-context-field-class": {context}, "event-record-header-field-class": {event},
                 "attributes": {{"my.tracer": {{"note": 1}}}}}}"#
        ),
        r#"{"type": "event-record-class", "data-stream-class-id": 5, "id": 1, "name": "one", "payload-field-class":
            {"type": "structure", "member-classes": [{"name": "_x", "field-class": "byte"}]}}"#,
        r#"{"type": "event-record-class", "data-stream-class-id": 5, "id": 2, "uid": "two"}"#,
    ]);
    let packet = |times: (u16, u16), discarded: u16, number: u8, events: &[u8]| {
        let uuid: Vec<u8> = (1..=16).collect();
        let content = (33 + events.len() as u16) * 8;
        Bytes::little()
            .u32(0xC1FC_1FC1)
            .raw(&uuid)
            .u8(5)
            .u16(times.0)
            .u16(times.1)
            .u16(content)
            .u16(48 * 8)
            .u16(discarded)
            .u8(number)
            .u8(3)
            .raw(events)
            .pad(48)
    };
    let stream = packet((10, 20), 0, 0, &[1, 12, 200, 2, 15]).then(packet((30, 40), 4, 3, &[2, 33]));
    Trace::default().file("metadata", metadata).stream(stream)
}

#[test]
fn roles_say_what_fields_mean() {
    expect![[r#"
        0: 1000000012 cpu 3 one _x=200
        0: 1000000015 cpu 3 two 
        0: lost 2 packets before event 2 in 1000000020..1000000030
        0: lost 4 events before event 2 in 1000000020..1000000040
        0: 1000000033 cpu 3 two 
        0: lost 4 events before event 3 in 1000000020..1000000040 (end)
    "#]]
    .assert_eq(&every_role().show());
}

#[test]
fn metadata_in_packets() {
    let trace = every_role();
    let (_, text) = &trace.files[0];
    let content = (37 + text.len() as u32) * 8;
    let packet = Bytes::little()
        .u32(0x75D1_1D57)
        .raw(&[0; 16])
        .u32(0)
        .u32(content)
        .u32(content)
        .raw(&[0, 0, 0, 2, 0])
        .raw(text)
        .done();
    let packed = Trace { files: vec![("metadata".into(), packet), trace.files[1].clone()] };
    assert_eq!(packed.show(), trace.show());
}

#[test]
fn what_is_refused_has_its_place() {
    let mut shown = String::new();
    let stream = r#"{"type": "data-stream-class"}"#;
    let alias =
        r#"{"type": "field-class-alias", "name": "a", "field-class": {"type": "null-terminated-string"}}"#;
    for fragments in [
        &[r#"{"type": "preamble", "version": 3}"#][..],
        &[r#"{"type": "trace-class"}"#],
        &[PREAMBLE, PREAMBLE],
        &[PREAMBLE, "{\n \"type\": ,\n}"],
        &[PREAMBLE, r#"{"type": "film"}"#],
        &[PREAMBLE, r#"{"type": "trace-class", "colour": 1}"#],
        &[r#"{"type": "preamble", "version": 2, "extensions": {"my.tracer": {"colour": {}}}}"#],
        &[PREAMBLE, stream, stream],
        &[PREAMBLE, r#"{"type": "data-stream-class", "default-clock-class-id": "none"}"#],
        &[PREAMBLE, r#"{"type": "event-record-class"}"#],
        &[PREAMBLE, alias, alias],
        &[PREAMBLE, r#"{"type": "field-class-alias", "name": "a", "field-class": {"type": "film"}}"#],
        &[
            PREAMBLE,
            r#"{"type": "field-class-alias", "name": "a", "field-class": {"type": "structure", "member-classes": [{"name": "x", "field-class": "b"}]}}"#,
        ],
        &[
            PREAMBLE,
            stream,
            r#"{"type": "event-record-class", "payload-field-class": {"type": "structure", "member-classes": [{"name": "x", "field-class": {"type": "dynamic-length-blob", "length-field-location": {"path": ["y"]}}}]}}"#,
        ],
    ] {
        shown += &Trace::default().file("metadata", sequence(fragments)).show();
    }
    expect![[r#"
        The metadata cannot be used (metadata, line 1, column 2): preamble: The version is not 2.
        The metadata cannot be used (metadata, line 1, column 2): trace-class: The first fragment is not a preamble.
        The metadata cannot be used (metadata, line 2, column 2): preamble: There is a second preamble.
        The metadata cannot be used (metadata, line 3, column 10): A fragment is not JSON: expected value.
        The metadata cannot be used (metadata, line 2, column 2): film: A fragment of the type `film` is unknown.
        The metadata cannot be used (metadata, line 2, column 2): trace-class: The property `colour` is unknown.
        The metadata cannot be used (metadata, line 1, column 2): preamble: The extension `colour` of `my.tracer` is not supported.
        The metadata cannot be used (metadata, line 3, column 2): data-stream-class: Two data stream classes have the id 0.
        The metadata cannot be used (metadata, line 2, column 2): data-stream-class: There is no clock class `none` before it.
        The metadata cannot be used (metadata, line 2, column 2): event-record-class: There is no data stream class 0 before it.
        The metadata cannot be used (metadata, line 3, column 2): field-class-alias: Two aliases have the name `a`.
        The metadata cannot be used (metadata, line 2, column 2): field-class-alias.field-class: A field class of the type `film` is unknown.
        The metadata cannot be used (metadata, line 2, column 2): field-class-alias.field-class.member-classes[0].field-class: There is no alias `b` before this.
        The metadata cannot be used (metadata, line 3, column 2): There is no field `y` before the one that refers to it.
    "#]].assert_eq(&shown);
}

#[test]
fn the_kept_trace_is_the_one_that_is_made_here() {
    let trace = every_role();
    let mut bytes = (trace.files[0].1.len() as u32).to_le_bytes().to_vec();
    bytes.extend(trace.files.iter().flat_map(|(_, bytes)| bytes));
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ctf_metadata/version-2");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &bytes).unwrap();
    }
    assert!(std::fs::read(&path).is_ok_and(|stored| stored == bytes), "UPDATE_EXPECT=1 writes it anew");
}

/// A trace that is cut or changed anywhere is read as far as it goes, in no time.
#[test]
fn damage_does_no_harm() {
    let whole = every_role();
    for (file, (_, bytes)) in whole.files.iter().enumerate() {
        for at in 0..bytes.len() {
            for change in [None, Some(0u8), Some(0xff), Some(b'9')] {
                let mut trace = whole.clone();
                let bytes = &mut trace.files[file].1;
                match change {
                    None => bytes.truncate(at),
                    Some(byte) => bytes[at] = byte,
                }
                let shown = trace.show();
                assert!(shown.len() < 100_000);
            }
        }
    }
}

#[test]
fn what_is_added_is_of_the_same_version() {
    use formats::ctf::write::{Added, Cell, add_stream};
    let trace = every_role();
    let event = |time: i64, name, field| Added {
        name,
        time: model::Timestamp(time),
        cpu: Some(2),
        context: vec![("inferred_by", Cell::Text("me"))],
        fields: vec![(field, Cell::Number(-7)), ("odds", Cell::Float(0.5))],
    };
    let events = [event(1_000_000_013, "one", "x y"), event(1_000_000_025, "three", "x")];
    let added = add_stream(trace.files[0].1.clone(), &events).unwrap();
    let mut both = trace.clone();
    both.files[0].1 = added.metadata;
    for (name, bytes) in added.streams {
        both = both.file(&name, bytes);
    }
    expect![[r#"
        1: 1000000012 cpu 3 one _x=200
        0: 1000000013 cpu 2 one <inferred_by="me"> x y=-7 odds=0.5
        1: 1000000015 cpu 3 two 
        1: lost 2 packets before event 2 in 1000000020..1000000030
        1: lost 4 events before event 2 in 1000000020..1000000040
        0: 1000000025 cpu 2 three <inferred_by="me"> x=-7 odds=0.5
        1: 1000000033 cpu 3 two 
        1: lost 4 events before event 3 in 1000000020..1000000040 (end)
    "#]]
    .assert_eq(&both.show());
}
