//! A class written from nothing, for recorders and for tests.
//!
//! Fields, methods and attributes are written as they come; nothing is verified.
//! Source: JVM specification 4.1.

use crate::code_builder::CodeBuilder;
use crate::constant_pool::ConstantPool;
use crate::error::{Error, Result};
use crate::method::ACC_STATIC;
use crate::stack_map::VerificationType;

/// A class in the making.
#[derive(Clone, Debug)]
pub struct ClassBuilder {
    /// Its constants; add what the code needs.
    pub pool: ConstantPool<'static>,
    major_version: u16,
    access_flags: u16,
    this_class: u16,
    super_class: u16,
    interfaces: Vec<u16>,
    fields: Vec<Vec<u8>>,
    methods: Vec<Vec<u8>>,
    attributes: Vec<Vec<u8>>,
}

impl ClassBuilder {
    /// An empty class: 55 is the version of JDK 11, `0x21` the flags of a public class.
    pub fn new(major_version: u16, access_flags: u16, name: &[u8], super_name: &[u8]) -> Result<Self> {
        let mut pool = ConstantPool::empty();
        Ok(Self {
            major_version,
            access_flags,
            this_class: pool.add_class(name)?,
            super_class: pool.add_class(super_name)?,
            pool,
            interfaces: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            attributes: Vec::new(),
        })
    }

    /// Constant index of the class itself.
    pub fn this_class(&self) -> u16 {
        self.this_class
    }

    /// Adds an interface.
    pub fn interface(&mut self, name: &[u8]) -> Result<()> {
        self.interfaces.push(self.pool.add_class(name)?);
        Ok(())
    }

    /// Adds a field.
    pub fn field(&mut self, access_flags: u16, name: &[u8], descriptor: &[u8]) -> Result<()> {
        let field = self.head(access_flags, name, descriptor)?;
        self.fields.push([field, vec![0, 0]].concat());
        Ok(())
    }

    /// Adds a method with its body; `attributes` are other attributes by name and content.
    pub fn method(
        &mut self,
        access_flags: u16,
        name: &[u8],
        descriptor: &[u8],
        body: Option<&CodeBuilder>,
        attributes: &[(&[u8], &[u8])],
    ) -> Result<()> {
        let this = match (access_flags & ACC_STATIC, name) {
            (ACC_STATIC, _) => None,
            (_, b"<init>") => Some(VerificationType::UninitializedThis),
            _ => Some(VerificationType::Object(self.this_class)),
        };
        let mut method = self.head(access_flags, name, descriptor)?;
        let count = attributes.len() + usize::from(body.is_some());
        method.extend(u16::try_from(count).unwrap_or(u16::MAX).to_be_bytes());
        if let Some(body) = body {
            let content = body.content(&mut self.pool, descriptor, this)?;
            method.extend(self.named(b"Code", &content)?);
        }
        for (name, content) in attributes {
            method.extend(self.named(name, content)?);
        }
        self.methods.push(method);
        Ok(())
    }

    /// Adds an attribute of the class.
    pub fn attribute(&mut self, name: &[u8], content: &[u8]) -> Result<()> {
        let attribute = self.named(name, content)?;
        self.attributes.push(attribute);
        Ok(())
    }

    fn head(&mut self, access_flags: u16, name: &[u8], descriptor: &[u8]) -> Result<Vec<u8>> {
        let (name, descriptor) = (self.pool.add_utf8(name)?, self.pool.add_utf8(descriptor)?);
        Ok([access_flags, name, descriptor].into_iter().flat_map(u16::to_be_bytes).collect())
    }

    fn named(&mut self, name: &[u8], content: &[u8]) -> Result<Vec<u8>> {
        let length = u32::try_from(content.len());
        let length = length.map_err(|_| Error::TextTooLong { length: content.len() })?;
        let mut out = self.pool.add_utf8(name)?.to_be_bytes().to_vec();
        out.extend(length.to_be_bytes());
        out.extend_from_slice(content);
        Ok(out)
    }

    /// The class file.
    pub fn finish(&self) -> Vec<u8> {
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0];
        out.extend(self.major_version.to_be_bytes());
        out.extend(self.pool.count().to_be_bytes());
        out.extend_from_slice(self.pool.added());
        for value in [self.access_flags, self.this_class, self.super_class] {
            out.extend(value.to_be_bytes());
        }
        let count = |length: usize| u16::try_from(length).unwrap_or(u16::MAX).to_be_bytes();
        out.extend(count(self.interfaces.len()));
        out.extend(self.interfaces.iter().flat_map(|index| index.to_be_bytes()));
        for parts in [&self.fields, &self.methods, &self.attributes] {
            out.extend(count(parts.len()));
            out.extend(parts.iter().flatten());
        }
        out
    }
}
