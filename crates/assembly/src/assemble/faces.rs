//! Faces of the surface of a body in a region.

use super::body::nodes_in_region;
use super::discretisation::{Discretisation, Elastic};
use super::error;
use resile_energy::SurfacePatch;
use resile_mesh::TetMesh;
use resile_scene::description::{Problem, Region};
use std::collections::BTreeMap;

/// The boundary faces of a solid, or the triangles of a sheet, whose nodes all lie in the region.
pub(super) fn patch_in_region(
    region: &Region,
    discretisation: &Discretisation,
    path: String,
) -> Result<SurfacePatch, Problem> {
    let all_faces = match &discretisation.elastic {
        Elastic::Tets(_) => linear_patch(boundary_faces(discretisation.tets.clone())),
        Elastic::Quadratic(_, elements) => quadratic_patch(elements),
        Elastic::Shell(_) | Elastic::Springs(_) => linear_patch(discretisation.triangles.to_vec()),
        Elastic::Nothing | Elastic::Affine(..) | Elastic::Rod(_) => {
            let help = "give it a `Force` on `All`, by masses";
            return Err(error(path, "the body has no faces between its nodes", help));
        }
    };
    if *region == Region::All {
        return Ok(all_faces);
    }
    let mut is_chosen = vec![false; discretisation.placed.len()];
    nodes_in_region(region, discretisation, path.clone())?
        .into_iter()
        .for_each(|node| is_chosen[node] = true);
    let is_in_region = |nodes: &[u32]| nodes.iter().all(|&node| is_chosen[node as usize]);
    let patch = SurfacePatch {
        triangles: all_faces.triangles.into_iter().filter(|face| is_in_region(face)).collect(),
        quadratic: all_faces.quadratic.into_iter().filter(|face| is_in_region(face)).collect(),
    };
    match patch.is_empty() {
        false => Ok(patch),
        true => {
            let message = "the region holds no whole face of the surface";
            let help =
                "a face belongs to a region that holds all of its nodes: make the region larger";
            Err(error(path, message, help))
        }
    }
}

/// A patch of triangles.
fn linear_patch(triangles: Vec<[u32; 3]>) -> SurfacePatch {
    SurfacePatch { triangles, quadratic: Vec::new() }
}

/// The boundary faces of tetrahedra.
fn boundary_faces(tets: Vec<[u32; 4]>) -> Vec<[u32; 3]> {
    TetMesh { positions: Vec::new(), tets }.surface().triangles
}

/// The boundary faces of quadratic tetrahedra, each with the nodes at the midpoints of its edges.
fn quadratic_patch(elements: &[[u32; 10]]) -> SurfacePatch {
    /// The corners at the ends of the edge of each midside node of an element.
    const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let mut middles: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for element in elements {
        for (edge, middle) in EDGES.into_iter().zip(&element[4..]) {
            let [a, b] = edge.map(|corner| element[corner]);
            middles.insert([a.min(b), a.max(b)], *middle);
        }
    }
    let corners = elements.iter().map(|&[a, b, c, d, ..]| [a, b, c, d]).collect();
    let middle = |a: u32, b: u32| middles.get(&[a.min(b), a.max(b)]).copied();
    let face = |[a, b, c]: [u32; 3]| Some([a, b, c, middle(a, b)?, middle(b, c)?, middle(c, a)?]);
    let quadratic = boundary_faces(corners).into_iter().filter_map(face).collect();
    SurfacePatch { triangles: Vec::new(), quadratic }
}
