//! Names of types and the blocks in which they are known (CTF 1.8.3 specification, section 7.3.1).

use std::collections::HashMap;

use super::metadata::ClassId;

/// C has one room for the names of structures and another for those of types; so has TSDL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespace {
    Type,
    Struct,
    Variant,
    Enum,
}

/// A name that became known: how deep the block is, and what it means there.
type Meaning = (usize, ClassId);

/// All names that are known at a point of the text.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    namespaces: [HashMap<Box<str>, Vec<Meaning>>; 4],
    /// For each open block the names that it added.
    added: Vec<Vec<(Namespace, Box<str>)>>,
}

impl Scopes {
    pub(super) fn open(&mut self) {
        self.added.push(Vec::new());
    }

    /// Forgets what the innermost block added.
    pub(super) fn close(&mut self) {
        for (namespace, name) in self.added.pop().unwrap_or_default() {
            if let Some(meanings) = self.namespace(namespace).get_mut(&name) {
                meanings.pop();
            }
        }
    }

    fn namespace(&mut self, namespace: Namespace) -> &mut HashMap<Box<str>, Vec<Meaning>> {
        let [types, structs, variants, enums] = &mut self.namespaces;
        match namespace {
            Namespace::Type => types,
            Namespace::Struct => structs,
            Namespace::Variant => variants,
            Namespace::Enum => enums,
        }
    }

    /// Adds a name to the innermost block; `false` if that block has it already.
    pub(super) fn add(&mut self, namespace: Namespace, name: &str, class: ClassId) -> bool {
        let depth = self.added.len();
        let meanings = self.namespace(namespace).entry(name.into()).or_default();
        if meanings.last().is_some_and(|&(at, _)| at == depth) {
            return false;
        }
        meanings.push((depth, class));
        if let Some(block) = self.added.last_mut() {
            block.push((namespace, name.into()));
        }
        true
    }

    pub(super) fn find(&mut self, namespace: Namespace, name: &str) -> Option<ClassId> {
        self.namespace(namespace).get(name)?.last().map(|&(_, class)| class)
    }
}
