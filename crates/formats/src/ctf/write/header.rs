//! The packet header of a trace, written anew: every stream of a trace has the same.

use super::bytes::Bytes;
use crate::ctf::class::{Form, Length};
use crate::ctf::tsdl::metadata::{Class, Integer, Metadata, Order, Roles};

/// What starts a packet.
const MAGIC: u64 = 0xC1FC_1FC1;

#[derive(Debug)]
pub(super) struct Header {
    pub(super) order: Order,
    /// In bytes.
    align: usize,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    align: usize,
    width: usize,
    order: Option<Order>,
    value: Value,
}

#[derive(Debug)]
enum Value {
    Fixed(u64),
    Uuid([u8; 16]),
    /// The number of the file.
    Instance,
}

impl Header {
    /// The header of packets of the stream class `stream`. The error is one sentence.
    pub(super) fn of(declared: &Metadata, stream: u64) -> Result<Header, String> {
        let block = declared.trace.as_ref().ok_or("The metadata has no `trace` block.")?;
        let class = block.packet_header.and_then(|class| declared.class(class));
        let Some(Class::Struct { members, align }) = class else {
            return Err("The packets of this trace have no header, so that a stream of another kind cannot be distinguished from them.".into());
        };
        let (mut parts, mut names_stream) = (Vec::new(), false);
        for member in members.iter() {
            let name = &*member.name;
            let odd = || {
                format!(
                    "The field `{name}` of the packet header is not made of whole bytes, and only such are written."
                )
            };
            // By its name, or by its role where that is what counts.
            let meaning = |roles: Roles| match () {
                () if !declared.is_version_2 => name.trim_start_matches('_'),
                () if roles.has(Roles::MAGIC) => "magic",
                () if roles.has(Roles::STREAM_CLASS) => "stream_id",
                () if roles.has(Roles::STREAM) => "stream_instance_id",
                () => "",
            };
            let part = match declared.class(member.class) {
                Some(Class::Leaf(leaf, ..))
                    if leaf.roles.has(Roles::UUID) && leaf.form == Form::Bytes(Length::Fixed(16), None) =>
                {
                    let value = Value::Uuid(block.uuid.unwrap_or_default());
                    Part { align: 1, width: 16, order: None, value }
                }
                Some(Class::Integer(integer)) => {
                    let value = match meaning(integer.roles) {
                        "magic" => Value::Fixed(MAGIC),
                        "stream_id" => {
                            names_stream = true;
                            if integer.bits < 64 && stream >> integer.bits != 0 {
                                return Err(format!(
                                    "The packet header has no room for a stream with the id {stream}."
                                ));
                            }
                            Value::Fixed(stream)
                        }
                        "stream_instance_id" => Value::Instance,
                        _ => Value::Fixed(0),
                    };
                    let (align, width) = whole(integer).ok_or_else(odd)?;
                    Part { align, width, order: integer.order, value }
                }
                Some(Class::Array { element, len: 16, .. }) if name.trim_start_matches('_') == "uuid" => {
                    match declared.class(*element) {
                        Some(Class::Integer(integer)) if integer.bits == 8 && integer.align <= 8 => {}
                        _ => return Err(odd()),
                    }
                    Part {
                        align: 1,
                        width: 16,
                        order: None,
                        value: Value::Uuid(block.uuid.unwrap_or_default()),
                    }
                }
                _ => return Err(odd()),
            };
            parts.push(part);
        }
        if !names_stream {
            return Err("The packet header has no `stream_id`, so that a stream of another kind cannot be distinguished from those that are there.".into());
        }
        let align =
            usize::try_from(align.div_ceil(8)).map_err(|_| "The packet header has an endless alignment.")?;
        Ok(Header { order: block.order, align, parts })
    }

    /// Writes it at the start of the packet of file `number`.
    pub(super) fn write(&self, out: &mut Bytes, number: u64) {
        out.align(self.align);
        for part in &self.parts {
            out.align(part.align);
            match part.value {
                Value::Fixed(value) => out.number(value, part.width, part.order),
                Value::Instance => out.number(number, part.width, part.order),
                Value::Uuid(uuid) => out.bytes.extend_from_slice(&uuid),
            }
        }
    }
}

/// Alignment and width in bytes.
fn whole(integer: &Integer) -> Option<(usize, usize)> {
    let is_whole = integer.bits.is_multiple_of(8) && integer.bits <= 64 && integer.align.is_multiple_of(8);
    let align = usize::try_from(integer.align / 8).ok()?;
    is_whole.then_some((align, integer.bits as usize / 8))
}
