//! The overview of a small recorded program: `web/tests/bakery.capture`.

use serde_json::{Value, json};

use crate::util::Server;

const CAPTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/bakery.capture");
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/serve/play/fixture");

/// A server that has read it.
fn server() -> Server {
    let server = Server::of_arguments(&[CAPTURE, "--source-root", SOURCE]);
    server.wait_for("/api/overview");
    server
}

fn ask(server: &Server, target: &str) -> (u16, Value) {
    let answer = server.get(&format!("/api/{target}"));
    (answer.status, serde_json::from_str(&answer.body).unwrap_or(Value::Null))
}

fn get(server: &Server, target: &str) -> Value {
    let (status, body) = ask(server, target);
    assert_eq!(status, 200, "{target}");
    body
}

/// The number of a method.
fn method(server: &Server, title: &str) -> u64 {
    let results = get(server, &format!("overview/search?query={title}"))["results"].clone();
    let hits: Vec<Value> =
        results.as_array().unwrap().iter().flat_map(|one| one["hits"].as_array().unwrap().clone()).collect();
    hits.iter().find(|hit| hit["title"] == title && hit["method"] != Value::Null).unwrap()["method"]
        .as_u64()
        .unwrap()
}

/// A line for each line that can be opened from one, as it is said.
fn collect(server: &Server, id: &str, depth: usize, out: &mut Vec<String>) {
    let answer = get(server, &format!("overview/inside?entry={id}"));
    for line in answer["lines"].as_array().unwrap() {
        let text = |key: &str| line[key].as_str().unwrap_or("").to_owned();
        let from: Vec<String> = line["from"].as_array().unwrap().iter().map(Value::to_string).collect();
        out.push(format!(
            "{}{} {} {} x{} of {} ({}, {} blocks){}{}",
            "  ".repeat(depth),
            if from.is_empty() { "-".to_owned() } else { from.join(",") },
            text("title"),
            text("place"),
            line["times"],
            line["around"],
            text("kind"),
            line["blocks"],
            if line["left"] == "threw" { " threw" } else { "" },
            text("note"),
        ));
        if line["opens"] == true {
            collect(server, line["id"].as_str().unwrap(), depth + 1, out);
        }
    }
}

#[test]
fn the_tree_is_opened_line_by_line() {
    let server = server();
    let mut collected = vec![];
    collect(&server, "k0", 0, &mut collected);
    expect_test::expect![[r#"
        - main Bakery.java:6-7,13-14 x1 of 1 (call, 20658 blocks)
          6 new Oven Oven.java:5-6 x1 of 1 (call, 3 blocks)
          - loop Bakery.java:7-9 x5 of 1 (loop, 20643 blocks)
            8 sell Bakery.java:17-18,22 x5 of 5 (call, 20623 blocks)
              - loop Bakery.java:18-20 x810 of 5 (loop, 20608 blocks)
                19 bake Oven.java:10-14 x810 of 810 (call, 16558 blocks)
                  - variant Oven.java:10-11,13-14 x20 of 810 (variant, 496 blocks)
                    11 heat Oven.java:20 x20 of 20 (call, 66 blocks)
                      - loop Oven.java:17-18 x13 of 20 (loop, 26 blocks)
                    13 lambda in bake Oven.java:13 x60 of 20 (call, 330 blocks)via library (List.forEach)
                      13 turn Oven.java:23-26 x60 of 60 (call, 210 blocks)
                        - variant Oven.java:23,26 x50 of 60 (variant, 160 blocks)
                        - variant Oven.java:23-24,26 x10 of 60 (variant, 50 blocks)
                  - variant Oven.java:10,13-14 x790 of 810 (variant, 16062 blocks)
                    13 lambda in bake Oven.java:13 x2370 of 790 (call, 12902 blocks)via library (List.forEach)
                      13 turn Oven.java:23-26 x2370 of 2370 (call, 8162 blocks)
                        - variant Oven.java:23,26 x2108 of 2370 (variant, 6852 blocks)
                        - variant Oven.java:23-24,26 x262 of 2370 (variant, 1310 blocks)
          13 close Bakery.java:31-33,35 x1 of 1 (call, 7 blocks)
            31 cool Oven.java:29-30 x1 of 1 (call, 4 blocks) threw
            - exception caught Bakery.java:32-33 x1 of 1 (caught, 0 blocks)
    "#]]
    .assert_eq(&format!("{}\n", collected.join("\n")));
}

#[test]
fn the_whole_says_where_it_begins_and_what_did_most() {
    let server = server();
    let whole = get(&server, "overview")["whole"].clone();
    assert_eq!(whole["beginnings"][0]["kind"], "main");
    assert_eq!(whole["beginnings"][0]["blocks"], whole["blocks"]);
    assert_eq!((&whole["threads"], &whole["kinds"][0]["title"]), (&json!(1), &json!("main")));
    assert_eq!(whole["kinds"][0]["calls"], whole["calls"]);
    assert_eq!(whole["packages"][0]["package"], "shop");
    assert_eq!(whole["packages"][0]["blocks"], whole["blocks"], "all of it is in one package");
    let thrown = &whole["thrown"];
    assert_eq!(
        (&thrown[0]["title"], &thrown[0]["place"], &thrown[0]["times"]),
        (&json!("cool"), &json!("Oven.java:30"), &json!(1))
    );
    assert_eq!(thrown.as_array().unwrap().len(), 1, "who only passed it on is not named");
    assert_eq!(whole["caught"][0]["place"], "Bakery.java:33");
}

#[test]
fn a_method_says_who_called_it_how_often_and_from_where() {
    let server = server();
    let heat = get(&server, &format!("overview/method?id={}", method(&server, "heat")));
    assert_eq!((&heat["title"], &heat["class"]), (&json!("heat"), &json!("shop.Oven")));
    // Four loaves of the 160 to 164 of each of five days.
    assert_eq!(heat["calls"], 20);
    let callers = heat["callers"].as_array().unwrap();
    assert_eq!(callers.len(), 1);
    assert_eq!(
        (&callers[0]["title"], &callers[0]["place"], &callers[0]["times"]),
        (&json!("bake"), &json!("Oven.java:11"), &json!(20))
    );
    let bake = get(&server, &format!("overview/method?id={}", method(&server, "bake")));
    let times =
        |of: &Value| -> u64 { of.as_array().unwrap().iter().map(|one| one["times"].as_u64().unwrap()).sum() };
    assert_eq!(bake["calls"], 160 + 161 + 162 + 163 + 164);
    assert_eq!(times(&bake["callers"]), bake["calls"].as_u64().unwrap());
    let lambda =
        bake["callees"].as_array().unwrap().iter().find(|one| one["title"] == "lambda in bake").unwrap();
    assert_eq!((&lambda["how"], &lambda["times"]), (&json!("library"), &json!(3 * 810)));
    let main = get(&server, &format!("overview/method?id={}", method(&server, "main")));
    assert_eq!((&main["callers"][0]["method"], &main["threads"]), (&Value::Null, &json!(["main"])));
    assert_eq!(main["blocks"], get(&server, "overview")["whole"]["blocks"]);
    assert_eq!(ask(&server, "overview/method?id=9999").0, 404);
}

#[test]
fn each_line_knows_where_it_ran_first() {
    let server = server();
    let mut waiting = vec!["k0".to_owned()];
    let mut looked_at = 0;
    while let Some(id) = waiting.pop() {
        for line in get(&server, &format!("overview/inside?entry={id}"))["lines"].as_array().unwrap() {
            let id = line["id"].as_str().unwrap();
            let place = get(&server, &format!("overview/place?entry={id}"));
            let state = get(&server, &format!("play/state?thread=1&at={}", place["at"]));
            let frame = state["frames"].as_array().unwrap().last().unwrap();
            if line["kind"] != "caught" {
                assert_eq!(frame["method"], line["method"], "{line}");
            }
            if line["kind"] == "call" {
                assert_eq!(frame["begin"], place["at"], "{line}");
            }
            looked_at += 1;
            if line["opens"] == true {
                waiting.push(id.to_owned());
            }
        }
    }
    assert!(looked_at > 15, "{looked_at}");
    let heat = get(&server, &format!("overview/place?entry=m{}", method(&server, "heat")));
    let ran: Vec<&Value> = heat["rows"].as_array().unwrap().iter().map(|row| &row["ran"]).collect();
    assert_eq!(ran, [&Value::Null, &json!(true), &json!(true), &Value::Null, &json!(true)]);
}

#[test]
fn ways_lead_to_the_work_and_to_the_first_call() {
    let server = server();
    let title = |id: &str| {
        let (around, _) = id.rsplit_once('.').unwrap();
        let lines = get(&server, &format!("overview/inside?entry={around}"))["lines"].clone();
        lines.as_array().unwrap().iter().find(|line| line["id"] == id).unwrap()["title"].clone()
    };
    let way = get(&server, "overview/heaviest?entry=k0");
    let titles: Vec<Value> =
        way["ids"].as_array().unwrap().iter().map(|id| title(id.as_str().unwrap())).collect();
    assert_eq!(titles[..4], [json!("main"), json!("loop"), json!("sell"), json!("loop")], "{titles:?}");
    assert!(titles.contains(&json!("bake")), "{titles:?}");
    let first = get(&server, &format!("overview/first?id={}", method(&server, "cool")))["ids"].clone();
    let ids: Vec<&str> = first.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(ids[0], "k0");
    assert_eq!(
        ids[1..].iter().map(|id| title(id)).collect::<Vec<_>>(),
        [json!("main"), json!("close"), json!("cool")]
    );
    assert_eq!(get(&server, "overview/first?id=9999")["ids"], json!([]));
}

/// The titles that a search finds.
fn found(server: &Server, query: &str) -> Vec<String> {
    let results =
        get(server, &format!("overview/search?query={}", query.replace(' ', "+")))["results"].clone();
    let hits = results.as_array().unwrap().iter().flat_map(|one| one["hits"].as_array().unwrap().clone());
    hits.map(|hit| hit["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_written_in_the_tree_finds_itself() {
    let server = server();
    let mut waiting = vec!["k0".to_owned()];
    while let Some(id) = waiting.pop() {
        for line in get(&server, &format!("overview/inside?entry={id}"))["lines"].as_array().unwrap() {
            let (title, class, place) = (&line["title"], &line["class"], &line["place"]);
            if line["kind"] == "call" {
                let title = title.as_str().unwrap().to_owned();
                assert!(found(&server, &title).contains(&title), "{title}");
                assert!(found(&server, class.as_str().unwrap()).contains(&title), "{class}");
                assert!(found(&server, place.as_str().unwrap()).contains(&title), "{place}");
            }
            if line["opens"] == true {
                waiting.push(line["id"].as_str().unwrap().to_owned());
            }
        }
    }
    for (query, title) in [
        ("SHOP", "shop"),
        ("mai", "main"),
        ("shop.oven.HEAT", "heat"),
        ("new oven", "new Oven"),
        ("oven.java:18", "heat"),
    ] {
        assert!(found(&server, query).contains(&title.to_owned()), "{query}: {:?}", found(&server, query));
    }
    assert_eq!(found(&server, "nothing of the kind"), Vec::<String>::new());
    let source = get(&server, "overview/search?source=true&query=come+back")["results"].clone();
    let hit = &source[0]["hits"][0];
    assert_eq!((&hit["beside"], &hit["times"]), (&json!("Bakery.java:33"), &json!(1)));
    let long = "x".repeat(201);
    assert_eq!(ask(&server, &format!("overview/search?query={long}")).0, 400);
}

#[test]
fn odd_questions_are_refused() {
    let server = server();
    for target in
        ["overview/inside", "overview/place", "overview/heaviest", "overview/method", "overview/classes"]
    {
        assert_eq!(ask(&server, target).0, 400, "{target}");
    }
    for entry in
        ["", "x", "k", "k9", "m9999", "k0.99", "k0.0.0.0.0.0.0.0", "k-1", "k0.", "k0..0", "m4294967296"]
    {
        assert_eq!(ask(&server, &format!("overview/inside?entry={entry}")).0, 404, "{entry}");
    }
    let deep = format!("k0{}", ".0".repeat(5000));
    assert_eq!(ask(&server, &format!("overview/inside?entry={deep}")).0, 404);
    let bounded =
        get(&server, "overview/inside?entry=k0&from=18446744073709551615&count=18446744073709551615");
    assert_eq!(bounded["lines"], json!([]));
}
