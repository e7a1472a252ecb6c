//! What was worked out of a large input, cached in the user's cache folder so that opening it again is quick.
//!
//! ```text
//! "TWCACHE" version u16 | the bytes | hash of the bytes u64
//! ```
//!
//! The name of a file is a hash of where the input lies, of the size and time of each of its files, and of whatever
//! else the answer depends on; an input that changed gets another file. Whatever is damaged, cut, of another version or
//! cannot be written only costs time: the input is read instead. Whoever reads the bytes checks them too.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustc_hash::FxHasher;

/// To be raised when the same bytes would mean something else.
const VERSION: u16 = 1;
const HEAD: &[u8; 7] = b"TWCACHE";
const ENDING: &str = "cached";
/// Cached files, and their bytes together; the oldest go.
const MOST: usize = 20;
const MOST_BYTES: u64 = 4 << 30;

/// Where things are cached; `None`: nowhere.
#[derive(Debug, Clone, Default)]
pub struct Cache(Option<PathBuf>);

/// The file for one input.
#[derive(Debug)]
pub struct Entry(PathBuf);

impl Cache {
    /// That of the user.
    pub fn of_user() -> Cache {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        Cache(cache.map(|cache| cache.join("tracewright")))
    }

    /// A folder, for tests.
    pub fn at(folder: &Path) -> Cache {
        Cache(Some(folder.to_owned()))
    }

    /// The entry for what is made of `files`, which lie at or below `input`. `what` it is and whatever else it
    /// depends on is part of the name.
    pub fn entry<'f>(
        &self,
        input: &Path,
        files: impl IntoIterator<Item = &'f Path>,
        what: impl Hash,
    ) -> Option<Entry> {
        let mut hasher = FxHasher::default();
        (env!("CARGO_PKG_VERSION"), input.canonicalize().ok()?).hash(&mut hasher);
        for file in files {
            let about = fs::metadata(file).ok();
            let about = about.map(|about| (about.len(), about.mtime(), about.mtime_nsec(), about.ino()));
            // However the input was called: where it lies is part of the name already.
            (file.strip_prefix(input).unwrap_or(file), about).hash(&mut hasher);
        }
        what.hash(&mut hasher);
        let name = format!("{:016x}.{ENDING}", hasher.finish());
        Some(Entry(self.0.as_ref()?.join(name)))
    }
}

impl Entry {
    /// What is cached there, if it is whole.
    pub fn read(&self) -> Option<Vec<u8>> {
        let mut bytes = fs::read(&self.0).ok()?;
        let end = bytes.len().checked_sub(8)?;
        let hash = u64::from_le_bytes(bytes.get(end..)?.try_into().ok()?);
        bytes.truncate(end);
        let head = HEAD.len() + 2;
        let (start, body) = bytes.split_at_checked(head)?;
        if start != [&HEAD[..], &VERSION.to_le_bytes()].concat() || hash_of(body) != hash {
            return None;
        }
        bytes.drain(..head);
        Some(bytes)
    }

    /// Keeps `bytes`.
    pub fn write(&self, bytes: &[u8]) {
        let _ = self.try_write(bytes); // a full disk or a read-only home costs time, nothing else
    }

    fn try_write(&self, bytes: &[u8]) -> std::io::Result<()> {
        let Some(folder) = self.0.parent() else { return Ok(()) };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        forget_old(folder, bytes.len() as u64);
        // Whoever opens the same input meanwhile finds all of it or nothing.
        let new = self.0.with_extension(format!("new-{}", std::process::id()));
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        let mut write = || {
            file.write_all(HEAD)?;
            file.write_all(&VERSION.to_le_bytes())?;
            file.write_all(bytes)?;
            file.write_all(&hash_of(bytes).to_le_bytes())?;
            fs::rename(&new, &self.0)
        };
        let written = write();
        if written.is_err() {
            fs::remove_file(&new)?;
        }
        written
    }
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// Makes room for `more` bytes. What an earlier version cached, and what was left half written, goes too.
fn forget_old(folder: &Path, more: u64) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut cached: Vec<_> = entries
        .flatten()
        .filter_map(|entry| {
            let about = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            // The recorder's library: a script that is being recorded may yet start a program with it.
            if entry.file_name().as_encoded_bytes().starts_with(b"agent-") {
                return None;
            }
            Some((about.modified().ok()?, about.len(), entry.path()))
        })
        .collect();
    cached.sort();
    let mut bytes: u64 = cached.iter().map(|(_, size, _)| size).sum::<u64>().saturating_add(more);
    let mut count = cached.len() + 1;
    for (_, size, path) in cached {
        let is_ours = path.extension().is_some_and(|ending| ending == ENDING);
        if is_ours && count <= MOST && bytes <= MOST_BYTES {
            continue;
        }
        let is_being_written = !is_ours
            && fs::metadata(&path).and_then(|about| about.modified()).is_ok_and(|time| {
                time.elapsed().is_ok_and(|passed| passed < std::time::Duration::from_secs(3600))
            });
        if !is_being_written {
            let _ = fs::remove_file(path); // somebody else may have been quicker
            (count, bytes) = (count - 1, bytes.saturating_sub(size));
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;

    #[test]
    fn what_was_cached_is_found_until_the_input_or_the_question_changes() {
        let folder = tempdir().unwrap();
        let cache = Cache::at(&folder.path().join("cache"));
        let input = folder.path().join("trace.jsonl");
        fs::write(&input, "{}").unwrap();
        let entry = |what: &str| cache.entry(&input, [input.as_path()], what).unwrap();
        assert_eq!(entry("a").read(), None);
        entry("a").write(b"some bytes");
        assert_eq!(entry("a").read().as_deref(), Some(&b"some bytes"[..]));
        assert_eq!(entry("b").read(), None);
        let roundabout = folder.path().join("cache/../trace.jsonl");
        let same = cache.entry(&roundabout, [roundabout.as_path()], "a").unwrap();
        assert!(same.read().is_some(), "the same file by another name");
        fs::write(&input, "{} and more").unwrap();
        assert_eq!(entry("a").read(), None);
        assert!(Cache(None).entry(&input, [input.as_path()], "a").is_none());
    }

    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let folder = tempdir().unwrap();
        let entry = Entry(folder.path().join("x.cached"));
        entry.write(b"twelve bytes");
        let whole = fs::read(&entry.0).unwrap();
        assert!(entry.read().is_some());
        for byte in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[byte] ^= 4;
            fs::write(&entry.0, damaged).unwrap();
            assert_eq!(entry.read(), None, "byte {byte}");
            fs::write(&entry.0, &whole[..byte]).unwrap();
            assert_eq!(entry.read(), None, "cut at {byte}");
        }
    }

    #[test]
    fn only_the_newest_are_cached_and_nobody_else_may_look() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempdir().unwrap();
        let cache = folder.path().join("cache");
        fs::create_dir_all(&cache).unwrap();
        fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
        let library = cache.join("agent-0123456789abcdef.so");
        fs::write(&library, "of the recorder").unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        fs::File::options().write(true).open(&library).unwrap().set_modified(long_ago).unwrap();
        let entries: Vec<Entry> =
            (0..MOST + 3).map(|n| Entry(cache.join(format!("{n:02}.cached")))).collect();
        for (second, entry) in (1_000u64..).zip(&entries) {
            entry.write(b"x");
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(second);
            fs::File::options().write(true).open(&entry.0).unwrap().set_modified(time).unwrap();
        }
        let cached = entries.iter().map(|entry| entry.read().is_some()).collect::<Vec<_>>();
        assert_eq!(cached, [vec![false; 3], vec![true; MOST]].concat());
        assert!(library.exists(), "a script that is recorded may need it yet");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&cache), mode(&entries[MOST].0)), (0o700, 0o600));
    }
}
