//! The API: each path and what it answers, declared once, a module for each part.
//!
//! ```text
//! structs, endpoints ─┬─ routes by the handlers of the program    what is served
//!                     └─ generate (a test) ─┬─ openapi.json         its description
//!                                           └─ api.generated.ts   the types of the page
//! ```
//!
//! A path that is added gets an [`Endpoint`] here and a line in its part's `describe`; `UPDATE_EXPECT=1 cargo test
//! --package viewer generated` writes the two files anew. Times are nanoseconds after the first event and
//! positions in a thread are numbers of blocks, because a page counts in numbers that hold 2^53 exactly.

pub mod about;
pub mod compare;
mod endpoint;
#[cfg(test)]
mod generate;
pub mod inference;
pub mod input_growth;
pub mod list;
pub mod loops;
pub mod notes;
pub mod overview;
mod parameters;
pub mod play;
pub mod story;
pub mod threads;
pub mod timeline;
pub mod two_l;

pub use about::{JobStatus, Phase};
pub use endpoint::{Endpoint, Handled, Parameter, Route, Text};
use endpoint::{Kind, needed, optional};
pub use parameters::Parameters;
