//! Which source line each instruction belongs to.
//!
//! A method may have several `LineNumberTable` attributes in any order; together they are one
//! table. Rows that name no instruction are harmless: a row holds from its pc to the next row.
//! A malformed table is no reason to lose the method: it is as if it were not there.
//! Source: JVM specification 4.7.12.

use crate::attribute::Attribute;
use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::error::Result;
use crate::reader::Reader;

/// The lines of one method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineTable {
    /// First pc and line, by pc.
    rows: Vec<(u32, u16)>,
}

impl LineTable {
    /// The table of a body; empty if the class was compiled without lines.
    pub fn of(code: &Code<'_>, pool: &ConstantPool<'_>) -> Self {
        let mut rows = Vec::new();
        for attribute in code.attributes.iter().filter(|attribute| attribute.is("LineNumberTable", pool)) {
            let known = rows.len();
            if read_rows(attribute, &mut rows).is_err() {
                rows.truncate(known);
            }
        }
        rows.sort_by_key(|&(pc, _)| pc); // stable: of two rows for one pc the last one holds
        Self { rows }
    }

    /// The line of an instruction.
    pub fn line_at(&self, pc: u32) -> Option<u16> {
        let after = self.rows.partition_point(|&(start, _)| start <= pc);
        self.rows.get(after.checked_sub(1)?).map(|&(_, line)| line)
    }

    /// The lines of a segment of code in the order of the code, repeated lines that follow each
    /// other once.
    pub fn lines_in(&self, start: u32, end: u32) -> Vec<u16> {
        let mut lines = Vec::new();
        self.put_lines_in(start, end, &mut lines);
        lines
    }

    /// The same in the place of what is in `lines`.
    pub fn put_lines_in(&self, start: u32, end: u32, lines: &mut Vec<u16>) {
        lines.clear();
        let from = self.rows.partition_point(|&(pc, _)| pc <= start);
        let before = from.checked_sub(1).and_then(|before| self.rows.get(before));
        lines.extend(before.map(|&(_, line)| line));
        for &(_, line) in self.rows.iter().skip(from).take_while(|&&(pc, _)| pc < end) {
            if lines.last() != Some(&line) {
                lines.push(line);
            }
        }
    }
}

fn read_rows(attribute: &Attribute<'_>, rows: &mut Vec<(u32, u16)>) -> Result<()> {
    let mut reader = Reader::new(attribute.content, attribute.at);
    let count = reader.u2()?;
    rows.reserve(usize::from(count).min(attribute.content.len() / 4));
    for _ in 0..count {
        rows.push((u32::from(reader.u2()?), reader.u2()?));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_to_the_next() {
        let table = LineTable { rows: vec![(0, 7), (4, 8), (6, 8), (9, 7), (12, 20)] };
        assert_eq!(table.line_at(3), Some(7));
        assert_eq!(table.lines_in(2, 12), [7, 8, 7]);
        assert_eq!(table.lines_in(12, 13), [20]);
        assert_eq!(LineTable::default().lines_in(0, 9), Vec::<u16>::new());
    }
}
