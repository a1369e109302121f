//! Material frames of a rod in equilibrium of twist.

use super::turn::Turn;
use super::winding::weak_places;
use resile_math::{Vec3, elementary};
use std::f64::consts::{PI, TAU};

/// Iterations of Newton's method for the angles of one rod and one winding; smooth random shapes take 14 on average.
const MAX_ITERATIONS: usize = 60;

/// Maximum number of whole turns by which the lowest minimum differs from the first one. Random shapes need at most three.
const MAX_REWINDINGS: usize = 8;

/// Relative difference below which the energies of two minima are equal up to rounding.
const VALUE_TOLERANCE: f64 = 1e-12;

/// Maximum number of halvings of a Newton step.
const MAX_HALVINGS: i32 = 30;

/// Newton step (rad) below which the iteration ends.
const STEP_TOLERANCE: f64 = 1e-12;

/// Squared sine of the angle to the tangent below which a direction counts as parallel to it.
const MIN_SINE2: f64 = 1e-6;

/// Lower bound of the squared curvature at rest in the linear problem, which makes the matrix definite if the rod is
/// straight at rest.
const MIN_SQUARED_CURVATURE: f64 = 1e-14;

/// Modulus, relative to the largest one, below which the argument of a complex number is undefined.
const MODULUS_TOLERANCE: f64 = 1e-12;

/// Relative shift of the diagonal that makes the matrix of a Newton step definite if no field rotates the frames.
const DIAGONAL_SHIFT: f64 = 1e-12;

/// Pivots below this fraction of the diagonal are not positive, up to rounding.
const PIVOT_TOLERANCE: f64 = 1e-13;

/// Lower bound of pivots, relative to the diagonal.
const MIN_PIVOT: f64 = 1e-15;

/// A plane vector in the frame of an edge, as a complex number.
pub(super) type Plane = [f64; 2];

/// Coupling of the angles of the material frames of two edges at an inner node of a rod.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    /// Curvature binormal in the reference frames of both edges, which are parallel transports of each other.
    pub(super) binormal: Plane,
    /// Curvature binormal at rest, in the material frames of both edges.
    pub(super) rest: [Plane; 2],
    /// Angle between the material frames at rest (rad).
    pub(super) rest_twist: f64,
    /// `B / 2 l` (J).
    pub(super) bending: f64,
    /// `C / l` (J).
    pub(super) twisting: f64,
}

/// Unit vector normal to the unit vector `tangent` that is nearest to `preferred`, or to a coordinate axis if `preferred`
/// is parallel to `tangent`.
pub(super) fn normal_to(tangent: Vec3, preferred: Vec3) -> Vec3 {
    let reject = |v: Vec3| v - tangent * v.dot(tangent);
    let candidates = [preferred, Vec3::Z, Vec3::Y, Vec3::X];
    let is_transverse = |v: &Vec3| reject(*v).length_squared() > MIN_SINE2 * v.length_squared();
    let chosen = candidates.into_iter().find(is_transverse).unwrap_or(Vec3::X);
    reject(chosen).normalize()
}

/// Parallel transport of `director` across the corner.
pub(super) fn transported(turn: &Turn, director: Vec3) -> Vec3 {
    let [t, s] = turn.along;
    let transported = director - (t + s) * (director.dot(s) / turn.open);
    // The component along the edge is removed, because rounding errors would accumulate along the rod.
    let orthogonal = transported - s * transported.dot(s);
    orthogonal / orthogonal.length().max(f64::MIN_POSITIVE)
}

/// The components of `v` along `director` and `tangent x director`.
pub(super) fn in_frame(v: Vec3, tangent: Vec3, director: Vec3) -> Plane {
    [v.dot(director), v.dot(tangent.cross(director))]
}

/// The vector with these components along `director` and `tangent x director`.
pub(super) fn from_frame([a, b]: Plane, tangent: Vec3, director: Vec3) -> Vec3 {
    director * a + tangent.cross(director) * b
}

/// The product of two plane vectors as complex numbers.
fn product([a, b]: Plane, [c, d]: Plane) -> Plane {
    [a * c - b * d, a * d + b * c]
}

/// The plane vector rotated by `angle` (rad).
pub(super) fn rotated(v: Plane, angle: f64) -> Plane {
    let (sine, cosine) = elementary::sin_cos(angle);
    product(v, [cosine, sine])
}

/// The angle between -pi and pi that differs from `angle` by whole turns.
fn wrap_angle(angle: f64) -> f64 {
    angle - TAU * ((angle + PI) / TAU).floor()
}

/// Angles of the material frames of the edges of one rod relative to parallel frames. They minimise the sum of
/// `-b Re(conj(k) (r_e exp(i a_e) + r_f exp(i a_f))) + c (a_f - a_e - m)^2 / 2` over all links. `fixed` contains
/// the angles of the first and the last edge, up to whole turns, if they cannot rotate.
///
/// The energy has a minimum for each winding of the frames, and the lowest one is a continuous function of `links`. The
/// initial guess is the minimum over complex numbers in place of `exp(i a)`, a linear problem. From there the frames are
/// wound by other whole turns at [weak places](weak_places) while that lowers the minimum. The result depends on `links`
/// alone, so no history is needed. O(links) per iteration and winding.
pub(super) fn angles(links: &[Link], fixed: [Option<f64>; 2]) -> Vec<f64> {
    let equilibrium = TwistEquilibrium::new(links, fixed);
    let untwisted = equilibrium.untwisted();
    let Guess { angles, modulus } = equilibrium.guess(&untwisted);
    let mut lowest = equilibrium.minimum_from(angles);
    let places = weak_places(&modulus);
    for _ in 0..MAX_REWINDINGS {
        let rewound = places
            .iter()
            .map(|place| equilibrium.minimum_from(place.rewound(&lowest.angles, &untwisted)));
        let Some(next) = rewound.min_by(|a, b| a.value.total_cmp(&b.value)) else { break };
        if next.value >= lowest.value - VALUE_TOLERANCE * lowest.value.abs() {
            break;
        }
        lowest = next;
    }
    lowest.angles
}

/// Angles (rad) of the linear problem, and the moduli of its complex numbers.
struct Guess {
    angles: Vec<f64>,
    modulus: Vec<f64>,
}

/// A minimum of the energy.
struct Minimum {
    /// Angles (rad).
    angles: Vec<f64>,
    /// Its energy (J).
    value: f64,
}

/// The minimisation problem for the angles of the edges of one rod.
struct TwistEquilibrium<'a> {
    links: &'a [Link],
    /// Angles (rad) of the first and of the last edge, if they are fixed.
    fixed: [Option<f64>; 2],
    /// Sum over links of `b k conj(r)` for each edge; it rotates the frame towards its argument.
    field: Vec<Plane>,
}

impl<'a> TwistEquilibrium<'a> {
    fn new(links: &'a [Link], fixed: [Option<f64>; 2]) -> Self {
        let mut field = vec![[0.0; 2]; links.len() + 1];
        for (i, link) in links.iter().enumerate() {
            for (side, [a, b]) in link.rest.into_iter().enumerate() {
                let [x, y] = product(link.binormal, [a, -b]);
                let edge_field = &mut field[i + side];
                *edge_field = [edge_field[0] + link.bending * x, edge_field[1] + link.bending * y];
            }
        }
        Self { links, fixed, field }
    }

    /// Whether the angle of an edge is fixed.
    fn is_fixed(&self, edge: usize) -> bool {
        (edge == 0 && self.fixed[0].is_some())
            || (edge == self.links.len() && self.fixed[1].is_some())
    }

    /// The energy to be minimised (J) for these angles (rad).
    fn value(&self, angles: &[f64]) -> f64 {
        let field_energy = self.field.iter().zip(angles).map(|([x, y], a)| {
            let (sine, cosine) = elementary::sin_cos(*a);
            -(x * cosine + y * sine)
        });
        let twist_energy = self.links.iter().zip(angles.windows(2)).map(|(link, pair)| {
            0.5 * link.twisting * (pair[1] - pair[0] - link.rest_twist).powi(2)
        });
        field_energy.sum::<f64>() + twist_energy.sum::<f64>()
    }

    /// The minimum that Newton's method reaches from these angles (rad).
    fn minimum_from(&self, mut angles: Vec<f64>) -> Minimum {
        let mut value = self.value(&angles);
        for _ in 0..MAX_ITERATIONS {
            let step = self.newton_step(&angles);
            let step_norm = step.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
            let mut trials = (0..MAX_HALVINGS).map(|halvings| {
                let scale = 0.5_f64.powi(halvings);
                let trial: Vec<f64> =
                    angles.iter().zip(&step).map(|(a, s)| a + scale * s).collect();
                (self.value(&trial), trial)
            });
            let Some(lower) = trials.find(|(trial_value, _)| *trial_value <= value) else { break };
            (value, angles) = lower;
            if step_norm < STEP_TOLERANCE {
                break;
            }
        }
        Minimum { angles, value }
    }

    /// Angles (rad) with the twist at rest.
    fn untwisted(&self) -> Vec<f64> {
        let mut untwisted = vec![0.0; self.field.len()];
        for (i, link) in self.links.iter().enumerate() {
            untwisted[i + 1] = untwisted[i] + link.rest_twist;
        }
        untwisted
    }

    /// The arguments of the minimum over complex numbers z in place of `exp(i a)`. Where the modulus of z vanishes, the
    /// angle continues that of the previous edge.
    fn guess(&self, untwisted: &[f64]) -> Guess {
        let y = self.complex_minimum(untwisted);
        let modulus: Vec<f64> =
            y[0].iter().zip(&y[1]).map(|(a, b)| elementary::hypot(*a, *b)).collect();
        let largest = modulus.iter().copied().fold(0.0, f64::max);
        let mut angles: Vec<f64> = Vec::with_capacity(untwisted.len());
        for (j, twist) in untwisted.iter().enumerate() {
            let is_defined = modulus[j] > MODULUS_TOLERANCE * largest && modulus[j] > 0.0;
            let last = angles.last().map_or(0.0, |last| last - untwisted[j - 1]);
            let angle = if is_defined { elementary::atan2(y[1][j], y[0][j]) } else { last };
            // Whole turns are added such that the angle is nearest to that of the previous edge.
            let angle = if j == 0 { angle } else { last + wrap_angle(angle - last) };
            angles.push(twist + angle);
        }
        Guess { angles, modulus }
    }

    /// Real and imaginary parts, by edge, of the minimum y over complex numbers `z = exp(i untwisted) y`, in which the
    /// matrix is real.
    fn complex_minimum(&self, untwisted: &[f64]) -> [Vec<f64>; 2] {
        let edges = self.field.len();
        let mut diagonal = vec![0.0; edges];
        let mut right_side: Vec<Plane> =
            (0..edges).map(|j| rotated(self.field[j], -untwisted[j])).collect();
        for (i, link) in self.links.iter().enumerate() {
            for (side, [a, b]) in link.rest.into_iter().enumerate() {
                let squared_curvature = (a * a + b * b).max(MIN_SQUARED_CURVATURE);
                diagonal[i + side] += link.bending * squared_curvature + link.twisting;
            }
        }
        let mut off_diagonal: Vec<f64> = self.links.iter().map(|link| -link.twisting).collect();
        for (end, edge) in [(0, 0), (1, edges - 1)] {
            let Some(angle) = self.fixed[end] else { continue };
            diagonal[edge] = 1.0;
            right_side[edge] = rotated([1.0, 0.0], angle - untwisted[edge]);
            let (neighbour, link) = if end == 0 { (1, 0) } else { (edges - 2, edges - 2) };
            for k in 0..2 {
                right_side[neighbour][k] -= off_diagonal[link] * right_side[edge][k];
            }
            off_diagonal[link] = 0.0;
        }
        [0, 1].map(|k| {
            solve_tridiagonal(&diagonal, &off_diagonal, right_side.iter().map(|r| r[k]).collect())
        })
    }

    /// Gradient and Hessian of the energy for these angles (rad), with zero rows for fixed angles apart from ones on the
    /// diagonal.
    fn derivatives(&self, angles: &[f64]) -> AngleDerivatives {
        let edges = angles.len();
        let mut gradient = vec![0.0; edges];
        let mut twist_diagonal = vec![0.0; edges];
        let mut field_diagonal = vec![0.0; edges];
        for (j, ([x, y], a)) in self.field.iter().zip(angles).enumerate() {
            let (sine, cosine) = elementary::sin_cos(*a);
            gradient[j] = x * sine - y * cosine;
            field_diagonal[j] = x * cosine + y * sine;
        }
        let mut off_diagonal = Vec::with_capacity(self.links.len());
        for (i, link) in self.links.iter().enumerate() {
            let moment = link.twisting * (angles[i + 1] - angles[i] - link.rest_twist);
            gradient[i] -= moment;
            gradient[i + 1] += moment;
            twist_diagonal[i] += link.twisting;
            twist_diagonal[i + 1] += link.twisting;
            off_diagonal.push(-link.twisting);
        }
        for j in (0..edges).filter(|&j| self.is_fixed(j)) {
            gradient[j] = 0.0;
            twist_diagonal[j] = 1.0;
            field_diagonal[j] = 0.0;
            if j > 0 {
                off_diagonal[j - 1] = 0.0;
            }
            if j < self.links.len() {
                off_diagonal[j] = 0.0;
            }
        }
        AngleDerivatives { gradient, twist_diagonal, field_diagonal, off_diagonal }
    }

    /// The Newton step (rad) from these angles (rad); where the Hessian is not positive definite, its negative
    /// curvatures change their sign.
    fn newton_step(&self, angles: &[f64]) -> Vec<f64> {
        let AngleDerivatives { gradient, twist_diagonal, field_diagonal, off_diagonal } =
            self.derivatives(angles);
        let right_side: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let diagonals = || twist_diagonal.iter().zip(&field_diagonal);
        let exact: Vec<f64> = diagonals().map(|(twist, field)| twist + field).collect();
        if has_positive_pivots(&exact, &off_diagonal) {
            return solve_tridiagonal(&exact, &off_diagonal, right_side);
        }
        let shifted = |(twist, field): (&f64, &f64)| twist * (1.0 + DIAGONAL_SHIFT) + field.abs();
        let clamped: Vec<f64> = diagonals().map(shifted).collect();
        solve_tridiagonal(&clamped, &off_diagonal, right_side)
    }
}

/// Gradient (J) and tridiagonal Hessian (J) of the energy of a rod with respect to the angles of its frames.
struct AngleDerivatives {
    gradient: Vec<f64>,
    /// Diagonal entries of the energy of twist.
    twist_diagonal: Vec<f64>,
    /// Diagonal entries of the energy of bending, of either sign.
    field_diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
}

/// Whether all pivots of a symmetric tridiagonal matrix are above rounding.
fn has_positive_pivots(diagonal: &[f64], off_diagonal: &[f64]) -> bool {
    let mut pivot = diagonal[0];
    let mut positive = pivot > 0.0;
    for (d, entry) in diagonal[1..].iter().zip(off_diagonal) {
        pivot = d - entry * entry / pivot;
        positive &= pivot > PIVOT_TOLERANCE * d;
    }
    positive
}

/// The solution of a symmetric positive definite tridiagonal system, with pivots raised to [`MIN_PIVOT`].
fn solve_tridiagonal(diagonal: &[f64], off_diagonal: &[f64], mut right_side: Vec<f64>) -> Vec<f64> {
    let mut pivots = vec![diagonal[0]];
    for (i, entry) in off_diagonal.iter().enumerate() {
        let factor = entry / pivots[i];
        pivots.push((diagonal[i + 1] - factor * entry).max(MIN_PIVOT * diagonal[i + 1]));
        right_side[i + 1] -= factor * right_side[i];
    }
    for i in (0..right_side.len()).rev() {
        let coupling =
            if i + 1 < right_side.len() { off_diagonal[i] * right_side[i + 1] } else { 0.0 };
        right_side[i] = (right_side[i] - coupling) / pivots[i];
    }
    right_side
}
