//! Probes and the nodes that they follow.

use super::body::{PlacedBody, nodes_in_region, surface_points_in_region};
use super::discretisation::{Discretisation, Elastic};
use super::error;
use resile_contact::Embedding;
use resile_math::{Aabb, Mat3, Vec3};
use resile_scene::description::{Probe, ProbePlace, Problem, Region, Scene, nearest};
use resile_system::Body;

/// A probe in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedProbe {
    /// Its name.
    pub name: String,
    /// The index of its body in the world.
    pub body: usize,
    /// The part of the body.
    pub site: ProbeSite,
    /// Rest position (m).
    pub rest: Vec3,
}

/// The part of a body that a probe follows.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbeSite {
    /// A point between nodes, as their weighted mean.
    Mixture(Vec<(usize, f64)>),
    /// Several nodes.
    Nodes(Vec<usize>),
    /// The whole body.
    Whole,
}

impl ProbeSite {
    /// The mean of vectors of the nodes of a body: that of the weights of a mixture, or of the masses of several nodes.
    pub fn mean(&self, masses: &[f64], values: &[Vec3]) -> Vec3 {
        let mass_mean = |nodes: &mut dyn Iterator<Item = usize>| {
            let (mut weighted_sum, mut mass, mut sum, mut count) =
                (Vec3::ZERO, 0.0, Vec3::ZERO, 0.0);
            for node in nodes {
                weighted_sum += masses[node] * values[node];
                mass += masses[node];
                sum += values[node];
                count += 1.0;
            }
            // Prescribed nodes may have no mass.
            if mass > 0.0 { weighted_sum / mass } else { sum / count }
        };
        match self {
            Self::Mixture(mixture) => {
                mixture.iter().map(|(node, weight)| *weight * values[*node]).sum()
            }
            Self::Nodes(nodes) => mass_mean(&mut nodes.iter().copied()),
            Self::Whole => mass_mean(&mut (0..values.len())),
        }
    }
}

/// Tolerance of the distance of a point from a body, relative to the size, for rounded coordinates.
const OUTSIDE_TOLERANCE: f64 = 1e-6;

/// The sites of the probes on a body, each with the index of the probe in `output.probes`.
pub(super) fn sites(
    scene: &Scene,
    body: &str,
    discretisation: &Discretisation,
) -> Result<Vec<(usize, ProbeSite)>, Vec<Problem>> {
    let probes =
        scene.output.probes.iter().enumerate().filter(|(_, probe)| probe.at.body() == body);
    let site = |index: usize, at: &ProbePlace| {
        let path = format!("output.probes[{index}].at");
        let site = match at {
            ProbePlace::Body(_) => ProbeSite::Whole,
            ProbePlace::Node { node, .. } => vertex_site(discretisation, *node, &path)?,
            ProbePlace::Point { point, .. } => {
                point_site(discretisation, Vec3::from_array(*point), &path)?
            }
            ProbePlace::Region { region, .. } => region_site(discretisation, region, path)?,
        };
        Ok((index, site))
    };
    probes
        .map(|(index, probe)| site(index, &probe.at))
        .collect::<Result<_, _>>()
        .map_err(|p| vec![p])
}

/// Errors of probes on missing bodies, or on a part of an obstacle.
pub(super) fn probe_problems(scene: &Scene, bodies: &[PlacedBody]) -> Vec<Problem> {
    let problem_of = |(index, probe): (usize, &Probe)| {
        let (body_name, path) = (probe.at.body(), format!("output.probes[{index}].at"));
        let names = || bodies.iter().map(|body| body.body.name.as_str());
        let Some(body) = bodies.iter().find(|body| body.body.name == body_name) else {
            let help = match nearest(body_name, names()) {
                Some(name) => format!("did you mean \"{name}\"?"),
                None => {
                    "name a body, a copy of a repeated one, or an obstacle that moves".to_owned()
                }
            };
            let message = format!("there is no body or moving obstacle \"{body_name}\"");
            return Some(error(path, message, help));
        };
        if body.site(index, &probe.at).is_some() {
            return None;
        }
        let message = format!("\"{body_name}\" is an obstacle, of which no parts are followed");
        Some(error(path, message, format!("write `Body({body_name:?})`")))
    };
    scene.output.probes.iter().enumerate().filter_map(problem_of).collect()
}

/// All probes of the scene with their sites.
pub(super) fn place_probes(scene: &Scene, bodies: &[PlacedBody]) -> Vec<PlacedProbe> {
    let place_probe = |(index, probe): (usize, &Probe)| {
        let body_index = bodies.iter().position(|body| body.body.name == probe.at.body())?;
        let PlacedBody { body: Body { masses, .. }, rest, .. } = &bodies[body_index];
        let site = bodies[body_index].site(index, &probe.at)?;
        let rest = site.mean(masses, rest);
        Some(PlacedProbe { name: probe.name.clone(), body: body_index, site, rest })
    };
    scene.output.probes.iter().enumerate().filter_map(place_probe).collect()
}

impl PlacedBody {
    /// The part of the body that the probe `index` of the scene follows. An obstacle can only be followed as a whole.
    fn site(&self, index: usize, at: &ProbePlace) -> Option<ProbeSite> {
        let site = self.sites.iter().find(|(probe, _)| *probe == index);
        let site = site.map(|(_, site)| site.clone());
        site.or_else(|| matches!(at, ProbePlace::Body(_)).then_some(ProbeSite::Whole))
    }
}

/// A vertex of the surface: a node, or an embedded point.
fn vertex_site(
    discretisation: &Discretisation,
    node: u32,
    path: &str,
) -> Result<ProbeSite, Problem> {
    let count = discretisation.surface.point_count();
    let index = node as usize;
    if index >= count {
        let message = format!("there is no vertex {node}");
        return Err(error(path, message, format!("the body has {count}, from 0")));
    }
    Ok(match discretisation.surface.embedding() {
        None => ProbeSite::Nodes(vec![index]),
        Some(embedding) => ProbeSite::Mixture(mixture(&embedding[index])),
    })
}

/// The nodes of an embedded point with their weights.
fn mixture(embedding: &Embedding) -> Vec<(usize, f64)> {
    embedding.nodes.iter().map(|&node| node as usize).zip(embedding.weights).collect()
}

/// The nodes of a region; for an affine body the mean of its surface points in the region.
fn region_site(
    discretisation: &Discretisation,
    region: &Region,
    path: String,
) -> Result<ProbeSite, Problem> {
    let affine_embedding =
        discretisation.surface.embedding().filter(|_| discretisation.tets.is_empty());
    let Some(embedding) = affine_embedding else {
        return Ok(ProbeSite::Nodes(nodes_in_region(region, discretisation, path)?));
    };
    let positions = discretisation.surface.points(&discretisation.placed);
    let points = surface_points_in_region(region, discretisation, &positions, &path)?;
    let embedded_points: Vec<&Embedding> =
        points.into_iter().map(|point| &embedding[point]).collect();
    if embedded_points.is_empty() {
        let help = "regions choose points of its surface";
        return Err(error(path, "the region holds no point of the body", help));
    }
    let mut weights = vec![0.0; discretisation.placed.len()];
    for (node, weight) in embedded_points.iter().copied().flat_map(mixture) {
        weights[node] += weight / embedded_points.len() as f64;
    }
    Ok(ProbeSite::Mixture(weights.into_iter().enumerate().collect()))
}

/// The weighted mean of nodes that is at `point` at rest: in the element that contains the point or is nearest.
fn point_site(
    discretisation: &Discretisation,
    point: Vec3,
    path: &str,
) -> Result<ProbeSite, Problem> {
    if let Elastic::Affine(body, _) = &discretisation.elastic {
        return Ok(ProbeSite::Mixture(body.weights(point).into_iter().enumerate().collect()));
    }
    let rest = &discretisation.placed;
    let in_tets = discretisation.tets.iter().map(|nodes| in_tetrahedron(rest, *nodes, point));
    let triangles = match discretisation.surface.embedding() {
        None if discretisation.tets.is_empty() => &discretisation.triangles[..],
        _ => &[],
    };
    let in_triangles = triangles.iter().map(|nodes| in_triangle(rest, *nodes, point));
    let nearest = in_tets.chain(in_triangles).min_by(|a, b| a.outside.total_cmp(&b.outside));
    match nearest {
        Some(nearest) if nearest.outside <= OUTSIDE_TOLERANCE => {
            Ok(ProbeSite::Mixture(nearest.mixture))
        }
        _ => {
            let bounds = Aabb::around(rest).unwrap_or(Aabb { min: Vec3::ZERO, max: Vec3::ZERO });
            let units = discretisation.units;
            let message = format!("the point {} is not in the body", units.point(point.to_array()));
            let help = format!(
                "the body reaches {}, before any deformation; \
                 `Node` and `Region` choose nodes",
                units.reach(bounds)
            );
            Err(error(path, message, help))
        }
    }
}

/// A point as a weighted mean of the nodes of an element.
struct InElement {
    mixture: Vec<(usize, f64)>,
    /// Distance from the element relative to its size; 0 inside.
    outside: f64,
}

impl InElement {
    /// A point with `weights` at the nodes, at a relative distance from the plane of a triangle.
    fn new<const N: usize>(nodes: [u32; N], weights: [f64; N], normal_distance: f64) -> Self {
        let min_weight = weights.iter().fold(0.0, |min: f64, weight| min.min(*weight));
        let mixture = nodes.into_iter().map(|node| node as usize).zip(weights).collect();
        let outside = (-min_weight).max(normal_distance);
        // An element without extent has NaN, for which the comparison is false.
        let outside = if outside <= f64::MAX { outside } else { f64::MAX };
        Self { mixture, outside }
    }
}

/// A point relative to a tetrahedron.
fn in_tetrahedron(rest: &[Vec3], nodes: [u32; 4], point: Vec3) -> InElement {
    let [a, b, c, d] = nodes.map(|node| rest[node as usize]);
    let w = Mat3::from_cols(b - a, c - a, d - a).inverse() * (point - a);
    InElement::new(nodes, [1.0 - w.x - w.y - w.z, w.x, w.y, w.z], 0.0)
}

/// A point relative to a triangle.
fn in_triangle(rest: &[Vec3], nodes: [u32; 3], point: Vec3) -> InElement {
    let [a, b, c] = nodes.map(|node| rest[node as usize]);
    let normal = (b - a).cross(c - a);
    // The normal has the size of the triangle, so that the distance along it is comparable with the weights.
    let size = normal.length().sqrt();
    let scaled_normal = normal.normalize_or_zero() * size;
    let w = Mat3::from_cols(b - a, c - a, scaled_normal).inverse() * (point - a);
    InElement::new(nodes, [1.0 - w.x - w.y, w.x, w.y], w.z.abs())
}
