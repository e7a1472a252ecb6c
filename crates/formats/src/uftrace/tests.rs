//! Folders as uftrace writes them, made here record by record, and the steps that come of them.

use expect_test::{Expect, expect};
use model::FlowSource;
use model::flow::FlowStep;
use source::NamedSource;

use super::{Error, Recording};

const ENTRY: u64 = 0;
const EXIT: u64 = 1;
const LOST: u64 = 2;
const EVENT: u64 = 3;
const MORE: u64 = 4;

/// A record: kind, depth, address.
fn record(time: u64, kind: u64, depth: u64, address: u64) -> Vec<u8> {
    [time, kind | 5 << 3 | depth << 6 | address << 16].iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Where the functions of the program below lie in memory.
const MAIN: u64 = 0x40_1010;
const WORK: u64 = 0x40_1120;
const LEAF: u64 = 0x40_1234;

const INFO: &[u8] = b"Ftrace!\0\x04\0\0\0\x28\0\x01\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\
    exename:/opt/shop\nexit_status:768\ncmdline:uftrace record ./shop\nosinfo:hostname=\"desk\"\n\
    uftrace_version:v0.13 ( x86_64 )\n";
const TASKS: &str =
    "SESS timestamp=0.000000001 pid=7 sid=aa exename=\"/opt/shop\"\nTASK timestamp=0.000000002 tid=7 pid=7\n";
const MAP: &str = "00400000-00402000 r-xp 00000000 00:00 0   /opt/shop build-id:12\n\
    00500000-00600000 r-xp 00000000 00:00 0   /lib/libc.so.6\n";
const SYMBOLS: &str = "# symbols: 4\n0000000000001000 T main\n0000000000001100 t work\n\
    0000000000001200 t leaf\n0000000000001300 ? __sym_end\n";
const LINES: &str = "F: 1000 main\nL: 12 /src/shop.c\nF: 1200 leaf\nL: 3 /src/leaf.c\n";

fn files(records: Vec<u8>) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("info", INFO.to_vec()),
        ("task.txt", TASKS.into()),
        ("sid-aa.map", MAP.into()),
        ("shop.sym", SYMBOLS.into()),
        ("shop.dbg", LINES.into()),
        ("7.dat", records),
    ]
}

fn open(files: Vec<(&str, Vec<u8>)>) -> Result<Recording, Error> {
    let named =
        |(name, bytes): (&str, Vec<u8>)| NamedSource { name: name.to_owned(), source: Box::new(bytes) };
    Recording::open(files.into_iter().map(named).collect())
}

/// The steps of all threads, a line each, and the diagnostics.
fn shown(recording: &Recording) -> String {
    let mut out = String::new();
    for (at, thread) in recording.threads().iter().enumerate() {
        out += &format!("{}: {} records, {} lost\n", thread.name, thread.records, thread.lost);
        let (mut flow, mut depth) = (recording.flow(at), 1);
        while let Some(step) = flow.next_step() {
            match step {
                FlowStep::Enter { method, how } => {
                    let name = recording.code().method_name(method);
                    out += &format!("{}{name} {how:?}\n", "  ".repeat(depth));
                    depth += 1;
                }
                FlowStep::Leave { how } => {
                    depth -= 1;
                    out += &format!("{}{how:?}\n", "  ".repeat(depth));
                }
                FlowStep::Gap { lost } => out += &format!("{}{lost:?}\n", "  ".repeat(depth)),
                FlowStep::Blocks { blocks, times } => assert_eq!((blocks, times), (&[0][..], 1)),
                FlowStep::Inferred { .. } | FlowStep::Observed => {}
                FlowStep::Catch { .. }
                | FlowStep::Moment(_)
                | FlowStep::Clock(_)
                | FlowStep::Mark(_)
                | FlowStep::Values(_)
                | FlowStep::Task(_) => {}
            }
        }
        assert_eq!(flow.taken(), thread.records);
    }
    for diagnostic in recording.diagnostics() {
        out += &format!("{:?} {:?}: {}\n", diagnostic.severity, diagnostic.location, diagnostic.sentence);
    }
    out
}

fn check(records: &[Vec<u8>], expected: &Expect) {
    expected.assert_eq(&shown(&open(files(records.concat())).unwrap()));
}

#[test]
fn entries_and_exits_are_frames_of_named_functions() {
    let records = [
        record(10, ENTRY, 0, MAIN),
        record(11, ENTRY, 1, WORK),
        record(12, ENTRY, 2, LEAF),
        record(13, EXIT, 2, LEAF),
        record(14, EXIT, 1, WORK),
        record(15, ENTRY, 1, 0x50_0040),
        record(16, EXIT, 1, 0x50_0040),
        record(17, EVENT, 0, 1),
        record(18, ENTRY, 1, 0x70_0000),
    ];
    check(
        &records,
        &expect![[r#"
        shop 7: 9 records, 0 lost
          shop.main Outermost
            shop.work Call
              shop.leaf Call
              Returned
            Returned
            libc.0x40 Call
            Returned
            ?.0x700000 Call
            Open
          Open
        Note File { file: "libc.so.6.sym", offset: 0 }: The file is missing: functions are called by their addresses.
    "#]],
    );
    let recording = open(files(records.concat())).unwrap();
    let code = recording.code();
    let of = |name: &str| code.methods.iter().find(|method| method.name == name).unwrap();
    assert_eq!((of("main").blocks[0].lines.as_slice(), of("work").blocks[0].lines.len()), (&[12][..], 0));
    assert_eq!(code.class(of("leaf").class).unwrap().source_file.as_deref(), Some("leaf.c"));
    let course = recording.course();
    assert_eq!((course.program.as_deref(), course.pid), (Some("/opt/shop"), Some(7)));
    assert_eq!(course.ending.as_deref(), Some("the program ended with exit code 3"));
    assert_eq!(recording.trace().host.as_deref(), Some("desk"));
    assert_eq!(recording.trace().tracer.as_deref(), Some("uftrace 0.13"));
}

#[test]
fn lost_records_are_a_gap_and_the_frames_that_they_ended_are_put_right() {
    let records = [
        record(10, ENTRY, 0, MAIN),
        record(11, ENTRY, 1, WORK),
        record(0, LOST, 0, 40),
        record(13, EXIT, 2, LEAF),
        record(14, ENTRY, 1, LEAF),
        record(0, LOST, 5, 1),
        record(16, ENTRY, 3, LEAF),
        record(17, EXIT, 0, MAIN),
    ];
    check(
        &records,
        &expect![[r#"
        shop 7: 8 records, 41 lost
          shop.main Outermost
            shop.work Call
              Events(40)
              shop.leaf Unseen
              Returned
            Unseen
            shop.leaf Call
              Events(1)
              shop.leaf Unseen
              Unseen
            Unseen
          Returned
    "#]],
    );
}

#[test]
fn values_of_calls_are_passed_over_however_many_they_are() {
    // Values that look like a record of another time or depth are none.
    let pointer = record(0x7ffe_8adc_f5d8, LOST, 0, 51_000_000);
    let values = [&pointer[..], &record(5, ENTRY, 2, LEAF), &record(12, ENTRY, 9, LEAF), &[0; 8]].concat();
    let records = [
        record(10, ENTRY, 0, MAIN),
        record(11, ENTRY | MORE, 1, WORK),
        values,
        record(12, ENTRY, 2, LEAF),
        record(13, EXIT | MORE, 2, LEAF),
        vec![7; 8],
        record(14, EXIT | MORE, 1, WORK),
        vec![0; 24],
    ];
    check(
        &records,
        &expect![[r#"
        shop 7: 5 records, 0 lost
          shop.main Outermost
            shop.work Call
              shop.leaf Call
              Returned
            Returned
          Open
    "#]],
    );
}

#[test]
fn what_is_no_record_is_a_gap_and_a_diagnostic() {
    let records = [
        record(10, ENTRY, 0, MAIN),
        vec![0xff; 32],
        record(11, ENTRY, 1, WORK),
        record(12, EXIT, 1, WORK),
        vec![1, 2, 3],
    ];
    check(
        &records,
        &expect![[r#"
        shop 7: 3 records, 0 lost
          shop.main Outermost
            Unknown
            shop.work Call
            Returned
            Unknown
          Open
        Damage File { file: "7.dat", offset: 16 }: 32 bytes are no records and were skipped.
        Damage File { file: "7.dat", offset: 80 }: 3 bytes are no records and were skipped.
    "#]],
    );
}

/// Two records, then nothing up to a terabyte.
struct Sparse(Vec<u8>);

const TERABYTE: u64 = 1 << 40;

impl source::Source for Sparse {
    fn size(&self) -> u64 {
        TERABYTE
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min((TERABYTE - offset.min(TERABYTE)) as usize);
        buffer[..count].fill(0);
        self.0.read_at(offset, &mut buffer[..count])?;
        Ok(count)
    }

    fn next_data(&self, offset: u64) -> u64 {
        if offset < self.0.len() as u64 { offset } else { TERABYTE.max(offset) }
    }
}

#[test]
fn a_hole_of_a_file_is_passed_at_once() {
    let mut named: Vec<NamedSource> = files(vec![])
        .into_iter()
        .filter(|(name, _)| *name != "7.dat")
        .map(|(name, bytes)| NamedSource { name: name.to_owned(), source: Box::new(bytes) })
        .collect();
    let records = [record(10, ENTRY, 0, MAIN), record(11, EXIT, 0, MAIN)].concat();
    named.push(NamedSource { name: "7.dat".to_owned(), source: Box::new(Sparse(records)) });
    let recording = Recording::open(named).unwrap();
    let text = shown(&recording);
    assert!(text.contains("shop 7: 2 records, 0 lost\n"), "{text}");
    assert!(text.contains("offset: 32 }: 1099511627744 bytes are no records and were skipped."), "{text}");
}

#[test]
fn a_program_that_is_started_by_another_has_functions_of_its_own() {
    let tasks = "SESS timestamp=0.000000001 pid=7 sid=aa exename=\"/opt/shop\"\nnonsense\n\
        FORK timestamp=0.000000005 pid=8 ppid=7\nSESS timestamp=0.000000020 pid=8 sid=bb exename=\"/opt/till\"\n";
    let mut all = files(vec![]);
    all.retain(|(name, _)| *name != "task.txt" && *name != "7.dat");
    all.push(("task.txt", tasks.into()));
    all.push(("sid-bb.map", "00400000-00402000 r-xp 00000000 00:00 0   /opt/till\n".into()));
    all.push(("till.sym", "0000000000001000 T open\n".into()));
    all.push(("8.dat", [record(10, ENTRY, 0, WORK), record(30, ENTRY, 0, MAIN)].concat()));
    expect![[r#"
        till 8: 2 records, 0 lost
          shop.work Outermost
          Unseen
          till.open Outermost
          Open
        Damage File { file: "task.txt", offset: 0 }: Lines that make no sense, left out: 1; the first is line 2.
    "#]]
    .assert_eq(&shown(&open(all).unwrap()));
}

#[test]
fn without_maps_and_symbols_functions_are_called_by_their_addresses() {
    let mut all = files(record(10, ENTRY, 0, MAIN));
    all.retain(|(name, _)| *name != "shop.sym");
    expect![[r#"
        shop 7: 1 records, 0 lost
          shop.0x1010 Outermost
          Open
        Note File { file: "shop.sym", offset: 0 }: The file is missing: functions are called by their addresses.
    "#]].assert_eq(&shown(&open(all).unwrap()));
    let mut all = files(record(10, ENTRY, 0, MAIN));
    all.retain(|(name, _)| *name != "sid-aa.map");
    expect![[r#"
        shop 7: 1 records, 0 lost
          ?.0x401010 Outermost
          Open
        Damage File { file: "sid-aa.map", offset: 0 }: The file is missing: functions are called by their addresses.
    "#]].assert_eq(&shown(&open(all).unwrap()));
}

#[test]
fn other_files_are_refused_by_name() {
    let refused = |info: &[u8]| open(vec![("info", info.to_vec())]).unwrap_err().to_string();
    assert_eq!(refused(b"hello"), "the file `info` is missing or does not begin with `Ftrace!`");
    let with = |at: usize, byte: u8| {
        let mut info = INFO.to_vec();
        info[at] = byte;
        refused(&info)
    };
    assert_eq!(with(8, 9), "it has version 9 of uftrace's format; version 4 is read");
    assert_eq!(with(14, 2), "it was recorded on a big-endian machine");
}

/// Makes the kept inputs of the fuzz target; run with `--ignored` after a change of the format.
#[test]
#[ignore = "writes into the repository"]
fn kept_inputs_are_made() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/uftrace");
    std::fs::create_dir_all(&folder).unwrap();
    let records = [
        record(10, ENTRY, 0, MAIN),
        record(11, ENTRY | MORE, 1, WORK),
        vec![9; 8],
        record(0, LOST, 0, 4),
        record(13, EXIT, 2, LEAF),
    ];
    let files = files(records.concat());
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, bytes.as_slice())).collect();
    std::fs::write(folder.join("small"), super::fuzz::join(&files)).unwrap();
}
