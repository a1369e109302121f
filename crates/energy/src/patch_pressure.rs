//! Pressure on a part of a surface whose rim bounds a volume.

use crate::factor::Factor;
use crate::schedule::between;
use crate::surface_patch::SurfacePatch;
use resile_system::{Energy, Hessian, Mat3, Psd, Vec3};

/// Bound below which the length of a projected unit vector, and the cosine between a direction and a normal, count
/// as zero.
const ZERO_TOLERANCE: f64 = 1e-9;

/// Bound of the distance of the apex from a plane, relative to the extent of the rim.
const APEX_TOLERANCE: f64 = 1e-6;

/// `P(x, t) = s(t) p V(x)`: the pressure p (Pa) against a patch from outside, times a factor s. V is the volume
/// between the patch and a fixed apex.
///
/// A pressure that follows a surface has a potential where the rim of the surface is held, lies in planes of
/// symmetry, or does not exist: with nodes at x,
/// `dV = integral of dx . n dA + 1/3 the integral of (x - apex) . (dx x dl) along the rim` (Schweizerhof & Ramm
/// 1984, *Displacement dependent pressure loads in nonlinear finite element analyses*), and the second term
/// vanishes where the rim does not move, or moves in a plane that contains the apex. The forces are those of the
/// pressure at all nodes, `s p integral of N_i n dA`; in held directions, where they are reactions, they are not
/// the derivative of V.
///
/// The second derivative is the symmetric part of the derivative of the forces, which is the whole derivative in
/// the free directions. Under [`Psd::Clamp`] it is omitted, as for [`Pressure`](crate::Pressure).
///
/// O(faces).
#[derive(Debug, Clone)]
pub struct PatchPressure {
    patch: SurfacePatch,
    apex: Vec3,
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
        let apex = apex(&rim, patch.centre(x), x, free)?;
        let factor = factor.into();
        Some(Self { patch, apex, is_closed: rim.is_empty(), pressure, factor })
    }

    /// The volume (m^3) between the patch and the apex, negative where its outside faces the apex, with node `i` at
    /// `position(i)`.
    fn volume(&self, position: impl Fn(usize) -> Vec3) -> f64 {
        let areas = self.patch.area_vectors_of(&position).into_iter();
        areas.map(|(node, area)| area.dot(position(node) - self.apex)).sum::<f64>() / 3.0
    }
}

impl Energy for PatchPressure {
    fn name(&self) -> &str {
        "follower pressure"
    }

    fn is_translation_invariant(&self) -> bool {
        self.is_closed
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

/// A plane in which a part of the rim moves.
#[derive(Clone, Copy)]
struct RimPlane {
    /// Unit normal.
    normal: Vec3,
    /// A point of the plane (m).
    point: Vec3,
}

/// The point nearest to a `centre` (m) that is common to all planes in which parts of the rim move; the centre if there
/// are none. `None` if a part can leave its plane, or the planes have no common point.
fn apex(rim: &[[u32; 2]], centre: Vec3, x: &[Vec3], free: impl Fn(usize) -> Mat3) -> Option<Vec3> {
    let planes = rim_planes(rim, x, free)?;
    if planes.is_empty() {
        return Some(centre);
    }
    let (mut matrix, mut right_side) = (Mat3::ZERO, Vec3::ZERO);
    for &RimPlane { normal, point } in &planes {
        matrix += resile_math::outer(normal, normal);
        right_side += normal * normal.dot(point - centre);
    }
    // The small multiple of the identity selects the nearest point where the planes do not determine one.
    let shift = Mat3::from_diagonal(Vec3::splat(planes.len() as f64 * ZERO_TOLERANCE));
    let apex = centre + (matrix + shift).inverse() * right_side;
    let extent = planes.iter().map(|plane| plane.point.distance(centre)).fold(0.0, f64::max);
    let contains_apex =
        |plane: &RimPlane| plane.normal.dot(apex - plane.point).abs() <= APEX_TOLERANCE * extent;
    planes.iter().all(contains_apex).then_some(apex)
}

/// The planes spanned by each edge of the rim and the directions in which its nodes move; none for edges that do not
/// move or move along themselves only. `None` if an edge can move in all directions.
fn rim_planes(rim: &[[u32; 2]], x: &[Vec3], free: impl Fn(usize) -> Mat3) -> Option<Vec<RimPlane>> {
    let mut planes = Vec::new();
    for edge in rim.iter().map(|edge| edge.map(|node| node as usize)) {
        let edge_vector = x[edge[1]] - x[edge[0]];
        let projectors = edge.map(&free);
        let columns = projectors.iter().flat_map(|p| [p.x_axis, p.y_axis, p.z_axis]);
        let mut motions: Vec<Vec3> = columns.filter(|v| v.length() > ZERO_TOLERANCE).collect();
        if motions.is_empty() {
            continue;
        }
        motions.push(edge_vector / edge_vector.length());
        match span(&motions) {
            Span::Line => {}
            Span::Plane(normal) => planes.push(RimPlane { normal, point: x[edge[0]] }),
            Span::Space => return None,
        }
    }
    Some(planes)
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
