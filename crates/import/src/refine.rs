//! Uniform refinement of solids, as in `PolyFEM`.

use resile_mesh::TetMesh;
use std::array::from_fn;

/// Sub-tetrahedra at the corners, by corners and edge midpoints (4 to 9, of 01, 02, 03, 12, 13, 23).
const AT_CORNERS: [[usize; 4]; 4] = [[0, 4, 5, 6], [1, 4, 7, 8], [2, 5, 7, 9], [3, 6, 8, 9]];
/// Sub-tetrahedra around the diagonal between the midpoints of the first and the last edge, one at each face.
const AT_DIAGONAL: [[usize; 4]; 4] = [[4, 9, 5, 7], [4, 9, 5, 6], [4, 9, 7, 8], [4, 9, 8, 6]];

/// Divides each tetrahedron into eight: four at its corners, and four around the diagonal between the midpoints
/// of its edges 01 and 23 (red refinement, Bey 1995, *Tetrahedral grid refinement*, with the diagonal of
/// `PolyFEM`). Nodes keep their indices; edge midpoints follow.
///
/// After a second refinement the diagonals depend on the order of corners in the sub-tetrahedra. `PolyFEM`
/// derives this order from its face lists, which is not reproduced here.
pub(crate) fn refined(mesh: &TetMesh) -> TetMesh {
    let quadratic = mesh.quadratic();
    let pieces = quadratic.elements.iter().flat_map(|element| {
        AT_CORNERS.iter().chain(&AT_DIAGONAL).map(|piece| from_fn(|k| element[piece[k]]))
    });
    let mut refined = TetMesh { tets: pieces.collect(), positions: quadratic.positions };
    for tet in 0..refined.tets.len() {
        if refined.volume_of(tet) < 0.0 {
            refined.tets[tet].swap(1, 3);
        }
    }
    refined
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::Vec3;
    use resile_mesh::generate::BoxGrid;

    #[test]
    fn refined_solid_has_eight_times_the_elements_and_the_same_volume() {
        let mesh = BoxGrid { cells: [2, 1, 3], size: Vec3::new(1.0, 0.5, 2.0) }.build().unwrap();
        let finer = refined(&mesh);
        assert_eq!(finer.tets.len(), 8 * mesh.tets.len());
        assert_eq!(finer.positions[..mesh.positions.len()], mesh.positions[..]);
        assert_eq!(finer.check(), Ok(()));
        assert!((finer.volume() - mesh.volume()).abs() < 1e-14);
        let faces = |mesh: &TetMesh| mesh.surface().triangles.len();
        assert_eq!(faces(&finer), 4 * faces(&mesh));
        // Every sub-tetrahedron has an eighth of its parent's volume.
        for (n, volume) in finer.volumes().into_iter().enumerate() {
            assert!((8.0 * volume - mesh.volume_of(n / 8)).abs() < 1e-14);
        }
    }
}
