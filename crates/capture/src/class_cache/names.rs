//! Which classes of a segment file the loader of the class path loaded.
//!
//! ```text
//! each   key 16 bytes, flags u8: 2 the class file is compressed, bytes of the name u16, name
//! ```
//!
//! In the order of the run, but each behind those that it extends: who defines classes in this order has what
//! they need.

use std::collections::HashMap;

use super::Sum;

/// A class, as it is written and read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// With dots.
    pub name: String,
    /// By which its entry is found.
    pub key: Sum,
    /// Whether its class file is compressed.
    pub is_compressed: bool,
}

/// A class, and the names of those that it extends.
#[derive(Debug)]
pub struct Named {
    /// The class.
    pub name: Name,
    /// Those that it extends, with dots.
    pub above: Vec<String>,
}

const IS_COMPRESSED: u8 = 2;
/// Bytes before a name.
const HEAD: usize = 19;

/// So many classes may wait for one another: a chain of more is put as it comes.
const DEEPEST: usize = 100;

/// Their bytes, in the order that is told above.
pub fn put(all: &[Named]) -> Vec<u8> {
    let by_name = all.iter().enumerate().map(|(number, named)| (named.name.name.as_str(), number)).collect();
    let mut order = Order { all, by_name, is_put: vec![false; all.len()], out: Vec::new() };
    (0..all.len()).for_each(|number| order.put(number, DEEPEST));
    order.out
}

struct Order<'n> {
    all: &'n [Named],
    by_name: HashMap<&'n str, usize>,
    is_put: Vec<bool>,
    out: Vec<u8>,
}

impl Order<'_> {
    fn put(&mut self, number: usize, deepest: usize) {
        let (Some(named), Some(is_put)) = (self.all.get(number), self.is_put.get_mut(number)) else { return };
        if std::mem::replace(is_put, true) {
            return;
        }
        for name in named.above.iter().filter(|_| deepest > 0) {
            if let Some(&above) = self.by_name.get(name.as_str()) {
                self.put(above, deepest - 1);
            }
        }
        let Name { name, key, is_compressed } = &named.name;
        let Ok(length) = u16::try_from(name.len()) else { return };
        self.out.extend(key.iter().flat_map(|word| word.to_le_bytes()));
        self.out.push(if *is_compressed { IS_COMPRESSED } else { 0 });
        self.out.extend(length.to_le_bytes());
        self.out.extend(name.as_bytes());
    }
}

/// Reads what [`put`] wrote; what is left of bytes that it did not write is passed over.
pub fn read(mut bytes: &[u8]) -> Vec<Name> {
    std::iter::from_fn(|| {
        let (head, rest) = bytes.split_first_chunk::<HEAD>()?;
        let (words, rest_of_head) = head.as_chunks::<8>();
        let ([one, other], [flags, length @ ..]) = (words, rest_of_head) else { return None };
        let length = usize::from(u16::from_le_bytes(*length.first_chunk()?));
        let (name, rest) = rest.split_at_checked(length)?;
        bytes = rest;
        Some(Name {
            name: String::from_utf8_lossy(name).into_owned(),
            key: [*one, *other].map(u64::from_le_bytes),
            is_compressed: flags & IS_COMPRESSED != 0,
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, above: &[&str]) -> Named {
        let key = [name.len() as u64, 7];
        let name = Name { name: name.to_owned(), key, is_compressed: name == "b" };
        Named { name, above: above.iter().map(|&name| name.to_owned()).collect() }
    }

    #[test]
    fn each_class_stands_behind_those_that_it_extends() {
        let all = [
            named("shop.Rye", &["shop.Bread", "java.lang.Object"]),
            named("b", &[]),
            named("shop.Bread", &["shop.Good", "b"]),
            named("shop.Good", &["java.lang.Object"]),
            // What cannot be does no harm.
            named("round", &["and"]),
            named("and", &["round"]),
            named("itself", &["itself"]),
            named("b", &[]),
        ];
        let bytes = put(&all);
        let read = read(&bytes);
        let names: Vec<&str> = read.iter().map(|name| name.name.as_str()).collect();
        assert_eq!(names, ["shop.Good", "b", "shop.Bread", "shop.Rye", "b", "and", "round", "itself"]);
        assert_eq!(read.iter().filter(|name| name.is_compressed).count(), 2);
        assert_eq!(read[0], all[3].name);
    }

    #[test]
    fn no_part_of_them_does_harm() {
        let bytes = put(&[named("one", &[]), named("another", &[])]);
        let counts: Vec<usize> = (0..=bytes.len()).map(|cut| read(&bytes[..cut]).len()).collect();
        assert_eq!((counts[0], counts[21], counts[22], counts[bytes.len()]), (0, 0, 1, 2));
        assert!(counts.is_sorted());
    }
}
