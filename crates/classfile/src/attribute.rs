//! Attributes as they stand in the file: a name, a length and bytes that only some reader knows.
//!
//! An attribute is a view; whoever rewrites copies those it does not know. Source: JVM
//! specification 4.7.

use crate::constant_pool::ConstantPool;
use crate::error::Result;
use crate::reader::Reader;

/// One attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Index of its name in the constant pool.
    pub name: u16,
    /// Its bytes, without name and length.
    pub content: &'a [u8],
    /// Where the content begins in the class file.
    pub at: usize,
}

impl Attribute<'_> {
    /// Whether it has this name.
    pub fn is(&self, name: &str, pool: &ConstantPool<'_>) -> bool {
        pool.utf8(self.name).is_ok_and(|found| found == name.as_bytes())
    }
}

/// Reads a count and that many attributes.
pub(crate) fn parse_all<'a>(reader: &mut Reader<'a>) -> Result<Vec<Attribute<'a>>> {
    let count = reader.u2()?;
    let mut attributes = Vec::new();
    for _ in 0..count {
        let name = reader.u2()?;
        let length = usize::try_from(reader.u4()?).unwrap_or(usize::MAX);
        let at = reader.offset();
        attributes.push(Attribute { name, content: reader.take(length)?, at });
    }
    Ok(attributes)
}
