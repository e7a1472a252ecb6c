//! `tracewright method`: who called a method, what it called, which of its lines ran how often.

use analyses::usage::Usages;

use super::calls::{is_wanted, some_thread};
use crate::cli::method::Method;
use crate::exit::{Outcome, Result, Stop};
use crate::method_names::MethodNames;
use crate::output::Output;
use crate::paint::Paint;
use crate::pattern::Patterns;
use crate::recordings;
use crate::reports::{self, MethodReport, MethodUse};
use crate::source_text::Sources;
use crate::views::method_text;
use crate::warn::warn_of;

pub(crate) fn run(options: &Method) -> Result<Outcome> {
    let recording = recordings::open(&options.capture)?;
    let recording = recording.as_ref();
    let asked = MethodNames::new(std::slice::from_ref(&options.method)).of(recording.code());
    if asked.is_empty() {
        return Stop::failed(format!(
            "no recorded method is called {}; a name is shop.Till.pay, Till.pay or pay, with parameters 'pay(int, String)', and `*` stands for any text",
            options.method
        ));
    }
    let is_incomplete = warn_of(&options.capture, recording);
    let wanted = Patterns::new(&options.thread);
    some_thread(recording, &wanted)?;
    let mut usages = Usages::new(asked);
    for (at, thread) in recording.threads().iter().enumerate() {
        if is_wanted(&wanted, thread) {
            usages.add(at, &mut *recording.flow(at));
        }
    }
    let mut found = usages.finish();
    // The sort is stable: methods that ran equally often stay in the order of the class file.
    found.sort_by_key(|(_, usage)| std::cmp::Reverse((usage.calls, usage.blocks.values().max().copied())));
    let more = found.len().saturating_sub(options.limit);
    let sources = Sources::new(&options.source_root);
    let shown = found.iter().take(options.limit);
    let methods = shown.map(|(method, usage)| MethodUse::of(recording, &sources, *method, usage)).collect();
    let report = MethodReport { methods, more };
    let buffer = match options.json {
        true => reports::json(&report),
        false => method_text::render(&report, Paint::for_stdout()).into(),
    };
    Output { buffer }.flush()?;
    Ok(Outcome::new(is_incomplete, options.allow_loss))
}
