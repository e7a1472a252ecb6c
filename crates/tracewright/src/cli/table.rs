//! What can be typed after `table`.

use std::path::PathBuf;

use clap::Args;

use super::TrackBy;
use crate::part::Part;
use crate::tables::{Format, What};

/// Write an answer about one or many traces as a table: CSV, Apache Arrow or Parquet
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright table events trace/ -o events.csv
  tracewright table events trace/ --name sched_switch | head -3
  tracewright table gaps trace/ app.jsonl
  tracewright table events trace/ --part 3/8 -o part3.csv
  tracewright table blocks --columns

Every table has the columns `trace` and `error` first. An input that cannot be read is a row with an error; the others \
are read all the same. Folders stand for what is in them, patterns with `*` and `?` for what fits. Moments are \
nanoseconds since 1970 in UTC. The ending of the file says the format: .csv, .arrow (a stream), .parquet; Arrow and Parquet are \
in what we release, and in a build with `--features columnar`.

Exit code: 0 done, 1 done but an input could not be read, is damaged or lost events, 2 could not do it.")]
pub(crate) struct Table {
    /// Which table
    #[arg(value_name = "WHAT")]
    pub(crate) what: What,
    /// Traces or recordings of control flow, folders of them, patterns, or - for standard input
    #[arg(value_name = "INPUT", required_unless_present = "columns")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Write this file; it appears when it is whole [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// How to write it [default: by the ending of the file; csv on standard output]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Of `events`: only such names, and a column for each of their fields; a pattern with `*` and `?`; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) name: Vec<String>,
    /// Of `states`, `incoherences` and `inferred`: a built-in model or a file
    #[arg(long, value_name = "NAME|FILE.xml")]
    pub(crate) model: Option<String>,
    /// Of `loops` and `hangs`: what a track is
    #[arg(long, value_name = "WHAT", default_value = "thread")]
    pub(crate) track_by: TrackBy,
    /// Of `events` and `gaps` of one input: only the rows of part I of N, from 1; all parts one after the other are the table
    #[arg(long, value_name = "I/N")]
    pub(crate) part: Option<Part>,
    /// How many inputs to read at a time, or threads for one [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Print the columns of the table, their kinds and what they hold
    #[arg(long)]
    pub(crate) columns: bool,
}
