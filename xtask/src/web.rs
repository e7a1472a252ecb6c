//! `cargo xtask web`: builds the page of the viewer, which the next build of the program embeds.
//!
//! The page is not in git. A checkout without Node builds and tests all the same, and then serves a page that
//! says how to get this one. Packages come from `web/package-lock.json`, and none of them runs a script when installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::sh::{self, Outcome, Trouble};

/// The oldest Node that can build it.
const NODE: (u32, u32) = (20, 19);

/// Runs the chore.
pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let script = match arguments {
        [] => None,
        ["--test"] => Some("test"),
        ["--shots"] => Some("shots"),
        ["--measure"] => Some("measure"),
        _ => return Err(Trouble::CannotDo("web takes --test, --shots or --measure".into())),
    };
    if let Some(why) = missing() {
        return Err(Trouble::CannotDo(why));
    }
    build()?;
    match script {
        None => Ok(()),
        Some("test") => browse("test", "node --test tests/", &[]),
        Some("measure") => browse("measure", "node tests/measure.mjs", &["--release"]),
        Some(script) => browse(script, &format!("node tests/{script}.mjs"), &[]),
    }
}

/// What is missing to build the page; `None`: nothing.
pub(crate) fn missing() -> Option<String> {
    let version = sh::output_of("node --version");
    let mut numbers = version.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0));
    let found = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let (major, minor) = NODE;
    if found < NODE {
        let found = if version.is_empty() { "none is here".to_owned() } else { format!("{version} is here") };
        return Some(format!("the viewer's page needs Node {major}.{minor} or later; {found}"));
    }
    (!sh::works("npm --version")).then(|| "the viewer's page needs npm, which is not here".to_owned())
}

/// What is missing to look at the page in a browser; `None`: nothing.
pub(crate) fn missing_browser() -> Option<String> {
    missing().or_else(|| {
        let there = sh::works("chromium --version") || std::env::var_os("CHROMIUM").is_some();
        (!there).then(|| "there is no `chromium`; on Debian: apt-get install chromium".to_owned())
    })
}

/// Builds the page into `web/dist`, from packages as the lock file names them.
pub(crate) fn build() -> Outcome {
    let web = sh::root().join("web");
    if !is_installed(&web) {
        in_web("npm ci --ignore-scripts --no-audit --no-fund --loglevel=error")?;
    }
    in_web("npx --no-install svelte-check --tsconfig ./tsconfig.json --fail-on-warnings")?;
    // Files of an older build would be embedded too; the folder itself belongs to git.
    for entry in fs::read_dir(web.join("dist")).into_iter().flatten().flatten() {
        if entry.file_name() != ".gitignore" {
            let _ = fs::remove_file(entry.path()); // what cannot be removed is overwritten
        }
    }
    in_web("npx --no-install vite build --logLevel warn")
}

/// Whether what is installed is what the lock file asks for: npm keeps a copy of what it installed.
fn is_installed(web: &Path) -> bool {
    let time = |path: &str| fs::metadata(web.join(path)).and_then(|about| about.modified()).ok();
    match (time("package-lock.json"), time("node_modules/.package-lock.json")) {
        (Some(wanted), Some(installed)) => wanted <= installed,
        _ => false,
    }
}

fn in_web(line: &str) -> Outcome {
    sh::run_in(sh::command(line).current_dir(sh::root().join("web")), &format!("cd web; {line}"))
}

/// Builds the program with the page and lets a script of `web/tests/` look at it.
fn browse(what: &str, line: &str, profile: &[&str]) -> Outcome {
    if let Some(why) = missing_browser() {
        return Err(Trouble::CannotDo(why));
    }
    let build = ["cargo", "build", "--quiet", "--package", "tracewright"];
    let words: Vec<&str> = build.iter().chain(profile).copied().collect();
    sh::run(&words.join(" "))?;
    let folder = if profile.is_empty() { "debug" } else { "release" };
    let program = sh::target_dir().join(folder).join("tracewright");
    let output = sh::target_dir().join("web").join(what);
    fs::create_dir_all(&output)
        .map_err(|error| Trouble::CannotDo(format!("{} cannot be made: {error}", output.display())))?;
    let mut command: Command = sh::command(line);
    command.current_dir(sh::root().join("web")).env("TRACEWRIGHT", program).env("OUTPUT", output);
    sh::run_in(&mut command, &format!("cd web; {line}"))
}
