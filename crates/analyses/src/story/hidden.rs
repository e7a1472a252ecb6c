//! Methods that nobody wants to watch, by what their code is.

use model::code::{CallSite, CodeMap, Ending, Method, MethodId};

/// Why a method has no scene of its own, unless somebody asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hidden {
    /// It gives or sets something, in one straight piece without calls.
    Accessor,
    /// The compiler made it: it only leads to what somebody wrote.
    Bridge,
    /// A constructor that calls at most another one.
    EmptyConstructor,
    /// It hands on to a method of the same name.
    Delegation,
    /// A class initialiser. What it calls is set-up too.
    SetUp,
}

const SYNTHETIC: u16 = 0x1000;
/// Bytes of code of an accessor or a delegation.
const SHORT: u32 = 24;

/// Whether the method is hidden, and why.
pub fn hidden(code: &CodeMap, id: MethodId) -> Option<Hidden> {
    let method = code.method(id)?;
    if method.name == "<clinit>" {
        return Some(Hidden::SetUp);
    }
    if method.access_flags & SYNTHETIC != 0 && !method.name.starts_with("lambda$") {
        return Some(Hidden::Bridge);
    }
    let is_straight = method.loops.is_empty()
        && method
            .blocks
            .iter()
            .all(|block| matches!(block.ending, Ending::Return | Ending::FallThrough | Ending::Call(_)));
    // A method whose blocks are not known may do anything.
    let bytes = method.blocks.iter().map(|block| block.end).max().unwrap_or(0);
    if !is_straight || bytes == 0 {
        return None;
    }
    match (calls(method).as_slice(), method.name.as_str()) {
        ([] | [CallSite { .. }], "<init>")
            if calls(method).iter().all(|call| call.name == "<init>") && lines(method) <= 2 =>
        {
            Some(Hidden::EmptyConstructor)
        }
        ([], name) if name != "<init>" && lines(method) <= 2 && bytes <= SHORT => Some(Hidden::Accessor),
        ([only], name) if only.name == name && name != "<init>" && lines(method) <= 2 && bytes <= SHORT => {
            Some(Hidden::Delegation)
        }
        _ => None,
    }
}

fn calls(method: &Method) -> Vec<&CallSite> {
    let site = |ending| match ending {
        Ending::Call(site) => Some(site),
        _ => None,
    };
    method.blocks.iter().filter_map(|block| site(block.ending.map_call(|call| call))).collect()
}

fn lines(method: &Method) -> usize {
    let mut lines: Vec<u16> = method.blocks.iter().flat_map(|block| block.lines.iter().copied()).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.len()
}
