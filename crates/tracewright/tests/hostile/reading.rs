//! Recordings of other users.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::support::{Folder, STRANGER, as_user, has_second_user, run};

/// What a user may not read is no reason to say that it is something else.
#[test]
fn a_recording_that_may_not_be_read_is_not_called_something_else() {
    if !has_second_user() {
        return;
    }
    let folder = Folder::new();
    let capture = folder.path().join("c.capture");
    fs::create_dir(&capture).unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery/bakery.capture");
    for name in ["code", "steps"] {
        fs::copy(example.join(name), capture.join(name)).unwrap();
    }
    fs::set_permissions(&capture, Permissions::from_mode(0o700)).unwrap();
    for arguments in [&["calls"][..], &["sections"], &["method"], &["info"], &["hangs"]] {
        let mut stranger = as_user(STRANGER, folder.binary());
        stranger.args(arguments).arg(&capture);
        if arguments == ["method"] {
            stranger.arg("Till.pay");
        }
        let ran = run(stranger);
        assert!(ran.code == 2 && ran.err.contains("Permission denied"), "{arguments:?}: {ran}");
    }
}
