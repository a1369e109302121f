//! Grammars, values, rates and texts of expressions.

use proptest::prelude::*;
use resile_expression::{Expression, Grammar, Mistake, function_names};

const PLACE: [f64; 3] = [2.0, 3.0, 5.0];
const TIME: f64 = 0.25;

fn value(text: &str, grammar: Grammar) -> f64 {
    Expression::parse(text, grammar).unwrap_or_else(|error| panic!("{error}")).at(PLACE, TIME)
}

#[test]
fn operators_of_scenes_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1+2*3", 7.0),
        ("-t^2", -0.0625),
        ("2^3^2", 512.0),
        ("2^-1", 0.5),
        ("-2^-2", -0.25),
        ("2--x", 4.0),
        ("--x", 2.0),
        ("x - y - z", -6.0),
        ("12/y/2", 2.0),
        ("7 % 4 / 2", 1.5),
        ("-4*t", -1.0),
        ("x*-y", -6.0),
        ("1e-1*x", 0.2),
        ("+x", 2.0),
        ("(x + y)*z", 25.0),
        ("2*(((3)))", 6.0),
    ] {
        assert_eq!(value(text, Grammar::Scene), expected, "{text}");
    }
}

#[test]
fn operators_of_tinyexpr_bind_as_there() {
    for (text, expected) in [
        ("-t^2", 0.0625),
        ("0-t^2", -0.0625),
        ("2^3^2", 64.0),
        ("7 % 4 / 2", 1.5),
        ("2--x", 4.0),
        ("log(100) + ln(e) + sqrt 4", 5.0),
        ("cos -pi", -1.0),
    ] {
        assert_eq!(value(text, Grammar::TinyExpr), expected, "{text}");
    }
}

#[test]
fn functions_have_their_values() {
    for (text, expected) in [
        ("min(x, y) + max(x, y)", 5.0),
        ("if(t-1, x, z)", 5.0),
        ("if(0, x, 1/0)", 2.0),
        ("sign(-3)*sign(0)+sign(y)", 1.0),
        ("half_smoothstep(1) + smoothstep(0.5)", 1.5),
        ("compare(1, 2) + compare(2, 1)", 1.0),
        ("log10(1000) + ln(1) + floor(2.5) + ceil(2.5) + abs(-1)", 9.0),
        ("atan2(0, 1) + pow(2, 3) + sqrt(9)", 11.0),
    ] {
        assert!((value(text, Grammar::Scene) - expected).abs() < 1e-14, "{text}");
    }
    assert!((value("rotate_2D_x(x, y, pi/2)", Grammar::Scene) + 3.0).abs() < 1e-15);
    assert!((value("rotate_2D_y(x, y, pi()/2)", Grammar::Scene) - 2.0).abs() < 1e-15);
}

#[test]
fn an_expression_tells_on_what_it_depends() {
    let of = |text| Expression::parse(text, Grammar::Scene).expect("it is an expression");
    assert_eq!(of("2*(3+4)").number(), Some(14.0));
    assert!(of("sin(t)").has_time() && !of("sin(t)").has_place());
    assert_eq!(of("x*t").number(), None);
    assert_eq!(of("sin(3*t)*x").rate(PLACE, TIME), 2.0 * 3.0 * libm::cos(0.75));
    assert_eq!(of("x^2").rate(PLACE, TIME), 0.0);
}

#[test]
fn mistakes_have_their_place_and_a_remedy() {
    let error = |text| Expression::parse(text, Grammar::Scene).expect_err(text);
    for (text, character, mistake) in [
        ("", 1, Mistake::Ends),
        ("1+", 3, Mistake::Ends),
        ("2*foo(2)", 3, Mistake::UnknownName("foo".to_owned())),
        ("min(1)", 6, Mistake::Missing(',')),
        ("(1", 3, Mistake::Missing(')')),
        ("1)", 2, Mistake::NoOperator(')')),
        ("2 3", 3, Mistake::NoOperator('3')),
        ("x y", 3, Mistake::NoOperator('y')),
        ("1 + *", 5, Mistake::NoOperand('*')),
        ("1.2.3", 1, Mistake::NoNumber("1.2.3".to_owned())),
        ("sin t", 5, Mistake::Missing('(')),
        ("log(2)", 1, Mistake::Ambiguous),
        ("é", 1, Mistake::NoOperand('é')),
    ] {
        let found = error(text);
        assert_eq!((found.character, &found.mistake), (character, &mistake), "{text}");
    }
    let unknown = error("2*q");
    assert_eq!(
        unknown.to_string(),
        "\"2*q\", character 3: `q` is neither a variable nor a function"
    );
    assert!(function_names().all(|name| unknown.help().contains(name)));
    assert!(error("log(2)").help().contains("`log10`"));
}

#[test]
fn numbers_that_multiply_an_expression_are_one() {
    let of = |text| Expression::parse(text, Grammar::Scene).expect("it is an expression");
    for (text, expected) in [
        ("x", "2*x"),
        ("3*x", "6*x"),
        ("3*(x + y)", "6*(x + y)"),
        ("3*x*y", "2*(3*x*y)"),
        ("3 + x*y", "2*(3 + x*y)"),
        ("4", "8"),
    ] {
        assert_eq!(of(text).times(2.0).to_string(), expected);
    }
}

#[test]
fn nesting_is_bounded() {
    for open in ["(", "-", "2^", "sin(", "1+(2*(", "max(1,"] {
        for grammar in [Grammar::Scene, Grammar::TinyExpr] {
            let text = open.repeat(100_000) + "1";
            let error = Expression::parse(&text, grammar);
            // Signs of tinyexpr, and its powers, are taken one after the other.
            let is_flat = grammar == Grammar::TinyExpr && ["-", "2^"].contains(&open);
            assert_eq!(error.is_err(), !is_flat, "{open} {grammar:?}");
        }
    }
    let long = "1+".repeat(100_000) + "1";
    assert_eq!(value(&long, Grammar::Scene), 100_001.0);
}

/// Random expressions of tinyexpr, as text.
fn texts() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("t".to_owned()),
        Just("pi".to_owned()),
        (0.1f64..9.0).prop_map(|n| format!("{n:.2}"))
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec!["+", "-", "*", "/", "^", "%"]),
                inner.clone()
            )
                .prop_map(|(a, operator, b)| format!("{a}{operator}{b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("-{a}")),
            inner.clone().prop_map(|a| format!("sin({a})")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("max({a}, -{b})")),
        ]
    })
}

proptest! {
    /// The printed text is the same list of operations in the grammar of scenes.
    #[test]
    fn the_text_of_an_expression_is_the_expression(text in texts()) {
        for grammar in [Grammar::Scene, Grammar::TinyExpr] {
            let expression = Expression::parse(&text, grammar).expect("it is an expression");
            let printed = expression.to_string();
            let again = Expression::parse(&printed, Grammar::Scene).expect("it is printed");
            prop_assert_eq!(again, expression, "{} printed as {}", text, printed);
        }
    }

    /// Forward differentiation against central differences.
    #[test]
    fn rates_agree_with_differences(a in 0.1f64..3.0, b in -2.0f64..2.0, t in 0.1f64..0.9) {
        let text = format!("sin({a}*t + x)*exp(-{b}*t) + sqrt(t + {a})/(1 + t^2) - t^x");
        let expression = Expression::parse(&text, Grammar::Scene).expect("it is an expression");
        let (h, at) = (1e-6, |time| expression.at(PLACE, time));
        let difference = (at(t + h) - at(t - h)) / (2.0 * h);
        let rate = expression.rate(PLACE, t);
        prop_assert!((rate - difference).abs() < 1e-7 * (1.0 + rate.abs()), "{} {}", rate, difference);
    }
}
