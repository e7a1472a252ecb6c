//! What HotSpot writes of itself to `/tmp/hsperfdata_USER/PID`. Anybody can put anything there.

use std::os::fd::AsFd;

use rustix::fs::{Dir, FileType, Mode, OFlags, fstat, openat};

use super::view::{FOLDER, View, regular};

/// 32 kB as a rule; a file of another kind is of no interest.
const MOST: u64 = 1 << 20;

/// Whether the machine says that it can be attached to.
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
        let data = regular(folder.as_fd(), &view.status.inner_pid.to_string(), user, MOST);
        parse(&data.ok().filter(|_| is_its)?)
    })
}

/// Finds `sun.rt.jvmCapabilities`: its text begins with 1 if the machine can be attached to.
fn parse(data: &[u8]) -> Option<bool> {
    let name = b"sun.rt.jvmCapabilities\0";
    let at = data.windows(name.len()).position(|window| window == name)? + name.len();
    // The value follows the name, aligned; zeros lie in between.
    let value = data.get(at..)?.iter().take(16).find(|byte| **byte != 0)?;
    match value {
        b'0' => Some(false),
        b'1' => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capability_is_the_first_letter_of_the_value() {
        let data = |value: &str| format!("xxsun.rt.jvmCapabilities\0\0\0{value}000").into_bytes();
        assert_eq!(parse(&data("1")), Some(true));
        assert_eq!(parse(&data("0")), Some(false));
        assert_eq!(parse(b"nothing"), None);
    }
}
