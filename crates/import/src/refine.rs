//! Uniform refinement of solids, as in `PolyFEM`.

use resile_mesh::TetMesh;
use std::array::from_fn;

/// Sub-tetrahedra at the corners, by corners and edge midpoints (4 to 9, of 01, 02, 03, 12, 13, 23).
const AT_CORNERS: [[usize; 4]; 4] = [[0, 4, 5, 6], [1, 4, 7, 8], [2, 5, 7, 9], [3, 6, 8, 9]];
/// Sub-tetrahedra around the diagonal between the midpoints of the first and the last edge, one at each face.
const AT_DIAGONAL: [[usize; 4]; 4] = [[4, 9, 5, 7], [4, 9, 5, 6], [4, 9, 7, 8], [4, 9, 8, 6]];

/// Divides each tetrahedron into eight: four at its corners, and four around the diagonal between the midpoints
/// of its edges 01 and 23 (red refinement, Bey 1995, *Tetrahedral grid refinement*). Nodes keep their indices; edge
/// midpoints follow in the lexicographic order of their edges.
///
/// `PolyFEM` sorts the corners of each element by node index before it divides it, so the diagonal joins the midpoints
/// of the edge of the lower two and of the edge of the higher two.
pub(crate) fn refined(mesh: &TetMesh) -> TetMesh {
    let mut sorted = mesh.clone();
    sorted.tets.iter_mut().for_each(|corners| corners.sort_unstable());
    let quadratic = sorted.quadratic();
    let sub_tetrahedra = quadratic.elements.iter().flat_map(|element| {
        AT_CORNERS.iter().chain(&AT_DIAGONAL).map(|piece| from_fn(|k| element[piece[k]]))
    });
    let mut refined = TetMesh { tets: sub_tetrahedra.collect(), positions: quadratic.positions };
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

    /// Corners in any order give the same elements.
    #[test]
    fn diagonal_joins_the_edges_of_the_lower_and_the_higher_corners() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        for tet in [[0, 1, 2, 3], [2, 3, 0, 1], [3, 0, 2, 1], [1, 3, 2, 0]] {
            let finer = refined(&TetMesh { tets: vec![tet], positions: positions.clone() });
            let [low, high] = [0.5 * Vec3::X, 0.5 * (Vec3::Y + Vec3::Z)];
            let at = |point: Vec3| finer.positions.iter().position(|p| *p == point).unwrap() as u32;
            let has_both = |tet: &&[u32; 4]| tet.contains(&at(low)) && tet.contains(&at(high));
            assert_eq!(finer.tets.iter().filter(has_both).count(), 4, "{tet:?}");
        }
    }

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
