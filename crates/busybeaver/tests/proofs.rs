//! What hangs is proved to, what halts never is, and what is damaged is refused.
#![allow(clippy::unwrap_used)]

mod programs;
mod vectors;

use busybeaver::Grid;
use busybeaver::blocks::Graph;
use busybeaver::proof::{Certificate, Claim, Decision, Effort, Hang, Kind, Refusal, check, decide};
use busybeaver::run::{Outcome, Walk};
use busybeaver::search::Mode;
use busybeaver::search::Plan;
use busybeaver::search::canon::starts;
use busybeaver::search::cover::Cover;
use busybeaver::search::engine::{Engine, Witness};
use programs::random_program;
use serde_json::Value;

/// The most blocks that are run on the way to a claim, and those in a period.
const LONGEST: u64 = 10_000_000;
const LONGEST_PERIOD: u64 = 1 << 16;

const EFFORT: Effort = Effort { blocks: 1 << 18, steps: 2_000_000 };

fn hang_of(text: &str) -> Hang {
    let grid: Grid = text.parse().unwrap();
    match decide(&grid, EFFORT).decision {
        Decision::Hangs(hang) => *hang,
        other => panic!("{text}: {other:?}"),
    }
}

/// One of each sort, the four programs that the original leaves open at 6x6, and some that it
/// leaves open at 7x7.
const HANGS: &[(&str, Kind)] = &[
    ("VQAiBAiAAg", Kind::NoDataLoop),
    ("VYgQIECAAg", Kind::Periodic),
    ("VSohZFiCAg", Kind::Periodic),
    ("ZiKIVkSGSEoEAA", Kind::NestedPeriodic),
    ("Zvq+UtW9S4Ulrw", Kind::NestedPeriodic),
    ("ZgKCBhFglIWFoA", Kind::AperiodicGlider),
    ("ZiiJUkJEZGBkiA", Kind::AperiodicGlider),
    ("ZgoCQhGBUIBlqA", Kind::RegularSweep),
    ("VQgJKGJgWA", Kind::RegularSweep),
    ("Zu65Qpllm2G37w", Kind::IrregularSweep),
    ("Zv6+kpUoAqW0bw", Kind::IrregularSweep),
    ("Zv6+kpUoAqW1bw", Kind::IrregularSweep),
    ("Zvr+UsG4G5r1vw", Kind::IrregularSweep),
    ("Zvq+UuVoW5r1vw", Kind::IrregularSweep),
    // Its sweep leaves the grid unless it ends at an even position.
    ("dwiCFSQCABggAJFgiA", Kind::RegularSweep),
    ("d4KBACCECVgBAIBgqg", Kind::IrregularSweep),
    ("d4CBKSAWAlgRgIYAIA", Kind::IrregularSweep),
];

#[test]
fn hangs_of_every_kind_are_proved() {
    for &(text, kind) in HANGS {
        let hang = hang_of(text);
        assert_eq!(hang.kind, kind, "{text}");
        let read = Certificate::from_line(&hang.certificate.to_line()).unwrap();
        assert_eq!(read, hang.certificate);
        assert_eq!(check(&read), Ok(()), "{text}");
    }
}

#[test]
fn programs_that_halt_late_are_not_called_hanging() {
    for (text, steps) in [
        ("ZgqCUhWIUIBlqA", 373),
        ("ZiABCAFoUoJFiA", 24),
        ("d4KBICCUAVgRIIWAqA", 2031),
        ("dyCgCSkVqmRVkIRAIg", 348),
        ("dwoAlShaIhJBYIGAKA", 117_273),
        ("dwIAhChIElIRYIRgqA", 422_155),
    ] {
        let verdict = decide(&text.parse().unwrap(), EFFORT);
        assert_eq!((verdict.decision, verdict.steps), (Decision::Halts, steps), "{text}");
    }
}

/// Programs whose kind is not the original's, of all that it found to hang among its recorded ones.
/// The original compares the last three turns of the outermost loop at the moment at which it first
/// sees one, and the first of these turns still differs here; from the second on, every count grows
/// by the same amount with each turn, and that is what we call regular.
const OTHER_KINDS: [&str; 3] = ["Zu65AkQnlmG37w", "Zu65Allni2G37w", "Zu65AllmG373/w"];

#[test]
fn every_recorded_program_is_decided_rightly() {
    let Some(tests) = vectors::read("programs_tests.json") else { return };
    let Some(sampled) = vectors::read("programs_sampled.json") else { return };
    let list = |value: &Value| value.as_array().unwrap().clone();
    let mut others = Vec::new();
    let mut check_one = |program: &Value, result: &Value, steps: &Value, kind: &Value| {
        let text = program.as_str().unwrap();
        if result == "SUCCESS" {
            let steps = steps.as_u64().unwrap();
            // A longer one is run by the test of halts.
            if steps < 1_000_000 {
                let verdict = decide(&text.parse().unwrap(), EFFORT);
                assert_eq!((verdict.decision, verdict.steps), (Decision::Halts, steps), "{text}");
            }
            return;
        }
        let hang = hang_of(text);
        assert_eq!(check(&hang.certificate), Ok(()), "{text}");
        if result == "DETECTED_HANG" && kind != hang.kind.name() {
            others.push(text.to_owned());
        }
    };
    for one in list(&tests["programs"]) {
        check_one(&one["program"], &one["expect_result"], &one["expect_steps"], &one["expect_hang"]);
    }
    for one in list(&sampled["search_sampled"]) {
        let found = &one["oneshot"];
        check_one(&one["program"], &found["result"], &found["steps"], &found["hang"]);
    }
    for one in list(&sampled["random_grids"]) {
        check_one(&one["program"], &one["result"], &one["steps"], &one["hang"]);
    }
    assert_eq!(others, OTHER_KINDS);
}

/// Changes a certificate in many ways, one at a time.
fn damaged(certificate: &Certificate) -> Vec<Certificate> {
    let mut all = Vec::new();
    let mut push = |change: &dyn Fn(&mut Certificate)| {
        let mut copy = certificate.clone();
        change(&mut copy);
        if copy != *certificate {
            assert!(matches!(
                check(&copy),
                Err(Refusal::Digest { .. } | Refusal::Program(_) | Refusal::Name { .. })
            ));
            // Whoever forges a certificate writes a fitting digest; the claim must fail by itself.
            copy.digest = copy.expected_digest();
            all.push(copy);
        }
    };
    for at in 1..certificate.program.len() {
        push(&|copy| {
            let mut letters: Vec<char> = copy.program.chars().collect();
            letters[at] = if letters[at] == 'A' { 'B' } else { 'A' };
            copy.program = letters.into_iter().collect();
        });
        push(&|copy| copy.program.truncate(at));
    }
    push(&|copy| copy.claim = Claim::Turning);
    push(&|copy| copy.after = u64::MAX);
    match certificate.claim {
        Claim::Turning => {
            push(&|copy| copy.after += 1);
            push(&|copy| copy.after = copy.after.saturating_sub(1));
            push(&|copy| copy.claim = Claim::Repeats { period: 3 });
        }
        Claim::Repeats { period } => {
            for wrong in (0..3 * period + 7).chain([u64::MAX]).filter(|&wrong| wrong != period) {
                push(&|copy| copy.claim = Claim::Repeats { period: wrong });
            }
        }
        Claim::Closed { reach, exact, modulus, period } => {
            for wrong in 1..100 {
                push(&|copy| copy.claim = Claim::Repeats { period: wrong });
            }
            push(&|copy| copy.claim = Claim::Closed { reach, exact, modulus: 0, period });
            push(&|copy| copy.claim = Claim::Closed { reach: 13, exact, modulus, period });
            push(&|copy| copy.claim = Claim::Closed { reach, exact: 31, modulus, period });
            push(&|copy| copy.claim = Claim::Closed { reach, exact, modulus, period: 0 });
            push(&|copy| copy.claim = Claim::Closed { reach, exact, modulus, period: 16 });
        }
    }
    all
}

/// Damage to the text of a program may lead to another program that hangs for the same reason:
/// then the certificate is not damaged but about that one. Only such copies may pass.
fn refuses(certificate: &Certificate, copy: &Certificate) -> bool {
    check(copy).is_err() || copy.program != certificate.program
}

#[test]
fn damaged_certificates_are_refused() {
    let mut tried = 0;
    for (text, _) in HANGS {
        let certificate = hang_of(text).certificate;
        for copy in damaged(&certificate) {
            tried += usize::from(copy.program == certificate.program);
            assert!(refuses(&certificate, &copy), "{text}: {}", copy.to_line());
        }
    }
    assert!(tried > 1_000, "{tried}");
}

/// Whatever is claimed of a program that ends is false.
#[test]
fn no_claim_about_a_program_that_halts_is_believed() {
    let mut random = fastrand::Rng::with_seed(5);
    let (mut programs, mut tried) = (vec![], 0);
    while programs.len() < 150 {
        let grid = random_program(&mut random);
        let graph = Graph::of(&grid);
        let mut walk = Walk::new(&graph);
        let mut end = None;
        while walk.blocks() < 100 && end.is_none() {
            end = walk.step();
        }
        if end == Some(Outcome::Halted) && walk.blocks() > 4 {
            programs.push((grid.to_string(), walk.blocks()));
        }
    }
    programs.push(("ZgqCUhWIUIBlqA".to_owned(), 100));
    for (program, blocks) in programs {
        for after in 0..blocks {
            let claims = (1..=blocks - after).map(|period| Claim::Repeats { period });
            let closed =
                [(0, 14, 1, 1), (1, 1, 1, 1), (2, 2, 1, 2), (1, 2, 2, 3), (3, 2, 1, 1), (1, 1, 1, 15)]
                    .map(|(reach, exact, modulus, period)| Claim::Closed { reach, exact, modulus, period });
            for claim in claims.chain([Claim::Turning]).chain(closed) {
                let certificate = Certificate::new(program.clone(), after, claim);
                assert!(check(&certificate).is_err(), "{}", certificate.to_line());
                tried += 1;
            }
        }
        for after in [blocks, blocks + 1] {
            let certificate = Certificate::new(program.clone(), after, Claim::Turning);
            assert!(check(&certificate).is_err(), "{}", certificate.to_line());
        }
    }
    assert!(tried > 10_000, "{tried}");
}

/// The blocks on the path from one end of a sweep to the other repeat, and then they do not: the data in front decides.
#[test]
fn what_repeats_for_a_while_is_not_said_to_repeat_for_ever() {
    const BLOCKS: usize = 6_000;
    let mut believed = 0;
    for (program, _) in HANGS {
        let graph = Graph::of(&program.parse().unwrap());
        let mut walk = Walk::new(&graph);
        let mut blocks = vec![];
        while blocks.len() < BLOCKS && walk.step().is_none() {
            blocks.push(walk.block());
        }
        for (after, period) in (0..400).flat_map(|after| (1..=12).map(move |period| (after, period))) {
            let claim = Claim::Repeats { period: period as u64 };
            let certificate = Certificate::new((*program).to_owned(), after as u64 + 1, claim);
            if check(&certificate).is_ok() {
                let (all, later) = (blocks.get(after..).unwrap(), blocks.get(after + period..).unwrap());
                assert!(all.iter().zip(later).all(|(one, other)| one == other), "{}", certificate.to_line());
                believed += 1;
            }
        }
    }
    assert!(believed > 500, "{believed}");
}

#[test]
fn bounds_of_work_are_kept_and_told() {
    let hang = hang_of("VYgQIECAAg").certificate;
    let of = |after, period| check(&Certificate::new(hang.program.clone(), after, Claim::Repeats { period }));
    assert_eq!(of(LONGEST + 1, 1), Err(Refusal::TooLate(LONGEST + 1)));
    assert_eq!(of(hang.after, 0), Err(Refusal::Period(0)));
    assert_eq!(of(hang.after, LONGEST_PERIOD + 1), Err(Refusal::Period(LONGEST_PERIOD + 1)));
    let Claim::Repeats { period } = hang.claim else { panic!("{hang:?}") };
    assert_eq!(of(LONGEST, period), Ok(()));
    assert_eq!(
        of(hang.after, LONGEST_PERIOD),
        Err(Refusal::NotShortest { found: LONGEST_PERIOD, shortest: period })
    );
}

/// The checker may use the interpreter and the form of certificates, and nothing that finds proofs.
#[test]
fn the_checker_shares_only_the_interpreter() {
    let files = [
        include_str!("../src/proof/check/mod.rs"),
        include_str!("../src/proof/check/closed.rs"),
        include_str!("../src/proof/check/repeats.rs"),
        include_str!("../src/proof/check/turning.rs"),
    ];
    let allowed = [
        "use super::Refusal;",
        // The checker's own bound and step, in its own folder.
        "use super::{LONGEST_PERIOD, Refusal, step};",
        "use super::{Certificate, Claim};",
        "use crate::Grid;",
        "use crate::blocks::",
        "use crate::run::{Tape, Walk};",
        "use crate::run::Walk;",
        "use std::collections::",
    ];
    for line in files.iter().flat_map(|file| file.lines()) {
        let foreign =
            line.trim_start().starts_with("use ") && !allowed.iter().any(|used| line.starts_with(used));
        let reaches =
            ["super::super", "crate::proof", "crate::search"].iter().any(|path| line.contains(path));
        assert!(!foreign && (!reaches || line.trim_start().starts_with("//")), "{line}");
    }
}

/// Checks all certificates of a search.
struct Checks(u64);

impl Witness for Checks {
    const CERTIFICATES: bool = true;

    fn hang(&mut self, program: &Grid, hang: &Hang) {
        assert_eq!(check(&hang.certificate), Ok(()), "{program}");
        self.0 += 1;
    }
}

#[test]
fn every_hang_of_a_search_has_a_valid_certificate() {
    let plan = Plan { width: 5, height: 5, mode: Mode::Orchestrated, max_steps: 1_000_000, check: false };
    let checked: u64 = starts(&plan)
        .unwrap()
        .into_iter()
        .map(|start| Engine::search(start, plan.max_steps, Checks(0)).1.0)
        .sum();
    assert_eq!(checked, 4_228);
}

#[test]
fn a_program_that_meets_an_open_cell_is_neither() {
    let grid = busybeaver::spec::read_cells(2, 2, "*. o.").unwrap();
    assert!(matches!(decide(&grid, EFFORT).decision, Decision::Open { .. }), "{grid:?}");
}

#[test]
fn damaged_texts_never_make_a_proof_nor_a_panic() {
    let mut random = fastrand::Rng::with_seed(7);
    for (text, _) in HANGS.iter().filter(|(text, _)| !text.starts_with('d')) {
        let good = hang_of(text).certificate.to_line();
        for _ in 0..200 {
            let mut bytes = good.clone().into_bytes();
            let at = random.usize(..bytes.len());
            match random.u8(..3) {
                0 => bytes[at] = random.u8(b' '..=b'~'),
                1 => drop(bytes.drain(at..)),
                _ => bytes.insert(at, random.u8(b'0'..=b'9')),
            }
            let Ok(read) = Certificate::from_line(&String::from_utf8(bytes).unwrap()) else { continue };
            assert!(check(&read).is_err() || read.to_line() == good);
        }
    }
}

/// Random programs: a halt is never contradicted, and every proof is one.
#[test]
fn random_programs_are_never_decided_wrongly() {
    use busybeaver::run::Stepper;
    let mut random = fastrand::Rng::with_seed(1);
    let (mut halts, mut hangs, mut undecided) = (0, 0, 0);
    for _ in 0..2_000 {
        let grid = random_program(&mut random);
        let mut stepper = Stepper::new(&grid);
        let end = stepper.run(5_000);
        let verdict = decide(&grid, Effort { blocks: 1 << 14, steps: 100_000 });
        match verdict.decision {
            Decision::Halts => {
                halts += 1;
                assert!(
                    end == Outcome::Stopped || (end, stepper.steps()) == (Outcome::Halted, verdict.steps)
                );
            }
            Decision::Hangs(hang) => {
                hangs += 1;
                assert_ne!(end, Outcome::Halted, "{grid}");
                assert_eq!(check(&hang.certificate), Ok(()), "{grid}");
            }
            Decision::Open { .. } => panic!("{grid} has no open cell"),
            Decision::Undecided => undecided += 1,
        }
    }
    assert!(halts > 500 && hangs > 200 && undecided < 5, "{halts} {hangs} {undecided}");
}

/// It moves two cells with every block.
#[test]
fn a_tape_wider_than_is_checked_is_refused() {
    let of = |after| check(&Certificate::new("Vf7gNFi/P8".to_owned(), after, Claim::Repeats { period: 1 }));
    assert_eq!(of(1_000), Ok(()));
    let Err(Refusal::TooWide(blocks)) = of(LONGEST) else { panic!("{:?}", of(LONGEST)) };
    assert!((1 << 21..1 << 22).contains(&blocks), "after {blocks} blocks");
}

#[test]
fn an_end_within_the_period_that_is_claimed_is_told_with_the_claim() {
    let certificate = Certificate::new("ZgqCUhWIUIBlqA".to_owned(), 10, Claim::Repeats { period: 5_000 });
    let Err(Refusal::Ends { found, claimed }) = check(&certificate) else {
        panic!("{:?}", check(&certificate))
    };
    assert!((10..5_010).contains(&found) && claimed == 5_010, "{found} {claimed}");
}

/// Whether a list of certificates is accepted as a whole, as `2l verify --covers` does.
fn covers(list: &str) -> bool {
    let mut cover = Cover::new(4, 4).unwrap();
    let takes = |(number, line): (usize, &str)| {
        let Ok(certificate) = Certificate::from_line(line) else { return false };
        check(&certificate).is_ok() && cover.add(certificate.program, number as u64 + 1).is_ok()
    };
    list.lines().enumerate().all(takes) && cover.coverage(1).is_whole()
}

#[test]
fn damaged_lists_of_certificates_do_not_cover_a_size() {
    struct List(String);
    impl Witness for List {
        const CERTIFICATES: bool = true;
        fn hang(&mut self, _program: &Grid, hang: &Hang) {
            self.0 += &(hang.certificate.to_line() + "\n");
        }
    }
    let plan = Plan { width: 4, height: 4, mode: Mode::Orchestrated, max_steps: 1_000_000, check: false };
    let found =
        starts(&plan).unwrap().into_iter().map(|start| Engine::search(start, 1_000, List(String::new())).1.0);
    let list: String = found.collect();
    assert!(list.lines().count() == 25 && covers(&list));
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..1_000 {
        let mut lines: Vec<String> = list.lines().map(str::to_owned).collect();
        let (one, other) = (random.usize(..25), random.usize(..25));
        let at = random.usize(..lines[one].len());
        match random.u8(..6) {
            0 => drop(lines.remove(one)),
            1 => lines.push(lines[one].clone()),
            2 => lines[one].truncate(at),
            3 => drop(lines[one].remove(at)),
            4 => lines[one].insert(at, '1'),
            _ => {
                let letter = char::from(random.u8(b' '..=b'~'));
                let replaced: String =
                    lines[one].char_indices().map(|(n, was)| if n == at { letter } else { was }).collect();
                // The same letter is no damage, so another line stands in its place then.
                lines[one] = if replaced == lines[one] {
                    lines[(one + 1 + other % 24) % 25].clone()
                } else {
                    replaced
                };
            }
        }
        assert!(!covers(&lines.join("\n")), "{lines:?}");
    }
}
