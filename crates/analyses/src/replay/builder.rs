//! Steps become nodes: frames and loops are open until something shows that they ended.

use model::Lost;
use model::code::{BlockId, CodeMap, Loop, MethodId};
use model::flow::{Entered, FlowStep, Left};
use rustc_hash::FxHashMap;

use super::innermost::{Innermost, NO_LOOP, parent};
use super::repeats;
use super::store::{Inferred, Item, Kind, NodeId, Replay, Thread, What};

/// Blocks of one thread beyond this number are left out: positions must stay countable.
const MOST: u64 = 1 << 48;

/// Builds a [`Replay`] thread by thread. Threads may be fed in turns.
#[derive(Debug)]
pub struct Builder<'a> {
    code: &'a CodeMap,
    nodes: Nodes,
    open: Vec<OpenThread>,
    /// The thread that was fed last: mostly it goes on.
    last: usize,
    by_serial: FxHashMap<u32, usize>,
    innermost: Innermost,
}

/// The tree as far as it is known, and memory of what was closed, to be used again.
#[derive(Debug, Default)]
struct Nodes {
    replay: Replay,
    frames: Vec<OpenFrame>,
    levels: Vec<Level>,
}

#[derive(Debug)]
struct OpenThread {
    serial: u32,
    frames: Vec<OpenFrame>,
    ran: u64,
    inconsistent: u64,
    moments: Vec<(u64, i64)>,
    marks: Vec<(u64, u32)>,
    values: Vec<(u64, u32)>,
    /// Those of the frame that begins next.
    next_values: Option<u32>,
}

/// An open call; the outermost one stands for the thread itself.
#[derive(Debug)]
struct OpenFrame {
    method: Option<MethodId>,
    entered: Entered,
    /// Nothing is known of its blocks, so which of its calls a loop repeats is not known either.
    is_whole: bool,
    /// The body, then the loops that are open in it, outer ones first.
    levels: Vec<Level>,
}

/// The body of a frame, or an open loop with the iterations that are over and the one that runs.
#[derive(Debug)]
struct Level {
    kind: Kind,
    iterations: Vec<Item>,
    now: Vec<Item>,
}

impl Level {
    fn body() -> Level {
        Level { kind: Kind::Root, iterations: Vec::new(), now: Vec::new() }
    }
}

impl OpenFrame {
    /// The innermost open loop; [`NO_LOOP`] in the body, `None` in calls that a library repeats.
    #[inline]
    fn open_loop(&self) -> Option<u32> {
        match self.levels.last()?.kind {
            Kind::Loop { index, .. } => index,
            Kind::Root => Some(NO_LOOP),
            _ => None,
        }
    }
}

impl Nodes {
    fn frame(&mut self, method: MethodId, entered: Entered, is_whole: bool) -> OpenFrame {
        match self.frames.pop() {
            Some(mut frame) => {
                (frame.method, frame.entered, frame.is_whole) = (Some(method), entered, is_whole);
                frame
            }
            None => OpenFrame { method: Some(method), entered, is_whole, levels: vec![Level::body()] },
        }
    }

    fn level(&mut self, kind: Kind) -> Level {
        let empty = self.levels.pop().unwrap_or_else(Level::body);
        Level { kind, ..empty }
    }
}

impl<'a> Builder<'a> {
    /// For a recording of this code.
    pub fn new(code: &'a CodeMap) -> Builder<'a> {
        Builder {
            code,
            nodes: Nodes::default(),
            open: Vec::new(),
            last: 0,
            by_serial: FxHashMap::default(),
            innermost: Innermost::default(),
        }
    }

    /// The next step of the thread with this serial number.
    pub fn observe(&mut self, serial: u32, step: FlowStep<'_>) {
        if self.open.get(self.last).is_none_or(|thread| thread.serial != serial) {
            self.last = *self.by_serial.entry(serial).or_insert_with(|| {
                self.open.push(OpenThread::new(serial));
                self.open.len() - 1
            });
        }
        let index = self.last;
        let Some(thread) = self.open.get_mut(index) else { return };
        match step {
            FlowStep::Enter { method, how } => {
                // A call ends a block, so a method of one block makes none that could be seen among its blocks.
                let is_whole = self.code.method(method).is_some_and(|method| method.blocks.len() == 1);
                let values = thread.next_values.take().map(|index| (thread.ran, index));
                thread.values.extend(values);
                let frame = self.nodes.frame(method, how, is_whole);
                thread.frames.push(frame);
            }
            FlowStep::Blocks { blocks, times } => self.blocks(index, blocks, times),
            FlowStep::Catch { block } => self.run(index, &[block], true),
            FlowStep::Leave { how } => {
                if thread.frames.len() > 1 {
                    leave(&mut self.nodes, thread, how);
                } else {
                    thread.inconsistent += 1;
                }
            }
            FlowStep::Gap { lost } => {
                let count = match lost {
                    Lost::Events(count) => u32::try_from(count).unwrap_or(u32::MAX),
                    Lost::Packets(_) | Lost::Unknown => 0,
                };
                // No loop goes on over what nobody saw.
                if let Some(frame) = thread.frames.last_mut() {
                    close_loops(&mut self.nodes, frame, 1);
                    push(frame, Item::new(What::Gap(count), 1));
                }
            }
            FlowStep::Inferred { lost, certainty } => {
                let inferred = Inferred::new(lost, certainty);
                boundary(&mut self.nodes, thread, What::Inferred(inferred));
            }
            FlowStep::Observed => boundary(&mut self.nodes, thread, What::Observed),
            FlowStep::Mark(index) => thread.marks.push((thread.ran, index)),
            FlowStep::Values(index) => thread.next_values = Some(index),
            FlowStep::Clock(_) | FlowStep::Task(_) => {}
            FlowStep::Moment(time) => thread.moments.push((thread.ran, time.0)),
        }
    }

    /// The tree. Frames that are still open are left with [`Left::Open`].
    pub fn finish(mut self) -> Replay {
        for mut thread in std::mem::take(&mut self.open) {
            while thread.frames.len() > 1 {
                leave(&mut self.nodes, &mut thread, Left::Open);
            }
            let Some(mut root) = thread.frames.pop() else { continue };
            close_loops(&mut self.nodes, &mut root, 1);
            let items = root.levels.pop().map(|level| level.now).unwrap_or_default();
            let root = self.nodes.replay.intern(Kind::Root, &items);
            let OpenThread { serial, inconsistent, moments, marks, values, .. } = thread;
            self.nodes.replay.threads.push(Thread { serial, root, moments, marks, values, inconsistent });
        }
        self.nodes.replay
    }

    fn blocks(&mut self, index: usize, blocks: &[BlockId], times: u64) {
        let Some((&first, rest)) = blocks.split_first() else { return };
        self.run(index, blocks, false);
        if times < 2 {
            return;
        }
        let before = self.iterations_of_head(index, first);
        self.run(index, &[first], false);
        let remaining = self.open.get(index).map_or(0, |thread| MOST.saturating_sub(thread.ran));
        let more = (times - 2).min(remaining / blocks.len() as u64);
        let counted =
            before.is_some() && self.iterations_of_head(index, first) != before && !rest.contains(&first);
        let Some(thread) = self.open.get_mut(index) else { return };
        let Some(frame) = thread.frames.last_mut() else { return };
        if frame.method.is_none() {
            return;
        }
        if counted {
            // The head closed an iteration that is exactly the list: the rest of them are like it.
            if let Some(iteration) = frame.levels.last_mut().and_then(|level| level.iterations.pop()) {
                let Some(level) = frame.levels.last_mut() else { return };
                push_times(&mut level.iterations, iteration, more + u64::from(iteration.times));
                thread.ran += more * blocks.len() as u64;
            }
        } else if more > 0 {
            // A repetition that is no natural loop: kept as what it is.
            let method = frame.method.unwrap_or(MethodId(u32::MAX));
            // The list may begin anywhere in a cycle; the block just fed belongs to the last iteration.
            let mut iteration: Vec<Item> = Vec::new();
            for &block in rest.iter().chain(std::iter::once(&first)) {
                push_times(&mut iteration, Item::new(What::Block(block), 1), 1);
            }
            let iteration = self.nodes.replay.intern(Kind::Iteration { method }, &iteration);
            let mut iterations = Vec::new();
            push_times(&mut iterations, Item::new(What::Node(iteration), 1), more);
            let node = self.nodes.replay.intern(Kind::Loop { method, index: None }, &iterations);
            push(frame, Item::new(What::Node(node), 1));
            thread.ran += more * blocks.len() as u64;
        }
        self.run(index, rest, false);
    }

    /// If the innermost open loop begins its turns with `head`: a mark that changes with each iteration.
    fn iterations_of_head(&self, index: usize, head: BlockId) -> Option<(usize, u32)> {
        let frame = self.open.get(index)?.frames.last()?;
        let method = self.code.method(frame.method?)?;
        // Loops may be open inside it: the head will close them.
        let level = frame.levels.iter().rev().find(|level| match level.kind {
            Kind::Loop { index: Some(index), .. } => {
                method.loops.get(index as usize).is_some_and(|found| found.head == head)
            }
            _ => false,
        })?;
        Some((level.iterations.len(), level.iterations.last().map_or(0, |iteration| iteration.times)))
    }

    /// These blocks run, one after the other, in the innermost frame.
    fn run(&mut self, index: usize, blocks: &[BlockId], caught: bool) {
        let Some(thread) = self.open.get_mut(index) else { return };
        let Some(frame) = thread.frames.last_mut() else { return };
        let remaining = usize::try_from(MOST.saturating_sub(thread.ran)).unwrap_or(usize::MAX);
        let fit = if frame.method.is_some() { blocks.len().min(remaining) } else { 0 };
        thread.inconsistent += (blocks.len() - fit) as u64;
        thread.ran += fit as u64;
        let Some(method) = frame.method else { return };
        let (innermost, all) = self.innermost.of(method, self.code);
        let mut open = frame.open_loop();
        for &block in &blocks[..fit] {
            let (inner, is_head) = innermost.get(block as usize).copied().unwrap_or((NO_LOOP, false));
            if open != Some(inner) {
                enter_loops(&mut self.nodes, frame, method, all, inner, block);
                open = frame.open_loop();
            } else if is_head {
                // An iteration begins with each run of the head.
                close_iteration(&mut self.nodes.replay, frame.levels.last_mut(), method);
            }
            let item = Item::new(if caught { What::Catch(block) } else { What::Block(block) }, 1);
            let Some(level) = frame.levels.last_mut() else { return };
            match level.now.last_mut() {
                Some(last) if last.is_like(item) && last.times < u32::MAX => last.times += 1,
                _ => level.now.push(item),
            }
        }
    }
}

/// Closes the open loops that do not have the block and opens those that do. `inner` is the innermost.
#[cold]
fn enter_loops(
    nodes: &mut Nodes,
    frame: &mut OpenFrame,
    method: MethodId,
    all: &[Loop],
    inner: u32,
    block: BlockId,
) {
    // Loops without this block are over, and so are calls that a library made again and again.
    let chain =
        || std::iter::successors(Some(inner).filter(|&inner| inner != NO_LOOP), |&at| parent(all, at));
    let keep = 1 + frame.levels[1..]
        .iter()
        .take_while(|level| {
            matches!(level.kind, Kind::Loop { index: Some(index), .. } if chain().any(|at| at == index))
        })
        .count();
    close_loops(nodes, frame, keep);
    let open_now = frame.open_loop();
    if let Some(open) = open_now
        && all.get(open as usize).is_some_and(|found| found.head == block)
    {
        close_iteration(&mut nodes.replay, frame.levels.last_mut(), method);
    }
    // Loops with this block that are not open yet, outer ones first.
    let new: Vec<u32> = chain().take_while(|&here| Some(here) != open_now).collect();
    for &index in new.iter().rev() {
        let level = nodes.level(Kind::Loop { method, index: Some(index) });
        frame.levels.push(level);
    }
}

impl OpenThread {
    fn new(serial: u32) -> OpenThread {
        let root = OpenFrame {
            method: None,
            entered: Entered::Outermost,
            is_whole: false,
            levels: vec![Level::body()],
        };
        let (moments, marks, values) = (Vec::new(), Vec::new(), Vec::new());
        OpenThread {
            serial,
            frames: vec![root],
            ran: 0,
            inconsistent: 0,
            moments,
            marks,
            values,
            next_values: None,
        }
    }
}

/// Closes the open loops of a frame until `keep` levels are left.
fn close_loops(nodes: &mut Nodes, frame: &mut OpenFrame, keep: usize) {
    while frame.levels.len() > keep.max(1) {
        let Some(mut level) = frame.levels.pop() else { return };
        if let Kind::Loop { method, .. } = level.kind {
            close_iteration(&mut nodes.replay, Some(&mut level), method);
        }
        let node = nodes.replay.intern(level.kind, &level.iterations);
        level.iterations.clear();
        level.now.clear();
        nodes.levels.push(level);
        push(frame, Item::new(What::Node(node), 1));
    }
}

fn close_iteration(replay: &mut Replay, level: Option<&mut Level>, method: MethodId) {
    let Some(level) = level.filter(|level| !level.now.is_empty()) else { return };
    // Mostly it is like the iteration before.
    if let Some(last) = level.iterations.last_mut()
        && last.times < u32::MAX
        && last.node().is_some_and(|node| replay.is(node, Kind::Iteration { method }, &level.now))
    {
        last.times += 1;
    } else {
        let iteration = replay.intern(Kind::Iteration { method }, &level.now);
        push_times(&mut level.iterations, Item::new(What::Node(iteration), 1), 1);
    }
    level.now.clear();
}

/// What follows is inferred, or recorded again. A loop goes on over that; a row of calls by a library has room for calls only
/// and ends here.
fn boundary(nodes: &mut Nodes, thread: &mut OpenThread, what: What) {
    let Some(frame) = thread.frames.last_mut() else { return };
    if matches!(frame.levels.last().map(|level| level.kind), Some(Kind::Again { .. })) {
        let keep = frame.levels.len() - 1;
        close_loops(nodes, frame, keep);
    }
    push(frame, Item::new(what, 1));
}

/// Ends the innermost frame and puts it into the one around it.
fn leave(nodes: &mut Nodes, thread: &mut OpenThread, left: Left) {
    let Some(mut frame) = thread.frames.pop() else { return };
    close_loops(nodes, &mut frame, 1);
    let (Some(method), Some(body)) = (frame.method, frame.levels.first_mut()) else { return };
    let kind = Kind::Frame { method, entered: frame.entered, left };
    if frame.is_whole {
        body.now = repeats::folded(&mut nodes.replay, method, &body.now);
    }
    let node = nodes.replay.intern(kind, &body.now);
    body.now.clear();
    if let Some(outer) = thread.frames.last_mut() {
        add_call(nodes, outer, method, frame.entered, node);
    }
    nodes.frames.push(frame);
}

/// A call, or one more of a row of calls that a library makes, or a method whose blocks are not known.
fn add_call(nodes: &mut Nodes, outer: &mut OpenFrame, method: MethodId, entered: Entered, node: NodeId) {
    let again = Kind::Again { method };
    let item = Item::new(What::Node(node), 1);
    if outer.levels.last().is_some_and(|level| level.kind == again) {
        if let Some(level) = outer.levels.last_mut() {
            push_times(&mut level.iterations, item, 1);
        }
        return;
    }
    if matches!(outer.levels.last().map(|level| level.kind), Some(Kind::Again { .. })) {
        let keep = outer.levels.len() - 1;
        close_loops(nodes, outer, keep);
    }
    let is_repeated = outer.is_whole || matches!(entered, Entered::Library | Entered::Outermost);
    let last = outer.levels.last().and_then(|level| level.now.last()).and_then(|item| item.node());
    let same = last.is_some_and(
        |node| matches!(nodes.replay.kind(node), Kind::Frame { method: last, .. } if last == method),
    );
    if is_repeated && same {
        let Some(first) = outer.levels.last_mut().and_then(|level| level.now.pop()) else { return };
        let mut level = nodes.level(again);
        level.iterations.push(first);
        push_times(&mut level.iterations, item, 1);
        outer.levels.push(level);
        return;
    }
    push(outer, item);
}

#[inline]
fn push(frame: &mut OpenFrame, item: Item) {
    // What is not a call of the same method ends a row of calls by a library; its items are iterations.
    if let Some(level) = frame.levels.last_mut() {
        push_times(&mut level.now, item, u64::from(item.times));
    }
}

/// Adds an item `times` times, to the last one where that is the same thing.
#[inline]
fn push_times(list: &mut Vec<Item>, item: Item, times: u64) {
    // Mostly it is one more, or another thing.
    match list.last_mut() {
        _ if times > u64::from(u32::MAX) => push_many(list, item, times),
        Some(last) if last.is_like(item) => push_many(list, item, times),
        _ if times > 0 => list.push(Item::new(item.what(), times as u32)),
        _ => {}
    }
}

fn push_many(list: &mut Vec<Item>, item: Item, times: u64) {
    let mut left = times;
    if let Some(last) = list.last_mut()
        && last.is_like(item)
        && !matches!(item.what(), What::Gap(_) | What::Inferred(_) | What::Observed)
    {
        let more = left.min(u64::from(u32::MAX - last.times));
        last.times += more as u32;
        left -= more;
    }
    while left > 0 {
        let now = left.min(u64::from(u32::MAX));
        list.push(Item::new(item.what(), now as u32));
        left -= now;
    }
}
