//! Fields of inferred events: the values that they had elsewhere, by how often.

use model::Scalar;

use crate::model::{Alternative, Hypotheses, InferredField};

/// A value that a field had, and how often.
pub(crate) type Counted = (i64, u32);

/// Takes the most frequent of the values that fit, and keeps the others; `event` is how probable the event is.
pub(crate) fn choose(field: &mut InferredField, event: f64, values: &[Counted], fits: &dyn Fn(i64) -> bool) {
    let mut fitting: Vec<Counted> = values.iter().copied().filter(|(value, _)| fits(*value)).collect();
    fitting.sort_by_key(|&(value, times)| (std::cmp::Reverse(times), value));
    let all: u32 = fitting.iter().map(|(_, times)| times).sum();
    let share = |times: u32| event * f64::from(times) / f64::from(all.max(1));
    let shares = fitting.iter().map(|&(value, times)| Alternative {
        value: Scalar::Number(value),
        probability: Some(share(times)),
        hypotheses: Hypotheses::ALL,
    });
    if let Some(&(best, _)) = fitting.first() {
        field.value = Some(Scalar::Number(best));
        field.alternatives = shares.collect();
    }
}

/// Names with their probabilities, each once: the reported one, then the others, the most probable first.
pub(crate) fn ranked(name: &str, names: impl Iterator<Item = (String, f64)>) -> Vec<(String, f64)> {
    let mut others: Vec<(String, f64)> = Vec::new();
    for (other, probability) in names.filter(|(other, _)| other != name) {
        match others.iter_mut().find(|(known, _)| *known == other) {
            Some((_, known)) => *known += probability,
            None => others.push((other, probability)),
        }
    }
    others.sort_by(|one, other| other.1.total_cmp(&one.1));
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_value_that_fits_is_taken() {
        let mut field = InferredField::new("x", None, 1.0);
        choose(&mut field, 0.6, &[(1, 5), (2, 9), (0, 1)], &|value| value != 2);
        assert_eq!(field.value, Some(Scalar::Number(1)));
        let all: Vec<_> = field.alternatives.iter().map(|one| (&one.value, one.probability)).collect();
        assert_eq!(all, [(&Scalar::Number(1), Some(0.5)), (&Scalar::Number(0), Some(0.6 / 6.0))]);
        choose(&mut field, 1.0, &[(7, 1)], &|_| false);
        assert_eq!(field.value, Some(Scalar::Number(1)));
    }
}
