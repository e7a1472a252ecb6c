//! Which classes belong to agents that are written in Java (JaCoCo, OpenTelemetry): they are no part of the program,
//! so they are recorded only where an `--include` names them.
//!
//! A class is an agent's if it comes from an archive whose manifest says that it is one. Where a class comes from
//! stands in its protection domain, which all classes of an archive share: it is looked at once, and tagged. Without
//! an agent in Java in the process nothing is looked at. Those of agents that say nothing of where they come from are
//! told by their names, see [`classfile::filters`].

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use formats::archive::Directory;
use source::Source;

use crate::jvm::{Jni, Jvmti, Ref};
use crate::sys;

/// Tags of protection domains that were looked at.
const PROGRAM: i64 = 1;
const AGENT: i64 = 2;

/// What is in memory where an agent is written in Java.
const LIBRARY: &std::ffi::CStr = c"libinstrument.so";

const MANIFEST: &[u8] = b"META-INF/MANIFEST.MF";
/// Bytes of a manifest.
const MOST: usize = 1 << 20;

/// Whether the classes of this protection domain are those of an agent.
pub(crate) fn have(jvmti: Jvmti, jni: Jni, domain: Ref) -> bool {
    if domain.is_null() {
        return false;
    }
    let mut tag = jvmti.tag(domain);
    if tag == 0 {
        let is_agent = sys::is_loaded(LIBRARY) && comes_from_agent(jvmti, jni, domain);
        tag = if is_agent { AGENT } else { PROGRAM };
        jvmti.set_tag(domain, tag);
    }
    tag == AGENT
}

fn comes_from_agent(jvmti: Jvmti, jni: Jni, domain: Ref) -> bool {
    let Some(archive) = archive(jni, domain) else { return false };
    // A program may be an agent, too; what is run is the program.
    let class_path = jvmti.property(c"java.class.path").unwrap_or_default();
    let program = class_path.split(':').next().unwrap_or_default();
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    if same(Path::new(program)).is_some_and(|program| Some(program) == same(&archive)) {
        return false;
    }
    let Ok(file) = File::open(&archive) else { return false };
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

/// The file that the classes of a protection domain come from. Only fields are read: no code runs for this.
fn archive(jni: Jni, domain: Ref) -> Option<PathBuf> {
    let object = |of: Ref, name, kind| {
        let field = jni.object_field(jni.class_of(of), name, kind)?;
        let found = jni.get_object(of, field);
        (!found.is_null()).then_some(found)
    };
    if !jni.push_frame() {
        return None;
    }
    let path = (|| {
        let source = object(domain, c"codesource", c"Ljava/security/CodeSource;")?;
        let location = object(source, c"location", c"Ljava/net/URL;")?;
        let text = c"Ljava/lang/String;";
        let protocol = object(location, c"protocol", text)?;
        let path = object(location, c"path", text)?;
        jni.is_text(protocol, "file").then(|| jni.string(path)).flatten()
    })();
    jni.pop_frame();
    plain(&path?)
}

/// The path of a URL without its `%`.
fn plain(path: &str) -> Option<PathBuf> {
    formats::control_text::decode(path).map(PathBuf::from)
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
        assert_eq!(plain("/a%20b/c.jar"), Some(PathBuf::from("/a b/c.jar")));
    }
}
