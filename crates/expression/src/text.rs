//! Text of expressions, in the grammar of scenes.

use crate::expression::{Expression, Operation};
use crate::function::Function;
use std::fmt::{self, Display};

/// Precedence of the outermost operator of a text, from the loosest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Sign,
    Power,
    Atom,
}

/// Formats in the grammar of scenes, with parentheses only where the order of operations requires them.
impl Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack: Vec<(String, Binding)> = Vec::new();
        for operation in &self.operations {
            let text_and_binding = match *operation {
                Operation::Number(value) if value.is_sign_negative() => {
                    (format!("-{}", number(-value)), Binding::Sign)
                }
                Operation::Number(value) => (number(value), Binding::Atom),
                Operation::Variable(variable) => {
                    (["x", "y", "z", "t"][variable].to_owned(), Binding::Atom)
                }
                Operation::Call(function) => {
                    let arguments = stack.split_off(stack.len() - function.argument_count());
                    call(function, arguments)
                }
            };
            stack.push(text_and_binding);
        }
        stack.iter().try_for_each(|(text, _)| f.write_str(text))
    }
}

/// Shortest decimal that parses to the same number, with an exponent where that is shorter.
fn number(value: f64) -> String {
    let (decimal, scientific) = (value.to_string(), format!("{value:e}"));
    if scientific.len() < decimal.len() { scientific } else { decimal }
}

/// Text and precedence of an operation with these operands.
fn call(function: Function, arguments: Vec<(String, Binding)>) -> (String, Binding) {
    let parenthesised =
        |(text, binding_of_text): &(String, Binding), required: Binding| match *binding_of_text
            < required
        {
            true => format!("({text})"),
            false => text.clone(),
        };
    let (operator, binding, left, right) = match function {
        Function::Add => (" + ", Binding::Sum, Binding::Sum, Binding::Product),
        Function::Subtract => (" - ", Binding::Sum, Binding::Sum, Binding::Product),
        Function::Multiply => ("*", Binding::Product, Binding::Product, Binding::Sign),
        Function::Divide => ("/", Binding::Product, Binding::Product, Binding::Sign),
        Function::Remainder => ("%", Binding::Product, Binding::Product, Binding::Sign),
        Function::Power => ("^", Binding::Power, Binding::Atom, Binding::Sign),
        Function::Negate => {
            let inner = arguments.first().map(|inner| parenthesised(inner, Binding::Power));
            return (format!("-{}", inner.unwrap_or_default()), Binding::Sign);
        }
        _ if arguments.is_empty() => return (function.name().to_owned(), Binding::Atom),
        _ => {
            let inside: Vec<String> = arguments.into_iter().map(|(text, _)| text).collect();
            return (format!("{}({})", function.name(), inside.join(", ")), Binding::Atom);
        }
    };
    let [first, second] = &arguments[..] else { return (String::new(), Binding::Atom) };
    (format!("{}{operator}{}", parenthesised(first, left), parenthesised(second, right)), binding)
}
