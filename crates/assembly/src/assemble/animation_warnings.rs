//! Warnings of animated obstacles.
//!
//! The solver accepts a self-intersecting obstacle: its vertices are prescribed, pairs within it are not evaluated, and
//! bodies are kept away from all of its triangles. However, a body between two parts that close on each other cannot
//! escape.

use super::Parts;
use super::collisions::PlacedObstacle;
use super::start::primitive_name;
use super::warnings::warning;
use resile_contact::{CollisionMesh, Intersection, PairTable, Role, intersections};
use resile_math::Vec3;
use resile_scene::description::{AfterFrames, Animation, Problem};
use resile_system::Samples;
use resile_world::Collisions;
use std::sync::Arc;

/// All warnings of animated obstacles.
pub(super) fn warn_animations(parts: &Parts<'_>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (i, (described, placed)) in parts.scene.obstacles.iter().zip(&parts.obstacles).enumerate() {
        let (Some(animation), Some(samples)) = (described.animation(), &placed.samples) else {
            continue;
        };
        let path = format!("obstacles[{i}]");
        problems.extend(warn_uncovered_times(parts, &animation, samples, (&placed.name, &path)));
        problems.extend(warn_self_intersection(parts, samples, placed, &path));
    }
    problems
}

/// Warns of a run that begins before the first frame or ends after the last one.
fn warn_uncovered_times(
    parts: &Parts<'_>,
    animation: &Animation<'_>,
    samples: &Samples,
    (name, path): (&str, &str),
) -> Vec<Problem> {
    let [first_time, last_time] = [samples.times().first(), samples.times().last()]
        .map(|time| time.copied().unwrap_or_default());
    let duration = parts.scene.time.duration;
    let mut problems = Vec::new();
    if first_time > 0.0 {
        let message =
            format!("\"{name}\" stands still until its first frame, at {first_time:.6} s");
        problems.push(warning(
            format!("{path}.start"),
            message,
            "`start: 0` lets it begin at once",
        ));
    }
    if animation.after == Some(AfterFrames::Hold) && last_time < duration {
        let message = format!(
            "\"{name}\" stands still from its last frame on, at {last_time:.6} s, and the run ends at {duration} s"
        );
        let help = "nothing is wrong with it if that is meant; `Repeat` begins anew";
        problems.push(warning(format!("{path}.after"), message, help));
    }
    problems
}

/// Warns of frames in which an obstacle intersects itself.
fn warn_self_intersection(
    parts: &Parts<'_>,
    samples: &Samples,
    placed: &PlacedObstacle,
    path: &str,
) -> Option<Problem> {
    let (collisions, mesh) = (parts.collisions.as_ref()?, placed.mesh.as_ref()?);
    let surface = Arc::new(CollisionMesh::new(&mesh.positions, &mesh.triangles).ok()?);
    let only_obstacle = Collisions {
        surfaces: vec![surface],
        roles: vec![Role::Simulated],
        half_thicknesses: vec![0.0],
        obstacles: Arc::default(),
        pairs: Arc::new(PairTable::new(1)),
        ..collisions.clone()
    };
    let scene = only_obstacle.scene(&[0], |_| 0);
    let frames = samples.positions().iter().enumerate();
    let first_crossing = |(frame, x): (usize, &Vec<Vec3>)| {
        intersections(&scene, x, 1).first().map(|crossing| (frame, *crossing))
    };
    let crossings: Vec<(usize, Intersection)> = frames.filter_map(first_crossing).collect();
    let (frame, crossing) = crossings.first()?;
    let [p, q] = crossing.primitives.map(primitive_name);
    let position = parts.scene.units.point(crossing.point.to_array());
    let message = format!(
        "\"{}\" cuts itself in {} of {} frames, first in frame {frame}, counted from 0, at {:.6} s: {p} meets {q} at \
         {position}",
        placed.name,
        crossings.len(),
        samples.times().len(),
        samples.times()[*frame]
    );
    let help = "it does no harm to what touches it from outside; but a body between parts that close upon each other \
                cannot give way, and the run would stop there: keep them apart where bodies come between them";
    Some(warning(format!("{path}.frames"), message, help))
}
