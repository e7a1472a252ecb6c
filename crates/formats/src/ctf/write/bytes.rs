//! Bytes in the order of a trace.

use super::Cell;
use crate::ctf::tsdl::metadata::Order;

#[derive(Debug)]
pub(super) struct Bytes {
    order: Order,
    pub(super) bytes: Vec<u8>,
}

impl Bytes {
    pub(super) fn new(order: Order) -> Bytes {
        Bytes { order, bytes: Vec::new() }
    }

    /// The low `width` bytes of `value`, in `order` or that of the trace.
    pub(super) fn number(&mut self, value: u64, width: usize, order: Option<Order>) {
        let little = value.to_le_bytes();
        let bytes = little.iter().copied().chain(std::iter::repeat(0)).take(width);
        match order.unwrap_or(self.order) {
            Order::Little => self.bytes.extend(bytes),
            Order::Big => {
                let bytes: Vec<u8> = bytes.collect();
                self.bytes.extend(bytes.iter().rev());
            }
        }
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.number(u64::from(value), 2, None);
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.number(u64::from(value), 4, None);
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.number(value, 8, None);
    }

    /// Replaces eight bytes that were written before.
    pub(super) fn put_u64(&mut self, at: usize, value: u64) {
        let bytes = match self.order {
            Order::Little => value.to_le_bytes(),
            Order::Big => value.to_be_bytes(),
        };
        if let Some(slot) = self.bytes.get_mut(at..at + 8) {
            slot.copy_from_slice(&bytes);
        }
    }

    pub(super) fn align(&mut self, bytes: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(bytes.max(1)), 0);
    }

    pub(super) fn cell(&mut self, cell: Cell<'_>) {
        match cell {
            Cell::Number(number) => self.u64(number.cast_unsigned()),
            Cell::Float(number) => self.u64(number.to_bits()),
            Cell::Text(text) => {
                // A zero would end the text early and shift all that follows.
                self.bytes.extend(text.bytes().take_while(|byte| *byte != 0));
                self.bytes.push(0);
            }
        }
    }
}
