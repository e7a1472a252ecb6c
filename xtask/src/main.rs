//! Every chore of this repository. For now: `cargo xtask test`.
use std::process::{Command, exit};

fn main() {
    let status = Command::new("cargo").args(["test", "--workspace"]).status();
    exit(if status.is_ok_and(|status| status.success()) { 0 } else { 1 });
}
