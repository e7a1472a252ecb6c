//! Names of classes: as the virtual machine has them, and as people write them.

use classfile::ClassFile;
use classfile::modified_utf8::to_text;

/// A name of modified UTF-8 with slashes, as people write it.
pub(crate) fn dotted(name: &[u8]) -> String {
    let mut name = to_text(name).into_bytes();
    name.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'.');
    // A byte of ASCII for another leaves it UTF-8.
    String::from_utf8(name).unwrap_or_default()
}

/// The name with dots of the class with this signature; `None` for an array.
pub(crate) fn of_signature(signature: &[u8]) -> Option<String> {
    Some(dotted(signature.strip_prefix(b"L")?.strip_suffix(b";")?))
}

/// The name with dots that a hidden class was given in its class file. In its signature, and in no other, there is a
/// dot, with a number of the virtual machine's behind it: `Lshop/Baker.0x0000000800c03000;`.
pub(crate) fn of_hidden(signature: &[u8]) -> Option<String> {
    let name = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
    let dot = name.iter().rposition(|&byte| byte == b'.')?;
    name.get(..dot).map(dotted)
}

/// The name that a class file gives its class; `None` for one that the virtual machine refuses, too.
pub(crate) fn of_class_file(bytes: &[u8]) -> Option<Vec<u8>> {
    let class = ClassFile::parse(bytes).ok()?;
    class.constant_pool.class_name(class.this_class).ok().map(<[u8]>::to_vec)
}
