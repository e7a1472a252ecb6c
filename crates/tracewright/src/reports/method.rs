//! What `method --json` prints.
//!
//! ```text
//! {"methods":[{"method":"shop.Baker.bake","descriptor":"(I)V","file":"Baker.java","calls":30,"threw":0,"blocks":150,
//!    "threads":[{"name":"baker 1","calls":30}],
//!    "callers":[{"method":"shop.Baker.bakeAll","file":"Baker.java","line":15,"how":"call","calls":30}],
//!    "callees":[{"method":"shop.Oven.heat","line":21,"how":"call","calls":60, ...}],
//!    "lines":[{"line":19,"count":30,"text":"    int hot = 0;"}],
//!    "steps":[{"from":19,"to":20,"count":30}]}],
//!  "more":0}
//! ```
//!
//! `parameters`, `(int, String)`, stands beside a method whose class has several of its name. `how` is `call`, `library` (code that was not recorded lies between), `outermost` (nothing recorded called it) or `unseen`
//! (the beginning was not recorded). The `line` of a caller is in its file, that of a callee in the file of this method.
//! `steps` says from which line to which the calls went, a line to itself left out. `count` is null for lines without code, 0 for code that did not run; `text` is there where the source was found.

use std::collections::BTreeMap;
use std::sync::Arc;

use analyses::usage::{Site, Usage};
use model::code::{BlockId, Method, MethodId};
use model::flow::Entered;
use model::{CodeMap, FlowSource};
use serde::Serialize;

use crate::method_names::shown_parameters;
use crate::source_text::Sources;
use crate::views::code_names::{file, last_line};

/// The answer of `method`.
#[derive(Debug, Serialize)]
pub(crate) struct MethodReport {
    pub(crate) methods: Vec<MethodUse>,
    /// Methods of such a name that are not listed.
    pub(crate) more: usize,
}

/// One method.
#[derive(Debug, Serialize)]
pub(crate) struct MethodUse {
    /// With class and package.
    pub(crate) method: String,
    pub(crate) descriptor: String,
    /// Its parameters as Java's source has them, where its class has several methods of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) calls: u64,
    pub(crate) threw: u64,
    /// Of its own that ran.
    pub(crate) blocks: u64,
    pub(crate) threads: Vec<ThreadCalls>,
    /// The most calls first.
    pub(crate) callers: Vec<CallsOf>,
    /// By line.
    pub(crate) callees: Vec<CallsOf>,
    pub(crate) lines: Vec<LineOf>,
    /// By the line that was come to.
    pub(crate) steps: Vec<StepOf>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ThreadCalls {
    pub(crate) name: String,
    pub(crate) calls: u64,
}

/// Calls from one line.
#[derive(Debug, Serialize)]
pub(crate) struct CallsOf {
    pub(crate) method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameters: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u16>,
    pub(crate) how: &'static str,
    pub(crate) calls: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct LineOf {
    pub(crate) line: u16,
    pub(crate) count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

/// How often calls went from one line to another.
#[derive(Debug, Serialize)]
pub(crate) struct StepOf {
    pub(crate) from: u16,
    pub(crate) to: u16,
    pub(crate) count: u64,
}

impl MethodUse {
    pub(crate) fn of(
        recording: &dyn FlowSource,
        sources: &Sources,
        method: MethodId,
        usage: &Usage,
    ) -> MethodUse {
        let code = recording.code();
        let name = |thread: usize| recording.threads().get(thread).map_or("?", |thread| &thread.name);
        let mut threads: BTreeMap<&str, u64> = BTreeMap::new();
        for (thread, calls) in &usage.threads {
            *threads.entry(name(*thread)).or_default() += calls;
        }
        let threads = threads.into_iter().map(|(name, calls)| ThreadCalls { name: name.to_owned(), calls });
        let mut callers = calls(recording, &usage.callers, None);
        callers.sort_by_key(|call| std::cmp::Reverse(call.calls));
        let mut callees = calls(recording, &usage.callees, Some(method));
        callees.sort_by_key(|call| call.line);
        MethodUse {
            method: code.method_name(method),
            descriptor: code.method(method).map_or_else(String::new, |method| method.descriptor.clone()),
            parameters: distinct_parameters(code, method),
            file: file(code, method).map(str::to_owned),
            calls: usage.calls,
            threw: usage.threw,
            blocks: usage.blocks.values().fold(0, |sum, count| sum.saturating_add(*count)),
            threads: threads.collect(),
            callers,
            callees,
            lines: lines(recording, sources, method, usage),
            steps: steps(recording, method, usage),
        }
    }

    /// The class, with its package.
    pub(crate) fn class(&self) -> &str {
        self.method.rsplit_once('.').map_or("", |(class, _)| class)
    }
}

/// Calls by line; of callees the caller is `within`.
fn calls(recording: &dyn FlowSource, sites: &BTreeMap<Site, u64>, within: Option<MethodId>) -> Vec<CallsOf> {
    let code = recording.code();
    let mut all: BTreeMap<(Option<MethodId>, Option<u16>, Entered), u64> = BTreeMap::new();
    for (site, times) in sites {
        let caller = within.or(site.method).and_then(|caller| code.method(caller));
        let line = caller.and_then(|caller| last_line(caller, site.block?));
        *all.entry((site.method, line, site.entered)).or_default() += times;
    }
    let one = |((method, line, entered), calls): ((Option<MethodId>, Option<u16>, Entered), u64)| CallsOf {
        method: method.map(|method| code.method_name(method)),
        parameters: method.and_then(|method| distinct_parameters(code, method)),
        file: method.and_then(|method| file(code, method)).map(str::to_owned),
        line,
        how: match entered {
            Entered::Call => "call",
            Entered::Library => "library",
            Entered::Outermost => "outermost",
            Entered::Unseen => "unseen",
        },
        calls,
    };
    all.into_iter().map(one).collect()
}

/// `(int, String)` where the class has another method of the name.
fn distinct_parameters(code: &CodeMap, method: MethodId) -> Option<String> {
    let about = code.method(method)?;
    let is_other = |(other, id): (&Method, u32)| {
        MethodId(id) != method && other.class == about.class && other.name == about.name
    };
    code.methods.iter().zip(0..).any(is_other).then(|| shown_parameters(&about.descriptor))?
}

/// From which line to which, between blocks and within them.
fn steps(recording: &dyn FlowSource, method: MethodId, usage: &Usage) -> Vec<StepOf> {
    let Some(about) = recording.code().method(method) else { return vec![] };
    let lines = |block: BlockId| about.blocks.get(block as usize).map_or(&[][..], |block| &block.lines);
    let mut counts: BTreeMap<(u16, u16), u64> = BTreeMap::new();
    let mut add = |from: Option<&u16>, to: Option<&u16>, times: u64| {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            let count = counts.entry((*to, *from)).or_default();
            *count = count.saturating_add(times);
        }
    };
    for ((before, block), times) in &usage.followed {
        add(lines(*before).last(), lines(*block).first(), *times);
    }
    for (block, times) in &usage.blocks {
        lines(*block).windows(2).for_each(|two| add(two.first(), two.last(), *times));
    }
    counts.into_iter().map(|((to, from), count)| StepOf { from, to, count }).collect()
}

/// Lines of a method with the source text around them are shown so far.
const LONGEST: u16 = 3_000;

/// How often each line ran: as often as the block with it that ran most. With source text all lines from first to last.
fn lines(recording: &dyn FlowSource, sources: &Sources, method: MethodId, usage: &Usage) -> Vec<LineOf> {
    let code = recording.code();
    let Some(about) = code.method(method) else { return vec![] };
    let mut counts: BTreeMap<u16, u64> = BTreeMap::new();
    for (block, number) in about.blocks.iter().zip(0 as BlockId..) {
        let ran = usage.blocks.get(&number).copied().unwrap_or(0);
        for line in &block.lines {
            let count = counts.entry(*line).or_default();
            *count = ran.max(*count);
        }
    }
    let text: Option<Arc<Vec<String>>> = sources.lines(code, about.class);
    let (first, last) = (counts.keys().next().copied(), counts.keys().next_back().copied());
    let (Some(first), Some(last)) = (first, last) else { return vec![] };
    let at = |line: u16| text.as_ref().and_then(|text| text.get(usize::from(line).checked_sub(1)?)).cloned();
    let is_whole = at(last).is_some() && last - first < LONGEST;
    let shown: Vec<u16> = if is_whole { (first..=last).collect() } else { counts.keys().copied().collect() };
    let line =
        |line: u16| LineOf { line, count: counts.get(&line).copied(), text: at(line).filter(|_| is_whole) };
    shown.into_iter().map(line).collect()
}
