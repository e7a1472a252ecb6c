//! How generated code is distinguished from what people wrote.

use crate::annotations;
use crate::class_file::ClassFile;

/// Every rule: its name, and what it goes by.
pub(super) const RULES: [(&str, &str); 8] = [
    (PROTOBUF, "its superclass or an interface is one of com.google.protobuf's generated kinds"),
    (THRIFT, "it implements org.apache.thrift.TBase or TEnum"),
    (AVRO, "its superclass is org.apache.avro.specific.SpecificRecordBase (or its builder's base)"),
    (GRPC, "it is annotated with io.grpc.stub.annotations.GrpcGenerated"),
    (ANNOTATED, "it, or the method, is annotated with a type named Generated"),
    (PROXY, "it is a proxy of java.lang.reflect: $Proxy and a number"),
    (LAMBDA, "it is a lambda's class or a form of a method handle: $$Lambda, LambdaForm$"),
    (
        BY_LIBRARY,
        "its name is one that CGLIB, Javassist, Byte Buddy, Hibernate or reflection give: $$EnhancerBy.., ...",
    ),
];

const PROTOBUF: &str = "protobuf";
const THRIFT: &str = "thrift";
const AVRO: &str = "avro";
const GRPC: &str = "grpc";
const ANNOTATED: &str = "annotated";
const PROXY: &str = "proxy";
const LAMBDA: &str = "lambda";
const BY_LIBRARY: &str = "library";

/// Parts of names that only libraries give.
const LIBRARIES: [&str; 12] = [
    "$$EnhancerBy",
    "$$FastClassBy",
    "$$KeyFactoryBy",
    "$$SpringCGLIB",
    "$$BulkBeanBy",
    "_$$_jvst",
    "_$$_javassist",
    "$ByteBuddy$",
    "$HibernateProxy$",
    "$MockitoMock$",
    "GeneratedMethodAccessor",
    "GeneratedConstructorAccessor",
];

pub(super) fn by_name(name: &str) -> Option<&'static str> {
    let simple = name.rsplit('.').next().unwrap_or(name);
    // All that follow have one of these, and most names have neither.
    if !simple.contains('$') && !simple.contains("Generated") {
        return None;
    }
    let is_proxy = simple
        .strip_prefix("$Proxy")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()));
    if is_proxy {
        return Some(PROXY);
    }
    if simple.contains("$$Lambda") || simple.starts_with("LambdaForm$") {
        return Some(LAMBDA);
    }
    LIBRARIES.iter().any(|part| simple.contains(part)).then_some(BY_LIBRARY)
}

pub(super) fn by_content(class: &ClassFile<'_>) -> Option<&'static str> {
    let pool = &class.constant_pool;
    let above = [class.super_class].into_iter().chain(class.interfaces.iter().copied());
    for index in above.filter(|&index| index != 0) {
        let Ok(name) = pool.class_name(index) else { continue };
        if let Some(protobuf) = name.strip_prefix(b"com/google/protobuf/") {
            let kinds: [&[u8]; 6] = [
                b"Generated",
                b"Message",
                b"ProtocolMessageEnum",
                b"AbstractParser",
                b"Internal$EnumLite",
                b"AbstractMessage",
            ];
            if kinds.iter().any(|kind| protobuf.starts_with(kind)) {
                return Some(PROTOBUF);
            }
        }
        if name == b"org/apache/thrift/TBase" || name == b"org/apache/thrift/TEnum" {
            return Some(THRIFT);
        }
        if name.starts_with(b"org/apache/avro/specific/SpecificRecord") {
            return Some(AVRO);
        }
    }
    by_annotations(&annotations::types(&class.attributes, pool))
}

/// By the types of annotations, as descriptors.
pub(super) fn by_annotations(types: &[&[u8]]) -> Option<&'static str> {
    if types.iter().any(|name| *name == b"Lio/grpc/stub/annotations/GrpcGenerated;") {
        return Some(GRPC);
    }
    let is_generated = |name: &&&[u8]| name.ends_with(b"/Generated;") || name.ends_with(b"$Generated;");
    types.iter().find(is_generated).map(|_| ANNOTATED)
}
