//! Records of paths: [`crate::paths`].
//!
//! Each frame remembers in which segment it is and how many blocks of it were recorded already; a record
//! has the rest of its path. A record that does not fit the innermost frame closes frames down to the
//! nearest one that it fits, or opens one. So reading goes on after every gap with the first record,
//! which names its method by its code; what was open before is distinguished by what follows.
//!
//! After a gap a record says which path some frame of its method has come, and not where on it the frame
//! stood when reading went on, nor whether it is the one that was open before the gap:
//!
//! ```text
//!   read | lost | read                    path of the record: a b* c d* e   (*: a call, others may run within)
//!   a b    ...    x y, returns, [record]  x y ran within b, or within d after b c: then b c ran before x y
//! ```
//!
//! Of the first record of a frame since the gap, only what comes after the last block is recorded in which others
//! may have run: here e. That ran after everything that was recorded before, whichever frame it is and wherever it
//! stood, so nothing is recorded twice, nothing that did not run, and nothing in a wrong order; what is left out
//! is at most a path for each frame that was open. Where the record says that a call begins now, that call's
//! block is the end of the path, and its own beginning is not in doubt. For the same reasons a frame that
//! returns ends none of those silently that were open before the gap: another may have taken its place.
//!
//! Between these stand the words of methods that record their blocks, see [`super::blocks`].

use model::flow::{Entered, Left};

use super::frames::{BEFORE, Frame};
use super::queue::Queue;
use super::state::State;
use crate::Encoding;
use crate::limits;
use crate::methods::{Meaning, Methods, meaning};
use crate::paths::{CODE, FOLLOWING, MANY, NO_STATE, Path, PathEnd, Paths};

/// Iterations that a record has besides those that it states.
#[derive(Debug, Clone, Copy)]
pub(super) struct Many {
    /// The code of the record.
    code: u32,
    iterations: u64,
}

impl State {
    /// Reads the record that `words` begin with, and others of its kind that follow it; how many words that
    /// were. If it belongs to nobody: how many would belong to it.
    #[inline]
    pub(super) fn record(&mut self, methods: &Methods, words: &[u32]) -> Result<usize, usize> {
        let Some((&word, rest)) = words.split_first() else { return Ok(0) };
        self.paths.limit_memory();
        let following = (word >> FOLLOWING) as usize;
        // Records never go over the end of a chunk, so a short one was cut off.
        let Some(more) = rest.get(..following) else { return Err(words.len()) };
        if word & CODE == NO_STATE {
            return if self.is_orphan(methods, more) { Ok(1 + following) } else { Err(1 + following) };
        }
        let Some(path) = self.paths.find(word & CODE) else { return self.among(methods, words, more) };
        let is_known = match (path.end, following) {
            (PathEnd::Cut(next), 0) if !path.fresh && !path.counted => {
                // Iterations of a loop with several paths through it come in runs.
                let mut times = 1;
                if next == path.start {
                    times += rest.iter().take_while(|&&other| other == word).count();
                }
                self.cut(path, next, times);
                return Ok(times);
            }
            (PathEnd::Caught(_) | PathEnd::Unwound, 2 | 3) => self.thrown(path, more),
            _ => self.path_record(path, word & CODE, more),
        };
        if is_known { Ok(1 + following) } else { Err(1 + following) }
    }

    /// A record that begins with no method's code; false if it makes no sense.
    #[cold]
    fn is_orphan(&mut self, methods: &Methods, more: &[u32]) -> bool {
        match *more {
            [at] => {
                self.caller_is_at(at);
                true
            }
            [code, times] => {
                self.many = Some(Many { code, iterations: u64::from(times) * MANY });
                self.paths.find(code).is_some()
            }
            [r, at, iterations] => self.late(methods, r, at, iterations.wrapping_sub(1)),
            _ => false,
        }
    }

    /// The record of a method that records its blocks, which may say where its caller is.
    fn among(&mut self, methods: &Methods, words: &[u32], more: &[u32]) -> Result<usize, usize> {
        let unknown = Err(1 + more.len());
        let Some(code) = words.first().map(|word| word & CODE) else { return unknown };
        let Some(owner) = methods.owner(code) else { return unknown };
        let about = methods.get(owner);
        if about.encoding == Encoding::Paths {
            return unknown;
        }
        match *more {
            [] => Ok(self.blocks(methods, owner, words)),
            [at] if meaning(code - about.first, about.blocks()) == Meaning::Entry => {
                self.caller_is_at(at);
                self.entry(methods, owner, about);
                Ok(2)
            }
            _ => unknown,
        }
    }

    /// The plain record of a cut edge, so many times in a row.
    #[inline]
    fn cut(&mut self, path: Path, next: u32, mut times: usize) {
        self.fit(path, false);
        let Some(frame) = self.frames.top_mut() else { return };
        if frame.emitted > 0 {
            advance(frame, &self.paths, &mut self.queue, path, 0);
            times -= 1;
        }
        let blocks = self.paths.blocks(path);
        self.queue.blocks(blocks, times as u64);
        frame.last = blocks.last().copied().unwrap_or(frame.last);
        (frame.start, frame.emitted, frame.then) = (next, 0, 0);
        if path.goes_on {
            self.go_on_at_once();
        }
    }

    /// Any other record of a path; false if it makes no sense.
    #[inline]
    fn path_record(&mut self, path: Path, code: u32, more: &[u32]) -> bool {
        // A frame that begins may leave out where its caller is, and states a site by a code of its own.
        let records_at_site = path.site && (path.fresh || !more.is_empty());
        let counted = path.counted && (!path.site || records_at_site);
        let is_path = !matches!(path.end, PathEnd::Caught(_) | PathEnd::Unwound);
        let (at, written) = match more.len().checked_sub(usize::from(counted)) {
            Some(1) if path.fresh => (more.first().copied().unwrap_or(NO_STATE), more.get(1)),
            Some(0) => (NO_STATE, more.first()),
            _ => return false,
        };
        if !is_path {
            return false;
        }
        let iterations = if counted { self.iterations(code, written.copied()) } else { 0 };
        if path.fresh {
            self.caller_is_at(at);
            self.begin(path);
        } else {
            self.fit(path, false);
        }
        let Some(frame) = self.frames.top_mut() else { return true };
        advance(frame, &self.paths, &mut self.queue, path, iterations);
        match path.end {
            _ if records_at_site => {}
            PathEnd::Cut(next) => {
                (frame.start, frame.emitted, frame.then) = (next, 0, 0);
                if path.goes_on {
                    self.go_on_at_once();
                }
            }
            PathEnd::Returns => self.leave(Left::Returned),
            _ => {}
        }
        true
    }

    /// All iterations that a record of this code has; these are written in it, plus 1.
    #[inline]
    fn iterations(&mut self, code: u32, written: Option<u32>) -> u64 {
        let many = self.many.take().filter(|many| many.code == code).map_or(0, |many| many.iterations);
        many + written.map_or(0, |iterations| u64::from(iterations.wrapping_sub(1)))
    }

    /// A handler runs, or the frame is left by an exception; false if that makes no sense.
    fn thrown(&mut self, what: Path, more: &[u32]) -> bool {
        let &[r, at, ref iterations @ ..] = more else { return false };
        let Some(path) = self.paths.find(r).filter(|path| path.method == what.method) else { return false };
        let iterations =
            if iterations.is_empty() { 0 } else { self.iterations(r, iterations.first().copied()) };
        self.came(path, at, iterations);
        let Some(frame) = self.frames.top_mut() else { return true };
        match what.end {
            PathEnd::Caught(handler) => {
                (frame.start, frame.emitted, frame.last) = (what.start, 1, handler);
                frame.then = 0;
                self.queue.catch(handler);
            }
            _ => self.leave(Left::Threw),
        }
        true
    }

    /// An exception has left a frame that came the path `r`; false if that makes no sense.
    fn late(&mut self, methods: &Methods, r: u32, at: u32, iterations: u32) -> bool {
        let Some(path) = self.paths.find(r) else {
            let Some(owner) = methods.owner(r) else { return false };
            let about = methods.get(owner);
            let is_end = about.encoding != Encoding::Paths
                && meaning(r - about.first, about.blocks()) == Meaning::Unwound;
            if is_end {
                self.unwound(owner, about);
            }
            return is_end;
        };
        if matches!(path.end, PathEnd::Caught(_) | PathEnd::Unwound) {
            return false;
        }
        let iterations = self.iterations(r, Some(iterations.wrapping_add(1)));
        self.came(path, at, if path.counted { iterations } else { 0 });
        self.leave(Left::Threw);
        true
    }

    /// A frame, which may begin with this, came a path up to an exception.
    fn came(&mut self, path: Path, at: u32, iterations: u64) {
        if path.fresh {
            self.caller_is_at(at);
            self.begin(path);
        } else {
            self.fit(path, false);
        }
        if let Some(frame) = self.frames.top_mut() {
            advance(frame, &self.paths, &mut self.queue, path, iterations);
        }
    }

    /// Takes the record of how far the caller has come.
    #[inline]
    pub(super) fn caller_is_at(&mut self, at: u32) {
        if at == NO_STATE {
            return;
        }
        let Some(path) = self.paths.find(at) else {
            self.anomalies.unknown_records += 1;
            return;
        };
        self.fit(path, true);
        if let Some(frame) = self.frames.top_mut() {
            // Nothing new where the frame is as far already: a library called twice from there.
            advance(frame, &self.paths, &mut self.queue, path, 0);
        }
    }

    /// A frame begins with a record of this path.
    #[inline]
    fn begin(&mut self, path: Path) {
        let methods = self.paths.methods();
        let callee = methods.get(path.method.0);
        let how = self.frames.how(methods, callee);
        let awaited = self.frames.awaits(methods, callee);
        self.open(Frame { awaited, ..Frame::of_paths(path.method.0, path.start) }, path.method, how);
    }

    /// Makes the frame that a record belongs to the innermost one. `now`: what comes next runs in its last block.
    #[inline]
    fn fit(&mut self, path: Path, now: bool) {
        match self.frames.top() {
            // No two segments begin with the same code.
            Some(frame) if frame.start == path.start && !self.frames.is_forgotten() => {
                self.frames.earn(1);
                self.frames.believe_top();
            }
            _ => self.find_frame(path, now),
        }
    }

    #[cold]
    fn find_frame(&mut self, path: Path, now: bool) {
        let method = path.method.0;
        let uncertain = self.uncertain_from(path, now);
        let known = self.close_down_to(|frame, is_forgotten| {
            frame.method == method && (is_forgotten || frame.start == path.start)
        });
        self.frames.believe_top();
        if known && !self.frames.is_forgotten() {
            return;
        }
        if !known {
            self.anomalies.unseen_beginnings += 1;
            self.open(Frame::of_paths(method, path.start), path.method, Entered::Unseen);
        }
        self.frames.remember_top();
        let stands_in = uncertain.checked_sub(1).and_then(|last| self.paths.blocks(path).get(last as usize));
        if let Some(frame) = self.frames.top_mut() {
            (frame.start, frame.emitted) = (path.start, uncertain);
            // Calls that follow are looked for there.
            frame.last = stands_in.copied().unwrap_or(BEFORE);
        }
    }

    /// How many blocks of a path are not recorded of a frame of which nothing was recorded since something was lost;
    /// see the head of this file. Nothing has been closed yet.
    fn uncertain_from(&self, path: Path, now: bool) -> u32 {
        let blocks = self.paths.blocks(path);
        let Some((last, over)) = blocks.split_last() else { return 0 };
        // Recorded again: the recorder repeats it until it has recorded a frame that goes on.
        let again = |frame: &Frame| frame.start == path.start && frame.last == *last;
        let over = if now && !self.frames.top().is_some_and(again) { over } else { blocks };
        let others = over.iter().rposition(|&block| self.paths.is_site(path, block));
        let others = others.map_or(0, |at| at + 1).max(usize::from(self.paths.begins_caught(path)));
        u32::try_from(others).unwrap_or(path.length)
    }

    /// The innermost frame has begun a segment and has no further record: at least its first block has begun.
    pub(super) fn begin_segment(&mut self) {
        let Some(frame) = self.frames.top_mut().filter(|frame| frame.emitted == 0 && frame.start > 0) else {
            return;
        };
        let Some(path) = self.paths.find(frame.start) else { return };
        if let Some(&first) = self.paths.blocks(path).first() {
            self.queue.blocks(&[first], 1);
            frame.emitted = 1;
        }
    }

    /// The call that the innermost frame waited for has returned. Whether that frame returns, too.
    pub(super) fn go_on(&mut self) -> bool {
        let Some(frame) = self.frames.top_mut().filter(|frame| frame.then > 0) else { return false };
        let mut next = frame.then;
        // No circle is silent, whatever the numbering says.
        for _ in 0..limits::SILENT {
            let Some(path) = self.paths.find(next) else { return false };
            advance(frame, &self.paths, &mut self.queue, path, 0);
            frame.then = 0;
            let PathEnd::Cut(start) = path.end else { return path.end == PathEnd::Returns };
            (frame.start, frame.emitted, next) = (start, 0, start);
            if !path.goes_on {
                return false;
            }
        }
        false
    }

    /// The innermost frame has begun a segment that has no other record.
    fn go_on_at_once(&mut self) {
        if let Some(frame) = self.frames.top_mut() {
            frame.then = frame.start;
        }
        if self.go_on() {
            self.leave(Left::Returned);
        }
    }
}

/// Emits the blocks of a path that were not emitted yet, with so many iterations of its last counted loop.
#[inline]
fn advance(frame: &mut Frame, paths: &Paths, queue: &mut Queue, path: Path, iterations: u64) {
    let blocks = paths.blocks(path);
    let mut emitted = (frame.emitted as usize).min(blocks.len());
    if iterations > 0
        && let Some((at, iteration)) = paths.iteration(path)
        && emitted <= at
    {
        queue.blocks(blocks.get(emitted..at).unwrap_or_default(), 1);
        queue.blocks(iteration, iterations);
        emitted = at;
    }
    if let Some(rest) = blocks.get(emitted..).filter(|rest| !rest.is_empty()) {
        queue.blocks(rest, 1);
        frame.last = rest.last().copied().unwrap_or(frame.last);
    }
    if frame.emitted <= path.length {
        (frame.emitted, frame.then) = (path.length, path.then);
    }
}
