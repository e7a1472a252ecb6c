//! `cargo xtask bench`: what is measured, against what, and whether it is fast enough.
//!
//! Every line of the table is a ratio or a rate of one run on one machine, with its target beside
//! it. Our own worst cases are lines like any other. The raw samples go to `target/bench/`.

pub(crate) mod ctf;
mod formats;
mod jvm;
mod loops;
mod lost;
mod measure;
mod packing;
mod reading;
mod real;
mod table;
mod tables;
pub(crate) mod trace;
mod two_l;
mod words;

use table::Table;

use crate::sh::{self, Outcome, Trouble};

/// A group fills in its rows.
type Group = fn(&mut Table) -> Outcome;

const GROUPS: [(&str, Group); 9] = [
    ("2l", two_l::run),
    ("ctf", ctf::run),
    ("formats", formats::run),
    ("loops", loops::run),
    ("rules", loops::run_rules),
    ("lost", lost::run),
    ("packing", packing::run),
    ("tables", tables::run),
    ("jvm", jvm::run),
];

/// Groups that take long, and parts of groups: only who names one gets it.
const LONG: [(&str, Group); 11] = [
    ("loops-long", loops::run_long),
    ("lost-cost", lost::run_cost),
    ("lost-long", lost::run_long),
    ("lost-table", lost::run_table),
    ("jvm-long", jvm::run_long),
    ("jvm-kernels", jvm::run_kernels),
    ("jvm-threads", jvm::run_threads),
    ("jvm-server", jvm::run_server),
    ("jvm-programs", jvm::run_programs),
    ("jvm-start", jvm::run_start),
    ("jvm-reading", jvm::run_reading),
];

/// All groups, or those that are named; `seed=N` draws other cases.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let seed = arguments.iter().find_map(|word| word.strip_prefix("seed=")?.parse().ok());
    let all = arguments;
    let arguments: Vec<&str> = arguments.iter().copied().filter(|word| !word.starts_with("seed=")).collect();
    let known = |name: &&str| GROUPS.iter().chain(&LONG).any(|group| group.0 == *name);
    if let Some(unknown) = arguments.iter().find(|name| !known(name)) {
        return Err(Trouble::CannotDo(format!(
            "there is no benchmark `{unknown}`; there are 2l, ctf, formats, loops, rules, lost, packing, tables, jvm, loops-long, lost-cost, \
             lost-long, lost-table and jvm-long, and jvm-kernels, jvm-threads, jvm-server, jvm-programs, jvm-start and jvm-reading"
        )));
    }
    if sh::again_in_release("bench", all)? {
        return Ok(());
    }
    let mut table = Table::default();
    table.seed = seed;
    for (name, group) in GROUPS.into_iter().chain(LONG) {
        let is_usual = GROUPS.iter().any(|usual| usual.0 == name);
        if (arguments.is_empty() && is_usual) || arguments.contains(&name) {
            group(&mut table)?;
        }
    }
    println!("\n{table}");
    let file = table.save()?;
    println!("raw samples: {}", file.display());
    match table.missed() {
        0 => Ok(()),
        count => Err(Trouble::Wrong(format!("{count} targets were missed"))),
    }
}
