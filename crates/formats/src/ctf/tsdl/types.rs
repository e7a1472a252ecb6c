//! Type specifiers that hold others: structures, variants and enumerations, and the declarations
//! `typedef` and `typealias` that name types (CTF 1.8.3 specification, sections 4.1.8 and 4.2).

use std::collections::HashSet;
use std::rc::Rc;

use super::declarator::Specifier;
use super::leaf::alignment;
use super::lexer::Token;
use super::metadata::{Class, ClassId, Label, Labels, Member};
use super::scope::Namespace;
use super::{Parser, Refusal};
use crate::ctf::bits::WIDEST;

impl Parser<'_> {
    pub(super) fn specifier(&mut self) -> Result<Specifier, Refusal> {
        // `const struct foo`: the qualifier says nothing about the bytes.
        while self.is_word("const")
            && matches!(
                self.peek_token()?,
                Token::Word("struct" | "variant" | "enum" | "integer" | "floating_point" | "string")
            )
        {
            self.next()?;
        }
        let Token::Word(word) = self.token else {
            return self.refuse(format!("Expected a type, found {}.", self.found()));
        };
        let parse = match word {
            "integer" => Self::integer,
            "floating_point" => Self::floating_point,
            "string" => Self::string,
            "struct" => Self::structure,
            "variant" => Self::variant,
            "enum" => Self::enumeration,
            _ => return self.type_name(),
        };
        self.next()?;
        Ok(Specifier::Class(parse(self)?))
    }

    /// `typedef`, `typealias` or a bare structure, variant or enumeration; `false` if none of them
    /// stands here. A specifier that turns out to start a field is given back.
    pub(super) fn type_declaration(&mut self) -> Result<bool, Refusal> {
        if self.accept_word("typealias")? {
            self.typealias()?;
        } else if self.accept_word("typedef")? {
            self.typedef()?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn typealias(&mut self) -> Result<(), Refusal> {
        let specifier = self.specifier()?;
        let (_, class) = self.declarator(&specifier)?;
        if self.token != Token::Becomes {
            return self.refuse(format!("Expected `:=` in a typealias, found {}.", self.found()));
        }
        self.next()?;
        let at = self.at;
        let name = self.type_name()?;
        let Specifier::Named { name, .. } = self.pointers(name)? else { return Ok(()) };
        self.name_type(at, &name, class)?;
        self.expect(b';', "after a typealias")
    }

    fn typedef(&mut self) -> Result<(), Refusal> {
        let specifier = self.specifier()?;
        loop {
            let at = self.at;
            let (name, class) = self.declarator(&specifier)?;
            let Some(name) = name else {
                return self.refuse("A typedef gives no name.");
            };
            self.name_type(at, &name, class)?;
            if !self.accept(b',')? {
                return self.expect(b';', "after a typedef");
            }
        }
    }

    fn name_type(&mut self, at: usize, name: &str, class: ClassId) -> Result<(), Refusal> {
        self.spend()?;
        self.reserve(at, name);
        self.name(at, Namespace::Type, "type", name, class)
    }

    fn name(
        &mut self,
        at: usize,
        namespace: Namespace,
        what: &str,
        name: &str,
        class: ClassId,
    ) -> Result<(), Refusal> {
        if self.scopes.add(namespace, name, class) {
            return Ok(());
        }
        let name = super::lexer::shown(name.as_bytes());
        Err(Refusal::new(at, format!("The {what} `{name}` is declared twice in the same block.")))
    }

    /// The name after `struct`, `variant` or `enum`, if there is one.
    fn tag_name(&mut self) -> Result<Option<&str>, Refusal> {
        let Token::Word(word) = self.token else { return Ok(None) };
        self.reserve(self.at, word);
        self.next()?;
        Ok(Some(word))
    }

    /// After the word `struct`.
    fn structure(&mut self) -> Result<ClassId, Refusal> {
        let at = self.at;
        // `align` is a keyword, so it names no structure.
        let name = if self.is_word("align") { None } else { self.tag_name()?.map(str::to_owned) };
        let declared = self.is(b'{');
        let (members, mut align) = if declared {
            (self.members("structure")?, 1)
        } else if let Some(name) = &name {
            match self.find(Namespace::Struct, "structure", name, at)? {
                Class::Struct { members, align } => (members, align),
                _ => return self.refuse("A structure is none."),
            }
        } else {
            return self.refuse(format!("Expected `{{` after `struct`, found {}.", self.found()));
        };
        if self.accept_word("align")? {
            self.expect(b'(', "after `align`")?;
            let (at, number) = (self.at, self.constant()?);
            let value = super::attribute::Value::Number(number);
            align = alignment(&super::attribute::Attribute { name: "align".into(), value, at })?;
            self.expect(b')', "after an alignment")?;
        }
        let class = self.declare(Class::Struct { members, align })?;
        if let (true, Some(name)) = (declared, name) {
            self.name(at, Namespace::Struct, "structure", &name, class)?;
        }
        Ok(class)
    }

    fn find(&mut self, namespace: Namespace, what: &str, name: &str, at: usize) -> Result<Class, Refusal> {
        match self.scopes.find(namespace, name).and_then(|id| self.out.class(id)) {
            Some(class) => Ok(class.clone()),
            None => {
                let name = super::lexer::shown(name.as_bytes());
                Err(Refusal::new(at, format!("The {what} `{name}` is not declared.")))
            }
        }
    }

    /// After the word `variant`.
    fn variant(&mut self) -> Result<ClassId, Refusal> {
        let at = self.at;
        let name = self.tag_name()?.map(str::to_owned);
        let mut tag = None;
        if self.accept(b'<')? {
            tag = Some(self.path()?);
            self.expect(b'>', "after the tag of a variant")?;
        }
        if !self.is(b'{') {
            let Some(name) = name else {
                return self.refuse(format!("Expected `{{` after `variant`, found {}.", self.found()));
            };
            let Class::Variant { tag: own, options } = self.find(Namespace::Variant, "variant", &name, at)?
            else {
                return self.refuse("A variant is none.");
            };
            return self.declare(Class::Variant { tag: tag.or(own), options });
        }
        let options = self.members("variant")?;
        if options.is_empty() {
            return Err(Refusal::new(at, "A variant has no option."));
        }
        let class = self.declare(Class::Variant { tag, options })?;
        if let Some(name) = name {
            self.name(at, Namespace::Variant, "variant", &name, class)?;
        }
        Ok(class)
    }

    /// `{ type name; ... }`
    fn members(&mut self, what: &str) -> Result<Rc<[Member]>, Refusal> {
        self.enter()?;
        self.expect(b'{', "before fields")?;
        self.scopes.open();
        let mut members = Vec::new();
        let mut names = HashSet::new();
        while !self.accept(b'}')? {
            if self.accept(b';')? || self.type_declaration()? {
                continue;
            }
            let specifier = self.specifier()?;
            if matches!(specifier, Specifier::Class(_)) && self.accept(b';')? {
                continue; // it only declared a structure, a variant or an enumeration
            }
            loop {
                let at = self.at;
                let (name, class) = self.declarator(&specifier)?;
                let Some(name) = name else {
                    return self.refuse(format!("Expected the name of a field, found {}.", self.found()));
                };
                self.spend()?;
                self.reserve(at, &name);
                if !names.insert(name.clone()) {
                    let what = format!("A {what} has two fields called `{name}`.");
                    return Err(Refusal::new(at, what));
                }
                members.push(Member { name, class });
                if !self.accept(b',')? {
                    break;
                }
            }
            self.expect(b';', "after a field")?;
        }
        self.scopes.close();
        self.leave();
        Ok(members.into())
    }

    /// After the word `enum`.
    fn enumeration(&mut self) -> Result<ClassId, Refusal> {
        let at = self.at;
        let name = self.tag_name()?.map(str::to_owned);
        let mut container = None;
        if self.accept(b':')? {
            self.enter()?;
            let specifier = self.specifier()?;
            container = Some(self.resolve(&specifier)?);
            self.leave();
        }
        if !self.is(b'{') {
            let Some(name) = name else {
                return self.refuse(format!("Expected `{{` after `enum`, found {}.", self.found()));
            };
            let found = self.find(Namespace::Enum, "enumeration", &name, at)?;
            return self.declare(found);
        }
        let container = match container {
            Some(class) => class,
            // As in C, an enumeration that says nothing is an `int`.
            None => self.resolve(&Specifier::Named { name: "int".into(), at })?,
        };
        let Some(Class::Integer(container)) = self.out.class(container).cloned() else {
            return Err(Refusal::new(at, "An enumeration is not based on an integer."));
        };
        if container.bits > WIDEST {
            return Err(Refusal::new(at, format!("An enumeration of more than {WIDEST} bits is not read.")));
        }
        let labels = self.labels(container.signed)?;
        let bits = container.bits.min(126);
        let (least, most) = match container.signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        if let Some(label) = labels.list.iter().find(|label| label.low < least || label.high > most) {
            let (name, bits) = (label.name.clone(), container.bits);
            self.remark(
                at,
                true,
                format!("The label `{name}` has values that an integer of {bits} bits does not have."),
            );
        }
        let class = self.declare(Class::Enum { container, labels })?;
        if let Some(name) = name {
            self.name(at, Namespace::Enum, "enumeration", &name, class)?;
        }
        Ok(class)
    }

    /// `{ A, B = 3, C = 4 ... 7 }`
    fn labels(&mut self, signed: bool) -> Result<Rc<Labels>, Refusal> {
        self.expect(b'{', "before labels")?;
        let mut labels = Vec::new();
        let mut next = 0i128;
        while !self.accept(b'}')? {
            let at = self.at;
            let name: Rc<str> = match self.token {
                Token::Literal(_) => self.literal()?.into(),
                _ => {
                    let word = self.word("a label")?;
                    self.reserve(at, word);
                    word.into()
                }
            };
            self.spend()?;
            let (mut low, mut high) = (next, next);
            if self.accept(b'=')? {
                low = self.constant()?;
                high = low;
                if self.token == Token::Ellipsis {
                    self.next()?;
                    high = self.constant()?;
                }
            }
            if low > high {
                let what = format!("The range of the label `{name}` is backwards: {low} ... {high}.");
                return Err(Refusal::new(at, what));
            }
            if !signed && low < 0 {
                let what = format!("The label `{name}` is {low} in an enumeration of unsigned integers.");
                return Err(Refusal::new(at, what));
            }
            labels.push(Label { name, low, high });
            next = high.saturating_add(1);
            if !self.accept(b',')? {
                self.expect(b'}', "after the labels of an enumeration")?;
                break;
            }
        }
        if labels.is_empty() {
            return self.refuse("An enumeration has no label.");
        }
        Ok(Rc::new(Labels::new(labels)))
    }
}
