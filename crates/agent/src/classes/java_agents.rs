//! Classes that belong to agents that are written in Java (JaCoCo, OpenTelemetry): they are no part of the program,
//! so they are recorded only where an `--include` names them.
//!
//! A class is an agent's if it comes from an archive whose manifest says that it is one: see [`super::origins`]. Without an
//! agent in Java in the process nothing is checked. Classes of agents without an origin are recognized by their names, see
//! [`classfile::filters`].

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use formats::archive::Directory;
use source::Source;

use crate::jvm::Jvmti;
use crate::sys;

/// What is in memory where an agent is written in Java.
const LIBRARY: &std::ffi::CStr = c"libinstrument.so";

const MANIFEST: &[u8] = b"META-INF/MANIFEST.MF";
/// Bytes of a manifest.
const MOST: usize = 1 << 20;

/// Whether the classes of an archive are those of an agent.
pub(crate) fn have(jvmti: Jvmti, archive: Option<&str>) -> bool {
    archive.is_some_and(|archive| sys::is_loaded(LIBRARY) && is_agent(jvmti, Path::new(archive)))
}

fn is_agent(jvmti: Jvmti, archive: &Path) -> bool {
    // A program may be an agent, too; what is run is the program.
    let class_path = jvmti.property(c"java.class.path").unwrap_or_default();
    let program = class_path.split(':').next().unwrap_or_default();
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    if same(Path::new(program)).is_some_and(|program| Some(program) == same(archive)) {
        return false;
    }
    let Ok(file) = File::open(archive) else { return false };
    let source = OnDisk(file);
    let directory = Directory::read(&source);
    let entries = directory.iter().flat_map(Directory::entries);
    let entry = { entries }.find(|entry| entry.name.eq_ignore_ascii_case(MANIFEST));
    let manifest = entry.and_then(|entry| entry.content(&source, MOST));
    manifest.is_some_and(|manifest| names_agent(&manifest))
}

/// An archive that was opened.
struct OnDisk(File);

impl Source for OnDisk {
    fn size(&self) -> u64 {
        self.0.metadata().map_or(0, |about| about.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        FileExt::read_at(&self.0, buffer, offset)
    }
}

/// Whether a manifest says that its archive is an agent's.
fn names_agent(manifest: &[u8]) -> bool {
    let starts = |line: &[u8], key: &str| {
        line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key.as_bytes()))
    };
    let keys = ["Premain-Class:", "Agent-Class:", "Launcher-Agent-Class:"];
    manifest.split(|&byte| byte == b'\n').any(|line| keys.iter().any(|key| starts(line, key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_of_agents() {
        for (manifest, expected) in [
            ("Manifest-Version: 1.0\r\nPremain-Class: a.B\r\n", true),
            ("Manifest-Version: 1.0\nagent-class: a.B\n", true),
            ("Manifest-Version: 1.0\nMain-Class: a.B\n Premain-Class: a.B\n", false),
            ("", false),
        ] {
            assert_eq!(names_agent(manifest.as_bytes()), expected, "{manifest:?}");
        }
    }
}
