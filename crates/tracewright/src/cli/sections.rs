//! What can be typed after `sections`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

/// List the tests, requests and tasks that a recorded program ran, and its marks, each with how it ended and how long it took
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  tracewright sections shop.capture
  tracewright sections shop.capture --failed
  tracewright sections shop.capture --kind request --each
  tracewright calls shop.capture --section 'CartTest.adds'
  tracewright diff shop.capture shop.capture --section 'App.doGet#1' --section-b 'App.doGet#7'

A test is a method that JUnit 3, 4, 5 or TestNG takes for one. A request is what a servlet, a filter, a handler of the JDK's \
HTTP server, or a method with an annotation of Spring or JAX-RS was called with; it is called like the innermost of them. \
A task is what code that is not recorded, a pool say, called outermost in another thread than `main`. A mark (`tracewright mark`) is a section \
to the next mark.

`threw at Cart.java:12`: an exception left it there. A test that expects one throws as well.

Exit code: 0 done, 1 done but the recording is damaged or records were lost, 2 it could not be read.")]
pub(crate) struct Sections {
    /// A recording of control flow: a capture, a folder of uftrace, trace events in JSON, a trace of Perfetto
    #[arg(value_name = "CAPTURE")]
    pub(crate) capture: PathBuf,
    /// Only such sections; may be repeated
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Vec<Kind>,
    /// Only sections that an exception left
    #[arg(long)]
    pub(crate) failed: bool,
    /// Only sections of such a name: CartTest.adds, 'shop.CartTest.*', the text of a mark; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) name: Vec<String>,
    /// Only threads with such a name or number; `*` and `?` stand for any text and character; may be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) thread: Vec<String>,
    /// List each section by itself, not those of a name that ended alike together
    #[arg(long)]
    pub(crate) each: bool,
    /// Maximum number of lines to print
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) limit: usize,
    /// Print one JSON object with each section by itself
    #[arg(long)]
    pub(crate) json: bool,
    /// Exit with 0 although the recording is damaged or records were lost
    #[arg(long)]
    pub(crate) allow_loss: bool,
}

/// Which sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Tests of JUnit and TestNG
    Test,
    /// Requests of a server
    Request,
    /// What threads were given to do
    Task,
    /// From a mark to the next one
    Mark,
}

impl Kind {
    /// As it is written in answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Test => "test",
            Kind::Request => "request",
            Kind::Task => "task",
            Kind::Mark => "mark",
        }
    }
}
