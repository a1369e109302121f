//! Equilibrium paths beyond limit points.

use crate::vibration::tangent;
use resile_linalg::direct::{Cholesky, DirectError};
use resile_math::{Mat3, Vec3, outer};
use resile_system::{Body, Path, State, System};

/// Interval d (s) of the difference quotient of forces F by time, which is exact for loads linear in time. In general its error
/// is `d/2 F''`, and that of rounding `eps F / d`, 2e-10 of F per second.
const RATE_INTERVAL: f64 = 1e-6;

/// Correction relative to the length of the step at which Newton's method has converged. Convergence is quadratic, so the
/// error left is of the order of its square, below rounding.
const CORRECTION_TOLERANCE: f64 = 1e-9;

/// Maximum number of corrections of a step. Quadratic convergence from a tenth to the tolerance takes four; a step with many
/// more begins outside the region of convergence.
const MAX_CORRECTIONS: usize = 20;

/// Maximum number of times that a step is halved, to 1/4096.
const MAX_HALVINGS: u32 = 12;

/// Maximum distance of a corrected state from the start of its step, relative to the length of the step. Corrections are normal to
/// the tangent, so at the limit the chord is at 76 degrees to it (`cos = 1/4`): the path has turned away.
const MAX_DISTANCE: f64 = 4.0;

/// The direction of an equilibrium path at a state.
#[derive(Debug, Clone, PartialEq)]
pub struct PathTangent {
    /// Displacements of all nodes, of unit root mean square.
    displacements: Vec<Vec3>,
    /// Change of the time (s) of the loads along these displacements.
    rate: f64,
}

/// A state further along an equilibrium path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathStep {
    /// The equilibrium. Its time is that of the loads it balances.
    pub state: State,
    /// Tangent of the path at its end.
    pub tangent: PathTangent,
    /// Corrections by Newton's method.
    pub corrections: usize,
}

/// Failure to follow an equilibrium path.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PathError {
    /// No load changes with time.
    #[error("no load or prescribed motion changes with time at {time} s")]
    Unloaded {
        /// Time of the loads (s).
        time: f64,
    },
    /// The state is unstable in more than one direction.
    #[error("the equilibrium is unstable in more than one direction, or not held: {0}")]
    Unstable(#[from] DirectError),
    /// No equilibrium was found nearby.
    #[error("no equilibrium was found {length:.1e} m along the path from time {time} s")]
    NotConverged {
        /// Root mean square displacement (m).
        length: f64,
        /// Time at the start of the failed step (s).
        time: f64,
    },
    /// There is more than one body, or contact.
    #[error("an equilibrium path is that of one body without contact and joints")]
    Coupled,
    /// A term has a history (plastic or viscous flow), or a load has no potential.
    #[error("plastic and viscous flow and loads without a potential have no equilibrium path")]
    History,
}

/// Follows the equilibrium path of a system from an equilibrium by a `length`, the root mean square of the displacements
/// of all nodes (m): time is the parameter of loads and prescribed motions, and is an unknown that may decrease. `before` is the
/// tangent with which the last step ended; without one time increases at first.
///
/// Riks' method (1979, *An incremental approach to the solution of snapping and buckling problems*): a step along the
/// tangent, then Newton's method in the plane normal to it. The bordered equations are solved with one Cholesky
/// factor of the stiffness without the direction in which a node moves fastest, which is positive definite where the
/// state is unstable in no other direction; beyond a bifurcation it is not. Couplings (contact, joints) are ignored.
///
/// # Errors
/// [`PathError`]; the state is unchanged.
pub fn follow_path(
    system: &mut System,
    state: &State,
    length: f64,
    before: Option<&PathTangent>,
) -> Result<PathStep, PathError> {
    let has_history = system.bodies().iter().any(Body::is_inelastic);
    if has_history || is_pushed(system, state) {
        return Err(PathError::History);
    }
    let (mut state, mut before) = (state.clone(), before.cloned());
    let (mut remaining, mut part, mut halvings, mut corrections) = (length, length, 0, 0);
    loop {
        match step(system, &state, part.min(remaining), before.as_ref()) {
            Ok(advanced) => {
                corrections += advanced.corrections;
                remaining -= part.min(remaining);
                if remaining <= CORRECTION_TOLERANCE * length {
                    return Ok(PathStep { corrections, ..advanced });
                }
                (state, before) = (advanced.state, Some(advanced.tangent));
            }
            Err(PathError::NotConverged { .. }) if halvings < MAX_HALVINGS => {
                halvings += 1;
                part *= 0.5;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whether a dissipation acts on a system at rest.
fn is_pushed(system: &System, state: &State) -> bool {
    let still = vec![Vec3::ZERO; state.positions.len()];
    let mut forces = still.clone();
    system.lagged(state).add_gradient(state.time, &still, 1.0, &mut forces);
    forces.iter().any(|force| *force != Vec3::ZERO)
}

/// Takes a step of `length` from the equilibrium `from`; `before` is the previous tangent.
fn step(
    system: &mut System,
    from: &State,
    length: f64,
    before: Option<&PathTangent>,
) -> Result<PathStep, PathError> {
    let mut pivot = match before {
        Some(before) => Pivot::fastest(system, &before.displacements),
        None => {
            let rate = rate(system, &from.positions, from.time);
            Pivot::fastest(system, &rate)
        }
    };
    let start = Bordered::new(system, from, pivot)?;
    let tangent = start.tangent(before).ok_or(PathError::Unloaded { time: from.time })?;
    pivot = Pivot::fastest(system, &tangent.displacements);
    let mut state = from.clone();
    move_along(system, &mut state, (&tangent.displacements, length), length * tangent.rate);
    let not_converged = PathError::NotConverged { length, time: from.time };
    for corrections in 1..=MAX_CORRECTIONS {
        let bordered = Bordered::new(system, &state, pivot).map_err(|_| not_converged)?;
        let (correction, change) =
            bordered.correction(&tangent.displacements).ok_or(not_converged)?;
        let size = root_mean_square(&correction);
        move_along(system, &mut state, (&correction, 1.0), change);
        let displacements: Vec<Vec3> =
            from.positions.iter().zip(&state.positions).map(|(a, b)| *b - *a).collect();
        // Also false for NaN.
        let is_near = root_mean_square(&displacements) <= MAX_DISTANCE * length;
        if !is_near {
            return Err(not_converged);
        }
        if size <= CORRECTION_TOLERANCE * length {
            let pivot = Pivot::fastest(system, &tangent.displacements);
            let ends = Bordered::new(system, &state, pivot)?;
            let tangent = ends.tangent(Some(&tangent)).ok_or(not_converged)?;
            return Ok(PathStep { state, tangent, corrections });
        }
    }
    Err(not_converged)
}

/// Moves free directions by a multiple of displacements and held ones to their positions at the new time, by the
/// fraction that the step bounds of terms permit.
fn move_along(
    system: &mut System,
    state: &mut State,
    (displacements, scale): (&[Vec3], f64),
    change: f64,
) {
    let at = |system: &System, part: f64| {
        let moved = state.positions.iter().zip(displacements);
        let mut moved: Vec<Vec3> = moved.map(|(x, u)| *x + *u * (scale * part)).collect();
        place(system, &mut moved, state.time + part * change);
        moved
    };
    let full = at(system, 1.0);
    let path = Path { from: &state.positions, to: &full };
    let bound = system.along(&[path]).fraction();
    let part = if bound < 1.0 { 0.5 * bound } else { 1.0 };
    let moved = at(system, part);
    state.time += part * change;
    state.positions = moved;
}

/// Moves prescribed nodes to their positions at a time (s).
fn place(system: &System, x: &mut [Vec3], time: f64) {
    let held: Vec<(usize, Vec3)> = system.prescribed(time).collect();
    held.into_iter().for_each(|(node, held)| x[node] = system.compose(node, x[node], held));
}

/// The gradient (N) of the potential in free directions.
fn gradient(system: &mut System, x: &[Vec3], time: f64) -> Vec<Vec3> {
    let mut gradient = system.along(&[Path::at(x)]).gradient(time, x);
    let free: Vec<bool> = system.free().to_vec();
    for (node, g) in gradient.iter_mut().enumerate() {
        *g = if free[node] { system.free_part(node, *g) } else { Vec3::ZERO };
    }
    gradient
}

/// The derivative (N/s) of the gradient by time, prescribed motions included.
fn rate(system: &mut System, x: &[Vec3], time: f64) -> Vec<Vec3> {
    let now = gradient(system, x, time);
    let mut moved = x.to_vec();
    place(system, &mut moved, time + RATE_INTERVAL);
    let then = gradient(system, &moved, time + RATE_INTERVAL);
    then.iter().zip(&now).map(|(then, now)| (*then - *now) / RATE_INTERVAL).collect()
}

fn root_mean_square(x: &[Vec3]) -> f64 {
    (dot(x, x) / x.len() as f64).sqrt()
}

fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// A direction of a node.
#[derive(Debug, Clone, Copy)]
struct Pivot {
    node: usize,
    along: Vec3,
}

impl Pivot {
    /// The direction of the largest nodal displacement.
    fn fastest(system: &System, field: &[Vec3]) -> Self {
        let free = |node: usize| {
            if system.free()[node] { system.free_part(node, field[node]) } else { Vec3::ZERO }
        };
        let (mut pivot, mut max) = (Self { node: 0, along: Vec3::ZERO }, 0.0);
        for node in 0..field.len() {
            let (direction, length) = (free(node), free(node).length());
            if length > max {
                (pivot, max) = (Self { node, along: direction / length }, length);
            }
        }
        pivot
    }
}

/// The equations `K u + g + s f = 0` at a state, f being the derivative of the gradient g by time, with the factor of K without a
/// direction.
struct Bordered {
    /// Displacements by a unit displacement of the pivot, by a change of time of 1 s, and by the gradient.
    parts: [Vec<Vec3>; 3],
    /// Force on the pivot for each of them.
    forces: [f64; 3],
}

impl Bordered {
    /// Factorises the stiffness with the direction of `pivot` removed from the unknowns.
    fn new(system: &mut System, state: &State, pivot: Pivot) -> Result<Self, PathError> {
        let x = &state.positions;
        let (g, f) = (gradient(system, x, state.time), rate(system, x, state.time));
        let stiffness = tangent(system, state);
        let (free, mut guided) = (system.free().to_vec(), system.guided().to_vec());
        let outer_product = outer(pivot.along, pivot.along);
        match guided.iter_mut().find(|(node, _)| *node == pivot.node) {
            Some((_, projector)) => *projector -= outer_product,
            None => {
                guided.push((pivot.node, Mat3::IDENTITY - outer_product));
                guided.sort_by_key(|(node, _)| *node);
            }
        }
        let mut constrained = stiffness.clone();
        constrained.constrain(&free, &guided);
        let mut factor = Cholesky::new();
        factor.factorize(&constrained)?;
        let project = |field: &mut [Vec3]| {
            field
                .iter_mut()
                .zip(&free)
                .filter(|(_, free)| !**free)
                .for_each(|(x, _)| *x = Vec3::ZERO);
            guided.iter().for_each(|&(node, projector)| field[node] = projector * field[node]);
        };
        let mut solve = |mut right: Vec<Vec3>| {
            project(&mut right);
            let mut out = vec![Vec3::ZERO; right.len()];
            factor.solve(&right, &mut out);
            project(&mut out);
            out.iter_mut().for_each(|u| *u = -*u);
            out
        };
        let mut unit = vec![Vec3::ZERO; x.len()];
        unit[pivot.node] = pivot.along;
        let mut pushed = vec![Vec3::ZERO; x.len()];
        stiffness.multiply(&unit, &mut pushed);
        let mut of_pivot = solve(pushed);
        of_pivot[pivot.node] += pivot.along;
        let parts = [of_pivot, solve(f.clone()), solve(g.clone())];
        let force = |field: &[Vec3], own: Vec3| {
            let mut product = vec![Vec3::ZERO; field.len()];
            stiffness.multiply(field, &mut product);
            pivot.along.dot(product[pivot.node] + own)
        };
        let pivot_forces = [Vec3::ZERO, f[pivot.node], g[pivot.node]];
        let forces = [0, 1, 2].map(|k| force(&parts[k], pivot_forces[k]));
        Ok(Self { parts, forces })
    }

    /// The direction of the path: `K u + s f = 0`.
    fn tangent(&self, before: Option<&PathTangent>) -> Option<PathTangent> {
        let [of_pivot, of_time, _] = &self.parts;
        let [pivot, time, _] = self.forces;
        let sum = of_pivot.iter().zip(of_time).map(|(a, b)| *a * -time + *b * pivot);
        let displacements: Vec<Vec3> = sum.collect();
        let size = root_mean_square(&displacements);
        let forwards = match before {
            Some(before) => dot(&before.displacements, &displacements) >= 0.0,
            None => pivot >= 0.0,
        };
        let scale = if forwards { size.recip() } else { -size.recip() };
        scale.is_finite().then(|| PathTangent {
            displacements: displacements.into_iter().map(|u| u * scale).collect(),
            rate: pivot * scale,
        })
    }

    /// The correction `K u + g + s f = 0` normal to a direction, and the change s of time (s).
    fn correction(&self, normal: &[Vec3]) -> Option<(Vec<Vec3>, f64)> {
        let [of_pivot, of_time, rest] = &self.parts;
        let ways = [dot(normal, of_pivot), dot(normal, of_time), dot(normal, rest)];
        let [a, b, c] = self.forces;
        let determinant = a * ways[1] - b * ways[0];
        let (pivot, time) =
            ((b * ways[2] - c * ways[1]) / determinant, (c * ways[0] - a * ways[2]) / determinant);
        let sum = of_pivot.iter().zip(of_time).zip(rest);
        let correction = sum.map(|((p, t), r)| *p * pivot + *t * time + *r).collect();
        (pivot.is_finite() && time.is_finite()).then_some((correction, time))
    }
}
