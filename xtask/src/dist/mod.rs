//! `cargo xtask dist`: what people install who have no Rust.
//!
//! ```text
//! target/dist/tracewright-0.2.0-x86_64-linux/       the stripped binary, manual pages, completions, licences
//!            /tracewright-0.2.0-x86_64-linux.tar.gz the same
//!            /tracewright_0.2.0_amd64.deb           the same, where dpkg-deb is installed
//!            /tracewright-0.2.0.cdx.json            the packages that are in it (CycloneDX)
//!            /SHA256SUMS
//! ```

mod sbom;

use std::fs;
use std::path::{Path, PathBuf};

use crate::sh::{self, Outcome, Trouble};
use crate::web;

/// The largest binary that is given to people, in bytes. Arrow and Parquet take about 2.6 million of them.
const LARGEST: u64 = 18_000_000;

/// Builds the program that is given to people.
pub(crate) const BUILD: &str =
    "cargo build --profile packaged --locked --package tracewright --features columnar";

/// Beside the binary.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// The notice of zstd, whose C is in the binary.
const ZSTD: &str = "LICENSE-zstd";

/// Shells, with the place where Debian looks for what completes a command.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/tracewright"),
    ("zsh", "usr/share/zsh/vendor-completions/_tracewright"),
    ("fish", "usr/share/fish/vendor_completions.d/tracewright.fish"),
];

pub(crate) fn run() -> Outcome {
    match web::missing().or_else(web::missing_packages) {
        None => web::build()?,
        Some(why) => println!("The viewer's page is left out: {why}."),
    }
    sh::run(BUILD)?;
    let version = env!("CARGO_PKG_VERSION");
    let machine = std::env::consts::ARCH;
    let name = format!("tracewright-{version}-{machine}-linux");
    let dist = sh::target_dir().join("dist");
    match fs::remove_dir_all(&dist) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(cannot("empty", &dist, &error));
        }
        _ => {}
    }
    let tree = dist.join(&name);
    for folder in ["man", "completions"] {
        make(&tree.join(folder))?;
    }
    let program = tree.join("tracewright");
    copy(&sh::target_dir().join("packaged/tracewright"), &program)?;
    run_with("strip", &[&program])?;
    let size = fs::metadata(&program).map_err(|error| cannot("read", &program, &error))?.len();
    println!("the binary has {:.1} MB", size as f64 / 1e6);
    for text in TEXTS {
        copy(&sh::root().join(text), &tree.join(text))?;
    }
    copy(&zstd_licence()?, &tree.join(ZSTD))?;
    run_with(&program.display().to_string(), &[Path::new("man"), &tree.join("man")])?;
    for (shell, _) in SHELLS {
        let script = sh::output_of(&format!("{} completions {shell}", program.display()));
        write(&tree.join("completions").join(shell), &script)?;
    }
    let archive = format!("{name}.tar.gz");
    // Whoever unpacks it as root must not get files of whoever packed it.
    sh::run(&format!(
        "tar --create --gzip --owner=0 --group=0 --file {} --directory {} {name}",
        dist.join(&archive).display(),
        dist.display()
    ))?;
    let mut made = vec![archive];
    let list = format!("tracewright-{version}.cdx.json");
    write(&dist.join(&list), &sbom::of_binary()?)?;
    made.push(list);
    match sh::works("dpkg-deb --version") {
        true => made.push(deb(&dist, &tree, version, machine)?),
        false => println!("No .deb is made: dpkg-deb is not installed."),
    }
    let sums = sh::command(&format!("sha256sum {}", made.join(" "))).current_dir(&dist).output();
    let sums = sums.map_err(|error| Trouble::CannotDo(format!("sha256sum could not be started: {error}")))?;
    write(&dist.join("SHA256SUMS"), &String::from_utf8_lossy(&sums.stdout))?;
    println!("\n{}", dist.display());
    made.iter().for_each(|file| println!("  {file}"));
    if size > LARGEST {
        return Err(Trouble::Wrong(format!("the binary has {size} bytes, more than {LARGEST}")));
    }
    Ok(())
}

/// The licences that go with everything that we give to people, put into `folder`.
pub(crate) fn add_licences(folder: &Path) -> Outcome {
    for text in TEXTS.into_iter().filter(|text| text.starts_with("LICENSE")) {
        copy(&sh::root().join(text), &folder.join(text))?;
    }
    copy(&zstd_licence()?, &folder.join(ZSTD))
}

fn zstd_licence() -> Result<PathBuf, Trouble> {
    Ok(sbom::folder_of("zstd-sys")?.join("zstd/LICENSE"))
}

/// A package for Debian from the tree; its file name.
fn deb(dist: &Path, tree: &Path, version: &str, machine: &str) -> Result<String, Trouble> {
    let architecture = match machine {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let root = dist.join("deb");
    let documents = root.join("usr/share/doc/tracewright");
    for folder in [&root.join("DEBIAN"), &root.join("usr/bin"), &documents, &root.join("usr/share/man/man1")]
    {
        make(folder)?;
    }
    copy(&tree.join("tracewright"), &root.join("usr/bin/tracewright"))?;
    for text in TEXTS.into_iter().chain([ZSTD]) {
        copy(&tree.join(text), &documents.join(text))?;
    }
    write(
        &documents.join("copyright"),
        "Licensed under MIT or Apache-2.0; the texts lie beside this file, and that of zstd, which is in it.\n",
    )?;
    for (shell, directory) in SHELLS {
        let directory = root.join(directory);
        make(directory.parent().unwrap_or(&root))?;
        copy(&tree.join("completions").join(shell), &directory)?;
    }
    let pages = fs::read_dir(tree.join("man")).map_err(|error| cannot("read", tree, &error))?;
    for page in pages.flatten() {
        copy(&page.path(), &root.join("usr/share/man/man1").join(page.file_name()))?;
    }
    // The dynamic libraries that it needs are those of the C library and of the compiler.
    let control = format!(
        "Package: tracewright\nVersion: {version}\nArchitecture: {architecture}\n\
         Maintainer: The Tracewright authors <tracewright@example.org>\nSection: devel\nPriority: optional\n\
         Depends: libc6, libgcc-s1\nDescription: records, reads, mends and explains execution traces\n \
         It records what a Java program does, finds loops in traces and histories, and infers\n \
         events that were lost.\n"
    );
    write(&root.join("DEBIAN/control"), &control)?;
    let file = format!("tracewright_{version}_{architecture}.deb");
    sh::run(&format!(
        "dpkg-deb --root-owner-group --build {} {}",
        root.display(),
        dist.join(&file).display()
    ))?;
    fs::remove_dir_all(&root).map_err(|error| cannot("remove", &root, &error))?;
    Ok(file)
}

fn run_with(program: &str, arguments: &[&Path]) -> Outcome {
    let shown: Vec<String> = arguments.iter().map(|argument| argument.display().to_string()).collect();
    sh::run_in(sh::command(program).args(arguments), &format!("{program} {}", shown.join(" ")))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::CannotDo(format!("cannot {what} {}: {error}", path.display()))
}

fn make(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| cannot("make", folder, &error))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    fs::copy(from, to).map(|_| ()).map_err(|error| cannot("copy", from, &error))
}

fn write(file: &Path, text: &str) -> Outcome {
    fs::write(file, text).map_err(|error| cannot("write", file, &error))
}
