//! The sections of a recording: its tests, requests and tasks, and what ran from each mark to the next one.

mod begins;
mod part;

pub(crate) use begins::BeginsBy;
pub(crate) use part::part;

use std::collections::HashMap;

use analyses::sections::{AfterMark, Begins, Section, Sections};
use analyses::times::{TimedCall, Times};
use model::{CodeMap, FlowSource, FlowStep, MethodId, TaskStep, ThreadInfo};

use crate::numbers::counted;

/// The thread that a program begins with.
const MAIN: &str = "main";

/// A section with its thread.
#[derive(Debug, Clone)]
pub(crate) struct ThreadSection {
    pub(crate) section: Section,
    /// The place of its thread in the recording.
    pub(crate) thread: usize,
    /// When it ran, where that is known.
    pub(crate) time: Option<TimedCall>,
    /// Where the task that it begins with was handed over, where that is known.
    pub(crate) origin: Option<Origin>,
}

/// Where a task was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The place of the thread in the recording.
    pub(crate) thread: usize,
    /// The section of that thread in which that happened, by its call.
    pub(crate) call: Option<u64>,
    /// What `--section` calls that.
    pub(crate) section: Option<String>,
}

/// All of a recording.
#[derive(Debug, Default)]
pub(crate) struct All {
    /// By thread, then in the order of their beginnings.
    pub(crate) sections: Vec<ThreadSection>,
    /// What all of the threads did after each mark, by mark.
    pub(crate) marks: Vec<AfterMark>,
}

/// Reads the threads that are wanted and finds their sections; `has_times`: with their times, where the recording knows them.
pub(crate) fn of(
    recording: &dyn FlowSource,
    is_wanted: impl Fn(&ThreadInfo) -> bool,
    has_times: bool,
) -> All {
    let begins = BeginsBy::of(recording.code(), |class| recording.class_file(class));
    let mut all = All::default();
    let marks = (0..recording.marks().len() as u32).map(|mark| AfterMark { mark, blocks: 0, calls: 0 });
    all.marks.extend(marks);
    // By task: the call of the section that handed it over, perhaps of a thread that is not wanted.
    let mut calls: HashMap<u32, u64> = HashMap::new();
    let has_tasks = !recording.tasks().is_empty();
    for (at, thread) in recording.threads().iter().enumerate() {
        if !has_tasks && !is_wanted(thread) {
            continue;
        }
        // The program's own thread was given nothing to do: what is outermost there, a filter let through.
        let begins = |method| match begins.method(method) {
            Begins::Outermost if thread.name == MAIN => Begins::Never,
            begins => begins,
        };
        let mut sections = Sections::new(&begins);
        let mut times = (has_times && recording.has_clock()).then(|| Times::new(recording.code(), 1));
        let mut flow = recording.flow(at);
        while let Some(step) = flow.next_step() {
            if let Some(times) = &mut times {
                times.observe(&step);
            }
            // What a platform thread runs first need not be what it was started for: that of a server or pool goes on to the next.
            let is_start =
                |task: u32| recording.tasks().get(task as usize).is_some_and(|task| task.is_thread);
            match step {
                FlowStep::Task(TaskStep::Begun(task)) if !thread.is_virtual && is_start(task) => {}
                _ => sections.observe(&step),
            }
        }
        let times = times.map(Times::finish).unwrap_or_default();
        let times: HashMap<(u64, u32), TimedCall> =
            times.calls.iter().map(|call| ((call.position, call.depth), *call)).collect();
        let found = sections.finish();
        all.sections.extend(found.sections.into_iter().map(|section| {
            let time = times.get(&(section.position, section.depth)).copied();
            ThreadSection { section, thread: at, time, origin: None }
        }));
        calls.extend(found.handed_over.into_iter().map(|one| (one.task, one.call)));
        for one in found.marks.iter().filter(|_| is_wanted(thread)) {
            if let Some(sum) = all.marks.get_mut(one.mark as usize) {
                sum.blocks = sum.blocks.saturating_add(one.blocks);
                sum.calls = sum.calls.saturating_add(one.calls);
            }
        }
    }
    if has_tasks {
        find_origins(recording, &mut all.sections, &calls);
    }
    all.sections.retain(|one| recording.threads().get(one.thread).is_some_and(&is_wanted));
    all
}

/// What `--section` calls each of the sections: the method that it is called after, and its number among those of that name.
fn names(sections: &[ThreadSection], code: &CodeMap) -> Vec<String> {
    let mut counts: HashMap<MethodId, u64> = HashMap::new();
    let names = sections.iter().map(|one| {
        let count = counts.entry(one.section.method).or_default();
        *count += 1;
        format!("{}#{count}", code.method_name(one.section.method))
    });
    names.collect()
}

/// Finds where each task was handed over; `calls`: by task, the call of the section that did so.
fn find_origins(recording: &dyn FlowSource, sections: &mut [ThreadSection], calls: &HashMap<u32, u64>) {
    let (names, threads) = (names(sections, recording.code()), recording.threads());
    let keys = sections.iter().map(|one| (one.thread, one.section.call));
    let by_call: HashMap<(usize, u64), String> = keys.zip(names).collect();
    for one in sections {
        one.origin = one.section.task.and_then(|index| {
            let task = recording.tasks().get(index as usize)?;
            let thread = threads.iter().position(|thread| thread.serial == task.handed_over.thread)?;
            let call = calls.get(&index).copied();
            let section = call.and_then(|call| by_call.get(&(thread, call)).cloned());
            Some(Origin { thread, call, section })
        });
    }
}

/// `3 tests, 12 requests`: of what there is.
pub(crate) fn counts(tests: usize, requests: usize, tasks: usize, marks: usize) -> String {
    let kinds = [("test", tests), ("request", requests), ("task", tasks), ("mark", marks)];
    let there = kinds.into_iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = there.map(|(name, count)| counted(count as u64, name)).collect();
    counts.join(", ")
}
