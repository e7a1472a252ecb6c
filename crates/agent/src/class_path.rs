//! Where Java's own loader finds the classes of a class path, as far as that is sure without asking it.
//!
//! ```text
//! a.jar:b.jar         its archives, in order; behind each those that its manifest names, and theirs; each once
//! shop.Baker          in the first of them that has shop/Baker.class
//! ```
//!
//! Nothing at all is said where a folder is among them, for it may have another class the next moment, or an archive
//! is not understood in every part that matters. Nothing is said of single classes that are signed, that there are
//! several of for several versions of Java, or that stand in one archive twice.
//! Source: the JAR file specification ("Class-Path", "Multi-release", "Signed JAR file", "JAR index").

use std::collections::hash_map::Entry as Known;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};

use formats::archive::{Directory, Entry};
use source::Source;

/// With more archives, or more entries in them, it would take too long to look.
const MOST_ARCHIVES: usize = 512;
const MOST_ENTRIES: usize = 200_000;
/// Bytes of a manifest, and of an index.
const MOST_TEXT: usize = 1 << 20;

const MANIFEST: &[u8] = b"META-INF/MANIFEST.MF";
const INDEX: &[u8] = b"META-INF/INDEX.LIST";
const VERSIONS: &[u8] = b"META-INF/versions/";
const META: &[u8] = b"META-INF/";
const SIGNATURES: [&[u8]; 4] = [b".SF", b".RSA", b".DSA", b".EC"];

/// The classes that somebody asked about.
#[derive(Debug)]
pub(crate) struct ClassPath {
    archives: Vec<PathBuf>,
    /// By name, as [`file_of`] gives it; `None`: it is there, but not surely as it stands there.
    classes: HashMap<Vec<u8>, Option<Place>>,
}

/// Where a class stands, and what stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of the archive.
    pub(crate) archive: usize,
    /// The crc32 of the class file, and its bytes.
    pub(crate) crc: u32,
    pub(crate) size: u32,
}

/// The file of a class in an archive. `name`: with dots.
fn file_of(name: &str) -> Vec<u8> {
    format!("{}.class", name.replace('.', "/")).into_bytes()
}

impl ClassPath {
    /// Looks for these classes (names with dots) in the archives of `class_path`, which is what the virtual machine
    /// calls `java.class.path`.
    pub(crate) fn search<'n>(class_path: &str, names: impl Iterator<Item = &'n str>) -> Option<ClassPath> {
        let wanted: HashSet<Vec<u8>> = names.map(file_of).collect();
        let mut found = ClassPath { archives: Vec::new(), classes: HashMap::with_capacity(wanted.len()) };
        let mut to_do: Vec<PathBuf> = Vec::new();
        for element in class_path.split(':').rev() {
            // An empty one is the folder in which the program was started. One that is not there is passed over.
            if element.is_empty() {
                return None;
            }
            to_do.extend(std::fs::canonicalize(element).ok());
        }
        let (mut seen, mut entries) = (HashSet::new(), 0);
        while let Some(path) = to_do.pop() {
            if !seen.insert(path.clone()) || !path.exists() {
                continue;
            }
            if !path.is_file() || seen.len() > MOST_ARCHIVES {
                return None;
            }
            let source = OnDisk(File::open(&path).ok()?);
            let directory = Directory::read(&source)?;
            let archive = found.archives.len();
            let about = About::of(&directory, archive, &wanted)?;
            entries += about.entries;
            if entries > MOST_ENTRIES {
                return None;
            }
            for (name, place) in about.classes {
                if let Known::Vacant(vacant) = found.classes.entry(name.to_owned()) {
                    vacant.insert(place.filter(|_| !about.is_signed));
                }
            }
            let text = |entry: Entry<'_>| String::from_utf8(entry.content(&source, MOST_TEXT)?).ok();
            let named =
                about.manifest.map_or(Some(Vec::new()), |manifest| named_by(&text(manifest)?, &path))?;
            // Up to version 17 of Java it counts in place of what the manifest names.
            if let Some(index) = about.index
                && !(named.is_empty() && is_of_itself(&text(index)?, &path))
            {
                return None;
            }
            to_do.extend(named.into_iter().rev());
            found.archives.push(path);
        }
        Some(found)
    }

    /// Where the class with this name (with dots) stands, if that is sure.
    pub(crate) fn find(&self, name: &str) -> Option<Place> {
        self.classes.get(&file_of(name)).copied().flatten()
    }

    /// The path of an archive, if a URL has the same.
    pub(crate) fn path(&self, archive: usize) -> Option<&str> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
        self.archives.get(archive)?.to_str().filter(|path| path.bytes().all(is_plain))
    }
}

/// What one archive has of the wanted classes.
struct About<'d> {
    entries: usize,
    manifest: Option<Entry<'d>>,
    index: Option<Entry<'d>>,
    is_signed: bool,
    classes: HashMap<&'d [u8], Option<Place>>,
}

impl<'d> About<'d> {
    /// `None` if there are two of what there can be only one of.
    fn of(directory: &'d Directory, archive: usize, wanted: &HashSet<Vec<u8>>) -> Option<About<'d>> {
        let (manifest, index, classes) = (None, None, HashMap::new());
        let mut about = About { entries: 0, manifest, index, is_signed: false, classes };
        for entry in directory.entries() {
            about.entries += 1;
            let Entry { name, crc, size, .. } = entry;
            if wanted.contains(name) {
                let place = Place { archive, crc, size };
                // Which of two Java takes is not written anywhere.
                about.classes.entry(name).and_modify(|place| *place = None).or_insert(Some(place));
                continue;
            }
            let only = match name {
                name if name.eq_ignore_ascii_case(MANIFEST) => Some(&mut about.manifest),
                name if name.eq_ignore_ascii_case(INDEX) => Some(&mut about.index),
                _ => None,
            };
            if let Some(only) = only {
                if only.replace(entry).is_some() {
                    return None;
                }
            } else if let Some(rest) = below(name, VERSIONS) {
                let plain = rest.iter().position(|&byte| byte == b'/').and_then(|at| rest.get(at + 1..));
                if let Some(plain) = plain.filter(|plain| wanted.contains(*plain)) {
                    about.classes.insert(plain, None);
                }
            } else if below(name, META).is_some() {
                about.is_signed |= SIGNATURES.iter().any(|end| ends_with(name, end));
            }
        }
        Some(about)
    }
}

/// What of a name is behind this beginning, in capitals or not.
fn below<'n>(name: &'n [u8], beginning: &[u8]) -> Option<&'n [u8]> {
    let (begins, rest) = name.split_at_checked(beginning.len())?;
    begins.eq_ignore_ascii_case(beginning).then_some(rest)
}

fn ends_with(name: &[u8], end: &[u8]) -> bool {
    let rest = name.len().checked_sub(end.len()).and_then(|at| name.get(at..));
    rest.is_some_and(|rest| rest.eq_ignore_ascii_case(end))
}

/// The archives that the manifest of the one at `path` names; `None` if one of them may be something else, or is
/// written in a way that more must be known for.
fn named_by(manifest: &str, path: &Path) -> Option<Vec<PathBuf>> {
    let text = with_line_feeds(manifest);
    // A line that begins with a space goes on with the one before. Behind an empty line other things are described.
    let text = text.split("\n\n").next()?.replace("\n ", "");
    let mut named = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else { continue };
        if !key.eq_ignore_ascii_case("Class-Path") {
            continue;
        }
        for element in value.split_ascii_whitespace() {
            let is_plain = |byte: u8| byte.is_ascii_graphic() && !b":%?#\\;".contains(&byte);
            // A name that ends so is one of a folder.
            if !element.bytes().all(is_plain) || element.ends_with('/') {
                return None;
            }
            named.push(without_dots(&path.parent()?.join(element))?);
        }
    }
    Some(named)
}

/// Whether an index names no other archive than the one that it stands in.
fn is_of_itself(index: &str, path: &Path) -> bool {
    let text = with_line_feeds(index);
    // Behind each empty line an archive, and what is in it.
    let named = text.split("\n\n").skip(1).filter_map(|part| part.trim_start().lines().next());
    let other = |name: &str| path.parent().and_then(|folder| std::fs::canonicalize(folder.join(name)).ok());
    let itself = std::fs::canonicalize(path).ok();
    named.filter_map(other).all(|other| Some(other) == itself)
}

fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The path without `.` and `..`, by its text, as URLs are put together.
fn without_dots(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => plain.pop().then_some(())?,
            part => plain.push(part),
        }
    }
    Some(plain)
}

/// An archive that was opened.
pub(crate) struct OnDisk(pub(crate) File);

impl Source for OnDisk {
    fn size(&self) -> u64 {
        self.0.metadata().map_or(0, |about| about.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        FileExt::read_at(&self.0, buffer, offset)
    }
}

#[cfg(test)]
mod tests;
