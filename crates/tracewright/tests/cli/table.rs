//! `tracewright table`: rows and columns, the same in every format, whatever cannot be read.

use serde_json::Value;

use crate::util::{Folder, Ran, below_root, folder};

/// The rows of a CSV, each a list of cells, behind the names of the columns.
fn rows(csv: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let names = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect());
    (names, rows.collect())
}

fn table(arguments: &[&str]) -> Ran {
    run(&folder(), &[&["table"], arguments].concat())
}

fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.run_with(arguments.iter().copied(), "")
}

fn column(csv: &str, name: &str) -> Vec<String> {
    let (names, rows) = rows(csv);
    let at = names.iter().position(|known| known == name).unwrap();
    rows.into_iter().map(|row| row[at].clone()).collect()
}

const TABLES: [&str; 11] = [
    "events",
    "gaps",
    "states",
    "incoherences",
    "inferred",
    "loops",
    "calls",
    "blocks",
    "sections",
    "values",
    "hangs",
];

#[test]
fn the_document_lists_the_columns() {
    let path = below_root("docs/tables.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let mut renewed = document.clone();
    for what in TABLES {
        let ran = table(&[what, "--columns"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran}");
        let (begin, end) = (format!("<!-- {what} -->\n"), "<!-- end -->");
        let from = renewed.find(&begin).unwrap() + begin.len();
        let to = from + renewed[from..].find(end).unwrap();
        renewed.replace_range(from..to, &ran.out);
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, renewed).unwrap();
    } else {
        assert_eq!(document, renewed, "UPDATE_EXPECT=1 renews the document");
    }
}

#[test]
fn events_are_those_that_the_command_prints() {
    let trace = below_root("examples/traces/lossy");
    let printed = run(&folder(), &["events", &trace, "--json"]);
    let printed: Vec<Value> = printed.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ran = table(&["events", &trace]);
    assert_eq!(ran.code, 1, "{ran}");
    let (names, rows) = rows(&ran.out);
    assert_eq!(names, ["trace", "error", "time", "stream", "seq", "cpu", "name", "fields"]);
    assert_eq!(rows.len(), printed.len());
    for (row, event) in rows.iter().zip(&printed) {
        assert_eq!(row[..2], [trace.clone(), String::new()]);
        assert_eq!(row[2], event["ts"].to_string());
        assert_eq!(row[3], event["stream"].as_str().unwrap());
        assert_eq!(row[6], event["name"].as_str().unwrap());
        assert_eq!(serde_json::from_str::<Value>(&row[7]).unwrap(), event["fields"]);
    }
}

#[test]
fn fields_of_named_events_have_columns() {
    let folder = folder().with(
        "log.jsonl",
        r#"{"ts":1,"name":"get","fields":{"status":200,"path":"/a","name":"x","big":1}}
{"ts":2,"name":"put","fields":{"status":201}}
{"ts":3,"name":"get","fields":{"status":404,"path":"/b","took":1.5,"big":"much"}}
{"ts":4,"name":"get","fields":{"list":[1,2],"path":null}}
"#,
    );
    let ran = run(&folder, &["table", "events", "log.jsonl", "--name", "get"]);
    let expected = r#"trace,error,time,stream,seq,cpu,name,fields,status,path,field_name,big,took
log.jsonl,,1,log.jsonl,0,,get,,200,/a,x,1,
log.jsonl,,3,log.jsonl,2,,get,,404,/b,,much,1.5
log.jsonl,,4,log.jsonl,3,,get,"{""list"":[1,2],""path"":null}",,,,,
"#;
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, expected, ""), "{ran}");
}

/// One that is cut, one that is no trace, one that is not there: each is told, the others are read.
#[test]
fn what_cannot_be_read_is_a_row() {
    let folder = folder()
        .with("good.jsonl", "{\"ts\":1,\"name\":\"a\"}\n")
        .with("cut.jsonl", "{\"ts\":1,\"name\":\"a\"}\n{\"ts\":2,\"na")
        .with("text.txt", "hello\n");
    let inputs = ["good.jsonl", "cut.jsonl", "text.txt", "absent.jsonl", "good.jsonl"];
    let ran = run(&folder, &[&["table", "events"], &inputs[..]].concat());
    assert_eq!(ran.code, 1, "{ran}");
    assert_eq!(column(&ran.out, "trace"), inputs);
    let errors = column(&ran.out, "error");
    assert_eq!((&*errors[0], &*errors[1], &*errors[4]), ("", "", ""));
    assert!(errors[2].starts_with("text.txt is no trace that can be read"), "{errors:?}");
    assert!(errors[3].starts_with("cannot open absent.jsonl: No such file"), "{errors:?}");
    let none = run(&folder, &["table", "events", "text.txt", "absent.jsonl", "-o", "none.csv"]);
    assert_eq!(none.code, 2, "{none}");
    assert!(none.err.ends_with("tracewright: none of the inputs could be read\n"), "{none}");
    assert!(!folder.path.join("none.csv").exists());
    let named = run(&folder, &["table", "events", "good.jsonl", "-o", "rows.txt"]);
    let expected =
        "tracewright: rows.txt does not end in .csv, .arrow or .parquet; --format says what to write\n";
    assert_eq!((named.code, named.err.as_str()), (2, expected));
}

#[test]
fn folders_and_patterns_stand_for_what_is_in_them() {
    // Whoever noted something on a trace left that beside it.
    let mut folder = folder().with("logs/.hidden", "").with("logs/a.jsonl.notes.json", "{}");
    for name in ["b", "a", "c"] {
        folder = folder.with(&format!("logs/{name}.jsonl"), format!("{{\"ts\":1,\"name\":\"{name}\"}}\n"));
    }
    // Nobody writes into it.
    let pipe = folder.path.join("logs/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (input, expected) in
        [("logs", "a b c"), ("logs/[ab].jsonl", ""), ("logs/?.jsonl", "a b c"), ("logs/a*", "a")]
    {
        let ran = run(&folder, &["table", "events", input]);
        let names = if ran.code == 2 { String::new() } else { column(&ran.out, "name").join(" ") };
        assert_eq!(names, expected, "{input}: {ran}");
    }
}

#[test]
fn reading_side_by_side_changes_no_byte() {
    let lossy = below_root("examples/traces/lossy");
    let complete = below_root("examples/traces/complete");
    let inputs = [&*complete, &*lossy, &*complete, &*lossy, &*complete, "absent"];
    for what in ["events", "loops", "gaps", "hangs"] {
        let one = table(&[&[what, "--jobs", "1"], &inputs[..]].concat());
        let three = table(&[&[what, "--jobs", "3"], &inputs[..]].concat());
        assert_eq!((one.code, &one.out), (three.code, &three.out), "{what}");
        assert!(one.out.lines().count() > 5, "{what}: {one}");
    }
}

/// One long input is read by several threads, each of which makes blocks of its rows.
#[test]
fn threads_that_share_an_input_change_no_byte() {
    let line =
        |number| format!("{{\"ts\":{number},\"name\":\"{}\"}}\n", if number < 40_000 { "a" } else { "b" });
    // A block is 8,192 events; the last one is whole, cut, or of one event.
    for events in [0, 1, 5 * 8_192, 5 * 8_192 + 1, 50_000] {
        let folder = folder().with("log.jsonl", (0..events).map(line).collect::<String>());
        for options in [&[][..], &["--name", "b"]] {
            let read =
                |jobs| run(&folder, &[&["table", "events", "log.jsonl", "--jobs", jobs], options].concat());
            let one = read("1");
            assert_eq!(one.code, 0, "{}", one.err);
            for jobs in ["2", "3", "32"] {
                let several = read(jobs);
                assert_eq!((several.code, several.err), (0, String::new()));
                assert!(several.out == one.out, "{events} events, {jobs} threads, {options:?}");
            }
        }
    }
}

#[test]
fn calls_and_blocks_add_up_to_what_ran() {
    for recording in ["web/tests/bakery.capture", "examples/uftrace/shapes.data"] {
        let recording = below_root(recording);
        let summary = run(&folder(), &["calls", &recording, "--summary", "--json"]);
        let summary: Value = serde_json::from_str(&summary.out).unwrap();
        let sum = |csv: &str, name: &str| -> u64 {
            column(csv, name).iter().map(|cell| cell.parse::<u64>().unwrap()).sum()
        };
        let (calls, blocks) = (table(&["calls", &recording]), table(&["blocks", &recording]));
        let wanted = |name: &str| summary[name].as_u64().unwrap();
        assert_eq!(sum(&calls.out, "calls"), wanted("calls"), "{recording}: {summary}");
        assert_eq!(sum(&calls.out, "blocks"), wanted("blocks"), "{recording}");
        assert_eq!(sum(&blocks.out, "count"), wanted("blocks"), "{recording}");
    }
}

mod parts;
#[cfg(feature = "columnar")]
mod sql;

#[cfg(feature = "columnar")]
mod columnar {
    use std::path::Path;

    use super::{below_root, folder, rows, run};

    /// The cells of a column as CSV has them.
    fn shown(array: &dyn arrow_array::Array, row: usize) -> String {
        use arrow_array::cast::AsArray;
        use arrow_array::types::{Float64Type, Int64Type, TimestampNanosecondType, UInt64Type};
        if array.is_null(row) {
            return String::new();
        }
        match array.data_type() {
            arrow_schema::DataType::Utf8 => array.as_string::<i32>().value(row).to_owned(),
            arrow_schema::DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).to_string(),
            arrow_schema::DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
            arrow_schema::DataType::Float64 => array.as_primitive::<Float64Type>().value(row).to_string(),
            arrow_schema::DataType::Boolean => array.as_boolean().value(row).to_string(),
            arrow_schema::DataType::Timestamp(_, Some(zone)) if &**zone == "UTC" => {
                array.as_primitive::<TimestampNanosecondType>().value(row).to_string()
            }
            other => panic!("{other}"),
        }
    }

    fn read_batches<E: std::fmt::Debug>(
        batches: impl Iterator<Item = Result<arrow_array::RecordBatch, E>>,
    ) -> Vec<Vec<String>> {
        let mut rows = vec![];
        for batch in batches {
            let batch = batch.unwrap();
            for row in 0..batch.num_rows() {
                rows.push(batch.columns().iter().map(|column| shown(column, row)).collect());
            }
        }
        rows
    }

    fn columnar(file: &Path) -> Vec<Vec<String>> {
        let open = std::fs::File::open(file).unwrap();
        if file.extension().unwrap() == "parquet" {
            let builder =
                parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(open).unwrap();
            read_batches(builder.build().unwrap())
        } else {
            read_batches(arrow_ipc::reader::StreamReader::try_new(open, None).unwrap())
        }
    }

    #[test]
    fn all_formats_have_the_same_rows() {
        let folder = folder();
        let (lossy, bakery) = (below_root("examples/traces/lossy"), below_root("web/tests/bakery.capture"));
        for (what, input) in [
            ("events", &lossy),
            ("gaps", &lossy),
            ("hangs", &lossy),
            ("loops", &bakery),
            ("calls", &bakery),
            ("blocks", &bakery),
        ] {
            let inputs = [input.as_str(), "absent"];
            let csv = run(&folder, &[&["table", what], &inputs[..]].concat());
            let (_, expected) = rows(&csv.out);
            assert!(expected.len() > 2, "{what}: {csv}");
            for name in ["rows.parquet", "rows.arrow"] {
                let ran = run(&folder, &[&["table", what, "-o", name], &inputs[..]].concat());
                assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran}");
                assert_eq!(columnar(&folder.path.join(name)), expected, "{what} {name}");
            }
        }
    }
}
