//! perf.data files made to be expensive: read without a panic, within ten seconds (hardly optimised, on a
//! machine that is busy; a second is the aim) and in 64 MiB and four times their size.
//!
//! One test in a file of its own: the memory of the whole process is what is counted.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first broken promise")]

use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

const TOO_LONG: Duration = Duration::from_secs(10);
const SIZE: usize = 16 << 20;

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn record(kind: u32, body: &[u8]) -> Vec<u8> {
    let size = (body.len() as u16 + 8).to_le_bytes();
    [&kind.to_le_bytes()[..], &[0, 0], &size, body].concat()
}

/// A file with one event that is asked for `count` times, and one feature: the tracing data.
fn file(sample_type: u64, ids: u64, count: usize, records: &[u8], tracing: &[u8]) -> Vec<u8> {
    let mut attribute = [2u32.to_le_bytes(), 128u32.to_le_bytes()].concat();
    attribute.extend(words(&[1, 1, sample_type, 0, 1 << 18]));
    attribute.resize(128, 0);
    // The identifiers of all events are the bytes of the file itself.
    attribute.extend(words(&[0, ids * 8]));
    let (attributes, data) = (104, 104 + 144 * count);
    let mut bytes = b"PERFILE2".to_vec();
    bytes.extend(words(&[104, 144, attributes, 144 * count as u64, data as u64, records.len() as u64, 0, 0]));
    bytes.extend(words(&[2, 0, 0, 0]));
    bytes.extend(attribute.repeat(count));
    bytes.extend(records);
    bytes.extend(words(&[(data + records.len() + 16) as u64, tracing.len() as u64]));
    bytes.extend(tracing);
    bytes
}

fn tracing(events: u64, fields: usize) -> Vec<u8> {
    let mut bytes = b"\x17\x08\x44tracing0.6\0\0\x08\0\x10\0\0h\0".to_vec();
    bytes.extend([words(&[0]), b"h\0".to_vec(), words(&[0])].concat());
    bytes.extend(0u32.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    bytes.extend(b"s\0");
    bytes.extend((events as u32).to_le_bytes());
    let field = "\tfield:__data_loc u8[] a;\toffset:0;\tsize:4;\tsigned:0;\n";
    let text = format!("name: e\nID: 1\nformat:\n{}", field.repeat(fields));
    for _ in 0..events {
        bytes.extend(words(&[text.len() as u64]));
        bytes.extend(text.bytes());
    }
    bytes
}

#[test]
fn expensive_files_stay_cheap() {
    const TIME_AND_CPU: u64 = 1 << 2 | 1 << 7;
    let many = |record: &[u8]| record.repeat(SIZE / record.len());
    let growing = |make: &dyn Fn(u64) -> Vec<u8>| {
        (0..)
            .map(make)
            .scan(0, |sum, record| {
                *sum += record.len();
                (*sum < SIZE).then_some(record)
            })
            .flatten()
            .collect::<Vec<u8>>()
    };
    let sample_and_round = |n| [record(9, &words(&[n, n % 8])), record(68, &[])].concat();
    let lost = |n| record(2, &words(&[1, 1, n + 1, 0]));
    let whole_record = [&[0, 0, 0x60, 0xea][..], &vec![1; 60_000]].concat();
    let wide = [&60_004u32.to_le_bytes()[..], &whole_record, &[0; 4]].concat();
    let cases = [
        ("samples of nothing, never a round", file(0, 0, 1, &many(&record(9, &[])), &[])),
        (
            "three quarters of that, when a vector has just grown",
            file(0, 0, 1, &record(9, &[]).repeat((SIZE / 4 * 3) / 8), &[]),
        ),
        ("samples of one time", file(TIME_AND_CPU, 0, 1, &many(&record(9, &words(&[7, 0]))), &[])),
        ("a round after each sample", file(TIME_AND_CPU, 0, 1, &growing(&sample_and_round), &[])),
        ("nothing but rounds", file(0, 0, 1, &many(&record(68, &[])), &[])),
        ("nothing but losses", file(TIME_AND_CPU, 0, 1, &growing(&lost), &[])),
        (
            "each sample on a CPU of its own",
            file(TIME_AND_CPU, 0, 1, &growing(&|n| record(9, &words(&[n, n]))), &[]),
        ),
        (
            "each loss on a CPU of its own",
            file(TIME_AND_CPU, 0, 1, &growing(&|n| record(2, &words(&[1, 1, n + 1, n]))), &[]),
        ),
        ("totals of nobody", file(TIME_AND_CPU, 0, 1, &many(&record(13, &words(&[1, 0, 0]))), &[])),
        (
            "a name for each of many threads",
            file(TIME_AND_CPU, 0, 1, &growing(&|n| record(3, &words(&[n << 32, n, 1, 0]))), &[]),
        ),
        (
            "events that share their identifiers",
            file(1 << 16, 1 << 20, 1 << 14, &many(&record(68, &[])), &[]),
        ),
        ("texts of tracepoints", file(1 << 10, 0, 1, &[], &tracing(1, SIZE / 52))),
        ("many texts of one tracepoint", file(1 << 10, 0, 1, &[], &tracing(1 << 16, 4))),
        (
            "fields that are all the whole record",
            file(1 << 10, 0, 1, &record(9, &wide).repeat(64), &tracing(1, 128)),
        ),
    ];
    for (name, bytes) in cases {
        let before = MEMORY.current_usage();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        // `fuzz_perf` copies its input, which is not the reader's doing.
        let count = formats::perf::fuzz::fuzz_perf(&bytes);
        let (took, used) = (start.elapsed(), MEMORY.peak_usage() - before - bytes.len());
        println!("{name}: {} KiB, {count}, {took:.0?}, {} KiB", bytes.len() >> 10, used >> 10);
        assert!(took < TOO_LONG, "{name}: {took:?}");
        assert!(used < fuzz::memory_bound(bytes.len()), "{name}: {} MiB", used >> 20);
    }
}
