//! The byte code of a method as rows, for methods whose source is not at hand.

use classfile::ClassFile;
use classfile::disassembly;
use classfile::line_table::LineTable;
use classfile::modified_utf8;
use model::code::{Ending, Method};

use super::method::{Row, cut};
use super::recording::Recording;

/// Instructions that are shown; a longer method is cut.
const MOST: usize = 2000;

/// A row for each instruction, and one in front for each line. Where the class file was not recorded,
/// a row for each block.
pub(super) fn rows(recording: &Recording, method: &Method) -> Vec<Row> {
    let bytes = recording.about.class_files.get(method.class);
    let head = Row {
        line: 0,
        text: cut(&simple_names(&format!("{}{}", method.name, method.descriptor))),
        blocks: vec![],
    };
    let body = instructions(bytes, method).unwrap_or_else(|| blocks_only(method));
    std::iter::once(head).chain(body).collect()
}

fn instructions(bytes: &[u8], method: &Method) -> Option<Vec<Row>> {
    let class = ClassFile::parse(bytes).ok()?;
    let pool = &class.constant_pool;
    let is = |index, name: &str| pool.utf8(index).is_ok_and(|text| modified_utf8::to_text(text) == name);
    let found = class
        .methods
        .iter()
        .find(|one| is(one.name, &method.name) && is(one.descriptor, &method.descriptor))?;
    let lines = LineTable::of(&class.code(found).ok()??, pool);
    let text = disassembly::method(&class, found).ok()?;
    let (mut rows, mut last) = (Vec::new(), None);
    for row in text.lines().take(MOST) {
        // Rows of instructions are `  PC  OPCODE ...`; other rows begin with a word.
        let Some((pc, instruction)) = row.trim_start().split_once("  ") else { continue };
        let Ok(pc) = pc.parse::<u32>() else { continue };
        let block = method.blocks.iter().position(|block| (block.start..block.end).contains(&pc));
        let line = lines.line_at(pc).map_or(0, u32::from);
        if last != Some(line) && line > 0 {
            rows.push(Row { line, text: format!("// line {line}"), blocks: vec![] });
            last = Some(line);
        }
        let blocks = block.and_then(|block| u32::try_from(block).ok()).into_iter().collect();
        rows.push(Row { line, text: cut(&format!("  {pc:>4} {}", simple_names(instruction))), blocks });
    }
    (!rows.is_empty()).then_some(rows)
}

/// An instruction with its classes called as in source, without packages: `new shop/Cart` is `new Cart`, and in a
/// descriptor `Lshop/Cart;` is `Cart;`.
fn simple_names(instruction: &str) -> String {
    let is_in_name = |letter: char| letter.is_alphanumeric() || "_$/".contains(letter);
    let mut out = String::with_capacity(instruction.len());
    let mut name = String::new();
    for letter in instruction.chars().chain(Some('\0')) {
        if is_in_name(letter) {
            name.push(letter);
            continue;
        }
        out += name.rsplit('/').next().unwrap_or_default();
        name.clear();
        if letter != '\0' {
            out.push(letter);
        }
    }
    out
}

fn blocks_only(method: &Method) -> Vec<Row> {
    let row = |(block, id): (&model::code::Block, u32)| {
        let ending = match &block.ending {
            Ending::FallThrough => "goes on".to_owned(),
            Ending::Call(site) => format!("calls {}.{}", site.class, site.name),
            Ending::Jump => "jumps".to_owned(),
            Ending::Branch => "branches".to_owned(),
            Ending::Switch => "switches".to_owned(),
            Ending::Return => "returns".to_owned(),
            Ending::Throw => "throws".to_owned(),
            Ending::Subroutine => "subroutine".to_owned(),
        };
        let line = block.lines.first().map_or(0, |&line| u32::from(line));
        Row { line, text: cut(&format!("block {id}: {ending}")), blocks: vec![id] }
    };
    method.blocks.iter().zip(0..).take(MOST).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::simple_names;

    #[test]
    fn classes_are_named_without_their_packages() {
        let of = |instruction: &str, expected: &str| assert_eq!(simple_names(instruction), expected);
        of("invokestatic java/lang/System.currentTimeMillis()J", "invokestatic System.currentTimeMillis()J");
        of(
            "invokevirtual shop/Cart$Line.add(Ljava/lang/String;[[Lshop/A;)Z",
            "invokevirtual Cart$Line.add(String;[[A;)Z",
        );
        of("getfield shop/Cart.lines:Ljava/util/List;", "getfield Cart.lines:List;");
        of("iinc 1 by -1", "iinc 1 by -1");
        of("tableswitch 1:20 2:30 default:40", "tableswitch 1:20 2:30 default:40");
        of("anewarray [Lé/Größe;", "anewarray [Größe;");
    }
}
