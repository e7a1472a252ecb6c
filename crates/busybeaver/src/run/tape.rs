//! The data tape: whole numbers, all zero at first, endless both ways.

/// A tape and where its data pointer (DP) stands.
///
/// Memory follows the segment that was visited. Positions count from where the DP started.
#[derive(Debug, Clone, Default)]
pub struct Tape {
    /// Cells from `-origin` on.
    cells: Vec<i64>,
    origin: usize,
    /// Index of the DP in `cells`.
    pointer: usize,
}

impl Tape {
    /// All zero, DP at 0.
    pub fn new() -> Self {
        Tape { cells: vec![0; 64], origin: 32, pointer: 32 }
    }

    /// Where the DP is.
    pub fn position(&self) -> i64 {
        self.pointer as i64 - self.origin as i64
    }

    /// Cells that are in memory; as many as were visited, or up to twice as many.
    pub(crate) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// The value at the DP.
    #[inline]
    pub fn value(&self) -> i64 {
        self.cells.get(self.pointer).copied().unwrap_or(0)
    }

    /// The value anywhere.
    pub fn at(&self, position: i64) -> i64 {
        let index = position.checked_add(self.origin as i64).and_then(|index| usize::try_from(index).ok());
        index.and_then(|index| self.cells.get(index)).copied().unwrap_or(0)
    }

    /// Adds to the value at the DP and gives the new one.
    #[inline]
    pub fn add(&mut self, amount: i64) -> i64 {
        match self.cells.get_mut(self.pointer) {
            Some(value) => {
                *value += amount;
                *value
            }
            // The DP is always on a cell that exists.
            None => 0,
        }
    }

    /// Moves the DP, making room where there is none, adds to the value there and gives the new one.
    #[inline]
    pub(crate) fn apply(&mut self, shift: i8, delta: i8) -> i64 {
        let pointer = self.pointer.wrapping_add_signed(shift.into());
        if let Some(value) = self.cells.get_mut(pointer) {
            self.pointer = pointer;
            *value += i64::from(delta);
            return *value;
        }
        self.grow(shift.into());
        self.add(delta.into())
    }

    /// Takes back what [`Tape::apply`] did.
    #[inline]
    pub(crate) fn take_back(&mut self, shift: i8, delta: i8) {
        let _value = self.add(-i64::from(delta));
        // It came from there, so there is a cell.
        self.pointer = self.pointer.wrapping_add_signed(-isize::from(shift));
    }

    /// Moves the DP, making room where there is none, and gives the value there.
    #[inline]
    pub fn shift(&mut self, amount: i64) -> i64 {
        let pointer = self.pointer.wrapping_add_signed(amount as isize);
        if let Some(&value) = self.cells.get(pointer) {
            self.pointer = pointer;
            return value;
        }
        self.grow(amount);
        0
    }

    #[cold]
    fn grow(&mut self, amount: i64) {
        let more = self.cells.len() + amount.unsigned_abs() as usize;
        if amount < 0 {
            self.cells.splice(0..0, std::iter::repeat_n(0, more));
            self.origin += more;
            self.pointer += more;
        } else {
            self.cells.resize(self.cells.len() + more, 0);
        }
        self.pointer = self.pointer.saturating_add_signed(amount as isize);
    }

    /// First and last position with a value other than zero; none on an empty tape.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        Some((self.first()?, self.last()?))
    }

    /// First position with a value other than zero.
    pub(crate) fn first(&self) -> Option<i64> {
        let first = self.cells.iter().position(|&value| value != 0)?;
        Some(first as i64 - self.origin as i64)
    }

    /// Last position with a value other than zero.
    pub(crate) fn last(&self) -> Option<i64> {
        let last = self.cells.iter().rposition(|&value| value != 0)?;
        Some(last as i64 - self.origin as i64)
    }

    /// Cells with the DP on one of them, which is at a position.
    pub(super) fn positioned(cells: Vec<i64>, pointer: usize, position: i64) -> Self {
        // The cell at 0 is one of them.
        let more = (position - pointer as i64).max(0) as usize;
        let cells = std::iter::repeat_n(0, more).chain(cells).collect();
        Tape { cells, origin: (pointer as i64 + more as i64 - position) as usize, pointer: pointer + more }
    }

    pub(crate) fn from_parts(cells: Vec<i64>, origin: usize, pointer: usize) -> Self {
        Tape { cells, origin, pointer }
    }
}
