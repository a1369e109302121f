//! Discretises bodies by their type, and transfers the data of their mesh files to their nodes.

use super::discretisation::{
    Discretisation, Elastic, deform_and_place, place_points, refuse_not_finite,
};
use super::element_materials::ElementMaterials;
use super::file_numbers::FileVertexMap;
use super::rod;
use super::shape::{Mesh, Meshes};
use super::shell::{self, Sheet};
use super::shell_thickness;
use super::solid::{discretise_solid, refuse_inverted};
use super::{error, evaluated, painted, path_of};
use crate::mesh_file::{Group, Groups};
use resile_contact::CollisionMesh;
use resile_energy::ClothStiffness;
use resile_math::{Aabb, Vec3};
use resile_mesh::{CurvedEdges, Parts, QuadraticMesh, TriMesh};
use resile_scene::description::{
    Body as Described, Elements, ExpandedBody, Material, Model, Problem, Severity, Shape, Shell,
    TypedBody, Units, implausible_size,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Discretises a body.
pub(super) fn discretise(
    expanded: &ExpandedBody,
    meshes: &mut Meshes<'_>,
) -> Result<Discretisation, Vec<Problem>> {
    let path = path_of(expanded);
    let described = &expanded.body;
    let shape_path = format!("{path}.shape");
    let Meshed { mut discretisation, boundary } =
        Discretiser { expanded, path: &path, shape_path: &shape_path }.discretise(meshes)?;
    if described.elements != Elements::Quadratic {
        meshes.note_second_order(&described.shape, &shape_path);
    }
    transfer_file_data(described, meshes, boundary.as_deref(), &mut discretisation);
    painted::apply_maps(described, &mut discretisation, &path).map_err(|p| vec![p])?;
    if let Elastic::Shell(_) | Elastic::Springs(_) = discretisation.elastic {
        meshes.note(warn_disconnected(described, &discretisation, &shape_path));
    }
    displace(described, &mut discretisation, &path)?;
    if let Shape::File(_) | Shape::Part { .. } | Shape::Fill { .. } = described.shape {
        // The sizes of other shapes are checked from their description.
        let size =
            Aabb::around(&discretisation.surface.points(&discretisation.placed)).map(|b| b.size());
        let size = size.map_or(0.0, Vec3::max_element);
        meshes.note(implausible_size(&path, &described.name, (size, meshes.units())));
    }
    Ok(discretisation)
}

/// A discretisation without the data of its mesh file.
struct Meshed {
    discretisation: Discretisation,
    /// For the boundary of a solid, the indices of its vertices in the solid.
    boundary: Option<Vec<u32>>,
}

impl From<Discretisation> for Meshed {
    fn from(discretisation: Discretisation) -> Self {
        Self { discretisation, boundary: None }
    }
}

/// A surface from a shape.
struct Surface {
    mesh: TriMesh,
    /// For the boundary of a solid, the indices of its vertices in the solid.
    boundary: Option<Vec<u32>>,
}

/// Discretises a body by its type. The paths are those of the body and of its shape.
struct Discretiser<'a> {
    expanded: &'a ExpandedBody,
    path: &'a str,
    shape_path: &'a str,
}

impl Discretiser<'_> {
    fn described(&self) -> &Described {
        &self.expanded.body
    }

    /// Discretises the body by its type.
    fn discretise(&self, meshes: &mut Meshes<'_>) -> Result<Meshed, Vec<Problem>> {
        let described = self.described();
        match &self.expanded.typed {
            TypedBody::Solid { material, elements } => self.solid(material, *elements, meshes),
            TypedBody::Affine { material } => self.affine(material, meshes),
            TypedBody::Shell(shell) => self.shell(shell, meshes),
            &TypedBody::Cloth { area_density, structural, shear, bending, law } => {
                let cloth = shell::Cloth::new(ClothStiffness { structural, shear, bending }, law);
                let sheet = Sheet { area_density, thickness: 0.0, ratios: None };
                let Surface { mesh, boundary } = self.surface(meshes)?;
                let elastic = Elastic::Springs(cloth);
                let discretisation = shell::discretise(described, elastic, sheet, mesh, self.path)?;
                Ok(Meshed { discretisation, boundary })
            }
            TypedBody::Rod(rod) => {
                let curves =
                    meshes.curves(&described.shape, self.shape_path).map_err(|p| vec![p])?;
                Ok(rod::discretise(described, rod, curves, self.path)?.into())
            }
            TypedBody::Particles { positions, masses } => {
                Ok(discretise_particles(described, positions, masses, self.path)?.into())
            }
        }
    }

    /// The mesh of the shape.
    fn mesh(&self, meshes: &mut Meshes<'_>) -> Result<Mesh, Vec<Problem>> {
        meshes.of_shape(&self.described().shape, self.shape_path).map_err(|p| vec![p])
    }

    /// The surface of the shape; of a solid, its boundary.
    fn surface(&self, meshes: &mut Meshes<'_>) -> Result<Surface, Vec<Problem>> {
        let mesh = self.mesh(meshes)?;
        let boundary = match &mesh {
            Mesh::Solid(solid) => Some(solid.surface().vertices),
            Mesh::Surface(_) | Mesh::Curves(_) => None,
        };
        Ok(Surface { mesh: mesh.into_surface(), boundary })
    }

    fn solid(
        &self,
        material: &Material,
        elements: Elements,
        meshes: &mut Meshes<'_>,
    ) -> Result<Meshed, Vec<Problem>> {
        let (described, path) = (self.described(), self.path);
        let Mesh::Solid(shape) = self.mesh(meshes)? else {
            return Err(vec![no_tetrahedra_problem(described, self.shape_path)]);
        };
        let original = meshes.original(&described.shape, self.shape_path).map_err(|p| vec![p])?;
        let (groups, fields) = meshes.parts(&described.shape);
        let vertex_fields = meshes.vertex_fields(&described.shape);
        let factors = painted::element_factors(described, vertex_fields, &shape.tets, path);
        let factors = factors.map_err(|p| vec![p])?;
        let file_data = (shape.tets.len(), groups, (fields, meshes.units()), factors);
        let materials = ElementMaterials::new(self.expanded, material, file_data, path)?;
        let curved = match elements {
            Elements::Quadratic => meshes.curved_edges(&described.shape, &shape),
            Elements::Linear | Elements::StraightQuadratic => CurvedEdges::new(),
        };
        let elastic = (materials, elements);
        Ok(discretise_solid(described, elastic, (shape, curved), original, path)?.into())
    }

    fn affine(&self, material: &Material, meshes: &mut Meshes<'_>) -> Result<Meshed, Vec<Problem>> {
        let (described, path) = (self.described(), self.path);
        if let Model::Linear { .. } = material.model {
            let message = format!(
                "\"{}\" is affine, and turns: linear elasticity resists rotations",
                described.name
            );
            let help = "use `StVK` or `NeoHookean`";
            return Err(vec![error(format!("{path}.material"), message, help)]);
        }
        let prototype = meshes.affine_prototype(self.expanded, path)?;
        let discretisation = prototype.place(described, material, path)?;
        Ok(Meshed { discretisation, boundary: prototype.boundary.clone() })
    }

    fn shell(&self, shell: &Shell, meshes: &mut Meshes<'_>) -> Result<Meshed, Vec<Problem>> {
        let (described, path) = (self.described(), self.path);
        let Surface { mesh, boundary } = self.surface(meshes)?;
        let mut stiffness = shell::ShellStiffness::new(shell, &self.expanded.layers, path)?;
        // On the boundary of a solid, the groups of the file are groups of tetrahedra.
        let no_groups = Groups::new();
        let groups = if boundary.is_some() { &no_groups } else { meshes.parts(&described.shape).0 };
        let fields = meshes.vertex_fields(&described.shape);
        let fields = painted::node_fields(fields, &Elastic::Nothing, boundary.as_deref());
        let ratios = shell_thickness::thickness_ratios(
            described,
            shell.thickness,
            &mesh.triangles,
            (groups, &fields),
            path,
        );
        let ratios = ratios.map_err(|p| vec![p])?;
        stiffness.ratios.clone_from(&ratios);
        let sheet = Sheet {
            area_density: shell::area_density(described, shell, &self.expanded.layers),
            thickness: shell.thickness,
            ratios: ratios.as_deref(),
        };
        let elastic = Elastic::Shell(stiffness);
        let discretisation = shell::discretise(described, elastic, sheet, mesh, path)?;
        Ok(Meshed { discretisation, boundary })
    }
}

/// Transfers groups, vertex data and the numbers of vertices of the mesh file to the nodes.
fn transfer_file_data(
    described: &Described,
    meshes: &Meshes<'_>,
    boundary: Option<&[u32]>,
    discretisation: &mut Discretisation,
) {
    let elastic = &discretisation.elastic;
    let (file_groups, _) = meshes.parts(&described.shape);
    let groups = nodes_of_groups(elastic, file_groups, boundary);
    let element_groups = match elastic {
        Elastic::Affine(..) => Vec::new(),
        _ if boundary.is_some() => Vec::new(),
        _ => elements_of_groups(file_groups),
    };
    let fields = meshes.vertex_fields(&described.shape);
    let fields = painted::node_fields(fields, elastic, boundary);
    let vertex_map = meshes.vertex_map(&described.shape);
    let vertex_map = vertex_map.map(|map| to_node_map(map, elastic, boundary));
    discretisation.units = meshes.units();
    discretisation.groups = groups;
    discretisation.element_groups = element_groups;
    discretisation.fields = fields;
    discretisation.vertex_map = vertex_map;
}

/// Moves the nodes to the described displacement from their placed positions.
fn displace(
    described: &Described,
    discretisation: &mut Discretisation,
    path: &str,
) -> Result<(), Vec<Problem>> {
    let Some(displacement) = &described.displacement else { return Ok(()) };
    let Discretisation { placed, start, elastic, tets, units, .. } = discretisation;
    let path = format!("{path}.displacement");
    let displaced = evaluated::displaced_positions(displacement, (placed, start), *units, &path);
    *start = displaced.map_err(|p| vec![p])?;
    let help = "displace neighbouring nodes more alike, or divide the body into finer cells";
    refuse_inverted(described, elastic, [placed, start], tets, (&path, help))
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
        concerns_steps: false,
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

/// The elements of each group that has any.
fn elements_of_groups(groups: &Groups) -> Vec<(String, Vec<u32>)> {
    let groups = groups.iter().filter(|(_, group)| !group.elements.is_empty());
    groups.map(|(name, group)| (name.clone(), group.elements.clone())).collect()
}

/// The message for a solid whose file has no tetrahedra.
fn no_tetrahedra_problem(described: &Described, path: &str) -> Problem {
    let message =
        format!("\"{}\" is a surface, which has no inside to be an elastic solid", described.name);
    error(path, message, "add `kind: Affine` or `kind: Shell(thickness: ...)`, or fill it")
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
        element_groups: Vec::new(),
        vertex_map: None,
        units: Units::default(),
        fields: BTreeMap::new(),
    })
}
