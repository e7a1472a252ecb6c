//! The paper's recorder, inserted: at the end of each block three numbers, the kind of its end, and a
//! call of the one method that all threads share.

use std::path::Path;

use classfile::control_flow_graph::Ending;
use classfile::edit::{Edits, InsertionPoint};
use classfile::instrument::{Subject, each_method, push_int};
use classfile::limits::COMPILE_LIMIT;
use classfile::{ClassFile, Instruction, Opcode};

use crate::sh::{Outcome, Trouble};

/// Rewrites all class files below `from` into the same places below `into`; everything else is copied.
/// The kinds are the paper's: 0 a call ends the block, 1 a return, 2 a throw, 3 anything else.
pub(super) fn rewrite_all(from: &Path, into: &Path, next_class: &mut i32) -> Outcome {
    let cannot = |error: std::io::Error| Trouble::CannotDo(format!("{}: {error}", from.display()));
    std::fs::create_dir_all(into).map_err(cannot)?;
    for entry in std::fs::read_dir(from).map_err(cannot)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).map_err(cannot)?;
        let target = into.join(name);
        if path.is_dir() {
            rewrite_all(&path, &target, next_class)?;
            continue;
        }
        let bytes = std::fs::read(&path).map_err(cannot)?;
        let is_class = path.extension().is_some_and(|end| end == "class");
        let is_recorder = path.file_stem().is_some_and(|stem| stem == "PaperRecorder");
        let bytes = match is_class && !is_recorder {
            true => rewritten(&bytes, next_class).unwrap_or(bytes),
            false => bytes,
        };
        std::fs::write(&target, bytes).map_err(cannot)?;
    }
    Ok(())
}

/// `None` if it cannot be read.
fn rewritten(bytes: &[u8], next_class: &mut i32) -> Option<Vec<u8>> {
    let mut class = ClassFile::parse(bytes).ok()?;
    *next_class += 1;
    let number = *next_class;
    each_method(&mut class, COMPILE_LIMIT, |subject: Subject<'_, '_>| {
        let call = subject.pool.add_method(b"PaperRecorder", b"record", b"(IIII)V")?;
        let mut edits = Edits::of(subject.code);
        let method = i32::try_from(subject.number).unwrap_or(0);
        for (id, block) in (0..).zip(&subject.graph.blocks) {
            if block.record_at != Some(block.start) || !subject.graph.dominators.is_reachable(block_id(id)) {
                continue;
            }
            let kind = match block.ending {
                Ending::Call(()) => 0,
                Ending::Return => 1,
                Ending::Throw => 2,
                _ => 3,
            };
            let mut run = Vec::new();
            for value in [number, method, id, kind] {
                run.push(push_int(value, subject.pool)?);
            }
            run.push(Instruction::with_constant(Opcode::INVOKESTATIC, call));
            edits.insert(InsertionPoint::Before(block.last), run);
        }
        Ok(edits)
    });
    Some(class.to_bytes())
}

fn block_id(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
