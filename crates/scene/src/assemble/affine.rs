//! Affine bodies: four nodes, and a surface embedded in them.

use super::discretisation::{Discretisation, Elastic, law, placed_surface};
use super::error;
use crate::description::{Body as Described, Material as MadeOf, Problem, Shape};
use resile_contact::{CollisionMesh, CollisionMeshError, Embedding};
use resile_energy::AffineBody;
use resile_math::Vec3;
use resile_mesh::TriMesh;
use std::collections::BTreeMap;

/// The affine body that a closed surface encloses.
pub(super) fn discretise(
    described: &Described,
    made_of: &MadeOf,
    shape: TriMesh,
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let unfit =
        |e: &dyn ToString, help: &str| vec![error(format!("{path}.shape"), e.to_string(), help)];
    let mesh = placed_surface(described, shape);
    let defects = mesh.defects();
    if !defects.is_closed() {
        let message = format!("the surface of \"{}\" is not closed: {defects}", described.name);
        return Err(unfit(&message, &closing(&described.shape)));
    }
    let moments = mesh.moments().ok_or_else(|| unfit(&"the surface is empty", "choose a shape"))?;
    let body = AffineBody::new(&moments).map_err(|e| unfit(&e, "turn the triangles around"))?;
    let material = law(&made_of.model, None, &described.placement, path)?;
    let surface = embedded(&body, &mesh.positions, &mesh.triangles)
        .map_err(|e| unfit(&e, "mend the surface of the mesh"))?;
    let nodes = body.nodes().to_vec();
    Ok(Discretisation {
        placed: nodes.clone(),
        start: nodes,
        masses: body.masses(made_of.density).to_vec(),
        elastic: Elastic::Affine(body, material),
        surface,
        tets: Vec::new(),
        triangles: mesh.triangles,
        thickness: described.contact_thickness.unwrap_or(0.0),
        skin: None,
        groups: BTreeMap::new(),
        numbers: None,
        fields: BTreeMap::new(),
    })
}

/// What to do about a surface without an inside.
fn closing(shape: &Shape) -> String {
    let mend = match shape {
        Shape::File(file) => format!(
            "close the surface (`sim mesh {file} --repair -o mended.obj` does what is safe)"
        ),
        _ => "close the surface".to_owned(),
    };
    format!("an affine body needs an inside: {mend}, or make it a `Shell`")
}

/// A surface that follows the nodes of an affine body.
pub(super) fn embedded(
    body: &AffineBody,
    points: &[Vec3],
    triangles: &[[u32; 3]],
) -> Result<CollisionMesh, CollisionMeshError> {
    let place = |p: &Vec3| Embedding { nodes: [0, 1, 2, 3], weights: body.weights(*p) };
    CollisionMesh::embedded(points, triangles, points.iter().map(place).collect(), 4)
}
