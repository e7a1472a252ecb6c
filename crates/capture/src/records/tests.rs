//! Every kind of frame comes back, and a body cut at any length is refused without harm.

use model::code::{Block, CallKind, CallSite, Edge, EdgeKind, Ending, Loop, Method};
use model::flow_source::Mark;
use model::running::{Running, RunningFrame, RunningSamples};
use model::stack::{SampledFrame, SampledMethod, SampledThread, StackSample, ThreadState, Wait};
use model::{ClassId, ProgramText, ProgramValue, Task, TaskMoment, Timestamp};

use super::*;
use crate::frame::{self, Frame};

fn body(out: &[u8]) -> Vec<u8> {
    let frame = Frame::read(out).unwrap();
    assert_eq!(frame.before_body + frame.body as usize, out.len());
    frame::expand(&out[frame.before_body..], frame.flags, 1 << 20).unwrap()
}

/// Reads `put`'s frame back; a cut body must give `None`, or a value for bodies that lost nothing of theirs.
fn comes_back<T: PartialEq + std::fmt::Debug>(
    value: &T,
    put: impl Fn(&mut Vec<u8>),
    read: impl Fn(&[u8]) -> Option<T>,
) {
    let mut out = vec![];
    put(&mut out);
    let body = body(&out);
    assert_eq!(read(&body).as_ref(), Some(value));
    for cut in 0..body.len() {
        assert_ne!(read(&body[..cut]).as_ref(), Some(value), "cut at {cut}");
    }
    let mut longer = body;
    longer.extend_from_slice(b"of a later program");
    assert_eq!(read(&longer).as_ref(), Some(value), "what follows is ignored");
}

fn method() -> Method {
    let call = CallSite {
        class: "shop.Oven".into(),
        name: "bake".into(),
        descriptor: "(I)V".into(),
        kind: CallKind::Interface,
    };
    let block = |start, end, lines: &[u16], ending| Block {
        start,
        end,
        lines: lines.into(),
        ending,
        is_handler: false,
    };
    Method {
        class: ClassId(0),
        name: "main".into(),
        descriptor: "()V".into(),
        access_flags: 9,
        blocks: vec![
            block(0, 4, &[10, 11, 9], Ending::FallThrough),
            block(4, 9, &[65535], Ending::Call(call)),
            block(9, 12, &[], Ending::Branch),
            Block { is_handler: true, ..block(14, 15, &[1], Ending::Return) },
        ],
        edges: vec![
            Edge { from: 2, to: 1, kind: EdgeKind::Jump },
            Edge { from: 0, to: 1, kind: EdgeKind::Next },
        ],
        exception_edges: vec![(1, 3)],
        loops: vec![
            Loop { head: 1, blocks: vec![1, 2], parent: None },
            Loop { head: 2, blocks: vec![2], parent: Some(0) },
        ],
    }
}

#[test]
fn records_come_back() {
    let header = Header {
        version: crate::VERSION,
        encoding: Encoding::Paths,
        when_full: WhenFull::Bounded,
        pid: 4711,
        time: -1,
        about: vec![("jvm".into(), "17".into()), ("include".into(), "shop.*".into())],
    };
    comes_back(&header, |out| header.put(out), Header::read);
    assert_eq!(header.value("include"), Some("shop.*"));
    let thread = ThreadRecord { serial: 1, tid: 31, name: "baker ä".into(), is_virtual: true, time: 5 };
    comes_back(&thread, |out| thread.put(out), ThreadRecord::read);
    let origin = OriginRecord { class_at: 1 << 40, number: 3, text: "/srv/shop/classes/".into() };
    comes_back(&origin, |out| put_origin(out, 1 << 40, 3, &origin.text), OriginRecord::read);
    let positions = vec![(1, (2, 3)), (4, (5, u32::MAX))];
    let mark = Mark { text: "now".into(), time: Timestamp(9), positions };
    comes_back(&mark, |out| put_mark(&mark, out), read_mark);
    let text = |text: &str, length| ProgramText { text: text.into(), length };
    let object = |size| ProgramValue::Object { class: "shop.Cart".into(), identity: u32::MAX, size };
    let throwable = |message| ProgramValue::Throwable { class: "shop.Poor".into(), identity: 0, message };
    let values = vec![
        ProgramValue::Withheld,
        ProgramValue::Null,
        ProgramValue::Boolean(false),
        ProgramValue::Boolean(true),
        ProgramValue::Char(u16::MAX),
        ProgramValue::Integer(i64::MIN),
        ProgramValue::Float(-0.5),
        ProgramValue::Double(f64::INFINITY),
        ProgramValue::Text(text("ä\n", 300)),
        ProgramValue::Constant("shop.Coin".into(), "PENNY".into()),
        ProgramValue::Class("int[]".into()),
        throwable(None),
        throwable(Some(text("", 0))),
        object(None),
        object(Some(1 << 40)),
    ];
    let outcomes = values.iter().cloned().map(Some).chain([None]);
    let outcome = |value: Option<_>| OutcomeValue { number: 7, time: -9, threw: value.is_some(), value };
    let mut records: Vec<ValuesRecord> = outcomes.map(outcome).map(ValuesRecord::Outcome).collect();
    let entry = EntryValues {
        number: u64::MAX,
        thread: 3,
        position: (4, u32::MAX),
        first: 9,
        time: 1 << 60,
        has_object: true,
        values,
    };
    records.extend([ValuesRecord::Entry(entry), ValuesRecord::Full]);
    let (mut bytes, mut out) = (vec![], vec![]);
    records.iter().for_each(|record| record.put(&mut bytes));
    // One of a later program.
    bytes.extend([2, 99, 0]);
    put_values(&bytes, &mut out);
    let read = |body: &[u8]| {
        let mut found = vec![];
        read_values(body, |record| found.push(record)).map(|()| found)
    };
    let body = body(&out);
    assert_eq!(read(&body).as_ref(), Some(&records));
    // The last three bytes are those of the later program.
    for cut in 1..body.len() - 3 {
        assert!(read(&body[..cut]).is_none_or(|found| found.len() < records.len()), "cut at {cut}");
    }
    for bad in [&[0][..], &[3, 0, 1, 1], &[4, 2, 1, 0, 0], &[5, 1, 1, 0, 1, 99], &[9, 3]] {
        assert_eq!(read(bad), None, "{bad:?}");
    }
    let moment = |thread, words, time| TaskMoment { thread, position: (4, words), time: Timestamp(time) };
    let (from, to) = (moment(3, 9, 1 << 60), moment(u32::MAX, u32::MAX, -1));
    let task = |is_thread, at, begun| {
        TaskRecord::Task(RecordedTask { task: Task { handed_over: from, begun, is_thread }, at })
    };
    let (mut bytes, mut out) = (vec![], vec![]);
    let tasks =
        [task(false, u32::MAX, Some(to)), task(true, 0, Some(to)), task(false, 1, None), TaskRecord::Full];
    tasks.iter().for_each(|record| record.put(&mut bytes));
    bytes.extend([2, 99, 0]);
    put_tasks(&bytes, &mut out);
    let read = |body: &[u8]| {
        let mut found = vec![];
        read_tasks(body, |record| found.push(record)).map(|()| found)
    };
    let body = self::body(&out);
    assert_eq!(read(&body).as_deref(), Some(&tasks[..]));
    for cut in 1..body.len() - 3 {
        assert!(read(&body[..cut]).is_none_or(|found| found.len() < tasks.len()), "cut at {cut}");
    }
    let throttled = [
        ThrottleRecord::Begun { method: 2, time: Timestamp(-1), share: 1000 },
        ThrottleRecord::Calls { method: u32::MAX, calls: u64::MAX },
    ];
    let mut out = vec![];
    put_throttled(&throttled, &mut out);
    let read = |body: &[u8]| {
        let mut found = vec![];
        read_throttled(body, |record| found.push(record)).map(|()| found)
    };
    let body = self::body(&out);
    assert_eq!(read(&body).as_deref(), Some(&throttled[..]));
    for cut in 1..body.len() {
        assert!(read(&body[..cut]).is_none_or(|found| found.len() < throttled.len()), "cut at {cut}");
    }
    let loss = Loss { thread: 2, before_chunk: 7, words: u64::MAX, reason: "full".into() };
    comes_back(&loss, |out| loss.put(out), Loss::read);
    let end = End {
        reason: "stopped".into(),
        time: 77,
        words: 1 << 40,
        lost: 9,
        failed: true,
        instrumented: 12,
        lost_to: [3, 5],
    };
    comes_back(&end, |out| end.put(out), End::read);
    let frame = |class: &str, line| RunningFrame {
        class: class.into(),
        method: "run".into(),
        descriptor: "()V".into(),
        line,
    };
    let frames = vec![frame("shop.Baker", Some(31)), frame("shop.Main", None)];
    let running = Running { tid: 31, name: "baker".into(), frames, samples: None };
    comes_back(&running, |out| put_running(&running, out), read_running);
    let lines = vec![vec![(7, 3)], vec![], vec![(9, 1), (65_535, 2), (3, u32::MAX)]];
    let samples = (31, RunningSamples { count: 3, still: 2, lines });
    comes_back(&samples, |out| put_running_samples(samples.0, &samples.1, out), read_running_samples);
    let method =
        |name: &str| SampledMethod { class: "shop.Till".into(), name: name.into(), descriptor: "()V".into() };
    let sampled = |method, pc, line, is_old| SampledFrame { method, pc, line, is_old };
    let thread = SampledThread {
        tid: 31,
        name: "till".into(),
        state: ThreadState::Sleeping,
        cpu: Some(0),
        position: (7, u32::MAX),
        frames: vec![sampled(1, None, None, false), sampled(0, Some(0), Some(65_535), true)],
        is_cut: true,
        waits: Some(Wait { on: Some("shop.Lock".into()), holder: Some(0), is_timed: true }),
    };
    let other = SampledThread { cpu: None, frames: vec![], is_cut: false, waits: None, ..thread.clone() };
    let last = SampledThread { waits: Some(Wait::default()), ..other.clone() };
    let sample = StackSample { time: Timestamp(-5), at_end: true, threads: vec![thread, other, last] };
    let stacks = StacksRecord { methods: vec![method("wait"), method("open")], sample };
    comes_back(&stacks, |out| stacks.put(out), StacksRecord::read);
    let left = Skipped { class: "shop.Huge".into(), reason: "too large".into() };
    comes_back(&left, |out| left.put(out), Skipped::read);
}

#[test]
fn a_class_comes_back() {
    let method = MethodRecord {
        method: method(),
        first: 1,
        owned: 7,
        encoding: Encoding::Blocks,
        block_flags: vec![0, 2, 0, 1],
        numbering: vec![1, 2, 3],
    };
    let class = ClassRecord {
        name: "shop.Baker$1".into(),
        loader: 3,
        source_file: Some("Baker.java".into()),
        digest: [7; 32],
        class_bytes: (0..2000u32).map(|at| (at % 13) as u8).collect(),
        methods: vec![method.clone(), MethodRecord { first: 8, ..method }],
        skipped: vec![("big".into(), "()V".into(), "over 64 kB".into())],
        source_map: "SMAP\n".into(),
    };
    comes_back(&class, |out| class.put(out), |body| ClassRecord::read(&[0, 0, 0, 0, 3, 0, 0, 0], body));
    let file = ClassFileRecord { class_at: 1 << 40, digest: [8; 32], bytes: class.class_bytes };
    let head = (1_u64 << 40).to_le_bytes();
    comes_back(&file, |out| file.put(out), |body| ClassFileRecord::read(&head, body));
}

#[test]
fn a_method_that_contradicts_itself_is_refused() {
    let good = MethodRecord {
        method: method(),
        first: 1,
        owned: 7,
        encoding: Encoding::Blocks,
        block_flags: vec![0; 4],
        numbering: vec![],
    };
    let spoilt: [fn(&mut MethodRecord); 6] = [
        |record| record.method.edges[0].to = 4,
        |record| record.method.exception_edges[0].0 = 9,
        |record| record.method.loops[0].parent = Some(0),
        |record| record.method.loops[1].head = 4,
        |record| record.first = 0,
        |record| record.first = crate::words::RESERVED,
    ];
    for (index, spoil) in spoilt.iter().enumerate() {
        let mut record = good.clone();
        spoil(&mut record);
        let mut out = vec![];
        record.put(&mut out);
        assert_eq!(MethodRecord::read(&mut source::bytes::Cursor::new(&out), 0), None, "{index}");
    }
}

#[test]
fn samples_are_put_together_and_a_frame_of_no_method_is_refused() {
    let frame = |method| SampledFrame { method, pc: Some(3), line: Some(4), is_old: false };
    let record = |name: &str, method| StacksRecord {
        methods: vec![SampledMethod { class: "A".into(), name: name.into(), descriptor: "()V".into() }],
        sample: StackSample {
            time: Timestamp(1),
            at_end: false,
            threads: vec![SampledThread {
                tid: 1,
                name: "main".into(),
                state: ThreadState::Runnable,
                cpu: None,
                position: (0, 0),
                frames: vec![frame(method)],
                is_cut: false,
                waits: None,
            }],
        },
    };
    let mut all = Gathering::default();
    ["spin", "rest", "spin"].iter().for_each(|name| all.add(record(name, 0)));
    let all = all.finish();
    let numbers: Vec<u32> = all.samples.iter().map(|sample| sample.threads[0].frames[0].method).collect();
    assert_eq!((numbers, all.methods.len()), (vec![0, 1, 0], 2));
    let mut out = vec![];
    record("spin", 1).put(&mut out);
    assert_eq!(StacksRecord::read(&body(&out)), None);
}
