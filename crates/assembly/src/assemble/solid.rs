//! Discretisation of solids.

use super::discretisation::{
    Discretisation, Elastic, Skin, contact_surface, deform_and_place, element_problem,
    place_points, place_surface,
};
use super::element_materials::ElementMaterials;
use super::error;
use super::shape::Original;
use resile_contact::{CollisionMesh, Embedding};
use resile_energy::{ElementError, QuadraticTetElasticity, TetElasticity};
use resile_math::Vec3;
use resile_mesh::{CurvedEdges, Location, QuadraticMesh, TetMesh, TriMesh};
use resile_scene::description::{Body as Described, Elements, Masses, Problem, Units};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Discretises a solid. Its surface for contact is its boundary, or the `original` surface that it fills if contact
/// uses that. Quadratic elements have the `curved` edges.
pub(super) fn discretise_solid(
    described: &Described,
    (materials, elements): (ElementMaterials, Elements),
    (shape, curved): (TetMesh, CurvedEdges),
    original: Option<Original>,
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let PlacedSolid { shape, rest, masses, elastic } = match elements {
        Elements::Linear => place_linear(described, shape, materials),
        Elements::Quadratic | Elements::StraightQuadratic => {
            place_quadratic(described, (&shape, &curved), materials)
        }
    };
    let start = deform_and_place(described, &shape.positions);
    let (deform, help) = (format!("{path}.deform"), "deform the body less, or in finer cells");
    refuse_inverted(described, &elastic, [&rest.positions, &start], &rest.tets, (&deform, help))?;
    let embed = |surface| embedded_skin(&shape, surface, described);
    let (surface, triangles, skin) = match original {
        Some(Original::Contact(surface)) => {
            let Skin { points, rest, triangles } = embed(surface);
            let node_count = shape.positions.len();
            let surface = CollisionMesh::embedded(&rest, &triangles, points, node_count);
            let invalid = |e| vec![error(format!("{path}.shape"), e, "repair the surface")];
            (surface.map_err(invalid)?, triangles.into(), None)
        }
        original => {
            let triangles = &rest.surface().triangles;
            let skin = match original {
                Some(Original::Drawn(surface)) => Some(embed(surface)),
                _ => None,
            };
            (contact_surface(&rest.positions, triangles, path)?, Arc::default(), skin)
        }
    };
    let TetMesh { positions: placed, tets } = rest;
    let thickness = described.contact_thickness.unwrap_or(0.0);
    Ok(Discretisation {
        placed,
        start,
        masses,
        elastic,
        surface: Arc::new(surface),
        tets,
        triangles,
        thickness,
        skin,
        groups: BTreeMap::new(),
        element_groups: Vec::new(),
        vertex_map: None,
        units: Units::default(),
        fields: BTreeMap::new(),
    })
}

/// A solid with the nodes of its elements.
struct PlacedSolid {
    /// The mesh before placement.
    shape: TetMesh,
    /// The placed mesh, with the same tetrahedra.
    rest: TetMesh,
    masses: Vec<f64>,
    elastic: Elastic,
}

/// Places a solid of linear tetrahedra and computes the masses of its nodes.
fn place_linear(described: &Described, shape: TetMesh, materials: ElementMaterials) -> PlacedSolid {
    let rest = place_mesh(described, &shape);
    let masses = materials.node_masses(&rest.tets, |tets, density| {
        let mesh = TetMesh { positions: rest.positions.clone(), tets };
        match described.masses {
            Masses::Fitted => mesh.node_masses(density),
            Masses::Lumped => mesh.lumped_masses(density),
        }
    });
    PlacedSolid { shape, rest, masses, elastic: Elastic::Tets(materials) }
}

/// Places a solid of quadratic tetrahedra. Its mesh in the result consists of the eight linear tetrahedra of each
/// element.
fn place_quadratic(
    described: &Described,
    (shape, curved): (&TetMesh, &CurvedEdges),
    materials: ElementMaterials,
) -> PlacedSolid {
    let QuadraticMesh { positions: unplaced, elements } = shape.quadratic_with_curved_edges(curved);
    let positions = match curved.is_empty() {
        // The midside nodes are the midpoints of the placed corners.
        true => place_mesh(described, shape).quadratic().positions,
        false => place_points(described, &unplaced),
    };
    let mesh = QuadraticMesh { positions, elements };
    let rest = mesh.refined();
    let shape = TetMesh { positions: unplaced, tets: rest.tets.clone() };
    let masses = materials.node_masses(&mesh.elements, |elements, density| {
        QuadraticMesh { positions: mesh.positions.clone(), elements }.node_masses(density)
    });
    PlacedSolid { shape, rest, masses, elastic: Elastic::Quadratic(materials, mesh.elements) }
}

/// Places a mesh.
fn place_mesh(described: &Described, shape: &TetMesh) -> TetMesh {
    TetMesh { positions: place_points(described, &shape.positions), tets: shape.tets.clone() }
}

/// The indices of the elements that are inverted at `start`, each with its det F or a lower bound of it.
fn inverted_elements(
    elastic: &Elastic,
    [rest, start]: [&[Vec3]; 2],
    tets: &[[u32; 4]],
) -> Result<Vec<(usize, f64)>, ElementError> {
    match elastic {
        // Inversion does not depend on the material.
        Elastic::Tets(materials) => {
            let material = materials.first();
            Ok(TetElasticity::new(rest, tets, material)?.inverted(start))
        }
        Elastic::Quadratic(materials, elements) => {
            let material = materials.first();
            Ok(QuadraticTetElasticity::new(rest, elements, material)?.inverted(start))
        }
        Elastic::Nothing
        | Elastic::Affine(..)
        | Elastic::Shell(_)
        | Elastic::Springs(_)
        | Elastic::Rod(_) => Ok(Vec::new()),
    }
}

/// Embeds a surface in a solid before placement: each point follows the tetrahedron that contains it or is nearest.
fn embedded_skin(shape: &TetMesh, surface: TriMesh, described: &Described) -> Skin {
    let locations = shape.locate(&surface.positions);
    let embedding =
        |Location { tet, weights }| Embedding { nodes: shape.tets[tet as usize], weights };
    let points = locations.into_iter().map(embedding).collect();
    let TriMesh { positions: rest, triangles } = place_surface(described, surface);
    Skin { points, rest, triangles }
}

/// Refuses an initial state with inverted elements. `path` is the field from which the state `start` follows.
pub(super) fn refuse_inverted(
    described: &Described,
    elastic: &Elastic,
    [rest, start]: [&[Vec3]; 2],
    tets: &[[u32; 4]],
    (path, help): (&str, &str),
) -> Result<(), Vec<Problem>> {
    let inverted = inverted_elements(elastic, [rest, start], tets)
        .map_err(|e| vec![element_problem(path, e)])?;
    let Some((element, det_f)) = inverted.first() else { return Ok(()) };
    let more_elements: Vec<String> =
        inverted.iter().skip(1).take(7).map(|(element, _)| format!(", {element}")).collect();
    let more = if inverted.len() > 8 { ", ..." } else { "" };
    let noun = if inverted.len() == 1 { "element of" } else { "elements of" };
    let message = format!(
        "{} {noun} \"{}\" inverted at the start: {element} (det F = {det_f:.3e}){}{more}",
        inverted.len(),
        described.name,
        more_elements.concat()
    );
    Err(vec![error(path, message, help)])
}
