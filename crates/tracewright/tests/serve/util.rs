//! A server with a small trace, and a client that sends exactly what it is told to.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Four switches and a system call of a kernel: thread 12 leaves CPU 1 unseen.
pub(crate) const KERNEL: &str = r#"{"ts":1000,"stream":"cpu0","cpu":0,"name":"sched_switch","fields":{"prev_comm":"swapper/0","prev_tid":0,"prev_prio":20,"prev_state":0,"next_comm":"web","next_tid":12,"next_prio":20}}
{"ts":2000,"stream":"cpu0","cpu":0,"name":"syscall_entry_read","fields":{"fd":3}}
{"ts":3000,"stream":"cpu0","cpu":0,"name":"syscall_exit_read","fields":{"ret":0}}
{"ts":4000,"stream":"cpu0","cpu":0,"name":"sched_switch","fields":{"prev_comm":"web","prev_tid":12,"prev_prio":20,"prev_state":1,"next_comm":"swapper/0","next_tid":0,"next_prio":20}}
{"ts":5000,"stream":"cpu1","cpu":1,"name":"sched_switch","fields":{"prev_comm":"swapper/1","prev_tid":0,"prev_prio":20,"prev_state":0,"next_comm":"db","next_tid":13,"next_prio":20}}
{"stream":"cpu0","lost":3,"from":4000,"to":7000}
{"ts":7000,"stream":"cpu0","cpu":0,"name":"sched_switch","fields":{"prev_comm":"web","prev_tid":12,"prev_prio":20,"prev_state":1,"next_comm":"swapper/0","next_tid":0,"next_prio":20}}
{"ts":8000,"stream":"cpu1","cpu":1,"name":"sched_switch","fields":{"prev_comm":"db","prev_tid":13,"prev_prio":20,"prev_state":1,"next_comm":"swapper/1","next_tid":0,"next_prio":20}}
"#;

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    /// What it calls itself.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) token: String,
    folder: Option<TempDir>,
}

/// A folder of its own; it is removed when this is dropped.
pub(crate) fn folder() -> TempDir {
    tempfile::Builder::new().prefix("serve-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

impl Server {
    /// A server for a trace with these lines.
    pub(crate) fn start(trace: &str) -> Server {
        Server::start_with(trace, &[])
    }

    /// The same with more arguments.
    pub(crate) fn start_with(trace: &str, arguments: &[&str]) -> Server {
        Server::of(Some(trace), "trace.jsonl", arguments)
    }

    /// A server for what lies there.
    pub(crate) fn open(path: &str) -> Server {
        Server::of(None, path, &[])
    }

    /// A server for what these arguments say.
    pub(crate) fn of_arguments(arguments: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
        command.args(["view", "--no-open"]).args(arguments);
        Server::by(command)
    }

    fn of(trace: Option<&str>, input: &str, arguments: &[&str]) -> Server {
        let folder = folder();
        if let Some(trace) = trace {
            std::fs::write(folder.path().join("trace.jsonl"), trace).unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracewright"));
        command.args(["view", input, "--no-open"]).args(arguments).current_dir(folder.path());
        let mut server = Server::by(command);
        server.folder = Some(folder);
        server
    }

    /// The server that a command starts.
    pub(crate) fn by(mut command: Command) -> Server {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (address, token) = line.trim().split_once("/#token=").unwrap();
        let (host, port) = address.strip_prefix("http://").unwrap().rsplit_once(':').unwrap();
        let (host, port) = (host.to_owned(), port.parse().unwrap());
        Server { child, host, port, token: token.to_owned(), folder: None }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends `bytes` and reads until the server has answered and closed, or says nothing more.
    pub(crate) fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // A server that refuses early may close while we still write.
        let _ = stream.write_all(bytes);
        Answer::read(&mut stream)
    }

    /// A request with these lines; `{host}` and `{token}` stand for what is right. As a page of ours does, it asks
    /// again where it is told to: on a busy machine any answer may take a moment.
    pub(crate) fn ask(&self, head: &str) -> Answer {
        let head =
            head.replace("{host}", &format!("{}:{}", self.host, self.port)).replace("{token}", &self.token);
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let answer = self.send(format!("{}\r\n\r\n", head.replace('\n', "\r\n")).as_bytes());
            if answer.status != 202 {
                return answer;
            }
            assert!(Instant::now() < end, "{head}: no answer comes");
            let answered: Value = serde_json::from_str(&answer.body).unwrap();
            let wait = format!(
                "GET /api/finished?after={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
                answered["finished"], self.port, self.token
            );
            assert_eq!(self.send(wait.as_bytes()).status, 200);
        }
    }

    /// What a page of ours gets.
    pub(crate) fn get(&self, target: &str) -> Answer {
        self.ask(&format!("GET {target} HTTP/1.1\nHost: {{host}}\nAuthorization: Bearer {{token}}"))
    }

    pub(crate) fn post(&self, target: &str, body: &str) -> Answer {
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        );
        self.send(head.as_bytes())
    }

    pub(crate) fn json(&self, target: &str) -> Value {
        let answer = self.get(target);
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
        serde_json::from_str(&answer.body)
            .unwrap_or_else(|error| panic!("{target}: {error}: {}", answer.body))
    }

    /// Asks until `phase` is done.
    pub(crate) fn wait_for(&self, target: &str) -> Value {
        let start = Instant::now();
        loop {
            let value = self.json(target);
            if value["phase"] == "done" {
                return value;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{target}: {value}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        drop(self.folder.take());
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    /// 0: nothing came.
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn read(stream: &mut TcpStream) -> Answer {
        let mut bytes = vec![];
        let mut chunk = [0; 65536];
        let mut length = None;
        loop {
            let head_end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
            if let Some(end) = head_end {
                let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
                let known = *length.get_or_insert_with(|| {
                    let line = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
                    line.parse::<usize>().unwrap()
                });
                if bytes.len() >= end + 4 + known {
                    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
                    let body = String::from_utf8_lossy(&bytes[end + 4..end + 4 + known]).into_owned();
                    return Answer { status, head, body };
                }
            }
            match stream.read(&mut chunk) {
                // A read with a time limit is broken off where the process is stopped for a moment.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => return Answer { status: 0, head: String::new(), body: String::new() },
                Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            }
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}
