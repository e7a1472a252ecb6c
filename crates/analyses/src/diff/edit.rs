//! Which elements of two sequences correspond, in order: as few as possible are left out.
//!
//! Myers' greedy algorithm (An O(ND) Difference Algorithm and Its Variations, 1986), equal beginnings and ends cut off
//! first. It costs the length times the number of elements left out, so that number and the work are bounded.

/// Comparisons that one call may cost.
const WORK: usize = 20_000_000;

/// The indices of corresponding elements, ascending in both. `None`: more than `most` elements would be left out of both
/// together, or the work exceeds its bound.
pub fn matches<T: Eq>(a: &[T], b: &[T], most: usize) -> Option<Vec<(usize, usize)>> {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let inner = greedy(&a[head..a.len() - tail], &b[head..b.len() - tail], most)?;
    let mut found: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    found.extend(inner.into_iter().map(|(a, b)| (head + a, head + b)));
    found.extend((0..tail).rev().map(|back| (a.len() - 1 - back, b.len() - 1 - back)));
    Some(found)
}

fn greedy<T: Eq>(a: &[T], b: &[T], most: usize) -> Option<Vec<(usize, usize)>> {
    if a.is_empty() || b.is_empty() {
        return Some(vec![]);
    }
    // By diagonal, shifted by `most + 1`: how far `a` was come on it.
    let most = most.min(a.len() + b.len());
    let zero = most + 1;
    let mut reach = vec![0usize; 2 * zero + 1];
    let mut rounds: Vec<Vec<u32>> = vec![];
    let mut work = 0usize;
    for left_out in 0..=most {
        // Before each round, what the round before had reached, to find the way back.
        let from = zero - left_out;
        rounds.push(reach[from..=zero + left_out].iter().map(|&at| at as u32).collect());
        for diagonal in (zero - left_out..=zero + left_out).step_by(2) {
            let down = diagonal == zero - left_out
                || diagonal != zero + left_out && reach[diagonal - 1] < reach[diagonal + 1];
            let mut x = match left_out {
                0 => 0,
                _ if down => reach[diagonal + 1],
                _ => reach[diagonal - 1] + 1,
            };
            let Some(mut y) = (x + zero).checked_sub(diagonal) else { continue };
            while a.get(x).is_some_and(|one| b.get(y) == Some(one)) {
                (x, y) = (x + 1, y + 1);
                work += 1;
            }
            reach[diagonal] = x;
            if x >= a.len() && y >= b.len() {
                return Some(back(a.len(), b.len(), &rounds, zero));
            }
        }
        work += left_out;
        if work > WORK {
            return None;
        }
    }
    None
}

/// The way back from the ends of both, along the rounds.
fn back(a: usize, b: usize, rounds: &[Vec<u32>], zero: usize) -> Vec<(usize, usize)> {
    let (mut x, mut y) = (a, b);
    let mut found = vec![];
    for (left_out, reach) in rounds.iter().enumerate().rev() {
        let at = |diagonal: usize| reach.get(diagonal + left_out - zero).map_or(0, |&at| at as usize);
        let diagonal = x + zero - y;
        if left_out == 0 {
            while x > 0 && y > 0 {
                (x, y) = (x - 1, y - 1);
                found.push((x, y));
            }
            break;
        }
        let down =
            diagonal == zero - left_out || diagonal != zero + left_out && at(diagonal - 1) < at(diagonal + 1);
        let before = if down { diagonal + 1 } else { diagonal - 1 };
        let old_x = at(before);
        let old_y = old_x + zero - before;
        while x > old_x && y > old_y {
            (x, y) = (x - 1, y - 1);
            found.push((x, y));
        }
        (x, y) = (old_x, old_y);
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// The length of the longest common subsequence, by the table.
    fn longest(a: &[u8], b: &[u8]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for one in a {
            let mut corner = 0;
            for (at, other) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if one == other { corner + 1 } else { above.max(row[at]) };
                corner = above;
            }
        }
        row[b.len()]
    }

    #[test]
    fn as_few_as_possible_are_left_out() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..3000 {
            let letters = 1 + rng.u64(..4);
            let mut word = |most| (0..rng.u64(..most)).map(|_| rng.u64(..letters) as u8).collect::<Vec<_>>();
            let (a, b) = (word(12), word(12));
            let found = matches(&a, &b, 24).unwrap();
            assert!(found.iter().all(|&(x, y)| a[x] == b[y]), "{a:?} {b:?} {found:?}");
            assert!(found.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            assert_eq!(found.len(), longest(&a, &b), "{a:?} {b:?} {found:?}");
            let left_out = a.len() + b.len() - 2 * found.len();
            assert!(matches(&a, &b, left_out).is_some());
        }
    }
}
