//! The nouns that every part of Tracewright shares; reading this list explains the program.
//!
//! Everything we read becomes *steps on tracks*; what was lost is a *gap*; what we conclude is a
//! *summary* or a *diagnostic*, which points back at steps and says how sure it is.
//!
//! This crate does no I/O, has no `unsafe` and no dependency. It will not parse, analyse or print:
//! `formats` fills these types, `analyses` makes answers of them, the binary shows them.
#![deny(missing_docs)]

pub mod alphabet;
pub mod block_counts;
pub mod call_values;
pub mod choice;
pub mod code;
pub mod cut;
pub mod diagnostic;
pub mod event;
pub mod evidence;
pub mod field;
pub mod flow;
pub mod flow_events;
pub mod flow_source;
pub mod gap;
pub mod grammar;
pub mod host_clock;
pub mod machine;
pub mod origin;
pub mod owned_event;
pub mod path_numbering;
pub mod readings;
pub mod running;
pub mod scalar;
pub mod span;
pub mod stack;
pub mod step;
pub mod summary;
pub mod tasks;
pub mod throttled;
pub mod time;
pub mod trace;
pub mod track;

pub use alphabet::{Alphabet, Symbol};
pub use block_counts::BlockCounts;
pub use call_values::{CallValues, Ended, Outcome, ProgramText, ProgramValue};
pub use choice::{Choice, EventKey};
pub use code::{BlockId, ClassId, CodeMap, MethodId};
pub use cut::{Boundary, Cut};
pub use diagnostic::{Diagnostic, Location, Severity};
pub use event::{Adapter, Event, EventSource, Item, Origin};
pub use evidence::{Certainty, Evidence};
pub use field::{Base, FieldSink, Fields, OuterFields, Scope, Value};
pub use flow::FlowStep;
pub use flow_events::FlowEvents;
pub use flow_source::{Course, FlowSource, ThreadInfo};
pub use gap::{Edge, Gap, Lost};
pub use grammar::Grammar;
pub use host_clock::HostClock;
pub use owned_event::OwnedEvent;
pub use path_numbering::{EdgeRole, NumberedBlock, NumberedEdge, Numbering};
pub use readings::Readings;
pub use scalar::Scalar;
pub use span::Span;
pub use stack::{SampledFrame, SampledMethod, SampledThread, StackSample, StackSamples, ThreadState, Wait};
pub use step::Step;
pub use summary::{Level, Run, RunId, Summary, Word};
pub use tasks::{Task, TaskMoment, TaskStep};
pub use throttled::Throttled;
pub use time::Timestamp;
pub use trace::{ClockInfo, OWN_THREADS, StreamId, StreamInfo, TraceInfo};
pub use track::{Track, TrackId};
