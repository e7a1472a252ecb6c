//! Numbers that stand for many: what a number is now, and how it changes with the variables.
//!
//! ```text
//! count of a segment    12 + 1 y3         12 now; one more for each unit that variable 3 is above
//! iterations of a sweep      11 + 1 y3         what its variable is now
//! ```
//!
//! Variables count from what they are now, so the constant of a form is the number itself, and a
//! run on forms is a run on numbers that takes notes.

/// A number, linear in some variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Form {
    /// What it is when every variable is 0.
    pub(super) now: i64,
    /// Variables and their factors; by variable, no factor is 0.
    pub(super) parts: Vec<(u16, i64)>,
}

impl Form {
    /// A number that depends on nothing.
    pub(super) fn fixed(now: i64) -> Self {
        Form { now, parts: Vec::new() }
    }

    /// `now`, and `factor` more for each unit of a variable.
    pub(super) fn variable(now: i64, variable: u16, factor: i64) -> Self {
        Form { now, parts: vec![(variable, factor)] }
    }

    /// Whether it depends on nothing.
    pub(super) fn is_fixed(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds `times` another form.
    pub(super) fn add(&mut self, other: &Form, times: i64) {
        self.now += times * other.now;
        for &(variable, factor) in &other.parts {
            self.add_part(variable, times * factor);
        }
    }

    fn add_part(&mut self, variable: u16, factor: i64) {
        match self.parts.binary_search_by_key(&variable, |part| part.0) {
            Ok(at) => {
                let sum = self.parts.get(at).map_or(0, |part| part.1 + factor);
                if sum == 0 {
                    self.parts.remove(at);
                } else if let Some(part) = self.parts.get_mut(at) {
                    part.1 = sum;
                }
            }
            Err(at) if factor != 0 => self.parts.insert(at, (variable, factor)),
            Err(_) => {}
        }
    }

    /// What is left without another form.
    pub(super) fn minus(&self, other: &Form) -> Form {
        let mut form = self.clone();
        form.add(other, -1);
        form
    }

    /// The whole part of it divided by a positive number; the variables whose factors cannot be
    /// divided if there are such.
    pub(super) fn divided(&self, by: i64) -> Result<Form, Vec<u16>> {
        let odd: Vec<u16> = self.parts.iter().filter(|part| part.1 % by != 0).map(|part| part.0).collect();
        if !odd.is_empty() {
            return Err(odd);
        }
        let parts = self.parts.iter().map(|&(variable, factor)| (variable, factor / by)).collect();
        Ok(Form { now: self.now.div_euclid(by), parts })
    }

    /// What it is when the variables have these values; none if that is too large a number.
    pub(super) fn at(&self, variables: &[i64]) -> Option<i64> {
        self.change(variables)?.checked_add(self.now)
    }

    /// How much more it is when the variables grow by so much.
    pub(super) fn change(&self, by: &[i64]) -> Option<i64> {
        self.parts.iter().try_fold(0_i64, |sum, &(variable, factor)| {
            sum.checked_add(factor.checked_mul(*by.get(usize::from(variable))?)?)
        })
    }

    /// Puts a form in the place of a variable.
    pub(super) fn replace(&mut self, variable: u16, by: &Form) {
        if let Ok(at) = self.parts.binary_search_by_key(&variable, |part| part.0) {
            let (_, factor) = self.parts.remove(at);
            self.add(by, factor);
        }
    }
}
