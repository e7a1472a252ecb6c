//! `cargo xtask demo`: what Tracewright makes of the example traces. Needs cargo and nothing else;
//! with a JDK it also records a Java program, else it shows a recording that is kept.

use std::io::IsTerminal as _;
use std::path::Path;

use crate::packages;
use crate::program::{self, Profile};
use crate::sh::{self, Outcome, Trouble};
use crate::web;

/// What is shown: the words before it, the arguments, and the exit code that it must end with.
const SCENES: [(&str, &str, i32); 4] = [
    (
        "A small shop was recorded: three threads, 2,608 events, nothing lost. What is in the trace?",
        "info examples/traces/complete",
        0,
    ),
    (
        "Which loops did each thread run? A run is [body]*iterations; the levels above find loops of loops.",
        "loops examples/traces/complete --runs 12",
        0,
    ),
    (
        "The same shop, recorded with buffers that were too small. LTTng threw 501 of 4,890 events\n\
         away. Loss is data: it has a place and a count, and the exit code (1) says that it is there.",
        "info examples/traces/lossy",
        1,
    ),
    (
        "The baker's loops again: none is said to go on across a place where events are missing.",
        "loops examples/traces/lossy --track 'baker*' --runs 12",
        1,
    ),
];

/// Builds the program and plays the scenes.
pub(crate) fn run(profile: Profile) -> Outcome {
    // The page is part of the program, where it can be built; without it the server says how to get it.
    if let Some(why) = web::missing() {
        println!("The viewer's page is left out: {why}.");
    } else if web::build().is_err() {
        println!("The viewer's page is left out: it could not be built.");
    }
    let program = program::build(profile)?;
    for (words, arguments, expected) in SCENES {
        show(&program, words, arguments, expected)?;
    }
    let capture = bakery(&program);
    let words =
        "What did this Java program do? Calls, the lines that ran in each, and loops with their iterations.";
    show(&program, words, &format!("calls {capture}"), 0)?;
    let words = "How much is that, and how much of it need not be told?";
    show(&program, words, &format!("calls {capture} --summary"), 0)?;
    println!("\nYour own trace: {} info PATH", program.display());
    let watch = format!("view {capture} --source-root examples/bakery");
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return show(&program, "Watch it run, in the browser. Ctrl-C ends this.", &watch, 0);
    }
    println!("Watch the bakery run: {} {watch}", program.display());
    Ok(())
}

fn show(program: &Path, words: &str, arguments: &str, expected: i32) -> Outcome {
    println!("\n--- {}\n\n$ tracewright {arguments}", words.replace('\n', "\n    "));
    let mut command = std::process::Command::new(program);
    // Shown as one types it in a shell; given as the shell would give it.
    command.args(arguments.split(' ').map(|word| word.trim_matches('\''))).current_dir(sh::root());
    match command.status() {
        Ok(status) if status.code() == Some(expected) => Ok(()),
        Ok(status) => {
            Err(Trouble::Wrong(format!("`tracewright {arguments}` ended with {status}, not with {expected}")))
        }
        Err(error) => Err(Trouble::CannotDo(format!("{}: {error}", program.display()))),
    }
}

/// The bakery that is kept, for where it cannot be recorded.
const STORED: &str = "examples/bakery/bakery.capture";

/// Compiles the bakery and records it: a capture as one names it in the root of the repository.
fn bakery(program: &Path) -> String {
    let target = sh::target_dir().join("demo");
    let (classes, capture) = (target.join("classes"), target.join("bakery.capture"));
    let (into, recorded) = (classes.display(), capture.display());
    // What an earlier demonstration left there.
    let _ = std::fs::remove_dir_all(&capture);
    println!(
        "\n--- A bakery in Java: two threads, an interface with three implementations, recursion, exceptions."
    );
    let sources = [
        "Baker",
        "Bread",
        "BurntException",
        "Cake",
        "Dough",
        "Main",
        "Order",
        "Oven",
        "Pretzel",
        "Recipe",
        "Till",
    ];
    let sources = sources.map(|name| format!("examples/bakery/bakery/{name}.java")).join(" ");
    let made = std::fs::create_dir_all(&classes).is_ok()
        && packages::has_jdk()
        && sh::run(&format!("javac -g -d {into} {sources}")).is_ok()
        && sh::run(&format!("{} record -o {recorded} -- java -cp {into} bakery.Main", program.display()))
            .is_ok();
    if made {
        return recorded.to_string();
    }
    println!("It cannot be recorded here, so this is the recording that is kept.");
    STORED.to_owned()
}
