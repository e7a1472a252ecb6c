//! Trying to prove a rule: the iteration is run on variables, and what it depends on is noted.
//!
//! Every number near the data pointer becomes a variable. The run goes the way that it went before;
//! each test of a value and each segment that comes to its end is noted, as a form that is zero or
//! as one that is not negative. Whatever tape satisfies these notes goes the same way. If the tape
//! looks the same at the end and every number has changed by a fixed amount, that is a rule. What
//! only looks fixed (as two numbers that are equal) is made so by one more note; whether the notes
//! still hold after an iteration is then asked once and for all.
//!
//! Source: rule provers for Turing machines, as Marxen and Buntrock began and the Busy Beaver
//! community went on with; numbers on the tape, and rules within rules with exact costs, are ours.

use super::cost::{Inner, Iteration};
use super::form::Form;
use super::rule::{ExpectedEnd, Least, Rule};
use super::state::State;
use super::units::Unit;
use super::world::{Side, World};
use crate::blocks::Graph;
use rustc_hash::FxHashMap;

/// Attempts with coarser grains.
const ATTEMPTS: usize = 4;
/// Numbers that a rule is about, at most: what reads a long uneven tape from end to end is none.
const NUMBERS: usize = 200;

/// Which number of the start a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Origin {
    Hand(usize),
    /// Side, how many segments are nearer, which number of the segment.
    Segment(usize, usize, usize),
}

#[derive(Debug, Clone, Copy)]
struct Variable {
    origin: Origin,
    now: i64,
    grain: i64,
}

struct Trial<'a> {
    start: &'a State<i64>,
    /// How many segments of each side have been looked at, and whether the end was.
    revealed: [usize; 2],
    ended: [bool; 2],
    variables: Vec<Variable>,
    /// Variables that others stand for.
    replaced: Vec<Option<Form>>,
    holds: Vec<Form>,
    least: Vec<Form>,
    grains: FxHashMap<Origin, i64>,
    /// Whether the grains turned out to be too fine.
    is_too_fine: bool,
}

/// The rule of an iteration that begins in this state, if there is one.
pub(super) fn prove(start: &State<i64>, graph: &Graph, rules: &[Rule], iteration: &[Unit]) -> Option<Rule> {
    let mut grains = FxHashMap::default();
    for _ in 0..ATTEMPTS {
        let mut trial = Trial {
            start,
            revealed: [0; 2],
            ended: [false; 2],
            variables: Vec::new(),
            replaced: Vec::new(),
            holds: Vec::new(),
            least: Vec::new(),
            grains,
            is_too_fine: false,
        };
        let rule = trial.run(graph, rules, iteration);
        if rule.is_some() || !trial.is_too_fine {
            return rule;
        }
        grains = trial.grains;
    }
    None
}

impl World for Trial<'_> {
    type Number = Form;

    fn number(value: i64) -> Form {
        Form::fixed(value)
    }

    fn now(number: &Form) -> i64 {
        number.now
    }

    fn add(number: &mut Form, amount: i64) {
        number.now += amount;
    }

    fn hold(&mut self, one: &Form, other: &Form, difference: i64) -> bool {
        let mut form = one.minus(other);
        form.now -= difference;
        self.note_zero(form)
    }

    fn test(&mut self, number: &Form, value: i64) -> bool {
        if number.is_fixed() {
            return true;
        }
        let mut form = number.minus(&Form::fixed(value));
        match form.now {
            0 => return self.note_zero(form),
            1.. => {}
            _ => form = Form::fixed(0).minus(&form),
        }
        form.now -= 1;
        self.note_least(form);
        true
    }

    fn reveal(&mut self, side: Side) -> Option<(Vec<Form>, Vec<i64>)> {
        let width = self.start.hand.len();
        let (index, stack) = (side.index(), &self.start.sides[side.index()]);
        let depth = self.revealed[index];
        let Some(segment) = stack.len(width).checked_sub(depth + 1) else {
            self.ended[index] = true;
            return None;
        };
        self.revealed[index] += 1;
        let numbers = &stack.numbers[segment * (width + 1)..(segment + 1) * (width + 1)];
        let numbers = numbers.iter().enumerate();
        let numbers =
            numbers.map(|(slot, &now)| self.variable(Origin::Segment(index, depth, slot), now)).collect();
        Some((numbers, stack.slopes[segment * width..(segment + 1) * width].to_vec()))
    }
}

impl Trial<'_> {
    fn variable(&mut self, origin: Origin, now: i64) -> Form {
        let grain = self.grains.get(&origin).copied().unwrap_or(1);
        let number = self.variables.len() as u16;
        self.variables.push(Variable { origin, now, grain });
        self.replaced.push(None);
        Form::variable(now, number, grain)
    }

    fn reduce(&self, form: &mut Form) {
        let replaced: Vec<(u16, &Form)> = form
            .parts
            .iter()
            .filter_map(|&(variable, _)| Some((variable, self.replaced[usize::from(variable)].as_ref()?)))
            .collect();
        replaced.into_iter().for_each(|(variable, by)| form.replace(variable, by));
    }

    /// Notes that a form is zero, which it is now; false if it could not be made use of.
    fn note_zero(&mut self, mut form: Form) -> bool {
        self.reduce(&mut form);
        if form.is_fixed() {
            return form.now == 0;
        }
        let Some(&(variable, factor)) = form.parts.iter().find(|part| part.1.abs() == 1) else {
            return false;
        };
        self.holds.push(form.clone());
        // Now the variable is what the rest of the form says.
        let mut rest = Form::fixed(0);
        form.parts.retain(|part| part.0 != variable);
        rest.add(&form, -factor);
        for replaced in self.replaced.iter_mut().flatten() {
            replaced.replace(variable, &rest);
        }
        self.replaced[usize::from(variable)] = Some(rest);
        true
    }

    /// Notes that a form is not negative, which it is not now.
    fn note_least(&mut self, mut form: Form) {
        self.reduce(&mut form);
        if form.is_fixed() {
            return;
        }
        match self.least.iter_mut().find(|least| least.parts == form.parts) {
            Some(least) => least.now = least.now.min(form.now),
            None => self.least.push(form),
        }
    }

    /// Divides a form, if the variables in it are of fitting grains; else says so.
    fn divided(&mut self, form: &Form, by: i64) -> Option<Form> {
        let mut form = form.clone();
        self.reduce(&mut form);
        match form.divided(by) {
            Ok(form) => Some(form),
            Err(odd) => {
                for variable in odd {
                    let origin = self.variables[usize::from(variable)].origin;
                    *self.grains.entry(origin).or_insert(1) *= by;
                }
                self.is_too_fine = true;
                None
            }
        }
    }

    fn run(&mut self, graph: &Graph, rules: &[Rule], iteration: &[Unit]) -> Option<Rule> {
        let start = self.start;
        let hand = start.hand.iter().enumerate();
        let hand = hand.map(|(slot, &now)| self.variable(Origin::Hand(slot), now)).collect();
        let mut state =
            State { block: start.block, sides: Default::default(), hand, at: start.at, group: start.group };
        let mut made = Iteration::default();
        for &unit in iteration {
            if self.variables.len() > NUMBERS {
                return None;
            }
            match unit {
                Unit::Block(key) if key == state.key() => {
                    made.own.steps += i128::from(state.run(self, graph)?);
                    made.own.blocks += 1;
                }
                Unit::Block(_) => return None,
                Unit::Rule(index) => {
                    let rule = rules.get(index)?;
                    let (variables, iterations) = self.make(&mut state, rule)?;
                    made.degree = made.degree.max(rule.iteration.degree + 1);
                    made.inner.push(Inner { rule: index, variables, iterations });
                }
            }
        }
        made.own.groups = i128::from(state.group - start.group);
        self.rule(&state, made)
    }

    /// Makes as many iterations of a rule as can be made. Gives its variables and how many.
    fn make(&mut self, state: &mut State<Form>, rule: &Rule) -> Option<(Vec<Form>, Form)> {
        if state.key() != rule.key {
            return None;
        }
        let width = state.hand.len();
        for (side, expected_end) in [Side::Left, Side::Right].into_iter().zip(&rule.expected) {
            let stack = &mut state.sides[side.index()];
            while stack.slopes.len() < expected_end.slopes.len() {
                if !stack.reveal(self, side) {
                    return None;
                }
            }
            // What lies behind is looked at only if it matters.
            let is_all = !expected_end.is_all
                || (stack.slopes.len() == expected_end.slopes.len() && !stack.reveal(self, side));
            if !stack.slopes.ends_with(&expected_end.slopes) || !is_all {
                return None;
            }
        }
        let touched = |side: usize| rule.expected[side].slopes.len() / width * (width + 1);
        let [left, right] = &mut state.sides;
        let left_at = left.numbers.len() - touched(0);
        let right_at = right.numbers.len() - touched(1);
        let numbers = left.numbers[left_at..].iter_mut().chain(&mut state.hand);
        let mut numbers: Vec<&mut Form> = numbers.chain(&mut right.numbers[right_at..]).collect();
        let mut variables = Vec::with_capacity(numbers.len());
        for ((number, &base), &grain) in numbers.iter().zip(&rule.base).zip(&rule.grains) {
            let mut form = (*number).clone();
            form.now -= base;
            if form.now % grain != 0 {
                return None;
            }
            variables.push(self.divided(&form, grain)?);
        }
        let composed = |form: &Form| {
            let mut sum = Form::fixed(form.now);
            for &(variable, factor) in &form.parts {
                sum.add(&variables[usize::from(variable)], factor);
            }
            sum
        };
        for form in rule.holds.iter().map(composed) {
            if form.now != 0 || !self.note_zero(form) {
                return None;
            }
        }
        let least: Vec<(Form, i64)> =
            rule.least.iter().map(|least| (composed(&least.form), least.per_iteration)).collect();
        if least.iter().any(|(form, _)| form.now < 0) {
            return None;
        }
        let ending = least.iter().filter(|(_, per_iteration)| *per_iteration < 0);
        let (first, per_iteration) = ending.min_by_key(|(form, per_iteration)| form.now / -per_iteration)?;
        let mut last = self.divided(first, -per_iteration)?;
        self.note_least(last.clone());
        // Nothing else ends it before its last iteration.
        for (mut form, per_iteration) in least.clone() {
            if per_iteration < 0 {
                form.add(&last, per_iteration);
            }
            self.note_least(form);
        }
        last.now += 1;
        for (number, &change) in numbers.iter_mut().zip(&rule.change) {
            number.add(&last, change);
        }
        Some((variables, last))
    }

    /// The rule, if the state after the iteration looks as before it.
    fn rule(&mut self, state: &State<Form>, iteration: Iteration) -> Option<Rule> {
        let width = state.hand.len();
        let mut expected = Vec::new();
        for side in 0..2 {
            let (stack, begun) = (&state.sides[side], &self.start.sides[side].slopes);
            let slopes = begun[begun.len() - self.revealed[side] * width..].to_vec();
            if stack.slopes != slopes {
                return None;
            }
            expected.push(ExpectedEnd { slopes, is_all: self.ended[side] });
        }
        if state.key() != self.start.key() || iteration == Iteration::default() {
            return None;
        }
        let order = self.order(width);
        let numbers = state.sides[0].numbers.iter().chain(&state.hand).chain(&state.sides[1].numbers);
        let mut change = Vec::with_capacity(order.len());
        for (number, &variable) in numbers.zip(&order) {
            let Variable { now, grain, .. } = self.variables[usize::from(variable)];
            let mut form = number.minus(&Form::variable(now, variable, grain));
            self.reduce(&mut form);
            change.push(form.now);
            if !form.is_fixed() {
                form.now = 0;
                if !self.note_zero(form) {
                    return None;
                }
            }
        }
        let of = |what: fn(&Variable) -> i64| -> Vec<i64> {
            order.iter().map(|&variable| what(&self.variables[usize::from(variable)])).collect()
        };
        let (base, grains) = (of(|variable| variable.now), of(|variable| variable.grain));
        if change.iter().zip(&grains).any(|(change, grain)| change % grain != 0) {
            return None;
        }
        let by: Vec<i64> = change.iter().zip(&grains).map(|(change, grain)| change / grain).collect();
        // From variables in the order in which they were met to the order of the numbers.
        let mut slots = vec![0_u16; order.len()];
        (0_u16..).zip(&order).for_each(|(slot, &variable)| slots[usize::from(variable)] = slot);
        let renumbered = |form: &Form| {
            let mut renumbered = Form::fixed(form.now);
            for &(variable, factor) in &form.parts {
                renumbered.add(&Form::variable(0, slots[usize::from(variable)], factor), 1);
            }
            renumbered
        };
        let holds: Vec<Form> = self.holds.iter().map(renumbered).collect();
        if holds.iter().any(|form| form.change(&by) != Some(0)) {
            return None;
        }
        let least = self.least.iter().map(renumbered).map(|form| {
            let per_iteration = form.change(&by)?;
            Some(Least { form, per_iteration })
        });
        let least = least.collect::<Option<_>>()?;
        let inner = iteration.inner.iter().map(|inner| Inner {
            rule: inner.rule,
            variables: inner.variables.iter().map(renumbered).collect(),
            iterations: renumbered(&inner.iterations),
        });
        let iteration = Iteration { inner: inner.collect(), ..iteration };
        let expected = expected.try_into().ok()?;
        Some(Rule { key: state.key(), expected, base, grains, change, by, holds, least, iteration })
    }

    /// The variables in the order of the numbers: the left side, the hand, the right side.
    fn order(&self, width: usize) -> Vec<u16> {
        let number = |origin| {
            let at = self.variables.iter().position(|variable| variable.origin == origin);
            at.map_or(0, |at| at as u16)
        };
        let segments = |side: usize| {
            (0..self.revealed[side])
                .rev()
                .flat_map(move |depth| (0..=width).map(move |slot| Origin::Segment(side, depth, slot)))
        };
        let hand = (0..width).map(Origin::Hand);
        segments(0).chain(hand).chain(segments(1)).map(number).collect()
    }
}
