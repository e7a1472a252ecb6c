//! Files made by `fixture.rs`, what is read of them, and what happens when they are damaged.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use model::{EventSource, FieldSink, Item, Location, Scope, Value};

use super::Reader;
use super::fixture::{ENTER, File, ODD, words};
use super::fuzz::fuzz_perf;
use source::NamedSource;

fn open(bytes: Vec<u8>) -> Result<Reader, String> {
    Reader::open(NamedSource { name: "f".into(), source: Box::new(bytes) }).map_err(|error| error.to_string())
}

/// Writes fields as `name=value`.
#[derive(Default)]
struct Shown(String);

impl FieldSink for Shown {
    fn value(&mut self, name: &str, value: Value<'_>) {
        let name = if name.is_empty() { String::new() } else { format!("{name}=") };
        let _ = match value {
            Value::Text(text) => write!(self.0, " {name}{:?}", String::from_utf8_lossy(text)),
            Value::Unsigned(value, model::Base::Hexadecimal) => write!(self.0, " {name}{value:#x}"),
            Value::Unsigned(value, _) => write!(self.0, " {name}{value}"),
            Value::Signed(value, _) => write!(self.0, " {name}{value}"),
            other => write!(self.0, " {name}{other:?}"),
        };
    }
    fn begin_struct(&mut self, _: &str) {}
    fn begin_array(&mut self, name: &str, len: u64) {
        let _ = write!(self.0, " {name}[{len}]=(");
    }
    fn end(&mut self) {
        self.0.push_str(" )");
    }
}

/// All that a reader says, a line each.
fn show(bytes: Vec<u8>) -> String {
    let mut reader = match open(bytes) {
        Ok(reader) => reader,
        Err(error) => return format!("refused: {error}\n"),
    };
    let mut lines = vec![];
    let stream_names: Vec<String> = reader.streams().iter().map(|stream| stream.name.clone()).collect();
    let name = |stream: model::StreamId| stream_names[stream.0 as usize].clone();
    while let Some(item) = reader.next_item() {
        lines.push(match item {
            Item::Gap(gap) => {
                let from = gap.from.map_or("start".into(), |time| time.0.to_string());
                let to = gap.to.map_or("end".into(), |time| time.0.to_string());
                let lost = format!("{:?} in {from}..{to}", gap.lost);
                format!("{} -- lost {lost}, before event {}\n", name(gap.stream), gap.before_event)
            }
            Item::Event(event) => {
                let mut shown = Shown::default();
                event.fields.visit(Scope::Context, &mut shown);
                shown.0.push_str(" |");
                event.fields.visit(Scope::Payload, &mut shown);
                let time = event.time.map_or("-".into(), |time| time.0.to_string());
                format!("{} {time} {}{}\n", name(event.stream), event.name(), shown.0)
            }
        });
    }
    let mut out = lines.concat();
    for diagnostic in reader.diagnostics() {
        let Location::File { offset, .. } = diagnostic.location else { panic!("{diagnostic:?}") };
        out += &format!("! {} at {offset}: {}\n", diagnostic.code, diagnostic.sentence);
    }
    out
}

fn check(file: &File, expected: Expect) {
    expected.assert_eq(&show(file.bytes()));
}

#[test]
fn samples_of_both_buffers_come_by_time_with_the_names_of_the_kernel_models() {
    let file = File::new()
        .comm(0, 5, "shell")
        .switch(100, 0, 5, 1, 6)
        .enter(300, 0, 6, 0)
        .comm(350, 6, "editor")
        .switch(200, 1, 8, 0x100, 5)
        .round()
        .enter(400, 0, 6, 39)
        .enter(250, 1, 5, 9999)
        .round();
    check(
        &file,
        expect![[r#"
            cpu 0 100 sched_switch procname="shell" pid=7 tid=5 | prev_comm="before" prev_tid=5 prev_state=1 next_comm="behind" next_tid=6
            cpu 1 200 sched_switch pid=7 tid=8 | prev_comm="before" prev_tid=8 prev_state=256 next_comm="behind" next_tid=5
            cpu 1 250 syscall_entry_unknown procname="shell" pid=7 tid=5 | id=9999 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
            cpu 0 300 syscall_entry_read pid=7 tid=6 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
            cpu 0 400 syscall_entry_getpid procname="editor" pid=7 tid=6 | id=39 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        "#]],
    );
}

#[test]
fn fields_that_lie_elsewhere_and_a_thread_that_is_gone() {
    let mut raw = vec![3, 0, 0, 0, 44, 0, 0, 0];
    raw.extend((32u32 | 5 << 16).to_le_bytes()); // path: at 32, 5 bytes
    raw.extend((24u32 | 4 << 16).to_le_bytes()); // numbers: 24 behind 16, 4 bytes
    raw.extend([0xfe, 0, 0, 0, 0, 0, 0, 0]);
    raw.extend(0xffff_8000_0000_0000_u64.to_le_bytes());
    raw.extend(*b"/tmp\0\0\0\0");
    raw.extend([1, 2, 3, 4]);
    let mut outside = raw.clone();
    outside[10] = 200;
    let file = File::new()
        .sample(ODD, 1, 0, 5, &raw)
        .sample(ODD, 2, 0, u32::MAX, &raw)
        .sample(ODD, 3, 0, 5, &outside)
        .sample(ODD, 4, 0, 5, &raw[..10]);
    check(
        &file,
        expect![[r#"
            cpu 0 1 test:odd pid=7 tid=5 | path="/tmp" numbers[2]=( 513 1027 ) small=-2 address=0xffff800000000000
            cpu 0 2 test:odd pid=7 tid=44 | path="/tmp" numbers[2]=( 513 1027 ) small=-2 address=0xffff800000000000
            cpu 0 3 test:odd pid=7 tid=5 | numbers[2]=( 513 1027 ) small=-2 address=0xffff800000000000
            cpu 0 4 test:odd pid=7 tid=5 |
            ! perf-field at 968: A field of a sample, path, lies outside of what was written; it is left out.
            ! perf-field at 1056: A field of a sample, path, lies outside of what was written; it is left out.
        "#]],
    );
}

#[test]
fn a_gap_follows_the_sample_before_it_wherever_it_was_reported() {
    let file = File::new()
        .enter(100, 0, 5, 0)
        .enter(110, 1, 6, 0)
        .round()
        .enter(200, 1, 6, 0)
        .round()
        .enter(300, 1, 6, 0)
        .round()
        // Reported long after: nothing more happened on this CPU.
        .lost(400, 0, 5)
        .enter(400, 0, 5, 0)
        .round()
        // Four more than LOST reported, and some of a buffer without a LOST record.
        .total(11, 3)
        .total(21, 6)
        .total(12, 2);
    check(
        &file,
        expect![[r#"
        cpu 0 100 syscall_entry_read pid=7 tid=5 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        cpu 0 -- lost Events(5) in 100..400, before event 1
        cpu 1 110 syscall_entry_read pid=7 tid=6 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        cpu 1 200 syscall_entry_read pid=7 tid=6 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        cpu 1 300 syscall_entry_read pid=7 tid=6 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        cpu 1 -- lost Events(2) in 300..end, before event 3
        cpu 0 400 syscall_entry_read pid=7 tid=5 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        cpu 0 -- lost Events(4) in 400..end, before event 2
    "#]],
    );
    let first = File::new().lost(50, 1, 3).enter(60, 1, 5, 0);
    check(
        &first,
        expect![[r#"
        cpu 1 -- lost Events(3) in start..50, before event 0
        cpu 1 60 syscall_entry_read pid=7 tid=5 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
    "#]],
    );
}

#[test]
fn buffers_of_threads_are_streams_of_threads() {
    let minus = u64::from(u32::MAX);
    let index = [[11, 0, minus, 5], [21, 0, minus, 5], [12, 1, minus, 6], [22, 1, u64::MAX, 6]];
    let file = File::new().index(&index).enter(1, 0, 5, 0).lost(3, 1, 9).enter(3, 1, 6, 0).total(12, 10);
    check(
        &file,
        expect![[r#"
        thread 6 -- lost Events(9) in start..3, before event 0
        thread 5 1 syscall_entry_read pid=7 tid=5 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        thread 6 3 syscall_entry_read pid=7 tid=6 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        thread 6 -- lost Events(1) in 3..end, before event 1
    "#]],
    );
}

#[test]
fn what_comes_too_late_is_handed_out_and_told() {
    let file = File::new().enter(500, 0, 5, 0).round().enter(600, 0, 5, 0).round().enter(100, 1, 6, 0);
    check(
        &file,
        expect![[r#"
            cpu 0 500 syscall_entry_read pid=7 tid=5 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
            cpu 1 100 syscall_entry_read pid=7 tid=6 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
            cpu 0 600 syscall_entry_read pid=7 tid=5 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
            ! perf-late at 1032: A sample is older than one that was handed out before it; perf did not say in time.
        "#]],
    );
}

#[test]
fn what_cannot_be_used_is_left_out_and_told() {
    let file = File::new()
        .record(9, &words(&[7 << 32 | 7, 1, 99, 0, 0]))
        .record(9, &words(&[7 << 32 | 7, 1, ENTER * 10 + 1, 0]))
        .record(9, &[])
        .record(2, &[1])
        .record(13, &[1])
        .record(200, &[1, 2, 3])
        .enter(5, 0, 5, 0)
        .record(13, &words(&[4, 7 << 32 | 7, 9, 21, 0]));
    check(
        &file,
        expect![[r#"
            cpu 0 5 syscall_entry_read pid=7 tid=5 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
            cpu 0 -- lost Events(4) in 5..9, before event 1
            ! perf-sample-unknown at 792: This sample carries the identifier 99, which belongs to no event of the file; it is left out.
            ! perf-sample-short at 840: This sample of 32 bytes lacks parts that its event has; it is left out.
            ! perf-sample-unknown at 880: This sample carries no identifier; it is left out.
            ! perf-loss-short at 888: This LOST record is too short for its number, so how much was lost is unknown.
            ! perf-loss-short at 897: This LOST_SAMPLES record is too short for its number, so how much was lost is unknown.
            ! perf-record-unknown at 906: Records of the kind 200 are not known; they are left out.
        "#]],
    );
    let mut unreadable = file.clone();
    unreadable.records.extend([9, 0, 0, 0, 0, 0, 3, 0]);
    check(
        &unreadable,
        expect![[r#"
            cpu 0 5 syscall_entry_read pid=7 tid=5 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
            cpu 0 -- lost Events(4) in 5..9, before event 1
            cpu 0 -- lost Unknown in 5..end, before event 1
            ! perf-sample-unknown at 792: This sample carries the identifier 99, which belongs to no event of the file; it is left out.
            ! perf-sample-short at 840: This sample of 32 bytes lacks parts that its event has; it is left out.
            ! perf-sample-unknown at 880: This sample carries no identifier; it is left out.
            ! perf-loss-short at 888: This LOST record is too short for its number, so how much was lost is unknown.
            ! perf-loss-short at 897: This LOST_SAMPLES record is too short for its number, so how much was lost is unknown.
            ! perf-record-unknown at 906: Records of the kind 200 are not known; they are left out.
            ! perf-record at 1077: A record claims a size of 3 bytes, which is less than its head has; the records behind it cannot be found.
        "#]],
    );
}

#[test]
fn a_file_that_was_not_finished_has_no_names_but_its_samples() {
    let mut bytes = File::new().enter(100, 0, 5, 0).enter(110, 1, 6, 0).bytes();
    bytes[48..56].copy_from_slice(&[0; 8]); // the size of the data
    let data = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
    let records = File::new().enter(100, 0, 5, 0).enter(110, 1, 6, 0).records.len();
    bytes.truncate(data + records - 3);
    expect![[r#"
        cpu 0 100 tracepoint 2 pid=7 tid=5 |
        cpu 0 -- lost Unknown in 100..end, before event 1
        ! perf-unfinished at 40: perf did not finish this file (killed, or still running): what the buffers held last is missing, and so are the descriptions of events and machine, which it writes at the end.
        ! perf-formats-missing at 1013: The fields of 3 of 3 tracepoints are not described, so their samples are shown without any.
        ! perf-record at 904: The file ends 109 bytes into a record of 112 bytes.
    "#]].assert_eq(&show(bytes));
}

#[test]
fn files_of_other_kinds_are_refused_in_a_sentence() {
    let good = File::new().enter(1, 0, 5, 0);
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.bytes();
        change(&mut bytes);
        show(bytes)
    };
    let shown = [
        show(vec![]),
        show(b"PERFILE2".to_vec()),
        show(b"PERFILE1aaaaaaaa".to_vec()),
        show(b"2ELIFREPaaaaaaaa".to_vec()),
        show([&b"PERFILE2"[..], &words(&[16])].concat()),
        with(&|bytes| bytes[8] = 50),
        with(&|bytes| bytes[16] = 64),
        with(&|bytes| bytes[32..40].fill(0)),
        with(&|bytes| bytes.truncate(90)),
        show(good.clone().record(71, &[0; 16]).bytes()),
    ];
    expect![[r#"
        refused: f is no perf.data: it does not begin with `PERFILE2`.
        refused: f cannot be read (byte 8): The file ends after 8 bytes, within its header.
        refused: f is no perf.data: it does not begin with `PERFILE2`.
        refused: f cannot be read (byte 8): It was recorded on a big-endian machine, which is not supported.
        refused: f cannot be read (byte 16): It has no events.
        refused: f cannot be read (byte 8): The header claims 50 bytes; files of perf have 104 there.
        refused: f cannot be read (byte 16): An attribute should take 64 bytes, and at least 80 are needed.
        refused: f cannot be read (byte 152): It has no events.
        refused: f cannot be read (byte 90): The file ends after 90 bytes, within its header.
        refused: f cannot be read (byte 904): It holds a hardware trace (AUX), which is not supported; record without events like intel_pt.
    "#]].assert_eq(&shown.concat());
}

/// The same file as `perf record -z` writes it: one frame of zstd without an end, cut into records.
fn compressed(file: &File, of_each: usize) -> File {
    let mut packed = File { records: vec![], ..file.clone() };
    packed.features.push((27, vec![0; 16]));
    // A window of a kilobyte; blocks that are stored.
    let mut head = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0];
    for part in file.records.chunks(of_each) {
        head.extend(&(part.len() as u32 * 8).to_le_bytes()[..3]);
        packed = packed.record(81, &[std::mem::take(&mut head), part.to_vec()].concat());
    }
    packed
}

#[test]
fn compressed_records_are_read() {
    let file =
        File::new().lost(105, 0, 3).switch(100, 0, 5, 1, 6).switch(110, 0, 6, 1, 5).enter(120, 1, 7, 0);
    let plain = show(file.bytes());
    assert!(plain.contains("Events(3)") && plain.lines().count() > 3, "{plain}");
    for of_each in [7, 100, 1_000] {
        assert_eq!(show(compressed(&file, of_each).bytes()), plain, "{of_each}");
    }
    let mut packed = compressed(&file, 100);
    packed.records.truncate(packed.records.len() - 20);
    let garbage = file.clone().record(81, &[7; 16]);
    expect![[r#"
        cpu 0 -- lost Events(3) in start..100, before event 0
        cpu 0 100 sched_switch pid=7 tid=5 | prev_comm="before" prev_tid=5 prev_state=1 next_comm="behind" next_tid=6
        cpu 0 110 sched_switch pid=7 tid=6 | prev_comm="before" prev_tid=6 prev_state=1 next_comm="behind" next_tid=5
        cpu 0 -- lost Unknown in 110..end, before event 2
        ! perf-record at 1145: The file ends 75 bytes into a record of 95 bytes.
        cpu 0 -- lost Events(3) in start..100, before event 0
        cpu 0 100 sched_switch pid=7 tid=5 | prev_comm="before" prev_tid=5 prev_state=1 next_comm="behind" next_tid=6
        cpu 0 110 sched_switch pid=7 tid=6 | prev_comm="before" prev_tid=6 prev_state=1 next_comm="behind" next_tid=5
        cpu 0 -- lost Unknown in 110..end, before event 2
        cpu 1 120 syscall_entry_read pid=7 tid=7 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        cpu 1 -- lost Unknown in 120..end, before event 1
        ! perf-record at 1192: Compressed records are damaged: BadMagicNumber(117901063).
    "#]].assert_eq(&(show(packed.bytes()) + &show(garbage.bytes())));
}

#[test]
fn switches_that_are_missing_without_a_record_are_told() {
    let file = File::new()
        .switch(100, 0, 5, 1, 6)
        .enter(110, 0, 6, 0)
        .enter(120, 0, 7, 0)
        .switch(130, 0, 7, 1, 5)
        .switch(140, 1, 8, 1, 0)
        .switch(150, 1, 0, 1, 8)
        .switch(160, 0, 5, 1, 0);
    expect![[r#"
        cpu 0 100 sched_switch pid=7 tid=5 | prev_comm="before" prev_tid=5 prev_state=1 next_comm="behind" next_tid=6
        cpu 0 110 syscall_entry_read pid=7 tid=6 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        cpu 0 -- lost Unknown in 110..130, before event 2
        cpu 0 120 syscall_entry_read pid=7 tid=7 | id=0 args[6]=( 0x1 0x2 0x3 0x4 0x5 0x6 )
        cpu 0 130 sched_switch pid=7 tid=7 | prev_comm="before" prev_tid=7 prev_state=1 next_comm="behind" next_tid=5
        cpu 1 140 sched_switch pid=7 tid=8 | prev_comm="before" prev_tid=8 prev_state=1 next_comm="behind" next_tid=0
        cpu 1 150 sched_switch pid=7 tid=0 | prev_comm="before" prev_tid=0 prev_state=1 next_comm="behind" next_tid=8
        cpu 0 160 sched_switch pid=7 tid=5 | prev_comm="before" prev_tid=5 prev_state=1 next_comm="behind" next_tid=0
        ! perf-switches-missing at 584: A thread leaves a CPU to which another one came last, once: perf dropped switches without a record of it.
    "#]].assert_eq(&show(file.bytes()));
}

/// A file with all that the reader knows.
pub(super) fn rich() -> File {
    let raw = [&[3, 0, 0, 0, 44, 0, 0, 0, 32, 0, 5, 0, 24, 0, 4, 0][..], &[7; 32]].concat();
    File::new()
        .comm(0, 5, "shell")
        .record(7, &words(&[7 << 32 | 7, 5 << 32 | 6, 90, 7 << 32 | 7, 90, 0, 0]))
        .switch(100, 0, 5, 1, 6)
        .sample(ODD, 120, 0, 6, &raw)
        .enter(150, 1, 5, 0)
        .round()
        .lost(200, 0, 12)
        .enter(200, 0, 6, 1)
        .switch(190, 1, 5, 0x100, 8)
        .round()
        .record(13, &words(&[4, 7 << 32 | 7, 210, 22, 1]))
        .enter(220, 1, 8, 57)
        .round()
        .total(11, 4)
        .total(21, 10)
        .total(12, 3)
}

#[test]
fn the_kept_files_are_those_that_are_made_here() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/perf");
    let mut unfinished = File { features: vec![], ..rich() }.bytes();
    unfinished[48..56].fill(0);
    unfinished[72] = 0xfe; // the bits of the features are there from the start
    let hostile = {
        let mut bytes = rich().bytes();
        bytes[56 - 8..56].fill(0xff); // data without end
        bytes[24 + 8..40].fill(0x7f); // attributes without end
        bytes
    };
    let pipe = rich().bytes_of_pipe();
    let compressed = compressed(&rich(), 500).bytes();
    let rich = rich().bytes();
    for (name, bytes) in [
        ("rich", rich),
        ("unfinished", unfinished),
        ("hostile-sizes", hostile),
        ("pipe", pipe),
        ("compressed", compressed),
    ] {
        let path = folder.join(name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        let message = "UPDATE_EXPECT=1 writes these files anew";
        assert!(std::fs::read(&path).is_ok_and(|stored| stored == bytes), "{}: {message}", path.display());
    }
}

#[test]
fn what_went_through_a_pipe_is_the_same() {
    assert_eq!(show(rich().bytes_of_pipe()), show(rich().bytes()));
    let whole = rich().bytes_of_pipe();
    for len in 0..whole.len() {
        // Between two records nobody can see that a pipe was cut, so there may be nothing to say.
        let shown = show(whole[..len].to_vec());
        assert!(shown.lines().count() <= 20, "{shown}");
    }
    let cut = whole[..1_000].to_vec();
    expect![[r#"
        unknown -- lost Unknown in start..end, before event 0
        ! perf-formats-missing at 488: The fields of 2 of 3 tracepoints are not described, so their samples are shown without any.
        ! perf-formats at 976: The texts that describe the tracepoints end early: the text of an event does not fit.
        ! perf-record at 1000: The file ends within the texts that describe the tracepoints.
    "#]].assert_eq(&show(cut));
}

#[test]
fn cut_at_any_length_it_neither_panics_nor_invents() {
    let bytes = rich().bytes();
    let whole = show(bytes.clone());
    let events =
        |shown: &str| shown.lines().filter(|line| line.starts_with("cpu") && !line.contains("--")).count();
    let count = events(&whole);
    assert_eq!(count, 6, "{whole}");
    for len in 0..bytes.len() {
        let cut = show(bytes[..len].to_vec());
        assert!(events(&cut) <= count, "cut to {len} bytes:\n{cut}");
        assert!(
            cut.starts_with("refused") || cut.contains("! perf-"),
            "nothing is said of {len} bytes:\n{cut}"
        );
    }
}

#[test]
fn damaged_bytes_do_no_harm() {
    let both = [rich().bytes(), rich().bytes_of_pipe()];
    let mut random = fastrand::Rng::with_seed(20_261_121);
    for round in 0..20_000 {
        let good = &both[round % 2];
        let mut bytes = good.clone();
        for _ in 0..=random.usize(..4) {
            let at = random.usize(..bytes.len());
            match random.usize(..4) {
                0 => bytes[at] = random.u8(..),
                1 => bytes[at] ^= 1 << random.usize(..8),
                2 => {
                    let value =
                        [0u64, 1, 8, 0xffff, 0xffff_ffff, u64::MAX, 1 << 63, 1 << 40][random.usize(..8)];
                    for (to, from) in bytes[at..].iter_mut().zip(value.to_le_bytes()) {
                        *to = from;
                    }
                }
                _ => {
                    let from = random.usize(..good.len());
                    let len = random.usize(..64).min(good.len() - from).min(good.len() - at);
                    bytes[at..at + len].copy_from_slice(&good[from..from + len]);
                }
            }
        }
        let once = fuzz_perf(&bytes);
        assert_eq!(once, fuzz_perf(&bytes), "the same bytes read twice");
    }
}
