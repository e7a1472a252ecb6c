//! Opcodes: number, mnemonic, operand format, and how many stack slots each pops and pushes.
//!
//! The table is data and nothing else; what an operand means is in [`crate::instruction`]. A count
//! of `VARIES` depends on a descriptor in the constant pool, see `stack_effect.rs`.
//! Source: JVM specification 6.5 (instructions) and 2.11.1 (slots: long and double take two).

/// The number of an operation; every value from 0 to 201 is defined for class files, the others
/// are not and are refused when code is decoded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opcode(pub u8);

/// How the bytes after an opcode are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    None,
    Byte,
    Short,
    ArrayKind,
    Constant8,
    Constant16,
    Local,
    Increment,
    Interface,
    Dynamic,
    MultiArray,
    Jump16,
    Jump32,
    TableSwitch,
    LookupSwitch,
    Wide,
}

/// A pop or push count that only the descriptor of the constant says.
pub(crate) const VARIES: u8 = 255;

/// What the table says of one opcode.
struct Row(&'static str, Format, u8, u8);

impl Opcode {
    /// The mnemonic of the specification, or `?` for a number that is not defined.
    pub fn name(self) -> &'static str {
        self.row().map_or("?", |row| row.0)
    }

    pub(crate) fn format(self) -> Option<Format> {
        self.row().map(|row| row.1)
    }

    /// Slots popped and pushed; [`VARIES`] where a descriptor decides.
    pub(crate) fn slots(self) -> (u8, u8) {
        self.row().map_or((0, 0), |row| (row.2, row.3))
    }

    fn row(self) -> Option<&'static Row> {
        TABLE.get(usize::from(self.0))
    }

    /// A two-way jump: `ifeq` .. `if_acmpne`, `ifnull`, `ifnonnull`.
    pub fn is_conditional_jump(self) -> bool {
        (Self::IFEQ..=Self::IF_ACMPNE).contains(&self) || matches!(self, Self::IFNULL | Self::IFNONNULL)
    }

    /// Any of the five `invoke` instructions.
    pub fn is_call(self) -> bool {
        (Self::INVOKEVIRTUAL..=Self::INVOKEDYNAMIC).contains(&self)
    }

    /// Any of the six `return` instructions.
    pub fn is_return(self) -> bool {
        (Self::IRETURN..=Self::RETURN).contains(&self)
    }

    /// `tableswitch` or `lookupswitch`.
    pub fn is_switch(self) -> bool {
        matches!(self, Self::TABLESWITCH | Self::LOOKUPSWITCH)
    }

    /// `jsr`, `jsr_w` or `ret`: subroutines, which class files up to version 50 may use.
    pub fn is_subroutine(self) -> bool {
        matches!(self, Self::JSR | Self::JSR_W | Self::RET)
    }

    /// The load or store of this slot that needs no operand: `iload_2` for `iload` and 2.
    pub fn with_slot(self, slot: u16) -> Option<Self> {
        let slot = u8::try_from(slot).ok().filter(|&slot| slot < 4)?;
        match self.0 {
            21..=25 => Some(Self(Self::ILOAD_0.0 + 4 * (self.0 - Self::ILOAD.0) + slot)),
            54..=58 => Some(Self(Self::ISTORE_0.0 + 4 * (self.0 - Self::ISTORE.0) + slot)),
            _ => None,
        }
    }

    /// Whether it may throw an exception of its own or let one of a callee pass. Where none in a
    /// method does, a catch-all is useless. Returns do not count, though with monitors that are not
    /// paired they can; errors that come from outside (a stopped thread) may come anywhere.
    pub fn can_throw(self) -> bool {
        self.has(THROWS)
    }

    /// Whether the next instruction may follow this one. `jsr` counts as not falling through,
    /// since it comes back only by way of a `ret`.
    pub fn falls_through(self) -> bool {
        !self.has(ENDS)
    }

    fn has(self, mark: u8) -> bool {
        MARKS.get(usize::from(self.0)).is_some_and(|marks| marks & mark != 0)
    }
}

const THROWS: u8 = 1;
const ENDS: u8 = 2;

/// By opcode, for what is asked of every instruction again and again.
static MARKS: [u8; 256] = marks();

const fn marks() -> [u8; 256] {
    let mut marks = [0; 256];
    let mut rest: &mut [u8] = &mut marks;
    let mut opcode: u8 = 0;
    while let [mark, after @ ..] = rest {
        *mark = match opcode {
            18..=20 // a class or a computed constant
            | 46..=53 // loads from arrays
            | 79..=86 // stores into them
            | 108 | 109 | 112 | 113 // divisions of whole numbers
            | 178..=190 // fields, calls, new objects, lengths of arrays
            | 192..=195 // casts, monitors
            | 197 => THROWS,
            191 => THROWS | ENDS, // athrow
            167..=177 | 200 | 201 => ENDS, // goto, subroutines, switches, returns
            _ => 0,
        };
        opcode = opcode.wrapping_add(1);
        rest = after;
    }
    marks
}

impl std::fmt::Debug for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name())
    }
}

impl std::fmt::Display for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name())
    }
}

macro_rules! opcodes {
    ($($number:literal $constant:ident $name:literal $format:ident $pops:tt $pushes:tt;)*) => {
        #[allow(missing_docs)] // the constants are the mnemonics of the specification
        impl Opcode {
            $(pub const $constant: Self = Self($number);)*
        }
        static TABLE: [Row; 202] = [$(Row($name, Format::$format, $pops, $pushes),)*];
    };
}

opcodes! {
    0 NOP "nop" None 0 0;
    1 ACONST_NULL "aconst_null" None 0 1;
    2 ICONST_M1 "iconst_m1" None 0 1;
    3 ICONST_0 "iconst_0" None 0 1;
    4 ICONST_1 "iconst_1" None 0 1;
    5 ICONST_2 "iconst_2" None 0 1;
    6 ICONST_3 "iconst_3" None 0 1;
    7 ICONST_4 "iconst_4" None 0 1;
    8 ICONST_5 "iconst_5" None 0 1;
    9 LCONST_0 "lconst_0" None 0 2;
    10 LCONST_1 "lconst_1" None 0 2;
    11 FCONST_0 "fconst_0" None 0 1;
    12 FCONST_1 "fconst_1" None 0 1;
    13 FCONST_2 "fconst_2" None 0 1;
    14 DCONST_0 "dconst_0" None 0 2;
    15 DCONST_1 "dconst_1" None 0 2;
    16 BIPUSH "bipush" Byte 0 1;
    17 SIPUSH "sipush" Short 0 1;
    18 LDC "ldc" Constant8 0 1;
    19 LDC_W "ldc_w" Constant16 0 1;
    20 LDC2_W "ldc2_w" Constant16 0 2;
    21 ILOAD "iload" Local 0 1;
    22 LLOAD "lload" Local 0 2;
    23 FLOAD "fload" Local 0 1;
    24 DLOAD "dload" Local 0 2;
    25 ALOAD "aload" Local 0 1;
    26 ILOAD_0 "iload_0" None 0 1;
    27 ILOAD_1 "iload_1" None 0 1;
    28 ILOAD_2 "iload_2" None 0 1;
    29 ILOAD_3 "iload_3" None 0 1;
    30 LLOAD_0 "lload_0" None 0 2;
    31 LLOAD_1 "lload_1" None 0 2;
    32 LLOAD_2 "lload_2" None 0 2;
    33 LLOAD_3 "lload_3" None 0 2;
    34 FLOAD_0 "fload_0" None 0 1;
    35 FLOAD_1 "fload_1" None 0 1;
    36 FLOAD_2 "fload_2" None 0 1;
    37 FLOAD_3 "fload_3" None 0 1;
    38 DLOAD_0 "dload_0" None 0 2;
    39 DLOAD_1 "dload_1" None 0 2;
    40 DLOAD_2 "dload_2" None 0 2;
    41 DLOAD_3 "dload_3" None 0 2;
    42 ALOAD_0 "aload_0" None 0 1;
    43 ALOAD_1 "aload_1" None 0 1;
    44 ALOAD_2 "aload_2" None 0 1;
    45 ALOAD_3 "aload_3" None 0 1;
    46 IALOAD "iaload" None 2 1;
    47 LALOAD "laload" None 2 2;
    48 FALOAD "faload" None 2 1;
    49 DALOAD "daload" None 2 2;
    50 AALOAD "aaload" None 2 1;
    51 BALOAD "baload" None 2 1;
    52 CALOAD "caload" None 2 1;
    53 SALOAD "saload" None 2 1;
    54 ISTORE "istore" Local 1 0;
    55 LSTORE "lstore" Local 2 0;
    56 FSTORE "fstore" Local 1 0;
    57 DSTORE "dstore" Local 2 0;
    58 ASTORE "astore" Local 1 0;
    59 ISTORE_0 "istore_0" None 1 0;
    60 ISTORE_1 "istore_1" None 1 0;
    61 ISTORE_2 "istore_2" None 1 0;
    62 ISTORE_3 "istore_3" None 1 0;
    63 LSTORE_0 "lstore_0" None 2 0;
    64 LSTORE_1 "lstore_1" None 2 0;
    65 LSTORE_2 "lstore_2" None 2 0;
    66 LSTORE_3 "lstore_3" None 2 0;
    67 FSTORE_0 "fstore_0" None 1 0;
    68 FSTORE_1 "fstore_1" None 1 0;
    69 FSTORE_2 "fstore_2" None 1 0;
    70 FSTORE_3 "fstore_3" None 1 0;
    71 DSTORE_0 "dstore_0" None 2 0;
    72 DSTORE_1 "dstore_1" None 2 0;
    73 DSTORE_2 "dstore_2" None 2 0;
    74 DSTORE_3 "dstore_3" None 2 0;
    75 ASTORE_0 "astore_0" None 1 0;
    76 ASTORE_1 "astore_1" None 1 0;
    77 ASTORE_2 "astore_2" None 1 0;
    78 ASTORE_3 "astore_3" None 1 0;
    79 IASTORE "iastore" None 3 0;
    80 LASTORE "lastore" None 4 0;
    81 FASTORE "fastore" None 3 0;
    82 DASTORE "dastore" None 4 0;
    83 AASTORE "aastore" None 3 0;
    84 BASTORE "bastore" None 3 0;
    85 CASTORE "castore" None 3 0;
    86 SASTORE "sastore" None 3 0;
    87 POP "pop" None 1 0;
    88 POP2 "pop2" None 2 0;
    89 DUP "dup" None 1 2;
    90 DUP_X1 "dup_x1" None 2 3;
    91 DUP_X2 "dup_x2" None 3 4;
    92 DUP2 "dup2" None 2 4;
    93 DUP2_X1 "dup2_x1" None 3 5;
    94 DUP2_X2 "dup2_x2" None 4 6;
    95 SWAP "swap" None 2 2;
    96 IADD "iadd" None 2 1;
    97 LADD "ladd" None 4 2;
    98 FADD "fadd" None 2 1;
    99 DADD "dadd" None 4 2;
    100 ISUB "isub" None 2 1;
    101 LSUB "lsub" None 4 2;
    102 FSUB "fsub" None 2 1;
    103 DSUB "dsub" None 4 2;
    104 IMUL "imul" None 2 1;
    105 LMUL "lmul" None 4 2;
    106 FMUL "fmul" None 2 1;
    107 DMUL "dmul" None 4 2;
    108 IDIV "idiv" None 2 1;
    109 LDIV "ldiv" None 4 2;
    110 FDIV "fdiv" None 2 1;
    111 DDIV "ddiv" None 4 2;
    112 IREM "irem" None 2 1;
    113 LREM "lrem" None 4 2;
    114 FREM "frem" None 2 1;
    115 DREM "drem" None 4 2;
    116 INEG "ineg" None 1 1;
    117 LNEG "lneg" None 2 2;
    118 FNEG "fneg" None 1 1;
    119 DNEG "dneg" None 2 2;
    120 ISHL "ishl" None 2 1;
    121 LSHL "lshl" None 3 2;
    122 ISHR "ishr" None 2 1;
    123 LSHR "lshr" None 3 2;
    124 IUSHR "iushr" None 2 1;
    125 LUSHR "lushr" None 3 2;
    126 IAND "iand" None 2 1;
    127 LAND "land" None 4 2;
    128 IOR "ior" None 2 1;
    129 LOR "lor" None 4 2;
    130 IXOR "ixor" None 2 1;
    131 LXOR "lxor" None 4 2;
    132 IINC "iinc" Increment 0 0;
    133 I2L "i2l" None 1 2;
    134 I2F "i2f" None 1 1;
    135 I2D "i2d" None 1 2;
    136 L2I "l2i" None 2 1;
    137 L2F "l2f" None 2 1;
    138 L2D "l2d" None 2 2;
    139 F2I "f2i" None 1 1;
    140 F2L "f2l" None 1 2;
    141 F2D "f2d" None 1 2;
    142 D2I "d2i" None 2 1;
    143 D2L "d2l" None 2 2;
    144 D2F "d2f" None 2 1;
    145 I2B "i2b" None 1 1;
    146 I2C "i2c" None 1 1;
    147 I2S "i2s" None 1 1;
    148 LCMP "lcmp" None 4 1;
    149 FCMPL "fcmpl" None 2 1;
    150 FCMPG "fcmpg" None 2 1;
    151 DCMPL "dcmpl" None 4 1;
    152 DCMPG "dcmpg" None 4 1;
    153 IFEQ "ifeq" Jump16 1 0;
    154 IFNE "ifne" Jump16 1 0;
    155 IFLT "iflt" Jump16 1 0;
    156 IFGE "ifge" Jump16 1 0;
    157 IFGT "ifgt" Jump16 1 0;
    158 IFLE "ifle" Jump16 1 0;
    159 IF_ICMPEQ "if_icmpeq" Jump16 2 0;
    160 IF_ICMPNE "if_icmpne" Jump16 2 0;
    161 IF_ICMPLT "if_icmplt" Jump16 2 0;
    162 IF_ICMPGE "if_icmpge" Jump16 2 0;
    163 IF_ICMPGT "if_icmpgt" Jump16 2 0;
    164 IF_ICMPLE "if_icmple" Jump16 2 0;
    165 IF_ACMPEQ "if_acmpeq" Jump16 2 0;
    166 IF_ACMPNE "if_acmpne" Jump16 2 0;
    167 GOTO "goto" Jump16 0 0;
    168 JSR "jsr" Jump16 0 1;
    169 RET "ret" Local 0 0;
    170 TABLESWITCH "tableswitch" TableSwitch 1 0;
    171 LOOKUPSWITCH "lookupswitch" LookupSwitch 1 0;
    172 IRETURN "ireturn" None 1 0;
    173 LRETURN "lreturn" None 2 0;
    174 FRETURN "freturn" None 1 0;
    175 DRETURN "dreturn" None 2 0;
    176 ARETURN "areturn" None 1 0;
    177 RETURN "return" None 0 0;
    178 GETSTATIC "getstatic" Constant16 VARIES VARIES;
    179 PUTSTATIC "putstatic" Constant16 VARIES VARIES;
    180 GETFIELD "getfield" Constant16 VARIES VARIES;
    181 PUTFIELD "putfield" Constant16 VARIES VARIES;
    182 INVOKEVIRTUAL "invokevirtual" Constant16 VARIES VARIES;
    183 INVOKESPECIAL "invokespecial" Constant16 VARIES VARIES;
    184 INVOKESTATIC "invokestatic" Constant16 VARIES VARIES;
    185 INVOKEINTERFACE "invokeinterface" Interface VARIES VARIES;
    186 INVOKEDYNAMIC "invokedynamic" Dynamic VARIES VARIES;
    187 NEW "new" Constant16 0 1;
    188 NEWARRAY "newarray" ArrayKind 1 1;
    189 ANEWARRAY "anewarray" Constant16 1 1;
    190 ARRAYLENGTH "arraylength" None 1 1;
    191 ATHROW "athrow" None 1 0;
    192 CHECKCAST "checkcast" Constant16 1 1;
    193 INSTANCEOF "instanceof" Constant16 1 1;
    194 MONITORENTER "monitorenter" None 1 0;
    195 MONITOREXIT "monitorexit" None 1 0;
    196 WIDE "wide" Wide 0 0;
    197 MULTIANEWARRAY "multianewarray" MultiArray VARIES VARIES;
    198 IFNULL "ifnull" Jump16 1 0;
    199 IFNONNULL "ifnonnull" Jump16 1 0;
    200 GOTO_W "goto_w" Jump32 0 0;
    201 JSR_W "jsr_w" Jump32 0 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_stores_without_operand() {
        let names = (0..=201).map(Opcode).filter_map(|opcode| {
            Some(format!("{opcode}: {} {}", opcode.with_slot(0)?, opcode.with_slot(3)?))
        });
        assert_eq!(
            names.collect::<Vec<_>>().join(", "),
            "iload: iload_0 iload_3, lload: lload_0 lload_3, fload: fload_0 fload_3, dload: dload_0 dload_3, \
             aload: aload_0 aload_3, istore: istore_0 istore_3, lstore: lstore_0 lstore_3, fstore: fstore_0 \
             fstore_3, dstore: dstore_0 dstore_3, astore: astore_0 astore_3"
        );
        assert_eq!((Opcode::ALOAD.with_slot(4), Opcode::RET.with_slot(1)), (None, None));
    }

    #[test]
    fn what_throws_and_what_ends() {
        let names = |is: fn(Opcode) -> bool| {
            (0..=255).map(Opcode).filter(|&opcode| is(opcode)).map(Opcode::name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            names(Opcode::can_throw),
            "ldc ldc_w ldc2_w iaload laload faload daload aaload baload caload saload iastore lastore \
             fastore dastore aastore bastore castore sastore idiv ldiv irem lrem getstatic putstatic \
             getfield putfield invokevirtual invokespecial invokestatic invokeinterface invokedynamic new \
             newarray anewarray arraylength athrow checkcast instanceof monitorenter monitorexit \
             multianewarray"
        );
        assert_eq!(
            names(|opcode| !opcode.falls_through()),
            "goto jsr ret tableswitch lookupswitch ireturn lreturn freturn dreturn areturn return athrow \
             goto_w jsr_w"
        );
    }

    #[test]
    fn the_numbers_are_those_of_the_specification() {
        for (opcode, number, name) in [
            (Opcode::BIPUSH, 0x10, "bipush"),
            (Opcode::POP, 0x57, "pop"),
            (Opcode::IINC, 0x84, "iinc"),
            (Opcode::IFEQ, 0x99, "ifeq"),
            (Opcode::TABLESWITCH, 0xaa, "tableswitch"),
            (Opcode::INVOKEDYNAMIC, 0xba, "invokedynamic"),
            (Opcode::JSR_W, 0xc9, "jsr_w"),
        ] {
            assert_eq!((opcode.0, opcode.name()), (number, name));
        }
        assert_eq!(Opcode(202).name(), "?");
    }
}
