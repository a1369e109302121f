//! Warnings of mesh files in another unit of length than the rest of the scene.

use super::PlacedBody;
use super::collisions::PlacedObstacle;
use super::path_of;
use super::warnings::warning;
use resile_math::{Aabb, Vec3};
use resile_scene::description::{ExpandedBody, Obstacle, Problem, Scene, Shape, Units};

/// Ratio of sizes above which a warning is issued.
const MAX_SIZE_RATIO: f64 = 40.0;

/// A body or obstacle with its size.
struct Sized<'a> {
    name: &'a str,
    /// Its largest extent (m).
    size: f64,
    /// The field and the file, if the number comes from one.
    file: Option<(String, &'a str)>,
    /// Fixed obstacles may have any size.
    is_still: bool,
}

/// Warns of each body or moving obstacle from a file whose size differs greatly from all others.
pub(super) fn warn_missing_scales(
    scene: &Scene,
    expanded: &[ExpandedBody],
    placed: &[PlacedBody],
    obstacles: &[PlacedObstacle],
) -> Vec<Problem> {
    let mut sized = sized_bodies(scene, expanded, placed);
    sized.extend(sized_obstacles(scene, obstacles));
    sized.retain(|it| it.size > 0.0);
    let mut problems: Vec<Problem> = Vec::new();
    for it in &sized {
        problems.extend(
            size_warning(it, &sized, scene.units).filter(|problem| !problems.contains(problem)),
        );
    }
    problems
}

fn sized_bodies<'a>(
    scene: &'a Scene,
    expanded: &'a [ExpandedBody],
    placed: &[PlacedBody],
) -> Vec<Sized<'a>> {
    let bodies = expanded.iter().zip(placed).map(|(described, placed)| {
        let file = match &described.body.shape {
            Shape::File(file) | Shape::Fill { file, .. } => Some(file.as_str()),
            _ => None,
        };
        Sized {
            name: &scene.bodies[described.source].name,
            size: extent(&placed.surface.points(&placed.rest)),
            file: file.map(|file| (format!("{}.placement", path_of(described)), file)),
            is_still: false,
        }
    });
    bodies.collect()
}

fn sized_obstacles<'a>(
    scene: &'a Scene,
    obstacles: &'a [PlacedObstacle],
) -> impl Iterator<Item = Sized<'a>> {
    let described = scene.obstacles.iter().enumerate();
    described.zip(obstacles).filter_map(|((number, described), placed)| {
        let file = match described {
            Obstacle::Mesh { file, .. } | Obstacle::Animated { file, .. } => Some(file.as_str()),
            Obstacle::Plane { .. } | Obstacle::Shape { .. } => None,
        };
        Some(Sized {
            name: described.name(),
            size: extent(&placed.mesh.as_ref()?.positions),
            file: file.map(|file| (format!("obstacles[{number}].placement"), file)),
            is_still: !described.moves(),
        })
    })
}

fn extent(points: &[Vec3]) -> f64 {
    Aabb::around(points).map_or(0.0, |bounds| bounds.size().max_element())
}

/// The warning for one body, if any.
fn size_warning(it: &Sized<'_>, all: &[Sized<'_>], units: Units) -> Option<Problem> {
    let (path, file) = it.file.as_ref().filter(|_| !it.is_still)?;
    let others = all.iter().filter(|other| other.file.as_ref().is_none_or(|(_, f)| f != file));
    let largest = others.clone().max_by(|a, b| a.size.total_cmp(&b.size))?;
    let smallest = others.filter(|o| !o.is_still).min_by(|a, b| a.size.total_cmp(&b.size));
    let too_large = (it.size > MAX_SIZE_RATIO * largest.size).then_some(largest);
    let too_small = smallest.filter(|smallest| smallest.size > MAX_SIZE_RATIO * it.size);
    let other = too_large.or(too_small)?;
    let scale = match (other.size / it.size, too_large) {
        (ratio, Some(_)) if ratio > 1.0 / 300.0 => "0.01",
        (_, Some(_)) => "0.001",
        (ratio, None) if ratio < 300.0 => "100",
        (_, None) => "1000",
    };
    let unit = units.symbol("m");
    let message = format!(
        "\"{}\" is {} {unit} across, and everything else is {} than \"{}\" with {} {unit}",
        it.name,
        units.length(it.size) as f32,
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
