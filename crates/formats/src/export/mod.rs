//! What threads ran, in forms that other programs read.
//!
//! Each writer is given the steps of one thread after the other and appends bytes; the caller writes
//! them away in between. [`etr`] keeps every block; [`chrome`] and [`perfetto`] keep the calls and
//! put them on a clock by [`timeline`].

pub mod chrome;
pub mod etr;
pub mod perfetto;
#[cfg(test)]
mod tests;
mod timeline;

use model::CodeMap;

/// A thread as exports name it.
#[derive(Debug, Clone)]
pub struct ThreadName {
    /// Its number within the recording.
    pub serial: u32,
    /// Its name.
    pub name: String,
}

/// What exports say of times where the recording knows none in between.
pub const ABOUT_TIME: &str = "Times between the moments that the recording knows are spread evenly over the blocks; \
                              where it knows none, a block takes one microsecond.";

/// The name of a method in an export.
fn name(code: &CodeMap, method: model::MethodId) -> String {
    code.method_name(method)
}
