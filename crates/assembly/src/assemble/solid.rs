//! Discretisation of solids.

use super::discretisation::{
    Discretisation, Elastic, Skin, contact_surface, deformed, element_problem, placed,
    placed_surface,
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

/// Discretises a solid whose contact surface is its boundary, or `skin`. Quadratic elements have the `curved` edges.
pub(super) fn solid(
    described: &Described,
    (materials, elements): (ElementMaterials, Elements),
    (shape, curved): (TetMesh, CurvedEdges),
    original: Option<Original>,
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let PlacedSolid { shape, rest, masses, elastic } = match elements {
        Elements::Linear => linear(described, shape, materials),
        Elements::Quadratic | Elements::StraightQuadratic => {
            quadratic(described, (&shape, &curved), materials)
        }
    };
    let start = deformed(described, &shape.positions);
    let (deform, help) = (format!("{path}.deform"), "deform the body less, or in finer cells");
    refuse_inverted(described, &elastic, [&rest.positions, &start], &rest.tets, (&deform, help))?;
    let skin = |surface| skin(&shape, surface, described);
    let (surface, triangles, skin) = match original {
        Some(Original::Touching(surface)) => {
            let Skin { points, rest, triangles } = skin(surface);
            let nodes = shape.positions.len();
            let surface = CollisionMesh::embedded(&rest, &triangles, points, nodes);
            let unfit = |e| vec![error(format!("{path}.shape"), e, "repair the surface")];
            (surface.map_err(unfit)?, triangles.into(), None)
        }
        drawn => {
            let triangles = &rest.surface().triangles;
            let skin = match drawn {
                Some(Original::Drawn(surface)) => Some(skin(surface)),
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
        numbers: None,
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
fn linear(described: &Described, shape: TetMesh, materials: ElementMaterials) -> PlacedSolid {
    let rest = in_place(described, &shape);
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
fn quadratic(
    described: &Described,
    (shape, curved): (&TetMesh, &CurvedEdges),
    materials: ElementMaterials,
) -> PlacedSolid {
    let QuadraticMesh { positions: unplaced, elements } = shape.quadratic_with(curved);
    let positions = match curved.is_empty() {
        // Midpoints of the placed corners.
        true => in_place(described, shape).quadratic().positions,
        false => placed(described, &unplaced),
    };
    let mesh = QuadraticMesh { positions, elements };
    let rest = mesh.refined();
    let shape = TetMesh { positions: unplaced, tets: rest.tets.clone() };
    let masses = materials.node_masses(&mesh.elements, |elements, density| {
        QuadraticMesh { positions: mesh.positions.clone(), elements }.node_masses(density)
    });
    PlacedSolid { shape, rest, masses, elastic: Elastic::Quadratic(materials, mesh.elements) }
}

fn in_place(described: &Described, shape: &TetMesh) -> TetMesh {
    TetMesh { positions: placed(described, &shape.positions), tets: shape.tets.clone() }
}

/// The inverted elements at `start`, each with its det F or a lower bound of it.
fn inverted(
    elastic: &Elastic,
    [rest, start]: [&[Vec3]; 2],
    tets: &[[u32; 4]],
) -> Result<Vec<(usize, f64)>, ElementError> {
    match elastic {
        // Inversion does not depend on the material.
        Elastic::Tets(materials) => {
            let one = materials.first();
            Ok(TetElasticity::new(rest, tets, one)?.inverted(start))
        }
        Elastic::Quadratic(materials, elements) => {
            let one = materials.first();
            Ok(QuadraticTetElasticity::new(rest, elements, one)?.inverted(start))
        }
        Elastic::Nothing
        | Elastic::Affine(..)
        | Elastic::Shell(_)
        | Elastic::Springs(_)
        | Elastic::Rod(_) => Ok(Vec::new()),
    }
}

/// A surface around a solid, embedded before placement: each point follows the element that contains it, or the
/// nearest.
fn skin(shape: &TetMesh, surface: TriMesh, described: &Described) -> Skin {
    let embedding = shape.locate(&surface.positions);
    let follow = |place: Location| Embedding {
        nodes: shape.tets[place.tet as usize],
        weights: place.weights,
    };
    let points = embedding.into_iter().map(follow).collect();
    let TriMesh { positions: rest, triangles } = placed_surface(described, surface);
    Skin { points, rest, triangles }
}

/// Refuses initial states with inverted elements, from which no material recovers correctly. `path` is the field that
/// describes the state `start`.
pub(super) fn refuse_inverted(
    described: &Described,
    elastic: &Elastic,
    [rest, start]: [&[Vec3]; 2],
    tets: &[[u32; 4]],
    (path, help): (&str, &str),
) -> Result<(), Vec<Problem>> {
    let inverted =
        inverted(elastic, [rest, start], tets).map_err(|e| vec![element_problem(path, e)])?;
    let Some((element, det_f)) = inverted.first() else { return Ok(()) };
    let numbers: Vec<String> =
        inverted.iter().skip(1).take(7).map(|(element, _)| format!(", {element}")).collect();
    let more = if inverted.len() > 8 { ", ..." } else { "" };
    let noun = if inverted.len() == 1 { "element of" } else { "elements of" };
    let message = format!(
        "{} {noun} \"{}\" inverted at the start: {element} (det F = {det_f:.3e}){}{more}",
        inverted.len(),
        described.name,
        numbers.concat()
    );
    Err(vec![error(path, message, help)])
}
