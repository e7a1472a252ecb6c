//! The inputs that fuzzing starts from: those of the corpus, and what the examples have to offer.

use std::path::{Path, PathBuf};

/// Kept inputs of the target, and whatever of the examples it can be fed with.
pub(crate) fn of(name: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut inputs = Vec::new();
    for file in files_below(&root.join("corpus")) {
        let folder = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let file_name = file.file_name().unwrap_or_default().to_string_lossy();
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let found = ::fuzz::corpus::corpus_input(&folder, &file_name, bytes);
        inputs.extend(found.filter(|(target, _)| *target == name).map(|(_, input)| input));
    }
    if name == "ctf_metadata" {
        for file in files_below(&root.join("examples/traces")) {
            let stream = std::fs::read(file.with_file_name("shop_0"));
            let (Ok(metadata), Ok(stream)) = (std::fs::read(&file), stream) else { continue };
            if file.file_name().is_some_and(|name| name == "metadata") {
                let start = &stream[..stream.len().min(8 << 10)];
                inputs.push(::fuzz::corpus::with_stream(&metadata, start));
            }
        }
    }
    inputs
}

/// In one order on every machine, so that a seed means the same everywhere.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
