//! A grammar beneath the levels: units that recur without standing side by side are one rule.
//!
//! It changes nothing of the levels: a grammar is made of the runs of one level (of the lowest: of the history) when these
//! are known, and the words of the levels are segments of what it expands to. [`model::Grammar`] draws one.
//!
//! Where to look:
//! - [`text`]: the runs of a level as one text, its long loops folded beforehand.
//! - [`pairs`]: in a text, the pair of symbols that stands there most often becomes one symbol, again and again
//!   (Re-Pair); symbols repeated side by side become one with a count.
//! - [`rules`]: symbols become rules; rules that save nothing are written out where they are used, and the rest is gone
//!   over again as a text.
//! - [`cover`]: any segment of the units in rules.
//!
//! Time grows with the runs, their words written out. No more than a block of them is held at a time, and what is left of
//! those before.

mod cover;
mod pairs;
mod rules;
mod text;

pub use cover::Cover;

use model::{Grammar, Level, Summary};

/// How often a grammar is gone over again, at most; after that hardly anything is gained.
const MOST_AGAIN: usize = 3;

/// The grammar of the history of a track.
pub fn of(summary: &Summary) -> Grammar {
    summary.levels.first().map_or_else(Grammar::default, |lowest| of_level(lowest, &summary.gaps))
}

/// The grammar of the units of a level. Before the units `gaps` something was lost; no rule crosses these places.
pub fn of_level(level: &Level, gaps: &[u64]) -> Grammar {
    by_blocks(level, gaps, text::BLOCK)
}

/// How many symbols a level is before any rule is looked for, about: the time that [`of_level`] takes follows it.
pub fn effort(level: &Level) -> u64 {
    let runs = level.runs.iter().map(|run| if run.is_loop() { run.len.min(text::SHORT) } else { run.len });
    runs.sum::<u64>() + level.pending.len() as u64
}

fn by_blocks(level: &Level, gaps: &[u64], block: usize) -> Grammar {
    let mut grammar = rules::grammar(text::reduced(level, gaps, block));
    // Rules that were written out may now be paired otherwise.
    for _ in 0..MOST_AGAIN {
        let symbols = grammar.symbols();
        if symbols > block as u64 {
            break;
        }
        let again = rules::grammar(text::again(&grammar));
        if again.symbols() >= symbols {
            break;
        }
        grammar = again;
    }
    grammar
}

#[cfg(test)]
mod tests;
