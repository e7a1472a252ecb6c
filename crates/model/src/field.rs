//! Fields: what an event carries, handed out without allocation.
//!
//! A reader keeps the bytes of an event as they are and decodes them only when somebody looks:
//! [`Fields::visit`] pushes every field into a [`FieldSink`], [`Fields::get`] fetches one.

/// The value of a field that holds no other fields. Borrowed from the reader until its next event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// A natural number and the base in which the trace wants it shown.
    Unsigned(u128, Base),
    /// A whole number and the base in which the trace wants it shown.
    Signed(i128, Base),
    /// A binary floating-point number (32-bit ones are widened, which loses nothing).
    Float(f64),
    /// Text as it stands in the trace: meant to be UTF-8, not promised to be.
    Text(&'a [u8]),
    /// An enumeration: its number and the first label whose range holds it.
    Enum(i128, Option<&'a str>),
    /// True or false (no CTF 1.8 type; JSON has it).
    Bool(bool),
    /// No value (no CTF 1.8 type; JSON has it).
    Null,
}

/// The base in which people expect to see an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Base {
    /// Counts and identifiers.
    #[default]
    Decimal,
    /// Addresses and masks.
    Hexadecimal,
    /// File modes.
    Octal,
    /// Flags.
    Binary,
}

/// Which fields of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// What the tracer adds to every event of a stream or of a type, for instance `vtid`.
    Context,
    /// What the event itself carries.
    Payload,
}

/// Receives the fields of an event in their order.
pub trait FieldSink {
    /// One value. Elements of arrays have an empty name.
    fn value(&mut self, name: &str, value: Value<'_>);
    /// A structure starts; its fields follow until [`FieldSink::end`].
    fn begin_struct(&mut self, name: &str);
    /// An array or a sequence of `len` elements starts; they follow until [`FieldSink::end`].
    fn begin_array(&mut self, name: &str, len: u64);
    /// The structure or array that was begun last ends.
    fn end(&mut self);
}

/// A sink for who wants the outer fields only, one by one: what stands inside structures and arrays is
/// passed over.
#[derive(Debug)]
pub struct OuterFields<F> {
    each: F,
    depth: usize,
}

impl<F: FnMut(&str, Value<'_>)> OuterFields<F> {
    /// A sink that gives each field to `each`.
    pub fn new(each: F) -> OuterFields<F> {
        OuterFields { each, depth: 0 }
    }
}

impl<F: FnMut(&str, Value<'_>)> FieldSink for OuterFields<F> {
    fn value(&mut self, name: &str, value: Value<'_>) {
        if self.depth == 0 {
            (self.each)(name, value);
        }
    }

    fn begin_struct(&mut self, _: &str) {
        self.depth += 1;
    }

    fn begin_array(&mut self, _: &str, _: u64) {
        self.depth += 1;
    }

    fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// The fields of one event.
pub trait Fields {
    /// Pushes every field of `scope` into `sink`. Deterministic; never fails: an event that could
    /// not be decoded was reported by the reader and is not handed out.
    fn visit(&self, scope: Scope, sink: &mut dyn FieldSink);

    /// The value of the field called `name`, payload before context; `None` if there is none or if
    /// it is a structure or an array. Fields inside a structure are not searched.
    fn get(&self, name: &str) -> Option<Value<'_>>;
}

/// An event without fields.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFields;

impl Fields for NoFields {
    fn visit(&self, _: Scope, _: &mut dyn FieldSink) {}
    fn get(&self, _: &str) -> Option<Value<'_>> {
        None
    }
}

impl Value<'_> {
    /// The value as a whole number, where it is one that 64 bits hold.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Value::Unsigned(value, _) => value.try_into().ok(),
            Value::Signed(value, _) | Value::Enum(value, _) => value.try_into().ok(),
            _ => None,
        }
    }
}
