//! Long threads of which only windows are looked at.

use expect_test::expect;
use model::code::{BlockId, CodeMap};
use model::flow::Entered;
use model::flow_source::{Anomalies, Course, Flow, ThreadInfo};
use model::stack::{SampledFrame, SampledMethod, SampledThread, StackSample, StackSamples, ThreadState};
use model::{Diagnostic, FlowStep, Lost, MethodId, Timestamp, TraceInfo};

use super::*;
use crate::paint::Paint;
use crate::results::{Ends, TrackEnd};
use crate::views::{hangs_answer, hangs_text};

const LONG: u64 = 1 << 21;

/// The blocks of the record with this number.
type Blocks = fn(u64) -> &'static [BlockId];

/// One thread in one method, which runs whenever it is looked at.
struct Recorded {
    blocks: Blocks,
    threads: Vec<ThreadInfo>,
    /// What [`FlowSource::unusual_records`] answers.
    unusual: Vec<u64>,
    about: (CodeMap, TraceInfo, Course, StackSamples),
}

impl Recorded {
    fn of(records: u64, blocks: Blocks, unusual: &[u64]) -> Recorded {
        let method = SampledMethod { class: "Till".into(), name: "serve".into(), descriptor: "()V".into() };
        let thread = |second: u64| SampledThread {
            tid: 1,
            name: "main".into(),
            state: ThreadState::Runnable,
            cpu: Some(second * 1_000_000_000),
            position: (u32::try_from(second).unwrap(), 0),
            frames: vec![SampledFrame { method: 0, pc: Some(7), line: Some(30), is_old: false }],
            is_cut: false,
            waits: None,
        };
        let sample = |second: u64| StackSample {
            time: Timestamp(i64::try_from(second).unwrap() * 1_000_000_000),
            at_end: second == 4,
            threads: vec![thread(second)],
        };
        let samples = StackSamples { methods: vec![method], samples: (0..=4).map(sample).collect() };
        let about = ThreadInfo { tid: Some(1), name: "main".into(), records, ..ThreadInfo::default() };
        let about = (vec![about], (CodeMap::default(), TraceInfo::default(), Course::default(), samples));
        Recorded { blocks, threads: about.0, unusual: unusual.to_vec(), about: about.1 }
    }
}

struct Steps {
    blocks: Blocks,
    /// The next record.
    at: u64,
    end: u64,
    begun: Begun,
}

/// What was emitted for the beginning of a flow.
#[derive(PartialEq)]
enum Begun {
    Nothing,
    Gap,
    Frame,
}

impl Flow for Steps {
    fn next_step(&mut self) -> Option<FlowStep<'_>> {
        if self.begun == Begun::Nothing && self.at > 0 {
            self.begun = Begun::Gap;
            return Some(FlowStep::Gap { lost: Lost::Unknown });
        }
        if self.begun != Begun::Frame {
            self.begun = Begun::Frame;
            return Some(FlowStep::Enter { method: MethodId(0), how: Entered::Unseen });
        }
        self.at += 1;
        (self.at <= self.end).then(|| FlowStep::Blocks { blocks: (self.blocks)(self.at - 1), times: 1 })
    }

    fn taken(&self) -> u64 {
        self.at
    }

    fn anomalies(&self) -> Anomalies {
        Anomalies::default()
    }
}

impl FlowSource for Recorded {
    fn code(&self) -> &CodeMap {
        &self.about.0
    }

    fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    fn flow(&self, thread: usize) -> Box<dyn Flow> {
        self.flow_from(thread, 0).unwrap()
    }

    fn flow_from(&self, thread: usize, record: u64) -> Option<Box<dyn Flow>> {
        let end = self.threads.get(thread)?.records;
        Some(Box::new(Steps { blocks: self.blocks, at: record, end, begun: Begun::Nothing }))
    }

    fn unusual_records(&self, _: usize, from: u64, most: usize) -> Vec<u64> {
        self.unusual.iter().copied().filter(|record| *record >= from).take(most).collect()
    }

    fn trace(&self) -> &TraceInfo {
        &self.about.1
    }

    fn course(&self) -> &Course {
        &self.about.2
    }

    fn stacks(&self) -> &StackSamples {
        &self.about.3
    }

    fn diagnostics(&self) -> &[Diagnostic] {
        &[]
    }
}

/// Whom the windows accuse, and of what.
fn accused(blocks: Blocks, unusual: &[u64]) -> String {
    let found = find_in_windows(Box::new(Recorded::of(LONG, blocks, unusual))).unwrap();
    assert_eq!(found.tracks.iter().map(|track| track.sampled).collect::<Vec<_>>(), [Some(LONG)]);
    let ends: Vec<TrackEnd<'_>> = found.tracks.iter().map(TrackEnd::of).collect();
    hangs_answer::spinning(&found, &ends, |_| true)
}

#[test]
fn an_answer_from_windows_tells_records_and_no_steps() {
    let found = find_in_windows(Box::new(Recorded::of(LONG, |_| &[1, 2], &[]))).unwrap();
    let ends = Ends { tracks: found.tracks.iter().map(TrackEnd::of).collect(), states: None };
    let text = hangs_text::render(&found, &ends, 9, Paint::off());
    let track = text.lines().find(|line| line.contains("records; "));
    assert_eq!(track, Some("main: 2,097,152 records; the same loop wherever they were looked at"), "{text}");
    assert!(!text.contains(" step") && !text.contains("nothing recorded"), "{text}");
}

#[test]
fn what_goes_on_in_all_windows_is_named() {
    let answer = accused(|_| &[0, 1, 2], &[]);
    expect![[r#"
        main goes round a loop that is the same each time in Till.serve (line 30): wherever its 2,097,152 records were looked at, iterations of ?#0, ?#1, ?#2
    "#]].assert_eq(&answer);
    // A few records that are left at the end are unusual, and show nothing.
    assert_eq!(accused(|_| &[0, 1, 2], &[LONG / 2 + 7, LONG - 1]), answer);
    // What was before the second half is long over.
    assert_eq!(accused(|at| if at < LONG / 3 { &[3] } else { &[0, 1, 2] }, &[]), answer);
}

#[test]
fn who_does_something_else_in_between_is_not_accused() {
    assert_eq!(accused(|at| if at < LONG * 3 / 4 { &[0, 1] } else { &[0, 2] }, &[]), "", "another loop");
    let never_the_same: Blocks = |at| {
        let mixed = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        if mixed >> 63 == 0 { &[0, 1] } else { &[0, 2] }
    };
    assert_eq!(accused(never_the_same, &[]), "");
    // A moment between two windows is seen where its records took another room than those around.
    const MOMENT: u64 = LONG / 8 * 5 + 100_000;
    let work: Blocks = |at| if (MOMENT..MOMENT + 9_000).contains(&at) { &[3, 4] } else { &[0, 1] };
    assert_eq!(accused(work, &[MOMENT]), "");
    assert_ne!(accused(work, &[]), "", "nothing told that something was there");
}

#[test]
fn what_is_read_as_soon_is_not_sampled() {
    assert!(find_in_windows(Box::new(Recorded::of(MANY - 1, |_| &[0], &[]))).is_none());
}
