//! The program as its users meet it: arguments in; exit code, output and errors out.
// Clippy takes only the test functions for tests, not what helps them.
#![allow(clippy::unwrap_used)]

mod archives;
mod capture_answers;
mod capture_parts;
mod captures;
mod classfile;
mod diff;
mod evaluate;
mod events;
mod examples;
mod forks;
mod ftrace;
mod hangs;
mod help;
mod hostile;
mod info;
mod inputs;
mod kernel_hangs;
mod learn;
mod loops;
mod mcp;
mod method;
mod outputs;
mod perf;
mod perfetto;
mod repair;
mod sections;
mod several;
mod states;
mod streams;
mod table;
mod trace_dat;
mod trace_events;
mod two_l;
mod uftrace;
mod util;
mod values;
