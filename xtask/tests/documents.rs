//! The documents are held against the tree: what they name is there.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may stop at the first broken promise")]

mod common;

use common::{root, text};

const DOCUMENTS: [&str; 7] = [
    "README.md",
    "SECURITY.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "corpus/README.md",
    "examples/README.md",
];

/// Whether a piece of code in a text means a file or a folder of this repository.
fn means_a_path(piece: &str) -> bool {
    let ends = [".md", ".rs", ".toml", ".sh", ".txt", ".json", ".c", ".h", "/"];
    let made_later = ["target/", "../", "/", "~"];
    let names = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    piece.chars().all(names)
        && piece.contains('/')
        && (ends.iter().any(|end| piece.ends_with(end)) || !piece.contains('.'))
        && !made_later.iter().any(|start| piece.starts_with(start))
}

#[test]
fn every_path_in_the_documents_exists() {
    for document in DOCUMENTS {
        let mut seen = 0;
        let text = text(document);
        let folder = root().join(document).parent().unwrap().to_path_buf();
        let outside_blocks: String = text.split("```").step_by(2).collect();
        let code = outside_blocks.split('`').skip(1).step_by(2);
        let links = outside_blocks.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let links = links.filter(|link| !link.starts_with("http") && !link.starts_with('#'));
        for piece in code.filter(|piece| means_a_path(piece)).chain(links) {
            // A document names files from where it stands, or from the root.
            let found = folder.join(piece).exists() || root().join(piece).exists();
            assert!(found, "{document} names `{piece}`, which does not exist");
            seen += 1;
        }
        assert!(
            seen > 0 || document == "CHANGELOG.md",
            "{document}: no path was found; has its form changed?"
        );
    }
}

#[test]
fn every_chore_in_the_documents_exists() {
    let help = text("xtask/src/main.rs");
    for document in DOCUMENTS {
        for rest in text(document).split("cargo xtask ").skip(1) {
            let chore: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            assert!(
                help.contains(&format!("\"{chore}\" =>")),
                "{document}: `cargo xtask {chore}` is no chore"
            );
        }
    }
}
