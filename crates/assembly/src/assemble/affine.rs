//! Affine bodies: four nodes, and a surface embedded in them.

use super::discretisation::{Discretisation, Elastic};
use super::error;
use super::law::elastic_law;
use super::shape::Mesh;
use resile_contact::{CollisionMesh, CollisionMeshError, Embedding};
use resile_energy::AffineBody;
use resile_math::Vec3;
use resile_scene::description::{
    Body as Described, Material as DescribedMaterial, Problem, Shape, Units,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An affine body before placement, shared by the copies of a body.
#[derive(Debug)]
pub(super) struct AffinePrototype {
    body: AffineBody,
    surface: Arc<CollisionMesh>,
    triangles: Arc<[[u32; 3]]>,
    /// For a solid, the ascending indices of its vertices that belong to its surface.
    pub(super) boundary: Option<Vec<u32>>,
}

impl AffinePrototype {
    /// The affine body of a closed surface, scaled as in `described`.
    pub(super) fn new(described: &Described, mesh: Mesh, path: &str) -> Result<Self, Vec<Problem>> {
        let shape_problem = |e: &dyn ToString, help: &str| {
            vec![error(format!("{path}.shape"), e.to_string(), help)]
        };
        let boundary = match &mesh {
            Mesh::Solid(solid) => Some(solid.surface().vertices),
            _ => None,
        };
        let mut mesh = mesh.into_surface();
        let scale = Vec3::from_array(described.placement.scale.0);
        mesh.positions.iter_mut().for_each(|p| *p *= scale);
        let defects = mesh.defects();
        if !defects.is_closed() {
            let message = format!("the surface of \"{}\" is not closed: {defects}", described.name);
            return Err(shape_problem(&message, &open_surface_remedy(&described.shape)));
        }
        let moments = mesh
            .moments()
            .ok_or_else(|| shape_problem(&"the surface is empty", "choose a shape"))?;
        let body = AffineBody::new(&moments)
            .map_err(|e| shape_problem(&e, "turn the triangles around"))?;
        let surface = embedded(&body, &mesh.positions, &mesh.triangles)
            .map_err(|e| shape_problem(&e, "repair the surface of the mesh"))?;
        Ok(Self { body, surface: Arc::new(surface), triangles: mesh.triangles.into(), boundary })
    }

    /// The discretisation of the body at its placement.
    pub(super) fn place(
        &self,
        described: &Described,
        described_material: &DescribedMaterial,
        path: &str,
    ) -> Result<Discretisation, Vec<Problem>> {
        let placement = &described.placement;
        let body = self.body.moved(placement.rotation(), Vec3::from_array(placement.translate));
        let material = elastic_law(&described_material.model, placement, path)?;
        let nodes = body.nodes().to_vec();
        Ok(Discretisation {
            placed: nodes.clone(),
            start: nodes,
            masses: body.masses(described_material.density).to_vec(),
            elastic: Elastic::Affine(body, material),
            surface: self.surface.clone(),
            tets: Vec::new(),
            triangles: self.triangles.clone(),
            thickness: described.contact_thickness.unwrap_or(0.0),
            skin: None,
            groups: BTreeMap::new(),
            element_groups: Vec::new(),
            vertex_map: None,
            units: Units::default(),
            fields: BTreeMap::new(),
        })
    }
}

/// The remedy for a surface that is not closed.
fn open_surface_remedy(shape: &Shape) -> String {
    let remedy = match shape {
        Shape::File(file) | Shape::Part { file, .. } => format!(
            "close the surface (`sim mesh {file} --repair -o mended.obj` does what is safe)"
        ),
        _ => "close the surface".to_owned(),
    };
    format!("an affine body needs an inside: {remedy}, or make it a `Shell`")
}

/// A surface whose points are embedded in the four nodes of an affine body.
pub(super) fn embedded(
    body: &AffineBody,
    points: &[Vec3],
    triangles: &[[u32; 3]],
) -> Result<CollisionMesh, CollisionMeshError> {
    let embedding = |p: &Vec3| Embedding { nodes: [0, 1, 2, 3], weights: body.weights(*p) };
    CollisionMesh::embedded(points, triangles, points.iter().map(embedding).collect(), 4)
}
