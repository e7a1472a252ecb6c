//! The questions of `docs/sql`, asked in DuckDB where Python has it, against the tables added up row by row.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use super::{rows, run};
use crate::util::{Folder, below_root, folder};

/// Prints the rows that a file with a question gives, as JSON.
const ASK: &str = "\
import duckdb, json, sys
rows = duckdb.sql(open(sys.argv[1]).read()).fetchall()
print(json.dumps([[cell if cell is None or isinstance(cell, (int, float)) else str(cell) for cell in row] for row in rows]))
";

/// The answer to `docs/sql/NAME.sql` over the tables in the folder.
fn asked(folder: &Folder, name: &str) -> Vec<Vec<String>> {
    let file = below_root(&format!("docs/sql/{name}.sql"));
    let ran = Command::new("python3").args(["-c", ASK, &file]).current_dir(&folder.path).output().unwrap();
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    let answer: Vec<Vec<Value>> = serde_json::from_slice(&ran.stdout).unwrap();
    let cell = |cell: &Value| match cell {
        Value::Null => String::new(),
        // Sums of 64-bit columns have 128 bits, which Python prints whole.
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    answer.iter().map(|row| row.iter().map(cell).collect()).collect()
}

/// The cells of a row by the names of their columns.
type Cells<'a> = &'a dyn Fn(&str) -> String;

/// The rows of a table for which `is_wanted`, added up by some of their cells: the number of rows, then the sum of each of `sums`.
struct Added<'a> {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
    is_wanted: &'a dyn Fn(Cells<'_>) -> bool,
}

impl Added<'_> {
    fn by(&self, keys: &[&str], sums: &[&str]) -> BTreeMap<Vec<String>, Vec<u64>> {
        let at = |name: &str| self.names.iter().position(|known| known == name).unwrap();
        let mut added: BTreeMap<Vec<String>, Vec<u64>> = BTreeMap::new();
        for row in &self.rows {
            if !(self.is_wanted)(&|name| row[at(name)].clone()) {
                continue;
            }
            let key = keys.iter().map(|name| row[at(name)].clone()).collect();
            let sum = added.entry(key).or_insert_with(|| vec![0; sums.len() + 1]);
            sum[0] += 1;
            for (position, name) in sums.iter().enumerate() {
                sum[position + 1] += row[at(name)].parse::<u64>().unwrap_or(0);
            }
        }
        added
    }
}

/// A table as CSV, and as Parquet in the folder.
fn table<'a>(
    folder: &Folder,
    arguments: &[&str],
    file: &str,
    is_wanted: &'a dyn Fn(Cells<'_>) -> bool,
) -> Added<'a> {
    let written = run(folder, &[&["table"], arguments, &["-o", file]].concat());
    assert!(written.code < 2, "{written}");
    let (names, rows) = rows(&run(folder, &[&["table"], arguments].concat()).out);
    Added { names, rows, is_wanted }
}

/// Cells of rows by place, as a key and numbers.
fn picked(rows: &[Vec<String>], keys: &[usize], sums: &[usize]) -> BTreeMap<Vec<String>, Vec<u64>> {
    let key = |row: &Vec<String>| keys.iter().map(|at| row[*at].clone()).collect();
    let sum = |row: &Vec<String>| sums.iter().map(|at| row[*at].parse().unwrap()).collect();
    rows.iter().map(|row| (key(row), sum(row))).collect()
}

#[test]
fn each_question_has_the_answer_that_adding_up_gives() {
    let has_duckdb = Command::new("python3").args(["-c", "import duckdb"]).output();
    if !has_duckdb.is_ok_and(|ran| ran.status.success()) {
        return testing::skip("python3 has no duckdb (pip install duckdb)");
    }
    let (kernel, lossy, bakery) = (
        below_root("examples/pipes/talk.data.gz"),
        below_root("examples/traces/lossy"),
        below_root("examples/bakery/bakery.capture"),
    );
    let folder = folder();
    let all = |_: Cells<'_>| true;

    let events = table(&folder, &["events", &kernel], "events.parquet", &all);
    let answer = asked(&folder, "events-by-name");
    assert!(answer.len() > 5);
    assert_eq!(picked(&answer, &[0], &[1]), events.by(&["name"], &[]));

    let is_thread = |cell: Cells<'_>| {
        let attribute = cell("attribute");
        attribute.starts_with("scenarios/process_fsm/") && attribute.ends_with("/state")
    };
    let mut states = table(&folder, &["states", &kernel], "states.parquet", &is_thread);
    // How long each was.
    let at = |name: &str| states.names.iter().position(|known| known == name).unwrap();
    let (from, to) = (at("from"), at("to"));
    for row in &mut states.rows {
        let length = row[to].parse::<u64>().unwrap() - row[from].parse::<u64>().unwrap();
        row.push(length.to_string());
    }
    states.names.push("ns".to_owned());
    let instances = |rows: Vec<Vec<String>>| -> Vec<Vec<String>> {
        let whole = |row: &Vec<String>| {
            let mut row = row.clone();
            row[1] = format!("scenarios/process_fsm/{}/state", row[1]);
            row
        };
        rows.iter().map(whole).collect()
    };
    let answer = instances(asked(&folder, "time-in-state"));
    assert!(answer.len() > 10);
    assert_eq!(picked(&answer, &[1, 2], &[4, 3]), states.by(&["attribute", "value"], &["ns"]));
    let waits = instances(asked(&folder, "longest-waits"));
    let is_wait = |cell: Cells<'_>| is_thread(cell) && cell("value").starts_with("wait");
    let single = Added { is_wanted: &is_wait, ..states };
    let mut lengths: Vec<u64> =
        single.by(&["attribute", "value", "from"], &["ns"]).into_values().map(|sums| sums[1]).collect();
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    let longest: Vec<u64> = waits.iter().map(|row| row[3].parse().unwrap()).collect();
    assert_eq!(longest, lengths[..10]);

    let wakeups = table(&folder, &["events", &kernel, "--name", "sched_wak*"], "wakeups.parquet", &all);
    let answer = asked(&folder, "who-woke-whom");
    assert_eq!(picked(&answer, &[0, 1], &[2]), wakeups.by(&["procname", "comm"], &[]));

    let gaps = table(&folder, &["gaps", &lossy], "gaps.parquet", &all);
    assert_eq!(picked(&asked(&folder, "loss-by-cpu"), &[1], &[2, 3]), gaps.by(&["cpu"], &["events"]));
    table(&folder, &["inferred", &kernel], "inferred.parquet", &all);
    // Nothing is inferred of a trace that no model knows.
    let share: Vec<String> = asked(&folder, "inferred-share").concat();
    assert_eq!(share[1..], ["501", "0", "0", "0.0"]);

    let is_loop = |cell: Cells<'_>| cell("period") != "0";
    let loops = table(&folder, &["loops", &lossy], "loops.parquet", &is_loop);
    let (answer, all_loops) =
        (asked(&folder, "loops"), loops.by(&["track", "level", "word"], &["iterations"]));
    let found = picked(&answer, &[1, 2, 3], &[6, 5]);
    assert_eq!(found.len(), 20.min(all_loops.len()));
    assert!(found.iter().all(|(key, sums)| all_loops[key] == *sums), "{found:?}");

    let calls = table(&folder, &["calls", &bakery], "calls.parquet", &all);
    let keys = ["caller_class", "caller_method", "caller_line", "class", "method"];
    let (answer, all_calls) = (asked(&folder, "who-calls-whom"), calls.by(&keys, &["calls", "threw"]));
    let found = picked(&answer, &[0, 1, 2, 3, 4], &[5, 6]);
    assert_eq!(found.len(), 20.min(all_calls.len()));
    assert!(found.iter().all(|(key, sums)| all_calls[key][1..] == *sums), "{found:?}");

    let blocks = table(&folder, &["blocks", &bakery], "blocks.parquet", &all);
    let lines = blocks.by(&["file", "first_line", "last_line", "class", "method"], &["count"]);
    let found = picked(&asked(&folder, "hottest-lines"), &[0, 1, 2, 3, 4], &[5]);
    assert_eq!(found.len(), 20.min(lines.len()));
    assert!(found.iter().all(|(key, sums)| lines[key][1..] == *sums), "{found:?}");

    let hangs = table(&folder, &["hangs", &lossy], "hangs.parquet", &all);
    assert_eq!(asked(&folder, "never-returned").len(), hangs.rows.len());

    let is_task = |cell: Cells<'_>| cell("kind") == "task";
    let sections = table(&folder, &["sections", &bakery], "sections.parquet", &is_task);
    let found = picked(&asked(&folder, "slowest-tasks"), &[1], &[2, 4]);
    assert_eq!(found, sections.by(&["name"], &["blocks"]));
    assert!(!found.is_empty());
    assert_eq!(asked(&folder, "failed-tests").len(), 0, "it runs no tests");
}
