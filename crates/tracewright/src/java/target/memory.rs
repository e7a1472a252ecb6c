//! What HotSpot writes of itself to `/tmp/hsperfdata_USER/PID`. Anybody can put anything there.

use std::os::fd::AsFd;

use formats::hsperfdata;
use rustix::fs::{Dir, FileType, Mode, OFlags, fstat, openat};

use super::view::{FOLDER, View, regular};

/// Whether the virtual machine reports that it can be attached to.
pub(super) fn capability(view: &View) -> Option<bool> {
    let temporary = view.temporary().ok()?;
    let all = openat(&temporary, ".", OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
    let names = Dir::new(all.ok()?).ok()?.flatten().map(|entry| entry.file_name().to_owned());
    let mut names = names.filter(|name| name.to_bytes().starts_with(b"hsperfdata_"));
    let user = view.status.user;
    names.find_map(|name| {
        let folder = openat(&temporary, &name, FOLDER | OFlags::NOFOLLOW, Mode::empty()).ok()?;
        let data = fstat(&folder).ok()?;
        let is_its = FileType::from_raw_mode(data.st_mode) == FileType::Directory && data.st_uid == user;
        let data =
            regular(folder.as_fd(), &view.status.inner_pid.to_string(), user, hsperfdata::MOST_BYTES as u64);
        hsperfdata::can_attach(&data.ok().filter(|_| is_its)?)
    })
}
