//! Damaged and hostile input: whatever the bytes, the reader answers, soon, within its bounds.

mod ctf_fixture;

use std::time::{Duration, Instant};

use ctf_fixture::{Bytes, Trace};
use fastrand::Rng;
use formats::ctf::fuzz::{RICH_METADATA, fuzz_metadata, fuzz_stream};

/// A stream under the rich metadata, with every kind of event.
fn rich_stream() -> Vec<u8> {
    let header = |content: usize, number: u32| {
        Bytes::little()
            .u32(0xC1FC1FC1)
            .u8(0)
            .u64(1_000 * u64::from(number))
            .u64(1_000 * u64::from(number) + 900)
            .u32(content as u32 * 8)
            .u32(256 * 8)
            .u32(number * 3)
            .u32(number)
            .u8(1)
    };
    let start = header(0, 0).done().len();
    let event = |id: u64, time: u64| Bytes::little().bits(5, id).bits(27, time).u8(2);
    let events = event(0, 10)
        .raw(&[5])
        .raw(&[7; 16])
        .raw(&[1, 2])
        .pad(40)
        .raw(&[9; 8])
        .then(event(1, 20).u8(2).raw(&[0, 1, 0, 2]).raw(b"hi").u8(1).text("x").u8(0).raw(&[1, 2, 3, 4, 5, 6]))
        .then(event(2, 30).u8(0).text("chosen"))
        .then(event(2, 40).u8(1).u8(2).raw(&[1, 2]))
        .then(event(3, 50))
        .then(Bytes::little().bits(5, 31).align(8).u32(40).u64(5_000).u8(2).raw(&[1, 2]).text("end"))
        .done();
    let mut file = Vec::new();
    for number in 0..3 {
        file.extend(header(start + events.len(), number).raw(&events).pad(256).done());
    }
    file
}

fn with_length(metadata: &[u8], stream: &[u8]) -> Vec<u8> {
    [&(metadata.len() as u32).to_le_bytes()[..], metadata, stream].concat()
}

#[test]
fn every_length_and_many_flips() {
    let stream = rich_stream();
    let metadata = RICH_METADATA.as_bytes();
    let start = Instant::now();
    for len in 0..=stream.len() {
        fuzz_stream(&stream[..len]);
    }
    for len in (0..=metadata.len()).step_by(3) {
        fuzz_metadata(&with_length(&metadata[..len], &stream));
    }
    let mut random = Rng::with_seed(0x5EED_0001);
    for _ in 0..20_000 {
        let mut bytes = stream.clone();
        for _ in 0..=random.usize(..6) {
            let at = random.usize(..bytes.len());
            bytes[at] = match random.usize(..4) {
                0 => 0xff,
                1 => 0,
                _ => random.u8(..),
            };
        }
        fuzz_stream(&bytes);
    }
    for _ in 0..5_000 {
        let mut bytes = with_length(metadata, &stream);
        for _ in 0..=random.usize(..4) {
            let at = 4 + random.usize(..metadata.len());
            bytes[at] = b"{}()[]<>:;=.,*_0159azsu \"\\\n"[random.usize(..27)];
        }
        fuzz_metadata(&bytes);
    }
    // Whole words of the metadata in other places: grammar is stressed more than by letters.
    let words: Vec<&str> = RICH_METADATA.split_inclusive([' ', ';', '\n']).collect();
    for _ in 0..5_000 {
        let mut words = words.clone();
        for _ in 0..=random.usize(..3) {
            let (one, other) = (random.usize(..words.len()), random.usize(..words.len()));
            words[one] = words[other];
        }
        fuzz_metadata(&with_length(words.concat().as_bytes(), &stream));
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// Longer than an ordinary run takes: `cargo test -p formats --test ctf_damage -- --ignored minute`.
#[test]
#[ignore = "it takes a minute"]
fn a_minute_of_mutations() {
    let nanoseconds = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    eprintln!("seed {nanoseconds}");
    let (stream, metadata) = (rich_stream(), RICH_METADATA.as_bytes());
    let words: Vec<&str> = RICH_METADATA.split_inclusive([' ', ';', '\n']).collect();
    let mut random = Rng::with_seed(nanoseconds);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        let one = Instant::now();
        let mut stream = stream.clone();
        for _ in 0..random.usize(..8) {
            let at = random.usize(..stream.len());
            stream[at] = [0, 0xff, 0x7f, 0x80, random.u8(..)][random.usize(..5)];
        }
        let mut words = words.clone();
        for _ in 0..random.usize(..4) {
            let (one, other) = (random.usize(..words.len()), random.usize(..words.len()));
            words[one] = words[other];
        }
        let mut metadata = if random.bool() { metadata.to_vec() } else { words.concat().into_bytes() };
        for _ in 0..random.usize(..3) {
            let at = random.usize(..metadata.len());
            metadata[at] = b"{}()[]<>:;=.,*_0123456789asu \"\\"[random.usize(..31)];
        }
        let bytes = with_length(&metadata, &stream);
        let result = std::panic::catch_unwind(|| fuzz_metadata(&bytes));
        if result.is_err() || one.elapsed() > Duration::from_secs(1) {
            let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("found.both");
            std::fs::write(&path, &bytes).unwrap();
            panic!("{:?} for {}", one.elapsed(), path.display());
        }
    }
}

fn quickly(what: &str, trace: &Trace) -> String {
    // On a busy machine an iteration may take any time.
    for _ in 0..20 {
        let start = Instant::now();
        let text = trace.show();
        if start.elapsed() < Duration::from_secs(1) {
            return text;
        }
    }
    panic!("{what} took more than a second, twenty times");
}

const PLAIN: &str = "/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := u8; \
     typealias integer { size = 64; align = 8; } := u64; \
     trace { major = 1; minor = 8; byte_order = le; };";

fn fields(declarations: &str, fields: &str, stream: Vec<u8>) -> Trace {
    let metadata = format!("{PLAIN} {declarations} event {{ name = e; fields := struct {{ {fields} }}; }};");
    Trace::new(&metadata).file("stream", stream)
}

#[test]
fn hostile_sizes_are_refused_or_bounded() {
    let deep = |open: &str, close: &str, depth: usize| open.repeat(depth) + "u8 x;" + &close.repeat(depth);
    let cases: Vec<(&str, Trace, &str)> = vec![
        ("a sequence of 2^64-1", fields("", "u64 n; u8 s[n];", vec![0xff; 64]), "goes beyond the end"),
        (
            "a sequence of 2^64-1 nothings",
            fields("", "u64 n; struct {} s[n];", vec![0xff; 64]),
            "far more values than bits",
        ),
        (
            "a sequence of empty sequences",
            fields("", "u64 n; u8 z; u8 s[n][z];", [vec![0xff; 8], vec![0; 64]].concat()),
            "far more values than bits",
        ),
        (
            "arrays of arrays of nothing",
            fields("", "struct {} a[4096][4096][4096][4096]; u8 x;", vec![1; 64]),
            "far more values than bits",
        ),
        (
            "an array beyond any file",
            fields("", "u64 a[1000000000][1000000000];", vec![1; 64]),
            "larger than any",
        ),
        (
            "a huge alignment",
            fields("", "integer { size = 8; align = 9223372036854775808; } x;", vec![1; 64]),
            "must be a number from 1 to",
        ),
        (
            "an alignment of a megabit",
            fields("", "u8 a; integer { size = 8; align = 1048576; } x;", vec![1; 64]),
            "goes beyond the end",
        ),
        (
            "a structure in itself",
            fields("struct s { struct s x; };", "struct s y;", vec![1; 64]),
            "not declared",
        ),
        (
            "10^5 structures in each other",
            fields("", &deep("struct {", "} y;", 100_000), vec![1]),
            "nest deeper than",
        ),
        (
            "10^5 variants in each other",
            fields("enum t : u8 { a }; ", &deep("variant <t> {", "} a;", 100_000), vec![1]),
            "nest deeper than",
        ),
        (
            "10^5 parentheses",
            fields("", &format!("u8 a[{}1];", "(".repeat(100_000)), vec![1]),
            "nest deeper than",
        ),
        ("10^5 signs", fields("", &format!("u8 a[{}1];", "- ".repeat(100_000)), vec![1]), "1: e a=[1]"),
        ("10^5 stars", fields("", &format!("u8 {} a;", "*".repeat(100_000)), vec![1]), "longer than 1,000"),
        ("10^5 dimensions", fields("", &format!("u8 a{};", "[1]".repeat(100_000)), vec![1]), "dimensions"),
        (
            "structures that double",
            fields(
                &(1..60).fold("struct s0 { u8 x; };".to_owned(), |text, n| {
                    format!("{text} struct s{n} {{ struct s{0} a; struct s{0} b; }};", n - 1)
                }),
                "struct s59 y;",
                vec![1; 64],
            ),
            "more field classes than are read",
        ),
        (
            "named types nested 10^4 deep",
            fields(
                &(1..10_000).fold("struct s0 { u8 x; };".to_owned(), |text, n| {
                    format!("{text} struct s{n} {{ struct s{} a; }};", n - 1)
                }),
                "struct s9999 y;",
                vec![1; 64],
            ),
            "nest deeper than",
        ),
        ("a million fields", fields("", &"u8 a, b; ".repeat(300_000), vec![1]), "two fields called"),
        (
            "a tag of many labels for many variants",
            fields(
                &format!("enum t : u64 {{ {} }};", "a, b, ".repeat(20_000)),
                &("enum t t;".to_owned()
                    + &(0..10_000)
                        .fold(String::new(), |text, n| text + &format!("variant <t> {{ u8 a; }} v{n};"))),
                vec![0; 64],
            ),
            "more field classes than are read",
        ),
        (
            "a tag of many labels for many events",
            fields(
                &format!("enum t : u8 {{ {} }};", "a, ".repeat(40_000)),
                "enum t t; variant <t> { u8 a; } v;",
                vec![200; 20_000],
            ),
            "e t=a(200) v=200",
        ),
        ("events of no size", fields("", "", vec![1; 64]), "takes no space"),
        (
            "a literal of a megabyte",
            Trace::new(&format!("/* CTF 1.8 */ env {{ a = \"{}\"; }};", "x".repeat(1 << 20))),
            "longer than",
        ),
    ];
    for (what, trace, expected) in cases {
        let text = quickly(what, &trace);
        let expected = expected.strip_prefix("1: ").unwrap_or(expected);
        assert!(text.contains(expected), "{what}: {}", &text[..text.len().min(600)]);
    }
}

#[test]
fn empty_packets_with_losses_do_not_pile_up() {
    let metadata = "/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := u8; \
        trace { major = 1; minor = 8; byte_order = le; }; \
        stream { packet.context := struct { u8 packet_size; u8 events_discarded; }; }; \
        event { name = e; fields := struct { u8 x; }; };";
    let packets: Vec<u8> = (0..1_000u32).flat_map(|n| [16, (n % 60) as u8]).collect();
    let trace = Trace::new(metadata).file("b", packets.clone()).file("a", packets);
    let text = quickly("empty packets", &trace);
    let (starts, ends): (Vec<_>, Vec<_>) =
        text.lines().filter(|line| line.contains(": lost ")).partition(|line| !line.ends_with("(end)"));
    // Within 60 packets the counter grows 59 times and falls once.
    assert_eq!((starts.len(), ends.len()), (2 * (1_000 - 17), 2 * (1_000 - 17)), "{text}");
    assert!(text.find("1: lost").unwrap() > text.rfind("0: lost").unwrap());
}

#[test]
fn a_million_packets_of_nothing_are_quick_and_say_little() {
    let metadata = "/* CTF 1.8 */ typealias integer { size = 8; align = 8; } := u8; \
        trace { major = 1; minor = 8; byte_order = le; }; \
        stream { packet.context := struct { u8 packet_size; u8 packet_seq_num; }; }; \
        event { name = e; fields := struct { u8 x; }; };";
    let trace = Trace::new(metadata).file("stream", [16u8, 1].repeat(500_000));
    let text = quickly("many packets", &trace);
    assert!(text.lines().count() < 10, "{}", text.lines().count());
    assert!(text.contains("This was found 499999 times"), "{text}");
}

/// The kept bad inputs: file, what is wrong with it, its bytes.
fn bad_inputs() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let metadata = |rest: &str| format!("{PLAIN} {rest}").into_bytes();
    let both = |fields: &str, stream: &[u8]| {
        let text = format!("event {{ name = e; fields := struct {{ {fields} }}; }};");
        with_length(&metadata(&text), stream)
    };
    let changed = |at: usize, value: u8| {
        let mut stream = rich_stream();
        stream[at] = value;
        stream
    };
    vec![
        (
            "nested.metadata",
            "Structures nest 10,000 deep.",
            metadata(&format!("{}u8 x;{};", "struct {".repeat(10_000), "} y;".repeat(9_999) + "}")),
        ),
        ("itself.metadata", "A structure contains itself.", metadata("struct s { struct s x; };")),
        (
            "doubling.metadata",
            "Each structure holds the one before it twice, 2^40 fields in all.",
            metadata(
                &((1..40).fold("struct s0 { u8 x; };".to_owned(), |text, n| {
                    format!("{text} struct s{n} {{ struct s{0} a; struct s{0} b; }};", n - 1)
                }) + "event { fields := struct { struct s39 y; }; };"),
            ),
        ),
        (
            "alignment.metadata",
            "An integer wants an alignment of 2^63 bits.",
            metadata("typealias integer { size = 8; align = 9223372036854775808; } := x;"),
        ),
        ("comment.metadata", "A comment is not closed.", metadata("/* open")),
        ("literal.metadata", "A literal is not closed.", metadata("env { a = \"open; };")),
        ("json.metadata", "It is of CTF 3.", b"\x1e{\"type\":\"preamble\",\"version\":3}\n".to_vec()),
        (
            "unsigned.metadata",
            "The signature and most of the `trace` block are missing.",
            b"trace { major = 1; };".to_vec(),
        ),
        (
            "length.both",
            "A sequence says that it has 2^64 - 1 elements.",
            both("u64 n; u8 s[n];", &[0xff; 32]),
        ),
        (
            "nothings.both",
            "A sequence says that it has 2^64 - 1 elements without size.",
            both("u64 n; struct {} s[n];", &[0xff; 32]),
        ),
        ("no-size.both", "Events take no space, so a packet never ends.", both("", &[1; 32])),
        ("magic.stream", "The second packet does not start with the magic number.", changed(256, 0)),
        ("event.stream", "An event has an id that is not declared.", changed(36, 0x1e)),
        ("stream-id.stream", "A packet is of a stream that is not declared.", changed(4, 7)),
        ("packet-size.stream", "A packet is smaller than its own header.", {
            let mut stream = changed(25, 1);
            stream[26] = 0;
            stream
        }),
        ("cut.stream", "The file ends within an event.", rich_stream()[..300].to_vec()),
        ("cut-header.stream", "The file ends within the header of a packet.", rich_stream()[..260].to_vec()),
    ]
}

fn corpus() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ctf")
}

/// Writes `corpus/ctf`; what lies there stays readable for ever, so only add to the list.
#[test]
#[ignore = "it writes into the repository"]
fn make_the_corpus() {
    let mut readme = String::from(
        "# Bad CTF inputs\n\n\
         `.metadata` is metadata, `.stream` a stream under the metadata of `ctf::fuzz::RICH_METADATA`, and\n\
         `.both` four bytes of length (little endian), that much metadata and a stream. All are made by\n\
         `cargo test -p formats --test ctf_damage -- --ignored make_the_corpus` and read by the tests of that\n\
         file; what a fuzzer finds is added beside them, with a line here.\n\n\
         | file | what is wrong |\n|---|---|\n",
    );
    for (name, what, bytes) in bad_inputs() {
        std::fs::write(corpus().join(name), bytes).unwrap();
        readme += &format!("| {name} | {what} |\n");
    }
    std::fs::write(corpus().join("README.md"), readme).unwrap();
}

#[test]
fn every_kept_bad_input_has_its_sentence_and_gets_one() {
    let readme = std::fs::read_to_string(corpus().join("README.md")).unwrap();
    for entry in std::fs::read_dir(corpus()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(name == "README.md" || readme.contains(&format!("| {name} | ")), "{name}");
    }
    for (name, ..) in bad_inputs() {
        let bytes = std::fs::read(corpus().join(name)).unwrap();
        let (metadata, stream) = match name.rsplit_once('.').unwrap().1 {
            "metadata" => (bytes, vec![]),
            "stream" => (RICH_METADATA.as_bytes().to_vec(), bytes),
            _ => {
                let len = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                (bytes[4..4 + len].to_vec(), bytes[4 + len..].to_vec())
            }
        };
        let trace = Trace::default().file("metadata", metadata).file("stream", stream);
        // A diagnostic, or the error that stands for it.
        let text = quickly(name, &trace);
        assert!(
            text.contains("stream:") || text.contains("metadata, byte") || text.contains("metadata, line"),
            "{name}: {text}"
        );
    }
}

#[test]
fn the_kept_bad_inputs_are_read_without_harm() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ctf");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("metadata") => fuzz_metadata(&with_length(&bytes, &rich_stream())),
            Some("stream") => fuzz_stream(&bytes),
            Some("both") => fuzz_metadata(&bytes),
            _ => continue,
        };
        seen += 1;
    }
    assert!(seen > 0, "the corpus is empty");
}
