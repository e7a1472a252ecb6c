//! Talking to the recorder inside a virtual machine: a line there, a line back.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;

use super::process::Process;
use crate::exit::{Result, Stop};

/// The longest answer that is read.
const LONGEST: u64 = 64 << 10;

/// A connection to a recorder.
#[derive(Debug)]
pub(crate) struct Control {
    pid: u32,
    stream: BufReader<UnixStream>,
}

/// What it answered.
pub(crate) type Answer = BTreeMap<String, String>;

impl Control {
    /// `None` if no recorder is in it.
    pub(crate) fn connect(process: &Process) -> Option<Control> {
        let stream = UnixStream::connect(process.control_socket()?).ok()?;
        Some(Control { pid: process.pid, stream: BufReader::new(stream) })
    }

    /// Sends a line.
    pub(crate) fn ask(&mut self, line: &str) -> Result<Answer> {
        let pid = self.pid;
        let mut answer = String::new();
        let stream = self.stream.get_mut();
        let sent = stream.write_all(line.as_bytes()).and_then(|()| stream.write_all(b"\n"));
        let read = sent.and_then(|()| (&mut self.stream).take(LONGEST).read_line(&mut answer));
        read.or_else(|error| {
            Stop::failed(format!("the recorder in process {pid} does not answer: {error}"))
        })?;
        let answer = answer.trim_end();
        if let Some(sentence) = answer.strip_prefix("error ") {
            return Stop::failed(format!("process {pid}: {sentence}"));
        }
        let Some(pairs) = answer.strip_prefix("ok") else {
            return Stop::failed(format!("the recorder in process {pid} has ended the conversation"));
        };
        let pairs = pairs.split(' ').filter_map(|pair| pair.split_once('='));
        Ok(pairs.map(|(key, value)| (key.to_owned(), decode(value))).collect())
    }
}

/// Undoes the `%` of a value.
fn decode(value: &str) -> String {
    let mut out = Vec::new();
    let mut rest = value.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let code =
            tail.get(..2).and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code.filter(|_| byte == b'%') {
            Some(code) => {
                out.push(code);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                out.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_are_decoded_and_nonsense_is_kept() {
        for (value, expected) in [("a%20b", "a b"), ("%c3%a4", "ä"), ("%", "%"), ("%2", "%2"), ("%zz", "%zz")]
        {
            assert_eq!(super::decode(value), expected);
        }
    }
}
