//! Field classes of CTF 2, and where the fields lie that they depend on (CTF2-SPEC-2.0, section 5.3).

use std::rc::Rc;

use model::Base;
use serde_json::Value;

use super::super::class::{Encoding, Flags, Form, Leaf, Length, NONE, Show};
use super::super::tsdl::metadata::{
    Choice, Class, ClassId, Integer, Label, Labels, Member, Order, Path, Roles, Start,
};
use super::Reader;
use super::json::{Object, Wrong, elements, ranges, within};
use crate::limits;

/// The parts of a record, in the order in which they are read.
const ORIGINS: [&str; 6] = [
    "packet-header",
    "packet-context",
    "event-record-header",
    "event-record-common-context",
    "event-record-specific-context",
    "event-record-payload",
];

const BITS: [&str; 4] = ["length", "byte-order", "bit-order", "alignment"];

/// Numbers of at most so many bits are read.
const WIDEST: u64 = 64;

impl Reader {
    /// The structure that is the property `name`.
    pub(super) fn root(&mut self, object: &Object<'_>, name: &str) -> Result<Option<ClassId>, Wrong> {
        let Some(value) = object.get(name) else { return Ok(None) };
        let class = self.class(value).map_err(|wrong| within(name, wrong))?;
        match self.out.class(class) {
            Some(Class::Struct { .. }) => Ok(Some(class)),
            _ => Err(within(name, "This is not a structure.")),
        }
    }

    /// A field class, or the name of one.
    pub(super) fn class(&mut self, value: &Value) -> Result<ClassId, Wrong> {
        if let Value::String(name) = value {
            let found = self.aliases.get(name).copied();
            return found.ok_or_else(|| format!("There is no alias `{name}` before this."));
        }
        self.depth += 1;
        if self.depth > limits::CTF_NESTING {
            return Err(format!("Field classes nest deeper than {}.", limits::CTF_NESTING));
        }
        let class = self.declare(value)?;
        self.depth -= 1;
        self.budget =
            self.budget.checked_sub(1).ok_or("The metadata declares more field classes than are read.")?;
        self.out.classes.push(class);
        Ok(self.out.classes.len() as ClassId - 1)
    }

    fn declare(&mut self, value: &Value) -> Result<Class, Wrong> {
        let kind = value.get("type").and_then(Value::as_str);
        let kind = kind.ok_or("This is not a field class: it has no type.")?;
        match kind {
            "fixed-length-bit-array" => self.bits(value, &[], |_, leaf| Ok(leaf)),
            "fixed-length-boolean" => self.bits(value, &[], |_, leaf| Ok(Leaf { show: Show::Bool, ..leaf })),
            "fixed-length-bit-map" => self.bits(value, &["flags"], |object, leaf| {
                let flags = flags(object.need("flags")?, leaf.integer.bits)
                    .map_err(|wrong| within("flags", wrong))?;
                Ok(Leaf { show: Show::Flags(Rc::new(flags)), ..leaf })
            }),
            "fixed-length-unsigned-integer" => self.number(value, false),
            "fixed-length-signed-integer" => self.number(value, true),
            "fixed-length-floating-point-number" => float(value),
            "variable-length-unsigned-integer" => self.variable_number(value, false),
            "variable-length-signed-integer" => self.variable_number(value, true),
            "null-terminated-string" => {
                let object = Object::new(value, &["encoding"])?;
                Ok(match encoding(&object)? {
                    Encoding::Utf8 => Class::Text,
                    wide => Class::Leaf(leaf(Form::Wide(wide)), 8, None),
                })
            }
            "static-length-string" => {
                let object = Object::new(value, &["encoding", "length"])?;
                let form = Form::Bytes(Length::Fixed(length(&object)?), Some(encoding(&object)?));
                Ok(Class::Leaf(leaf(form), 8, None))
            }
            "static-length-blob" => {
                let object = Object::new(value, &["length", "media-type", "roles"])?;
                object.check_texts(&["media-type"])?;
                let length = length(&object)?;
                let roles = roles(&object)?;
                if !roles.is_empty() && (roles != Roles::UUID || length != 16) {
                    return Err(within("roles", "A BLOB can only be a UUID, and that has 16 bytes."));
                }
                Ok(Class::Leaf(Leaf { roles, ..leaf(Form::Bytes(Length::Fixed(length), None)) }, 8, None))
            }
            "dynamic-length-string" => {
                let object = Object::new(value, &["encoding", "length-field-location"])?;
                let form = Form::Bytes(Length::Slot(NONE), Some(encoding(&object)?));
                Ok(Class::Leaf(leaf(form), 8, Some(self.location(&object, "length-field-location")?)))
            }
            "dynamic-length-blob" => {
                let object = Object::new(value, &["media-type", "length-field-location"])?;
                object.check_texts(&["media-type"])?;
                let form = Form::Bytes(Length::Slot(NONE), None);
                Ok(Class::Leaf(leaf(form), 8, Some(self.location(&object, "length-field-location")?)))
            }
            "structure" => self.structure(value),
            "static-length-array" => {
                let object = Object::new(value, &["element-field-class", "length", "minimum-alignment"])?;
                let (len, align) = (length(&object)?, alignment(&object, "minimum-alignment")?);
                let element = self.property(&object, "element-field-class")?;
                Ok(Class::Array { element, len, align })
            }
            "dynamic-length-array" => {
                let known = ["element-field-class", "length-field-location", "minimum-alignment"];
                let object = Object::new(value, &known)?;
                let align = alignment(&object, "minimum-alignment")?;
                let length = self.location(&object, "length-field-location")?;
                let element = self.property(&object, "element-field-class")?;
                Ok(Class::Sequence { element, length, align })
            }
            "optional" => self.optional(value),
            "variant" => self.variant(value),
            other => Err(format!(
                "A field class of the type `{}` is unknown.",
                other.chars().take(40).collect::<String>()
            )),
        }
    }

    fn property(&mut self, object: &Object<'_>, name: &str) -> Result<ClassId, Wrong> {
        self.class(object.need(name)?).map_err(|wrong| within(name, wrong))
    }

    fn structure(&mut self, value: &Value) -> Result<Class, Wrong> {
        let object = Object::new(value, &["member-classes", "minimum-alignment"])?;
        let align = alignment(&object, "minimum-alignment")?;
        let mut members: Vec<Member> = vec![];
        let mut names = std::collections::HashSet::new();
        let list = object.get("member-classes").map_or(Ok(&[][..]), elements);
        for (index, value) in list.map_err(|wrong| within("member-classes", wrong))?.iter().enumerate() {
            let here = |wrong| within(&format!("member-classes[{index}]"), wrong);
            let member = Object::new(value, &["name", "field-class"]).map_err(here)?;
            let name = member.text("name").map_err(here)?.ok_or("The property `name` is missing.".to_owned());
            let name: Rc<str> = name.map_err(here)?.into();
            let class = self.property(&member, "field-class").map_err(here)?;
            if !names.insert(name.clone()) {
                return Err(here(format!("Two members are called `{name}`.")));
            }
            members.push(Member { name, class });
        }
        Ok(Class::Struct { members: members.into(), align })
    }

    fn optional(&mut self, value: &Value) -> Result<Class, Wrong> {
        let object =
            Object::new(value, &["field-class", "selector-field-location", "selector-field-ranges"])?;
        let selector = self.location(&object, "selector-field-location")?;
        let class = self.property(&object, "field-class")?;
        let found = object.get("selector-field-ranges").map(|value| ranges(value, true)).transpose();
        let ranges = found.map_err(|wrong| within("selector-field-ranges", wrong))?;
        // Without ranges the selector is a boolean.
        let is_boolean = ranges.is_none();
        let ranges = ranges.unwrap_or_else(|| vec![(1, i128::MAX)]);
        let options = vec![Choice { name: "".into(), class, ranges }].into();
        Ok(Class::Choice { selector, options, is_optional: true, is_boolean })
    }

    fn variant(&mut self, value: &Value) -> Result<Class, Wrong> {
        let object = Object::new(value, &["options", "selector-field-location"])?;
        let selector = self.location(&object, "selector-field-location")?;
        let mut options: Vec<Choice> = vec![];
        for (index, value) in elements(object.need("options")?)?.iter().enumerate() {
            let here = |wrong| within(&format!("options[{index}]"), wrong);
            let known = ["name", "field-class", "selector-field-ranges"];
            let option = Object::new(value, &known).map_err(here)?;
            let name: Rc<str> = option.text("name").map_err(here)?.unwrap_or_default().into();
            if !name.is_empty() && options.iter().any(|option| option.name == name) {
                return Err(here(format!("Two options are called `{name}`.")));
            }
            let class = self.property(&option, "field-class").map_err(here)?;
            let ranges = option.need("selector-field-ranges").and_then(|value| ranges(value, true));
            let ranges = ranges.map_err(|wrong| here(within("selector-field-ranges", wrong)))?;
            options.push(Choice { name, class, ranges });
        }
        if options.is_empty() {
            return Err(within("options", "There is none."));
        }
        let mut all: Vec<(i128, i128)> =
            options.iter().flat_map(|option| option.ranges.iter().copied()).collect();
        all.sort_unstable();
        if let Some(low) = all.windows(2).find_map(|pair| match pair {
            [(_, high), (low, _)] if low <= high => Some(*low),
            _ => None,
        }) {
            return Err(within("options", format!("The selector {low} chooses two of them.")));
        }
        Ok(Class::Choice { selector, options: options.into(), is_optional: false, is_boolean: false })
    }

    /// A field location. What goes up again behind a name leads nowhere and is left out.
    fn location(&self, object: &Object<'_>, name: &str) -> Result<Rc<Path>, Wrong> {
        self.path(object.need(name)?).map(Rc::new).map_err(|wrong| within(name, wrong))
    }

    fn path(&self, value: &Value) -> Result<Path, Wrong> {
        let object = Object::new(value, &["origin", "path"])?;
        let path = elements(object.need("path")?).map_err(|wrong| within("path", wrong))?;
        let (mut words, mut up): (Vec<Rc<str>>, u32) = (vec![], 0);
        for word in path {
            match word {
                Value::String(word) => words.push(word.as_str().into()),
                Value::Null => up += u32::from(words.pop().is_none()),
                _ => return Err(within("path", "An element is neither a string nor null.")),
            }
        }
        if !path.last().is_some_and(Value::is_string) {
            return Err(within("path", "It does not end with a name."));
        }
        let start = match object.text("origin")? {
            None => Start::Up(up),
            Some(_) if up > 0 => return Err(within("path", "It leads out of its origin.")),
            Some(origin) => {
                let part = ORIGINS.iter().position(|known| *known == origin);
                Start::Part(part.ok_or_else(|| within("origin", format!("`{origin}` is unknown.")))?)
            }
        };
        Ok(Path { words, at: self.at, start })
    }

    fn bits(
        &mut self,
        value: &Value,
        more: &[&str],
        finish: impl Fn(&Object<'_>, Leaf) -> Result<Leaf, Wrong>,
    ) -> Result<Class, Wrong> {
        let object = Object::new(value, &[&BITS[..], more].concat())?;
        let (integer, is_reversed) = integer(&object, false)?;
        let integer = super::super::class::Integer {
            bits: integer.bits,
            signed: false,
            order: integer.order.unwrap_or(Order::Little),
            base: Base::Hexadecimal,
            slot: NONE,
            clock: false,
        };
        let align = alignment(&object, "alignment")?;
        let leaf = Leaf { integer, is_reversed, ..leaf(Form::Bits) };
        Ok(Class::Leaf(finish(&object, leaf)?, align, None))
    }

    fn number(&mut self, value: &Value, is_signed: bool) -> Result<Class, Wrong> {
        let mut known = BITS.to_vec();
        known.extend(["preferred-display-base", "mappings"]);
        if !is_signed {
            known.push("roles");
        }
        let object = Object::new(value, &known)?;
        let (mut integer, is_reversed) = integer(&object, is_signed)?;
        (integer.base, integer.roles) = (base(&object)?, roles(&object)?);
        let labels = self.mappings(&object, is_signed)?;
        if integer.roles == Roles::UUID {
            return Err(within("roles", "A number cannot be a UUID."));
        }
        if is_reversed {
            let show = labels.map_or(Show::Number, Show::Labels);
            let stored = super::super::class::Integer {
                bits: integer.bits,
                signed: is_signed,
                order: integer.order.unwrap_or(Order::Little),
                base: integer.base,
                slot: NONE,
                clock: integer.roles.has(Roles::TIME),
            };
            let leaf = Leaf { integer: stored, is_reversed, show, roles: integer.roles, ..leaf(Form::Bits) };
            return Ok(Class::Leaf(leaf, integer.align, None));
        }
        Ok(match labels {
            None => Class::Integer(integer),
            Some(labels) => Class::Enum { container: integer, labels },
        })
    }

    fn variable_number(&mut self, value: &Value, is_signed: bool) -> Result<Class, Wrong> {
        let mut known = vec!["preferred-display-base", "mappings"];
        if !is_signed {
            known.push("roles");
        }
        let object = Object::new(value, &known)?;
        let (base, roles) = (base(&object)?, roles(&object)?);
        let show = self.mappings(&object, is_signed)?.map_or(Show::Number, Show::Labels);
        let integer = super::super::class::Integer {
            bits: 64,
            signed: is_signed,
            order: Order::Little,
            base,
            slot: NONE,
            clock: roles.has(Roles::TIME),
        };
        Ok(Class::Leaf(Leaf { integer, show, roles, ..leaf(Form::Variable) }, 8, None))
    }

    fn mappings(&mut self, object: &Object<'_>, is_signed: bool) -> Result<Option<Rc<Labels>>, Wrong> {
        let Some(value) = object.get("mappings") else { return Ok(None) };
        let Value::Object(map) = value else { return Err(within("mappings", "This is not an object.")) };
        let mut list = vec![];
        for (name, value) in map {
            let found =
                ranges(value, is_signed).map_err(|wrong| within("mappings", format!("`{name}`: {wrong}")))?;
            self.budget = self
                .budget
                .checked_sub(found.len() as u64)
                .ok_or("The metadata declares more labels than are read.")?;
            let name: Rc<str> = name.as_str().into();
            list.extend(found.into_iter().map(|(low, high)| Label { name: name.clone(), low, high }));
        }
        Ok((!list.is_empty()).then(|| Rc::new(Labels::new(list))))
    }
}

/// A leaf with nothing but its form.
fn leaf(form: Form) -> Leaf {
    let integer = super::super::class::Integer {
        bits: 0,
        signed: false,
        order: Order::Little,
        base: Base::Decimal,
        slot: NONE,
        clock: false,
    };
    Leaf { integer, is_reversed: false, form, show: Show::Number, roles: Roles::default() }
}

/// The numbers of a field of so many bits, and whether its bits stand the other way round.
fn integer(object: &Object<'_>, signed: bool) -> Result<(Integer, bool), Wrong> {
    let bits = object.unsigned("length")?.ok_or("The property `length` is missing.")?;
    if bits == 0 || bits > WIDEST {
        return Err(within("length", format!("A field of {bits} bits is not read; 1 to {WIDEST} are.")));
    }
    let order = byte_order(object)?;
    let natural = if order == Order::Little { "first-to-last" } else { "last-to-first" };
    let is_reversed = match object.text("bit-order")? {
        None => false,
        Some(bit_order @ ("first-to-last" | "last-to-first")) => bit_order != natural,
        Some(other) => return Err(within("bit-order", format!("`{other}` is unknown."))),
    };
    let align = alignment(object, "alignment")?;
    let integer = Integer {
        bits: bits as u32,
        align,
        signed,
        order: Some(order),
        base: Base::Decimal,
        text: false,
        clock: None,
        roles: Roles::default(),
    };
    Ok((integer, is_reversed))
}

fn float(value: &Value) -> Result<Class, Wrong> {
    let object = Object::new(value, &BITS)?;
    let bits = object.unsigned("length")?.ok_or("The property `length` is missing.")?;
    let order = byte_order(&object)?;
    let natural = if order == Order::Little { "first-to-last" } else { "last-to-first" };
    if object.text("bit-order")?.is_some_and(|given| given != natural) {
        return Err(within("bit-order", "Floats whose bits stand the other way round are not read."));
    }
    let (exponent, mantissa) = match bits {
        16 => (5, 11),
        32 => (8, 24),
        64 => (11, 53),
        128 => (15, 113),
        _ => return Err(within("length", format!("A float of {bits} bits is not read."))),
    };
    let align = alignment(&object, "alignment")?;
    Ok(Class::Float { exponent, mantissa, align, order: Some(order) })
}

fn byte_order(object: &Object<'_>) -> Result<Order, Wrong> {
    match object.text("byte-order")? {
        Some("little-endian") => Ok(Order::Little),
        Some("big-endian") => Ok(Order::Big),
        Some(other) => Err(within("byte-order", format!("`{other}` is unknown."))),
        None => Err("The property `byte-order` is missing.".into()),
    }
}

fn alignment(object: &Object<'_>, name: &str) -> Result<u64, Wrong> {
    let align = object.unsigned(name)?.unwrap_or(1);
    if !align.is_power_of_two() || align > limits::CTF_ALIGNMENT {
        return Err(within(name, format!("An alignment of {align} bits is no power of two, or too large.")));
    }
    Ok(align)
}

fn length(object: &Object<'_>) -> Result<u64, Wrong> {
    let length = object.unsigned("length")?.ok_or("The property `length` is missing.")?;
    if length > limits::CTF_FIELD / 8 {
        return Err(within("length", "It is larger than any file."));
    }
    Ok(length)
}

fn encoding(object: &Object<'_>) -> Result<Encoding, Wrong> {
    Ok(match object.text("encoding")? {
        None | Some("utf-8") => Encoding::Utf8,
        Some("utf-16be") => Encoding::Utf16(Order::Big),
        Some("utf-16le") => Encoding::Utf16(Order::Little),
        Some("utf-32be") => Encoding::Utf32(Order::Big),
        Some("utf-32le") => Encoding::Utf32(Order::Little),
        Some(other) => return Err(within("encoding", format!("`{other}` is unknown."))),
    })
}

fn base(object: &Object<'_>) -> Result<Base, Wrong> {
    Ok(match object.unsigned("preferred-display-base")? {
        None | Some(10) => Base::Decimal,
        Some(2) => Base::Binary,
        Some(8) => Base::Octal,
        Some(16) => Base::Hexadecimal,
        Some(other) => return Err(within("preferred-display-base", format!("{other} is none."))),
    })
}

fn roles(object: &Object<'_>) -> Result<Roles, Wrong> {
    let Some(value) = object.get("roles") else { return Ok(Roles::default()) };
    let mut roles = Roles::default();
    for role in elements(value).map_err(|wrong| within("roles", wrong))? {
        let name = role.as_str().ok_or_else(|| within("roles", "An element is not a string."))?;
        let role = Roles::of(name).ok_or_else(|| within("roles", format!("`{name}` is unknown.")))?;
        roles = roles.and(role);
    }
    Ok(roles)
}

fn flags(value: &Value, bits: u32) -> Result<Flags, Wrong> {
    let Value::Object(map) = value else { return Err("This is not an object.".into()) };
    if map.is_empty() {
        return Err("There is none.".into());
    }
    let mut flags = vec![];
    for (name, value) in map {
        let mut mask = 0u64;
        for (low, high) in ranges(value, false).map_err(|wrong| format!("`{name}`: {wrong}"))? {
            // Bits that the field does not have are never set.
            for bit in low..=high.min(i128::from(bits) - 1) {
                mask |= 1u64.checked_shl(bit as u32).unwrap_or(0);
            }
        }
        flags.push((Rc::from(name.as_str()), mask));
    }
    Ok(flags)
}
