//! The `format` text of one tracepoint: where its fields lie.
//!
//! ```text
//! name: sched_switch
//! ID: 372
//! format:
//!         field:int common_pid;                   offset:4;   size:4;   signed:1;
//!
//!         field:char prev_comm[16];               offset:8;   size:16;  signed:0;    text
//!         field:pid_t prev_pid;                   offset:24;  size:4;   signed:1;    whole number
//!         field:unsigned long args[6];            offset:16;  size:48;  signed:0;    array of six
//!         field:__data_loc char[] filename;       offset:8;   size:4;   signed:0;    elsewhere:
//! print fmt: ...                                                                     length << 16 | offset
//! ```
//!
//! Which numbers are shown in hexadecimal says the last line (`print_format.rs`) or a pointer type.
//! `__rel_loc` counts its offset from behind itself. tracefs has the same texts.

use std::collections::BTreeSet;

use super::print_format;
use crate::limits;

/// One tracepoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) system: String,
    pub(crate) name: String,
    pub(crate) id: u64,
    /// Without the common ones.
    pub(crate) fields: Vec<Field>,
    /// The thread that wrote it.
    pub(crate) common_pid: Option<Field>,
    /// Fields that were left out, because there are too many or their text makes no sense.
    pub(crate) left_out: u64,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) offset: usize,
    pub(crate) size: usize,
    pub(crate) storage: Storage,
    pub(crate) content: Content,
}

/// Where the bytes of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    Here,
    /// At the position that four bytes hold, from the start of what the tracepoint wrote.
    Elsewhere,
    /// The same, counted from behind these four bytes.
    Relative,
}

/// What they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Number(Number),
    /// Up to a zero byte.
    Text,
    /// Elements of `each` bytes.
    Array {
        each: usize,
        number: Number,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) is_signed: bool,
    /// An address or a mask.
    pub(crate) is_hexadecimal: bool,
}

/// Parses the text of an event of `system`; `None` if it is not wanted, or no such text.
pub(crate) fn parse(
    system: &str,
    text: &[u8],
    long: usize,
    is_wanted: &dyn Fn(u64) -> bool,
) -> Option<Format> {
    let text = String::from_utf8_lossy(text);
    let name = text.lines().find_map(|line| line.strip_prefix("name:"))?.trim().to_owned();
    let id = text.lines().find_map(|line| line.strip_prefix("ID:"))?.trim().parse().ok()?;
    if !is_wanted(id) {
        return None;
    }
    let system = system.to_owned();
    let hexadecimal = print_format::hexadecimal(&text);
    let mut format = Format { system, name, id, fields: vec![], common_pid: None, left_out: 0 };
    for line in text.lines().take_while(|line| !line.starts_with("print fmt")) {
        let Some(line) = line.trim().strip_prefix("field:") else { continue };
        match field(line, long, &hexadecimal) {
            Some(field) if field.name == "common_pid" => format.common_pid = Some(field),
            Some(field) if field.name.starts_with("common_") => {}
            Some(field) if format.fields.len() < limits::PERF_FIELDS => format.fields.push(field),
            _ => format.left_out += 1,
        }
    }
    Some(format)
}

/// `unsigned long args[6];  offset:16;  size:48;  signed:0;`
fn field(line: &str, long: usize, hexadecimal: &BTreeSet<&str>) -> Option<Field> {
    let mut parts = line.split(';').map(str::trim);
    let declaration = parts.next()?;
    let (mut offset, mut size, mut is_signed) = (None, None, false);
    for part in parts {
        match part.split_once(':') {
            Some(("offset", number)) => offset = number.trim().parse().ok(),
            Some(("size", number)) => size = number.trim().parse().ok(),
            Some(("signed", number)) => is_signed = number.trim() == "1",
            _ => {}
        }
    }
    let (storage, declaration) = match declaration.split_once(' ') {
        Some(("__data_loc", rest)) => (Storage::Elsewhere, rest),
        Some(("__rel_loc", rest)) => (Storage::Relative, rest),
        _ => (Storage::Here, declaration),
    };
    let (kind, name) = declaration.trim().rsplit_once([' ', '*'])?;
    let (name, dimension) = match name.split_once('[') {
        Some((name, dimension)) => (name, Some(dimension.trim_end_matches(']'))),
        None => (name, None),
    };
    let is_pointer = kind.contains('*') || declaration.contains('*');
    let is_array = dimension.is_some() || storage != Storage::Here;
    let kind = kind.trim_end_matches("[]").trim();
    let (offset, size): (usize, usize) = (offset?, size?);
    // What a tracepoint writes fits into a record, and numbers below must not overflow.
    if offset > usize::from(u16::MAX) || size > usize::from(u16::MAX) || name.is_empty() {
        return None;
    }
    let is_hexadecimal = is_pointer || hexadecimal.contains(name);
    let number = Number { is_signed, is_hexadecimal };
    let content = match (is_array, is_plain_char(kind) && !is_pointer) {
        (true, true) => Content::Text,
        (true, false) => {
            let count = dimension.and_then(|text| text.parse::<usize>().ok()).filter(|count| *count > 0);
            let each = match count {
                Some(count) => size / count,
                None if is_pointer => long,
                None => size_of_kind(kind, long),
            };
            Content::Array { each: each.clamp(1, 8), number }
        }
        (false, _) if matches!(size, 1..=8) => Content::Number(number),
        // A structure that is not an array: its bytes.
        _ => Content::Array { each: 1, number },
    };
    Some(Field { name: name.to_owned(), offset, size, storage, content })
}

fn is_plain_char(kind: &str) -> bool {
    matches!(kind.trim_start_matches("const "), "char" | "string")
}

/// The size of an element of which the text only says the type, as C on Linux has it.
fn size_of_kind(kind: &str, long: usize) -> usize {
    let word = kind.trim_start_matches("const ").trim();
    match word {
        "unsigned char" | "signed char" | "u8" | "__u8" | "s8" | "__s8" | "uint8_t" | "int8_t" | "bool" => 1,
        "short" | "unsigned short" | "u16" | "__u16" | "s16" | "__s16" | "uint16_t" | "__le16" | "__be16" => {
            2
        }
        "long" | "unsigned long" | "size_t" | "ssize_t" | "void *" => long,
        "long long" | "unsigned long long" | "u64" | "__u64" | "s64" | "__s64" | "uint64_t" | "int64_t" => 8,
        "int" | "unsigned int" | "unsigned" | "u32" | "__u32" | "s32" | "__s32" | "uint32_t" | "pid_t" => 4,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(lines: &str, expected: Expect) {
        let text =
            format!("name: e\nID: 7\nformat:\n{lines}\nprint fmt: \"field:int no; %lx\", REC->args[0]\n");
        let format = parse("s", text.as_bytes(), 8, &|id| id == 7).unwrap();
        let mut shown = String::new();
        for field in &format.fields {
            let Field { name, offset, size, storage, content } = field;
            let content = match content {
                Content::Number(number) => show(number),
                Content::Text => "text".into(),
                Content::Array { each, number } => format!("array of {each}-byte {}", show(number)),
            };
            shown += &format!("{name}: {size} bytes at {offset}, {storage:?}, {content}\n");
        }
        shown += &format!("thread: {:?}\n", format.common_pid.map(|field| field.offset));
        shown += &format!("left out: {}\n", format.left_out);
        expected.assert_eq(&shown);
    }

    fn show(number: &Number) -> String {
        let sign = if number.is_signed { "signed" } else { "unsigned" };
        format!("{sign}{}", if number.is_hexadecimal { " hexadecimal" } else { "" })
    }

    #[test]
    fn every_kind_of_field() {
        check(
            "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;
\tfield:char old_comm[TASK_COMM_LEN];\toffset:8;\tsize:16;\tsigned:1;
\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;
\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;
\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;
\tfield:__rel_loc char[] near;\toffset:8;\tsize:4;\tsigned:0;
\tfield:__data_loc unsigned long[] mask;\toffset:8;\tsize:4;\tsigned:0;
\tfield:__data_loc __u8[] bytes;\toffset:8;\tsize:4;\tsigned:0;
\tfield:const char * path;\toffset:8;\tsize:8;\tsigned:0;
\tfield:const char *const * argv;\toffset:8;\tsize:8;\tsigned:0;
\tfield:struct sockaddr * a;\toffset:8;\tsize:8;\tsigned:0;
\tfield:struct timespec t;\toffset:8;\tsize:16;\tsigned:0;
\tfield:u8 mac[6];\toffset:8;\tsize:6;\tsigned:0;
\tfield:bool success;\toffset:9;\tsize:1;\tsigned:0;",
            expect![[r#"
                prev_comm: 16 bytes at 8, Here, text
                old_comm: 16 bytes at 8, Here, text
                prev_pid: 4 bytes at 24, Here, signed
                args: 48 bytes at 16, Here, array of 8-byte unsigned hexadecimal
                filename: 4 bytes at 8, Elsewhere, text
                near: 4 bytes at 8, Relative, text
                mask: 4 bytes at 8, Elsewhere, array of 8-byte unsigned
                bytes: 4 bytes at 8, Elsewhere, array of 1-byte unsigned
                path: 8 bytes at 8, Here, unsigned hexadecimal
                argv: 8 bytes at 8, Here, unsigned hexadecimal
                a: 8 bytes at 8, Here, unsigned hexadecimal
                t: 16 bytes at 8, Here, array of 1-byte unsigned
                mac: 6 bytes at 8, Here, array of 1-byte unsigned
                success: 1 bytes at 9, Here, unsigned
                thread: Some(4)
                left out: 0
            "#]],
        );
    }

    #[test]
    fn nonsense_is_left_out() {
        check(
            "\tfield:int;\toffset:0;\tsize:4;\tsigned:1;
\tfield:int x;\toffset:99999999999999999999;\tsize:4;\tsigned:1;
\tfield:int x;\toffset:70000;\tsize:4;\tsigned:1;
\tfield:int x;\toffset:8;
\tfield:int x[0];\toffset:8;\tsize:0;\tsigned:1;
\tfield:int []; offset:8; size:4;
\tfield:;;;:::",
            expect![[r#"
                x: 0 bytes at 8, Here, array of 4-byte signed
                thread: None
                left out: 6
            "#]],
        );
        assert_eq!(parse("s", b"name: e\nID: 8\n", 8, &|id| id == 7), None);
        assert_eq!(parse("s", b"", 8, &|_| true), None);
    }

    #[test]
    fn fields_beyond_the_limit_are_counted() {
        let line = "\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n";
        let text = format!("name: e\nID: 7\n{}", line.repeat(limits::PERF_FIELDS + 5));
        let format = parse("s", text.as_bytes(), 8, &|id| id == 7).unwrap();
        assert_eq!((format.fields.len(), format.left_out), (limits::PERF_FIELDS, 5));
    }
}
