//! Full disks, kills, and other ways to end.
