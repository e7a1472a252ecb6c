//! `tracewright loops`. What the text looks like in detail is tested beside the view.

use crate::util::{LOSSY, WHOLE, folder};
use expect_test::{Expect, expect};

fn check(arguments: &str, expected: Expect) {
    let folder =
        folder().with("whole.jsonl", WHOLE).with("lossy.jsonl", LOSSY).with("h.txt", "a b\nb b <gap> b c");
    expected.assert_eq(&folder.run(arguments).to_string());
}

#[test]
fn letters() {
    check(
        "loops --symbols ABCBACACBCBACACACBCBACACACAC",
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
        exit 0
    "#]],
    );
}

#[test]
fn letters_as_json() {
    check(
        "loops --symbols ABCBACACBCBACACACBCBACACACAC --json",
        expect![[r#"
            {"tracks":[{"name":"symbols","steps":28,"alphabet":["A","B","C"],"sizes":{"units":28,"levels":24,"rules":14},"rules":[[0,2],[1,2,1,[3,2]]],"history":[0,[4,2],3,4,[3,2]],"text":{"alphabet":[null,"\n"],"rules":[],"history":[[0,28],1]},"levels":[{"runs":[{"id":0,"start":0,"len":4,"period":0},{"id":1,"start":4,"len":4,"period":2},{"id":2,"start":8,"len":3,"period":0},{"id":1,"start":11,"len":6,"period":2},{"id":2,"start":17,"len":3,"period":0},{"id":1,"start":20,"len":8,"period":2}],"in_loop":true,"pending":0,"rewrites":0},{"runs":[{"id":0,"start":0,"len":1,"period":0},{"id":1,"start":1,"len":5,"period":2}],"in_loop":true,"pending":0,"rewrites":0}]}]}
            exit 0
        "#]],
    );
}

#[test]
fn levels_can_be_bounded() {
    check(
        "loops --symbols ABCBACACBCBACACACBCBACACACAC --levels 1",
        expect![[r#"
        symbols: 28 steps of 3 kinds
          level 0  ABCB [AC]*2.0 BCB [AC]*3.0 BCB [AC]*4.0
                   P = ABCB  Q = [AC]  R = BCB
                   P Q*2.0 R Q*3.0 R Q*4.0
        exit 0
    "#]],
    );
}

#[test]
fn short_loops() {
    check(
        "loops --symbols ABCDDDDEFGGGABCDEFGGG --short-loops",
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
        exit 0
    "#]],
    );
}

#[test]
fn a_history_from_a_file() {
    check(
        "loops --history h.txt",
        expect![[r#"
        h.txt: 6 steps of 3 kinds, 1 gap
          level 0  a [b]*3.0 <gap> bc?
        exit 1
    "#]],
    );
}

#[test]
fn a_history_from_standard_input_as_json() {
    let ran = folder().run_with(["loops", "--history", "-", "--json"], "x y x y");
    expect![[r#"
        {"tracks":[{"name":"stdin","steps":4,"alphabet":["x","y"],"sizes":{"units":4,"levels":4,"rules":4},"rules":[],"history":[0,1,0,1],"text":{"alphabet":[null," "],"rules":[[0,1]],"history":[[2,3],0]},"levels":[{"runs":[{"id":0,"start":0,"len":4,"period":2}],"in_loop":true,"pending":0,"rewrites":0}]}]}
        exit 0
    "#]].assert_eq(&ran.to_string());
}

#[test]
fn a_trace() {
    check(
        "loops whole.jsonl",
        expect![[r#"
        4 events on 2 tracks

        web: 2 steps (50.0 %) of 2 kinds
          symbols  A = start  B = read
          level 0  AB?

        db: 2 steps (50.0 %) of 1 kind
          symbols  A = query
          level 0  [A]*2.0
        exit 0
    "#]],
    );
}

#[test]
fn a_loss_ends_a_run() {
    check(
        "loops lossy.jsonl",
        expect![[r#"
            3 events on 1 track; 7 events lost in 1 gap

            s: 3 steps of 2 kinds, 1 gap
              level 0  a <gap> ab?
            ! tracewright: lossy.jsonl: 7 events lost in 1 gap; `tracewright info` says where
            ! tracewright: lossy.jsonl, line 5: the line was left out: it ends at byte 34 where `,` or `}` should be
            exit 1
        "#]],
    );
}

#[test]
fn a_loss_as_json() {
    check(
        "loops lossy.jsonl --json --allow-loss",
        expect![[r#"
            {"tracks":[{"name":"s","steps":3,"alphabet":["a","b"],"gaps":[1],"sizes":{"units":3,"levels":4,"rules":4},"rules":[],"history":[0,null,0,1],"levels":[{"runs":[{"id":0,"start":0,"len":1,"period":0}],"in_loop":false,"pending":2,"rewrites":0}]}],"lost":{"events":7,"packets":0,"gaps":1}}
            ! tracewright: lossy.jsonl: 7 events lost in 1 gap; `tracewright info` says where
            ! tracewright: lossy.jsonl, line 5: the line was left out: it ends at byte 34 where `,` or `}` should be
            exit 0
        "#]],
    );
}

#[test]
fn what_is_left_out_is_said() {
    check(
        "loops whole.jsonl --tracks 1",
        expect![[r#"
        4 events on 2 tracks

        web: 2 steps (50.0 %) of 2 kinds
          symbols  A = start  B = read
          level 0  AB?

        ... and 1 track more with 2 steps (--tracks N, --all)
        exit 0
    "#]],
    );
    check(
        "loops --symbols ABABCABABDABAB --runs 2",
        expect![[r#"
        symbols: 14 steps of 4 kinds
          level 0  [AB]*2.0 C ... and 3 runs more (--runs N, --all)
        exit 0
    "#]],
    );
}

/// Texts of every kind: what `--expand` writes is what was read, byte for byte.
#[test]
fn a_history_is_expanded_byte_for_byte() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut texts: Vec<String> = vec![
        String::new(),
        "a".into(),
        "read write read\n".into(),
        "<gap> a\n\n<gap>\t<gap>\r\n b <gap>".into(),
        "open\nread\nread\nclose\n".repeat(50),
        "ü \u{1b}[31m \"quoted\" \\ {x}\n".repeat(3),
    ];
    for _ in 0..20 {
        let mut text = String::new();
        for _ in 0..random.u32(..8) {
            let words: Vec<String> =
                (0..1 + random.u32(..12)).map(|_| format!("w{}", random.u32(..6))).collect();
            let gap = if random.u32(..3) == 0 { "<gap>" } else { "w" };
            (0..1 + random.u32(..9)).for_each(|_| text += &format!("{}\n{gap} ", words.join(" ")));
        }
        texts.push(text);
    }
    let folder = folder();
    for text in texts {
        let json = folder.run_with(["loops", "--history", "-", "--json"], &text);
        assert!(json.code < 2, "{json}");
        let again = folder.run_with(["loops", "--expand", "-"], &json.out);
        assert_eq!((again.out.as_str(), again.err.as_str(), again.code), (text.as_str(), "", 0));
    }
}

#[test]
fn what_is_no_text_is_expanded_line_by_line() {
    let folder = folder().with("whole.jsonl", WHOLE).with("lossy.jsonl", LOSSY);
    folder.shell("tracewright loops lossy.jsonl --json > lossy.json; tracewright loops whole.jsonl --json > whole.json");
    expect![[r#"
        a
        <gap>
        a
        b
        exit 0
    "#]]
    .assert_eq(&folder.run("loops --expand lossy.json").to_string());
    expect![[r#"
        <track web>
        start
        read
        <track db>
        query
        query
        exit 0
    "#]]
    .assert_eq(&folder.run("loops --expand whole.json").to_string());
    expect![[r#"
        query
        query
        exit 0
    "#]]
    .assert_eq(&folder.run("loops --expand whole.json --track db").to_string());
    let letters = folder.shell("tracewright loops --symbols 'AB ABC' --json | tracewright loops --expand -");
    expect![[r#"
        ABABC
        exit 0
    "#]]
    .assert_eq(&letters.to_string());
}

#[test]
fn what_cannot_be_expanded_is_said() {
    let folder = folder()
        .with("cut.json", r#"{"tracks":[{"name":"h""#)
        .with("other.json", r#"{"tracks":[{"name":"h"}]}"#)
        .with(
            "circle.json",
            r#"{"tracks":[{"name":"h","steps":2,"alphabet":["a"],"rules":[[1]],"history":[1]}]}"#,
        )
        .with(
            "good.json",
            r#"{"tracks":[{"name":"h","steps":2,"alphabet":["a"],"rules":[],"history":[[0,2]]}]}"#,
        );
    for file in ["cut", "other", "circle", "missing"] {
        let ran = folder.run(&format!("loops --expand {file}.json"));
        assert_eq!((ran.out.as_str(), ran.code), ("", 2), "{ran}");
        assert!(ran.err.starts_with(&format!("tracewright: cannot read {file}.json: ")), "{ran}");
        assert_eq!(ran.err.lines().count(), 1, "{ran}");
    }
    expect![[r#"
        ! tracewright: good.json has no track called x
        exit 2
    "#]]
    .assert_eq(&folder.run("loops --expand good.json --track x").to_string());
    for arguments in ["loops --expand", "loops --expand --symbols AB", "loops good.json --expand --json"] {
        assert_eq!(folder.run(arguments).code, 2, "{arguments}");
    }
}

/// Lines of a log in which the same twenty come again and again, though never side by side.
#[test]
fn what_comes_back_is_told_once() {
    let lines = |from: u32| (from..from + 20).map(|line| format!("step{line}\n")).collect::<String>();
    let (open, close) = (lines(10), lines(50));
    let log: String = (0..9)
        .map(|round| {
            format!("start{round}\n{open}try\ntry\ntry\n{}{close}", if round % 2 == 0 { "odd\n" } else { "" })
        })
        .collect();
    let folder = folder().with("log.txt", log.as_str());
    expect![[r#"
        log.txt: 401 steps of 51 kinds
          symbols  A = start0  B = step10  C = step11  D = step12  E = step13  F = step14  G = step15
                   H = step16  I = step17  J = step18  K = step19  L = step20  M = step21  N = step22
                   O = step23  P = step24  Q = step25  R = step26  S = step27  T = step28  U = step29
                   V = try  W = odd  X = step50  Y = step51  Z = step52  a = step53  b = step54  c = step55
                   d = step56  e = step57  f = step58  g = step59  h = step60  i = step61  j = step62
                   k = step63  l = step64  m = step65  n = step66  o = step67  p = step68  q = step69
                   r = start1  s = start2  t = start3  u = start4  v = start5  w = start6  x = start7
                   y = start8
          size     402 symbols in levels, 65 in rules
          busiest    6.7 % of steps  ~try = [V]  27 iterations in 9 places
          level 0  ABCDEFGHIJKLMNOPQRSTU [V]*3.0 W {step50+step51} rBCDEFGHIJKLMNOPQRSTU [V]*3.0
                   {step50+step51} sBCDEFGHIJKLMNOPQRSTU [V]*3.0 W {step50+step51} tBCDEFGHIJKLMNOPQRSTU
                   [V]*3.0 {step50+step51} uBCDEFGHIJKLMNOPQRSTU [V]*3.0
                   W {step50+step51} vBCDEFGHIJKLMNOPQRSTU [V]*3.0 {step50+step51} wBCDEFGHIJKLMNOPQRSTU
                   [V]*3.0 W {step50+step51} xBCDEFGHIJKLMNOPQRSTU [V]*3.0
                   {step50+step51} yBCDEFGHIJKLMNOPQRSTU [V]*3.0 WXYZabcdefghijklmnopq?
                   ~start0+step10 = ABCDEFGHIJKLMNOPQRSTU  ~try = [V]
                   ~odd+step50 = W {step50+step51} rBCDEFGHIJKLMNOPQRSTU
                   ~step50+step51 = {step50+step51} sBCDEFGHIJKLMNOPQRSTU
                   ~odd+step50.2 = W {step50+step51} tBCDEFGHIJKLMNOPQRSTU
                   ~step50+step51.2 = {step50+step51} uBCDEFGHIJKLMNOPQRSTU
                   ~odd+step50.3 = W {step50+step51} vBCDEFGHIJKLMNOPQRSTU
                   ~step50+step51.3 = {step50+step51} wBCDEFGHIJKLMNOPQRSTU
                   ~odd+step50.4 = W {step50+step51} xBCDEFGHIJKLMNOPQRSTU
                   ~step50+step51.4 = {step50+step51} yBCDEFGHIJKLMNOPQRSTU
                   ~start0+step10 ~try*3.0 ~odd+step50 ~try*3.0 ~step50+step51 ~try*3.0 ~odd+step50.2
                   ~try*3.0 ~step50+step51.2 ~try*3.0 ~odd+step50.3 ~try*3.0 ~step50+step51.3 ~try*3.0
                   ~odd+step50.4 ~try*3.0 ~step50+step51.4 ~try*3.0
          rules    {step50+step51} = XYZabcdefghijklmnopq  20 steps in 9 places
        exit 0
    "#]]
    .assert_eq(&folder.run("loops --history log.txt").to_string());
}

/// Loops on many levels: runs of the upper ones are called by what stands in them.
#[test]
fn runs_of_upper_levels_are_called_by_their_contents() {
    let inner = |name: &str| format!("{name} {name} {name}.end ").repeat(2) + "next ";
    let middle = |name: &str| inner(name).repeat(2) + &inner("wait").repeat(3) + "turn ";
    let text = (middle("read").repeat(2) + &middle("write").repeat(2) + "done ").repeat(3);
    let ran = folder().run_with(["loops", "--history", "-"], &text);
    assert!(!ran.out.contains("M1") && !ran.out.contains("X1"), "{ran}");
    expect![[r#"
        stdin: 435 steps of 9 kinds
          symbols  A = read  B = read.end  C = next  D = wait  E = wait.end  F = turn  G = done  H = write
                   ... and 1 more further on
          size     464 symbols in levels, 35 in rules
          busiest   99.1 % of steps  ~end+wait = [{end+wait}]  2 iterations in 1 place
                    33.1 % of steps  ~wait = [D]  144 iterations in 72 places
                    11.0 % of steps  ~read = [A]  48 iterations in 24 places
                    11.0 % of steps  ~write = [H]  48 iterations in 24 places
          level 0  [A]*2.0 B [A]*2.0 BC [A]*2.0 B [A]*2.0 BC [D]*2.0 E [D]*2.0 EC [D]*2.0 E [D]*2.0 EC
                   [D]*2.0 E [D]*2.0 ECF ... and 219 runs more (--runs N, --all)
                   ~read = [A]  ~end = B  ~end+next = BC  ~wait = [D]  ~end.2 = E  ~end+next.2 = EC
                   ~end+next.3 = ECF
                   ~read*2.0 ~end ~read*2.0 ~end+next ~read*2.0 ~end ~read*2.0 ~end+next ~wait*2.0 ~end.2
                   ~wait*2.0 ~end+next.2 ~wait*2.0 ~end.2 ~wait*2.0 ~end+next.2 ~wait*2.0 ~end.2 ~wait*2.0
                   ~end+next.3 ...
          level 1  [{end+wait}]*2.79
          rules    {end+wait} = {end+wait.2} ~end+next.5  80 runs in 2 places
                   {end+wait.2} = {end+wait.3}*2 {end+wait.4} ~end+next.3 {end+wait.4}  79 runs in 3 places
                   {end+wait.3} = {read+end}*2 {wait+end} ~end+next.3  20 runs in 6 places
                   {end+wait.4} = {write+end}*2 {wait+end}  19 runs in 6 places
                   {read+end} = ~read ~end ~read ~end+next  4 runs in 12 places
                   {wait+end} = {wait+end.2}*2 {wait+end.3}  11 runs in 12 places
                   {write+end} = ~write ~end.3 ~write ~end+next.4  4 runs in 12 places
                   {wait+end.2} = {wait+end.3} ~end+next.2  4 runs in 24 places
                   {wait+end.3} = ~wait ~end.2 ~wait  3 runs in 36 places
          nested   ~end+wait = [{end+wait}]  2 iterations in 1 place
                     [A]*2.0
                     B
                     [A]*2.0
                     BC
                     [A]*2.0
                     B
                     [A]*2.0
                     BC
                     [D]*2.0
                     E
                     [D]*2.0
                     EC
                     [D]*2.0
                     E
                     [D]*2.0
                     EC
                     [D]*2.0
                     E
                     [D]*2.0
                     ... and more (--runs N, --all)
        exit 0
    "#]]
    .assert_eq(&ran.to_string());
}

#[test]
fn one_kind_of_input_only() {
    let folder = folder();
    for arguments in
        ["loops", "loops x --symbols A", "loops --symbols A --history x", "loops --symbols A --levels 0"]
    {
        assert_eq!(folder.run(arguments).code, 2, "{arguments}");
    }
    check(
        "loops --history missing.txt",
        expect![[r#"
        ! tracewright: cannot read missing.txt: No such file or directory (os error 2)
        exit 2
    "#]],
    );
}
