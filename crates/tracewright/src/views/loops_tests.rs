//! The founding text's own examples, seen as text.

use analyses::loops::{LoopFinder, Options};
use expect_test::{Expect, expect};
use model::Alphabet;

use super::loops_text::{Bounds, render};
use crate::paint::Paint;
use crate::results::{Found, FoundTrack};

/// `history` in letters, `!` for a loss; several words are several names.
fn check_with(history: &str, options: Options, expected: Expect) {
    let (mut alphabet, mut finder) = (Alphabet::default(), LoopFinder::new(options));
    let words: Vec<String> = match history.contains(' ') {
        true => history.split_whitespace().map(str::to_owned).collect(),
        false => history.chars().map(String::from).collect(),
    };
    for word in words {
        if word == "!" { finder.gap() } else { finder.push(alphabet.intern(&word).0) }
    }
    let track = FoundTrack {
        id: None,
        name: "symbols".into(),
        steps: finder.steps(),
        summary: finder.summary(),
        layout: None,
        ran_before: None,
        open: None,
        times: Default::default(),
        spinning: None,
        sampled: None,
    };
    let found = Found {
        tracks: vec![track],
        alphabet,
        lost: None,
        unrecorded: vec![],
        open: vec![],
        pending: vec![],
    };
    expected.assert_eq(&render(&found, Bounds { tracks: 20, runs: 40 }, Paint::off()));
}

fn check(history: &str, expected: Expect) {
    check_with(history, Options::default(), expected);
}

#[test]
fn a_loop_is_seen_on_its_second_iteration() {
    check(
        "ABACDECDE",
        expect![[r#"
        symbols: 9 steps of 5 kinds
          level 0  ABA [CDE]*2.0
    "#]],
    );
}

#[test]
fn a_loop_is_left_by_another_unit() {
    check(
        "ABCABCAD",
        expect![[r#"
        symbols: 8 steps of 4 kinds
          level 0  [ABC]*2.1 D?
    "#]],
    );
}

/// The founding text prints another parse here; this is the one that its own rule gives.
#[test]
fn four_run_blocks_and_a_pending_unit() {
    check(
        "ABCBABCBCBABADBABABAA",
        expect![[r#"
        symbols: 21 steps of 4 kinds
          level 0  [ABCB]*2.0 C [BA]*2.0 D [BA]*3.0 A?
                   P = [ABCB]  Q = C  R = [BA]  S = D
                   P*2.0 Q R*2.0 S R*3.0
    "#]],
    );
}

#[test]
fn without_short_loops() {
    check(
        "ABCDDDDEFGGGABCDEFGGG",
        expect![[r#"
        symbols: 21 steps of 7 kinds
          level 0  ABC [D]*4.0 EF [G]*3.0 ABCDEF [G]*3.0
                   P = ABC  Q = [D]  R = EF  S = [G]  T = ABCDEF
                   P Q*4.0 R S*3.0 T S*3.0
    "#]],
    );
}

#[test]
fn with_short_loops() {
    let options = Options { short_loops: true, ..Options::default() };
    check_with(
        "ABCDDDDEFGGGABCDEFGGG",
        options,
        expect![[r#"
        symbols: 21 steps of 7 kinds
          level 0  ABC [D]*4.0 EF [G]*3.0 ABC [D]*1.0 EF [G]*3.0
                   P = ABC  Q = [D]  R = EF  S = [G]
                   P Q*4.0 R S*3.0 P Q*1.0 R S*3.0
          level 1  [P Q R S]*2.0
          nested   [P Q R S]*2.0
                     ABC
                     [D]*1.0..4.0
                     EF
                     [G]*3.0
    "#]],
    );
}

#[test]
fn nested_loops() {
    check(
        "ABCBACACBCBACACACBCBACACACAC",
        expect![[r#"
        symbols: 28 steps of 3 kinds
          level 0  ABCB [AC]*2.0 BCB [AC]*3.0 BCB [AC]*4.0
                   P = ABCB  Q = [AC]  R = BCB
                   P Q*2.0 R Q*3.0 R Q*4.0
          level 1  P [Q R]*2.1
          nested   ABCB
                   [Q R]*2.1
                     [AC]*2.0..4.0
                     BCB
    "#]],
    );
}

#[test]
fn a_gap_is_not_two_iterations() {
    check(
        "ABC!ABC!",
        expect![[r#"
        symbols: 6 steps of 3 kinds, 2 gaps
          level 0  ABC <gap> ABC <gap>
                   P = ABC
                   P <gap> P
    "#]],
    );
}

#[test]
fn gaps_show_on_the_level_where_they_fall() {
    check(
        "ABABXABABX!ABABABXABABX!AB",
        expect![[r#"
            symbols: 24 steps of 3 kinds, 2 gaps
              level 0  [AB]*2.0 X [AB]*2.0 X <gap> [AB]*3.0 X [AB]*2.0 X <gap> AB?
                       ~AB = [AB]  ~X = X
                       ~AB*2.0 ~X ~AB*2.0 ~X <gap> ~AB*3.0 ~X ~AB*2.0 ~X
              level 1  [~AB ~X]*2.0 <gap> [~AB ~X]*2.0
                       ~XA = [~AB ~X]
                       ~XA*2.0 <gap> ~XA*2.0
              nested   [~AB ~X]*2.0
                         [AB]*2.0
                         X
                       <gap> [~AB ~X]*2.0
                         [AB]*2.0..3.0
                         X
        "#]],
    );
}

#[test]
fn only_the_runs() {
    let options = Options { max_levels: 1, ..Options::default() };
    check_with(
        "ABCBACACBCBACACACBCBACACACAC",
        options,
        expect![[r#"
        symbols: 28 steps of 3 kinds
          level 0  ABCB [AC]*2.0 BCB [AC]*3.0 BCB [AC]*4.0
                   P = ABCB  Q = [AC]  R = BCB
                   P Q*2.0 R Q*3.0 R Q*4.0
    "#]],
    );
}

#[test]
fn names_longer_than_a_letter_get_a_legend() {
    check(
        "open read read read close open read read \u{1b}[31m",
        expect![[r#"
        symbols: 9 steps of 4 kinds
          symbols  A = open  B = read  C = close  D = \u{1b}[31m
          level 0  A [B]*3.0 CA [B]*2.0 D?
                   P = A  Q = [B]  R = CA
                   P Q*3.0 R Q*2.0
    "#]],
    );
}

#[test]
fn nothing_at_all() {
    check(
        "",
        expect![[r#"
        symbols: 0 steps of 0 kinds
          level 0  (nothing)
    "#]],
    );
}
