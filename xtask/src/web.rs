//! `cargo xtask web`: builds the page of the viewer, which the next build of the program embeds.
//!
//! The page is not in git. A checkout without Node builds and tests all the same, and then serves a page that
//! says how to get this one. Packages come from `web/package-lock.json`, and none of them runs a script when installed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bench;
use crate::packages;
use crate::program::{self, Profile};
use crate::repeat_trace::repeat;
use crate::sh::{self, Outcome, Trouble};

/// The oldest Node that can build it.
const NODE: (u32, u32) = (20, 19);

/// Runs the task.
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
        Some("test") => test(),
        Some("measure") => measure(),
        Some(script) => browse(script, &format!("node tests/{script}.mjs"), Profile::Debug, &[]),
    }
}

/// The tests in a browser; the page must have been built.
pub(crate) fn test() -> Outcome {
    browse("test", "node --test tests/", Profile::Debug, &[])
}

/// Events of the traces that are measured.
const EVENTS: u32 = 10_000_000;

/// On a generated trace, and on a real one of a kernel that is repeated, where `../shared` has it.
fn measure() -> Outcome {
    let folder = sh::target_dir().join("bench");
    let generated = folder.join("ctf-viewer");
    bench::trace::write(&generated, EVENTS, bench::trace::Version::Ctf18)?;
    let mut traces = vec![generated];
    if let Some(kernel) = bench::ctf::unpacked("many-threads", &folder)? {
        let repeated = folder.join("many-threads-42");
        if !repeated.exists() {
            repeat(&kernel, &repeated, 42)?;
        }
        traces.push(repeated);
    }
    let names: Vec<String> = traces.iter().map(|trace| trace.display().to_string()).collect();
    let capture = long_capture(&folder)?.map_or_else(String::new, |capture| capture.display().to_string());
    let environment = [("TRACES", names.join(",")), ("CAPTURE", capture)];
    browse("measure", "node tests/measure.mjs", Profile::Release, &environment)
}

/// Iterations of the wanderer and months of the rabbits in `web/tests/Wander.java`: 10^8 blocks and 10^8 calls.
const LONG: &str = "5000000 38";

/// A capture of a long run; `None` where there is no JDK to make it with.
fn long_capture(folder: &Path) -> Result<Option<std::path::PathBuf>, Trouble> {
    let capture = folder.join("wander.capture");
    if capture.join("steps").exists() || !packages::has_jdk() {
        return Ok(Some(capture).filter(|capture| capture.exists()));
    }
    let classes = folder.join("wander");
    let (into, unfinished) = (classes.display(), folder.join("wander.unfinished"));
    let program = program::build(Profile::Release)?;
    fs::create_dir_all(&classes).map_err(|error| Trouble::CannotDo(format!("{into}: {error}")))?;
    sh::run(&format!("javac -g -d {into} web/tests/Wander.java"))?;
    let _ = fs::remove_dir_all(&unfinished); // of an attempt that was stopped
    sh::run(&format!(
        "{} record --output {} --mode paths --when-full wait -- java -cp {into} Wander {LONG}",
        program.display(),
        unfinished.display()
    ))?;
    // Its existence shows that it is complete.
    fs::rename(&unfinished, &capture).map_err(|error| Trouble::CannotDo(error.to_string()))?;
    Ok(Some(capture))
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

/// Installs the packages of the page; why that cannot be done, where it cannot.
pub(crate) fn missing_packages() -> Option<String> {
    let failed = install().is_err();
    failed.then(|| "the packages of the page cannot be installed here".to_owned())
}

fn install() -> Outcome {
    if is_installed(&sh::root().join("web")) {
        return Ok(());
    }
    in_web("npm ci --ignore-scripts --no-audit --no-fund --loglevel=error")
}

/// Builds the page into `web/dist`, from packages as the lock file names them.
pub(crate) fn build() -> Outcome {
    let web = sh::root().join("web");
    install()?;
    in_web("npx --no-install biome ci --colors=off")?;
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
fn browse(what: &str, line: &str, profile: Profile, environment: &[(&str, String)]) -> Outcome {
    if let Some(why) = missing_browser() {
        return Err(Trouble::CannotDo(why));
    }
    let program = program::build(profile)?;
    let output = sh::target_dir().join("web").join(what);
    fs::create_dir_all(&output)
        .map_err(|error| Trouble::CannotDo(format!("{} cannot be made: {error}", output.display())))?;
    let mut command: Command = sh::command(line);
    command.current_dir(sh::root().join("web")).env("TRACEWRIGHT", program).env("OUTPUT", output);
    command.envs(environment.iter().map(|(name, value)| (*name, value)));
    sh::run_in(&mut command, &format!("cd web; {line}"))
}
