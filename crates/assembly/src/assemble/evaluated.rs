//! Expressions of a scene with the positions at which they are evaluated.

use super::error;
use crate::Clock;
use resile_energy::LoadPoints;
use resile_expression::{Expression, Field};
use resile_math::Vec3;
use resile_scene::description::{
    Analysis, Formula, MotionDescription, Problem, Scene, Term, TimeFunction, Units,
};
use std::sync::Arc;

/// A field of the scene that contains expressions, and the positions at which they are evaluated.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// The path of the field, such as `bodies[0].terms[1].force`.
    path: String,
    source: Source,
}

/// The expressions of a field.
#[derive(Debug, Clone)]
enum Source {
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
    fn as_slice(&self) -> &[Vec3] {
        match self {
            Self::Points(points) => points.places(),
            Self::Nodes(positions) => positions,
        }
    }
}

/// The error of an expression without a finite value.
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
        Self {
            path,
            source: Source::Vector(Arc::new(field), RestPositions::Points(points.clone())),
        }
    }

    /// A number at points of a load.
    pub(super) fn number(path: String, field: Field<1>, points: &Arc<LoadPoints>) -> Self {
        Self {
            path,
            source: Source::Number(Arc::new(field), RestPositions::Points(points.clone())),
        }
    }

    /// A vector at nodes.
    pub(super) fn at_nodes(path: String, field: Arc<Field<3>>, positions: Vec<Vec3>) -> Self {
        Self { path, source: Source::Vector(field, RestPositions::Nodes(positions)) }
    }

    /// Number of positions at which the expressions are evaluated.
    fn position_count(&self) -> usize {
        match &self.source {
            Source::Time(_) => 1,
            Source::Vector(_, positions) | Source::Number(_, positions) => {
                positions.as_slice().len()
            }
        }
    }

    /// The first position at which an expression is not finite at a time (s), with its value. O(positions).
    pub fn undefined(&self, time: f64, units: Units) -> Option<UndefinedExpression> {
        let (value, position) = match &self.source {
            Source::Time(expression) => (not_finite(&[expression.at([0.0; 3], time)])?, None),
            Source::Vector(field, positions) => first_undefined(positions, |x| field.at(x, time))?,
            Source::Number(field, positions) => first_undefined(positions, |x| field.at(x, time))?,
        };
        let place = position.map(|position| units.point(position));
        Some(UndefinedExpression { path: self.path.clone(), value, place, time })
    }
}

/// The first value that is not finite.
fn not_finite(values: &[f64]) -> Option<f64> {
    values.iter().copied().find(|value| !value.is_finite())
}

/// The first position at which the values of `values_at` are not finite, with that value.
fn first_undefined<const N: usize>(
    positions: &RestPositions,
    values_at: impl Fn([f64; 3]) -> [f64; N],
) -> Option<(f64, Option<[f64; 3]>)> {
    positions.as_slice().iter().find_map(|position| {
        let position = position.to_array();
        Some((not_finite(&values_at(position))?, Some(position)))
    })
}

/// The factors of loads and motions of obstacles that are expressions.
pub(super) fn functions_of_time(scene: &Scene) -> Vec<Evaluated> {
    let mut functions = Vec::new();
    for (b, body) in scene.bodies.iter().enumerate() {
        for (k, term) in body.terms.iter().enumerate() {
            if let Some(TimeFunction::Expression(text)) = factor(term) {
                let path = format!("bodies[{b}].terms[{k}].factor");
                let source = Source::Time(resile_scene::description::expression(text));
                functions.push(Evaluated { path, source });
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

/// Maximum number of evaluations (about 0.1 s) for which a field is checked at the ends of all steps before the run.
const MAX_EVALUATIONS: u64 = 1_000_000;

/// Errors of expressions without a finite value at the `start` (s) or the end of the run, or, unless this needs too many
/// evaluations, at the end of a step.
pub(super) fn undefined_problems(
    evaluated: &[Evaluated],
    scene: &Scene,
    start: f64,
) -> Vec<Problem> {
    let clock = Clock::new(&scene.time, start);
    // The times of steps along an equilibrium path are not those of the loads.
    let steps = match scene.analysis {
        Analysis::ArcLength { .. } => 0,
        Analysis::Dynamic | Analysis::Static => clock.steps(&scene.time),
    };
    let first_undefined = |field: &Evaluated| {
        let evaluations = steps.saturating_mul(field.position_count() as u64);
        let checked_steps = if evaluations <= MAX_EVALUATIONS { steps } else { 0 };
        let step_ends = (1..=checked_steps).map(|step| clock.after(step));
        let mut times = [start].into_iter().chain(step_ends).chain([scene.time.duration]);
        times.find_map(|time| field.undefined(time, scene.units))
    };
    evaluated.iter().filter_map(first_undefined).map(undefined_problem).collect()
}

/// The error for a factor of a term that is an expression without a finite value at the start; `path` is that of the
/// term.
pub(super) fn undefined_factor(term: &Term, path: &str) -> Option<Problem> {
    let Some(TimeFunction::Expression(text)) = factor(term) else { return None };
    let source = Source::Time(resile_scene::description::expression(text));
    let field = Evaluated { path: format!("{path}.factor"), source };
    field.undefined(0.0, Units::default()).map(undefined_problem)
}

/// The error for an expression without a finite value.
fn undefined_problem(undefined: UndefinedExpression) -> Problem {
    let help = "an expression must be finite where it is used and from the start to the end";
    let UndefinedExpression { path, value, place, time } = undefined;
    let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
    error(path, format!("the expression is {value}{place} at t = {time} s"), help)
}

/// Adds the displacement at the rest positions `placed` to the positions `start` (m).
///
/// # Errors
/// If the displacement is not finite somewhere.
pub(super) fn displaced_positions(
    displacement: &[Formula; 3],
    (placed, start): (&[Vec3], &[Vec3]),
    units: Units,
    path: &str,
) -> Result<Vec<Vec3>, Problem> {
    let field = Formula::field(displacement, units, "m");
    let displaced = placed.iter().zip(start).map(|(position, x)| {
        let offset = Vec3::from_array(field.at(position.to_array(), 0.0));
        match offset.is_finite() {
            true => Ok(*x + offset),
            false => {
                let position = units.point(position.to_array());
                let message = format!("the displacement at {position} is not finite");
                Err(error(path, message, "correct the expression"))
            }
        }
    });
    displaced.collect()
}
