//! Opening a browser without disclosing the token to other users.
//!
//! Every user of a machine can read the arguments of every process, so the address must not be one. The opener is
//! given a file instead: mode 0600, in a new folder of mode 0700, a page that redirects to the address. The folder
//! is removed once the token was shown, after a minute, or at a signal that ends us.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use viewer::random_hex;

use crate::atomic::TemporaryFolder;

/// How long a browser may take to start.
const STARTS: Duration = Duration::from_secs(60);
/// How often is looked whether the page was opened.
const POLL: Duration = Duration::from_millis(100);

/// Asks the desktop for a browser that shows `url`. Where there is none, the printed address is all there is.
/// `is_opened` becomes true when somebody has shown the token.
pub(crate) fn open(url: &str, is_opened: Arc<AtomicBool>) -> io::Result<()> {
    let redirect = Redirect::new(url)?;
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(&redirect.page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Ok(()) };
    // Somebody has to take note of its end, or it stays in the table of processes.
    std::thread::Builder::new().name("browser".into()).spawn(move || {
        let end = Instant::now() + STARTS;
        let mut has_ended = false;
        while !is_opened.load(Ordering::Relaxed) && Instant::now() < end {
            if !has_ended && let Ok(Some(status)) = child.try_wait() {
                has_ended = true;
                if !status.success() {
                    break;
                }
            }
            std::thread::sleep(POLL);
        }
        drop(redirect);
        if !has_ended {
            let _ = child.wait();
        }
    })?;
    Ok(())
}

/// The page that redirects to the address, in its folder; both are removed with the value, or at a signal.
#[derive(Debug)]
struct Redirect {
    page: PathBuf,
    _folder: TemporaryFolder,
}

impl Redirect {
    fn new(url: &str) -> io::Result<Redirect> {
        // A folder that others can write to is not where a session keeps what is its own.
        let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_dir());
        Redirect::within(&own.unwrap_or_else(std::env::temp_dir), url)
    }

    fn within(within: &Path, url: &str) -> io::Result<Redirect> {
        let folder = TemporaryFolder::create(&within.join(format!("tracewright-{}", &random_hex()?[..16])))?;
        let page = folder.path().join("open.html");
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&page)?;
        // The address is of our own making: a host, a port and hexadecimal digits.
        write!(
            file,
            "<!doctype html><meta charset=\"utf-8\"><title>Tracewright</title>\n\
             <meta name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0;url={url}\">\n\
             <p><a href=\"{url}\">Open Tracewright</a></p>\n"
        )?;
        Ok(Redirect { page, _folder: folder })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_page_that_leads_on_is_for_its_owner_only_and_does_not_stay() {
        let (directory, url) = (tempfile::tempdir().unwrap(), "http://127.0.0.1:7/#token=abc");
        let redirect = Redirect::within(directory.path(), url).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode(redirect.page.parent().unwrap()), mode(&redirect.page)), (0o700, 0o600));
        assert!(fs::read_to_string(&redirect.page).unwrap().contains(&format!("content=\"0;url={url}\"")));
        let folder = redirect.page.parent().unwrap().to_owned();
        drop(redirect);
        assert!(!folder.exists());
    }
}
