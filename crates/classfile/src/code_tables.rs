//! The attributes of a body that hold pcs, with their pcs replaced.
//!
//! All of them keep their length: only two-byte fields change, in place. Debuggers and the virtual
//! machine demand little of line and variable tables, so a pc between two instructions is moved
//! along; the pc of a type annotation must be an instruction. A table that does not follow its
//! grammar is an error, since its pcs would be wrong afterwards.
//! Source: JVM specification 4.7.12 to 4.7.14 and 4.7.20; CharacterRangeTable: javac.

use crate::annotations;
use crate::attribute::Attribute;
use crate::error::{Error, Result};
use crate::reader::Reader;

/// Where old pcs are now.
pub(crate) trait PcMap {
    /// The start of a segment, or its end (the first pc behind it).
    fn segment(&self, pc: u32) -> u32;
    /// The instruction itself, or what stands there.
    fn instruction(&self, pc: u32) -> u32;
}

/// Replaces the pcs in the content of an attribute, of which `out` is a copy. Whether it has any.
pub(crate) fn move_pcs(
    name: &[u8],
    attribute: &Attribute<'_>,
    out: &mut [u8],
    map: &impl PcMap,
) -> Result<bool> {
    let mut patch = Patch { reader: Reader::new(attribute.content, attribute.at), out, map };
    match name {
        b"LineNumberTable" => patch.rows(|patch| {
            patch.segment()?;
            patch.reader.u2().map(drop)
        })?,
        b"LocalVariableTable" | b"LocalVariableTypeTable" => patch.rows(|patch| {
            patch.start_and_length()?;
            patch.reader.take(6).map(drop)
        })?,
        b"CharacterRangeTable" => patch.rows(|patch| {
            patch.segment()?;
            let position = patch.reader.position();
            let last = u32::from(patch.reader.u2()?);
            patch.put(position, patch.map.segment(last + 1).saturating_sub(1));
            patch.reader.take(10).map(drop)
        })?,
        b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
            patch.rows(Patch::type_annotation)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

struct Patch<'a, 'o, M> {
    reader: Reader<'a>,
    out: &'o mut [u8],
    map: &'o M,
}

impl<M: PcMap> Patch<'_, '_, M> {
    fn rows(&mut self, mut row: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        for _ in 0..self.reader.u2()? {
            row(self)?;
        }
        Ok(())
    }

    fn put(&mut self, position: usize, pc: u32) {
        let bytes = u16::try_from(pc).unwrap_or(u16::MAX).to_be_bytes();
        for (byte, new) in self.out.iter_mut().skip(position).zip(bytes) {
            *byte = new;
        }
    }

    fn segment(&mut self) -> Result<()> {
        let position = self.reader.position();
        let pc = u32::from(self.reader.u2()?);
        self.put(position, self.map.segment(pc));
        Ok(())
    }

    fn start_and_length(&mut self) -> Result<()> {
        let position = self.reader.position();
        let (start, length) = (u32::from(self.reader.u2()?), u32::from(self.reader.u2()?));
        let (first, end) = (self.map.segment(start), self.map.segment(start + length));
        self.put(position, first);
        self.put(position + 2, end.saturating_sub(first));
        Ok(())
    }

    fn type_annotation(&mut self) -> Result<()> {
        match self.reader.u1()? {
            0x40 | 0x41 => self.rows(|patch| {
                patch.start_and_length()?;
                patch.reader.take(2).map(drop)
            })?,
            // A row of the exception table; rows are only ever added behind the others.
            0x42 => drop(self.reader.take(2)?),
            kind @ 0x43..=0x4b => {
                let position = self.reader.position();
                let pc = u32::from(self.reader.u2()?);
                self.put(position, self.map.instruction(pc));
                if kind >= 0x47 {
                    self.reader.take(1)?;
                }
            }
            // The other kinds stand at classes, fields and methods, not at code.
            _ => return Err(Error::Truncated { at: self.reader.offset(), wanted: 2, available: 0 }),
        }
        let path = usize::from(self.reader.u1()?);
        self.reader.take(2 * path)?;
        annotations::skip(&mut self.reader, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments move by 100, instructions by 200.
    struct Far;

    fn moved(name: &[u8], content: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut out = content.to_vec();
        let has_pcs = move_pcs(name, &Attribute { name: 0, content, at: 0 }, &mut out, &Far)?;
        Ok(has_pcs.then_some(out))
    }

    impl PcMap for Far {
        fn segment(&self, pc: u32) -> u32 {
            if pc == 0 { 0 } else { pc + 100 }
        }

        fn instruction(&self, pc: u32) -> u32 {
            pc + 200
        }
    }

    fn check(name: &str, content: &[u16], expected: &[u16]) {
        let bytes = |values: &[u16]| values.iter().flat_map(|value| value.to_be_bytes()).collect::<Vec<_>>();
        let result = moved(name.as_bytes(), &bytes(content));
        assert_eq!(result, Ok(Some(bytes(expected))), "{name}");
    }

    #[test]
    fn lines_variables_and_ranges() {
        check("LineNumberTable", &[2, 0, 7, 5, 8], &[2, 0, 7, 105, 8]);
        check(
            "LocalVariableTable",
            &[2, 0, 9, 1, 2, 3, 4, 5, 1, 2, 3],
            &[2, 0, 109, 1, 2, 3, 104, 5, 1, 2, 3],
        );
        check("LocalVariableTypeTable", &[1, 3, 4, 1, 2, 3], &[1, 103, 4, 1, 2, 3]);
        check("CharacterRangeTable", &[1, 4, 9, 1, 1, 2, 2, 8], &[1, 104, 109, 1, 1, 2, 2, 8]);
    }

    #[test]
    fn type_annotations() {
        let table = |pc: u8, range: [u8; 4], cast: u8| {
            let mut bytes = vec![0, 5];
            // A local variable in one segment; path of one step; no values.
            bytes.extend([0x40, 0, 1]);
            bytes.extend(range);
            bytes.extend([0, 2, 1, 3, 0, 0, 1, 0, 0]);
            // A catch, which is a row of the exception table.
            bytes.extend([0x42, 0, 7, 0, 0, 1, 0, 0]);
            // `new` with an enum value and a nested annotation in an array.
            bytes.extend([0x44, 0, pc, 0, 0, 1, 0, 2, 0, 1, b'e', 0, 1, 0, 2]);
            bytes.extend([0, 1, b'[', 0, 1, b'@', 0, 1, 0, 1, 0, 1, b's', 0, 1]);
            // A cast and a type argument of a method reference: one more byte each.
            bytes.extend([0x47, 0, cast, 0, 0, 0, 1, 0, 0]);
            bytes.extend([0x4b, 0, cast, 3, 0, 0, 1, 0, 0]);
            bytes
        };
        let old = table(10, [0, 4, 0, 6], 20);
        let new = moved(b"RuntimeVisibleTypeAnnotations", &old);
        assert_eq!(new, Ok(Some(table(210, [0, 104, 0, 6], 220))));
    }

    #[test]
    fn other_attributes_have_no_pcs_and_bad_ones_are_refused() {
        assert_eq!(moved(b"Unknown", &[1, 2, 3]), Ok(None));
        assert!(moved(b"LineNumberTable", &[0, 2, 0, 0, 0, 7]).is_err());
        assert!(moved(b"RuntimeInvisibleTypeAnnotations", &[0, 1, 0x13]).is_err());
    }
}
