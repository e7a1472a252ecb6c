//! Classes with their methods, and methods that were left alone.
//!
//! ```text
//! class       head: first id u32, loader u32
//!             name, source file ("" if none), digest 32 bytes, class bytes,
//!             count of methods (method.rs), count of (name, descriptor, reason) left alone
//!             source map (its SourceDebugExtension), if it has one
//!             zeros and no bytes, if a class file follows
//! class file  head: where in `code` the class begins u64
//!             digest 32 bytes, class bytes
//! left alone  class, reason
//! ```
//!
//! A digest is XXH3 of 128 bits, and sixteen zeros. No reader depends on it.
//! What differs from process to process stands in the heads, so that a body can be used again.

use crate::frame::{self, CLASS_HEAD, PackedBytes, kind};
use crate::limits;
use source::bytes::u32_at;
use source::bytes::{Cursor, put_text};

use super::parts::{pack_class_file, put_class, put_class_file};
use super::{ClassParts, MethodRecord};

/// A class that is recorded, with all its methods: one frame, so that it is there as a whole or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassRecord {
    /// Its name with dots.
    pub name: String,
    /// The recorder's number for its class loader; 0 is the virtual machine's own.
    pub loader: u32,
    /// Its source file, as the class says.
    pub source_file: Option<String>,
    /// Fingerprint of the class file as it was given to the recorder; zeros if that follows.
    pub digest: [u8; 32],
    /// That class file; empty if it is not kept here.
    pub class_bytes: Vec<u8>,
    /// Its methods that are recorded.
    pub methods: Vec<MethodRecord>,
    /// Its methods that are not: name, descriptor, reason.
    pub skipped: Vec<(String, String, String)>,
    /// Where its lines come from (`SourceDebugExtension`); empty if the class does not say.
    pub source_map: String,
}

impl ClassRecord {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut method_bytes = Vec::new();
        self.methods.iter().for_each(|method| method.put(&mut method_bytes));
        let parts = ClassParts {
            name: &self.name,
            source_file: self.source_file.as_deref(),
            digest: self.digest,
            class_bytes: &self.class_bytes,
            methods: self.methods.len(),
            method_bytes: &method_bytes,
            skipped: &self.skipped,
            source_map: &self.source_map,
        };
        put_class(out, 0, self.loader, parts.pack().borrowed());
    }

    /// Reads a frame. `class` in the methods is left at 0: the reader numbers classes.
    pub fn read(head: &[u8; CLASS_HEAD], body: &[u8]) -> Option<ClassRecord> {
        let mut cursor = Cursor::new(body);
        let name = cursor.text()?;
        let (first, loader) = (u32_at(head, 0), u32_at(head, 4));
        let source_file = Some(cursor.text()?).filter(|file| !file.is_empty());
        let digest = *cursor.take(32)?.first_chunk()?;
        let class_bytes = cursor.bytes()?.to_vec();
        let count = cursor.count()?;
        let methods = (0..count).map(|_| MethodRecord::read(&mut cursor, first)).collect::<Option<_>>()?;
        let count = cursor.count()?;
        let mut three = || Some((cursor.text()?, cursor.text()?, cursor.text()?));
        let skipped = (0..count).map(|_| three()).collect::<Option<_>>()?;
        let source_map = if cursor.left() > 0 { cursor.text()? } else { String::new() };
        Some(ClassRecord { name, loader, source_file, digest, class_bytes, methods, skipped, source_map })
    }
}

/// The class file of a class that was written before: nobody has to wait until it is compressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassFileRecord {
    /// Where in `code` the frame of the class begins.
    pub class_at: u64,
    /// Fingerprint of the class file as it was given to the recorder.
    pub digest: [u8; 32],
    /// That class file.
    pub bytes: Vec<u8>,
}

impl ClassFileRecord {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        put_class_file(out, self.class_at, pack_class_file(self.digest, &self.bytes).borrowed());
    }

    /// Reads a frame.
    pub fn read(head: &[u8; CLASS_HEAD], body: &[u8]) -> Option<ClassFileRecord> {
        let mut cursor = Cursor::new(body);
        let class_at = u64::from_le_bytes(*head);
        let digest = *cursor.take(32)?.first_chunk()?;
        Some(ClassFileRecord { class_at, digest, bytes: cursor.bytes()?.to_vec() })
    }
}

/// The class file that [`pack_class_file`] packed; `None` if it is none.
pub fn unpack_class_file(file: PackedBytes<'_>) -> Option<Vec<u8>> {
    let flags = if file.is_compressed { frame::COMPRESSED } else { 0 };
    let body = frame::expand(file.bytes, flags, limits::BODY)?;
    // Whose file it is, which nobody asks here, stands in the head.
    ClassFileRecord::read(&[0; CLASS_HEAD], &body).map(|record| record.bytes)
}

/// A whole class that passed the filters and was not recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The class, with dots.
    pub class: String,
    /// Why, for people.
    pub reason: String,
}

impl Skipped {
    /// Appends the frame.
    pub fn put(&self, out: &mut Vec<u8>) {
        let mut body = vec![];
        put_text(&mut body, &self.class);
        put_text(&mut body, &self.reason);
        frame::put_small(out, kind::SKIPPED_CLASS, &[], &body);
    }

    /// Reads a body.
    pub fn read(body: &[u8]) -> Option<Skipped> {
        let mut cursor = Cursor::new(body);
        Some(Skipped { class: cursor.text()?, reason: cursor.text()? })
    }
}
