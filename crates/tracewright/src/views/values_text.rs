//! The values of calls, in text.
//!
//! ```text
//! Cart.add: 12 calls, 2 of them threw, 31.0 ms in all, longest 12.3 ms
//!   this      Cart@6d06d69c 12x
//!   sku       "A1" 8x, "B2" 4x
//!   count     1 to 12: 1 6x, 3 4x, 2 1x and 1 more
//!   returned  true 10x
//!   threw     OutOfStock: "none left" 2x
//!
//! 08:33:20.000012345  main  Cart.add(sku: "A1", count: 3) = true  12.3 ms
//! ```

use std::collections::{HashMap, HashSet};

use model::call_values::{CallValues, Ended, ProgramValue};
use model::{FlowSource, MethodId};

use super::call_times::rounded;
use super::code_names;
use super::program_values::{call, kind_of, shown};
use super::table::Table;
use crate::escape::plain;
use crate::moment;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};
use crate::parameter_names::ParameterNames;

/// Each of the calls in a line of its own, at most so many.
pub(crate) fn each(recording: &dyn FlowSource, calls: &[&CallValues], limit: usize, paint: Paint) -> String {
    let mut names = ParameterNames::default();
    let mut table = Table::new("lllr");
    for values in calls.iter().take(limit) {
        let names = names.of(recording, values.method);
        let method =
            code_names::method(recording.code(), values.method, package_of(recording, values.method));
        table.row([
            moment::text(values.began),
            plain(thread(recording, values)).into_owned(),
            plain(&format!("{method}{}", call(values, names))).into_owned(),
            values.duration().map_or(String::new(), |length| rounded(length.cast_signed())),
        ]);
    }
    let mut out: String = table.lines("").into_iter().map(|line| line + "\n").collect();
    if let Some(more) = calls.len().checked_sub(limit).filter(|more| *more > 0) {
        let more = counted(more as u64, "more call");
        out += &paint.dip(Ink::Quiet, &format!("... and {more} (--limit N)\n"));
    }
    out
}

/// What the calls of each method have in common, the most calls first. At most so many values of an argument.
pub(crate) fn together(
    recording: &dyn FlowSource,
    calls: &[&CallValues],
    limit: usize,
    paint: Paint,
) -> String {
    let mut methods: HashMap<MethodId, Vec<&CallValues>> = HashMap::new();
    calls.iter().for_each(|call| methods.entry(call.method).or_default().push(call));
    let mut methods: Vec<_> = methods.into_iter().collect();
    methods.sort_by_key(|(method, calls)| (std::cmp::Reverse(calls.len()), method.0));
    let mut names = ParameterNames::default();
    let mut out = String::new();
    for (method, calls) in methods {
        if !out.is_empty() {
            out.push('\n');
        }
        let name = code_names::method(recording.code(), method, package_of(recording, method));
        out += &paint.dip(Ink::Title, &plain(&name));
        out += &format!(": {}\n", figures(&calls));
        let names = names.of(recording, method);
        let mut table = Table::new("ll");
        let mut row = |name: &str, values: Vec<&ProgramValue>| {
            if !values.is_empty() {
                table.row([plain(name).into_owned(), plain(&summary(&values, limit)).into_owned()]);
            }
        };
        row("this", calls.iter().filter_map(|call| call.object.as_ref()).collect());
        let most = calls.iter().map(|call| call.arguments.len()).max().unwrap_or(0);
        for index in 0..most {
            let name =
                names.get(index).cloned().flatten().unwrap_or_else(|| format!("argument {}", index + 1));
            row(&name, calls.iter().filter_map(|call| call.arguments.get(index)).collect());
        }
        let ended = || calls.iter().filter_map(|call| Some(&call.outcome.as_ref()?.ended));
        row(
            "returned",
            ended()
                .filter_map(|ended| if let Ended::Returned(value) = ended { value.as_ref() } else { None })
                .collect(),
        );
        row(
            "threw",
            ended()
                .filter_map(|ended| if let Ended::Threw(value) = ended { Some(value) } else { None })
                .collect(),
        );
        for line in table.lines("  ") {
            out += &line;
            out.push('\n');
        }
    }
    out
}

/// `12 calls, 2 of them threw, 31.0 ms in all, longest 12.3 ms`.
fn figures(calls: &[&CallValues]) -> String {
    let mut text = counted(calls.len() as u64, "call");
    let count =
        |wanted: &dyn Fn(&CallValues) -> bool| calls.iter().filter(|call| wanted(call)).count() as u64;
    let threw =
        count(&|call| matches!(call.outcome.as_ref().map(|outcome| &outcome.ended), Some(Ended::Threw(_))));
    if threw > 0 {
        text += &format!(", {} of them threw", grouped(threw));
    }
    let open = count(&|call| call.outcome.is_none());
    if open > 0 {
        text += &format!(", the end of {} was not seen", grouped(open));
    }
    let lengths = || calls.iter().filter_map(|call| call.duration());
    if let Some(longest) = lengths().max() {
        let all = lengths().fold(0, u64::saturating_add);
        text +=
            &format!(", {} in all, longest {}", rounded(all.cast_signed()), rounded(longest.cast_signed()));
    }
    text
}

/// The values of an argument, the most frequent first.
fn summary(values: &[&ProgramValue], limit: usize) -> String {
    let each: Vec<String> = values.iter().map(|value| shown(value)).collect();
    let mut objects: HashMap<String, HashSet<&str>> = HashMap::new();
    let different: HashSet<&str> = each.iter().map(String::as_str).collect();
    // Objects that differ only in identity are counted together, unless they are few.
    let name: fn(&ProgramValue) -> String = if different.len() <= limit { shown } else { kind_of };
    let mut counts: HashMap<String, (u64, usize)> = HashMap::new();
    for ((location, value), shown) in values.iter().enumerate().zip(&each) {
        let name = name(value);
        counts.entry(name.clone()).or_insert((0, location)).0 += 1;
        objects.entry(name).or_default().insert(shown);
    }
    let mut counts: Vec<(String, (u64, usize))> = counts.into_iter().collect();
    counts.sort_by_key(|(_, (count, location))| (std::cmp::Reverse(*count), *location));
    let listed =
        counts.iter().take(limit).map(|(text, (count, _))| match objects.get(text).map_or(0, HashSet::len) {
            0 | 1 => format!("{text} {}x", grouped(*count)),
            objects => format!("{text} {}x ({} objects)", grouped(*count), grouped(objects as u64)),
        });
    let listed: Vec<String> = listed.collect();
    let more = match counts.len().saturating_sub(limit) {
        0 => String::new(),
        more => format!(" and {} more", grouped(more as u64)),
    };
    format!("{}{}{more}", range(values), listed.join(", "))
}

/// `1 to 12: ` of whole numbers that differ.
fn range(values: &[&ProgramValue]) -> String {
    let numbers = values
        .iter()
        .map(|value| if let ProgramValue::Integer(number) = value { Some(*number) } else { None });
    let Some(numbers) = numbers.collect::<Option<Vec<i64>>>() else { return String::new() };
    match (numbers.iter().min(), numbers.iter().max()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most}: "),
        _ => String::new(),
    }
}

/// The package of a method's class, which is left out.
fn package_of(recording: &dyn FlowSource, method: MethodId) -> &str {
    code_names::package(code_names::class(recording.code(), method))
}

fn thread<'r>(recording: &'r dyn FlowSource, call: &CallValues) -> &'r str {
    let threads = recording.threads();
    let found = threads.binary_search_by_key(&call.thread, |thread| thread.serial).ok();
    found.and_then(|at| threads.get(at)).map_or("?", |thread| &thread.name)
}
