//! Every kept input goes through its target, and every folder of the corpus belongs to one.

use std::path::Path;

#[test]
fn kept_inputs_do_no_harm() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut count = 0;
    for entry in std::fs::read_dir(corpus).unwrap().map(Result::unwrap) {
        if !entry.path().is_dir() {
            continue;
        }
        let name = entry.file_name().into_string().unwrap();
        let target = fuzz::TARGETS.iter().find(|target| target.0 == name);
        let (_, run) = target.unwrap_or_else(|| panic!("corpus/{name} belongs to no target"));
        for file in std::fs::read_dir(entry.path()).unwrap() {
            let path = file.unwrap().path();
            // Said first, so that the output of a failed test names the file.
            println!("{}", path.display());
            run(&std::fs::read(&path).unwrap());
            count += 1;
        }
    }
    assert!(count > 0, "the corpus is empty");
}
