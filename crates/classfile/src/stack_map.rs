//! The types that a verifier is given for positions that jumps lead to (`StackMapTable`).
//!
//! In the file each frame is recorded as a difference to the one before. Here every frame is written
//! out, so that frames can be repeated, moved and extended; writing makes the shortest differences
//! again, which are the ones that javac makes. Types of parameters that have no constant of their
//! own yet are kept by parameter number and get a constant only if a frame must name them.
//! Source: JVM specification 4.7.4 and 4.10.1.6 (the implied first frame).

use std::ops::Range;

use crate::constant_pool::ConstantPool;
use crate::descriptor::{self, Type};
use crate::error::{Error, Result};
use crate::limits::MAX_FRAME_TYPES;
use crate::reader::Reader;

/// What the verifier knows of one local variable or stack entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerificationType {
    /// Nothing.
    Top,
    /// int and the smaller kinds.
    Integer,
    /// float.
    Float,
    /// double, two slots.
    Double,
    /// long, two slots.
    Long,
    /// null.
    Null,
    /// `this` in a constructor before the call of `super()` or `this()`.
    UninitializedThis,
    /// An object; constant index of its class.
    Object(u16),
    /// An object on which no constructor was called; the pc of the `new` that made it.
    Uninitialized(u16),
    /// An object of the class that the parameter with this number has in the descriptor.
    Parameter(u16),
}

use VerificationType as V;

impl VerificationType {
    /// Slots among the local variables.
    pub fn slots(self) -> u32 {
        if matches!(self, V::Long | V::Double) { 2 } else { 1 }
    }
}

/// What is known at one pc: segments of the map's types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) pc: u32,
    locals: Range<usize>,
    stack: Range<usize>,
}

/// All frames of a method, by pc.
#[derive(Clone, Debug, Default)]
pub(crate) struct StackMap {
    /// The locals at the start of the method, and what frames have besides: a frame whose locals are
    /// those of the one before, or the first of them, has them there.
    types: Vec<V>,
    /// How many of them are those at the start.
    initial: usize,
    /// The class names of the parameters, one behind the other, and where each is, for [`V::Parameter`].
    names: Vec<u8>,
    parameters: Vec<Range<usize>>,
    pub(crate) frames: Vec<Frame>,
}

impl StackMap {
    /// The implied first frame of a method. `this` is `None` for a static method.
    pub(crate) fn at_start(descriptor: &[u8], this: Option<V>) -> Result<Self> {
        let mut map = Self::default();
        map.begin(descriptor, this).map(|()| map)
    }

    /// The same in the place of what was there.
    pub(crate) fn begin(&mut self, descriptor: &[u8], this: Option<V>) -> Result<()> {
        let Self { types, names, parameters, frames, .. } = self;
        types.clear();
        types.extend(this);
        names.clear();
        parameters.clear();
        frames.clear();
        descriptor::each(descriptor, |kind| {
            types.push(match kind {
                Type::Int => V::Integer,
                Type::Float => V::Float,
                Type::Long => V::Long,
                Type::Double => V::Double,
                Type::Void => V::Top,
                Type::Reference(name) => {
                    parameters.push(names.len()..names.len() + name.len());
                    names.extend_from_slice(name);
                    V::Parameter(u16::try_from(parameters.len() - 1).unwrap_or(u16::MAX))
                }
            });
        })?;
        self.initial = self.types.len();
        Ok(())
    }

    /// Reads the frames of a `StackMapTable`.
    pub(crate) fn read(&mut self, content: &[u8], at: usize) -> Result<()> {
        let mut reader = Reader::new(content, at);
        let (mut locals, mut pc) = (0..self.initial, None);
        let mut total = 0;
        let count = reader.u2()?;
        self.frames.reserve(usize::from(count).min(content.len()));
        for _ in 0..count {
            let (delta, stack) = self.read_frame(&mut reader, &mut locals)?;
            // Each difference counts from one behind the last frame, so no two are at one pc.
            let next = pc.map_or(u32::from(delta), |pc: u32| pc + u32::from(delta) + 1);
            pc = Some(next);
            total += locals.len() + stack.len() + 1;
            if total > MAX_FRAME_TYPES {
                return Err(Error::TooMany { what: "types in its frames", limit: MAX_FRAME_TYPES });
            }
            self.frames.push(Frame { pc: next, locals: locals.clone(), stack });
        }
        if reader.is_empty() { Ok(()) } else { Err(Error::BadStackMap { at: reader.offset() }) }
    }

    /// The frame at a pc.
    pub(crate) fn frame_at(&self, pc: u32) -> Option<&Frame> {
        self.frames.binary_search_by_key(&pc, |frame| frame.pc).ok().and_then(|index| self.frames.get(index))
    }

    /// The locals at the start of the method.
    pub(crate) fn initial(&self) -> &[V] {
        self.types.get(..self.initial).unwrap_or_default()
    }

    pub(crate) fn locals(&self, frame: &Frame) -> &[V] {
        self.types.get(frame.locals.clone()).unwrap_or_default()
    }

    pub(crate) fn stack(&self, frame: &Frame) -> &[V] {
        self.types.get(frame.stack.clone()).unwrap_or_default()
    }

    fn parameter(&self, number: u16) -> Option<&[u8]> {
        self.names.get(self.parameters.get(usize::from(number))?.clone())
    }

    /// Reads so many types; where they stand.
    fn read_types(&mut self, reader: &mut Reader<'_>, count: u16) -> Result<Range<usize>> {
        let start = self.types.len();
        for _ in 0..count {
            self.types.push(read_type(reader)?);
        }
        Ok(start..self.types.len())
    }

    fn read_frame(
        &mut self,
        reader: &mut Reader<'_>,
        locals: &mut Range<usize>,
    ) -> Result<(u16, Range<usize>)> {
        let at = reader.offset();
        let bad = || Error::BadStackMap { at };
        let kind = reader.u1()?;
        Ok(match kind {
            0..=63 => (u16::from(kind), 0..0),
            64..=127 => (u16::from(kind - 64), self.read_types(reader, 1)?),
            128..=246 => return Err(bad()),
            247 => (reader.u2()?, self.read_types(reader, 1)?),
            248..=251 => {
                let gone = usize::from(251 - kind);
                let left = locals.len().checked_sub(gone).ok_or_else(bad)?;
                locals.end = locals.start + left;
                (reader.u2()?, 0..0)
            }
            252..=254 => {
                let delta = reader.u2()?;
                if locals.end != self.types.len() {
                    let start = self.types.len();
                    self.types.extend_from_within(locals.clone());
                    *locals = start..self.types.len();
                }
                locals.end = self.read_types(reader, u16::from(kind) - 251)?.end;
                (delta, 0..0)
            }
            255 => {
                let delta = reader.u2()?;
                let count = reader.u2()?;
                *locals = self.read_types(reader, count)?;
                let deep = reader.u2()?;
                (delta, self.read_types(reader, deep)?)
            }
        })
    }
}

fn read_type(reader: &mut Reader<'_>) -> Result<V> {
    let at = reader.offset();
    Ok(match reader.u1()? {
        0 => V::Top,
        1 => V::Integer,
        2 => V::Float,
        3 => V::Double,
        4 => V::Long,
        5 => V::Null,
        6 => V::UninitializedThis,
        7 => V::Object(reader.u2()?),
        8 => V::Uninitialized(reader.u2()?),
        _ => return Err(Error::BadStackMap { at }),
    })
}

/// Writes frames as differences, in the order of their pcs.
pub(crate) struct FrameWriter<'m> {
    map: &'m StackMap,
    locals: Vec<V>,
    last: Option<u32>,
    count: u16,
    /// Where in `out` the count stands.
    start: usize,
    out: &'m mut Vec<u8>,
}

impl<'m> FrameWriter<'m> {
    /// Appends to `out`.
    pub(crate) fn new(map: &'m StackMap, out: &'m mut Vec<u8>) -> Self {
        let locals = map.initial().to_vec();
        let start = out.len();
        out.extend([0, 0]);
        Self { map, locals, last: None, count: 0, start, out }
    }

    /// Appends a frame at `pc`. `new_pc` says where the `new` of an old pc stands now.
    pub(crate) fn write(
        &mut self,
        pc: u32,
        locals: &[V],
        stack: &[V],
        pool: &mut ConstantPool<'_>,
        new_pc: &impl Fn(u16) -> Option<u16>,
    ) -> Result<()> {
        let pc_of = self.out.len();
        let bad = || Error::BadStackMap { at: pc_of };
        let delta = match self.last {
            None => Some(pc),
            Some(last) => pc.checked_sub(last).and_then(|distance| distance.checked_sub(1)),
        };
        let delta = delta.and_then(|delta| u16::try_from(delta).ok()).ok_or_else(bad)?;
        self.count = self.count.checked_add(1).ok_or_else(bad)?;
        let short = u8::try_from(delta).ok().filter(|&delta| delta < 64);
        let same = locals == self.locals;
        let old = self.locals.len();
        let mut named: &[V] = &[];
        match (stack, short) {
            ([], Some(delta)) if same => self.out.push(delta),
            ([], None) if same => self.kind(251, delta),
            ([_], Some(delta)) if same => {
                self.out.push(64 + delta);
                named = stack;
            }
            ([_], None) if same => {
                self.kind(247, delta);
                named = stack;
            }
            ([], _) if locals.len() < old && old - locals.len() <= 3 && self.locals.starts_with(locals) => {
                self.kind(251_u8.saturating_sub(u8::try_from(old - locals.len()).unwrap_or(3)), delta);
            }
            ([], _) if locals.len() > old && locals.len() - old <= 3 && locals.starts_with(&self.locals) => {
                self.kind(251_u8.saturating_add(u8::try_from(locals.len() - old).unwrap_or(3)), delta);
                named = locals.get(old..).unwrap_or_default();
            }
            _ => {
                self.kind(255, delta);
                let (many, deep) = (u16::try_from(locals.len()), u16::try_from(stack.len()));
                let (Ok(many), Ok(deep)) = (many, deep) else { return Err(bad()) };
                self.out.extend(many.to_be_bytes());
                for &local in locals {
                    self.name(local, pool, new_pc)?;
                }
                self.out.extend(deep.to_be_bytes());
                named = stack;
            }
        }
        for &kind in named {
            self.name(kind, pool, new_pc)?;
        }
        if !same {
            self.locals.clear();
            self.locals.extend_from_slice(locals);
        }
        self.last = Some(pc);
        Ok(())
    }

    fn kind(&mut self, kind: u8, delta: u16) {
        self.out.push(kind);
        self.out.extend(delta.to_be_bytes());
    }

    fn name(
        &mut self,
        kind: V,
        pool: &mut ConstantPool<'_>,
        new_pc: &impl Fn(u16) -> Option<u16>,
    ) -> Result<()> {
        let (tag, value) = match kind {
            V::Top => (0, None),
            V::Integer => (1, None),
            V::Float => (2, None),
            V::Double => (3, None),
            V::Long => (4, None),
            V::Null => (5, None),
            V::UninitializedThis => (6, None),
            V::Object(class) => (7, Some(class)),
            V::Uninitialized(pc) => {
                let pc_of = new_pc(pc).ok_or(Error::BadStackMap { at: self.out.len() })?;
                (8, Some(pc_of))
            }
            V::Parameter(number) => {
                let name = self.map.parameter(number);
                let name = name.ok_or(Error::BadStackMap { at: self.out.len() })?;
                (7, Some(pool.add_class(name)?))
            }
        };
        self.out.push(tag);
        self.out.extend(value.into_iter().flat_map(u16::to_be_bytes));
        Ok(())
    }

    /// Whether there were frames; if not, nothing was appended.
    pub(crate) fn finish(self) -> bool {
        if self.count == 0 {
            self.out.truncate(self.start);
            return false;
        }
        for (byte, count) in self.out.iter_mut().skip(self.start).zip(self.count.to_be_bytes()) {
            *byte = count;
        }
        true
    }
}
