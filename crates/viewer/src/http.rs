//! HTTP, as little of it as a page needs: heads as [`formats::http_head`] reads them, bodies of known length, connections kept.
//!
//! Every number that a stranger could drive up has a bound here. Nothing in this file knows what is
//! served, nor who may ask; see [`super::gate`] for that.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::ops::Deref;
use std::time::{Duration, Instant};

use formats::http_head::{self, Head, RequestHead};
use serde::Serialize;

/// How long a head may take to arrive: a browser sends it in one piece.
const HEAD_TIME: Duration = Duration::from_secs(3);
/// How long a connection may be silent after an answer.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// How long a body may take.
const BODY_TIME: Duration = Duration::from_secs(10);
/// How long we wait for somebody to read an answer.
const WRITE_TIME: Duration = Duration::from_secs(20);
/// Bytes of a head.
const HEAD_BYTES: usize = 16 * 1024;
/// Bytes of a body.
const BODY_BYTES: usize = 64 * 1024;

/// What was asked: a head, which it is read like, and a body.
#[derive(Debug, Clone)]
pub struct Request {
    pub head: RequestHead,
    pub body: Vec<u8>,
}

impl Deref for Request {
    type Target = RequestHead;

    fn deref(&self) -> &RequestHead {
        &self.head
    }
}

impl Request {
    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The value of a member of the query, decoded; the first if there are several.
    pub fn query(&self, name: &str) -> Option<String> {
        let (_, query) = self.target.split_once('?')?;
        let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| decoded(value))
    }
}

impl Request {
    /// A GET of this target with nothing else in it, for tests.
    pub fn get(target: &str) -> Request {
        let (method, target) = ("GET".to_owned(), target.to_owned());
        let head = RequestHead { method, target, headers: vec![], closes: false, length: 0, end: 0 };
        Request { head, body: Vec::new() }
    }
}

/// `%41` and `+` as what they stand for; what is no escape stays as it is.
fn decoded(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut lookahead = bytes.clone();
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match byte {
            b'+' => out.push(b' '),
            b'%' => match (digit(lookahead.next()), digit(lookahead.next())) {
                (Some(high), Some(low)) => {
                    out.push((high * 16 + low) as u8);
                    bytes = lookahead;
                }
                _ => out.push(byte),
            },
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What is answered.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub kind: &'static str,
    pub body: Cow<'static, [u8]>,
    /// The connection ends after it.
    pub closes: bool,
}

impl Reply {
    pub fn new(status: u16, kind: &'static str, body: impl Into<Cow<'static, [u8]>>) -> Reply {
        Reply { status, kind, body: body.into(), closes: false }
    }

    /// An answer as JSON.
    pub fn json(answer: &impl Serialize) -> Reply {
        match serde_json::to_vec(answer) {
            Ok(body) => Reply::new(200, "application/json", body),
            Err(_) => {
                Reply::refusal(500, "This is a mistake in Tracewright: the answer cannot be written.\n")
            }
        }
    }

    /// An answer as text.
    pub fn text(status: u16, text: String) -> Reply {
        Reply::new(status, "text/plain; charset=utf-8", text.into_bytes())
    }

    /// A refusal: one sentence, which never repeats what was asked.
    pub fn refusal(status: u16, sentence: &'static str) -> Reply {
        Reply::new(status, "text/plain; charset=utf-8", sentence.as_bytes())
    }

    fn closing(mut self) -> Reply {
        self.closes = true;
        self
    }
}

/// Sent with every answer: nothing from elsewhere is loaded or run, and nobody else may look.
const SAFETY: &str = "\
Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
X-Content-Type-Options: nosniff\r\n\
X-Frame-Options: DENY\r\n\
Referrer-Policy: no-referrer\r\n\
Cross-Origin-Resource-Policy: same-origin\r\n\
Cross-Origin-Opener-Policy: same-origin\r\n\
Cache-Control: no-store\r\n";

/// Serves one connection until it ends. `answer` is called for each request that could be read, `waits` when its
/// answer was sent.
pub(crate) fn serve(
    stream: &TcpStream,
    mut answer: impl FnMut(&Request) -> Reply,
    mut waits: impl FnMut(),
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE_TIME))?;
    let (mut buffer, mut silence) = (Vec::new(), HEAD_TIME);
    loop {
        let (mut reply, request) = match read(stream, &mut buffer, silence)? {
            Asked::Nothing => return Ok(()),
            Asked::Bad(reply) => (reply.closing(), None),
            Asked::For(request) => (answer(&request), Some(request)),
        };
        let is_head = request.as_ref().is_some_and(|request| request.method == "HEAD");
        reply.closes |= request.is_some_and(|request| request.closes);
        write(stream, &reply, is_head)?;
        if reply.closes {
            // What still comes is taken in for a moment, or the other side would lose our answer.
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
            let _ = stream.take(2 * BODY_BYTES as u64).read_to_end(&mut buffer);
            return Ok(());
        }
        waits();
        silence = KEEP_ALIVE;
    }
}

enum Asked {
    /// The other side is gone, or was silent for too long.
    Nothing,
    Bad(Reply),
    For(Request),
}

/// Reads one request, whose first byte is waited for as long as `silence`. What follows it stays in `buffer`.
fn read(stream: &TcpStream, buffer: &mut Vec<u8>, silence: Duration) -> io::Result<Asked> {
    if buffer.is_empty() && !more(stream, buffer, Instant::now() + silence, HEAD_BYTES)? {
        return Ok(Asked::Nothing);
    }
    let deadline = Instant::now() + HEAD_TIME;
    let head = loop {
        match http_head::read(buffer) {
            Head::Whole(head) => break head,
            Head::Bad(status, sentence) => return Ok(Asked::Bad(Reply::refusal(status, sentence))),
            Head::Partial if buffer.len() >= HEAD_BYTES => {
                return Ok(Asked::Bad(Reply::refusal(431, "The head of the request is too long.\n")));
            }
            Head::Partial => {}
        }
        if !more(stream, buffer, deadline, HEAD_BYTES)? {
            return Ok(Asked::Bad(Reply::refusal(408, "The head of the request took too long.\n")));
        }
    };
    let (length, end) = (head.length, head.end);
    if length > BODY_BYTES {
        return Ok(Asked::Bad(Reply::refusal(413, "The body is longer than 64 KiB.\n")));
    }
    let deadline = Instant::now() + BODY_TIME;
    while buffer.len() < end + length {
        if !more(stream, buffer, deadline, end + length)? {
            return Ok(Asked::Bad(Reply::refusal(408, "The body took too long.\n")));
        }
    }
    let rest = buffer.split_off(end + length);
    let body = buffer.split_off(end);
    *buffer = rest;
    Ok(Asked::For(Request { head, body }))
}

/// Reads some bytes, so that `buffer` does not grow beyond `most`; `false` when nothing more comes in time.
fn more(mut stream: &TcpStream, buffer: &mut Vec<u8>, deadline: Instant, most: usize) -> io::Result<bool> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Ok(false);
    }
    stream.set_read_timeout(Some(left))?;
    let mut chunk = [0; 4096];
    let remaining = most.saturating_sub(buffer.len()).clamp(1, chunk.len());
    match stream.read(&mut chunk[..remaining]) {
        Ok(0) => Ok(false),
        Ok(count) => {
            buffer.extend_from_slice(&chunk[..count]);
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// Whether the other side has closed a connection, or we have.
pub(crate) fn is_gone(stream: &TcpStream) -> bool {
    let _ = stream.set_nonblocking(true);
    let found = stream.peek(&mut [0]);
    let _ = stream.set_nonblocking(false);
    match found {
        Ok(count) => count == 0,
        Err(error) => error.kind() != io::ErrorKind::WouldBlock,
    }
}

fn write(mut stream: &TcpStream, reply: &Reply, head_only: bool) -> io::Result<()> {
    let Reply { status, kind, body, closes } = reply;
    let reason = match status {
        200 => "OK",
        202 => "Accepted",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Error",
    };
    let connection = if *closes { "close" } else { "keep-alive" };
    let mut out = format!(
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: {connection}\r\n{SAFETY}\r\n",
        body.len()
    )
    .into_bytes();
    if !head_only {
        out.extend_from_slice(body);
    }
    stream.write_all(&out)?;
    stream.flush()
}

/// Refuses a connection beyond the limit, with status 503.
pub(crate) fn too_many(stream: &TcpStream) {
    let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
    let reply = Reply::refusal(503, "Too many connections.\n").closing();
    let _ = write(stream, &reply, false); // whoever it is may be gone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_decoded_and_what_is_no_escape_stays() {
        let request = |target: &str| Request::get(target);
        let asked = request("/a?text=a%20b+c%zz%4&n=1&n=2&flag");
        assert_eq!(asked.path(), "/a");
        assert_eq!(asked.query("text").as_deref(), Some("a b c%zz%4"));
        assert_eq!((asked.query("n").as_deref(), asked.query("flag").as_deref()), (Some("1"), Some("")));
        assert_eq!(asked.query("none"), None);
        assert_eq!(request("/a?x=%ff%00").query("x").as_deref(), Some("\u{fffd}\0"));
    }
}
