//! A folder that goes with the test that made it.

use std::path::PathBuf;

/// The folder; its path has no links in it.
pub(crate) struct Temporary(pub(crate) PathBuf);

impl Temporary {
    /// An empty one. No two tests may give it the same name.
    pub(crate) fn new(name: &str) -> Temporary {
        let path = std::env::temp_dir().join(format!("tracewright-agent-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Temporary(std::fs::canonicalize(path).unwrap())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
