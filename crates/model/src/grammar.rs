//! Grammars: a history as rules, without loss. Units that occur several times are written once.
//!
//! ```text
//! units    a b c x a b c y y y a b c x        14 units
//! rules    0 = a b c                          3 symbols
//! start    0 x 0 y*3 0 x                      7: a count is a symbol, too
//! ```

/// What stands at a position of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum What {
    /// A unit of the level.
    Unit(u32),
    /// What the rule with this number stands for.
    Rule(u32),
    /// No unit: something was lost here.
    Gap,
}

/// A part of a rule: something, once or several times in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// What.
    pub what: What,
    /// How often; at least 1.
    pub times: u64,
}

/// A rule: units that occur several times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What it stands for. Only rules with smaller numbers are in it.
    pub items: Vec<Item>,
    /// Units that it stands for.
    pub len: u64,
}

/// A history as rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grammar {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The history.
    pub start: Vec<Item>,
}

impl Item {
    /// Once.
    pub fn once(what: What) -> Item {
        Item { what, times: 1 }
    }

    /// How many symbols it takes to write it: a count is one, too.
    pub fn symbols(&self) -> u64 {
        1 + u64::from(self.times > 1)
    }
}

impl Grammar {
    /// The grammar with these rules; `None` if one is empty or is not made of those before it.
    pub fn new(rules: Vec<Vec<Item>>, start: Vec<Item>) -> Option<Grammar> {
        let mut grammar = Grammar::default();
        for items in rules {
            let len = grammar.len_of_all(&items)?;
            if items.is_empty() {
                return None;
            }
            grammar.rules.push(Rule { items, len });
        }
        grammar.len_of_all(&start)?;
        grammar.start = start;
        Some(grammar)
    }

    fn len_of_all(&self, items: &[Item]) -> Option<u64> {
        items.iter().try_fold(0u64, |len, item| {
            let is_there = !matches!(item.what, What::Rule(rule) if rule as usize >= self.rules.len());
            (is_there && item.times > 0).then(|| len.saturating_add(self.len_of(item)))
        })
    }

    /// How often each rule occurs in the history.
    pub fn occurrences(&self) -> Vec<u64> {
        let mut occurrences = vec![0u64; self.rules.len()];
        let add = |occurrences: &mut [u64], items: &[Item], times: u64| {
            for item in items {
                if let What::Rule(rule) = item.what
                    && let Some(count) = occurrences.get_mut(rule as usize)
                {
                    *count = count.saturating_add(item.times.saturating_mul(times));
                }
            }
        };
        add(&mut occurrences, &self.start, 1);
        for (number, rule) in self.rules.iter().enumerate().rev() {
            let times = occurrences[number];
            add(&mut occurrences, &rule.items, times);
        }
        occurrences
    }

    /// How many symbols it takes to write it: what stands in the rules and in the history, and the counts.
    pub fn symbols(&self) -> u64 {
        let items = self.rules.iter().flat_map(|rule| &rule.items).chain(&self.start);
        items.map(Item::symbols).sum()
    }

    /// How many units an item stands for.
    pub fn len_of(&self, item: &Item) -> u64 {
        let one = match item.what {
            What::Unit(_) => 1,
            What::Gap => 0,
            What::Rule(rule) => self.rules.get(rule as usize).map_or(0, |rule| rule.len),
        };
        one.saturating_mul(item.times)
    }

    /// How many units it stands for.
    pub fn len(&self) -> u64 {
        self.start.iter().fold(0, |len, item| len.saturating_add(self.len_of(item)))
    }

    /// Whether it stands for no unit.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What it stands for, unit by unit, and the gaps. Memory is that of the depth of the rules.
    pub fn expand(&self) -> impl Iterator<Item = What> + '_ {
        self.expand_items(&self.start)
    }

    /// The same of some items that its rules are used in.
    pub fn expand_items<'a>(&'a self, items: &'a [Item]) -> impl Iterator<Item = What> + 'a {
        let mut stack: Vec<(&[Item], u64)> = vec![(items, 0)];
        std::iter::from_fn(move || {
            loop {
                let (items, done) = stack.last_mut()?;
                let Some((item, rest)) = items.split_first() else {
                    stack.pop();
                    continue;
                };
                *done += 1;
                if *done >= item.times {
                    (*items, *done) = (rest, 0);
                }
                match item.what {
                    What::Rule(rule) => {
                        stack.push((self.rules.get(rule as usize).map_or(&[], |rule| &rule.items), 0));
                    }
                    what => return Some(what),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grammar_expands_to_its_units() {
        let once = |what| Item::once(what);
        let abc = vec![once(What::Unit(1)), Item { what: What::Unit(2), times: 2 }];
        let start = vec![
            Item { what: What::Rule(0), times: 2 },
            once(What::Gap),
            once(What::Rule(0)),
            once(What::Unit(9)),
        ];
        let grammar = Grammar::new(vec![abc.clone()], start).unwrap();
        let units = |what| match what {
            What::Unit(unit) => unit,
            _ => 0,
        };
        assert_eq!(grammar.expand().map(units).collect::<Vec<_>>(), [1, 2, 2, 1, 2, 2, 0, 1, 2, 2, 9]);
        assert_eq!((grammar.len(), grammar.symbols()), (10, 3 + 5));
        assert_eq!(grammar.occurrences(), [3]);
        assert_eq!(Grammar::new(vec![vec![]], vec![]), None);
        assert_eq!(Grammar::new(vec![vec![once(What::Rule(0))]], vec![]), None);
        assert_eq!(Grammar::new(vec![abc], vec![Item { what: What::Rule(0), times: 0 }]), None);
    }
}
