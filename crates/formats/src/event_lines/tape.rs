//! One JSON value parsed into flat, reused memory: a line costs no allocation once the buffers
//! have grown. It is what makes the fields of an event line.

use model::{Base, FieldSink, Fields, Scope, Value};

use crate::limits;

/// A piece of [`Tape::text`].
type Span = std::ops::Range<u32>;

/// The members of the line's object, in order, nested ones behind their container.
#[derive(Debug, Default)]
pub(super) struct Tape {
    nodes: Vec<Node>,
    text: String,
    /// Nodes that are not shown as fields, because the line's own keys were taken from them.
    hidden: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Node {
    name: Span,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Null,
    Bool(bool),
    Unsigned(u128),
    Signed(i128),
    Float(f64),
    Text(Span),
    /// Nodes up to `end` are inside.
    Object {
        end: u32,
    },
    Array {
        end: u32,
        len: u64,
    },
}

/// A member of the line's object, for picking the keys that the format knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member(u32);

impl Tape {
    /// Parses `line`, which must be one object and nothing else; the sentence says what is wrong.
    pub(super) fn parse(&mut self, line: &str) -> Result<(), String> {
        self.nodes.clear();
        self.text.clear();
        self.hidden.clear();
        let mut parser = Parser { tape: self, line, at: 0, depth: 0 };
        parser.skip_space();
        if parser.peek() != Some(b'{') {
            return Err("it is not a JSON object".into());
        }
        parser.value(0..0)?;
        parser.skip_space();
        match parser.peek() {
            None => Ok(()),
            Some(_) => Err(parser.expected("the end of the line")),
        }
    }

    /// The members of the object whose node is `at` (0: the line itself).
    fn children(&self, at: u32) -> impl Iterator<Item = u32> {
        let end = match self.nodes.get(at as usize).map(|node| &node.kind) {
            Some(Kind::Object { end } | Kind::Array { end, .. }) => *end,
            _ => at + 1,
        };
        let mut next = at + 1;
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.after(child);
            Some(child)
        })
    }

    fn after(&self, at: u32) -> u32 {
        match self.nodes[at as usize].kind {
            Kind::Object { end } | Kind::Array { end, .. } => end,
            _ => at + 1,
        }
    }

    fn str(&self, span: &Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The first member called `name`.
    pub(super) fn member(&self, name: &str) -> Option<Member> {
        self.children(0).find(|&child| self.str(&self.nodes[child as usize].name) == name).map(Member)
    }

    /// Takes `member` away from the fields.
    pub(super) fn hide(&mut self, member: Member) {
        self.hidden.push(member.0);
    }

    /// Calls fields as `rename` says.
    pub(super) fn rename_fields(&mut self, rename: impl Fn(&str) -> String) {
        for field in self.fields().collect::<Vec<_>>() {
            let name = self.str(&self.nodes[field as usize].name);
            let new = rename(name);
            if new != name {
                let start = self.text.len() as u32;
                self.text.push_str(&new);
                self.nodes[field as usize].name = start..self.text.len() as u32;
            }
        }
    }

    /// The value of `member`, if it holds no others.
    pub(super) fn value(&self, member: Member) -> Option<Value<'_>> {
        self.value_at(member.0)
    }

    pub(super) fn is_object(&self, member: Member) -> bool {
        matches!(self.nodes[member.0 as usize].kind, Kind::Object { .. })
    }

    fn value_at(&self, at: u32) -> Option<Value<'_>> {
        Some(match &self.nodes[at as usize].kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Unsigned(value) => Value::Unsigned(*value, Base::Decimal),
            Kind::Signed(value) => Value::Signed(*value, Base::Decimal),
            Kind::Float(value) => Value::Float(*value),
            Kind::Text(span) => Value::Text(self.str(span).as_bytes()),
            Kind::Object { .. } => return self.enumeration(at),
            Kind::Array { .. } => return None,
        })
    }

    /// An object of exactly `value` and perhaps `label` is an enumeration.
    fn enumeration(&self, at: u32) -> Option<Value<'_>> {
        let mut children = self.children(at);
        let number = &self.nodes[children.next()? as usize];
        let number = match number.kind {
            _ if self.str(&number.name) != "value" => return None,
            Kind::Unsigned(value) => i128::try_from(value).ok()?,
            Kind::Signed(value) => value,
            _ => return None,
        };
        let label = match children.next().map(|child| &self.nodes[child as usize]) {
            None => None,
            Some(Node { name, kind: Kind::Text(text) }) if self.str(name) == "label" => Some(self.str(text)),
            Some(_) => return None,
        };
        children.next().is_none().then_some(Value::Enum(number, label))
    }

    /// The nodes that are fields: the line's members that nobody took, and those inside `fields`.
    fn fields(&self) -> impl Iterator<Item = u32> {
        self.children(0).flat_map(|member| {
            let opened =
                self.hidden.contains(&member) && self.str(&self.nodes[member as usize].name) == "fields";
            let inside = opened.then(|| self.children(member));
            let itself = (!self.hidden.contains(&member)).then_some(member);
            inside.into_iter().flatten().chain(itself)
        })
    }

    fn push(&self, at: u32, sink: &mut dyn FieldSink) {
        let node = &self.nodes[at as usize];
        let name = self.str(&node.name);
        match (self.value_at(at), &node.kind) {
            (Some(value), _) => return sink.value(name, value),
            (None, Kind::Array { len, .. }) => sink.begin_array(name, *len),
            (None, _) => sink.begin_struct(name),
        }
        for child in self.children(at) {
            self.push(child, sink);
        }
        sink.end();
    }
}

impl Fields for Tape {
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink) {
        if scope == Scope::Payload {
            self.fields().for_each(|field| self.push(field, sink));
        }
    }

    fn get(&self, name: &str) -> Option<Value<'_>> {
        let field = self.fields().find(|&field| self.str(&self.nodes[field as usize].name) == name)?;
        self.value_at(field)
    }
}

struct Parser<'a> {
    tape: &'a mut Tape,
    line: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn expected(&self, what: &str) -> String {
        let column = self.at + 1;
        match self.line.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => format!("at byte {column} stands {found:?} where {what} should be"),
            None => format!("it ends at byte {column} where {what} should be"),
        }
    }

    fn take(&mut self, byte: u8, what: &str) -> Result<(), String> {
        self.skip_space();
        if self.peek() != Some(byte) {
            return Err(self.expected(what));
        }
        self.at += 1;
        Ok(())
    }

    fn node(&mut self, name: Span, kind: Kind) -> Result<usize, String> {
        if self.tape.nodes.len() >= limits::LINE_VALUES {
            return Err(format!("it holds more than {} values", limits::LINE_VALUES));
        }
        self.tape.nodes.push(Node { name, kind });
        Ok(self.tape.nodes.len() - 1)
    }

    fn value(&mut self, name: Span) -> Result<(), String> {
        self.skip_space();
        let kind = match self.peek() {
            Some(b'{' | b'[') => return self.container(name),
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            _ => return Err(self.expected("a value")),
        };
        self.node(name, kind).map(drop)
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<Kind, String> {
        if !self.line[self.at..].starts_with(word) {
            return Err(self.expected("a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    fn container(&mut self, name: Span) -> Result<(), String> {
        self.depth += 1;
        if self.depth > limits::LINE_DEPTH {
            return Err(format!("it nests deeper than {}", limits::LINE_DEPTH));
        }
        let is_object = self.peek() == Some(b'{');
        let (close, what) = if is_object { (b'}', "`,` or `}`") } else { (b']', "`,` or `]`") };
        self.at += 1;
        let node = self.node(name, Kind::Null)?;
        let mut len = 0;
        self.skip_space();
        if self.peek() == Some(close) {
            self.at += 1;
        } else {
            loop {
                self.skip_space();
                let name = match (is_object, self.peek()) {
                    (false, _) => 0..0,
                    (true, Some(b'"')) => self.string()?,
                    (true, _) => return Err(self.expected("a name in quotes")),
                };
                if is_object {
                    self.take(b':', "`:`")?;
                }
                self.value(name)?;
                len += 1;
                self.skip_space();
                if self.peek() == Some(b',') {
                    self.at += 1;
                } else {
                    self.take(close, what)?;
                    break;
                }
            }
        }
        let end = self.tape.nodes.len() as u32;
        self.tape.nodes[node].kind = if is_object { Kind::Object { end } } else { Kind::Array { end, len } };
        self.depth -= 1;
        Ok(())
    }

    fn number(&mut self) -> Result<Kind, String> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let digits = &self.line[start..self.at];
        if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            if let Ok(value) = digits.parse() {
                return Ok(Kind::Unsigned(value));
            }
        } else if digits != "-0"
            && let Ok(value) = digits.parse()
        {
            return Ok(Kind::Signed(value));
        }
        // Beyond 128 bits a float is the nearest that there is.
        digits.parse().map(Kind::Float).map_err(|_| {
            self.at = start;
            self.expected("a number")
        })
    }

    fn string(&mut self) -> Result<Span, String> {
        let start = self.tape.text.len() as u32;
        self.at += 1;
        loop {
            let rest = &self.line[self.at..];
            let plain = rest.bytes().position(|byte| byte == b'"' || byte == b'\\').unwrap_or(rest.len());
            self.tape.text.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                None => return Err(self.expected("the closing quote of a text")),
                Some(b'"') => break,
                Some(_) => self.escape()?,
            }
        }
        self.at += 1;
        Ok(start..self.tape.text.len() as u32)
    }

    fn escape(&mut self) -> Result<(), String> {
        self.at += 1;
        let character = match self.peek() {
            Some(b'u') => return self.unicode_escape(),
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            _ => return Err(self.expected("an escape such as `n`")),
        };
        self.tape.text.push(character);
        self.at += 1;
        Ok(())
    }

    /// `\u` and four digits, or two of them for a character beyond 16 bits; half a pair is U+FFFD.
    fn unicode_escape(&mut self) -> Result<(), String> {
        let first = self.four_digits()?;
        let mut units = [Some(first), None];
        if (0xd800..0xdc00).contains(&first) && self.line[self.at..].starts_with("\\u") {
            let after_first = self.at;
            self.at += 1;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                units[1] = Some(second);
            } else {
                self.at = after_first;
            }
        }
        let decoded = char::decode_utf16(units.into_iter().flatten());
        self.tape.text.extend(decoded.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
        Ok(())
    }

    /// The digits behind the `u` at which the parser stands.
    fn four_digits(&mut self) -> Result<u16, String> {
        let digits = self.line.get(self.at + 1..self.at + 5);
        let value = digits
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u16::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.expected("`u` and four hexadecimal digits"))?;
        self.at += 5;
        Ok(value)
    }
}
