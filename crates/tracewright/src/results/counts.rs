//! How many events an input has of each kind, and what it lost.

use model::Symbol;

use crate::losses::Losses;

/// What was counted; the rest is asked from the reader.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Events by symbol.
    pub(crate) by_symbol: Vec<u64>,
    pub(crate) losses: Losses,
}

impl Counts {
    #[inline]
    pub(crate) fn add(&mut self, symbol: Symbol, times: u64) {
        let symbol = symbol.0 as usize;
        if symbol >= self.by_symbol.len() {
            self.by_symbol.resize(symbol + 1, 0);
        }
        self.by_symbol[symbol] = self.by_symbol[symbol].saturating_add(times);
    }
}
