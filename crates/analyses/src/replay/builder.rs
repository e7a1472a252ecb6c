//! Steps become nodes: frames and loops are open until something shows that they ended.

use model::Lost;
use model::code::{BlockId, CodeMap, Loop, MethodId};
use model::flow::{Entered, FlowStep, Left};
use rustc_hash::FxHashMap;

use super::store::{Item, Kind, NodeId, Replay, Thread, What};

/// More blocks than this in one thread are not told apart: positions must stay countable.
const MOST: u64 = 1 << 48;

/// Builds a [`Replay`] thread by thread. Threads may be fed in turns.
#[derive(Debug)]
pub struct Builder<'a> {
    code: &'a CodeMap,
    replay: Replay,
    open: Vec<OpenThread>,
    by_serial: FxHashMap<u32, usize>,
    loops: FxHashMap<MethodId, Vec<Option<u32>>>,
}

#[derive(Debug)]
struct OpenThread {
    serial: u32,
    frames: Vec<OpenFrame>,
    ran: u64,
    unfit: u64,
    moments: Vec<(u64, i64)>,
}

/// An open call; the outermost one stands for the thread itself.
#[derive(Debug)]
struct OpenFrame {
    method: Option<MethodId>,
    entered: Entered,
    /// The body, then the loops that are open in it, outer ones first.
    levels: Vec<Level>,
}

/// The body of a frame, or an open loop with the turns that are over and the one that runs.
#[derive(Debug)]
struct Level {
    kind: Kind,
    turns: Vec<Item>,
    now: Vec<Item>,
}

impl Level {
    fn body() -> Level {
        Level { kind: Kind::Root, turns: Vec::new(), now: Vec::new() }
    }
}

impl<'a> Builder<'a> {
    /// For a recording of this code.
    pub fn new(code: &'a CodeMap) -> Builder<'a> {
        Builder {
            code,
            replay: Replay::default(),
            open: Vec::new(),
            by_serial: FxHashMap::default(),
            loops: FxHashMap::default(),
        }
    }

    /// The next step of the thread with this serial number.
    pub fn observe(&mut self, serial: u32, step: FlowStep<'_>) {
        let index = *self.by_serial.entry(serial).or_insert_with(|| {
            self.open.push(OpenThread::new(serial));
            self.open.len() - 1
        });
        let Some(thread) = self.open.get_mut(index) else { return };
        match step {
            FlowStep::Enter { method, how } => thread.frames.push(OpenFrame {
                method: Some(method),
                entered: how,
                levels: vec![Level::body()],
            }),
            FlowStep::Blocks { blocks, times } => self.blocks(index, blocks, times),
            FlowStep::Catch { block } => self.block(index, block, true),
            FlowStep::Leave { how } => {
                if thread.frames.len() > 1 {
                    leave(&mut self.replay, thread, how);
                } else {
                    thread.unfit += 1;
                }
            }
            FlowStep::Gap { lost } => {
                let count = match lost {
                    Lost::Events(count) => u32::try_from(count).unwrap_or(u32::MAX),
                    Lost::Packets(_) | Lost::Unknown => 0,
                };
                // No loop goes on over what nobody saw.
                if let Some(frame) = thread.frames.last_mut() {
                    close_loops(&mut self.replay, frame, 1);
                    push(frame, Item::new(What::Gap(count), 1));
                }
            }
            FlowStep::Moment(time) => thread.moments.push((thread.ran, time.0)),
        }
    }

    /// The tree. Frames that are still open are left with [`Left::Open`].
    pub fn finish(mut self) -> Replay {
        for mut thread in std::mem::take(&mut self.open) {
            while thread.frames.len() > 1 {
                leave(&mut self.replay, &mut thread, Left::Open);
            }
            let Some(mut root) = thread.frames.pop() else { continue };
            close_loops(&mut self.replay, &mut root, 1);
            let items = root.levels.pop().map(|level| level.now).unwrap_or_default();
            let root = self.replay.intern(Kind::Root, &items);
            let OpenThread { serial, unfit, moments, .. } = thread;
            self.replay.threads.push(Thread { serial, root, moments, unfit });
        }
        self.replay
    }

    fn blocks(&mut self, index: usize, blocks: &[BlockId], times: u64) {
        let Some((&first, rest)) = blocks.split_first() else { return };
        for &block in blocks {
            self.block(index, block, false);
        }
        if times < 2 {
            return;
        }
        let before = self.turns_of_head(index, first);
        self.block(index, first, false);
        let room = self.open.get(index).map_or(0, |thread| MOST.saturating_sub(thread.ran));
        let more = (times - 2).min(room / blocks.len() as u64);
        let counted =
            before.is_some() && self.turns_of_head(index, first) != before && !rest.contains(&first);
        let Some(thread) = self.open.get_mut(index) else { return };
        let Some(frame) = thread.frames.last_mut() else { return };
        if frame.method.is_none() {
            return;
        }
        if counted {
            // The head closed a turn that is exactly the list: the rest of them are like it.
            if let Some(turn) = frame.levels.last_mut().and_then(|level| level.turns.pop()) {
                let Some(level) = frame.levels.last_mut() else { return };
                push_times(&mut level.turns, turn, more + u64::from(turn.times));
                thread.ran += more * blocks.len() as u64;
            }
        } else if more > 0 {
            // A repetition that is no natural loop: kept as what it is.
            let method = frame.method.unwrap_or(MethodId(u32::MAX));
            // The list may begin anywhere in a cycle; the block just fed belongs to the last turn.
            let mut turn: Vec<Item> = Vec::new();
            for &block in rest.iter().chain(std::iter::once(&first)) {
                push_times(&mut turn, Item::new(What::Block(block), 1), 1);
            }
            let turn = self.replay.intern(Kind::Turn { method }, &turn);
            let mut turns = Vec::new();
            push_times(&mut turns, Item::new(What::Node(turn), 1), more);
            let node = self.replay.intern(Kind::Loop { method, index: None }, &turns);
            push(frame, Item::new(What::Node(node), 1));
            thread.ran += more * blocks.len() as u64;
        }
        for &block in rest {
            self.block(index, block, false);
        }
    }

    /// If the innermost open loop begins its turns with `head`: a mark that changes with each turn.
    fn turns_of_head(&self, index: usize, head: BlockId) -> Option<(usize, u32)> {
        let frame = self.open.get(index)?.frames.last()?;
        let method = self.code.method(frame.method?)?;
        // Loops may be open inside it: the head will close them.
        let level = frame.levels.iter().rev().find(|level| match level.kind {
            Kind::Loop { index: Some(index), .. } => {
                method.loops.get(index as usize).is_some_and(|found| found.head == head)
            }
            _ => false,
        })?;
        Some((level.turns.len(), level.turns.last().map_or(0, |turn| turn.times)))
    }

    fn block(&mut self, index: usize, block: BlockId, caught: bool) {
        let Some(thread) = self.open.get_mut(index) else { return };
        let Some(frame) = thread.frames.last_mut() else { return };
        let Some(method) = frame.method else {
            thread.unfit += 1;
            return;
        };
        if thread.ran >= MOST {
            thread.unfit += 1;
            return;
        }
        thread.ran += 1;
        let known = self.code.method(method);
        let all = known.map_or(&[][..], |known| &known.loops);
        let innermost = self
            .loops
            .entry(method)
            .or_insert_with(|| innermost_loops(all, known.map_or(0, |known| known.blocks.len())));
        let inner = innermost.get(block as usize).copied().flatten();
        // Loops without this block are over, and so are calls that a library made again and again.
        let inside = |index: u32| {
            let mut at = inner;
            while let Some(here) = at {
                if here == index {
                    return true;
                }
                at = parent(all, here);
            }
            false
        };
        let keep = 1 + frame.levels[1..]
            .iter()
            .take_while(|level| matches!(level.kind, Kind::Loop { index: Some(index), .. } if inside(index)))
            .count();
        close_loops(&mut self.replay, frame, keep);
        // A turn begins with each run of the head.
        if let Some(Level { kind: Kind::Loop { index: Some(open), .. }, .. }) = frame.levels.last()
            && all.get(*open as usize).is_some_and(|found| found.head == block)
        {
            close_turn(&mut self.replay, frame.levels.last_mut(), method);
        }
        // Loops with this block that are not open yet, outer ones first.
        let mut chain = Vec::new();
        let mut at = inner;
        let open_now = match frame.levels.last().map(|level| level.kind) {
            Some(Kind::Loop { index, .. }) => index,
            _ => None,
        };
        while let Some(here) = at.filter(|&here| Some(here) != open_now) {
            chain.push(here);
            at = parent(all, here);
        }
        for index in chain.into_iter().rev() {
            let kind = Kind::Loop { method, index: Some(index) };
            frame.levels.push(Level { kind, turns: Vec::new(), now: Vec::new() });
        }
        let what = if caught { What::Catch(block) } else { What::Block(block) };
        push(frame, Item::new(what, 1));
    }
}

impl OpenThread {
    fn new(serial: u32) -> OpenThread {
        let root = OpenFrame { method: None, entered: Entered::Outermost, levels: vec![Level::body()] };
        OpenThread { serial, frames: vec![root], ran: 0, unfit: 0, moments: Vec::new() }
    }
}

fn parent(all: &[Loop], index: u32) -> Option<u32> {
    // Outer loops come first, so a parent that does not is a damaged table, which must not turn us round.
    all.get(index as usize).and_then(|found| found.parent).filter(|&outer| outer < index)
}

/// The innermost loop of each block: the last one that lists it, as outer loops come first.
fn innermost_loops(all: &[Loop], blocks: usize) -> Vec<Option<u32>> {
    let mut found = vec![None; blocks];
    for (index, one) in (0..).zip(all) {
        for &block in &one.blocks {
            if let Some(place) = found.get_mut(block as usize) {
                *place = Some(index);
            }
        }
    }
    found
}

/// Closes the open loops of a frame until `keep` levels are left.
fn close_loops(replay: &mut Replay, frame: &mut OpenFrame, keep: usize) {
    while frame.levels.len() > keep.max(1) {
        if let (Some(Kind::Loop { method, .. }), level) =
            (frame.levels.last().map(|level| level.kind), frame.levels.last_mut())
        {
            close_turn(replay, level, method);
        }
        let Some(level) = frame.levels.pop() else { return };
        let node = replay.intern(level.kind, &level.turns);
        push(frame, Item::new(What::Node(node), 1));
    }
}

fn close_turn(replay: &mut Replay, level: Option<&mut Level>, method: MethodId) {
    let Some(level) = level else { return };
    if !level.now.is_empty() {
        let turn = replay.intern(Kind::Turn { method }, &level.now);
        level.now.clear();
        push_times(&mut level.turns, Item::new(What::Node(turn), 1), 1);
    }
}

/// Ends the innermost frame and puts it into the one around it.
fn leave(replay: &mut Replay, thread: &mut OpenThread, left: Left) {
    let Some(mut frame) = thread.frames.pop() else { return };
    close_loops(replay, &mut frame, 1);
    let Some(method) = frame.method else { return };
    let items = frame.levels.pop().map(|level| level.now).unwrap_or_default();
    let kind = Kind::Frame { method, entered: frame.entered, left };
    let node = replay.intern(kind, &items);
    let Some(outer) = thread.frames.last_mut() else { return };
    add_call(replay, outer, method, frame.entered, node);
}

/// A call, or one more of a row of calls that a library makes.
fn add_call(replay: &mut Replay, outer: &mut OpenFrame, method: MethodId, entered: Entered, node: NodeId) {
    let again = Kind::Again { method };
    let item = Item::new(What::Node(node), 1);
    if outer.levels.last().is_some_and(|level| level.kind == again) {
        if let Some(level) = outer.levels.last_mut() {
            push_times(&mut level.turns, item, 1);
        }
        return;
    }
    if matches!(outer.levels.last().map(|level| level.kind), Some(Kind::Again { .. })) {
        let keep = outer.levels.len() - 1;
        close_loops(replay, outer, keep);
    }
    let by_library = matches!(entered, Entered::Library | Entered::Outermost);
    let last = outer.levels.last().and_then(|level| level.now.last()).and_then(|item| item.node());
    let same = last
        .is_some_and(|node| matches!(replay.kind(node), Kind::Frame { method: last, .. } if last == method));
    if by_library && same {
        let Some(first) = outer.levels.last_mut().and_then(|level| level.now.pop()) else { return };
        let mut turns = vec![first];
        push_times(&mut turns, item, 1);
        outer.levels.push(Level { kind: again, turns, now: Vec::new() });
        return;
    }
    push(outer, item);
}

fn push(frame: &mut OpenFrame, item: Item) {
    // What is not a call of the same method ends a row of calls by a library; its items are turns.
    if let Some(level) = frame.levels.last_mut() {
        push_times(&mut level.now, item, u64::from(item.times));
    }
}

/// Adds an item `times` times, to the last one where that is the same thing.
fn push_times(list: &mut Vec<Item>, item: Item, times: u64) {
    let mut left = times;
    if let Some(last) = list.last_mut()
        && last.what() == item.what()
        && !matches!(item.what(), What::Gap(_))
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
