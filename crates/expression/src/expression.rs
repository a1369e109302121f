//! A parsed expression, its values and its rates.

use crate::error::ExpressionError;
use crate::function::Function;
use crate::parser::{Grammar, parse};

/// Largest number of values on the stack of an evaluation, which bounds the nesting of expressions.
pub const MAX_DEPTH: usize = 64;

/// An operation on a stack of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Operation {
    Number(f64),
    /// x, y, z or t, by the index 0 to 3.
    Variable(usize),
    Call(Function),
}

/// An expression of x, y, z and t.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// Operations in postfix order. The stack never holds more than [`MAX_DEPTH`] values, and one value at the end.
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

    /// Value at a position and a time, in the units of the expression. It may be infinite or not a number.
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

    /// Derivative with respect to time, by forward differentiation. Jumps contribute nothing; at a kink the result is a
    /// one-sided derivative.
    pub fn rate(&self, [x, y, z]: [f64; 3], time: f64) -> f64 {
        let variables = [x, y, z, time];
        let mut stack = [[0.0; 2]; MAX_DEPTH + 2];
        let mut top = 0;
        for operation in &self.operations {
            let value_and_rate = match *operation {
                Operation::Number(value) => [value, 0.0],
                Operation::Variable(variable) => {
                    [variables[variable], f64::from(u8::from(variable == 3))]
                }
                Operation::Call(function) => {
                    let count = function.argument_count();
                    top -= count;
                    let component = |component: usize| {
                        std::array::from_fn(
                            |k| if k < count { stack[top + k][component] } else { 0.0 },
                        )
                    };
                    [function.value(component(0)), function.rate(component(0), component(1))]
                }
            };
            stack[top] = value_and_rate;
            top += 1;
        }
        stack[0][1]
    }

    /// Whether x, y or z occur.
    pub fn has_place(&self) -> bool {
        self.has_variable(|variable| variable < 3)
    }

    /// Whether t occurs.
    pub fn has_time(&self) -> bool {
        self.has_variable(|variable| variable == 3)
    }

    /// Whether a variable occurs whose index satisfies `predicate`.
    fn has_variable(&self, predicate: impl Fn(usize) -> bool) -> bool {
        let is_selected =
            |operation: &Operation| matches!(operation, Operation::Variable(v) if predicate(*v));
        self.operations.iter().any(is_selected)
    }

    /// Value of the expression, if no variable occurs in it.
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
        let (coefficient, other_factor) = self.leading_factor().unwrap_or((1.0, &self.operations));
        let mut operations = vec![Operation::Number(coefficient * factor)];
        operations.extend(other_factor);
        operations.push(Operation::Call(Function::Multiply));
        Self { operations }
    }

    /// For a product that begins with a number: the number, and the operations of the other factor.
    fn leading_factor(&self) -> Option<(f64, &[Operation])> {
        let [Operation::Number(number), other_factor @ .., Operation::Call(Function::Multiply)] =
            &self.operations[..]
        else {
            return None;
        };
        // The product begins with the number only if the other operations never take the number from the stack.
        // `depth_above` is the number of values above it.
        let mut depth_above = 0_usize;
        for operation in other_factor {
            if let Operation::Call(function) = operation {
                depth_above = depth_above.checked_sub(function.argument_count())?;
            }
            depth_above += 1;
        }
        Some((*number, other_factor))
    }

    /// The expression with x, y, z and t replaced by other expressions.
    #[must_use]
    pub fn with(&self, variables: &[Self; 4]) -> Self {
        let operations = self.operations.iter().flat_map(|operation| match operation {
            Operation::Variable(variable) => variables[*variable].operations.clone(),
            other => vec![*other],
        });
        Self { operations: operations.collect() }
    }

    /// The variable x, y, z or t, by the index 0 to 3.
    pub fn variable(number: usize) -> Self {
        Self { operations: vec![Operation::Variable(number)] }
    }
}
