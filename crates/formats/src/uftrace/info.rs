//! `info`: a header of 40 bytes, then lines `key:value`.

use source::Source;

use super::Error;
use crate::limits;

const MAGIC: &[u8] = b"Ftrace!\0";
const VERSION: u32 = 4;
const LITTLE: u8 = 1;

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct Info {
    /// The program's path.
    pub(super) program: Option<String>,
    /// Pairs for people, in the order of the file.
    pub(super) about: Vec<(String, String)>,
    pub(super) host: Option<String>,
    pub(super) tracer: Option<String>,
    /// How the program ended.
    pub(super) exit: Option<String>,
}

/// Lines that are shown, by key, and what they are called here. `osinfo:` and others have a key of their own behind
/// the colon.
const SHOWN: [(&str, &str); 6] = [
    ("cmdline:", "command"),
    ("osinfo:kernel=", "kernel"),
    ("cpuinfo:desc=", "processor"),
    ("record_date:", "recorded"),
    ("elapsed_time:", "took"),
    ("argspec:", "arguments"),
];

impl Info {
    pub(super) fn read(source: &dyn Source) -> Result<Info, Error> {
        let mut bytes =
            vec![0; usize::try_from(source.size()).unwrap_or(usize::MAX).min(limits::UFTRACE_INFO)];
        let count = source.read_at(0, &mut bytes).unwrap_or(0);
        bytes.truncate(count);
        let rest = bytes.strip_prefix(MAGIC).ok_or(Error::NotUftrace)?;
        let (version, endian) = match rest {
            [a, b, c, d, _, _, endian, ..] => (u32::from_le_bytes([*a, *b, *c, *d]), *endian),
            _ => return Err(Error::NotUftrace),
        };
        if endian != LITTLE {
            return Err(Error::Unsupported("it was recorded on a big-endian machine".to_owned()));
        }
        if version != VERSION {
            return Err(Error::Unsupported(format!(
                "it has version {version} of uftrace's format; version {VERSION} is read"
            )));
        }
        let header = rest.get(4..6).map_or(0, |size| usize::from(size[0]) | usize::from(size[1]) << 8);
        let text = String::from_utf8_lossy(bytes.get(header..).unwrap_or_default());
        let mut info = Info::default();
        for line in text.lines() {
            info.line(line);
        }
        Ok(info)
    }

    fn line(&mut self, line: &str) {
        let value = |key: &str| line.strip_prefix(key).map(|value| value.trim_matches('"').to_owned());
        if let Some(program) = value("exename:") {
            self.program = Some(program);
        } else if let Some(host) = value("osinfo:hostname=") {
            self.host = Some(host);
        } else if let Some(version) = value("uftrace_version:") {
            let version = version.split_whitespace().next().unwrap_or_default();
            self.tracer = Some(format!("uftrace {}", version.trim_start_matches('v')));
        } else if let Some(status) = value("exit_status:") {
            self.exit = status.parse().ok().map(ended);
        } else if let Some((key, name)) = SHOWN.into_iter().find(|(key, _)| line.starts_with(key)) {
            let value = value(key).filter(|value| !value.starts_with("lines="));
            self.about.extend(value.map(|value| (name.to_owned(), value)));
        }
    }
}

/// A status as the system's `wait` gives it, in words.
fn ended(status: u32) -> String {
    match status & 0x7f {
        0 => format!("the program ended with exit code {}", status >> 8 & 0xff),
        signal => format!("signal {signal} ended the program"),
    }
}
