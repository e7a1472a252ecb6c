//! Inputs: every file that is read is opened here, by what it is.
//!
//! | | read from start to end: [`stream`], [`whole`] | read at any offset: [`file()`] |
//! |---|---|---|
//! | regular file | yes; holes cost next to nothing | yes |
//! | FIFO, `/dev/fd/N`, terminal, `/dev/null` | yes | refused |
//! | other devices, folders | refused | refused |
//! | compressed with gzip or zstd | decompressed | refused, with the command that decompresses it |
//!
//! What a reader needs at any offset and only comes once is copied: `copied.rs`.
//!
//! Errors are sentences that go on after `cannot open FILE: `. Whatever is refused is refused before a byte is read,
//! and nothing is read whole without a limit.

use std::fs::{self, File};
use std::io::{self, Chain, Cursor, IsTerminal, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use formats::compressed::Compression;
use rustix::fs::OFlags;
use source::Source;

use crate::copied::Copied;
use crate::numbers::grouped;
use crate::stdin;

/// Zeros that are handed out for a longer hole: more than any line or token may have, so that no reader
/// notices the difference.
const HOLE: u64 = 32 << 20;

/// Bytes that an input begins with, and the rest.
type Whole = Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>;

/// An input that is read from start to end.
pub(crate) struct Stream {
    /// What messages call it: its file name, or `stdin`.
    pub(crate) name: String,
    /// Its length in bytes; 0 where nobody knows.
    pub(crate) size: u64,
    /// How it is compressed; what is read is decompressed.
    pub(crate) compression: Option<Compression>,
    reader: Whole,
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stream").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl Stream {
    fn new(name: String, size: u64, mut bytes: Box<dyn Read + Send>) -> io::Result<Stream> {
        let first = first(&mut bytes, Compression::MAGIC)?;
        let compression = Compression::of(&first);
        let bytes = Cursor::new(first).chain(bytes);
        let (size, mut reader): (u64, Box<dyn Read + Send>) = match compression {
            None => (size, Box::new(bytes)),
            Some(compression) => (0, compression.undo(bytes)),
        };
        let first = peeked(&mut reader)?;
        Ok(Stream { name, size, compression, reader: Cursor::new(first).chain(reader) })
    }

    /// The bytes that it begins with: eight of text, a block of anything else, or more where more came at once.
    pub(crate) fn beginning(&self) -> &[u8] {
        self.reader.get_ref().0.get_ref()
    }
}

/// See [`Stream::beginning`]: as many are waited for, of what has zeros and so is no text that somebody types, and so many
/// are taken if they are there.
const PEEKED: [usize; 3] = [8, 512, 4096];

/// Reads what [`Stream::beginning`] shows.
fn peeked(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; PEEKED[2]];
    let mut count = 0;
    while count < PEEKED[0] || count < PEEKED[1] && bytes[..count].contains(&0) {
        match reader.read(&mut bytes[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(count);
    Ok(bytes)
}

/// Reads `count` bytes, or all there are.
fn first(reader: &mut impl Read, count: usize) -> io::Result<Vec<u8>> {
    let mut first = Vec::with_capacity(count);
    reader.take(count as u64).read_to_end(&mut first)?;
    Ok(first)
}

/// Opens what is read from start to end; `-` is standard input.
pub(crate) fn stream(path: &Path) -> io::Result<Stream> {
    if path.as_os_str() == "-" {
        return stdin::stream();
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let about = fs::metadata(path)?;
    if about.file_type().is_fifo() {
        // Waits for whoever writes to it.
        return Stream::new(name, 0, Box::new(File::open(path)?));
    }
    let file = open_at_once(path)?;
    refuse_device(&file)?;
    match file.metadata()? {
        about if about.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        about if about.is_file() => Stream::new(name, about.len(), Box::new(Sparse::new(file, about.len()))),
        _ => Stream::new(name, 0, Box::new(file)),
    }
}

/// Opens standard input by the same rules; a file may have been read in part.
pub(crate) fn standard() -> io::Result<Stream> {
    let stdin = File::from(rustix::io::dup(io::stdin())?);
    refuse_device(&stdin)?;
    Stream::new("stdin".into(), 0, Box::new(stdin))
}

/// What [`stream`] handed out, from its start on in a copy.
pub(crate) fn copied(name: String, copy: &Copied) -> io::Result<Stream> {
    let (size, bytes) = (copy.size(), Box::new(copy.reader()));
    Stream::new(name, size, bytes)
}

/// The same from the byte `position` on of what [`stream`] hands out.
pub(crate) fn stream_from(path: &Path, position: u64) -> io::Result<Stream> {
    let mut stream = stream(path)?;
    let about = fs::metadata(path)?;
    if stream.compression.is_none() && about.is_file() && about.blocks() * 512 >= about.len() {
        let mut file = open_at_once(path)?;
        file.seek(SeekFrom::Start(position))?;
        return Stream::new(stream.name, about.len(), Box::new(file));
    }
    io::copy(&mut stream.by_ref().take(position), &mut io::sink())?;
    Ok(stream)
}

/// Reads all of an input that may have `most` bytes, decompressed; a file that has more is not begun with.
pub(crate) fn whole(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let too_long = || io::Error::other(format!("it has more than {} bytes", grouped(most)));
    let mut stream = stream(path)?;
    if stream.size > most {
        return Err(too_long());
    }
    let mut bytes = Vec::new();
    stream.by_ref().take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long()) } else { Ok(bytes) }
}

/// The same for text in UTF-8.
pub(crate) fn whole_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(whole(path, most)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        io::Error::other(format!("it is no text: byte {} is not UTF-8", grouped(offset as u64)))
    })
}

/// Opens a file that is read at any offset: a regular file, not compressed.
pub(crate) fn file(path: &Path) -> io::Result<File> {
    let file = regular(path)?;
    match Compression::of(&first(&mut &file, Compression::MAGIC)?) {
        Some(compression) => Err(io::Error::other(compression.advice())),
        None => Ok(file),
    }
}

/// Opens a regular file, whatever it holds; nothing else is opened, whatever took its place.
pub(crate) fn regular(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    let about = file.metadata()?;
    let kind = about.file_type();
    if kind.is_file() {
        return Ok(file);
    }
    refuse_device(&file)?;
    Err(match kind.is_dir() {
        true => io::ErrorKind::IsADirectory.into(),
        false => io::Error::other(format!("it is {}, which cannot be read at any offset", called(kind))),
    })
}

/// Opens without waiting: a FIFO would wait for its other end, a device for its line.
fn open_at_once(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits() as i32).open(path)
}

/// Refuses devices, most of which have no end, except the terminal and `/dev/null`.
fn refuse_device(file: &File) -> io::Result<()> {
    let about = file.metadata()?;
    let is_null = rustix::fs::major(about.rdev()) == 1 && rustix::fs::minor(about.rdev()) == 3;
    let kind = about.file_type();
    let is_device = kind.is_block_device() || kind.is_char_device();
    if !is_device || is_null || file.is_terminal() {
        return Ok(());
    }
    Err(io::Error::other(format!("it is {}", called(kind))))
}

fn called(kind: fs::FileType) -> &'static str {
    match kind {
        kind if kind.is_block_device() => "a block device",
        kind if kind.is_char_device() => "a character device",
        kind if kind.is_fifo() => "a FIFO (named pipe)",
        kind if kind.is_socket() => "a socket",
        _ => "not a regular file",
    }
}

/// A regular file from start to end, of whose holes at most [`HOLE`] zeros each are handed out.
struct Sparse {
    file: File,
    size: u64,
    at: u64,
    /// Where the present segment of data ends.
    data_end: u64,
}

impl Sparse {
    fn new(file: File, size: u64) -> Sparse {
        Sparse { file, size, at: 0, data_end: 0 }
    }

    /// Comes to the next data, or to the last zeros of a hole before it.
    fn skip_hole(&mut self) -> io::Result<()> {
        use rustix::fs::{SeekFrom::Data, SeekFrom::Hole, seek};
        let data = match seek(&self.file, Data(self.at)) {
            Ok(data) => data,
            // Nothing but a hole up to the end, as long as the file does not grow.
            Err(rustix::io::Errno::NXIO) => self.size.max(self.at),
            // Not every file system knows its holes.
            Err(_) => self.at,
        };
        self.at = data.saturating_sub(HOLE).max(self.at);
        self.data_end = seek(&self.file, Hole(data)).ok().filter(|end| *end > data).unwrap_or(u64::MAX);
        self.file.seek(SeekFrom::Start(self.at))?;
        Ok(())
    }
}

impl Read for Sparse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.data_end {
            self.skip_hole()?;
        }
        // Not into the next hole.
        let most = usize::try_from(self.data_end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = most.min(buffer.len());
        let count = self.file.read(&mut buffer[..most])?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tempfile::NamedTempFile;

    use super::*;

    fn all(path: &Path) -> Vec<u8> {
        let mut bytes = vec![];
        stream(path).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn holes_are_read_as_zeros_but_not_more_than_anybody_looks_at() {
        let (mut file, path) = NamedTempFile::new().unwrap().into_parts();
        file.write_all(b"first\n").unwrap();
        file.seek(SeekFrom::Start(10 << 30)).unwrap();
        file.write_all(b"\nlast\n").unwrap();
        file.set_len(20 << 30).unwrap();
        let bytes = all(&path);
        assert!(bytes.starts_with(b"first\n\0") && bytes.ends_with(&[0; 4096]));
        let text: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        assert_eq!(text, b"first\n\nlast\n");
        let zeros = (bytes.len() - text.len()) as u64;
        assert!((2 * HOLE..2 * HOLE + (1 << 20)).contains(&zeros), "{zeros}");
        let mut rest = vec![];
        let position = bytes.iter().rposition(|byte| *byte == b'l').unwrap() as u64;
        stream_from(&path, position).unwrap().take(5).read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"last\n");
    }

    #[test]
    fn a_file_without_holes_is_itself() {
        let path = NamedTempFile::new().unwrap().into_temp_path();
        let bytes: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        fs::write(&path, &bytes).unwrap();
        assert_eq!(all(&path), bytes);
        assert_eq!(whole(&path, bytes.len() as u64).unwrap(), bytes);
        assert!(whole(&path, bytes.len() as u64 - 1).is_err());
        let mut rest = vec![];
        stream_from(&path, 799_000).unwrap().read_to_end(&mut rest).unwrap();
        assert_eq!(rest, bytes[799_000..]);
    }
}
