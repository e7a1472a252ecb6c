//! `tracewright record`: becomes the program, with the recorder in it.
//!
//! The program takes the place of this process, so its input, output, exit code and signals are its
//! own without anybody passing them on. A `java` gets the agent as its first option. Anything else is
//! taken for a script that starts one: there the agent's library is preloaded, and gives each `java`
//! launcher that option from within.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use classfile::filters;

use crate::cli::java::{Record, Via};
use crate::exit::{Outcome, Result, Stop};
use crate::java::{folder, library, options, token};
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
    let dir = folder::make(options.output.as_deref())?;
    let mut pairs = options::Pairs::of(&options.choices);
    pairs.add_path("dir", &dir);
    token::add(&mut pairs, &options.port)?;
    if !options.fresh {
        pairs.add_path("shelf", &library::shelf(&library));
    }
    if options.paused {
        pairs.add("paused", b"1");
    }
    let mut command = Command::new(program);
    let way = match options.via {
        Via::Auto if is_java(&path) => None,
        Via::Auto if !can_be_preloaded(&path) => {
            eprintln!(
                "tracewright: {} runs with the rights of somebody else, where nothing can be preloaded; \
                 using JAVA_TOOL_OPTIONS, of which Java prints a line",
                program.display()
            );
            Some(Via::Environment)
        }
        Via::Auto => Some(Via::Preload),
        via => Some(via),
    };
    match way {
        None => {
            command.arg(agent_path(&library, &pairs));
        }
        Some(Via::Environment) => {
            pairs.add("many", b"1");
            let mut value = std::env::var_os("JAVA_TOOL_OPTIONS").unwrap_or_default();
            if !value.is_empty() {
                value.push(" ");
            }
            value.push(agent_path(&library, &pairs));
            command.env("JAVA_TOOL_OPTIONS", value);
        }
        Some(_) => {
            pairs.add("many", b"1");
            let before = std::env::var_os("LD_PRELOAD").filter(|value| !value.is_empty());
            let mut value = library.as_os_str().to_owned();
            if let Some(before) = before {
                value.push(":");
                value.push(before);
            }
            command.env("LD_PRELOAD", value);
            command.env("TRACEWRIGHT_AGENT", agent_path(&library, &pairs));
        }
    }
    command.args(arguments);
    let error = command.exec();
    let _ = std::fs::remove_dir(&dir); // only if nothing is in it
    Stop::failed(format!("cannot run {}: {error}", program.display()))
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
