//! Classes of values, against what `docs/bb-6x6.md` says of them.
#![allow(clippy::unwrap_used)]

use super::*;

fn lenses() -> impl Iterator<Item = Lens> {
    let numbers = (0..=3).flat_map(|exact| (1..=4).map(move |modulus| (exact, modulus)));
    numbers.map(|(exact, modulus)| Lens::new(2, exact, modulus, 1).unwrap())
}

#[test]
fn a_lens_has_as_many_classes_as_there_are_letters() {
    for (exact, modulus, reach, fits) in [
        (0, 1, 0, true),
        (0, 0, 1, false),
        (14, 1, 1, true),
        (15, 1, 1, false),
        (0, 15, 1, true),
        (0, 16, 1, false),
        (255, 255, 1, false),
        (1, 1, 12, true),
        (1, 1, 13, false),
    ] {
        assert_eq!(Lens::new(reach, exact, modulus, 1).is_ok(), fits, "{exact} {modulus} {reach}");
    }
}

#[test]
fn small_values_are_seen_exactly_and_others_by_sign_and_remainder() {
    let lens = Lens::new(0, 1, 2, 1).unwrap();
    let class = |values: [i64; 9]| values.map(|value| lens.class(value));
    assert_eq!(class([-5, -4, -3, -2, -1, 0, 1, 2, 3]), [6, 5, 6, 5, 0, 1, 2, 3, 4]);
    for lens in lenses() {
        for (one, other) in (-20..=20).flat_map(|one| (-20..=20).map(move |other| (one, other))) {
            let is_far = |value: i64| value.abs() > lens.exact;
            let alike = is_far(one)
                && is_far(other)
                && one.signum() == other.signum()
                && (one - other) % lens.modulus == 0;
            assert_eq!(lens.class(one) == lens.class(other), one == other || alike, "{lens:?} {one} {other}");
        }
        let met: BTreeSet<Class> = (-20..=20).map(|value| lens.class(value)).collect();
        assert!(lens.classes().eq(met), "{lens:?}");
    }
}

#[test]
fn a_sum_may_be_in_every_class_of_a_value_and_the_amount() {
    for lens in lenses() {
        for (class, amount) in lens.classes().flat_map(|class| (-9..=9).map(move |amount| (class, amount))) {
            let values = (-100..=100).filter(|&value| lens.class(value) == class);
            let sums: BTreeSet<Class> = values.map(|value| lens.class(value + amount)).collect();
            assert_eq!(lens.after_adding(class, amount), sums, "{lens:?} {class} {amount}");
        }
    }
}

/// Checks a program that has come to a block that is no work.
fn last_view(program: &str) -> Result<(), Refusal> {
    let graph = Graph::of(&program.parse().unwrap());
    let mut walk = Walk::new(&graph);
    while walk.step().is_none() {}
    check(&graph, &walk, Lens::new(0, 0, 1, 1).unwrap())
}

#[test]
fn a_turn_without_data_is_no_end_and_an_exit_is_one() {
    assert_eq!(last_view("VQAiBAiAAg"), Ok(()));
    assert!(matches!(last_view("ZiABCAFoUoJFiA"), Err(Refusal::MayEnd(_))));
}
