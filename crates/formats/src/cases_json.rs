//! Cases: which events to leave out of a trace, as `evaluate --cases` reads them.
//!
//! ```text
//! {"cases":[{"id":1,   "delete":[{"ts":1457113582794572361,"cpu":5,"name":"sched_switch"}]},
//!           {"id":"b", "delete_range":{"cpu":3,"first_ts":1457113582794569892,"last_ts":1457113582794572361}}]}
//! ```
//!
//! `cpu` and `name` may be left out where `ts` is enough. Other members are not looked at, so what `evaluate --json`
//! prints is such a file too. Whether the trace has such events is for the caller to see.

use model::Scalar;
use serde_json::Value;

/// A case as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCase {
    /// Its `id`, or its place in the list, from 1 on.
    pub id: Scalar,
    /// Its `kind`; cases of one kind are counted together.
    pub kind: Option<String>,
    /// Single events.
    pub delete: Vec<WrittenEvent>,
    /// All that one CPU did for some time.
    pub delete_range: Option<WrittenRange>,
}

/// An event by when and where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenEvent {
    /// Nanoseconds since 1970.
    pub time: i64,
    /// Its CPU, where that matters.
    pub cpu: Option<u32>,
    /// Its name, where that matters.
    pub name: Option<String>,
}

/// A segment of time on a CPU, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenRange {
    /// The CPU.
    pub cpu: u32,
    /// Nanoseconds since 1970.
    pub first: i64,
    /// Nanoseconds since 1970.
    pub last: i64,
}

/// Reads all cases; the error is a sentence about the first thing that is wrong.
pub fn read(text: &str) -> Result<Vec<WrittenCase>, String> {
    let file: Value = serde_json::from_str(text).map_err(|error| format!("this is no JSON: {error}"))?;
    let listed =
        file.get("cases").and_then(Value::as_array).ok_or("a member `cases`, a list, is expected")?;
    listed.iter().enumerate().map(|(number, written)| case(number, written)).collect()
}

fn case(number: usize, written: &Value) -> Result<WrittenCase, String> {
    let id = match written.get("id") {
        None => Scalar::Number(i64::try_from(number).unwrap_or(i64::MAX).saturating_add(1)),
        Some(Value::String(text)) => Scalar::Text(text.clone()),
        Some(id) => id
            .as_i64()
            .map(Scalar::Number)
            .ok_or_else(|| format!("case {}: its id is no text and no whole number", number + 1))?,
    };
    let problem = |problem| format!("case {id}: {problem}");
    let delete = match written.get("delete") {
        None => vec![],
        Some(events) => {
            let events = events.as_array().ok_or_else(|| problem("`delete` is no list".to_owned()))?;
            events.iter().map(event).collect::<Result<_, _>>().map_err(problem)?
        }
    };
    let delete_range = written.get("delete_range").map(range).transpose().map_err(problem)?;
    if delete.is_empty() && delete_range.is_none() {
        return Err(problem("it deletes nothing; `delete` or `delete_range` is expected".to_owned()));
    }
    let kind = written.get("kind").and_then(Value::as_str).map(str::to_owned);
    Ok(WrittenCase { id, kind, delete, delete_range })
}

fn event(written: &Value) -> Result<WrittenEvent, String> {
    let name = match written.get("name") {
        None => None,
        Some(name) => Some(name.as_str().ok_or("the name of an event is no text")?.to_owned()),
    };
    Ok(WrittenEvent { time: moment(written, "ts")?, cpu: cpu(written)?, name })
}

fn range(written: &Value) -> Result<WrittenRange, String> {
    let cpu = cpu(written)?.ok_or("`delete_range` has no `cpu`")?;
    Ok(WrittenRange { cpu, first: moment(written, "first_ts")?, last: moment(written, "last_ts")? })
}

fn moment(written: &Value, member: &str) -> Result<i64, String> {
    let time = written.get(member).ok_or_else(|| format!("`{member}` is missing"))?;
    time.as_i64().ok_or_else(|| format!("`{member}` is no whole number of nanoseconds"))
}

fn cpu(written: &Value) -> Result<Option<u32>, String> {
    match written.get("cpu") {
        None | Some(Value::Null) => Ok(None),
        Some(cpu) => {
            let cpu = cpu.as_u64().and_then(|cpu| u32::try_from(cpu).ok());
            cpu.map(Some).ok_or_else(|| "`cpu` is no number of a CPU".into())
        }
    }
}
