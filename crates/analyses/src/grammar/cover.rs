//! Any segment of the units in rules: those of the grammar that lie in it whole.

use model::Grammar;
use model::grammar::{Item, What};

/// Finds segments; made once for a grammar.
#[derive(Debug)]
pub struct Cover {
    /// What the segments are made of.
    pub grammar: Grammar,
    /// Where each item of the start begins.
    starts: Vec<u64>,
}

impl Cover {
    /// Covers segments of what `grammar` stands for.
    pub fn new(grammar: Grammar) -> Cover {
        let mut at = 0u64;
        let start = |item| {
            let start = at;
            at = at.saturating_add(grammar.len_of(item));
            start
        };
        let starts = grammar.start.iter().map(start).collect();
        Cover { grammar, starts }
    }

    /// The units from `from` to `to` (their numbers), as few items as there are. Gaps are left out.
    pub fn of(&self, from: u64, to: u64) -> Vec<Item> {
        let first = self.starts.partition_point(|&start| start <= from).saturating_sub(1);
        let mut items = Vec::new();
        for (item, &start) in self.grammar.start.iter().zip(&self.starts).skip(first) {
            if start >= to {
                break;
            }
            self.add(&mut items, item, from.saturating_sub(start), to - start);
        }
        items
    }

    /// The part of an item from its unit `from` to `to`, which may be behind it.
    fn add(&self, items: &mut Vec<Item>, item: &Item, from: u64, to: u64) {
        let len = self.grammar.len_of(item);
        let one = len / item.times.max(1);
        let to = to.min(len);
        if from >= to || one == 0 {
            return;
        }
        let whole = from.div_ceil(one)..to / one;
        if whole.is_empty() {
            // Within one iteration, or over the border of two.
            let (left, right) = (from / one, to.div_ceil(one) - 1);
            (left..=right).for_each(|iteration| {
                self.inside(items, item, from.saturating_sub(iteration * one), to - iteration * one);
            });
            return;
        }
        if whole.start * one > from {
            self.inside(items, item, from % one, one);
        }
        items.push(Item { what: item.what, times: whole.end - whole.start });
        if whole.end * one < to {
            self.inside(items, item, 0, to % one);
        }
    }

    /// A part of what an item stands for when it stands once; not all of it.
    fn inside(&self, items: &mut Vec<Item>, item: &Item, from: u64, to: u64) {
        let What::Rule(rule) = item.what else { return };
        let Some(rule) = self.grammar.rules.get(rule as usize) else { return };
        let mut start = 0;
        for part in &rule.items {
            if start >= to {
                break;
            }
            let len = self.grammar.len_of(part);
            if start + len > from {
                self.add(items, part, from.saturating_sub(start), to - start);
            }
            start += len;
        }
    }
}
