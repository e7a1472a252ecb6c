//! `/api/about`: what was opened, and which views can show it. `/api/diagnostics`: what the reader found wrong in it.

use viewer::api::about::{ABOUT, About, DIAGNOSTICS, Diagnostic, Diagnostics, Severity};
use viewer::api::{Handled, Parameters, Route};

use super::session::Session;

pub(super) fn routes() -> Vec<Route<Session>> {
    vec![ABOUT.answered_by(about), DIAGNOSTICS.answered_by(diagnostics)]
}

fn about(session: &Session, _: &Parameters<'_>) -> Handled<About> {
    let (name, version) = (session.opened.name.clone(), env!("CARGO_PKG_VERSION").to_owned());
    Ok(About { name, version, views: session.views() })
}

/// Diagnostics of one answer; all of them are counted.
const MOST: usize = 1000;

fn diagnostics(session: &Session, _: &Parameters<'_>) -> Handled<Diagnostics> {
    let (job, found) = session.diagnostics();
    let damage = found.iter().filter(|found| found.severity == model::Severity::Damage).count();
    let count = found.len();
    let shown = found.into_iter().take(MOST);
    let diagnostics =
        shown.map(|found| Diagnostic { severity: Severity::from(found.severity), sentence: found.sentence });
    Ok(Diagnostics { job, count, damage, diagnostics: diagnostics.collect() })
}
