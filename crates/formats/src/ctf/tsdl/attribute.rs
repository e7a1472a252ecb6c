//! Attributes: `name = value;` inside `integer {}`, `clock {}` and their like.

use super::lexer::{Token, unescape};
use super::metadata::Order;
use super::{Parser, Refusal};

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Number(i128),
    Text(String),
    /// Words with dots between them, which are no expression: `clock.monotonic.value`, `true`.
    Words(String),
}

/// One attribute, and where its value starts.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) at: usize,
}

/// Which kinds of value the grammar lets an attribute have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowed {
    Number,
    Literal,
    Words,
    NumberOrWords,
    NumberOrLiteral,
}

impl Allowed {
    fn allows(self, value: &Value) -> bool {
        use Allowed::{Literal, Number, NumberOrLiteral, NumberOrWords, Words};
        match value {
            Value::Number(_) => matches!(self, Number | NumberOrWords | NumberOrLiteral),
            Value::Text(_) => matches!(self, Literal | NumberOrLiteral),
            Value::Words(_) => matches!(self, Words | NumberOrWords),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Allowed::Number => "a number",
            Allowed::Literal => "a literal in quotes",
            Allowed::Words => "a word without quotes",
            Allowed::NumberOrWords => "a number or a word without quotes",
            Allowed::NumberOrLiteral => "a number or a literal in quotes",
        }
    }
}

impl Parser<'_> {
    /// Reports a value of a kind that the grammar does not allow here, though its meaning is clear.
    pub(super) fn restrict(&mut self, attribute: &Attribute, allowed: Allowed) {
        if !allowed.allows(&attribute.value) {
            let name = super::lexer::shown(attribute.name.as_bytes());
            let what = format!("The attribute `{name}` is not {}.", allowed.name());
            self.remark(attribute.at, true, what);
        }
    }

    /// The same for a number that nobody here needs: it must fit a signed integer of 64 bits.
    pub(super) fn restrict_number(&mut self, attribute: &Attribute, allowed: Allowed) {
        self.restrict(attribute, allowed);
        if let Value::Number(number) = attribute.value
            && i64::try_from(number).is_err()
        {
            let name = super::lexer::shown(attribute.name.as_bytes());
            let what = format!("The attribute `{name}` is {number}, which does not fit into 64 bits.");
            self.remark(attribute.at, true, what);
        }
    }

    /// Words with dots between them.
    pub(super) fn dotted(&mut self, what: &str) -> Result<String, Refusal> {
        let mut words = self.word(what)?.to_owned();
        while self.accept(b'.')? {
            words.push('.');
            words.push_str(self.word("a name after `.`")?);
        }
        Ok(words)
    }

    fn value(&mut self) -> Result<Value, Refusal> {
        match self.token {
            Token::Literal(_) => Ok(Value::Text(self.literal()?)),
            Token::Word(_) => Ok(Value::Words(self.dotted("a value")?)),
            _ => Ok(Value::Number(self.constant()?)),
        }
    }

    /// A literal with its escapes resolved; adjacent ones are one, as in C.
    pub(super) fn literal(&mut self) -> Result<String, Refusal> {
        let mut bytes = Vec::new();
        while let Token::Literal(raw) = self.token {
            bytes.extend(unescape(raw));
            self.next()?;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The rest of `name = value;`, after the name.
    pub(super) fn attribute(&mut self, name: String) -> Result<Attribute, Refusal> {
        self.expect(b'=', "after the name of an attribute")?;
        let at = self.at;
        let value = self.value()?;
        self.expect(b';', "after the value of an attribute")?;
        Ok(Attribute { name, value, at })
    }

    /// `{ name = value; ... }`; the same name twice is refused.
    pub(super) fn attributes(&mut self) -> Result<Vec<Attribute>, Refusal> {
        self.expect(b'{', "before attributes")?;
        let mut list: Vec<Attribute> = Vec::new();
        while !self.accept(b'}')? {
            if self.accept(b';')? {
                continue;
            }
            let start = self.at;
            let name = self.dotted("the name of an attribute or `}`")?;
            let attribute = self.attribute(name)?;
            // Few are meaningful, so the search is short; the bound keeps it so for hostile input.
            if list.len() >= 64 {
                return Err(Refusal::new(start, "A block has more than 64 attributes."));
            }
            if list.iter().any(|other| other.name == attribute.name) {
                let what = format!("The attribute `{}` stands here twice.", attribute.name);
                return Err(Refusal::new(start, what));
            }
            list.push(attribute);
        }
        Ok(list)
    }
}

impl Attribute {
    pub(super) fn refuse<T>(&self, expected: &str) -> Result<T, Refusal> {
        let found = match &self.value {
            Value::Number(number) => number.to_string(),
            Value::Text(text) => format!("\"{}\"", super::lexer::shown(text.as_bytes())),
            Value::Words(words) => super::lexer::shown(words.as_bytes()),
        };
        let what = format!("The attribute `{}` must be {expected}, but is {found}.", self.name);
        Err(Refusal::new(self.at, what))
    }

    /// A number in `low..=high`.
    pub(super) fn number<T: TryFrom<i128>>(&self, low: i128, high: i128) -> Result<T, Refusal> {
        let expected = || format!("a number from {low} to {high}");
        match self.value {
            Value::Number(number) if (low..=high).contains(&number) => {
                T::try_from(number).or_else(|_| self.refuse(&expected()))
            }
            _ => self.refuse(&expected()),
        }
    }

    pub(super) fn text(&self) -> Result<String, Refusal> {
        match &self.value {
            Value::Text(text) | Value::Words(text) => Ok(text.clone()),
            Value::Number(_) => self.refuse("text"),
        }
    }

    pub(super) fn truth(&self) -> Result<bool, Refusal> {
        match &self.value {
            Value::Number(0) => Ok(false),
            Value::Number(1) => Ok(true),
            Value::Words(word) if word.eq_ignore_ascii_case("true") => Ok(true),
            Value::Words(word) if word.eq_ignore_ascii_case("false") => Ok(false),
            _ => self.refuse("`true` or `false`"),
        }
    }

    /// A byte order; `None` is the native one.
    pub(super) fn order(&self) -> Result<Option<Order>, Refusal> {
        match self.text()?.as_str() {
            "le" => Ok(Some(Order::Little)),
            "be" | "network" => Ok(Some(Order::Big)),
            "native" => Ok(None),
            _ => self.refuse("`le`, `be`, `network` or `native`"),
        }
    }

    /// An encoding: whether it is text.
    pub(super) fn encoding(&self) -> Result<bool, Refusal> {
        match self.text()?.to_ascii_lowercase().as_str() {
            "none" => Ok(false),
            "utf8" | "utf-8" | "ascii" => Ok(true),
            _ => self.refuse("`none`, `UTF8` or `ASCII`"),
        }
    }

    pub(super) fn uuid(&self) -> Result<[u8; 16], Refusal> {
        let text = self.text()?;
        let digits: Option<Vec<u8>> = text
            .bytes()
            .filter(|&byte| byte != b'-')
            .map(|byte| char::from(byte).to_digit(16).map(|digit| digit as u8))
            .collect();
        let bytes: Option<[u8; 16]> = digits.and_then(|digits| {
            let pairs = digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit));
            (digits.len() == 32).then(|| pairs.collect::<Vec<u8>>())?.try_into().ok()
        });
        bytes.map_or_else(|| self.refuse("a UUID of 32 hexadecimal digits"), Ok)
    }
}
