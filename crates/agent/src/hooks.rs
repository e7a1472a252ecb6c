//! What the virtual machine calls: it begins and ends, a thread ends, a class comes or has come.
//!
//! Nothing here lets a panic out: it ends the recording instead, and the program never knows.

use std::ffi::{c_char, c_int, c_uchar};
use std::panic::{AssertUnwindSafe, catch_unwind};

use classfile::ClassFile;
use classfile::filters::Loader;
use classfile::modified_utf8::to_text;

use crate::client;
use crate::control;
use crate::ffi::{self, Callbacks, Event, Jni, Jvmti, Ref, Value};
use crate::java_agents;
use crate::notes::Notes;
use crate::prepared::Ready;
use crate::recorder::{Agent, Java, agent, lock};
use crate::recorder_class;
use crate::recording::{OneClass, Recording, Room, Told};
use crate::shelf::Kept;
use crate::sum;
use crate::transform::{self, Not};

/// The number of the platform's class loader; program loaders have higher ones.
pub(crate) const PLATFORM_LOADER: i64 = 1;

pub(crate) const CALLBACKS: Callbacks =
    Callbacks { vm_init, vm_death, thread_end, class_file, class_prepare };

/// Runs our code for the virtual machine. A panic ends the recording, and gives `otherwise`.
pub(crate) fn guard<T>(otherwise: T, body: impl FnOnce(&'static Agent) -> T) -> T {
    let Some(agent) = agent() else { return otherwise };
    match catch_unwind(AssertUnwindSafe(|| body(agent))) {
        Ok(result) => result,
        Err(_) => {
            let said = lock(&agent.panic).take().unwrap_or_default();
            let _ = catch_unwind(|| agent.give_up(format!("the recorder failed: {said}")));
            otherwise
        }
    }
}

extern "C" fn vm_init(_: Jvmti, jni: Jni, _: Ref) {
    guard((), |agent| begin(agent, jni));
}

extern "C" fn vm_death(_: Jvmti, jni: Jni) {
    guard((), |agent| {
        agent.stop(jni, "the program ended", false);
        control::remove_socket();
        control::end(agent);
    });
}

extern "C" fn thread_end(_: Jvmti, jni: Jni, thread: Ref) {
    guard((), |agent| agent.thread_ended(jni, thread));
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
            agent.terminal.tell(&format!("nothing is recorded: {error}"));
        }
    }
    control::spawn(agent, jni);
}

fn define(agent: &Agent, jni: Jni) -> Option<Java> {
    let recorder = jni.define_class(&recorder_class::recorder().ok()?)?;
    let buffers = c"[Ljava/lang/TracewrightRecorder;";
    let table = jni.static_object(recorder, c"TABLE", buffers)?;
    let thread = jni.find_class(c"java/lang/Thread")?;
    let loaders = jni.find_class(c"java/lang/ClassLoader")?;
    if let Some(platform) = jni.call_static(loaders, c"getPlatformClassLoader", c"()Ljava/lang/ClassLoader;")
    {
        agent.jvmti.set_tag(platform, PLATFORM_LOADER);
    }
    let nobody = jni.array_element(table, 0);
    // A native method is looked for when it is first called, by Java code of the JDK. Once that is
    // recorded it would need the method that it looks for.
    let buffer_of = c"(J)Ljava/lang/TracewrightRecorder;";
    let _ = jni.call_static_with(recorder, c"find", buffer_of, Value { long: 0 });
    jni.call_static_long(recorder, c"full", c"(Ljava/lang/TracewrightRecorder;)J", Value { object: nobody });
    Some(Java {
        buffer_class: jni.global(recorder),
        table: jni.global(table),
        nobody: jni.global(nobody),
        tid: jni.long_field(recorder, c"tid")?,
        thread: jni.object_field(recorder, c"thread", c"Ljava/lang/Thread;")?,
        cursor: jni.long_field(recorder, c"cursor")?,
        end: jni.long_field(recorder, c"end")?,
        at: jni.int_field(recorder, c"at")?,
        notes: Notes::of(jni, recorder)?,
        thread_tid: jni.long_field(thread, c"tid")?,
        virtual_class: jni.find_class(c"java/lang/BaseVirtualThread").map(|class| jni.global(class)),
    })
}

/// Our number for a class loader: 0 for the virtual machine's own, 1 as above, then in the order of meeting.
pub(crate) fn loader_number(agent: &Agent, loader: Ref) -> u32 {
    if loader.is_null() {
        return 0;
    }
    let mut last = lock(&agent.last_loader);
    let mut tag = agent.jvmti.tag(loader);
    if tag == 0 {
        *last += 1;
        tag = *last;
        agent.jvmti.set_tag(loader, tag);
    }
    u32::try_from(tag).unwrap_or(u32::MAX)
}

pub(crate) fn loader_kind(number: u32) -> Loader {
    if i64::from(number) <= PLATFORM_LOADER { Loader::Jdk } else { Loader::Program }
}

/// A name of modified UTF-8 with slashes, as people write it.
pub(crate) fn dotted(name: &[u8]) -> String {
    let mut name = to_text(name).into_bytes();
    name.iter_mut().filter(|byte| **byte == b'/').for_each(|byte| *byte = b'.');
    // A byte of ASCII for another leaves it UTF-8.
    String::from_utf8(name).unwrap_or_default()
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
        let (name, bytes) = ffi::hook_input(name, length, bytes);
        let own;
        let name = match name {
            Some(name) => name,
            // It was defined without saying what it is called.
            None => {
                own = own_name(bytes);
                let Some(name) = &own else { return };
                name
            }
        };
        instrument(agent, jni, (loader, domain), (name, bytes), |ready, first| {
            let number = |class: &mut [u8]| ready.number_from(class, first);
            // Without memory the class stays as it was; its description does no harm.
            let _ = ffi::hook_output(jvmti, ready.class, number, new_length, new_bytes);
        });
    });
}

/// The name that a class file gives its class; `None` for one that the virtual machine refuses, too.
fn own_name(bytes: &[u8]) -> Option<Vec<u8>> {
    let class = ClassFile::parse(bytes).ok()?;
    class.constant_pool.class_name(class.this_class).ok().map(<[u8]>::to_vec)
}

extern "C" fn class_prepare(_: Jvmti, jni: Jni, _: Ref, class: Ref) {
    guard((), |agent| {
        let Some(recording) = agent.current() else { return };
        let Some(signature) = agent.jvmti.class_signature(class) else { return };
        if let Some(name) = hidden(&signature) {
            let loader = agent.jvmti.class_loader(class);
            skip_hidden(agent, &recording, &name, loader);
            jni.delete_local(loader);
        }
    });
}

/// The name with dots that a hidden class was given in its class file. In its signature, and in no other, there is a
/// dot, with a number of the virtual machine's behind it: `Lshop/Baker.0x0000000800c03000;`.
pub(crate) fn hidden(signature: &[u8]) -> Option<String> {
    let name = signature.strip_prefix(b"L")?.strip_suffix(b";")?;
    let dot = name.iter().rposition(|&byte| byte == b'.')?;
    name.get(..dot).map(dotted)
}

/// The recording is to say that a hidden class is not recorded, if it would be otherwise. Lambdas are among them.
pub(crate) fn skip_hidden(agent: &Agent, recording: &Recording, name: &str, loader: Ref) {
    let loader = loader_number(agent, loader);
    if recording.choices.filters.by_name(name, loader_kind(loader)).is_ok() {
        recording.hidden(name, loader);
    }
}

/// `give` is told of the class that is to come instead, and of its first number. `domain`: its protection domain.
fn instrument(
    agent: &Agent,
    jni: Jni,
    (loader, domain): (Ref, Ref),
    (name, bytes): (&[u8], &[u8]),
    give: impl FnOnce(Ready<'_>, u32),
) {
    let Some(recording) = agent.current() else { return };
    if recording.failure().is_some() {
        return;
    }
    let name = dotted(name);
    let number = loader_number(agent, loader);
    if recording.choices.filters.by_name(&name, loader_kind(number)).is_err() {
        return;
    }
    if java_agents::have(agent, jni, domain) && recording.choices.filters.of_agent(&name).is_err() {
        return;
    }
    let sum = sum::with_bytes(sum::with_bytes([0, 0], name.as_bytes()), bytes);
    let class = OneClass { bytes, name, sum, loader: number };
    match recording.with_room(|room| told(agent, &recording, &class, room, give)) {
        Ok(()) if recording.failure().is_some() => agent.give_up(String::new()),
        Ok(()) => {}
        Err(reason) => recording.left_alone(class.name, reason),
    }
}

/// Says what the class is, gives the other one, and leaves the rest to the writer.
fn told(
    agent: &Agent,
    recording: &Recording,
    class: &OneClass<'_>,
    Room { entry, frame }: &mut Room,
    give: impl FnOnce(Ready<'_>, u32),
) -> Result<(), String> {
    if let Some(Kept { ready, file }) = recording.kept(class.sum, entry) {
        let Some(ready) = ready.filter(|ready| !ready.is_nothing()) else { return Ok(()) };
        if let Told::As { first, new_at } = recording.class(&agent.ids, class, &ready, frame)? {
            if let Some(class_at) = new_at {
                recording.kept_class_file(class_at, file);
            }
            give_if_changed(ready, first, give);
        }
        return Ok(());
    }
    let prepared = match transform::class(class.wish(&recording.choices)) {
        Ok(prepared) => prepared,
        Err(Not::Wanted) => {
            recording.not_wanted(class);
            return Ok(());
        }
        Err(Not::Possible(reason)) => return Err(reason),
    };
    let ready = prepared.ready();
    if ready.is_nothing() {
        recording.not_wanted(class);
    } else if let Told::As { first, new_at } = recording.class(&agent.ids, class, &ready, frame)? {
        give_if_changed(ready, first, give);
        if let Some(class_at) = new_at {
            recording.class_file(class_at, class, prepared);
        }
    }
    Ok(())
}

fn give_if_changed(ready: Ready<'_>, first: u32, give: impl FnOnce(Ready<'_>, u32)) {
    if !ready.class.is_empty() {
        give(ready, first);
    }
}
