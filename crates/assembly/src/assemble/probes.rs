//! Probes and the nodes that they follow.

use super::body::{PlacedBody, nodes_in_region, points_of_surface};
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
    /// The number of its body in the world.
    pub body: usize,
    /// The part of the body.
    pub site: ProbeSite,
    /// Undeformed position (m).
    pub rest: Vec3,
}

/// The part of a body that a probe follows.
#[derive(Debug, Clone, PartialEq)]
pub enum ProbeSite {
    /// A weighted mean of nodes, for a point between them.
    Mixture(Vec<(usize, f64)>),
    /// Nodes.
    Nodes(Vec<usize>),
    /// The whole body.
    Whole,
}

impl ProbeSite {
    /// The mean of vectors of the nodes of a body, weighted by `masses` where it has several nodes.
    pub fn mean(&self, masses: &[f64], values: &[Vec3]) -> Vec3 {
        let of_nodes = |nodes: &mut dyn Iterator<Item = usize>| {
            let (mut sum, mut total, mut unweighted, mut count) =
                (Vec3::ZERO, 0.0, Vec3::ZERO, 0.0);
            for node in nodes {
                sum += masses[node] * values[node];
                total += masses[node];
                unweighted += values[node];
                count += 1.0;
            }
            // Prescribed nodes may have no mass.
            if total > 0.0 { sum / total } else { unweighted / count }
        };
        match self {
            Self::Mixture(mixture) => {
                mixture.iter().map(|(node, weight)| *weight * values[*node]).sum()
            }
            Self::Nodes(nodes) => of_nodes(&mut nodes.iter().copied()),
            Self::Whole => of_nodes(&mut (0..values.len())),
        }
    }
}

/// Tolerance of the distance of a point from a body, relative to the size, for rounded coordinates.
const OUTSIDE_TOLERANCE: f64 = 1e-6;

/// Where the probes on a body measure, each with its index in `output.probes`.
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
            ProbePlace::Node { node, .. } => of_vertex(discretisation, *node, &path)?,
            ProbePlace::Point { point, .. } => {
                of_point(discretisation, Vec3::from_array(*point), &path)?
            }
            ProbePlace::Region { region, .. } => of_region(discretisation, region, path)?,
        };
        Ok((index, site))
    };
    probes
        .map(|(index, probe)| site(index, &probe.at))
        .collect::<Result<_, _>>()
        .map_err(|p| vec![p])
}

/// Problems of probes of missing parts, or of parts of an obstacle.
pub(super) fn probe_problems(scene: &Scene, bodies: &[PlacedBody]) -> Vec<Problem> {
    let problem_of = |(number, probe): (usize, &Probe)| {
        let (body_name, path) = (probe.at.body(), format!("output.probes[{number}].at"));
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
        if body.site(number, &probe.at).is_some() {
            return None;
        }
        let message = format!("\"{body_name}\" is an obstacle, of which no parts are followed");
        Some(error(path, message, format!("write `Body({body_name:?})`")))
    };
    scene.output.probes.iter().enumerate().filter_map(problem_of).collect()
}

/// All probes of the scene.
pub(super) fn placed(scene: &Scene, bodies: &[PlacedBody]) -> Vec<PlacedProbe> {
    let place = |(number, probe): (usize, &Probe)| {
        let body = bodies.iter().position(|body| body.body.name == probe.at.body())?;
        let PlacedBody { body: Body { masses, .. }, rest, .. } = &bodies[body];
        let site = bodies[body].site(number, &probe.at)?;
        let rest = site.mean(masses, rest);
        Some(PlacedProbe { name: probe.name.clone(), body, site, rest })
    };
    scene.output.probes.iter().enumerate().filter_map(place).collect()
}

impl PlacedBody {
    /// The part of the body that a probe follows; for an obstacle only the whole.
    fn site(&self, number: usize, at: &ProbePlace) -> Option<ProbeSite> {
        let site_of_probe =
            self.sites.iter().find(|(probe, _)| *probe == number).map(|(_, site)| site.clone());
        site_of_probe.or_else(|| matches!(at, ProbePlace::Body(_)).then_some(ProbeSite::Whole))
    }
}

fn of_vertex(discretisation: &Discretisation, node: u32, path: &str) -> Result<ProbeSite, Problem> {
    let count = discretisation.surface.point_count();
    let at = node as usize;
    if at >= count {
        let message = format!("there is no vertex {node}");
        return Err(error(path, message, format!("the body has {count}, from 0")));
    }
    Ok(match discretisation.surface.embedding() {
        None => ProbeSite::Nodes(vec![at]),
        Some(embedding) => ProbeSite::Mixture(mixture(&embedding[at])),
    })
}

fn mixture(embedding: &Embedding) -> Vec<(usize, f64)> {
    embedding.nodes.iter().map(|&node| node as usize).zip(embedding.weights).collect()
}

/// Nodes of a region; for an affine body the mean of the points of its surface there.
fn of_region(
    discretisation: &Discretisation,
    region: &Region,
    path: String,
) -> Result<ProbeSite, Problem> {
    let affine = discretisation.surface.embedding().filter(|_| discretisation.tets.is_empty());
    let Some(embedding) = affine else {
        return Ok(ProbeSite::Nodes(nodes_in_region(region, discretisation, path)?));
    };
    let places = discretisation.surface.points(&discretisation.placed);
    let points = points_of_surface(region, discretisation, &places, &path)?;
    let inside: Vec<&Embedding> = points.into_iter().map(|point| &embedding[point]).collect();
    if inside.is_empty() {
        let help = "regions choose points of its surface";
        return Err(error(path, "the region holds no point of the body", help));
    }
    let mut weights = vec![0.0; discretisation.placed.len()];
    for (node, weight) in inside.iter().copied().flat_map(mixture) {
        weights[node] += weight / inside.len() as f64;
    }
    Ok(ProbeSite::Mixture(weights.into_iter().enumerate().collect()))
}

/// The weighted mean of nodes that is at `point` at rest.
fn of_point(
    discretisation: &Discretisation,
    point: Vec3,
    path: &str,
) -> Result<ProbeSite, Problem> {
    if let Elastic::Affine(body, _) = &discretisation.elastic {
        return Ok(ProbeSite::Mixture(body.weights(point).into_iter().enumerate().collect()));
    }
    let rest = &discretisation.placed;
    let of_tets = discretisation.tets.iter().map(|nodes| in_tetrahedron(rest, *nodes, point));
    let triangles = match discretisation.surface.embedding() {
        None if discretisation.tets.is_empty() => &discretisation.triangles[..],
        _ => &[],
    };
    let of_triangles = triangles.iter().map(|nodes| in_triangle(rest, *nodes, point));
    let best = of_tets.chain(of_triangles).min_by(|a, b| a.outside.total_cmp(&b.outside));
    match best {
        Some(best) if best.outside <= OUTSIDE_TOLERANCE => Ok(ProbeSite::Mixture(best.mixture)),
        _ => {
            let reach = Aabb::around(rest).unwrap_or(Aabb { min: Vec3::ZERO, max: Vec3::ZERO });
            let units = discretisation.units;
            let message = format!("the point {} is not in the body", units.point(point.to_array()));
            let help = format!(
                "the body reaches {}, before any deformation; \
                 `Node` and `Region` choose nodes",
                units.reach(reach)
            );
            Err(error(path, message, help))
        }
    }
}

/// A point as a weighted mean of the nodes of an element.
struct InElement {
    mixture: Vec<(usize, f64)>,
    /// Distance from the element relative to its size, 0 inside.
    outside: f64,
}

impl InElement {
    fn new<const N: usize>(nodes: [u32; N], weights: [f64; N], off: f64) -> Self {
        let least = weights.iter().fold(0.0, |least: f64, weight| least.min(*weight));
        let mixture = nodes.into_iter().map(|node| node as usize).zip(weights).collect();
        let outside = (-least).max(off);
        // False also for NaN, of an element without extent.
        let outside = if outside <= f64::MAX { outside } else { f64::MAX };
        Self { mixture, outside }
    }
}

fn in_tetrahedron(rest: &[Vec3], nodes: [u32; 4], point: Vec3) -> InElement {
    let [a, b, c, d] = nodes.map(|node| rest[node as usize]);
    let w = Mat3::from_cols(b - a, c - a, d - a).inverse() * (point - a);
    InElement::new(nodes, [1.0 - w.x - w.y - w.z, w.x, w.y, w.z], 0.0)
}

fn in_triangle(rest: &[Vec3], nodes: [u32; 3], point: Vec3) -> InElement {
    let [a, b, c] = nodes.map(|node| rest[node as usize]);
    let normal = (b - a).cross(c - a);
    // Along the normal in the size of the triangle, so that it compares with the weights.
    let size = normal.length().sqrt();
    let along = normal.normalize_or_zero() * size;
    let w = Mat3::from_cols(b - a, c - a, along).inverse() * (point - a);
    InElement::new(nodes, [1.0 - w.x - w.y, w.x, w.y], w.z.abs())
}
