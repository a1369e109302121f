//! Warnings of elements of one solid that overlap without sharing a node, as in files that hold two meshes of one part.

use super::warnings::warning;
use super::{Parts, path_of};
use resile_contact::neighbours::overlapping;
use resile_math::{Aabb, Vec3, elementary};
use resile_mesh::TetMesh;
use resile_scene::description::Problem;

/// Tolerance of the depth of an overlap for rounding errors, relative to the edge of a cube with the volume of the
/// smaller element.
const ROUNDING: f64 = 1e-6;

/// The overlaps of the elements of a solid.
struct Overlap {
    /// Number of pairs.
    pairs: usize,
    /// The indices of the elements of the deepest pair.
    elements: [usize; 2],
    /// Depth of that pair (m).
    depth: f64,
}

/// Warns of a solid with elements that overlap. O(n log n) for meshes whose elements are about as large as their
/// neighbours.
pub(super) fn warn_overlap(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    let body = &parts.placed[k];
    let solid = TetMesh { positions: body.rest.clone(), tets: body.tets.clone() };
    let Overlap { pairs, elements: [a, b], depth } = find_overlap(&solid)?;
    let units = parts.scene.units;
    let middle = 0.25 * solid.corners(b).into_iter().sum::<Vec3>();
    let pairs = match pairs {
        1 => "two elements".to_owned(),
        _ => format!("{pairs} pairs of elements"),
    };
    let message = format!(
        "{pairs} of \"{}\" overlap without sharing a node; deepest, by {:.4e}, are tetrahedra {a} and {b} \
         (from 0) at {}",
        body.body.name,
        units.show(depth, "m"),
        units.point(middle.to_array())
    );
    let help = "the mass there counts twice, and the parts do not hold together: remove one of them where the mesh was made, or join \
                them there";
    Some(warning(format!("{}.shape", path_of(&parts.expanded[k])), message, help))
}

/// The number of pairs of elements that overlap without a common node, and the deepest pair.
fn find_overlap(solid: &TetMesh) -> Option<Overlap> {
    let boxes: Vec<Aabb> =
        (0..solid.tets.len()).map(|tet| Aabb::of_points(solid.corners(tet))).collect();
    let shares_a_node = |a: usize, b: usize| {
        let nodes_of_b = solid.tets[b];
        solid.tets[a].iter().any(|node| nodes_of_b.contains(node))
    };
    let mut overlap: Option<Overlap> = None;
    overlapping(&boxes, |a, b| {
        if shares_a_node(a, b) {
            return;
        }
        let depth = solid.overlap(a, b);
        let length = elementary::cbrt(solid.volume_of(a).min(solid.volume_of(b)));
        if depth > ROUNDING * length {
            let pair = [a.min(b), a.max(b)];
            let overlap = overlap.get_or_insert(Overlap { pairs: 0, elements: pair, depth });
            overlap.pairs += 1;
            // Of equally deep pairs the first by index is kept, so that the result does not depend on the order of
            // visits.
            if depth > overlap.depth || (depth == overlap.depth && pair < overlap.elements) {
                (overlap.depth, overlap.elements) = (depth, pair);
            }
        }
    });
    overlap
}
