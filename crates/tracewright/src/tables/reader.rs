//! Tables for a process that is not ours: batches in memory, prefetched by threads of their own.
//!
//! ```text
//! threads that read inputs ──> one thread: batches in the order of the inputs ──a few wait──> TableReader::wait
//! ```
//!
//! Dropped, a reader ends its threads: each at the next item of its input, or at the next thread of a recording.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use clap::ValueEnum;

use super::batch::Batch;
use super::{Asked, Column, Format, Kind, What, arrow, events, expand, job};
use crate::cli::TrackBy;
use crate::exit::{Result, Stop};
use crate::part::{Part, events_by_stream};
use crate::process::{self, Guest, Notes};

/// Batches that wait for whoever reads the table.
const WAITING: usize = 4;

/// What is asked: a table and the options that `tracewright table` has for it.
#[derive(Debug, Clone)]
pub struct Request {
    what: What,
    names: Vec<String>,
    /// `None`: those that the first events carry.
    fields: Option<Vec<Column>>,
    model: Option<String>,
    track_by: TrackBy,
    jobs: usize,
    part: Option<Part>,
}

/// What a reader sends next.
#[derive(Debug)]
pub enum Message {
    /// First: what the columns are.
    Columns(SchemaRef),
    /// Some thousand rows.
    Rows(RecordBatch),
    /// Last: nothing follows.
    End,
    /// Last: none of the inputs could be read; the rows have the reasons.
    NoInput,
    /// Last: the reading broke off, and why.
    Failed(String),
}

/// A table that is being read.
#[derive(Debug)]
pub struct TableReader {
    messages: Receiver<Message>,
    guest: Arc<Guest>,
}

impl Request {
    /// Asks for a table, with the defaults of the command line.
    pub fn new(what: What) -> Request {
        let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
        Request {
            what,
            names: vec![],
            fields: None,
            model: None,
            track_by: TrackBy::Thread,
            jobs,
            part: None,
        }
    }

    /// What the table is called on the command line.
    pub fn name(&self) -> String {
        self.what.name()
    }

    /// Of `events`: only such names, as patterns, and a column for each of their fields.
    #[must_use]
    pub fn names(self, names: Vec<String>) -> Request {
        Request { names, ..self }
    }

    /// With names: the columns that fields of events have, by name and kind as [`Request::columns`] has them, so that
    /// tables of different inputs have the same. What an event carries besides stands in `fields`.
    ///
    /// # Errors
    /// When there is no such kind.
    pub fn fields(self, fields: Vec<(String, String)>) -> std::result::Result<Request, String> {
        let column = |(name, kind): (String, String)| match Kind::of(&kind) {
            Some(kind) => Ok(events::field(name, kind)),
            None => Err(format!("`{kind}` is not a kind of column")),
        };
        let fields = fields.into_iter().map(column).collect::<std::result::Result<_, _>>()?;
        Ok(Request { fields: Some(fields), ..self })
    }

    /// Of `states`, `incoherences` and `inferred`: a built-in model or a file.
    #[must_use]
    pub fn model(self, model: Option<String>) -> Request {
        Request { model, ..self }
    }

    /// Of `loops` and `hangs`: what a track is, by the name that the command line has for it.
    ///
    /// # Errors
    /// When there is no such kind of track.
    pub fn track_by(self, name: &str) -> std::result::Result<Request, String> {
        let known = || TrackBy::value_variants().iter().filter_map(TrackBy::to_possible_value);
        let names: Vec<String> = known().map(|known| known.get_name().to_owned()).collect();
        let track_by = TrackBy::from_str(name, false)
            .map_err(|_| format!("`{name}` is not a track; there are: {}", names.join(", ")))?;
        Ok(Request { track_by, ..self })
    }

    /// How many inputs to read at a time.
    #[must_use]
    pub fn jobs(self, jobs: NonZero<usize>) -> Request {
        Request { jobs: jobs.get(), ..self }
    }

    /// Of the one input only this part.
    #[must_use]
    pub fn part(self, part: Option<Part>) -> Request {
        Request { part, ..self }
    }

    /// How many events each stream of an input has in a part, for [`Part::after`] of later parts; `None` where they cannot
    /// be counted without a look at all that is before.
    ///
    /// # Errors
    /// When the input cannot be read.
    pub fn events_by_stream(input: &Path, part: &Part) -> std::result::Result<Option<Vec<u64>>, String> {
        let job = Arc::new(Guest::default());
        let counts = process::within(Some(Arc::clone(&job)), || events_by_stream(input, part));
        job.unpacked().clear();
        counts.map_err(sentence)
    }

    /// Whether it can be done, with so many inputs.
    ///
    /// # Errors
    /// The reason why not.
    pub fn check(&self, inputs: usize) -> std::result::Result<(), String> {
        self.asked(&[]).check(inputs)
    }

    /// The columns of the table of `inputs`: name, kind and what each holds. Where fields of events have columns of their
    /// own, the inputs are looked into.
    pub fn columns(&self, inputs: &[PathBuf]) -> Vec<(String, &'static str, &'static str)> {
        let columns = process::within(Some(Arc::default()), || self.asked(inputs).columns());
        columns.into_iter().map(|column| (column.name, column.kind.name(), column.about)).collect()
    }

    fn asked(&self, inputs: &[PathBuf]) -> Asked<'_> {
        let asked = Asked {
            what: self.what,
            names: &self.names,
            fields: vec![],
            model: self.model.as_deref(),
            track_by: self.track_by,
            is_alone: inputs.len() == 1,
            part: self.part.clone(),
        };
        match &self.fields {
            Some(fields) => Asked { fields: fields.clone(), ..asked },
            None => asked.with_fields(!self.names.is_empty(), inputs),
        }
    }

    fn read(&self, inputs: &[PathBuf], messages: &SyncSender<Message>) -> Result<Message> {
        let send = |message| messages.send(message).or(Err(Stop::Unread));
        let asked = self.asked(inputs);
        let columns = asked.columns();
        send(Message::Columns(arrow::schema(&columns)))?;
        let read = job::read(&asked, inputs, &columns, Format::Arrow, self.jobs, |batch| match batch {
            Batch::Columns(rows) => send(Message::Rows(rows)),
            // Batches are made for the format that was named.
            Batch::Lines(_) | Batch::BlockEnd => Ok(()),
        })?;
        Ok(if read.failed == inputs.len() { Message::NoInput } else { Message::End })
    }
}

impl TableReader {
    /// The inputs that paths stand for. With `expands` folders and patterns stand for what is in them, as on the command
    /// line; else each path is one input.
    ///
    /// # Errors
    /// When there is none, or standard input is named: it belongs to the process.
    pub fn inputs(named: &[PathBuf], expands: bool) -> std::result::Result<Vec<PathBuf>, String> {
        if named.iter().any(|input| input.as_os_str() == "-") {
            return Err("standard input cannot be read from here; give a file".to_owned());
        }
        match if expands { expand(named) } else { Ok(named.to_vec()) } {
            Ok(inputs) if inputs.is_empty() => Err("give at least one input".to_owned()),
            Ok(inputs) => Ok(inputs),
            Err(stop) => Err(sentence(stop)),
        }
    }

    /// Begins to read.
    pub fn start(request: Request, inputs: Vec<PathBuf>) -> TableReader {
        let (sender, messages) = sync_channel(WAITING);
        let guest = Arc::new(Guest::default());
        let job = Arc::clone(&guest);
        let work = move || {
            let end = process::within(Some(Arc::clone(&job)), || request.read(&inputs, &sender));
            job.unpacked().clear();
            // Whoever has gone needs no end.
            let _ = sender.send(end.unwrap_or_else(|stop| Message::Failed(sentence(stop))));
        };
        // Without a thread the sender is gone, and `wait` reports it.
        let _ = std::thread::Builder::new().name("table".to_owned()).spawn(work);
        TableReader { messages, guest }
    }

    /// Waits so long for what comes next; nothing comes after the last.
    pub fn wait(&self, patience: Duration) -> Option<Message> {
        match self.messages.recv_timeout(patience) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                Some(Message::Failed("the reading broke off; please report it".to_owned()))
            }
        }
    }

    /// What the command line prints beside the answer: losses, damage, remarks about a model.
    pub fn notes(&self) -> Notes {
        self.guest.notes().clone()
    }
}

impl Drop for TableReader {
    fn drop(&mut self) {
        self.guest.end();
    }
}

fn sentence(stop: Stop) -> String {
    match stop {
        Stop::Failed(sentence) => sentence,
        Stop::Unread => "nobody reads the table any more".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::{Message, Request, TableReader};
    use crate::tables::What;

    /// The number of rows, the last message, and the notes.
    fn read(what: What, inputs: &[&str]) -> (usize, Option<Message>, Vec<String>) {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        let inputs: Vec<PathBuf> =
            inputs.iter().map(|input| PathBuf::from(format!("{root}{input}"))).collect();
        let reader =
            TableReader::start(Request::new(what), TableReader::inputs(&inputs, true).unwrap_or_default());
        let mut rows = 0;
        loop {
            match reader.wait(Duration::from_secs(600)) {
                Some(Message::Rows(batch)) => rows += batch.num_rows(),
                Some(Message::Columns(_)) => {}
                end => return (rows, end, reader.notes().all()),
            }
        }
    }

    #[test]
    fn rows_and_notes_come_and_nothing_is_printed() {
        let (rows, end, notes) = read(What::Gaps, &["examples/traces/lossy", "examples/traces/none"]);
        assert!(rows > 1 && matches!(end, Some(Message::End)), "{rows} {end:?}");
        // Both are read at once.
        let reported = |what: &str| notes.iter().filter(|note| note.contains(what)).count();
        assert_eq!(
            [reported("lost in"), reported("examples/traces/none"), notes.len()],
            [1, 1, 2],
            "{notes:?}"
        );
        let (rows, end, _) = read(What::Calls, &["examples/traces/none"]);
        assert!(rows == 1 && matches!(end, Some(Message::NoInput)), "{rows} {end:?}");
    }

    #[test]
    fn standard_input_is_not_taken_from_another_process() {
        assert!(TableReader::inputs(&["-".into()], true).is_err());
        assert!(TableReader::inputs(&["-".into()], false).is_err());
    }
}
