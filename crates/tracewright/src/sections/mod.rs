//! The sections of a recording: its tests, requests and tasks, and what ran from each mark to the next one.

mod begins;
mod part;

pub(crate) use begins::BeginsBy;
pub(crate) use part::part;

use std::collections::HashMap;

use analyses::sections::{AfterMark, Begins, Section, Sections};
use analyses::times::{TimedCall, Times};
use model::FlowSource;
use model::ThreadInfo;

use crate::numbers::counted;

/// The thread that a program begins with.
const MAIN: &str = "main";

/// A section with its thread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadSection {
    pub(crate) section: Section,
    /// The place of its thread in the recording.
    pub(crate) thread: usize,
    /// When it ran, where that is known.
    pub(crate) time: Option<TimedCall>,
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
    for (at, thread) in recording.threads().iter().enumerate().filter(|(_, thread)| is_wanted(thread)) {
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
            sections.observe(&step);
        }
        let times = times.map(Times::finish).unwrap_or_default();
        let times: HashMap<(u64, u32), TimedCall> =
            times.calls.iter().map(|call| ((call.position, call.depth), *call)).collect();
        let (found, marks) = sections.finish();
        all.sections.extend(found.into_iter().map(|section| {
            let time = times.get(&(section.position, section.depth)).copied();
            ThreadSection { section, thread: at, time }
        }));
        for one in marks {
            if let Some(sum) = all.marks.get_mut(one.mark as usize) {
                sum.blocks = sum.blocks.saturating_add(one.blocks);
                sum.calls = sum.calls.saturating_add(one.calls);
            }
        }
    }
    all
}

/// `3 tests, 12 requests`: of what there is.
pub(crate) fn counts(tests: usize, requests: usize, tasks: usize, marks: usize) -> String {
    let kinds = [("test", tests), ("request", requests), ("task", tasks), ("mark", marks)];
    let there = kinds.into_iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = there.map(|(name, count)| counted(count as u64, name)).collect();
    counts.join(", ")
}
