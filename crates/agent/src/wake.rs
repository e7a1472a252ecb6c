//! A pipe that wakes the control thread out of its waiting.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

/// Both ends of it.
#[derive(Debug)]
pub(crate) struct Wake {
    read: UnixStream,
    write: UnixStream,
}

impl Wake {
    pub(crate) fn new() -> io::Result<Wake> {
        let (read, write) = UnixStream::pair()?;
        read.set_nonblocking(true)?;
        write.set_nonblocking(true)?;
        Ok(Wake { read, write })
    }

    /// Wakes it. A pipe that is full has woken it already.
    pub(crate) fn wake(&self) {
        let _ = (&self.write).write(&[1]);
    }

    /// A byte to this wakes it, too.
    pub(crate) fn waker(&self) -> i32 {
        self.write.as_raw_fd()
    }

    /// What to wait for.
    pub(crate) fn descriptor(&self) -> i32 {
        self.read.as_raw_fd()
    }

    /// Forgets all calls so far.
    pub(crate) fn clear(&self) {
        let mut bytes = [0; 64];
        while (&self.read).read(&mut bytes).is_ok_and(|count| count > 0) {}
    }
}
