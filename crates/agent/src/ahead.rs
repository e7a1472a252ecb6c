//! Loads classes before the program wants them: those that earlier runs had from the loader of the class path.
//!
//! A program begins on one thread, which waits for each class: until its file is found and unpacked, its
//! prepared form taken from the shelf, and the class defined. With the recorder that takes longer, and there is
//! mostly a processor to spare. So a thread of ours asks for the classes in the order of the earlier run; the
//! program finds them there, or goes on as ever. They are not linked here: with that the thread comes too late.
//!
//! Only classes from archives are: what lies in a folder may be one that the program is yet to write.
//! Nothing of the program runs in that thread. No class is initialised, and nobody but Java's own loader is
//! asked: where a loader of the program's, an agent in Java that changes classes or a security manager would be,
//! or where the JDK is recorded, no class is loaded ahead. What fails here fails again where the program asks for it.
//! One thing the program can see: reading an archive asks for identity hash codes, so which ones its own objects
//! get hangs on who came first. Java leaves them open, but a program that orders by them may go another way.

use std::ffi::{CStr, c_void};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use classfile::filters::{Filters, Loader};

use crate::ffi::{Jni, Jvmti, Ref, Value};
use crate::hooks::guard;
use crate::recorder::Agent;
use crate::recording::Recording;
use crate::transform::jdk_is_recorded;

/// The class of Java's own loader of the class path.
const BUILT_IN: &[u8] = b"Ljdk/internal/loader/ClassLoaders$AppClassLoader;";

/// What is in memory where an agent is written in Java.
const JAVA_AGENTS: &str = "/libinstrument.so";

/// The loader of the class path, if it is Java's own.
pub(crate) fn loader(agent: &Agent, jni: Jni) -> Option<Ref> {
    let loaders = jni.find_class(c"java/lang/ClassLoader")?;
    let loader = jni.call_static(loaders, c"getSystemClassLoader", c"()Ljava/lang/ClassLoader;")?;
    (agent.jvmti.class_signature(jni.class_of(loader))? == BUILT_IN).then_some(loader)
}

/// Starts the thread, if there is something for it to do.
pub(crate) fn spawn(agent: &'static Agent, jni: Jni) {
    let Some(recording) = agent.current() else { return };
    let has_processor = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
    let is_wanted = recording.shelf.as_ref().is_some_and(|shelf| !shelf.is_empty());
    if !is_wanted || !has_processor || may_record_loading(&recording.choices.filters) {
        return;
    }
    let Some(class) = jni.find_class(c"java/lang/Thread") else { return };
    let Some(thread) = jni.new_with_text(class, c"Tracewright classes") else { return };
    let _ = agent.jvmti.run_agent_thread(thread, body);
}

/// Whether what a loader of Java's own does may be recorded.
fn may_record_loading(filters: &Filters) -> bool {
    let own = ["jdk.internal.loader.BuiltinClassLoader", "sun.security.util.ManifestEntryVerifier"];
    jdk_is_recorded(filters) || own.iter().any(|name| filters.by_name(name, Loader::Jdk).is_ok())
}

extern "C" fn body(_: Jvmti, jni: Jni, _: *mut c_void) {
    guard((), |agent| {
        if let Some(recording) = agent.current() {
            let _ = load(agent, jni, &recording);
        }
    });
}

fn load(agent: &Agent, jni: Jni, recording: &Arc<Recording>) -> Option<()> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    if maps.contains(JAVA_AGENTS) {
        return None;
    }
    let loader = loader(agent, jni)?;
    let load_class =
        jni.getter(jni.class_of(loader), c"loadClass", c"(Ljava/lang/String;)Ljava/lang/Class;")?;
    let system = jni.find_class(c"java/lang/System")?;
    let folders = Folders::of(&agent.jvmti.property(c"java.class.path")?);
    for name in recording.shelf.as_ref()?.names() {
        if folders.have(&name) {
            continue;
        }
        let is_over = recording.is_over.load(Ordering::Acquire) || agent.is_over.load(Ordering::Acquire);
        let manager = c"()Ljava/lang/SecurityManager;";
        if is_over || jni.call_static(system, c"getSecurityManager", manager).is_some() {
            return None;
        }
        let name = jni.text(&name)?;
        if let Some(class) = jni.get(loader, load_class, Value { object: name }) {
            jni.delete_local(class);
        }
        jni.delete_local(name);
    }
    Some(())
}

/// The folders of a class path.
struct Folders(Vec<PathBuf>);

impl Folders {
    fn of(class_path: &str) -> Folders {
        // An empty entry means the folder in which the program was started.
        let entries = class_path.split(':').map(|entry| if entry.is_empty() { "." } else { entry });
        Folders(entries.map(PathBuf::from).filter(|entry| entry.is_dir()).collect())
    }

    /// Whether the class with this name lies in one.
    fn have(&self, name: &CStr) -> bool {
        let file = || name.to_str().map(|name| name.replace('.', "/") + ".class");
        !self.0.is_empty() && file().is_ok_and(|file| self.0.iter().any(|folder| folder.join(&file).exists()))
    }
}
