//! Numbers of class loaders.

use classfile::filters::Loader;

use crate::jvm::{Jvmti, Ref};
use crate::locks::{Lock, Rank};

/// The number of the platform's class loader; program loaders have higher ones.
const PLATFORM: i64 = 1;

/// Class loaders that were met. Their numbers are tags of theirs.
#[derive(Debug)]
pub(crate) struct Loaders {
    last: Lock<i64>,
}

impl Default for Loaders {
    fn default() -> Self {
        Self { last: Lock::new(Rank::Leaf, PLATFORM) }
    }
}

impl Loaders {
    /// Registers the platform's loader.
    pub(crate) fn set_platform(jvmti: Jvmti, loader: Ref) {
        jvmti.set_tag(loader, PLATFORM);
    }

    /// The number of a loader: 0 for the virtual machine's own, 1 as above, then in the order of meeting.
    pub(crate) fn number(&self, jvmti: Jvmti, loader: Ref) -> u32 {
        if loader.is_null() {
            return 0;
        }
        let mut last = self.last.lock();
        let mut tag = jvmti.tag(loader);
        if tag == 0 {
            *last += 1;
            tag = *last;
            jvmti.set_tag(loader, tag);
        }
        u32::try_from(tag).unwrap_or(u32::MAX)
    }
}

/// Whose classes the loader with this number has.
pub(crate) fn kind(number: u32) -> Loader {
    if i64::from(number) <= PLATFORM { Loader::Jdk } else { Loader::Program }
}
