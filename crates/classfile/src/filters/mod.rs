//! Which classes and methods are recorded.
//!
//! Three questions, in this order: is the class one of the program (not of the JDK), do the user's
//! patterns want it, and was it written by a person (or by a generator)? The first two need only
//! its name; the third looks into the class file. [`explain`] lists every rule for people.

mod agents;
mod generated;
mod jdk;
mod pattern;
mod secrets;

pub use pattern::Pattern;
pub use secrets::is_secret;

use crate::annotations;
use crate::class_file::ClassFile;
use crate::method::Method;
use crate::modified_utf8;

/// Whose class loader a class has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loader {
    /// The virtual machine's own or the platform's: what they load belongs to the JDK.
    Jdk,
    /// Any other.
    Program,
}

/// What the user chose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Only what one of these names; empty: everything of the program.
    pub include: Vec<Pattern>,
    /// Nothing that one of these names.
    pub exclude: Vec<Pattern>,
    /// Generated code too.
    pub generated: bool,
}

/// The rule that leaves a class or a method out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// Recording it would disturb the recorder or the virtual machine; no choice changes that.
    NotSafe(&'static str),
    /// It belongs to the JDK and no pattern (but perhaps one that begins with `*`) names it.
    Jdk,
    /// It belongs to an agent that is written in Java, and no pattern (but perhaps one that begins with `*`) names it.
    Agent,
    /// No `include` names it.
    NotIncluded,
    /// An `exclude` names it.
    Excluded,
    /// It was generated: the rule that says so.
    Generated(&'static str),
}

impl Filters {
    /// What the name alone says. `name` has dots: `shop.Baker$1`.
    pub fn by_name(&self, name: &str, loader: Loader) -> Result<(), LeftOut> {
        if let Some(reason) = jdk::never(name) {
            return Err(LeftOut::NotSafe(reason));
        }
        let included = |pattern: &Pattern| pattern.names_class(name);
        if (loader == Loader::Jdk || jdk::belongs(name)) && !self.is_named(name) {
            return Err(LeftOut::Jdk);
        }
        if agents::belongs(name) {
            self.of_agent(name)?;
        }
        if !self.include.is_empty() && !self.include.iter().any(included) {
            return Err(LeftOut::NotIncluded);
        }
        if self.exclude.iter().any(|pattern| !pattern.has_method() && pattern.names_class(name)) {
            return Err(LeftOut::Excluded);
        }
        match generated::by_name(name).filter(|_| !self.generated) {
            Some(rule) => Err(LeftOut::Generated(rule)),
            None => Ok(()),
        }
    }

    /// Whether a class that belongs to an agent written in Java is wanted.
    pub fn of_agent(&self, name: &str) -> Result<(), LeftOut> {
        if self.is_named(name) { Ok(()) } else { Err(LeftOut::Agent) }
    }

    /// Whether a pattern means the class and not just everything.
    fn is_named(&self, name: &str) -> bool {
        self.include.iter().any(|pattern| pattern.names_class(name) && !pattern.text().starts_with('*'))
    }

    /// What the class file adds.
    pub fn by_content(&self, class: &ClassFile<'_>) -> Result<(), LeftOut> {
        match generated::by_content(class).filter(|_| !self.generated) {
            Some(rule) => Err(LeftOut::Generated(rule)),
            None => Ok(()),
        }
    }

    /// Whether a method of a class that passed is wanted.
    pub fn method(
        &self,
        class: &ClassFile<'_>,
        class_name: &str,
        method: &Method<'_>,
    ) -> Result<(), LeftOut> {
        let pool = &class.constant_pool;
        if !self.include.is_empty() || !self.exclude.is_empty() {
            let name = pool.utf8(method.name).map_or_else(|_| "?".to_owned(), modified_utf8::to_text);
            let named = |pattern: &Pattern| pattern.names(class_name, &name);
            if !self.include.is_empty() && !self.include.iter().any(named) {
                return Err(LeftOut::NotIncluded);
            }
            if self.exclude.iter().any(named) {
                return Err(LeftOut::Excluded);
            }
        }
        let marks = annotations::types(&method.attributes, pool);
        match generated::by_annotations(&marks).filter(|_| !self.generated) {
            Some(rule) => Err(LeftOut::Generated(rule)),
            None => Ok(()),
        }
    }
}

/// Every rule, one a line: its name and what it means.
pub fn explain() -> String {
    let mut out = String::from(
        "A class is recorded if every step lets it pass.\n\n\
         1. Never, since it would disturb the recorder or the virtual machine:\n",
    );
    for (names, reason) in jdk::NEVER {
        out += &format!("     {}  {reason}\n", names.join(" "));
    }
    out += "\n2. Not, unless an --include that does not begin with * names it (java.util.zip, say):\n";
    out += "     what the boot and platform class loaders load, and these packages\n";
    out += &format!("     {}\n", jdk::PACKAGES.map(|name| format!("{name}*")).join(" "));
    out +=
        "     Even then not the methods that the virtual machine has code of its own for, as Math.max and\n";
    out += "     StringBuilder.append: it runs its own from some moment on, and counts would be right only up to then.\n";
    out += "\n3. Not, unless an --include that does not begin with * names it, what belongs to an agent written in Java:\n";
    out += &format!("     {}\n", agents::RULE);
    out += "     or it is in one of these packages\n";
    out += &format!("     {}\n", agents::PACKAGES.map(|name| format!("{name}*")).join(" "));
    out += "\n4. With --include: only what one of its patterns names. Without: everything.\n";
    out += "   With --exclude: nothing that one of its patterns names.\n";
    out += "   A pattern is a package (with all below it), a class (with those inside it), or has *\n";
    out += "   for any text; #name behind it picks methods: shop  shop.Baker  shop.*Test  shop.Baker#bake*\n";
    out += "\n5. Not what was generated, unless --generated is given:\n";
    for (rule, what) in generated::RULES {
        out += &format!("     {rule:<12}{what}\n");
    }
    out += "\nWith --values, no value is kept of an argument whose name, and of a method's arguments and result where the\n\
            method's name, has one of these in it, unless its type shows that it is an object of another kind:\n";
    out += &format!("     {}\n", secrets::WORDS.join(" "));
    out
}

#[cfg(test)]
mod tests;
