//! Whether a rate that was seen once is out of what others of the same were, by Wilson's interval (E. B. Wilson, Probable
//! Inference, the Law of Succession, and Statistical Inference, 1927).

/// So many of so many.
pub(super) type Rate = [u64; 2];

/// The largest score, in standard deviations.
const MOST: f64 = 100.0;

/// The standard deviations at which the interval around `one` just touches that of all `others`; 0: it lies in their
/// range, or nothing is known of one of the two.
///
/// The interval of the others is that of all of them together, as wide as they lie apart, and once as much on each side:
/// what varied may vary further.
pub(super) fn score(others: &[Rate], one: Rate) -> f64 {
    let seen: Vec<[f64; 2]> = others.iter().filter(|rate| rate[1] > 0).map(float).collect();
    let [count, all] = float(&one);
    if seen.is_empty() || all <= 0.0 {
        return 0.0;
    }
    let rates = || seen.iter().map(|[count, all]| count / all);
    let (least, most) = (rates().fold(1.0, f64::min), rates().fold(0.0, f64::max));
    let rate = count / all;
    if least <= rate && rate <= most {
        return 0.0;
    }
    let sum = seen.iter().fold([0.0, 0.0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
    let is_apart = |z: f64| {
        let (theirs, own) = (interval(sum, z), interval([count, all], z));
        let margin = most - least;
        let low = theirs[0].min(least) - margin;
        let high = theirs[1].max(most) + margin;
        own[0] > high || own[1] < low
    };
    let (mut low, mut high) = (0.0, MOST);
    for _ in 0..20 {
        let middle = (low + high) / 2.0;
        if is_apart(middle) { low = middle } else { high = middle }
    }
    low
}

fn float(rate: &Rate) -> [f64; 2] {
    rate.map(|count| count as f64)
}

/// The rates that lie within `z` standard deviations of what was seen.
fn interval([count, all]: [f64; 2], z: f64) -> [f64; 2] {
    let square = z * z;
    let rate = count / all;
    let middle = (rate + square / (2.0 * all)) / (1.0 + square / all);
    let half =
        z * (rate * (1.0 - rate) / all + square / (4.0 * all * all)).max(0.0).sqrt() / (1.0 + square / all);
    [middle - half, middle + half]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_far_from_the_others_scores_high() {
        let scores = |others: &[Rate], one| (score(others, one) * 10.0).round() / 10.0;
        assert_eq!(scores(&[[0, 100], [0, 100], [0, 100]], [0, 5]), 0.0);
        assert_eq!(scores(&[], [5, 5]), 0.0);
        assert_eq!(scores(&[[0, 0]], [5, 5]), 0.0);
        assert_eq!(scores(&[[20, 100], [40, 100]], [35, 100]), 0.0);
        // The others lie apart by 20 %, so rates up to 60 % have no score.
        assert_eq!(scores(&[[20, 100], [40, 100]], [55, 100]), 0.0);
        assert!(scores(&[[20, 100], [40, 100]], [90, 100]) > 4.0);
        assert!(scores(&[[0, 100], [0, 100], [0, 100]], [100, 100]) > 10.0);
        assert!(scores(&[[0, 6], [0, 6], [0, 6]], [1, 6]) < 2.0);
    }
}
