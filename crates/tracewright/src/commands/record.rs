//! `tracewright record`: becomes the program, with the recorder in it.
//!
//! A `java` takes the place of this process, so its input, output, exit code and signals are its
//! own without anybody passing them on, and gets the agent as its first option. Anything else is
//! taken for a script that starts one, and run as a child ([`launch`]): there the agent's library is preloaded,
//! and gives each `java` launcher that option from within.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::filters;

use super::only_failed::Folders;
use crate::cli::java::{Record, Via};
use crate::exit::{Outcome, Result, Stop};
use crate::java::{folder, launch, library, options, stacks, token};
use crate::output::Output;

pub(crate) fn run(options: &Record) -> Result<Outcome> {
    if options.explain_filters {
        let mut output = Output { buffer: filters::explain().into_bytes() };
        output.flush()?;
        return Ok(Outcome::Complete);
    }
    let Some((program, arguments)) = options.command.split_first() else {
        return Stop::failed("name the program to record, behind --");
    };
    let Some(path) = found(program) else {
        return Stop::failed(format!("there is no program {}", program.display()));
    };
    let library = library::path()?;
    let is_new = options.output.as_ref().is_none_or(|path| std::fs::symlink_metadata(path).is_err());
    let dir = folder::make(options.output.as_deref())?;
    // Whatever is recorded makes it again: where nothing is, nothing is left.
    let leave_nothing = || {
        if is_new {
            let _ = std::fs::remove_dir(&dir); // only if nothing is in it
        }
    };
    let mut pairs = options::Pairs::of(&options.choices);
    pairs.add_path("dir", &dir);
    token::add(&mut pairs, &options.port)?;
    if !options.fresh {
        pairs.add_path("class-cache", &library::class_cache(&library));
    }
    if options.no_values {
        pairs.add("no-values", b"1");
    }
    if options.paused {
        pairs.add("paused", b"1");
    }
    pairs.add("tells", b"1");
    pairs.add("many", b"1");
    let cannot_run =
        |error: std::io::Error| Stop::Failed(format!("cannot run {}: {error}", program.display()));
    let mut command = Command::new(program);
    let mode = match options.via {
        Via::Auto if is_java(&path) && !options.only_failed => {
            leave_nothing();
            return Err(cannot_run(
                command.arg(agent_path(&library, &pairs)).args(stacks::enlarged(arguments)).exec(),
            ));
        }
        Via::Auto if is_java(&path) => Via::Auto,
        Via::Auto if !can_be_preloaded(&path) => {
            eprintln!(
                "tracewright: {} runs with the rights of somebody else, where nothing can be preloaded; \
                 using JAVA_TOOL_OPTIONS and JDK_JAVA_OPTIONS, of which Java prints a line each",
                program.display()
            );
            Via::Environment
        }
        Via::Auto => Via::Preload,
        mode => mode,
    };
    let loaded = launch::Loaded::new().map_err(cannot_run)?;
    pairs.add_path("loaded", &loaded.path());
    if mode == Via::Auto {
        command.arg(agent_path(&library, &pairs)).args(stacks::enlarged(arguments));
    } else if mode == Via::Environment {
        let [(tool, mut value), (launcher, stack)] = stacks::variables();
        value.push(" ");
        value.push(agent_path(&library, &pairs));
        command.env(tool, value).env(launcher, stack);
    } else {
        if library.as_os_str().as_encoded_bytes().iter().any(|byte| b": ".contains(byte)) {
            leave_nothing();
            return Stop::failed(format!(
                "cannot preload {}: its path has a space or a colon; set XDG_CACHE_HOME to another folder, or \
                 use --via environment",
                library.display()
            ));
        }
        let before = std::env::var_os("LD_PRELOAD").filter(|value| !value.is_empty());
        let mut value = library.as_os_str().to_owned();
        if let Some(before) = before {
            value.push(":");
            value.push(before);
        }
        command.env("LD_PRELOAD", value);
        command.env("TRACEWRIGHT_AGENT", agent_path(&library, &pairs));
    }
    if mode != Via::Auto {
        command.args(arguments);
    }
    let folders = options.only_failed.then(|| Folders::of(&dir));
    let ran = launch::run(&mut command, loaded);
    if let (Ok((status, processes)), Some(folders)) = (&ran, folders) {
        folders.sift(*status, processes);
    }
    leave_nothing();
    match ran {
        Err(error) => Err(cannot_run(error)),
        Ok((status, processes)) if !processes.is_empty() => launch::end_like(status),
        Ok((status, _)) => Stop::failed(format!(
            "nothing was recorded: {} started no Java program that the recorder could get into ({status})",
            program.display()
        )),
    }
}

fn agent_path(library: &Path, pairs: &options::Pairs) -> OsString {
    let mut option = OsString::from("-agentpath:");
    option.push(library);
    option.push("=");
    option.push(pairs.by_commas());
    option
}

/// The file that would run.
fn found(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return path.exists().then(|| path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Whether it is the `java` launcher itself, and no script of that name.
fn is_java(path: &Path) -> bool {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut start = [0; 4];
    let is_binary = std::fs::File::open(&real).and_then(|mut file| file.read_exact(&mut start)).is_ok();
    real.file_name() == Some(OsStr::new("java")) && is_binary && start == *b"\x7fELF"
}

/// The dynamic linker ignores preloads where a program changes its user or group.
fn can_be_preloaded(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).is_ok_and(|data| data.mode() & 0o6000 == 0)
}
