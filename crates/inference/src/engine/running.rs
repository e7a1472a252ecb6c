//! A machine at run time: its plans by event, its scenarios by the instance that they are about.

use std::collections::HashMap;
use std::rc::Rc;

use model::machine::Machine;
use rustc_hash::FxBuildHasher;

use super::{Options, UnsupportedModel};
use crate::keys::Keys;
use crate::program::{Plan, Program};
use crate::scenario::Numbers;
use crate::states::NodeId;
use crate::value::Name;
use crate::world::World;

/// A machine at run time.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) index: usize,
    pub(super) node: NodeId,
    pub(super) plans: Vec<Option<Rc<Plan>>>,
    pub(super) keys: Keys,
    pub(super) pending: Option<u32>,
    pub(super) active: HashMap<Name, u32, FxBuildHasher>,
    /// All scenarios in progress, in the order of their start.
    pub(super) live: Vec<u32>,
    pub(super) numbers: Numbers,
    pub(super) has_started: bool,
}

impl Running {
    pub(super) fn new(
        index: usize,
        machine: &Machine,
        options: Options,
        scenarios: NodeId,
        world: &mut World,
        program: &mut Program,
    ) -> Result<Running, UnsupportedModel> {
        if options.by_key && machine.keys.is_none() {
            let id = &machine.id;
            let sentence = format!(
                "Nothing says which instances of machine `{id}` an event concerns: `tw:instances` is missing."
            );
            return Err(UnsupportedModel { sentence, spot: machine.spot });
        }
        let keys = Keys::new(machine, world, program);
        let name = world.texts.name(&machine.id);
        Ok(Running {
            index,
            node: world.states.child(scenarios, name),
            plans: Vec::new(),
            keys,
            pending: None,
            active: HashMap::default(),
            live: Vec::new(),
            numbers: Numbers::default(),
            has_started: false,
        })
    }
}
