//! Symbols: what a step is called, as a small number, and the alphabet that keeps the names.

use std::collections::HashMap;
use std::sync::Arc;

/// A name in an [`Alphabet`]: an event type, a program block, a token. Equal symbols of one
/// alphabet have equal names; symbols of different alphabets must not be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The names of symbols, numbered from 0 in the order in which they were first seen.
#[derive(Debug, Clone, Default)]
pub struct Alphabet {
    names: Vec<Arc<str>>,
    by_name: HashMap<Arc<str>, Symbol>,
}

impl Alphabet {
    /// The symbol of `name`, which is added when it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.by_name.insert(name, symbol);
        symbol
    }

    /// The symbol of `name`, if it was ever interned.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.by_name.get(name).copied()
    }

    /// The name of `symbol`; a symbol of another alphabet may have none and reads as `?`.
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.get(symbol.0 as usize).map_or("?", |name| name)
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All names in the order of their symbols.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.names.iter().map(|name| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_numbered_by_first_sight() {
        let mut alphabet = Alphabet::default();
        assert_eq!(alphabet.intern("read"), Symbol(0));
        assert_eq!(alphabet.intern("write"), Symbol(1));
        assert_eq!(alphabet.intern("read"), Symbol(0));
        assert_eq!(alphabet.names().collect::<Vec<_>>(), ["read", "write"]);
        assert_eq!(alphabet.name(Symbol(9)), "?");
    }
}
