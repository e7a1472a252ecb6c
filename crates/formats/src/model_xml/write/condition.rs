//! Tests and the conditions in them.

use model::machine::condition::Operand;
use model::machine::{Comparison, Condition, Path, PathStep, Test, ValueExpr, ValueSource};

use super::{Lines, Unwritable, constant, name, refuse};

pub(super) fn test(out: &mut Lines, test: &Test) -> Result<(), Unwritable> {
    out.open(&format!("<test id=\"{}\">", name(&test.id)?));
    match &test.condition {
        Condition::Not(inner) if is_short(inner) => {
            out.line(&format!("<if><not>{}</not></if>", short(inner)?));
        }
        condition if is_short(condition) => out.line(&format!("<if>{}</if>", short(condition)?)),
        condition => {
            out.open("<if>");
            write(out, condition)?;
            out.close("</if>");
        }
    }
    out.close("</test>");
    Ok(())
}

/// A comparison stands on one line.
fn is_short(condition: &Condition) -> bool {
    matches!(condition, Condition::Compare { .. })
}

fn write(out: &mut Lines, condition: &Condition) -> Result<(), Unwritable> {
    let (element, parts): (&str, &[Condition]) = match condition {
        Condition::All(parts) => ("and", parts),
        Condition::Any(parts) => ("or", parts),
        Condition::Not(part) => ("not", std::slice::from_ref(&**part)),
        condition => {
            let line = short(condition)?;
            out.line(&line);
            return Ok(());
        }
    };
    out.open(&format!("<{element}>"));
    parts.iter().try_for_each(|part| write(out, part))?;
    out.close(&format!("</{element}>"));
    Ok(())
}

fn short(condition: &Condition) -> Result<String, Unwritable> {
    let Condition::Compare { left, comparison, right } = condition else {
        return refuse("conditions on times and on two values are not written");
    };
    let left = match left {
        Operand::Field(field) => format!("<field name=\"{}\"/>", constant(field)?),
        Operand::Path(path) => self::path(path)?,
    };
    let operator = match comparison {
        Comparison::Equal => "",
        Comparison::NotEqual => " operator=\"ne\"",
        Comparison::GreaterOrEqual => " operator=\"ge\"",
        Comparison::Greater => " operator=\"gt\"",
        Comparison::LessOrEqual => " operator=\"le\"",
        Comparison::Less => " operator=\"lt\"",
    };
    Ok(format!("<condition{operator}>{left}{}</condition>", value(right)?))
}

fn path(path: &Path) -> Result<String, Unwritable> {
    let mut out = String::new();
    for step in &path.steps {
        let (kind, value) = match step {
            PathStep::CurrentScenario => ("constant", "#CurrentScenario"),
            PathStep::CurrentState => ("constant", "#currentState"),
            PathStep::Constant(value) => ("constant", &**value),
            PathStep::Field(value) => ("eventField", &**value),
            _ => return refuse("paths with queries and pools are not written"),
        };
        out += &format!("<stateAttribute type=\"{kind}\" value=\"{}\"/>", constant(value)?);
    }
    Ok(out)
}

fn value(value: &ValueExpr) -> Result<String, Unwritable> {
    if value.forced.is_some() || value.mapping.is_some() {
        return refuse("values that are turned into others are not written");
    }
    let (kind, text) = match &value.source {
        ValueSource::Null => return Ok("<stateValue type=\"null\"/>".to_owned()),
        ValueSource::Int(number) => ("int", number.to_string()),
        ValueSource::Long(number) => ("long", number.to_string()),
        ValueSource::Text(text) => ("string", constant(text)?),
        ValueSource::Field(field) => ("eventField", constant(field)?),
        _ => return refuse("values that are queries or scripts are not written"),
    };
    Ok(format!("<stateValue type=\"{kind}\" value=\"{text}\"/>"))
}
