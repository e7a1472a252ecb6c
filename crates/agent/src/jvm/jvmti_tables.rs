//! The tables of JVMTI, as its specification lays them out: what the recorder uses has a name and a type.

use std::ffi::{c_char, c_int, c_uchar, c_void};

use super::{Jni, Jvmti, Ref};

type Env = *mut *const Functions;
/// A function that nobody here calls, or an event that nobody here asks for.
type Unused = *const c_void;

/// What runs in a thread of the agent.
pub(super) type ThreadBody = extern "C" fn(Jvmti, Jni, *mut c_void);

/// The functions. Those without a name are numbered as in the specification, from 1.
#[repr(C)]
pub(super) struct Functions {
    _1: Unused,
    pub(super) set_event_notification_mode: unsafe extern "C" fn(Env, c_int, c_int, Ref, ...) -> c_int,
    _3: Unused,
    pub(super) get_all_threads: unsafe extern "C" fn(Env, *mut c_int, *mut *mut Ref) -> c_int,
    _5_to_8: [Unused; 4],
    pub(super) get_thread_info: unsafe extern "C" fn(Env, Ref, *mut ThreadInfo) -> c_int,
    _10: Unused,
    pub(super) get_current_contended_monitor: unsafe extern "C" fn(Env, Ref, *mut Ref) -> c_int,
    pub(super) run_agent_thread: unsafe extern "C" fn(Env, Ref, ThreadBody, *mut c_void, c_int) -> c_int,
    _13_to_16: [Unused; 4],
    pub(super) get_thread_state: unsafe extern "C" fn(Env, Ref, *mut c_int) -> c_int,
    pub(super) get_current_thread: unsafe extern "C" fn(Env, *mut Ref) -> c_int,
    _19_to_44: [Unused; 26],
    pub(super) is_modifiable_class: unsafe extern "C" fn(Env, Ref, *mut c_uchar) -> c_int,
    pub(super) allocate: unsafe extern "C" fn(Env, i64, *mut *mut c_uchar) -> c_int,
    pub(super) deallocate: unsafe extern "C" fn(Env, *mut c_uchar) -> c_int,
    pub(super) get_class_signature:
        unsafe extern "C" fn(Env, Ref, *mut *mut c_char, *mut *mut c_char) -> c_int,
    _49_to_56: [Unused; 8],
    pub(super) get_class_loader: unsafe extern "C" fn(Env, Ref, *mut Ref) -> c_int,
    pub(super) get_object_hash_code: unsafe extern "C" fn(Env, Ref, *mut c_int) -> c_int,
    pub(super) get_object_monitor_usage: unsafe extern "C" fn(Env, Ref, *mut MonitorUsage) -> c_int,
    _60_to_63: [Unused; 4],
    pub(super) get_method_name:
        unsafe extern "C" fn(Env, Method, *mut *mut c_char, *mut *mut c_char, *mut *mut c_char) -> c_int,
    pub(super) get_method_declaring_class: unsafe extern "C" fn(Env, Method, *mut Ref) -> c_int,
    _66_to_69: [Unused; 4],
    pub(super) get_line_number_table:
        unsafe extern "C" fn(Env, Method, *mut c_int, *mut *mut LineEntry) -> c_int,
    _71_to_77: [Unused; 7],
    pub(super) get_loaded_classes: unsafe extern "C" fn(Env, *mut c_int, *mut *mut Ref) -> c_int,
    _79_to_90: [Unused; 12],
    pub(super) is_method_obsolete: unsafe extern "C" fn(Env, Method, *mut c_uchar) -> c_int,
    _92_to_99: [Unused; 8],
    pub(super) get_all_stack_traces:
        unsafe extern "C" fn(Env, c_int, *mut *mut StackInfo, *mut c_int) -> c_int,
    pub(super) get_thread_list_stack_traces:
        unsafe extern "C" fn(Env, c_int, *const Ref, c_int, *mut *mut StackInfo) -> c_int,
    _102_to_103: [Unused; 2],
    pub(super) get_stack_trace: unsafe extern "C" fn(Env, Ref, c_int, c_int, *mut Frame, *mut c_int) -> c_int,
    _105: Unused,
    pub(super) get_tag: unsafe extern "C" fn(Env, Ref, *mut i64) -> c_int,
    pub(super) set_tag: unsafe extern "C" fn(Env, Ref, i64) -> c_int,
    _108_to_121: [Unused; 14],
    pub(super) set_event_callbacks: unsafe extern "C" fn(Env, *const EventCallbacks, c_int) -> c_int,
    _123: Unused,
    pub(super) get_extension_functions:
        unsafe extern "C" fn(Env, *mut c_int, *mut *mut ExtensionFunction) -> c_int,
    _125_to_130: [Unused; 6],
    pub(super) get_system_property: unsafe extern "C" fn(Env, *const c_char, *mut *mut c_char) -> c_int,
    _132_to_136: [Unused; 5],
    pub(super) get_thread_cpu_time: unsafe extern "C" fn(Env, Ref, *mut i64) -> c_int,
    _138_to_139: [Unused; 2],
    pub(super) get_potential_capabilities: unsafe extern "C" fn(Env, *mut Capabilities) -> c_int,
    _141: Unused,
    pub(super) add_capabilities: unsafe extern "C" fn(Env, *const Capabilities) -> c_int,
    _143_to_151: [Unused; 9],
    pub(super) retransform_classes: unsafe extern "C" fn(Env, c_int, *const Ref) -> c_int,
}

/// The functions that the virtual machine calls, by the events 50 to 88.
#[repr(C)]
pub(super) struct EventCallbacks {
    pub(super) vm_init: extern "C" fn(Jvmti, Jni, Ref),
    pub(super) vm_death: extern "C" fn(Jvmti, Jni),
    pub(super) thread_start: extern "C" fn(Jvmti, Jni, Ref),
    pub(super) thread_end: extern "C" fn(Jvmti, Jni, Ref),
    pub(super) class_file_load_hook: ClassFileHook,
    pub(super) class_load: Unused,
    pub(super) class_prepare: extern "C" fn(Jvmti, Jni, Ref, Ref),
    pub(super) from_57_to_86: [Unused; 30],
    pub(super) virtual_thread_start: extern "C" fn(Jvmti, Jni, Ref),
    pub(super) virtual_thread_end: extern "C" fn(Jvmti, Jni, Ref),
}

/// A bit for each.
pub(super) type Capabilities = [u32; 4];

/// env, jni, class that is redefined, loader, name, protection domain, length, bytes, new length,
/// new bytes.
pub(crate) type ClassFileHook = extern "C" fn(
    Jvmti,
    Jni,
    Ref,
    Ref,
    *const c_char,
    Ref,
    c_int,
    *const c_uchar,
    *mut c_int,
    *mut *mut c_uchar,
);

/// A method's handle; of a class that is gone it names nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub(crate) struct Method(pub(super) *mut c_void);
// Method handles are process-wide.
unsafe impl Send for Method {}

/// A frame of a stack: its method, and where in its code it is.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Frame {
    pub(crate) method: Method,
    pub(crate) location: i64,
}

#[repr(C)]
pub(super) struct StackInfo {
    pub(super) thread: Ref,
    pub(super) state: c_int,
    pub(super) frames: *const Frame,
    pub(super) count: c_int,
}

/// A function that only some virtual machines have, and its description.
#[repr(C)]
pub(super) struct ExtensionFunction {
    pub(super) function: Option<ExtensionCall>,
    pub(super) id: *mut c_char,
    pub(super) description: *mut c_char,
    pub(super) parameter_count: c_int,
    pub(super) parameters: *mut ExtensionParameter,
    pub(super) error_count: c_int,
    pub(super) errors: *mut c_int,
}

#[repr(C)]
pub(super) struct ExtensionParameter {
    pub(super) name: *mut c_char,
    pub(super) kind: c_int,
    pub(super) type_of: c_int,
    pub(super) may_be_null: c_uchar,
}

/// HotSpot's `com.sun.hotspot.functions.GetVirtualThread`, called as all of these are, with arguments of any number: a
/// thread of the system, and where to put the virtual thread that it carries.
pub(super) type ExtensionCall = unsafe extern "C" fn(Env, ...) -> c_int;

#[repr(C)]
pub(super) struct MonitorUsage {
    pub(super) owner: Ref,
    pub(super) entry_count: c_int,
    pub(super) waiter_count: c_int,
    pub(super) waiters: *mut Ref,
    pub(super) notify_waiter_count: c_int,
    pub(super) notify_waiters: *mut Ref,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct LineEntry {
    pub(super) start: i64,
    pub(super) line: c_int,
}

#[repr(C)]
pub(super) struct ThreadInfo {
    pub(super) name: *mut c_char,
    pub(super) priority: c_int,
    pub(super) is_daemon: c_uchar,
    pub(super) group: Ref,
    pub(super) loader: Ref,
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn each_function_stands_where_the_specification_numbers_it() {
        for (number, offset) in [
            (2, offset_of!(Functions, set_event_notification_mode)),
            (4, offset_of!(Functions, get_all_threads)),
            (9, offset_of!(Functions, get_thread_info)),
            (11, offset_of!(Functions, get_current_contended_monitor)),
            (12, offset_of!(Functions, run_agent_thread)),
            (17, offset_of!(Functions, get_thread_state)),
            (18, offset_of!(Functions, get_current_thread)),
            (45, offset_of!(Functions, is_modifiable_class)),
            (46, offset_of!(Functions, allocate)),
            (47, offset_of!(Functions, deallocate)),
            (48, offset_of!(Functions, get_class_signature)),
            (57, offset_of!(Functions, get_class_loader)),
            (59, offset_of!(Functions, get_object_monitor_usage)),
            (64, offset_of!(Functions, get_method_name)),
            (65, offset_of!(Functions, get_method_declaring_class)),
            (70, offset_of!(Functions, get_line_number_table)),
            (78, offset_of!(Functions, get_loaded_classes)),
            (91, offset_of!(Functions, is_method_obsolete)),
            (100, offset_of!(Functions, get_all_stack_traces)),
            (101, offset_of!(Functions, get_thread_list_stack_traces)),
            (104, offset_of!(Functions, get_stack_trace)),
            (106, offset_of!(Functions, get_tag)),
            (107, offset_of!(Functions, set_tag)),
            (122, offset_of!(Functions, set_event_callbacks)),
            (124, offset_of!(Functions, get_extension_functions)),
            (131, offset_of!(Functions, get_system_property)),
            (137, offset_of!(Functions, get_thread_cpu_time)),
            (140, offset_of!(Functions, get_potential_capabilities)),
            (142, offset_of!(Functions, add_capabilities)),
            (152, offset_of!(Functions, retransform_classes)),
        ] {
            assert_eq!(offset, (number - 1) * size_of::<Unused>(), "{number}");
        }
        let of_event = |number: usize| (number - 50) * size_of::<Unused>();
        assert_eq!(offset_of!(EventCallbacks, vm_init), of_event(50));
        assert_eq!(offset_of!(EventCallbacks, thread_start), of_event(52));
        assert_eq!(offset_of!(EventCallbacks, thread_end), of_event(53));
        assert_eq!(offset_of!(EventCallbacks, class_file_load_hook), of_event(54));
        assert_eq!(offset_of!(EventCallbacks, class_prepare), of_event(56));
        assert_eq!(offset_of!(EventCallbacks, virtual_thread_start), of_event(87));
        assert_eq!(offset_of!(EventCallbacks, virtual_thread_end), of_event(88));
    }
}
