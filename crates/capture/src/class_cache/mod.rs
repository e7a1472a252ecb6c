//! The class cache: what the recorder keeps of instrumented classes for the next run of a program, as bytes.
//!
//! ```text
//! "TWSHELF5"
//! entries, one behind the other  flags u32: 1 it is recorded, 2 the class file is compressed
//!                                what prepared.rs draws, if it is recorded; the packed class file
//! index and tail                 where the entries stand                                     segment.rs
//! ```
//!
//! Little-endian. The recorder opens the files, checks whose they are, and reads of them what it is asked for; what
//! the bytes mean is decided here. None of it is believed: what does not fit is as if it were not there.

pub mod fuzz;
pub mod instrumented;
pub mod segment;

/// A fingerprint of 128 bits.
pub type Fingerprint = [u64; 2];
