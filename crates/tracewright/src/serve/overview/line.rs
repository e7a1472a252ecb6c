//! Entries of a report as lines of the page; what is inside each is kept.

use analyses::calls::{Entry, Inside, Visitor, What};
use analyses::replay::{Kind, NodeId};
use model::code::{BlockId, Ending, MethodId};
use model::flow::Entered;
use viewer::api::overview::{FoldedLine, LineKind};

use super::names::{class, place, title};
use crate::escape::plain;
use crate::numbers::{counted, grouped};
use crate::serve::play::recording::Recording;
use crate::views::lost_records;

/// Lines inside one line that are looked at.
const MOST: usize = 20_000;
/// Lines that called that are named.
const CALLERS: usize = 4;
/// Nodes of a line that are asked whether they have anything inside.
const ASKED: usize = 64;

/// The lines inside one line.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) lines: Vec<FoldedLine>,
    /// By the last number of a line's id.
    pub(super) insides: Vec<Option<Inside>>,
    pub(super) is_cut: bool,
}

/// A visitor that makes lines of the entries of a report.
pub(super) struct Lines<'r> {
    recording: &'r Recording,
    prefix: &'r str,
    level: Level,
    depth: usize,
}

impl<'r> Lines<'r> {
    pub(super) fn new(recording: &'r Recording, prefix: &'r str) -> Lines<'r> {
        Lines { recording, prefix, level: Level::default(), depth: 0 }
    }

    /// The lines; calls in a row with the same text and nothing inside are one.
    pub(super) fn finish(self) -> Level {
        let Level { lines, insides, is_cut } = self.level;
        let mut joined: Vec<FoldedLine> = Vec::with_capacity(lines.len());
        for line in lines {
            match joined.last_mut().filter(|before| is_alike(before, &line)) {
                Some(before) => {
                    before.times = before.times.saturating_add(line.times);
                    before.blocks = before.blocks.saturating_add(line.blocks);
                    let remaining = CALLERS.saturating_sub(before.from.len());
                    before.from.extend(line.from.iter().take(remaining));
                    before.from.dedup();
                }
                None => joined.push(line),
            }
        }
        Level { lines: joined, insides, is_cut }
    }

    fn method(&self, line: &mut FoldedLine, method: MethodId, blocks: &[BlockId]) {
        line.method = Some(method.0);
        line.place = place(self.recording, method, blocks);
    }

    fn call(&self, line: &mut FoldedLine, entry: &Entry<'_>, method: MethodId) {
        line.title = title(self.recording, method);
        line.class = class(self.recording, method);
        let at = entry.at.and_then(|(id, block)| self.recording.code.method(id)?.blocks.get(block as usize));
        line.from.extend(at.and_then(|block| block.lines.last().copied()));
        if let (Some(viewer::api::play::Entered::Library), Some(Ending::Call(call))) =
            (line.how, at.map(|block| &block.ending))
            && !call.class.is_empty()
        {
            let simple = call.class.rsplit('.').next().unwrap_or(&call.class);
            line.note = plain(&format!("via library ({simple}.{})", call.name)).into_owned();
        }
    }

    fn line(&self, entry: &Entry<'_>) -> FoldedLine {
        let mut line = blank(format!("{}.{}", self.prefix, self.level.insides.len()), LineKind::Call);
        (line.times, line.around) = (entry.times, entry.around);
        match entry.what {
            What::Call { method, entered, left, blocks } => {
                (line.how, line.left) = (Some(entered.into()), left.map(Into::into));
                // The variants inside show how they ended.
                line.opens = left.is_none();
                self.method(&mut line, method, blocks);
                self.call(&mut line, entry, method);
            }
            What::AsBefore { method, entered, left, blocks } => {
                (line.how, line.left) = (Some(entered.into()), Some(left.into()));
                self.method(&mut line, method, blocks);
                self.call(&mut line, entry, method);
            }
            What::Within { method } => {
                line.kind = LineKind::Within;
                line.how = Some(Entered::Call.into());
                self.method(&mut line, method, &[]);
                self.call(&mut line, entry, method);
            }
            What::Loop { method, index, entered, blocks, ran } => {
                line.kind = LineKind::Loop;
                line.title = "loop".to_owned();
                line.opens = blocks.is_empty() && entry.times > 0;
                let known = self.recording.code.method(method).zip(index);
                let found = known.and_then(|(method, index)| method.loops.get(index as usize));
                let all = found.map_or(&[][..], |found| &found.blocks);
                self.method(&mut line, method, if ran.is_empty() { all } else { ran });
                line.note = match (entry.times, entered == entry.around) {
                    (0, _) => "left in its first iteration".to_owned(),
                    (_, true) => String::new(),
                    (_, false) => format!("come by {}", counted(entered, "time")),
                };
            }
            What::Variant { method, left, blocks } => {
                (line.kind, line.left) = (LineKind::Variant, left.map(Into::into));
                line.title = "variant".to_owned();
                self.method(&mut line, method, blocks);
            }
            What::Recursion { method, depth } => {
                line.kind = LineKind::Recursion;
                line.opens = true;
                line.title = format!("recursion of {}", title(self.recording, method));
                line.class = class(self.recording, method);
                line.note = format!("{} deep", grouped(depth));
                self.method(&mut line, method, &[]);
            }
            What::Caught { block } => {
                (line.kind, line.title) = (LineKind::Caught, "exception caught".to_owned());
                if let Some((method, _)) = entry.at {
                    self.method(&mut line, method, &[block]);
                }
            }
            What::Inferred { inferred } => {
                line.kind = LineKind::Gap;
                line.title = lost_records::sentence(inferred);
            }
            What::Observed => {
                (line.kind, line.title) = (LineKind::Gap, "recorded again from here".to_owned());
            }
            What::Gap { lost } => {
                line.kind = LineKind::Gap;
                line.title = match lost {
                    0 => "something is missing here".to_owned(),
                    lost => format!("{} are missing here", counted(u64::from(lost), "record")),
                };
            }
            What::More { calls, blocks } => {
                (line.kind, line.calls, line.blocks) = (LineKind::More, calls, blocks);
                line.title = "more inside, too deep to be shown here".to_owned();
            }
        }
        line
    }
}

impl Visitor for Lines<'_> {
    fn open(&mut self, entry: &Entry<'_>) -> bool {
        self.depth += 1;
        if self.level.insides.len() >= MOST {
            self.level.is_cut = true;
            return false;
        }
        let mut line = self.line(entry);
        if self.depth > 1 {
            // The only entry that is visited inside a line is the one for what lies too deep.
            if let Some(last) = self.level.lines.last_mut() {
                (last.calls, last.blocks, last.note) = (line.calls, line.blocks, line.title);
            }
            return true;
        }
        if let (LineKind::Recursion, Some(before)) = (line.kind, self.level.lines.last_mut())
            && before.kind == LineKind::Within
        {
            // What these calls did is counted here.
            (line.calls, line.blocks) = (before.calls, before.blocks);
            (before.calls, before.blocks) = (0, 0);
        }
        self.level.lines.push(line);
        self.level.insides.push(None);
        true
    }

    fn take(&mut self, inside: Inside) -> Option<Inside> {
        if let (Some(line), Some(place)) = (self.level.lines.last_mut(), self.level.insides.last_mut()) {
            fill(self.recording, line, &inside);
            *place = Some(inside);
        }
        None
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// A line of which nothing is known yet.
pub(super) fn blank(id: String, kind: LineKind) -> FoldedLine {
    FoldedLine {
        id,
        kind,
        title: String::new(),
        class: String::new(),
        method: None,
        place: String::new(),
        from: vec![],
        times: 1,
        around: 1,
        how: None,
        left: None,
        note: String::new(),
        calls: 0,
        blocks: 0,
        opens: false,
        same: None,
    }
}

/// Fills in how much is inside.
pub(super) fn fill(recording: &Recording, line: &mut FoldedLine, inside: &Inside) {
    if line.kind != LineKind::Recursion {
        let sum = |of: &dyn Fn(NodeId) -> u64| {
            inside.nodes().fold(0u64, |sum, (node, times)| sum.saturating_add(of(node).saturating_mul(times)))
        };
        line.blocks = sum(&|node| recording.blocks.of_node(node));
        // A call is not inside itself.
        let itself = |node| u64::from(matches!(recording.replay.kind(node), Kind::Frame { .. }));
        line.calls = sum(&|node| recording.calls.of_node(node).saturating_sub(itself(node)));
    }
    let mut nodes = inside.nodes();
    line.same = nodes.next().map(|(node, _)| node.0).filter(|_| nodes.next().is_none());
    let has = |node: NodeId| recording.replay.items(node).iter().any(|item| item.block().is_none());
    let has_any = inside.nodes().take(ASKED).any(|(node, _)| has(node));
    line.opens = line.kind != LineKind::Within && (line.opens || has_any);
}

fn is_alike(one: &FoldedLine, other: &FoldedLine) -> bool {
    one.kind == LineKind::Call
        && other.kind == LineKind::Call
        && !one.opens
        && !other.opens
        && one.method == other.method
        && one.place == other.place
        && one.note == other.note
        && format!("{:?}{:?}", one.how, one.left) == format!("{:?}{:?}", other.how, other.left)
}
