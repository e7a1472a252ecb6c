//! From symbols to rules: what saves nothing is written out where it is used, equal neighbours get a count, and rules
//! are numbered so that each uses only smaller numbers.

use super::pairs::{GAP, Made};
use super::text::Reduced;
use model::Grammar;
use model::grammar::{Item, Rule, What};

/// How a symbol is used.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    /// Items that have it once.
    once: u64,
    /// Items that have it several times in a row.
    several: u64,
}

pub(super) fn grammar(reduced: Reduced) -> Grammar {
    let mut draft = Draft::of(&reduced);
    drop(reduced.words);
    while draft.write_out() {}
    draft.grammar(&reduced.units)
}

/// Rules by the numbers of symbols. The start is the last one.
struct Draft {
    /// Units have lower numbers.
    units: u32,
    rules: Vec<Vec<Item>>,
    /// The rules that are used, each behind those that are in it.
    order: Vec<u32>,
}

impl Draft {
    fn of(reduced: &Reduced) -> Draft {
        let Reduced { symbols, units, words, start } = reduced;
        let item = |&symbol: &u32| Item::once(if symbol == GAP { What::Gap } else { What::Rule(symbol) });
        let items = |made: &Made| match *made {
            Made::Pair(left, right) => vec![item(&left), item(&right)],
            Made::Power(unit, times) => vec![Item { times, ..item(&unit) }],
            Made::Text(word) => {
                words.get(word as usize).map_or_else(Vec::new, |word| word.iter().map(item).collect())
            }
        };
        let mut rules: Vec<Vec<Item>> = symbols.made.iter().map(items).collect();
        rules.push(start.iter().map(item).collect());
        let mut draft = Draft { units: units.len() as u32, rules, order: Vec::new() };
        draft.order = draft.reachable();
        draft
    }

    /// The rule of a symbol, by its index.
    fn rule_of(&self, item: &Item) -> Option<usize> {
        match item.what {
            What::Rule(symbol) => symbol.checked_sub(self.units).map(|rule| rule as usize),
            _ => None,
        }
    }

    fn start(&self) -> usize {
        self.rules.len() - 1
    }

    /// What the start needs, each rule behind those that are in it.
    fn reachable(&self) -> Vec<u32> {
        let mut is_seen = vec![false; self.rules.len()];
        let (mut order, mut stack) = (Vec::new(), vec![(self.start(), 0)]);
        while let Some((rule, position)) = stack.last_mut() {
            let Some(item) = self.rules[*rule].get(*position) else {
                order.push(*rule as u32);
                stack.pop();
                continue;
            };
            *position += 1;
            if let Some(inner) = self.rule_of(item)
                && !std::mem::replace(&mut is_seen[inner], true)
            {
                stack.push((inner, 0));
            }
        }
        order
    }

    fn uses(&self) -> Vec<Uses> {
        let mut uses = vec![Uses::default(); self.rules.len()];
        for &rule in &self.order {
            for item in &self.rules[rule as usize] {
                if let Some(inner) = self.rule_of(item) {
                    let uses = &mut uses[inner];
                    if item.times == 1 { uses.once += 1 } else { uses.several += 1 }
                }
            }
        }
        uses
    }

    /// Writes out rules that save no symbol; whether there were any.
    fn write_out(&mut self) -> bool {
        let uses = self.uses();
        let mut goes = vec![false; self.rules.len()];
        let (&start, inner) = self.order.split_last().unwrap_or((&0, &[]));
        for &rule in inner {
            let items = &self.rules[rule as usize];
            let Uses { once, several } = uses[rule as usize];
            let symbols: u64 = items.iter().map(Item::symbols).sum();
            // What its parts are written out to counts only in the next round.
            let is_changing = items.iter().any(|item| self.rule_of(item).is_some_and(|inner| goes[inner]));
            goes[rule as usize] = match items.as_slice() {
                [] => true,
                [only] if only.times == 1 => !is_changing,
                [_] => !is_changing && once * symbols + several * symbols <= symbols + once + 2 * several,
                _ if several > 0 => false,
                _ if once <= 1 => true,
                _ => !is_changing && once * symbols <= symbols + once,
            };
        }
        let mut has_changed = false;
        for &rule in self.order.clone().iter() {
            let items = std::mem::take(&mut self.rules[rule as usize]);
            let mut written: Vec<Item> = Vec::with_capacity(items.len());
            for item in items {
                let inner = self.rule_of(&item).filter(|&inner| goes[inner]);
                has_changed |= inner.is_some();
                match inner.map(|inner| self.rules[inner].as_slice()) {
                    None => append(&mut written, item),
                    Some(&[only]) if only.times.checked_mul(item.times).is_some() => {
                        append(&mut written, Item { times: only.times * item.times, ..only });
                    }
                    // Only a single item is written out where it stands several times.
                    Some(inner) => {
                        for _ in 0..item.times {
                            inner.iter().for_each(|&item| append(&mut written, item));
                        }
                    }
                }
            }
            self.rules[rule as usize] = written;
        }
        self.order.retain(|&rule| rule == start || !goes[rule as usize]);
        has_changed
    }

    fn grammar(mut self, units: &[u32]) -> Grammar {
        let order = self.reachable();
        let mut number = vec![0; self.rules.len()];
        let mut grammar = Grammar::default();
        for &rule in &order {
            let mut items = std::mem::take(&mut self.rules[rule as usize]);
            for item in &mut items {
                item.what = match item.what {
                    What::Rule(symbol) => match symbol.checked_sub(self.units) {
                        Some(inner) => What::Rule(number[inner as usize]),
                        None => What::Unit(units[symbol as usize]),
                    },
                    other => other,
                };
            }
            if rule as usize == self.start() {
                grammar.start = items;
            } else {
                number[rule as usize] = grammar.rules.len() as u32;
                let len = items.iter().fold(0, |len, item| grammar.len_of(item).saturating_add(len));
                grammar.rules.push(Rule { items, len });
            }
        }
        grammar
    }
}

/// Adds an item, to the last one if that is the same.
fn append(items: &mut Vec<Item>, item: Item) {
    if let Some(last) = items.last_mut()
        && last.what == item.what
        && item.what != What::Gap
        && let Some(times) = last.times.checked_add(item.times)
    {
        last.times = times;
    } else {
        items.push(item);
    }
}
