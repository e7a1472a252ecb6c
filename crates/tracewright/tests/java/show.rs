//! A capture as text, read by the reader of `formats`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use capture::{Capture, FILES};
use model::flow::{Entered, FlowStep, Left};
use model::{CodeMap, MethodId};
use source::NamedSource;

/// Opens a capture.
pub(crate) fn open(folder: &Path) -> Capture {
    let sources = FILES.iter().filter_map(|name| {
        let bytes = std::fs::read(folder.join(name)).ok()?;
        Some(NamedSource { name: (*name).to_owned(), source: Box::new(bytes) })
    });
    Capture::open(sources.collect()).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
}

/// What each thread did: methods, and the lines of the blocks that ran. Repeated lines of one block
/// are not told apart from other blocks of that line, so blocks stand as `line` or `line/block`.
pub(crate) fn flow(capture: &Capture) -> String {
    let mut out = String::new();
    for thread in &capture.threads {
        writeln!(out, "{}:", thread.name()).unwrap();
        let mut flow = capture.flow(thread);
        let mut stack: Vec<MethodId> = Vec::new();
        let mut line = String::new();
        while let Some(step) = flow.next_step() {
            let depth = stack.len();
            match step {
                FlowStep::Enter { method, how } => {
                    end(&mut out, &mut line, depth);
                    let how = match how {
                        Entered::Call => "",
                        Entered::Library => " (via library)",
                        Entered::Outermost => " (outermost)",
                        Entered::Unseen => " (unseen)",
                    };
                    writeln!(out, "{}{}{how}", "  ".repeat(depth + 1), name(&capture.code, method)).unwrap();
                    stack.push(method);
                }
                FlowStep::Blocks { blocks, times } => {
                    for _ in 0..times {
                        for block in blocks {
                            write!(line, " {}", location(&capture.code, stack.last(), *block)).unwrap();
                        }
                    }
                }
                FlowStep::Catch { block } => {
                    write!(line, " catch:{}", location(&capture.code, stack.last(), block)).unwrap();
                }
                FlowStep::Leave { how } => {
                    end(&mut out, &mut line, depth);
                    stack.pop();
                    let how = match how {
                        Left::Returned => continue,
                        Left::Threw => "threw",
                        Left::Unseen => "unseen end",
                        Left::Open => "open",
                    };
                    writeln!(out, "{}{how}", "  ".repeat(depth + 1)).unwrap();
                }
                FlowStep::Gap { .. } => {
                    end(&mut out, &mut line, depth);
                    writeln!(out, "{}gap", "  ".repeat(depth + 1)).unwrap();
                }
                FlowStep::Inferred { .. } | FlowStep::Observed => {}
                FlowStep::Moment(_)
                | FlowStep::Clock(_)
                | FlowStep::Mark(_)
                | FlowStep::Values(_)
                | FlowStep::Task(_) => {}
            }
        }
        end(&mut out, &mut line, stack.len());
        let anomalies = flow.anomalies();
        assert_eq!((anomalies.unknown_records, anomalies.damaged_records), (0, 0), "{}", thread.name());
    }
    out
}

fn end(out: &mut String, line: &mut String, depth: usize) {
    if !line.is_empty() {
        writeln!(out, "{} {line}", "  ".repeat(depth)).unwrap();
        line.clear();
    }
}

fn name(code: &CodeMap, method: MethodId) -> String {
    code.method_name(method)
}

fn location(code: &CodeMap, method: Option<&MethodId>, block: u32) -> String {
    let block = method.and_then(|method| code.method(*method)?.blocks.get(block as usize));
    let lines = block.map(|block| &block.lines[..]).unwrap_or_default();
    match lines {
        [] => "?".to_owned(),
        [one] => one.to_string(),
        many => many.iter().map(u16::to_string).collect::<Vec<_>>().join("+"),
    }
}

/// How often each method was entered.
pub(crate) fn entries(capture: &Capture) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    each_entry(capture, |_, method| *counts.entry(method).or_default() += 1);
    counts
}

/// How often each thread entered one method.
pub(crate) fn entries_by_thread(capture: &Capture, wanted: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    each_entry(capture, |thread, method| {
        *counts.entry(thread.to_owned()).or_default() += u64::from(method == wanted);
    });
    counts
}

fn each_entry(capture: &Capture, mut take: impl FnMut(&str, String)) {
    for thread in &capture.threads {
        let mut flow = capture.flow(thread);
        while let Some(step) = flow.next_step() {
            if let FlowStep::Enter { method, .. } = step {
                take(&thread.name(), name(&capture.code, method));
            }
        }
    }
}
