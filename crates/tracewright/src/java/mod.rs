//! What the commands for Java programs share: the agent's library, its options, its socket.

pub(crate) mod attach;
pub(crate) mod control;
pub(crate) mod dump;
pub(crate) mod folder;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod options;
mod patience;
pub(crate) mod process;
pub(crate) mod progress;
pub(crate) mod stacks;
mod status;
pub(crate) mod target;
pub(crate) mod threads;
pub(crate) mod token;
