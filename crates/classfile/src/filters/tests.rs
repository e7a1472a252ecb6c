//! Names against filters, as a table.

use super::*;
use crate::class_builder::ClassBuilder;

fn filters(include: &[&str], exclude: &[&str]) -> Filters {
    let all = |texts: &[&str]| texts.iter().map(|text| Pattern::new(text)).collect();
    Filters { include: all(include), exclude: all(exclude), generated: false }
}

#[test]
fn patterns_name_packages_classes_and_methods() {
    for (pattern, class, expected) in [
        ("shop", "shop.Baker", true),
        ("shop", "shop.oven.Oven$1", true),
        ("shop", "shopping.Cart", false),
        ("shop.*", "shop.Baker", true),
        ("shop.**", "shop.oven.Oven", true),
        ("shop/oven", "shop.oven.Oven", true),
        ("shop.Baker", "shop.Baker$Oven", true),
        ("shop.Baker", "shop.BakerTest", false),
        ("shop.*Test", "shop.BakerTest", true),
        ("shop.*Test", "shop.BakerTest$1", true),
        ("*", "Main", true),
        ("*.Ba*er", "shop.Baker", true),
        ("*.Ba*er", "shop.Bakery", false),
        ("shop.Baker#bake", "shop.Baker", true),
        ("", "Main", false),
    ] {
        assert_eq!(Pattern::new(pattern).names_class(class), expected, "{pattern} {class}");
    }
    let bake = Pattern::new("shop.Baker#bake*");
    assert!(bake.names("shop.Baker", "bakeAll") && !bake.names("shop.Baker", "eat"));
}

#[test]
fn names_against_filters() {
    let jdk = Err(LeftOut::Jdk);
    for (include, exclude, name, loader, expected) in [
        (&[][..], &[][..], "shop.Baker", Loader::Program, Ok(())),
        (&[], &["shop"], "shop.Baker", Loader::Program, Err(LeftOut::Excluded)),
        (&[], &[], "org.jacoco.agent.rt.internal_1.Offline", Loader::Program, Err(LeftOut::Agent)),
        (&["*"], &[], "org.jacoco.agent.rt.internal_1.Offline", Loader::Program, Err(LeftOut::Agent)),
        (&["org.jacoco"], &[], "org.jacoco.agent.rt.internal_1.Offline", Loader::Program, Ok(())),
        (&[], &["shop#bake"], "shop.Baker", Loader::Program, Ok(())),
        (&["till"], &[], "shop.Baker", Loader::Program, Err(LeftOut::NotIncluded)),
        (&[], &[], "java.util.HashMap", Loader::Jdk, jdk.clone()),
        (&["*"], &[], "java.util.HashMap", Loader::Jdk, jdk.clone()),
        (&["java.util"], &[], "java.util.HashMap", Loader::Jdk, Ok(())),
        (&[], &[], "com.sun.tools.javac.Main", Loader::Program, jdk.clone()),
        (&[], &[], "org.w3c.dom.Node", Loader::Jdk, jdk),
        (&[], &[], "org.w3c.dom.Node", Loader::Program, Ok(())),
        (
            &["java"],
            &[],
            "java.lang.Thread$State",
            Loader::Jdk,
            Err(LeftOut::NotSafe("what a thread is while it begins, ends or changes its carrier")),
        ),
        (&["java"], &[], "java.lang.ThreadLocal", Loader::Jdk, Ok(())),
        (&[], &[], "jdk.proxy1.$Proxy12", Loader::Program, Err(LeftOut::Jdk)),
        (&[], &[], "shop.$Proxy12", Loader::Program, Err(LeftOut::Generated("proxy"))),
        (&[], &[], "shop.$ProxyBaker", Loader::Program, Ok(())),
        (&[], &[], "shop.Baker$$EnhancerByCGLIB$$1a", Loader::Program, Err(LeftOut::Generated("library"))),
        (&[], &[], "shop.Baker$$Lambda$14/0x1", Loader::Program, Err(LeftOut::Generated("lambda"))),
    ] {
        assert_eq!(filters(include, exclude).by_name(name, loader), expected, "{name}");
    }
}

#[test]
fn content_against_filters() {
    for (above, interface, annotation, expected) in [
        ("java/lang/Object", None, None, None),
        ("com/google/protobuf/GeneratedMessageV3", None, None, Some("protobuf")),
        ("com/google/protobuf/GeneratedMessageV3$Builder", None, None, Some("protobuf")),
        ("java/lang/Object", Some("com/google/protobuf/MessageOrBuilder"), None, Some("protobuf")),
        ("java/lang/Object", Some("org/apache/thrift/TBase"), None, Some("thrift")),
        ("org/apache/avro/specific/SpecificRecordBase", None, None, Some("avro")),
        ("java/lang/Object", None, Some("Lio/grpc/stub/annotations/GrpcGenerated;"), Some("grpc")),
        ("java/lang/Object", None, Some("Llombok/Generated;"), Some("annotated")),
        ("java/lang/Object", None, Some("Lshop/NotGenerated;"), None),
    ] {
        let mut class = ClassBuilder::new(55, 0x21, b"T", above.as_bytes()).unwrap();
        if let Some(name) = interface {
            class.interface(name.as_bytes()).unwrap();
        }
        if let Some(name) = annotation {
            let index = class.pool.add_utf8(name.as_bytes()).unwrap();
            let content = [&[0, 1][..], &index.to_be_bytes(), &[0, 0]].concat();
            class.attribute(b"RuntimeInvisibleAnnotations", &content).unwrap();
        }
        let bytes = class.finish();
        let class = ClassFile::parse(&bytes).unwrap();
        let expected = expected.map_or(Ok(()), |rule| Err(LeftOut::Generated(rule)));
        assert_eq!(filters(&[], &[]).by_content(&class), expected, "{above} {interface:?} {annotation:?}");
        let all = Filters { generated: true, ..Filters::default() };
        assert_eq!(all.by_content(&class), Ok(()));
    }
}
