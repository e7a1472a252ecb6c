//! `table --part`: parts one after the other are the table, byte for byte.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use crate::util::{below_root, folder};

use super::{Folder, run};

/// The lines of a table behind the names of its columns.
fn rows<'a>(folder: &Folder, what: &str, input: &str, options: impl IntoIterator<Item = &'a str>) -> String {
    let options: Vec<&str> = options.into_iter().collect();
    let ran = run(folder, &[&["table", what, input], &options[..]].concat());
    assert!(ran.code < 2, "{input} {options:?}: {ran}");
    ran.out.split_once('\n').unwrap().1.to_owned()
}

/// How many of `count` parts have rows.
fn check(folder: &Folder, what: &str, input: &str, count: usize, jobs: &str) -> usize {
    let whole = rows(folder, what, input, []);
    let part =
        |number: usize| rows(folder, what, input, ["--part", &format!("{number}/{count}"), "--jobs", jobs]);
    let parts: Vec<String> = (1..=count).map(part).collect();
    assert!(parts.concat() == whole, "{what} of {input} in {count} parts with {jobs} jobs");
    parts.iter().filter(|part| !part.is_empty()).count()
}

#[test]
fn parts_are_the_whole_in_every_format() {
    let folder = folder().with(
        "log.jsonl",
        (0..300)
            .map(|time| format!("{{\"ts\":{time},\"name\":\"n\",\"stream\":\"{}\"}}\n", time % 3))
            .collect::<String>(),
    );
    let traces =
        ["lossy", "complete", "overwrite"].map(|name| below_root(&format!("examples/traces/{name}")));
    for trace in &traces {
        for what in ["events", "gaps"] {
            for (count, jobs) in [(1, "1"), (2, "2"), (8, "1"), (8, "2"), (50, "1")] {
                let filled = check(&folder, what, trace, count, jobs);
                assert!(what == "gaps" || count == 1 || filled > 1, "{filled} of {count} parts of {trace}");
            }
        }
    }
    let others =
        ["examples/pipes/talk.data.gz", "examples/bakery/bakery.capture", "examples/uftrace/shapes.data"];
    for input in others.map(below_root).into_iter().chain(["log.jsonl".to_owned()]) {
        let filled = check(&folder, "events", &input, 3, "2");
        assert!(filled > 1, "{filled} parts of {input}");
    }
}

/// Copies a trace without some of its packets, and gives back how many were left out.
fn without_packets(from: &Path, to: &Path, rng: &mut Rng) -> usize {
    /// Where a packet of LTTng says how many bits it has.
    const SIZE: usize = 56;
    fs::create_dir_all(to).unwrap();
    let mut left_out = 0;
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.ends_with("index") {
            // It lists the packets that were there.
            continue;
        }
        if path.is_dir() {
            left_out += without_packets(&path, &to, rng);
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let mut rest = &bytes[..];
        let mut copy = vec![];
        let is_stream = entry.file_name().to_string_lossy().starts_with("shop");
        while let Some(size) = rest.get(SIZE..SIZE + 8).filter(|_| is_stream) {
            let bits = u64::from_le_bytes(size.try_into().unwrap());
            assert_ne!(bits, 0);
            let Some((packet, others)) = rest.split_at_checked(bits as usize / 8) else { break };
            match rng.u8(..4) {
                0 => left_out += 1,
                _ => copy.extend(packet),
            }
            rest = others;
        }
        copy.extend(rest);
        fs::write(to, copy).unwrap();
    }
    left_out
}

#[test]
fn parts_are_the_whole_without_packets_and_events() {
    let mut rng = Rng::with_seed(0x37);
    let mut left_out = 0;
    for number in 0..6 {
        let name = ["lossy", "complete", "overwrite"][number % 3];
        let from = below_root(&format!("examples/traces/{name}/ust/uid/0/64-bit"));
        let folder = folder();
        left_out += without_packets(Path::new(&from), &folder.path.join("trace"), &mut rng);
        let events = run(&folder, &["events", "trace", "--json", "--gaps"]);
        let lines: String = events.out.split_inclusive('\n').filter(|_| rng.u8(..5) > 0).collect();
        let folder = folder.with("trace.jsonl", lines);
        for what in ["events", "gaps"] {
            for (count, jobs) in [(2, "1"), (8, "2")] {
                check(&folder, what, "trace", count, jobs);
            }
            check(&folder, what, "trace.jsonl", 3, "1");
        }
    }
    assert!(left_out > 20, "{left_out} packets");
}

#[test]
fn what_has_no_parts_says_so() {
    let folder = folder().with("log.jsonl", "{\"ts\":1,\"name\":\"a\"}\n");
    let message = |arguments: &str| {
        let ran = run(&folder, &arguments.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran}");
        ran.err.lines().next().unwrap().to_owned()
    };
    assert_eq!(
        message("table states log.jsonl --part 1/2"),
        "tracewright: `states` has no parts: what it says of a part depends on all that came before; `events` and `gaps` have"
    );
    assert_eq!(
        message("table events log.jsonl log.jsonl --part 1/2"),
        "tracewright: a part is of one input, not of 2"
    );
    for part in ["0/2", "3/2", "1/0", "2", "1/2/3", "1/1000001"] {
        assert!(
            message(&format!("table events log.jsonl --part {part}")).contains("invalid value"),
            "{part}"
        );
    }
    // One that cannot be read is told of by the first part, and no part goes well.
    assert!(message("table events none.jsonl --part 1/2").starts_with("tracewright: cannot open none.jsonl"));
    let piped = folder.run_with(["table", "events", "-", "--part", "1/2"], "{\"ts\":1,\"name\":\"a\"}\n");
    assert_eq!(piped.out.lines().count(), 2, "nobody knows how long it is: {piped}");
}
