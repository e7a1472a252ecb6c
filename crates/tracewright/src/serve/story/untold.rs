//! Methods that have no scene, each with the number of a call that shows it.

use analyses::story::Hidden;
use viewer::api::story::{self, UntoldMethod, UntoldMethods};
use viewer::api::{Handled, Parameters};

use super::Asked;
use crate::escape::plain;
use crate::serve::overview::names::{class, title};
use crate::serve::play::ready;
use crate::serve::play::recording::package;
use crate::serve::session::Session;

/// Methods of one answer.
const MOST: usize = 5000;

pub(super) fn answer(session: &Session, asked: &Parameters<'_>) -> Handled<UntoldMethods> {
    let behind = asked.number::<usize>("behind");
    let asked = Asked::of(session, ready(session)?, asked)?;
    let recording = &asked.recording;
    let untold = asked.story.untold.iter().filter(|one| behind.is_none_or(|behind| one.behind == behind));
    let methods = untold.clone().take(MOST).map(|one| UntoldMethod {
        call: one.node.0,
        method: one.method.0,
        title: title(recording, one.method),
        class: class(recording, one.method),
        package: plain(package(recording.names(one.method).0)).into_owned(),
        calls: one.calls,
        variants: one.variants,
        hidden: one.hidden.map(of_hidden),
        behind: one.behind,
    });
    Ok(UntoldMethods { methods: methods.collect(), total: untold.count() })
}

pub(super) fn of_hidden(hidden: Hidden) -> story::Hidden {
    match hidden {
        Hidden::Accessor => story::Hidden::Accessor,
        Hidden::Bridge => story::Hidden::Bridge,
        Hidden::EmptyConstructor => story::Hidden::EmptyConstructor,
        Hidden::Delegation => story::Hidden::Delegation,
        Hidden::SetUp => story::Hidden::SetUp,
    }
}
