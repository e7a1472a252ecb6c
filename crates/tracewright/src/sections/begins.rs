//! Which methods begin tests, requests and tasks, as their names, parameters and annotations say.

use std::collections::HashMap;

use analyses::sections::{Begins, Handler};
use classfile::{ClassFile, annotations, modified_utf8};
use model::CodeMap;
use model::code::{ClassId, MethodId};

/// Annotations of tests, up to their last parts.
const TESTS: [(&str, &[&str]); 4] = [
    ("Lorg/junit/", &["Test"]),
    ("Lorg/junit/jupiter/api/", &["Test", "RepeatedTest", "TestFactory", "TestTemplate"]),
    ("Lorg/junit/jupiter/params/", &["ParameterizedTest"]),
    ("Lorg/testng/annotations/", &["Test"]),
];

/// Annotations of methods that handle requests.
const HANDLERS: [(&str, &[&str]); 3] = [
    (
        "Lorg/springframework/web/bind/annotation/",
        &["RequestMapping", "GetMapping", "PostMapping", "PutMapping", "DeleteMapping", "PatchMapping"],
    ),
    ("Ljavax/ws/rs/", METHODS_OF_HTTP),
    ("Ljakarta/ws/rs/", METHODS_OF_HTTP),
];
const METHODS_OF_HTTP: &[&str] = &["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];

/// What methods that handle requests are called, and how their parameters begin. Those of filters and servlets, ...
const PASSING: [&str; 3] = ["doFilter", "service", "handle"];
/// ... and those that a servlet answers with.
const ANSWERING: [&str; 9] =
    ["_jspService", "doGet", "doPost", "doPut", "doDelete", "doHead", "doOptions", "doTrace", "doPatch"];
const HANDLER_PARAMETERS: [&str; 5] = [
    "(Ljavax/servlet/ServletRequest;Ljavax/servlet/ServletResponse;",
    "(Ljavax/servlet/http/HttpServletRequest;Ljavax/servlet/http/HttpServletResponse;",
    "(Ljakarta/servlet/ServletRequest;Ljakarta/servlet/ServletResponse;",
    "(Ljakarta/servlet/http/HttpServletRequest;Ljakarta/servlet/http/HttpServletResponse;",
    "(Lcom/sun/net/httpserver/HttpExchange;)",
];

/// The class whose subclasses hold tests that have names only, `testAdds`.
const TEST_CASE: &str = "junit/framework/TestCase";

/// Of each recorded method what its calls begin.
pub(crate) struct BeginsBy(Vec<Begins>);

impl BeginsBy {
    /// Of all methods; `class_file` gives what a class was loaded from, where the recording kept it.
    pub(crate) fn of<B: AsRef<[u8]>>(code: &CodeMap, class_file: impl Fn(ClassId) -> Option<B>) -> BeginsBy {
        let mut all: Vec<Begins> =
            code.methods.iter().map(|one| by_name(&one.name, &one.descriptor)).collect();
        let mut of_class: HashMap<ClassId, HashMap<(&str, &str), MethodId>> = HashMap::new();
        for (id, method) in (0..).map(MethodId).zip(&code.methods) {
            let key = (method.name.as_str(), method.descriptor.as_str());
            of_class.entry(method.class).or_default().insert(key, id);
        }
        let mut supers: HashMap<String, String> = HashMap::new();
        for (class, methods) in &of_class {
            let Some(bytes) = class_file(*class) else { continue };
            let Ok(file) = ClassFile::parse(bytes.as_ref()) else { continue };
            let pool = &file.constant_pool;
            if let Ok(name) = pool.class_name(file.super_class) {
                supers.insert(file.name(), modified_utf8::to_text(name));
            }
            for method in &file.methods {
                let begun = annotations::types(&method.attributes, pool).into_iter().find_map(by_annotation);
                let (Some(begun), Ok(name), Ok(descriptor)) =
                    (begun, pool.utf8(method.name), pool.utf8(method.descriptor))
                else {
                    continue;
                };
                let (name, descriptor) = (modified_utf8::to_text(name), modified_utf8::to_text(descriptor));
                let id = methods.get(&(name.as_str(), descriptor.as_str()));
                if let Some(begins) = id.and_then(|id| all.get_mut(id.0 as usize)) {
                    *begins = begun;
                }
            }
        }
        for (begins, method) in all.iter_mut().zip(&code.methods) {
            let is_test = method.name.starts_with("test")
                && method.descriptor == "()V"
                && class_name(code, method.class).is_some_and(|name| is_test_case(&name, &supers));
            if is_test {
                *begins = Begins::Test;
            }
        }
        BeginsBy(all)
    }

    pub(crate) fn method(&self, method: MethodId) -> Begins {
        self.0.get(method.0 as usize).copied().unwrap_or(Begins::Never)
    }
}

fn by_name(name: &str, descriptor: &str) -> Begins {
    if HANDLER_PARAMETERS.iter().any(|begin| descriptor.starts_with(begin)) {
        if PASSING.contains(&name) {
            return Begins::Request(Handler::Passes);
        }
        if ANSWERING.contains(&name) {
            return Begins::Request(Handler::Answers);
        }
    }
    // A method that a pool was given is called anything.
    let is_beginning = name == "main" && descriptor.starts_with("([Ljava/lang/String;)");
    if is_beginning || name.starts_with('<') { Begins::Never } else { Begins::Outermost }
}

fn by_annotation(annotation: &[u8]) -> Option<Begins> {
    let text = std::str::from_utf8(annotation).ok()?.strip_suffix(';')?;
    let is_one = |all: &[(&str, &[&str])]| {
        all.iter().any(|(begin, ends)| text.strip_prefix(begin).is_some_and(|end| ends.contains(&end)))
    };
    if is_one(&TESTS) {
        return Some(Begins::Test);
    }
    is_one(&HANDLERS).then_some(Begins::Request(Handler::Mapped))
}

/// With slashes, as class files have it.
fn class_name(code: &CodeMap, class: ClassId) -> Option<String> {
    Some(code.class(class)?.name.replace('.', "/"))
}

/// Whether a class inherits from [`TEST_CASE`], as far as the classes between were recorded.
fn is_test_case(name: &str, supers: &HashMap<String, String>) -> bool {
    // Damaged class files may inherit from each other.
    let above = std::iter::successors(supers.get(name), |name| supers.get(*name));
    above.take(supers.len()).any(|name| name == TEST_CASE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_handlers_are_known_by_their_annotations() {
        for (annotation, kind) in [
            ("Lorg/junit/Test;", Some(Begins::Test)),
            ("Lorg/junit/jupiter/params/ParameterizedTest;", Some(Begins::Test)),
            ("Lorg/testng/annotations/Test;", Some(Begins::Test)),
            ("Lorg/junit/Before;", None),
            ("Lorg/junit/TestCase;", None),
            ("Lorg/springframework/web/bind/annotation/GetMapping;", Some(Begins::Request(Handler::Mapped))),
            ("Ljakarta/ws/rs/POST;", Some(Begins::Request(Handler::Mapped))),
            ("Ljakarta/ws/rs/Path;", None),
            ("Ljava/lang/Deprecated;", None),
            ("", None),
        ] {
            assert_eq!(by_annotation(annotation.as_bytes()), kind, "{annotation}");
        }
    }

    #[test]
    fn handlers_of_requests_are_known_by_name_and_parameters() {
        let http = "(Ljakarta/servlet/http/HttpServletRequest;Ljakarta/servlet/http/HttpServletResponse;)V";
        let filter =
            "(Ljavax/servlet/ServletRequest;Ljavax/servlet/ServletResponse;Ljavax/servlet/FilterChain;)V";
        for (name, descriptor, begins) in [
            ("doGet", http, Begins::Request(Handler::Answers)),
            ("doFilter", filter, Begins::Request(Handler::Passes)),
            // What a handler hands its request on to is no handler.
            ("render", http, Begins::Outermost),
            ("handle", "(Ljava/lang/String;)V", Begins::Outermost),
            ("run", "()V", Begins::Outermost),
            ("main", "([Ljava/lang/String;)V", Begins::Never),
            ("<clinit>", "()V", Begins::Never),
        ] {
            assert_eq!(by_name(name, descriptor), begins, "{name}{descriptor}");
        }
    }

    #[test]
    fn a_test_case_is_found_through_the_classes_between() {
        let of = |pairs: &[(&str, &str)]| -> HashMap<String, String> {
            pairs.iter().map(|(name, above)| ((*name).to_owned(), (*above).to_owned())).collect()
        };
        let supers = of(&[("A", "Base"), ("Base", TEST_CASE), ("B", "java/lang/Object")]);
        assert!(is_test_case("A", &supers) && is_test_case("Base", &supers));
        assert!(!is_test_case("B", &supers) && !is_test_case("C", &supers));
        assert!(!is_test_case("A", &of(&[("A", "B"), ("B", "A")])), "a circle has no end");
    }
}
