//! What the viewer's page is answered: the parts of its API, each a folder with the handlers of its paths.
//!
//! ```text
//! viewer::Server ── routes ── a part ── a handler ── a struct of viewer::api
//!                              └─ job: the input, read in a thread of its own
//! ```
//!
//! How it is asked, by whom, and what an answer looks like is in the crate `viewer`; here is what the answers are made of,
//! which is why this cannot be there: the parts open the input and run the engines as the commands do.

mod about;
mod browser;
mod cached;
mod compare;
mod growth;
mod inference;
mod loops;
mod notes;
mod overview;
mod play;
mod session;
mod story;
#[cfg(test)]
mod tests;
mod threads;
mod timeline;
mod two_l;

use viewer::Routes;

use crate::exit::Stop;
pub(crate) use browser::open as open_browser;
pub(crate) use session::{Opened, Session};

/// All paths with their handlers.
pub(crate) fn routes() -> Routes<Session> {
    let parts = [
        about::routes(),
        growth::routes(),
        overview::routes(),
        loops::routes(),
        timeline::routes(),
        inference::routes(),
        notes::routes(),
        play::routes(),
        story::routes(),
        compare::routes(),
        threads::routes(),
        two_l::routes(),
    ];
    Routes::new(parts.into_iter().flatten().collect())
}

/// Why work in the background failed, as a sentence.
fn sentence(stop: Stop) -> String {
    match stop {
        Stop::Failed(sentence) => sentence,
        Stop::Unread => "It was stopped.".into(),
    }
}
