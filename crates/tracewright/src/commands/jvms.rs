//! `tracewright jvms`: the Java programs that run here. None of them notices.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::commands::start;
use crate::exit::{Outcome, Result};
use crate::java::control::{Found, probe};
use crate::java::process::Process;

/// How long all programs together may take to be looked at; after that they are listed with what is known.
const LIMIT: Duration = Duration::from_secs(4);
/// So many are looked at side by side: one of them may not answer.
const SIDE_BY_SIDE: usize = 16;

pub(crate) fn run() -> Result<Outcome> {
    let until = Instant::now() + LIMIT;
    let all = Process::all();
    if all.is_empty() {
        return start::print("no Java program runs here");
    }
    let mut rows: Vec<_> = all.iter().map(|process| (process.pid, process.main.clone(), None)).collect();
    let (send, states) = mpsc::channel();
    let mut next = all.into_iter().enumerate();
    let mut begin = || {
        let (index, process) = next.next()?;
        let send = send.clone();
        // Not waited for: one that hangs ends with us.
        std::thread::spawn(move || send.send((index, state(&process))));
        Some(())
    };
    let mut running = (0..SIDE_BY_SIDE).map_while(|_| begin()).count();
    while running > 0
        && let Ok((index, state)) = states.recv_timeout(until.saturating_duration_since(Instant::now()))
    {
        rows.get_mut(index).into_iter().for_each(|row| row.2 = Some(state.clone()));
        if begin().is_none() {
            running -= 1;
        }
    }
    for (pid, main, state) in rows {
        let state = state.as_deref().unwrap_or("does not answer");
        start::print(&format!("{pid:>8}  {main:<40} {state}"))?;
    }
    Ok(Outcome::Complete)
}

fn state(process: &Process) -> String {
    if process.status.is_stopped {
        return "is stopped (by SIGSTOP or a debugger)".to_owned();
    }
    let mut control = match probe(process) {
        Ok(Found::Nothing(Ok(()))) => return "can be recorded".to_owned(),
        Ok(Found::Nothing(Err(reason))) | Err(reason) => return format!("cannot be recorded: {reason}"),
        Ok(Found::Recorder(control)) => control,
    };
    match control.ask("status") {
        Ok(answer) if answer.get("state").is_some_and(|state| state == "recording") => {
            format!("is being recorded into {}", answer.get("dir").map_or("?", |dir| dir))
        }
        Ok(_) => "has the recorder in it, which is idle".to_owned(),
        Err(_) => "has the recorder in it, which does not answer".to_owned(),
    }
}
