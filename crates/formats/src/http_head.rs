//! The head of an HTTP request, as the viewer's server takes it. What two readers could understand in two ways is
//! refused.

/// Lines of a head.
const LINES: usize = 64;

/// What bytes are so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// More has to come.
    Partial,
    /// A head.
    Whole(RequestHead),
    /// None that is answered: the status to answer with, and a sentence.
    Bad(u16, &'static str),
}

/// The head of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestHead {
    /// `GET` and the like.
    pub method: String,
    /// As it stands in the first line, query included.
    pub target: String,
    /// Names in small letters, in the order of arrival.
    pub headers: Vec<(String, String)>,
    /// The other side wants the connection to end after the answer.
    pub closes: bool,
    /// Bytes of the body; more than a machine word holds is the largest.
    pub length: usize,
    /// Where the body begins, in bytes.
    pub end: usize,
}

impl RequestHead {
    /// All values of a header, whose name is given in small letters.
    pub fn all<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> + 'r {
        self.headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads the head that bytes begin with.
pub fn read(bytes: &[u8]) -> Head {
    const BAD: Head = Head::Bad(400, "This is no request that we understand.\n");
    let mut lines = [httparse::EMPTY_HEADER; LINES];
    let mut parsed = httparse::Request::new(&mut lines);
    let end = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(end)) => end,
        Ok(httparse::Status::Partial) => return Head::Partial,
        Err(httparse::Error::TooManyHeaders) => {
            return Head::Bad(431, "The head of the request has too many lines.\n");
        }
        Err(_) => return BAD,
    };
    let (Some(method), Some(target)) = (parsed.method, parsed.path) else { return BAD };
    let mut headers = Vec::with_capacity(parsed.headers.len());
    for line in parsed.headers.iter() {
        let Ok(value) = std::str::from_utf8(line.value) else { return BAD };
        headers.push((line.name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let (method, target) = (method.to_owned(), target.to_owned());
    let mut head = RequestHead { method, target, headers, closes: false, length: 0, end };
    let options = || head.all("connection").flat_map(|value| value.split(','));
    let has = |wanted: &str| options().any(|option| option.trim().eq_ignore_ascii_case(wanted));
    // HTTP/1.0 keeps a connection only for who asks for that.
    let closes = has("close") || parsed.version == Some(0) && !has("keep-alive");
    // Lengths on which two readers could disagree are how requests are smuggled.
    if head.all("transfer-encoding").next().is_some() {
        return Head::Bad(411, "A body needs a length.\n");
    }
    let mut lengths = head.all("content-length");
    let length = match (lengths.next(), lengths.next()) {
        (None, _) => Some(0),
        (Some(text), None) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            // A number that no machine word holds is too long, not nonsense.
            Some(text.parse().unwrap_or(usize::MAX))
        }
        _ => None,
    };
    drop(lengths);
    let Some(length) = length else { return BAD };
    (head.closes, head.length) = (closes, length);
    Head::Whole(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        read(text.replace('|', "\r\n").as_bytes())
    }

    #[test]
    fn who_closes_and_how_long_a_body_is() {
        for (text, closes, length) in [
            ("GET / HTTP/1.1||", false, 0),
            ("GET / HTTP/1.1|Connection: x, Close||", true, 0),
            ("GET / HTTP/1.0||", true, 0),
            ("GET / HTTP/1.0|connection: keep-alive||", false, 0),
            ("POST /a?b HTTP/1.1|Content-Length: 12||", false, 12),
            ("POST / HTTP/1.1|Content-Length: 99999999999999999999999||", false, usize::MAX),
        ] {
            let Head::Whole(head) = head(text) else { panic!("{text}") };
            assert_eq!((head.closes, head.length), (closes, length), "{text}");
        }
    }

    #[test]
    fn what_could_be_understood_in_two_ways_is_refused() {
        for text in [
            "POST / HTTP/1.1|Content-Length: 1|Content-Length: 1||",
            "POST / HTTP/1.1|Content-Length: +1||",
            "POST / HTTP/1.1|Content-Length: ||",
            "POST / HTTP/1.1|Transfer-Encoding: chunked||",
            "nonsense||",
        ] {
            assert!(matches!(head(text), Head::Bad(..)), "{text}");
        }
        assert_eq!(head("GET / HTTP/1.1|A: b"), Head::Partial);
    }
}
