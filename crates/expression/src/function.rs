//! Operators and functions: names, values and derivatives.

use std::f64::consts::{LN_10, PI};

macro_rules! functions {
    ($($variant:ident $name:literal $arguments:literal),* $(,)?) => {
        /// An operator, a constant or a function.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Function {
            $($variant),*
        }

        impl Function {
            const ALL: &[Self] = &[$(Self::$variant),*];

            /// Name or symbol in expressions.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }

            /// Number of arguments.
            pub(crate) fn argument_count(self) -> usize {
                match self {
                    $(Self::$variant => $arguments),*
                }
            }
        }
    };
}

functions! {
    Add "+" 2, Subtract "-" 2, Multiply "*" 2, Divide "/" 2, Remainder "%" 2, Power "^" 2, Negate "-" 1,
    Pi "pi" 0, E "e" 0,
    Abs "abs" 1, Acos "acos" 1, Asin "asin" 1, Atan "atan" 1, Atan2 "atan2" 2, Ceil "ceil" 1, Compare "compare" 2,
    Cos "cos" 1, Cosh "cosh" 1, Deg2Rad "deg2rad" 1, Exp "exp" 1, Floor "floor" 1,
    HalfSmoothstep "half_smoothstep" 1, If "if" 3, Ln "ln" 1, Log10 "log10" 1, Max "max" 2, Min "min" 2, Pow "pow" 2,
    Rotate2DX "rotate_2D_x" 3, Rotate2DY "rotate_2D_y" 3, Sign "sign" 1, Sin "sin" 1, Sinh "sinh" 1,
    SmoothAbs "smooth_abs" 2, Smoothstep "smoothstep" 1, Sqrt "sqrt" 1, Tan "tan" 1, Tanh "tanh" 1,
}

/// Names of the two constants, followed by those of the functions in alphabetical order.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    let named = |function: &&Function| function.name().starts_with(|c: char| c.is_alphabetic());
    Function::ALL.iter().filter(named).map(|function| function.name())
}

impl Function {
    /// The constant or function of a name; operators have none.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().copied().find(|function| function.name() == name);
        found.filter(|function| function.name().starts_with(|c: char| c.is_alphabetic()))
    }

    /// Value for up to three arguments; the others are ignored.
    pub(crate) fn value(self, [a, b, c]: [f64; 3]) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
            Self::Remainder => libm::fmod(a, b),
            Self::Power | Self::Pow => libm::pow(a, b),
            Self::Negate => -a,
            Self::Pi => PI,
            Self::E => std::f64::consts::E,
            Self::Abs => a.abs(),
            Self::Acos => libm::acos(a),
            Self::Asin => libm::asin(a),
            Self::Atan => libm::atan(a),
            Self::Atan2 => libm::atan2(a, b),
            Self::Ceil => a.ceil(),
            Self::Compare => f64::from(u8::from(a < b)),
            Self::Cos => libm::cos(a),
            Self::Cosh => libm::cosh(a),
            Self::Deg2Rad => a.to_radians(),
            Self::Exp => libm::exp(a),
            Self::Floor => a.floor(),
            Self::HalfSmoothstep => 2.0 * smoothstep(0.5 * (a.clamp(0.0, 1.0) + 1.0)) - 1.0,
            Self::If if a >= 0.0 => b,
            Self::If => c,
            Self::Ln => libm::log(a),
            Self::Log10 => libm::log10(a),
            Self::Max if a > b => a,
            Self::Min if a < b => a,
            Self::Max | Self::Min => b,
            Self::Rotate2DX => a * libm::cos(c) - b * libm::sin(c),
            Self::Rotate2DY => a * libm::sin(c) + b * libm::cos(c),
            Self::Sign if a < 0.0 => -1.0,
            Self::Sign => f64::from(u8::from(a > 0.0)),
            Self::Sin => libm::sin(a),
            Self::Sinh => libm::sinh(a),
            Self::SmoothAbs => libm::tanh(b * a) * a,
            Self::Smoothstep => smoothstep(a.clamp(0.0, 1.0)),
            Self::Sqrt => a.sqrt(),
            Self::Tan => libm::tan(a),
            Self::Tanh => libm::tanh(a),
        }
    }

    /// Derivative with respect to time, from the arguments and their rates. At a jump it is a one-sided derivative.
    pub(crate) fn rate(self, arguments: [f64; 3], rates: [f64; 3]) -> f64 {
        let partials = self.partials(arguments);
        // An argument at rest contributes nothing, even if the partial derivative is infinite.
        let contribution = |k: usize| if rates[k] == 0.0 { 0.0 } else { partials[k] * rates[k] };
        match self {
            Self::Power | Self::Pow if rates[1] == 0.0 => contribution(0),
            _ => contribution(0) + contribution(1) + contribution(2),
        }
    }

    /// Partial derivatives with respect to the three arguments.
    fn partials(self, arguments @ [a, b, c]: [f64; 3]) -> [f64; 3] {
        let by_first = |by: f64| [by, 0.0, 0.0];
        let within_unit_interval =
            |by: f64| by_first(if (0.0..=1.0).contains(&a) { by } else { 0.0 });
        match self {
            Self::Add => [1.0, 1.0, 0.0],
            Self::Subtract => [1.0, -1.0, 0.0],
            Self::Multiply => [b, a, 0.0],
            Self::Divide => [1.0 / b, -a / (b * b), 0.0],
            Self::Remainder => [1.0, -(a / b).trunc(), 0.0],
            Self::Power | Self::Pow => {
                [b * libm::pow(a, b - 1.0), libm::log(a) * libm::pow(a, b), 0.0]
            }
            Self::Negate => by_first(-1.0),
            Self::Pi | Self::E | Self::Ceil | Self::Floor | Self::Compare | Self::Sign => [0.0; 3],
            Self::Abs => by_first(if a < 0.0 { -1.0 } else { 1.0 }),
            Self::Acos => by_first(-1.0 / (1.0 - a * a).sqrt()),
            Self::Asin => by_first(1.0 / (1.0 - a * a).sqrt()),
            Self::Atan => by_first(1.0 / (1.0 + a * a)),
            Self::Atan2 => [b / (a * a + b * b), -a / (a * a + b * b), 0.0],
            Self::Cos => by_first(-libm::sin(a)),
            Self::Cosh => by_first(libm::sinh(a)),
            Self::Deg2Rad => by_first(PI / 180.0),
            Self::Exp => by_first(libm::exp(a)),
            Self::HalfSmoothstep => {
                let s = 0.5 * (a + 1.0);
                within_unit_interval(6.0 * s * (1.0 - s))
            }
            Self::If if a >= 0.0 => [0.0, 1.0, 0.0],
            Self::If => [0.0, 0.0, 1.0],
            Self::Ln => by_first(1.0 / a),
            Self::Log10 => by_first(1.0 / (a * LN_10)),
            Self::Max if a > b => by_first(1.0),
            Self::Min if a < b => by_first(1.0),
            Self::Max | Self::Min => [0.0, 1.0, 0.0],
            Self::Rotate2DX => [libm::cos(c), -libm::sin(c), -Self::Rotate2DY.value(arguments)],
            Self::Rotate2DY => [libm::sin(c), libm::cos(c), Self::Rotate2DX.value(arguments)],
            Self::Sin => by_first(libm::cos(a)),
            Self::Sinh => by_first(libm::cosh(a)),
            Self::SmoothAbs => {
                let tanh = libm::tanh(b * a);
                let slope = 1.0 - tanh * tanh;
                [tanh + a * b * slope, a * a * slope, 0.0]
            }
            Self::Smoothstep => within_unit_interval(6.0 * a * (1.0 - a)),
            Self::Sqrt => by_first(0.5 / a.sqrt()),
            Self::Tan => {
                let tan = libm::tan(a);
                by_first(1.0 + tan * tan)
            }
            Self::Tanh => {
                let tanh = libm::tanh(a);
                by_first(1.0 - tanh * tanh)
            }
        }
    }
}

/// The polynomial `3 a^2 - 2 a^3`.
fn smoothstep(a: f64) -> f64 {
    a * a * (3.0 - 2.0 * a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central differences at arguments where every function is smooth.
    #[test]
    fn derivatives_agree_with_differences_of_values() {
        let h = 1e-6;
        for &function in Function::ALL {
            for at in [[0.3, 0.7, 0.4], [0.6, 0.45, -0.8]] {
                for k in 0..function.argument_count() {
                    let moved = |by: f64| {
                        let mut moved = at;
                        moved[k] += by;
                        function.value(moved)
                    };
                    let mut rates = [0.0; 3];
                    rates[k] = 2.0;
                    let expected = (moved(h) - moved(-h)) / h;
                    let rate = function.rate(at, rates);
                    assert!(
                        (rate - expected).abs() < 1e-8 * (1.0 + expected.abs()),
                        "{function:?} at {at:?} by argument {k}: {rate}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_constant_argument_has_no_rate_where_its_derivative_is_infinite() {
        assert_eq!(Function::Sqrt.rate([0.0; 3], [0.0; 3]), 0.0);
        assert_eq!(Function::Pow.rate([0.0, 2.0, 0.0], [1.0, 0.0, 0.0]), 0.0);
        assert_eq!(Function::Pow.rate([-3.0, 2.0, 0.0], [1.0, 0.0, 0.0]), -6.0);
    }
}
