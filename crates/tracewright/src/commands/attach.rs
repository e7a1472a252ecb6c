//! `tracewright attach`: the recorder into a program that runs already.

use crate::cli::java::Attach;
use crate::commands::start;
use crate::exit::{Outcome, Result, Stop};
use crate::java::control::Control;
use crate::java::process::Process;
use crate::java::{attach, folder, library, options, token};

pub(crate) fn run(options: &Attach) -> Result<Outcome> {
    let Some(process) = Process::of(options.pid) else {
        return Stop::failed(format!("process {} is no Java program that runs", options.pid));
    };
    let mut control = match Control::connect(&process) {
        Some(control) => control,
        None => {
            let mut pairs = options::Pairs::default();
            token::add(&mut pairs, &options.port)?;
            let library = library::path_for(process.user)?;
            if !options.fresh {
                pairs.add_path("shelf", &library::shelf(&library));
            }
            attach::load(&process, &library, &pairs.by_commas())?;
            start::connected(&process)?
        }
    };
    if options.paused {
        return start::say(&format!(
            "the recorder is in process {}; `tracewright start {0}` begins",
            options.pid
        ));
    }
    let dir = folder::make(options.output.as_deref(), process.user)?;
    start::begin(&mut control, &options.choices, Some(&dir))
}
