//! Which files are traces: every file called `metadata` makes its folder one.

use crate::limits;
use source::{NamedSource, Source};

use super::ctf2;
use super::diagnostics::Defect;
use super::text::{Text, line_and_column};
use super::tsdl::Refusal;
use super::tsdl::metadata::Metadata;
use super::tsdl::{parse, parse_prefix};

/// The files of one trace.
#[derive(Debug)]
pub(super) struct Folder {
    /// Relative to what was opened; empty for that itself.
    pub(super) name: String,
    pub(super) metadata: NamedSource,
    /// By name.
    pub(super) streams: Vec<NamedSource>,
    /// What packets its streams should have; named after the stream.
    pub(super) indexes: Vec<NamedSource>,
}

/// The folders with metadata, by name. Files of other folders, other files of `index` folders than indexes, and
/// hidden files belong to no trace.
pub(super) fn folders(mut files: Vec<NamedSource>) -> Vec<Folder> {
    files.sort_by(|one, other| one.name.cmp(&other.name));
    let mut folders: std::collections::BTreeMap<String, Folder> = std::collections::BTreeMap::new();
    let mut others = Vec::new();
    for file in files {
        let (folder, name) = split(&file.name);
        if name == "metadata" {
            let name = folder.to_owned();
            let (streams, indexes) = (Vec::new(), Vec::new());
            folders.entry(name.clone()).or_insert(Folder { name, metadata: file, streams, indexes });
        } else if !name.starts_with('.') {
            others.push(file);
        }
    }
    for mut file in others {
        let (folder, name) = split(&file.name);
        match name.strip_suffix(".idx") {
            None => {
                if let Some(folder) = folders.get_mut(folder) {
                    folder.streams.push(file);
                }
            }
            Some(stream) => {
                let of = if folder == "index" { "" } else { folder.strip_suffix("/index").unwrap_or(folder) };
                let name = if of.is_empty() { stream.to_owned() } else { format!("{of}/{stream}") };
                if let Some(folder) = folders.get_mut(of) {
                    file.name = name;
                    folder.indexes.push(file);
                }
            }
        }
    }
    folders.into_values().collect()
}

/// Folder and name of a path.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// What is wrong with metadata.
#[derive(Debug)]
pub(super) struct Unusable {
    /// Bytes from the start of the file.
    pub(super) offset: u64,
    /// The same for people: line and column where there is text.
    pub(super) location: String,
    pub(super) sentence: String,
}

impl Unusable {
    fn at_byte(offset: u64, sentence: String) -> Unusable {
        Unusable { offset, location: format!("byte {offset}"), sentence }
    }

    pub(super) fn in_text(text: &Text, refusal: Refusal) -> Unusable {
        let location = line_and_column(&text.bytes, refusal.at);
        Unusable { offset: text.offset(refusal.at), location, sentence: refusal.sentence }
    }
}

/// Reads the metadata of a trace. The second part is a defect about metadata that is cut, but of
/// which the blocks before that can be used. The text goes along, for offsets.
pub(super) fn read_metadata(file: &NamedSource) -> Result<(Metadata, Text, Option<Defect>), Unusable> {
    let text = Text::new(bytes_of(&*file.source)?)
        .map_err(|refusal| Unusable::at_byte(refusal.at as u64, refusal.sentence))?;
    let is_version_2 = ctf2::is_sequence(&text.bytes);
    let Some((offset, what)) = &text.cut else {
        let parsed = if is_version_2 { ctf2::parse(&text.bytes) } else { parse(&text.bytes) };
        let metadata = parsed.map_err(|refusal| Unusable::in_text(&text, refusal))?;
        return Ok((metadata, text, None));
    };
    let (metadata, refusal) =
        if is_version_2 { ctf2::parse_prefix(&text.bytes) } else { parse_prefix(&text.bytes) };
    if metadata.trace.is_none() {
        return Err(Unusable::at_byte(*offset, what.clone()));
    }
    let more = match refusal {
        Some(refusal) => format!(" The rest of the text ends in a fault: {}", refusal.sentence),
        None => String::new(),
    };
    let what = format!("{what} What comes before it is used.{more}");
    let defect = Defect::damage("ctf-metadata-cut", *offset, what);
    Ok((metadata, text, Some(defect)))
}

pub(super) fn bytes_of(source: &dyn Source) -> Result<Vec<u8>, Unusable> {
    let size = source.size();
    if size > limits::CTF_METADATA {
        let what = format!("The metadata has {size} bytes, and at most {} are read.", limits::CTF_METADATA);
        return Err(Unusable::at_byte(0, what));
    }
    let mut bytes = vec![0; size as usize];
    let mut filled = 0;
    while let Some(space) = bytes.get_mut(filled..).filter(|space| !space.is_empty()) {
        match source.read_at(filled as u64, space) {
            Ok(0) => break,
            Ok(count) => filled += count.min(space.len()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                let what = format!("The metadata cannot be read: {error}.");
                return Err(Unusable::at_byte(filled as u64, what));
            }
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
