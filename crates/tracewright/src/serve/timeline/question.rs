//! What is asked of a trace.

use analyses::tracks::TrackBy;

use crate::models::Model;

/// What the index of a trace depends on besides the trace.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question<'m> {
    /// The machines whose states are shown, and whether the user asked for them.
    pub(super) model: &'m Model,
    pub(super) is_asked_for: bool,
    pub(super) by: TrackBy,
}
