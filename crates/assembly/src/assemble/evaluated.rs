//! Expressions of a scene with the places where they are evaluated.

use super::error;
use resile_energy::LoadPoints;
use resile_expression::{Expression, Field};
use resile_math::Vec3;
use resile_scene::description::{
    Formula, MotionDescription, Problem, Scene, Term, TimeFunction, Units,
};
use std::sync::Arc;

/// A field of the scene that holds expressions, and the places at which they are evaluated.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// Its path, such as `bodies[0].terms[1].force`.
    path: String,
    of: Of,
}

#[derive(Debug, Clone)]
enum Of {
    Time(Expression),
    Vector(Arc<Field<3>>, RestPositions),
    Number(Arc<Field<1>>, RestPositions),
}

/// Positions at rest (m) at which an expression is evaluated.
#[derive(Debug, Clone)]
enum RestPositions {
    Points(Arc<LoadPoints>),
    Nodes(Vec<Vec3>),
}

impl RestPositions {
    fn all(&self) -> &[Vec3] {
        match self {
            Self::Points(points) => points.places(),
            Self::Nodes(places) => places,
        }
    }
}

/// An expression has no finite value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{path} is {value}{} at t = {time:.6} s", place.as_ref().map(|place| format!(" at {place}")).unwrap_or_default())]
pub struct UndefinedExpression {
    /// The field of the scene.
    pub path: String,
    /// The value: infinite, or not a number.
    pub value: f64,
    /// The position at rest, in the units of the scene; `None` for functions of time.
    pub place: Option<String>,
    /// The time (s).
    pub time: f64,
}

impl Evaluated {
    /// A vector at points of a load.
    pub(super) fn vector(path: String, field: Field<3>, points: &Arc<LoadPoints>) -> Self {
        Self { path, of: Of::Vector(Arc::new(field), RestPositions::Points(points.clone())) }
    }

    /// A number at points of a load.
    pub(super) fn number(path: String, field: Field<1>, points: &Arc<LoadPoints>) -> Self {
        Self { path, of: Of::Number(Arc::new(field), RestPositions::Points(points.clone())) }
    }

    /// A vector at nodes.
    pub(super) fn at_nodes(path: String, field: Arc<Field<3>>, places: Vec<Vec3>) -> Self {
        Self { path, of: Of::Vector(field, RestPositions::Nodes(places)) }
    }

    /// The first position at which the expression is not finite at a time (s). O(positions).
    pub fn undefined(&self, time: f64, units: Units) -> Option<UndefinedExpression> {
        let (value, place) = match &self.of {
            Of::Time(expression) => (not_finite(&[expression.at([0.0; 3], time)])?, None),
            Of::Vector(field, places) => first(places, |x| field.at(x, time))?,
            Of::Number(field, places) => first(places, |x| field.at(x, time))?,
        };
        let place = place.map(|place| units.point(place));
        Some(UndefinedExpression { path: self.path.clone(), value, place, time })
    }
}

fn not_finite(values: &[f64]) -> Option<f64> {
    values.iter().copied().find(|value| !value.is_finite())
}

/// The first position at which the values of `at` are not finite, with that value.
fn first<const N: usize>(
    places: &RestPositions,
    at: impl Fn([f64; 3]) -> [f64; N],
) -> Option<(f64, Option<[f64; 3]>)> {
    places.all().iter().find_map(|place| {
        let place = place.to_array();
        Some((not_finite(&at(place))?, Some(place)))
    })
}

/// The factors of loads and motions of obstacles that are expressions.
pub(super) fn functions_of_time(scene: &Scene) -> Vec<Evaluated> {
    let mut functions = Vec::new();
    for (b, body) in scene.bodies.iter().enumerate() {
        for (k, term) in body.terms.iter().enumerate() {
            if let Some(TimeFunction::Expression(text)) = factor(term) {
                let path = format!("bodies[{b}].terms[{k}].factor");
                let of = Of::Time(resile_scene::description::expression(text));
                functions.push(Evaluated { path, of });
            }
        }
    }
    for (k, obstacle) in scene.obstacles.iter().enumerate() {
        if let Some(MotionDescription::Displacement(by)) = obstacle.motion() {
            let field = Arc::new(Formula::field(by, scene.units, "m"));
            functions.push(Evaluated::at_nodes(
                format!("obstacles[{k}].motion"),
                field,
                vec![Vec3::ZERO],
            ));
        }
    }
    functions
}

/// The time function of a load, if the term has one.
fn factor(term: &Term) -> Option<&TimeFunction> {
    match term {
        Term::Force { factor, .. }
        | Term::BodyForce { factor, .. }
        | Term::Traction { factor, .. }
        | Term::SurfacePressure { factor, .. }
        | Term::Hydrostatic { factor, .. }
        | Term::Torque { factor, .. }
        | Term::Pressure { factor, .. }
        | Term::Gas { factor, .. } => factor.as_ref(),
        _ => None,
    }
}

/// Errors of expressions without a finite value at the start or the end of the run.
pub(super) fn undefined_problems(evaluated: &[Evaluated], scene: &Scene) -> Vec<Problem> {
    let ends = [0.0, scene.time.duration];
    let undefined_at =
        |one: &Evaluated| ends.iter().find_map(|&time| one.undefined(time, scene.units));
    let problem = |undefined: UndefinedExpression| {
        let help = "an expression must be finite where it is used and from the start to the end";
        let UndefinedExpression { value, place, time, .. } = undefined;
        let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
        let message = format!("the expression is {value}{place} at t = {time} s");
        error(undefined.path, message, help)
    };
    evaluated.iter().filter_map(undefined_at).map(problem).collect()
}

/// Positions (m) after an initial displacement; an error where the displacement is not finite.
pub(super) fn displaced_positions(
    displacement: &[Formula; 3],
    (placed, start): (&[Vec3], &[Vec3]),
    units: Units,
    path: &str,
) -> Result<Vec<Vec3>, Problem> {
    let field = Formula::field(displacement, units, "m");
    let moved = placed.iter().zip(start).map(|(place, x)| {
        let by = Vec3::from_array(field.at(place.to_array(), 0.0));
        match by.is_finite() {
            true => Ok(*x + by),
            false => {
                let place = units.point(place.to_array());
                let message = format!("the displacement at {place} is not finite");
                Err(error(path, message, "correct the expression"))
            }
        }
    });
    moved.collect()
}
