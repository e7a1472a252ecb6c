//! Every event, compared with what babeltrace2 makes of it: time, name, context and fields.
//!
//! Traces: one made here, those below `examples/` of this repository, and, where it is present, the
//! folder of real traces next to the repository (unpacked by `tar`). Order is compared up to events
//! of equal time, for which babeltrace2 has another rule.
#![allow(clippy::unwrap_used, reason = "tests may stop")]

mod ctf_fixture;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use ctf_fixture::{Bytes, Trace};
use formats::ctf::Reader;
use model::{Base, Edge, EventSource, FieldSink, Gap, Item, Lost, Scope, Timestamp, Value};
use source::NamedSource;

/// `false`, and the test is skipped, where there is no babeltrace2 and nobody insists on it.
fn babeltrace_is_there() -> bool {
    let there = Command::new("babeltrace2").arg("--version").output().is_ok();
    if !there {
        assert!(std::env::var_os("CI").is_none(), "babeltrace2 is not installed, but CI compares with it");
        testing::skip("babeltrace2 is not installed");
    }
    there
}

fn read_folder(folder: &Path, prefix: &str, files: &mut Vec<NamedSource>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read_folder(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push(NamedSource { name, source: Box::new(std::fs::read(entry.path()).unwrap()) });
        }
    }
}

/// What both sides are brought to: a line without spaces, brackets of structures and commas.
#[derive(Default)]
struct Line {
    text: String,
    /// For each open bracket the number of the next element, where it is an array.
    open: Vec<Option<usize>>,
}

impl Line {
    fn name(&mut self, name: &str) {
        match self.open.last_mut() {
            Some(Some(index)) => {
                write!(self.text, "[{index}]=").unwrap();
                *index += 1;
            }
            _ => write!(self.text, "{name}=").unwrap(),
        }
    }
}

impl FieldSink for Line {
    fn value(&mut self, name: &str, value: Value<'_>) {
        self.name(name);
        let out = &mut self.text;
        match value {
            Value::Unsigned(number, Base::Hexadecimal) => write!(out, "0x{number:X}").unwrap(),
            Value::Unsigned(number, Base::Octal) => write!(out, "0{number:o}").unwrap(),
            Value::Unsigned(number, Base::Binary) => write!(out, "0b{number:b}").unwrap(),
            Value::Unsigned(number, Base::Decimal) => write!(out, "{number}").unwrap(),
            // babeltrace2 shows only as many digits as the field has; nothing here is negative and hex.
            Value::Signed(number, Base::Hexadecimal) => write!(out, "0x{number:X}").unwrap(),
            Value::Signed(number, _) => write!(out, "{number}").unwrap(),
            Value::Float(number) => out.push_str(&general(number)),
            Value::Enum(number, Some(label)) => write!(out, "(\"{label}\":container={number})").unwrap(),
            Value::Enum(number, None) => write!(out, "(<unknown>:container={number})").unwrap(),
            Value::Text(bytes) => {
                out.push('"');
                for character in String::from_utf8_lossy(bytes).chars() {
                    match character {
                        '"' | '\\' => out.extend(['\\', character]),
                        '\n' => out.push_str("\\n"),
                        '\t' => out.push_str("\\t"),
                        '\r' => out.push_str("\\r"),
                        '\x07' => out.push_str("\\a"),
                        '\x1b' => out.push_str("\\e"),
                        ' ' | ',' | '{' | '}' => {}
                        other => out.push(other),
                    }
                }
                out.push('"');
            }
            other => panic!("CTF has no {other:?}"),
        }
    }
    fn begin_struct(&mut self, name: &str) {
        self.name(name);
        self.open.push(None);
    }
    fn begin_array(&mut self, name: &str, _: u64) {
        self.name(name);
        self.text.push('[');
        self.open.push(Some(0));
    }
    fn end(&mut self) {
        if self.open.pop().unwrap().is_some() {
            self.text.push(']');
        }
    }
}

/// A number as C's `%g` writes it, which is how babeltrace2 shows floats: six digits that count,
/// so the rest of them is not compared.
fn general(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        return trimmed(&format!("{number:.*}", (5 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

fn ours(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    read_folder(folder, "", &mut files);
    let mut reader = Reader::open(files).unwrap();
    let hosts: Vec<String> =
        reader.traces().iter().map(|trace| trace.host.clone().unwrap_or_default()).collect();
    let traces: Vec<usize> = reader.streams().iter().map(|stream| stream.trace).collect();
    let mut lines = Vec::new();
    while let Some(item) = reader.next_item() {
        let Item::Event(event) = item else { continue };
        let mut start = String::new();
        if let Some(time) = event.time {
            // babeltrace2 shows negative times otherwise; the traces here have none.
            write!(start, "[{}.{:09}]", time.0 / 1_000_000_000, time.0 % 1_000_000_000).unwrap();
        }
        start.push_str(&hosts[traces[event.stream.0 as usize]]);
        let mut line = Line::default();
        line.text.push(':');
        if let Some(cpu) = event.cpu {
            write!(line.text, "cpu_id={cpu}").unwrap();
        }
        event.fields.visit(Scope::Context, &mut line);
        event.fields.visit(Scope::Payload, &mut line);
        let symbol = event.symbol;
        let name: String = reader.alphabet().name(symbol).split(' ').collect();
        lines.push(format!("{start}{name}{}", line.text));
    }
    lines
}

fn theirs(folder: &Path) -> Vec<String> {
    let output =
        Command::new("babeltrace2").args(["--no-delta", "--clock-seconds"]).arg(folder).output().unwrap();
    assert!(output.status.success(), "babeltrace2: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| strip(&first_labels(line))).collect()
}

fn strip(line: &str) -> String {
    // Binary numbers come with leading zeros.
    let mut line: String = line.chars().filter(|c| !matches!(c, ' ' | ',' | '{' | '}')).collect();
    while line.contains("=0b00") || line.contains("=0b01") {
        line = line.replace("=0b0", "=0b");
    }
    line
}

/// Keeps the first label where babeltrace2 lists all that a value has.
fn first_labels(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find("( \"") {
        let (before, behind) = rest.split_at(start + 3);
        out.push_str(before);
        let (Some(label), Some(end)) = (behind.find('"'), behind.find(" : container")) else {
            rest = behind;
            continue;
        };
        out.push_str(&behind[..=label.min(end)]);
        rest = &behind[end..];
    }
    out + rest
}

/// Sorts lines of equal time, which both sides order in their own way.
fn sorted(mut lines: Vec<String>) -> Vec<String> {
    let time = |line: &String| line.split(']').next().map(str::to_owned);
    let ordered = lines.windows(2).all(|pair| time(&pair[0]) <= time(&pair[1]));
    if ordered {
        lines.sort();
    }
    lines
}

fn compare(folder: &Path) {
    let (ours, theirs) = (sorted(ours(folder)), sorted(theirs(folder)));
    let mut stale = 0;
    for (number, (our, their)) in ours.iter().zip(&theirs).enumerate() {
        if our != their && equal_but_for_stale_text(our, their) {
            stale += 1;
            continue;
        }
        assert_eq!(our, their, "event {number} of {}", folder.display());
    }
    assert_eq!(ours.len(), theirs.len(), "events of {}", folder.display());
    eprintln!("{}: {} events are equal ({stale} with stale text)", folder.display(), ours.len());
}

/// babeltrace2 2.0.4 shows the text of an earlier event where a string is empty: in many-threads an
/// `access` of "" that fails with ENOENT, whose bytes are plainly a NUL, is shown with the name of the
/// `access` before it. So where we read an empty string, any text is accepted of the other side.
fn equal_but_for_stale_text(our: &str, their: &str) -> bool {
    let mut rest = their;
    for (index, part) in our.split("\"\"").enumerate() {
        if index > 0 {
            let Some(text) = rest.strip_prefix('"') else { return false };
            let mut escaped = false;
            let end = text.find(|letter| {
                let ends = letter == '"' && !escaped;
                escaped = letter == '\\' && !escaped;
                ends
            });
            let Some(end) = end else { return false };
            rest = &text[end + 1..];
        }
        let Some(behind) = rest.strip_prefix(part) else { return false };
        rest = behind;
    }
    rest.is_empty()
}

/// A folder of its own for a test, emptied.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn a_trace_with_every_kind_of_field() {
    if !babeltrace_is_there() {
        return;
    }
    for big in [false, true] {
        let order = if big { "be" } else { "le" };
        let metadata = include_str!("every_kind.tsdl").replace("ORDER", order);
        let bytes = || if big { Bytes::big() } else { Bytes::little() };
        let event =
            |id: u64, time: u64, body: Bytes| bytes().bits(5, id).bits(27, time).u8(id as u8).then(body);
        let scalars = bytes().bits(3, 0b101).bits(7, 0x55).bits(13, 0x1234 & 0x1fff).align(8);
        let scalars = scalars.u16(0xBEEF).u32(1.5f32.to_bits()).u64((-0.25f64).to_bits()).text("tab\t \"q\"");
        let nested = bytes().u8(2).u16(7).u16(8).raw(b"hi").u8(1).text("a").text("b").u8(1);
        let nested = nested.text("c").raw(&[1, 2, 3, 4, 5, 6]).raw(b"text\0xyz");
        let choices = |tag: u8, body: Bytes| bytes().u8(tag).then(body);
        let events = |time| {
            event(0, 1_100, scalars.clone())
                .then(event(1, 90, nested.clone()))
                .then(event(2, 95, choices(0, bytes().text("chosen"))))
                .then(event(2, 96, choices(1, bytes().u8(2).u8(8).u8(9))))
                .then(event(2, 97, choices(7, bytes().u32(2.5f32.to_bits()))))
                .then(bytes().bits(5, 31).align(8).u32(500).u64(time).u8(3).raw(&[1, 2, 3]))
        };
        let header = |begin: u64, content: usize, total: usize| {
            bytes()
                .u32(0xC1FC1FC1)
                .raw(&(0..16).collect::<Vec<u8>>())
                .u32(7)
                .u64(begin)
                .u64(begin + (1 << 41))
                .u32((content * 8) as u32)
                .u32((total * 8) as u32)
                .u32(3)
        };
        let start = header(0, 0, 0).done().len();
        let packet = |begin, time| {
            let events = events(time).done();
            header(begin, start + events.len(), 512).raw(&events).pad(512).done()
        };
        let folder = scratch(&format!("every-kind-{order}"));
        std::fs::write(folder.join("metadata"), &metadata).unwrap();
        std::fs::write(folder.join("stream"), [packet(1_000, 1 << 40), packet(1 << 42, 5 << 40)].concat())
            .unwrap();
        assert_eq!(ours(&folder).len(), 12);
        compare(&folder);
        let trace = Trace::new(&metadata).file("stream", std::fs::read(folder.join("stream")).unwrap());
        assert!(trace.open().is_ok());
    }
}

#[test]
fn the_example_traces_of_this_repository() {
    if !babeltrace_is_there() {
        return;
    }
    let examples = std::fs::read_dir(repository().join("examples")).unwrap();
    let mut folders: Vec<PathBuf> =
        examples.map(|entry| entry.unwrap().path()).filter(|folder| has_metadata(folder)).collect();
    folders.sort();
    for folder in folders {
        compare(&folder);
    }
}

fn has_metadata(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let mut entries = entries.map(|entry| entry.unwrap().path());
    entries.any(|path| path.ends_with("metadata") || has_metadata(&path))
}

#[test]
fn real_traces_next_to_this_repository() {
    let Some(archives) = testing::shared("data/ctf") else { return };
    let counts = [
        ("many-threads", 240_644, true),
        ("many-threads-lossy-discard", 193_957, true),
        ("memory", 328_056, true),
        ("uneven-streams", 50_618, true),
        ("flipping-endianness", 14_310, true),
        ("hello-lost", 32_300, false),
        ("synctraces", 196_500, false),
    ];
    let folder = scratch("real");
    for (name, events, readable_by_both) in counts {
        let archive = archives.join(format!("{name}.tar.zst"));
        let status = Command::new("tar").arg("--zstd").arg("-xf").arg(&archive).current_dir(&folder).status();
        assert!(status.unwrap().success(), "{}", archive.display());
        let folder = folder.join(name);
        if readable_by_both && babeltrace_is_there() {
            compare(&folder);
        }
        assert_eq!(ours(&folder).len(), events, "{name}");
    }
}

/// All numbers or texts behind `"key":` in a JSON text that somebody else wrote; enough for the two
/// files of truth.
fn values_of(json: &str, key: &str) -> Vec<String> {
    let key = format!("\"{key}\":");
    let behind = |at: usize| json[at + key.len()..].trim_start();
    let value = |text: &str| text.split([',', '}', '\n']).next().unwrap().trim().trim_matches('"').to_owned();
    json.match_indices(&key).map(|(at, _)| value(behind(at))).collect()
}

/// The gaps of a real trace, by stream file.
fn gaps_of(folder: &Path) -> Vec<(String, Gap)> {
    let mut files = Vec::new();
    read_folder(folder, "", &mut files);
    let mut reader = Reader::open(files).unwrap();
    let names: Vec<String> = reader.streams().iter().map(|stream| stream.name.clone()).collect();
    let mut gaps = Vec::new();
    while let Some(item) = reader.next_item() {
        match item {
            Item::Gap(gap) if gap.edge == Edge::Start => {
                gaps.push((names[gap.stream.0 as usize].clone(), gap))
            }
            _ => {}
        }
    }
    gaps
}

#[test]
fn losses_of_real_traces_next_to_this_repository() {
    let Some(archives) = testing::shared("data/ctf") else { return };
    let folder = scratch("losses");
    for name in ["hello-lost", "many-threads-lossy-discard"] {
        let archive = archives.join(format!("{name}.tar.zst"));
        let status = Command::new("tar").arg("--zstd").arg("-xf").arg(&archive).current_dir(&folder).status();
        assert!(status.unwrap().success(), "{}", archive.display());
    }

    let truth = std::fs::read_to_string(archives.join("hello-lost.truth.json")).unwrap();
    let gaps = gaps_of(&folder.join("hello-lost"));
    let subsecond = |time: Option<Timestamp>| format!("{:09}", time.unwrap().0 % 1_000_000_000);
    let ours: Vec<(Lost, String, String)> =
        gaps.iter().map(|(_, gap)| (gap.lost, subsecond(gap.from), subsecond(gap.to))).collect();
    let texts = |key| values_of(&truth, key);
    let (counts, from, to) = (texts("count"), texts("from"), texts("to"));
    let theirs: Vec<(Lost, String, String)> = counts
        .iter()
        .zip(from.iter().zip(&to))
        .map(|(count, (from, to))| {
            let end = |time: &str| time.rsplit('.').next().unwrap().to_owned();
            (Lost::Events(count.parse().unwrap()), end(from), end(to))
        })
        .collect();
    assert_eq!(theirs.len(), 562);
    assert_eq!(ours, theirs);

    let truth = std::fs::read_to_string(archives.join("many-threads-lossy-discard.truth.json")).unwrap();
    let gaps = gaps_of(&folder.join("many-threads-lossy-discard"));
    let (streams, begins, ends) =
        (values_of(&truth, "stream"), values_of(&truth, "begin_ns"), values_of(&truth, "end_ns"));
    assert_eq!(streams.len(), 6);
    for ((stream, begin), end) in streams.iter().zip(&begins).zip(&ends) {
        let (begin, end): (i64, i64) = (begin.parse().unwrap(), end.parse().unwrap());
        let holds = |(name, gap): &(String, Gap)| {
            name.ends_with(stream)
                && gap.from.is_none_or(|from| from.0 <= begin)
                && gap.to.is_none_or(|to| to.0 >= end)
        };
        assert!(gaps.iter().any(holds), "{stream} {begin}..{end}: {gaps:?}");
    }
    let lost = |(_, gap): &(String, Gap)| if let Lost::Events(count) = gap.lost { count } else { 0 };
    assert_eq!(gaps.iter().map(lost).sum::<u64>(), 46_687);
}
