//! A method (or a field, which has the same parts) as it stands in the class file.
//!
//! Source: JVM specification 4.5 and 4.6.

use crate::attribute::{self, Attribute};
use crate::constant_pool::ConstantPool;
use crate::error::Result;
use crate::modified_utf8;
use crate::reader::Reader;

/// The method has no receiver.
pub const ACC_STATIC: u16 = 0x0008;

/// Name, descriptor, flags and attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method<'a> {
    /// `ACC_` flags.
    pub access_flags: u16,
    /// Constant index of the name.
    pub name: u16,
    /// Constant index of the descriptor.
    pub descriptor: u16,
    /// Its attributes in order.
    pub attributes: Vec<Attribute<'a>>,
}

impl<'a> Method<'a> {
    pub(crate) fn parse_all(reader: &mut Reader<'a>) -> Result<Vec<Self>> {
        let count = reader.u2()?;
        let mut methods = Vec::new();
        for _ in 0..count {
            methods.push(Self {
                access_flags: reader.u2()?,
                name: reader.u2()?,
                descriptor: reader.u2()?,
                attributes: attribute::parse_all(reader)?,
            });
        }
        Ok(methods)
    }

    /// Whether the method has no receiver.
    pub fn is_static(&self) -> bool {
        self.access_flags & ACC_STATIC != 0
    }

    /// Name and descriptor for people, `run(I)V`; `?` for what the file does not say.
    pub fn signature(&self, pool: &ConstantPool<'_>) -> String {
        let text = |index| pool.utf8(index).map_or_else(|_| "?".to_owned(), modified_utf8::to_text);
        text(self.name) + &text(self.descriptor)
    }
}
