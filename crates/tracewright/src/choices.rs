//! Choices: which value a field of an inferred event has, where several are possible and the user
//! knows better. A text file, written by `--write-choices`, changed in an editor, read by `--choices`.
//!
//! An event is called by its name, machine, instance, interval (from, to) and its place among those of
//! the same instance and interval, because a point in time would change with every other event. The format
//! is drawn in [`formats::choices_text`], which reads it.
//!
//! Every choice must be one of the values that are possible, for an event that is inferred, once. Two
//! choices for one field, a switch from a thread to itself, and two switches of one instance in a row,
//! the second of which leaves another thread than the first came to, contradict each other. So do values
//! that no explanation of a loss has together; a value that stands as it was written decides nothing, so
//! what follows from the others may change it.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use formats::choices_text::{self, Choice, ChosenEvent, ChosenValue, FIRST_LINE, word};
use formats::limits;

use inference::joint::Ways;

use crate::answer::{Answer, Known, Missing, MissingField};
use crate::engines::{Asked, Decide, Decision};
use crate::exit::{Result, Stop};
use crate::input;
use crate::numbers::grouped;

/// Values that a remark lists.
const LISTED: usize = 8;

type Name = (String, String, String, i64, i64, u32);

/// What the user said, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    by_event: HashMap<Name, Vec<Said>>,
    /// Sentences, in the order of finding.
    pub(crate) problems: Vec<String>,
}

#[derive(Debug)]
struct Said {
    field: String,
    value: Known,
    line: usize,
    is_used: bool,
}

impl Choices {
    /// Reads a file.
    pub(crate) fn load(file: &Path) -> Result<Choices> {
        match input::whole_text(file, limits::CHOICES_BYTES as u64) {
            Ok(text) => Ok(Choices::read(&text)),
            Err(error) => Stop::failed(format!("cannot read the choices {}: {error}", file.display())),
        }
    }

    pub(crate) fn read(text: &str) -> Choices {
        let mut choices = Choices::default();
        let (read, problems) = choices_text::read(text);
        choices.problems = problems;
        for Choice { event, field, value, line } in read {
            let event = ChosenEvent::clone(&event);
            let name = (event.name, event.machine, event.instance, event.from, event.to, event.place);
            let value = match value {
                ChosenValue::Number(number) => Known::Number(number),
                ChosenValue::Text(text) => Known::Text(text),
            };
            let of_event = choices.by_event.entry(name).or_default();
            of_event.push(Said { field, value, line, is_used: false });
        }
        choices
    }

    /// After a run: what did not apply, and what contradicts.
    pub(crate) fn finish(&mut self, answer: &Answer) {
        let mut unused: Vec<(usize, String)> = Vec::new();
        for ((name, fsm, key, ..), choices) in &self.by_event {
            for choice in choices.iter().filter(|choice| !choice.is_used) {
                let field = &choice.field;
                unused.push((
                    choice.line,
                    format!(
                        "line {}: there is no choice to make for {field}: no {name} of {fsm} {key} with that field open is inferred there",
                        choice.line
                    ),
                ));
            }
        }
        unused.sort();
        self.problems.extend(unused.into_iter().map(|(_, sentence)| sentence));
        self.problems.extend(contradictions(answer.inferred.iter()));
    }
}

/// The explanations that values leave of what is explained together; with none left they contradict each
/// other. Each value is that of a field of one of these events.
pub(crate) fn left<'e>(values: impl Iterator<Item = (&'e Missing, &'e str, &'e Known)>) -> Ways {
    let ways = values.filter_map(|(event, field, value)| {
        let field = event.field(field)?;
        let place = field.alternatives.iter().position(|known| known == value)?;
        field.ways.get(place).copied()
    });
    ways.fold(Ways::ALL, Ways::and)
}

/// Gives the fields of an event the most probable values that these explanations leave.
pub(crate) fn follow(event: &mut Missing, left: Ways) {
    for field in event.fields.iter_mut().filter(|field| !field.is_chosen) {
        let possible =
            || field.alternatives.iter().zip(&field.ways).filter(|(_, ways)| !ways.and(left).is_empty());
        if possible().any(|(value, _)| *value == field.value) {
            continue;
        }
        if let Some((value, _)) = possible().next() {
            field.value = value.clone();
        }
    }
}

/// What contradicts among the choices for these events, which are in the order of time.
pub(crate) fn contradictions<'e>(events: impl Iterator<Item = &'e Missing>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut last: HashMap<(&str, &str), &Missing> = HashMap::new();
    for event in events.filter(|event| event.name == "sched_switch") {
        let called =
            || format!("sched_switch of {} {} between {} and {}", event.fsm, event.key, event.from, event.to);
        let (prev, next) = (event.field("prev_tid"), event.field("next_tid"));
        if let (Some(prev), Some(next)) = (prev, next)
            && prev.value == next.value
            && prev.value != Known::Number(0)
            && (prev.is_chosen || next.is_chosen)
        {
            problems.push(format!(
                "{}: it cannot switch from thread {} to itself",
                called(),
                shown(&prev.value)
            ));
        }
        let before = last.insert((&event.fsm, &event.key), event);
        // Only for a CPU do the threads of two switches in a row have to meet.
        if let (Some(before), Some(prev)) = (before, prev)
            && (before.from, before.to, before.rank + 1) == (event.from, event.to, event.rank)
            && event.cpu.is_some_and(|cpu| cpu.to_string() == event.key)
            && let Some(came) = before.field("next_tid")
            && came.value != prev.value
            && came.is_chosen
            && prev.is_chosen
        {
            problems.push(format!(
                "{}: it leaves thread {}, but the switch before came to thread {}",
                called(),
                shown(&prev.value),
                shown(&came.value)
            ));
        }
    }
    problems
}

impl Decide for Choices {
    fn decide(
        &mut self,
        event: &Asked<'_>,
        field: &str,
        possible: &mut dyn Iterator<Item = Known>,
    ) -> Option<Known> {
        if self.by_event.is_empty() {
            return None;
        }
        let name =
            (event.name.into(), event.fsm.into(), event.key.into(), event.from.0, event.to.0, event.rank);
        let choice = self.by_event.get_mut(&name)?.iter_mut().find(|choice| choice.field == field)?;
        choice.is_used = true;
        let mut count = 0u64;
        for value in possible {
            count += 1;
            if value == choice.value {
                return Some(value);
            }
        }
        self.problems.push(format!(
            "line {}: {field} = {} is not among the {} possible values",
            choice.line,
            shown(&choice.value),
            grouped(count)
        ));
        None
    }

    fn all(&self) -> Vec<Decision> {
        let mut all = Vec::new();
        for ((name, fsm, key, from, to, rank), said) in &self.by_event {
            for Said { field, value, .. } in said {
                let (name, fsm, key) = (name.clone(), fsm.clone(), key.clone());
                let (field, value) = (field.clone(), value.clone());
                all.push(Decision { name, fsm, key, from: *from, to: *to, rank: *rank, field, value });
            }
        }
        all
    }

    fn contradict(&mut self, decisions: &[Decision]) {
        let mut said: Vec<(usize, String)> = Vec::new();
        for Decision { name, fsm, key, from, to, rank, field, value } in decisions {
            let name = (name.clone(), fsm.clone(), key.clone(), *from, *to, *rank);
            let known = self.by_event.get_mut(&name).into_iter().flatten();
            for known in known.filter(|known| known.field == *field) {
                known.is_used = true;
                said.push((known.line, format!("line {}: {field} = {}", known.line, shown(value))));
            }
        }
        said.sort();
        let said: Vec<String> = said.into_iter().map(|(_, said)| said).collect();
        self.problems.push(format!(
            "{} contradict each other: nothing explains what was lost there and has all of them",
            said.join(" and ")
        ));
    }
}

/// The file for all fields of `answer` with several possible values.
pub(crate) fn write(answer: &Answer) -> String {
    write_some(answer, &answer.inferred, |_| true)
}

/// The file for the fields of `events`, which are of `answer`, that the user decided.
pub(crate) fn write_chosen(answer: &Answer, events: &[Missing]) -> String {
    write_some(answer, events, |field| field.is_chosen)
}

fn write_some(answer: &Answer, events: &[Missing], wanted: impl Fn(&MissingField) -> bool) -> String {
    let mut out = format!("{FIRST_LINE}\n# model {}, engine {}\n", remark(&answer.model), answer.engine);
    for event in events {
        let mut open = event.fields.iter().filter(|field| field.possible > 1 && wanted(field)).peekable();
        if open.peek().is_none() {
            continue;
        }
        let (key, from, to, rank) = match &event.called {
            Some(called) => (&called.key, called.from.0, called.to.0, called.place),
            None => (&event.key, event.from, event.to, event.rank),
        };
        let [name, fsm, key] = [&event.name, &*event.fsm, key].map(word);
        _ = writeln!(out, "\nevent {name} {fsm} {key} {from} {to} {rank}");
        for field in open {
            let listed: Vec<String> = field.alternatives.iter().take(LISTED).map(shown).collect();
            let more = field.possible - listed.len();
            let more = if more > 0 { format!(" and {} others", grouped(more as u64)) } else { String::new() };
            let (name, value, listed) = (word(&field.name), shown(&field.value), listed.join(" "));
            // Of what was decided only that is written which the user said: the rest would decide it once more.
            let follows = event.called.is_some() && !field.ways.is_empty() && !field.is_chosen;
            _ = match follows {
                true => writeln!(out, "  # {name} = {value} follows; else {listed}{more}"),
                false => writeln!(out, "  {name} = {value}  # {listed}{more}"),
            };
        }
    }
    out
}

fn remark(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn shown(value: &Known) -> String {
    match value {
        Known::Number(number) => number.to_string(),
        Known::Text(text) => word(text),
    }
}
