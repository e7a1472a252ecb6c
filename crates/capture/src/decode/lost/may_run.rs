//! What may run where: whom a call can mean, and where code that is not recorded may call back.

use std::collections::{BTreeSet, HashMap, HashSet};

use model::code::{CallKind, CallSite, CodeMap, Ending};
use model::{BlockId, MethodId};

use crate::Encoding;
use crate::methods::Methods;

/// So many numbers of iterations are tried of a record that states some.
const ITERATIONS: usize = 6;

/// See the module's head.
#[derive(Debug, Default)]
pub(super) struct MayRun {
    /// Methods by the number of name and descriptor.
    by_name: HashMap<u32, Vec<u32>>,
    lambdas: Vec<u32>,
    /// Blocks whose call can reach nothing recorded but what it names.
    closed: HashSet<(u32, BlockId)>,
    /// Whom code that is not recorded has called, by the block that called that.
    called_back: HashMap<(u32, BlockId), BTreeSet<u32>>,
    /// What ran with nothing recorded around it.
    outermost: BTreeSet<u32>,
    /// Initialisers of classes that have not been seen to run.
    initializers: BTreeSet<u32>,
    /// By code: the numbers of iterations, plus 1, that its records had, and how often.
    iterations: HashMap<u32, HashMap<u32, u32>>,
    /// Recorded code runs where classes are loaded, or all of the JDK is recorded: no block is without it.
    pub(super) runs_anywhere: bool,
    /// A frame was seen to end without the record that it should have left: the stack was too full for it.
    pub(super) ends_silently: bool,
}

impl MayRun {
    /// `throttled`: methods that may run without a record.
    pub(super) fn of(code: &CodeMap, methods: &Methods, throttled: &HashSet<MethodId>) -> MayRun {
        let mut may = MayRun::default();
        let mut known: HashMap<(&str, &str, &str), u16> = HashMap::new();
        let mut jdk_is_recorded = false;
        for (index, method) in (0..).zip(&code.methods) {
            let class = code.class(method.class).map_or("", |class| &class.name);
            if !throttled.contains(&MethodId(index)) {
                known.insert((class, &method.name, &method.descriptor), method.access_flags);
            }
            may.by_name.entry(methods.get(index).name).or_default().push(index);
            if method.name.starts_with("lambda$") {
                may.lambdas.push(index);
            }
            if method.name == "<clinit>" {
                may.initializers.insert(index);
            }
            jdk_is_recorded |= class.starts_with("java.");
            may.runs_anywhere |= matches!(method.name.as_str(), "loadClass" | "findClass");
        }
        may.runs_anywhere |= jdk_is_recorded;
        for (index, method) in (0..).zip(&code.methods) {
            for (block, at) in (0..).zip(&method.blocks) {
                let Ending::Call(call) = &at.ending else { continue };
                let is_known = is_one(call, &known) || !jdk_is_recorded && is_quiet(call);
                if is_known {
                    may.closed.insert((index, block));
                }
            }
        }
        may
    }

    /// A frame began: what called it is seen now.
    pub(super) fn saw(&mut self, at: Option<(u32, BlockId)>, callee: MethodId, by_library: bool) {
        self.initializers.remove(&callee.0);
        match at {
            Some(site) if by_library => drop(self.called_back.entry(site).or_default().insert(callee.0)),
            None => drop(self.outermost.insert(callee.0)),
            Some(_) => {}
        }
    }

    /// A record of this code has so many iterations, plus 1.
    pub(super) fn note_iterations(&mut self, code: u32, iterations: u32) {
        *self.iterations.entry(code).or_default().entry(iterations).or_default() += 1;
    }

    /// The iterations, plus 1, that records of this code mostly have.
    pub(super) fn iterations(&self, code: u32) -> Vec<u32> {
        let mut seen: Vec<(u32, u32)> = self
            .iterations
            .get(&code)
            .into_iter()
            .flatten()
            .map(|(iterations, count)| (*count, *iterations))
            .collect();
        seen.sort_unstable_by(|one, other| other.cmp(one));
        seen.into_iter().take(ITERATIONS).map(|(_, iterations)| iterations).collect()
    }

    /// Whom the call at the end of a block may call, and whether others may run as well.
    pub(super) fn callees(&self, methods: &Methods, site: (u32, BlockId), out: &mut BTreeSet<u32>) -> bool {
        let (method, block) = site;
        let about = methods.get(method);
        out.extend(&self.initializers);
        let Some(name) = about.called_name(block) else {
            let is_site = about.is_site(block).unwrap_or(self.runs_anywhere);
            out.extend(self.called_back.get(&site).into_iter().flatten());
            return is_site
                && (self.runs_anywhere
                    || about.encoding == Encoding::Paths && !self.initializers.is_empty());
        };
        let named = self.by_name.get(&name).into_iter().flatten().chain(&self.lambdas);
        out.extend(named.filter(|&&callee| about.calls(block, methods.get(callee))));
        let is_open = !self.closed.contains(&site) && about.is_site(block).unwrap_or(true);
        if is_open {
            out.extend(self.called_back.get(&site).into_iter().flatten());
        }
        is_open || self.runs_anywhere
    }

    /// What may run where nothing recorded is open.
    pub(super) fn outermost(&self) -> &BTreeSet<u32> {
        &self.outermost
    }
}

/// Whether a call runs one method and no other, which is recorded.
fn is_one(call: &CallSite, known: &HashMap<(&str, &str, &str), u16>) -> bool {
    const PRIVATE_OR_FINAL: u16 = 0x2 | 0x10;
    let found = known.get(&(call.class.as_str(), call.name.as_str(), call.descriptor.as_str()));
    found.is_some_and(|flags| match call.kind {
        CallKind::Static | CallKind::Special => true,
        CallKind::Virtual => flags & PRIVATE_OR_FINAL != 0,
        CallKind::Interface | CallKind::Dynamic => false,
    })
}

/// Calls into the JDK that never call back: they take numbers and texts and use nothing that a program can override.
fn is_quiet(call: &CallSite) -> bool {
    let values = takes_only_values(&call.descriptor);
    match (call.class.as_str(), call.name.as_str()) {
        ("java.lang.Object", "<init>" | "getClass") => {
            call.kind != CallKind::Virtual || call.name == "getClass"
        }
        ("java.lang.System", name) => {
            matches!(name, "nanoTime" | "currentTimeMillis" | "arraycopy" | "identityHashCode")
        }
        ("java.lang.String", "equals") => call.kind == CallKind::Virtual,
        ("java.lang.String", _) => call.kind == CallKind::Virtual && values,
        ("java.lang.StringBuilder", _) => values && call.kind != CallKind::Dynamic,
        (
            "java.lang.Math"
            | "java.lang.StrictMath"
            | "java.lang.Integer"
            | "java.lang.Long"
            | "java.lang.Short"
            | "java.lang.Byte"
            | "java.lang.Character"
            | "java.lang.Boolean"
            | "java.lang.Float"
            | "java.lang.Double",
            _,
        ) => values,
        _ => false,
    }
}

/// Whether a method takes nothing but numbers and strings.
fn takes_only_values(descriptor: &str) -> bool {
    let Some((taken, _)) = descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return false;
    };
    let without = taken.replace("Ljava/lang/String;", "");
    !without.contains(['L', '['])
}
