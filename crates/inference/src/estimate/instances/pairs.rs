//! Instances that two fields name together: an address is another one in each process.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use crate::value::{Name, Texts};

/// Pairs of names, and the name that the instance has.
#[derive(Debug, Default)]
pub(crate) struct Pairs {
    whole: HashMap<(Name, Name), Name, FxBuildHasher>,
    parts: HashMap<Name, (Name, Name), FxBuildHasher>,
}

impl Pairs {
    /// The instance that is called `own` within `within`.
    pub(crate) fn whole(&mut self, texts: &mut Texts, within: Name, own: Name) -> Name {
        if let Some(&known) = self.whole.get(&(within, own)) {
            return known;
        }
        let name = format!("{}/{}", texts.show_name(within), texts.show_name(own));
        let name = texts.name(&name);
        self.whole.insert((within, own), name);
        self.parts.insert(name, (within, own));
        name
    }

    /// What the instance is called within something.
    #[inline]
    pub(crate) fn own(&self, name: Name) -> Name {
        self.parts.get(&name).map_or(name, |(_, own)| *own)
    }

    /// Within what it is.
    pub(crate) fn within(&self, name: Name) -> Option<Name> {
        self.parts.get(&name).map(|(within, _)| *within)
    }
}
