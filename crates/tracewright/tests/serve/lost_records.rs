//! A capture that lost records, as Play and List show it: what is inferred is marked, with how sure it is, and all the
//! rest is as it was recorded.

use std::path::{Path, PathBuf};

use capture::{CODE, Capture, STEPS, damage, fixture::Rng};
use serde_json::{Value, json};
use source::NamedSource;

use crate::util::Server;

fn captures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/tests")
}

/// The capture of the browser tests without some of its records.
fn lossy() -> String {
    captures().join("lossy.capture").display().to_string()
}

/// `web/tests/lossy.md` says the same.
#[test]
fn the_lossy_capture_is_the_whole_one_without_some_records() {
    let [code, steps] =
        [CODE, STEPS].map(|name| std::fs::read(captures().join("bakery.capture").join(name)).unwrap());
    let named =
        |name: &str, bytes: &[u8]| NamedSource { name: name.to_owned(), source: Box::new(bytes.to_vec()) };
    let whole = Capture::open(vec![named(CODE, &code), named(STEPS, &steps)]).unwrap();
    let damaged = damage::without(&whole, 1, 150, &mut Rng(11));
    let folder = captures().join("lossy.capture");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(CODE), &code).unwrap();
        std::fs::write(folder.join(STEPS), &damaged.steps).unwrap();
    }
    assert!(std::fs::read(folder.join(CODE)).unwrap() == code);
    assert!(std::fs::read(folder.join(STEPS)).unwrap() == damaged.steps);
}

/// All ranges that are inferred, and all gaps.
fn profile(server: &Server) -> Value {
    server.json("/api/play/profile?thread=1&pixels=100")
}

fn state(server: &Server, at: u64) -> Value {
    server.json(&format!("/api/play/state?thread=1&at={at}"))
}

/// The innermost open call, the block that runs, and how deep it is.
fn moment(state: &Value) -> Value {
    let frame = state["frames"].as_array().unwrap().last().unwrap();
    json!([frame["name"], frame["block"], frame["begin"], state["depth"]])
}

#[test]
fn play_says_of_each_block_whether_it_was_recorded() {
    let [server, whole] =
        [lossy(), captures().join("bakery.capture").display().to_string()].map(|path| Server::open(&path));
    let about = server.wait_for("/api/play")["recording"].clone();
    whole.wait_for("/api/play");
    let found = profile(&server);
    let ranges = found["inferred"].as_array().unwrap();
    assert!(ranges.len() > 5, "{found}");
    assert_eq!(found["inferences"], ranges.len());
    assert_eq!(about["lost"].as_u64(), about["inferred"]["records"].as_u64(), "{about}");
    assert!(about["inferred"]["only_way"].as_u64().unwrap() > 0, "{about}");
    assert_eq!((&found["losses"], &found["total"]), (&json!(0), &profile(&whole)["total"]));
    let mut right = 0;
    for range in ranges {
        let [begin, end] = ["begin", "end"].map(|end| range[end].as_u64().unwrap());
        assert_eq!(range["only_way"], range["percent"] == 100);
        let text = range["text"].as_str().unwrap();
        let sure = match range["only_way"] == true {
            true => "the only way that fits".to_owned(),
            false => format!("{} % sure", range["percent"]),
        };
        assert!(text.ends_with(&sure), "{text}");
        for at in begin.saturating_sub(1)..=end {
            let [now, truth] = [state(&server, at), state(&whole, at)];
            let is_inside = (begin..end).contains(&at);
            assert_eq!(&now["inferred"], if is_inside { range } else { &Value::Null }, "{at} of {range}");
            assert!(truth["inferred"].is_null() && truth["resumes"].is_null());
            right += u64::from(moment(&now) == moment(&truth));
            // What ran in the call is inferred as often as the thread was there.
            let frame = now["frames"].as_array().unwrap().last().unwrap();
            let block = &frame["block"];
            let inferred = frame["inferred"].as_array().unwrap();
            if is_inside {
                assert!(inferred.iter().any(|one| one[0] == *block), "{at}: {frame}");
            }
            for one in inferred {
                let ran = frame["counts"].as_array().unwrap().iter().find(|ran| ran[0] == one[0]).unwrap();
                assert!(one[1].as_u64() <= ran[1].as_u64(), "{at}: {frame}");
            }
        }
        assert_eq!(state(&server, end)["resumes"], *range);
    }
    assert!(right > 2 * ranges.len() as u64, "{right} of what is inferred, and around it, is what ran");
}

#[test]
fn the_list_marks_calls_whose_begin_was_lost_and_those_that_lost_something() {
    let server = Server::open(&lossy());
    server.wait_for("/api/play");
    let found = profile(&server);
    let ranges = found["inferred"].as_array().unwrap();
    let (mut begins, mut resumes, mut inside, mut from) = (0, 0, 0, 0);
    loop {
        let answer = server.json(&format!("/api/list?thread=1&from={from}&count=400"));
        let rows = answer["rows"].as_array().unwrap();
        for row in rows {
            let part = &row["inferred"];
            if !part.is_null() {
                assert!(ranges.contains(part), "{row}");
                let at = row["at"].as_u64();
                assert!(at >= part["begin"].as_u64() && at <= part["end"].as_u64(), "{row}");
                assert_eq!(row["resumes"], false);
                begins += 1;
            }
            resumes += u64::from(row["resumes"] == true);
            inside += u64::from(row["inferred_inside"].as_u64().unwrap() > 0);
        }
        from += rows.len() as u64;
        if rows.is_empty() {
            assert_eq!(answer["total"], from);
            break;
        }
    }
    assert!(begins > 0 && inside > 0, "{begins} {inside}");
    assert!(resumes > 0 && resumes <= ranges.len() as u64, "{resumes}");
    let outermost = server.json("/api/list?thread=1&from=0&count=1")["rows"][0].clone();
    let lost: u64 = ranges.iter().map(|range| range["records"].as_u64().unwrap()).sum();
    assert_eq!(outermost["inferred_inside"], lost, "{outermost}");
}

#[test]
fn what_is_inferred_can_be_left_out() {
    let server = Server::of_arguments(&[&lossy(), "--no-inferred"]);
    server.wait_for("/api/play");
    let found = profile(&server);
    let with = Server::open(&lossy());
    with.wait_for("/api/play");
    assert_eq!((&found["inferences"], &found["inferred"]), (&json!(0), &json!([])));
    assert_eq!(found["losses"], profile(&with)["inferences"]);
    assert!(found["total"].as_u64() < profile(&with)["total"].as_u64());
    let gap = found["gaps"][0].as_u64().unwrap();
    assert_eq!(state(&server, gap)["lost"], 1);
    let rows = server.json("/api/list?thread=1&from=0&count=400")["rows"].clone();
    for row in rows.as_array().unwrap() {
        assert!(row["inferred"].is_null() && row["inferred_inside"] == 0 && row["resumes"] == false, "{row}");
    }
}
