//! What is printed: listings of histories, drawings, reports.
#![allow(clippy::unwrap_used)]

use busybeaver::Grid;
use busybeaver::blocks::Graph;
use busybeaver::draw::{Film, film_svg, film_text, program_svg, program_text};
use busybeaver::history::{Bounds, History, listing};
use busybeaver::proof::{Effort, decide};
use busybeaver::report;
use expect_test::{Expect, expect};

fn grid(text: &str) -> Grid {
    text.parse().unwrap()
}

/// The program of Figure 1 of the founding text: its lines of run blocks, and the larger loop that
/// replaced the loops of two sweeps.
#[test]
fn the_figure_of_the_founding_text_is_listed_as_there() {
    let grid = grid("ZgoCQhGBUIBlqA");
    let history = History::of(&grid, 290);
    let levels = &history.summary.levels;
    let text = listing(&history.summary, &Graph::of(&grid), Bounds::default());
    expect![[r#"
        F C*2.0 G C*3.0 H C*2.0 D A*2.1 #B C*4.0 D A*0.2 E
        A*2.1 #B C*3.0 D A*3.1 #B C*5.0 D A*0.2 E
        A*3.1 #B C*4.0 D A*4.1 #B C*6.0 D A*0.2 E
        A*4.1 #B C*5.0 D A*5.1 #B C*7.0 D A*0.2 E
        A*5.1 #B C*6.0 D A*6.1 #B C*8.0 D A*0.2 E
        A*6.1 #B C*7.0 D A*4.2

        A = [e g m]  B = f  C = [i]  D = h j  E = l o  F = a b c e f  G = h j e g l o e f i h j e g m e f  H = h j e g l o e g m e f

        P Q*4.5

        P = FCGCHCDABCDAE  Q = ABCDABCDAE
    "#]].assert_eq(&text);
    let last = levels[1].runs.last().unwrap();
    assert_eq!((last.period, last.start, levels[1].rewrites), (10, 13, 1));
}

fn show(actual: &str, expected: Expect) {
    expected.assert_eq(actual);
}

#[test]
fn programs_are_drawn() {
    show(
        &program_text(&grid("M70Dw")),
        expect![[r#"
        * . .
        o _ _
        _ . .
        ^
    "#]],
    );
    show(
        &program_svg(&grid("M70Dw")),
        expect![[r##"
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 74 98" role="img">
        <title>2L program M70Dw</title>
        <rect width="72" height="72" fill="#fff" stroke="#888"/>
        <path d="M12 3 l9 9 -9 9 -9 -9 z" fill="#c2571a"/>
        <rect x="24" y="0" width="24" height="24" fill="#e4e4e4"/>
        <rect x="48" y="0" width="24" height="24" fill="#e4e4e4"/>
        <circle cx="12" cy="36" r="7" fill="#2563a8"/>
        <circle cx="36" cy="36" r="1.5" fill="#bbb"/>
        <circle cx="60" cy="36" r="1.5" fill="#bbb"/>
        <circle cx="12" cy="60" r="1.5" fill="#bbb"/>
        <rect x="24" y="48" width="24" height="24" fill="#e4e4e4"/>
        <rect x="48" y="48" width="24" height="24" fill="#e4e4e4"/>
        <path d="M12 93 v-16 m-5 6 l5 -6 5 6" fill="none" stroke="#333" stroke-width="2"/>
        </svg>
    "##]],
    );
}

#[test]
fn runs_are_drawn() {
    let film = Film::of(&grid("VQgJKGJgWA"), 200, 20, 60);
    show(
        &film_text(&film),
        expect![[r#"
          0  . . . . . . . .[.]. . . . . . . . . .
         15  . . . . . . . a[1]1 1 . . . . . . . .
         33  . . . . . .[a]a 1 1 1 1 . . . . . . .
         52  . . . . . . a a 1[1]1 1 1 . . . . . .
         71  . . . . . a a a 1 1[1]1 1 . . . . . .
         90  . . . . . a a[a]1 1 1 1 1 1 . . . . .
        109  . . . . a a a a 1 1[1]1 1 1 . . . . .
        128  . . . . a a a a 1[1]1 1 1 1 1 . . . .
        147  . . . a a a[a]a 1 1 1 1 1 1 1 . . . .
        166  . . . a a a a a 1 1 1 1 1 1 1[1]. . .
        186  . . . a a[a]a a 1 1 1 1 1 1 1 1 . . .
        205  . . a a a a a a[1]1 1 1 1 1 1 1 . . .
        224  . . a a a a a a 1 1 1 1 1 1 1[1]1 . .
        244  . . a a a[a]a a 1 1 1 1 1 1 1 1 1 . .
        263  . a a a a a[a]a 1 1 1 1 1 1 1 1 1 . .
        283  . a a a a a a a 1 1 1 1 1 1 1 1[1]. .
        302  . a a a a a a a 1[1]1 1 1 1 1 1 1 1 .
        321 [a]a a a a a a a 1 1 1 1 1 1 1 1 1 1 .
        341  a a a a a a a a 1 1[1]1 1 1 1 1 1 1 .
        360  a a a a a a a a 1 1 1 1 1 1 1 1 1[1]1
        380  a a a a a a a[a]1 1 1 1 1 1 1 1 1 1 1
    "#]],
    );
    let svg = film_svg(&film);
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
}

#[test]
fn verdicts_are_reported() {
    let report = |text: &str| {
        let grid = grid(text);
        let verdict = decide(&grid, Effort::default());
        format!("{}\n{}\n", report::verdict_text(&grid, &verdict), report::verdict_json(&grid, &verdict))
    };
    show(
        &(report("ROuShls") + &report("VYgQIECAAg") + &report("VQAiBAiAAg")),
        expect![[r#"
            ROuShls halts after 15 steps
            {"certificate":null,"hang":null,"program":"ROuShls","result":"halted","steps":15}
            VYgQIECAAg never halts (PERIODIC): after 15 blocks it repeats one block for ever
            {"certificate":"VYgQIECAAg 15 repeats 1 bfe9697e982fdcff","hang":"PERIODIC","program":"VYgQIECAAg","result":"hangs","steps":96}
            VQAiBAiAAg never halts (NO_DATA_LOOP): after 1 blocks it loops forever without touching the tape
            {"certificate":"VQAiBAiAAg 1 turning 92a35ec87d09dfab","hang":"NO_DATA_LOOP","program":"VQAiBAiAAg","result":"hangs","steps":3}
        "#]],
    );
}

#[test]
fn programs_are_reported() {
    show(
        &report::program_text(&grid("ROuShls")),
        expect![[r#"
        ROuShls  4 by 4

        . * * .
        * o _ *
        * _ o *
        o o * .
        ^

        blocks     a+1-b b>1cd c+1-e dX e-1fg f<1he g+1he hX
        steps      1 1 2 1 2 2 2 3
        canonical  a+1-b b>1cd c+1-e dX e-1fg f<1de g+1de
    "#]],
    );
    show(
        &format!("{}\n", report::program_json(&grid("ROuShls"))),
        expect![[r#"
        {"block_steps":[1,1,2,1,2,2,2,3],"blocks":"a+1-b b>1cd c+1-e dX e-1fg f<1he g+1he hX","canonical":"a+1-b b>1cd c+1-e dX e-1fg f<1de g+1de","canonical_steps":[1,1,2,1,2,2,2],"cells":".**.*o_**_o*oo*.","height":4,"program":"ROuShls","width":4}
    "#]],
    );
}

#[test]
fn checks_are_reported() {
    use busybeaver::proof::{Certificate, Claim};
    let good = Certificate::new("VYgQIECAAg".into(), 40, Claim::Repeats { period: 1 });
    let false_claim = Certificate::new("VYgQIECAAg".into(), 40, Claim::Turning);
    let halting = Certificate::new("ROuShls".into(), 40, Claim::Turning);
    let damaged = Certificate { after: 41, ..good.clone() };
    let texts = [&good, &false_claim, &halting, &damaged].map(report::check_text);
    show(
        &(texts.join("\n") + "\n"),
        expect![[r#"
            VYgQIECAAg never halts: after 40 blocks it repeats one block for ever
            VYgQIECAAg: this is no proof: the block due at that moment does not turn for ever
            ROuShls: this is no proof: the program ends after 7 blocks, the claim is about the moment after 40
            VYgQIECAAg: this is no proof: the digest is '501ab65daaa57539', but that of the rest is '3caa863633199f9e'
        "#]],
    );
    show(
        &format!("{}\n", report::check_json(&false_claim)),
        expect![[r#"
        {"program":"VYgQIECAAg","reason":"the block due at that moment does not turn for ever","valid":false}
    "#]],
    );
}

#[test]
fn totals_are_reported() {
    use busybeaver::search::{Mode, Plan, Search};
    let plan = Plan { width: 4, height: 4, mode: Mode::Orchestrated, max_steps: 1_000, check: false };
    let mut search = Search::new(plan).unwrap();
    search.run(1, |_| true);
    let totals = search.totals(&[]);
    show(
        &report::totals_text(&plan, &totals),
        expect![[r#"
            4 by 4 (orch): 518 programs
                       493 halt, the longest after 15 steps: ROuShls
                        25 hang
                             8 NO_DATA_LOOP
                            17 PERIODIC
                         0 undecided
              steps of those that halt
                         4 to 7      264
                         8 to 15     229
        "#]],
    );
    show(
        &format!("{}\n", report::totals_json(&plan, &totals)),
        expect![[r#"
            {"best_program":"ROuShls","hangs_by_kind":{"APERIODIC_GLIDER":0,"IRREGULAR_SWEEP":0,"NESTED_PERIODIC":0,"NO_DATA_LOOP":8,"NO_EXIT":0,"PERIODIC":17,"REGULAR_SWEEP":0,"UNDETECTED":0},"hangs_detected":25,"height":4,"max_steps":15,"mode":"orch","run_lengths":[0,0,264,229],"success":493,"total":518,"undecided":0,"undecided_programs":[],"width":4}
        "#]],
    );
}
