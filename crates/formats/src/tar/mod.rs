//! Archives of tar: what lies in them, one member after the other, from start to end.
//!
//! ```text
//! header      512 bytes: name 0..100, size 124..136, sum of all bytes 148..156, type 156, "ustar" 257..262,
//!             in the form of POSIX what stands before the name and a slash 345..500
//! content     as many bytes as the size says, filled up to 512
//! type        0 NUL 7   a file             5 D   a folder
//!             x         records about the next member, LENGTH KEY=VALUE: its path and size (pax)
//!             L         the name of the next member (GNU)        g K V   passed over
//!             others    links, devices, files with holes: refused
//! end         512 zeros, or the end of the file where a header would begin
//! ```
//!
//! Names that lead out of the folder into which an archive is unpacked are refused. How many bytes are unpacked is for
//! the caller to bound: [`Member::size`] is what the header says.

#[cfg(test)]
mod tests;

use std::io::{self, Read};

use crate::limits;

/// Headers, and what contents are filled up to.
const BLOCK: usize = 512;

/// Why an archive is not read to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What stands there is no part of an archive.
    #[error("the archive is damaged at byte {offset}: {what}")]
    Damaged {
        /// Bytes from the start of the archive.
        offset: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A member that is not unpacked, so nothing is.
    #[error("the archive holds `{name}`, {what}")]
    Refused {
        /// Its name, as far as it is text.
        name: String,
        /// Why.
        what: &'static str,
    },
    /// There are too many.
    #[error("the archive has more than {} members", limits::TAR_MEMBERS)]
    Members,
}

/// What a member is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Bytes.
    File,
    /// A place for others, with no bytes of its own.
    Folder,
}

/// A member of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Where it belongs: names of folders and its own with `/` between them, none of them empty, `.` or `..`. Of a folder
    /// it may be empty, which is the folder into which the archive is unpacked.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: Kind,
    /// How many bytes [`Archive`] gives when it is read.
    pub size: u64,
}

/// Whether an input that begins with these bytes is an archive.
pub fn begins(beginning: &[u8]) -> bool {
    beginning.first_chunk().is_some_and(is_header)
}

/// The sum of a header is right, and it says what it is: archives from before 1988 do not.
fn is_header(block: &[u8; BLOCK]) -> bool {
    // The sum is made with spaces in its own place.
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    let all = sum(block) - sum(&block[148..156]) + 8 * u64::from(b' ');
    block[257..262] == *b"ustar" && number(&block[148..156]) == Some(all)
}

/// A number in octal digits, or in bytes where it is too large for them (GNU).
fn number(field: &[u8]) -> Option<u64> {
    if let [0x80, high @ .., _, _, _, _, _, _, _, _] = field {
        let low = field.last_chunk::<8>()?;
        return high.iter().all(|byte| *byte == 0).then(|| u64::from_be_bytes(*low));
    }
    let is_filling = |byte: &u8| matches!(byte, b' ' | 0);
    let start = field.iter().position(|byte| !is_filling(byte)).unwrap_or(field.len());
    let (digits, rest) =
        field[start..].split_at(field[start..].iter().take_while(|byte| !is_filling(byte)).count());
    let text = std::str::from_utf8(digits).ok().filter(|_| rest.iter().all(is_filling))?;
    if text.is_empty() {
        Some(0)
    } else {
        u64::from_str_radix(text, 8).ok().filter(|_| !text.starts_with('+'))
    }
}

/// Text up to its first NUL.
fn text(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// What extra headers say about the next member.
#[derive(Default)]
struct Overrides {
    name: Option<Vec<u8>>,
    size: Option<u64>,
    has_holes: bool,
}

/// An archive that is read from start to end. [`Read`] gives the content of the member that came last.
#[derive(Debug)]
pub struct Archive<R> {
    bytes: R,
    /// Bytes that were read.
    at: u64,
    /// Bytes of the content that were not yet read, and those that fill it up.
    left: u64,
    filling: u64,
    members: usize,
    is_over: bool,
}

/// Begins to read an archive.
pub fn read(bytes: impl Read) -> Archive<impl Read> {
    Archive::new(bytes)
}

impl<R: Read> Archive<R> {
    fn new(bytes: R) -> Archive<R> {
        Archive { bytes, at: 0, left: 0, filling: 0, members: 0, is_over: false }
    }

    /// The next member, after whatever of the last was not read; `None` at the end.
    pub fn next_member(&mut self) -> Result<Option<Member>, Error> {
        let member = self.member();
        // Behind what is no header nothing can be trusted.
        self.is_over |= !matches!(member, Ok(Some(_)));
        member
    }

    fn member(&mut self) -> Result<Option<Member>, Error> {
        let mut overrides = Overrides::default();
        loop {
            let Some(block) = self.header()? else { return Ok(None) };
            self.members += 1;
            if self.members > limits::TAR_MEMBERS {
                return Err(Error::Members);
            }
            let kind = block[156];
            let size = number(&block[124..136]).ok_or_else(|| self.damaged("a size is not a number"))?;
            // What extra headers say is about a member, not about another extra header.
            let size =
                if matches!(kind, b'x' | b'g' | b'L' | b'K') { size } else { overrides.size.unwrap_or(size) };
            self.left = size;
            self.filling = size.wrapping_neg() % BLOCK as u64;
            match kind {
                b'x' => {
                    let records = self.whole()?;
                    pax(&records, &mut overrides)
                        .ok_or_else(|| self.damaged("a record about a member is cut"))?;
                }
                b'L' => overrides.name = Some(text(&self.whole()?).to_vec()),
                b'g' | b'K' | b'V' => self.skip()?,
                _ => return self.of_header(&block, overrides, size).map(Some),
            }
        }
    }

    /// The member of a header.
    fn of_header(&mut self, block: &[u8; BLOCK], overrides: Overrides, size: u64) -> Result<Member, Error> {
        let name = overrides.name.unwrap_or_else(|| {
            let (name, before) = (text(&block[..100]), text(&block[345..500]));
            // The form of GNU has something else there, and says so by a space.
            if block[262] != 0 || before.is_empty() { name.to_vec() } else { [before, name].join(&b'/') }
        });
        let refused = |what| {
            let name = String::from_utf8_lossy(&name).into_owned();
            Err(Error::Refused { name, what })
        };
        let kind = match block[156] {
            _ if overrides.has_holes => return refused("which has holes (a sparse file)"),
            b'0' | 0 if name.ends_with(b"/") => Kind::Folder,
            b'0' | 0 | b'7' => Kind::File,
            b'5' | b'D' => Kind::Folder,
            b'1' => return refused("which is a link to another member"),
            b'2' => return refused("which is a link"),
            b'3' | b'4' | b'6' => return refused("which is a device or a FIFO"),
            b'S' => return refused("which has holes (a sparse file)"),
            _ => return refused("which is neither a file nor a folder"),
        };
        if name.len() > limits::TAR_NAME {
            return Err(self.damaged("a name is longer than a system allows"));
        }
        if name.starts_with(b"/") {
            return refused("whose name is absolute");
        }
        let parts: Vec<&[u8]> =
            name.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b".")).collect();
        if parts.contains(&&b".."[..]) {
            return refused("whose name leads out of the archive");
        }
        if parts.len() > limits::TAR_DEPTH {
            return refused("which lies too deep in folders");
        }
        if name.contains(&0) || parts.is_empty() && kind == Kind::File {
            return refused("which is no name of a file");
        }
        if kind == Kind::Folder {
            self.skip()?;
        }
        let size = if kind == Kind::Folder { 0 } else { size };
        Ok(Member { name: parts.join(&b'/'), kind, size })
    }

    /// The next header; `None` at the end.
    fn header(&mut self) -> Result<Option<[u8; BLOCK]>, Error> {
        if self.is_over {
            return Ok(None);
        }
        self.skip()?;
        let mut block = Vec::with_capacity(BLOCK);
        self.bytes.by_ref().take(BLOCK as u64).read_to_end(&mut block)?;
        if block.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        let Some(block) = block.first_chunk().filter(|block| is_header(block)) else {
            return Err(self.damaged("a member should begin there"));
        };
        self.at += BLOCK as u64;
        Ok(Some(*block))
    }

    /// All of a content that is about the next member.
    fn whole(&mut self) -> Result<Vec<u8>, Error> {
        if self.left > limits::TAR_RECORDS {
            return Err(self.damaged("what is said about a member is too long"));
        }
        let mut bytes = vec![];
        self.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Passes over what is left of a member.
    fn skip(&mut self) -> Result<(), Error> {
        let (left, filling) = (self.left, self.filling);
        (self.left, self.filling) = (0, 0);
        let skipped = io::copy(&mut self.bytes.by_ref().take(left.saturating_add(filling)), &mut io::sink())?;
        self.at += skipped;
        // Some writers leave out what fills up the last content.
        if skipped < left { Err(self.damaged(CUT)) } else { Ok(()) }
    }

    fn damaged(&self, what: &'static str) -> Error {
        Error::Damaged { offset: self.at, what }
    }
}

/// The error of an archive that ends too early.
const CUT: &str = "it ends in the middle of a member";

impl<R: Read> Read for Archive<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let count = self.bytes.read(&mut buffer[..most])?;
        if count == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, self.damaged(CUT)));
        }
        self.left -= count as u64;
        self.at += count as u64;
        Ok(count)
    }
}

/// Takes what records say; `None` if one is not what it should be.
fn pax(mut records: &[u8], overrides: &mut Overrides) -> Option<()> {
    while !records.is_empty() {
        let space = records.iter().position(|byte| *byte == b' ')?;
        let length: usize = std::str::from_utf8(&records[..space]).ok()?.parse().ok()?;
        let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
        records = &records[length..];
        let equals = record.iter().position(|byte| *byte == b'=')?;
        let (key, value) = (&record[..equals], &record[equals + 1..]);
        match key {
            b"path" => overrides.name = Some(value.to_vec()),
            b"size" => overrides.size = Some(std::str::from_utf8(value).ok()?.parse().ok()?),
            key if key.starts_with(b"GNU.sparse.") => overrides.has_holes = true,
            _ => {}
        }
    }
    Some(())
}
