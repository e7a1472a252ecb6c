//! Sizes, alignments and offsets of classes (CTF 1.8.3 specification, section 4).

use super::class::{DYNAMIC, Form, Kind, Length, NONE, Node, NodeId, Step, aligned};
use super::tsdl::Refusal;
use crate::limits;

/// Sizes stop growing here, so that sums cannot wrap; a class of this size is refused.
const TOO_LARGE: u64 = 2 * limits::CTF_FIELD;

/// Lays out every node. Nodes come before those that they hold, so from the end on each node finds
/// its parts ready.
pub(super) fn lay_out(nodes: &mut [Node]) -> Result<(), Refusal> {
    for index in (0..nodes.len()).rev() {
        let Some((before, after)) = nodes.split_at_mut_checked(index + 1) else { break };
        let Some(node) = before.last_mut() else { break };
        let base = index as NodeId + 1;
        let part = |id: NodeId| id.checked_sub(base).and_then(|location| after.get(location as usize));
        lay_out_one(node, &part);
        if node.bits != DYNAMIC && node.bits > limits::CTF_FIELD {
            return Err(Refusal::new(0, "A field is larger than any file."));
        }
    }
    Ok(())
}

fn lay_out_one<'n>(node: &mut Node, part: &dyn Fn(NodeId) -> Option<&'n Node>) {
    match &mut node.kind {
        Kind::Integer(integer) | Kind::Enum(integer, _) => {
            node.bits = u64::from(integer.bits);
            node.plain = integer.slot == NONE && !integer.clock;
        }
        Kind::Float { exponent, mantissa, .. } => {
            node.bits = u64::from(*exponent + *mantissa);
            node.plain = true;
        }
        Kind::Text => node.plain = true,
        Kind::Guarded { .. } => {}
        Kind::Array { element, len, text } => {
            let Some(element) = part(*element) else { return };
            node.align = node.align.max(element.align);
            node.plain = element.plain || *len == 0;
            node.bits = match *len {
                0 => 0,
                _ if element.bits == DYNAMIC => DYNAMIC,
                len => aligned(element.bits, element.align)
                    .saturating_mul(len - 1)
                    .saturating_add(element.bits)
                    .min(TOO_LARGE),
            };
            node.weight = if *text { 1 } else { element.weight.saturating_mul(*len).saturating_add(2) };
        }
        Kind::Sequence { element, text, .. } => {
            let Some(element) = part(*element) else { return };
            node.align = node.align.max(element.align);
            node.plain = element.plain;
            node.weight = if *text { 1 } else { 2 };
        }
        Kind::Leaf(leaf) => {
            node.plain = leaf.integer.slot == NONE && !leaf.integer.clock;
            match leaf.form {
                Form::Bits | Form::Digits => node.bits = u64::from(leaf.integer.bits),
                Form::Bytes(Length::Fixed(bytes), encoding) => {
                    node.bits = bytes.saturating_mul(8).min(TOO_LARGE);
                    node.weight = if encoding.is_some() { 1 } else { bytes.saturating_add(2) };
                }
                Form::Variable | Form::Bytes(..) | Form::Wide(_) => {}
            }
        }
        Kind::Variant(variant) | Kind::Optional(variant) => {
            node.plain = variant.options.iter().all(|&option| part(option).is_some_and(|node| node.plain));
        }
        Kind::Struct(structure) => {
            node.plain = true;
            node.weight = 2;
            let mut offset = 0u64;
            // The run of plain fields that a `Skip` covers: its alignment, its size so far.
            let mut run: Option<(u64, u64, u64)> = None;
            for member in &mut structure.members {
                let Some(part) = part(member.node) else { continue };
                node.align = node.align.max(part.align);
                node.plain &= part.plain;
                node.weight = node.weight.saturating_add(part.weight);
                if offset != DYNAMIC {
                    member.offset = aligned(offset, part.align);
                    offset = match part.bits {
                        DYNAMIC => DYNAMIC,
                        bits => member.offset.saturating_add(bits).min(TOO_LARGE),
                    };
                }
                let skippable = part.plain && part.bits != DYNAMIC;
                // Inside a run offsets are known only up to the alignment of its start.
                match (&mut run, skippable) {
                    (Some((align, bits, weight)), true) if part.align <= *align => {
                        *bits = aligned(*bits, part.align).saturating_add(part.bits).min(TOO_LARGE);
                        *weight = weight.saturating_add(part.weight);
                    }
                    (_, skippable) => {
                        if let Some((align, bits, weight)) = run.take() {
                            structure.steps.push(Step::Skip { align, bits, weight });
                        }
                        if skippable {
                            run = Some((part.align, part.bits, part.weight));
                        } else {
                            structure.steps.push(Step::Walk(member.node));
                        }
                    }
                }
            }
            if let Some((align, bits, weight)) = run {
                structure.steps.push(Step::Skip { align, bits, weight });
            }
            node.bits = offset;
        }
    }
}
