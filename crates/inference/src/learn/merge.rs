//! State merging: from what was seen to a small machine.
//!
//! ```text
//! sequences ──> a state for each pair of last two tokens ──merge──> states distinguished by what follows
//!
//!   release acquire release acquire ...          (release,acquire) ─release─> (acquire,release)
//!   release wait acquire release ...             (wait,acquire)    ─release─> (acquire,release)
//!                                                two states, one future: merged
//! ```
//!
//! Two states are merged, and with them the states after (folding keeps the machine deterministic), if
//! nothing is allowed then that was not before, or if evidence is for it: what one of them never does it had
//! little occasion to do, and the machine and the sequences together are shorter in bits.
//!
//! Source: k-tails (Biermann and Feldman 1972) and evidence-driven state merging with a red core and a blue
//! fringe (Lang, Pearlmutter, Price 1998), with the measure of minimum description length.

use std::collections::{BTreeMap, HashMap};

use super::bits::code_length;
use super::evidence::accepts;
use super::sequences::Sequences;

/// Tokens that distinguish states at first.
const HISTORY: usize = 2;
/// States to begin with; where there are more, only the last token distinguishes them.
const MOST_AT_FIRST: usize = 160;
/// States of the learned machine, and labels.
const MOST_STATES: usize = 48;
const MOST_LABELS: usize = 96;
/// What a state is expected to have done so often and never did, it does not do.
const EXPECTED: f64 = 3.0;

/// A state.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Node {
    /// By label: how often, and where it leads.
    pub(super) out: BTreeMap<u32, (u32, usize)>,
    /// How many instances began here, and ended.
    pub(super) begins: u32,
    pub(super) ends: u32,
    /// The label that leads here; `None`: none does, or several.
    last: Option<u32>,
    visits: u32,
}

/// A deterministic machine over labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Automaton {
    /// The states; merged ones are gone.
    pub(super) nodes: Vec<Node>,
}

/// The machine of these sequences; `None`: too much happens for a machine that a person could read.
pub(super) fn learn(sequences: &Sequences) -> Option<Automaton> {
    if sequences.labels.len() > MOST_LABELS {
        return None;
    }
    // Of a sequence whose beginning was not seen, the first tokens do not determine the state: they are skipped, unless
    // the machine does not accept them then.
    let mut whole = vec![false; sequences.all.len()];
    loop {
        let begin = (1..=HISTORY).rev().map(|history| Merging::new(sequences, history, &whole));
        let mut merging = begin.into_iter().find(|merging| merging.nodes.len() <= MOST_AT_FIRST)?;
        merging.merge();
        let automaton = merging.automaton();
        let all: Vec<usize> = (0..automaton.nodes.len()).collect();
        let mut is_taken = true;
        for (sequence, whole) in sequences.all.iter().zip(&mut whole) {
            if !*whole && !accepts(&automaton, &all, sequence.labels.iter()) {
                (*whole, is_taken) = (true, false);
            }
        }
        if is_taken {
            return (automaton.nodes.len() <= MOST_STATES).then_some(automaton);
        }
    }
}

/// A machine in the making: states that were merged lead to the one that they are part of.
#[derive(Debug, Clone)]
struct Merging {
    nodes: Vec<Node>,
    part_of: Vec<usize>,
    labels: usize,
    /// Bits of one transition.
    transition: f64,
}

/// What a state remembers: the tokens before, as far as known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Before {
    New,
    Nothing,
    Token(u32),
}

impl Merging {
    fn new(sequences: &Sequences, history: usize, whole: &[bool]) -> Merging {
        let mut numbers: HashMap<Vec<Before>, usize> = HashMap::new();
        let mut nodes: Vec<Node> = Vec::new();
        let mut number = |nodes: &mut Vec<Node>, context: &[Before]| {
            *numbers.entry(context.to_vec()).or_insert_with(|| {
                let last = match context.last() {
                    Some(Before::Token(label)) => Some(*label),
                    _ => None,
                };
                nodes.push(Node { last, ..Node::default() });
                nodes.len() - 1
            })
        };
        for (sequence, is_whole) in sequences.all.iter().zip(whole) {
            let is_known = sequence.begins || *is_whole;
            let mut context = vec![if sequence.begins { Before::New } else { Before::Nothing }];
            let mut at = is_known.then(|| number(&mut nodes, &context));
            if let Some(node) = at.and_then(|at| nodes.get_mut(at)) {
                (node.begins, node.visits) = (node.begins + u32::from(sequence.begins), node.visits + 1);
            }
            for &label in &sequence.labels {
                context.push(Before::Token(label));
                let excess = context.len().saturating_sub(history);
                context.drain(..excess);
                if !is_known && context.contains(&Before::Nothing) {
                    continue;
                }
                let target = number(&mut nodes, &context);
                if let Some(node) = at.and_then(|at| nodes.get_mut(at)) {
                    node.out.entry(label).or_insert((0, target)).0 += 1;
                }
                if let Some(node) = nodes.get_mut(target) {
                    node.visits += 1;
                }
                at = Some(target);
            }
            if let Some(node) = at.and_then(|at| nodes.get_mut(at)).filter(|_| sequence.ends) {
                node.ends += 1;
            }
        }
        let labels = sequences.labels.len();
        let transition = (labels.max(2) as f64).log2() + (labels.max(2) as f64 + 1.0).log2();
        Merging { part_of: (0..nodes.len()).collect(), nodes, labels, transition }
    }

    fn find(&self, node: usize) -> usize {
        let mut node = node;
        while let Some(&whole) = self.part_of.get(node).filter(|whole| **whole != node) {
            node = whole;
        }
        node
    }

    /// The bits of a state: what follows it, and what it takes to say so.
    fn bits(&self, node: &Node) -> f64 {
        code_length(node.out.values().map(|(times, _)| *times), self.labels)
            + self.transition * node.out.len() as f64
    }

    /// Merges one state into another, and what is behind them. The bits that it saves, and whether nothing is
    /// allowed by it that was not; `None`: evidence is against it.
    fn fold(&mut self, red: usize, blue: usize) -> Option<(f64, bool)> {
        let (mut saved, mut is_same) = (0.0, true);
        let mut open = vec![(red, blue)];
        while let Some((red, blue)) = open.pop() {
            let (red, blue) = (self.find(red), self.find(blue));
            if red == blue {
                continue;
            }
            let (one, other) = (self.nodes.get(red)?.clone(), self.nodes.get(blue)?.clone());
            if !one.allows(&other) || !other.allows(&one) {
                return None;
            }
            let has_all = |a: &Node, b: &Node| b.out.keys().all(|label| a.out.contains_key(label));
            // A state after which nothing was seen says nothing, unless instances end there.
            let is_open = |node: &Node| node.out.is_empty() && node.ends == 0;
            is_same &= (has_all(&one, &other) && has_all(&other, &one))
                || (one.last == other.last && (is_open(&one) || is_open(&other)));
            saved += self.bits(&one) + self.bits(&other);
            let mut whole = one;
            for (label, (times, target)) in other.out {
                match whole.out.get_mut(&label) {
                    Some((known, own)) => {
                        *known += times;
                        open.push((*own, target));
                    }
                    None => drop(whole.out.insert(label, (times, target))),
                }
            }
            whole.begins += other.begins;
            whole.ends += other.ends;
            whole.visits += other.visits;
            whole.last = whole.last.filter(|last| other.last == Some(*last));
            saved -= self.bits(&whole);
            *self.nodes.get_mut(red)? = whole;
            *self.part_of.get_mut(blue)? = red;
        }
        Some((saved, is_same))
    }

    fn merge(&mut self) {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|node| (std::cmp::Reverse(self.nodes.get(*node).map(|node| node.visits)), *node));
        let mut red: Vec<usize> = Vec::new();
        for blue in order {
            if self.find(blue) != blue {
                continue;
            }
            red = red.iter().map(|red| self.find(*red)).collect();
            red.dedup();
            let last = |node: usize| self.nodes.get(node).and_then(|node| node.last);
            let mut best: Option<(f64, Merging)> = None;
            for &core in &red {
                let mut tried = self.clone();
                let Some((saved, is_same)) = tried.fold(core, blue) else { continue };
                // Of equals, those that a person would call by the same name.
                let like =
                    if last(core).is_some() && last(core) == last(blue) { self.transition } else { 0.0 };
                if (is_same || saved > 0.0) && best.as_ref().is_none_or(|(most, _)| saved + like > *most) {
                    best = Some((saved + like, tried));
                }
            }
            match best {
                Some((_, merged)) => *self = merged,
                None => red.push(blue),
            }
        }
    }

    fn automaton(&self) -> Automaton {
        let whole: Vec<usize> = (0..self.nodes.len()).filter(|node| self.find(*node) == *node).collect();
        let index = |node: usize| whole.binary_search(&self.find(node)).unwrap_or(0);
        let nodes = whole.iter().filter_map(|node| self.nodes.get(*node)).map(|node| {
            let out = node.out.iter().map(|(label, (times, target))| (*label, (*times, index(*target))));
            Node { out: out.collect(), ..node.clone() }
        });
        Automaton { nodes: nodes.collect() }
    }
}

impl Node {
    /// Whether what another state does may be what this one does, too: it had too little occasion, where it did not.
    fn allows(&self, other: &Node) -> bool {
        let all =
            |node: &Node| f64::from(node.out.values().map(|(times, _)| *times).sum::<u32>() + node.ends);
        let (own, of_other) = (all(self), all(other));
        let missing = other.out.iter().filter(|(label, _)| !self.out.contains_key(label));
        let missing: u32 = missing.map(|(_, (times, _))| *times).sum();
        own * f64::from(missing) / of_other.max(1.0) < EXPECTED
    }
}

impl Automaton {
    /// Where a label leads.
    pub(super) fn step(&self, node: usize, label: u32) -> Option<usize> {
        self.nodes.get(node)?.out.get(&label).map(|(_, target)| *target)
    }
}
