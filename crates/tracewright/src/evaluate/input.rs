//! The trace that is evaluated on: it is read many times over, by several threads.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::event_lines;
use model::EventSource;

use crate::exit::{Result, Stop};
use crate::open::open;

/// Something that can be opened again and again.
#[derive(Debug)]
pub(crate) enum Input {
    /// Files; the system keeps them in memory while they are read.
    Path(PathBuf),
    /// Event lines that came by standard input, which comes once.
    Lines(Arc<[u8]>),
}

impl Input {
    pub(crate) fn new(path: &Path) -> Result<Input> {
        if path.as_os_str() != "-" {
            return Ok(Input::Path(path.to_owned()));
        }
        let mut lines = vec![];
        match std::io::stdin().lock().read_to_end(&mut lines) {
            Ok(_) => Ok(Input::Lines(lines.into())),
            Err(error) => Stop::failed(format!("cannot read standard input: {error}")),
        }
    }

    pub(crate) fn open(&self) -> Result<Box<dyn EventSource>> {
        match self {
            Input::Path(path) => open(path),
            Input::Lines(lines) => {
                let size = lines.len() as u64;
                Ok(Box::new(event_lines::Reader::new("stdin", Cursor::new(lines.clone()), size)))
            }
        }
    }
}
