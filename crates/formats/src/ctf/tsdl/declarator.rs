//! Declarators: the `*name[4][len]` after a type, and the type names before it.

use std::rc::Rc;

use super::lexer::Token;
use super::metadata::{Class, ClassId, Path, Start};
use super::scope::Namespace;
use super::{Parser, Refusal};
use crate::limits;

/// The left part of a declaration: a class, or the words of its name, to which pointers may still
/// be added.
#[derive(Debug, Clone)]
pub(super) enum Specifier {
    Class(ClassId),
    Named { name: String, at: usize },
}

/// One pair of square brackets.
enum Dimension {
    Fixed(u64),
    Field(Rc<Path>),
}

/// The words that C types are composed of.
pub(super) fn is_type_word(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "void"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "_Bool"
            | "_Complex"
            | "_Imaginary"
    )
}

impl Parser<'_> {
    /// `uint8_t`, `unsigned long`, `const struct foo`: one type name or a row of C's words.
    pub(super) fn type_name(&mut self) -> Result<Specifier, Refusal> {
        let at = self.at;
        let mut name = String::new();
        let (mut composed, mut named) = (false, false);
        while let Token::Word(word) = self.token {
            if is_type_word(word) {
                if named && word != "const" {
                    break;
                }
                composed |= word != "const";
            } else if composed || named {
                break;
            } else {
                named = true;
            }
            if name.len() > 1_000 {
                return self.refuse("The name of a type is longer than 1,000 bytes.");
            }
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(word);
            self.next()?;
        }
        if name.is_empty() {
            return self.refuse(format!("Expected a type, found {}.", self.found()));
        }
        Ok(Specifier::Named { name, at })
    }

    /// Stars and `const` between a type and a name, added to the type's name.
    pub(super) fn pointers(&mut self, specifier: Specifier) -> Result<Specifier, Refusal> {
        let Specifier::Named { mut name, at } = specifier else {
            if self.is(b'*') {
                return self.refuse("Only named types may be pointed to.");
            }
            return Ok(specifier);
        };
        while self.is(b'*') || (self.is_word("const") && name.ends_with('*')) {
            name.push_str(if self.is(b'*') { " *" } else { " const" });
            if name.len() > 1_000 {
                return self.refuse("The name of a type is longer than 1,000 bytes.");
            }
            self.next()?;
        }
        Ok(Specifier::Named { name, at })
    }

    pub(super) fn resolve(&mut self, specifier: &Specifier) -> Result<ClassId, Refusal> {
        let (name, at) = match specifier {
            Specifier::Class(class) => return Ok(*class),
            Specifier::Named { name, at } => (name, *at),
        };
        if let Some(class) = self.scopes.find(Namespace::Type, name) {
            return Ok(class);
        }
        // `const` does not change how a value is stored.
        let plain: Vec<&str> = name.split(' ').filter(|word| *word != "const").collect();
        match self.scopes.find(Namespace::Type, &plain.join(" ")) {
            Some(class) => Ok(class),
            None => {
                let name = super::lexer::shown(name.as_bytes());
                Err(Refusal::new(at, format!("The type `{name}` is not declared.")))
            }
        }
    }

    /// One declarator: its name, if it has one, and its class.
    pub(super) fn declarator(
        &mut self,
        specifier: &Specifier,
    ) -> Result<(Option<Rc<str>>, ClassId), Refusal> {
        let pointed = self.pointers(specifier.clone())?;
        let class = self.resolve(&pointed)?;
        let mut parentheses = 0u32;
        while self.is(b'(') {
            self.enter()?;
            self.next()?;
            parentheses += 1;
        }
        let name = match self.token {
            Token::Word(word) => {
                self.next()?;
                Some(Rc::from(word))
            }
            _ => None,
        };
        let mut dimensions = self.dimensions()?;
        for _ in 0..parentheses {
            self.expect(b')', "after a declarator")?;
            self.leave();
            // The brackets inside bind tighter, so they are the outer arrays.
            dimensions.extend(self.dimensions()?);
        }
        let mut class = class;
        // `a[2][3]` is two arrays of three, so the last pair of brackets is the innermost array.
        for dimension in dimensions.into_iter().rev() {
            class = match dimension {
                Dimension::Fixed(len) => self.declare(Class::Array { element: class, len, align: 1 })?,
                Dimension::Field(length) => {
                    self.declare(Class::Sequence { element: class, length, align: 1 })?
                }
            };
        }
        Ok((name, class))
    }

    fn dimensions(&mut self) -> Result<Vec<Dimension>, Refusal> {
        let mut list = Vec::new();
        while self.accept(b'[')? {
            if list.len() >= limits::CTF_NESTING as usize {
                let limit = limits::CTF_NESTING;
                return self.refuse(format!("An array has more than {limit} dimensions."));
            }
            list.push(match self.token {
                Token::Word("env") => {
                    let path = self.path()?;
                    Dimension::Fixed(self.length_in_environment(&path)?)
                }
                Token::Word(_) => Dimension::Field(self.path()?),
                _ => {
                    let at = self.at;
                    let len = self.constant()?;
                    let what = || format!("An array cannot have {len} elements.");
                    Dimension::Fixed(u64::try_from(len).map_err(|_| Refusal::new(at, what()))?)
                }
            });
            self.expect(b']', "after the length of an array")?;
        }
        Ok(list)
    }

    /// The number that the environment says: `env.length`.
    fn length_in_environment(&self, path: &Path) -> Result<u64, Refusal> {
        let [_, name] = path.words.as_slice() else {
            return Err(Refusal::new(path.at, "A length of the environment must be `env.` and a name."));
        };
        let entry = self.out.environment.iter().find(|(known, _)| **known == **name);
        let number = entry.and_then(|(_, value)| value.parse().ok());
        number.ok_or_else(|| Refusal::new(path.at, format!("The environment has no length `{name}`.")))
    }

    /// `header.len`, `stream.event.context.tag`
    pub(super) fn path(&mut self) -> Result<Rc<Path>, Refusal> {
        let at = self.at;
        let mut words = Vec::new();
        loop {
            self.spend()?;
            let start = self.at;
            let word = self.word("the name of a field")?;
            // `stream.event.header` and the like begin paths.
            if !matches!(word, "trace" | "stream" | "event" | "env") {
                self.reserve(start, word);
            }
            words.push(Rc::from(word));
            if !self.accept(b'.')? {
                return Ok(Rc::new(Path { words, at, start: Start::Search }));
            }
        }
    }
}
