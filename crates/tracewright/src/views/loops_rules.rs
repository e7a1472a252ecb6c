//! Rules in the text of a summary: they shorten what is too long for a line, and each is printed once.
//!
//! ```text
//!   level 0  {read+close} {read+close} [w]*2.0
//!   rules    {read+close} = open read*2 close  4 steps in 2 places
//! ```

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use analyses::grammar::{self, Cover};
use model::grammar::{Item, What};
use model::{Level, RunId};

use super::flow::Flow;
use super::loops_names::{About, RunNames};
use super::loops_text::{BUSIEST, TrackView};
use crate::numbers::{counted, grouped};
use crate::paint::Ink;

/// Symbols among which rules are looked for, unless everything is to be shown: some seconds.
const EFFORT: u64 = 4_000_000;

impl TrackView<'_> {
    /// Looks for the rules of a level, if anything that is shown of it is too long without them.
    pub(super) fn prepare(&mut self, number: usize) {
        let level = &self.track.summary.levels[number];
        let runs = level.runs.iter().take(self.bounds.runs);
        let mut ids: BTreeSet<RunId> = BTreeSet::new();
        let mut words =
            runs.filter(|run| ids.insert(run.id)).filter_map(|run| level.words.get(run.id.0 as usize));
        let is_needed =
            words.any(|word| self.is_long(number, &word.units)) || self.is_long(number, &level.pending);
        let is_bounded = self.bounds.runs < usize::MAX;
        if !is_needed || (is_bounded && grammar::effort(level) > EFFORT) {
            return;
        }
        let summary = &self.track.summary;
        let gaps: Vec<u64> = match number.checked_sub(1) {
            None => summary.gaps.clone(),
            Some(below) => {
                let starts = self.shape.starts_of(below);
                summary.gaps.iter().map(|gap| starts.partition_point(|start| start < gap) as u64).collect()
            }
        };
        self.rules[number] = Some(LevelRules::new(level, &gaps));
    }

    /// What the named rules stand for, and the rules that they use.
    pub(super) fn rule_lines(&mut self, number: usize) {
        let Some(rules) = &self.rules[number] else { return };
        let mut line = Flow::new();
        let mut shown = 0;
        while let Some(rule) = rules.named(shown).filter(|_| shown < self.bounds.runs) {
            let items = &rules.cover.grammar.rules[rule as usize].items;
            let name = rules.name(rule, number, &self.runs);
            line.push(Ink::Quiet, format!("{name} = {}", self.items(number, rules, items)));
            let units = counted(
                rules.cover.grammar.rules[rule as usize].len,
                if number == 0 { "step" } else { "run" },
            );
            line.push(
                Ink::Quiet,
                format!("{units} in {}", counted(rules.occurrences[rule as usize], "place")),
            );
            line.write(
                &mut self.out,
                if shown == 0 { "  rules    " } else { "           " },
                "  ",
                self.paint,
            );
            line = Flow::new();
            shown += 1;
        }
        if rules.named(shown).is_some() {
            self.out += "           ... and more rules in these (--runs N, --all)\n";
        }
    }

    /// The word of a kind of run, also expressed in rules.
    pub(super) fn word_in_rules(&self, level: usize, units: &[u32], id: RunId) -> String {
        let first = self.rules[level].as_ref().and_then(|rules| rules.firsts.get(id.0 as usize));
        self.segment(level, units, first.copied().unwrap_or(0))
    }

    /// The units of a level from number `start` on, expressed in rules where that is shorter.
    pub(super) fn segment(&self, level: usize, units: &[u32], start: u64) -> String {
        let Some(rules) = &self.rules[level] else { return self.units(level, units) };
        self.items(level, rules, &rules.cover.of(start, start + units.len() as u64))
    }

    /// What is pending on a level, from unit `start` on, in pieces of items.
    pub(super) fn pending_in_rules(&self, line: &mut Flow, number: usize, start: u64) {
        let Some(rules) = &self.rules[number] else { return };
        let end = self.track.summary.levels[number].len();
        let items = rules.cover.of(start, end);
        let mut rest = items.as_slice();
        for _ in 0..self.bounds.runs {
            if rest.is_empty() {
                return;
            }
            let mut length = 0;
            let fits = |item: &&Item| {
                length += self.item(number, rules, item).chars().count() + 1;
                length <= self.most(number)
            };
            let (part, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            line.push(Ink::Open, self.items(number, rules, part) + "?");
            rest = later;
        }
        if !rest.is_empty() {
            let units = rest.iter().map(|item| rules.cover.grammar.len_of(item)).sum();
            line.push(Ink::Quiet, format!("... and {} more (--runs N, --all)", counted(units, "unit")));
        }
    }

    /// Items of rules, in the same way.
    fn items(&self, level: usize, rules: &LevelRules, items: &[Item]) -> String {
        let len = |item: &Item| rules.cover.grammar.len_of(item);
        let joined = items.iter().map(|item| (self.item(level, rules, item), len(item)));
        self.joined(level, joined, items.iter().map(len).sum())
    }

    fn item(&self, level: usize, rules: &LevelRules, item: &Item) -> String {
        let name = match item.what {
            What::Unit(unit) => self.unit(level, unit),
            What::Rule(rule) => rules.name(rule, level, &self.runs),
            What::Gap => "<gap>".to_owned(),
        };
        match item.times {
            1 => name,
            // A letter twice is as short as it is with a count.
            2 if name.chars().count() == 1 => name.repeat(2),
            times => format!("{name}*{}", grouped(times)),
        }
    }

    /// How long the history is as it is, as levels and as rules. Short ones need no figures.
    pub(super) fn sizes(&self) -> String {
        let summary = &self.track.summary;
        let total: usize = summary.levels.iter().map(|level| level.runs.len()).sum();
        let known = self.rules.first().and_then(Option::as_ref);
        if known.is_none() && total <= 2 * BUSIEST {
            return String::new();
        }
        let lowest = summary.levels.first();
        let symbols = match known {
            Some(rules) => Some(rules.cover.grammar.symbols()),
            None => lowest
                .filter(|lowest| grammar::effort(lowest) <= EFFORT)
                .map(|_| grammar::of(summary).symbols()),
        };
        let mut text = format!("{} symbols in levels", grouped(summary.symbols()));
        if let Some(symbols) = symbols {
            text += &format!(", {} in rules", grouped(symbols));
        }
        format!("{}{text}\n", self.paint.dip(Ink::Quiet, "  size     "))
    }
}

/// The rules of a level, and what those that are shown are called.
#[derive(Debug)]
pub(super) struct LevelRules {
    cover: Cover,
    /// Of each rule, in how many places it stands.
    occurrences: Vec<u64>,
    /// Of each kind of run, where it stands first.
    firsts: Vec<u64>,
    /// In the order in which they were named.
    named: RefCell<Vec<(u32, String)>>,
    /// How many have the same name but for its number.
    known: RefCell<HashMap<About, u32>>,
}

impl LevelRules {
    fn new(level: &Level, gaps: &[u64]) -> LevelRules {
        let cover = Cover::new(grammar::of_level(level, gaps));
        let occurrences = cover.grammar.occurrences();
        let mut firsts = vec![0; level.words.len()];
        for run in level.runs.iter().rev() {
            firsts[run.id.0 as usize] = run.start;
        }
        LevelRules { cover, occurrences, firsts, named: RefCell::default(), known: RefCell::default() }
    }

    /// The name of a rule, which gets one if it has none.
    fn name(&self, rule: u32, level: usize, runs: &RunNames) -> String {
        let mut named = self.named.borrow_mut();
        if let Some((_, name)) = named.iter().find(|(known, _)| *known == rule) {
            return name.clone();
        }
        let items = self.cover.grammar.rules.get(rule as usize).map_or(&[][..], |rule| &rule.items);
        let units = self.cover.grammar.expand_items(items).filter_map(|what| match what {
            What::Unit(unit) => Some(unit),
            _ => None,
        });
        let about = runs.about(level, units);
        let mut known = self.known.borrow_mut();
        let number = known.entry(about).or_insert(0);
        *number += 1;
        let name = format!("{{{}}}", runs.text(about, *number));
        named.push((rule, name.clone()));
        name
    }

    /// The rule that was named as number `index`.
    fn named(&self, index: usize) -> Option<u32> {
        self.named.borrow().get(index).map(|(rule, _)| *rule)
    }
}
