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

/// The Dirichlet conditions of a body, sorted by nodes. Several conditions may hold one node in orthogonal directions.
/// Holds that follow an obstacle are ties.
pub(super) fn dirichlet_conditions(
    described: &Described,
    discretisation: &Discretisation,
    path: &str,
    evaluated: &mut Vec<Evaluated>,
) -> Result<Vec<Prescribed>, Vec<Problem>> {
    let (start, units) = (&discretisation.start, discretisation.units);
    let mut conditions: BTreeMap<usize, Vec<Prescribed>> = BTreeMap::new();
    let has_motion = |hold: &&Hold| !matches!(hold.motion, MotionDescription::Follow(_));
    for (k, hold) in described.hold.iter().enumerate().filter(|(_, hold)| has_motion(hold)) {
        let region_path = format!("{path}.hold[{k}].region");
        let motion = motion_of(&hold.motion, units);
        let motion_path = format!("{path}.hold[{k}].motion");
        let directions = directions_of(hold);
        let nodes = nodes_in_region(&hold.region, discretisation, region_path.clone())
            .map_err(|p| vec![p])?;
        // A displacement applies to rest positions, any other motion to initial positions.
        let reference = match &motion {
            Motion::Displaced(field) => {
                let positions = nodes.iter().map(|&node| discretisation.placed[node]).collect();
                let path = motion_path.clone();
                evaluated.push(Evaluated::at_nodes(path, field.clone(), positions));
                &discretisation.placed
            }
            _ => start,
        };
        for node in nodes {
            let positions = (reference[node], start[node]);
            refuse_jump((&motion, directions), (node, positions), units, &motion_path)?;
            let condition = Prescribed {
                node,
                start: reference[node],
                motion: motion.clone(),
                until: hold.until,
                held: directions,
            };
            if !add_condition(conditions.entry(node).or_default(), condition) {
                return Err(vec![conflict_problem(region_path, node)]);
            }
        }
    }
    Ok(conditions.into_values().flatten().collect())
}

/// The message for two holds of one node that conflict.
pub(super) fn conflict_problem(path: String, node: usize) -> Problem {
    let message = format!("node {node} is held twice in one direction, with different motions");
    let help = "make the regions of `hold` disjoint, or their `axes`";
    error(path, message, help)
}

/// Adds a condition to those of a node; returns false if it conflicts with them. Conditions with the same motion may
/// hold the same directions, of which the new one only keeps those that are not held yet. Conditions with other motions
/// must hold orthogonal directions.
fn add_condition(conditions: &mut Vec<Prescribed>, new: Prescribed) -> bool {
    let has_same_motion =
        |other: &Prescribed| other.motion == new.motion && other.until == new.until;
    if new.held == Held::All && conditions.iter().all(has_same_motion) {
        *conditions = vec![new];
        return true;
    }
    let mut remaining = new.held.projector();
    for other in &*conditions {
        let product = other.held.projector() * remaining;
        let commute = is_zero(product - product.transpose());
        match has_same_motion(other) {
            true if commute => remaining -= product,
            _ if is_zero(product) => {}
            _ => return false,
        }
    }
    if !is_zero(remaining) {
        let held = if remaining == Mat3::IDENTITY { Held::All } else { Held::Along(remaining) };
        conditions.push(Prescribed { held, ..new });
    }
    true
}

/// Whether a product of projectors is zero up to rounding.
fn is_zero(a: Mat3) -> bool {
    a.to_cols_array().iter().all(|entry| entry.abs() <= PROJECTOR_TOLERANCE)
}

/// Refuses a motion whose position at t = 0 differs from the initial position of a node in a held direction.
fn refuse_jump(
    (motion, held): (&Motion, Held),
    (node, (reference, start)): (usize, (Vec3, Vec3)),
    units: Units,
    path: &str,
) -> Result<(), Vec<Problem>> {
    let jump = held.part(motion.position(reference, 0.0) - start).length();
    // Expressions that are not finite are reported elsewhere.
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
            let fits = all.iter().all(|hold| add_condition(&mut of_node, hold.clone()));
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
