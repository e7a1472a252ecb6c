//! A class file as a whole: read from bytes, written back with some method bodies replaced.
//!
//! The file is never rebuilt from parts. What is written is the original, byte for byte, with new
//! constants behind the old ones and new `Code` attributes in the places of the old: so whatever is
//! not understood (attributes of other tools, of later JDKs, bytes behind the end) stays as it is.
//! The caller owns the bytes and keeps them while the class is in use. Nothing is verified: the
//! virtual machine does that, and a class that it refuses was none of our making.
//! Source: JVM specification 4.1, 4.5 and 4.6.

use std::ops::Range;

use crate::attribute::{self, Attribute};
use crate::code::Code;
use crate::constant_pool::{Constant, ConstantPool, Member};
use crate::error::{Error, Result};
use crate::method::Method;
use crate::modified_utf8;
use crate::reader::Reader;

/// A class, interface or module description.
#[derive(Clone, Debug)]
pub struct ClassFile<'a> {
    bytes: &'a [u8],
    /// Minor version.
    pub minor_version: u16,
    /// Major version: 45 for JDK 1.1, 69 for JDK 25. Any value is accepted.
    pub major_version: u16,
    /// The constants.
    pub constant_pool: ConstantPool<'a>,
    /// Where the constant pool ends in `bytes`.
    pool_end: usize,
    /// `ACC_` flags of the class.
    pub access_flags: u16,
    /// Constant index of the class itself.
    pub this_class: u16,
    /// Constant index of the superclass, 0 for `java/lang/Object` and modules.
    pub super_class: u16,
    /// Constant indices of the interfaces.
    pub interfaces: Vec<u16>,
    /// The fields. They have the same parts as methods.
    pub fields: Vec<Method<'a>>,
    /// The methods, in the order of the file.
    pub methods: Vec<Method<'a>>,
    /// The attributes of the class.
    pub attributes: Vec<Attribute<'a>>,
    /// New `Code` contents, one behind the other.
    pub(crate) new_bodies: Vec<u8>,
    /// Where the one of a method stands, by method index.
    replaced: std::collections::BTreeMap<usize, Range<usize>>,
}

impl<'a> ClassFile<'a> {
    /// Reads a class file. Method bodies are looked at only when they are asked for, so a broken
    /// one does not hide the rest.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let mut reader = Reader::new(bytes, 0);
        let magic = reader.u4()?;
        if magic != 0xcafe_babe {
            return Err(Error::NotAClassFile { found: magic });
        }
        let (minor_version, major_version) = (reader.u2()?, reader.u2()?);
        let constant_pool = ConstantPool::parse(bytes, &mut reader)?;
        let pool_end = reader.offset();
        let (access_flags, this_class, super_class) = (reader.u2()?, reader.u2()?, reader.u2()?);
        let mut interfaces = Vec::new();
        for _ in 0..reader.u2()? {
            interfaces.push(reader.u2()?);
        }
        let fields = Method::parse_all(&mut reader)?;
        let methods = Method::parse_all(&mut reader)?;
        let attributes = attribute::parse_all(&mut reader)?;
        Ok(Self {
            bytes,
            minor_version,
            major_version,
            constant_pool,
            pool_end,
            access_flags,
            this_class,
            super_class,
            interfaces,
            fields,
            methods,
            attributes,
            new_bodies: Vec::new(),
            replaced: std::collections::BTreeMap::new(),
        })
    }

    /// The bytes that were read.
    pub fn original(&self) -> &'a [u8] {
        self.bytes
    }

    /// The class's own name as text, `java/lang/Object`; `?` where the file does not say.
    pub fn name(&self) -> String {
        self.constant_pool.class_name(self.this_class).map_or_else(|_| "?".to_owned(), modified_utf8::to_text)
    }

    /// Whether stack maps are the rule for this class: from version 50 on.
    pub(crate) fn wants_frames(&self) -> bool {
        self.major_version >= 50
    }

    /// The first `Code` attribute of a method.
    pub(crate) fn code_attribute(&self, method: &Method<'a>) -> Option<Attribute<'a>> {
        method.attributes.iter().find(|attribute| attribute.is("Code", &self.constant_pool)).copied()
    }

    /// The body of a method as it was read: `None` for abstract and native methods.
    pub fn code(&self, method: &Method<'a>) -> Result<Option<Code<'a>>> {
        let Some(attribute) = self.code_attribute(method) else { return Ok(None) };
        // Before JDK 1.0.2 the lengths at the head of a body took half the room.
        let short_header = self.major_version == 45 && self.minor_version <= 2;
        Code::parse(&attribute, short_header).map(Some)
    }

    /// The methods that a call site which is linked at run time may call: those that its bootstrap arguments name. None where
    /// the index is that of no call site. Source: JVM specification 4.7.23.
    pub fn methods_of_call_site(&self, site: u16) -> Vec<Member<'_>> {
        let pool = &self.constant_pool;
        let Ok(Constant::Dynamic { bootstrap, .. }) = pool.get(site) else { return vec![] };
        let mut tables = self.attributes.iter().filter(|attribute| attribute.is("BootstrapMethods", pool));
        let arguments = tables.next().and_then(|table| bootstrap_arguments(table, bootstrap).ok());
        let methods = arguments.into_iter().flatten().filter_map(|index| pool.method_of_handle(index));
        methods.collect()
    }

    /// Replaces the body of a method when the class is written. The content stands in `new_bodies`, is
    /// that of a `Code` attribute and is not looked at. A method without a body keeps none.
    pub(crate) fn replace_code(&mut self, method: usize, content: Range<usize>) {
        self.replaced.insert(method, content);
    }

    /// Whether anything differs from what was read.
    pub fn is_changed(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// Where in [`ClassFile::to_bytes`] the numbers of records stand that were added for inserted code, each
    /// an int of four bytes, big-endian, and nothing but that. They may be counted from somewhere else.
    pub fn number_offsets(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        let offsets = if self.is_changed() { self.constant_pool.number_offsets() } else { &[] };
        // New constants stand where the old ones end.
        offsets.iter().map(|offset| self.pool_end + offset)
    }

    /// The class file with what was replaced. If no body was, it is what was read: constants that
    /// were added for a method which then had to be left alone are of no use to anyone.
    pub fn to_bytes(&self) -> Vec<u8> {
        if !self.is_changed() {
            return self.bytes.to_vec();
        }
        let added = self.constant_pool.added();
        let mut out = Vec::with_capacity(self.bytes.len() + added.len() + self.new_bodies.len());
        let mut copied = 0;
        let mut copy_to = |out: &mut Vec<u8>, end: usize, resume: usize| {
            out.extend_from_slice(self.bytes.get(copied..end).unwrap_or_default());
            copied = resume;
        };
        if !added.is_empty() {
            copy_to(&mut out, 8, 10);
            out.extend_from_slice(&self.constant_pool.count().to_be_bytes());
            copy_to(&mut out, self.pool_end, self.pool_end);
            out.extend_from_slice(added);
        }
        for (&index, content) in &self.replaced {
            let attribute = self.methods.get(index).and_then(|method| self.code_attribute(method));
            let (Some(attribute), Some(content)) = (attribute, self.new_bodies.get(content.clone())) else {
                continue;
            };
            let Ok(length) = u32::try_from(content.len()) else { continue };
            copy_to(&mut out, attribute.at - 4, attribute.at + attribute.content.len());
            out.extend_from_slice(&length.to_be_bytes());
            out.extend_from_slice(content);
        }
        copy_to(&mut out, self.bytes.len(), self.bytes.len());
        out
    }
}

/// The constant indices of the arguments of one bootstrap method, by its number in their table.
fn bootstrap_arguments(table: &Attribute<'_>, number: u16) -> Result<Vec<u16>> {
    let mut reader = Reader::new(table.content, table.at);
    let count = reader.u2()?;
    for at in 0..count {
        let (_method, arguments) = (reader.u2()?, reader.u2()?);
        let all = (0..arguments).map(|_| reader.u2()).collect::<Result<Vec<u16>>>()?;
        if at == number {
            return Ok(all);
        }
    }
    Ok(vec![])
}
