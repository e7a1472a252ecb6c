//! The cases of CTF 1 and 2 that lie beside the repository: valid ones are read, invalid ones are reported.
//!
//! The data cases say element by element what is in them; their README explains the notation. Compared are event
//! records with their contexts and payloads, which is what the reader hands out.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may stop")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use formats::ctf::Reader;
use model::{EventSource, FieldSink, Item, Lost, Scope, Severity, Value};
use source::NamedSource;
use tempfile::TempDir;

/// The unpacked cases; `None` where they are not at hand.
fn cases() -> Option<TempDir> {
    let archive = testing::shared("data/ctf2/ctf-cases.tar.zst")?;
    let folder = tempfile::tempdir().unwrap();
    let status =
        Command::new("tar").arg("--zstd").arg("-xf").arg(archive).arg("-C").arg(folder.path()).status();
    assert!(status.unwrap().success());
    Some(folder)
}

/// The cases of a folder, by name.
fn folders(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    found.sort();
    found
}

fn must_pass(name: &str) -> bool {
    name.trim_start_matches("auto-").starts_with("pass")
}

/// What the reader says of a trace: its events, and what is wrong.
#[derive(Debug, Default)]
struct Read {
    events: Vec<(String, Vec<String>)>,
    wrong: Vec<String>,
}

fn read(files: Vec<(&str, Vec<u8>)>) -> Read {
    let mut read = Read::default();
    let files =
        files.into_iter().map(|(name, bytes)| NamedSource { name: name.into(), source: Box::new(bytes) });
    let mut reader = match Reader::open(files.collect()) {
        Ok(reader) => reader,
        Err(error) => {
            read.wrong.push(error.to_string());
            return read;
        }
    };
    loop {
        let (symbol, tokens) = match reader.next_item() {
            None => break,
            Some(Item::Gap(gap)) => {
                if gap.lost == Lost::Unknown {
                    read.wrong.push("something is lost".into());
                }
                continue;
            }
            Some(Item::Event(event)) => {
                let mut tokens = Tokens::default();
                event.fields.visit(Scope::Context, &mut tokens);
                event.fields.visit(Scope::Payload, &mut tokens);
                (event.symbol, tokens.0)
            }
        };
        read.events.push((reader.alphabet().name(symbol).to_owned(), tokens));
    }
    let damage = reader.diagnostics().iter().filter(|diagnostic| diagnostic.severity == Severity::Damage);
    read.wrong.extend(damage.map(|diagnostic| diagnostic.sentence.clone()));
    read
}

/// Fields as flat words: `name=value`, `name{`, `name[`, `}`.
#[derive(Debug, Default)]
struct Tokens(Vec<String>);

impl FieldSink for Tokens {
    fn value(&mut self, name: &str, value: Value<'_>) {
        let text = match value {
            Value::Unsigned(number, _) => number.to_string(),
            Value::Signed(number, _) | Value::Enum(number, _) => number.to_string(),
            Value::Float(number) => float(number),
            Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Null => return,
        };
        self.0.push(format!("{name}={text}"));
    }
    fn begin_struct(&mut self, name: &str) {
        self.0.push(format!("{name}{{"));
    }
    fn begin_array(&mut self, name: &str, _: u64) {
        self.0.push(format!("{name}["));
    }
    fn end(&mut self) {
        self.0.push("}".into());
    }
}

/// The six digits that the cases show.
fn float(number: f64) -> String {
    format!("{number:.5e}")
}

/// The events of an `.expected` file. The last one may be cut where the data is wrong.
fn expected(text: &str) -> Vec<(String, Vec<String>)> {
    let mut events: Vec<(String, Vec<String>)> = vec![];
    // What ends with each open brace: the word for it, if the reader has one.
    let mut open: Vec<Option<&str>> = vec![];
    let (mut inside, mut depth) = (false, 0);
    let mut variant: Option<String> = None;
    for line in text.lines() {
        let line = line.trim_start();
        let Some((_, element)) = line.split_once(' ') else { continue };
        let element = element.trim_start();
        if element == "}" {
            if let Some(Some(end)) = open.pop()
                && let Some((_, tokens)) = events.last_mut()
            {
                tokens.push(end.into());
            }
            if open.len() < depth {
                inside = false;
            }
            continue;
        }
        let opens = element.ends_with(" {");
        let element = element.trim_end_matches(" {");
        let (kind, rest) = element.split_once(':').unwrap_or((element, ""));
        // What a variant holds has its name.
        let rest = &*match variant.take() {
            Some(name) if rest.is_empty() || kind.starts_with('F') && !rest.contains(':') => {
                if rest.is_empty() { name } else { format!("{name}:{rest}") }
            }
            _ => rest.to_owned(),
        };
        if matches!(kind, "VU" | "VS") {
            variant = rest.rsplit_once(':').map(|(name, _)| name.to_owned());
        }
        if kind == "SC" {
            inside = matches!(rest, "3" | "4" | "5");
            open.push(None);
            depth = open.len();
            continue;
        }
        if kind == "ERI" {
            events.push((rest.split_once('#').map_or("", |(_, name)| name).to_owned(), vec![]));
        }
        let Some((_, tokens)) = events.last_mut().filter(|_| inside) else {
            if opens {
                open.push(None);
            }
            continue;
        };
        let mut end = None;
        match kind {
            // The root of a scope has no name.
            "ST" if open.len() == depth => {}
            "ST" => (tokens.push(format!("{rest}{{")), end = Some("}")).0,
            "SLA" | "DLA" => (tokens.push(format!("{rest}[")), end = Some("}")).0,
            "SLB" | "DLB" => {
                let name = rest.rsplit_once(':').map_or("", |(name, _)| name);
                tokens.push(format!("{name}["));
                end = Some("}");
            }
            "NTS" | "SLS" | "DLS" => tokens.push(format!("{rest}=")),
            "RD" => {
                let data = rest.split_once(':').map_or("", |(_, data)| data);
                let last = tokens.last_mut().unwrap();
                if last.ends_with('[') {
                    let bytes = data.as_bytes().chunks(2).map(|two| std::str::from_utf8(two).unwrap());
                    let bytes: Vec<String> =
                        bytes.map(|byte| format!("={}", u8::from_str_radix(byte, 16).unwrap())).collect();
                    tokens.extend(bytes);
                } else {
                    last.push_str(data);
                }
            }
            "FLFPN" => {
                let (name, value) = rest.rsplit_once(':').unwrap_or(("", rest));
                tokens.push(format!("{name}={}", float(value.parse().unwrap())));
            }
            "FLBM" => {
                let mut parts = rest.rsplitn(3, ':');
                let (flags, value, name) =
                    (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
                tokens.extend([format!("{name}{{"), format!("value={value}"), "flags[".into()]);
                tokens.extend(flags.split(',').map(|flag| format!("={flag}")));
                tokens.extend(["}".into(), "}".into()]);
            }
            "FLUI" | "FLSI" | "VLUI" | "VLSI" | "FLBA" | "FLB" | "FLE" => {
                let (name, value) = rest.rsplit_once(':').unwrap_or(("", rest));
                tokens.push(format!("{name}={value}"));
            }
            _ => {}
        }
        match (opens, kind) {
            (true, _) => open.push(end),
            // Without braces there is nothing in it.
            (false, _) => tokens.extend(end.map(str::to_owned)),
        }
    }
    // Text ends with its first zero; in wide characters each of these has more than one.
    for token in events.iter_mut().flat_map(|(_, tokens)| tokens) {
        let Some((text, _)) = token.split_once("$00") else { continue };
        let zeros = token.matches("$00").count();
        let wide = token.replace("$00", "");
        let is_wide = zeros + 1 >= wide.split_once('=').map_or(0, |(_, text)| text.chars().count());
        *token = if is_wide { wide } else { text.into() };
    }
    events
}

/// Cases of TSDL that are read without a diagnostic, each with the reason.
const READ_ALL_THE_SAME: &[&str] = &[
    // A named variant whose tag stands where the variant is used. The case itself says that CTF 1.8 allows this.
    "fail-var-type-named-rel-sel-loc",
];

/// Runs all cases of a folder; a line for each that is not as it should be.
fn failures(folder: &Path, is_data: bool) -> (usize, Vec<String>) {
    let mut failures = vec![];
    let all = folders(folder);
    for (name, path) in &all {
        let metadata = std::fs::read(path.join("metadata")).unwrap();
        let mut files = vec![("metadata", metadata.clone())];
        if is_data {
            files.push(("stream", std::fs::read(path.join("stream")).unwrap()));
        }
        let found = read(files);
        match (must_pass(name), found.wrong.first()) {
            (true, Some(wrong)) => failures.push(format!("{name}: {wrong}")),
            (false, None) => failures.push(format!("{name}: nothing is told")),
            _ => {}
        }
        // Some wrong cases begin with a line that explains them: they must be refused without it, too.
        let bare = metadata.strip_prefix(b"---\n");
        if let Some(bare) = bare.filter(|_| !READ_ALL_THE_SAME.contains(&name.as_str())) {
            let end = memchr::memmem::rfind(bare, b"\n---\n").map_or(bare.len(), |at| at + 1);
            if read(vec![("metadata", bare[..end].to_vec())]).wrong.is_empty() {
                failures.push(format!("{name}: nothing is told of the metadata alone"));
            }
        }
        if is_data {
            let text = std::fs::read_to_string(path.with_file_name(format!("{name}.expected"))).unwrap();
            let wanted = expected(&text);
            let same = if must_pass(name) {
                wanted == found.events
            } else {
                // The event in which the data is wrong is not handed out.
                found.events.len() + 1 >= wanted.len() && wanted.starts_with(&found.events)
            };
            if !same {
                let location = wanted.iter().zip(&found.events).position(|(one, other)| one != other);
                let shown = location.map(|location| (&wanted[location], &found.events[location]));
                failures.push(format!(
                    "{name}: {} events, not {}: {:.400}",
                    found.events.len(),
                    wanted.len(),
                    format!("{shown:?}")
                ));
            }
        }
    }
    (all.len(), failures)
}

#[test]
fn cases_are_on_the_right_side() {
    let Some(folder) = cases() else { return };
    let mut all = vec![];
    let mut count = 0;
    for (part, is_data) in [
        ("metadata-text/ctf-1", false),
        ("metadata-text/ctf-2", false),
        ("iter-data/ctf-1", true),
        ("iter-data/ctf-2", true),
    ] {
        let (cases, failures) = failures(&folder.path().join("ctf-cases").join(part), is_data);
        count += cases;
        all.extend(failures.into_iter().map(|failure| format!("{part}/{failure}")));
    }
    assert_eq!(count, 476);
    assert!(all.is_empty(), "{} of {count}:\n{}", all.len(), all.join("\n"));
}

/// One line of babeltrace2's text: `[2026-11-24 22:20:12.434024702] (+?.?????????) vm demo:step: { cpu_id = 1 }, ...`.
fn line(event: &model::Event<'_>, name: &str) -> String {
    let time = event.time.unwrap().0;
    let (seconds, rest) = (time.div_euclid(1_000_000_000), time.rem_euclid(1_000_000_000));
    let clock = seconds.rem_euclid(86_400);
    let mut parts = vec![format!("cpu_id = {}", event.cpu.unwrap())];
    for scope in [Scope::Context, Scope::Payload] {
        let mut tokens = Tokens::default();
        event.fields.visit(scope, &mut tokens);
        let quoted = |token: &String| {
            let (name, value) = token.split_once('=').unwrap();
            let is_text = matches!(name, "procname" | "s");
            if is_text { format!("{name} = \"{value}\"") } else { format!("{name} = {value}") }
        };
        parts.push(tokens.0.iter().map(quoted).collect::<Vec<_>>().join(", "));
    }
    let parts: Vec<String> = parts.iter().map(|part| format!("{{ {part} }}")).collect();
    let (hours, minutes, seconds) = (clock / 3_600, clock / 60 % 60, clock % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{rest:09} {name}: {}", parts.join(", "))
}

/// What LTTng 2.16 recorded, event by event as babeltrace2 prints it, with losses where the numbering of the events
/// has its holes.
#[test]
fn traces_of_lttng_2_16_are_read_as_babeltrace2_does() {
    let Some(archive) = testing::shared("data/ctf2/lttng-ust-2.16.tar.zst") else { return };
    let folder = tempfile::tempdir().unwrap();
    let status =
        Command::new("tar").arg("--zstd").arg("-xf").arg(archive).arg("-C").arg(folder.path()).status();
    assert!(status.unwrap().success());
    for (name, emitted) in [("complete", 3_000), ("discard", 18_000), ("overwrite", 10_000)] {
        let root = folder.path().join(format!("ust2-{name}/ust/uid/0/64-bit"));
        let mut files = vec![];
        for entry in std::fs::read_dir(&root).unwrap().chain(std::fs::read_dir(root.join("index")).unwrap()) {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
                files.push(NamedSource { name, source: Box::new(std::fs::read(&path).unwrap()) });
            }
        }
        let mut reader = Reader::open(files).unwrap();
        assert_eq!(reader.traces()[0].format, "CTF 2.0");
        assert_eq!(reader.traces()[0].host.as_deref(), Some("vm"));
        let (mut lines, mut lost, mut packets) = (vec![], 0, 0);
        let (mut gaps, mut threads) = (vec![], BTreeMap::<String, Vec<(i64, i64)>>::new());
        loop {
            let text = match reader.next_item() {
                None => break,
                Some(Item::Gap(gap)) => {
                    gaps.push((gap.from.map_or(i64::MIN, |from| from.0), gap.to.map_or(i64::MAX, |to| to.0)));
                    match gap.lost {
                        Lost::Events(count) if gap.edge == model::Edge::Start => lost += count,
                        Lost::Packets(count) => packets += count,
                        _ => {}
                    }
                    continue;
                }
                Some(Item::Event(event)) => {
                    let mut tokens = Tokens::default();
                    event.fields.visit(Scope::Payload, &mut tokens);
                    let value =
                        |name: &str| tokens.0.iter().find_map(|token| token.strip_prefix(name)).unwrap();
                    let numbered = (value("i=").parse().unwrap(), event.time.unwrap().0);
                    threads.entry(value("s=").to_owned()).or_default().push(numbered);
                    line(&event, "demo:step")
                }
            };
            lines.push(text);
        }
        // Each thread numbers its events: where numbers are missing there is a loss, and nowhere else.
        let mut holes = vec![];
        for events in threads.values_mut() {
            events.sort_unstable();
            let begin = events.first().filter(|first| first.0 > 0).map(|first| (i64::MIN, first.1));
            let between = events.windows(2).filter(|pair| pair[0].0 + 1 < pair[1].0);
            holes.extend(begin.into_iter().chain(between.map(|pair| (pair[0].1, pair[1].1))));
            let end = events.last().filter(|last| last.0 + 1 < emitted / 2).map(|last| (last.1, i64::MAX));
            holes.extend(end);
        }
        let meets = |a: &(i64, i64), b: &(i64, i64)| a.0 <= b.1 && b.0 <= a.1;
        assert!(
            holes.iter().all(|hole| gaps.iter().any(|gap| meets(hole, gap))),
            "{name} {holes:?} {gaps:?}"
        );
        assert!(
            gaps.iter().all(|gap| holes.iter().any(|hole| meets(hole, gap))),
            "{name} {holes:?} {gaps:?}"
        );
        assert_eq!(holes.is_empty(), name == "complete");
        let text = std::fs::read_to_string(folder.path().join(format!("ust2-{name}.bt2.txt"))).unwrap();
        let wanted: Vec<String> = text
            .lines()
            .map(|line| {
                let (time, rest) = line.split_once("] ").unwrap();
                format!("{} {}", time.rsplit_once(' ').unwrap().1, rest.split_once(" vm ").unwrap().1)
            })
            .collect();
        // Events of one moment on two CPUs have no order.
        let (mut ours, mut theirs) = (lines, wanted);
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{name}");
        assert!(
            reader.diagnostics().iter().all(|diagnostic| diagnostic.severity != Severity::Damage),
            "{:?}",
            reader.diagnostics()
        );
        if name == "overwrite" {
            assert!(packets > 0, "{packets}");
        } else {
            assert_eq!((ours.len() as u64 + lost, packets), (emitted as u64, 0), "{name}");
        }
    }
}
