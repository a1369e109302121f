//! Warnings of solids whose elements lock or give wrong moments of inertia.

use super::body::PlacedBody;
use super::warnings::warning;
use super::{Parts, path_of};
use resile_mesh::{QuadraticMesh, TetMesh};
use resile_scene::description::{Analysis, Masses, Problem};

/// A solid counts as one element thick if elements without interior nodes have at least this fraction of its volume.
/// The fraction is 1 for a beam of one cell across, 1/2 for a cube of 2^3 cells and 1/4 for a beam of 2 x 2 cells.
const ONE_ELEMENT_FRACTION: f64 = 2.0 / 3.0;
/// Relative error of a moment of inertia above which a warning is issued.
const MAX_INERTIA_ERROR: f64 = 0.01;

/// Largest Poisson's ratio without a warning for curved elements. The axial stress at the side of a round cantilever of two
/// elements across the radius is 22 % too small at 0.49 and has the wrong sign at 0.499 (`docs/solids.md`, curved edges).
const MAX_CURVED_POISSON: f64 = 0.48;

/// Warns of curved elements of a nearly incompressible material. Their volume change is not linear in an element, so the volume
/// at each point of quadrature is a constraint of its own, and elements lock.
pub(super) fn warn_curved_incompressible(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    let PlacedBody { body, rest, quadratic, .. } = &parts.placed[k];
    let mesh = QuadraticMesh { positions: rest.clone(), elements: quadratic.clone() };
    let poisson = parts.scene.material_of(&parts.expanded[k].body)?.model.poisson();
    let curved_count = mesh.curved_count();
    (curved_count > 0 && poisson > MAX_CURVED_POISSON).then(|| {
        let message = format!(
            "\"{}\" has {curved_count} elements with curved edges, and its Poisson's ratio is {poisson}: stresses at \
             their nodes are wrong, and they are too stiff",
            body.name
        );
        let help = "take `elements: StraightQuadratic`, or a Poisson's ratio of at most 0.48";
        warning(format!("{}.elements", path_of(&parts.expanded[k])), message, help)
    })
}

/// Warns of a solid that is one linear tetrahedron thick, because linear tetrahedra lock in bending.
pub(super) fn warn_single_layer(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    if parts.placed[k].elements.is_quadratic() {
        return None;
    }
    let solid = rest_solid(parts, k)?;
    let mut is_on_boundary = vec![false; solid.positions.len()];
    solid.surface().vertices.iter().for_each(|&node| is_on_boundary[node as usize] = true);
    let volumes = solid.volumes();
    let has_no_inner_node =
        |tet: &usize| solid.tets[*tet].iter().all(|&node| is_on_boundary[node as usize]);
    let elements: Vec<usize> = (0..solid.tets.len()).filter(has_no_inner_node).collect();
    let volume_fraction =
        elements.iter().map(|&tet| volumes[tet]).sum::<f64>() / volumes.iter().sum::<f64>();
    (volume_fraction > ONE_ELEMENT_FRACTION).then(|| {
        let message = format!(
            "\"{}\" is one element thick: {} of its {} elements have no node inside",
            parts.placed[k].body.name,
            elements.len(),
            solid.tets.len()
        );
        let help = "linear elements are too stiff in bending: with 1, 2 or 4 across, the deflection is 20, 50 or 80 % of the exact one, and \
                    less for nearly incompressible materials: take `elements: Quadratic`, more cells, or make a thin body a `Shell`";
        warning(format!("{}.shape", path_of(&parts.expanded[k])), message, help)
    })
}

/// Warns of a solid whose moments of inertia are not those of the masses at its nodes: lumped masses, or a mesh on which
/// no positive masses reproduce them.
pub(super) fn warn_inertia_error(parts: &Parts<'_>, k: usize) -> Option<Problem> {
    if !matches!(parts.scene.analysis, Analysis::Dynamic) {
        return None;
    }
    let solid = rest_solid(parts, k)?;
    let PlacedBody { body, quadratic, .. } = &parts.placed[k];
    let quadratic =
        QuadraticMesh { positions: solid.positions.clone(), elements: quadratic.clone() };
    let moments = match quadratic.curved_count() {
        0 => solid.moments()?,
        _ => quadratic.moments()?,
    };
    let error = moments.inertia_error(&solid.positions, &body.masses);
    (error > MAX_INERTIA_ERROR).then(|| {
        let is_lumped = parts.expanded[k].body.masses == Masses::Lumped;
        let cause = match is_lumped {
            true => "its masses are `Lumped`",
            false => "no nodal masses reproduce those of the solid",
        };
        let message = format!(
            "moments of inertia of \"{}\" have errors of up to {:.0} %: {cause}",
            body.name,
            100.0 * error
        );
        let help = match quadratic.elements.is_empty() {
            _ if is_lumped => "it turns too slowly: take `masses: Fitted`, or keep `Lumped` where a result has to agree with a program that lumps",
            true => "it turns too slowly: take two cells or more in every direction, `elements: Quadratic`, or `kind: Affine`, which are exact",
            false => "it turns too slowly: take a finer mesh, or `kind: Affine`, which is exact",
        };
        warning(format!("{}.shape", path_of(&parts.expanded[k])), message, help)
    })
}

/// The tetrahedra of body `k` at rest; `None` if it has none.
fn rest_solid(parts: &Parts<'_>, k: usize) -> Option<TetMesh> {
    let body = &parts.placed[k];
    let solid = TetMesh { positions: body.rest.clone(), tets: body.tets.clone() };
    (!body.tets.is_empty()).then_some(solid)
}
