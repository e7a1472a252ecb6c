//! Which records may come next in frames that are open.
//!
//! All that may come is listed or, where code that is not recorded may call anything, marked as open. The list is
//! rather too long: the decoder refuses what does not fit.

use std::collections::BTreeSet;

use model::BlockId;

use super::super::frames::{ANYWHERE, BEFORE, Frame, Frames};
use super::may_run::MayRun;
use super::record::Record;
use crate::Encoding;
use crate::methods::{MethodWords, Methods, RETURNS, has};
use crate::paths::{NO_STATE, Path, PathEnd, Paths};
use crate::words;

/// More records than this are not listed.
const MOST: usize = 6_000;

/// What may come next.
#[derive(Debug, Default)]
pub(super) struct Next {
    /// Records, and whether one of them stands for others that state another number.
    pub(super) records: Vec<(Record, bool)>,
    /// Others may come as well: code that is not recorded may call what it likes.
    pub(super) is_open: bool,
    /// There are too many, or it is not known where the frames stand.
    pub(super) is_incomplete: bool,
}

/// What is asked to list them.
pub(super) struct Lister<'l> {
    pub(super) methods: &'l Methods,
    pub(super) may_run: &'l MayRun,
    pub(super) paths: &'l mut Paths,
    /// Whom code that is not recorded may have called besides: what is seen to run later and was not seen to begin.
    pub(super) suspects: &'l BTreeSet<u32>,
    /// Whether frames record the positions of their callers.
    pub(super) records_paths: bool,
    pub(super) next: Next,
}

impl Lister<'_> {
    pub(super) fn list(mut self, frames: &Frames) -> Next {
        let mut level = 0;
        loop {
            let Some((frame, is_forgotten)) = frames.nth(level) else {
                self.outermost();
                break;
            };
            if is_forgotten || self.next.records.len() > MOST {
                self.next.is_incomplete = true;
                break;
            }
            let about = self.methods.get(frame.method);
            let may_end = match about.encoding {
                Encoding::Paths => self.paths_of(about, frame, level > 0),
                Encoding::Blocks | Encoding::Calls => self.blocks_of(about, frame, level > 0),
            };
            if !may_end {
                break;
            }
            level += 1;
        }
        self.next.records.sort_unstable();
        self.next.records.dedup_by_key(|(record, _)| *record);
        self.next
    }

    fn push(&mut self, record: Record, stands_for_others: bool) {
        self.next.records.push((record, stands_for_others));
    }

    fn outermost(&mut self) {
        self.next.is_open = true;
        let callees: Vec<u32> = self.may_run.outermost().iter().chain(self.suspects).copied().collect();
        for callee in callees {
            self.beginnings(callee, None);
        }
    }

    /// Whether the frame may end without a record.
    fn blocks_of(&mut self, about: &MethodWords, frame: &Frame, only_thrown: bool) -> bool {
        let (first, count, last) = (about.first, about.blocks(), frame.last);
        let block = |block: BlockId| Record::of(&[words::block(first, block)]);
        let is_uncovered = about.is_uncovered(if last == BEFORE { 0 } else { last });
        if !is_uncovered || last == ANYWHERE {
            self.push(Record::of(&[words::unwound(first, count)]), false);
        }
        if last != ANYWHERE && last != BEFORE {
            about.handlers(last).for_each(|handler| self.push(block(handler), false));
        }
        if only_thrown {
            return is_uncovered;
        }
        match last {
            BEFORE => self.push(block(0), false),
            ANYWHERE => self.push(Record::of(&[words::returns(first, count)]), false),
            last => {
                about.edges(last).for_each(|to| self.push(block(to), false));
                if about.returns(last) && !has(about.flags(last), RETURNS) {
                    self.push(Record::of(&[words::returns(first, count)]), false);
                }
            }
        }
        match last {
            ANYWHERE => (0..count).for_each(|block| self.calls((frame.method, block), None)),
            BEFORE => {}
            last => self.calls((frame.method, last), None),
        }
        is_uncovered
    }

    /// What the call at the end of a block may begin; `at`: the news of where the caller is.
    fn calls(&mut self, site: (u32, BlockId), at: Option<u32>) {
        let mut callees = BTreeSet::new();
        let is_open = self.may_run.callees(self.methods, site, &mut callees);
        if is_open {
            self.next.is_open = true;
            callees.extend(self.suspects);
        }
        for callee in callees {
            self.beginnings(callee, at);
        }
    }

    /// The first records of a frame.
    fn beginnings(&mut self, callee: u32, at: Option<u32>) {
        if self.next.records.len() > MOST {
            self.next.is_incomplete = true;
            return;
        }
        let about = self.methods.get(callee);
        let Some(graph) = about.paths.as_ref().filter(|_| about.encoding == Encoding::Paths) else {
            let entry = words::entry(about.first);
            match at.filter(|_| self.records_paths) {
                Some(at) => self.push(Record::of_path(entry, &[at]), false),
                None => self.push(Record::of(&[entry]), false),
            }
            return;
        };
        let numbering = &graph.numbering;
        let from = numbering.entry.or_else(|| numbering.blocks.first().and_then(|block| block.start));
        let Some(from) = from else { return };
        let codes = self.segment(about, about.first + from);
        for code in codes {
            let Some(path) = self.paths.find(code).filter(|path| path.fresh && !path.silent) else {
                continue;
            };
            self.path_records(code, path, at);
            if self.may_throw(about, path) {
                self.thrown(about, path, code, at.unwrap_or(NO_STATE));
            }
        }
    }

    /// The codes of the segment that begins with one.
    fn segment(&self, about: &MethodWords, from: u32) -> std::ops::Range<u32> {
        let end = about.first.saturating_add(about.owned);
        let Some(graph) = &about.paths else { return 0..0 };
        let starts = graph.numbering.blocks.iter().filter_map(|block| Some(about.first + block.start?));
        let end = starts.filter(|start| *start > from).min().unwrap_or(end);
        from..end.min(from.saturating_add(MOST as u32))
    }

    /// The records of a path, in all their forms.
    fn path_records(&mut self, code: u32, path: Path, at: Option<u32>) {
        if matches!(path.end, PathEnd::Caught(_) | PathEnd::Unwound) {
            return;
        }
        let stops = path.end == PathEnd::Stop;
        let plain = !path.counted || path.site;
        if plain && !stops {
            match at.filter(|_| path.fresh) {
                Some(at) => self.push(Record::of_path(code, &[at]), false),
                None => self.push(Record::of_path(code, &[]), false),
            }
        }
        if path.counted && (!stops || path.site) {
            let mut iterations = self.may_run.iterations(code);
            if iterations.is_empty() {
                iterations.push(2);
            }
            for iterations in iterations {
                match path.fresh {
                    true => self.push(Record::of_path(code, &[at.unwrap_or(NO_STATE), iterations]), true),
                    false => self.push(Record::of_path(code, &[iterations]), true),
                }
            }
        }
    }

    /// Whether an exception may come on the path that stands there.
    fn may_throw(&self, about: &MethodWords, path: Path) -> bool {
        let last = self.paths.blocks(path).last();
        let graph = about.paths.as_ref();
        last.zip(graph).is_some_and(|(last, graph)| {
            graph.numbering.blocks.get(*last as usize).is_some_and(|block| block.stop)
        }) && matches!(path.end, PathEnd::Stop | PathEnd::Cut(_) | PathEnd::Returns)
    }

    /// An exception came on a path.
    fn thrown(&mut self, about: &MethodWords, path: Path, code: u32, at: u32) {
        let Some(graph) = &about.paths else { return };
        let Some(&last) = self.paths.blocks(path).last() else { return };
        let counts = graph.numbering.blocks.iter().any(|block| block.in_counted_loop);
        let iterations = match (counts, path.counted) {
            (false, _) => vec![],
            (true, false) => vec![1],
            (true, true) => {
                let mut seen = self.may_run.iterations(code);
                if !seen.contains(&1) {
                    seen.push(1);
                }
                seen
            }
        };
        let mut branches = vec![about.first];
        for (handler, code) in graph.numbering.handlers.iter().zip(about.first + 1..) {
            if about.has_exception_edge(last, *handler) {
                branches.push(code);
            }
        }
        if about.is_uncovered(last) {
            branches.remove(0);
        }
        for branch in branches {
            match iterations.as_slice() {
                [] => self.push(Record::of_path(branch, &[code, at]), false),
                all => all.iter().for_each(|iterations| {
                    self.push(Record::of_path(branch, &[code, at, *iterations]), path.counted);
                }),
            }
        }
    }

    /// Whether the frame may end without a record.
    fn paths_of(&mut self, about: &MethodWords, frame: &Frame, only_thrown: bool) -> bool {
        let emitted = frame.emitted;
        let mut may_end = false;
        for code in self.segment(about, frame.start) {
            let Some(path) = self.paths.find(code).filter(|path| path.start == frame.start) else { continue };
            let blocks = self.paths.blocks(path);
            let Some(&last) = blocks.last() else { continue };
            let goes_on = emitted == 0 || blocks.get(emitted as usize - 1) == Some(&frame.last);
            if !goes_on || path.fresh && emitted != path.length || path.silent {
                continue;
            }
            let throws = self.may_throw(about, path);
            may_end |= about.is_uncovered(last);
            if throws {
                // Such a record of a known frame has the position of the caller, too: whatever it was last.
                self.thrown(about, path, code, NO_STATE);
            }
            if only_thrown || path.fresh {
                if path.fresh && path.end == PathEnd::Open && !only_thrown {
                    self.calls((frame.method, last), None);
                }
                continue;
            }
            self.path_records(code, path, None);
            if throws && about.is_site(last).unwrap_or(true) {
                // Frames that are recorded whole by one record do not change the recorded position of the caller.
                self.calls((frame.method, last), Some(code));
                if emitted == path.length {
                    self.calls((frame.method, last), None);
                }
            }
        }
        may_end
    }
}
