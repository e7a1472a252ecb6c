//! The sections of a recording, in text.
//!
//! ```text
//! 2 tests, 12 requests in shop; 1 of them threw
//!
//! test     CartTest.adds       returned                          1.21 ms    320 blocks  main
//! test     CartTest.pays       threw at CartTest.java:40         3.05 ms    512 blocks  main
//! request  App.doGet      12x  returned                   longest 12 ms  9,120 blocks  exec-1..3
//! task     Report.run     12x  returned                   longest 30 ms  3,600 blocks  pool-1..2  from App.doGet
//! ```

use std::collections::HashMap;

use super::call_times::{known, rounded};
use super::code_names;
use super::table::Table;
use super::thread_names::together;
use crate::cli::sections::Kind;
use crate::escape::plain;
use crate::numbers::{counted, grouped};
use crate::paint::{Ink, Paint};
use crate::reports::{SectionOutcome as Outcome, SectionReport};
use crate::sections::counts;
use analyses::times::Known;

/// Names of sections that handed over the tasks of one line.
const NAMES: usize = 2;

/// Sections that are shown in one line.
struct Group<'a> {
    first: &'a SectionReport,
    count: u64,
    blocks: u64,
    gaps: u64,
    longest: Option<Known>,
    threads: Vec<&'a str>,
    /// The sections that handed it over, once each.
    origins: Vec<&'a str>,
}

/// `sections`, all that were asked for. `each`: each in a line of its own. At most `limit` lines.
pub(crate) fn render(sections: &[SectionReport], each: bool, limit: usize, paint: Paint) -> String {
    let package = package(sections);
    let mut out = format!("{}\n\n", paint.dip(Ink::Title, &title(sections, package)));
    let groups = groups(sections, each);
    let mut table = Table::new("llrllrll");
    for group in groups.iter().take(limit) {
        table.row([
            group.first.kind.name().to_owned(),
            plain(group.first.name.strip_prefix(package).unwrap_or(&group.first.name)).into_owned(),
            if group.count > 1 { format!("{}x", grouped(group.count)) } else { String::new() },
            outcome(group),
            length(group),
            counted(group.blocks, "block"),
            plain(&together(group.threads.clone())).into_owned(),
            plain(&origin(group, package)).into_owned(),
        ]);
    }
    for line in table.lines("") {
        out += &line;
        out.push('\n');
    }
    if groups.len() > limit {
        let more = counted((groups.len() - limit) as u64, "more line");
        out += &paint.dip(Ink::Quiet, &format!("\n... and {more} (--limit N)\n"));
    }
    out
}

fn title(sections: &[SectionReport], package: &str) -> String {
    let of = |kind| sections.iter().filter(move |one| one.kind == kind).count();
    let mut text = counts(of(Kind::Test), of(Kind::Request), of(Kind::Task), of(Kind::Mark));
    if let Some(package) = package.strip_suffix('.') {
        text += &format!(" in {}", plain(package));
    }
    let threw = sections.iter().filter(|one| one.outcome == Some(Outcome::Threw)).count();
    match threw {
        0 => text,
        threw => format!("{text}; {} of them threw", grouped(threw as u64)),
    }
}

/// The package of all methods that sections are called after, with its dot; nothing where they have several.
fn package(sections: &[SectionReport]) -> &str {
    let mut packages = sections.iter().filter(|one| one.kind != Kind::Mark).map(|one| {
        let class = one.name.rsplit_once('.').map_or("", |(class, _)| class);
        code_names::package(class)
    });
    let first = packages.next().unwrap_or_default();
    if packages.all(|package| package == first) { first } else { "" }
}

fn groups(sections: &[SectionReport], each: bool) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = vec![];
    let mut index_of = HashMap::new();
    for (number, one) in sections.iter().enumerate() {
        // Marks are moments: two of a name are two.
        let apart = (each || one.kind == Kind::Mark).then_some(number);
        let index =
            *index_of.entry((apart, one.kind, &one.name, one.outcome, &one.at)).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Group {
                first: one,
                count: 0,
                blocks: 0,
                gaps: 0,
                longest: None,
                threads: vec![],
                origins: vec![],
            });
        }
        let group = &mut groups[index];
        group.count += 1;
        group.blocks = group.blocks.saturating_add(one.blocks);
        group.gaps += one.gaps;
        let length = one.length.zip(one.within).map(|(value, within)| Known { value, within });
        group.longest = match (group.longest, length) {
            (Some(longest), Some(length)) if length.value > longest.value => Some(length),
            (longest, length) => longest.or(length),
        };
        let origin = one.handed_over.as_ref().map(|from| from.section.as_ref().unwrap_or(&from.thread));
        group.origins.extend(origin.map(String::as_str).filter(|name| !group.origins.contains(name)));
        group.threads.extend(one.thread.as_deref().filter(|name| !group.threads.contains(name)));
    }
    groups
}

fn outcome(group: &Group<'_>) -> String {
    let text = match group.first.outcome {
        None => return String::new(),
        Some(Outcome::Returned) => "returned".to_owned(),
        Some(Outcome::Open) => "not ended".to_owned(),
        Some(Outcome::Unknown) => "end lost".to_owned(),
        Some(Outcome::Threw) => match &group.first.at {
            Some(at) => match (&at.file, at.line) {
                (Some(file), Some(line)) => format!("threw at {}:{line}", plain(file)),
                _ => "threw".to_owned(),
            },
            None => "threw".to_owned(),
        },
    };
    if group.gaps > 0 { format!("{text}, {} lost", counted(group.gaps, "part")) } else { text }
}

/// Which section handed it over; of several their names without numbers.
fn origin(group: &Group<'_>, package: &str) -> String {
    let short = |name: &str| name.strip_prefix(package).unwrap_or(name).to_owned();
    if let [only] = group.origins.as_slice() {
        return format!("from {}", short(only));
    }
    let mut names: Vec<String> = vec![];
    for origin in &group.origins {
        let name = short(origin.rsplit_once('#').map_or(origin, |(name, _)| name));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = if names.len() > NAMES { ", ..." } else { "" };
    names.truncate(NAMES);
    if names.is_empty() { String::new() } else { format!("from {}{more}", names.join(", ")) }
}

fn length(group: &Group<'_>) -> String {
    match group.longest {
        None => String::new(),
        Some(longest) if group.count > 1 => format!("longest {}", rounded(longest.value)),
        Some(length) => known(length),
    }
}
