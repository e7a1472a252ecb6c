//! Bits: how long a sequence is when each token is predicted from what came before it.
//!
//! The code is adaptive (Krichevsky and Trofimov's estimator): it knows nothing at first and learns the
//! frequencies as it goes, so what a context has to learn costs what it takes, and a model with more contexts
//! is shorter only where they are informative. No parameter needs to be paid for separately.

use std::collections::HashMap;
use std::hash::Hash;

use rustc_hash::FxBuildHasher;

/// The weight of what was never seen.
const ALPHA: f64 = 0.5;

/// How often each token came in each context.
#[derive(Debug, Clone)]
pub(super) struct Counts<C>(HashMap<C, HashMap<u32, u32, FxBuildHasher>, FxBuildHasher>);

impl<C> Default for Counts<C> {
    fn default() -> Self {
        Counts(HashMap::default())
    }
}

impl<C: Hash + Eq> Counts<C> {
    pub(super) fn add(&mut self, context: C, token: u32) {
        *self.0.entry(context).or_default().entry(token).or_default() += 1;
    }

    /// The bits of all tokens, of which there are `alphabet` different ones.
    pub(super) fn bits(&self, alphabet: usize) -> f64 {
        // Sums of floating-point numbers depend on their order, and a hash map has none.
        let mut all: Vec<f64> =
            self.0.values().map(|tokens| code_length(tokens.values().copied(), alphabet)).collect();
        all.sort_by(f64::total_cmp);
        all.iter().sum()
    }

    /// How often a token came in a context.
    pub(super) fn times(&self, context: &C, token: u32) -> u32 {
        self.0.get(context).and_then(|tokens| tokens.get(&token)).copied().unwrap_or(0)
    }
}

/// The bits of a sequence in which tokens came so often, whatever their order, out of `alphabet` tokens.
pub(super) fn code_length(counts: impl Iterator<Item = u32>, alphabet: usize) -> f64 {
    let mut counts: Vec<u32> = counts.filter(|count| *count > 0).collect();
    counts.sort_unstable();
    let all: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    let width = alphabet.max(counts.len()).max(1) as f64 * ALPHA;
    let each: f64 = counts.iter().map(|count| ln_gamma(f64::from(*count) + ALPHA) - ln_gamma(ALPHA)).sum();
    (ln_gamma(all as f64 + width) - ln_gamma(width) - each).max(0.0) / std::f64::consts::LN_2
}

/// The logarithm of the gamma function for positive numbers: Stirling's series, after the recurrence has led
/// to where it holds.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 8.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let series = inverse * (1.0 / 12.0 - inverse * inverse * (1.0 / 360.0 - inverse * inverse / 1260.0));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gamma_function_is_that_of_factorials() {
        let factorial = |n: u32| (1..=n).map(|k| f64::from(k).ln()).sum::<f64>();
        for n in [1, 2, 5, 9, 40] {
            assert!((ln_gamma(f64::from(n) + 1.0) - factorial(n)).abs() < 1e-8, "{n}");
        }
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-8);
    }

    #[test]
    fn what_is_regular_is_short() {
        let length = |counts: &[u32]| code_length(counts.iter().copied(), 2);
        assert!(length(&[1000]) < 6.0);
        assert!((990.0..1010.0).contains(&length(&[500, 500])));
        assert!((length(&[1]) - 1.0).abs() < 1e-8);
        assert_eq!(length(&[]), 0.0);
    }
}
