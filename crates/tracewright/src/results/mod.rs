//! What was found in an input, before anybody words it: commands fill these types, reports and views read them.

mod counts;
mod states;
mod track_ends;
mod tracks;

pub(crate) use counts::Counts;
pub(crate) use states::{Attribute, FoundStates};
pub(crate) use track_ends::{Ends, Pace, Since, TrackEnd};
pub(crate) use tracks::{Found, FoundTrack};
