//! The viewer's server: one page and its API, for this machine only.
//!
//! ```text
//! TcpListener ── connections: 64 ── http: a request ── gate: may it? ─┬─ assets: compiled in
//!                                                                     └─ answers ── api: routes ── what was opened
//! ```
//!
//! What is served is the caller's: [`Server`] is given [`Routes`] and whatever they are answered from. What an answer
//! looks like is declared here, in [`api`], as structs; `openapi.json` and the types of the page
//! (`web/src/lib/api.generated.ts`) are made of them, and a test compares.
//!
//! It listens on the address that the caller names, reads nothing from the disk but what it has cached, and writes
//! nothing else. A small loop over threads serves: 64 connections of one person need no asynchronous runtime, and
//! the servers that are kept elsewhere bound neither the time of a head nor the number of connections.

mod answers;
pub mod api;
mod assets;
mod cache;
mod connections;
mod gate;
mod http;
mod job;
mod server;

pub use assets::are_built as has_page;
pub use cache::{Cache, Entry};
pub use gate::random_hex;
pub use http::{Reply, Request};
pub use job::{Job, Progress};
pub use server::{Readable, Routes, Server};
