//! `tracewright values` of a kept recording: together, call by call, and as data.

use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::Value;

use super::util::{below_root, folder};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests/values.capture")
}

fn run(arguments: &[&str]) -> String {
    let capture = corpus().display().to_string();
    let ran = folder().run_with([&["values", &capture], arguments].concat(), "");
    format!("{}{}exit {}\n", ran.out, ran.err, ran.code)
}

#[test]
fn calls_are_shown_together_and_one_by_one() {
    expect![[r#"
        Till$Cart.deep: 6 calls, 163 us in all, longest 44.8 us
          n         0 to 3: 1 2x, 0 2x, 3 1x, 2 1x
          returned  0 to 3: 1 2x, 0 2x, 3 1x, 2 1x

        Till$Cart.add: 3 calls, 1 of them threw, 86.5 ms in all, longest 86.4 ms
          this      Till$Cart@18b4aac2 3x
          what      "tea" 1x, "😀 cake" 1x, null 1x
          count     -1 to 3: 2 1x, 3 1x, -1 1x
          coin      Till$Coin.PENNY 1x, Till$Coin.CROWN 1x, null 1x
          returned  false 1x, true 1x
          threw     Till$TooPoor: "not -1 of null" 1x
        exit 0
    "#]]
    .assert_eq(&run(&["--method", "Cart.add", "--method", "deep"]));
    expect![[r#"
        Till$Cart.deep: 6 calls, 163 us in all, longest 44.8 us
          n         0 to 3: 1 2x and 3 more
          returned  0 to 3: 1 2x and 3 more
        exit 0
    "#]]
    .assert_eq(&run(&["--method", "deep", "--limit", "1"]));
    expect![[r#"
        2026-11-26 18:45:04.128746437  worker  Till$Cart.deep(n: 1) = 1  9.61 us
        2026-11-26 18:45:04.128751036  worker  Till$Cart.deep(n: 0) = 0  3.02 us
        exit 0
    "#]]
    .assert_eq(&run(&["--each", "--thread", "worker"]));
    expect![[r#"
        2026-11-26 18:45:04.020393345  main  Till$Cart.add(what: null, count: -1, coin: null) threw Till$TooPoor: "not -1 of null"  86.4 ms
        exit 0
    "#]]
    .assert_eq(&run(&["--each", "--failed"]));
    expect![[r#"
        2026-11-26 18:45:04.020385580  main  Till$Cart.add(what: "😀 cake", count: 3, coin: Till$Coin.CROWN) = true  4.71 us
        exit 0
    "#]]
    .assert_eq(&run(&["--each", "--search", "CAKE", "--limit", "1"]));
    expect![[r#"
        2026-11-26 18:45:04.017773638  main  Till$Cart.<init>(owner: "Ann ä \"B\"\n")  25.8 us
        ... and 17 more calls (--limit N)
        exit 0
    "#]]
    .assert_eq(&run(&["--each", "--limit", "1"]));
    expect![[r#"
        no such call was recorded
        exit 0
    "#]]
    .assert_eq(&run(&["--search", "nowhere"]));
}

#[test]
fn values_are_data() {
    let out = run(&["--json", "--method", "objects", "--method", "login", "--method", "all"]);
    let answer: Value = serde_json::from_str(out.strip_suffix("exit 0\n").unwrap()).unwrap();
    let shown: Vec<String> = answer["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| {
            format!("{} {} -> {} {}\n", call["method"], call["arguments"], call["outcome"], call["value"])
        })
        .collect();
    expect![[r#"
        "Till$Cart.all" [{"name":"a","value":true},{"name":"b","value":"x"},{"name":"c","value":-1},{"name":"d","value":300},{"name":"e","value":1099511627776},{"name":"f","value":0.5},{"name":"g","value":1e+300}] -> "returned" 1099511627776.0
        "Till$Cart.all" [{"name":"a","value":false},{"name":"b","value":"€"},{"name":"c","value":1},{"name":"d","value":-1},{"name":"e","value":-1},{"name":"f","value":-1.0},{"name":"g","value":"NaN"}] -> "returned" "NaN"
        "Till$Cart.objects" [{"name":"a","value":{"class":"int[]","identity":1028566121,"size":3}},{"name":"b","value":{"class":"java.lang.String[][]","identity":1118140819,"size":2}},{"name":"c","value":{"class":"java.util.Arrays$ArrayList","identity":1975012498,"size":2}},{"name":"d","value":{"class":"java.util.ImmutableCollections$Map1","identity":1808253012,"size":1}},{"name":"e","value":{"class":"java.util.HashSet","identity":589431969,"size":3}},{"name":"f","value":7},{"name":"g","value":{"class_value":"Till$Cart"}},{"name":"h","value":{"class":"Till$Cart","identity":414493378}},{"name":"i","value":{"length":300,"text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}] -> "returned" {"class":"Till$Cart","identity":414493378}
        "Till$Cart.login" [{"name":"user","value":"ann"},{"name":"password","value":{"withheld":true}},{"name":"pin","value":{"class":"char[]","identity":1956725890,"size":4}},{"name":"token","value":{"withheld":true}}] -> "returned" null
    "#]]
    .assert_eq(&shown.concat());
}

#[test]
fn where_no_values_were_kept_that_is_said() {
    let folder = folder();
    let bakery = below_root("examples/bakery/bakery.capture");
    let ran = folder.run_with(["values", &bakery], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert_eq!(
        ran.err,
        format!(
            "tracewright: {bakery} has no values of calls; they are kept of the methods that --values names when recording\n"
        )
    );
}
