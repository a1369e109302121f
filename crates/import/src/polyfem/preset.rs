//! `preset_problem` of the type `ElasticExact`: a manufactured solution that is prescribed on the whole boundary, with the
//! body force that balances it.
//!
//! Source of the solution: `ElasticProblem.cpp` of `PolyFEM`.

use super::material::{IsotropicLaw, Law};
use super::reader::Reader;
use super::signal::{self, Signal};
use super::unit::Dimension;
use crate::ron::{Field, Ron};
use resile_expression::{Expression, Grammar};
use std::array::from_fn;

/// Factor of the solution, which grows with time.
const SCALE: &str = "t/80";
/// Components of the displacement, without [`SCALE`].
const DISPLACEMENT: [&str; 3] =
    ["x*y + x*x + y*y*y + 6*z", "z*x - z*z*z + x*y*y + 3*x*x*x*x", "x*y*z + z*z*y*y - 2*x"];
/// First derivatives of the components (rows) with respect to x, y and z, without [`SCALE`].
const GRADIENT: [[&str; 3]; 3] = [
    ["y + 2*x", "x + 3*y*y", "6"],
    ["z + y*y + 12*x*x*x", "2*x*y", "x - 3*z*z"],
    ["y*z - 2", "x*z + 2*z*z*y", "x*y + 2*z*y*y"],
];
/// Second derivatives of each component, without [`SCALE`]; an empty text for zero.
const HESSIANS: [[[&str; 3]; 3]; 3] = [
    [["2", "1", ""], ["1", "6*y", ""], ["", "", ""]],
    [["36*x*x", "2*y", "1"], ["2*y", "2*x", ""], ["1", "", "-6*z"]],
    [["", "z", "y"], ["z", "2*z*z", "x + 4*y*z"], ["y", "x + 4*y*z", "2*y*y"]],
];

/// Whether the problem prescribes the manufactured solution. Refuses other problems inside `PolyFEM`.
pub(super) fn is_elastic_exact(reader: &mut Reader<'_>) -> bool {
    let path = "preset_problem";
    if reader.get(path).is_none() {
        return false;
    }
    reader.allow_only(path, &["type"]);
    let kind = reader.text("preset_problem/type").unwrap_or_default();
    if kind != "ElasticExact" {
        reader.refuse(path, format!("the problem {kind} inside PolyFEM cannot be expressed"));
    }
    kind == "ElasticExact"
}

/// Components of the displacement (m).
pub(super) fn displacement(reader: &Reader<'_>) -> [Signal; 3] {
    let length = reader.units.si_value(Dimension::LENGTH);
    DISPLACEMENT.map(|component| signal_of(reader, &format!("{SCALE}*({component})"), length))
}

/// Term of the body force (N/m^3) that balances the stress of the solution in a law. Refuses other laws than linear
/// elasticity, the neo-Hookean law and that of Saint-Venant and Kirchhoff.
pub(super) fn body_force(reader: &mut Reader<'_>, law: &Law) -> Option<Ron> {
    let texts = match law.isotropic() {
        Some((IsotropicLaw::Linear, [lambda, mu])) => linear_force(lambda, mu),
        Some((IsotropicLaw::NeoHookean, [lambda, mu])) => neo_hookean_force(lambda, mu),
        Some((IsotropicLaw::SaintVenantKirchhoff, [lambda, mu])) => saint_venant_force(lambda, mu),
        None => {
            reader.refuse("preset_problem", "there is no body force of this problem for the law");
            return None;
        }
    };
    let factor = 1.0 / reader.units.si_value(Dimension::LENGTH);
    let signals = texts.map(|text| signal_of(reader, &text, factor));
    let force = signal::formulas(&signals, 1.0, None)?;
    let comment =
        "Minus the divergence of the stress of the solution that is prescribed on the boundary.";
    Some(Ron::Struct("BodyForce", vec![Field::new("force", force).with_comment(comment)]))
}

/// The quantity of a text of this module times a factor.
fn signal_of(reader: &Reader<'_>, text: &str, factor: f64) -> Signal {
    let expression = Expression::parse(text, Grammar::TinyExpr)
        .unwrap_or_else(|_| Expression::constant(f64::NAN));
    Signal::new(expression, factor, reader.units, reader.is_static())
}

/// Sum of texts; `0` without any.
fn sum(terms: impl Iterator<Item = String>) -> String {
    let terms: Vec<String> = terms.collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
}

/// Second derivative of a component of the displacement without [`SCALE`]; `None` for zero.
fn second(component: usize, a: usize, b: usize) -> Option<&'static str> {
    Some(HESSIANS[component][a][b]).filter(|text| !text.is_empty())
}

/// Entry of the deformation gradient.
fn deformation_gradient(row: usize, column: usize) -> String {
    let identity = if row == column { "1 + " } else { "" };
    format!("({identity}{SCALE}*({}))", GRADIENT[row][column])
}

/// Entry of the cofactor matrix of the deformation gradient.
fn cofactor(row: usize, column: usize) -> String {
    let [a, b] = [(row + 1) % 3, (row + 2) % 3];
    let [c, d] = [(column + 1) % 3, (column + 2) % 3];
    let f = deformation_gradient;
    format!("({}*{} - {}*{})", f(a, c), f(b, d), f(a, d), f(b, c))
}

/// Laplacian of a component of the displacement, without [`SCALE`].
fn laplacian(component: usize) -> String {
    sum((0..3).filter_map(|axis| second(component, axis, axis)).map(str::to_owned))
}

/// Force of linear elasticity: `-(mu lap u + (lambda + mu) grad div u)`.
fn linear_force(lambda: f64, mu: f64) -> [String; 3] {
    from_fn(|i| {
        let gradient = sum((0..3).filter_map(|k| second(k, k, i)).map(str::to_owned));
        format!("-1*{SCALE}*({mu}*({}) + {}*({gradient}))", laplacian(i), lambda + mu)
    })
}

/// Force of the neo-Hookean law, whose first Piola-Kirchhoff stress is `mu (F - F^-T) + lambda ln(J) F^-T`. By Piola's
/// identity it is `-(mu lap u + (mu + lambda - lambda ln J) F^-T grad ln J)`.
fn neo_hookean_force(lambda: f64, mu: f64) -> [String; 3] {
    let determinant =
        sum((0..3).map(|k| format!("{}*{}", deformation_gradient(0, k), cofactor(0, k))));
    // Gradient of J, without the scale: the cofactors times the second derivatives.
    let gradient: [String; 3] = from_fn(|j| {
        let pairs = (0..9).map(|index| (index / 3, index % 3));
        sum(pairs.filter_map(|(k, l)| Some(format!("{}*({})", cofactor(k, l), second(k, l, j)?))))
    });
    from_fn(|i| {
        let product = sum((0..3).map(|j| format!("{}*({})", cofactor(i, j), gradient[j])));
        format!(
            "-1*{SCALE}*({mu}*({}) + ({} - {lambda}*ln({determinant}))/({determinant})^2*({product}))",
            laplacian(i),
            lambda + mu
        )
    })
}

/// Force of the law of Saint-Venant and Kirchhoff, `-div(F S)` with `S = lambda tr(E) I + 2 mu E`.
fn saint_venant_force(lambda: f64, mu: f64) -> [String; 3] {
    let f = deformation_gradient;
    let right_cauchy_green =
        |k: usize, j: usize| sum((0..3).map(|m| format!("{}*{}", f(m, k), f(m, j))));
    let trace = sum((0..3).map(|k| right_cauchy_green(k, k)));
    // Divergence of S, without the scale: lambda grad tr(E) + 2 mu div E.
    let divergence: [String; 3] = from_fn(|k| {
        let pairs = || (0..9).map(|index| (index / 3, index % 3));
        let of_trace =
            pairs().filter_map(|(m, n)| Some(format!("{}*({})", f(m, n), second(m, n, k)?)));
        let of_strain = pairs().flat_map(|(m, j)| {
            let first = second(m, k, j).map(|h| format!("({h})*{}", f(m, j)));
            let last = second(m, j, j).map(|h| format!("{}*({h})", f(m, k)));
            [first, last].into_iter().flatten()
        });
        format!("({lambda}*({}) + {mu}*({}))", sum(of_trace), sum(of_strain))
    });
    from_fn(|i| {
        // The second derivatives of a component times S, by the right Cauchy-Green tensor 2 E + I.
        let pairs = (0..9).map(|index| (index / 3, index % 3));
        let product = sum(pairs.filter_map(|(k, j)| {
            Some(format!("({})*({})", second(i, k, j)?, right_cauchy_green(k, j)))
        }));
        let laplacian = laplacian(i);
        let curved =
            format!("({laplacian})*({}*({trace} - 3) - {mu}) + {mu}*({product})", 0.5 * lambda);
        let divergence = sum((0..3).map(|k| format!("{}*{}", f(i, k), divergence[k])));
        format!("-1*{SCALE}*({curved} + {divergence})")
    })
}
