//! Equilibrium paths beyond limit points.

use crate::vibration::{StiffnessTerms, tangent};
use resile_linalg::direct::{Cholesky, DirectError};
use resile_math::{Mat3, Vec3, outer};
use resile_sparse::SymmetricBlockMatrix;
use resile_system::DissipationFrame;
use resile_system::{Body, Path, State, System};

/// Interval d (s) of the difference quotient of forces F by time, which is exact for loads linear in time. In general
/// its error is `d/2 F''`, and that of rounding `eps F / d`, 2e-10 of F per second.
const RATE_INTERVAL: f64 = 1e-6;

/// Correction relative to the length of the step at which Newton's method has converged. Convergence is quadratic, so
/// the error left is of the order of its square, below rounding.
const CORRECTION_TOLERANCE: f64 = 1e-9;

/// Maximum number of corrections of a step. Quadratic convergence from a tenth to the tolerance takes four; a step with
/// many more begins outside the region of convergence.
const MAX_CORRECTIONS: usize = 20;

/// Maximum number of times that a step is halved, to 1/4096.
const MAX_HALVINGS: u32 = 12;

/// Maximum distance of a corrected state from the start of its step, relative to the length of the step. Corrections
/// are normal to the tangent, so at the limit the chord is at 76 degrees to it (`cos = 1/4`): the path has turned away.
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
    /// The path leads over a bifurcation: beyond it the state is unstable in a second direction.
    #[error(
        "the path bifurcates just after time {time} s: beyond it, the equilibrium is unstable in a second direction, into which \
         another path branches off"
    )]
    Bifurcation {
        /// Time of the loads at the last equilibrium before it (s).
        time: f64,
    },
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

/// Follows the equilibrium path of a system from an equilibrium by a `length`, the root mean square of the
/// displacements of all nodes (m): time is the parameter of loads and prescribed motions, and is an unknown that may
/// decrease. `previous_tangent` is that at the end of the last step; without one, time increases at first.
///
/// Riks' method (1979, *An incremental approach to the solution of snapping and buckling problems*): a step along the
/// tangent, then Newton's method in the plane normal to it. The bordered equations are solved with one Cholesky
/// factor of the stiffness from which one degree of freedom is removed: the direction in which a node moves fastest.
/// The reduced stiffness is positive definite while the state is unstable in that direction only, so not beyond a
/// bifurcation. Couplings (contact, joints) are ignored.
///
/// # Errors
/// [`PathError`]; the state is unchanged.
pub fn follow_path(
    system: &mut System,
    state: &State,
    length: f64,
    previous_tangent: Option<&PathTangent>,
) -> Result<PathStep, PathError> {
    let has_history = system.bodies().iter().any(Body::is_inelastic);
    if has_history || has_load_without_potential(system, state) {
        return Err(PathError::History);
    }
    let (mut state, mut previous_tangent) = (state.clone(), previous_tangent.cloned());
    let (mut remaining, mut step_length, mut halvings, mut corrections) = (length, length, 0, 0);
    loop {
        match step(system, &state, step_length.min(remaining), previous_tangent.as_ref()) {
            Ok(advanced) => {
                corrections += advanced.corrections;
                remaining -= step_length.min(remaining);
                if remaining <= CORRECTION_TOLERANCE * length {
                    return Ok(PathStep { corrections, ..advanced });
                }
                (state, previous_tangent) = (advanced.state, Some(advanced.tangent));
            }
            Err(PathError::NotConverged { .. }) if halvings < MAX_HALVINGS => {
                halvings += 1;
                step_length *= 0.5;
            }
            Err(error @ PathError::NotConverged { .. }) => {
                let reason =
                    end_of_path(system, &state, [step_length, length], previous_tangent.as_ref());
                return Err(reason.unwrap_or(error));
            }
            Err(error) => return Err(error),
        }
    }
}

/// The reason why a path ends at the equilibrium `from`, if there is one: loads that are constant or a stiffness that has a
/// second unstable direction further along the tangent, by the shorter to the longer of two `lengths` (m).
fn end_of_path(
    system: &mut System,
    from: &State,
    lengths: [f64; 2],
    previous_tangent: Option<&PathTangent>,
) -> Option<PathError> {
    let tangent = previous_tangent?;
    let pivot = Pivot::fastest(system, &tangent.displacements);
    let doubled = std::iter::successors(Some(lengths[0]), |length| Some(2.0 * length));
    for length in doubled.take_while(|length| *length <= lengths[1]) {
        let mut end = from.clone();
        move_along(system, &mut end, &tangent.displacements, length, length * tangent.rate);
        let load_rate = gradient_rate(system, &end.positions, end.time);
        if load_rate.iter().all(|rate| *rate == Vec3::ZERO) {
            return Some(PathError::Unloaded { time: end.time });
        }
        let stiffness = crate::vibration::tangent(system, &end, StiffnessTerms::Energies);
        let factor = ConstrainedFactor::new(system, &stiffness, pivot);
        if matches!(factor, Err(DirectError::NotPositiveDefinite { .. })) {
            return Some(PathError::Bifurcation { time: from.time });
        }
    }
    None
}

/// Whether a dissipation potential exerts a force on the system at rest, as a load without a potential does.
fn has_load_without_potential(system: &System, state: &State) -> bool {
    let zero_velocities = vec![Vec3::ZERO; state.positions.len()];
    let mut forces = zero_velocities.clone();
    let frame = DissipationFrame::at_start(state.time);
    system.lagged(state).add_gradient(&frame, &zero_velocities, 1.0, &mut forces);
    forces.iter().any(|force| *force != Vec3::ZERO)
}

/// Takes a step of `length` (root mean square displacement, m) from the equilibrium `from`: a step along the tangent and
/// Newton corrections normal to it.
///
/// # Errors
/// [`PathError::NotConverged`], also if a corrected state is farther than [`MAX_DISTANCE`] or its stiffness has no factor;
/// [`PathError::Unloaded`]; [`PathError::Unstable`].
fn step(
    system: &mut System,
    from: &State,
    length: f64,
    previous_tangent: Option<&PathTangent>,
) -> Result<PathStep, PathError> {
    let mut pivot = match previous_tangent {
        Some(previous_tangent) => Pivot::fastest(system, &previous_tangent.displacements),
        None => {
            let load_rate = gradient_rate(system, &from.positions, from.time);
            Pivot::fastest(system, &load_rate)
        }
    };
    let start = Bordered::new(system, from, pivot)?;
    let tangent = start.tangent(previous_tangent).ok_or(PathError::Unloaded { time: from.time })?;
    pivot = Pivot::fastest(system, &tangent.displacements);
    let mut state = from.clone();
    move_along(system, &mut state, &tangent.displacements, length, length * tangent.rate);
    let not_converged = PathError::NotConverged { length, time: from.time };
    for corrections in 1..=MAX_CORRECTIONS {
        let bordered = Bordered::new(system, &state, pivot).map_err(|_| not_converged)?;
        let correction = bordered.correction(&tangent.displacements).ok_or(not_converged)?;
        let correction_length = root_mean_square(&correction.displacements);
        move_along(system, &mut state, &correction.displacements, 1.0, correction.time_change);
        let displacements: Vec<Vec3> =
            from.positions.iter().zip(&state.positions).map(|(a, b)| *b - *a).collect();
        // The comparison is also false for NaN.
        let is_near = root_mean_square(&displacements) <= MAX_DISTANCE * length;
        if !is_near {
            return Err(not_converged);
        }
        if correction_length <= CORRECTION_TOLERANCE * length {
            let end = Bordered::new(system, &state, pivot)?;
            let end_tangent = end.tangent(Some(&tangent)).ok_or(not_converged)?;
            return Ok(PathStep { state, tangent: end_tangent, corrections });
        }
    }
    Err(not_converged)
}

/// Moves the state: free directions by `scale * displacements`, prescribed ones to their positions at the time changed by
/// `time_change` (s). If the step bounds of terms cut this path, the state and its time move by half of the permitted
/// fraction.
fn move_along(
    system: &mut System,
    state: &mut State,
    displacements: &[Vec3],
    scale: f64,
    time_change: f64,
) {
    let positions_at = |system: &System, fraction: f64| {
        let pairs = state.positions.iter().zip(displacements);
        let mut positions: Vec<Vec3> = pairs.map(|(x, u)| *x + *u * (scale * fraction)).collect();
        move_prescribed_nodes(system, &mut positions, state.time + fraction * time_change);
        positions
    };
    let path_end = positions_at(system, 1.0);
    let path = Path { from: &state.positions, to: &path_end };
    let bound = system.along(&[path]).fraction();
    let fraction = if bound < 1.0 { 0.5 * bound } else { 1.0 };
    let positions = positions_at(system, fraction);
    state.time += fraction * time_change;
    state.positions = positions;
}

/// Moves prescribed nodes to their positions at a time (s).
fn move_prescribed_nodes(system: &System, x: &mut [Vec3], time: f64) {
    for (node, target) in system.prescribed(time) {
        x[node] = system.compose(node, x[node], target);
    }
}

/// The gradient (N) of the potential in free directions.
fn gradient(system: &mut System, x: &[Vec3], time: f64) -> Vec<Vec3> {
    let mut nodal_gradients = system.along(&[Path::at(x)]).gradient(time, x);
    let free: Vec<bool> = system.free().to_vec();
    for (node, g) in nodal_gradients.iter_mut().enumerate() {
        *g = if free[node] { system.free_part(node, *g) } else { Vec3::ZERO };
    }
    nodal_gradients
}

/// The derivative (N/s) of the gradient by time, by a forward difference: free directions are fixed, prescribed nodes
/// move.
fn gradient_rate(system: &mut System, x: &[Vec3], time: f64) -> Vec<Vec3> {
    let current = gradient(system, x, time);
    let mut later_positions = x.to_vec();
    move_prescribed_nodes(system, &mut later_positions, time + RATE_INTERVAL);
    let later = gradient(system, &later_positions, time + RATE_INTERVAL);
    later.iter().zip(&current).map(|(later, current)| (*later - *current) / RATE_INTERVAL).collect()
}

/// The root mean square of the lengths of nodal vectors.
fn root_mean_square(x: &[Vec3]) -> f64 {
    (dot(x, x) / x.len() as f64).sqrt()
}

/// The inner product of two nodal fields.
fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

/// The direction of one node that is removed from the unknowns of the bordered equations.
#[derive(Debug, Clone, Copy)]
struct Pivot {
    node: usize,
    /// A unit vector; zero if no node moves.
    direction: Vec3,
}

impl Pivot {
    /// The free direction of the largest nodal displacement of `field`.
    fn fastest(system: &System, field: &[Vec3]) -> Self {
        let free_displacement = |node: usize| {
            if system.free()[node] { system.free_part(node, field[node]) } else { Vec3::ZERO }
        };
        let (mut pivot, mut max) = (Self { node: 0, direction: Vec3::ZERO }, 0.0);
        for node in 0..field.len() {
            let displacement = free_displacement(node);
            let length = displacement.length();
            if length > max {
                (pivot, max) = (Self { node, direction: displacement / length }, length);
            }
        }
        pivot
    }
}

/// A Newton correction of a state.
struct PathCorrection {
    /// Displacements (m) of all nodes.
    displacements: Vec<Vec3>,
    /// Change (s) of the time of the loads.
    time_change: f64,
}

/// The Cholesky factor of the stiffness on the free directions without that of the pivot.
struct ConstrainedFactor {
    factor: Cholesky,
    /// Whether each node is free in some direction.
    free: Vec<bool>,
    /// The nodes that are free in some directions only, with the projectors onto these.
    guided: Vec<(usize, Mat3)>,
}

impl ConstrainedFactor {
    /// Factorises `stiffness` with the direction of `pivot` removed from the unknowns.
    fn new(
        system: &System,
        stiffness: &SymmetricBlockMatrix,
        pivot: Pivot,
    ) -> Result<Self, DirectError> {
        let (free, mut guided) = (system.free().to_vec(), system.guided().to_vec());
        let pivot_projector = outer(pivot.direction, pivot.direction);
        match guided.iter_mut().find(|(node, _)| *node == pivot.node) {
            Some((_, projector)) => *projector -= pivot_projector,
            None => {
                guided.push((pivot.node, Mat3::IDENTITY - pivot_projector));
                guided.sort_by_key(|(node, _)| *node);
            }
        }
        let mut constrained = stiffness.clone();
        constrained.constrain(&free, &guided);
        let mut factor = Cholesky::new();
        factor.factorize(&constrained)?;
        Ok(Self { factor, free, guided })
    }

    /// Projects a nodal field onto the unknowns.
    fn project(&self, field: &mut [Vec3]) {
        for (x, free) in field.iter_mut().zip(&self.free) {
            if !free {
                *x = Vec3::ZERO;
            }
        }
        self.guided.iter().for_each(|&(node, projector)| field[node] = projector * field[node]);
    }

    /// The displacements (m) `-K^-1 load`, in which the pivot does not move.
    fn response_to(&mut self, mut load: Vec<Vec3>) -> Vec<Vec3> {
        self.project(&mut load);
        let mut displacements = vec![Vec3::ZERO; load.len()];
        self.factor.solve(&load, &mut displacements);
        self.project(&mut displacements);
        displacements.iter_mut().for_each(|u| *u = -*u);
        displacements
    }
}

/// The equations `K u + g + s f = 0` at a state, where f is the derivative of the gradient g by time. K is factorised
/// without the direction of the pivot, so every solution is a sum of the three `responses`.
struct Bordered {
    /// Displacements by a unit displacement of the pivot, by a change of time of 1 s, and by the gradient. The last two
    /// do not move the pivot.
    responses: [Vec<Vec3>; 3],
    /// The residual of the pivot's equation for each response.
    pivot_residuals: [f64; 3],
}

impl Bordered {
    /// Factorises the stiffness with the direction of `pivot` removed from the unknowns.
    fn new(system: &mut System, state: &State, pivot: Pivot) -> Result<Self, PathError> {
        let x = &state.positions;
        let (g, f) = (gradient(system, x, state.time), gradient_rate(system, x, state.time));
        let stiffness = tangent(system, state, StiffnessTerms::Energies);
        let mut factor = ConstrainedFactor::new(system, &stiffness, pivot)?;
        let mut pivot_displacement = vec![Vec3::ZERO; x.len()];
        pivot_displacement[pivot.node] = pivot.direction;
        let mut pivot_column = vec![Vec3::ZERO; x.len()];
        stiffness.multiply(&pivot_displacement, &mut pivot_column);
        let mut pivot_response = factor.response_to(pivot_column);
        pivot_response[pivot.node] += pivot.direction;
        let responses =
            [pivot_response, factor.response_to(f.clone()), factor.response_to(g.clone())];
        let pivot_residual = |field: &[Vec3], nodal_load: Vec3| {
            let mut product = vec![Vec3::ZERO; field.len()];
            stiffness.multiply(field, &mut product);
            pivot.direction.dot(product[pivot.node] + nodal_load)
        };
        let nodal_loads = [Vec3::ZERO, f[pivot.node], g[pivot.node]];
        let pivot_residuals = [0, 1, 2].map(|k| pivot_residual(&responses[k], nodal_loads[k]));
        Ok(Self { responses, pivot_residuals })
    }

    /// The direction of the path, `K u + s f = 0`: the combination of the first two responses without a residual of the
    /// pivot. It points along the previous tangent; without one, time increases. `None` if it vanishes.
    fn tangent(&self, previous_tangent: Option<&PathTangent>) -> Option<PathTangent> {
        let [pivot_response, time_response, _] = &self.responses;
        let [pivot_residual, time_residual, _] = self.pivot_residuals;
        let sum = pivot_response
            .iter()
            .zip(time_response)
            .map(|(a, b)| *a * -time_residual + *b * pivot_residual);
        let displacements: Vec<Vec3> = sum.collect();
        let length = root_mean_square(&displacements);
        let is_forward = match previous_tangent {
            Some(previous_tangent) => dot(&previous_tangent.displacements, &displacements) >= 0.0,
            None => pivot_residual >= 0.0,
        };
        let scale = if is_forward { length.recip() } else { -length.recip() };
        scale.is_finite().then(|| PathTangent {
            displacements: displacements.into_iter().map(|u| u * scale).collect(),
            rate: pivot_residual * scale,
        })
    }

    /// The correction u with `K u + g + s f = 0` that is orthogonal to `normal`, with the change s of time. `None` if the
    /// two conditions are singular.
    fn correction(&self, normal: &[Vec3]) -> Option<PathCorrection> {
        let [pivot_response, time_response, gradient_response] = &self.responses;
        let [pivot_residual, time_residual, gradient_residual] = self.pivot_residuals;
        let [pivot_normal, time_normal, gradient_normal] =
            [0, 1, 2].map(|k| dot(normal, &self.responses[k]));
        // Cramer's rule for the multiples of the first two responses: the residual of the pivot and the component along
        // `normal` vanish.
        let determinant = pivot_residual * time_normal - time_residual * pivot_normal;
        let pivot_multiple =
            (time_residual * gradient_normal - gradient_residual * time_normal) / determinant;
        let time_change =
            (gradient_residual * pivot_normal - pivot_residual * gradient_normal) / determinant;
        let nodal_responses = pivot_response.iter().zip(time_response).zip(gradient_response);
        let displacements = nodal_responses
            .map(|((p, t), g)| *p * pivot_multiple + *t * time_change + *g)
            .collect();
        (pivot_multiple.is_finite() && time_change.is_finite())
            .then_some(PathCorrection { displacements, time_change })
    }
}
