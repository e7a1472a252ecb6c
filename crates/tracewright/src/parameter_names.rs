//! What the arguments of recorded methods are called, from the class files that a recording keeps.

use std::collections::HashMap;

use classfile::{ClassFile, parameters};
use model::code::MethodId;
use model::{ClassId, CodeMap, FlowSource};

/// By method; `None` where the program was compiled without names.
type Names = Vec<Option<String>>;

/// The names of the methods that were asked for.
#[derive(Debug, Default)]
pub(crate) struct ParameterNames {
    known: HashMap<MethodId, Names>,
}

impl ParameterNames {
    /// Of one method of a recording.
    pub(crate) fn of(&mut self, recording: &dyn FlowSource, method: MethodId) -> &[Option<String>] {
        self.of_file(recording.code(), method, |class| recording.class_file(class).unwrap_or_default())
    }

    /// The same where class files are got like this. One is read once for all methods of its class.
    pub(crate) fn of_file<B: AsRef<[u8]>>(
        &mut self,
        code: &CodeMap,
        method: MethodId,
        class_file: impl FnOnce(ClassId) -> B,
    ) -> &[Option<String>] {
        let is_known = self.known.contains_key(&method);
        if !is_known {
            self.known.insert(method, Names::new());
            if let Some(class) = code.method(method).map(|method| method.class) {
                self.read(code, class, class_file(class).as_ref());
            }
        }
        self.known.get(&method).map(Vec::as_slice).unwrap_or_default()
    }

    fn read(&mut self, code: &CodeMap, id: ClassId, bytes: &[u8]) {
        let Ok(class) = ClassFile::parse(bytes) else { return };
        let pool = &class.constant_pool;
        let mut by_signature = HashMap::new();
        for method in &class.methods {
            if let Ok(Some(body)) = class.code(method) {
                by_signature.insert(method.signature(pool), parameters::names(method, &body, pool));
            }
        }
        for (number, method) in (0..).zip(&code.methods).filter(|(_, method)| method.class == id) {
            if let Some(names) = by_signature.get(&format!("{}{}", method.name, method.descriptor)) {
                self.known.insert(MethodId(number), names.clone());
            }
        }
    }
}
