//! Where classes come from: folders and archives.
//!
//! That stands in the protection domain of a class, which all classes of an archive share: it is looked at once, and tagged.
//! Only fields are read, so no code of the program or of Java runs for this.

use std::collections::HashMap;
use std::sync::Arc;

use super::java_agents;
use crate::jvm::{Jni, Jvmti, Ref};
use crate::locks::{Lock, Rank};

/// Bytes of the text of an origin; longer ones are not kept.
const LONGEST: usize = 4096;
/// Origins that are kept apart. A program may make more protection domains than that, but has no more archives.
const MOST: usize = 1 << 16;

/// What the classes of a protection domain have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Origin {
    /// A folder, an archive, or a URL; `None` where the domain does not say.
    pub(crate) location: Option<Arc<str>>,
    /// They belong to an agent that is written in Java.
    pub(crate) is_agent: bool,
}

/// All that were met.
#[derive(Debug, Default)]
struct Known {
    origins: Vec<Origin>,
    /// The tag of a domain with this origin: its index, and 1.
    tags: HashMap<Origin, i64>,
}

impl Known {
    /// 0 where there are too many.
    fn tag_of(&mut self, origin: &Origin) -> i64 {
        if let Some(tag) = self.tags.get(origin) {
            return *tag;
        }
        if self.origins.len() >= MOST {
            return 0;
        }
        self.origins.push(origin.clone());
        let tag = self.origins.len() as i64;
        self.tags.insert(origin.clone(), tag);
        tag
    }
}

/// The origins of the classes of this process.
#[derive(Debug)]
pub(crate) struct Origins(Lock<Known>);

impl Default for Origins {
    fn default() -> Origins {
        Origins(Lock::new(Rank::Leaf, Known::default()))
    }
}

impl Origins {
    /// That of the classes of this protection domain; those of the virtual machine itself have none.
    pub(crate) fn of(&self, jvmti: Jvmti, jni: Jni, domain: Ref) -> Origin {
        if domain.is_null() {
            return Origin::default();
        }
        let tag = usize::try_from(jvmti.tag(domain)).unwrap_or(0);
        if let Some(index) = tag.checked_sub(1) {
            return self.0.lock().origins.get(index).cloned().unwrap_or_default();
        }
        let url = url(jni, domain);
        let file = url.as_ref().and_then(Url::file);
        let is_agent = java_agents::have(jvmti, file.as_deref());
        let text = file.or_else(|| url.map(|url| format!("{}:{}", url.protocol, url.path)));
        let location = text.filter(|text| text.len() <= LONGEST).map(Arc::from);
        let origin = Origin { location, is_agent };
        let tag = self.0.lock().tag_of(&origin);
        jvmti.set_tag(domain, tag);
        origin
    }
}

/// Where the classes of a protection domain come from, as Java has it.
struct Url {
    protocol: String,
    path: String,
}

impl Url {
    /// The path of a file or folder.
    fn file(&self) -> Option<String> {
        (self.protocol == "file").then(|| formats::control_text::decode(&self.path)).flatten()
    }
}

fn url(jni: Jni, domain: Ref) -> Option<Url> {
    let object = |of: Ref, name, kind| {
        let field = jni.object_field(jni.class_of(of), name, kind)?;
        let found = jni.get_object(of, field);
        (!found.is_null()).then_some(found)
    };
    if !jni.push_frame() {
        return None;
    }
    let found = (|| {
        let source = object(domain, c"codesource", c"Ljava/security/CodeSource;")?;
        let location = object(source, c"location", c"Ljava/net/URL;")?;
        let text = c"Ljava/lang/String;";
        let protocol = object(location, c"protocol", text)?;
        let path = object(location, c"path", text)?;
        Some(Url { protocol: jni.string(protocol)?, path: jni.string(path)? })
    })();
    jni.pop_frame();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_have_a_path() {
        let file = |protocol: &str, path: &str| Url { protocol: protocol.into(), path: path.into() }.file();
        assert_eq!(file("file", "/a%20b/c.jar").as_deref(), Some("/a b/c.jar"));
        assert_eq!(file("jar", "file:/app.jar!/BOOT-INF/classes!/"), None);
    }

    #[test]
    fn domains_of_one_archive_have_one_tag() {
        let mut known = Known::default();
        let origin = |path: &str| Origin { location: Some(path.into()), is_agent: false };
        let tags = ["a.jar", "b.jar", "a.jar"].map(|path| known.tag_of(&origin(path)));
        assert_eq!(tags, [1, 2, 1]);
        assert_eq!(known.origins, [origin("a.jar"), origin("b.jar")]);
    }
}
