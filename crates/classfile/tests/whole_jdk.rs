//! Every class of the installed JDK's java.base: read, written back, laid out anew, and graphs.

mod support;

use std::time::{Duration, Instant};

use classfile::limits::MAX_CODE;
use classfile::{ClassFile, ControlFlowGraph, Edits};

#[test]
fn every_class_comes_back_as_it_was() {
    let Some(jdk) = testing::jdk() else { return };
    let folder = support::extract(&jdk, "regex:/java.base/.*");
    let paths = support::classes(folder.path());
    assert!(paths.len() > 5000, "only {} classes", paths.len());
    let (mut methods, mut blocks, mut loops, mut irreducible, mut exception_edges) = (0, 0, 0, 0, 0);
    let (mut laid_out, mut differs) = (0, Vec::new());
    let (mut reading, mut laying) = (Duration::ZERO, Duration::ZERO);
    for path in &paths {
        let bytes = std::fs::read(path).unwrap();
        let class = ClassFile::parse(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        assert_eq!(class.to_bytes(), bytes, "{path:?}");
        let mut again = class.clone();
        for (number, method) in class.methods.iter().enumerate() {
            let start = Instant::now();
            let graph = ControlFlowGraph::of(&class, method);
            reading += start.elapsed();
            let graph = graph.unwrap_or_else(|error| panic!("{path:?} {number}: {error}"));
            let Some(graph) = graph else { continue };
            methods += 1;
            blocks += graph.blocks.len();
            loops += graph.loops.loops.len();
            irreducible += graph.loops.irreducible.len();
            exception_edges = exception_edges.max(graph.exception_edges.len());
            // No edits at all still lays the body out and writes its frames and tables anew.
            let code = class.code(method).unwrap().unwrap();
            let start = Instant::now();
            match again.rewrite(number, &Edits::of(&code), MAX_CODE) {
                Ok(()) => laid_out += 1,
                Err(reason) => panic!("{path:?} {number}: {reason}"),
            }
            laying += start.elapsed();
        }
        if again.to_bytes() != bytes {
            differs.push(path.clone());
        }
    }
    eprintln!(
        "{} classes, {methods} methods, {blocks} blocks, {loops} loops, {irreducible} irreducible, \
         at most {exception_edges} exception edges, {laid_out} laid out anew, {} classes differ then; \
         graphs took {reading:?}, laying out {laying:?}",
        paths.len(),
        differs.len(),
    );
    assert!(differs.is_empty(), "{:?}", differs.first());
}
