//! Packets, time, loss and merging.

mod ctf_fixture;

use ctf_fixture::{Bytes, Trace};
use expect_test::{Expect, expect};
use model::{EventSource, Item, Scope};

const METADATA: &str = "/* CTF 1.8 */
    typealias integer { size = 8; align = 8; } := u8;
    typealias integer { size = 16; align = 8; } := u16;
    typealias integer { size = 32; align = 8; } := u32;
    trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; u8 stream_id; }; };
    clock { name = c; freq = 1000000000; };
    stream {
      id = 0;
      packet.context := struct {
        integer { size = 16; align = 8; map = clock.c.value; } timestamp_begin;
        integer { size = 16; align = 8; map = clock.c.value; } timestamp_end;
        u16 content_size; u16 packet_size; u32 events_discarded; u8 packet_seq_num; u8 cpu_id;
      };
      event.header := struct { u8 id; integer { size = 8; align = 8; map = clock.c.value; } timestamp; };
    };
    event { name = e; id = 1; fields := struct { u8 x; }; };\n";

/// A packet of 40 bytes.
#[derive(Clone)]
struct Packet {
    times: (u16, u16),
    discarded: u32,
    number: u8,
    /// Low bits of the time, and `x`.
    events: Vec<(u8, u8)>,
}

fn packet(times: (u16, u16), discarded: u32, number: u8, events: &[(u8, u8)]) -> Packet {
    Packet { times, discarded, number, events: events.to_vec() }
}

impl Packet {
    fn bytes(&self) -> Vec<u8> {
        let content = (19 + 3 * self.events.len()) as u16 * 8;
        let mut bytes = Bytes::little().u32(0xC1FC1FC1).u8(0).u16(self.times.0).u16(self.times.1);
        bytes = bytes.u16(content).u16(40 * 8).u32(self.discarded).u8(self.number).u8(2);
        for (time, x) in &self.events {
            bytes = bytes.u8(1).u8(*time).u8(*x);
        }
        bytes.pad(40).done()
    }
}

fn stream(packets: &[Packet]) -> Vec<u8> {
    packets.iter().flat_map(Packet::bytes).collect()
}

fn check(files: &[(&str, Vec<u8>)], expected: Expect) {
    let mut trace = Trace::new(METADATA);
    for (name, bytes) in files {
        trace = trace.file(name, bytes.clone());
    }
    let text = trace.show();
    trace.files.reverse();
    assert_eq!(text, trace.show(), "the order of files must not matter");
    expected.assert_eq(&text);
}

#[test]
fn streams_are_merged_and_loss_has_its_place() {
    let one = stream(&[
        packet((10, 20), 0, 0, &[(10, 1), (15, 2)]),
        packet((30, 40), 7, 3, &[(33, 3)]),
        packet((50, 60), 7, 4, &[]),
        packet((60, 70), 9, 5, &[(61, 4)]),
    ]);
    let other = stream(&[packet((5, 90), 2, 9, &[(5, 10), (15, 11), (35, 12), (61, 13)])]);
    check(
        &[("b", other), ("a", one)],
        expect![[r#"
        1: lost 2 events before event 0 in ?..90
        1: 5 cpu 2 e x=10
        0: 10 cpu 2 e x=1
        0: 15 cpu 2 e x=2
        0: lost 2 packets before event 2 in 20..30
        0: lost 7 events before event 2 in 20..40
        1: 15 cpu 2 e x=11
        0: 33 cpu 2 e x=3
        0: lost 7 events before event 3 in 20..40 (end)
        0: lost 2 events before event 3 in 60..70
        1: 35 cpu 2 e x=12
        0: 61 cpu 2 e x=4
        0: lost 2 events before event 4 in 60..70 (end)
        1: 61 cpu 2 e x=13
        1: lost 2 events before event 4 in ?..90 (end)
    "#]],
    );
}

#[test]
fn clocks_wrap_and_packets_set_them_back() {
    let one = stream(&[
        packet((0x1f0, 0x310), 0, 0, &[(0xf8, 1), (0x02, 2), (0x02, 3), (0x01, 4)]),
        packet((0x300, 0x320), 0, 1, &[(0x05, 5)]),
    ]);
    check(
        &[("a", one)],
        expect![[r#"
        0: 504 cpu 2 e x=1
        0: 514 cpu 2 e x=2
        0: 514 cpu 2 e x=3
        0: 769 cpu 2 e x=4
        0: 773 cpu 2 e x=5
        ctf-packet-backwards a:40 A packet begins 16 ns before the one before it ends.
    "#]],
    );
}

#[test]
fn counters_that_go_back_are_no_loss() {
    let one = stream(&[
        packet((10, 20), 9, 4, &[(10, 1)]),
        packet((20, 30), 3, 4, &[(21, 2)]),
        packet((30, 25), 4, 2, &[(31, 3)]),
    ]);
    check(
        &[("a", one)],
        expect![[r#"
        0: lost 9 events before event 0 in ?..20
        0: 10 cpu 2 e x=1
        0: lost 9 events before event 1 in ?..20 (end)
        0: 21 cpu 2 e x=2
        0: lost 1 events before event 2 in 30..25
        0: 31 cpu 2 e x=3
        0: lost 1 events before event 3 in 30..25 (end)
        ctf-discarded-backwards a:40 The counter of discarded events goes back from 9 to 3, so how many were lost here is unknown.
        ctf-packet-number a:40 The packet after number 4 has the number 4.
        ctf-packet-number a:80 The packet after number 4 has the number 2.
        ctf-packet-ends-early a:80 A packet ends 5 ns before it begins.
    "#]],
    );
}

#[test]
fn damaged_packets_are_left_out_and_the_rest_is_read() {
    let good =
        |start: u16, number: u8| packet((start, start + 9), 0, number, &[(start as u8, number)]).bytes();
    let mut wrong_magic = good(20, 1);
    wrong_magic[0] = 0;
    let mut wrong_event = packet((30, 39), 0, 2, &[(30, 2), (31, 3)]).bytes();
    wrong_event[22] = 77;
    let mut wrong_size = good(40, 3);
    wrong_size[11] = 0xff;
    let mut wrong_stream = good(50, 4);
    wrong_stream[4] = 9;
    let whole = [good(10, 0), wrong_magic, wrong_event, wrong_size, wrong_stream, good(60, 5)].concat();
    check(
        &[("a", whole)],
        expect![[r#"
            0: 10 cpu 2 e x=0
            0: lost 1 packets before event 1 in 19..30
            0: 30 cpu 2 e x=2
            0: lost something before event 2 in 30..39
            0: lost 2 packets before event 2 in 39..60
            0: 60 cpu 2 e x=5
            ctf-packet-bad a:40 A packet starts with 0xC1FC1F00 instead of 0xC1FC1FC1.
            ctf-event-bad a:102 An event has the id 77, which the metadata does not declare; the 3 bytes from here to the end of the packet are not read.
            ctf-packet-size a:120 A packet claims 511 bits, which are no whole bytes, so it is not read.
            ctf-packet-bad a:184 A packet starts with 0x00000000 instead of 0xC1FC1FC1.
        "#]],
    );
}

/// A packet with one event, at time 15, of which the head says these sizes in bits and this end.
fn head(ends: u16, content: u16, total: u16) -> Vec<u8> {
    let bytes = Bytes::little().u32(0xC1FC1FC1).u8(0).u16(10).u16(ends).u16(content).u16(total);
    bytes.u32(0).u8(0).u8(2).raw(&[1, 15, 7]).pad(40).done()
}

#[test]
fn sizes_of_a_packet_stand_for_each_other_and_fit_together() {
    let (one, next) = (22 * 8, packet((50, 60), 0, 1, &[(51, 9)]).bytes());
    // The packet that follows begins this many bytes after the first.
    let show = |content, total, distance| {
        let bytes = [&head(20, content, total)[..distance], &next].concat();
        Trace::new(METADATA).file("a", bytes).show()
    };
    let whole = "0: 15 cpu 2 e x=7\n0: 51 cpu 2 e x=9\n";
    assert_eq!(show(one, 320, 40), whole);
    // No content size: all of it is content.
    expect![[r#"
        0: 15 cpu 2 e x=7
        0: lost something before event 1 in 15..20
        0: 51 cpu 2 e x=9
        ctf-event-bad a:22 An event has the id 0, which the metadata does not declare; the 18 bytes from here to the end of the packet are not read.
    "#]].assert_eq(&show(0, 320, 40));
    // No packet size: its content is all there is, and the next packet follows at once.
    expect![[r#"
        0: 15 cpu 2 e x=7
        0: 51 cpu 2 e x=9
    "#]]
    .assert_eq(&show(one, 0, 22));
    // Neither: it takes the whole file.
    expect![[r#"
        0: 15 cpu 2 e x=7
        0: lost something before event 1 in 15..20
        ctf-event-bad a:22 An event has the id 0, which the metadata does not declare; the 58 bytes from here to the end of the packet are not read.
    "#]].assert_eq(&show(0, 0, 40));
    // As large as its own head: it holds nothing. Smaller than that: it is no packet.
    expect![[r#"
        0: 51 cpu 2 e x=9
    "#]]
    .assert_eq(&show(152, 152, 19));
    expect![[r#"
        0: 51 cpu 2 e x=9
    "#]]
    .assert_eq(&show(152, 320, 40));
    expect![[r#"
        0: 51 cpu 2 e x=9
        ctf-packet-size a:0 The sizes of a packet do not fit together: 152 bits of content are taken, 40 bytes in all.
    "#]].assert_eq(&show(144, 320, 40));
    expect![[r#"
        0: lost something before event 0 in ?..50
        0: 51 cpu 2 e x=9
        ctf-packet-bad a:0 A packet of 144 bits is smaller than its own header of 152 bits.
    "#]]
    .assert_eq(&show(144, 144, 18));
    // As much content as packet, and more.
    expect![[r#"
        0: 15 cpu 2 e x=7
        0: lost something before event 1 in 15..20
        0: 51 cpu 2 e x=9
        ctf-event-bad a:22 An event has the id 0, which the metadata does not declare; the 18 bytes from here to the end of the packet are not read.
    "#]].assert_eq(&show(320, 320, 40));
    expect![[r#"
        0: lost something before event 0 in ?..50
        0: 51 cpu 2 e x=9
        ctf-packet-size a:0 A packet of 320 bits claims 328 bits of content, so it is not read.
    "#]]
    .assert_eq(&show(328, 320, 40));
}

#[test]
fn a_packet_that_does_not_say_its_end_has_none() {
    let lost = |ends| {
        let bytes = [head(ends, 22 * 8, 320), packet((50, 60), 3, 1, &[]).bytes()].concat();
        Trace::new(METADATA).file("a", bytes).show()
    };
    expect![[r#"
        0: 15 cpu 2 e x=7
        0: lost 3 events before event 1 in 20..60
        0: lost 3 events before event 1 in 20..60 (end)
    "#]]
    .assert_eq(&lost(20));
    expect![[r#"
        0: 15 cpu 2 e x=7
        0: lost 3 events before event 1 in 10..60
        0: lost 3 events before event 1 in 10..60 (end)
    "#]]
    .assert_eq(&lost(0));
}

#[test]
fn a_packet_is_of_the_stream_that_it_names() {
    let stream = |id: &str, event: &str| {
        format!(
            "stream {{ {id} event.header := struct {{ u8 timestamp; }}; }}; event {{ name = {event}; {} fields := struct {{ u8 x; }}; }};",
            id.replace("id", "stream_id")
        )
    };
    let start = "/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := u8;
        trace { major = 1; minor = 8; byte_order = le; packet.header := struct { HEADER }; };";
    let named =
        start.replace("HEADER", "u8 stream_id;") + &stream("id = 3;", "three") + &stream("id = 7;", "seven");
    let show = |metadata: &str, bytes: &[u8]| Trace::new(metadata).file("a", bytes).show();
    expect![[r#"
        0: 1 seven x=9
    "#]]
    .assert_eq(&show(&named, &[7, 1, 9]));
    expect![[r#"
        0: 1 three x=9
    "#]]
    .assert_eq(&show(&named, &[3, 1, 9]));
    expect![[r#"
        0: lost something before event 0 in ?..?
        ctf-packet-bad a:0 A packet is of stream 0, which the metadata does not declare.
    "#]]
    .assert_eq(&show(&named, &[0, 1, 9]));
    let unnamed = start.replace("HEADER", "u8 something;");
    expect![[r#"
        0: lost something before event 0 in ?..?
        ctf-packet-bad a:0 A packet does not say of which of several streams it is.
    "#]]
    .assert_eq(&show(
        &(unnamed.clone() + &stream("id = 3;", "three") + &stream("id = 7;", "seven")),
        &[3, 1, 9],
    ));
    // Of one stream alone they need not say it.
    expect![[r#"
        0: 1 only x=9
    "#]]
    .assert_eq(&show(&(unnamed + &stream("", "only")), &[3, 1, 9]));
}

#[test]
fn a_packet_of_another_trace_is_told_and_read() {
    let metadata = METADATA
        .replace("u8 stream_id", "u8 stream_id; u8 uuid[16]")
        .replace("packet.header", "uuid = \"01020304-0506-0708-090a-0b0c0d0e0f10\"; packet.header");
    let bytes = |uuid: [u8; 16]| {
        let bytes = Bytes::little().u32(0xC1FC1FC1).u8(0).raw(&uuid).u16(10).u16(20).u16(38 * 8).u16(40 * 8);
        bytes.u32(0).u8(0).u8(2).raw(&[1, 15, 7]).pad(40).done()
    };
    let own: [u8; 16] = std::array::from_fn(|at| at as u8 + 1);
    let show = |uuid| Trace::new(&metadata).file("a", bytes(uuid)).show();
    expect![[r#"
        0: 15 cpu 2 e x=7
    "#]]
    .assert_eq(&show(own));
    expect![[r#"
        0: 15 cpu 2 e x=7
        ctf-packet-foreign a:0 A packet has the UUID of another trace; it is read all the same.
    "#]]
    .assert_eq(&show([9; 16]));
}

#[test]
fn heads_are_read_up_to_a_limit() {
    let metadata = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le;
            packet.header := struct { integer { size = 32; align = 8; } n; integer { size = 8; align = 8; } rest[n]; }; };
        event { name = e; fields := struct { integer { size = 8; align = 8; } x; }; };";
    let show = |rest: u32, file: usize| {
        let mut bytes = rest.to_le_bytes().to_vec();
        bytes.resize(file, 5);
        Trace::new(metadata).file("a", bytes).show()
    };
    expect![[r#"
        0: e x=5
    "#]]
    .assert_eq(&show(65_532, 65_537));
    expect![[r#"
        0: lost something before event 0 in ?..?
        ctf-packet-bad a:0 The header of a packet is longer than 65536 bytes, the most that is read.
    "#]]
    .assert_eq(&show(65_533, 65_537));
    expect![[r#"
        0: lost something before event 0 in ?..?
        ctf-packet-bad a:0 The header of a packet is longer than 65536 bytes, the most that is read.
    "#]]
    .assert_eq(&show(65_533, 200_000));
    expect![[r#"
        0: lost something before event 0 in ?..?
        ctf-packet-short a:0 The file ends 50000 bytes after the start of a packet, in its header.
    "#]]
    .assert_eq(&show(60_000, 50_000));
}

#[test]
fn a_file_that_is_cut() {
    let whole = stream(&[packet((10, 20), 0, 0, &[(10, 1)]), packet((20, 30), 0, 1, &[(21, 2), (22, 3)])]);
    check(
        &[("a", whole[..70].to_vec())],
        expect![[r#"
        0: 10 cpu 2 e x=1
        0: 21 cpu 2 e x=2
        0: 22 cpu 2 e x=3
        ctf-packet-short a:40 A packet of 40 bytes is cut: only 30 bytes are there.
    "#]],
    );
    check(
        &[("a", whole[..63].to_vec())],
        expect![[r#"
        0: 10 cpu 2 e x=1
        0: 21 cpu 2 e x=2
        0: lost something before event 2 in 21..30
        ctf-packet-short a:40 A packet of 40 bytes is cut: only 23 bytes are there.
    "#]],
    );
    check(
        &[("a", whole[..45].to_vec())],
        expect![[r#"
        0: 10 cpu 2 e x=1
        0: lost something before event 1 in 20..?
        ctf-packet-short a:40 The file ends 5 bytes after the start of a packet, in its header.
    "#]],
    );
    check(&[("a", Vec::new())], expect![[""]]);
}

#[test]
fn without_headers_contexts_and_sizes() {
    let metadata = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = be; };
        typealias integer { size = 8; align = 8; } := u8;
        event { name = only; fields := struct { u8 a; u8 b; }; };";
    expect![[r#"
        0: only a=1 b=2
        0: only a=3 b=4
        0: lost something before event 2 in ?..?
        ctf-event-bad s:4 An event goes beyond the end of its packet; the 1 bytes from here to the end of the packet are not read.
    "#]].assert_eq(&Trace::new(metadata).file("s", [1, 2, 3, 4, 5]).show());
    let metadata = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = be; };
        typealias integer { size = 8; align = 8; } := u8;
        stream { packet.context := struct { u8 packet_size; }; event.header := struct { u8 timestamp; }; };
        event { name = only; fields := struct { u8 a; }; };";
    expect![[r#"
        0: 1 only a=2
        0: 3 only a=4
        0: 257 only a=5
        0: 262 only a=7
    "#]]
    .assert_eq(&Trace::new(metadata).file("s", [24, 1, 2, 40, 3, 4, 1, 5, 0, 6, 7]).show());
}

#[test]
fn times_beyond_64_bits_are_clamped() {
    let metadata = METADATA.replace("freq = 1000000000", "freq = 1; offset_s = 9223372036854775807");
    let trace = Trace::new(&metadata).file("a", stream(&[packet((1, 2), 0, 0, &[(1, 1), (2, 2)])]));
    expect![[r#"
        0: 9223372036854775807 cpu 2 e x=1
        0: 9223372036854775807 cpu 2 e x=2
        ctf-time-clamped a:0 A time does not fit into 64 bits of nanoseconds and was clamped.
        ctf-time-clamped a:19 A time does not fit into 64 bits of nanoseconds and was clamped.
        ctf-time-clamped a:22 A time does not fit into 64 bits of nanoseconds and was clamped.
    "#]]
    .assert_eq(&trace.show());
}

#[test]
fn several_traces_of_which_one_is_bad() {
    let bytes = stream(&[packet((10, 20), 0, 0, &[(10, 1)])]);
    let trace = Trace::default()
        .file("ust/metadata", METADATA)
        .file("ust/s_0", bytes.clone())
        .file("ust/index/s_0.idx", [1])
        .file("ust/s_0.idx", [1])
        .file("ust/.hidden", [1])
        .file("kernel/metadata", METADATA)
        .file("kernel/s_0", bytes)
        .file("bad/metadata", "nonsense")
        .file("bad/s_0", [1]);
    expect![[r#"
        0: 10 cpu 2 e x=1
        1: 10 cpu 2 e x=1
        ctf-metadata-unusable bad/metadata:0 This trace is left out, as its metadata cannot be used (line 1, column 1). Expected a declaration, found `nonsense`.
    "#]].assert_eq(&trace.show());
    let names: Vec<String> = trace.open().unwrap().traces().iter().map(|trace| trace.name.clone()).collect();
    assert_eq!(names, ["kernel", "ust"]);
}

#[test]
fn a_packet_far_larger_than_the_window() {
    let metadata = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };
        typealias integer { size = 32; align = 8; } := u32;
        event { name = big; fields := struct { u32 n; integer { size = 8; align = 8; } body[n]; string end; }; };";
    let mut bytes = Vec::new();
    for len in [3u32, 700_000, 1, 300_000, 250_000, 0] {
        bytes.extend(len.to_le_bytes());
        bytes.extend((0..len).map(|n| n as u8));
        bytes.extend(format!("end of {len}\0").bytes());
    }
    let mut reader = Trace::new(metadata).file("s", bytes).open().unwrap();
    let mut seen = Vec::new();
    while let Some(item) = reader.next_item() {
        let Item::Event(event) = item else { panic!("{item:?}") };
        let Some(model::Value::Text(end)) = event.fields.get("end") else { panic!("no end") };
        let len = event.fields.get("n").and_then(|value| value.as_i64()).unwrap();
        assert_eq!(end, format!("end of {len}").as_bytes());
        assert!(ctf_fixture::fields(&event, Scope::Payload).ends_with(&format!("end=\"end of {len}\"")));
        seen.push(len);
    }
    assert_eq!(seen, [3, 700_000, 1, 300_000, 250_000, 0]);
    assert!(reader.diagnostics().is_empty());
}

/// An index of packets by their times, as LTTng writes it.
fn index(times: &[(u64, u64)], cpu: u64) -> Vec<u8> {
    let mut bytes = [0xC1F1_DCC1u32, 1, 1, 72].map(u32::to_be_bytes).concat();
    for (number, (begin, end)) in times.iter().enumerate() {
        let number = number as u64;
        let entry = [number * 40, 320, 300, *begin, *end, 0, 0, cpu, number];
        bytes.extend(entry.map(u64::to_be_bytes).concat());
    }
    bytes
}

#[test]
fn what_the_index_lists_and_nobody_has_is_lost() {
    let first = packet((10, 20), 0, 0, &[(12, 1)]);
    let last = packet((50, 60), 0, 1, &[(52, 2)]);
    let times = [(10, 20), (30, 40), (50, 60), (70, 80)];
    check(
        &[
            ("chan_2", stream(&[first, last])),
            ("index/chan_2.idx", index(&times, 2)),
            ("index/chan_3.idx", index(&times[..2], 3)),
            ("index/empty_4.idx", index(&[], 4)),
            ("index/notes.idx", b"not an index".to_vec()),
        ],
        expect![[r#"
            1: lost 2 packets before event 0 in 10..40
            0: 12 cpu 2 e x=1
            0: lost 1 packets before event 1 in 20..50
            0: 52 cpu 2 e x=2
            0: lost 1 packets before event 2 in 60..80
            ctf-stream-missing chan_3:0 The index lists this stream with 2 packets, but there is no such file.
            ctf-packets-missing chan_2:40 The index lists 1 packet here that the stream does not have.
            ctf-packets-missing chan_2:80 The index lists 1 packet more than the stream has.
        "#]],
    );
}

#[test]
fn lttng_numbers_packets_from_0() {
    let metadata = METADATA
        .replace("packet.header", "uuid = \"00000000-0000-0000-0000-000000000001\"; packet.header")
        + "env { tracer_name = \"lttng-ust\"; };";
    let show = |files: &[(&str, u8)]| {
        let mut trace = Trace::new(&metadata);
        for (name, number) in files {
            let number = *number;
            let time = u16::from(number) * 10;
            let only = packet((time, time + 9), 0, number, &[(time as u8 + 1, 1)]);
            trace = trace.file(name, only.bytes());
        }
        trace.show()
    };
    assert!(show(&[("chan_0", 3)]).starts_with("0: lost 3 packets before event 0 in ?..30\n"));
    assert!(!show(&[("chan_0", 0)]).contains("lost"));
    // A recording that goes on in another file.
    assert!(!show(&[("chan_0_0", 0), ("chan_0_1", 1)]).contains("lost"));
}
