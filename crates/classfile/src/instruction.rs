//! One instruction, decoded and encoded.
//!
//! Jump and switch targets are absolute: the pc of the target where code was read from a class,
//! the number of a label where code is being laid out. Operand bytes that must be zero are kept, so
//! that code which is decoded and encoded again is the same; only the padding of a switch is made
//! anew. `wide` is part of the operand. Source: JVM specification 6.5.

use crate::error::{Error, Result};
use crate::opcode::{Format, Opcode};
use crate::reader::Reader;

/// An operation with its operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What to do.
    pub opcode: Opcode,
    /// With what.
    pub operand: Operand,
}

/// What follows an opcode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Nothing.
    None,
    /// The value of `bipush`.
    Byte(i8),
    /// The value of `sipush`.
    Short(i16),
    /// The element kind of `newarray`.
    ArrayKind(u8),
    /// A constant.
    Constant(u16),
    /// A local variable.
    Local {
        /// Its slot.
        slot: u16,
        /// Written with a `wide` prefix.
        wide: bool,
    },
    /// `iinc`.
    Increment {
        /// The slot.
        slot: u16,
        /// How much is added.
        by: i16,
        /// Written with a `wide` prefix.
        wide: bool,
    },
    /// `invokeinterface`.
    Interface {
        /// Constant index of the method.
        method: u16,
        /// Argument slots.
        count: u8,
        /// Zero.
        zero: u8,
    },
    /// `invokedynamic`.
    Dynamic {
        /// Constant index of the call site.
        site: u16,
        /// Zero.
        zeros: u16,
    },
    /// `multianewarray`.
    MultiArray {
        /// Constant index of the array class.
        class: u16,
        /// How many dimensions are filled.
        dimensions: u8,
    },
    /// Where a jump goes.
    Jump(u32),
    /// Where a switch goes.
    Switch(Box<Switch>),
}

/// The arms of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// Where every other value goes.
    pub default: u32,
    /// The values that have an arm.
    pub keys: Keys,
    /// Where they go, in the order of the keys.
    pub targets: Vec<u32>,
}

/// The values that a switch distinguishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// `tableswitch`: this value and those after it, without holes.
    From(i32),
    /// `lookupswitch`: these values.
    Each(Vec<i32>),
}

impl From<Opcode> for Instruction {
    fn from(opcode: Opcode) -> Self {
        Self { opcode, operand: Operand::None }
    }
}

impl Instruction {
    /// An instruction that names a constant with two bytes.
    pub fn with_constant(opcode: Opcode, index: u16) -> Self {
        Self { opcode, operand: Operand::Constant(index) }
    }

    /// A load, store or `ret` of a slot (the form with an operand, also for slots 0 to 3).
    pub fn with_local(opcode: Opcode, slot: u16) -> Self {
        Self { opcode, operand: Operand::Local { slot, wide: slot > 0xff } }
    }

    /// `iinc`.
    pub fn increment(slot: u16, by: i16) -> Self {
        let wide = slot > 0xff || i8::try_from(by).is_err();
        Self { opcode: Opcode::IINC, operand: Operand::Increment { slot, by, wide } }
    }

    /// A jump.
    pub fn jump(opcode: Opcode, target: u32) -> Self {
        Self { opcode, operand: Operand::Jump(target) }
    }

    /// The shortest push of an int that fits two bytes; larger ones need a constant (`ldc`).
    pub fn push_small(value: i16) -> Self {
        let of = |opcode, operand| Self { opcode, operand };
        match (value, i8::try_from(value)) {
            (-1..=5, Ok(byte)) => Opcode(Opcode::ICONST_0.0.wrapping_add_signed(byte)).into(),
            (_, Ok(byte)) => of(Opcode::BIPUSH, Operand::Byte(byte)),
            _ => of(Opcode::SIPUSH, Operand::Short(value)),
        }
    }

    /// A load of a constant of one slot: `ldc` where the index fits a byte, else `ldc_w`.
    pub fn load_constant(index: u16) -> Self {
        Self::with_constant(if index <= 0xff { Opcode::LDC } else { Opcode::LDC_W }, index)
    }

    /// Every target of a jump or switch, the default first.
    pub fn targets(&self) -> impl Iterator<Item = u32> + '_ {
        let (one, many): (Option<u32>, &[u32]) = match &self.operand {
            Operand::Jump(target) => (Some(*target), &[]),
            Operand::Switch(switch) => (Some(switch.default), &switch.targets),
            _ => (None, &[]),
        };
        one.into_iter().chain(many.iter().copied())
    }

    /// Whether it is a jump or a switch.
    pub fn has_targets(&self) -> bool {
        matches!(self.operand, Operand::Jump(_) | Operand::Switch(_))
    }

    /// The same instruction with every target replaced.
    pub(crate) fn map_targets(&self, map: impl Fn(u32) -> u32) -> Self {
        let operand = match &self.operand {
            Operand::Jump(target) => Operand::Jump(map(*target)),
            Operand::Switch(switch) => Operand::Switch(Box::new(Switch {
                default: map(switch.default),
                keys: switch.keys.clone(),
                targets: switch.targets.iter().map(|&target| map(target)).collect(),
            })),
            other => other.clone(),
        };
        Self { opcode: self.opcode, operand }
    }

    /// Its length in bytes at this pc (only a switch depends on where it stands).
    pub fn size(&self, pc: u32) -> u32 {
        let padding = 3 - (pc & 3);
        let wide_or = |wide, narrow| if wide { 2 * narrow } else { narrow };
        match (&self.operand, self.opcode) {
            (Operand::None, _) => 1,
            (Operand::Byte(_) | Operand::ArrayKind(_), _) | (Operand::Constant(_), Opcode::LDC) => 2,
            (Operand::Short(_) | Operand::Constant(_), _) => 3,
            (Operand::Local { wide, .. }, _) => wide_or(*wide, 2),
            (Operand::Increment { wide, .. }, _) => wide_or(*wide, 3),
            (Operand::Interface { .. } | Operand::Dynamic { .. }, _) => 5,
            (Operand::MultiArray { .. }, _) => 4,
            (Operand::Jump(_), Opcode::GOTO_W | Opcode::JSR_W) => 5,
            (Operand::Jump(_), _) => 3,
            (Operand::Switch(switch), _) => {
                let arms = u32::try_from(switch.targets.len()).unwrap_or(u32::MAX);
                match switch.keys {
                    Keys::From(_) => arms.saturating_mul(4).saturating_add(13 + padding),
                    Keys::Each(_) => arms.saturating_mul(8).saturating_add(9 + padding),
                }
            }
        }
    }

    /// Reads the instruction at `pc`, which is where `reader` stands in the code.
    pub(crate) fn decode(reader: &mut Reader<'_>, pc: u32) -> Result<Self> {
        decode(reader, pc).map_err(|error| match error {
            Error::Truncated { .. } => Error::CutOff { pc },
            other => other,
        })
    }

    /// Appends the bytes. `pc` is its address, and `pc_of` gives the pc of each target. `None`: a distance
    /// does not fit, which is an error of the layout.
    pub(crate) fn encode(&self, pc: u32, pc_of: impl Fn(u32) -> u32, out: &mut Vec<u8>) -> Option<()> {
        let distance = |target: u32| i32::try_from(i64::from(pc_of(target)) - i64::from(pc)).ok();
        let wide =
            matches!(self.operand, Operand::Local { wide: true, .. } | Operand::Increment { wide: true, .. });
        if wide {
            out.push(Opcode::WIDE.0);
        }
        out.push(self.opcode.0);
        match &self.operand {
            Operand::None => {}
            Operand::Byte(value) => out.extend(value.to_be_bytes()),
            Operand::Short(value) => out.extend(value.to_be_bytes()),
            Operand::ArrayKind(kind) => out.push(*kind),
            Operand::Constant(index) if self.opcode == Opcode::LDC => out.push(u8::try_from(*index).ok()?),
            Operand::Constant(index) => out.extend(index.to_be_bytes()),
            Operand::Local { slot, wide: true } => out.extend(slot.to_be_bytes()),
            Operand::Local { slot, wide: false } => out.push(u8::try_from(*slot).ok()?),
            Operand::Increment { slot, by, wide: true } => {
                out.extend(slot.to_be_bytes());
                out.extend(by.to_be_bytes());
            }
            Operand::Increment { slot, by, wide: false } => {
                out.push(u8::try_from(*slot).ok()?);
                out.extend(i8::try_from(*by).ok()?.to_be_bytes());
            }
            Operand::Interface { method, count, zero } => {
                out.extend(method.to_be_bytes());
                out.extend([*count, *zero]);
            }
            Operand::Dynamic { site, zeros } => {
                out.extend(site.to_be_bytes());
                out.extend(zeros.to_be_bytes());
            }
            Operand::MultiArray { class, dimensions } => {
                out.extend(class.to_be_bytes());
                out.push(*dimensions);
            }
            Operand::Jump(target) if self.size(pc) == 5 => out.extend(distance(*target)?.to_be_bytes()),
            Operand::Jump(target) => out.extend(i16::try_from(distance(*target)?).ok()?.to_be_bytes()),
            Operand::Switch(switch) => {
                for _ in 0..3 - (pc & 3) {
                    out.push(0);
                }
                out.extend(distance(switch.default)?.to_be_bytes());
                match &switch.keys {
                    Keys::From(low) => {
                        let arms = i64::try_from(switch.targets.len()).ok()?;
                        let high = i32::try_from(i64::from(*low) + arms - 1).ok()?;
                        out.extend(low.to_be_bytes());
                        out.extend(high.to_be_bytes());
                        for target in &switch.targets {
                            out.extend(distance(*target)?.to_be_bytes());
                        }
                    }
                    Keys::Each(keys) => {
                        out.extend(u32::try_from(keys.len()).ok()?.to_be_bytes());
                        for (key, target) in keys.iter().zip(&switch.targets) {
                            out.extend(key.to_be_bytes());
                            out.extend(distance(*target)?.to_be_bytes());
                        }
                    }
                }
            }
        }
        Some(())
    }
}

fn decode(reader: &mut Reader<'_>, pc: u32) -> Result<Instruction> {
    let mut opcode = Opcode(reader.u1()?);
    let mut format = opcode.format().ok_or(Error::UnknownOpcode { opcode: opcode.0, pc })?;
    let wide = format == Format::Wide;
    if wide {
        opcode = Opcode(reader.u1()?);
        format = opcode.format().unwrap_or(Format::None);
        if !matches!(format, Format::Local | Format::Increment) {
            return Err(Error::UnknownOpcode { opcode: opcode.0, pc });
        }
    }
    let jump = |offset: i32| absolute(pc, offset).map(Operand::Jump);
    let operand = match format {
        Format::None | Format::Wide => Operand::None,
        Format::Byte => Operand::Byte(reader.u1()?.cast_signed()),
        Format::Short => Operand::Short(reader.u2()?.cast_signed()),
        Format::ArrayKind => Operand::ArrayKind(reader.u1()?),
        Format::Constant8 => Operand::Constant(u16::from(reader.u1()?)),
        Format::Constant16 => Operand::Constant(reader.u2()?),
        Format::Local if wide => Operand::Local { slot: reader.u2()?, wide },
        Format::Local => Operand::Local { slot: u16::from(reader.u1()?), wide },
        Format::Increment if wide => {
            Operand::Increment { slot: reader.u2()?, by: reader.u2()?.cast_signed(), wide }
        }
        Format::Increment => Operand::Increment {
            slot: u16::from(reader.u1()?),
            by: i16::from(reader.u1()?.cast_signed()),
            wide,
        },
        Format::Interface => {
            Operand::Interface { method: reader.u2()?, count: reader.u1()?, zero: reader.u1()? }
        }
        Format::Dynamic => Operand::Dynamic { site: reader.u2()?, zeros: reader.u2()? },
        Format::MultiArray => Operand::MultiArray { class: reader.u2()?, dimensions: reader.u1()? },
        Format::Jump16 => jump(i32::from(reader.u2()?.cast_signed()))?,
        Format::Jump32 => jump(reader.i4()?)?,
        Format::TableSwitch | Format::LookupSwitch => {
            Operand::Switch(Box::new(decode_switch(reader, pc, format)?))
        }
    };
    Ok(Instruction { opcode, operand })
}

fn decode_switch(reader: &mut Reader<'_>, pc: u32, format: Format) -> Result<Switch> {
    reader.take(usize::try_from(3 - (pc & 3)).unwrap_or(0))?;
    let default = absolute(pc, reader.i4()?)?;
    let mut targets = Vec::new();
    if format == Format::TableSwitch {
        let (low, high) = (i64::from(reader.i4()?), reader.i4()?);
        let arms = i64::from(high) - low + 1;
        let arms = usize::try_from(arms).ok().filter(|&arms| arms > 0).ok_or(Error::BadSwitch { pc })?;
        if arms > reader.remaining() / 4 {
            return Err(Error::CutOff { pc });
        }
        for _ in 0..arms {
            targets.push(absolute(pc, reader.i4()?)?);
        }
        let low = i32::try_from(low).map_err(|_| Error::BadSwitch { pc })?;
        return Ok(Switch { default, keys: Keys::From(low), targets });
    }
    let pairs = usize::try_from(reader.i4()?).map_err(|_| Error::BadSwitch { pc })?;
    if pairs > reader.remaining() / 8 {
        return Err(Error::CutOff { pc });
    }
    let mut keys = Vec::new();
    for _ in 0..pairs {
        keys.push(reader.i4()?);
        targets.push(absolute(pc, reader.i4()?)?);
    }
    Ok(Switch { default, keys: Keys::Each(keys), targets })
}

/// The pc that a distance leads to. Whether an instruction begins there is for the caller to ask.
fn absolute(pc: u32, offset: i32) -> Result<u32> {
    pc.checked_add_signed(offset)
        .ok_or(Error::NoInstructionThere { pc, target: i64::from(pc) + i64::from(offset) })
}
