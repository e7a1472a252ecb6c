//! What stays as it is for ever, against running it.

use super::*;

/// A tape with these values, the first of them at `first`, and the data pointer at `position`.
fn tape(first: i64, values: &[i64], position: i64) -> Tape {
    let mut tape = Tape::new();
    for (at, &value) in (first..).zip(values) {
        tape.shift(at - tape.position());
        tape.add(value);
    }
    tape.shift(position - tape.position());
    tape
}

#[test]
fn a_value_stays_on_its_side_of_zero_if_no_later_iteration_finds_it_elsewhere() {
    for (value, change) in (-9..=9).flat_map(|value| (-9..=9).map(move |change| (value, change))) {
        // The iteration begins at 3, and the value tested lies at 2, of which the iteration makes another.
        let (begin, end) = (tape(2, &[40], 3), tape(2, &[40 + change], 3));
        let stays = (1..100).all(|iteration| (value + iteration * change == 0) == (value == 0));
        let expected = if stays { Ok(()) } else { Err(Refusal::LeavesLoop { offset: -1 }) };
        assert_eq!(super::stays(&begin, &end, &[(-1, value)]), expected, "{value} {change}");
    }
}

#[test]
fn the_extent_holds_all_values_of_both_tapes() {
    let empty = tape(0, &[], 7);
    assert_eq!(extent(&empty, &empty), (7, 7));
    assert_eq!(extent(&empty, &tape(-3, &[1, 0, 2], 0)), (-3, -1));
    assert_eq!(extent(&tape(-3, &[1, 0, 2], 0), &empty), (-3, -1));
    assert_eq!(extent(&tape(-3, &[1], 0), &tape(5, &[1, 1], 0)), (-3, 6));
    assert_eq!(extent(&tape(4, &[1], 0), &tape(4, &[2], 0)), (4, 4));
}
