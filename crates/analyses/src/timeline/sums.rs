//! Running sums of what each value weighs, by blocks of positions: the weight of any segment of blocks is a difference.

use super::lane::StateId;

/// Of each value what it weighs up to every block.
#[derive(Debug, Default)]
pub(super) struct Sums {
    columns: Vec<Column>,
    /// By value: the number of its column and one; 0 where it has none.
    slots: Vec<u16>,
}

/// What one value weighs.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) value: StateId,
    /// Up to the last position.
    held: u64,
    /// Blocks whose sums differ from those of the block before: from which block on, and the sum of those before.
    /// So a value that is rare costs little, however many positions there are.
    pub(super) sums: Vec<(u32, u64)>,
}

impl Column {
    /// Up to the first position of a block.
    fn up_to(&self, block: usize) -> u64 {
        let count = self.sums.partition_point(|&(from, _)| from as usize <= block);
        self.sums.get(count).map_or(self.held, |&(_, before)| before)
    }
}

impl Sums {
    /// Adds to what is known of `value`; `block` is the first one whose sum that changes.
    pub(super) fn add(&mut self, value: StateId, weight: u64, block: usize) {
        let state = usize::from(value);
        if self.slots.len() <= state {
            self.slots.resize(state + 1, 0);
        }
        if self.slots[state] == 0 {
            self.columns.push(Column { value, held: 0, sums: vec![] });
            // There are as many values as numbers but one, so that this fits.
            self.slots[state] = self.columns.len() as u16;
        }
        let slot = usize::from(self.slots[state]).wrapping_sub(1);
        let Some(column) = self.columns.get_mut(slot) else { return };
        let block = u32::try_from(block).unwrap_or(u32::MAX);
        if column.sums.last().is_none_or(|&(from, _)| from < block) {
            column.sums.push((block, column.held));
        }
        column.held = column.held.saturating_add(weight);
    }

    /// What each value weighs from the beginning of block `head` to that of block `tail`.
    pub(super) fn between(&self, head: usize, tail: usize, out: &mut Vec<(StateId, u64)>) {
        for column in &self.columns {
            let weight = column.up_to(tail).saturating_sub(column.up_to(head));
            if weight > 0 {
                out.push((column.value, weight));
            }
        }
    }

    /// All values.
    pub(super) fn columns(&self) -> &[Column] {
        &self.columns
    }
}

/// Adds to the weight of one value in a short list.
pub(super) fn add(out: &mut Vec<(StateId, u64)>, value: StateId, weight: u64) {
    match out.iter_mut().find(|(known, _)| *known == value) {
        Some((_, sum)) => *sum += weight,
        None => out.push((value, weight)),
    }
}
