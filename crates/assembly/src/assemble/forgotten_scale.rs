//! Warnings of mesh files in another unit of length than other parts of the scene.

use super::PlacedBody;
use super::collisions::PlacedObstacle;
use super::path_of;
use super::warnings::warning;
use resile_math::{Aabb, Vec3};
use resile_scene::description::{ExpandedBody, Obstacle, Problem, Scene, Shape, Units};

/// Ratio of sizes above which a warning is issued.
const MAX_SIZE_RATIO: f64 = 40.0;

/// A body or obstacle with its size.
struct SizedObject<'a> {
    name: &'a str,
    /// Its largest extent (m).
    size: f64,
    /// For an object from a mesh file, the path of its placement and the name of the file.
    file: Option<(String, &'a str)>,
    /// Whether it is an obstacle that does not move, which may have any size.
    is_still: bool,
}

/// Warns of each body or moving obstacle from a file whose size differs greatly from all others.
pub(super) fn warn_missing_scales(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &[PlacedBody],
    obstacles: &[PlacedObstacle],
) -> Vec<Problem> {
    let mut objects = sized_bodies(scene, expanded, placed);
    objects.extend(sized_obstacles(scene, obstacles));
    objects.retain(|object| object.size > 0.0);
    let mut problems: Vec<Problem> = Vec::new();
    for object in &objects {
        problems.extend(
            size_warning(object, &objects, scene.units)
                .filter(|problem| !problems.contains(problem)),
        );
    }
    problems
}

/// The bodies with their sizes.
fn sized_bodies<'a>(
    scene: &'a Scene,
    expanded: &'a [ExpandedBody],
    placed: &[PlacedBody],
) -> Vec<SizedObject<'a>> {
    let bodies = expanded.iter().zip(placed).map(|(described, placed)| {
        let file = match &described.body.shape {
            Shape::File(file) | Shape::Part { file, .. } | Shape::Fill { file, .. } => {
                Some(file.as_str())
            }
            _ => None,
        };
        SizedObject {
            name: &scene.bodies[described.source].name,
            size: extent(&placed.surface.points(&placed.rest)),
            file: file.map(|file| (format!("{}.placement", path_of(described)), file)),
            is_still: false,
        }
    });
    bodies.collect()
}

/// The obstacles with a mesh, with their sizes.
fn sized_obstacles<'a>(
    scene: &'a Scene,
    obstacles: &'a [PlacedObstacle],
) -> impl Iterator<Item = SizedObject<'a>> {
    let described = scene.obstacles.iter().enumerate();
    described.zip(obstacles).filter_map(|((index, described), placed)| {
        let file = match described {
            Obstacle::Mesh { file, .. } | Obstacle::Animated { file, .. } => Some(file.as_str()),
            Obstacle::Plane { .. } | Obstacle::Shape { .. } => None,
        };
        Some(SizedObject {
            name: described.name(),
            size: extent(&placed.mesh.as_ref()?.positions),
            file: file.map(|file| (format!("obstacles[{index}].placement"), file)),
            is_still: !described.moves(),
        })
    })
}

/// The largest side of the bounding box (m).
fn extent(points: &[Vec3]) -> f64 {
    Aabb::around(points).map_or(0.0, |bounds| bounds.size().max_element())
}

/// The warning for an object that is much larger or much smaller than all objects that are not from the same file.
fn size_warning(
    object: &SizedObject<'_>,
    objects: &[SizedObject<'_>],
    units: Units,
) -> Option<Problem> {
    let (path, file) = object.file.as_ref().filter(|_| !object.is_still)?;
    let others = objects
        .iter()
        .filter(|other| other.file.as_ref().is_none_or(|(_, other_file)| other_file != file));
    let largest = others.clone().max_by(|a, b| a.size.total_cmp(&b.size))?;
    let smallest = others.filter(|other| !other.is_still).min_by(|a, b| a.size.total_cmp(&b.size));
    let too_large = (object.size > MAX_SIZE_RATIO * largest.size).then_some(largest);
    let too_small = smallest.filter(|smallest| smallest.size > MAX_SIZE_RATIO * object.size);
    let other = too_large.or(too_small)?;
    // Units that are easily confused differ by a factor of 100 or 1000; 300 separates the two.
    let scale = match (other.size / object.size, too_large) {
        (ratio, Some(_)) if ratio > 1.0 / 300.0 => "0.01",
        (_, Some(_)) => "0.001",
        (ratio, None) if ratio < 300.0 => "100",
        (_, None) => "1000",
    };
    let unit = units.symbol("m");
    let message = format!(
        "\"{}\" is {} {unit} across, and everything else is {} than \"{}\" with {} {unit}",
        object.name,
        units.length(object.size) as f32,
        if too_large.is_some() { "no larger" } else { "no smaller" },
        other.name,
        units.length(other.size) as f32
    );
    let help = format!(
        "lengths in files count as {}; if those of {file} are others: `placement: (scale: {scale})`",
        units.plural()
    );
    Some(warning(path.clone(), message, help))
}
