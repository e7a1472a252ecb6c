//! Every form of declaration of TSDL, with the bytes it describes and what they are read as.

mod ctf_fixture;

use ctf_fixture::{Bytes, Trace};
use expect_test::{Expect, expect};

const TYPES: &str = "/* CTF 1.8 */
    typealias integer { size = 8; align = 8; } := u8;
    typealias integer { size = 16; align = 8; } := u16;
    typealias integer { size = 32; align = 8; } := u32;
    trace { major = 1; minor = 8; byte_order = le; };\n";

/// One event with the fields `fields`, after the declarations `before`.
fn check(before: &str, fields: &str, bytes: Bytes, expected: Expect) {
    let metadata = format!("{TYPES}{before} event {{ name = e; fields := struct {{ {fields} }}; }};");
    expected.assert_eq(&Trace::new(&metadata).stream(bytes).show());
}

/// Whole metadata and a stream.
fn check_whole(metadata: &str, bytes: Bytes, expected: Expect) {
    expected.assert_eq(&Trace::new(metadata).stream(bytes).show());
}

fn little() -> Bytes {
    Bytes::little()
}

#[test]
fn integers_of_any_width_and_base() {
    check(
        "",
        "integer { size = 1; } a; integer { size = 3; signed = true; } b; integer { size = 12; base = x; } c;
         integer { size = 16; align = 16; byte_order = network; base = 8; } d;
         integer { size = 8; base = binary; } e; integer { size = 64; signed = 1; align = 8; } f;
         integer { size = 128; align = 8; } g; integer { size = 72; align = 1; signed = TRUE; } h;",
        little()
            .bits(1, 1)
            .bits(3, 5)
            .bits(12, 0xabc)
            .raw(&[0o1, 0o7])
            .u8(5)
            .align(8)
            .u64(u64::MAX)
            .u64(1)
            .u64(1 << 60)
            .bits(64, u64::MAX - 1)
            .bits(8, 255),
        expect![[r#"
            0: e a=1 b=-3 c=0xabc d=0o407 e=0b101 f=-1 g=21267647932558653966460912964485513217 h=-2
        "#]],
    );
}

#[test]
fn integers_wider_than_any_number_here_are_digits() {
    check(
        "",
        "integer { size = 1; } a; integer { size = 134; align = 1; base = 10; } b;
         integer { size = 192; align = 8; byte_order = be; signed = true; } c; u8 d;",
        little()
            .bits(1, 1)
            .bits(64, 0x0123_4567_89ab_cdef)
            .bits(64, 2)
            .bits(6, 0x3f)
            .align(8)
            .raw(&[0xff; 8])
            .raw(&[0, 0, 0, 0, 0, 0, 0, 9])
            .raw(&[1, 2, 3, 4, 5, 6, 7, 8])
            .u8(7),
        expect![[r#"
            0: e a=1 b="0x3f00000000000000020123456789abcdef" c="0xffffffffffffffff00000000000000090102030405060708" d=7
        "#]],
    );
    check(
        "",
        "enum : integer { size = 192; } { A } a;",
        little(),
        expect![[r#"
            The metadata cannot be used (metadata, line 6, column 44): An enumeration of more than 128 bits is not read.
        "#]],
    );
}

#[test]
fn names_composed_of_words_and_pointers() {
    check(
        "typealias integer { size = 16; } := unsigned long; typealias integer { size = 8; base = 16; } := void *;
         typealias integer { size = 8; signed = true; } := const signed char; typedef unsigned long size_t, pair_t[2];
         typedef u8 bytes_t[2]; typealias u8 := letter;",
        "unsigned long a; void *b; const void *b2; const signed char c; size_t d; pair_t e; bytes_t f[2]; letter g, h;",
        little().u16(1).u8(2).u8(3).u8(0xff).u16(4).u16(5).u16(6).raw(&[1, 2, 3, 4, 8, 9]),
        expect![[r#"
            0: e a=1 b=0x2 b2=0x3 c=-1 d=4 e=[5 6] f=[[1 2] [3 4]] g=8 h=9
        "#]],
    );
}

#[test]
fn floats() {
    check(
        "",
        "floating_point { exp_dig = 8; mant_dig = 24; align = 8; } a;
         floating_point { exp_dig = 11; mant_dig = 53; byte_order = be; align = 8; } b;
         floating_point { exp_dig = 5; mant_dig = 11; } c; floating_point { exp_dig = 15; mant_dig = 113; } d;",
        little().u32(0.5f32.to_bits()).raw(&(-1e300f64).to_be_bytes()).u16(0x3e00).u64(0).u64(0xbfff << 48),
        expect![[r#"
            0: e a=0.5 b=-1e300 c=1.5 d=-1.0
        "#]],
    );
}

#[test]
fn enumerations() {
    check(
        "enum small : u8 { ZERO, ONE, \"TWO words\" = 2, FEW = 3 ... 9, NEXT, BIG = 0x7f, };
         typealias integer { size = 32; signed = true; } := int;",
        "enum small a, b; enum small c[2]; enum : integer { size = 8; signed = true; } { MINUS = -3 ... -1, NONE } d[2];
         enum { X = 10 / 2 - 1 } e; enum named : u16 { P = 'A' } f; enum named g;",
        little().raw(&[0, 2, 10, 200, 0xfe, 0]).u32(4).u16(65).u16(66),
        expect![[r#"
            0: e a=ZERO(0) b=TWO words(2) c=[NEXT(10) ?(200)] d=[MINUS(-2) NONE(0)] e=X(4) f=P(65) g=?(66)
        "#]],
    );
}

#[test]
fn structures_and_their_alignment() {
    check(
        "struct point { u8 x; u8 y; } align(16); struct outer { struct inner { u16 z; } i; struct inner j; };",
        "u8 a; struct point p; u8 b; struct point q[2]; struct { struct {} empty; u8 c; } r; struct outer o; \
         struct { u8 s; } align(32) t;",
        little()
            .u8(1)
            .align(16)
            .u8(2)
            .u8(3)
            .u8(4)
            .align(16)
            .raw(&[5, 6, 7, 8])
            .u8(9)
            .u16(10)
            .u16(11)
            .align(32)
            .u8(12),
        expect![[r#"
            0: e a=1 p={x=2 y=3} b=4 q=[{x=5 y=6} {x=7 y=8}] r={empty={} c=9} o={i={z=10} j={z=11}} t={s=12}
        "#]],
    );
}

#[test]
fn arrays_and_texts() {
    check(
        "typealias integer { size = 8; align = 8; encoding = UTF8; } := utf8;",
        "u8 a[3]; u8 m[2][3]; utf8 t[6]; utf8 none[0]; u8 n; utf8 s[n]; string w; string { encoding = ascii; } v;
         integer { size = 4; } nibbles[4]; integer { size = 8; align = 4; encoding = UTF8; } odd[2];",
        little().raw(&[1, 2, 3, 1, 2, 3, 4, 5, 6]).raw(b"ab\0cde").u8(3).raw(b"xyz").text("word").text("")
            .bits(4, 1).bits(4, 2).bits(4, 3).bits(4, 4).raw(b"AB"),
        expect![[r#"
            0: e a=[1 2 3] m=[[1 2 3] [4 5 6]] t="ab" none="" n=3 s="xyz" w="word" v="" nibbles=[1 2 3 4] odd=[65 66]
        "#]],
    );
}

#[test]
fn sequences_by_path() {
    check(
        "",
        "struct { u8 deep; struct { u8 er; } st; } h; u8 _len; u8 a[h.deep]; u8 b[h.st.er]; u8 c[len]; u8 d[_len];
         struct { u8 len; u8 own[len]; u8 outer[_len]; } s; u8 f[event.fields.h.deep]; struct { u8 n; u16 l[n]; } g[_len];",
        little().raw(&[1, 2, 2]).raw(&[10]).raw(&[20, 21]).raw(&[30, 31]).raw(&[40, 41])
            .raw(&[1, 50, 51, 52]).raw(&[60]).u8(1).u16(70).u8(2).u16(80).u16(81),
        expect![[r#"
            0: e h={deep=1 st={er=2}} len=2 a=[10] b=[20 21] c=[30 31] d=[40 41] s={len=1 own=[50] outer=[51 52]} f=[60] g=[{n=1 l=[70]} {n=2 l=[80 81]}]
        "#]],
    );
}

#[test]
fn lengths_in_every_scope() {
    check_whole(
        "/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := u8;
         trace { major = 1; minor = 8; byte_order = be; packet.header := struct { u8 _p; }; };
         stream {
           packet.context := struct { u8 c; };
           event.header := struct { u8 id; u8 h; };
           event.context := struct { u8 s; };
         };
         event {
           name = e; id = 5; context := struct { u8 x; u8 p[trace.packet.header.p]; };
           fields := struct {
             u8 a[trace.packet.header._p]; u8 b[stream.packet.context.c]; u8 d[stream.event.header.h];
             u8 f[stream.event.context.s]; u8 g[event.context.x]; u8 i[c]; u8 j[x];
           };
         };",
        Bytes::big()
            .raw(&[1, 2, 5, 3, 1, 2, 90])
            .raw(&[10])
            .raw(&[20, 21])
            .raw(&[30, 31, 32])
            .raw(&[40])
            .raw(&[50, 51])
            .raw(&[60, 61])
            .raw(&[70, 71]),
        expect![[r#"
            0: e <s=1 x=2 p=[90]> a=[10] b=[20 21] d=[30 31 32] f=[40] g=[50 51] i=[60 61] j=[70 71]
        "#]],
    );
}

#[test]
fn variants() {
    check(
        "enum kind : u8 { a, b = 3 ... 5, _c = 9 }; variant body { u8 a; struct { u8 n; u16 l[n]; } b; string c; };",
        "enum kind t; variant body <t> v; struct { enum kind t; variant <t> { string a; u8 b; } v; } s[2];
         variant other <s_tag_is_outside.k> { u8 a; u16 c; } w;",
        little(),
        expect![[r#"
            The metadata cannot be used (metadata, line 7, column 25): There is no field `s_tag_is_outside.k` before the one that refers to it.
        "#]],
    );
    check(
        "enum kind : u8 { a, b = 3 ... 5, _c = 9 }; variant body { u8 a; struct { u8 n; u16 l[n]; } b; string c; };",
        "enum kind t; variant body <t> v; struct { enum kind t; variant <t> { string a; u8 b; } v; } s[2];
         struct { enum kind k; } h; variant other <h.k> { u8 a; u16 _c; } w; enum kind z; variant <z> { u8 a; string b; } end;",
        little().raw(&[4, 1, 7, 0]).u8(0).text("x").u8(3).u8(8).u8(9).u16(99).u8(0).u8(1),
        expect![[r#"
            0: e t=b(4) v={n=1 l=[7]} s=[{t=a(0) v="x"} {t=b(3) v=8}] h={k=_c(9)} w=99 z=a(0) end=1
        "#]],
    );
}

#[test]
fn names_are_known_in_their_block_only() {
    check(
        "struct s { typealias integer { size = 8; align = 8; base = 16; } := inner_t; inner_t x; };",
        "struct s a; inner_t b;",
        little().u8(1),
        expect![[r#"
            The metadata cannot be used (metadata, line 6, column 141): The type `inner_t` is not declared.
        "#]],
    );
    check(
        "",
        "typealias integer { size = 8; align = 8; base = 16; } := u32; typedef u32 mine; u32 a; mine b;
         struct local { u8 c; }; struct local d;",
        little().u8(1).u8(2).u8(3),
        expect![[r#"
            0: e a=0x1 b=0x2 d={c=3}
        "#]],
    );
}

#[test]
fn blanks_comments_escapes_and_line_ends() {
    check_whole(
        "/* CTF 1.8 */\r\n// a line\r\ntrace { major = 0x1; minor = 010; byte_order = le; };\r\n\
         typealias integer /* here */ { size = 0b1000UL; align = 8; } := u8;\r\n\
         env { a = \"line\\n\\x41\\102 \\\"q\\\" \" \"joined\"; b = -5; };\r\n\
         callsite { name = \"x\"; func = \"f\"; line = 5; };;\r\n\
         event { name = \"with \\\"quotes\\\"\"; loglevel = 3; model.emf.uri = \"http://x\"; fields := struct { u8 a; }; };\n\0",
        little().u8(7),
        expect![[r#"
            0: with "quotes" a=7
        "#]],
    );
}

#[test]
fn what_metadata_says_of_the_trace() {
    let metadata = "/* CTF 1.8 */ trace { major = 1; minor = 8; byte_order = le; };
        env { hostname = \"box\"; tracer_name = \"lttng-ust\"; tracer_major = 2; tracer_minor = 13; x = 1; };
        clock { name = mono; uuid = \"00000000-0000-0000-0000-000000000000\"; description = \"d\"; freq = 1000;
                precision = 1; offset_s = -5; offset = 6; absolute = FALSE; };";
    let reader = Trace::new(metadata).open().unwrap();
    expect![[r#"
        [
            TraceInfo {
                name: "",
                format: "CTF 1.8",
                host: Some(
                    "box",
                ),
                tracer: Some(
                    "lttng-ust 2.13",
                ),
                environment: [
                    (
                        "hostname",
                        "box",
                    ),
                    (
                        "tracer_name",
                        "lttng-ust",
                    ),
                    (
                        "tracer_major",
                        "2",
                    ),
                    (
                        "tracer_minor",
                        "13",
                    ),
                    (
                        "x",
                        "1",
                    ),
                ],
                clocks: [
                    ClockInfo {
                        name: "mono",
                        frequency: 1000,
                        offset_s: -5,
                        offset: 6,
                    },
                ],
                host_clock: None,
            },
        ]
    "#]]
    .assert_debug_eq(&model::EventSource::traces(&reader));
}

#[test]
fn metadata_in_packets_of_both_byte_orders() {
    let text = format!("{TYPES} /* {:300} */ event {{ name = packed; fields := struct {{ u8 a; }}; }};", "");
    for big in [false, true] {
        let bytes = || if big { Bytes::big() } else { Bytes::little() };
        let mut file = Vec::new();
        for part in text.as_bytes().chunks(100) {
            let packet = bytes().u32(0x75D1_1D57).raw(&[7; 16]).u32(0).u32((37 + part.len() as u32) * 8);
            let packet = packet.u32(256 * 8).raw(&[0, 0, 0, 1, 8]).raw(part).pad(256);
            file.extend(packet.done());
        }
        let trace = Trace::default().file("metadata", file.clone()).file("stream", [5]);
        assert_eq!(trace.show(), "0: packed a=5\n");
        // The last packet is cut: the event is not declared any more.
        let cut = Trace::default().file("metadata", file[..file.len() - 200].to_vec()).file("stream", [5]);
        assert!(cut.show().contains("ctf-metadata-cut metadata:"), "{}", cut.show());
    }
}

/// Metadata that is refused, and the diagnostics.
#[test]
fn refusals() {
    let list = [
        "",
        "[{\"type\":\"preamble\"}]",
        " trace { major = 1; minor = 8; byte_order = le; };",
        "/* CTF 2.0 */",
        "/* CTF 1.8 */",
        "/* CTF 1.8 */ trace { major = 2; minor = 0; byte_order = le; };",
        "trace { major = 1; minor = 8; };",
        "trace { major = 1; minor = 8; byte_order = middle; };",
        "trace { major = 1; minor = 8; byte_order = le; byte_order = be; };",
        "trace { major = 1; minor = 8; byte_order = le; uuid = \"1\"; };",
        "typealias integer { align = 8; } := x;",
        "typealias integer { size = 0; } := x;",
        "typealias integer { size = 65537; } := x;",
        "typealias integer { size = 8; align = 3; } := x;",
        "typealias integer { size = 8; } := x; typealias integer { size = 8; } := x;",
        "typealias integer { size = 8; map = mono; } := x;",
        "typealias floating_point { exp_dig = 8; } := x;",
        "struct a { unknown x; };",
        "struct a { struct b x; };",
        "enum e { A };",
        "enum e : integer { size = 8; } { A = -1 };",
        "enum e : integer { size = 8; } { A = 5 ... 3 };",
        "enum e : string { A };",
        "variant v { };",
        "struct a { integer { size = 8; } x; integer { size = 8; } x; };",
        "clock { freq = 5; };",
        "clock { name = a; freq = 0; };",
        "clock { name = a; }; clock { name = a; };",
        "event { name = \"x\" };",
        "event { fields := integer { size = 8; }; };",
        "stream { something := struct {}; };",
        "nonsense",
        "\u{7f}",
        "/* CTF 1.8 */ /* open",
        "env { a = \"open; };",
        "trace { major = 1; minor = 8; byte_order = le; }; stream { id = 1; }; stream { id = 1; };",
        "trace { major = 1; minor = 8; byte_order = le; }; event { id = 1; }; event { id = 1; };",
        "trace { major = 1; minor = 8; byte_order = le; }; stream { id = 1; }; event { stream_id = 2; };",
        "trace { major = 1; minor = 8; byte_order = le; }; event { fields := struct { string s[n]; }; };",
        "trace { major = 1; minor = 8; byte_order = le; };
         event { fields := struct { string s[n]; integer { size = 8; } n; }; };",
        "trace { major = 1; minor = 8; byte_order = le; };
         event { fields := struct { integer { size = 8; signed = true; } n; string s[n]; }; };",
        "trace { major = 1; minor = 8; byte_order = le; };
         event { fields := struct { integer { size = 8; } n; variant <n> { string a; } v; }; };",
        "trace { major = 1; minor = 8; byte_order = le; };
         event { fields := struct { enum : integer { size = 8; } { a } n; variant <n> { string b; } v; }; };",
        "trace { major = 1; minor = 8; byte_order = le; }; event { fields := struct { variant { string b; } v; }; };",
        "trace { major = 1; minor = 8; byte_order = le; };
         stream { event.header := struct { integer { size = 8; map = clock.none.value; } timestamp; }; };",
    ];
    let mut text = String::new();
    for metadata in list {
        let signed = match metadata.starts_with(['t', 's', 'e', 'v', 'c', 'n', '\u{7f}']) {
            true => format!("/* CTF 1.8 */ {metadata}"),
            false => metadata.to_owned(),
        };
        text += &Trace::new(&signed).stream(little().u8(1)).show();
    }
    expect![[r#"
        The metadata cannot be used (metadata, byte 0): The metadata is empty.
        The metadata cannot be used (metadata, line 1, column 1): Expected a declaration, found `[`.
        0: lost something before event 0 in ?..?
        ctf-event-bad stream:0 An event has the id 0, which the metadata does not declare; the 1 bytes from here to the end of the packet are not read.
        The metadata cannot be used (metadata, byte 0): The metadata is of CTF 2.0, and of plain text only CTF 1.8 is read.
        The metadata cannot be used (metadata, line 1, column 1): There is no `trace` block.
        The metadata cannot be used (metadata, line 1, column 15): The metadata is of CTF 2.0, and only CTF 1.8 is read.
        The metadata cannot be used (metadata, line 1, column 15): The `trace` block lacks `byte_order`.
        The metadata cannot be used (metadata, line 1, column 58): The attribute `byte_order` must be `le`, `be`, `network` or `native`, but is middle.
        The metadata cannot be used (metadata, line 1, column 62): `byte_order` stands in this block twice.
        The metadata cannot be used (metadata, line 1, column 69): The attribute `uuid` must be a UUID of 32 hexadecimal digits, but is "1".
        The metadata cannot be used (metadata, line 1, column 33): An integer has no attribute `size`.
        The metadata cannot be used (metadata, line 1, column 42): The attribute `size` must be a number from 1 to 65536, but is 0.
        The metadata cannot be used (metadata, line 1, column 42): The attribute `size` must be a number from 1 to 65536, but is 65537.
        The metadata cannot be used (metadata, line 1, column 53): The attribute `align` must be a power of two, but is 3.
        The metadata cannot be used (metadata, line 1, column 88): The type `x` is declared twice in the same block.
        The metadata cannot be used (metadata, line 1, column 51): The attribute `map` must be `clock.NAME.value`, but is mono.
        The metadata cannot be used (metadata, line 1, column 40): A floating-point number lacks the attribute `exp_dig` or `mant_dig`.
        The metadata cannot be used (metadata, line 1, column 26): The type `unknown` is not declared.
        The metadata cannot be used (metadata, line 1, column 33): The structure `b` is not declared.
        The metadata cannot be used (metadata, line 1, column 20): The type `int` is not declared.
        The metadata cannot be used (metadata, line 1, column 48): The label `A` is -1 in an enumeration of unsigned integers.
        The metadata cannot be used (metadata, line 1, column 48): The range of the label `A` is backwards: 5 ... 3.
        The metadata cannot be used (metadata, line 1, column 35): Expected `=` after the name of an attribute, found `}`.
        The metadata cannot be used (metadata, line 1, column 23): A variant has no option.
        The metadata cannot be used (metadata, line 1, column 73): A structure has two fields called `x`.
        The metadata cannot be used (metadata, line 1, column 15): A clock has no name.
        The metadata cannot be used (metadata, line 1, column 40): The attribute `freq` must be a number from 1 to 18446744073709551615, but is 0.
        The metadata cannot be used (metadata, line 1, column 36): There are two clocks called `a`.
        The metadata cannot be used (metadata, line 1, column 34): Expected `;` after the value of an attribute, found `}`.
        The metadata cannot be used (metadata, line 1, column 23): `fields` is not a structure.
        The metadata cannot be used (metadata, line 1, column 24): A stream has no `something`.
        The metadata cannot be used (metadata, line 1, column 15): Expected a declaration, found `nonsense`.
        The metadata cannot be used (metadata, line 1, column 15): The byte 0x7f starts no word, number or sign.
        The metadata cannot be used (metadata, line 1, column 15): A comment is not closed.
        The metadata cannot be used (metadata, line 1, column 25): A literal is not closed.
        The metadata cannot be used (metadata, line 1, column 85): Two streams have the id 1.
        The metadata cannot be used (metadata, line 1, column 84): Two events of stream 0 have the id 1.
        The metadata cannot be used (metadata, line 1, column 85): An event is of stream 2, which is not declared.
        The metadata cannot be used (metadata, line 1, column 101): There is no field `n` before the one that refers to it.
        The metadata cannot be used (metadata, line 2, column 46): There is no field `n` before the one that refers to it.
        The metadata cannot be used (metadata, line 2, column 86): `n` is the length of a field, but a signed integer.
        The metadata cannot be used (metadata, line 2, column 71): `n` is the tag of a variant, but no enumeration.
        The metadata cannot be used (metadata, line 2, column 84): `n` is the tag of a variant, but has no label for its option `b`.
        The metadata cannot be used (metadata, line 1, column 1): A variant that is used has no tag.
        The metadata cannot be used (metadata, line 1, column 1): The clock `none` is not declared.
    "#]].assert_eq(&text);
}

#[test]
fn no_metadata_at_all() {
    let trace = Trace::default().file("a/stream", [1]).file("a/metadata.txt", [1]);
    expect![[r#"
        There is no CTF trace here: none of the 2 files is called `metadata`.
    "#]]
    .assert_eq(&trace.show());
}

/// What the format forbids and what can still be read: the trace is, and there is a diagnostic.
#[test]
fn forbidden_and_read_all_the_same() {
    let list = [
        "env { n = word; n = 9223372036854775808; };",
        "env { n = 1; } clock { name = c; description = word; offset = -1; more = 2; }",
        "stream { more = 1; };",
        "stream { id = 3; };",
        "typealias u8 := event; typedef u8 string; struct trace { u8 env; }; enum variant : u8 { clock };",
        "typealias integer { size = 8; base = \"x\"; byte_order = \"le\"; encoding = \"utf8\"; more = 1; } := t;",
        "typealias floating_point { exp_dig = 8; mant_dig = 25; more = 1; } := t;",
        "typealias string { more = 1; } := t; typedef u8 b[none]; typedef u8 c[typedef];",
        "event { id = 9; loglevel = \"x\"; model.emf.uri = 3; more = 1; }",
    ];
    let mut seen = String::new();
    for declarations in list {
        let metadata = format!("{TYPES}{declarations} event {{ name = e; fields := struct {{ u8 a; }}; }};");
        let shown = Trace::new(&metadata).stream(little().u8(7)).show();
        seen += &format!("{declarations}\n{shown}");
    }
    expect![[r#"
        env { n = word; n = 9223372036854775808; };
        0: e a=7
        ctf-metadata-forbidden metadata:244 The attribute `n` is not a number or a literal in quotes. (line 6, column 11)
        ctf-metadata-forbidden metadata:254 The attribute `n` is 9223372036854775808, which does not fit into 64 bits. (line 6, column 21)
        ctf-metadata-forbidden metadata:250 `n` stands in this block twice. (line 6, column 17)
        env { n = 1; } clock { name = c; description = word; offset = -1; more = 2; }
        0: e a=7
        ctf-metadata-forbidden metadata:249 Expected `;` after a block, found `clock`. (line 6, column 16)
        ctf-metadata-forbidden metadata:281 The attribute `description` is not a literal in quotes. (line 6, column 48)
        ctf-metadata-forbidden metadata:296 The attribute `offset` of a clock is negative; `offset_s` may be. (line 6, column 63)
        ctf-metadata-forbidden metadata:307 The attribute `more` of a clock is unknown. (line 6, column 74)
        ctf-metadata-forbidden metadata:312 Expected `;` after a block, found `event`. (line 6, column 79)
        stream { more = 1; };
        0: e a=7
        ctf-metadata-forbidden metadata:250 The attribute `more` of a stream is unknown. (line 6, column 17)
        stream { id = 3; };
        0: e a=7
        ctf-metadata-forbidden metadata:254 An event has no `stream_id`, which means 0, but the only stream is 3. (line 6, column 21)
        typealias u8 := event; typedef u8 string; struct trace { u8 env; }; enum variant : u8 { clock };
        0: e a=7
        ctf-metadata-forbidden metadata:250 `event` is a keyword of TSDL and cannot be a name. (line 6, column 17)
        ctf-metadata-forbidden metadata:268 `string` is a keyword of TSDL and cannot be a name. (line 6, column 35)
        ctf-metadata-forbidden metadata:283 `trace` is a keyword of TSDL and cannot be a name. (line 6, column 50)
        ctf-metadata-forbidden metadata:294 `env` is a keyword of TSDL and cannot be a name. (line 6, column 61)
        ctf-metadata-forbidden metadata:307 `variant` is a keyword of TSDL and cannot be a name. (line 6, column 74)
        ctf-metadata-forbidden metadata:322 `clock` is a keyword of TSDL and cannot be a name. (line 6, column 89)
        typealias integer { size = 8; base = "x"; byte_order = "le"; encoding = "utf8"; more = 1; } := t;
        0: e a=7
        ctf-metadata-forbidden metadata:271 The attribute `base` is not a number or a word without quotes. (line 6, column 38)
        ctf-metadata-forbidden metadata:289 The attribute `byte_order` is not a word without quotes. (line 6, column 56)
        ctf-metadata-forbidden metadata:306 The attribute `encoding` is not a word without quotes. (line 6, column 73)
        ctf-metadata-forbidden metadata:321 The attribute `more` of an integer is unknown. (line 6, column 88)
        typealias floating_point { exp_dig = 8; mant_dig = 25; more = 1; } := t;
        0: e a=7
        ctf-metadata-forbidden metadata:296 The attribute `more` of a floating-point number is unknown. (line 6, column 63)
        ctf-metadata-forbidden metadata:259 A floating-point number of 8 bits of exponent and 25 of mantissa is not an interchange format of IEEE 754. (line 6, column 26)
        typealias string { more = 1; } := t; typedef u8 b[none]; typedef u8 c[typedef];
        0: e a=7
        ctf-metadata-forbidden metadata:260 The attribute `more` of a string is unknown. (line 6, column 27)
        ctf-metadata-forbidden metadata:304 `typedef` is a keyword of TSDL and cannot be a name. (line 6, column 71)
        ctf-metadata-forbidden metadata:284 A type refers to a field `none`, and nothing has one. (line 6, column 51)
        ctf-metadata-forbidden metadata:304 A type refers to a field `typedef`, and nothing has one. (line 6, column 71)
        event { id = 9; loglevel = "x"; model.emf.uri = 3; more = 1; }
        0: e a=7
        ctf-metadata-forbidden metadata:297 Expected `;` after a block, found `event`. (line 6, column 64)
        ctf-metadata-forbidden metadata:261 The attribute `loglevel` is not a number. (line 6, column 28)
        ctf-metadata-forbidden metadata:282 The attribute `model.emf.uri` is not a literal in quotes. (line 6, column 49)
        ctf-metadata-forbidden metadata:292 The attribute `more` of an event is unknown. (line 6, column 59)
        ctf-metadata-forbidden metadata:0 The event `event 9` has no data at all. (line 1, column 1)
    "#]].assert_eq(&seen);
}
