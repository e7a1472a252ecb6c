//! Code: what can run. Classes hold methods, methods hold basic blocks with their lines and edges.
//!
//! A recorder says which blocks ran ([`crate::flow`]); this says what they are. It is written down
//! with the recording, so whoever reads one needs neither the class files nor a virtual machine.
//! Ids count from 0 in the order in which the recorder met things, and never change in a recording.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A class of a [`CodeMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

/// A method of a [`CodeMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodId(pub u32);

/// The number of a block in its method, in the order of the code: block 0 begins at pc 0.
pub type BlockId = u32;

/// Everything that was, or could have been, recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeMap {
    /// The classes by [`ClassId`].
    pub classes: Vec<Class>,
    /// The methods by [`MethodId`].
    pub methods: Vec<Method>,
    /// The lines of other files that code of a block was inlined from, in the order of the code. Its own
    /// [`Block::lines`] are then those that it was inlined into.
    pub inlined: BTreeMap<(MethodId, BlockId), Vec<SourceLine>>,
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// The file's name without a folder. From the program: escape it before showing.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
}

/// One class, as one class loader knows it: the name alone may not be unique.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Class {
    /// Its name with dots, for instance `shop.Baker$1`. From the program: escape it before showing.
    pub name: String,
    /// The name of its source file without a folder, where it says so.
    pub source_file: Option<String>,
    /// Where it was loaded from, if the recorder knows: a folder, with a `/` at its end, or an archive; otherwise a URL. From
    /// the program: escape it before showing.
    pub origin: Option<Arc<str>>,
}

/// One method with code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Method {
    /// The class that declares it.
    pub class: ClassId,
    /// Its name; `<init>` and `<clinit>` included.
    pub name: String,
    /// Its descriptor, for instance `(I)V`.
    pub descriptor: String,
    /// The access flags of the class file.
    pub access_flags: u16,
    /// Its blocks, by [`BlockId`]; never empty.
    pub blocks: Vec<Block>,
    /// Ordinary edges by source.
    pub edges: Vec<Edge>,
    /// Edges to handlers, by source.
    pub exception_edges: Vec<(BlockId, BlockId)>,
    /// Its natural loops, outer ones before the ones inside them.
    pub loops: Vec<Loop>,
}

impl Method {
    /// Whether a compiler made it to lead to what somebody wrote: a bridge to a method with other types, access to what is
    /// private, a stub that fills in default arguments. The body of a lambda is code of the program, though compilers make a
    /// method of it.
    pub fn only_forwards(&self) -> bool {
        const BRIDGE: u16 = 0x0040;
        const SYNTHETIC: u16 = 0x1000;
        let name = self.name.as_str();
        let is_named = name == "<init>"
            || name.starts_with("access$")
            || name.ends_with("$default")
            || name.ends_with("$adapted");
        self.access_flags & SYNTHETIC != 0 && (self.access_flags & BRIDGE != 0 || is_named)
    }
}

/// One basic block. A call ends a block too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// First pc.
    pub start: u32,
    /// First pc behind it.
    pub end: u32,
    /// Its source lines in the order of the code, without repeats in a row; may be empty.
    pub lines: Vec<u16>,
    /// How it ends.
    pub ending: Ending,
    /// Whether an exception can lead here.
    pub is_handler: bool,
}

impl Block {
    /// The block that stands for a whole method where a recorder knows no others; `line`: where it is written.
    pub fn body(line: Option<u32>) -> Block {
        let lines = line.and_then(|line| u16::try_from(line).ok()).into_iter().collect();
        Block { start: 0, end: 0, lines, ending: Ending::Return, is_handler: false }
    }
}

/// How a block ends. `C`: what is known of a call that ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending<C = CallSite> {
    /// The next instruction starts another block.
    FallThrough,
    /// A call; the next block runs when it came back.
    Call(C),
    /// An unconditional jump.
    Jump,
    /// A two-way jump.
    Branch,
    /// A switch.
    Switch,
    /// The method returns.
    Return,
    /// It throws what it holds.
    Throw,
    /// `jsr` or `ret`, of class files before version 50.
    Subroutine,
}

impl<C> Ending<C> {
    /// The same with something else known of the call.
    pub fn map_call<'e, D>(&'e self, known: impl FnOnce(&'e C) -> D) -> Ending<D> {
        match self {
            Self::FallThrough => Ending::FallThrough,
            Self::Call(call) => Ending::Call(known(call)),
            Self::Jump => Ending::Jump,
            Self::Branch => Ending::Branch,
            Self::Switch => Ending::Switch,
            Self::Return => Ending::Return,
            Self::Throw => Ending::Throw,
            Self::Subroutine => Ending::Subroutine,
        }
    }
}

/// Whom a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSite {
    /// The class that the instruction names, with dots; empty for a dynamic call.
    pub class: String,
    /// The name of the method that it names.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// How the callee is chosen.
    pub kind: CallKind,
}

/// How a call chooses its callee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// `invokestatic`: the named method itself.
    Static,
    /// `invokespecial`: a constructor, a private or a superclass method: the named method itself.
    Special,
    /// `invokevirtual`: the class of the object decides.
    Virtual,
    /// `invokeinterface`: the same through an interface.
    Interface,
    /// `invokedynamic`: a method handle decides.
    Dynamic,
}

/// A way from block to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Source.
    pub from: BlockId,
    /// Target.
    pub to: BlockId,
    /// What makes it be taken.
    pub kind: EdgeKind,
}

/// What takes an edge. A switch has one edge for each different target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// The end of the block is reached, or the two-way jump is not taken, or the call came back.
    Next,
    /// The jump is taken.
    Jump,
    /// One or more arms of a switch.
    Switch,
}

/// A natural loop of a method's graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The block through which it is entered, and where each iteration begins.
    pub head: BlockId,
    /// Its blocks, ascending, those of inner loops included.
    pub blocks: Vec<BlockId>,
    /// The loop directly around it: its index in [`Method::loops`].
    pub parent: Option<u32>,
}

impl CodeMap {
    /// The class of `id`.
    pub fn class(&self, id: ClassId) -> Option<&Class> {
        self.classes.get(id.0 as usize)
    }

    /// The method of `id`.
    pub fn method(&self, id: MethodId) -> Option<&Method> {
        self.methods.get(id.0 as usize)
    }

    /// `shop.Baker.bake`, or `?` for a method that is not there.
    pub fn method_name(&self, id: MethodId) -> String {
        let Some(method) = self.method(id) else { return "?".to_string() };
        match self.class(method.class).map_or("?", |class| &class.name) {
            // A name that a tracer of timelines gives stands alone.
            "" => method.name.clone(),
            class => format!("{class}.{}", method.name),
        }
    }
}
