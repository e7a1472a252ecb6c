//! Every task of this repository, one module each. `cargo xtask` alone lists them.
//!
//! A task prints each command before it runs it, so that whoever reads the output can repeat it by
//! hand. Exit codes: 0 done, 1 the task found something wrong, 2 it could not be done.

use std::process::ExitCode;

mod bench;
mod corpus_inputs;
mod demo;
mod deny;
mod dist;
mod docs;
mod fuzz;
mod fuzz_minute;
mod mutants;
mod packages;
mod program;
mod repeat_trace;
mod settle;
mod sh;
mod skipped_tests;
mod test;
mod web;
mod wheel;

use program::Profile;

const USAGE: &str = "\
usage: cargo xtask TASK

  demo                       build Tracewright and show what it makes of the example traces
  test                       install what the tests need, then run every check that CI runs
  bench [2l|ctf|loops|lost|packing|jvm|lost-cost|lost-long|lost-table|jvm-long] [seed=N]
                             measure, against babeltrace2 and Java programs where they are installed, and
                             print a table
  fuzz [--seconds N] [TARGET ...]
                             libFuzzer with coverage feedback and the address sanitizer, one minute for each
                             target; what reaches more goes into the corpus (needs a nightly toolchain)
  fuzz-minute [--seconds N] [TARGET]
                             mutate kept inputs, one minute for each target
  mutants [--shard K/N] [FILE...]
                             install cargo-mutants if missing; change the core files in every way it knows and
                             see that a test notices (hours; a shard tries every Nth change)
  repeat-trace IN OUT N      write an LTTng trace N times, one after the other, to see how cost grows
  settle W H [--sample N]    prove which 2L programs of a size halt, and check it with the independent programs in
                             proofs/ (docs/bb-6x6.md); with --sample, they check each Nth proof
  web [--test|--shots|--measure]
                             build the page of the viewer; then test it in a browser, take pictures of
                             each view, or measure it on large generated traces
  docs                       install mdBook if missing; build the guide in target/book
  dist                       make what people install without Rust: a tar.gz, a .deb, checksums and the list of
                             packages in it, in target/dist
  wheel                      build the package for Python, with the program in it, by maturin; in target/wheel
  deny                       install cargo-deny if missing; check licences, sources, advisories
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words = arguments.iter().map(String::as_str);
    let task = words.next().unwrap_or("help");
    let rest: Vec<&str> = words.collect();
    let outcome = match task {
        "demo" => demo::run(Profile::Release),
        "test" => test::run(),
        "bench" => bench::run(&rest),
        "fuzz" => fuzz::run(&rest),
        "fuzz-minute" => fuzz_minute::run(&rest),
        "deny" => deny::run(),
        "docs" => docs::run(),
        "dist" => dist::run(),
        "mutants" => mutants::run(&rest),
        "repeat-trace" => repeat_trace::run(&rest),
        "settle" => settle::run(&rest),
        "web" => web::run(&rest),
        "wheel" => wheel::run(),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => Err(sh::Trouble::CannotDo(format!("there is no task `{other}`\n\n{USAGE}"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(sh::Trouble::Wrong(what)) => {
            eprintln!("xtask {task}: {what}");
            ExitCode::from(1)
        }
        Err(sh::Trouble::CannotDo(what)) => {
            eprintln!("xtask {task}: {what}");
            ExitCode::from(2)
        }
    }
}
