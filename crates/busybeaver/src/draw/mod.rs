//! Pictures: a program as text and SVG, and its run as the tape over time.
//!
//! Everything here gives a string; the caller writes it.

mod program;
mod tape;

pub use program::{program_svg, program_text};
pub use tape::{Film, film_svg, film_text};
