//! Which recorded methods a text means: a name in whatever way it is written, and where it matters the parameters.
//!
//! ```text
//! pay   Till.pay   shop.Till.pay   'shop.Till.*'       all that are called so
//! 'Till.pay(int, String)'   'pay(*)'                   only those with such parameters, as Java's source has them
//! 'Till.pay(ILjava/lang/String;)V'                     or as the class file does
//! ```

use model::CodeMap;
use model::code::MethodId;

use crate::pattern::Pattern;

/// Texts that mean methods.
#[derive(Debug)]
pub(crate) struct MethodNames(Vec<Text>);

/// One text. Names of other languages may have parentheses in them, so it is also taken as a name as a whole.
#[derive(Debug)]
struct Text {
    whole: Pattern,
    /// Name and parameters, where it has both.
    parts: Option<(Pattern, Pattern)>,
}

impl MethodNames {
    pub(crate) fn new(texts: &[String]) -> MethodNames {
        let one = |text: &String| {
            let parts = text.split_once('(').map(|(name, parameters)| {
                let parameters: String = parameters.split_whitespace().collect();
                (Pattern::new(name.trim_end()), Pattern::new(&format!("({parameters}")))
            });
            Text { whole: Pattern::new(text), parts }
        };
        MethodNames(texts.iter().map(one).collect())
    }

    /// The methods that one of the texts means.
    pub(crate) fn of(&self, code: &CodeMap) -> Vec<MethodId> {
        (0..code.methods.len() as u32).map(MethodId).filter(|id| self.mean(code, *id)).collect()
    }

    /// Whether one of the texts means this method.
    pub(crate) fn mean(&self, code: &CodeMap, method: MethodId) -> bool {
        let descriptor = code.method(method).map_or("", |about| &about.descriptor);
        let names = spellings(&code.method_name(method));
        let is_named = |name: &Pattern| names.iter().any(|spelling| name.matches(spelling));
        let has = |wanted: &Pattern| parameters(descriptor).iter().any(|text| wanted.matches(text));
        self.0.iter().any(|text| {
            is_named(&text.whole)
                || text.parts.as_ref().is_some_and(|(name, wanted)| is_named(name) && has(wanted))
        })
    }
}

/// The ways to write the name of a method: whole, without its package or some of the classes around
/// its class, or alone; nested classes as the class file has them, `Outer$Repo.load`, or as Java's
/// source does, `Outer.Repo.load`.
fn spellings(name: &str) -> Vec<String> {
    let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
    let package = class.rfind('.').map_or(0, |dot| dot + 1);
    let nested = class.match_indices('$').map(|(at, _)| at + 1);
    let mut all: Vec<String> = [0, package]
        .into_iter()
        .chain(nested)
        .flat_map(|from| [class[from..].to_owned(), class[from..].replace('$', ".")])
        .map(|class| format!("{class}.{method}"))
        .collect();
    all.push(method.to_owned());
    all
}

/// The ways to write the parameters of a method: as the class file has them, with and without what is returned, and as
/// Java's source does, with and without packages; without white space.
fn parameters(descriptor: &str) -> Vec<String> {
    let mut all = vec![descriptor.to_owned()];
    if let Some((arguments, _)) = descriptor.rsplit_once(')') {
        all.push(format!("{arguments})"));
    }
    for is_short in [true, false] {
        all.extend(java_parameters(descriptor, is_short).map(|list| format!("({})", list.join(","))));
    }
    all
}

/// `(int, String)`, or where a descriptor is none of Java, nothing.
pub(crate) fn shown_parameters(descriptor: &str) -> Option<String> {
    java_parameters(descriptor, true).map(|list| format!("({})", list.join(", ")))
}

/// The parameters as Java's source has them.
fn java_parameters(descriptor: &str, is_short: bool) -> Option<Vec<String>> {
    let (mut rest, _) = descriptor.strip_prefix('(')?.rsplit_once(')')?;
    let mut found = vec![];
    while !rest.is_empty() {
        let element = rest.trim_start_matches('[');
        let arrays = rest.len() - element.len();
        let (name, remaining) = match element.chars().next()? {
            'L' => {
                let (class, remaining) = element[1..].split_once(';')?;
                let name = class.replace(['/', '$'], ".");
                let from = if is_short { name.rfind('.').map_or(0, |dot| dot + 1) } else { 0 };
                (name[from..].to_owned(), remaining)
            }
            letter => {
                let of = |(_, name): (char, &str)| name.to_owned();
                (PRIMITIVES.into_iter().find(|(known, _)| *known == letter).map(of)?, &element[1..])
            }
        };
        found.push(name + &"[]".repeat(arrays));
        rest = remaining;
    }
    Some(found)
}

const PRIMITIVES: [(char, &str); 8] = [
    ('I', "int"),
    ('J', "long"),
    ('Z', "boolean"),
    ('B', "byte"),
    ('S', "short"),
    ('C', "char"),
    ('F', "float"),
    ('D', "double"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use model::code::{Class, ClassId, Method};

    /// The descriptors that a text means, among four methods of one name.
    fn meant(text: &str) -> Vec<&'static str> {
        const ALL: [&str; 4] =
            ["()V", "(I)V", "(ILjava/lang/String;)Z", "([[JLjava/util/Map$Entry;)Ljava/lang/String;"];
        let method = |descriptor: &str| Method {
            class: ClassId(0),
            name: "pay".into(),
            descriptor: descriptor.into(),
            access_flags: 1,
            blocks: vec![],
            edges: vec![],
            exception_edges: vec![],
            loops: vec![],
        };
        let code = CodeMap {
            classes: vec![Class { name: "shop.Till$Drawer".into(), source_file: None, origin: None }],
            methods: ALL.into_iter().map(method).collect(),
            ..CodeMap::default()
        };
        MethodNames::new(&[text.to_owned()]).of(&code).into_iter().map(|id| ALL[id.0 as usize]).collect()
    }

    #[test]
    fn parameters_choose_among_methods_of_one_name() {
        for text in ["pay", "Drawer.pay", "Till.Drawer.pay", "shop.Till$Drawer.*", "pay(*)", "pay(*"] {
            assert_eq!(meant(text).len(), 4, "{text}");
        }
        for text in ["pay()", "Drawer.pay ( )", "pay()V"] {
            assert_eq!(meant(text), ["()V"], "{text}");
        }
        for text in
            ["pay(int, String)", "pay(int,java.lang.String)", "pay(ILjava/lang/String;)", "pay(int, *)"]
        {
            assert_eq!(meant(text), ["(ILjava/lang/String;)Z"], "{text}");
        }
        assert_eq!(meant("pay(long[][], Entry)"), ["([[JLjava/util/Map$Entry;)Ljava/lang/String;"]);
        for text in ["pay(", "pay)", "(int)", "pay(int", "pay(L", "other()", "pay(\u{e9}"] {
            assert!(meant(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_damaged_descriptor_has_no_parameters_of_java() {
        for descriptor in ["", "(", "(L)V", "([)V", "(Lx", "(\u{e9})V", "void"] {
            assert_eq!(shown_parameters(descriptor), None, "{descriptor}");
        }
        assert_eq!(
            shown_parameters("([Ljava/lang/String;ZD)V").as_deref(),
            Some("(String[], boolean, double)")
        );
    }

    #[test]
    fn a_nested_class_may_be_written_in_each_way() {
        let names = spellings("shop.Outer$Repo.load");
        for name in ["shop.Outer$Repo.load", "shop.Outer.Repo.load", "Outer.Repo.load", "Repo.load", "load"] {
            assert!(names.iter().any(|known| known == name), "{name} is not among {names:?}");
        }
        assert!(!names.iter().any(|known| known == "Outer.load" || known == "oad"));
        assert!(spellings("Main.lambda$main$0").contains(&"lambda$main$0".to_owned()));
    }
}
