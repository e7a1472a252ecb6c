//! An event on its way to the instances that it concerns.

use model::Symbol;

use crate::world::Input;

/// An event on its way, as far as it is the same for all instances.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'e> {
    pub(super) symbol: Symbol,
    pub(super) time: i64,
    pub(super) cpu: Option<u32>,
    /// Only where attributes are needed.
    pub(super) input: Option<Input<'e>>,
}
