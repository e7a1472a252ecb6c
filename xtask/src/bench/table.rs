//! The one table of a benchmark run, and its raw samples as a dated file.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::sh::{self, Trouble};

/// One measurement.
pub(crate) struct Row {
    pub(crate) what: String,
    /// What we reached, with its unit.
    pub(crate) ours: String,
    /// What the program or the plain loop beside us reached, with its unit; empty if there is none.
    pub(crate) peer: String,
    /// Ours to the peer's, as the target means it.
    pub(crate) ratio: Option<f64>,
    /// What must be reached, in words; empty: shown for scale only.
    pub(crate) target: String,
    /// Whether it was.
    pub(crate) reached: Option<bool>,
    /// Everything that was measured for it, raw.
    pub(crate) samples: Value,
}

/// All rows of a run.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    /// Other seeds draw other cases, where cases are drawn.
    pub(crate) seed: Option<u64>,
}

impl Table {
    /// Adds a row, and shows that it is there: a run takes a while.
    pub(crate) fn push(&mut self, row: Row) {
        eprintln!("measured: {}: {}", row.what, row.ours);
        self.rows.push(row);
    }

    /// How many targets were missed.
    pub(crate) fn missed(&self) -> usize {
        self.rows.iter().filter(|row| row.reached == Some(false)).count()
    }

    /// Writes the samples to `target/bench/DATE.json`.
    pub(crate) fn save(&self) -> Result<PathBuf, Trouble> {
        let date = sh::output_of("date -u +%Y-%m-%dT%H%M%SZ");
        let rows: Vec<Value> = self.rows.iter().map(Row::json).collect();
        let all = json!({
            "date": date,
            "commit": sh::output_of("git rev-parse --short HEAD"),
            "machine": machine(),
            "rows": rows,
        });
        let folder = sh::target_dir().join("bench");
        let file = folder.join(format!("{date}.json"));
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&file, format!("{all:#}\n")))
            .map_err(|error| Trouble::CannotDo(format!("{}: {error}", file.display())))?;
        Ok(file)
    }
}

impl Row {
    fn json(&self) -> Value {
        json!({
            "what": self.what, "ours": self.ours, "peer": self.peer, "ratio": self.ratio,
            "target": self.target, "reached": self.reached, "samples": self.samples,
        })
    }

    fn cells(&self) -> [String; 6] {
        let ratio = self.ratio.map_or_else(String::new, |ratio| {
            if ratio < 0.1 { format!("1/{:.0}", 1.0 / ratio) } else { format!("{ratio:.2}") }
        });
        let verdict = match self.reached {
            Some(true) => "reached",
            Some(false) => "MISSED",
            None => "",
        };
        [&self.what, &self.ours, &self.peer, &ratio, &self.target, verdict].map(ToString::to_string)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["what", "ours", "peer", "ratio", "target", "verdict"].map(str::to_owned);
        let mut lines = vec![head];
        lines.extend(self.rows.iter().map(Row::cells));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 6] = std::array::from_fn(width);
        for [what, ours, peer, ratio, target, verdict] in &lines {
            let [a, b, c, d, e, _] = widths;
            let line = format!("{what:a$}  {ours:>b$}  {peer:>c$}  {ratio:>d$}  {target:e$}  {verdict}");
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// The processor, because a rate means nothing without it.
fn machine() -> String {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} x {}", count, model.unwrap_or("unknown processor"))
}
