//! A straight line between points that lie above it and points that lie below it.

/// Clocks of computers differ by less: a second line that is steeper is none.
const STEEPEST: f64 = 1e-3;

/// How far two clocks are apart over time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    /// At the time 0.
    pub(super) ahead: f64,
    pub(super) drift: f64,
    pub(super) drift_between: (f64, f64),
    /// The least and the most at the middle.
    pub(super) ahead_between: (f64, f64),
}

/// The line half way between the steepest and the flattest one that is nowhere above `upper` and nowhere below
/// `lower`; `None` if there is no such line, or if one of the two has no points.
pub(super) fn between(upper: &[(f64, f64)], lower: &[(f64, f64)], middle: f64) -> Option<Line> {
    if upper.is_empty() || lower.is_empty() {
        return None;
    }
    // Seen from the middle, so that a slope and a height do not depend on each other more than they must.
    let from_middle = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        points.iter().map(|(time, ahead)| (time - middle, *ahead)).collect()
    };
    let (upper, lower) = (from_middle(upper), from_middle(lower));
    // For a slope, the heights at the middle of the highest and the lowest line that keep the bounds.
    let highest =
        |slope: f64| upper.iter().map(|(time, ahead)| ahead - slope * time).fold(f64::MAX, f64::min);
    let lowest = |slope: f64| lower.iter().map(|(time, ahead)| ahead - slope * time).fold(f64::MIN, f64::max);
    let slack = |slope: f64| highest(slope) - lowest(slope);
    // Room is the least of linear functions: it rises to a top and falls.
    let (mut low, mut high) = (-STEEPEST, STEEPEST);
    for _ in 0..200 {
        let (one, other) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if slack(one) < slack(other) { low = one } else { high = other }
    }
    let best = (low + high) / 2.0;
    if slack(best) < 0.0 {
        return None;
    }
    let edge = |mut outside: f64| {
        let mut inside = best;
        if slack(outside) >= 0.0 {
            return outside;
        }
        for _ in 0..100 {
            let half = (inside + outside) / 2.0;
            if slack(half) >= 0.0 { inside = half } else { outside = half }
        }
        inside
    };
    let drift_between = (edge(-STEEPEST), edge(STEEPEST));
    let drift = (drift_between.0 + drift_between.1) / 2.0;
    let height = (lowest(drift) + highest(drift)) / 2.0;
    let ends = [drift_between.0, best, drift, drift_between.1];
    let ahead_between = (
        ends.iter().map(|slope| lowest(*slope)).fold(f64::MAX, f64::min),
        ends.iter().map(|slope| highest(*slope)).fold(f64::MIN, f64::max),
    );
    Some(Line { ahead: height - drift * middle, drift, drift_between, ahead_between })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages both ways over a clock that is ahead by 500 and drifts by `drift`, each with a delay of at least 10.
    fn points(drift: f64) -> [Vec<(f64, f64)>; 2] {
        let ahead = |time: f64| 500.0 + drift * time;
        let delay = |number: u32| 10.0 + f64::from(number * 7919 % 101);
        let at = |number: u32| f64::from(number) * 1e6;
        [
            (0..50).map(|number| (at(number), ahead(at(number)) + delay(number))).collect(),
            (0..50).map(|number| (at(number), ahead(at(number)) - delay(number + 13))).collect(),
        ]
    }

    #[test]
    fn the_line_keeps_all_bounds_and_is_near_the_true_one() {
        for drift in [0.0, 2e-5, -7e-6] {
            let [upper, lower] = points(drift);
            let line = between(&upper, &lower, 25e6).unwrap();
            let at = |time: f64| line.ahead + line.drift * time;
            assert!(upper.iter().all(|(time, ahead)| at(*time) <= ahead + 1e-6), "{line:?}");
            assert!(lower.iter().all(|(time, ahead)| at(*time) >= ahead - 1e-6), "{line:?}");
            assert!(line.drift_between.0 <= drift && drift <= line.drift_between.1, "{line:?}");
            assert!((line.drift - drift).abs() < 1e-6, "{line:?}");
            let truth = 500.0 + drift * 25e6;
            assert!(line.ahead_between.0 <= truth && truth <= line.ahead_between.1, "{line:?}");
        }
    }

    #[test]
    fn bounds_that_cross_or_are_missing_allow_no_line() {
        let [upper, lower] = points(0.0);
        assert_eq!(between(&upper, &[], 0.0), None);
        assert_eq!(between(&[], &lower, 0.0), None);
        assert_eq!(between(&lower, &upper, 25e6), None);
        assert_eq!(between(&points(5e-3)[0], &points(5e-3)[1], 25e6), None);
    }
}
