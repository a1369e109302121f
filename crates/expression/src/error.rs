//! Mistakes in expressions.

use crate::expression::MAX_DEPTH;
use crate::function::function_names;

/// The error of a text that is not an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\", character {character}: {mistake}")]
pub struct ExpressionError {
    /// The text.
    pub text: String,
    /// Position of the mistake in characters, from 1.
    pub character: usize,
    /// The mistake.
    pub mistake: Mistake,
}

impl ExpressionError {
    /// A sentence that helps to correct the mistake.
    pub fn help(&self) -> String {
        match self.mistake {
            Mistake::UnknownName(_) => format!(
                "variables are x, y, z (rest position) and t; functions are {}",
                function_names().collect::<Vec<_>>().join(", ")
            ),
            Mistake::Ambiguous => {
                "write `ln` for the natural logarithm, `log10` for that of base ten".to_owned()
            }
            _ => "an expression looks like \"2*sin(2*pi*t) + x^2\"".to_owned(),
        }
    }
}

/// A mistake in an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mistake {
    /// The text ends where an operand is expected.
    #[error("the expression ends where a number, a variable or a function is expected")]
    Ends,
    /// A character with which no operand begins.
    #[error("a number, a variable or a function is expected in place of `{0}`")]
    NoOperand(char),
    /// A character that is missing.
    #[error("`{0}` is expected")]
    Missing(char),
    /// Text after the end of the expression.
    #[error("an operator is expected in place of `{0}`")]
    NoOperator(char),
    /// An unreadable number.
    #[error("`{0}` is no number")]
    NoNumber(String),
    /// A name that is neither a variable nor a function.
    #[error("`{0}` is neither a variable nor a function")]
    UnknownName(String),
    /// A logarithm without a base.
    #[error("`log` has no generally agreed base")]
    Ambiguous,
    /// Too many nested operations.
    #[error("more than {MAX_DEPTH} operations are nested")]
    TooDeep,
}
