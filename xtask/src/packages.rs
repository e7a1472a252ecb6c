//! What the tests need from outside: found, or installed, or named.

use std::process::{Command, Stdio};

use crate::sh::{self, Outcome, Trouble};

/// A Debian package and a command that works once it is there.
struct Need {
    package: &'static str,
    probe: &'static [&'static str],
    why: &'static str,
}

const NEEDS: [Need; 3] = [
    Need {
        package: "babeltrace2",
        probe: &["babeltrace2", "--version"],
        why: "the reader is held against it, event by event",
    },
    Need {
        package: "python3-bt2",
        // Not `python3`: another one may come first in PATH and lack Debian's modules.
        probe: &["/usr/bin/python3", "-c", "import bt2"],
        why: "the same, field by field",
    },
    Need {
        package: "zstd",
        probe: &["zstd", "--version"],
        why: "unpacks the traces in ../shared, where present",
    },
];

/// What is used where it is there, and left out with a word where it is not.
const WISHES: [Need; 2] = [
    Need { package: "chromium", probe: &["chromium", "--version"], why: "the viewer is tested in it" },
    Need { package: "coq", probe: &["coqc", "--version"], why: "checks the proofs in proofs/coq" },
];

const JACOCO: Need = Need {
    package: "libjacoco-java",
    probe: &["test", "-e", "/usr/share/java/org.jacoco.agent.rt.jar"],
    why: "the start of Java programs is measured with it beside ours",
};

/// Installs JaCoCo, if we may and it works.
pub(crate) fn wish_for_jacoco() {
    wish(&[JACOCO]);
}

/// Installs what is only wished for, if we may and it works.
fn wish(needs: &[Need]) {
    for need in needs.iter().filter(|need| !present(need)) {
        println!("missing: {} ({})", need.package, need.why);
        let line = format!("apt-get install --yes --no-install-recommends {}", need.package);
        // What needs it reports that itself.
        if may_install() && sh::run("apt-get update").and_then(|()| sh::run(&line)).is_err() {
            println!("{} could not be installed; what needs it is left out", need.package);
        }
    }
}

fn may_install() -> bool {
    sh::works("apt-get --version") && sh::output_of("id -u") == "0"
}

/// Makes sure that everything is there, by `apt-get` where that exists and we are root.
pub(crate) fn ensure() -> Outcome {
    wish(&WISHES);
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !present(need)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for need in &missing {
        println!("missing: {} ({})", need.package, need.why);
    }
    let names: Vec<&str> = missing.iter().map(|need| need.package).collect();
    let install = format!("apt-get install --yes --no-install-recommends {}", names.join(" "));
    if !may_install() {
        return Err(Trouble::CannotDo(format!("please run this first: sudo {install}")));
    }
    sh::run("apt-get update")?;
    sh::run(&install)?;
    match missing.iter().find(|need| !present(need)) {
        None => Ok(()),
        Some(need) => Err(Trouble::CannotDo(format!(
            "{} was installed, but `{}` still fails",
            need.package,
            need.probe.join(" ")
        ))),
    }
}

const JDK: Need = Need {
    package: "openjdk-17-jdk-headless",
    probe: &["javac", "-version"],
    why: "the demonstration compiles a small Java program and records it",
};

/// Whether there is a JDK; on Debian as root it is installed first.
pub(crate) fn has_jdk() -> bool {
    if present(&JDK) {
        return true;
    }
    println!("missing: {} ({})", JDK.package, JDK.why);
    let may = sh::works("apt-get --version") && sh::output_of("id -u") == "0";
    let install = format!("apt-get install --yes --no-install-recommends {}", JDK.package);
    may && sh::run("apt-get update").is_ok() && sh::run(&install).is_ok() && present(&JDK)
}

fn present(need: &Need) -> bool {
    let Some((program, arguments)) = need.probe.split_first() else { return true };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
