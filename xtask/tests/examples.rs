//! The recorded examples are held against what is known of them: `examples/README.md` has the
//! figures, and each event carries how many events its thread had sent before.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::root;
use formats::ctf::Reader;
use model::{Edge, EventSource, Gap, Item, Lost, Timestamp, Value};
use source::NamedSource;

/// What a trace turned out to hold.
#[derive(Default)]
struct Seen {
    /// For each thread its events: time, CPU and `step`.
    threads: BTreeMap<i64, Vec<(Timestamp, u32, i64)>>,
    gaps: Vec<Gap>,
    diagnostics: usize,
}

impl Seen {
    fn events(&self) -> usize {
        self.threads.values().map(Vec::len).sum()
    }

    /// Events that are missing by the threads' own count, up to the last that was kept of each.
    fn jumps(&self) -> impl Iterator<Item = (Timestamp, Timestamp, i64)> {
        self.threads.values().flat_map(|events| {
            let first = events.first().map(|first| (Timestamp(i64::MIN), first.0, first.2));
            let between = events.windows(2).map(|pair| (pair[0].0, pair[1].0, pair[1].2 - pair[0].2 - 1));
            first.into_iter().chain(between).filter(|jump| jump.2 > 0)
        })
    }
}

fn read(name: &str) -> Seen {
    let folder = root().join("examples/traces").join(name);
    let mut files = Vec::new();
    collect(&folder, &folder, &mut files);
    let mut reader = Reader::open(files).unwrap();
    let mut seen = Seen::default();
    while let Some(item) = reader.next_item() {
        match item {
            Item::Gap(gap) => seen.gaps.push(gap),
            Item::Event(event) => {
                let number =
                    |name| event.fields.get(name).and_then(|value: Value<'_>| value.as_i64()).unwrap();
                let events = seen.threads.entry(number("vtid")).or_default();
                events.push((event.time.unwrap(), event.cpu.unwrap(), number("step")));
            }
        }
    }
    seen.diagnostics = reader.diagnostics().len();
    seen
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<NamedSource>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.push(NamedSource { name, source: Box::new(std::fs::read(&path).unwrap()) });
        }
    }
}

#[test]
fn nothing_is_missing_from_complete() {
    let seen = read("complete");
    assert_eq!(seen.events(), 2_608);
    assert_eq!(seen.threads.values().map(Vec::len).collect::<Vec<_>>(), [1_024, 880, 704]);
    assert_eq!(seen.jumps().count(), 0);
    assert!(seen.gaps.is_empty());
    assert_eq!(seen.diagnostics, 0);
}

#[test]
fn every_event_missing_from_lossy_is_declared() {
    let seen = read("lossy");
    assert_eq!(seen.events(), 4_389);
    let declared = |gap: &&Gap| gap.edge == Edge::Start;
    let lost: Vec<u64> = seen.gaps.iter().filter(declared).map(events_of).collect();
    assert_eq!((lost.len(), lost.iter().sum::<u64>()), (20, 501));
    // The tail of a thread can be missing too, which its own count cannot show.
    let sent = 4_890 - seen.events() as i64;
    let tails: i64 = [1_920, 1_650, 1_320]
        .iter()
        .zip(seen.threads.values())
        .map(|(sent, events)| sent - 1 - events.last().unwrap().2)
        .sum();
    assert_eq!(seen.jumps().map(|jump| jump.2).sum::<i64>() + tails, sent);
    every_jump_lies_in_a_gap(&seen);
}

#[test]
fn every_packet_missing_from_overwrite_is_declared() {
    let seen = read("overwrite");
    assert_eq!(seen.events(), 4_147);
    let packets = |gap: &Gap| match gap.lost {
        Lost::Packets(count) if gap.edge == Edge::Start => Some(count),
        _ => None,
    };
    let lost: Vec<u64> = seen.gaps.iter().filter_map(packets).collect();
    assert_eq!((lost.len(), lost.iter().sum::<u64>()), (5, 9));
    every_jump_lies_in_a_gap(&seen);
}

fn events_of(gap: &Gap) -> u64 {
    match gap.lost {
        Lost::Events(count) => count,
        other => panic!("{other:?}"),
    }
}

/// Where the count of a thread jumps, some gap covers a part of the time of the jump.
fn every_jump_lies_in_a_gap(seen: &Seen) {
    for (from, to, missing) in seen.jumps() {
        let covers =
            |gap: &Gap| gap.from.is_none_or(|start| start <= to) && gap.to.is_none_or(|end| end >= from);
        assert!(
            seen.gaps.iter().any(covers),
            "{missing} events between {from:?} and {to:?} are not declared"
        );
    }
}
