//! The parser.

use crate::error::{ExpressionError, Mistake};
use crate::expression::{MAX_DEPTH, Operation};
use crate::function::Function;

/// Precedence and associativity of operators, and the known names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// The grammar of scenes. Powers bind tighter than signs and associate to the right: `-t^2` is `-(t^2)`, `2^3^2` is
    /// 512. Functions need parentheses. `log` is refused.
    Scene,
    /// The grammar of tinyexpr, which `PolyFEM` uses. Signs bind tighter than powers (`-t^2` is `t^2`), powers
    /// associate to the left (`2^3^2` is 64), `log` has base ten, and a function of one argument needs no parentheses.
    TinyExpr,
}

/// Parses an expression to operations in postfix order.
pub(crate) fn parse(text: &str, grammar: Grammar) -> Result<Vec<Operation>, ExpressionError> {
    let mut parser =
        Parser { text, grammar, offset: 0, operations: Vec::new(), stack_depth: 0, nesting: 0 };
    let result = parser.sum().and_then(|()| match parser.peek() {
        None => Ok(()),
        Some(c) => Err(Mistake::NoOperator(c)),
    });
    match result {
        Ok(()) => Ok(parser.operations),
        Err(mistake) => {
            let character = text[..parser.offset].chars().count() + 1;
            Err(ExpressionError { text: text.to_owned(), character, mistake })
        }
    }
}

/// A recursive descent parser that appends operations in postfix order.
struct Parser<'a> {
    text: &'a str,
    grammar: Grammar,
    /// Offset in bytes of the next character.
    offset: usize,
    operations: Vec<Operation>,
    /// Number of values on the stack after the operations.
    stack_depth: usize,
    /// Number of open parentheses, signs and function calls.
    nesting: usize,
}

impl Parser<'_> {
    /// The text from the current offset.
    fn remaining(&self) -> &str {
        &self.text[self.offset..]
    }

    /// The next character after white space, which is not consumed.
    fn peek(&mut self) -> Option<char> {
        self.offset = self.text.len() - self.remaining().trim_start().len();
        self.remaining().chars().next()
    }

    /// Consumes the next character if it is one of `operators`.
    fn take(&mut self, operators: &[char]) -> Option<char> {
        let operator = self.peek().filter(|c| operators.contains(c))?;
        self.offset += operator.len_utf8();
        Some(operator)
    }

    /// Consumes a character; an error if the next one is different.
    fn expect(&mut self, expected: char) -> Result<(), Mistake> {
        self.take(&[expected]).map(drop).ok_or(Mistake::Missing(expected))
    }

    /// Appends an operation; an error if the stack would become too deep.
    fn push(&mut self, operation: Operation) -> Result<(), Mistake> {
        let argument_count = match operation {
            Operation::Call(function) => function.argument_count(),
            Operation::Number(_) | Operation::Variable(_) => 0,
        };
        self.stack_depth = self.stack_depth + 1 - argument_count;
        if self.stack_depth > MAX_DEPTH {
            return Err(Mistake::TooDeep);
        }
        self.operations.push(operation);
        Ok(())
    }

    /// Parses an inner expression; an error if the nesting is too deep.
    fn nested(&mut self, inner: fn(&mut Self) -> Result<(), Mistake>) -> Result<(), Mistake> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH {
            return Err(Mistake::TooDeep);
        }
        inner(self)?;
        self.nesting -= 1;
        Ok(())
    }

    /// Parses operands joined by left-associative operators of one precedence; `inner` parses an operand.
    fn left_associative(
        &mut self,
        operators: &[(char, Function)],
        inner: fn(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        inner(self)?;
        let signs: Vec<char> = operators.iter().map(|(sign, _)| *sign).collect();
        while let Some(sign) = self.take(&signs) {
            inner(self)?;
            let function = operators.iter().find(|(symbol, _)| *symbol == sign);
            function.map_or(Ok(()), |(_, function)| self.push(Operation::Call(*function)))?;
        }
        Ok(())
    }

    /// Parses a sum: products joined by `+` and `-`.
    fn sum(&mut self) -> Result<(), Mistake> {
        self.left_associative(&[('+', Function::Add), ('-', Function::Subtract)], Self::product)
    }

    /// Parses a product: factors joined by `*`, `/` and `%`.
    fn product(&mut self) -> Result<(), Mistake> {
        let operators =
            [('*', Function::Multiply), ('/', Function::Divide), ('%', Function::Remainder)];
        self.left_associative(
            &operators,
            match self.grammar {
                Grammar::Scene => Self::signed_power,
                Grammar::TinyExpr => Self::power_of_signed,
            },
        )
    }

    /// Parses an operand of a product in the grammar of scenes: signs, then a power.
    fn signed_power(&mut self) -> Result<(), Mistake> {
        match self.take(&['+', '-']) {
            Some('-') => {
                self.nested(Self::signed_power)?;
                self.push(Operation::Call(Function::Negate))
            }
            Some(_) => self.nested(Self::signed_power),
            None => {
                self.base()?;
                if self.take(&['^']).is_some() {
                    self.nested(Self::signed_power)?;
                    self.push(Operation::Call(Function::Power))?;
                }
                Ok(())
            }
        }
    }

    /// Parses an operand of a product in the grammar of tinyexpr: signed values joined by `^`.
    fn power_of_signed(&mut self) -> Result<(), Mistake> {
        self.left_associative(&[('^', Function::Power)], Self::signed)
    }

    /// Parses signs and a value, in the grammar of tinyexpr.
    fn signed(&mut self) -> Result<(), Mistake> {
        let mut negative = false;
        while let Some(sign) = self.take(&['+', '-']) {
            negative ^= sign == '-';
        }
        self.base()?;
        if negative { self.push(Operation::Call(Function::Negate)) } else { Ok(()) }
    }

    /// Parses a number, a variable, a function call, or an expression in parentheses.
    fn base(&mut self) -> Result<(), Mistake> {
        match self.peek() {
            Some('(') => {
                self.expect('(')?;
                self.nested(Self::sum)?;
                self.expect(')')
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            Some(c) => Err(Mistake::NoOperand(c)),
            None => Err(Mistake::Ends),
        }
    }

    /// Parses a decimal number with an optional exponent.
    fn number(&mut self) -> Result<(), Mistake> {
        let bytes = self.remaining().as_bytes();
        let digits = |from: usize| {
            from + bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count()
        };
        let mut end = digits(0);
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                end = digits(end + 1 + sign);
            }
        }
        let text = &self.remaining()[..end];
        let value = text.parse().map_err(|_| Mistake::NoNumber(text.to_owned()))?;
        self.offset += end;
        self.push(Operation::Number(value))
    }

    /// Parses a variable or a function call.
    fn name(&mut self) -> Result<(), Mistake> {
        let end = self.remaining().find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &self.remaining()[..end.unwrap_or(self.remaining().len())];
        let length = name.len();
        if let Some(variable) =
            ["x", "y", "z", "t"].iter().position(|variable_name| *variable_name == name)
        {
            self.offset += length;
            return self.push(Operation::Variable(variable));
        }
        let function = match (name, self.grammar) {
            ("log", Grammar::TinyExpr) => Function::Log10,
            ("log", Grammar::Scene) => return Err(Mistake::Ambiguous),
            _ => Function::by_name(name).ok_or_else(|| Mistake::UnknownName(name.to_owned()))?,
        };
        self.offset += length;
        self.arguments(function)?;
        self.push(Operation::Call(function))
    }

    /// Parses the arguments of a function.
    fn arguments(&mut self, function: Function) -> Result<(), Mistake> {
        match (function.argument_count(), self.grammar) {
            (0, _) => match self.take(&['(']) {
                Some(_) => self.expect(')'),
                None => Ok(()),
            },
            (1, Grammar::TinyExpr) => self.nested(Self::signed),
            (count, _) => {
                self.expect('(')?;
                self.nested(Self::sum)?;
                for _ in 1..count {
                    self.expect(',')?;
                    self.nested(Self::sum)?;
                }
                self.expect(')')
            }
        }
    }
}
