//! Every kept input goes through its target, and every file of the corpus belongs to one.

use std::path::Path;

#[test]
fn corpus_inputs_do_no_harm() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut used = std::collections::BTreeSet::new();
    for folder in std::fs::read_dir(corpus).unwrap().map(Result::unwrap) {
        if !folder.path().is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder.path()).unwrap().map(Result::unwrap) {
            let (position, name) = (folder.file_name(), file.file_name());
            let (position, name) = (position.to_str().unwrap(), name.to_str().unwrap());
            // Printed first, so that the output of a failed test names the file.
            println!("corpus/{position}/{name}");
            let bytes = std::fs::read(file.path()).unwrap();
            match fuzz::corpus::corpus_input(position, name, bytes) {
                Some((target, input)) => {
                    let known = fuzz::TARGETS.iter().find(|known| known.0 == target).unwrap();
                    known.1(&input);
                    used.insert(target);
                }
                None => assert!(name.ends_with(".md"), "corpus/{position}/{name} belongs to no target"),
            }
        }
    }
    assert_eq!(used.len(), fuzz::TARGETS.len(), "some targets have no kept input: {used:?}");
}
