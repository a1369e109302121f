//! Warnings of joints that are far from the bodies that they join.

use super::body::PlacedBody;
use super::warnings::warning;
use resile_math::{Aabb, Vec3};
use resile_scene::description::{Joint, Problem, Scene, Units};

/// Largest distance of a joint from the bounding box of its body without a warning, in diagonals of the box. The arm of
/// a crank and the rod of a pendulum are shorter: a bob of 0.1 m on a rod of 1 m has 5.5.
const MAX_DIAGONALS: f64 = 10.0;

/// Warns of each joint with a point that is far from one of its bodies.
pub(super) fn warn_distant_joints(scene: &Scene, placed: &[PlacedBody]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (k, joint) in scene.joints.iter().enumerate() {
        let (Joint::Ball { a, b, .. } | Joint::Hinge { a, b, .. }) = joint;
        for name in [Some(a), b.as_ref()].into_iter().flatten() {
            let Some(body) = placed.iter().find(|body| body.body.name == *name) else { continue };
            let distant = points_of(joint).into_iter().find_map(|(field, point)| {
                let distance = distance_from(body, point)?;
                (distance.distance > MAX_DIAGONALS * distance.diagonal).then_some((field, distance))
            });
            if let Some((field, distance)) = distant {
                let path = format!("joints[{k}].{field}");
                problems.push(distance.warning(path, name, field, scene.units));
            }
        }
    }
    problems
}

/// The points (m) that a joint connects, each with the field that places it.
fn points_of(joint: &Joint) -> Vec<(&'static str, Vec3)> {
    let (Joint::Ball { at, .. } | Joint::Hinge { at, .. }) = joint;
    let at = Vec3::from_array(*at);
    let mut points = vec![("at", at)];
    if let Joint::Hinge { axis, .. } = joint {
        let half = 0.5 * Vec3::from_array(*axis);
        points.extend([("axis", at - half), ("axis", at + half)]);
    }
    points
}

/// The distance of a joint from a body.
struct BodyDistance {
    /// Distance from the bounding box of the body (m).
    distance: f64,
    /// The diagonal of the box (m).
    diagonal: f64,
    /// The centre of the box (m).
    centre: Vec3,
}

impl BodyDistance {
    /// The warning of a joint of the body `name`, of which the value of `field` at `path` places a point.
    fn warning(&self, path: String, name: &str, field: &str, units: Units) -> Problem {
        let distance = units.show(self.distance, "m");
        let sizes = self.distance / self.diagonal;
        let (what, meaning) = match field {
            "axis" => {
                ("an end of the axis", "the length of `axis` is the distance of its two points")
            }
            _ => ("the joint", "`at` is a point of the world"),
        };
        let message = format!(
            "{what} is {distance:.4} from \"{name}\", {sizes:.0} times the size of that body"
        );
        let place = units.point(self.centre.to_array());
        let help = format!(
            "{meaning}, and \"{name}\" is around {place}; if the arm is meant to be that long, leave it"
        );
        warning(path, message, help)
    }
}

/// The distance of a point (m) from a body; `None` for a body without points.
fn distance_from(body: &PlacedBody, point: Vec3) -> Option<BodyDistance> {
    let bounds = Aabb::around(&body.surface.points(&body.state.positions))?;
    let nearest = point.clamp(bounds.min, bounds.max);
    Some(BodyDistance {
        distance: point.distance(nearest),
        diagonal: bounds.size().length(),
        centre: 0.5 * (bounds.min + bounds.max),
    })
}
