//! The connections of the server: how many there may be, and which one is closed for a new one.
//!
//! Anybody on this machine can connect, so silence must not cost the owner anything. When there are as many as there may be,
//! a new connection takes the place of one that has not shown the token: the one that has been waiting or being
//! written to for the longest time. Then come connections of the owner that are idle; one whose question is being
//! answered is never closed, unless the question is only for what is finished, which is held and can be asked again.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Connections that are served at a time.
pub(crate) const CONNECTIONS: usize = 64;
/// Threads of connections that were closed and have not ended yet, beyond which nobody new is let in.
const ENDING: usize = 64;
/// How long the next connection waits for such a thread: it ends as soon as a processor is free for it.
const ENDS: Duration = Duration::from_secs(1);

/// All open connections.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: Mutex<Open>,
    /// A thread has ended.
    has_ended: Condvar,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    /// Threads that serve, those of closed connections included.
    threads: usize,
    all: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    stream: Arc<TcpStream>,
    /// A request on it had the token.
    is_owner: bool,
    /// A request of the owner is being answered.
    is_busy: bool,
    since: Instant,
}

/// One connection that is served; it is forgotten when this is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    number: u64,
    open: Arc<Connections>,
    pub(crate) stream: Arc<TcpStream>,
}

impl Connections {
    /// Takes a connection in, if need be in place of another; gives it back where there is no room.
    pub(crate) fn admit(self: &Arc<Self>, stream: TcpStream) -> Result<Connection, TcpStream> {
        let is_full = |open: &mut Open| open.threads >= CONNECTIONS + ENDING;
        let waited = self.has_ended.wait_timeout_while(self.open(), ENDS, is_full);
        let (mut open, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if is_full(&mut open) {
            return Err(stream);
        }
        if open.all.len() >= CONNECTIONS {
            let candidates = open.all.iter().enumerate().filter(|(_, entry)| !entry.is_busy);
            let Some((at, _)) = candidates.min_by_key(|(_, entry)| (entry.is_owner, entry.since)) else {
                return Err(stream);
            };
            // Its thread wakes up from whatever it waits for, and ends.
            let _ = open.all.remove(at).stream.shutdown(Shutdown::Both);
        }
        let (number, stream) = (open.next, Arc::new(stream));
        open.next += 1;
        open.threads += 1;
        let entry =
            Entry { number, stream: stream.clone(), is_owner: false, is_busy: false, since: Instant::now() };
        open.all.push(entry);
        Ok(Connection { number, open: self.clone(), stream })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// A request is being answered; `is_owner`: it had the token.
    pub(crate) fn is_asked(&self, is_owner: bool) {
        self.change(|entry| {
            entry.is_owner |= is_owner;
            entry.is_busy = is_owner;
            entry.since = Instant::now();
        });
    }

    /// Its answer may take seconds and can be asked for again, so it makes room as if it were idle.
    pub(crate) fn is_held(&self) {
        self.waits();
    }

    /// The answer was sent, and the next request is waited for.
    pub(crate) fn waits(&self) {
        self.change(|entry| {
            entry.is_busy = false;
            entry.since = Instant::now();
        });
    }

    fn change(&self, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.open.open().all.iter_mut().find(|entry| entry.number == self.number) {
            change(entry);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut open = self.open.open();
        open.threads -= 1;
        open.all.retain(|entry| entry.number != self.number);
        self.open.has_ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    /// Both ends of a connection.
    fn pair(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (near, listener.accept().unwrap().0)
    }

    fn is_closed(near: &mut TcpStream) -> bool {
        near.set_nonblocking(true).unwrap();
        matches!(near.read(&mut [0]), Ok(0))
    }

    #[test]
    fn strangers_make_room_first_and_an_owner_who_is_answered_never_does() {
        let (open, listener) = (Arc::new(Connections::default()), TcpListener::bind("127.0.0.1:0").unwrap());
        let (mut near, mut held) = (vec![], vec![]);
        let admit = || {
            let (near, far) = pair(&listener);
            open.admit(far).map(|connection| (near, connection))
        };
        for _ in 0..CONNECTIONS {
            let (one, connection) = admit().unwrap();
            near.push(one);
            held.push(connection);
        }
        // Number 0 is the owner's and idle, all from 3 on are the owner's and being answered.
        held[0].is_asked(true);
        held[0].waits();
        held[3..].iter().for_each(|connection| connection.is_asked(true));
        held[1].is_asked(false); // and so the one that waited for the shortest time
        for expected in [2, 1] {
            let (_, newest) = admit().unwrap();
            newest.is_asked(true);
            held.push(newest);
            let closed: Vec<usize> = (0..near.len()).filter(|&at| is_closed(&mut near[at])).collect();
            assert!(closed.contains(&expected) && !closed.contains(&0), "{closed:?}");
        }
        let (_, newest) = admit().unwrap();
        newest.is_asked(true);
        assert!(is_closed(&mut near[0]));
        assert!(admit().is_err(), "all are being answered");
        drop(newest);
        assert!(admit().is_ok());
    }

    #[test]
    fn threads_that_have_not_ended_are_bounded_too() {
        let (open, listener) = (Arc::new(Connections::default()), TcpListener::bind("127.0.0.1:0").unwrap());
        let admit = || open.admit(pair(&listener).1);
        let held: Vec<_> = (0..CONNECTIONS + ENDING).map(|_| admit().unwrap()).collect();
        assert!(admit().is_err());
        drop(held);
        assert!(admit().is_ok());
    }
}
