//! What turns of rules cost: steps, blocks, and groups that the data pointer moves by.
//!
//! The cost of a turn is what its own blocks take and what the turns of other rules in it take. These
//! are as many as a form says, so the cost is a polynomial of the variables, and that of many turns
//! one more. It is never written out: a polynomial of degree `d` is known by `d + 1` of its values,
//! and the sum of many by the differences of these (Newton's series).

use super::form::Form;
use super::rule::Rule;

/// A sum of costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    pub(super) steps: i128,
    pub(super) blocks: i128,
    pub(super) groups: i128,
}

/// What a turn of a rule takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Turn {
    pub(super) own: Cost,
    pub(super) inner: Vec<Inner>,
    /// Of the polynomial that its cost is.
    pub(super) degree: usize,
}

/// Turns of another rule within a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inner {
    /// Which rule.
    pub(super) rule: usize,
    /// Its variables.
    pub(super) variables: Vec<Form>,
    /// How many turns.
    pub(super) turns: Form,
}

impl Cost {
    fn times(self, times: i128) -> Option<Cost> {
        Some(Cost {
            steps: self.steps.checked_mul(times)?,
            blocks: self.blocks.checked_mul(times)?,
            groups: self.groups.checked_mul(times)?,
        })
    }

    pub(super) fn plus(self, other: Cost) -> Option<Cost> {
        Some(Cost {
            steps: self.steps.checked_add(other.steps)?,
            blocks: self.blocks.checked_add(other.blocks)?,
            groups: self.groups.checked_add(other.groups)?,
        })
    }
}

/// The cost of a turn of a rule; none if numbers get too large.
fn of_turn(rules: &[Rule], rule: &Rule, variables: &[i64]) -> Option<Cost> {
    rule.turn.inner.iter().try_fold(rule.turn.own, |sum, inner| {
        let own: Option<Vec<i64>> = inner.variables.iter().map(|form| form.at(variables)).collect();
        sum.plus(of_turns(rules, rules.get(inner.rule)?, &own?, inner.turns.at(variables)?)?)
    })
}

/// The cost of `turns` turns of a rule; none if numbers get too large.
pub(super) fn of_turns(rules: &[Rule], rule: &Rule, variables: &[i64], turns: i64) -> Option<Cost> {
    let turns = i128::from(turns);
    if rule.turn.degree == 0 {
        return rule.turn.own.times(turns);
    }
    let mut now = variables.to_vec();
    let mut values = Vec::with_capacity(rule.turn.degree + 1);
    for _ in 0..=rule.turn.degree {
        values.push(of_turn(rules, rule, &now)?);
        for (variable, &by) in now.iter_mut().zip(&rule.by) {
            *variable = variable.checked_add(by)?;
        }
    }
    // The n-th difference counts as often as n + 1 turns can be chosen of all.
    let mut sum = Cost::default();
    let mut choices = turns;
    for n in 1.. {
        let Some(&first) = values.first() else { break };
        sum = sum.plus(first.times(choices)?)?;
        choices = choices.checked_mul(turns - n)? / (n + 1);
        values = values.windows(2).map(|pair| pair[1].plus(pair[0].times(-1)?)).collect::<Option<_>>()?;
    }
    Some(sum)
}
