//! `cargo xtask wheel`: the package for Python, with the program in it.
//!
//! ```text
//! target/wheel/tracewright-0.2.0-cp39-abi3-linux_x86_64.whl     tracewright/   the package: a module of Rust, and Python
//!                                                               bin/           the program
//! ```
//!
//! maturin does it: the one in PATH, or one that pip puts into an environment in `target`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::dist;
use crate::program::Profile;
use crate::sh::{self, Outcome, Trouble};

/// The first version that tells pyo3 what it builds.
const MATURIN: &str = "maturin>=1.9.4,<2";

/// Builds the wheel that people install.
pub(crate) fn run() -> Outcome {
    let wheel = build(Profile::Release)?;
    println!("\n{}", wheel.display());
    Ok(())
}

/// Builds it, and installs it in a fresh environment to run the tests of `python/tests` there.
pub(crate) fn test() -> Outcome {
    let wheel = build(Profile::Debug)?;
    let environment = sh::target_dir().join("wheel/environment");
    // What is installed for the user is seen, so that tests find pandas and others where they are there.
    let options = "--clear --system-site-packages";
    sh::run(&format!("python3 -m venv {options} {}", environment.display()))?;
    let python = environment.join("bin/python");
    let options = "--quiet --no-index --no-deps --force-reinstall --disable-pip-version-check";
    sh::run(&format!("{} -m pip install {options} {}", python.display(), wheel.display()))?;
    sh::run(&format!(
        "{} -W error::ResourceWarning -m unittest discover --start-directory python/tests",
        python.display()
    ))
}

/// Why it cannot be built here.
pub(crate) fn missing() -> Option<String> {
    if !sh::works("python3 -m venv --help") {
        return Some("python3 or its module venv is not installed".to_owned());
    }
    (maturin().is_none() && !sh::works("python3 -m pip --version"))
        .then(|| "maturin is not installed, and python3 has no pip to install it".to_owned())
}

/// Why there is no maturin, not even once pip was asked for it: without a network, say.
pub(crate) fn missing_maturin() -> Option<String> {
    match ensure() {
        Ok(_) => None,
        Err(Trouble::CannotDo(why) | Trouble::Wrong(why)) => Some(why),
    }
}

/// A maturin that is there.
fn maturin() -> Option<PathBuf> {
    let candidates = [PathBuf::from("maturin"), environment().join("bin/maturin")];
    candidates.into_iter().find(|directory| sh::works(&format!("{} --version", directory.display())))
}

fn environment() -> PathBuf {
    sh::target_dir().join("maturin")
}

/// Installs it unless it is there.
fn ensure() -> Result<PathBuf, Trouble> {
    if let Some(maturin) = maturin() {
        return Ok(maturin);
    }
    let environment = environment();
    let outcome = sh::run(&format!("python3 -m venv {}", environment.display())).and_then(|()| {
        let line =
            format!("{}/bin/python -m pip install --quiet --retries 1 --timeout 15", environment.display());
        sh::run_in(sh::command(&line).arg(MATURIN), &format!("{line} '{MATURIN}'"))
    });
    match outcome {
        Ok(()) => Ok(environment.join("bin/maturin")),
        Err(_) => Err(Trouble::CannotDo(format!(
            "maturin is neither in PATH nor could pip install it; please install it: pip install '{MATURIN}'"
        ))),
    }
}

fn build(profile: Profile) -> Result<PathBuf, Trouble> {
    let maturin = ensure()?;
    // With the features that other steps give the program, so that nothing is compiled twice.
    let (line, folder, options) = match profile {
        Profile::Release => (dist::BUILD, "packaged", "--profile packaged --locked"),
        Profile::Debug => (
            "cargo build --workspace --features tracewright/columnar --bin tracewright",
            "debug",
            "--profile dev",
        ),
    };
    sh::run(line)?;
    let scripts = sh::root().join("python/tracewright.data/scripts");
    let directory = scripts.join("tracewright");
    let copied = fs::create_dir_all(&scripts)
        .and_then(|()| fs::copy(sh::target_dir().join(folder).join("tracewright"), &directory));
    copied.map_err(|error| Trouble::CannotDo(format!("cannot write {}: {error}", directory.display())))?;
    // Symbols are nine tenths of a program that is not optimised.
    if sh::works("strip --version") {
        sh::run(&format!("strip {}", directory.display()))?;
    }
    dist::add_licences(&sh::root().join("python"))?;
    let out = sh::target_dir().join("wheel");
    empty(&out)?;
    sh::run(&format!(
        "{} build --manifest-path python/Cargo.toml --strip --out {} {options}",
        maturin.display(),
        out.display()
    ))?;
    let wheels = fs::read_dir(&out).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|end| end == "whl");
    wheels.into_iter().find(is_wheel).ok_or_else(|| Trouble::Wrong("maturin made no wheel".to_owned()))
}

/// Removes the wheels of other versions.
fn empty(out: &Path) -> Outcome {
    for entry in fs::read_dir(out).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "whl") {
            fs::remove_file(&path)
                .map_err(|error| Trouble::CannotDo(format!("cannot remove {}: {error}", path.display())))?;
        }
    }
    Ok(())
}
