//! Initial guesses of Newton's method.
//!
//! A step is mostly a rigid motion of each body. Newton's method converges slowly for rotations, because its
//! steps are straight and a straight path towards a rotated state stretches the body. Each body is therefore first
//! moved as a rigid one.

use crate::rigid::inertia::{RigidField, Shape};
use resile_math::{Aabb, Mat3, Vec3, elementary, outer, polar};
use resile_system::SystemOf;
use std::ops::Range;

/// Weight of a held node relative to the mass of its body. A held node of a fitted rigid motion then moves by about a
/// millionth of the displacement of other nodes. Only free nodes take this motion.
const HELD_WEIGHT: f64 = 1e6;

/// Each body moved rigidly from `u` towards `u - m^-1 gradient`. If bodies were rigid and forces were those at
/// `u`, the result would minimise the objective, in the inner product of the masses (Kabsch 1976, *A solution for the
/// best rotation to relate two sets of vectors*). Held nodes have a large weight, so the body rotates about them.
/// Bodies with a node that is not yet at its prescribed position, or that is guided, stay at `u`. O(nodes).
///
/// Newton iterations with this guess and without it in the first 60 steps: 169 and 295 for a soft rotating cube, 241
/// and 506 for a stiff one; 216 and 269 for a bouncing ball (120 steps); 1,194 and 1,544 for dice (100 steps, all
/// islands); 323 in both cases for the twisted bar, which is held at its end.
pub(crate) fn rigid_guess(
    system: &SystemOf<'_>,
    prescribed: &[(usize, Vec3)],
    u: &[Vec3],
    gradient: &[Vec3],
) -> Vec<Vec3> {
    let mut guess = u.to_vec();
    let mut unreached = prescribed.iter().filter(|(node, target)| u[*node] != *target).peekable();
    for b in 0..system.bodies().len() {
        let nodes = system.nodes(b);
        let mut has_unreached_node = false;
        while unreached.next_if(|(node, _)| nodes.contains(node)).is_some() {
            has_unreached_node = true;
        }
        if !has_unreached_node && !is_guided(system, &nodes) {
            move_rigidly(system, nodes, u, gradient, &mut guess);
        }
    }
    guess
}

/// Whether one of these nodes is free in some directions only, so that the body cannot rotate freely.
fn is_guided(system: &SystemOf<'_>, nodes: &Range<usize>) -> bool {
    system.guided().iter().any(|(node, _)| nodes.contains(node))
}

/// Writes the rigidly moved free nodes of one body to `guess`: the rotation and translation that fit the displacements
/// `-gradient / m` best.
fn move_rigidly(
    system: &SystemOf<'_>,
    nodes: Range<usize>,
    u: &[Vec3],
    gradient: &[Vec3],
    guess: &mut [Vec3],
) {
    let (masses, free) = (system.masses(), system.free());
    let held_weight = HELD_WEIGHT * masses[nodes.clone()].iter().sum::<f64>();
    // Weight, position and displacement of a node.
    let weighted_node = |i: usize| match free[i] {
        true => (masses[i], u[i], -gradient[i] / masses[i]),
        false => (held_weight, u[i], Vec3::ZERO),
    };
    let (mut total, mut moment, mut impulse) = (0.0, Vec3::ZERO, Vec3::ZERO);
    for (m, x, displacement) in nodes.clone().map(weighted_node) {
        (total, moment, impulse) = (total + m, moment + m * x, impulse + m * displacement);
    }
    let (centre, drift) = (moment / total, impulse / total);
    let mut correlation = Mat3::ZERO;
    for (m, x, displacement) in nodes.clone().map(weighted_node) {
        let arm = x - centre;
        correlation += outer(m * (arm + displacement - drift), arm);
    }
    let rotation = polar::fitted_rotation(&correlation);
    for i in nodes.filter(|&i| free[i]) {
        guess[i] = centre + drift + rotation * (u[i] - centre);
    }
}

/// Angle a (rad) below which a straight step suffices: it stretches the body by `a^2 / 2`, here 1.3e-5.
const MIN_ANGLE: f64 = 5e-3;

/// The end of `step` from `u` with the linearised rotation of each body replaced by a finite one. Least squares in the
/// inner product of the masses split the step into `step = t + omega x r + s`; the body moves to `c + t + R(omega) (r +
/// s)`, where c is its centre and r the vector from there. Held nodes have the weights of [`rigid_guess`] and do not
/// move. `None` if no body rotates by more than `MIN_ANGLE`. O(nodes).
pub(crate) fn with_finite_rotations(
    system: &SystemOf<'_>,
    u: &[Vec3],
    step: &[Vec3],
) -> Option<Vec<Vec3>> {
    let needs_rotation = |&&b: &&usize| {
        let diameter = |positions: &[Vec3]| {
            let bounds = Aabb::of_points(positions[system.nodes(b)].iter().copied());
            (bounds.max - bounds.min).length()
        };
        // For a small rotation, the largest difference of two displacements is its angle times the diameter.
        diameter(step) > MIN_ANGLE * diameter(u) && !is_guided(system, &system.nodes(b))
    };
    let rotating: Vec<usize> = system.acting().iter().filter(needs_rotation).copied().collect();
    if rotating.is_empty() {
        return None;
    }
    let mut end: Vec<Vec3> = u.iter().zip(step).map(|(u, p)| *u + *p).collect();
    rotating.into_iter().for_each(|b| rotate_step(system, system.nodes(b), [u, step], &mut end));
    Some(end)
}

/// Writes the end of the step of one body to `end`, as [`with_finite_rotations`] describes. Held nodes keep theirs.
fn rotate_step(
    system: &SystemOf<'_>,
    nodes: Range<usize>,
    [u, step]: [&[Vec3]; 2],
    end: &mut [Vec3],
) {
    let (masses, free) = (system.masses(), system.free());
    let held_weight = HELD_WEIGHT * masses[nodes.clone()].iter().sum::<f64>();
    let weight = |i: usize| if free[i] { masses[i] } else { held_weight };
    let weights: Vec<f64> = nodes.clone().map(weight).collect();
    let shape = Shape::regularised(&weights, &u[nodes.clone()]);
    let RigidField { drift, spin, .. } = shape.motion(&step[nodes.clone()]);
    let angle = spin.length();
    if angle == 0.0 || !angle.is_finite() {
        return;
    }
    let rotation = elementary::rotation(spin / angle, angle);
    for (i, arm) in nodes.zip(&shape.arms).filter(|(i, _)| free[*i]) {
        let strain = step[i] - drift - spin.cross(*arm);
        end[i] = shape.centre + drift + rotation * (*arm + strain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::Quat;
    use resile_system::{Body, Held, Motion, Prescribed, System};

    fn cloud(nodes: usize, seed: f64) -> Vec<Vec3> {
        let number = |k: usize| ((k as f64 + 1.0) * 12.9898 + seed).sin() * 0.5;
        (0..nodes).map(|i| Vec3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2))).collect()
    }

    fn masses(nodes: usize) -> Vec<f64> {
        (0..nodes).map(|i| 1.0 + i as f64 * 0.3).collect()
    }

    /// The gradient at `u` of `1/2 |u - y|_m^2`.
    fn towards(y: &[Vec3], u: &[Vec3], masses: &[f64]) -> Vec<Vec3> {
        u.iter().zip(y).zip(masses).map(|((u, y), m)| *m * (*u - *y)).collect()
    }

    fn far(a: &[Vec3], b: &[Vec3]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    }

    #[test]
    fn rigid_motion_is_fitted_to_bodies_points_and_rods() {
        let turn = Mat3::from_quat(Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7));
        let rod: Vec<Vec3> = (0..4).map(|i| Vec3::new(0.3, 0.1, 0.2) * f64::from(i)).collect();
        for u in [cloud(7, 0.3), cloud(1, 0.9), rod] {
            let y: Vec<Vec3> = u.iter().map(|x| turn * *x + Vec3::new(0.1, 2.0, -0.4)).collect();
            let masses = masses(u.len());
            let system = System::new(vec![Body::new("body", masses.clone())]);
            let guess = rigid_guess(&system, &[], &u, &towards(&y, &u, &masses));
            assert!(far(&guess, &y) < 1e-14, "{guess:?}, not {y:?}");
        }
    }

    #[test]
    fn rotating_guess_ends_on_the_circle() {
        let omega = Vec3::new(0.0, 0.6, 0.8) * 0.9;
        let rod: Vec<Vec3> = (0..4).map(|i| Vec3::X * f64::from(i)).collect();
        for u in [cloud(7, 0.3), rod] {
            let masses = masses(u.len());
            let system = System::new(vec![Body::new("body", masses.clone())]);
            let mass: f64 = masses.iter().sum();
            let centre = u.iter().zip(&masses).map(|(u, m)| *m * *u).sum::<Vec3>() / mass;
            let step: Vec<Vec3> = u.iter().map(|u| omega.cross(*u - centre) + Vec3::Y).collect();
            let end = with_finite_rotations(&system, &u, &step).expect("it turns by 0.9");
            for i in 1..u.len() {
                let (before, now) = (u[i].distance(u[0]), end[i].distance(end[0]));
                assert!((before - now).abs() < 1e-10, "node {i}: {before} m, now {now} m");
            }
            assert!(far(&end, &u) > 0.5, "it moves");
        }
    }

    #[test]
    fn nearly_straight_motion_is_not_changed() {
        let one = cloud(7, 0.3);
        let u: Vec<Vec3> = one.iter().copied().chain(one.iter().map(|x| *x + Vec3::X)).collect();
        let body = |name: &str| Body::new(name, masses(7));
        let system = System::new(vec![body("straight"), body("turning")]);
        let step = |angle: f64| -> Vec<Vec3> {
            let turning = one.iter().map(|x| (Vec3::Z * angle).cross(*x));
            one.iter().map(|_| Vec3::Y).chain(turning).collect()
        };
        assert_eq!(with_finite_rotations(&system, &u, &step(0.5 * MIN_ANGLE)), None);
        let step = step(0.5);
        let end = with_finite_rotations(&system, &u, &step).expect("one turns");
        assert!((0..7).all(|i| end[i] == u[i] + step[i]), "one does not");
        assert!((7..14).all(|i| end[i] != u[i] + step[i]));
    }

    #[test]
    fn guess_rotates_about_held_nodes_and_keeps_moved_ones() {
        let u = cloud(6, 0.1);
        let y: Vec<Vec3> = u.iter().map(|x| *x + Vec3::new(0.3, -0.2, 0.1)).collect();
        let held = Prescribed {
            node: 0,
            start: u[0],
            motion: Motion::Fixed,
            until: None,
            held: Held::All,
        };
        let body = || Body { prescribed: vec![held.clone()], ..Body::new("hinged", masses(6)) };
        let system = System::new(vec![body()]);
        let mut gradient = towards(&y, &u, &masses(6));
        gradient[0] = Vec3::ZERO;

        let guess = rigid_guess(&system, &[(0, u[0])], &u, &gradient);
        assert_eq!(guess[0], u[0]);
        assert!(far(&guess, &u) > 0.05, "it follows the pull");
        for i in 1..6 {
            let (before, now) = (u[i].distance(u[0]), guess[i].distance(guess[0]));
            assert!((before - now).abs() < 1e-5 * before, "node {i}: {before} m, now {now} m");
        }
        let prescribed = [(0, u[0] + Vec3::X)];
        assert_eq!(rigid_guess(&system, &prescribed, &u, &gradient), u);
    }
}
