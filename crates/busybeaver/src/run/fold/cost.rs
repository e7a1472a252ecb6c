//! What iterations of rules cost: steps, blocks, and groups that the data pointer moves by.
//!
//! The cost of an iteration is what its own blocks take and what the iterations of other rules in it take. These
//! are as many as a form says, so the cost is a polynomial of the variables, and that of many iterations
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

/// What an iteration of a rule takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Iteration {
    pub(super) own: Cost,
    pub(super) inner: Vec<Inner>,
    /// Of the polynomial that its cost is.
    pub(super) degree: usize,
}

/// Iterations of another rule within an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inner {
    /// Which rule.
    pub(super) rule: usize,
    /// Its variables.
    pub(super) variables: Vec<Form>,
    /// How many iterations.
    pub(super) iterations: Form,
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

/// The cost of an iteration of a rule; none if numbers get too large.
fn of_iteration(rules: &[Rule], rule: &Rule, variables: &[i64]) -> Option<Cost> {
    rule.iteration.inner.iter().try_fold(rule.iteration.own, |sum, inner| {
        let own: Option<Vec<i64>> = inner.variables.iter().map(|form| form.at(variables)).collect();
        sum.plus(of_iterations(rules, rules.get(inner.rule)?, &own?, inner.iterations.at(variables)?)?)
    })
}

/// The cost of `iterations` iterations of a rule; none if numbers get too large.
pub(super) fn of_iterations(rules: &[Rule], rule: &Rule, variables: &[i64], iterations: i64) -> Option<Cost> {
    let iterations = i128::from(iterations);
    if rule.iteration.degree == 0 {
        return rule.iteration.own.times(iterations);
    }
    let mut now = variables.to_vec();
    let mut values = Vec::with_capacity(rule.iteration.degree + 1);
    for _ in 0..=rule.iteration.degree {
        values.push(of_iteration(rules, rule, &now)?);
        for (variable, &by) in now.iter_mut().zip(&rule.by) {
            *variable = variable.checked_add(by)?;
        }
    }
    // The n-th difference counts as often as n + 1 iterations can be chosen of all.
    let mut sum = Cost::default();
    let mut choices = iterations;
    for n in 1.. {
        let Some(&first) = values.first() else { break };
        sum = sum.plus(first.times(choices)?)?;
        choices = choices.checked_mul(iterations - n)? / (n + 1);
        values = values.windows(2).map(|pair| pair[1].plus(pair[0].times(-1)?)).collect::<Option<_>>()?;
    }
    Some(sum)
}
