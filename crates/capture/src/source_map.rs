//! Where inlined code comes from: the source map of a class (`SourceDebugExtension`) as Kotlin's compiler writes it.
//!
//! A Kotlin class numbers the lines of code that was inlined into it after the last line of its file. The stratum
//! `Kotlin` says where they come from, `KotlinDebug` into which line of the file they were inlined:
//!
//! ```text
//! SMAP                          *S Kotlin                      *S KotlinDebug
//! Main.kt                       *F                             *F
//! Kotlin                        + 1 Main.kt                    + 1 Main.kt
//!                               MainKt                         MainKt
//!                               + 2 _Collections.kt            *L
//!                               kotlin/collections/...         11#1:17         17 was inlined into 11
//!                               *L                             11#1,3:18       18 to 20, too
//!                               1#1,14:1       1 to 14 are 1 to 14 of the first file
//!                               1309#2:17      17 is 1309 of the second
//! ```
//!
//! [`SourceMap::apply`] puts lines of the file in the place of such numbers, and says where the code comes from if that
//! is another file. Maps of other languages are passed over. Source: JSR 45, "Debugging Other Languages".

use std::collections::BTreeMap;

use model::code::{BlockId, Method, SourceLine};

/// Rows of a map; more are not looked at.
const MOST: usize = 1 << 16;

/// A map of one class.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SourceMap {
    origins: Vec<Row>,
    calls: Vec<Row>,
    /// The file names of `origins`, by their numbers there.
    files: BTreeMap<u32, String>,
}

/// `line#file,count:first,step`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    line: u32,
    file: u32,
    count: u32,
    first: u32,
    step: u32,
}

impl Row {
    fn read(text: &str, file_before: u32) -> Option<Row> {
        let (input, output) = text.trim().split_once(':')?;
        let (input, count) = input.split_once(',').unwrap_or((input, "1"));
        let (line, file) = input.split_once('#').map_or((input, None), |(line, file)| (line, Some(file)));
        let (first, step) = output.split_once(',').unwrap_or((output, "1"));
        let number = |text: &str| text.parse::<u32>().ok();
        let file = file.map_or(Some(file_before), number)?;
        Some(Row {
            line: number(line)?,
            file,
            count: number(count)?,
            first: number(first)?,
            step: number(step)?,
        })
    }

    /// Which of its lines this number stands for.
    fn index(&self, number: u32) -> Option<u32> {
        let offset = number.checked_sub(self.first)?;
        let index = offset.checked_div(self.step)?;
        (index < self.count).then_some(index)
    }
}

impl SourceMap {
    /// Reads it; empty if it is none of Kotlin's.
    pub(super) fn read(text: &str) -> SourceMap {
        let mut map = SourceMap::default();
        let mut lines = text.lines();
        if lines.next() != Some("SMAP") {
            return map;
        }
        let (mut stratum, mut section, mut file) = ("", "", 0);
        while let Some(line) = lines.next() {
            if let Some(rest) = line.strip_prefix("*S") {
                (stratum, section) = (rest.trim(), "");
            } else if line.starts_with('*') {
                (section, file) = (line.trim(), 0);
            } else if section == "*F" && stratum == "Kotlin" {
                let entry = line.strip_prefix('+').map(str::trim);
                let (number, name) = entry.unwrap_or(line).split_once(' ').unwrap_or_default();
                if let Ok(number) = number.parse() {
                    map.files.insert(number, name.trim().to_owned());
                }
                // Behind its name its path.
                if entry.is_some() {
                    lines.next();
                }
            } else if section == "*L"
                && let Some(rows) = map.rows(stratum)
                && let Some(row) = Row::read(line, file)
            {
                file = row.file;
                rows.push(row);
            }
            if map.origins.len() + map.calls.len() + map.files.len() > MOST {
                break;
            }
        }
        map
    }

    fn rows(&mut self, stratum: &str) -> Option<&mut Vec<Row>> {
        match stratum {
            "Kotlin" => Some(&mut self.origins),
            "KotlinDebug" => Some(&mut self.calls),
            _ => None,
        }
    }

    /// The line that this number stands for, and its file.
    fn origin(&self, number: u32) -> Option<(&str, u32)> {
        let (row, index) = self.origins.iter().find_map(|row| Some((row, row.index(number)?)))?;
        Some((self.files.get(&row.file)?, row.line.checked_add(index)?))
    }

    /// The line of the class's file that it was inlined into.
    fn call(&self, number: u32) -> Option<u32> {
        let rows = self.calls.iter();
        // Older compilers write a count in the place of the step.
        rows.filter_map(|row| row.index(number).map(|_| row.line)).next()
    }

    /// Puts lines of the file in the place of all others. What comes from other files is returned, by block.
    /// `source_file`: the file of the class.
    pub(super) fn apply(
        &self,
        method: &mut Method,
        source_file: Option<&str>,
    ) -> Vec<(BlockId, Vec<SourceLine>)> {
        let mut inlined = Vec::new();
        for (id, block) in (0..).zip(&mut method.blocks) {
            let mut from = Vec::new();
            let mut lines: Vec<u16> = Vec::with_capacity(block.lines.len());
            for &number in &block.lines {
                let own = match self.origin(number.into()) {
                    None => Some(number),
                    Some((file, line)) if Some(file) == source_file => u16::try_from(line).ok(),
                    Some((file, line)) => {
                        from.push(SourceLine { file: file.to_owned(), line });
                        self.call(number.into()).and_then(|line| u16::try_from(line).ok())
                    }
                };
                lines.extend(own.filter(|own| lines.last() != Some(own)));
            }
            block.lines = lines;
            if !from.is_empty() {
                inlined.push((id, from));
            }
        }
        inlined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "SMAP\nMain.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Main.kt\nMainKt\n+ 2 _Collections.kt\nk/C\n*L\n1#1,14:1\n\
                       2#1,2:15\n1309#2:17\n1378#2,3:18\n*E\n*S KotlinDebug\n*F\n+ 1 Main.kt\nMainKt\n*L\n9#1,2:15\n\
                       11#1:17\n11#1:18,3\n*E\n";

    #[test]
    fn lines_beyond_the_file_come_from_somewhere() {
        let map = SourceMap::read(MAP);
        for (number, origin, call) in [
            (7, Some(("Main.kt", 7)), None),
            (15, Some(("Main.kt", 2)), Some(9)),
            (16, Some(("Main.kt", 3)), Some(9)),
            (17, Some(("_Collections.kt", 1309)), Some(11)),
            (20, Some(("_Collections.kt", 1380)), Some(11)),
            (21, None, None),
        ] {
            assert_eq!((map.origin(number), map.call(number)), (origin, call), "{number}");
        }
    }

    #[test]
    fn what_is_no_map_of_kotlins_is_empty() {
        for text in ["", "SMAP", "MAP\n*S Kotlin\n*L\n1:1", "SMAP\nx\nJSP\n*S JSP\n*F\n1 x\n*L\n1:1\n*E"] {
            assert_eq!(SourceMap::read(text), SourceMap::default(), "{text:?}");
        }
        let odd = SourceMap::read(
            "SMAP\nx\nKotlin\n*S Kotlin\n*F\n*L\nx\n1#:\n1#1,4294967295:0,0\n4294967295#9,2:1\n",
        );
        assert_eq!((odd.origin(0), odd.origin(2)), (None, None));
    }
}
