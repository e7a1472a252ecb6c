//! Loads classes before the program wants them: those that earlier runs had from the loader of the class path.
//!
//! A program begins on one thread, which waits for each class: until its file is found and unpacked, its
//! prepared form taken from the shelf, and the class defined. With the recorder that takes longer, and there is
//! mostly a processor to spare. So a thread of ours asks for the classes in the order of the earlier run; the
//! program finds them there, or goes on as ever. They are not linked here: with that the thread comes too late.
//!
//! Only classes from archives are: what lies in a folder may be one that the program is yet to write.
//! Those that were kept and are surely the same are defined without the loader, `ahead/direct.rs`.
//!
//! Nothing of the program runs in that thread. No class is initialised, and nobody but Java's own loader is
//! asked: where a loader of the program's, an agent in Java that changes classes or a security manager would be,
//! or where the JDK is recorded, no class is loaded ahead. What fails here fails again where the program asks for it.
//! One thing the program can see: reading an archive asks for identity hash codes, so which ones its own objects
//! get hangs on who came first. Java leaves them open, but a program that orders by them may go another way.

mod direct;

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use classfile::filters::{Filters, Loader};

use crate::ffi::{Jni, Jvmti, Ref, Value};
use crate::hooks::guard;
use crate::recorder::Agent;
use crate::recording::Recording;
use crate::transform::jdk_is_recorded;
use direct::Direct;

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
    let shelf = recording.shelf.as_ref()?;
    let listed = shelf.listed();
    let mut direct = Direct::new((agent.jvmti, jni), loader, shelf, &listed);
    for listed in listed.iter().filter(|listed| !folders.have(&listed.name)) {
        let is_over = recording.is_over.load(Ordering::Acquire) || agent.is_over.load(Ordering::Acquire);
        if is_over || !jni.push_frame() {
            return None;
        }
        let manager = c"()Ljava/lang/SecurityManager;";
        let is_managed = jni.call_static(system, c"getSecurityManager", manager).is_some();
        if !is_managed && !direct.as_mut().is_some_and(|direct| direct.define(listed)) {
            let name = CString::new(listed.name.as_str()).ok().and_then(|name| jni.text(&name));
            let class = name.and_then(|name| jni.get(loader, load_class, [Value { object: name }]));
            if let (Some(direct), Some(class)) = (&mut direct, class) {
                direct.learn(listed, class);
            }
        }
        jni.pop_frame();
        if is_managed {
            return None;
        }
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
    fn have(&self, name: &str) -> bool {
        let file = || name.replace('.', "/") + ".class";
        !self.0.is_empty() && self.0.iter().any(|folder| folder.join(file()).exists())
    }
}
