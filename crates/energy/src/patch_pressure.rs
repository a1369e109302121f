//! Pressure on a part of a surface whose rim bounds a volume.

use crate::factor::Factor;
use crate::schedule::between;
use crate::surface_patch::SurfacePatch;
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};
use std::collections::BTreeMap;

/// Bound below which the length of a projected unit vector, and the cosine between a direction and a normal, count
/// as zero.
const ZERO_TOLERANCE: f64 = 1e-9;

/// Bound of the distance of the apex from a plane, relative to the extent of the rim.
const APEX_TOLERANCE: f64 = 1e-6;

/// `P(x, t) = s(t) p V(x)`: the pressure p (Pa) against a patch from outside, times a factor s. V is the volume
/// between the patch, a fixed apex, and the planes in which the rim of the patch moves.
///
/// A pressure that follows a surface has a potential where the rim of the surface is held, lies in planes of
/// symmetry, or does not exist: with nodes at x, the volume between patch and apex changes by
/// `integral of dx . n dA + 1/3 the integral of (x - apex) . (dx x dl) along the rim` (Schweizerhof & Ramm
/// 1984, *Displacement dependent pressure loads in nonlinear finite element analyses*). The second term
/// vanishes where the rim does not move, or moves in a plane that contains the apex. Where it moves in another plane, at
/// the distance d from the apex, the term is the change of `d/3` times the area that the rim sweeps in this plane,
/// which is subtracted. The forces are those of the pressure at all nodes, `s p integral of N_i n dA`; in held
/// directions, where they are reactions, they are not the derivative of V.
///
/// The second derivative is the symmetric part of the derivative of the forces, which is the whole derivative in
/// the free directions. Under [`Psd::Clamp`] it is omitted, as for [`Pressure`](crate::Pressure).
///
/// O(faces).
#[derive(Debug, Clone)]
pub struct PatchPressure {
    patch: SurfacePatch,
    apex: Vec3,
    rim_planes: Vec<RimPlane>,
    is_closed: bool,
    pressure: f64,
    factor: Factor,
}

impl PatchPressure {
    /// A pressure (Pa) against a patch of a body whose nodes are at `x` (m), times a factor. `free` projects onto the
    /// directions in which a node moves. `None` if the rim can move so that the pressure has no potential.
    pub fn new(
        patch: SurfacePatch,
        x: &[Vec3],
        free: impl Fn(usize) -> Mat3,
        pressure: f64,
        factor: impl Into<Factor>,
    ) -> Option<Self> {
        let rim = patch.rim();
        let Cone { apex, rim_planes } = cone(&rim, patch.centre(x), x, free)?;
        let factor = factor.into();
        Some(Self { patch, apex, rim_planes, is_closed: rim.is_empty(), pressure, factor })
    }

    /// The volume (m^3) between the patch, the apex and the planes of the rim, negative where its outside faces the
    /// apex, with node `i` at `position(i)`.
    fn volume(&self, position: impl Fn(usize) -> Vec3) -> f64 {
        let areas = self.patch.area_vectors_of(&position).into_iter();
        let cone: f64 = areas.map(|(node, area)| area.dot(position(node) - self.apex)).sum();
        let bases = self.rim_planes.iter().map(|plane| plane.distance * plane.area(&position));
        (cone - bases.sum::<f64>()) / 3.0
    }
}

impl Energy for PatchPressure {
    fn name(&self) -> &str {
        "follower pressure"
    }

    fn is_translation_invariant(&self) -> bool {
        self.is_closed
    }

    fn is_follower_load(&self) -> bool {
        true
    }

    fn next_change(&self, time: f64) -> f64 {
        self.factor.next_change(time)
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        self.factor.at(time) * self.pressure * self.volume(|node| x[node])
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        let scale = scale * self.factor.at(time) * self.pressure;
        self.patch.area_vectors(x).into_iter().for_each(|(node, area)| out[node] += area * scale);
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        // The sparsity pattern must be the same in every call.
        let scale = if psd == Psd::Exact { self.factor.at(time) * self.pressure } else { 0.0 };
        self.patch.add_area_derivatives(x, scale, out);
    }

    fn work(&self, from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.factor.work(times, |fraction, factor| {
            factor * self.pressure * self.volume(|node| between(from[node], to[node], fraction))
        })
    }
}

/// A part of the rim that moves in a plane at a distance from the apex.
#[derive(Debug, Clone)]
struct RimPlane {
    normal: Vec3,
    /// A point (m) of the plane.
    point: Vec3,
    edges: Vec<[usize; 2]>,
    /// Distance (m) of the plane from the apex along its normal.
    distance: f64,
    /// The ends of the part, which move along lines.
    ends: Vec<RimEnd>,
}

/// A node at which a part of the rim begins or ends.
#[derive(Debug, Clone, Copy)]
struct RimEnd {
    node: usize,
    /// -1 for each edge that begins at the node, plus 1 for each that ends there; not zero.
    sign: f64,
    /// Initial position (m).
    start: Vec3,
}

impl RimPlane {
    /// The area (m^2) between the edges and the point, with node `i` at `position(i)`, less that which the lines from
    /// the point to the ends sweep.
    fn area(&self, position: impl Fn(usize) -> Vec3) -> f64 {
        let edge_part = |edge: &[usize; 2]| {
            let [a, b] = edge.map(|node| position(node) - self.point);
            a.cross(b)
        };
        let end_part = |&RimEnd { node, sign, start }: &RimEnd| {
            (start - self.point).cross(position(node) - start) * sign
        };
        let edges: Vec3 = self.edges.iter().map(edge_part).sum();
        let ends: Vec3 = self.ends.iter().map(end_part).sum();
        0.5 * self.normal.dot(edges - ends)
    }

    /// Finds the ends; false if one of them does not move along a line. `free` projects onto the directions in which a
    /// node moves.
    fn find_ends(&mut self, x: &[Vec3], free: impl Fn(usize) -> Mat3) -> bool {
        let mut counts: BTreeMap<usize, i32> = BTreeMap::new();
        for &[a, b] in &self.edges {
            *counts.entry(a).or_default() -= 1;
            *counts.entry(b).or_default() += 1;
        }
        let ends = counts.into_iter().filter(|(_, count)| *count != 0);
        let end = |(node, count)| RimEnd { node, sign: f64::from(count), start: x[node] };
        self.ends = ends.map(end).collect();
        let moves_along_line = |end: &RimEnd| {
            let projector = free(end.node);
            matches!(span(&[projector.x_axis, projector.y_axis, projector.z_axis]), Span::Line)
        };
        self.ends.iter().all(moves_along_line)
    }
}

/// The apex of the volume of a patch, and the parts of its rim in planes that do not contain it.
struct Cone {
    apex: Vec3,
    rim_planes: Vec<RimPlane>,
}

/// The cone with the apex nearest to a centre and, as far as there is such a point, in the planes in which parts of the
/// rim move. `None` if a part can leave its plane.
fn cone(rim: &[[u32; 2]], centre: Vec3, x: &[Vec3], free: impl Fn(usize) -> Mat3) -> Option<Cone> {
    let planes = planes_of_rim(rim, x, &free)?;
    let apex = nearest_common_point(&planes, centre);
    let extent = rim.iter().map(|edge| x[edge[0] as usize].distance(centre)).fold(0.0, f64::max);
    let tolerance = APEX_TOLERANCE * extent;
    let mut rim_planes = Vec::new();
    for mut plane in planes {
        plane.distance = plane.normal.dot(plane.point - apex);
        if plane.distance.abs() <= tolerance {
            continue;
        }
        if !plane.find_ends(x, &free) {
            return None;
        }
        rim_planes.push(plane);
    }
    Some(Cone { apex, rim_planes })
}

/// The planes in which edges of the rim move, with these edges; distances from the apex and ends are not determined yet.
/// Edges that are fixed or move along a line are omitted. `None` if an edge can leave its plane.
fn planes_of_rim(
    rim: &[[u32; 2]],
    x: &[Vec3],
    free: impl Fn(usize) -> Mat3,
) -> Option<Vec<RimPlane>> {
    let distance_from_first = |edge: &[u32; 2]| x[edge[0] as usize].distance(x[rim[0][0] as usize]);
    let extent = rim.iter().map(distance_from_first).fold(0.0, f64::max);
    let mut planes: Vec<RimPlane> = Vec::new();
    for edge in rim.iter().map(|edge| edge.map(|node| node as usize)) {
        let normal = match swept_span(x[edge[1]] - x[edge[0]], edge.map(&free)) {
            Span::Line => continue,
            Span::Plane(normal) => normal,
            Span::Space => return None,
        };
        let contains_edge = |plane: &&mut RimPlane| {
            plane.normal.cross(normal).length() <= ZERO_TOLERANCE
                && plane.normal.dot(x[edge[0]] - plane.point).abs() <= APEX_TOLERANCE * extent
        };
        match planes.iter_mut().find(contains_edge) {
            Some(plane) => plane.edges.push(edge),
            None => {
                let point = x[edge[0]];
                let (distance, ends) = (0.0, Vec::new());
                planes.push(RimPlane { normal, point, edges: vec![edge], distance, ends });
            }
        }
    }
    Some(planes)
}

/// The span of the directions in which the points of an edge with this vector move, whose ends move in the ranges of these
/// `projectors`, and of the edge. A line if both ends are fixed.
fn swept_span(edge_vector: Vec3, projectors: [Mat3; 2]) -> Span {
    let columns = projectors.iter().flat_map(|p| [p.x_axis, p.y_axis, p.z_axis]);
    let mut directions: Vec<Vec3> = columns.filter(|v| v.length() > ZERO_TOLERANCE).collect();
    if directions.is_empty() {
        return Span::Line;
    }
    directions.push(edge_vector / edge_vector.length());
    span(&directions)
}

/// The point nearest to `centre` of those with the smallest sum of squared distances from `planes`.
fn nearest_common_point(planes: &[RimPlane], centre: Vec3) -> Vec3 {
    if planes.is_empty() {
        return centre;
    }
    let (mut matrix, mut right_side) = (Mat3::ZERO, Vec3::ZERO);
    for &RimPlane { normal, point, .. } in planes {
        matrix += resile_math::outer(normal, normal);
        right_side += normal * normal.dot(point - centre);
    }
    // The small multiple of the identity selects the nearest point where the planes do not determine one.
    let scale = planes.len() as f64 * ZERO_TOLERANCE;
    centre + (matrix + Mat3::from_diagonal(Vec3::splat(scale))).inverse() * right_side
}

/// Linear span of directions.
enum Span {
    /// At most a line.
    Line,
    /// A plane, by its unit normal.
    Plane(Vec3),
    /// The whole space.
    Space,
}

/// The linear span of unit or zero vectors, up to [`ZERO_TOLERANCE`].
fn span(directions: &[Vec3]) -> Span {
    let Some(first) = directions.iter().copied().max_by(|a, b| a.length().total_cmp(&b.length()))
    else {
        return Span::Line;
    };
    let first = first / first.length();
    let reject = |v: &Vec3| *v - first * first.dot(*v);
    let second = directions.iter().map(reject).max_by(|a, b| a.length().total_cmp(&b.length()));
    let Some(second) = second.filter(|v| v.length() > ZERO_TOLERANCE) else { return Span::Line };
    let normal = first.cross(second / second.length());
    match directions.iter().all(|v| normal.dot(*v).abs() <= ZERO_TOLERANCE) {
        true => Span::Plane(normal),
        false => Span::Space,
    }
}
