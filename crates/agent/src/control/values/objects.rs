//! What can be seen of an object without running any code of the program.

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::OnceLock;

use classfile::modified_utf8::to_text;
use model::{ProgramText, ProgramValue};

use crate::jvm::{Field, Jni, Jvmti, Ref, names};

/// UTF-16 units and bytes of a text that are kept.
const MOST_UNITS: usize = 200;
const MOST_BYTES: usize = 200;

/// How the value of an object of one class is read.
#[derive(Debug, Clone, Copy)]
enum Reading {
    Boolean(Field),
    Char(Field),
    Byte(Field),
    Short(Field),
    Int(Field),
    Long(Field),
    Float(Field),
    Double(Field),
    /// A count of elements.
    Size(Field),
    /// As many elements as the array in this field has.
    Length(Field),
    /// The same as the object in this field.
    Inner(Field),
    /// Always so many.
    Elements(u64),
}

/// A class, a field of it, the type of that and how it is read.
type ValueField = (&'static CStr, &'static CStr, &'static CStr, fn(Field) -> Reading);

/// Classes with a field that holds a value or a count.
const FIELDS: [ValueField; 33] = [
    (c"java/lang/Boolean", c"value", c"Z", Reading::Boolean),
    (c"java/lang/Character", c"value", c"C", Reading::Char),
    (c"java/lang/Byte", c"value", c"B", Reading::Byte),
    (c"java/lang/Short", c"value", c"S", Reading::Short),
    (c"java/lang/Integer", c"value", c"I", Reading::Int),
    (c"java/lang/Long", c"value", c"J", Reading::Long),
    (c"java/lang/Float", c"value", c"F", Reading::Float),
    (c"java/lang/Double", c"value", c"D", Reading::Double),
    (c"java/util/concurrent/atomic/AtomicInteger", c"value", c"I", Reading::Int),
    (c"java/util/concurrent/atomic/AtomicLong", c"value", c"J", Reading::Long),
    (c"java/lang/StringBuilder", c"count", c"I", Reading::Size),
    (c"java/util/ArrayList", c"size", c"I", Reading::Size),
    (c"java/util/LinkedList", c"size", c"I", Reading::Size),
    (c"java/util/Vector", c"elementCount", c"I", Reading::Size),
    (c"java/util/Stack", c"elementCount", c"I", Reading::Size),
    (c"java/util/PriorityQueue", c"size", c"I", Reading::Size),
    (c"java/util/HashMap", c"size", c"I", Reading::Size),
    (c"java/util/LinkedHashMap", c"size", c"I", Reading::Size),
    (c"java/util/TreeMap", c"size", c"I", Reading::Size),
    (c"java/util/Hashtable", c"count", c"I", Reading::Size),
    (c"java/util/IdentityHashMap", c"size", c"I", Reading::Size),
    (c"java/util/WeakHashMap", c"size", c"I", Reading::Size),
    (c"java/util/EnumMap", c"size", c"I", Reading::Size),
    (c"java/util/ImmutableCollections$SetN", c"size", c"I", Reading::Size),
    (c"java/util/ImmutableCollections$MapN", c"size", c"I", Reading::Size),
    (c"java/util/ImmutableCollections$ListN", c"elements", c"[Ljava/lang/Object;", Reading::Length),
    (c"java/util/Arrays$ArrayList", c"a", c"[Ljava/lang/Object;", Reading::Length),
    (c"java/util/concurrent/CopyOnWriteArrayList", c"array", c"[Ljava/lang/Object;", Reading::Length),
    (c"java/util/HashSet", c"map", c"Ljava/util/HashMap;", Reading::Inner),
    (c"java/util/LinkedHashSet", c"map", c"Ljava/util/HashMap;", Reading::Inner),
    (c"java/util/TreeSet", c"m", c"Ljava/util/NavigableMap;", Reading::Inner),
    (c"java/util/Collections$UnmodifiableRandomAccessList", c"list", c"Ljava/util/List;", Reading::Inner),
    (c"java/util/Collections$UnmodifiableMap", c"m", c"Ljava/util/Map;", Reading::Inner),
];

/// Classes whose objects all have as many elements.
const ELEMENTS: [(&CStr, u64); 6] = [
    (c"java/util/Collections$EmptyList", 0),
    (c"java/util/Collections$EmptyMap", 0),
    (c"java/util/Collections$EmptySet", 0),
    (c"java/util/Collections$SingletonList", 1),
    (c"java/util/Collections$SingletonSet", 1),
    (c"java/util/ImmutableCollections$Map1", 1),
];

/// How deep objects may lie within objects.
const DEPTH: u32 = 3;

/// What is known of the JDK that runs.
#[derive(Debug)]
struct Known {
    by_signature: HashMap<Vec<u8>, Reading>,
    enumeration: Option<(Ref, Field)>,
    throwable: Option<(Ref, Field)>,
}

static KNOWN: OnceLock<Known> = OnceLock::new();

/// Looks up classes and fields, those that this JDK has.
pub(super) fn know(jni: Jni) {
    let signature = |class: &CStr| [b"L", class.to_bytes(), b";"].concat();
    let mut by_signature = HashMap::new();
    for (class, field, kind, reading) in FIELDS {
        let found = jni.find_class(class);
        if let Some(field) = found.and_then(|found| jni.field(found, field, kind)) {
            by_signature.insert(signature(class), reading(field));
        }
        found.into_iter().for_each(|found| jni.delete_local(found));
    }
    for (class, elements) in ELEMENTS {
        by_signature.insert(signature(class), Reading::Elements(elements));
    }
    let text = c"Ljava/lang/String;";
    let with_text = |class: &CStr, name: &CStr| {
        let class = jni.find_class(class)?;
        let field = jni.field(class, name, text)?;
        Some((jni.global(class), field))
    };
    let enumeration = with_text(c"java/lang/Enum", c"name");
    let throwable = with_text(c"java/lang/Throwable", c"detailMessage");
    let _ = KNOWN.set(Known { by_signature, enumeration, throwable });
}

/// What an object is.
pub(super) fn value(jvmti: Jvmti, jni: Jni, object: Ref) -> ProgramValue {
    if object.is_null() {
        return ProgramValue::Null;
    }
    let class = jni.class_of(object);
    let signature = jvmti.class_signature(class).unwrap_or_default();
    jni.delete_local(class);
    match &signature[..] {
        b"Ljava/lang/String;" => return ProgramValue::Text(text(jni, object)),
        b"Ljava/lang/Class;" => {
            return ProgramValue::Class(class_name(&jvmti.class_signature(object).unwrap_or_default()));
        }
        _ => {}
    }
    let known = KNOWN.get();
    let reading = known.and_then(|known| known.by_signature.get(&signature).copied());
    match reading {
        Some(Reading::Boolean(field)) => return ProgramValue::Boolean(jni.get_boolean(object, field)),
        Some(Reading::Char(field)) => return ProgramValue::Char(jni.get_char(object, field)),
        Some(Reading::Byte(field)) => return ProgramValue::Integer(jni.get_byte(object, field).into()),
        Some(Reading::Short(field)) => return ProgramValue::Integer(jni.get_short(object, field).into()),
        Some(Reading::Int(field)) => return ProgramValue::Integer(jni.get_int(object, field).into()),
        Some(Reading::Long(field)) => return ProgramValue::Integer(jni.get_long(object, field)),
        Some(Reading::Float(field)) => return ProgramValue::Float(jni.get_float(object, field)),
        Some(Reading::Double(field)) => return ProgramValue::Double(jni.get_double(object, field)),
        _ => {}
    }
    let (class, identity) = (class_name(&signature), jvmti.identity(object));
    let text_of = |of: Option<(Ref, Field)>| {
        let (class, field) = of.filter(|(class, _)| jni.is_instance(object, *class))?;
        debug_assert!(!class.is_null());
        let found = jni.get_object(object, field);
        let text = (!found.is_null()).then(|| text(jni, found));
        jni.delete_local(found);
        Some(text)
    };
    if let Some(Some(name)) = known.and_then(|known| text_of(known.enumeration)) {
        return ProgramValue::Constant(enumeration(jvmti, jni, object).unwrap_or(class), name.text);
    }
    if let Some(message) = known.and_then(|known| text_of(known.throwable)) {
        return ProgramValue::Throwable { class, identity, message };
    }
    let size = known.and_then(|known| size(known, (jvmti, jni), object, &signature, DEPTH));
    ProgramValue::Object { class, identity, size }
}

/// The enumeration of a constant, which may have a class of its own below that.
fn enumeration(jvmti: Jvmti, jni: Jni, constant: Ref) -> Option<String> {
    let class = jni.class_of(constant);
    let above = jni.superclass(class);
    let signature = jvmti.class_signature(above);
    [class, above].into_iter().for_each(|class| jni.delete_local(class));
    signature.filter(|signature| signature != b"Ljava/lang/Enum;").map(|signature| class_name(&signature))
}

/// How many elements an object has.
fn size(known: &Known, (jvmti, jni): (Jvmti, Jni), object: Ref, signature: &[u8], depth: u32) -> Option<u64> {
    if signature.starts_with(b"[") {
        return Some(jni.array_length(object));
    }
    let within = |field, read: &dyn Fn(Ref) -> Option<u64>| {
        let inner = jni.get_object(object, field);
        let size = if inner.is_null() { None } else { read(inner) };
        jni.delete_local(inner);
        size
    };
    match known.by_signature.get(signature)? {
        Reading::Size(field) => u64::try_from(jni.get_int(object, *field)).ok(),
        Reading::Length(field) => within(*field, &|array| Some(jni.array_length(array))),
        Reading::Elements(elements) => Some(*elements),
        Reading::Inner(field) => within(*field, &|inner| {
            let class = jni.class_of(inner);
            let signature = jvmti.class_signature(class).unwrap_or_default();
            jni.delete_local(class);
            size(known, (jvmti, jni), inner, &signature, depth.checked_sub(1)?)
        }),
        _ => None,
    }
}

/// The beginning of a `String`.
fn text(jni: Jni, object: Ref) -> ProgramText {
    let (units, length) = jni.string_start(object, MOST_UNITS);
    let mut text = String::from_utf16_lossy(&units);
    if text.len() > MOST_BYTES {
        let end = (0..=MOST_BYTES).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
    }
    ProgramText { text, length }
}

/// The name of the class with this signature as Java has it: `shop.Cart`, `int[]`.
fn class_name(signature: &[u8]) -> String {
    let dimensions = signature.iter().take_while(|&&byte| byte == b'[').count();
    let element = signature.get(dimensions..).unwrap_or_default();
    let name = match element {
        b"Z" => "boolean".to_owned(),
        b"B" => "byte".to_owned(),
        b"C" => "char".to_owned(),
        b"S" => "short".to_owned(),
        b"I" => "int".to_owned(),
        b"J" => "long".to_owned(),
        b"F" => "float".to_owned(),
        b"D" => "double".to_owned(),
        _ => names::of_hidden(element)
            .or_else(|| names::of_signature(element))
            .unwrap_or_else(|| to_text(element)),
    };
    name + &"[]".repeat(dimensions)
}
