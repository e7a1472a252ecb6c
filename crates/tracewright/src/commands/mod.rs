//! One file for each command: reads, asks, hands to a view.

pub(crate) mod attach;
pub(crate) mod calls;
pub(crate) mod check;
pub(crate) mod classfile;
pub(crate) mod completions;
pub(crate) mod evaluate;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod found;
pub(crate) mod hangs;
pub(crate) mod infer;
pub(crate) mod info;
pub(crate) mod jvms;
pub(crate) mod loops;
pub(crate) mod man;
pub(crate) mod mark;
pub(crate) mod mcp;
pub(crate) mod models;
pub(crate) mod record;
pub(crate) mod start;
pub(crate) mod states;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod target;
pub(crate) mod two_l;
pub(crate) mod view;
mod warn;
