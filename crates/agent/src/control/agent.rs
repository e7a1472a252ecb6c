//! The agent: what lives as long as the process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use super::options::Choices;
use super::recording::Recording;
use super::state::Session;
use super::terminal::Terminal;
use crate::buffers::Buffers;
use crate::classes::ids::Ids;
use crate::classes::loaders::Loaders;
use crate::classes::origins::Origins;
use crate::jvm::Jvmti;
use crate::jvm::handles::Handles;
use crate::locks::{Lock, Rank};
use crate::wake::Wake;
use crate::writer::output::Output;

/// One for the process.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) jvmti: Jvmti,
    /// What it was started with.
    pub(crate) choices: Choices,
    /// The token that a client of the TCP port has to send first; without one that port is closed.
    pub(super) token: Option<String>,
    pub(crate) java: OnceLock<Handles>,
    pub(super) buffers: Buffers,
    /// What runs now.
    pub(super) recording: RwLock<Option<Arc<Recording>>>,
    /// What slots are written to: the same, but before the first one is given out until the last one is written.
    pub(super) written: Lock<Option<Arc<Output>>>,
    pub(super) session: Lock<Session>,
    pub(crate) ids: Ids,
    pub(crate) loaders: Loaders,
    pub(crate) origins: Origins,
    /// The virtual machine ends.
    pub(super) is_over: AtomicBool,
    /// Wakes the control thread.
    pub(super) wake: Arc<Wake>,
    pub(crate) terminal: Terminal,
    /// The message of a panic that was caught.
    pub(crate) panic: Lock<Option<String>>,
}

/// Letters of a token; a shorter one could be guessed.
const SHORTEST_TOKEN: usize = 16;

static AGENT: OnceLock<Agent> = OnceLock::new();

/// The agent, once it was loaded.
pub(crate) fn agent() -> Option<&'static Agent> {
    AGENT.get()
}

/// Runs our code for the virtual machine. A panic ends the recording, and gives `otherwise`.
pub(crate) fn guard<T>(otherwise: T, body: impl FnOnce(&'static Agent) -> T) -> T {
    let Some(agent) = agent() else { return otherwise };
    match catch_unwind(AssertUnwindSafe(|| body(agent))) {
        Ok(result) => result,
        Err(_) => {
            let reason = agent.panic.lock().take().unwrap_or_default();
            let _ = catch_unwind(|| agent.give_up(format!("the recorder failed: {reason}")));
            otherwise
        }
    }
}

impl Agent {
    /// Makes the agent of the process, if there is none.
    pub(crate) fn install(jvmti: Jvmti, choices: Choices) -> std::io::Result<&'static Agent> {
        let token = choices.token_file.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        let token = token.map(|token| token.trim().to_owned()).filter(|token| token.len() >= SHORTEST_TOKEN);
        let agent = Agent {
            jvmti,
            token,
            terminal: Terminal::new(choices.reports),
            choices,
            java: OnceLock::new(),
            buffers: Buffers::new()?,
            recording: RwLock::new(None),
            written: Lock::new(Rank::Output, None),
            session: Lock::new(Rank::Session, Session::default()),
            ids: Ids::default(),
            loaders: Loaders::default(),
            origins: Origins::default(),
            is_over: AtomicBool::new(false),
            wake: Arc::new(Wake::new()?),
            panic: Lock::new(Rank::Leaf, None),
        };
        Ok(AGENT.get_or_init(|| agent))
    }

    /// What is recorded now.
    pub(crate) fn current(&self) -> Option<Arc<Recording>> {
        self.recording.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Something went wrong that must end the recording: reported to the control thread.
    pub(crate) fn give_up(&self, reason: String) {
        match self.current() {
            Some(recording) => recording.output.give_up(&self.buffers, reason),
            None => {
                self.buffers.close();
                self.wake.wake();
            }
        }
    }
}
