//! What an engine concludes: inconsistencies and inferred events, in one form for engines, files, server and page.
//!
//! [`Scalar`], [`EventKey`] and [`Choice`] stand in the crate `model`, where readers of files find them too.

pub(crate) mod field_values;
pub mod inconsistency;
pub mod inferred_event;
pub mod long_loss;

pub use ::model::{Choice, EventKey, Scalar};
pub use inconsistency::Inconsistency;
pub use inferred_event::{Alternative, Hypotheses, InferredEvent, InferredField};
pub use long_loss::{LongLoss, RunningTime};
