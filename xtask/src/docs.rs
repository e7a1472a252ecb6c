//! `cargo xtask docs`: the book of `docs/`, as pages for a browser.
//!
//! What its links and commands lead to is checked by the tests, which need no mdBook.

use crate::sh::{self, Outcome};

pub(crate) fn run() -> Outcome {
    if !sh::works("mdbook --version") {
        sh::run("cargo install --locked mdbook")?;
    }
    let book = sh::target_dir().join("book");
    sh::run(&format!("mdbook build docs --dest-dir {}", book.display()))?;
    println!("\n{}", book.join("index.html").display());
    Ok(())
}
