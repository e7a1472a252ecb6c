//! Names of methods and lines, as people read them.

use std::collections::BTreeMap;

use model::code::{BlockId, CodeMap, Method, MethodId};
use model::running::{Running, RunningFrame, RunningSamples};
use model::{FlowSource, ThreadInfo};

use crate::escape::plain;
use crate::numbers::grouped;
use crate::recordings;

/// The package of a class, with the dot behind it; nothing for classes without one.
pub(crate) fn package(class: &str) -> &str {
    class.rfind('.').map_or("", |dot| &class[..=dot])
}

/// `Baker.bake`, with the package in front unless it is `current_package`.
pub(crate) fn method(code: &CodeMap, id: MethodId, current_package: &str) -> String {
    let name = code.method_name(id);
    let class = class(code, id);
    if !current_package.is_empty() && package(class) == current_package {
        name[current_package.len()..].to_owned()
    } else {
        name
    }
}

/// The name of the class that has the method.
pub(crate) fn class(code: &CodeMap, id: MethodId) -> &str {
    code.method(id).and_then(|method| code.class(method.class)).map_or("?", |class| &class.name)
}

/// The source file of a method, where known.
pub(crate) fn file(code: &CodeMap, id: MethodId) -> Option<&str> {
    code.class(code.method(id)?.class)?.source_file.as_deref()
}

/// The lines of some blocks, ascending, each once.
pub(crate) fn lines(method: Option<&Method>, blocks: &[BlockId]) -> Vec<u16> {
    let Some(method) = method else { return vec![] };
    let blocks = blocks.iter().filter_map(|block| method.blocks.get(*block as usize));
    let mut lines: Vec<u16> = blocks.flat_map(|block| block.lines.iter().copied()).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// `, inlined Lists.kt:7-9`: see [`inlined_lines`].
pub(crate) fn inlined(code: &CodeMap, id: MethodId, blocks: &[BlockId]) -> String {
    match inlined_lines(code, id, blocks) {
        lines if lines.is_empty() => lines,
        lines => format!(", inlined {lines}"),
    }
}

/// `Lists.kt:7-9, Maps.kt:3`: the lines of other files that code of some blocks was inlined from.
pub(crate) fn inlined_lines(code: &CodeMap, id: MethodId, blocks: &[BlockId]) -> String {
    if code.inlined.is_empty() {
        return String::new();
    }
    let mut files: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for line in blocks.iter().filter_map(|block| code.inlined.get(&(id, *block))).flatten() {
        files.entry(&line.file).or_default().push(line.line);
    }
    let mut out = String::new();
    for (number, (file, mut lines)) in files.into_iter().enumerate() {
        lines.sort_unstable();
        lines.dedup();
        out += if number == 0 { "" } else { ", " };
        out += &format!("{}:{}", plain(file), short_ranges(&lines));
    }
    out
}

/// Where a block ends: the line of its last instruction, which is where it calls or throws.
pub(crate) fn last_line(method: &Method, block: BlockId) -> Option<u16> {
    method.blocks.get(block as usize)?.lines.last().copied()
}

/// Blocks with equal lines have equal keys; those without any have keys of their own, and so have those whose code was inlined
/// from elsewhere.
pub(crate) fn line_key(code: &CodeMap, method: MethodId, block: BlockId) -> u32 {
    if code.inlined.contains_key(&(method, block)) {
        return block & 0xffff;
    }
    let about = code.method(method).and_then(|method| method.blocks.get(block as usize));
    match about.map(|block| block.lines.as_slice()) {
        Some([first, .., last]) => u32::from(*first) << 16 | u32::from(*last),
        Some([only]) => u32::from(*only) << 16 | u32::from(*only),
        // No line has the number 0.
        _ => block & 0xffff,
    }
}

/// Whether the block has an edge to the head of the loop.
pub(crate) fn comes_round(code: &CodeMap, method: MethodId, index: u32, block: BlockId) -> bool {
    let Some(about) = code.method(method) else { return true };
    let Some(found) = about.loops.get(index as usize) else { return true };
    about.edges.iter().any(|edge| (edge.from, edge.to) == (block, found.head))
}

/// `3-5,9`: ascending lines, those in a row as a range.
pub(crate) fn ranges<L: Copy + Into<u32>>(lines: &[L]) -> String {
    let line = |at: usize| lines.get(at).map(|&line| line.into());
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let mut to = at;
        while line(to + 1).is_some() && line(to + 1) == line(to).and_then(|line| line.checked_add(1)) {
            to += 1;
        }
        if !out.is_empty() {
            out.push(',');
        }
        out += &line(at).unwrap_or(0).to_string();
        if to > at {
            out += &format!("-{}", line(to).unwrap_or(0));
        }
        at = to + 1;
    }
    out
}

/// So many ranges of lines are read at a glance.
const GLANCE: usize = 12;

/// The same, the middle of a long list left out.
pub(crate) fn short_ranges<L: Copy + Into<u32>>(lines: &[L]) -> String {
    let all = ranges(lines);
    let parts: Vec<&str> = all.split(',').collect();
    if parts.len() <= GLANCE {
        return all;
    }
    format!("{},...,{}", parts[..GLANCE - 1].join(","), parts[parts.len() - 1])
}

/// Frames that are named of those that ran before recording began.
const BEFORE: usize = 4;

/// What a thread was in the middle of when recording began, as a sentence; `None` if nothing is known of that.
pub(crate) fn ran_before(recording: &dyn FlowSource, thread: &ThreadInfo) -> Option<String> {
    recordings::running_in(recording, thread).map(|running| was_running(recording, running))
}

/// The same for what a thread was in the middle of.
pub(crate) fn was_running(recording: &dyn FlowSource, running: &Running) -> String {
    let frames = &running.frames;
    let file = |frame: &RunningFrame| {
        let class = recording.code().classes.iter().find(|class| class.name == frame.class);
        class.and_then(|class| class.source_file.as_deref())
    };
    let name = |frame: &RunningFrame| {
        let location = match (file(frame), frame.line) {
            (Some(file), Some(line)) => format!(" ({file}:{line})"),
            (Some(file), None) => format!(" ({file})"),
            (None, Some(line)) => format!(" (line {line})"),
            (None, None) => String::new(),
        };
        format!("{}.{}{location}", frame.class, frame.method)
    };
    let names: Vec<String> = frames.iter().take(BEFORE).map(name).collect();
    let more = frames.len().saturating_sub(BEFORE);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let (was, its) = if frames.len() > 1 { ("were", "their") } else { ("was", "its") };
    let listed = names.join(", called by ");
    let later = running.samples.as_ref().map_or(String::new(), |samples| seen_later(frames, samples));
    format!(
        "{listed}{more} {was} running when recording began: {its} own blocks are recorded from the next call on{later}"
    )
}

/// What was seen of such frames later: of the innermost that is still there, the lines that it was at.
fn seen_later(frames: &[RunningFrame], samples: &RunningSamples) -> String {
    let still = samples.still as usize;
    let times = if samples.count == 1 {
        "one look".to_owned()
    } else {
        format!("{} looks", grouped(samples.count.into()))
    };
    let Some(outer) = still.checked_sub(1) else {
        return format!("; that was over by the last of {times}");
    };
    let Some(frame) = frames.iter().rev().nth(outer) else { return String::new() };
    let lines: Vec<u16> = samples.lines.get(outer).into_iter().flatten().map(|(line, _)| *line).collect();
    let at = match lines.as_slice() {
        [] => String::new(),
        [line] => format!(", at line {line}"),
        lines => format!(", at lines {}", short_ranges(lines)),
    };
    format!("; in {times} until the end {}.{} did not return{at}", frame.class, frame.method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_a_row_are_ranges() {
        assert_eq!(ranges::<u16>(&[]), "");
        assert_eq!(ranges(&[7_u16]), "7");
        assert_eq!(ranges(&[3_u16, 4, 5, 9, 11, 12]), "3-5,9,11-12");
        assert_eq!(ranges(&[65534_u16, 65535]), "65534-65535");
        let odd: Vec<u16> = (0..50).map(|at| at * 2).collect();
        assert_eq!(short_ranges(&odd), "0,2,4,6,8,10,12,14,16,18,20,...,98");
        assert_eq!(short_ranges(&odd[..12]), ranges(&odd[..12]));
    }
}
