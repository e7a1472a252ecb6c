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
fn means_a_path(part: &str) -> bool {
    let ends = [".md", ".rs", ".toml", ".sh", ".txt", ".json", ".c", ".h", "/"];
    let made_later = ["target/", "../", "/", "~"];
    let names = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    part.chars().all(names)
        && part.contains('/')
        && (ends.iter().any(|end| part.ends_with(end)) || !part.contains('.'))
        && !made_later.iter().any(|start| part.starts_with(start))
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
        for part in code.filter(|part| means_a_path(part)).chain(links) {
            // A document names files from where it stands, or from the root.
            let found = folder.join(part).exists() || root().join(part).exists();
            assert!(found, "{document} names `{part}`, which does not exist");
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
            let task: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            assert!(help.contains(&format!("\"{task}\" =>")), "{document}: `cargo xtask {task}` is no task");
        }
    }
}

/// All pages below `docs/`, from there.
fn pages() -> Vec<String> {
    let (mut folders, mut pages) = (vec![root().join("docs")], vec![]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|end| end == "md") => {
                    let page = path.strip_prefix(root().join("docs")).unwrap();
                    pages.push(page.to_str().unwrap().to_owned());
                }
                false => {}
            }
        }
    }
    pages
}

/// Where the links of a text lead, without those to other sites.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let outside_blocks = text.split("```").step_by(2);
    let links =
        outside_blocks.flat_map(|text| text.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    links.filter(|link| !link.starts_with("http")).map(|link| link.split('#').next().unwrap_or_default())
}

#[test]
fn the_book_has_every_page_and_no_dead_link() {
    let summary = text("docs/SUMMARY.md");
    for page in pages() {
        let is_listed = page == "SUMMARY.md" || links(&summary).any(|link| link == page);
        assert!(is_listed, "docs/SUMMARY.md does not list {page}");
        let folder = root().join("docs").join(&page).parent().unwrap().to_path_buf();
        for link in links(&text(&format!("docs/{page}"))).filter(|link| !link.is_empty()) {
            let target = folder.join(link).canonicalize();
            let target = target.unwrap_or_else(|_| panic!("docs/{page}: {link} leads nowhere"));
            let is_inside = target.starts_with(root().canonicalize().unwrap().join("docs"));
            assert!(is_inside, "docs/{page}: {link} leads out of the book");
        }
    }
}
