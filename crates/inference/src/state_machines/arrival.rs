//! An event on its way to the instances that it concerns.

use model::Symbol;

use crate::world::Input;

/// No CPU, or nobody knows which.
pub(crate) const NO_CPU: u32 = u32::MAX;

/// An event on its way, as far as it is the same for all instances.
#[derive(Clone, Copy)]
pub(crate) struct Arrival<'e> {
    pub(crate) symbol: Symbol,
    pub(crate) time: i64,
    pub(crate) cpu: Option<u32>,
    /// Only where attributes are needed.
    pub(crate) input: Option<Input<'e>>,
}
