//! Where `this` lies on the stack, as far as that is known.

use crate::opcode::Opcode;

/// How many slots an instruction looks at that rearranges the top of the stack, and how many of them
/// it copies below the others.
pub(super) fn copies(opcode: Opcode) -> Option<(u8, u8)> {
    Some(match opcode {
        Opcode::DUP => (1, 1),
        Opcode::DUP_X1 => (2, 1),
        Opcode::DUP_X2 => (3, 1),
        Opcode::DUP2 => (2, 2),
        Opcode::DUP2_X1 => (3, 2),
        Opcode::DUP2_X2 => (4, 2),
        _ => return None,
    })
}

/// The top of the stack, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stack {
    /// Which slots hold `this`: a bit for each, the deepest first.
    this: u64,
    /// How many slots are known: above the lowest `this` at least.
    depth: u8,
}

impl Stack {
    /// No more slots are looked at.
    pub(super) const MOST: u8 = 60;

    /// `this` lies nowhere that is known.
    pub(super) fn is_unknown(self) -> bool {
        self.this == 0
    }

    /// One slot more; `this`: 1 if that is what it holds.
    pub(super) fn push(&mut self, this: u64) {
        if self.depth >= Self::MOST {
            *self = Self::default();
        }
        self.this |= this << self.depth;
        self.depth += 1;
    }

    pub(super) fn push_others(&mut self, count: u8) {
        (0..count).for_each(|_| self.push(0));
        self.forget_others();
    }

    pub(super) fn pop(&mut self, count: u8) {
        self.depth = self.depth.saturating_sub(count);
        self.this &= (1 << self.depth) - 1;
        self.forget_others();
    }

    /// Whether `this` lies below so many slots.
    pub(super) fn has_this_below(self, count: u8) -> bool {
        self.depth > count && self.this >> (self.depth - count - 1) & 1 != 0
    }

    /// Copies the top `copied` slots below the top `read`.
    pub(super) fn copy(&mut self, read: u8, copied: u8) {
        // What lies below what is known holds something else.
        let missing = read.saturating_sub(self.depth);
        (self.this, self.depth) = (self.this << missing, self.depth + missing);
        let below = self.depth - read;
        let top = self.this >> below;
        let doubled = top >> (read - copied) | top << copied;
        self.this = self.this & ((1 << below) - 1) | doubled << below;
        self.depth += copied;
        if self.depth > Self::MOST {
            *self = Self::default();
        }
    }

    fn forget_others(&mut self) {
        if self.this == 0 {
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_of_the_stack() {
        let mut stack = Stack::default();
        (0..100).for_each(|_| stack.push(1));
        assert!(stack.depth <= Stack::MOST && stack.has_this_below(0));
        stack.pop(200);
        assert!(stack.is_unknown() && stack.depth == 0);
        // this, other, and what lies below: dup_x2 of the other
        stack.push(1);
        stack.push(0);
        stack.copy(3, 1);
        let found: Vec<bool> = (0..4).map(|below| stack.has_this_below(below)).collect();
        assert_eq!(found, [false, true, false, false]);
    }
}
