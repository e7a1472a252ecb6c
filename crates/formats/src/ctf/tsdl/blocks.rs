//! The blocks of the outermost level: `trace`, `env`, `clock`, `stream`, `event` and `callsite`.

use std::collections::HashSet;

use super::attribute::{Allowed, Attribute, Value};
use super::lexer::Token;
use super::metadata::{Class, ClassId, ClockBlock, EventBlock, StreamBlock, TraceBlock};
use super::{Parser, Refusal};

/// What a block of the outermost level says, in its order.
enum Entry {
    Attribute(Attribute),
    /// `name := type;`
    Class(String, ClassId, usize),
}

impl Entry {
    fn key(&self) -> &str {
        match self {
            Entry::Attribute(attribute) => &attribute.name,
            Entry::Class(name, ..) => name,
        }
    }
}

impl Parser<'_> {
    /// One declaration of the outermost level; `false` at the end.
    pub(super) fn block(&mut self) -> Result<bool, Refusal> {
        let at = self.at;
        let word = match self.token {
            Token::End => return Ok(false),
            Token::Sign(b';') => {
                self.next()?;
                return Ok(true);
            }
            Token::Word(word) => word,
            _ => return self.refuse(format!("Expected a declaration, found {}.", self.found())),
        };
        // Only with its bracket is `stream` a block.
        match (word, self.peek_token()?) {
            ("trace", Token::Sign(b'{')) => self.trace(at)?,
            ("env", Token::Sign(b'{')) => self.env()?,
            ("clock", Token::Sign(b'{')) => self.clock(at)?,
            ("stream", Token::Sign(b'{')) => self.stream(at)?,
            ("event", Token::Sign(b'{')) => self.event(at)?,
            ("callsite", Token::Sign(b'{')) => {
                self.next()?;
                self.attributes()?;
                self.end_of_block()?;
            }
            ("typealias" | "typedef", _) => {
                self.type_declaration()?;
            }
            ("struct" | "variant" | "enum", _) => {
                self.specifier()?;
                self.expect(b';', "after a declaration")?;
            }
            _ => return self.refuse(format!("Expected a declaration, found {}.", self.found())),
        }
        Ok(true)
    }

    /// Nothing becomes unclear by a missing semicolon, so it does not cost the trace.
    fn end_of_block(&mut self) -> Result<(), Refusal> {
        if !self.accept(b';')? {
            let what = format!("Expected `;` after a block, found {}.", self.found());
            self.remark(self.at, true, what);
        }
        Ok(())
    }

    /// `word { ... };` with attributes, types and classes in it.
    fn entries(&mut self) -> Result<Vec<Entry>, Refusal> {
        self.next()?;
        self.expect(b'{', "before a block")?;
        self.scopes.open();
        let mut list: Vec<Entry> = Vec::new();
        while !self.accept(b'}')? {
            if self.accept(b';')? || self.type_declaration()? {
                continue;
            }
            let at = self.at;
            let is_type = matches!(self.token, Token::Word("struct" | "variant" | "enum"));
            if is_type && matches!(self.peek_token()?, Token::Word(_) | Token::Sign(b'{' | b':' | b'<')) {
                self.specifier()?;
                self.expect(b';', "after a declaration")?;
                continue;
            }
            let name = self.dotted("an attribute, a type or `}`")?;
            let entry = if self.token == Token::Becomes {
                self.next()?;
                let specifier = self.specifier()?;
                let (_, class) = self.declarator(&specifier)?;
                self.expect(b';', "after a type")?;
                Entry::Class(name, class, at)
            } else {
                Entry::Attribute(self.attribute(name)?)
            };
            if list.len() >= 64 {
                return Err(Refusal::new(at, "A block has more than 64 entries."));
            }
            if list.iter().any(|other| other.key() == entry.key()) {
                let key = super::lexer::shown(entry.key().as_bytes());
                return Err(Refusal::new(at, format!("`{key}` stands in this block twice.")));
            }
            list.push(entry);
        }
        self.scopes.close();
        self.end_of_block()?;
        Ok(list)
    }

    /// The class of `header` and its like must be a structure.
    fn root(&self, name: &str, class: ClassId, at: usize) -> Result<Option<ClassId>, Refusal> {
        match self.out.class(class) {
            Some(Class::Struct { .. }) => Ok(Some(class)),
            _ => Err(Refusal::new(at, format!("`{name}` is not a structure."))),
        }
    }

    fn trace(&mut self, at: usize) -> Result<(), Refusal> {
        if self.out.trace.is_some() {
            return self.refuse("There are two `trace` blocks.");
        }
        let (mut order, mut uuid, mut packet_header) = (None, None, None);
        let (mut major, mut minor) = (None::<u64>, None::<u64>);
        for entry in self.entries()? {
            match entry {
                Entry::Attribute(attribute) => match attribute.name.as_str() {
                    "major" => major = Some(attribute.number(0, i128::from(u32::MAX))?),
                    "minor" => minor = Some(attribute.number(0, i128::from(u32::MAX))?),
                    "uuid" => {
                        self.restrict(&attribute, Allowed::Literal);
                        uuid = Some(attribute.uuid()?);
                    }
                    "byte_order" => {
                        self.restrict(&attribute, Allowed::Words);
                        match attribute.order()? {
                            Some(known) => order = Some(known),
                            None => return attribute.refuse("`le` or `be` in a `trace` block"),
                        }
                    }
                    _ => self.unknown(&attribute, "a trace"),
                },
                Entry::Class(name, class, at) => match name.as_str() {
                    "packet.header" | "trace.packet.header" => packet_header = self.root(&name, class, at)?,
                    _ => return Err(Refusal::new(at, format!("A trace has no `{name}`."))),
                },
            }
        }
        match (major, minor) {
            (Some(1), Some(8)) => {}
            (Some(major), Some(minor)) => {
                let what = format!("The metadata is of CTF {major}.{minor}, and only CTF 1.8 is read.");
                return Err(Refusal::new(at, what));
            }
            _ => return Err(Refusal::new(at, "The `trace` block lacks `major` or `minor`.")),
        }
        let Some(order) = order else {
            return Err(Refusal::new(at, "The `trace` block lacks `byte_order`."));
        };
        self.out.trace = Some(TraceBlock { order, uuid, packet_header });
        Ok(())
    }

    fn env(&mut self) -> Result<(), Refusal> {
        self.next()?;
        self.expect(b'{', "before a block")?;
        let mut names = HashSet::new();
        while !self.accept(b'}')? {
            if self.accept(b';')? {
                continue;
            }
            self.spend()?;
            let at = self.at;
            let name = self.dotted("a name or `}`")?;
            let attribute = self.attribute(name)?;
            self.restrict_number(&attribute, Allowed::NumberOrLiteral);
            if !names.insert(attribute.name.clone()) {
                let name = super::lexer::shown(attribute.name.as_bytes());
                self.remark(at, true, format!("`{name}` stands in this block twice."));
            }
            let value = match attribute.value {
                Value::Number(number) => number.to_string(),
                Value::Text(text) | Value::Words(text) => text,
            };
            self.out.environment.push((attribute.name, value));
        }
        self.end_of_block()
    }

    fn clock(&mut self, at: usize) -> Result<(), Refusal> {
        self.next()?;
        self.spend()?;
        let mut name = None;
        let mut clock =
            ClockBlock { id: None, name: "".into(), frequency: 1_000_000_000, offset_s: 0, offset: 0 };
        for attribute in self.attributes()? {
            let offset = || attribute.number(i128::from(i64::MIN), i128::from(i64::MAX));
            match attribute.name.as_str() {
                "name" => name = Some(attribute.text()?),
                "description" => self.restrict(&attribute, Allowed::Literal),
                "freq" => clock.frequency = attribute.number(1, i128::from(u64::MAX))?,
                "offset_s" => clock.offset_s = offset()?,
                "offset" => {
                    clock.offset = offset()?;
                    if clock.offset < 0 {
                        let what = "The attribute `offset` of a clock is negative; `offset_s` may be.";
                        self.remark(attribute.at, true, what.into());
                    }
                }
                "precision" => {
                    attribute.number::<u64>(0, i128::from(u64::MAX))?;
                }
                "absolute" => {
                    attribute.truth()?;
                }
                "uuid" => {
                    self.restrict(&attribute, Allowed::Literal);
                    attribute.uuid()?;
                }
                _ => self.unknown(&attribute, "a clock"),
            }
        }
        self.end_of_block()?;
        let Some(name) = name else { return Err(Refusal::new(at, "A clock has no name.")) };
        clock.name = name.as_str().into();
        if self.out.clocks.iter().any(|other| other.name == clock.name) {
            return Err(Refusal::new(at, format!("There are two clocks called `{name}`.")));
        }
        if self.out.clocks.len() >= 64 {
            return Err(Refusal::new(at, "There are more than 64 clocks."));
        }
        self.out.clocks.push(clock);
        Ok(())
    }

    fn stream(&mut self, at: usize) -> Result<(), Refusal> {
        self.spend()?;
        let mut block = StreamBlock { at, ..StreamBlock::default() };
        for entry in self.entries()? {
            match entry {
                Entry::Attribute(attribute) if attribute.name == "id" => {
                    block.id = Some(attribute.number(0, i128::from(u64::MAX))?);
                }
                Entry::Attribute(attribute) => self.unknown(&attribute, "a stream"),
                Entry::Class(name, class, at) => {
                    let class = self.root(&name, class, at)?;
                    match name.strip_prefix("stream.").unwrap_or(&name) {
                        "packet.context" => block.packet_context = class,
                        "event.header" => block.event_header = class,
                        "event.context" => block.event_context = class,
                        _ => return Err(Refusal::new(at, format!("A stream has no `{name}`."))),
                    }
                }
            }
        }
        self.out.streams.push(block);
        Ok(())
    }

    fn event(&mut self, at: usize) -> Result<(), Refusal> {
        self.spend()?;
        let mut block = EventBlock { at, ..EventBlock::default() };
        for entry in self.entries()? {
            match entry {
                Entry::Attribute(attribute) => match attribute.name.as_str() {
                    "name" => block.name = Some(attribute.text()?),
                    "id" => block.id = Some(attribute.number(0, i128::from(u64::MAX))?),
                    "stream_id" => block.stream_id = Some(attribute.number(0, i128::from(u64::MAX))?),
                    "loglevel" => self.restrict_number(&attribute, Allowed::Number),
                    "model.emf.uri" => self.restrict(&attribute, Allowed::Literal),
                    _ => self.unknown(&attribute, "an event"),
                },
                Entry::Class(name, class, at) => {
                    let class = self.root(&name, class, at)?;
                    match name.strip_prefix("event.").unwrap_or(&name) {
                        "context" => block.context = class,
                        "fields" => block.fields = class,
                        _ => return Err(Refusal::new(at, format!("An event has no `{name}`."))),
                    }
                }
            }
        }
        self.out.events.push(block);
        Ok(())
    }
}
