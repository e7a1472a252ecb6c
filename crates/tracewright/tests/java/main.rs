//! Recording real Java programs. Without a JDK each test is skipped.
// Clippy takes only the test functions for tests, not what helps them.
#![allow(clippy::unwrap_used)]

mod assistant;
mod blocks;
mod budget;
mod capture_files;
mod class_cache;
mod control;
mod defined;
mod diff;
mod edges;
mod faults;
mod hangs;
mod inside;
mod jdk;
mod kotlin;
mod long_methods;
mod lost_records;
mod many_threads;
mod origins;
mod pending;
mod questions;
mod scripts;
mod sections;
mod server;

mod show;
mod small_methods;
mod stacks;
mod stalls;
mod synthetic;
mod times;
mod values;
mod waits;
mod workloads;
