//! The words of one thread read into steps.
//!
//! Each frame remembers in which stretch it is and how many blocks of it were told already; a record
//! tells the rest of its way. A record that does not fit the innermost frame closes frames down to the
//! nearest one that it fits, or opens one. So reading goes on behind every gap with the first record,
//! which names its method by its code; what was open before is told apart by what follows.

use model::flow::{Entered, FlowStep, Left};
use model::{BlockId, MethodId};

use super::ways::{Says, Way, Ways};
use super::{CODE, FOLLOWING, NO_NEWS};
use crate::capture::decode::Doubts;
use crate::limits;

/// Reads one thread.
#[derive(Debug)]
pub(in crate::capture) struct PathDecoder {
    ways: Ways,
    frames: Vec<Frame>,
    /// Frames below this were open when something was lost.
    forgotten: usize,
    /// How much further than [`limits::CAPTURE_SEARCH`] the next searches may go.
    credit: usize,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    method: MethodId,
    /// The first code of the stretch that it is in.
    start: u32,
    /// How many blocks of the stretch were told.
    told: u32,
    /// The block that was told last.
    last: BlockId,
    /// What comes when the call is over that the last block ends with, if only one thing can: the code
    /// of the way up to there; else 0.
    then: u32,
    /// It is the call that the frame below waits for.
    awaited: bool,
}

const NO_BLOCK: BlockId = BlockId::MAX;

/// What a word came to.
pub(in crate::capture) enum Taken {
    /// So many words were read.
    Words(usize),
    /// The code belongs to nobody, or to a method of another encoding; so many words would belong to it.
    Unknown(usize),
}

impl PathDecoder {
    /// A thread of which nothing was read.
    pub(in crate::capture) fn new(ways: Ways) -> PathDecoder {
        PathDecoder { ways, frames: vec![], forgotten: 0, credit: 0 }
    }

    /// Reads the record that `words` begin with, and equal ones that follow it.
    #[inline]
    pub(in crate::capture) fn record(
        &mut self,
        words: &[u32],
        doubts: &mut Doubts,
        step: &mut impl FnMut(FlowStep<'_>),
    ) -> Taken {
        let Some((&word, rest)) = words.split_first() else { return Taken::Words(0) };
        self.ways.keep_small();
        let following = (word >> FOLLOWING) as usize;
        // Records never go over the end of a chunk, so a short one was cut off.
        let Some(more) = rest.get(..following) else { return Taken::Unknown(words.len()) };
        if word & CODE == NO_NEWS {
            let is_known = match *more {
                [at] => {
                    self.caller_is_at(at, doubts, step);
                    true
                }
                [r, at, turns] => self.late(r, at, turns.wrapping_sub(1), doubts, step),
                _ => false,
            };
            return if is_known { Taken::Words(1 + following) } else { Taken::Unknown(1 + following) };
        }
        let Some(way) = self.ways.find(word & CODE) else { return Taken::Unknown(1 + following) };
        match (way.says, following) {
            (Says::Cut(next), 0) if !way.fresh && !way.counted => {
                // Turns of a loop with several ways through it come in runs.
                let mut times = 1;
                if next == way.start {
                    times += rest.iter().take_while(|&&other| other == word).count();
                }
                self.cut(way, next, times, doubts, step);
                return Taken::Words(times);
            }
            (Says::Caught(_) | Says::Unwound, 2 | 3) => {
                if !self.thrown(way, more, doubts, step) {
                    return Taken::Unknown(1 + following);
                }
            }
            _ => {
                if !self.told(way, more, doubts, step) {
                    return Taken::Unknown(1 + following);
                }
            }
        }
        Taken::Words(1 + following)
    }

    /// Something is missing here: nobody knows where the open frames stand.
    pub(in crate::capture) fn forget_places(&mut self) {
        self.forgotten = self.frames.len();
    }

    /// The recording or the thread is over. What was lost before may be the end of a frame.
    pub(in crate::capture) fn finish(&mut self, step: &mut impl FnMut(FlowStep<'_>)) {
        while !self.frames.is_empty() {
            let how = if self.frames.len() <= self.forgotten { Left::Unseen } else { Left::Open };
            self.leave(how, step);
        }
    }

    /// Too many are open for us to tell which ended.
    fn leave_all(&mut self, step: &mut impl FnMut(FlowStep<'_>)) {
        while !self.frames.is_empty() {
            self.leave(Left::Unseen, step);
        }
    }

    /// The plain record of a cut edge, so many times in a row.
    #[inline]
    fn cut(
        &mut self,
        way: Way,
        next: u32,
        mut times: usize,
        doubts: &mut Doubts,
        step: &mut impl FnMut(FlowStep<'_>),
    ) {
        self.fit(way, doubts, step);
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.told > 0 {
            advance(frame, &self.ways, way, 0, step);
            times -= 1;
        }
        let blocks = self.ways.blocks(way);
        if times > 0 && !blocks.is_empty() {
            step(FlowStep::Blocks { blocks, times: times as u64 });
        }
        frame.last = blocks.last().copied().unwrap_or(frame.last);
        (frame.start, frame.told, frame.then) = (next, 0, 0);
        if way.goes_on {
            self.go_on_at_once(step);
        }
    }

    /// Any other record of a way; false if it makes no sense.
    fn told(
        &mut self,
        way: Way,
        more: &[u32],
        doubts: &mut Doubts,
        step: &mut impl FnMut(FlowStep<'_>),
    ) -> bool {
        let tells_at_site = way.site && !more.is_empty();
        let counted = way.counted && (!way.site || tells_at_site);
        let is_way = !matches!(way.says, Says::Caught(_) | Says::Unwound);
        if !is_way || more.len() != usize::from(way.fresh) + usize::from(counted) {
            return false;
        }
        if way.fresh {
            self.caller_is_at(more.first().copied().unwrap_or(NO_NEWS), doubts, step);
            self.open(way, step);
        } else {
            self.fit(way, doubts, step);
        }
        let turns = if counted { more.last().map_or(0, |&turns| turns.wrapping_sub(1)) } else { 0 };
        let Some(frame) = self.frames.last_mut() else { return true };
        advance(frame, &self.ways, way, turns, step);
        match way.says {
            _ if tells_at_site => {}
            Says::Cut(next) => {
                (frame.start, frame.told, frame.then) = (next, 0, 0);
                if way.goes_on {
                    self.go_on_at_once(step);
                }
            }
            Says::Returns => self.leave(Left::Returned, step),
            _ => {}
        }
        true
    }

    /// A handler runs, or the frame is left by an exception; false if that makes no sense.
    fn thrown(
        &mut self,
        what: Way,
        more: &[u32],
        doubts: &mut Doubts,
        step: &mut impl FnMut(FlowStep<'_>),
    ) -> bool {
        let &[r, at, ref turns @ ..] = more else { return false };
        let turns = turns.first().map_or(0, |turns| turns.wrapping_sub(1));
        let Some(way) = self.ways.find(r).filter(|way| way.method == what.method) else { return false };
        self.came(way, at, turns, doubts, step);
        let Some(frame) = self.frames.last_mut() else { return true };
        match what.says {
            Says::Caught(handler) => {
                (frame.start, frame.told, frame.last) = (what.start, 1, handler);
                frame.then = 0;
                step(FlowStep::Catch { block: handler });
            }
            _ => self.leave(Left::Threw, step),
        }
        true
    }

    /// An exception has left a frame that came the way `r`; false if that makes no sense.
    fn late(
        &mut self,
        r: u32,
        at: u32,
        turns: u32,
        doubts: &mut Doubts,
        step: &mut impl FnMut(FlowStep<'_>),
    ) -> bool {
        let Some(way) = self.ways.find(r) else { return false };
        if matches!(way.says, Says::Caught(_) | Says::Unwound) {
            return false;
        }
        self.came(way, at, if way.counted { turns } else { 0 }, doubts, step);
        self.leave(Left::Threw, step);
        true
    }

    /// A frame, which may begin with this, came a way up to an exception.
    fn came(
        &mut self,
        way: Way,
        at: u32,
        turns: u32,
        doubts: &mut Doubts,
        step: &mut impl FnMut(FlowStep<'_>),
    ) {
        if way.fresh {
            self.caller_is_at(at, doubts, step);
            self.open(way, step);
        } else {
            self.fit(way, doubts, step);
        }
        if let Some(frame) = self.frames.last_mut() {
            advance(frame, &self.ways, way, turns, step);
        }
    }

    /// Tells how far the caller has come.
    #[inline]
    fn caller_is_at(&mut self, at: u32, doubts: &mut Doubts, step: &mut impl FnMut(FlowStep<'_>)) {
        if at == NO_NEWS {
            return;
        }
        let Some(way) = self.ways.find(at) else {
            doubts.unknown_words += 1;
            return;
        };
        self.fit(way, doubts, step);
        if let Some(frame) = self.frames.last_mut() {
            // Nothing new where the frame is as far already: a library called twice from there.
            advance(frame, &self.ways, way, 0, step);
        }
    }

    fn open(&mut self, way: Way, step: &mut impl FnMut(FlowStep<'_>)) {
        let methods = self.ways.methods();
        let callee = methods.get(way.method.0);
        let how = match self.frames.last() {
            None => Entered::Outermost,
            Some(caller) => {
                let about = methods.get(caller.method.0);
                let direct = match caller.last {
                    _ if self.frames.len() <= self.forgotten => about.may_call(callee),
                    last => about.calls(last, callee),
                };
                if direct { Entered::Call } else { Entered::Library }
            }
        };
        let awaited = self.frames.len() > self.forgotten
            && self.frames.last().is_some_and(|caller| {
                caller.then > 0 && methods.get(caller.method.0).calls_own(caller.last, callee)
            });
        self.push(way, how, awaited, step);
    }

    fn push(&mut self, way: Way, how: Entered, awaited: bool, step: &mut impl FnMut(FlowStep<'_>)) {
        if self.frames.len() >= limits::CAPTURE_DEPTH {
            self.leave_all(step);
        }
        step(FlowStep::Enter { method: way.method, how });
        let (method, start) = (way.method, way.start);
        self.frames.push(Frame { method, start, told: 0, last: NO_BLOCK, then: 0, awaited });
    }

    /// Makes the frame that a record belongs to the innermost one.
    #[inline]
    fn fit(&mut self, way: Way, doubts: &mut Doubts, step: &mut impl FnMut(FlowStep<'_>)) {
        match self.frames.last() {
            Some(frame)
                if frame.method == way.method
                    && frame.start == way.start
                    && self.frames.len() > self.forgotten =>
            {
                self.credit += 1;
            }
            _ => self.find_frame(way, doubts, step),
        }
    }

    #[cold]
    fn find_frame(&mut self, way: Way, doubts: &mut Doubts, step: &mut impl FnMut(FlowStep<'_>)) {
        let forgotten = self.forgotten;
        let most = limits::CAPTURE_SEARCH + self.credit;
        let found = self.frames.iter().enumerate().rev().take(most).position(|(index, frame)| {
            frame.method == way.method && (index < forgotten || frame.start == way.start)
        });
        let searched = found.unwrap_or(self.frames.len().min(most));
        self.credit = (most - searched).saturating_sub(limits::CAPTURE_SEARCH);
        let Some(above) = found else {
            doubts.unseen_beginnings += 1;
            return self.push(way, Entered::Unseen, false, step);
        };
        for _ in 0..above {
            // As in block mode: returning leaves a record, so this frame was left by an exception
            // that could not be noted.
            let threw = self.frames.len() > forgotten;
            doubts.unseen_ends += u64::from(!threw);
            self.leave(if threw { Left::Threw } else { Left::Unseen }, step);
        }
        let was_forgotten = self.frames.len() <= forgotten;
        self.forgotten = self.forgotten.min(self.frames.len().saturating_sub(1));
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.start != way.start {
            (frame.start, frame.told, frame.then) = (way.start, 0, 0);
        } else if was_forgotten {
            // It may have begun the stretch anew: what it waits for now is another call.
            frame.then = 0;
        }
    }

    /// The innermost frame has begun a stretch and tells no more: at least its first block has begun.
    fn begin_stretch(&mut self, step: &mut impl FnMut(FlowStep<'_>)) {
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.told == 0) else { return };
        let Some(way) = self.ways.find(frame.start) else { return };
        if let Some(first) = self.ways.blocks(way).get(..1) {
            step(FlowStep::Blocks { blocks: first, times: 1 });
            frame.told = 1;
        }
    }

    /// The innermost frame is left. One that waited for that goes on, as far as only one thing can come.
    fn leave(&mut self, how: Left, step: &mut impl FnMut(FlowStep<'_>)) {
        if matches!(how, Left::Threw | Left::Open) {
            self.begin_stretch(step);
        }
        let mut was_awaited = self.pop(how, step) && how == Left::Returned;
        while was_awaited {
            was_awaited = self.go_on(step) && self.pop(Left::Returned, step);
        }
    }

    /// Whether the frame below waits for the one that is left now.
    fn pop(&mut self, how: Left, step: &mut impl FnMut(FlowStep<'_>)) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        self.forgotten = self.forgotten.min(self.frames.len());
        step(FlowStep::Leave { how });
        frame.awaited
    }

    /// The call that the innermost frame waited for has returned. Whether that frame returns, too.
    fn go_on(&mut self, step: &mut impl FnMut(FlowStep<'_>)) -> bool {
        let Some(frame) = self.frames.last_mut().filter(|frame| frame.then > 0) else { return false };
        let mut next = frame.then;
        // No circle is silent, whatever the numbering says.
        for _ in 0..limits::CAPTURE_SILENT {
            let Some(way) = self.ways.find(next) else { return false };
            advance(frame, &self.ways, way, 0, step);
            frame.then = 0;
            let Says::Cut(start) = way.says else { return way.says == Says::Returns };
            (frame.start, frame.told, next) = (start, 0, start);
            if !way.goes_on {
                return false;
            }
        }
        false
    }

    /// The innermost frame has begun a stretch of which nothing else tells.
    fn go_on_at_once(&mut self, step: &mut impl FnMut(FlowStep<'_>)) {
        if let Some(frame) = self.frames.last_mut() {
            frame.then = frame.start;
        }
        if self.go_on(step) {
            self.leave(Left::Returned, step);
        }
    }
}

/// Tells the blocks of a way that were not told, with so many turns of its last counted loop.
#[inline]
fn advance(frame: &mut Frame, ways: &Ways, way: Way, turns: u32, step: &mut impl FnMut(FlowStep<'_>)) {
    let blocks = ways.blocks(way);
    let mut told = (frame.told as usize).min(blocks.len());
    if turns > 0
        && let Some((at, turn)) = ways.turn(way)
        && told <= at
    {
        if told < at {
            step(FlowStep::Blocks { blocks: blocks.get(told..at).unwrap_or_default(), times: 1 });
        }
        step(FlowStep::Blocks { blocks: turn, times: u64::from(turns) });
        told = at;
    }
    if let Some(rest) = blocks.get(told..).filter(|rest| !rest.is_empty()) {
        step(FlowStep::Blocks { blocks: rest, times: 1 });
        frame.last = rest.last().copied().unwrap_or(frame.last);
    }
    if frame.told <= way.length {
        (frame.told, frame.then) = (way.length, way.then);
    }
}
