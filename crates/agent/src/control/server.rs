//! The control thread: it alone starts and stops recordings while the program runs.
//!
//! It waits for commands on a Unix socket (see `socket.rs`), and only listens to
//! its own user and root. While nothing is recorded and nobody calls, it sleeps. It also ends a
//! recording when its time is over, when it is large enough, or when it cannot go on.
//! It is a thread of the virtual machine, since only such a one may ask for classes to be changed,
//! but one that Java's own lists do not show.

use std::ffi::c_void;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::agent::{Agent, agent, guard};
use super::client::Client;
use super::socket::Socket;
use super::{budget, sampler};
use crate::buffers::pool;
use crate::classes::retransform;
use crate::jvm::{Jni, Jvmti};
use crate::locks::{Lock, Rank};
use crate::sys;
use crate::writer::output::cannot_write;

/// Who may talk to us at the same time; the one that came first goes.
const CLIENTS: usize = 16;
/// How long until classes that were being loaded during a stop are looked for again.
const AGAIN: Duration = Duration::from_millis(200);
/// How often they are looked for.
const TIMES: u32 = 20;

/// Starts the thread. Without it a recording runs to the end of the program.
pub(crate) fn spawn(agent: &'static Agent, jni: Jni) {
    let Some(class) = jni.find_class(c"java/lang/Thread") else { return };
    let Some(thread) = jni.new_with_text(class, c"Tracewright control") else { return };
    let _ = agent.jvmti.run_agent_thread(thread, body);
}

extern "C" fn body(_: Jvmti, jni: Jni, _: *mut c_void) {
    // Coming back from there means that it panicked, which has ended the recording.
    for _ in 0..TIMES {
        guard((), |agent| serve(agent, jni));
        if agent().is_none_or(|agent| agent.is_over.load(Ordering::Acquire)) {
            return;
        }
    }
}

/// Ends the thread: the virtual machine ends, and would wait 300 ms for one that it cannot stop.
pub(crate) fn end(agent: &Agent) {
    agent.is_over.store(true, Ordering::Release);
    agent.wake.wake();
}

/// Where the socket is, while there is one.
static SOCKET: Lock<Option<PathBuf>> = Lock::new(Rank::Leaf, None);

/// Takes the socket away when the program ends.
pub(crate) fn remove_socket() {
    if let Some(path) = SOCKET.lock().take() {
        Socket::remove(&path);
    }
}

/// Listens for commands. Where that cannot be, whoever starts the program is informed: no command reaches it.
fn listen(agent: &Agent) -> Option<UnixListener> {
    match Socket::open(agent.choices.control.as_deref()) {
        Ok(Socket { listener, path }) => {
            *SOCKET.lock() = Some(path);
            Some(listener)
        }
        Err(error) => {
            complain(agent, &format!("cannot open a socket for stop, status and mark: {error}"));
            None
        }
    }
}

/// Prints a sentence on standard error, if this process was started to be recorded. After attaching, the command
/// reports it instead, since the terminal may be somebody else's.
fn complain(agent: &Agent, sentence: &str) {
    if agent.choices.dir.is_some() {
        let _ = writeln!(io::stderr(), "tracewright: {sentence}");
    }
}

fn listen_on(port: u16) -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn serve(agent: &'static Agent, jni: Jni) {
    let unix = listen(agent);
    // Without a token anybody on this machine could stop the recording.
    let tcp = agent.choices.port.filter(|_| agent.token.is_some());
    let tcp = tcp.and_then(|port| {
        let cannot = |error| complain(agent, &format!("cannot listen on port {port}: {error}"));
        listen_on(port).map_err(cannot).ok()
    });
    let mut clients: Vec<Client> = Vec::new();
    let mut tries = 0;
    loop {
        let mut files = vec![agent.wake.descriptor()];
        files.extend(unix.iter().map(AsRawFd::as_raw_fd));
        files.extend(tcp.iter().map(AsRawFd::as_raw_fd));
        let first_client = files.len();
        files.extend(clients.iter().map(Client::descriptor));
        let ready = sys::wait_readable(&files, patience(agent, tries));
        agent.wake.clear();
        if agent.is_over.load(Ordering::Acquire) {
            return;
        }
        sampler::sample_if_due(agent, jni);
        budget::throttle_if_due(agent, jni);
        end_if_due(agent, jni);
        put_back(agent, jni, &mut tries);
        let mut answers = ready.get(first_client..).unwrap_or_default().iter();
        clients.retain_mut(|client| !answers.next().copied().unwrap_or(false) || client.answer(agent, jni));
        if let Some(unix) = &unix {
            while let Ok((stream, _)) = unix.accept() {
                let user = sys::peer(&stream).unwrap_or(u32::MAX);
                if user == sys::user() || user == 0 {
                    clients.extend(Client::local(stream));
                }
            }
        }
        if let Some(tcp) = &tcp {
            while let Ok((stream, _)) = tcp.accept() {
                clients.extend(Client::remote(stream));
            }
        }
        let too_many = clients.len().saturating_sub(CLIENTS);
        clients.drain(..too_many);
    }
}

/// How long to sleep, in milliseconds; -1 until somebody calls.
fn patience(agent: &Agent, tries: u32) -> i32 {
    if tries > 0 {
        return i32::try_from(AGAIN.as_millis()).unwrap_or(1000);
    }
    let Some(recording) = agent.current() else { return -1 };
    let time = recording.choices.seconds.map(|seconds| seconds - recording.began.elapsed().as_secs_f64());
    let old_frames = recording.old_frames.lock().patience().map(|left| left.as_secs_f64());
    let sample = sampler::patience(&recording).as_secs_f64();
    let budget = budget::patience(&recording).map(|left| left.as_secs_f64());
    let left = time.into_iter().chain(old_frames).chain(budget).fold(sample, f64::min);
    // A little more, so that it is over when we look; days are cut to minutes and asked for again.
    (left.clamp(0.0, 600.0) * 1000.0) as i32 + 1
}

fn end_if_due(agent: &Agent, jni: Jni) {
    let Some(recording) = agent.current() else { return };
    if agent.buffers.pool.is_lost() {
        recording.output.fail(cannot_write(&pool::lost()));
    }
    let choices = &recording.choices;
    let reason = if recording.output.failure().is_some() {
        "it failed"
    } else if choices.seconds.is_some_and(|seconds| recording.began.elapsed().as_secs_f64() >= seconds) {
        "its time was over"
    } else if choices.bytes.is_some_and(|most| recording.output.bytes.load(Ordering::Relaxed) >= most) {
        "it had its size"
    } else {
        return;
    };
    agent.stop(jni, reason, true);
}

/// Classes that were being loaded while recording stopped. Some never arrive, so this ends.
fn put_back(agent: &Agent, jni: Jni, tries: &mut u32) {
    let mut session = agent.session.lock();
    if session.left.is_empty() || agent.current().is_some() {
        *tries = 0;
        return;
    }
    let left = std::mem::take(&mut session.left);
    *tries += 1;
    let left = retransform::again((agent.jvmti, jni), &agent.loaders, left.into_iter().collect());
    if *tries >= TIMES {
        *tries = 0;
    } else {
        session.left = left;
    }
}
