//! Joints between affine bodies, and with fixed points.

use super::body::PlacedBody;
use super::error;
use super::motion::motion_of;
use resile_energy::{AffineBody, Anchor, Attachment, JointShape, Spring};
use resile_math::Vec3;
use resile_scene::description::{Joint as Described, Problem, Scene, Units};
use resile_system::{Flight, Motion, Pivot};
use resile_world::WorldJoint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Creates joints between bodies, and adds those with the world to their bodies.
pub(super) fn create_joints(
    scene: &Scene,
    placed: &mut [PlacedBody],
    problems: &mut Vec<Problem>,
) -> Vec<WorldJoint> {
    let mut created = Vec::new();
    if scene.joints.is_empty() {
        return created;
    }
    let index_by_name: BTreeMap<String, usize> =
        placed.iter().enumerate().rev().map(|(b, body)| (body.body.name.clone(), b)).collect();
    for (k, joint) in scene.joints.iter().enumerate() {
        let path = format!("joints[{k}]");
        match world_joint(joint, placed, &index_by_name, scene.units, &path) {
            Ok(joint) => created.extend(joint),
            Err(problem) => problems.push(problem),
        }
    }
    created
}

/// The points that the bodies of a joint share (m): one of a ball joint, two of a hinge.
fn shared_points(joint: &Described) -> Vec<Vec3> {
    match joint {
        Described::Ball { at, .. } => vec![Vec3::from_array(*at)],
        Described::Hinge { at, axis, .. } => {
            let (center, half_axis) = (Vec3::from_array(*at), 0.5 * Vec3::from_array(*axis));
            vec![center - half_axis, center + half_axis]
        }
    }
}

/// Constructs a joint between two bodies. A joint with the world becomes a term of its body and returns `None`.
fn world_joint(
    joint: &Described,
    placed: &mut [PlacedBody],
    index_by_name: &BTreeMap<String, usize>,
    units: Units,
    path: &str,
) -> Result<Option<WorldJoint>, Problem> {
    let (Described::Ball { a, b, stiffness, motion, .. }
    | Described::Hinge { a, b, stiffness, motion, .. }) = joint;
    let find = |name: &String, field: &str| {
        let affine_body = index_by_name.get(name).and_then(|&b| Some((b, placed[b].affine?)));
        let unknown_body =
            || error(format!("{path}.{field}"), format!("there is no body \"{name}\""), "");
        affine_body.ok_or_else(unknown_body)
    };
    let anchors = |first_body: AffineBody| -> Vec<Anchor> {
        let anchor = |p: Vec3| Anchor::new((0..4).zip(first_body.weights(p)).collect());
        shared_points(joint).into_iter().map(anchor).collect()
    };
    let (first_index, first_body) = find(a, "a")?;
    let Some(b) = b else {
        let motion = motion.as_ref().map_or(Motion::Fixed, |motion| motion_of(motion, units));
        let pivot = |point: Vec3| Pivot { place: point, stiffness: *stiffness };
        let pivots = shared_points(joint).into_iter().map(pivot);
        let springs =
            shared_points(joint).into_iter().zip(anchors(first_body)).map(|(start, point)| {
                Spring { point, start, motion: motion.clone(), stiffness: *stiffness }
            });
        let term = Attachment::new(4, springs.collect()).map_err(|e| error(path, e, ""))?;
        placed[first_index].body.energies.push(Arc::new(term));
        let flight = &mut placed[first_index].body.flight;
        match motion {
            Motion::Fixed => flight.hold(pivots),
            _ => *flight = Flight::Straight,
        }
        return Ok(None);
    };
    let (second_index, second_body) = find(b, "b")?;
    let points = [anchors(first_body), anchors(second_body)];
    for b in [first_index, second_index] {
        placed[b].body.flight = Flight::Straight;
    }
    let shape = JointShape::new([4, 4], points, *stiffness)
        .map_err(|e| error(path, e, "correct the joint"))?;
    Ok(Some(WorldJoint { shape: Arc::new(shape), bodies: [first_index, second_index] }))
}
