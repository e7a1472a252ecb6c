//! JNI: classes, objects and fields, and the handles of them.
//!
//! A [`Jni`] stays on its thread and within the call that it was given to; handles are local ones
//! unless the name of the function says otherwise. Each function clears the exception it raised.

use std::ffi::{CStr, c_int};
use std::ptr::null;

use jni_sys::{jmethodID, jvalue};

use super::{Field, Jni, Ref, StaticField};

/// Calls a function of the table, which has all that the specification names.
macro_rules! call {
    ($jni:expr, $function:ident $(, $argument:expr)*) => {{
        let env = $jni.0;
        (**env).$function.unwrap_unchecked()(env $(, $argument)*)
    }};
}

/// An argument for a constructor or a method.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value {
    Int(i32),
    Long(i64),
    Object(Ref),
}

impl Value {
    fn raw(self) -> jvalue {
        match self {
            Value::Int(i) => jvalue { i },
            Value::Long(j) => jvalue { j },
            Value::Object(Ref(l)) => jvalue { l },
        }
    }
}

impl Jni {
    /// Defines a class of the virtual machine's own loader; a local handle.
    pub(crate) fn define_class(self, bytes: &[u8]) -> Option<Ref> {
        let length = c_int::try_from(bytes.len()).ok()?;
        self.unless_thrown(unsafe {
            Ref(call!(self, DefineClass, null(), Ref::NULL.0, bytes.as_ptr().cast(), length))
        })
    }

    pub(crate) fn find_class(self, name: &CStr) -> Option<Ref> {
        self.unless_thrown(unsafe { Ref(call!(self, FindClass, name.as_ptr())) })
    }

    fn unless_thrown(self, found: Ref) -> Option<Ref> {
        (!self.clear_exception() && !found.is_null()).then_some(found)
    }

    /// Clears a pending exception; whether there was one.
    pub(crate) fn clear_exception(self) -> bool {
        let thrown = unsafe { call!(self, ExceptionCheck) } != 0;
        if thrown {
            unsafe { call!(self, ExceptionClear) };
        }
        thrown
    }

    pub(crate) fn global(self, object: Ref) -> Ref {
        unsafe { Ref(call!(self, NewGlobalRef, object.0)) }
    }

    pub(crate) fn delete_global(self, object: Ref) {
        if !object.is_null() {
            unsafe { call!(self, DeleteGlobalRef, object.0) };
        }
    }

    pub(crate) fn weak(self, object: Ref) -> Ref {
        let weak = unsafe { Ref(call!(self, NewWeakGlobalRef, object.0)) };
        self.clear_exception();
        weak
    }

    pub(crate) fn delete_weak(self, object: Ref) {
        if !object.is_null() {
            unsafe { call!(self, DeleteWeakGlobalRef, object.0) };
        }
    }

    pub(crate) fn local(self, object: Ref) -> Ref {
        unsafe { Ref(call!(self, NewLocalRef, object.0)) }
    }

    pub(crate) fn delete_local(self, object: Ref) {
        if !object.is_null() {
            unsafe { call!(self, DeleteLocalRef, object.0) };
        }
    }

    /// Local handles made until [`Jni::pop_frame`] end there.
    pub(crate) fn push_frame(self) -> bool {
        let pushed = unsafe { call!(self, PushLocalFrame, 64) } == 0;
        !self.clear_exception() && pushed
    }

    /// Announces so many local handles, of which `-Xcheck:jni` would complain otherwise.
    pub(crate) fn expect_locals(self, count: usize) {
        // The virtual machine refuses larger numbers, which does no harm.
        let count = c_int::try_from(count).unwrap_or(c_int::MAX).saturating_add(64);
        unsafe { call!(self, EnsureLocalCapacity, count) };
        self.clear_exception();
    }

    pub(crate) fn pop_frame(self) {
        unsafe { Ref(call!(self, PopLocalFrame, Ref::NULL.0)) };
    }

    pub(crate) fn is_instance(self, object: Ref, class: Ref) -> bool {
        unsafe { call!(self, IsInstanceOf, object.0, class.0) != 0 }
    }

    pub(crate) fn is_same(self, one: Ref, other: Ref) -> bool {
        unsafe { call!(self, IsSameObject, one.0, other.0) != 0 }
    }

    /// A new object by the constructor that takes one long.
    pub(crate) fn new_with_long(self, class: Ref, value: i64) -> Option<Ref> {
        self.construct(class, c"(J)V", Value::Long(value))
    }

    /// A new object by the constructor that takes one text.
    pub(crate) fn new_with_text(self, class: Ref, text: &CStr) -> Option<Ref> {
        let text = self.text(text)?;
        self.construct(class, c"(Ljava/lang/String;)V", Value::Object(text))
    }

    /// A new `String`.
    pub(crate) fn text(self, text: &CStr) -> Option<Ref> {
        self.unless_thrown(unsafe { Ref(call!(self, NewStringUTF, text.as_ptr())) })
    }

    /// The class of an object.
    pub(crate) fn class_of(self, object: Ref) -> Ref {
        unsafe { Ref(call!(self, GetObjectClass, object.0)) }
    }

    /// The class above a class; null above `Object` and for interfaces.
    pub(crate) fn superclass(self, class: Ref) -> Ref {
        unsafe { Ref(call!(self, GetSuperclass, class.0)) }
    }

    /// Whether an object is this `String`.
    pub(crate) fn is_text(self, object: Ref, text: &str) -> bool {
        let length = usize::try_from(unsafe { call!(self, GetStringUTFLength, object.0) });
        length == Ok(text.len()) && self.string(object).is_some_and(|found| found == text)
    }

    /// The text of a `String`.
    pub(crate) fn string(self, object: Ref) -> Option<String> {
        // In modified UTF-8, with a zero behind it.
        let length = usize::try_from(unsafe { call!(self, GetStringUTFLength, object.0) }).ok()?;
        let letters = unsafe { call!(self, GetStringLength, object.0) };
        let mut bytes = vec![0_u8; length.checked_add(1)?];
        unsafe { call!(self, GetStringUTFRegion, object.0, 0, letters, bytes.as_mut_ptr().cast()) };
        bytes.truncate(length);
        (!self.clear_exception()).then(|| classfile::modified_utf8::to_text(&bytes))
    }

    fn construct(self, class: Ref, descriptor: &CStr, value: Value) -> Option<Ref> {
        let (name, descriptor) = (c"<init>".as_ptr(), descriptor.as_ptr());
        let constructor = unsafe { call!(self, GetMethodID, class.0, name, descriptor) };
        if self.clear_exception() || constructor.is_null() {
            return None;
        }
        self.unless_thrown(unsafe { Ref(call!(self, NewObjectA, class.0, constructor, &value.raw())) })
    }

    /// Calls a static method that takes nothing and returns an object.
    pub(crate) fn call_static(self, class: Ref, name: &CStr, descriptor: &CStr) -> Option<Ref> {
        self.call_static_with(class, name, descriptor, Value::Long(0))
    }

    /// The same for a method that takes one value.
    pub(crate) fn call_static_with(
        self,
        class: Ref,
        name: &CStr,
        descriptor: &CStr,
        value: Value,
    ) -> Option<Ref> {
        let method = self.static_method(class, name, descriptor)?;
        self.unless_thrown(unsafe {
            Ref(call!(self, CallStaticObjectMethodA, class.0, method, &value.raw()))
        })
    }

    /// Calls a method of an object that takes at most one value and returns an object.
    pub(crate) fn call(self, object: Ref, name: &CStr, descriptor: &CStr, value: Value) -> Option<Ref> {
        let method = self.method(object, name, descriptor)?;
        self.unless_thrown(unsafe { Ref(call!(self, CallObjectMethodA, object.0, method, &value.raw())) })
    }

    /// Calls a method of an object that takes nothing and returns a long.
    pub(crate) fn call_for_long(self, object: Ref, name: &CStr) -> Option<i64> {
        let method = self.method(object, name, c"()J")?;
        let found = unsafe { call!(self, CallLongMethodA, object.0, method, null()) };
        (!self.clear_exception()).then_some(found)
    }

    fn method(self, object: Ref, name: &CStr, descriptor: &CStr) -> Option<jmethodID> {
        let class = self.class_of(object);
        let method = unsafe { call!(self, GetMethodID, class.0, name.as_ptr(), descriptor.as_ptr()) };
        self.delete_local(class);
        if self.clear_exception() || method.is_null() { None } else { Some(method) }
    }

    /// The same for one that returns a long, which is not looked at.
    pub(crate) fn call_static_long(self, class: Ref, name: &CStr, descriptor: &CStr, value: Value) {
        let Some(method) = self.static_method(class, name, descriptor) else { return };
        unsafe { call!(self, CallStaticLongMethodA, class.0, method, &value.raw()) };
        self.clear_exception();
    }

    /// The same for one that returns a boolean.
    pub(crate) fn call_static_boolean(self, class: Ref, name: &CStr, descriptor: &CStr, values: &[Value]) {
        let Some(method) = self.static_method(class, name, descriptor) else { return };
        let values: Vec<jvalue> = values.iter().copied().map(Value::raw).collect();
        unsafe { call!(self, CallStaticBooleanMethodA, class.0, method, values.as_ptr()) };
        self.clear_exception();
    }

    /// The same for one that returns an int.
    pub(crate) fn call_static_int(self, class: Ref, name: &CStr, descriptor: &CStr, values: &[Value]) {
        let Some(method) = self.static_method(class, name, descriptor) else { return };
        let values: Vec<jvalue> = values.iter().copied().map(Value::raw).collect();
        unsafe { call!(self, CallStaticIntMethodA, class.0, method, values.as_ptr()) };
        self.clear_exception();
    }

    /// The same for one that returns nothing.
    pub(crate) fn call_static_void(self, class: Ref, name: &CStr, descriptor: &CStr, values: &[Value]) {
        let Some(method) = self.static_method(class, name, descriptor) else { return };
        let values: Vec<jvalue> = values.iter().copied().map(Value::raw).collect();
        unsafe { call!(self, CallStaticVoidMethodA, class.0, method, values.as_ptr()) };
        self.clear_exception();
    }

    fn static_method(self, class: Ref, name: &CStr, descriptor: &CStr) -> Option<jmethodID> {
        let (name, descriptor) = (name.as_ptr(), descriptor.as_ptr());
        let method = unsafe { call!(self, GetStaticMethodID, class.0, name, descriptor) };
        if self.clear_exception() || method.is_null() { None } else { Some(method) }
    }

    /// A field of type long.
    pub(crate) fn long_field(self, class: Ref, name: &CStr) -> Option<Field> {
        self.field(class, name, c"J")
    }

    /// A field of type int.
    pub(crate) fn int_field(self, class: Ref, name: &CStr) -> Option<Field> {
        self.field(class, name, c"I")
    }

    /// A field of this type.
    pub(crate) fn field(self, class: Ref, name: &CStr, kind: &CStr) -> Option<Field> {
        let (name, kind) = (name.as_ptr(), kind.as_ptr());
        let field = unsafe { call!(self, GetFieldID, class.0, name, kind) };
        (!self.clear_exception() && !field.is_null()).then_some(Field(field))
    }

    /// The object in a static field. The class is initialised by this.
    pub(crate) fn static_object(self, class: Ref, name: &CStr, descriptor: &CStr) -> Option<Ref> {
        let (name, descriptor) = (name.as_ptr(), descriptor.as_ptr());
        let field = unsafe { call!(self, GetStaticFieldID, class.0, name, descriptor) };
        if self.clear_exception() || field.is_null() {
            return None;
        }
        self.unless_thrown(unsafe { Ref(call!(self, GetStaticObjectField, class.0, field)) })
    }

    /// A static field of this type.
    pub(crate) fn static_field(self, class: Ref, name: &CStr, kind: &CStr) -> Option<StaticField> {
        let field = unsafe { call!(self, GetStaticFieldID, class.0, name.as_ptr(), kind.as_ptr()) };
        (!self.clear_exception() && !field.is_null()).then_some(StaticField(field))
    }

    pub(crate) fn set_static_int(self, class: Ref, field: StaticField, value: i32) {
        unsafe { call!(self, SetStaticIntField, class.0, field.0, value) };
    }

    pub(crate) fn set_static_object(self, class: Ref, field: StaticField, value: Ref) {
        unsafe { call!(self, SetStaticObjectField, class.0, field.0, value.0) };
    }

    /// A field of this type.
    pub(crate) fn object_field(self, class: Ref, name: &CStr, descriptor: &CStr) -> Option<Field> {
        self.field(class, name, descriptor)
    }

    /// What an object field holds, a local handle.
    pub(crate) fn get_object(self, object: Ref, field: Field) -> Ref {
        unsafe { Ref(call!(self, GetObjectField, object.0, field.0)) }
    }

    pub(crate) fn set_object(self, object: Ref, field: Field, value: Ref) {
        unsafe { call!(self, SetObjectField, object.0, field.0, value.0) };
    }

    pub(crate) fn get_int(self, object: Ref, field: Field) -> i32 {
        unsafe { call!(self, GetIntField, object.0, field.0) }
    }

    pub(crate) fn get_long(self, object: Ref, field: Field) -> i64 {
        unsafe { call!(self, GetLongField, object.0, field.0) }
    }

    pub(crate) fn set_long(self, object: Ref, field: Field, value: i64) {
        unsafe { call!(self, SetLongField, object.0, field.0, value) };
    }

    pub(crate) fn set_int(self, object: Ref, field: Field, value: i32) {
        unsafe { call!(self, SetIntField, object.0, field.0, value) };
    }

    /// The beginning of a `String`, of at most so many UTF-16 units, and how many the whole has.
    pub(crate) fn string_start(self, object: Ref, most: usize) -> (Vec<u16>, u32) {
        let length = unsafe { call!(self, GetStringLength, object.0) };
        let count = usize::try_from(length).unwrap_or(0).min(most);
        let mut units = vec![0_u16; count];
        unsafe { call!(self, GetStringRegion, object.0, 0, count as c_int, units.as_mut_ptr()) };
        self.clear_exception();
        (units, length.cast_unsigned())
    }

    /// How many elements an array has.
    pub(crate) fn array_length(self, array: Ref) -> u64 {
        u64::try_from(unsafe { call!(self, GetArrayLength, array.0) }).unwrap_or(0)
    }

    pub(crate) fn get_boolean(self, object: Ref, field: Field) -> bool {
        unsafe { call!(self, GetBooleanField, object.0, field.0) != 0 }
    }

    pub(crate) fn get_byte(self, object: Ref, field: Field) -> i8 {
        unsafe { call!(self, GetByteField, object.0, field.0) }
    }

    pub(crate) fn get_short(self, object: Ref, field: Field) -> i16 {
        unsafe { call!(self, GetShortField, object.0, field.0) }
    }

    pub(crate) fn get_char(self, object: Ref, field: Field) -> u16 {
        unsafe { call!(self, GetCharField, object.0, field.0) }
    }

    pub(crate) fn get_float(self, object: Ref, field: Field) -> f32 {
        unsafe { call!(self, GetFloatField, object.0, field.0) }
    }

    pub(crate) fn get_double(self, object: Ref, field: Field) -> f64 {
        unsafe { call!(self, GetDoubleField, object.0, field.0) }
    }

    /// Whether the virtual machine was started with one of these options, wherever they stood; `None` if that
    /// cannot be queried.
    pub(crate) fn is_started_with(self, options: &[&str]) -> Option<bool> {
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"JVM_GetVmArguments".as_ptr()) };
        if found.is_null() {
            return None;
        }
        // HotSpot's own interface to `java.base`, the same since JDK 9.
        let arguments: extern "C" fn(Jni) -> Ref = unsafe { std::mem::transmute(found) };
        let arguments = self.unless_thrown(arguments(self))?;
        let length = unsafe { call!(self, GetArrayLength, arguments.0) };
        let is_given = (0..length).any(|index| {
            let argument = self.array_element(arguments, index);
            let is_one = options.iter().any(|option| self.is_text(argument, option));
            self.delete_local(argument);
            is_one
        });
        self.delete_local(arguments);
        Some(is_given)
    }

    /// An element of a `long[]`; 0 for one that it does not have.
    pub(crate) fn long_element(self, array: Ref, index: i32) -> i64 {
        let mut value = 0_i64;
        unsafe { call!(self, GetLongArrayRegion, array.0, index, 1, &raw mut value) };
        self.clear_exception();
        value
    }

    pub(crate) fn array_element(self, array: Ref, index: i32) -> Ref {
        let element = unsafe { Ref(call!(self, GetObjectArrayElement, array.0, index)) };
        self.clear_exception();
        element
    }

    pub(crate) fn set_array_element(self, array: Ref, index: i32, value: Ref) {
        unsafe { call!(self, SetObjectArrayElement, array.0, index, value.0) };
        self.clear_exception();
    }
}
