//! Assembles nodes, masses, terms and the initial state of a described body.

use super::discretisation::{Discretisation, Elastic, Skin};
use super::discretise::discretise;
use super::element_materials::unknown_group_problem;
use super::evaluated::Evaluated;
use super::holds;
use super::implausible_springs::attachment_problems;
use super::motion::motion_of;
use super::painted;
use super::probes::{self, ProbeSite};
use super::rod;
use super::shape::Meshes;
use super::terms::{add_damping, add_terms, drawn_lines};
use super::ties::PendingTies;
use super::{BodyMesh, error, path_of};
use resile_contact::{CollisionMesh, Embedding};
use resile_energy::{AffineBody, Air, Anchor, Attachment, Gravity, Schedule, Spring, Wind};
use resile_math::{Aabb, Vec3};
use resile_mesh::is_straight;
use resile_scene::description::{
    Attachment as DescribedAttachment, Body as Described, Elements, ExpandedBody, FlightRule,
    Formula, Problem, Region, Scene, VelocityField,
};
use resile_system::{Body, Dissipation, Energy, Flight, Motion, State};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A placed body with its initial state.
#[derive(Debug)]
pub(super) struct PlacedBody {
    pub(super) body: Body,
    pub(super) state: State,
    /// Rest positions of the nodes: placed and undeformed (m).
    pub(super) rest: Vec<Vec3>,
    pub(super) tets: Vec<[u32; 4]>,
    /// The kind of elements, if the body is a solid.
    pub(super) elements: Elements,
    /// The nodes of quadratic elements.
    pub(super) quadratic: Vec<[u32; 10]>,
    /// The elements of each group of the mesh file.
    pub(super) element_groups: Vec<(String, Vec<u32>)>,
    /// The segments of rods and springs to be drawn.
    pub(super) lines: Vec<[u32; 2]>,
    /// The radius of rods (m).
    pub(super) rod_radius: Option<f64>,
    pub(super) triangles: Arc<[[u32; 3]]>,
    /// The surface for contact.
    pub(super) surface: Arc<CollisionMesh>,
    /// Thickness of the surface for contact (m).
    pub(super) thickness: f64,
    /// The rest state of an affine body.
    pub(super) affine: Option<AffineBody>,
    /// The surface that is drawn instead of the one for contact.
    pub(super) skin: Option<Arc<Skin>>,
    /// The sites of the probes of this body, each with the index of the probe in the scene.
    pub(super) sites: Vec<(usize, ProbeSite)>,
    /// Ties to other bodies and obstacles, which are resolved once all bodies are placed.
    pub(super) ties: PendingTies,
    /// The expressions of position in the description, for checks over time.
    pub(super) evaluated: Vec<Evaluated>,
    /// Whether the state is that of another run, so that the placement has no effect.
    pub(super) is_continued: bool,
}

impl PlacedBody {
    /// The mesh for output: elements, surface, lines and isolated points, with rest positions.
    pub(super) fn mesh(&self) -> BodyMesh {
        let node_count = self.body.node_count();
        let mut isolated = vec![self.tets.is_empty() && self.triangles.is_empty(); node_count];
        self.lines.as_flattened().iter().for_each(|&node| isolated[node as usize] = false);
        BodyMesh {
            name: self.body.name.clone(),
            tets: self.tets.clone(),
            elements: self.elements,
            quadratic: self.quadratic.clone(),
            curved: self.quadratic.iter().filter(|e| !is_straight(&self.rest, e)).count(),
            triangles: self.triangles.clone(),
            element_groups: self.element_groups.clone(),
            lines: self.lines.clone(),
            rod_radius: self.rod_radius,
            points: (0..node_count as u32).filter(|&node| isolated[node as usize]).collect(),
            surface: self.surface.clone(),
            rest_lengths: self.rest_lengths(),
            rest: self.surface.points(&self.rest).into_owned(),
            affine: self.affine,
            skin: self.skin.clone(),
            samples: match self.body.prescribed.first().map(|first| &first.motion) {
                Some(Motion::Sampled { samples, .. }) if self.body.is_kinematic() => {
                    Some(samples.clone())
                }
                _ => None,
            },
        }
    }

    /// The body and its initial state.
    pub(super) fn into_parts(self) -> (Body, State) {
        (self.body, self.state)
    }
}

/// Creates the nodes of the body, deforms and places them, and adds its terms.
pub(super) fn place_body(
    expanded: &ExpandedBody,
    scene: &Scene,
    meshes: &mut Meshes<'_>,
) -> Result<PlacedBody, Vec<Problem>> {
    let path = path_of(expanded);
    let described = &expanded.body;
    let mut discretisation = discretise(expanded, meshes)?;
    rod::clamp(described, &mut discretisation, &path)?;
    rod::refuse_without_contact(scene, described, &discretisation, &path)?;
    let velocities = initial_velocities(described, &discretisation, &path)?;
    let mut body = Body::new(&described.name, discretisation.masses.clone());
    let elastic = discretisation.elastic_energies(&path)?.into_iter();
    body.energies = elastic.chain(gravity_energy(scene, &body.masses)?).map(Arc::from).collect();
    let mut evaluated = Vec::new();
    let prescribed =
        holds::dirichlet_conditions(described, &discretisation, &path, &mut evaluated)?;
    body = add_terms(body, described, &discretisation, &prescribed, &path, &mut evaluated)?;
    body = add_damping(body, expanded, &discretisation, &path)?;
    body.dissipations.extend(wind_drag(scene, &discretisation).map(Arc::from));
    body = add_attachments(body, described, &discretisation, &path, &mut evaluated)?;
    for problem in attachment_problems(expanded, scene, &discretisation) {
        meshes.note(Some(problem));
    }
    body.prescribed = prescribed;
    body.wave_speed = wave_speed(&discretisation.elastic);
    let state = initial_state(&body, &discretisation, velocities);
    let lines = drawn_lines(described, &discretisation);
    let sites = probes::sites(scene, &described.name, &discretisation)?;
    let ties = PendingTies::new(scene, described, &discretisation, &path).map_err(|p| vec![p])?;
    let Discretisation {
        placed: rest,
        elastic,
        tets,
        triangles,
        element_groups,
        surface,
        thickness,
        skin,
        ..
    } = discretisation;
    let (mut rod_radius, mut quadratic, mut affine) = (None, Vec::new(), None);
    match elastic {
        Elastic::Rod(rod) => rod_radius = Some(rod.radius()),
        Elastic::Quadratic(_, elements) => quadratic = elements,
        Elastic::Affine(frame, _) => affine = Some(frame),
        Elastic::Nothing | Elastic::Tets(_) | Elastic::Shell(_) | Elastic::Springs(_) => {}
    }
    if scene.flight == FlightRule::Exact {
        body.falls = true;
        if affine.is_some() && described.attach.is_empty() {
            body.flight = Flight::Rigid;
        }
    }
    Ok(PlacedBody {
        body,
        state,
        rest,
        tets,
        elements: described.elements,
        quadratic,
        element_groups,
        lines,
        rod_radius,
        triangles,
        surface,
        thickness,
        affine,
        skin: skin.map(Arc::new),
        sites,
        ties,
        evaluated,
        is_continued: false,
    })
}

/// The state at the start: the velocities of prescribed motions replace the held components of `velocities` (m/s).
fn initial_state(body: &Body, discretisation: &Discretisation, velocities: Vec<Vec3>) -> State {
    let mut state = State::new(0.0, discretisation.start.clone(), velocities);
    for prescribed in &body.prescribed {
        let prescribed_velocity = prescribed.motion.initial_velocity(prescribed.start);
        let velocity = &mut state.velocities[prescribed.node];
        *velocity = prescribed.held.rest(*velocity) + prescribed.held.part(prescribed_velocity);
    }
    state
}

/// The speed (m/s) of shear waves in a solid; infinite in an affine body, zero in thin bodies and particles.
fn wave_speed(elastic: &Elastic) -> f64 {
    match elastic {
        Elastic::Tets(materials) | Elastic::Quadratic(materials, _) => materials.shear_wave_speed,
        Elastic::Affine(..) => f64::INFINITY,
        Elastic::Nothing | Elastic::Shell(_) | Elastic::Springs(_) | Elastic::Rod(_) => 0.0,
    }
}

/// The energy of gravity; `None` if gravity is zero at all times.
fn gravity_energy(scene: &Scene, masses: &[f64]) -> Result<Option<Box<dyn Energy>>, Vec<Problem>> {
    let changes = scene.gravity_changes.iter();
    let changes = changes.map(|change| (change.start, Vec3::from_array(change.gravity)));
    let schedule = Schedule::changing(Vec3::from_array(scene.gravity), changes.collect())
        .map_err(|e| vec![error("gravity_changes", e, "correct the times")])?;
    if schedule.values().all(|gravity| gravity == Vec3::ZERO) {
        return Ok(None);
    }
    Ok(Some(Box::new(Gravity::scheduled(masses.to_vec(), schedule))))
}

/// The drag of the wind on a shell, cloth or rod; `None` for other bodies and scenes without wind.
fn wind_drag(scene: &Scene, discretisation: &Discretisation) -> Option<Box<dyn Dissipation>> {
    let described = scene.wind?;
    let air = Air {
        velocity: Vec3::from_array(described.velocity),
        density: described.density,
        drag: described.drag,
        friction: described.friction,
    };
    let rest = &discretisation.placed;
    match &discretisation.elastic {
        Elastic::Shell(_) | Elastic::Springs(_) => {
            Some(Box::new(Wind::new(discretisation.triangles.to_vec(), rest, air)))
        }
        Elastic::Rod(rod) => {
            let segments = rod.rods.edges().collect();
            Some(Box::new(Wind::around_rods(segments, rest, 2.0 * rod.radius(), air)))
        }
        _ => None,
    }
}

/// Initial velocities (m/s) of the nodes.
fn initial_velocities(
    described: &Described,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Vec<Vec3>, Vec<Problem>> {
    let Discretisation { start, masses, placed, units, .. } = discretisation;
    let mass: f64 = masses.iter().sum();
    let moment: Vec3 = start.iter().zip(masses).map(|(x, m)| *m * *x).sum();
    let mut velocities = described.initial_velocities(start, moment / mass);
    for (velocity, addend) in velocities.iter_mut().zip(&described.velocities) {
        *velocity += Vec3::from_array(*addend);
    }
    let Some(VelocityField::Expression(formulas)) = &described.velocity_field else {
        return Ok(velocities);
    };
    let field = Formula::field(formulas, *units, "m/s");
    for (velocity, position) in velocities.iter_mut().zip(placed) {
        let addend = Vec3::from_array(field.at(position.to_array(), 0.0));
        if !addend.is_finite() {
            let message =
                format!("the velocity at {} is not finite", units.point(position.to_array()));
            let path = format!("{path}.velocity_field");
            return Err(vec![error(path, message, "correct the expression")]);
        }
        *velocity += addend;
    }
    Ok(velocities)
}

/// The nodes of a region, by their positions before deformation.
pub(super) fn nodes_in_region(
    region: &Region,
    discretisation: &Discretisation,
    path: String,
) -> Result<Vec<usize>, Problem> {
    let placed = &discretisation.placed;
    let nodes: Vec<usize> = match region {
        // The corners of an embedded surface are not nodes.
        Region::Boundary if discretisation.surface.embedding().is_some() => Vec::new(),
        Region::Boundary => nodes_on_open_edges(&discretisation.triangles),
        Region::Group(name) => nodes_of_group(name, discretisation, &path)?.clone(),
        Region::Painted { data, threshold } => {
            nodes_above_threshold(data, *threshold, discretisation, &path)?
        }
        Region::Nodes(file_indices) if let Some(map) = &discretisation.vertex_map => {
            map.nodes(file_indices, &path)?
        }
        _ => region.among(placed),
    };
    refuse_missing_nodes(region, discretisation, placed.len(), &path)?;
    if nodes.is_empty() && *region == Region::Boundary {
        let message = "the body has no open edges";
        return Err(error(path, message, "only surfaces have; choose a region of space"));
    }
    if nodes.is_empty() {
        let bounds = Aabb::around(placed).unwrap_or(Aabb { min: Vec3::ZERO, max: Vec3::ZERO });
        let reach = discretisation.units.reach(bounds);
        let help = format!("the body reaches {reach}, before any deformation");
        return Err(error(path, "the region holds no node of the body", help));
    }
    Ok(nodes)
}

/// The nodes of a group; for an affine body the points of its surface.
pub(super) fn nodes_of_group<'a>(
    name: &str,
    discretisation: &'a Discretisation,
    path: &str,
) -> Result<&'a Vec<usize>, Problem> {
    let groups = &discretisation.groups;
    groups.get(name).ok_or_else(|| unknown_group_problem(name, groups.keys(), path.to_owned()))
}

/// The nodes whose value in vertex data of the file is at least a threshold; for an affine body the points of its
/// surface.
fn nodes_above_threshold(
    data: &str,
    threshold: f64,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Vec<usize>, Problem> {
    let values = painted::values_of(&discretisation.fields, data, path)?;
    Ok((0..values.len()).filter(|&node| values[node] >= threshold).collect())
}

/// Refuses a region with the index of a node that does not exist, for bodies whose mesh is not from a file. For
/// others [`FileVertexMap::nodes`](super::file_numbers::FileVertexMap::nodes) does.
fn refuse_missing_nodes(
    region: &Region,
    discretisation: &Discretisation,
    count: usize,
    path: &str,
) -> Result<(), Problem> {
    let Region::Nodes(nodes) = region else { return Ok(()) };
    if discretisation.vertex_map.is_some() {
        return Ok(());
    }
    match nodes.iter().find(|node| **node as usize >= count) {
        None => Ok(()),
        Some(node) => {
            let help = format!("the body has {count}, from 0");
            Err(error(path.to_owned(), format!("there is no node {node}"), help))
        }
    }
}

/// The indices of the surface points of an affine body in a region; `positions` are the rest positions of all points
/// (m).
pub(super) fn surface_points_in_region(
    region: &Region,
    discretisation: &Discretisation,
    positions: &[Vec3],
    path: &str,
) -> Result<Vec<usize>, Problem> {
    refuse_missing_nodes(region, discretisation, positions.len(), path)?;
    match region {
        Region::Group(name) => Ok(nodes_of_group(name, discretisation, path)?.clone()),
        Region::Painted { data, threshold } => {
            nodes_above_threshold(data, *threshold, discretisation, path)
        }
        Region::Nodes(file_indices) if let Some(map) = &discretisation.vertex_map => {
            map.nodes(file_indices, path)
        }
        _ => Ok(region.among(positions)),
    }
}

/// The points of a region to which springs can be tied, with their indices: nodes, or surface points of an affine body.
pub(super) fn anchors_in_region(
    region: &Region,
    discretisation: &Discretisation,
    path: String,
) -> Result<Vec<(usize, Anchor)>, Problem> {
    // An embedded surface without tetrahedra is that of an affine body; solids are tied at nodes.
    let Some(embedding) =
        discretisation.surface.embedding().filter(|_| discretisation.tets.is_empty())
    else {
        let nodes = nodes_in_region(region, discretisation, path)?;
        return Ok(nodes.into_iter().map(|node| (node, Anchor::from(node))).collect());
    };
    let positions = discretisation.surface.points(&discretisation.placed);
    let anchor = |e: &Embedding| {
        Anchor::new(e.nodes.iter().map(|&node| node as usize).zip(e.weights).collect())
    };
    let points = surface_points_in_region(region, discretisation, &positions, &path)?;
    let anchors: Vec<(usize, Anchor)> =
        points.into_iter().map(|point| (point, anchor(&embedding[point]))).collect();
    if anchors.is_empty() {
        let help = "regions choose points of its surface";
        return Err(error(path, "the region holds no point of the body", help));
    }
    Ok(anchors)
}

/// The points of an attachment and the stiffness of the spring at each (N/m), without points of zero weight.
pub(super) fn tied_points(
    attachment: &DescribedAttachment,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Vec<(Anchor, f64)>, Problem> {
    let points = anchors_in_region(&attachment.region, discretisation, format!("{path}.region"))?;
    let stiffness = attachment.stiffness;
    let Some(map) = &attachment.weight_map else {
        return Ok(points.into_iter().map(|(_, point)| (point, stiffness)).collect());
    };
    let path = format!("{path}.weight_map");
    let weights = painted::map_factors(map, &discretisation.fields, &path)?;
    if let Some((node, _)) =
        points.iter().find(|(node, _)| weights[*node].is_nan() || weights[*node] < 0.0)
    {
        let message = format!("the weight of node {node} would be {}", weights[*node]);
        return Err(error(
            path,
            message,
            "it must be zero or positive: correct the map or its data",
        ));
    }
    let weighted = points.into_iter().map(|(node, point)| (point, stiffness * weights[node]));
    let tied: Vec<(Anchor, f64)> = weighted.filter(|(_, stiffness)| *stiffness > 0.0).collect();
    match tied.is_empty() {
        true => Err(error(path, "all weights are zero", "choose other data, or another region")),
        false => Ok(tied),
    }
}

/// Adds the springs of attachments with a motion. Those to other bodies are ties.
fn add_attachments(
    mut body: Body,
    described: &Described,
    discretisation: &Discretisation,
    path: &str,
    evaluated: &mut Vec<Evaluated>,
) -> Result<Body, Vec<Problem>> {
    let start = &discretisation.start;
    for (k, attachment) in described.attach.iter().enumerate() {
        let Some(motion) = &attachment.motion else { continue };
        let points = tied_points(attachment, discretisation, &format!("{path}.attach[{k}]"))
            .map_err(|p| vec![p])?;
        let motion = motion_of(motion, discretisation.units);
        // A displacement applies to rest positions, any other motion to initial positions.
        let reference = match &motion {
            Motion::Displaced(field) => {
                let positions = points.iter().map(|(point, _)| point.at(&discretisation.placed));
                let path = format!("{path}.attach[{k}].motion");
                evaluated.push(Evaluated::at_nodes(path, field.clone(), positions.collect()));
                &discretisation.placed
            }
            _ => start,
        };
        let spring = |(point, stiffness): (Anchor, f64)| Spring {
            start: point.at(reference),
            point,
            motion: motion.clone(),
            stiffness,
        };
        let springs = points.into_iter().map(spring).collect();
        let term = Attachment::new(start.len(), springs)
            .map_err(|e| vec![error(format!("{path}.attach[{k}]"), e, "correct the attachment")])?;
        body = body.with(term);
    }
    Ok(body)
}

/// The nodes of edges that belong to only one triangle, in ascending order.
fn nodes_on_open_edges(triangles: &[[u32; 3]]) -> Vec<usize> {
    let mut triangle_counts: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for [a, b, c] in triangles {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            *triangle_counts.entry([*i.min(j), *i.max(j)]).or_default() += 1;
        }
    }
    let nodes_of_open_edges =
        triangle_counts.into_iter().filter(|(_, count)| *count == 1).flat_map(|(edge, _)| edge);
    nodes_of_open_edges.map(|node| node as usize).collect::<BTreeSet<_>>().into_iter().collect()
}
