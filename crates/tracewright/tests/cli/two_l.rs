//! `tracewright 2l`: programs shown, run, searched and proved.

use expect_test::expect;

use crate::util::folder;

#[test]
fn a_program_is_drawn_and_its_blocks_are_listed() {
    let ran = folder().run("2l show ROuShls");
    assert_eq!(ran.code, 0, "{ran}");
    expect![[r#"
        ROuShls: 4 by 4

        . * * .
        * o _ *
        * _ o *
        o o * .
        ^

        blocks     a+1-b b>1cd c+1-e dX e-1fg f<1he g+1he hX
        canonical  a+1-b b>1cd c+1-e dX e-1fg f<1de g+1de
    "#]]
    .assert_eq(&ran.out);
    assert!(folder().run("2l show ROuShls --svg").out.starts_with("<svg"));
}

/// The listing of the founding text, Figure 1.
#[test]
fn the_loops_of_figure_1() {
    let ran = folder().run("2l run ZgoCQhGBUIBlqA --loops --blocks 400");
    assert_eq!(ran.code, 0, "{ran}");
    expect![[r#"
        ZgoCQhGBUIBlqA: 1,165 steps in 400 blocks, and so on (--blocks N)

        F C*2.0 G C*3.0 H C*2.0 D A*2.1 #B C*4.0 D A*0.2 E
        A*2.1 #B C*3.0 D A*3.1 #B C*5.0 D A*0.2 E
        A*3.1 #B C*4.0 D A*4.1 #B C*6.0 D A*0.2 E
        A*4.1 #B C*5.0 D A*5.1 #B C*7.0 D A*0.2 E
        A*5.1 #B C*6.0 D A*6.1 #B C*8.0 D A*0.2 E
        A*6.1 #B C*7.0 D A*7.1 #B C*9.0 D A*0.2 E
        A*7.1 #B C*8.0 D A*8.1 #B C*10.0 D A*0.2 E
        A*3.2

        A = [e g m]  B = f  C = [i]  D = h j  E = l o  F = a b c e f  G = h j e g l o e f i h j e g m e f  H = h j e g l o e g m e f

        P Q*6.1

        P = FCGCHCDABCDAE  Q = ABCDABCDAE
    "#]].assert_eq(&ran.out);
}

#[test]
fn halting_and_hanging() {
    let folder = folder();
    assert_eq!(folder.run("2l run ROuShls").out, "ROuShls halts after 15 steps\n");
    let halted = folder.run("2l run ROuShls --json").out;
    assert_eq!(
        halted,
        "{\"certificate\":null,\"hang\":null,\"program\":\"ROuShls\",\"result\":\"halted\",\"steps\":15}\n"
    );
    let hangs = folder.run("2l run ZgoCQhGBUIBlqA --json").out;
    assert!(
        hangs.contains("\"result\":\"hangs\"") && hangs.contains("\"hang\":\"REGULAR_SWEEP\""),
        "{hangs}"
    );
    let proof = folder.run_with(["2l", "verify", "-"], &hangs);
    assert_eq!(proof.code, 0, "{proof}");
    assert!(proof.out.contains("line 1: holds: "), "{proof}");
    let nothing = folder.run_with(["2l", "verify", "-"], &halted);
    assert_eq!(nothing.code, 1, "{nothing}");
    assert!(nothing.out.contains("it proves nothing"), "{nothing}");
    let damaged = hangs.replace("ZgoCQhGBUIBlqA", "ROuShls");
    assert_eq!(folder.run_with(["2l", "verify", "-"], damaged).code, 1);
}

#[test]
fn a_search_goes_on_where_it_was_cut_off() {
    let folder = folder();
    let whole = folder.run("2l search 4 4 --plain --json");
    assert_eq!(whole.code, 0, "{whole}");
    assert!(whole.out.contains("\"total\":891,"), "{whole}");
    let stored = folder.run("2l search 4 4 --plain --json --file kept.jsonl --threads 1");
    assert_eq!(stored.out, whole.out);
    let text = std::fs::read_to_string(folder.path.join("kept.jsonl")).unwrap();
    // Cut in the middle of a line, as a power failure would.
    std::fs::write(folder.path.join("kept.jsonl"), &text[..text.len() / 2]).unwrap();
    let again = folder.run("2l search 4 4 --plain --json --file kept.jsonl --threads 2");
    assert_eq!(again.out, whole.out, "{again}");
    let other = folder.run("2l search 3 3 --file kept.jsonl");
    assert_eq!(other.code, 2, "{other}");
    assert!(other.err.contains("kept.jsonl holds another search"), "{other}");
}

/// Killed in the middle, without a chance to say anything: all shares that were done are kept, and
/// the same command goes on from there.
#[test]
fn a_search_survives_being_killed() {
    let folder = folder();
    let arguments = ["2l", "search", "5", "5", "--check", "--threads", "1", "--file", "kept.jsonl", "--json"];
    let file = folder.path.join("kept.jsonl");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_tracewright"))
        .args(arguments)
        .current_dir(&folder.path)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let stored = || std::fs::read_to_string(&file).unwrap_or_default();
    while stored().lines().count() < 20 {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = stored();
    let again = folder.run_with(arguments, "");
    assert_eq!(again.code, 0, "{again}");
    let whole = before.rfind('\n').unwrap() + 1;
    let after = stored();
    assert!(after.starts_with(&before[..whole]), "what was kept was changed");
    assert!(before.lines().count() < after.lines().count(), "it was done before it could be killed");
    let apart = folder.run("2l search 5 5 --json");
    assert_eq!(again.out, apart.out);
    assert!(apart.out.contains("\"total\":30547,"), "{apart}");
}

/// No more can be written, as on a full disk: an error, and nothing is lost.
#[test]
fn a_search_survives_a_full_disk() {
    let folder = folder();
    let search = "tracewright 2l search 5 5 --json --file kept.jsonl";
    // The limit counts blocks of 512 bytes; with the signal ignored, writing fails.
    let full = folder.shell(&format!("trap '' XFSZ; ulimit -f 16; {search}"));
    assert_eq!(full.code, 2, "{full}");
    assert!(full.err.contains("cannot write kept.jsonl: "), "{full}");
    let stored = std::fs::read_to_string(folder.path.join("kept.jsonl")).unwrap();
    assert!(stored.lines().count() > 10, "{stored}");
    let again = folder.shell(search);
    assert_eq!(again.out, folder.run("2l search 5 5 --json").out, "{again}");
    let lines = std::fs::read_to_string(folder.path.join("kept.jsonl")).unwrap();
    assert!(lines.starts_with(&stored[..stored.rfind('\n').unwrap() + 1]));
}

#[test]
fn every_certificate_of_a_search_is_verified_apart() {
    let folder = folder();
    let written = folder.run("2l search 4 5 --certificates proofs.txt");
    assert_eq!(written.code, 0, "{written}");
    let verified = folder.run("2l verify proofs.txt");
    assert_eq!(verified.code, 0, "{verified}");
    assert!(verified.out.ends_with("232 proofs accepted, 0 refused\n"), "{verified}");
    let piped = folder.shell("tracewright 2l search 4 5 --certificates - 2>totals | tracewright 2l verify -");
    assert!(piped.out.ends_with("232 proofs accepted, 0 refused\n"), "{piped}");
    assert_eq!(std::fs::read_to_string(folder.path.join("totals")).unwrap(), written.out);
}

/// Certificates that were found before an interruption are written too, kept or not.
#[test]
fn certificates_are_written_of_what_was_found_before() {
    let folder = folder();
    let search = |options: &str| {
        let ran = folder.run(&format!("2l search 4 5 {options}"));
        assert_eq!(ran.code, 0, "{ran}");
        ran.out
    };
    let sorted = |file: &str| {
        let text = std::fs::read_to_string(folder.path.join(file)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let whole = search("--certificates all.txt");
    let all = sorted("all.txt");
    assert_eq!(all.len(), 232);
    // One part is searched without certificates, one with them, and the rest with all.
    search("-o kept.jsonl --shares 0-399");
    search("-o kept.jsonl --shares 300-899 --certificates some.txt");
    let some = sorted("some.txt");
    assert!(!some.is_empty() && some.len() < 232, "{}", some.len());
    for _ in 0..2 {
        assert_eq!(search("-o kept.jsonl --certificates now.txt"), whole);
        assert_eq!(sorted("now.txt"), all);
    }
    let merged = folder.run("2l merge kept.jsonl -o merged.jsonl");
    assert_eq!(merged.code, 0, "{merged}");
    std::fs::write(folder.path.join("sorted.txt"), all.join("\n") + "\n").unwrap();
    let piped = folder.shell(
        "export LC_ALL=C; tracewright 2l search 4 5 --file merged.jsonl --certificates - 2>totals | sort | cmp - sorted.txt",
    );
    assert_eq!(piped.code, 0, "{piped}");
}

/// Few steps at first, more for what is left: the same totals, also from the file.
#[test]
fn a_search_in_stages() {
    let folder = folder();
    let whole = folder.run("2l search 4 5 --json").out;
    let few = folder.run("2l search 4 5 --json --steps 12");
    assert_eq!(few.code, 0, "{few}");
    assert!(!few.out.contains("\"undecided\":0,"), "{few}");
    for _ in 0..2 {
        let staged = folder.run("2l search 4 5 --json --steps 12,100,1000000 --file kept.jsonl");
        let count = |text: &str| text.split("\"hangs_detected\":").nth(1).map(|rest| rest[..4].to_owned());
        assert_eq!(count(&staged.out), count(&whole), "{staged}");
        assert!(
            staged.out.contains("\"undecided\":0,") && staged.out.contains("\"success\":2378,"),
            "{staged}"
        );
    }
    let wrong = folder.run("2l search 4 5 --steps 100,12");
    assert_eq!(wrong.code, 2, "{wrong}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = folder();
    for (arguments, sentence) in [
        ("2l run !!", "!! is no 2L program"),
        ("2l search 9 9", "a grid of 9 by 9 cells is not possible"),
        ("2l verify none.jsonl", "cannot open none.jsonl"),
        ("2l search 3 3 --file no/such/folder", "cannot write no/such/folder"),
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, 2, "{ran}");
        assert!(ran.err.contains(sentence), "{ran}");
    }
    let empty = folder.run_with(["2l", "verify", "-"], "");
    assert_eq!(empty.code, 2, "{empty}");
}

/// A proof whose check would take all memory, or hours, is refused with a sentence that names the limit.
#[test]
fn proofs_that_cost_too_much_are_refused() {
    let line = |program: &str, after: u64, period: u64| {
        let body = format!("{program} {after} repeats {period}");
        let digest = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{body} {digest:016x}\n")
    };
    let lines = [
        line("RfuDQgYr", 100_000_000, 1),
        line("RfuDQgYr", 300_000_000, 1),
        line("RfuDQgYr", 17, 100_000_000),
        // Each block goes on to fresh cells.
        line("RfuDQgYr", 9_900_017, 1),
        line("RfuDQgYr", 17, 1),
        line("VYgQIECAAg", 9_999_999, 1),
    ];
    let folder = folder().with("proofs", lines.concat());
    let ran = folder.shell("ulimit -v 2000000; tracewright 2l verify proofs");
    assert_eq!(ran.code, 1, "{ran}");
    expect![[r#"
        line 1: refused: the claim is about the moment after 100000000 blocks; more than 10000000 are not run
        line 2: refused: the claim is about the moment after 300000000 blocks; more than 10000000 are not run
        line 3: refused: a period of 100000000 blocks is not possible; from 1 to 65536 are checked
        line 4: refused: after 4259809 blocks its tape has more than 8388608 cells, the most that are checked
        line 5: holds: after 17 blocks it repeats one block for ever
        line 6: holds: after 9999999 blocks it repeats one block for ever
        2 proofs accepted, 4 refused
    "#]]
    .assert_eq(&ran.out);
    let long = folder.shell("head -c 40000000 /dev/zero | tr '\\0' x | tracewright 2l verify -");
    assert_eq!(long.code, 1, "{long}");
    assert_eq!(
        long.out,
        "line 1: refused: the line has more than 65,536 bytes\n0 proofs accepted, 1 refused\n"
    );
}

/// A list covers a size if it has one proof of each program that never halts, and no other.
#[test]
fn a_list_of_proofs_covers_a_size_or_does_not() {
    let folder = folder();
    folder.run("2l search 4 4 --certificates proofs.txt");
    let covers = folder.run("2l verify --covers 4 4 proofs.txt");
    assert_eq!(covers.code, 0, "{covers}");
    expect![[r#"
        25 proofs accepted, 0 refused
        4 by 4: 518 programs, each of which halts or has one proof
                   493 halt, the longest after 15 steps: ROuShls
                    25 never halt
    "#]]
    .assert_eq(&covers.out);
    let whole = std::fs::read_to_string(folder.path.join("proofs.txt")).unwrap();
    let (first, rest) = whole.split_once('\n').unwrap();
    let program = first.split(' ').next().unwrap();
    let lacks = folder.run_with(["2l", "verify", "--covers", "4", "4", "-"], rest);
    assert_eq!(lacks.code, 1, "{lacks}");
    let sentence = format!("{program} has no proof and does not halt within 100,000 steps\n");
    assert!(lacks.out.contains(&sentence) && lacks.out.ends_with("4 by 4 is not covered\n"), "{lacks}");
    let twice = folder.run_with(["2l", "verify", "--covers", "4", "4", "-"], format!("{whole}{first}\n"));
    assert_eq!(twice.code, 1, "{twice}");
    let sentence = format!("line 26: refused: {program} has a certificate already, in line 1\n");
    assert!(twice.out.contains(&sentence), "{twice}");
    let other = folder.run_with(["2l", "verify", "--covers", "4", "5", "-"], &whole);
    assert_eq!(other.code, 1, "{other}");
    assert!(other.out.contains("line 1: refused: its program is not one of 4 by 5"), "{other}");
    let none = folder.run_with(["2l", "verify", "--covers", "3", "3", "-"], "");
    assert_eq!(none.code, 0, "all programs of 3 by 3 halt: {none}");
}

/// The checker and the enumerator of `proofs/`, which share nothing with this program, say the same.
#[test]
fn the_independent_checker_and_enumerator_agree() {
    let proofs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proofs");
    let folder = folder();
    let compiler = folder.shell(&format!("cc -O2 -o enumerate {}", proofs.join("enumerate.c").display()));
    if compiler.code != 0 || folder.shell("python3 --version").code != 0 {
        return testing::skip("no C compiler or no python3");
    }
    for (size, hanging) in [("4 4", 25), ("4 5", 232), ("5 5", 4_228)] {
        folder.run(&format!("2l search {size} --certificates proofs.txt"));
        let same = folder.shell(&format!(
            "export LC_ALL=C; ./enumerate {size} 1000 | sort > hanging; cut -d ' ' -f 1 proofs.txt | sort | cmp - hanging; wc -l < hanging"
        ));
        assert_eq!(same.out.trim(), hanging.to_string(), "{same}");
    }
    let check = format!("python3 {} proofs.txt", proofs.join("check.py").display());
    let checked = folder.shell(&format!("{check} 3/10"));
    assert_eq!((checked.code, checked.out.trim()), (0, "423 accepted, 0 refused"), "{checked}");
    // A part of 6 by 6 that has proofs of all claims.
    folder.run("2l search 6 6 --shares 600-603 -o part.jsonl --certificates proofs.txt");
    let checked = folder.shell(&format!("{check} 3/10"));
    assert!(checked.code == 0 && checked.out.contains(" accepted, 0 refused"), "{checked}");
    let claims = folder.shell("cut -d ' ' -f 3 proofs.txt | sort -u | tr '\\n' ' '");
    assert_eq!(claims.out.trim(), "closed repeats turning", "{claims}");
    // Damaged, or with a claim that does not hold under a digest that fits.
    let damaged = folder.shell(&format!("sed -i 's/./&&/9' proofs.txt; {check} 3/10"));
    assert!(damaged.code == 1 && damaged.out.contains("\n0 accepted, "), "{damaged}");
    let forged = "ROuShls 4 repeats 1 3f2c2c5e0ae7f2f8\nRfuDQgYr 17 repeats 1 0123456789abcdef\n";
    let refused = folder.with("proofs.txt", forged).shell(&check);
    assert_eq!(refused.code, 1, "{refused}");
}

/// Coq accepts the proof that its checker is sound, and that checker what a search of ours wrote.
#[test]
fn the_checker_that_is_proved_sound_agrees() {
    let folder = folder();
    if folder.shell("coqc --version").code != 0 || folder.shell("python3 --version").code != 0 {
        return testing::skip("no Coq or no python3");
    }
    let proofs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proofs/coq");
    let check = format!("python3 {} proofs.txt", proofs.join("check.py").display());
    folder.run("2l search 5 5 --certificates five.txt");
    // Proofs of all claims, those with values in view too.
    folder.run("2l search 6 6 --shares 600-603 -o part.jsonl --certificates six.txt");
    let sample =
        "awk 'NR % 20 == 3' five.txt > proofs.txt; grep 'closed [1-9]' six.txt | head -20 >> proofs.txt";
    folder.shell(sample);
    let count = folder.shell("cat proofs.txt | wc -l").out.trim().to_owned();
    let accepted = folder.shell(&check);
    assert_eq!((accepted.code, accepted.out), (0, format!("{count} accepted, 0 refused\n")));
    let claims = folder.shell("cut -d ' ' -f 3 proofs.txt | sort -u | tr '\\n' ' '");
    assert_eq!(claims.out.trim(), "closed repeats turning");
    // Claims that do not hold (of a program that halts, and of others at the wrong moment or too coarse), damage, and the
    // page's own examples, whose numbers are the right ones, and one that counts positions.
    let some = "ROuShls 4 repeats 1 3f2c2c5e0ae7f2f8\nVQAiBAiAAg 0 turning 92a35ec87d09dfab\n\
                VYgQIECAAg 1 repeats 1 bfe9697e982fdcff\nZgoCQhGBUIBlqA 512 closed 0 1 1 9600d971f816e450\n\
                ZgoCQhGBUIBlqA 512 closed 2 1 0 9600d971f816e450\nZgoCQhGBUIBlq 512 closed 2 1 1 9600d971f816e450\n\
                not \"a\" certificate\nVQAiBAiAAg 1 turning 92a35ec87d09dfab\n\
                VYgQIECAAg 15 repeats 1 bfe9697e982fdcff\nZgoCQhGBUIBlqA 512 closed 2 1 1 9600d971f816e450\n\
                dwiCFSQCABggAJFgiA 2048 closed 1 1 1 2 32c067cf77e024cf\n";
    let refused = folder.with("proofs.txt", some).shell(&check);
    let wrong: String = (1..=7).map(|line| format!("line {line}: refused\n")).collect();
    assert_eq!((refused.code, refused.out), (1, format!("{wrong}4 accepted, 7 refused\n")));
}

/// Each part of a search in a file of its own; together they are the whole search.
#[test]
fn a_search_is_shared_out_and_merged() {
    let folder = folder();
    let whole = folder.run("2l search 4 5 --json").out;
    let wrong = folder.run("2l search 4 5 --shares 0-9999 -o part.jsonl");
    assert_eq!(wrong.code, 2, "{wrong}");
    let last: usize = wrong.err.split("the shares 0-").nth(1).unwrap().trim().parse().unwrap();
    let third = last / 3;
    for (part, from, to) in [(1, 0, third), (2, third + 1, 2 * third), (3, 2 * third + 1, last)] {
        let ran = folder.run(&format!("2l search 4 5 --shares {from}-{to} -o part{part}.jsonl"));
        assert_eq!(ran.code, 0, "{ran}");
    }
    // A part that was interrupted goes on where it was.
    let path = folder.path.join("part2.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    let lacks = folder.run("2l merge part1.jsonl part2.jsonl part3.jsonl");
    assert_eq!(lacks.code, 2, "{lacks}");
    assert!(lacks.err.contains("shares these are missing: "), "{lacks}");
    folder.run(&format!("2l search 4 5 --shares {}-{} -o part2.jsonl", third + 1, 2 * third));
    let merged = folder.run("2l merge part3.jsonl part1.jsonl part2.jsonl --json -o whole.jsonl");
    assert_eq!((merged.code, merged.out.as_str()), (0, whole.as_str()), "{merged}");
    let again = folder.run("2l search 4 5 --json --file whole.jsonl");
    assert_eq!(again.out, whole, "{again}");
    let twice = folder.run("2l merge part1.jsonl part2.jsonl part3.jsonl part1.jsonl");
    assert_eq!(twice.code, 2, "{twice}");
    assert!(twice.err.contains("part1.jsonl: share 0 is in an earlier part too"), "{twice}");
    folder.run("2l search 4 4 --shares 0-5 -o other.jsonl");
    let other = folder.run("2l merge part1.jsonl other.jsonl");
    assert!(other.code == 2 && other.err.contains("other.jsonl: it is a part of another search"), "{other}");
}

/// What a program ran is a trace like any other.
#[test]
fn a_search_is_estimated_before_it_is_begun() {
    let folder = folder();
    // The processor time differs from run to run.
    let ran = folder.run("2l search 5 4 --estimate 500 --check --threads 2");
    let lines: Vec<&str> = ran.out.lines().collect();
    let (seconds, counts) = lines.split_last().unwrap();
    assert_eq!(ran.code, 0, "{ran}");
    assert!(seconds.contains("% seconds of a processor: 0.0"), "{ran}");
    expect![[r#"
        5 by 4 (orch), estimated from 920 programs in 500 parts
              2.38e3 ±  6.4 % programs
              2.17e3 ±  6.4 % halt
              2.01e2 ± 11.9 % hang
              0.00e0 ±  0.0 % undecided after 1000000 steps
              7.72e3 ± 11.9 % bytes of certificates, 38.3 each"#]]
    .assert_eq(&counts.join("\n"));
    let ran = folder.run("2l search 5 4 --estimate 500 --seed 2 --json");
    let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let whole: serde_json::Value = serde_json::from_str(&folder.run("2l search 5 4 --json").out).unwrap();
    let (total, error) = (&answer["programs"]["total"], &answer["programs"]["error"]);
    let distance = (total.as_f64().unwrap() - whole["total"].as_f64().unwrap()).abs();
    assert!(distance <= 4.0 * error.as_f64().unwrap(), "{ran}");
    assert!(answer["certificate_bytes"].is_null() && answer["probes"] == 500, "{ran}");
    for arguments in
        ["2l search 4 4 --estimate 0", "2l search 4 4 --estimate 10 -o a.jsonl", "2l search 4 4 --seed 3"]
    {
        assert_eq!(folder.run(arguments).code, 2, "{arguments}");
    }
}

#[test]
fn the_history_of_a_program_is_read_by_every_command() {
    let folder = folder();
    let history = folder.run("2l run ROuShls --history");
    assert_eq!(history.code, 0, "{history}");
    assert!(
        history.out.starts_with(
            "{\"ts\":0,\"stream\":\"ROuShls\",\"name\":\"a\",\"fields\":{\"dp\":0,\"value\":1,\"program_2l\":\"ROuShls\"}}\n"
        ),
        "{history}"
    );
    assert_eq!(history.out.matches("program_2l").count(), 1, "{history}");
    assert!(history.out.ends_with("{\"ts\":15,\"stream\":\"ROuShls\",\"name\":\"halts\"}\n"), "{history}");
    let loops = folder.shell("tracewright 2l run VYgQIECAAg --history | tracewright loops -");
    assert!(loops.code == 0 && loops.out.contains("VYgQIECAAg"), "{loops}");
    let hangs = folder.shell("tracewright 2l run VYgQIECAAg --history | tracewright hangs -");
    assert!(hangs.code == 0 && hangs.out.contains("VYgQIECAAg"), "{hangs}");
    let halts = folder.shell("tracewright 2l run ROuShls --history | tracewright hangs -");
    assert!(halts.out.contains("no loop"), "{halts}");
}

/// Whatever the file is called that it was saved in, and however it comes.
#[test]
fn a_saved_history_is_known_by_its_content() {
    let folder = folder();
    let history = folder.run("2l run VYgQIECAAg --history").out;
    let folder = folder
        .with("saved.jsonl", &history)
        .with("saved.txt", &history)
        .with("saved", &history)
        .with("saved.json", &history);
    for command in ["info", "events", "loops", "hangs", "table hangs"] {
        let expected = folder.run(&format!("{command} saved.jsonl"));
        assert!(expected.code == 0 && expected.out.len() > 80, "{expected}");
        for name in ["saved.txt", "saved", "saved.json"] {
            let ran = folder.run(&format!("{command} {name}"));
            let out = ran.out.replace(name, "saved.jsonl");
            assert_eq!((ran.code, out, ran.err.as_str()), (0, expected.out.clone(), ""), "{command} {name}");
        }
        if command == "table hangs" {
            continue;
        }
        for line in [
            "cat saved.txt | tracewright COMMAND -",
            "gzip saved; tracewright COMMAND saved.gz; gunzip saved.gz",
        ] {
            let ran = folder.shell(&line.replace("COMMAND", command));
            // When a loop began is not told of what comes once, and the name of the input is another one.
            let (from, most) = match command {
                "info" => (1, usize::MAX),
                "hangs" => (0, 1),
                _ => (0, usize::MAX),
            };
            let lines =
                |text: &str| text.lines().skip(from).take(most).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!((ran.code, lines(&ran.out)), (0, lines(&expected.out)), "{line}: {ran}");
        }
    }
    // What is a list of trace events stays one.
    let slices = "{\"name\":\"x\",\"traceEvents\":[{\"ph\":\"X\",\"name\":\"load\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":5}]}\n";
    let folder = folder.with("slices.txt", slices);
    let ran = folder.run("calls slices.txt");
    assert!(ran.code == 0 && ran.out.contains("load"), "{ran}");
}
