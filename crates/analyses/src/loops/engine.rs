//! The loop finder of one track.

use model::{Level, Summary};

/// What to look for.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Recognise loops that were cut before their second turn, by what preceded them before.
    pub short_loops: bool,
    /// Build at most this many levels.
    pub max_levels: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { short_loops: false, max_levels: usize::MAX }
    }
}

/// Finds the loops of one track, unit by unit.
#[derive(Debug, Clone, Default)]
pub struct LoopFinder {
    units: Vec<u32>,
}

impl LoopFinder {
    /// An empty history.
    pub fn new(_options: Options) -> Self {
        LoopFinder::default()
    }

    /// The next unit.
    pub fn push(&mut self, unit: u32) {
        self.units.push(unit);
    }

    /// The next units; the same as pushing each, but faster inside a loop.
    pub fn extend(&mut self, units: &[u32]) {
        for &unit in units {
            self.push(unit);
        }
    }

    /// Something was lost here: no run may cross this place.
    pub fn gap(&mut self) {}

    /// How many units were fed.
    pub fn steps(&self) -> u64 {
        self.units.len() as u64
    }

    /// The summary up to now.
    pub fn summary(&self) -> Summary {
        Summary { levels: vec![Level { pending: self.units.clone(), ..Level::default() }], gaps: vec![] }
    }
}
