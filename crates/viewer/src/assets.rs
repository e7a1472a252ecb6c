//! The page: files that were compiled in, so that no request reaches the disk for one.
//!
//! `cargo xtask web` builds them from `web/`. A program that was built without them serves a page that says so.

use crate::http::Reply;

include!(concat!(env!("OUT_DIR"), "/web.rs"));

const NOT_BUILT: &str = "\
<!doctype html><meta charset=\"utf-8\"><title>Tracewright</title>
<h1>The viewer is not part of this build</h1>
<p>Tracewright was built without its page. In a checkout, with Node 20.19 or later:</p>
<pre>cargo xtask web
cargo install --path crates/tracewright</pre>
<p>All commands of the command line work without it.</p>
";

/// Whether the page is part of this program.
pub fn are_built() -> bool {
    !FILES.is_empty()
}

/// The file at `path`; every view is one and the same page, which looks at the address itself.
pub(crate) fn get(path: &str) -> Option<Reply> {
    let name = if path == "/" { "/index.html" } else { path };
    if FILES.is_empty() && path == "/" {
        return Some(Reply::new(200, "text/html; charset=utf-8", NOT_BUILT.as_bytes()));
    }
    let (_, bytes) = FILES.iter().find(|(known, _)| *known == name)?;
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    Some(Reply::new(200, kind, *bytes))
}
