//! Warnings of joints that are far from the bodies that they join.

use super::body::PlacedBody;
use super::warnings::warning;
use resile_math::{Aabb, Vec3};
use resile_scene::description::{Joint, Problem, Scene};

/// Largest distance of a joint from the bounding box of its body without a warning, in diagonals of the box. The arm of
/// a crank and the rod of a pendulum are shorter: a bob of 0.1 m on a rod of 1 m has 5.5.
const MAX_DIAGONALS: f64 = 10.0;

/// Warns of each joint that is far from one of its bodies.
pub(super) fn warn_distant_joints(scene: &Scene, placed: &[PlacedBody]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (k, joint) in scene.joints.iter().enumerate() {
        let (Joint::Ball { a, b, at, .. } | Joint::Hinge { a, b, at, .. }) = joint;
        for name in [Some(a), b.as_ref()].into_iter().flatten() {
            let body = placed.iter().find(|body| body.body.name == *name);
            let distance = body.and_then(|body| distance_from(body, Vec3::from_array(*at)));
            let Some((distance, diagonal, center)) = distance else { continue };
            if distance <= MAX_DIAGONALS * diagonal {
                continue;
            }
            let units = scene.units;
            let message = format!(
                "the joint is {:.4} from \"{name}\", {:.0} times the size of that body",
                units.show(distance, "m"),
                distance / diagonal
            );
            let help = format!(
                "`at` is a point of the world, and \"{name}\" is around {}; if the arm is meant to be that long, \
                 leave it",
                units.point(center.to_array())
            );
            problems.push(warning(format!("joints[{k}].at"), message, help));
        }
    }
    problems
}

/// Distance (m) of a point from the bounding box of a body, the diagonal of the box (m), and its centre.
fn distance_from(body: &PlacedBody, point: Vec3) -> Option<(f64, f64, Vec3)> {
    let bounds = Aabb::around(&body.surface.points(&body.state.positions))?;
    let nearest = point.clamp(bounds.min, bounds.max);
    Some((point.distance(nearest), bounds.size().length(), 0.5 * (bounds.min + bounds.max)))
}
