//! Dirichlet conditions: prescribed motion in all or some directions.

use super::body::nodes_in_region;
use super::discretisation::Discretisation;
use super::error;
use super::evaluated::Evaluated;
use super::motion::{directions_of, motion_of};
use resile_math::{Mat3, Vec3};
use resile_scene::description::{Body as Described, Hold, MotionDescription, Problem, Units};
use resile_system::{Held, Motion, Prescribed};
use std::collections::BTreeMap;

/// Tolerance of the product of two orthogonal projectors.
const PROJECTOR_TOLERANCE: f64 = 1e-9;

/// The Dirichlet conditions of a body by nodes. Several conditions may hold one node in orthogonal directions.
pub(super) fn hold(
    described: &Described,
    discretisation: &Discretisation,
    path: &str,
    evaluated: &mut Vec<Evaluated>,
) -> Result<Vec<Prescribed>, Vec<Problem>> {
    let (start, units) = (&discretisation.start, discretisation.units);
    let mut held: BTreeMap<usize, Vec<Prescribed>> = BTreeMap::new();
    let own_motion = |hold: &&Hold| !matches!(hold.motion, MotionDescription::Follow(_));
    for (k, hold) in described.hold.iter().enumerate().filter(|(_, hold)| own_motion(hold)) {
        let region_path = format!("{path}.hold[{k}].region");
        let motion = motion_of(&hold.motion, units);
        let motion_path = format!("{path}.hold[{k}].motion");
        let directions = directions_of(hold);
        let nodes = nodes_in_region(&hold.region, discretisation, region_path.clone())
            .map_err(|p| vec![p])?;
        // Expressions are evaluated at rest positions.
        let reference = match &motion {
            Motion::Displaced(field) => {
                let places = nodes.iter().map(|&node| discretisation.placed[node]).collect();
                let path = motion_path.clone();
                evaluated.push(Evaluated::at_nodes(path, field.clone(), places));
                &discretisation.placed
            }
            _ => start,
        };
        for node in nodes {
            let from = (reference[node], start[node]);
            refuse_jump((&motion, directions), (node, from), units, &motion_path)?;
            let new = Prescribed {
                node,
                start: reference[node],
                motion: motion.clone(),
                until: hold.until,
                held: directions,
            };
            if !add(held.entry(node).or_default(), new) {
                return Err(vec![conflicting_holds(region_path, node)]);
            }
        }
    }
    Ok(held.into_values().flatten().collect())
}

/// The problem of two holds for one direction of a node.
pub(super) fn conflicting_holds(path: String, node: usize) -> Problem {
    let message = format!("node {node} is held twice in one direction, with different motions");
    let help = "make the regions of `hold` disjoint, or their `axes`";
    error(path, message, help)
}

/// Adds a condition unless an equal one exists; returns false if it conflicts with another.
fn add(of_node: &mut Vec<Prescribed>, new: Prescribed) -> bool {
    let has_same_motion =
        |other: &Prescribed| other.motion == new.motion && other.until == new.until;
    if new.held == Held::All && of_node.iter().all(has_same_motion) {
        *of_node = vec![new];
        return true;
    }
    let mut left = new.held.projector();
    for other in &*of_node {
        let both = other.held.projector() * left;
        let commute = is_zero(both - both.transpose());
        match has_same_motion(other) {
            true if commute => left -= both,
            _ if is_zero(both) => {}
            _ => return false,
        }
    }
    if !is_zero(left) {
        let held = if left == Mat3::IDENTITY { Held::All } else { Held::Along(left) };
        of_node.push(Prescribed { held, ..new });
    }
    true
}

fn is_zero(a: Mat3) -> bool {
    a.to_cols_array().iter().all(|entry| entry.abs() <= PROJECTOR_TOLERANCE)
}

/// Refuses motions that would move nodes before the first step; only obstacles may start elsewhere.
fn refuse_jump(
    (motion, held): (&Motion, Held),
    (node, (reference, start)): (usize, (Vec3, Vec3)),
    units: Units,
    path: &str,
) -> Result<(), Vec<Problem>> {
    let jump = held.part(motion.position(reference, 0.0) - start).length();
    // NaN is reported with the expressions.
    if jump.is_nan() || jump <= 1e-9 * (1.0 + start.abs().max_element()) {
        return Ok(());
    }
    let jump = units.show(jump, "m");
    let message =
        format!("at t = 0 the motion places node {node} {jump:.6} from its initial position");
    let help = "begin with a key without translation and rotation, or a `Move` that starts at 0 or later; \
                `placement`, `deform` and `displacement` set the initial positions, and an expression times \
                `min(t, 1)` begins at zero";
    Err(vec![error(path, message, help)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hold(axes: [bool; 3], velocity: Vec3) -> Prescribed {
        let motion = Motion::Steady {
            start: 0.0,
            end: 1.0,
            velocity,
            angular_velocity: Vec3::ZERO,
            pivot: Vec3::ZERO,
        };
        let held = Held::axes(Mat3::IDENTITY, axes);
        Prescribed { node: 0, start: Vec3::ZERO, motion, until: None, held }
    }

    #[test]
    fn holds_of_one_node_combine_if_consistent_or_orthogonal() {
        let (x, y) = ([true, false, false], [false, true, false]);
        let (xy, yz) = ([true, true, false], [false, true, true]);
        let held = |all: &[Prescribed]| {
            let mut of_node = Vec::new();
            let fits = all.iter().all(|hold| add(&mut of_node, hold.clone()));
            fits.then(|| {
                of_node.iter().map(|hold| hold.held.projector()).fold(Mat3::ZERO, |a, b| a + b)
            })
        };
        let still = |axes| hold(axes, Vec3::ZERO);
        assert_eq!(held(&[still(xy), still(yz)]), Some(Mat3::IDENTITY));
        assert_eq!(held(&[still(x), still([true; 3]), still(y)]), Some(Mat3::IDENTITY));
        assert_eq!(held(&[still(x), hold(y, Vec3::Y)]), Some(still(xy).held.projector()));
        assert_eq!(held(&[still(xy), hold(yz, Vec3::Y)]), None);
    }
}
