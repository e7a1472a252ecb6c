//! Which target a kept file is for, by where it lies under `corpus/`. Reads nothing itself.

/// The target of the file `folder/file`, and the input that its bytes make; `None` for texts about
/// the corpus and for folders that belong to nobody.
///
/// A folder is called like its target. `ctf/` is shared by both CTF targets, by the end of the name:
/// `.stream` is a stream, `.metadata` is metadata without one, `.both` is already an input.
pub fn corpus_input(folder: &str, file: &str, bytes: Vec<u8>) -> Option<(&'static str, Vec<u8>)> {
    let (_, end) = file.rsplit_once('.').unwrap_or((file, ""));
    let (target, input) = match (folder, end) {
        (_, "md") => return None,
        ("ctf", "stream") => ("ctf_stream", bytes),
        ("ctf", "both") => ("ctf_metadata", bytes),
        ("ctf", "metadata") => ("ctf_metadata", with_stream(&bytes, &[])),
        (folder, _) => (folder, bytes),
    };
    crate::TARGETS.iter().find(|known| known.0 == target).map(|known| (known.0, input))
}

/// The input of `ctf_metadata` that metadata and a stream make: length, metadata, stream.
pub fn with_stream(metadata: &[u8], stream: &[u8]) -> Vec<u8> {
    let len = u32::try_from(metadata.len()).unwrap_or(u32::MAX);
    [&len.to_le_bytes(), metadata, stream].concat()
}
