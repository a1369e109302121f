//! Discretisation of shapes: nodes, masses, elasticity and a surface.

use super::element_materials::{ElementMaterials, LawElements};
use super::error;
use super::file_numbers::FileVertexMap;
use super::rod::RodStiffness;
use super::shell;
use resile_contact::{CollisionMesh, Embedding};
use resile_energy::{
    AffineBody, ElementError, Material, Materials, QuadraticTetElasticity, TetElasticity,
};
use resile_math::{Aabb, Vec3};
use resile_mesh::TriMesh;
use resile_mesh::read::VertexFields;
use resile_scene::description::{Body as Described, Deformation, Problem, Units};
use resile_system::Energy;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The nodes of a body and their terms.
pub(super) struct Discretisation {
    /// Rest positions of the nodes: placed and undeformed (m).
    pub(super) placed: Vec<Vec3>,
    /// Positions at the start (m).
    pub(super) start: Vec<Vec3>,
    /// Mass of each node (kg).
    pub(super) masses: Vec<f64>,
    /// The elasticity.
    pub(super) elastic: Elastic,
    /// The surface for contact; without triangles for particles.
    pub(super) surface: Arc<CollisionMesh>,
    /// The tetrahedra of a solid; eight for each quadratic tetrahedron.
    pub(super) tets: Vec<[u32; 4]>,
    /// The triangles of a surface, whose corners are points of `surface`. For a solid these are the triangles to be
    /// drawn instead of its elements.
    pub(super) triangles: Arc<[[u32; 3]]>,
    /// Thickness of the surface (m).
    pub(super) thickness: f64,
    /// The surface to be drawn, if it is not `surface`.
    pub(super) skin: Option<Skin>,
    /// The nodes of each group of the mesh; for an affine body the points of its surface.
    pub(super) groups: BTreeMap<String, Vec<usize>>,
    /// The elements of each group of the mesh: tetrahedra of a solid, triangles of a surface.
    pub(super) element_groups: Vec<(String, Vec<u32>)>,
    /// The map from vertices of the mesh file to nodes, or to the surface points of an affine body.
    pub(super) vertex_map: Option<FileVertexMap>,
    /// Vertex data of the mesh file, by name.
    pub(super) fields: VertexFields,
    /// The units of messages.
    pub(super) units: Units,
}

/// A drawn surface without contact.
#[derive(Debug)]
pub struct Skin {
    /// The embedding of its points in the nodes.
    pub points: Vec<Embedding>,
    /// Rest positions of its points (m).
    pub rest: Vec<Vec3>,
    /// Triangles over its points.
    pub triangles: Vec<[u32; 3]>,
}

/// The elasticity of a body.
pub(super) enum Elastic {
    /// No elasticity: particles have only their `terms`.
    Nothing,
    Tets(ElementMaterials),
    /// Quadratic tetrahedra with ten nodes each.
    Quadratic(ElementMaterials, Vec<[u32; 10]>),
    Affine(AffineBody, Material),
    Shell(shell::ShellStiffness),
    Springs(shell::Cloth),
    Rod(RodStiffness),
}

impl Discretisation {
    /// Constructs the elastic energies. Stiffness damping constructs them again, because it needs energies of its own.
    pub(super) fn elastic_energies(
        &self,
        path: &str,
    ) -> Result<Vec<Box<dyn Energy>>, Vec<Problem>> {
        match &self.elastic {
            Elastic::Nothing => Ok(Vec::new()),
            Elastic::Tets(materials) => {
                energies_by_law(materials, &self.tets, path, |tets, (materials, overlay)| {
                    let term = TetElasticity::new(&self.placed, tets, materials)?;
                    Ok(Box::new(if overlay { term.overlaid() } else { term }))
                })
            }
            Elastic::Quadratic(materials, elements) => {
                energies_by_law(materials, elements, path, |elements, (materials, overlay)| {
                    let term = QuadraticTetElasticity::new(&self.placed, elements, materials)?;
                    Ok(Box::new(if overlay { term.overlaid() } else { term }))
                })
            }
            Elastic::Affine(body, law) => Ok(vec![Box::new(body.elasticity(*law))]),
            Elastic::Shell(shell) => shell.energies(&self.placed, &self.triangles, path),
            Elastic::Springs(cloth) => cloth.energies(&self.placed, &self.triangles, path),
            Elastic::Rod(rod) => rod.energies(path),
        }
    }
}

/// One energy for the elements of each law, and one for each of its overlays. `energy` constructs it from elements,
/// materials and whether it is an overlay.
fn energies_by_law<const N: usize>(
    materials: &ElementMaterials,
    elements: &[[u32; N]],
    path: &str,
    energy: impl Fn(&[[u32; N]], (Materials, bool)) -> Result<Box<dyn Energy>, ElementError>,
) -> Result<Vec<Box<dyn Energy>>, Vec<Problem>> {
    let laws = materials.by_law();
    let laws = laws.map_err(|e| vec![error(format!("{path}.material"), e, "")])?;
    let mut energies = Vec::new();
    for LawElements { elements: subset, materials, overlays } in laws {
        let subset: Option<Vec<[u32; N]>> =
            subset.map(|subset| subset.into_iter().map(|element| elements[element]).collect());
        let overlays = overlays.into_iter().map(|overlay| (overlay, true));
        for law in std::iter::once((materials, false)).chain(overlays) {
            let law_energy = energy(subset.as_deref().unwrap_or(elements), law);
            energies.push(law_energy.map_err(|e| vec![element_problem(path, e)])?);
        }
    }
    Ok(energies)
}

/// The surface for contact whose points are nodes.
pub(super) fn contact_surface(
    rest: &[Vec3],
    triangles: &[[u32; 3]],
    path: &str,
) -> Result<CollisionMesh, Vec<Problem>> {
    let mesh = CollisionMesh::new(rest, triangles);
    mesh.map_err(|e| vec![error(format!("{path}.shape"), e, "repair the surface of the mesh")])
}

/// The message for elements that cannot be constructed.
pub(super) fn element_problem(path: &str, e: ElementError) -> Problem {
    let help = match e {
        ElementError::Folded { .. } => {
            "straighten their edges (`elements: StraightQuadratic`), or take a finer mesh where the boundary is curved"
        }
        _ => "repair the mesh or the placement",
    };
    error(format!("{path}.shape"), e, help)
}

/// Refuses initial positions that are not finite: twist and bending divide by the extent along an axis, which is
/// zero for some particles and plane sheets.
pub(super) fn refuse_not_finite(
    described: &Described,
    start: &[Vec3],
    path: &str,
) -> Result<(), Vec<Problem>> {
    if start.iter().all(|x| x.is_finite()) {
        return Ok(());
    }
    let has_axis =
        |d: &Deformation| matches!(d, Deformation::Twist { .. } | Deformation::Bend { .. });
    let index = described.deform.iter().position(has_axis).unwrap_or(0);
    let message = format!("\"{}\" has no extent along the axis of the deformation", described.name);
    let help = "`Twist` and `Bend` need a shape that reaches along their axis";
    Err(vec![error(format!("{path}.deform[{index}]"), message, help)])
}

/// Places the points of a shape.
pub(super) fn place_points(described: &Described, shape: &[Vec3]) -> Vec<Vec3> {
    shape.iter().map(|p| described.placement.apply(*p)).collect()
}

/// Places a surface.
pub(super) fn place_surface(described: &Described, shape: TriMesh) -> TriMesh {
    TriMesh { positions: place_points(described, &shape.positions), ..shape }
}

/// Initial positions: deforms the points of a shape, then places them.
pub(super) fn deform_and_place(described: &Described, shape: &[Vec3]) -> Vec<Vec3> {
    let mut points = shape.to_vec();
    for deformation in &described.deform {
        let Some(Aabb { min, max }) = Aabb::around(&points) else { break };
        points.iter_mut().for_each(|p| *p = deformation.apply(*p, min, max));
    }
    place_points(described, &points)
}
