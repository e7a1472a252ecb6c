//! Choices: which value a field of an inferred event has, where several are possible and the user
//! knows better. A text file, written by `--write-choices`, changed in an editor, read by `--choices`.
//!
//! An event is called by its name, machine, instance, interval (from, to) and its index among those of
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

use formats::choices_text::{self, FIRST_LINE, WrittenChoice, event_line, shown, word};
use formats::limits;
use inference::choices::Problem;
use inference::model::{Hypotheses, InferredEvent, InferredField, Scalar};

use crate::answer::Answer;
use crate::exit::{Result, Stop};
use crate::input;
use crate::numbers::grouped;

/// Values that a remark lists.
const LISTED: usize = 8;

/// What the user chose, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// Each with its line.
    pub(crate) made: inference::choices::Choices,
    /// Sentences, in the order of finding.
    pub(crate) problems: Vec<String>,
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
        let (read, problems) = choices_text::read(text);
        let numbered = read.into_iter().map(|WrittenChoice { choice, line }| (line, choice));
        Choices { made: inference::choices::Choices::new(numbered), problems }
    }

    /// After a run: what did not apply, and what contradicts.
    pub(crate) fn finish(&mut self, answer: &Answer) {
        self.problems.extend(self.made.problems.iter().map(sentence));
        let mut unused: Vec<(usize, String)> = Vec::new();
        for (line, choice) in self.made.unused() {
            let (event, field) = (&choice.event, &choice.field);
            unused.push((
                line,
                format!(
                    "line {line}: there is no choice to make for {field}: no {} of {} {} with that field open is inferred there",
                    event.name, event.machine, event.instance
                ),
            ));
        }
        unused.sort();
        self.problems.extend(unused.into_iter().map(|(_, sentence)| sentence));
        self.problems.extend(contradictions(answer.inferred.iter()));
    }
}

fn sentence(problem: &Problem) -> String {
    match problem {
        Problem::Impossible { number, choice, possible } => format!(
            "line {number}: {} = {} is not among the {} possible values",
            choice.field,
            shown(&choice.value),
            grouped(*possible as u64)
        ),
        Problem::Contradictory(together) => {
            let one = |(line, choice): &(usize, inference::model::Choice)| {
                format!("line {line}: {} = {}", choice.field, shown(&choice.value))
            };
            let together: Vec<String> = together.iter().map(one).collect();
            format!(
                "{} contradict each other: nothing explains what was lost there and has all of them",
                together.join(" and ")
            )
        }
    }
}

/// The explanations that values leave of what is explained together; with none left they contradict each
/// other. Each value is that of a field of one of these events.
pub(crate) fn left<'e>(values: impl Iterator<Item = (&'e InferredEvent, &'e str, &'e Scalar)>) -> Hypotheses {
    let hypotheses =
        values.filter_map(|(event, field, value)| Some(event.field(field)?.alternative(value)?.hypotheses));
    hypotheses.fold(Hypotheses::ALL, Hypotheses::and)
}

/// Gives the fields of an event the most probable values that these explanations leave.
pub(crate) fn follow(event: &mut InferredEvent, left: Hypotheses) {
    for field in event.fields.iter_mut().filter(|field| !field.is_chosen) {
        let possible = || field.alternatives.iter().filter(|known| !known.hypotheses.and(left).is_empty());
        if possible().any(|known| Some(&known.value) == field.value.as_ref()) {
            continue;
        }
        if let Some(known) = possible().next() {
            field.value = Some(known.value.clone());
        }
    }
}

/// What contradicts among the choices for these events, which are in the order of time.
pub(crate) fn contradictions<'e>(events: impl Iterator<Item = &'e InferredEvent>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut last: HashMap<(&str, &str), &InferredEvent> = HashMap::new();
    for event in events.filter(|event| event.key.name == "sched_switch") {
        let key = &event.key;
        let called = || {
            let (from, to) = (key.from.0, key.to.0);
            format!("sched_switch of {} {} between {from} and {to}", key.machine, key.instance)
        };
        let (prev, next) = (chosen(event, "prev_tid"), chosen(event, "next_tid"));
        if let (Some((prev, is_prev)), Some((next, is_next))) = (prev, next)
            && prev == next
            && *prev != Scalar::Number(0)
            && (is_prev || is_next)
        {
            problems.push(format!("{}: it cannot switch from thread {} to itself", called(), shown(prev)));
        }
        let before = last.insert((&key.machine, &key.instance), event);
        // Only for a CPU do the threads of two switches in a row have to meet.
        if let (Some(before), Some((prev, true))) = (before, prev)
            && (before.key.from, before.key.to, before.key.rank + 1) == (key.from, key.to, key.rank)
            && event.cpu.is_some_and(|cpu| cpu.to_string() == key.instance)
            && let Some((came, true)) = chosen(before, "next_tid")
            && came != prev
        {
            problems.push(format!(
                "{}: it leaves thread {}, but the switch before came to thread {}",
                called(),
                shown(prev),
                shown(came)
            ));
        }
    }
    problems
}

/// The value of a field, and whether the user chose it.
fn chosen<'e>(event: &'e InferredEvent, field: &str) -> Option<(&'e Scalar, bool)> {
    let field = event.field(field)?;
    Some((field.value.as_ref()?, field.is_chosen))
}

/// The file for all fields of `answer` with several possible values.
pub(crate) fn write(answer: &Answer) -> String {
    write_some(answer, &answer.inferred, |_| true)
}

/// The file for the fields of `events`, which are of `answer`, that the user decided.
pub(crate) fn write_chosen(answer: &Answer, events: &[InferredEvent]) -> String {
    write_some(answer, events, |field| field.is_chosen)
}

fn write_some(answer: &Answer, events: &[InferredEvent], wanted: impl Fn(&InferredField) -> bool) -> String {
    let mut out = format!("{FIRST_LINE}\n# model {}, engine {}\n", remark(&answer.model), answer.engine);
    for event in events {
        let mut open = event.fields.iter().filter(|field| field.possible > 1 && wanted(field)).peekable();
        if open.peek().is_none() {
            continue;
        }
        let key = event.original_key.as_ref().unwrap_or(&event.key);
        _ = writeln!(out, "\n{}", event_line(key));
        for field in open {
            let Some(value) = &field.value else { continue };
            let listed = field.alternatives.iter().take(LISTED);
            let listed: Vec<String> = listed.map(|known| shown(&known.value)).collect();
            let more = field.possible - listed.len();
            let more = if more > 0 { format!(" and {} others", grouped(more as u64)) } else { String::new() };
            let (name, value, listed) = (word(&field.name), shown(value), listed.join(" "));
            // Of coupled fields only those that the user chose are written: the others would become choices, too.
            let follows = event.original_key.is_some() && field.is_coupled() && !field.is_chosen;
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
