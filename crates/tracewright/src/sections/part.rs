//! The part of a recording that `--section` asks for.
//!
//! ```text
//! CartTest.adds   'CartTest.*'   shop.App.doGet     all calls that are such sections
//! 'CartTest.adds#2'                                 the second of them, in the order of `tracewright sections`
//! 'login clicked'                                   from this mark to the next one
//! ```
//!
//! The tasks that a section handed over are part of it, in the threads that ran them.

use std::collections::{BTreeSet, HashMap};

use analyses::sections::SectionKind;
use model::{Boundary, Cut, FlowSource, MethodId};

use super::Origin;
use crate::exit::{Result, Stop};
use crate::method_names::MethodNames;
use crate::numbers::counted;

/// Sections that are named where none was meant.
const NAMED: usize = 10;

/// What the text means, as a recording. Unless it `has_initialisers`, what class initialisers did within calls is left out:
/// a class is initialised by whoever uses it first.
pub(crate) fn part<'a>(recording: &'a dyn FlowSource, text: &str, has_initialisers: bool) -> Result<Cut<'a>> {
    let all = super::of(recording, |_| true, false);
    let number = text.rsplit_once('#').and_then(|(name, number)| Some((name, number.parse::<usize>().ok()?)));
    let (name, number) = number.map_or((text, None), |(name, number)| (name, Some(number)));
    let is_wanted = |at: &usize| number.is_none_or(|number| at + 1 == number);
    let names = MethodNames::new(&[name.to_owned()]);
    let named = all.sections.iter().filter(|one| names.mean(recording.code(), one.section.method));
    let named: Vec<_> = named.collect();
    let mut calls = vec![BTreeSet::new(); recording.threads().len()];
    for (_, one) in named.iter().enumerate().filter(|(at, _)| is_wanted(at)) {
        calls[one.thread].insert(one.section.call);
    }
    add_tasks(&all, &mut calls);
    if calls.iter().any(|calls| !calls.is_empty()) {
        let methods = (0..).map(MethodId).zip(&recording.code().methods);
        let hidden = methods.filter(|(_, method)| !has_initialisers && method.name == "<clinit>");
        return Ok(Cut::of_calls(recording, calls, hidden.map(|(id, _)| id).collect()));
    }
    let marks = (0..).zip(recording.marks()).filter(|(_, mark)| mark.text == name);
    let marks: Vec<u32> = marks.map(|(index, _)| index).collect();
    if let Some(&mark) = marks.get(number.map_or(0, |number| number.wrapping_sub(1))) {
        let next = Some(mark + 1).filter(|next| (*next as usize) < recording.marks().len());
        return Ok(Cut::new(recording, Some(Boundary::Mark(mark)), next.map(Boundary::Mark)));
    }
    match named.len().max(marks.len()) {
        0 => nothing(recording, &all, text),
        count => {
            let sections = counted(count as u64, "section");
            Stop::failed(format!("{text:?} is not there: {sections} of that name ran"))
        }
    }
}

/// Adds the tasks that these sections handed over, and those that these tasks did, to the calls of the threads that ran them.
fn add_tasks(all: &super::All, calls: &mut [BTreeSet<u64>]) {
    let mut tasks: HashMap<(usize, u64), Vec<(usize, u64)>> = HashMap::new();
    for one in &all.sections {
        if let Some(Origin { thread, call: Some(call), .. }) = &one.origin {
            tasks.entry((*thread, *call)).or_default().push((one.thread, one.section.call));
        }
    }
    let of_threads = calls.iter().enumerate();
    let mut open: Vec<(usize, u64)> =
        of_threads.flat_map(|(thread, calls)| calls.iter().map(move |call| (thread, *call))).collect();
    while let Some(section) = open.pop() {
        for &(thread, call) in tasks.get(&section).into_iter().flatten() {
            if calls[thread].insert(call) {
                open.push((thread, call));
            }
        }
    }
}

fn nothing<T>(recording: &dyn FlowSource, all: &super::All, text: &str) -> Result<T> {
    let of = |kind| all.sections.iter().filter(|one| one.section.kind == kind).count();
    let [tests, requests, tasks] = [SectionKind::Test, SectionKind::Request, SectionKind::Task].map(of);
    let there = super::counts(tests, requests, tasks, all.marks.len());
    if there.is_empty() {
        return Stop::failed("no test, request or task was recorded, and there are no marks");
    }
    let mut names: Vec<String> = vec![];
    let sections = all.sections.iter().map(|one| recording.code().method_name(one.section.method));
    for name in sections.chain(recording.marks().iter().map(|mark| mark.text.clone())) {
        if names.len() < NAMED && !names.contains(&name) {
            names.push(name);
        }
    }
    Stop::failed(format!(
        "no section is called {text:?}; there are {there}: {}, ... (`tracewright sections` lists them)",
        names.join(", ")
    ))
}
