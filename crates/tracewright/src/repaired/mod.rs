//! A repaired trace: a copy of a CTF trace with a stream of inferred events and of state estimates added.
//!
//! The original is only read. What is written is read again and counted before the folder gets its name: a
//! folder that is there is whole.

mod estimates;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use formats::ctf::write::{Added, Cell, add_stream};
use formats::limits;
use model::Item;

use inference::model::{InferredEvent, InferredField, Scalar};

use crate::answer::Answer;
use crate::atomic::AtomicFolder;
use crate::exit::{Result, Stop};
use crate::files::{self, Found};
use crate::input;
use crate::open::open;
use crate::unpacked;
use crate::views::infer_text;

/// Writes to `out` the trace of `input` with what `answer` found missing, and returns how many state estimates are
/// among it.
pub(crate) fn write(input: &Path, out: &Path, answer: &Answer) -> Result<u64> {
    let (shown, asked) = (input.display(), out.display());
    let (root, files) = trace(input)?;
    refuse_bad_output(input, out)?;
    let metadata = input::whole(&root.join("metadata"), limits::CTF_METADATA)
        .or_else(|error| Stop::failed(format!("cannot read the metadata of {shown}: {error}")))?;
    let by = format!("tracewright {}", answer.engine);
    let alternatives: Vec<String> = answer.inferred.iter().map(alternatives).collect();
    let estimates = estimates::of(answer);
    let mut new = added(answer, &by, &alternatives);
    new.extend(estimates.iter().map(|estimate| estimate.added(answer, &by)));
    let addition = add_stream(metadata, &new)
        .or_else(|sentence| Stop::failed(format!("cannot add events to {shown}: {sentence}")))?;
    let cannot =
        |error: io::Error| Stop::Failed(format!("cannot write {asked}: {error}; nothing is left of it"));
    let folder = AtomicFolder::create(out).map_err(cannot)?;
    let part = folder.path();
    let written = (|| {
        for found in files.iter().filter(|found| found.path != root.join("metadata")) {
            let target = part.join(found.path.strip_prefix(&root).unwrap_or(&found.path));
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            io::copy(&mut input::regular(&found.path)?, &mut File::create_new(&target)?)?;
        }
        let streams = addition.streams.iter().map(|(name, bytes)| (name.as_str(), bytes));
        for (name, bytes) in streams.chain([("metadata", &addition.metadata)]) {
            let mut file = File::create_new(part.join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        Ok(())
    })();
    written.map_err(cannot)?;
    count(part, answer.events + new.len() as u64)?;
    folder.commit(out).map_err(cannot)?;
    Ok(estimates.len() as u64)
}

/// The folder of the only trace below `input`, and all files in there.
fn trace(input: &Path) -> Result<(PathBuf, Vec<Found>)> {
    let shown = input.display();
    let directory = unpacked::directory(input);
    if !directory.is_dir() {
        return Stop::failed(format!("--out copies a CTF trace, and {shown} is none"));
    }
    let found =
        files::below(&directory).or_else(|error| Stop::failed(format!("cannot read {shown}: {error}")))?;
    let is_metadata = |found: &&Found| found.path.file_name().is_some_and(|name| name == "metadata");
    let roots: Vec<PathBuf> = found
        .iter()
        .filter(is_metadata)
        .filter_map(|found| found.path.parent())
        .map(Path::to_owned)
        .collect();
    match &roots[..] {
        [root] => {
            let inside = found.into_iter().filter(|found| found.path.starts_with(root)).collect();
            Ok((root.clone(), inside))
        }
        _ => Stop::failed(format!(
            "{shown} holds {} traces; --out repairs one at a time: give its folder",
            roots.len()
        )),
    }
}

/// Fails if a repaired trace cannot be written to `out`, before the work that it takes.
pub(crate) fn refuse_bad_output(input: &Path, out: &Path) -> Result<()> {
    let asked = out.display();
    match fs::read_dir(out).map(|mut entries| entries.next().is_none()) {
        Ok(true) => {}
        Ok(false) => {
            return Stop::failed(format!("{asked} is there already and not empty; nothing was written"));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Stop::failed(format!("cannot write to {asked}: {error}")),
    }
    let parent = out.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let parent = parent
        .canonicalize()
        .or_else(|error| Stop::failed(format!("cannot write to {asked}: {}: {error}", parent.display())))?;
    // A copy inside the original would make that another trace than it was.
    if input.canonicalize().is_ok_and(|input| parent.starts_with(input)) {
        return Stop::failed(format!("{asked} lies in the trace itself; nothing was written"));
    }
    Ok(())
}

/// Reads what was written: all that was there and all that was inferred must be.
fn count(part: &Path, expected: u64) -> Result<()> {
    let mut source = open(part)?;
    let mut events = 0u64;
    while let Some(item) = source.next_item() {
        events += u64::from(matches!(item, Item::Event(_)));
    }
    if events != expected {
        return Stop::failed(format!(
            "the repaired trace would have {events} events, not the {expected} it must have, so it was not kept"
        ));
    }
    Ok(())
}

/// Alternatives that are written for a field.
const WRITTEN: usize = 8;

/// `next_tid = 869 (0.912), 870 (0.051); prev_state = 1 (0.730), 0 (0.233)`: the fields that may have several values,
/// best first, with how probable each is where the engine weighs, and how many are left out.
fn alternatives(event: &InferredEvent) -> String {
    let field = |field: &InferredField| {
        let shown = field.alternatives.iter().take(WRITTEN).map(infer_text::alternative);
        let shown: Vec<String> = shown.collect();
        let more = field.possible.saturating_sub(shown.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{} = {}{more}", field.name, shown.join(", "))
    };
    let open = event.fields.iter().filter(|field| field.possible > 1);
    open.map(field).collect::<Vec<_>>().join("; ")
}

fn added<'a>(answer: &'a Answer, by: &'a str, alternatives: &'a [String]) -> Vec<Added<'a>> {
    let event = |(event, alternatives): (&'a InferredEvent, &'a String)| Added {
        name: &event.key.name,
        time: event.time,
        cpu: event.cpu,
        context: vec![
            ("inferred_by", Cell::Text(by)),
            ("inferred_with", Cell::Text(&answer.model)),
            ("inferred_from", Cell::Number(event.key.from.0)),
            ("inferred_to", Cell::Number(event.key.to.0)),
            // No weighing, no number.
            ("inferred_probability", Cell::Float(event.probability.unwrap_or(f64::NAN))),
            ("inferred_machine", Cell::Text(&event.key.machine)),
            ("inferred_instance", Cell::Text(&event.key.instance)),
            ("inferred_alternatives", Cell::Text(alternatives)),
        ],
        fields: event
            .fields
            .iter()
            .filter_map(|field| {
                let cell = match field.value.as_ref()? {
                    Scalar::Number(number) => Cell::Number(*number),
                    Scalar::Text(text) => Cell::Text(text),
                };
                Some((field.name.as_str(), cell))
            })
            .collect(),
    };
    answer.inferred.iter().zip(alternatives).map(event).collect()
}

#[cfg(test)]
mod tests {
    use inference::model::{Alternative, EventKey, Hypotheses};
    use model::Timestamp;

    use super::*;

    #[test]
    fn alternatives_are_one_line() {
        let field = |name: &str, values: &[i64], odds: &[f64], possible| {
            let alternative = |(directory, value): (usize, &i64)| Alternative {
                value: Scalar::Number(*value),
                probability: odds.get(directory).copied(),
                hypotheses: Hypotheses::ALL,
            };
            InferredField {
                name: name.into(),
                value: Some(Scalar::Number(0)),
                alternatives: values.iter().enumerate().map(alternative).collect(),
                possible,
                is_chosen: false,
            }
        };
        let fields = vec![
            field("next_tid", &[869, 870], &[0.912, 0.0001], 2),
            field("cpu", &[1], &[1.0], 1),
            field("prev_tid", &[4, 5], &[], 30),
        ];
        let (from, to, name) = (Timestamp(0), Timestamp(0), String::new());
        let event = InferredEvent {
            key: EventKey { name, machine: "".into(), instance: String::new(), from, to, rank: 1 },
            original_key: None,
            time: from,
            names: vec![],
            cpu: None,
            fields,
            probability: None,
            is_only_explanation: false,
            reason: None,
            inconsistency: None,
            window: None,
            group: None,
        };
        assert_eq!(
            alternatives(&event),
            "next_tid = 869 (0.912), 870 (under 0.001); prev_tid = 4, 5 and 28 more"
        );
    }
}
