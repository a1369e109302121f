//! Discretisation of shapes: nodes, masses, elasticity and a surface.

use super::element_materials::{ElementMaterials, LawElements};
use super::file_numbers::FileVertexMap;
use super::painted;
use super::rod::{self, RodStiffness};
use super::shape::{Mesh, Meshes};
use super::shell::{self, Sheet};
use super::shell_thickness;
use super::solid::{discretise_solid, refuse_inverted};
use super::{error, evaluated, path_of};
use crate::mesh_file::{Group, Groups};
use resile_contact::{CollisionMesh, Embedding};
use resile_energy::{
    AffineBody, ClothStiffness, ElementError, Material, Materials, QuadraticTetElasticity,
    TetElasticity,
};
use resile_math::{Aabb, Vec3};
use resile_mesh::read::VertexFields;
use resile_mesh::{CurvedEdges, Parts, QuadraticMesh, TriMesh};
use resile_scene::description::{
    Body as Described, Deformation, Elements, ExpandedBody, Model, Problem, Severity, Shape,
    TypedBody, Units, implausible_size,
};
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

/// Discretises a body.
pub(super) fn discretise(
    expanded: &ExpandedBody,
    meshes: &mut Meshes<'_>,
) -> Result<Discretisation, Vec<Problem>> {
    let path = path_of(expanded);
    let described = &expanded.body;
    let shape_path = format!("{path}.shape");
    // For the boundary of a solid, the indices of its vertices in the solid.
    let mut boundary = None;
    let mut mesh_of_shape = || meshes.of_shape(&described.shape, &shape_path).map_err(|p| vec![p]);
    let mut surface_of_shape = || {
        let mesh = mesh_of_shape()?;
        if let Mesh::Solid(solid) = &mesh {
            boundary = Some(solid.surface().vertices);
        }
        Ok::<_, Vec<Problem>>(mesh.into_surface())
    };
    let mut discretisation = match &expanded.typed {
        TypedBody::Solid { material, elements } => {
            let Mesh::Solid(shape) = mesh_of_shape()? else {
                return Err(vec![no_tetrahedra_problem(described, &shape_path)]);
            };
            let original = meshes.original(&described.shape, &shape_path).map_err(|p| vec![p])?;
            let (groups, fields) = meshes.parts(&described.shape);
            let vertex_fields = meshes.vertex_fields(&described.shape);
            let factors = painted::element_factors(described, vertex_fields, &shape.tets, &path);
            let factors = factors.map_err(|p| vec![p])?;
            let file_data = (shape.tets.len(), groups, (fields, meshes.units()), factors);
            let materials = ElementMaterials::new(expanded, material, file_data, &path)?;
            let curved = match elements {
                Elements::Quadratic => meshes.curved_edges(&described.shape, &shape),
                Elements::Linear | Elements::StraightQuadratic => CurvedEdges::new(),
            };
            discretise_solid(described, (materials, *elements), (shape, curved), original, &path)
        }
        TypedBody::Affine { material } => {
            if let Model::Linear { .. } = material.model {
                let message = format!(
                    "\"{}\" is affine, and turns: linear elasticity resists rotations",
                    described.name
                );
                let help = "use `StVK` or `NeoHookean`";
                return Err(vec![error(format!("{path}.material"), message, help)]);
            }
            let prototype = meshes.affine_prototype(expanded, &path)?;
            boundary = prototype.boundary.clone();
            prototype.place(described, material, &path)
        }
        TypedBody::Shell(shell) => {
            let surface = surface_of_shape()?;
            let mut stiffness = shell::ShellStiffness::new(shell, &expanded.layers, &path)?;
            let ratios = {
                // On the boundary of a solid, the groups of the file are groups of tetrahedra.
                let no_groups = Groups::new();
                let groups =
                    if boundary.is_some() { &no_groups } else { meshes.parts(&described.shape).0 };
                let fields = meshes.vertex_fields(&described.shape);
                let fields = painted::node_fields(fields, &Elastic::Nothing, boundary.as_deref());
                let parts = (groups, &fields);
                shell_thickness::thickness_ratios(
                    described,
                    shell.thickness,
                    &surface.triangles,
                    parts,
                    &path,
                )
            };
            stiffness.ratios = ratios.map_err(|p| vec![p])?;
            let group_ratios = stiffness.ratios.clone();
            let sheet = Sheet {
                area_density: shell::area_density(described, shell, &expanded.layers),
                thickness: shell.thickness,
                ratios: group_ratios.as_deref(),
            };
            let elastic = Elastic::Shell(stiffness);
            shell::discretise(described, elastic, sheet, surface, &path)
        }
        &TypedBody::Cloth { area_density, structural, shear, bending, law } => {
            let cloth = shell::Cloth::new(ClothStiffness { structural, shear, bending }, law);
            let sheet = Sheet { area_density, thickness: 0.0, ratios: None };
            shell::discretise(described, Elastic::Springs(cloth), sheet, surface_of_shape()?, &path)
        }
        TypedBody::Rod(rod) => {
            let curves = meshes.curves(&described.shape, &shape_path).map_err(|p| vec![p])?;
            rod::discretise(described, rod, curves, &path)
        }
        TypedBody::Particles { positions, masses } => {
            discretise_particles(described, positions, masses, &path)
        }
    }?;
    discretisation.units = meshes.units();
    if described.elements != Elements::Quadratic {
        meshes.note_second_order(&described.shape, &shape_path);
    }
    let (groups, _) = meshes.parts(&described.shape);
    let groups = nodes_of_groups(&discretisation.elastic, groups, boundary.as_deref());
    discretisation.groups = groups;
    let fields = meshes.vertex_fields(&described.shape);
    discretisation.fields =
        painted::node_fields(fields, &discretisation.elastic, boundary.as_deref());
    painted::apply_maps(described, &mut discretisation, &path).map_err(|p| vec![p])?;
    let vertex_map = meshes.vertex_map(&described.shape);
    discretisation.vertex_map =
        vertex_map.map(|map| to_node_map(map, &discretisation.elastic, boundary.as_deref()));
    if let Elastic::Shell(_) | Elastic::Springs(_) = discretisation.elastic {
        meshes.note(warn_disconnected(described, &discretisation, &shape_path));
    }
    if let Some(displacement) = &described.displacement {
        let at_rest = (&discretisation.placed[..], &discretisation.start[..]);
        let path = format!("{path}.displacement");
        let displaced =
            evaluated::displaced_positions(displacement, at_rest, meshes.units(), &path);
        discretisation.start = displaced.map_err(|p| vec![p])?;
        let states = [&discretisation.placed[..], &discretisation.start[..]];
        let help = "displace neighbouring nodes more alike, or divide the body into finer cells";
        let Discretisation { elastic, tets, .. } = &discretisation;
        refuse_inverted(described, elastic, states, tets, (&path, help))?;
    }
    if let Shape::File(_) | Shape::Part { .. } | Shape::Fill { .. } = described.shape {
        // The sizes of other shapes are checked from their description.
        let size =
            Aabb::around(&discretisation.surface.points(&discretisation.placed)).map(|b| b.size());
        let size = size.map_or(0.0, Vec3::max_element);
        meshes.note(implausible_size(&path, &described.name, (size, meshes.units())));
    }
    Ok(discretisation)
}

/// Turns the map from vertices of a file to vertices of its mesh into one to the nodes of the body.
fn to_node_map(map: FileVertexMap, elastic: &Elastic, boundary: Option<&[u32]>) -> FileVertexMap {
    match (elastic, boundary) {
        (Elastic::Quadratic(_, elements), _) => {
            let elements = elements.clone();
            map.with_middles(&QuadraticMesh { positions: Vec::new(), elements })
        }
        (_, Some(boundary_nodes)) => map.on_boundary(boundary_nodes),
        _ => map,
    }
}

/// A warning that a sheet from a file is disconnected.
fn warn_disconnected(described: &Described, sheet: &Discretisation, path: &str) -> Option<Problem> {
    let (Shape::File(name) | Shape::Part { file: name, .. }) = &described.shape else {
        return None;
    };
    let mut parts = Parts::of_elements(sheet.placed.len(), &sheet.triangles);
    let component_count =
        parts.representatives(sheet.triangles.iter().map(|triangle| triangle[0])).len();
    (component_count > 1).then(|| Problem {
        severity: Severity::Warning,
        path: path.to_owned(),
        message: format!(
            "\"{}\" consists of {component_count} pieces that share no vertex: they move apart",
            described.name
        ),
        help: format!(
            "if they are meant to hang together, `sim mesh {name} --repair -o welded.obj` welds vertices \
             that are almost at one place"
        ),
    })
}

/// The nodes of each group, for regions. For the `boundary` of a solid, only those on it.
fn nodes_of_groups(
    elastic: &Elastic,
    groups: &Groups,
    boundary: Option<&[u32]>,
) -> BTreeMap<String, Vec<usize>> {
    let nodes = |group: &Group| -> Vec<u32> {
        if let Elastic::Quadratic(_, elements) = elastic {
            let mesh = QuadraticMesh { positions: Vec::new(), elements: elements.clone() };
            return mesh.with_middles(&group.nodes);
        }
        let Some(boundary_nodes) = boundary else { return group.nodes.clone() };
        let index = |node: &u32| boundary_nodes.binary_search(node).ok().map(|index| index as u32);
        group.nodes.iter().filter_map(index).collect()
    };
    let nodes_by_name = |(name, group): (&String, &Group)| {
        (name.clone(), nodes(group).into_iter().map(|node| node as usize).collect())
    };
    groups.iter().map(nodes_by_name).collect()
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

/// The message for a solid whose file has no tetrahedra.
fn no_tetrahedra_problem(described: &Described, path: &str) -> Problem {
    let message =
        format!("\"{}\" is a surface, which has no inside to be an elastic solid", described.name);
    error(path, message, "add `kind: Affine` or `kind: Shell(thickness: ...)`, or fill it")
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

/// The discretisation of particles: nodes with masses, without elasticity or triangles.
fn discretise_particles(
    described: &Described,
    positions: &[[f64; 3]],
    masses: &[f64],
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let points: Vec<Vec3> = positions.iter().copied().map(Vec3::from_array).collect();
    let start = deform_and_place(described, &points);
    refuse_not_finite(described, &start, path)?;
    let placed = place_points(described, &points);
    let surface = CollisionMesh::new(&placed, &[]).map_err(|e| vec![error(path, e, "")])?;
    Ok(Discretisation {
        placed,
        start,
        masses: masses.to_vec(),
        elastic: Elastic::Nothing,
        surface: Arc::new(surface),
        tets: Vec::new(),
        triangles: Arc::default(),
        thickness: 0.0,
        skin: None,
        groups: BTreeMap::new(),
        vertex_map: None,
        units: Units::default(),
        fields: BTreeMap::new(),
    })
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
