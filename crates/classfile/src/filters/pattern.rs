//! A pattern of the user: a package, a class, or a text with `*`; with `#`, a method.

/// `shop`, `shop.Baker`, `shop.*Test`, `shop.Baker#bake*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    class: String,
    method: Option<String>,
}

impl Pattern {
    /// Any text is a pattern. Slashes count as dots.
    pub fn new(text: &str) -> Self {
        let (class, method) = match text.split_once('#') {
            Some((class, method)) => (class, Some(method.to_owned())),
            None => (text, None),
        };
        let class = class.replace('/', ".");
        let class =
            class.strip_suffix(".**").or_else(|| class.strip_suffix(".*")).unwrap_or(&class).to_owned();
        Self { text: text.to_owned(), class, method: method.filter(|name| !name.is_empty()) }
    }

    /// As it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it picks methods.
    pub fn has_method(&self) -> bool {
        self.method.is_some()
    }

    /// Whether it names requests by their path, and no method: `/cart`, `/orders/*`.
    pub fn is_path(&self) -> bool {
        self.text.starts_with('/')
    }

    /// Whether it names requests with this path.
    pub fn names_path(&self, path: &str) -> bool {
        self.is_path() && fits(&self.text, path)
    }

    /// Whether it names this class or some of its methods.
    pub fn names_class(&self, class: &str) -> bool {
        // What it names also stands for all that is inside: packages, and classes within classes.
        let ends = class.char_indices().filter(|&(_, c)| c == '.' || c == '$').map(|(at, _)| at);
        ends.chain([class.len()]).any(|end| class.get(..end).is_some_and(|part| fits(&self.class, part)))
    }

    /// The same where methods are asked for: `shop.Cart.add*` is a method too.
    pub fn names_method(&self, class: &str, method: &str) -> bool {
        self.names(class, method) || self.method.is_none() && fits(&self.text, &format!("{class}.{method}"))
    }

    /// Whether it names this method.
    pub fn names(&self, class: &str, method: &str) -> bool {
        self.names_class(class) && self.method.as_deref().is_none_or(|pattern| fits(pattern, method))
    }
}

/// Whether a text fits a pattern in which `*` is any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let Some(last) = parts.pop() else { return true };
    for part in parts {
        // The first place is always as good as a later one.
        let Some(at) = text.find(part) else { return false };
        text = text.get(at + part.len()..).unwrap_or_default();
    }
    text.ends_with(last)
}
