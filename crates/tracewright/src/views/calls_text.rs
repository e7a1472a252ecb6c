//! What a thread did, for people: one line for each call, loop and variant.

use analyses::calls::{Entry, Report, Tells, What};
use analyses::replay::NodeId;
use formats::capture::{Capture, Thread};
use model::code::{BlockId, Ending, MethodId};
use model::flow::{Entered, Left};

use super::code_names::{class, file, last_line, lines, method, package, ranges};
use crate::captures::Ran;
use crate::escape::plain;
use crate::exit::Result;
use crate::numbers::{counted, duration, grouped};
use crate::output::Output;
use crate::paint::{Ink, Paint};

/// What is shown of what.
pub(crate) struct Page<'a> {
    pub(crate) capture: &'a Capture,
    pub(crate) ran: &'a Ran<'a>,
    /// Lines of each thread.
    pub(crate) limit: u64,
    pub(crate) paint: Paint,
}

impl Page<'_> {
    /// Writes the report; whether there was anything to tell.
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
            let written = lines.written;
            lines.finish()?;
            if written == 0 {
                output.buffer.extend_from_slice(b"none of these methods was called\n");
            }
            return Ok(true);
        }
        let mut any = false;
        for (thread, ran) in self.ran.threads.iter().zip(&self.ran.replay.threads) {
            if !report.has(ran.root) {
                continue;
            }
            if any {
                output.buffer.push(b'\n');
            }
            any = true;
            let (blocks, calls) = counts(ran.root);
            let title = self.title(thread, blocks, calls);
            output.buffer.extend_from_slice(title.as_bytes());
            let mut lines = Lines::new(self, output);
            report.thread(ran.root, &mut lines);
            lines.finish()?;
        }
        Ok(any)
    }

    fn title(&self, thread: &Thread, blocks: u64, calls: u64) -> String {
        let kind = if thread.is_virtual { "Virtual thread" } else { "Thread" };
        let name = self.paint.dip(Ink::Title, &format!("{kind} {}", plain(&thread.name())));
        let time = match thread.time() {
            Some((first, last)) if last > first => {
                format!(", {}", duration(i128::from(last) - i128::from(first)))
            }
            _ => String::new(),
        };
        format!("{name}  {}, {}{time}\n", counted(calls, "call"), counted(blocks, "block"))
    }
}

/// What was opened and not yet closed.
struct Open {
    /// The package that is left out below.
    package: String,
    /// The method whose lines are meant below, for files are named when they change.
    file: Option<String>,
}

struct Lines<'p, 'o> {
    page: &'p Page<'p>,
    output: &'o mut Output,
    open: Vec<Open>,
    written: u64,
    left_out: u64,
    trouble: std::io::Result<()>,
}

impl<'p, 'o> Lines<'p, 'o> {
    fn new(page: &'p Page<'p>, output: &'o mut Output) -> Lines<'p, 'o> {
        Lines { page, output, open: vec![], written: 0, left_out: 0, trouble: Ok(()) }
    }

    fn finish(self) -> Result<()> {
        if self.left_out > 0 {
            let text = "  ... and more (--limit N or --all shows it; --depth N, --method and --search look closer)\n";
            self.output.buffer.extend_from_slice(self.page.paint.dip(Ink::Quiet, text).as_bytes());
        }
        Ok(self.trouble?)
    }

    fn line(&mut self, text: &str) {
        let indent = 2 * (self.open.len() + 1);
        self.output.buffer.extend(std::iter::repeat_n(b' ', indent));
        self.output.buffer.extend_from_slice(text.as_bytes());
        self.output.buffer.push(b'\n');
        self.written += 1;
    }

    fn dip(&self, ink: Ink, text: &str) -> String {
        self.page.paint.dip(ink, text)
    }

    /// ` x 1,204`, where that is not what one expects from what is around.
    fn times(&self, entry: &Entry<'_>) -> String {
        match entry.times == entry.around {
            true => String::new(),
            false => self.dip(Ink::Loop, &format!(" x {}", grouped(entry.times))),
        }
    }

    /// `14: `, the line that called.
    fn at(&self, at: Option<(MethodId, BlockId)>) -> String {
        let code = &self.page.capture.code;
        let line = at.and_then(|(id, block)| last_line(code.method(id)?, block));
        line.map(|line| self.dip(Ink::Quiet, &format!("{line}: "))).unwrap_or_default()
    }

    /// ` (Baker.java:30-33)`; the file only where it is not the one around.
    fn where_(&self, id: MethodId, blocks: &[BlockId], always: bool) -> String {
        let code = &self.page.capture.code;
        let lines = ranges(&lines(code.method(id), blocks));
        let known = self.open.last().and_then(|open| open.file.as_deref());
        let name = file(code, id).filter(|name| always || Some(*name) != known);
        match (name, lines.as_str()) {
            (None, "") => String::new(),
            (Some(name), "") => format!(" ({})", plain(name)),
            (Some(name), lines) => format!(" ({}:{lines})", plain(name)),
            (None, lines) => format!(" ({lines})"),
        }
    }

    fn name(&self, id: MethodId) -> String {
        let around = self.open.last().map_or("", |open| &open.package);
        plain(&method(&self.page.capture.code, id, around)).into_owned()
    }

    /// ` via library` and which call led there.
    fn via(&self, entered: Entered, at: Option<(MethodId, BlockId)>) -> String {
        match entered {
            Entered::Call | Entered::Outermost => String::new(),
            Entered::Unseen => self.dip(Ink::Open, "  beginning not seen"),
            Entered::Library => {
                let code = &self.page.capture.code;
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
            Some(Left::Returned) | None => String::new(),
        }
    }

    fn told(&self, entry: &Entry<'_>) -> String {
        let times = self.times(entry);
        match entry.what {
            What::Call { method, entered, left, blocks } => {
                let place = self.where_(method, blocks, true);
                let (at, via) = (self.at(entry.at), self.via(entered, entry.at));
                format!("{at}{}{place}{times}{via}{}", self.name(method), self.left(left))
            }
            What::AsBefore { method, entered, left, blocks } => {
                let place = self.where_(method, blocks, true);
                let (at, via) = (self.at(entry.at), self.via(entered, entry.at));
                let same = self.dip(Ink::Quiet, "  as before");
                format!("{at}{}{place}{times}{via}{}{same}", self.name(method), self.left(Some(left)))
            }
            What::Within { method } => {
                let note = self.dip(Ink::Loop, "  recursion");
                format!("{}{}{times}{note}", self.at(entry.at), self.name(method))
            }
            What::Loop { method, entered, blocks, index } => {
                let code = &self.page.capture.code;
                let found = code
                    .method(method)
                    .zip(index)
                    .and_then(|(method, index)| method.loops.get(index as usize));
                let place = match (blocks.is_empty(), found) {
                    (true, Some(found)) => ranges(&lines(code.method(method), &found.blocks)),
                    _ => ranges(&lines(code.method(method), blocks)),
                };
                let turns = self.dip(Ink::Loop, &format!("x {}", grouped(entry.times)));
                let rounds = match entered == entry.around {
                    true => String::new(),
                    false => format!("  (come by {} times)", grouped(entered)),
                };
                let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
                format!("loop{place} {turns}{rounds}")
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
                let method = entry.at.and_then(|(id, _)| self.page.capture.code.method(id));
                let line =
                    method.and_then(|method| method.blocks.get(block as usize)?.lines.first().copied());
                let line = line.map(|line| format!("{line}: ")).unwrap_or_default();
                format!("{}{}{times}", self.dip(Ink::Quiet, &line), self.dip(Ink::Bad, "caught"))
            }
            What::Gap { lost: 0 } => self.dip(Ink::Bad, "something is missing here"),
            What::Gap { lost } => {
                self.dip(Ink::Bad, &format!("{} are missing here", counted(u64::from(lost), "record")))
            }
            What::More { calls, blocks } => {
                let inside = format!("... {}, {} inside", counted(calls, "call"), counted(blocks, "block"));
                self.dip(Ink::Quiet, &inside)
            }
        }
    }
}

impl Tells for Lines<'_, '_> {
    fn open(&mut self, entry: &Entry<'_>) -> bool {
        if self.written >= self.page.limit {
            self.left_out += 1;
        } else {
            let text = self.told(entry);
            self.line(&text);
        }
        let code = &self.page.capture.code;
        let inherited = |open: &Open| Open { package: open.package.clone(), file: open.file.clone() };
        let inside = match entry.what {
            What::Call { method, .. } => Open {
                package: package(class(code, method)).to_owned(),
                file: file(code, method).map(str::to_owned),
            },
            _ => self.open.last().map_or(Open { package: String::new(), file: None }, inherited),
        };
        self.open.push(inside);
        if self.trouble.is_ok() {
            self.trouble = self.output.pass();
        }
        self.left_out == 0 && self.trouble.is_ok()
    }

    fn close(&mut self) {
        self.open.pop();
    }
}
