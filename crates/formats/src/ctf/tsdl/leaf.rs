//! `integer {}`, `floating_point {}` and `string {}` (CTF 1.8.3 specification, sections 4.1 and 4.2.5).

use std::rc::Rc;

use model::Base;

use super::attribute::{Allowed, Attribute, Value};
use super::metadata::{Class, ClassId, Integer, Roles};
use super::{Parser, Refusal};
use crate::limits;

impl Parser<'_> {
    /// After the word `integer`.
    pub(super) fn integer(&mut self) -> Result<ClassId, Refusal> {
        let start = self.at;
        let mut bits: Option<u32> = None;
        let mut align: Option<u64> = None;
        let mut class = Integer {
            bits: 0,
            align: 1,
            signed: false,
            order: None,
            base: Base::Decimal,
            text: false,
            clock: None,
            roles: Roles::default(),
        };
        for attribute in self.attributes()? {
            match attribute.name.as_str() {
                "size" => bits = Some(attribute.number(1, i128::from(limits::CTF_INTEGER))?),
                "align" => align = Some(alignment(&attribute)?),
                "signed" => class.signed = attribute.truth()?,
                "byte_order" => {
                    self.restrict(&attribute, Allowed::Words);
                    class.order = attribute.order()?;
                }
                "base" => {
                    self.restrict(&attribute, Allowed::NumberOrWords);
                    class.base = base(&attribute)?;
                }
                "encoding" => {
                    self.restrict(&attribute, Allowed::Words);
                    class.text = attribute.encoding()?;
                }
                "map" => {
                    self.restrict(&attribute, Allowed::Words);
                    class.clock = Some(clock_of(&attribute)?);
                }
                _ => self.unknown(&attribute, "an integer"),
            }
        }
        let Some(bits) = bits else {
            return Err(Refusal::new(start, "An integer has no attribute `size`."));
        };
        class.bits = bits;
        class.align = align.unwrap_or(if bits.is_multiple_of(8) { 8 } else { 1 });
        self.declare(Class::Integer(class))
    }

    /// After the word `floating_point`.
    pub(super) fn floating_point(&mut self) -> Result<ClassId, Refusal> {
        let start = self.at;
        let (mut exponent, mut mantissa, mut order) = (None, None, None);
        let mut align: Option<u64> = None;
        for attribute in self.attributes()? {
            match attribute.name.as_str() {
                "exp_dig" => exponent = Some(attribute.number(2, 15)?),
                "mant_dig" => mantissa = Some(attribute.number(2, 113)?),
                "align" => align = Some(alignment(&attribute)?),
                "byte_order" => {
                    self.restrict(&attribute, Allowed::Words);
                    order = attribute.order()?;
                }
                _ => self.unknown(&attribute, "a floating-point number"),
            }
        }
        let (Some(exponent), Some(mantissa)) = (exponent, mantissa) else {
            let what = "A floating-point number lacks the attribute `exp_dig` or `mant_dig`.";
            return Err(Refusal::new(start, what));
        };
        let bits: u32 = exponent + mantissa;
        if !matches!((exponent, mantissa), (5, 11) | (8, 24) | (11, 53) | (15, 113)) {
            let what = format!(
                "A floating-point number of {exponent} bits of exponent and {mantissa} of mantissa is not an \
                 interchange format of IEEE 754."
            );
            self.remark(start, true, what);
        }
        let align = align.unwrap_or(if bits.is_multiple_of(8) { 8 } else { 1 });
        self.declare(Class::Float { exponent, mantissa, align, order })
    }

    /// After the word `string`.
    pub(super) fn string(&mut self) -> Result<ClassId, Refusal> {
        if self.is(b'{') {
            for attribute in self.attributes()? {
                if attribute.name != "encoding" {
                    self.unknown(&attribute, "a string");
                    continue;
                }
                self.restrict(&attribute, Allowed::Words);
                if !attribute.encoding()? {
                    return attribute.refuse("`UTF8` or `ASCII`, as strings are text");
                }
            }
        }
        self.declare(Class::Text)
    }
}

/// An alignment in bits: a power of two.
pub(super) fn alignment(attribute: &Attribute) -> Result<u64, Refusal> {
    let align: u64 = attribute.number(1, i128::from(limits::CTF_ALIGNMENT))?;
    if align.is_power_of_two() { Ok(align) } else { attribute.refuse("a power of two") }
}

fn base(attribute: &Attribute) -> Result<Base, Refusal> {
    let words = match &attribute.value {
        Value::Number(2) => "b",
        Value::Number(8) => "o",
        Value::Number(10) => "d",
        Value::Number(16) => "x",
        Value::Number(_) => "",
        Value::Text(words) | Value::Words(words) => words,
    };
    match words {
        "decimal" | "dec" | "d" | "i" | "u" => Ok(Base::Decimal),
        "hexadecimal" | "hex" | "x" | "X" | "p" => Ok(Base::Hexadecimal),
        "octal" | "oct" | "o" => Ok(Base::Octal),
        "binary" | "bin" | "b" => Ok(Base::Binary),
        _ => attribute.refuse("2, 8, 10 or 16 or one of their names"),
    }
}

/// `clock.NAME.value`
fn clock_of(attribute: &Attribute) -> Result<Rc<str>, Refusal> {
    let text = attribute.text()?;
    match text.strip_prefix("clock.").and_then(|rest| rest.strip_suffix(".value")) {
        Some(name) if !name.is_empty() => Ok(name.into()),
        _ => attribute.refuse("`clock.NAME.value`"),
    }
}
