//! What inserted code names of the recorder, and where that stands among a class's constants.

use std::cell::Cell;

use crate::skipped::Skipped;

/// What inserted code names: the same dozen in each method of a class.
#[derive(Clone, Copy, Debug)]
pub(super) enum Member {
    /// The class of the buffer.
    Buffer,
    Here,
    Begin,
    At,
    End,
    Iterations,
    Late,
    Next,
    Thrown,
    ThrownCounted,
    Cut,
    Path,
    Counted,
    First,
    FirstCounted,
    Whole,
    WholeCounted,
    Last,
}

impl Member {
    fn name(self) -> &'static [u8] {
        match self {
            Member::Buffer => b"",
            Member::Here => b"here",
            Member::Begin => b"begin",
            Member::At => b"at",
            Member::End => b"end",
            Member::Iterations => b"iterations",
            Member::Late => b"late",
            Member::Next => b"next",
            Member::Thrown | Member::ThrownCounted => b"thrown",
            Member::Cut => b"cut",
            Member::Path => b"path",
            Member::Counted => b"counted",
            Member::First => b"first",
            Member::FirstCounted => b"firstCounted",
            Member::Whole => b"whole",
            Member::WholeCounted => b"wholeCounted",
            Member::Last => b"last",
        }
    }
}

/// The constant indices of members, 0 for those that were not asked for: with an int of iterations or without
/// any, and with a long of them.
#[derive(Debug, Default)]
pub(super) struct Members([[Cell<u16>; Member::Last as usize + 1]; 2]);

impl Members {
    /// The index of a member, which `add` adds by its name when it is first asked for.
    pub(super) fn of(
        &self,
        member: Member,
        takes_long: bool,
        add: impl FnOnce(&'static [u8]) -> crate::error::Result<u16>,
    ) -> Result<u16, Skipped> {
        let known = self.0.get(usize::from(takes_long)).and_then(|known| known.get(member as usize));
        let Some(known) = known else { return Ok(0) };
        if known.get() == 0 {
            known.set(add(member.name())?);
        }
        Ok(known.get())
    }
}
