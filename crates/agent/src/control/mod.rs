//! The agent as a whole, and who starts and stops it.
//!
//! ```text
//! socket.rs, server.rs, client.rs --> session.rs: start and stop --> recording.rs
//! options.rs: how to record              |
//!                                    agent.rs: what lives as long as the process; traced.rs: a thread asks for a slot
//! ```
//!
//! While something is recorded, `clock.rs` looks how far threads have come, and `sampler.rs` samples stacks; what they showed
//! so far stands in `standing.rs` and `old_frames.rs`. `budget.rs` stops recording the methods that cost too much.

pub(crate) mod agent;
mod budget;
mod call_numbers;
pub(crate) mod client;
mod clock;
mod handed;
pub(crate) mod inside;
mod joins;
mod management;
mod old_frames;
mod options;
mod passed;
mod recording;
pub(crate) mod requests;
mod running;
mod sampler;
pub(crate) mod server;
mod session;
mod socket;
mod spending;
mod standing;
mod state;
pub(crate) mod tasks;
mod terminal;
mod traced;
pub(crate) mod values;

pub(crate) use options::Choices;
