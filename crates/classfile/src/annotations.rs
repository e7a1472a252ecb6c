//! The annotations of a class, field or method: which types they have.
//!
//! Filters ask this ("was this class generated?"). Values are passed over. Malformed attributes
//! end the list early; they are no reason to refuse a class. Source: JVM specification 4.7.16.

use crate::attribute::Attribute;
use crate::constant_pool::ConstantPool;
use crate::error::{Error, Result};
use crate::limits::MAX_ANNOTATION_DEPTH;
use crate::reader::Reader;

/// The type descriptors (`Ljava/lang/Deprecated;`) of all annotations, visible at run time or not,
/// among these attributes.
pub fn types<'p>(attributes: &[Attribute<'_>], pool: &'p ConstantPool<'_>) -> Vec<&'p [u8]> {
    let mut found = Vec::new();
    for attribute in attributes {
        let visible = attribute.is("RuntimeVisibleAnnotations", pool);
        if visible || attribute.is("RuntimeInvisibleAnnotations", pool) {
            let mut reader = Reader::new(attribute.content, attribute.at);
            let _ = read(&mut reader, pool, &mut found);
        }
    }
    found
}

fn read<'p>(reader: &mut Reader<'_>, pool: &'p ConstantPool<'_>, found: &mut Vec<&'p [u8]>) -> Result<()> {
    for _ in 0..reader.u2()? {
        let kind = reader.clone().u2()?;
        skip(reader, 0)?;
        found.extend(pool.utf8(kind));
    }
    Ok(())
}

/// Passes over one annotation.
pub(crate) fn skip(reader: &mut Reader<'_>, depth: u32) -> Result<()> {
    reader.take(2)?;
    for _ in 0..reader.u2()? {
        reader.take(2)?;
        skip_value(reader, depth)?;
    }
    Ok(())
}

fn skip_value(reader: &mut Reader<'_>, depth: u32) -> Result<()> {
    if depth > MAX_ANNOTATION_DEPTH {
        let limit = usize::try_from(MAX_ANNOTATION_DEPTH).unwrap_or(usize::MAX);
        return Err(Error::TooMany { what: "annotations inside each other", limit });
    }
    match reader.u1()? {
        b'e' => drop(reader.take(4)?),
        b'@' => skip(reader, depth + 1)?,
        b'[' => {
            for _ in 0..reader.u2()? {
                skip_value(reader, depth + 1)?;
            }
        }
        _ => drop(reader.take(2)?),
    }
    Ok(())
}
