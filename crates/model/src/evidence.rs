//! How we know a thing. Nothing ever turns `Inferred` into `Observed`.

/// Where a step comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// It stands in the trace.
    Observed,
    /// It was concluded.
    Inferred {
        /// Which analysis concluded it.
        by: &'static str,
        /// How sure that analysis is.
        certainty: Certainty,
    },
    /// It is given: a user's choice, a model's premise.
    Assumed,
}

/// How sure a conclusion is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Certainty {
    /// Nothing else fits what was observed.
    OnlyWay,
    /// Other things fit too; `probability` is in 0..=1.
    Likely {
        /// The share of this alternative among all that fit.
        probability: f64,
    },
    /// It cannot be weighed.
    Unknown,
}
