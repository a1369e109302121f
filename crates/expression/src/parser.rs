//! The parser.

use crate::error::{ExpressionError, Mistake};
use crate::expression::{MAX_DEPTH, Operation};
use crate::function::Function;

/// How operators bind, and which names are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// That of scenes. Powers bind tighter than signs and are taken from the right: `-t^2` is `-(t^2)`, `2^3^2` is
    /// 512. Functions need parentheses. `log` is refused.
    Scene,
    /// That of tinyexpr, which `PolyFEM` uses. A sign binds tighter than a power (`-t^2` is `t^2`), powers are taken from
    /// the left (`2^3^2` is 64), `log` has base ten, and a function of one argument needs no parentheses.
    TinyExpr,
}

/// The operations of an expression in postfix order.
pub(crate) fn parse(text: &str, grammar: Grammar) -> Result<Vec<Operation>, ExpressionError> {
    let mut parser =
        Parser { text, grammar, next: 0, operations: Vec::new(), values: 0, nesting: 0 };
    let parsed = parser.sum().and_then(|()| match parser.peek() {
        None => Ok(()),
        Some(c) => Err(Mistake::NoOperator(c)),
    });
    match parsed {
        Ok(()) => Ok(parser.operations),
        Err(mistake) => {
            let character = text[..parser.next].chars().count() + 1;
            Err(ExpressionError { text: text.to_owned(), character, mistake })
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    grammar: Grammar,
    /// The byte that is read next.
    next: usize,
    operations: Vec<Operation>,
    /// Values on the stack after the operations.
    values: usize,
    /// Open parentheses and signs.
    nesting: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.next..]
    }

    fn peek(&mut self) -> Option<char> {
        self.next = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, operators: &[char]) -> Option<char> {
        let operator = self.peek().filter(|c| operators.contains(c))?;
        self.next += operator.len_utf8();
        Some(operator)
    }

    fn expect(&mut self, expected: char) -> Result<(), Mistake> {
        self.take(&[expected]).map(drop).ok_or(Mistake::Missing(expected))
    }

    /// Appends an operation of the postfix program and limits the depth of its stack.
    fn push(&mut self, operation: Operation) -> Result<(), Mistake> {
        let argument_count = match operation {
            Operation::Call(function) => function.argument_count(),
            Operation::Number(_) | Operation::Variable(_) => 0,
        };
        self.values = self.values + 1 - argument_count;
        if self.values > MAX_DEPTH {
            return Err(Mistake::TooDeep);
        }
        self.operations.push(operation);
        Ok(())
    }

    /// Parses a nested expression.
    fn nested(&mut self, inner: fn(&mut Self) -> Result<(), Mistake>) -> Result<(), Mistake> {
        self.nesting += 1;
        if self.nesting > MAX_DEPTH {
            return Err(Mistake::TooDeep);
        }
        inner(self)?;
        self.nesting -= 1;
        Ok(())
    }

    /// Operators of one level, from the left.
    fn level(
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

    fn sum(&mut self) -> Result<(), Mistake> {
        self.level(&[('+', Function::Add), ('-', Function::Subtract)], Self::product)
    }

    /// Parses a product: factors joined by `*`, `/` and `%`.
    fn product(&mut self) -> Result<(), Mistake> {
        let operators =
            [('*', Function::Multiply), ('/', Function::Divide), ('%', Function::Remainder)];
        self.level(
            &operators,
            match self.grammar {
                Grammar::Scene => Self::signed_power,
                Grammar::TinyExpr => Self::power_of_signed,
            },
        )
    }

    /// Of scenes: signs, then a power.
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

    /// Exponentiation of tinyexpr, in which a sign binds more tightly than the power.
    fn power_of_signed(&mut self) -> Result<(), Mistake> {
        self.level(&[('^', Function::Power)], Self::signed)
    }

    fn signed(&mut self) -> Result<(), Mistake> {
        let mut negative = false;
        while let Some(sign) = self.take(&['+', '-']) {
            negative ^= sign == '-';
        }
        self.base()?;
        if negative { self.push(Operation::Call(Function::Negate)) } else { Ok(()) }
    }

    /// Parses a number, a name, a call, or an expression in brackets.
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

    fn number(&mut self) -> Result<(), Mistake> {
        let bytes = self.rest().as_bytes();
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
        let text = &self.rest()[..end];
        let value = text.parse().map_err(|_| Mistake::NoNumber(text.to_owned()))?;
        self.next += end;
        self.push(Operation::Number(value))
    }

    fn name(&mut self) -> Result<(), Mistake> {
        let end = self.rest().find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &self.rest()[..end.unwrap_or(self.rest().len())];
        let length = name.len();
        if let Some(variable) = ["x", "y", "z", "t"].iter().position(|known| *known == name) {
            self.next += length;
            return self.push(Operation::Variable(variable));
        }
        let function = match (name, self.grammar) {
            ("log", Grammar::TinyExpr) => Function::Log10,
            ("log", Grammar::Scene) => return Err(Mistake::Ambiguous),
            _ => Function::named(name).ok_or_else(|| Mistake::UnknownName(name.to_owned()))?,
        };
        self.next += length;
        self.arguments(function)?;
        self.push(Operation::Call(function))
    }

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
