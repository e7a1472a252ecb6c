//! What stands over the calls of a group: its threads, what these were in the middle of, and their marks.

use std::collections::BTreeMap;

use analyses::replay::{NodeId, Thread};

use super::calls_text::Page;
use super::calls_threads::ThreadGroup;
use super::code_names::{file, lines, ran_before, short_ranges};
use crate::escape::plain;
use crate::marks;
use crate::numbers::{counted, duration, grouped};
use crate::paint::Ink;

/// Threads of a group whose open frames are shown.
const OPEN: usize = 3;

impl Page<'_> {
    /// The marks of a thread, a line each.
    fn marks(&self, thread: &Thread) -> String {
        let code = self.recording.code();
        let marks = marks::of(self.recording, &self.ran.replay, self.blocks, thread);
        let lines = marks.map(|mark| {
            let last = mark.last.map_or(String::new(), |(id, block)| {
                let file = file(code, id).unwrap_or_default();
                let lines = short_ranges(&lines(code.method(id), &[block]));
                format!("; the last was of {} ({file}:{lines})", code.method_name(id))
            });
            format!("mark {}: after {}{last}", mark.text, counted(mark.position, "block"))
        });
        lines.map(|line| format!("  {}\n", self.paint.dip(Ink::Title, &plain(&line)))).collect()
    }

    /// The marks of several threads: how many of them ran before, during and after each.
    fn marks_of_all(&self, group: &ThreadGroup<'_>) -> String {
        let mut all: BTreeMap<u32, [u64; 3]> = BTreeMap::new();
        for (_, thread) in &group.threads {
            let end = self.blocks.of_node(thread.root);
            for &(position, mark) in &thread.marks {
                let when = match position {
                    0 => 1,
                    _ if position >= end => 2,
                    _ => 0,
                };
                all.entry(mark).or_default()[when] += 1;
            }
        }
        let lines = all.into_iter().filter_map(|(mark, counts)| {
            let text = &self.recording.marks().get(mark as usize)?.text;
            let when = ["while", "before", "after"].into_iter().zip(counts).filter(|(_, count)| *count > 0);
            let when: Vec<String> =
                when.map(|(when, count)| format!("{when} {} of them ran", grouped(count))).collect();
            let line = format!("mark {text}: {}", when.join(", "));
            Some(format!("  {}\n", self.paint.dip(Ink::Title, &plain(&line))))
        });
        lines.collect()
    }

    /// The title of a group, and the lines before its calls.
    pub(super) fn title(&self, group: &ThreadGroup<'_>, counts: &dyn Fn(NodeId) -> (u64, u64)) -> String {
        let sums = group.threads.iter().map(|(_, ran)| counts(ran.root));
        let (blocks, calls) =
            sums.fold((0u64, 0u64), |sums, one| (sums.0.saturating_add(one.0), sums.1.saturating_add(one.1)));
        let name = group.name(&self.ran.replay, self.recording.code());
        let name = self.paint.dip(Ink::Title, &plain(&name));
        let time = match group.time() {
            Some((first, last)) if last > first => {
                format!(", {}", duration(i128::from(last) - i128::from(first)))
            }
            _ => String::new(),
        };
        let is_several = group.threads.len() > 1;
        let threads = match is_several {
            true => counted(group.threads.len() as u64, "thread") + ", ",
            false => String::new(),
        };
        let mut text =
            format!("{name}  {threads}{}, {}{time}\n", counted(calls, "call"), counted(blocks, "block"));
        let (mut named, mut left_out) = (0, 0);
        for (thread, _) in &group.threads {
            let open = self.ran.open.iter().find(|open| thread.tid == Some(open.tid));
            let before = ran_before(self.recording, thread);
            if open.is_none() && before.is_none() {
                continue;
            }
            if named == OPEN {
                left_out += 1;
                continue;
            }
            named += 1;
            if is_several {
                text += &format!("  {}:\n", self.paint.dip(Ink::Title, &plain(&thread.name)));
            }
            text += &open.map_or(String::new(), |open| self.open(open));
            text += &before.map_or(String::new(), |sentence| {
                format!("  {}\n", self.paint.dip(Ink::Quiet, &plain(&sentence)))
            });
        }
        if left_out > 0 {
            let more = format!("and {} more of them that ran before or had not ended", grouped(left_out));
            text += &format!("  {}\n", self.paint.dip(Ink::Quiet, &more));
        }
        let marks = match group.threads.as_slice() {
            [(_, only)] => self.marks(only),
            _ => self.marks_of_all(group),
        };
        text + &marks
    }
}
