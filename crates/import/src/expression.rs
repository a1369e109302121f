//! Expressions of x, y, z and t, by the rules of `tinyexpr`, which `PolyFEM` uses.
//!
//! Three rules differ from those of other evaluators, so none is used here: a sign binds tighter than a power
//! (`-t^2` is `(-t)^2`), powers associate to the left (`2^3^2` is 64), and `log` has base ten. Functions are
//! those of `libm`, so that a scene has the same numbers on every machine.

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expression(Node);

#[derive(Debug, Clone, PartialEq)]
enum Node {
    Number(f64),
    /// x, y, z or t, by index.
    Variable(usize),
    Call(Function, Vec<Self>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Function {
    name: &'static str,
    arguments: usize,
}

/// Functions and operators with their numbers of arguments.
const FUNCTIONS: [Function; 39] = {
    const fn of(name: &'static str, arguments: usize) -> Function {
        Function { name, arguments }
    }
    [
        of("+", 2),
        of("-", 2),
        of("*", 2),
        of("/", 2),
        of("%", 2),
        of("^", 2),
        of("neg", 1),
        of("pi", 0),
        of("e", 0),
        of("abs", 1),
        of("acos", 1),
        of("asin", 1),
        of("atan", 1),
        of("atan2", 2),
        of("ceil", 1),
        of("cos", 1),
        of("cosh", 1),
        of("exp", 1),
        of("floor", 1),
        of("ln", 1),
        of("log", 1),
        of("log10", 1),
        of("pow", 2),
        of("sin", 1),
        of("sinh", 1),
        of("sqrt", 1),
        of("tan", 1),
        of("tanh", 1),
        of("min", 2),
        of("max", 2),
        of("deg2rad", 1),
        of("rotate_2D_x", 3),
        of("rotate_2D_y", 3),
        of("smooth_abs", 2),
        of("if", 3),
        of("compare", 2),
        of("sign", 1),
        of("smoothstep", 1),
        of("half_smoothstep", 1),
    ]
};

fn function(name: &str) -> Option<Function> {
    FUNCTIONS.into_iter().find(|function| function.name == name)
}

impl Expression {
    /// A constant expression.
    pub(crate) fn constant(value: f64) -> Self {
        Self(Node::Number(value))
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text };
        let node = parser.sum()?;
        match parser.rest.trim_start() {
            "" => Ok(Self(node)),
            rest => Err(format!("`{text}`: nothing is known to do with `{rest}`")),
        }
    }

    /// Value at x, y, z, t.
    pub(crate) fn at(&self, place: [f64; 3], time: f64) -> f64 {
        self.0.value([place[0], place[1], place[2], time])
    }

    /// Whether x, y or z occurs.
    pub(crate) fn has_place(&self) -> bool {
        self.0.has(&|variable| variable < 3)
    }

    /// Whether t occurs.
    pub(crate) fn has_time(&self) -> bool {
        self.0.has(&|variable| variable == 3)
    }

    /// Value, if the expression is a constant.
    pub(crate) fn number(&self) -> Option<f64> {
        (!self.has_place() && !self.has_time()).then(|| self.at([0.0; 3], 0.0))
    }
}

impl Node {
    fn has(&self, wanted: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Variable(variable) => wanted(*variable),
            Self::Call(_, arguments) => arguments.iter().any(|node| node.has(wanted)),
        }
    }

    fn value(&self, variables: [f64; 4]) -> f64 {
        let (function, arguments) = match self {
            Self::Number(value) => return *value,
            Self::Variable(variable) => return variables[*variable],
            Self::Call(function, arguments) => (function, arguments),
        };
        let mut values = [0.0; 3];
        for (value, node) in values.iter_mut().zip(arguments) {
            *value = node.value(variables);
        }
        let [a, b, c] = values;
        match function.name {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" => a / b,
            "%" => libm::fmod(a, b),
            "^" | "pow" => libm::pow(a, b),
            "neg" => -a,
            "pi" => std::f64::consts::PI,
            "e" => std::f64::consts::E,
            "abs" => a.abs(),
            "acos" => libm::acos(a),
            "asin" => libm::asin(a),
            "atan" => libm::atan(a),
            "atan2" => libm::atan2(a, b),
            "ceil" => a.ceil(),
            "cos" => libm::cos(a),
            "cosh" => libm::cosh(a),
            "exp" => libm::exp(a),
            "floor" => a.floor(),
            "ln" => libm::log(a),
            "log" | "log10" => libm::log10(a),
            "sin" => libm::sin(a),
            "sinh" => libm::sinh(a),
            "sqrt" => a.sqrt(),
            "tan" => libm::tan(a),
            "tanh" => libm::tanh(a),
            "min" => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            "max" => {
                if a > b {
                    a
                } else {
                    b
                }
            }
            "deg2rad" => a.to_radians(),
            "rotate_2D_x" => a * libm::cos(c) - b * libm::sin(c),
            "rotate_2D_y" => a * libm::sin(c) + b * libm::cos(c),
            "smooth_abs" => libm::tanh(b * a) * a,
            "if" => {
                if a >= 0.0 {
                    b
                } else {
                    c
                }
            }
            "compare" => {
                if a < b {
                    1.0
                } else {
                    0.0
                }
            }
            "sign" => {
                if a < 0.0 {
                    -1.0
                } else {
                    f64::from(u8::from(a > 0.0))
                }
            }
            "smoothstep" => {
                let a = a.clamp(0.0, 1.0);
                a * a * (3.0 - 2.0 * a)
            }
            _ => {
                let a = 0.5 * (a.clamp(0.0, 1.0) + 1.0);
                2.0 * a * a * (3.0 - 2.0 * a) - 1.0
            }
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let found = self.peek().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[found.len_utf8()..];
        Some(found)
    }

    fn expect(&mut self, wanted: char) -> Result<(), String> {
        let message = || format!("`{wanted}` is missing");
        self.take(&[wanted]).map(drop).ok_or_else(message)
    }

    /// Parses operators of one precedence level, left-associative.
    fn level(
        &mut self,
        operators: &[char],
        inner: fn(&mut Self) -> Result<Node, String>,
    ) -> Result<Node, String> {
        let mut left = inner(self)?;
        while let Some(operator) = self.take(operators) {
            let function = function(operator.encode_utf8(&mut [0; 4])).ok_or("no such operator")?;
            left = Node::Call(function, vec![left, inner(self)?]);
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Node, String> {
        self.level(&['+', '-'], Self::product)
    }

    fn product(&mut self) -> Result<Node, String> {
        self.level(&['*', '/', '%'], Self::power)
    }

    fn power(&mut self) -> Result<Node, String> {
        self.level(&['^'], Self::signed)
    }

    fn signed(&mut self) -> Result<Node, String> {
        let mut negative = false;
        while let Some(sign) = self.take(&['+', '-']) {
            negative ^= sign == '-';
        }
        let base = self.base()?;
        let Some(minus) = function("neg").filter(|_| negative) else { return Ok(base) };
        Ok(Node::Call(minus, vec![base]))
    }

    fn base(&mut self) -> Result<Node, String> {
        match self.peek() {
            Some('(') => {
                self.expect('(')?;
                let inner = self.sum()?;
                self.expect(')')?;
                Ok(inner)
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            Some(c) => Err(format!("nothing begins with `{c}`")),
            None => Err("the expression ends too early".to_owned()),
        }
    }

    fn number(&mut self) -> Result<Node, String> {
        let bytes = self.rest.as_bytes();
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
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text.parse().map(Node::Number).map_err(|_| format!("`{text}` is no number"))
    }

    fn name(&mut self) -> Result<Node, String> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if let Some(variable) = ["x", "y", "z", "t"].iter().position(|known| *known == name) {
            return Ok(Node::Variable(variable));
        }
        let function = function(name).filter(|known| known.name != "neg");
        let function = function.ok_or_else(|| format!("`{name}` is not known"))?;
        let arguments = match function.arguments {
            0 => {
                if self.take(&['(']).is_some() {
                    self.expect(')')?;
                }
                Vec::new()
            }
            // A function of one argument needs no parentheses.
            1 => vec![self.signed()?],
            count => {
                self.expect('(')?;
                let mut arguments = vec![self.sum()?];
                while arguments.len() < count {
                    self.expect(',')?;
                    arguments.push(self.sum()?);
                }
                self.expect(')')?;
                arguments
            }
        };
        Ok(Node::Call(function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        Expression::parse(text).unwrap_or_else(|error| panic!("{error}")).at([2.0, 3.0, 5.0], 0.25)
    }

    #[test]
    fn operators_bind_as_in_tinyexpr() {
        assert_eq!(value("1+2*3"), 7.0);
        assert_eq!(value("-t^2"), 0.0625);
        assert_eq!(value("0-t^2"), -0.0625);
        assert_eq!(value("2^3^2"), 64.0);
        assert_eq!(value("7 % 4 / 2"), 1.5);
        assert_eq!(value("2--x"), 4.0);
        assert_eq!(value("-4*t"), -1.0);
        assert_eq!(value("1e-1*x"), 0.2);
    }

    #[test]
    fn functions_return_their_values() {
        assert_eq!(value("min(x, y) + max(x, y)"), 5.0);
        assert_eq!(value("if(t-1, x, z)"), 5.0);
        assert_eq!(value("log(100) + ln(e) + sqrt 4"), 5.0);
        assert_eq!(value("sign(-3)*sign(0)+sign(y)"), 1.0);
        assert!(
            (value("y*cos((-0.4*pi)*t)-z*sin((-0.4*pi)*t)-y") - {
                let angle = -0.1 * std::f64::consts::PI;
                3.0 * angle.cos() - 5.0 * angle.sin() - 3.0
            })
            .abs()
                < 1e-14
        );
        assert!((value("rotate_2D_x(x, y, pi/2)") + 3.0).abs() < 1e-15);
        assert!((value("rotate_2D_y(x, y, pi()/2)") - 2.0).abs() < 1e-15);
        assert!((value("deg2rad(180) - pi")).abs() < 1e-15);
        assert_eq!(value("half_smoothstep(1) + smoothstep(0.5)"), 1.5);
    }

    #[test]
    fn variables_of_an_expression_are_listed() {
        let of = |text| Expression::parse(text).unwrap();
        assert_eq!(of("2*(3+4)").number(), Some(14.0));
        assert!(of("sin(t)").has_time() && !of("sin(t)").has_place());
        assert_eq!(of("x*t").number(), None);
    }

    #[test]
    fn invalid_expressions_are_rejected_with_the_reason() {
        for wrong in ["", "1+", "foo(2)", "min(1)", "(1", "1)", "2 3", "neg(1)", "x y"] {
            assert!(Expression::parse(wrong).is_err(), "{wrong}");
        }
    }
}
