//! What threads did, for people: a group for those that did alike, in it one line for each call, loop and variant.

use analyses::calls::{Entry, Report, Visitor, What};
use analyses::replay::{Measure, NodeId};
use analyses::times::{self, ByKey, Collected};
use model::FlowSource;
use model::code::{BlockId, Ending, MethodId};
use model::flow::{Entered, Left};

use super::call_times;
use super::calls_threads;
use super::code_names::{class, file, inlined, last_line, lines, method, package, short_ranges, was_running};
use super::lost_records;
use super::open_frames;
use super::throttled;
use crate::escape::plain;
use crate::exit::Result;
use crate::hangs::open_frames::OpenFrames;
use crate::numbers::{counted, grouped};
use crate::output::Output;
use crate::paint::{Ink, Paint};
use crate::recordings::Ran;

/// What is shown of what.
pub(crate) struct Page<'a> {
    pub(crate) recording: &'a dyn FlowSource,
    pub(crate) ran: &'a Ran<'a>,
    /// Blocks of each node.
    pub(crate) blocks: &'a Measure,
    /// Lines of each thread.
    pub(crate) limit: u64,
    /// Whether only what is searched for is shown.
    pub(crate) is_search: bool,
    /// Whether calls are listed one by one, so that only threads of equal content are grouped.
    pub(crate) is_unfolded: bool,
    pub(crate) paint: Paint,
}

/// Threads of which nothing was recorded that are named.
const UNRECORDED: usize = 20;
/// Groups that are shown unless all are asked for.
const GROUPS: usize = 50;

impl Page<'_> {
    /// Writes the report; whether there was anything to show.
    pub(crate) fn write(
        &self,
        report: &mut Report<'_>,
        methods: Option<&[bool]>,
        counts: &dyn Fn(NodeId) -> (u64, u64),
        output: &mut Output,
    ) -> Result<bool> {
        let roots: Vec<NodeId> = self.ran.replay.threads.iter().map(|thread| thread.root).collect();
        if let Some(methods) = methods {
            let mut lines = Lines::new(self, output);
            let asked = |method: MethodId| methods.get(method.0 as usize).copied().unwrap_or(false);
            report.methods(&roots, &asked, &mut lines);
            if lines.finish()? == 0 {
                output.buffer.extend_from_slice(b"none of these methods was called\n");
            }
            return Ok(true);
        }
        let mut any = false;
        let groups = calls_threads::groups(self.ran, report, self.is_unfolded);
        let most = if self.limit == u64::MAX { usize::MAX } else { GROUPS };
        for group in groups.iter().take(most) {
            if any {
                output.buffer.push(b'\n');
            }
            any = true;
            output.buffer.extend_from_slice(self.title(group, counts).as_bytes());
            let mut lines = Lines::new(self, output);
            lines.times = group.only_thread().and_then(|thread| self.ran.times.get(&thread.serial));
            report.kind(&group.inside, &mut lines);
            lines.finish()?;
        }
        let more = groups.iter().skip(most).map(|group| group.threads.len() as u64).sum::<u64>();
        if more > 0 {
            let threads = counted(more, "thread");
            let text = format!("\n... and {threads} more (--all lists them, --thread NAME one)\n");
            output.buffer.extend_from_slice(self.paint.dip(Ink::Quiet, &text).as_bytes());
        }
        if self.is_search {
            return Ok(any);
        }
        if let Some(sentence) = throttled::sentence(self.recording.throttled()).filter(|_| any) {
            let line = self.paint.dip(Ink::Quiet, &format!("calls counted only: {sentence}"));
            output.buffer.extend_from_slice(format!("\n{line}\n").as_bytes());
        }
        any |= self.open_elsewhere(any, output);
        for running in self.ran.unrecorded.iter().take(UNRECORDED) {
            let name = self.paint.dip(Ink::Title, &format!("Thread {}", plain(&running.name)));
            let sentence = self.paint.dip(Ink::Quiet, &plain(&was_running(self.recording, running)));
            let apart = if any { "\n" } else { "" };
            let text = format!("{apart}{name}  nothing recorded\n  {sentence}\n");
            output.buffer.extend_from_slice(text.as_bytes());
            any = true;
        }
        let more = self.ran.unrecorded.len().saturating_sub(UNRECORDED);
        if more > 0 {
            let text =
                format!("\n... and {} more of which nothing was recorded\n", counted(more as u64, "thread"));
            output.buffer.extend_from_slice(text.as_bytes());
        }
        Ok(any)
    }

    /// Writes the threads that were in the middle of something and have no recorded step; whether there are any.
    fn open_elsewhere(&self, any: bool, output: &mut Output) -> bool {
        let is_shown =
            |open: &&OpenFrames| self.ran.threads.iter().any(|thread| thread.tid == Some(open.tid));
        let mut apart = if any { "\n" } else { "" };
        let mut all = self.ran.open.iter().filter(|open| !is_shown(open));
        for open in all.by_ref().take(UNRECORDED) {
            let name = self.paint.dip(Ink::Title, &format!("Thread {}", plain(&open.thread)));
            let text = format!("{apart}{name}  nothing recorded\n{}", self.open(open));
            output.buffer.extend_from_slice(text.as_bytes());
            apart = "\n";
        }
        let more = all.count();
        if more > 0 {
            let text = format!("\n... and {} more that had not ended\n", counted(more as u64, "thread"));
            output.buffer.extend_from_slice(text.as_bytes());
        }
        !apart.is_empty()
    }

    /// The frames that were open at the end, as lines.
    pub(super) fn open(&self, open: &OpenFrames) -> String {
        let first = self.paint.dip(Ink::Open, &plain(&open_frames::sentence(open)));
        let more = open_frames::more(open);
        let more = more.iter().map(|line| self.paint.dip(Ink::Quiet, &plain(line)));
        std::iter::once(first).chain(more).map(|line| format!("  {line}\n")).collect()
    }
}

/// What was opened and not yet closed.
struct Open {
    /// The package that is left out below.
    package: String,
    /// The method whose lines are meant below, for files are named when they change.
    file: Option<String>,
    /// The key of its calls among those with times, where there is one.
    key: Option<u64>,
}

struct Lines<'p, 'o> {
    page: &'p Page<'p>,
    output: &'o mut Output,
    /// How long calls of the thread that is written took.
    times: Option<&'p Collected>,
    open: Vec<Open>,
    written: u64,
    left_out: u64,
    waiting: Option<Waiting>,
    trouble: std::io::Result<()>,
}

impl<'p, 'o> Lines<'p, 'o> {
    fn new(page: &'p Page<'p>, output: &'o mut Output) -> Lines<'p, 'o> {
        Lines {
            page,
            output,
            times: None,
            open: vec![],
            written: 0,
            left_out: 0,
            waiting: None,
            trouble: Ok(()),
        }
    }

    fn finish(mut self) -> Result<u64> {
        self.flush();
        let written = self.written;
        if self.left_out > 0 {
            let text = "  ... and more (--limit N or --all shows it; --depth N, --method and --search look closer)\n";
            self.output.buffer.extend_from_slice(self.page.paint.dip(Ink::Quiet, text).as_bytes());
        }
        self.trouble?;
        Ok(written)
    }

    fn line(&mut self, depth: usize, text: &str) {
        let indent = 2 * (depth + 1);
        self.output.buffer.extend(std::iter::repeat_n(b' ', indent));
        self.output.buffer.extend_from_slice(text.as_bytes());
        self.output.buffer.push(b'\n');
        self.written += 1;
    }

    fn dip(&self, ink: Ink, text: &str) -> String {
        self.page.paint.dip(ink, text)
    }

    /// ` x 1,204`, where that is not what one expects from what is around.
    fn times(&self, times: u64, around: u64) -> String {
        match times == around {
            true => String::new(),
            false => self.dip(Ink::Loop, &format!(" x {}", grouped(times))),
        }
    }

    /// The line that called.
    fn at(&self, at: Option<(MethodId, BlockId)>) -> Option<u16> {
        let (id, block) = at?;
        last_line(self.page.recording.code().method(id)?, block)
    }

    /// ` (Baker.java:30-33)`; the file only where it is not the one around.
    fn where_(&self, id: MethodId, blocks: &[BlockId], always: bool) -> String {
        let code = self.page.recording.code();
        let lines = short_ranges(&lines(code.method(id), blocks));
        let inlined = inlined(code, id, blocks);
        let known = self.open.last().and_then(|open| open.file.as_deref());
        let name = file(code, id).filter(|name| always || Some(*name) != known);
        match (name, lines.as_str()) {
            (None, "") => String::new(),
            (Some(name), "") => format!(" ({}{inlined})", plain(name)),
            (Some(name), lines) => format!(" ({}:{lines}{inlined})", plain(name)),
            (None, lines) => format!(" ({lines}{inlined})"),
        }
    }

    fn name(&self, id: MethodId) -> String {
        let around = self.open.last().map_or("", |open| &open.package);
        plain(&method(self.page.recording.code(), id, around)).into_owned()
    }

    /// ` via library` and which call led there.
    fn via(&self, entered: Entered, at: Option<(MethodId, BlockId)>) -> String {
        match entered {
            Entered::Call | Entered::Outermost => String::new(),
            Entered::Unseen => self.dip(Ink::Open, "  beginning not seen"),
            Entered::Library => {
                let code = self.page.recording.code();
                let block = at.and_then(|(id, block)| code.method(id)?.blocks.get(block as usize));
                let through = match block.map(|block| &block.ending) {
                    Some(Ending::Call(call)) if !call.class.is_empty() => {
                        let class = call.class.rsplit('.').next().unwrap_or(&call.class);
                        format!("  via library ({class}.{})", call.name)
                    }
                    _ => "  via library".to_owned(),
                };
                self.dip(Ink::Quiet, &plain(&through))
            }
        }
    }

    fn left(&self, left: Option<Left>) -> String {
        match left {
            Some(Left::Threw) => self.dip(Ink::Bad, "  threw"),
            Some(Left::Unseen) => self.dip(Ink::Open, "  end not seen"),
            Some(Left::Open) => self.dip(Ink::Open, "  still open at the end"),
            Some(Left::Returned) | None => String::new(),
        }
    }

    /// The description of an entry: the parts before and after its count.
    fn described(&self, entry: &Entry<'_>) -> (String, String) {
        match entry.what {
            What::Call { method, entered, left, blocks } => {
                let location = self.where_(method, blocks, true);
                let via = self.via(entered, entry.at);
                (format!("{}{location}", self.name(method)), format!("{via}{}", self.left(left)))
            }
            What::AsBefore { method, entered, left, blocks } => {
                let location = self.where_(method, blocks, true);
                let (via, left) = (self.via(entered, entry.at), self.left(Some(left)));
                (
                    format!("{}{location}", self.name(method)),
                    format!("{via}{left}{}", self.dip(Ink::Quiet, "  as before")),
                )
            }
            What::Within { method } => (self.name(method), self.dip(Ink::Loop, "  recursion")),
            _ => (self.describe_other(entry), String::new()),
        }
    }

    fn describe_other(&self, entry: &Entry<'_>) -> String {
        match entry.what {
            What::Call { .. } | What::AsBefore { .. } | What::Within { .. } => String::new(),
            What::Loop { method, entered, ran, index, .. } => {
                let code = self.page.recording.code();
                let found = code
                    .method(method)
                    .zip(index)
                    .and_then(|(method, index)| method.loops.get(index as usize));
                let blocks = match (ran.is_empty(), found) {
                    (true, Some(found)) => found.blocks.as_slice(),
                    _ => ran,
                };
                let location = short_ranges(&lines(code.method(method), blocks));
                let inlined = inlined(code, method, blocks);
                // Of a loop that was looked at and left, or left by a return, no iteration was made whole.
                let iterations = match entry.times {
                    0 => "left in its first iteration".to_owned(),
                    times => format!("x {}", grouped(times)),
                };
                let iterations = self.dip(Ink::Loop, &iterations);
                let rounds = match entered == entry.around {
                    true => String::new(),
                    false => format!("  (come by {} times)", grouped(entered)),
                };
                let location =
                    if location.is_empty() { String::new() } else { format!(" at {location}{inlined}") };
                format!("loop{location} {iterations}{rounds}")
            }
            What::Variant { method, left, blocks } => {
                let times = self.dip(Ink::Loop, &format!("x {}", grouped(entry.times)));
                format!("{times}{}{}", self.where_(method, blocks, false), self.left(left))
            }
            What::Recursion { method, depth } => {
                let times = self.dip(Ink::Loop, &format!("x {}", grouped(entry.times)));
                format!("recursion of {} {times}, {} deep", self.name(method), grouped(depth))
            }
            What::Caught { block } => {
                let method = entry.at.and_then(|(id, _)| self.page.recording.code().method(id));
                let line =
                    method.and_then(|method| method.blocks.get(block as usize)?.lines.first().copied());
                let line = line.map(|line| format!("{line}: ")).unwrap_or_default();
                let times = self.times(entry.times, entry.around);
                format!("{}{}{times}", self.dip(Ink::Quiet, &line), self.dip(Ink::Bad, "caught"))
            }
            What::Gap { lost: 0 } => self.dip(Ink::Bad, "something is missing here"),
            What::Gap { lost } => {
                self.dip(Ink::Bad, &format!("{} are missing here", counted(u64::from(lost), "record")))
            }
            What::Inferred { inferred } => {
                self.dip(Ink::Bad, &format!("{}:", lost_records::sentence(inferred)))
            }
            What::Observed => self.dip(Ink::Quiet, "recorded again from here on"),
            What::More { calls, blocks } => {
                let inside = format!("... {}, {} inside", counted(calls, "call"), counted(blocks, "block"));
                self.dip(Ink::Quiet, &inside)
            }
        }
    }
}

/// A line that is not written yet: calls right after it with the same text are added to it.
struct Waiting {
    /// How many entries were open.
    depth: usize,
    described: (String, String),
    /// For each call the line that made it, and how often.
    calls: Vec<(Option<u16>, u64)>,
    around: u64,
    /// How long they took.
    took: Vec<ByKey>,
}

/// So many lines that called are named.
const CALLERS: usize = 4;

impl Lines<'_, '_> {
    /// Writes the line that waits.
    fn flush(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            self.write(waiting);
        }
    }

    fn write(&mut self, waiting: Waiting) {
        if self.written >= self.page.limit {
            self.left_out += 1;
            return;
        }
        let Waiting { depth, described: (before, after_count), calls, around, took } = waiting;
        let mut at: Vec<u16> = vec![];
        for line in calls.iter().filter_map(|call| call.0) {
            // Calls in a row mostly come from lines in a row.
            if at.last() != Some(&line) && !at.iter().take(CALLERS + 1).any(|known| *known == line) {
                at.push(line);
            }
        }
        let times = calls.iter().fold(0u64, |sum, call| sum.saturating_add(call.1));
        let shown: Vec<String> = at.iter().take(CALLERS).map(u16::to_string).collect();
        let more = if at.len() > CALLERS { ",..." } else { "" };
        let at = match shown.is_empty() {
            true => String::new(),
            false => self.dip(Ink::Quiet, &format!("{}{more}: ", shown.join(","))),
        };
        let took = took.into_iter().reduce(ByKey::plus).map(|times| call_times::sentence(&times));
        let took = took.filter(|took| !took.is_empty());
        let took = took.map_or(String::new(), |took| self.dip(Ink::Title, &format!("  {took}")));
        let text = format!("{at}{before}{}{after_count}{took}", self.times(times, around));
        self.line(depth, &text);
    }

    /// Lets the entry wait, or join the one that waits.
    fn wait(&mut self, entry: &Entry<'_>, key: Option<u64>) {
        let depth = self.open.len();
        if let Some(waiting) = self.waiting.take_if(|waiting| waiting.depth < depth) {
            // This lies in the last call of those that wait: that one stands for itself.
            self.write_apart(waiting);
        }
        let (times, around) = self.counts(entry);
        let at = self.at(entry.at).filter(|_| is_call(entry));
        let described = self.described(entry);
        let took = self.took(entry, key);
        match self
            .waiting
            .as_mut()
            .filter(|one| at.is_some() && one.depth == depth && one.described == described)
        {
            Some(waiting) => {
                waiting.calls.push((at, times));
                waiting.took.push(took);
            }
            None => {
                self.flush();
                self.waiting =
                    Some(Waiting { depth, described, calls: vec![(at, times)], around, took: vec![took] });
            }
        }
    }

    fn write_apart(&mut self, mut waiting: Waiting) {
        let last = waiting.calls.pop();
        let took = waiting.took.pop().into_iter().collect();
        let (depth, described, around) = (waiting.depth, waiting.described.clone(), waiting.around);
        if !waiting.calls.is_empty() {
            self.write(waiting);
        }
        self.write(Waiting { depth, described, calls: last.into_iter().collect(), around, took });
    }

    /// The key of a call that is shown where it was made; `None` below other entries.
    fn key(&self, entry: &Entry<'_>) -> Option<u64> {
        let around = self.open.last().map_or(Some(0), |open| open.key)?;
        match entry.what {
            What::Call { method, .. } | What::AsBefore { method, .. } => {
                Some(times::key(around, self.at(entry.at), method))
            }
            What::Loop { .. } | What::Variant { .. } => Some(around),
            _ => None,
        }
    }

    /// How long the calls of an entry took; not known where calls of the same call path are listed elsewhere, too.
    fn took(&self, entry: &Entry<'_>, key: Option<u64>) -> ByKey {
        let of_others = ByKey { calls: entry.times, ..ByKey::default() };
        let known = self.times.zip(key).filter(|_| is_call(entry));
        let known = known.and_then(|(times, key)| times.of(key)).copied();
        known.filter(|known| known.calls == entry.times).unwrap_or(of_others)
    }

    /// What is no call has its count in its text.
    fn counts(&self, entry: &Entry<'_>) -> (u64, u64) {
        if is_call(entry) { (entry.times, entry.around) } else { (1, 1) }
    }
}

fn is_call(entry: &Entry<'_>) -> bool {
    matches!(entry.what, What::Call { .. } | What::AsBefore { .. } | What::Within { .. })
}

impl Visitor for Lines<'_, '_> {
    fn open(&mut self, entry: &Entry<'_>) -> bool {
        let key = self.key(entry);
        self.wait(entry, key);
        let code = self.page.recording.code();
        let inherited = |open: &Open| Open { package: open.package.clone(), file: open.file.clone(), key };
        let inside = match entry.what {
            What::Call { method, .. } => Open {
                package: package(class(code, method)).to_owned(),
                file: file(code, method).map(str::to_owned),
                key,
            },
            _ => self.open.last().map_or(Open { package: String::new(), file: None, key }, inherited),
        };
        self.open.push(inside);
        if self.trouble.is_ok() {
            self.trouble = self.output.pass();
        }
        self.left_out == 0 && self.trouble.is_ok()
    }

    fn close(&mut self) {
        self.open.pop();
        // What waits may still be joined by a call beside it, but not by one further out.
        if self.waiting.as_ref().is_some_and(|waiting| waiting.depth > self.open.len()) {
            self.flush();
        }
    }
}
