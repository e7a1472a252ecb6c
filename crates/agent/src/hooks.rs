//! What the virtual machine calls: it begins and ends, a thread ends, a class comes or has come.
//!
//! Nothing here lets a panic out: it ends the recording instead, and the program never knows.

use std::ffi::{c_char, c_int, c_uchar};

use capture::class_cache::instrumented::Ready;

use crate::classes::loaders::{self, Loaders};
use crate::classes::recorded::OneClass;
use crate::classes::recorder_class;
use crate::control::agent::{Agent, guard};
use crate::control::{client, server, tasks};
use crate::jvm::handles::Handles;
use crate::jvm::overflow::OverflowRecords;
use crate::jvm::{self, Callbacks, Event, Field, Jni, Jvmti, Ref, Value, names};

pub(crate) const CALLBACKS: Callbacks =
    Callbacks { vm_init, vm_death, thread_start, thread_end, class_file, class_prepare };

extern "C" fn vm_init(_: Jvmti, jni: Jni, _: Ref) {
    guard((), |agent| begin(agent, jni));
}

extern "C" fn vm_death(_: Jvmti, jni: Jni) {
    guard((), |agent| {
        agent.stop(jni, "the program ended", false);
        server::remove_socket();
        server::end(agent);
    });
}

extern "C" fn thread_end(_: Jvmti, jni: Jni, thread: Ref) {
    guard((), |agent| agent.thread_ended(jni, thread));
}

/// Of a platform thread or a virtual one.
extern "C" fn thread_start(_: Jvmti, jni: Jni, thread: Ref) {
    guard((), |agent| tasks::begin_thread(agent, jni, thread));
}

/// Defines the recorder's classes, starts the control thread, and the recording if one is wanted.
pub(crate) fn begin(agent: &'static Agent, jni: Jni) {
    let Some(java) = define(agent, jni) else { return };
    if agent.java.set(java).is_err() {
        return;
    }
    let _ = agent.jvmti.enable(Event::ThreadEnd, true);
    if agent.java.get().is_some_and(|java| java.virtual_class.is_some()) {
        let _ = agent.jvmti.enable(Event::VirtualThreadEnd, true);
    }
    if agent.choices.dir.is_some() && !agent.choices.is_paused {
        let mut choices = agent.choices.clone();
        if let Some(base) = choices.dir.as_ref().filter(|_| choices.many) {
            choices.dir = Some(client::free(base));
        }
        if let Err(error) = agent.start(jni, choices, None) {
            agent.terminal.report(&format!("nothing is recorded: {error}"));
        }
    }
    server::spawn(agent, jni);
}

fn define(agent: &Agent, jni: Jni) -> Option<Handles> {
    let recorder = jni.define_class(&recorder_class::recorder().ok()?)?;
    let buffers = c"[Ljava/lang/TracewrightRecorder;";
    let table = jni.static_object(recorder, c"TABLE", buffers)?;
    let thread = jni.find_class(c"java/lang/Thread")?;
    let loaders = jni.find_class(c"java/lang/ClassLoader")?;
    if let Some(platform) = jni.call_static(loaders, c"getPlatformClassLoader", c"()Ljava/lang/ClassLoader;")
    {
        Loaders::set_platform(agent.jvmti, platform);
    }
    let sentinel = jni.array_element(table, 0);
    // A native method is looked for when it is first called, by Java code of the JDK. Once that is
    // recorded it would need the method that it looks for.
    let buffer_of = c"(J)Ljava/lang/TracewrightRecorder;";
    let _ = jni.call_static_with(recorder, c"find", buffer_of, Value::Long(0));
    jni.call_static_long(recorder, c"full", c"(Ljava/lang/TracewrightRecorder;)J", Value::Object(sentinel));
    Some(Handles {
        buffer_class: jni.global(recorder),
        table: jni.global(table),
        sentinel: jni.global(sentinel),
        tid: jni.long_field(recorder, c"tid")?,
        thread: jni.object_field(recorder, c"thread", c"Ljava/lang/Thread;")?,
        cursor: jni.long_field(recorder, c"cursor")?,
        end: jni.long_field(recorder, c"end")?,
        at: jni.int_field(recorder, c"at")?,
        depth: jni.int_field(recorder, c"depth")?,
        activity: jni.int_field(recorder, c"activity")?,
        first_inside: jni.static_field(recorder, c"inside", c"Ljava/lang/Thread;")?,
        open: jni.static_field(recorder, c"open", c"I")?,
        others: jni.static_field(recorder, c"others", c"I")?,
        everywhere: jni.static_field(recorder, c"everywhere", c"I")?,
        passed: jni.static_field(recorder, c"passed", c"I")?,
        counts: jni.global(jni.static_object(recorder, c"COUNTS", c"[J")?),
        overflow: OverflowRecords::of(jni, recorder)?,
        thread_tid: jni.long_field(thread, c"tid")?,
        thread_class: jni.global(thread),
        park_blocker: jni.object_field(thread, c"parkBlocker", c"Ljava/lang/Object;"),
        owned_lock: owned_lock(jni),
        shared_lock: shared_lock(jni),
        delayed_class: jni.find_class(c"java/util/concurrent/Delayed").map(|class| jni.global(class)),
        virtual_class: jni.find_class(c"java/lang/BaseVirtualThread").map(|class| jni.global(class)),
    })
}

/// The locks of `java.util.concurrent` that know who holds them.
fn owned_lock(jni: Jni) -> Option<(Ref, Field)> {
    let class = jni.find_class(c"java/util/concurrent/locks/AbstractOwnableSynchronizer")?;
    let owner = jni.object_field(class, c"exclusiveOwnerThread", c"Ljava/lang/Thread;")?;
    Some((jni.global(class), owner))
}

/// The one of `java.util.concurrent` that knows one of those who hold it for reading.
fn shared_lock(jni: Jni) -> Option<(Ref, Field)> {
    let class = jni.find_class(c"java/util/concurrent/locks/ReentrantReadWriteLock$Sync")?;
    let reader = jni.object_field(class, c"firstReader", c"Ljava/lang/Thread;")?;
    Some((jni.global(class), reader))
}

extern "C" fn class_file(
    jvmti: Jvmti,
    jni: Jni,
    _: Ref,
    loader: Ref,
    name: *const c_char,
    domain: Ref,
    length: c_int,
    bytes: *const c_uchar,
    new_length: *mut c_int,
    new_bytes: *mut *mut c_uchar,
) {
    guard((), |agent| {
        let (name, bytes) = jvm::hook_input(name, length, bytes);
        let own;
        let name = match name {
            Some(name) => name,
            // It was defined without a name.
            None => {
                own = names::of_class_file(bytes);
                let Some(name) = &own else { return };
                name
            }
        };
        if let Some(followed) = followed(agent, loader, name, bytes) {
            let _ = jvm::hook_output(jvmti, &followed, |_| (), new_length, new_bytes);
            return;
        }
        instrument(agent, jni, (loader, domain), (name, bytes), |ready, first| {
            let number = |class: &mut [u8]| ready.number_from(class, first);
            // Without memory the class stays as it was; its description does no harm.
            let _ = jvm::hook_output(jvmti, ready.class, number, new_length, new_bytes);
        });
    });
}

extern "C" fn class_prepare(_: Jvmti, jni: Jni, _: Ref, class: Ref) {
    guard((), |agent| {
        let Some(recording) = agent.current() else { return };
        let Some(signature) = agent.jvmti.class_signature(class) else { return };
        if let Some(name) = names::of_hidden(&signature) {
            let loader = agent.jvmti.class_loader(class);
            let number = agent.loaders.number(agent.jvmti, loader);
            recording.classes.skip_hidden(&recording.output, &name, number);
            jni.delete_local(loader);
        }
    });
}

/// The class that follows tasks, in place of one that they go through; `None` for others.
fn followed(agent: &Agent, loader: Ref, name: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    let recording = agent.current()?;
    let name = names::dotted(name);
    if !recording.classes.follows(&name) {
        return None;
    }
    let number = agent.loaders.number(agent.jvmti, loader);
    recording.classes.follow(&recording.output, OneClass::new(name, bytes, number, None))
}

/// `give` is given the class that is to come instead, and its first number. `domain`: its protection domain.
fn instrument(
    agent: &Agent,
    jni: Jni,
    (loader, domain): (Ref, Ref),
    (name, bytes): (&[u8], &[u8]),
    give: impl FnOnce(Ready<'_>, u32),
) {
    let Some(recording) = agent.current() else { return };
    if recording.output.failure().is_some() {
        return;
    }
    let name = names::dotted(name);
    let number = agent.loaders.number(agent.jvmti, loader);
    let filters = &recording.classes.wanted.filters;
    if filters.by_name(&name, loaders::kind(number)).is_err() {
        return;
    }
    let origin = agent.origins.of(agent.jvmti, jni, domain);
    if origin.is_agent && filters.of_agent(&name).is_err() {
        return;
    }
    let class = OneClass::new(name, bytes, number, origin.location);
    recording.classes.come(&recording.output, &agent.ids, class, give);
    if recording.output.failure().is_some() {
        agent.give_up(String::new());
    }
}
