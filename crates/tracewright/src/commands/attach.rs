//! `tracewright attach`: the recorder into a program that runs already.

use crate::cli::java::{Attach, Port};
use crate::commands::start;
use crate::exit::{Outcome, Result, Stop};
use crate::java::control::{Control, Found, probe};
use crate::java::process::Process;
use crate::java::{attach, folder, library, options, token};

pub(crate) fn run(options: &Attach) -> Result<Outcome> {
    let pid = options.pid;
    let process = start::process(pid)?;
    let mut control = recorder(&process, &options.port, (options.fresh, options.no_values))?;
    if options.paused {
        return start::print(&format!("the recorder is in process {pid}; `tracewright start {pid}` begins"));
    }
    let dir = folder::make_for(options.output.as_deref(), &process)?;
    let began = start::begin(&process, &mut control, &options.choices, Some(&dir))?;
    eprintln!(
        "tracewright: the program keeps the stacks that it was started with, and recorded methods need more of them: \
         what recurses deeply may end in a StackOverflowError that it would not meet otherwise; `tracewright record` \
         gives it larger stacks"
    );
    Ok(began)
}

/// The recorder in a process, put there if it is not there yet.
///
/// `fresh`, `no_values`: as the options of these names say, if it is put there.
pub(crate) fn recorder(process: &Process, port: &Port, (fresh, no_values): (bool, bool)) -> Result<Control> {
    let pid = process.pid;
    let cannot = |reason: String| Stop::Failed(format!("cannot attach to process {pid}: {reason}"));
    Ok(match probe(process).map_err(cannot)? {
        Found::Recorder(control) => control,
        Found::Nothing(can) => {
            can.map_err(cannot)?;
            let mut pairs = options::Pairs::default();
            if port.listen.is_some() && !process.is_as_we_are() {
                return Err(cannot("--listen is for programs of your own user and files only".to_owned()));
            }
            token::add(&mut pairs, port)?;
            let library = attach::library(process)?;
            if !fresh {
                pairs.add_path("class-cache", &library::class_cache(&library));
            }
            if no_values {
                pairs.add("no-values", b"1");
            }
            attach::load(process, &library, &pairs)?;
            start::connected(process)?
        }
    })
}
