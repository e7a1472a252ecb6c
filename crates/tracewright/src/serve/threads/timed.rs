//! The threads of a recording with what is known of their times.

use std::path::Path;

use analyses::times::{Collected, Lanes, Times};
use model::code::{CodeMap, MethodId};
use model::{FlowSource, FlowStep, Lost, Task, TaskMoment, TaskStep};
use viewer::Progress;
use viewer::api::threads::{TaskEnd, ThreadTimes, TimedLoss, TimedMark, TimedTask, TimedThread};

use crate::exit::Result;
use crate::recordings;

/// The shortest calls that are kept, ns.
const LEAST: i64 = 1_000_000;
/// Steps between two notes of the progress.
const STRIDE: u64 = 1 << 14;
/// Marks, and tasks, that are answered.
const MARKS: usize = 10_000;
const TASKS: usize = 10_000;

/// All threads.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) code: CodeMap,
    /// In the order of their beginnings.
    pub(super) threads: Vec<Thread>,
    /// When each mark was set, ns since 1970.
    pub(super) marks: Vec<(i64, String)>,
    /// The tasks that went from one thread to another, in the order of their beginnings.
    pub(super) tasks: Vec<Handed>,
    /// The beginning of all, ns since 1970.
    pub(super) start: i64,
    /// How long it takes, ns.
    pub(super) length: i64,
}

/// One thread.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) serial: u32,
    pub(super) name: String,
    /// When it was first and last seen, ns since 1970.
    pub(super) span: (i64, i64),
    pub(super) collected: Collected,
    pub(super) lanes: Lanes,
}

/// A task, with how many blocks either thread had run and the method that began it, as far as that was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handed {
    pub(super) task: Task,
    pub(super) positions: [u64; 2],
    pub(super) method: Option<MethodId>,
}

/// Finds where the tasks are in the threads, which are read one after the other.
struct TaskEnds {
    tasks: Vec<Handed>,
    position: u64,
    /// The task that the next call begins.
    begun: Option<usize>,
}

impl TaskEnds {
    fn new(tasks: &[Task]) -> TaskEnds {
        let tasks = tasks.iter().take(TASKS);
        let tasks = tasks.map(|task| Handed { task: *task, positions: [0; 2], method: None });
        TaskEnds { tasks: tasks.collect(), position: 0, begun: None }
    }

    fn begin_thread(&mut self) {
        (self.position, self.begun) = (0, None);
    }

    fn observe(&mut self, step: &FlowStep<'_>) {
        match *step {
            FlowStep::Blocks { blocks, times } => {
                self.position = self.position.saturating_add(times.saturating_mul(blocks.len() as u64));
            }
            FlowStep::Catch { .. } => self.position = self.position.saturating_add(1),
            FlowStep::Enter { method, .. } => {
                if let Some(task) = self.begun.take().and_then(|index| self.tasks.get_mut(index)) {
                    task.method = Some(method);
                }
            }
            FlowStep::Task(step) => {
                let (index, end) = match step {
                    TaskStep::HandedOver(index) => (index as usize, 0),
                    TaskStep::Begun(index) => {
                        self.begun = Some(index as usize);
                        (index as usize, 1)
                    }
                };
                if let Some(task) = self.tasks.get_mut(index) {
                    task.positions[end] = self.position;
                }
            }
            _ => {}
        }
    }
}

/// Reads a recording for its times.
pub(super) fn read(folder: &Path, infers: bool, progress: &Progress) -> Result<Timed> {
    let mut recording = recordings::open(folder)?;
    recording.infer_lost(infers);
    Ok(of(recording.as_ref(), progress))
}

/// What is known of the times of a recording.
pub(super) fn of(recording: &dyn FlowSource, progress: &Progress) -> Timed {
    let all: u64 = recording.threads().iter().map(|thread| thread.records).sum();
    let (mut threads, mut done) = (vec![], 0);
    let mut task_ends = TaskEnds::new(recording.tasks());
    for (at, thread) in recording.threads().iter().enumerate() {
        let (mut flow, mut times) = (recording.flow(at), Times::new(recording.code(), LEAST));
        let mut steps = 0u64;
        task_ends.begin_thread();
        while let Some(step) = flow.next_step() {
            times.observe(&step);
            task_ends.observe(&step);
            steps += 1;
            if steps.is_multiple_of(STRIDE) {
                progress.set((all.min(done + flow.taken()), all));
            }
        }
        done += thread.records;
        progress.set((done, all));
        let collected = times.finish();
        let chunks = thread.time.map(|(first, last)| (first.0, last.0));
        let read = collected.readings.span().map(|(first, last)| (first.0, last.0));
        let spans = [chunks, read].into_iter().flatten();
        let span = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        let Some(span) = span else { continue };
        let lanes = Lanes::of(&collected.calls);
        threads.push(Thread { serial: thread.serial, name: thread.name.clone(), span, collected, lanes });
    }
    threads.sort_by_key(|thread| (thread.span.0, thread.serial));
    let marks: Vec<(i64, String)> =
        recording.marks().iter().take(MARKS).map(|mark| (mark.time.0, mark.text.clone())).collect();
    let moments = threads.iter().flat_map(|thread| [thread.span.0, thread.span.1]);
    let tasks = task_ends.tasks;
    let ends = tasks.iter().flat_map(|one| [Some(one.task.handed_over), one.task.begun]).flatten();
    let ends = ends.map(|moment| moment.time.0);
    let moments = moments.chain(marks.iter().map(|(time, _)| *time)).chain(ends);
    let (start, end) = moments.fold((i64::MAX, i64::MIN), |(from, to), time| (from.min(time), to.max(time)));
    let (start, length) = if start <= end { (start, end.saturating_sub(start).max(1)) } else { (0, 1) };
    Timed { code: recording.code().clone(), threads, marks, tasks, start, length }
}

impl Timed {
    /// The threads with at most so many lanes each.
    pub(super) fn answer(&self, most_lanes: usize) -> ThreadTimes {
        let at = |time: i64| time.saturating_sub(self.start).clamp(0, self.length);
        let thread = |thread: &Thread| TimedThread {
            serial: thread.serial,
            name: thread.name.clone(),
            from: at(thread.span.0),
            to: at(thread.span.1),
            lanes: thread.lanes.len().min(most_lanes),
            calls: thread.collected.calls.len() as u64,
            left_out: thread.collected.left_out,
            losses: thread
                .collected
                .losses
                .iter()
                .map(|loss| TimedLoss {
                    from: at(loss.from.unwrap_or(thread.span.0)),
                    to: at(loss.to.unwrap_or(thread.span.1)),
                    lost: match loss.lost {
                        Lost::Events(count) => Some(count),
                        _ => None,
                    },
                })
                .collect(),
        };
        ThreadTimes {
            start: self.start.to_string(),
            length: self.length,
            least: LEAST,
            threads: self.threads.iter().map(thread).collect(),
            marks: self
                .marks
                .iter()
                .map(|(time, text)| TimedMark { at: at(*time), text: text.clone() })
                .collect(),
            tasks: self.tasks.iter().map(|one| self.task(one)).collect(),
        }
    }

    fn task(&self, one: &Handed) -> TimedTask {
        let Task { handed_over, begun, is_thread } = one.task;
        let end = |moment: TaskMoment, position| TaskEnd {
            thread: moment.thread,
            at: moment.time.0.saturating_sub(self.start).clamp(0, self.length),
            position,
        };
        let method = one.method.and_then(|method| self.code.method(method));
        let class = method.and_then(|method| self.code.class(method.class));
        TimedTask {
            handed_over: end(handed_over, one.positions[0]),
            begun: begun.map(|begun| end(begun, one.positions[1])),
            class: class.map_or_else(String::new, |class| class.name.clone()),
            name: method.map_or_else(String::new, |method| method.name.clone()),
            is_thread,
        }
    }
}
