//! Sequitur, plainly: the grammar that ours is measured against (Nevill-Manning and Witten, 1997).
//!
//! Two rules are kept after every symbol: no two symbols stand side by side in two places (the second place makes a
//! rule of them), and every rule is used twice at least. How many symbols it takes is the sum of all right-hand sides.

use std::collections::HashMap;

const NONE: usize = usize::MAX;

/// A grammar that grows symbol by symbol.
#[derive(Debug)]
pub struct Sequitur {
    nodes: Vec<Node>,
    free: Vec<usize>,
    /// For each rule its guard, a node before its first and behind its last symbol, and how often it is used.
    rules: Vec<(usize, usize)>,
    /// Where two symbols stand side by side.
    pairs: HashMap<(Symbol, Symbol), usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Symbol {
    Unit(u32),
    Rule(usize),
    Guard(usize),
}

#[derive(Debug, Clone, Copy)]
struct Node {
    symbol: Symbol,
    before: usize,
    after: usize,
}

impl Default for Sequitur {
    fn default() -> Self {
        let mut grammar =
            Sequitur { nodes: Vec::new(), free: Vec::new(), rules: Vec::new(), pairs: HashMap::new() };
        grammar.new_rule();
        grammar
    }
}

impl Sequitur {
    /// The next symbol.
    pub fn push(&mut self, unit: u32) {
        let guard = self.rules[0].0;
        let last = self.nodes[guard].before;
        let node = self.insert(last, Symbol::Unit(unit));
        if last != guard {
            self.check(self.nodes[node].before);
        }
    }

    /// How many symbols it takes to write it.
    pub fn symbols(&self) -> u64 {
        self.rules.iter().map(|&(guard, _)| self.items(guard).count() as u64).sum()
    }

    /// What it stands for.
    pub fn expand(&self) -> Vec<u32> {
        let (mut units, mut stack) = (Vec::new(), vec![self.nodes[self.rules[0].0].after]);
        while let Some(node) = stack.pop() {
            match self.nodes[node].symbol {
                Symbol::Guard(_) => continue,
                Symbol::Unit(unit) => {
                    units.push(unit);
                    stack.push(self.nodes[node].after);
                }
                Symbol::Rule(rule) => {
                    stack.push(self.nodes[node].after);
                    stack.push(self.nodes[self.rules[rule].0].after);
                }
            }
        }
        units
    }

    fn items(&self, guard: usize) -> impl Iterator<Item = usize> + '_ {
        let mut node = guard;
        std::iter::from_fn(move || {
            if node == NONE {
                return None;
            }
            node = self.nodes[node].after;
            (node != guard).then_some(node)
        })
    }

    fn new_rule(&mut self) -> usize {
        let rule = self.rules.len();
        let guard = self.node(Symbol::Guard(rule));
        (self.nodes[guard].before, self.nodes[guard].after) = (guard, guard);
        self.rules.push((guard, 0));
        rule
    }

    fn node(&mut self, symbol: Symbol) -> usize {
        let node = Node { symbol, before: NONE, after: NONE };
        match self.free.pop() {
            Some(index) => {
                self.nodes[index] = node;
                index
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    /// A new node behind `before`.
    fn insert(&mut self, before: usize, symbol: Symbol) -> usize {
        let node = self.node(symbol);
        if let Symbol::Rule(rule) = symbol {
            self.rules[rule].1 += 1;
        }
        let after = self.nodes[before].after;
        (self.nodes[node].before, self.nodes[node].after) = (before, after);
        self.nodes[before].after = node;
        self.nodes[after].before = node;
        node
    }

    fn pair(&self, node: usize) -> Option<(Symbol, Symbol)> {
        let pair = (self.nodes[node].symbol, self.nodes[self.nodes[node].after].symbol);
        (!matches!(pair, (Symbol::Guard(_), _) | (_, Symbol::Guard(_)))).then_some(pair)
    }

    /// The pair that begins at `node` is about to go.
    fn forget(&mut self, node: usize) {
        let Some(pair) = self.pair(node) else { return };
        if self.pairs.get(&pair) != Some(&node) {
            return;
        }
        self.pairs.remove(&pair);
        // Of three equal symbols in a row the second pair was not noted.
        let after = self.nodes[node].after;
        for other in [self.nodes[node].before, after] {
            if pair.0 == pair.1 && self.pair(other) == Some(pair) {
                self.pairs.insert(pair, other);
            }
        }
    }

    fn remove(&mut self, node: usize) {
        let Node { symbol, before, after } = self.nodes[node];
        self.nodes[before].after = after;
        self.nodes[after].before = before;
        if let Symbol::Rule(rule) = symbol {
            self.rules[rule].1 -= 1;
        }
        self.free.push(node);
    }

    /// Whether the pair that begins at `node` is somewhere else, too, which is mended.
    fn check(&mut self, node: usize) -> bool {
        let Some(pair) = self.pair(node) else { return false };
        match self.pairs.get(&pair).copied() {
            None => {
                self.pairs.insert(pair, node);
                false
            }
            Some(other)
                if other == node || self.nodes[other].after == node || self.nodes[node].after == other =>
            {
                false
            }
            Some(other) => {
                self.share(node, other);
                true
            }
        }
    }

    /// The same two symbols begin at `node` and at `other`: both become a rule.
    fn share(&mut self, node: usize, other: usize) {
        let (before, second) = (self.nodes[other].before, self.nodes[self.nodes[other].after].after);
        let rule = match (self.nodes[before].symbol, self.nodes[second].symbol) {
            (Symbol::Guard(rule), Symbol::Guard(_)) if rule != 0 => {
                self.substitute(node, rule);
                rule
            }
            _ => {
                let rule = self.new_rule();
                let guard = self.rules[rule].0;
                let (left, right) = (self.nodes[node].symbol, self.nodes[self.nodes[node].after].symbol);
                let first = self.insert(guard, left);
                self.insert(first, right);
                self.substitute(other, rule);
                self.substitute(node, rule);
                let first = self.nodes[guard].after;
                if let Some(pair) = self.pair(first) {
                    self.pairs.insert(pair, first);
                }
                rule
            }
        };
        // A rule in it that is used nowhere else any more goes; only the first and the last can be one.
        let guard = self.rules[rule].0;
        for node in [self.nodes[guard].after, self.nodes[guard].before] {
            if let Symbol::Rule(inner) = self.nodes[node].symbol
                && self.rules[inner].1 == 1
            {
                self.inline(node, inner);
            }
        }
    }

    /// Two symbols from `node` on become one rule.
    fn substitute(&mut self, node: usize, rule: usize) {
        let before = self.nodes[node].before;
        let second = self.nodes[node].after;
        self.forget(before);
        self.forget(second);
        self.forget(node);
        self.remove(node);
        self.remove(second);
        let node = self.insert(before, Symbol::Rule(rule));
        if !self.check(before) {
            self.check(node);
        }
    }

    /// The only use of a rule, `node`, becomes what it stands for.
    fn inline(&mut self, node: usize, rule: usize) {
        let Node { before, after, .. } = self.nodes[node];
        let guard = self.rules[rule].0;
        let (first, last) = (self.nodes[guard].after, self.nodes[guard].before);
        self.forget(before);
        self.forget(node);
        self.nodes[before].after = first;
        self.nodes[first].before = before;
        self.nodes[last].after = after;
        self.nodes[after].before = last;
        self.free.push(node);
        self.rules[rule] = (NONE, 0);
        self.free.push(guard);
        if let Some(pair) = self.pair(last) {
            self.pairs.insert(pair, last);
        }
        if let Some(pair) = self.pair(before) {
            self.pairs.insert(pair, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grammar(text: &str) -> Sequitur {
        let mut grammar = Sequitur::default();
        text.bytes().for_each(|letter| grammar.push(u32::from(letter)));
        assert!(grammar.expand().into_iter().eq(text.bytes().map(u32::from)), "{text}");
        grammar
    }

    /// The examples of the paper: S = A A, A = B d B, B = b c.
    #[test]
    fn the_examples_of_the_paper() {
        assert_eq!(grammar("bcdbc").symbols(), 5);
        assert_eq!(grammar("abcdbcabcdbc").symbols(), 2 + 4 + 2);
        assert_eq!(grammar("aaaaaaaa").symbols(), 6);
    }

    #[test]
    fn it_stands_for_what_it_was_given() {
        let mut state = 1u32;
        for round in 0..2_000 {
            let text: String = (0..round % 200)
                .map(|_| {
                    state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                    char::from(b'a' + (state >> 16) as u8 % (2 + round as u8 % 5))
                })
                .collect();
            grammar(&text);
        }
    }
}
