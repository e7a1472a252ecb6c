//! One entry for fuzzers: everything this crate does with bytes it does not trust.

use crate::class_file::ClassFile;
use crate::control_flow_graph::ControlFlowGraph;
use crate::edit::{Edits, InsertionPoint};
use crate::identity;
use crate::instruction::Instruction;
use crate::instrument;
use crate::limits::MAX_CODE;
use crate::listing;
use crate::opcode::Opcode;
use crate::stack_map::VerificationType;

/// Reads bytes as a class, lists it, rewrites every method in every way and writes it. Returns the
/// written class, if there was one. What was not changed must come back as it was.
pub fn fuzz_class(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut class = ClassFile::parse(bytes).ok()?;
    assert!(class.to_bytes() == bytes, "an unchanged class was not written as it was read");
    let listing = listing::class(&class);
    assert!(listing.len() <= (1 << 20) + bytes.len() * 4096, "the listing is out of proportion");
    let mut length = 0;
    identity::write(&class, &mut |bytes| length += bytes.len());
    for site in 0..class.constant_pool.count().min(16) {
        assert!(
            class.methods_of_call_site(site).len() <= bytes.len(),
            "a call site calls more than there is"
        );
    }
    assert!(length <= (1 << 20) + bytes.len() * 64, "the identity is out of proportion");
    instrument::each_method(&mut class, MAX_CODE, |subject| {
        let mut edits = Edits::of(subject.code);
        let nop = || vec![Instruction::from(Opcode::NOP)];
        if let Some(slot) = edits.new_local(VerificationType::Integer) {
            let set = vec![Instruction::push_small(0), Instruction::with_local(Opcode::ISTORE, slot)];
            edits.insert(InsertionPoint::MethodEntry, set);
        }
        for block in &subject.graph.blocks {
            edits.insert(InsertionPoint::Before(block.start), nop());
            if block.is_handler {
                edits.insert(InsertionPoint::HandlerEntry(block.start), nop());
            }
        }
        for point in every_edge(subject.graph) {
            edits.insert(point, nop());
        }
        edits.catch_all(nop());
        Ok(edits)
    });
    let written = class.to_bytes();
    let again = ClassFile::parse(&written);
    assert!(again.is_ok_and(|again| again.methods.len() == class.methods.len()), "own output is not read");
    Some(written)
}

fn every_edge(graph: &ControlFlowGraph) -> impl Iterator<Item = InsertionPoint> + '_ {
    graph.edges.iter().filter_map(|edge| InsertionPoint::of_edge(graph, edge))
}
