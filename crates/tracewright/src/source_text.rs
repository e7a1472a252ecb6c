//! Source text: only files that a recorded class names, and only below the folders that the user gave.
//!
//! A class `shop.Baker` with the source file `Baker.java` asks for `shop/Baker.java` below each root. The names
//! come from the traced program, so their parts are checked before they touch the disk, and what they lead to,
//! links resolved, must still lie below the root. A root may be an archive (`-sources.jar`, `src.zip`); its
//! entries are only looked up by name, nothing is unpacked.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use formats::archive::Archive;
use model::code::{ClassId, CodeMap};

use crate::files::{Found, LazyFile};
use crate::input;

/// A longer file is not source text that somebody wants to read here.
const BYTES: u64 = 8 << 20;

/// The text of a class's source file, by line.
type Lines = Option<Arc<Vec<String>>>;

/// The roots, and what was read from them so far.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    roots: Vec<Root>,
    lines: Mutex<HashMap<ClassId, Lines>>,
}

/// Where source text may lie.
#[derive(Debug)]
enum Root {
    Folder(PathBuf),
    Archive(PathBuf, Archive),
}

impl Root {
    fn open(path: &Path) -> Option<Root> {
        let path = path.canonicalize().ok()?;
        if path.is_dir() {
            return Some(Root::Folder(path));
        }
        let archive = Archive::open(&bytes_of(&path)?)?;
        Some(Root::Archive(path, archive))
    }

    fn read(&self, relative: &Path) -> Option<String> {
        match self {
            Root::Folder(root) => read_below(root, relative),
            Root::Archive(path, archive) => {
                let text = archive.get(&bytes_of(path)?, relative.to_str()?, BYTES as usize)?;
                Some(String::from_utf8_lossy(&text).into_owned())
            }
        }
    }
}

fn bytes_of(path: &Path) -> Option<LazyFile> {
    let size = input::regular(path).ok()?.metadata().ok()?.len();
    Some(LazyFile::new(Found { path: path.to_owned(), size }, 0))
}

impl Sources {
    /// Below these roots; one that is not there, or is neither folder nor archive, is left out.
    pub(crate) fn new(roots: &[PathBuf]) -> Sources {
        let roots = roots.iter().filter_map(|root| Root::open(root)).collect();
        Sources { roots, ..Sources::default() }
    }

    /// Whether there is any root.
    pub(crate) fn is_some(&self) -> bool {
        !self.roots.is_empty()
    }

    /// The source of a class, if it is found.
    pub(crate) fn lines(&self, code: &CodeMap, class: ClassId) -> Lines {
        if let Some(known) = self.lines.lock().unwrap_or_else(PoisonError::into_inner).get(&class) {
            return known.clone();
        }
        let found = self.find(code, class).map(|text| Arc::new(text.lines().map(str::to_owned).collect()));
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).insert(class, found.clone());
        found
    }

    fn find(&self, code: &CodeMap, class: ClassId) -> Option<String> {
        let class = code.class(class)?;
        let relative = relative(&class.name, class.source_file.as_deref()?)?;
        self.roots.iter().find_map(|root| root.read(&relative))
    }
}

/// The path of a source file below a root; `None` if a name holds what no package or file name does.
fn relative(class: &str, file: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    if let Some((package, _)) = class.rsplit_once('.') {
        path.extend(package.split('.'));
    }
    path.push(file);
    let parts = path.components().count();
    let harmless = |part: &str| !part.is_empty() && !part.contains(['/', '\\', '\0', ':']) && part != "..";
    let wanted = class.rsplit_once('.').map_or(0, |(package, _)| package.split('.').count()) + 1;
    let named = class.split('.').all(harmless) && harmless(file);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    (named && plain && parts == wanted).then_some(path)
}

/// The text of a file below a folder, wherever links lead: outside of it there is nothing.
fn read_below(root: &Path, relative: &Path) -> Option<String> {
    let path = root.join(relative).canonicalize().ok()?;
    if !path.starts_with(root) {
        return None;
    }
    let mut bytes = Vec::new();
    input::regular(&path).ok()?.take(BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_the_program_lead_nowhere_else() {
        let good = relative("shop.sub.Baker$1", "Baker.java");
        assert_eq!(good, Some(PathBuf::from("shop/sub/Baker.java")));
        assert_eq!(relative("Main", "Main.java"), Some(PathBuf::from("Main.java")));
        for (class, file) in [
            ("shop.Baker", "../Baker.java"),
            ("shop.Baker", "/etc/passwd"),
            ("shop.Baker", ".."),
            ("shop.Baker", ""),
            ("shop.Baker", "a\\b"),
            ("shop.Baker", "C:x"),
            ("shop.Baker", "a\0b"),
            ("..Baker", "Baker.java"),
            ("/etc.Baker", "passwd"),
            ("a/../../etc.Baker", "passwd"),
        ] {
            assert_eq!(relative(class, file), None, "{class} {file}");
        }
    }

    #[test]
    fn a_link_out_of_the_root_is_not_followed() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let root = folder.join("src");
        std::fs::create_dir_all(root.join("shop")).unwrap();
        std::fs::write(folder.join("secret"), "secret").unwrap();
        std::fs::write(root.join("shop/Baker.java"), "class Baker {}").unwrap();
        std::os::unix::fs::symlink(folder.join("secret"), root.join("shop/Out.java")).unwrap();
        std::os::unix::fs::symlink(root.join("shop/Baker.java"), root.join("shop/In.java")).unwrap();
        let root = root.canonicalize().unwrap();
        assert_eq!(read_below(&root, Path::new("shop/Baker.java")).as_deref(), Some("class Baker {}"));
        assert_eq!(read_below(&root, Path::new("shop/In.java")).as_deref(), Some("class Baker {}"));
        assert_eq!(read_below(&root, Path::new("shop/Out.java")), None);
        assert_eq!(read_below(&root, Path::new("shop")), None);
    }
}
