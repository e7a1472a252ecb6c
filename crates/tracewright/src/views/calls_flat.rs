//! The list of what a thread did: one line for each call and each block, in order.
//!
//! Nothing is kept: a thread of any length is written as it is read.

use std::collections::HashMap;

use analyses::replay::Inferred;
use model::code::{BlockId, MethodId};
use model::flow::{Entered, FlowStep, Left};
use model::{CallValues, Certainty, FlowSource, Lost, Task, TaskMoment, TaskStep};

use super::code_names::{file, lines, ranges};
use super::json::Json;
use super::lost_records;
use super::program_values;
use crate::escape::plain;
use crate::exit::Result;
use crate::output::Output;
use crate::parameter_names::ParameterNames;
use crate::reports::CallReport;

/// Deeper calls are not indented further.
const DEEPEST: usize = 40;

/// Writes at most `limit` lines of the thread; with `search` only those with this text.
pub(crate) fn write(
    recording: &dyn FlowSource,
    thread: usize,
    json: bool,
    limit: u64,
    search: Option<&str>,
    output: &mut Output,
) -> Result<()> {
    let Some(about) = recording.threads().get(thread) else { return Ok(()) };
    let mut has_title = json;
    let search = search.map(str::to_lowercase);
    let mut list = List {
        recording,
        names: HashMap::new(),
        frames: vec![],
        json,
        search,
        number: 0,
        written: 0,
        limit,
        parameters: ParameterNames::default(),
        values: None,
        called: None,
        inferred: None,
    };
    let mut flow = recording.flow(thread);
    while let Some(step) = flow.next_step() {
        // In a part of a recording a thread may have none.
        if !has_title && !matches!(step, FlowStep::Clock(_) | FlowStep::Moment(_)) {
            has_title = true;
            output.buffer.extend_from_slice(format!("Thread {}\n", plain(&about.name)).as_bytes());
        }
        if list.written >= limit {
            if !json {
                output.buffer.extend_from_slice(b"... and more (--limit N or --all shows it)\n");
            }
            break;
        }
        list.step(&step, about.serial, output)?;
    }
    Ok(())
}

struct List<'c> {
    recording: &'c dyn FlowSource,
    /// Name and file of each method that came by.
    names: HashMap<MethodId, (String, String)>,
    frames: Vec<MethodId>,
    json: bool,
    search: Option<String>,
    /// Blocks before this line.
    number: u64,
    written: u64,
    limit: u64,
    parameters: ParameterNames,
    /// The values of the call that comes next.
    values: Option<u32>,
    /// Those of the call that is written.
    called: Option<CallValues>,
    /// The certainty of the steps that are written, if they are inferred.
    inferred: Option<Certainty>,
}

/// A task that is handed over or begun: its name in JSON, and its description.
fn task(recording: &dyn FlowSource, step: TaskStep) -> (&'static str, String) {
    let (TaskStep::HandedOver(index) | TaskStep::Begun(index)) = step;
    let task = recording.tasks().get(index as usize);
    let is_pending = task.is_some_and(|task| task.begun.is_none());
    let name = |of: fn(&Task) -> Option<TaskMoment>| {
        let serial = task.and_then(of).map(|moment| moment.thread);
        let thread = recording.threads().iter().find(|thread| Some(thread.serial) == serial);
        thread.map_or_else(|| "another thread".to_owned(), |thread| thread.name.clone())
    };
    let is_thread = task.is_some_and(|task| task.is_thread);
    match (step, is_thread) {
        (TaskStep::HandedOver(_), _) if is_pending => {
            ("handed-over", "a task is handed over, which had not begun at the end".to_owned())
        }
        (TaskStep::HandedOver(_), false) => {
            ("handed-over", format!("a task is handed over to {}", name(|task| task.begun)))
        }
        (TaskStep::HandedOver(_), true) => ("handed-over", format!("{} is started", name(|task| task.begun))),
        (TaskStep::Begun(_), false) => {
            ("begun", format!("begins a task that {} handed over", name(|task| Some(task.handed_over))))
        }
        (TaskStep::Begun(_), true) => {
            ("begun", format!("started by {}", name(|task| Some(task.handed_over))))
        }
    }
}

/// Whether a line of this kind consists of its note alone.
fn is_text(what: &str) -> bool {
    matches!(what, "mark" | "handed-over" | "begun")
}

impl List<'_> {
    fn step(&mut self, step: &FlowStep<'_>, serial: u32, output: &mut Output) -> Result<()> {
        match *step {
            FlowStep::Enter { method, how } => {
                let note = match how {
                    Entered::Call | Entered::Outermost => "",
                    Entered::Library => "  via library",
                    Entered::Unseen => "  beginning not seen",
                };
                let values = self.values.take().and_then(|index| self.recording.values().get(index as usize));
                let values = values.filter(|values| values.method == method);
                let note = match values {
                    Some(values) if !self.json => {
                        let names = self.parameters.of(self.recording, method);
                        format!("{}{note}", program_values::call(values, names))
                    }
                    _ => note.to_owned(),
                };
                self.called = values.cloned();
                self.line("call", Some(method), None, &note, 1, serial, output)?;
                self.called = None;
                self.frames.push(method);
            }
            FlowStep::Blocks { blocks, times } => {
                let Some(&method) = self.frames.last() else { return Ok(()) };
                let note = if times > 1 {
                    format!("  x {times}, with the others of its turn")
                } else {
                    String::new()
                };
                for block in blocks {
                    if self.written >= self.limit {
                        return Ok(());
                    }
                    self.line("block", Some(method), Some(*block), &note, times, serial, output)?;
                    self.number = self.number.saturating_add(times);
                }
            }
            FlowStep::Catch { block } => {
                let Some(&method) = self.frames.last() else { return Ok(()) };
                self.line("caught", Some(method), Some(block), "  caught", 1, serial, output)?;
                self.number += 1;
            }
            FlowStep::Leave { how } => {
                let method = self.frames.pop();
                let (what, note) = match how {
                    Left::Returned => ("return", ""),
                    Left::Threw => ("throw", "  threw"),
                    Left::Unseen => ("unseen", "  end not seen"),
                    Left::Open => ("open", "  still open at the end"),
                };
                if self.json || how != Left::Returned {
                    self.line(what, method, None, note, 1, serial, output)?;
                }
            }
            FlowStep::Gap { lost } => {
                let note = match lost {
                    Lost::Events(count) => format!("{count} records are missing here"),
                    Lost::Packets(_) | Lost::Unknown => "something is missing here".to_owned(),
                };
                self.line("gap", None, None, &note, 1, serial, output)?;
            }
            FlowStep::Inferred { lost, certainty } => {
                self.inferred = Some(certainty);
                let note = lost_records::sentence(Inferred::new(lost, certainty));
                self.line("inferred", None, None, &note, 1, serial, output)?;
            }
            FlowStep::Observed => {
                self.inferred = None;
                self.line("observed", None, None, "recorded again from here on", 1, serial, output)?;
            }
            FlowStep::Mark(index) => {
                let mark = self.recording.marks().get(index as usize);
                let text = mark.map_or(String::new(), |mark| mark.text.clone());
                self.line("mark", None, None, &text, 1, serial, output)?;
            }
            FlowStep::Task(step) => {
                let (what, note) = task(self.recording, step);
                self.line(what, None, None, &note, 1, serial, output)?;
            }
            FlowStep::Values(index) => self.values = Some(index),
            FlowStep::Moment(_) | FlowStep::Clock(_) => {}
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "a line has as many parts")]
    fn line(
        &mut self,
        what: &str,
        method: Option<MethodId>,
        block: Option<BlockId>,
        note: &str,
        times: u64,
        serial: u32,
        output: &mut Output,
    ) -> Result<()> {
        let code = self.recording.code();
        let (name, source) = match method {
            Some(id) => self
                .names
                .entry(id)
                .or_insert_with(|| (code.method_name(id), file(code, id).unwrap_or_default().to_owned())),
            None => &mut (String::new(), String::new()),
        };
        let lines = match (method, block) {
            (Some(id), Some(block)) => lines(code.method(id), &[block]),
            _ => vec![],
        };
        if let Some(search) = &self.search {
            let at = format!("{source}:{}", ranges(&lines)).to_lowercase();
            let is_stated = is_text(what) && note.to_lowercase().contains(search.as_str());
            if !is_stated && !name.to_lowercase().contains(search.as_str()) && !at.contains(search.as_str()) {
                return Ok(());
            }
        }
        if self.json {
            let mut json = Json { out: std::mem::take(&mut output.buffer) };
            let start = json.out.len();
            json.out.push(b'{');
            json.key("thread").number(serial);
            json.key("what").text(what);
            json.key("position").number(self.number);
            json.key("depth").number(self.frames.len());
            if is_text(what) {
                json.key("text").text(note);
            }
            if let Some(certainty) = self.inferred {
                json.key("certainty");
                match certainty {
                    Certainty::OnlyWay => json.text("only way"),
                    Certainty::Likely { probability } => json.number((probability * 1e3).round() / 1e3),
                    Certainty::Unknown => json.text("unknown"),
                };
            }
            if method.is_some() {
                json.key("method").text(name);
                json.key("file").text(source);
            }
            if let Some(values) = self.called.take() {
                let report = CallReport::of(self.recording, &values, &mut self.parameters);
                json.key("values").report(&report.values());
            }
            if let Some(block) = block {
                json.key("block").number(block);
                json.key("lines").array(lines, |json, line| json.number(line));
                json.key("times").number(times);
            }
            json.out.extend_from_slice(b"}\n");
            debug_assert!(json.out.len() > start);
            output.buffer = json.out;
        } else {
            let indent = 2 * self.frames.len().min(DEEPEST);
            let location = match lines.as_slice() {
                [] => String::new(),
                lines => format!(" {source}:{}", ranges(lines)),
            };
            let shown = match what {
                "call" => format!("{name}{note}"),
                "gap" | "inferred" | "observed" => note.to_owned(),
                "mark" => format!("mark {note}"),
                "throw" | "unseen" | "open" => format!("{name}{note}"),
                _ => format!("{}{note}", location.trim_start()),
            };
            let marked = if self.inferred.is_some() && what != "inferred" { '?' } else { ' ' };
            let text = format!("{:>10} {marked}{:indent$}{}\n", self.number, "", plain(&shown));
            output.buffer.extend_from_slice(text.as_bytes());
        }
        self.written += 1;
        Ok(output.pass()?)
    }
}
