//! What the parameters of a method are called, where the class file says so.
//!
//! `MethodParameters` (compiled with `-parameters`) is asked first, then the local variables that are there from the first
//! instruction on (`-g`). Source: JVM specification 4.7.13 and 4.7.24.

use crate::code::Code;
use crate::constant_pool::ConstantPool;
use crate::descriptor;
use crate::error::Result;
use crate::method::Method;
use crate::modified_utf8::to_text;
use crate::reader::Reader;

/// One name for each parameter of the descriptor; `None` where nothing says it. A descriptor that makes no sense has none.
pub fn names(method: &Method<'_>, code: &Code<'_>, pool: &ConstantPool<'_>) -> Vec<Option<String>> {
    let Ok(descriptor) = pool.utf8(method.descriptor) else { return Vec::new() };
    let Ok((parameters, _)) = descriptor::method(descriptor) else { return Vec::new() };
    let mut names = listed(method, pool, parameters.len()).unwrap_or_else(|| vec![None; parameters.len()]);
    let mut slot = u16::from(!method.is_static());
    for (name, parameter) in names.iter_mut().zip(&parameters) {
        if name.is_none() {
            *name = variable(code, pool, slot);
        }
        slot = slot.saturating_add(parameter.slots());
    }
    names
}

/// As `MethodParameters` lists them, if it lists as many.
fn listed(method: &Method<'_>, pool: &ConstantPool<'_>, count: usize) -> Option<Vec<Option<String>>> {
    let attribute = method.attributes.iter().find(|attribute| attribute.is("MethodParameters", pool))?;
    let mut reader = Reader::new(attribute.content, attribute.at);
    let read = |reader: &mut Reader<'_>| -> Result<Option<String>> {
        let (name, _flags) = (reader.u2()?, reader.u2()?);
        Ok(pool.utf8(name).ok().map(to_text))
    };
    let number = usize::from(reader.u1().ok()?);
    let names = (0..number).map(|_| read(&mut reader)).collect::<Result<Vec<_>>>().ok()?;
    (number == count).then_some(names)
}

/// The variable that is in a slot from the first instruction on.
fn variable(code: &Code<'_>, pool: &ConstantPool<'_>, slot: u16) -> Option<String> {
    let tables = code.attributes.iter().filter(|attribute| attribute.is("LocalVariableTable", pool));
    for attribute in tables {
        let mut reader = Reader::new(attribute.content, attribute.at);
        for _ in 0..reader.u2().unwrap_or(0) {
            let mut next = || reader.u2().ok();
            let (start, _length, name, _type, index) = (next()?, next()?, next()?, next()?, next()?);
            if (start, index) == (0, slot) {
                return pool.utf8(name).ok().map(to_text);
            }
        }
    }
    None
}
