//! What a shape gives a body: nodes, masses, elasticity and a surface.

use super::affine;
use super::shape::{Mesh, Meshes};
use super::shell::{self, Sheet};
use super::{error, path_of};
use crate::description::{
    Body as Described, Deformation, Elements, ExpandedBody, Material as MadeOf, Model, Placement,
    Problem, Shape, TypedBody, implausible_size,
};
use resile_contact::{CollisionMesh, Embedding};
use resile_energy::{
    AffineBody, ClothStiffness, ElementError, Fibre, Lame, Material, QuadraticTetElasticity,
    TetElasticity,
};
use resile_math::{Aabb, Vec3};
use resile_mesh::{Location, TetMesh, TriMesh};
use resile_system::Energy;

/// The nodes of a body and what is between them.
pub(super) struct Discretisation {
    /// Rest positions of the nodes in their place, undeformed (m).
    pub(super) placed: Vec<Vec3>,
    /// Positions at the start (m).
    pub(super) start: Vec<Vec3>,
    /// Mass of each node (kg).
    pub(super) masses: Vec<f64>,
    /// What resists deformation.
    pub(super) elastic: Elastic,
    /// The surface for contact; of particles, which have none, one without triangles.
    pub(super) surface: CollisionMesh,
    /// The tetrahedra of a solid; of quadratic elements eight pieces each.
    pub(super) tets: Vec<[u32; 4]>,
    /// Of a surface, over the points of `surface`; of a solid those that are drawn in place
    /// of its elements.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Thickness of the surface (m).
    pub(super) thickness: f64,
}

/// What keeps a body together.
pub(super) enum Elastic {
    /// Of particles: only what `terms` say.
    Nothing,
    Tets(Material),
    /// With the ten nodes of each element.
    Quadratic(Material, Vec<[u32; 10]>),
    Affine(AffineBody, Material),
    Shell(shell::ShellStiffness),
    Springs(shell::Cloth),
}

impl Discretisation {
    /// The elastic energies, made anew at each call: damping takes them once more.
    pub(super) fn elastic_energies(
        &self,
        path: &str,
    ) -> Result<Vec<Box<dyn Energy>>, Vec<Problem>> {
        match &self.elastic {
            Elastic::Nothing => Ok(Vec::new()),
            Elastic::Tets(law) => {
                let made = TetElasticity::new(&self.placed, &self.tets, *law);
                Ok(vec![Box::new(made.map_err(|e| vec![unfit_mesh(path, e)])?)])
            }
            Elastic::Quadratic(law, elements) => {
                let made = QuadraticTetElasticity::new(&self.placed, elements, *law);
                Ok(vec![Box::new(made.map_err(|e| vec![unfit_mesh(path, e)])?)])
            }
            Elastic::Affine(body, law) => Ok(vec![Box::new(body.elasticity(*law))]),
            Elastic::Shell(shell) => shell.energies(&self.placed, &self.triangles, path),
            Elastic::Springs(cloth) => cloth.energies(&self.placed, &self.triangles, path),
        }
    }
}

/// Makes the nodes of a body.
pub(super) fn discretise(
    expanded: &ExpandedBody,
    meshes: &mut Meshes<'_>,
) -> Result<Discretisation, Vec<Problem>> {
    let path = path_of(expanded);
    let described = &expanded.body;
    let shape_path = format!("{path}.shape");
    let mut shape = || meshes.of_shape(&described.shape, &shape_path).map_err(|p| vec![p]);
    let discretisation = match &expanded.typed {
        TypedBody::Solid { material, elements } => {
            let Mesh::Solid(shape) = shape()? else {
                return Err(vec![hollow(described, &shape_path)]);
            };
            let skin = meshes.original(&described.shape, &shape_path).map_err(|p| vec![p])?;
            solid(described, (material, *elements), shape, skin, &path)
        }
        TypedBody::Affine { material } => {
            affine::discretise(described, material, shape()?.into_surface(), &path)
        }
        TypedBody::Shell(shell) => {
            let elastic = Elastic::Shell(shell::ShellStiffness::new(shell, &path)?);
            let sheet = Sheet { area_density: shell.area_density, thickness: shell.thickness };
            shell::discretise(described, elastic, sheet, shape()?.into_surface(), &path)
        }
        &TypedBody::Cloth { area_density, structural, shear, bending, law } => {
            let cloth = shell::Cloth::new(ClothStiffness { structural, shear, bending }, law);
            let sheet = Sheet { area_density, thickness: 0.0 };
            let shape = shape()?.into_surface();
            shell::discretise(described, Elastic::Springs(cloth), sheet, shape, &path)
        }
        TypedBody::Particles { positions, masses } => {
            of_particles(described, positions, masses, &path)
        }
    }?;
    if let Shape::File(_) | Shape::Fill { .. } = described.shape {
        // Of other shapes the description tells how large they are.
        let size =
            Aabb::around(&discretisation.surface.points(&discretisation.placed)).map(|b| b.size());
        let size = size.map_or(0.0, Vec3::max_element);
        meshes.note(implausible_size(&path, &described.name, size));
    }
    Ok(discretisation)
}

/// The file had tetrahedra by its name.
fn hollow(described: &Described, path: &str) -> Problem {
    let message =
        format!("\"{}\" is a surface, which has no inside to be an elastic solid", described.name);
    error(path, message, "add `kind: Affine` or `kind: Shell(thickness: ...)`, or fill it")
}

/// A solid whose surface is its boundary, or `skin`.
fn solid(
    described: &Described,
    (made_of, elements): (&MadeOf, Elements),
    shape: TetMesh,
    skin: Option<TriMesh>,
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let material = law(&made_of.model, &described.placement, path)?;
    let PlacedSolid { shape, rest, masses, elastic } = match elements {
        Elements::Linear => linear(described, shape, made_of.density, material),
        Elements::Quadratic => quadratic(described, &shape, made_of.density, material),
    };
    let start = deformed(described, &shape.positions);
    let skin = skin.map(|skin| embedded(&shape, skin, described, path)).transpose()?;
    let inverted = inverted(&elastic, &rest, &start).map_err(|e| vec![unfit_mesh(path, e)])?;
    refuse_inverted(&inverted, described, path)?;
    let (surface, triangles) = match skin {
        Some(skin) => skin,
        None => {
            let triangles = &rest.surface().triangles;
            (contact_surface(&rest.positions, triangles, path)?, Vec::new())
        }
    };
    let TetMesh { positions: placed, tets } = rest;
    let thickness = described.contact_thickness.unwrap_or(0.0);
    Ok(Discretisation { placed, start, masses, elastic, surface, tets, triangles, thickness })
}

/// A solid with the nodes of its elements.
struct PlacedSolid {
    /// Before placement.
    shape: TetMesh,
    /// In its place, with the same tetrahedra.
    rest: TetMesh,
    masses: Vec<f64>,
    elastic: Elastic,
}

fn linear(described: &Described, shape: TetMesh, density: f64, material: Material) -> PlacedSolid {
    let rest = in_place(described, &shape);
    let masses = rest.node_masses(density);
    PlacedSolid { shape, rest, masses, elastic: Elastic::Tets(material) }
}

fn quadratic(
    described: &Described,
    shape: &TetMesh,
    density: f64,
    material: Material,
) -> PlacedSolid {
    let mesh = in_place(described, shape).quadratic();
    let rest = mesh.refined();
    let shape = TetMesh { positions: shape.quadratic().positions, tets: rest.tets.clone() };
    let masses = mesh.node_masses(density);
    PlacedSolid { shape, rest, masses, elastic: Elastic::Quadratic(material, mesh.elements) }
}

fn in_place(described: &Described, shape: &TetMesh) -> TetMesh {
    TetMesh { positions: placed(described, &shape.positions), tets: shape.tets.clone() }
}

/// The elements that are turned inside out at `start`, each with its det F or a lower bound of it.
fn inverted(
    elastic: &Elastic,
    rest: &TetMesh,
    start: &[Vec3],
) -> Result<Vec<(usize, f64)>, ElementError> {
    match elastic {
        Elastic::Tets(law) => {
            Ok(TetElasticity::new(&rest.positions, &rest.tets, *law)?.inverted(start))
        }
        Elastic::Quadratic(law, elements) => {
            Ok(QuadraticTetElasticity::new(&rest.positions, elements, *law)?.inverted(start))
        }
        Elastic::Nothing | Elastic::Affine(..) | Elastic::Shell(_) | Elastic::Springs(_) => {
            Ok(Vec::new())
        }
    }
}

/// The surface of nodes for contact.
pub(super) fn contact_surface(
    rest: &[Vec3],
    triangles: &[[u32; 3]],
    path: &str,
) -> Result<CollisionMesh, Vec<Problem>> {
    let made = CollisionMesh::new(rest, triangles);
    made.map_err(|e| vec![error(format!("{path}.shape"), e, "mend the surface of the mesh")])
}

/// A surface around a solid, and its triangles: each point follows the element that
/// holds it, or the nearest, before placement.
fn embedded(
    shape: &TetMesh,
    skin: TriMesh,
    described: &Described,
    path: &str,
) -> Result<(CollisionMesh, Vec<[u32; 3]>), Vec<Problem>> {
    let found = shape.locate(&skin.positions);
    let follow = |place: Location| Embedding {
        nodes: shape.tets[place.tet as usize],
        weights: place.weights,
    };
    let embedding = found.into_iter().map(follow).collect();
    let skin = placed_surface(described, skin);
    let nodes = shape.positions.len();
    let surface = CollisionMesh::embedded(&skin.positions, &skin.triangles, embedding, nodes)
        .map_err(|e| vec![error(format!("{path}.shape"), e, "mend the surface")])?;
    Ok((surface, skin.triangles))
}

fn unfit_mesh(path: &str, e: ElementError) -> Problem {
    error(format!("{path}.shape"), e, "mend the mesh or the placement")
}

fn of_particles(
    described: &Described,
    positions: &[[f64; 3]],
    masses: &[f64],
    path: &str,
) -> Result<Discretisation, Vec<Problem>> {
    let points: Vec<Vec3> = positions.iter().copied().map(Vec3::from_array).collect();
    let start = deformed(described, &points);
    refuse_not_finite(described, &start, path)?;
    let placed = placed(described, &points);
    let surface = CollisionMesh::new(&placed, &[]).map_err(|e| vec![error(path, e, "")])?;
    Ok(Discretisation {
        placed,
        start,
        masses: masses.to_vec(),
        elastic: Elastic::Nothing,
        surface,
        tets: Vec::new(),
        triangles: Vec::new(),
        thickness: 0.0,
    })
}

/// Refuses a start that is not finite. Twisting and bending divide by the extent along an
/// axis, which particles and sheets that lie in a plane may not have.
pub(super) fn refuse_not_finite(
    described: &Described,
    start: &[Vec3],
    path: &str,
) -> Result<(), Vec<Problem>> {
    if start.iter().all(|x| x.is_finite()) {
        return Ok(());
    }
    let turns = |d: &Deformation| matches!(d, Deformation::Twist { .. } | Deformation::Bend { .. });
    let at = described.deform.iter().position(turns).unwrap_or(0);
    let message = format!("\"{}\" has no extent along the axis of the deformation", described.name);
    let help = "`Twist` and `Bend` need a shape that reaches along their axis";
    Err(vec![error(format!("{path}.deform[{at}]"), message, help)])
}

/// The shape in its place.
pub(super) fn placed(described: &Described, shape: &[Vec3]) -> Vec<Vec3> {
    shape.iter().map(|p| described.placement.apply(*p)).collect()
}

/// A surface in its place.
pub(super) fn placed_surface(described: &Described, shape: TriMesh) -> TriMesh {
    TriMesh { positions: placed(described, &shape.positions), ..shape }
}

/// Start positions: the shape deformed, then placed.
pub(super) fn deformed(described: &Described, shape: &[Vec3]) -> Vec<Vec3> {
    let mut points = shape.to_vec();
    for deformation in &described.deform {
        let Some(Aabb { min, max }) = Aabb::around(&points) else { break };
        points.iter_mut().for_each(|p| *p = deformation.apply(*p, min, max));
    }
    placed(described, &points)
}

/// The law of a solid or affine body.
pub(super) fn law(
    model: &Model,
    placement: &Placement,
    path: &str,
) -> Result<Material, Vec<Problem>> {
    let unfit = |e: &dyn ToString| {
        vec![error(format!("{path}.material"), e.to_string(), "mend the material")]
    };
    let lame = Lame::from_young_poisson(model.young(), model.poisson()).map_err(|e| unfit(&e))?;
    match *model {
        Model::NeoHookean { .. } => Ok(Material::NeoHookean(lame)),
        Model::Corotated { .. } => Ok(Material::Corotated(lame)),
        Model::StVK { .. } | Model::Orthogonal { .. } => Ok(Material::StVenantKirchhoff(lame)),
        Model::Fibre { stiffness, exponent, direction, .. } => {
            let placed = placement.apply_to_direction(Vec3::from_array(direction));
            let fibre = Fibre::new(lame, stiffness, exponent, placed).map_err(|e| unfit(&e))?;
            Ok(Material::Fibre(fibre))
        }
    }
}

/// A start state in which elements are turned inside out has no way back for
/// some materials and a wrong one for all.
fn refuse_inverted(
    inverted: &[(usize, f64)],
    described: &Described,
    path: &str,
) -> Result<(), Vec<Problem>> {
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
    Err(vec![error(format!("{path}.deform"), message, "deform the body less, or in finer cells")])
}
