//! Method and field descriptors: how many slots they take and which types they name.
//!
//! Source: JVM specification 4.3.

use crate::error::{Error, Result};

/// One type of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type<'d> {
    /// boolean, byte, char, short or int: all the same on the operand stack.
    Int,
    /// float.
    Float,
    /// long, two slots.
    Long,
    /// double, two slots.
    Double,
    /// A class (its name, `java/lang/Object`) or an array type (the whole descriptor, `[I`).
    Reference(&'d [u8]),
    /// void, as a return type only.
    Void,
}

impl Type<'_> {
    /// Slots on the operand stack or among the local variables.
    pub fn slots(self) -> u16 {
        match self {
            Type::Void => 0,
            Type::Long | Type::Double => 2,
            _ => 1,
        }
    }
}

/// The parameter types and the return type of a method descriptor.
pub fn method(descriptor: &[u8]) -> Result<(Vec<Type<'_>>, Type<'_>)> {
    let mut parameters = Vec::new();
    let result = each(descriptor, |parameter| parameters.push(parameter))?;
    Ok((parameters, result))
}

/// The parameters and the result of a method descriptor as they stand there: `I`, `[J`, `Ljava/lang/String;`, `V`.
pub fn parts(descriptor: &[u8]) -> Result<(Vec<&[u8]>, &[u8])> {
    let mut parameters = Vec::new();
    let mut at = 1;
    while descriptor.get(at).is_some_and(|&byte| byte != b')') {
        let start = at;
        one(descriptor, &mut at)?;
        parameters.extend(descriptor.get(start..at));
    }
    each(descriptor, |_| {})?;
    Ok((parameters, descriptor.get(at + 1..).unwrap_or_default()))
}

/// Shows the parameter types of a method descriptor one by one; the return type.
pub(crate) fn each<'d>(descriptor: &'d [u8], mut parameter: impl FnMut(Type<'d>)) -> Result<Type<'d>> {
    let mut at = 1;
    if descriptor.first() != Some(&b'(') {
        return Err(Error::BadDescriptor { at: 0 });
    }
    while descriptor.get(at) != Some(&b')') {
        match one(descriptor, &mut at)? {
            Type::Void => return Err(Error::BadDescriptor { at }),
            kind => parameter(kind),
        }
    }
    at += 1;
    let result = one(descriptor, &mut at)?;
    if at == descriptor.len() { Ok(result) } else { Err(Error::BadDescriptor { at }) }
}

/// The type of a field descriptor.
pub fn field(descriptor: &[u8]) -> Result<Type<'_>> {
    let mut at = 0;
    let result = one(descriptor, &mut at)?;
    if at == descriptor.len() && result != Type::Void { Ok(result) } else { Err(Error::BadDescriptor { at }) }
}

fn one<'d>(descriptor: &'d [u8], at: &mut usize) -> Result<Type<'d>> {
    let start = *at;
    while descriptor.get(*at) == Some(&b'[') {
        *at += 1;
    }
    let is_array = *at > start;
    let bad = Error::BadDescriptor { at: *at };
    let kind = descriptor.get(*at).copied().ok_or(bad.clone())?;
    *at += 1;
    let plain = match kind {
        b'B' | b'C' | b'I' | b'S' | b'Z' => Type::Int,
        b'F' => Type::Float,
        b'J' => Type::Long,
        b'D' => Type::Double,
        b'V' if !is_array => Type::Void,
        b'L' => {
            let name = descriptor.get(*at..).unwrap_or_default();
            let length = name.iter().position(|&byte| byte == b';').ok_or(bad.clone())?;
            *at += length + 1;
            Type::Reference(name.get(..length).ok_or(bad.clone())?)
        }
        _ => return Err(bad),
    };
    if is_array { descriptor.get(start..*at).map(Type::Reference).ok_or(bad) } else { Ok(plain) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_apart() {
        let (parameters, result) = method(b"(IJ[[DLjava/lang/String;Z)V").unwrap();
        assert_eq!(
            parameters,
            [Type::Int, Type::Long, Type::Reference(b"[[D"), Type::Reference(b"java/lang/String"), Type::Int]
        );
        assert_eq!(result, Type::Void);
        assert_eq!(field(b"[Ljava/lang/Object;"), Ok(Type::Reference(b"[Ljava/lang/Object;")));
    }

    #[test]
    fn parts_are_as_they_stand_there() {
        let (parameters, result) = parts(b"(IJ[[DLjava/lang/String;Z)V").unwrap();
        let expected: [&[u8]; 5] = [b"I", b"J", b"[[D", b"Ljava/lang/String;", b"Z"];
        assert_eq!((parameters, result), (expected.to_vec(), &b"V"[..]));
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in [&b""[..], b"(", b"(V)V", b"()", b"(I)VV", b"(Lx)V", b"I", b"([)V", b"([V)V"] {
            assert!(method(bad).is_err(), "{bad:?}");
            assert!(parts(bad).is_err(), "{bad:?}");
        }
        assert!(field(b"V").is_err());
    }
}
