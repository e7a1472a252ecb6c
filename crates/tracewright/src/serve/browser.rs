//! Opening a browser without telling others the token.
//!
//! Every user of a machine can read the arguments of every process, so the address must not be one. The opener is
//! given a file instead: mode 0600, in a new folder of mode 0700, a page that leads on to the address. The folder
//! is removed once the token was shown, or after a minute.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::gate::random_hex;

/// How long a browser may take to start.
const STARTS: Duration = Duration::from_secs(60);
/// How often is looked whether the page was opened.
const LOOK: Duration = Duration::from_millis(100);

/// Asks the desktop for a browser that shows `url`. Where there is none, the printed address is all there is.
/// `is_opened` becomes true when somebody has shown the token.
pub(super) fn open(url: &str, is_opened: Arc<AtomicBool>) -> io::Result<()> {
    let handover = Handover::new(url)?;
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(&handover.page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Ok(()) };
    // Somebody has to take note of its end, or it stays in the table of processes.
    std::thread::Builder::new().name("browser".into()).spawn(move || {
        let _handover = handover;
        let end = Instant::now() + STARTS;
        let mut has_ended = false;
        while !is_opened.load(Ordering::Relaxed) && Instant::now() < end {
            if !has_ended && let Ok(Some(status)) = child.try_wait() {
                has_ended = true;
                if !status.success() {
                    break;
                }
            }
            std::thread::sleep(LOOK);
        }
        drop(_handover);
        if !has_ended {
            let _ = child.wait();
        }
    })?;
    Ok(())
}

/// The page that leads on, in its folder; both are removed when this is dropped.
#[derive(Debug)]
struct Handover {
    folder: PathBuf,
    page: PathBuf,
}

impl Handover {
    fn new(url: &str) -> io::Result<Handover> {
        // A folder that others can write to is not where a session keeps what is its own.
        let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_dir());
        let within = own.unwrap_or_else(std::env::temp_dir);
        Handover::within(&within, url)
    }

    fn within(within: &Path, url: &str) -> io::Result<Handover> {
        let folder = within.join(format!("tracewright-view-{}", &random_hex()?[..16]));
        // Neither follows a link, nor takes what is there.
        DirBuilder::new().mode(0o700).create(&folder)?;
        let handover = Handover { page: folder.join("open.html"), folder };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&handover.page)?;
        // The address is of our own making: a host, a port and hexadecimal digits.
        write!(
            file,
            "<!doctype html><meta charset=\"utf-8\"><title>Tracewright</title>\n\
             <meta name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0;url={url}\">\n\
             <p><a href=\"{url}\">Open Tracewright</a></p>\n"
        )?;
        Ok(handover)
    }
}

impl Drop for Handover {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder); // what is not there any more need not be removed
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_page_that_leads_on_is_for_its_owner_only_and_does_not_stay() {
        let url = "http://127.0.0.1:7/#token=abc";
        let handover = Handover::within(&std::env::temp_dir(), url).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode(&handover.folder), mode(&handover.page)), (0o700, 0o600));
        assert!(fs::read_to_string(&handover.page).unwrap().contains(&format!("content=\"0;url={url}\"")));
        let folder = handover.folder.clone();
        drop(handover);
        assert!(!folder.exists());
    }
}
