//! Whether the input has grown since it was opened, as one does that is still being written.

use serde::{Deserialize, Serialize};

use super::Endpoint;

/// How much there is to read.
pub const INPUT_GROWTH: Endpoint<InputGrowth> =
    Endpoint::get("/api/growth", "How much the input has grown since it was read", &[]);
/// Reads it.
pub(crate) const READ_AGAIN: Endpoint<InputGrowth, ReadAgain> = Endpoint::post(
    "/api/read-again",
    "Reads the input again; what is asked from now on is answered from that",
);

/// What has come to the input.
#[derive(Debug, Serialize, Clone, Copy, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InputGrowth {
    /// Bytes of its files that were not there when it was opened; less than 0 where it has shrunk.
    pub bytes: i64,
    /// It is a recording that its program still writes, in memory that both share: no file need grow for that.
    pub is_being_recorded: bool,
    /// Whether values of lost events were chosen on the page. They are forgotten when the input is read again.
    pub has_choices: bool,
}

/// There is nothing to say with it.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ReadAgain {}

#[cfg(test)]
pub(super) fn describe(document: &mut super::generate::Document) {
    document.add(&INPUT_GROWTH);
    document.add_change(&READ_AGAIN);
}
