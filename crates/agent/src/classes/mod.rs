//! Classes: which are instrumented, what becomes of them, and how the capture describes them.
//!
//! ```text
//! class file --> recorded.rs --> cache.rs: as an earlier run left it
//!                           `--> transform.rs: instrumented --> describe.rs: how the capture describes it
//! ```
//!
//! `recorder_class.rs` is the class that inserted code calls, `retransform.rs` instruments classes that are there
//! already. The rest identifies a class: `fingerprint.rs` by its bytes, `loaders.rs` by its loader, `origins.rs` by where it
//! comes from, `ids.rs` by its numbers. `throttle.rs`: the methods that are not recorded any more.

pub(crate) mod cache;
pub(crate) mod describe;
pub(crate) mod fingerprint;
pub(crate) mod ids;
mod java_agents;
pub(crate) mod loaders;
pub(crate) mod origins;
pub(crate) mod recorded;
pub(crate) mod recorder_class;
pub(crate) mod retransform;
pub(crate) mod throttle;
pub(crate) mod transform;
pub(crate) mod wanted;
