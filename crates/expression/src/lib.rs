#![doc = include_str!("../README.md")]
//! # Design
//!
//! Text becomes a list of operations in postfix order, which is evaluated on a stack of fixed size: no recursion, no
//! allocation, and a bound on nesting that malicious text cannot pass.
//!
//! # Why own code
//! Elementary functions are those of `libm`, so that values have equal bits on every machine. One parser serves the
//! grammar of scenes and that of tinyexpr, which imported problems need and in which `-t^2` is `t^2` and `2^3^2` is 64.
//! `evalexpr` is excluded by its licence (AGPL).
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod error;
mod expression;
mod field;
mod function;
mod parser;
mod text;

pub use error::{ExpressionError, Mistake};
pub use expression::{Expression, MAX_DEPTH};
pub use field::Field;
pub use function::function_names;
pub use parser::Grammar;
