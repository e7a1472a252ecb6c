//! The constant pool: where each constant stands, what it says, and new ones behind the old.
//!
//! Constants that were read keep their bytes and their index; new ones are only appended, so no
//! instruction and no attribute of the class ever has to be renumbered. A constant that is wanted
//! and already there is used again. Nothing is checked that need not be known to find the next
//! constant: a pool with dangling references is read, and the reference fails when it is followed.
//! Source: JVM specification 4.4.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::error::{Error, Result};
use crate::modified_utf8;
use crate::reader::Reader;

/// One constant, its references as indices. Only the kinds that this crate follows are distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Constant<'p> {
    /// Text in the class file's own encoding (see [`modified_utf8`]).
    Utf8(&'p [u8]),
    /// An int.
    Integer(i32),
    /// A class, interface or array type; the index of its name.
    Class(u16),
    /// A string; the index of its text.
    String(u16),
    /// A field, method or interface method: the indices of its class and its name and type.
    Member {
        /// Index of the class.
        class: u16,
        /// Index of name and type.
        name_and_type: u16,
    },
    /// A name and a descriptor.
    NameAndType {
        /// Index of the name.
        name: u16,
        /// Index of the descriptor.
        descriptor: u16,
    },
    /// A computed constant or call site; the index of its name and type.
    Dynamic {
        /// Index in the bootstrap method table.
        bootstrap: u16,
        /// Index of name and type.
        name_and_type: u16,
    },
    /// Any other kind, by its tag.
    Other(u8),
}

const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const LONG: u8 = 5;
const CLASS: u8 = 7;
const STRING: u8 = 8;
const FIELD: u8 = 9;
const METHOD: u8 = 10;
const INTERFACE_METHOD: u8 = 11;
const NAME_AND_TYPE: u8 = 12;
const METHOD_HANDLE: u8 = 15;

/// The kinds of method handles that call: from `REF_invokeVirtual` to `REF_invokeInterface`.
const INVOKE_VIRTUAL: u8 = 5;
const INVOKE_INTERFACE: u8 = 9;

/// In `offsets`: no constant has this index.
const NOTHING: u32 = u32::MAX;

/// The constants of one class: those that were read and those that were added.
#[derive(Clone, Debug)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Where each constant begins: below `bytes.len()` in `bytes`, from there on in `added`.
    /// [`NOTHING`] for the slots that are no constants (0 and the second half of long and double).
    offsets: Vec<u32>,
    added: Vec<u8>,
    /// Where constants stand, by a digest of their bytes. Built when the first constant is wanted for
    /// writing: many classes are only read.
    known: Option<HashMap<u64, u16, BuildHasherDefault<Digests>>>,
    /// The ints that [`ConstantPool::add_number`] gave, by what they say.
    numbers: HashMap<u32, u16, BuildHasherDefault<Digests>>,
    /// Where in `added` what each of them says begins, four bytes.
    number_offsets: Vec<usize>,
}

impl<'a> ConstantPool<'a> {
    /// Reads the pool that begins (with its count) at `reader`.
    pub(crate) fn parse(file: &'a [u8], reader: &mut Reader<'a>) -> Result<Self> {
        let count = reader.u2()?;
        let mut offsets = vec![NOTHING];
        while offsets.len() < usize::from(count) {
            let at = reader.offset();
            let tag = reader.u1()?;
            let length = match tag {
                UTF8 => usize::from(reader.u2()?),
                INTEGER | 4 | FIELD | METHOD | INTERFACE_METHOD | NAME_AND_TYPE | 17 | 18 => 4,
                LONG | 6 => 8,
                CLASS | STRING | 16 | 19 | 20 => 2,
                15 => 3,
                _ => {
                    let index = u16::try_from(offsets.len()).unwrap_or(u16::MAX);
                    return Err(Error::UnknownConstant { index, tag, at });
                }
            };
            reader.take(length)?;
            offsets.push(u32::try_from(at).unwrap_or(NOTHING));
            if matches!(tag, LONG | 6) {
                offsets.push(NOTHING);
            }
        }
        // A long in the last slot claims one entry more than the count says; the count is kept.
        offsets.truncate(usize::from(count).max(1));
        let bytes = file.get(..reader.offset()).unwrap_or(file);
        Ok(Self { offsets, ..Self::of(bytes) })
    }

    /// An empty pool for a new class.
    pub(crate) fn empty() -> ConstantPool<'static> {
        ConstantPool::of(&[])
    }

    fn of(bytes: &'a [u8]) -> Self {
        let (added, numbers, number_offsets) = (Vec::new(), HashMap::default(), Vec::new());
        Self { bytes, offsets: vec![NOTHING], added, known: None, numbers, number_offsets }
    }

    /// One more than the last index.
    pub fn count(&self) -> u16 {
        u16::try_from(self.offsets.len()).unwrap_or(u16::MAX)
    }

    /// The bytes of the constants that were added.
    pub(crate) fn added(&self) -> &[u8] {
        &self.added
    }

    /// What stands at an index.
    pub fn get(&self, index: u16) -> Result<Constant<'_>> {
        Ok(match self.entry(index) {
            Some([UTF8, text @ ..]) => Constant::Utf8(sized(text)),
            Some([INTEGER, a, b, c, d, ..]) => Constant::Integer(i32::from_be_bytes([*a, *b, *c, *d])),
            Some([CLASS, a, b, ..]) => Constant::Class(u16::from_be_bytes([*a, *b])),
            Some([STRING, a, b, ..]) => Constant::String(u16::from_be_bytes([*a, *b])),
            Some([FIELD | METHOD | INTERFACE_METHOD, a, b, c, d, ..]) => Constant::Member {
                class: u16::from_be_bytes([*a, *b]),
                name_and_type: u16::from_be_bytes([*c, *d]),
            },
            Some([NAME_AND_TYPE, a, b, c, d, ..]) => Constant::NameAndType {
                name: u16::from_be_bytes([*a, *b]),
                descriptor: u16::from_be_bytes([*c, *d]),
            },
            Some([17 | 18, a, b, c, d, ..]) => Constant::Dynamic {
                bootstrap: u16::from_be_bytes([*a, *b]),
                name_and_type: u16::from_be_bytes([*c, *d]),
            },
            Some([tag, ..]) => Constant::Other(*tag),
            _ => return Err(Error::NoSuchConstant { index, count: self.count() }),
        })
    }

    /// The bytes from a constant on. Reading the pool has seen that all of it is there.
    fn entry(&self, index: u16) -> Option<&[u8]> {
        let offset = usize::try_from(*self.offsets.get(usize::from(index))?).ok()?;
        match self.bytes.get(offset..).filter(|rest| !rest.is_empty()) {
            Some(rest) => Some(rest),
            None => self.added.get(offset.checked_sub(self.bytes.len())?..),
        }
    }

    fn raw(&self, index: u16) -> Option<Reader<'_>> {
        let offset = *self.offsets.get(usize::from(index))?;
        if offset == NOTHING {
            return None;
        }
        let offset = usize::try_from(offset).ok()?;
        if offset < self.bytes.len() {
            Some(Reader::new(self.bytes.get(offset..)?, offset))
        } else {
            Some(Reader::new(self.added.get(offset - self.bytes.len()..)?, offset))
        }
    }

    /// The bytes of a numeric constant of eight or four bytes (float, long, double).
    pub fn value(&self, index: u16) -> Option<&[u8]> {
        let mut reader = self.raw(index)?;
        match reader.u1().ok()? {
            INTEGER | 4 => reader.take(4).ok(),
            LONG | 6 => reader.take(8).ok(),
            _ => None,
        }
    }

    /// The bytes of a text constant.
    pub fn utf8(&self, index: u16) -> Result<&[u8]> {
        match self.entry(index) {
            Some([UTF8, text @ ..]) => Ok(sized(text)),
            _ => Err(self.other_than(index, "text")),
        }
    }

    /// The error where another constant stands than was wanted, or none.
    #[cold]
    fn other_than(&self, index: u16, wanted: &'static str) -> Error {
        match self.get(index) {
            Ok(_) => Error::WrongConstant { index, wanted },
            Err(error) => error,
        }
    }

    /// A text constant for people: what is not proper text is replaced by `U+FFFD`.
    pub fn text(&self, index: u16) -> Result<String> {
        self.utf8(index).map(modified_utf8::to_text)
    }

    /// The name of a class constant, as `java/lang/Object` or `[I`.
    pub fn class_name(&self, index: u16) -> Result<&[u8]> {
        match self.entry(index) {
            Some([CLASS, a, b, ..]) => self.utf8(u16::from_be_bytes([*a, *b])),
            _ => Err(self.other_than(index, "class")),
        }
    }

    /// Class (if any), name and descriptor of a field, method, computed constant or call site.
    pub fn member(&self, index: u16) -> Result<Member<'_>> {
        let (class, pair) = match self.get(index)? {
            Constant::Member { class, name_and_type } => (Some(self.class_name(class)?), name_and_type),
            Constant::Dynamic { name_and_type, .. } => (None, name_and_type),
            _ => return Err(Error::WrongConstant { index, wanted: "field or method" }),
        };
        match self.entry(pair) {
            Some([NAME_AND_TYPE, a, b, c, d, ..]) => Ok(Member {
                class,
                name: self.utf8(u16::from_be_bytes([*a, *b]))?,
                descriptor: self.utf8(u16::from_be_bytes([*c, *d]))?,
            }),
            _ => Err(self.other_than(pair, "name and type")),
        }
    }

    /// The method that a method handle calls; `None` of any other constant, or of a handle to a field.
    pub fn method_of_handle(&self, index: u16) -> Option<Member<'_>> {
        match self.entry(index) {
            Some([METHOD_HANDLE, INVOKE_VIRTUAL..=INVOKE_INTERFACE, a, b, ..]) => {
                self.member(u16::from_be_bytes([*a, *b])).ok()
            }
            _ => None,
        }
    }

    /// Index of a text, added if it is not there.
    pub fn add_utf8(&mut self, text: &[u8]) -> Result<u16> {
        let length = u16::try_from(text.len()).map_err(|_| Error::TextTooLong { length: text.len() })?;
        let [high, low] = length.to_be_bytes();
        self.add(&[UTF8, high, low], text, 1)
    }

    /// Index of a class of this name (`java/lang/Object`), added if it is not there.
    pub fn add_class(&mut self, name: &[u8]) -> Result<u16> {
        let name = self.add_utf8(name)?;
        self.add_indices(CLASS, name, None)
    }

    /// Index of a string with this text, added if it is not there.
    pub fn add_string(&mut self, text: &[u8]) -> Result<u16> {
        let text = self.add_utf8(text)?;
        self.add_indices(STRING, text, None)
    }

    /// Index of an int, added if it is not there.
    pub fn add_integer(&mut self, value: i32) -> Result<u16> {
        self.add(&[INTEGER], &value.to_be_bytes(), 1)
    }

    /// Index of an int for the number of a record, added if there is none. It is nobody else's, even where
    /// the class has the same int, so whoever writes the class may count all of them from somewhere else.
    pub fn add_number(&mut self, number: u32) -> Result<u16> {
        if let Some(&index) = self.numbers.get(&number) {
            return Ok(index);
        }
        let index = self.append(&[INTEGER], &number.to_be_bytes(), 1)?;
        self.numbers.insert(number, index);
        self.number_offsets.push(self.added.len() - 4);
        Ok(index)
    }

    /// Where in [`ConstantPool::added`] each of the numbers stands.
    pub(crate) fn number_offsets(&self) -> &[usize] {
        &self.number_offsets
    }

    /// Index of a long, added if it is not there. It takes two slots.
    pub fn add_long(&mut self, value: i64) -> Result<u16> {
        self.add(&[LONG], &value.to_be_bytes(), 2)
    }

    /// Index of a field reference, added if it is not there.
    pub fn add_field(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        self.add_member(FIELD, class, name, descriptor)
    }

    /// Index of a reference to a method of a class, added if it is not there.
    pub fn add_method(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        self.add_member(METHOD, class, name, descriptor)
    }

    /// Index of a reference to a method of an interface, added if it is not there.
    pub fn add_interface_method(&mut self, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        self.add_member(INTERFACE_METHOD, class, name, descriptor)
    }

    fn add_member(&mut self, tag: u8, class: &[u8], name: &[u8], descriptor: &[u8]) -> Result<u16> {
        let class = self.add_class(class)?;
        let (name, descriptor) = (self.add_utf8(name)?, self.add_utf8(descriptor)?);
        let name_and_type = self.add_indices(NAME_AND_TYPE, name, Some(descriptor))?;
        self.add_indices(tag, class, Some(name_and_type))
    }

    fn add_indices(&mut self, tag: u8, first: u16, second: Option<u16>) -> Result<u16> {
        let [high, low] = first.to_be_bytes();
        let second = second.map(u16::to_be_bytes);
        self.add(&[tag, high, low], second.as_ref().map_or(&[], |second| second), 1)
    }

    /// Index of an entry with exactly these bytes (a head and what follows), appended if there is none.
    /// Of two constants with the same digest only one is ever found; the other may come to stand there twice.
    fn add(&mut self, head: &[u8], rest: &[u8], number_offsets: usize) -> Result<u16> {
        if self.known.is_none() {
            self.known = Some(self.index());
        }
        let digest = digest(head, rest);
        let found = self.known.as_ref().and_then(|known| known.get(&digest)).copied();
        if let Some(index) = found.filter(|&index| self.is_at(index, head, rest)) {
            return Ok(index);
        }
        let index = self.append(head, rest, number_offsets)?;
        self.known.get_or_insert_default().insert(digest, index);
        Ok(index)
    }

    fn append(&mut self, head: &[u8], rest: &[u8], number_offsets: usize) -> Result<u16> {
        let count = u16::try_from(self.offsets.len()).unwrap_or(u16::MAX);
        if self.offsets.len() + number_offsets > usize::from(u16::MAX) {
            return Err(Error::PoolFull { count });
        }
        let offset = u32::try_from(self.bytes.len() + self.added.len()).unwrap_or(NOTHING);
        self.offsets.push(offset);
        self.offsets.extend(std::iter::repeat_n(NOTHING, number_offsets - 1));
        self.added.extend_from_slice(head);
        self.added.extend_from_slice(rest);
        Ok(count)
    }

    fn is_at(&self, index: u16, head: &[u8], rest: &[u8]) -> bool {
        let Some(mut reader) = self.raw(index) else { return false };
        reader.take(head.len()).is_ok_and(|bytes| bytes == head)
            && reader.take(rest.len()).is_ok_and(|bytes| bytes == rest)
    }

    fn index(&self) -> HashMap<u64, u16, BuildHasherDefault<Digests>> {
        let mut known =
            HashMap::with_capacity_and_hasher(self.offsets.len() + 32, BuildHasherDefault::default());
        for index in 1..self.count() {
            let Some(reader) = self.raw(index) else { continue };
            let mut end = reader.clone();
            let (head, length) = match end.u1() {
                Ok(UTF8) => (3, end.u2().map_or(0, |length| 3 + usize::from(length))),
                Ok(FIELD | METHOD | INTERFACE_METHOD | NAME_AND_TYPE) => (3, 5),
                Ok(CLASS | STRING) => (3, 3),
                Ok(INTEGER) => (1, 5),
                Ok(LONG) => (1, 9),
                _ => continue,
            };
            if let Ok(entry) = reader.clone().take(length) {
                let (head, rest) = entry.split_at(entry.len().min(head));
                known.entry(digest(head, rest)).or_insert(index);
            }
        }
        known
    }
}

/// The text behind its length.
fn sized(text: &[u8]) -> &[u8] {
    match text {
        [a, b, text @ ..] => text.get(..usize::from(u16::from_be_bytes([*a, *b]))).unwrap_or_default(),
        _ => &[],
    }
}

/// A field, method or call site by its names, all in the class file's own encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'p> {
    /// The class that is named, absent for call sites.
    pub class: Option<&'p [u8]>,
    /// The name.
    pub name: &'p [u8],
    /// The descriptor.
    pub descriptor: &'p [u8],
}

/// A digest of an entry's bytes, cut where [`ConstantPool::add`] is given them. It need not withstand
/// anybody: what it finds is compared.
pub(crate) fn digest(head: &[u8], rest: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let with = |digest: u64, word: u64| (digest.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    let short = |bytes: &[u8]| bytes.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    let (words, last) = rest.as_chunks::<8>();
    let digest = words.iter().fold(short(head), |digest, word| with(digest, u64::from_le_bytes(*word)));
    let digest = with(digest, short(last));
    digest ^ digest >> 32
}

/// Hands a digest on as it is.
#[derive(Clone, Copy, Debug, Default)]
struct Digests(u64);

impl Hasher for Digests {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0 << 8 | u64::from(byte));
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = digest(&[], &number.to_le_bytes());
    }

    fn write_u64(&mut self, digest: u64) {
        self.0 = digest;
    }
}
