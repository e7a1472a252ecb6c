//! JVMTI: queries to the virtual machine about itself, its classes, threads and stacks.
//!
//! What a function here returns is a copy; the machine's own memory is given back before.

use std::ffi::{CStr, c_char, c_int, c_uchar};
use std::ptr::{null, null_mut};

use super::jvmti_tables::{
    ClassFileHook, EventCallbacks, ExtensionCall, ExtensionFunction, Frame, LineEntry, Method, MonitorUsage,
    StackInfo, ThreadBody, ThreadInfo,
};
use super::{Jni, Jvmti, Ref};

/// Calls a function of the table.
macro_rules! call {
    ($jvmti:expr, $function:ident $(, $argument:expr)*) => {{
        let env = $jvmti.0;
        ((**env).$function)(env $(, $argument)*)
    }};
}

/// An error number of JVMTI, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) c_int);

fn checked(error: c_int) -> Result<(), Refused> {
    if error == 0 { Ok(()) } else { Err(Refused(error)) }
}

/// The events that we ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    VmInit = 50,
    VmDeath = 51,
    ThreadStart = 52,
    ThreadEnd = 53,
    ClassFileLoadHook = 54,
    ClassPrepare = 56,
    VirtualThreadStart = 87,
    VirtualThreadEnd = 88,
}

/// The functions that the virtual machine calls.
#[derive(Clone, Copy)]
pub(crate) struct Callbacks {
    pub(crate) vm_init: extern "C" fn(Jvmti, Jni, Ref),
    pub(crate) vm_death: extern "C" fn(Jvmti, Jni),
    pub(crate) thread_end: extern "C" fn(Jvmti, Jni, Ref),
    pub(crate) thread_start: extern "C" fn(Jvmti, Jni, Ref),
    pub(crate) class_file: ClassFileHook,
    /// env, jni, thread, class.
    pub(crate) class_prepare: extern "C" fn(Jvmti, Jni, Ref, Ref),
}

/// The function of HotSpot that knows which virtual thread a thread of the system carries.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VirtualThreadOf(ExtensionCall);

const VIRTUAL_THREAD_FUNCTION: &CStr = c"com.sun.hotspot.functions.GetVirtualThread";

/// Capability bits.
const CAN_TAG_OBJECTS: u32 = 0;
const CAN_GET_CURRENT_CONTENDED_MONITOR: u32 = 6;
const CAN_GET_MONITOR_INFO: u32 = 7;
const CAN_GET_LINE_NUMBERS: u32 = 12;
const CAN_GET_THREAD_CPU_TIME: u32 = 23;
const CAN_GENERATE_ALL_CLASS_HOOK_EVENTS: u32 = 26;
const CAN_RETRANSFORM_CLASSES: u32 = 37;
const CAN_SUPPORT_VIRTUAL_THREADS: u32 = 44;

/// Bits of a thread's state.
pub(crate) mod thread_state {
    pub(crate) const RUNNABLE: i32 = 0x4;
    pub(crate) const WITH_TIMEOUT: i32 = 0x20;
    pub(crate) const SLEEPING: i32 = 0x40;
    pub(crate) const BLOCKED: i32 = 0x400;
}

impl Jvmti {
    /// Asks for what the recorder needs. Answers whether there are events of virtual threads.
    pub(crate) fn add_capabilities(self) -> Result<bool, Refused> {
        let mut can = [0_u32; 4];
        checked(unsafe { call!(self, get_potential_capabilities, &raw mut can) })?;
        let bit = |n: u32| (usize::try_from(n / 32).unwrap_or(0), 1_u32 << (n % 32));
        let has = |n: u32| can.get(bit(n).0).is_some_and(|word| word & bit(n).1 != 0);
        let mut want = [0_u32; 4];
        let optional = [
            CAN_SUPPORT_VIRTUAL_THREADS,
            CAN_GET_LINE_NUMBERS,
            CAN_GET_THREAD_CPU_TIME,
            CAN_GET_CURRENT_CONTENDED_MONITOR,
            CAN_GET_MONITOR_INFO,
        ];
        let optional = optional.into_iter().filter(|&n| has(n));
        let needed = [CAN_TAG_OBJECTS, CAN_GENERATE_ALL_CLASS_HOOK_EVENTS, CAN_RETRANSFORM_CLASSES];
        for n in needed.into_iter().chain(optional) {
            if let Some(word) = want.get_mut(bit(n).0) {
                *word |= bit(n).1;
            }
        }
        checked(unsafe { call!(self, add_capabilities, &raw const want) })?;
        Ok(has(CAN_SUPPORT_VIRTUAL_THREADS))
    }

    pub(crate) fn set_callbacks(self, callbacks: &Callbacks) -> Result<(), Refused> {
        let table = EventCallbacks {
            vm_init: callbacks.vm_init,
            vm_death: callbacks.vm_death,
            thread_start: callbacks.thread_start,
            thread_end: callbacks.thread_end,
            class_file_load_hook: callbacks.class_file,
            class_load: null(),
            class_prepare: callbacks.class_prepare,
            from_57_to_86: [null(); 30],
            virtual_thread_start: callbacks.thread_start,
            virtual_thread_end: callbacks.thread_end,
        };
        let bytes = c_int::try_from(size_of_val(&table)).unwrap_or(0);
        checked(unsafe { call!(self, set_event_callbacks, &raw const table, bytes) })
    }

    pub(crate) fn enable(self, event: Event, on: bool) -> Result<(), Refused> {
        checked(unsafe {
            call!(self, set_event_notification_mode, c_int::from(on), event as c_int, Ref::NULL)
        })
    }

    /// Starts a thread of the agent: a daemon that Java's own lists of threads do not show. `thread`
    /// is a new `java.lang.Thread`.
    pub(crate) fn run_agent_thread(self, thread: Ref, body: ThreadBody) -> Result<(), Refused> {
        let normal = 5;
        checked(unsafe { call!(self, run_agent_thread, thread, body, null_mut(), normal) })
    }

    /// The thread that runs this, a local handle.
    pub(crate) fn current_thread(self) -> Ref {
        let mut thread = Ref::NULL;
        unsafe { call!(self, get_current_thread, &raw mut thread) };
        thread
    }

    /// The name of a thread as modified UTF-8; `Ref::NULL` is the current one.
    pub(crate) fn thread_name(self, jni: Jni, thread: Ref) -> Option<Vec<u8>> {
        let mut info =
            ThreadInfo { name: null_mut(), priority: 0, is_daemon: 0, group: Ref::NULL, loader: Ref::NULL };
        checked(unsafe { call!(self, get_thread_info, thread, &raw mut info) }).ok()?;
        jni.delete_local(info.group);
        jni.delete_local(info.loader);
        self.take_text(info.name)
    }

    fn take_text(self, text: *mut c_char) -> Option<Vec<u8>> {
        if text.is_null() {
            return None;
        }
        let copy = unsafe { CStr::from_ptr(text) }.to_bytes().to_vec();
        self.deallocate(text.cast());
        Some(copy)
    }

    /// A copy of `bytes` in memory that the virtual machine may free.
    pub(crate) fn allocate(self, bytes: &[u8]) -> Result<*mut c_uchar, Refused> {
        let mut memory: *mut c_uchar = null_mut();
        let length = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        checked(unsafe { call!(self, allocate, length, &raw mut memory) })?;
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Ok(memory)
    }

    fn deallocate(self, memory: *mut c_uchar) {
        unsafe { call!(self, deallocate, memory) };
    }

    /// Every class that is loaded, as local handles.
    pub(crate) fn loaded_classes(self) -> Result<Vec<Ref>, Refused> {
        let (mut count, mut list): (c_int, *mut Ref) = (0, null_mut());
        checked(unsafe { call!(self, get_loaded_classes, &raw mut count, &raw mut list) })?;
        let length = usize::try_from(count).unwrap_or(0);
        let classes = if list.is_null() {
            Vec::new()
        } else {
            unsafe { std::slice::from_raw_parts(list, length) }.to_vec()
        };
        self.deallocate(list.cast());
        Ok(classes)
    }

    /// The signature of a class, `Lshop/Baker;`, as modified UTF-8.
    pub(crate) fn class_signature(self, class: Ref) -> Option<Vec<u8>> {
        let mut text: *mut c_char = null_mut();
        let generic: *mut *mut c_char = null_mut();
        checked(unsafe { call!(self, get_class_signature, class, &raw mut text, generic) }).ok()?;
        self.take_text(text)
    }

    /// The identity hash code of an object.
    pub(crate) fn identity(self, object: Ref) -> u32 {
        let mut code: c_int = 0;
        unsafe { call!(self, get_object_hash_code, object, &raw mut code) };
        code.cast_unsigned()
    }

    /// The loader of a class, a local handle; null for the virtual machine's own.
    pub(crate) fn class_loader(self, class: Ref) -> Ref {
        let mut loader = Ref::NULL;
        unsafe { call!(self, get_class_loader, class, &raw mut loader) };
        loader
    }

    pub(crate) fn is_modifiable(self, class: Ref) -> bool {
        let mut yes: c_uchar = 0;
        unsafe { call!(self, is_modifiable_class, class, &raw mut yes) == 0 && yes != 0 }
    }

    /// Has the hook called for these classes again.
    pub(crate) fn retransform(self, classes: &[Ref]) -> Result<(), Refused> {
        let count = c_int::try_from(classes.len()).unwrap_or(0);
        checked(unsafe { call!(self, retransform_classes, count, classes.as_ptr()) })
    }

    /// The stacks of all threads but virtual ones, at most `most` innermost frames of each, innermost first;
    /// the threads are local handles. The program pauses for it.
    pub(crate) fn stacks(self, most: u16) -> Vec<(Ref, Vec<Frame>)> {
        let (mut count, mut list): (c_int, *mut StackInfo) = (0, null_mut());
        let found = checked(unsafe {
            call!(self, get_all_stack_traces, c_int::from(most), &raw mut list, &raw mut count)
        });
        if found.is_ok() { self.take_stacks(list, count) } else { Vec::new() }
    }

    /// The stacks of these threads, in their order; a thread that has ended has no frames. Empty if they cannot be
    /// read.
    pub(crate) fn stacks_of(self, threads: &[Ref], most: u16) -> Vec<(Ref, Vec<Frame>)> {
        let mut list: *mut StackInfo = null_mut();
        let count = c_int::try_from(threads.len()).unwrap_or(0);
        let found = checked(unsafe {
            call!(
                self,
                get_thread_list_stack_traces,
                count,
                threads.as_ptr(),
                c_int::from(most),
                &raw mut list
            )
        });
        if found.is_ok() { self.take_stacks(list, count) } else { Vec::new() }
    }

    /// All threads but virtual ones, as local handles. Those of agents are among them.
    pub(crate) fn all_threads(self) -> Vec<Ref> {
        let (mut count, mut list): (c_int, *mut Ref) = (0, null_mut());
        let found = checked(unsafe { call!(self, get_all_threads, &raw mut count, &raw mut list) });
        if found.is_err() || list.is_null() {
            return Vec::new();
        }
        let length = usize::try_from(count).unwrap_or(0);
        let threads = unsafe { std::slice::from_raw_parts(list, length) }.to_vec();
        self.deallocate(list.cast());
        threads
    }

    /// The function, if this virtual machine has it.
    pub(crate) fn virtual_thread_of(self) -> Option<VirtualThreadOf> {
        let (mut count, mut list): (c_int, *mut ExtensionFunction) = (0, null_mut());
        checked(unsafe { call!(self, get_extension_functions, &raw mut count, &raw mut list) }).ok()?;
        if list.is_null() {
            return None;
        }
        // The machine made a list of so many, each with memory of its own that is given back here.
        let all = unsafe { std::slice::from_raw_parts(list, usize::try_from(count).unwrap_or(0)) };
        let mut found = None;
        for one in all {
            if !one.id.is_null() && unsafe { CStr::from_ptr(one.id) } == VIRTUAL_THREAD_FUNCTION {
                found = one.function.map(VirtualThreadOf);
            }
            if !one.parameters.is_null() {
                let count = usize::try_from(one.parameter_count).unwrap_or(0);
                let parameters = unsafe { std::slice::from_raw_parts(one.parameters, count) };
                parameters.iter().for_each(|parameter| self.deallocate(parameter.name.cast()));
            }
            self.deallocate(one.id.cast());
            self.deallocate(one.description.cast());
            self.deallocate(one.parameters.cast());
            self.deallocate(one.errors.cast());
        }
        self.deallocate(list.cast());
        found
    }

    /// The virtual thread that a thread of the system carries just now: a local handle.
    pub(crate) fn carried(self, function: VirtualThreadOf, thread: Ref) -> Option<Ref> {
        let mut carried = Ref::NULL;
        // As the machine declares it: a thread, and where the answer goes.
        checked(unsafe { (function.0)(self.0, thread, &raw mut carried) }).ok()?;
        (!carried.is_null()).then_some(carried)
    }

    /// The state of a thread, bits of [`thread_state`].
    pub(crate) fn thread_state(self, thread: Ref) -> Option<c_int> {
        let mut state: c_int = 0;
        checked(unsafe { call!(self, get_thread_state, thread, &raw mut state) }).ok()?;
        Some(state)
    }

    /// The object whose monitor a thread waits to enter, or on which it waits to be notified: a local handle.
    pub(crate) fn contended_monitor(self, thread: Ref) -> Option<Ref> {
        let mut object = Ref::NULL;
        checked(unsafe { call!(self, get_current_contended_monitor, thread, &raw mut object) }).ok()?;
        (!object.is_null()).then_some(object)
    }

    /// The thread that is in an object's monitor, a local handle.
    pub(crate) fn monitor_owner(self, jni: Jni, object: Ref) -> Option<Ref> {
        let mut usage = MonitorUsage {
            owner: Ref::NULL,
            entry_count: 0,
            waiter_count: 0,
            waiters: null_mut(),
            notify_waiter_count: 0,
            notify_waiters: null_mut(),
        };
        checked(unsafe { call!(self, get_object_monitor_usage, object, &raw mut usage) }).ok()?;
        for (list, count) in
            [(usage.waiters, usage.waiter_count), (usage.notify_waiters, usage.notify_waiter_count)]
        {
            if !list.is_null() {
                let length = usize::try_from(count).unwrap_or(0);
                unsafe { std::slice::from_raw_parts(list, length) }
                    .iter()
                    .for_each(|one| jni.delete_local(*one));
                self.deallocate(list.cast());
            }
        }
        (!usage.owner.is_null()).then_some(usage.owner)
    }

    /// The processor time that a thread has used, in ns.
    pub(crate) fn cpu_time(self, thread: Ref) -> Option<u64> {
        let mut time: i64 = 0;
        checked(unsafe { call!(self, get_thread_cpu_time, thread, &raw mut time) }).ok()?;
        u64::try_from(time).ok()
    }

    /// The innermost frames of a thread, innermost first, at most `most`. Only this thread stands still for it.
    pub(crate) fn stack_of(self, thread: Ref, most: u16) -> Vec<Frame> {
        let nothing = Frame { method: Method(null_mut()), location: -1 };
        let (mut count, mut frames): (c_int, Vec<Frame>) = (0, vec![nothing; usize::from(most)]);
        let found = checked(unsafe {
            call!(self, get_stack_trace, thread, 0, c_int::from(most), frames.as_mut_ptr(), &raw mut count)
        });
        frames.truncate(if found.is_ok() { usize::try_from(count).unwrap_or(0) } else { 0 });
        frames
    }

    /// A copy of what the machine answered, and its memory given back.
    fn take_stacks(self, list: *mut StackInfo, count: c_int) -> Vec<(Ref, Vec<Frame>)> {
        if list.is_null() {
            return Vec::new();
        }
        let stacks = unsafe { std::slice::from_raw_parts(list, usize::try_from(count).unwrap_or(0)) };
        let copies = stacks.iter().map(|stack| {
            let length = usize::try_from(stack.count).unwrap_or(0);
            let frames = match stack.frames.is_null() {
                true => Vec::new(),
                false => unsafe { std::slice::from_raw_parts(stack.frames, length) }.to_vec(),
            };
            (stack.thread, frames)
        });
        let copies = copies.collect();
        // The frames lie in the same piece of memory.
        self.deallocate(list.cast());
        copies
    }

    /// Whether the class has got other code since; such a method runs on as it was, and is never called again.
    pub(crate) fn is_obsolete(self, method: Method) -> bool {
        let mut yes: c_uchar = 0;
        unsafe { call!(self, is_method_obsolete, method, &raw mut yes) == 0 && yes != 0 }
    }

    /// Name and descriptor of a method, as modified UTF-8.
    pub(crate) fn method_name(self, method: Method) -> Option<(Vec<u8>, Vec<u8>)> {
        let (mut name, mut descriptor): (*mut c_char, *mut c_char) = (null_mut(), null_mut());
        let generic: *mut *mut c_char = null_mut();
        checked(unsafe { call!(self, get_method_name, method, &raw mut name, &raw mut descriptor, generic) })
            .ok()?;
        let (name, descriptor) = (self.take_text(name), self.take_text(descriptor));
        name.zip(descriptor)
    }

    /// The class of a method, a local handle.
    pub(crate) fn declaring_class(self, method: Method) -> Option<Ref> {
        let mut class = Ref::NULL;
        checked(unsafe { call!(self, get_method_declaring_class, method, &raw mut class) }).ok()?;
        (!class.is_null()).then_some(class)
    }

    /// The line that a position in a method's code belongs to, where its class has a line table.
    pub(crate) fn line(self, frame: Frame) -> Option<u16> {
        let (mut count, mut list): (c_int, *mut LineEntry) = (0, null_mut());
        checked(unsafe { call!(self, get_line_number_table, frame.method, &raw mut count, &raw mut list) })
            .ok()?;
        if list.is_null() {
            return None;
        }
        let length = usize::try_from(count).unwrap_or(0);
        let lines = unsafe { std::slice::from_raw_parts(list, length) };
        let before = lines.iter().filter(|entry| entry.start <= frame.location);
        let line = before.max_by_key(|entry| entry.start).map(|entry| entry.line);
        self.deallocate(list.cast());
        line.and_then(|line| u16::try_from(line).ok())
    }

    /// Our number on an object, 0 if it has none.
    pub(crate) fn tag(self, object: Ref) -> i64 {
        let mut tag = 0_i64;
        unsafe { call!(self, get_tag, object, &raw mut tag) };
        tag
    }

    pub(crate) fn set_tag(self, object: Ref, tag: i64) {
        unsafe { call!(self, set_tag, object, tag) };
    }

    /// A property of the virtual machine.
    pub(crate) fn property(self, name: &CStr) -> Option<String> {
        let mut text: *mut c_char = null_mut();
        checked(unsafe { call!(self, get_system_property, name.as_ptr(), &raw mut text) }).ok()?;
        self.take_text(text).map(|text| String::from_utf8_lossy(&text).into_owned())
    }
}
