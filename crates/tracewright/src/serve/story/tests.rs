//! The story of the bakery, as the API returns it.

use serde_json::Value;

use viewer::Request;

use crate::serve::play::{self, bakery};
use crate::serve::session::Session;
use crate::serve::{routes, tests};

fn session() -> Session {
    let mut session = tests::session();
    session.play = play::Part::of_recording(bakery::recording());
    session
}

fn ask(session: &Session, target: &str) -> (u16, Value) {
    let reply = routes().answer(session, &Request::get(&format!("/api/{target}")));
    (reply.status, serde_json::from_slice(&reply.body).unwrap_or(Value::Null))
}

fn get(session: &Session, target: &str) -> Value {
    let (status, body) = ask(session, target);
    assert_eq!(status, 200, "{target}");
    body
}

fn titles(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|one| one["title"].as_str().unwrap()).collect()
}

#[test]
fn the_story_opens_on_main_and_each_scene_has_what_passes_behind_it() {
    let session = session();
    let story = &get(&session, "story")["story"];
    assert_eq!(story["entry"], "m0");
    assert_eq!(story["lines_shown"], story["lines"]);
    assert_eq!((&story["untold"], &story["variants_shown"]), (&0.into(), &story["variants"]));
    let mut text = String::new();
    for scene in story["scenes"].as_array().unwrap() {
        let depth = scene["depth"].as_u64().unwrap() as usize;
        let (title, times, passing) = (&scene["title"], &scene["times"], &scene["passing"]["text"]);
        let line = format!(
            "{}{} x{times}: {}",
            "> ".repeat(depth),
            title.as_str().unwrap(),
            passing.as_str().unwrap()
        );
        text += line.trim_end();
        text += "\n";
    }
    expect_test::expect![[r#"
        main x1:
        > new Oven x1:
        > sell x1:
        > > bake x1:
        > > > heat x1: 4 calls pass: 4 of methods that are shown, not equal.
        > > > lambda in bake x272:
        > > > > iteration x272: 4,533 calls pass: 4,533 of methods that are shown, not equal.
        > celebrate x1: 1,153 calls pass: 1,153 of methods that are shown, not equal.
        > close x1:
        > > cool x1:
    "#]]
    .assert_eq(&text);
}

#[test]
fn a_length_is_met_and_what_it_leaves_out_is_listed_and_can_be_asked_for() {
    let session = session();
    let answer = get(&session, "story?scenes=3");
    let story = &answer["story"];
    assert_eq!(story["scenes"].as_array().unwrap().len(), 3);
    let untold = get(&session, "story/untold?scenes=3");
    assert_eq!(untold["total"], story["untold"]);
    for one in untold["methods"].as_array().unwrap() {
        let with = get(&session, &format!("story?scenes=3&with={}", one["call"]));
        let scenes = &with["story"]["scenes"];
        assert!(titles(scenes).contains(&one["title"].as_str().unwrap()), "{one}");
        let scene = get(&session, &format!("story/scene?scenes=3&with={0}&call={0}", one["call"]));
        assert_eq!(scene["title"], one["title"]);
    }
    let behind: usize = (0..=3)
        .map(|at| {
            get(&session, &format!("story/untold?scenes=3&behind={at}"))["methods"].as_array().unwrap().len()
        })
        .sum();
    assert_eq!(behind as u64, untold["total"].as_u64().unwrap());
}

#[test]
fn a_scene_shows_every_variant_of_its_loop_and_says_how_each_call_is_told() {
    let session = session();
    let answer = get(&session, "story");
    let scenes = answer["story"]["scenes"].as_array().unwrap();
    let of = |title: &str| {
        let line = scenes.iter().find(|scene| scene["title"] == title).unwrap();
        get(&session, &format!("story/scene?call={}", line["call"]))
    };
    let times = |scene: &Value| -> Vec<u64> {
        let variants = scene["loops"][0]["variants"].as_array().unwrap();
        variants.iter().map(|variant| variant["times"].as_u64().unwrap()).collect()
    };
    // Days with and without a celebration.
    let main = of("main");
    assert_eq!(times(&main).iter().sum::<u64>(), 5);
    assert_eq!(times(&main).len(), 2);
    let sell = of("sell");
    assert_eq!(times(&sell), [160 + 161 + 162 + 163 + 164]);
    let text = format!("{}\n{}", main["text"].as_str().unwrap(), sell["text"].as_str().unwrap());
    expect_test::expect![[r#"
        The story enters here, in thread main. The loop at Bakery.java:7-10 went round 5 times, in 2 variants.
        main calls sell on line 8. Of 5 calls this one is like no other. In all of them the loop at Bakery.java:18-20 went round 810 times, all alike."#]]
    .assert_eq(&text);
    let made = sell["made"].as_array().unwrap();
    assert_eq!(made.iter().map(|one| one["times"].as_u64().unwrap()).sum::<u64>(), 160);
    assert_eq!((&sell["caller"]["title"], &sell["caller"]["block"]), (&"main".into(), &3.into()));
    // What did not run in this call ran in another, which can be found by the line.
    assert!(get(&session, "story/call?method=5&line=11")["call"].is_u64());
    assert!(get(&session, "story/call?method=5&line=99")["call"].is_null());
}

#[test]
fn what_is_not_there_is_refused() {
    let session = session();
    for target in ["story?entry=m999", "story?entry=x", "story?entry=t7", "story/scene?call=999999"] {
        assert_eq!(ask(&session, target).0, 404, "{target}");
    }
    assert_eq!(ask(&session, "story/scene").0, 400);
    assert_eq!(get(&session, "story?entry=t1")["story"]["title"], "thread main");
}
