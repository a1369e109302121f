//! A parsed expression, its values and its rates.

use crate::error::ExpressionError;
use crate::function::Function;
use crate::parser::{Grammar, parse};

/// Values that an expression may need at one time, a bound on its nesting.
pub const MAX_DEPTH: usize = 64;

/// An operation on a stack of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Operation {
    Number(f64),
    /// x, y, z, t by number.
    Variable(usize),
    Call(Function),
}

/// An expression of x, y, z and t.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// In postfix order; never more than [`MAX_DEPTH`] values on the stack, and one at the end.
    pub(crate) operations: Vec<Operation>,
}

impl Expression {
    /// A constant.
    pub fn constant(value: f64) -> Self {
        Self { operations: vec![Operation::Number(value)] }
    }

    /// Parses a text. O(length).
    ///
    /// # Errors
    /// The first mistake with its place.
    pub fn parse(text: &str, grammar: Grammar) -> Result<Self, ExpressionError> {
        Ok(Self { operations: parse(text, grammar)? })
    }

    /// Its value at a place and a time, in the units of the expression. It may be infinite or not a number.
    /// O(operations), without allocation.
    pub fn at(&self, [x, y, z]: [f64; 3], time: f64) -> f64 {
        let variables = [x, y, z, time];
        let mut stack = [0.0; MAX_DEPTH + 2];
        let mut top = 0;
        for operation in &self.operations {
            let value = match *operation {
                Operation::Number(value) => value,
                Operation::Variable(variable) => variables[variable],
                Operation::Call(function) => {
                    top -= function.argument_count();
                    function.value([stack[top], stack[top + 1], stack[top + 2]])
                }
            };
            stack[top] = value;
            top += 1;
        }
        stack[0]
    }

    /// Its derivative by time, by forward differentiation. Jumps do not count; at a kink it is that of one side.
    pub fn rate(&self, [x, y, z]: [f64; 3], time: f64) -> f64 {
        let variables = [x, y, z, time];
        let mut stack = [[0.0; 2]; MAX_DEPTH + 2];
        let mut top = 0;
        for operation in &self.operations {
            let both = match *operation {
                Operation::Number(value) => [value, 0.0],
                Operation::Variable(variable) => {
                    [variables[variable], f64::from(u8::from(variable == 3))]
                }
                Operation::Call(function) => {
                    let count = function.argument_count();
                    top -= count;
                    let part = |part: usize| {
                        std::array::from_fn(|k| if k < count { stack[top + k][part] } else { 0.0 })
                    };
                    [function.value(part(0)), function.rate(part(0), part(1))]
                }
            };
            stack[top] = both;
            top += 1;
        }
        stack[0][1]
    }

    /// Whether x, y or z occur.
    pub fn has_place(&self) -> bool {
        self.has(|variable| variable < 3)
    }

    /// Whether t occurs.
    pub fn has_time(&self) -> bool {
        self.has(|variable| variable == 3)
    }

    fn has(&self, predicate: impl Fn(usize) -> bool) -> bool {
        let is =
            |operation: &Operation| matches!(operation, Operation::Variable(v) if predicate(*v));
        self.operations.iter().any(is)
    }

    /// Its value, if no variable occurs.
    pub fn number(&self) -> Option<f64> {
        (!self.has_place() && !self.has_time()).then(|| self.at([0.0; 3], 0.0))
    }

    /// The expression times a number.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        if factor == 1.0 {
            return self.clone();
        }
        if let [Operation::Number(value)] = self.operations[..] {
            return Self::constant(value * factor);
        }
        let (coefficient, rest) = self.leading_factor().unwrap_or((1.0, &self.operations));
        let mut operations = vec![Operation::Number(coefficient * factor)];
        operations.extend(rest);
        operations.push(Operation::Call(Function::Multiply));
        Self { operations }
    }

    /// The number and the other factor of a product that begins with a number.
    fn leading_factor(&self) -> Option<(f64, &[Operation])> {
        let [Operation::Number(number), rest @ .., Operation::Call(Function::Multiply)] =
            &self.operations[..]
        else {
            return None;
        };
        // The number stays below all other values until the end.
        let mut above = 0_usize;
        for operation in rest {
            if let Operation::Call(function) = operation {
                above = above.checked_sub(function.argument_count())?;
            }
            above += 1;
        }
        Some((*number, rest))
    }

    /// The expression with other expressions in place of x, y, z and t.
    #[must_use]
    pub fn with(&self, variables: &[Self; 4]) -> Self {
        let replaced = self.operations.iter().flat_map(|operation| match operation {
            Operation::Variable(variable) => variables[*variable].operations.clone(),
            other => vec![*other],
        });
        Self { operations: replaced.collect() }
    }

    /// A variable: x, y, z, t by number.
    pub fn variable(number: usize) -> Self {
        Self { operations: vec![Operation::Variable(number)] }
    }
}
