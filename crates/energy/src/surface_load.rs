//! Loads on surfaces, by area.

use crate::factor::Factor;
use resile_system::{Dissipation, Hessian, Psd, Vec3};
use std::collections::BTreeMap;

/// A rule of six points on a triangle, exact for polynomials of degree four (Dunavant 1985, *High degree efficient
/// symmetrical Gaussian quadrature rules for the triangle*): two triples of points `(a, b, b)` with their weights.
const TRIPLES: [(f64, f64); 2] = [
    (0.108_103_018_168_070, 0.223_381_589_678_011),
    (0.816_847_572_980_459, 0.109_951_743_655_322),
];

/// A part of the surface of a body, as its elements have it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfacePatch {
    /// Faces of linear elements, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Faces of quadratic elements: the corners a, b, c counter-clockwise seen from outside, then the middles of ab, bc, ca.
    pub quadratic: Vec<[u32; 6]>,
}

impl SurfacePatch {
    /// Whether it has no face.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty() && self.quadratic.is_empty()
    }

    /// `integral of N_i n dA` (m^2) over the patch where nodes are at `x` (m), `N_i` being the shape function of node i and n
    /// the unit normal, by nodes, ascending: the consistent load of a unit pressure from inside. Exact: linear faces have
    /// a third of their area vector at each corner, and of quadratic ones the integrand is a polynomial of degree four. Of a closed
    /// surface it is the gradient of the volume. O(faces).
    pub fn area_vectors(&self, x: &[Vec3]) -> Vec<(usize, Vec3)> {
        let mut sums: BTreeMap<usize, Vec3> = BTreeMap::new();
        for nodes in &self.triangles {
            let [a, b, c] = nodes.map(|node| x[node as usize]);
            let share = (b - a).cross(c - a) / 6.0;
            nodes.iter().for_each(|&node| *sums.entry(node as usize).or_default() += share);
        }
        for nodes in &self.quadratic {
            let at = nodes.map(|node| x[node as usize]);
            for (shares, [along, across], weight) in points() {
                let tangent =
                    |by: &[f64; 6]| by.iter().zip(&at).map(|(by, x)| *x * *by).sum::<Vec3>();
                let area = tangent(&along).cross(tangent(&across)) * (0.5 * weight);
                for (&node, share) in nodes.iter().zip(shares) {
                    *sums.entry(node as usize).or_default() += area * share;
                }
            }
        }
        sums.into_iter().collect()
    }

    /// `integral of N_i dA` (m^2), by nodes, ascending: the consistent load of a unit traction. Quadratic faces have
    /// straight edges, so that their corners bear nothing and their middles a third of the area each.
    pub fn areas(&self, x: &[Vec3]) -> Vec<(usize, f64)> {
        let mut sums: BTreeMap<usize, f64> = BTreeMap::new();
        let mut add = |corners: [u32; 3], bearing: [u32; 3]| {
            let [a, b, c] = corners.map(|node| x[node as usize]);
            let share = (b - a).cross(c - a).length() / 6.0;
            bearing.iter().for_each(|&node| *sums.entry(node as usize).or_default() += share);
        };
        self.triangles.iter().for_each(|&corners| add(corners, corners));
        self.quadratic.iter().for_each(|&[a, b, c, ab, bc, ca]| add([a, b, c], [ab, bc, ca]));
        sums.into_iter().collect()
    }
}

/// The points of the rule: the shape functions there, their derivatives along the two sides from the first corner, and the
/// weight.
fn points() -> impl Iterator<Item = ([f64; 6], [[f64; 6]; 2], f64)> {
    TRIPLES.into_iter().flat_map(|(a, weight)| {
        let b = 0.5 * (1.0 - a);
        [[a, b, b], [b, a, b], [b, b, a]].into_iter().map(move |[p, q, r]| {
            let shares = [
                p * (2.0 * p - 1.0),
                q * (2.0 * q - 1.0),
                r * (2.0 * r - 1.0),
                4.0 * p * q,
                4.0 * q * r,
                4.0 * r * p,
            ];
            // p = 1 - q - r.
            let [dp, dq, dr] = [p, q, r].map(|l| 4.0 * l - 1.0);
            let along = [-dp, dq, 0.0, 4.0 * (p - q), 4.0 * r, -4.0 * r];
            let across = [-dp, 0.0, dr, -4.0 * q, 4.0 * q, 4.0 * (p - r)];
            (shares, [along, across], weight)
        })
    })
}

/// Pressure against a part of a surface that turns and grows with it: `f_i = -s(t) p integral of N_i n dA`.
///
/// Such a load has no potential, unless the rim of the part is held or lies in planes of symmetry: what it does
/// on the way around depends on the way. So the area vectors are those at the start of a step, and within it the load
/// is `D(v) = -f . v`, the power that it supplies: its work is in the ledger as negative heat, as that of wind. The error is of
/// first order in the step. A static equilibrium has none: there the start of a step is its end.
#[derive(Debug, Clone, PartialEq)]
pub struct FollowerPressure {
    patch: SurfacePatch,
    pressure: f64,
    factor: Factor,
    /// s at the time last set.
    now: f64,
    /// `-p integral of N_i n dA` (N) at the start of the step.
    frozen: Vec<(usize, Vec3)>,
}

impl FollowerPressure {
    /// The `pressure` (Pa) against a patch of a body whose nodes are at `x` (m), times a `factor`; at first as at time
    /// zero.
    pub fn new(patch: SurfacePatch, x: &[Vec3], pressure: f64, factor: impl Into<Factor>) -> Self {
        let factor = factor.into();
        let now = factor.at(0.0);
        let mut load = Self { patch, pressure, factor, now, frozen: Vec::new() };
        load.freeze(x);
        load
    }
}

impl Dissipation for FollowerPressure {
    fn name(&self) -> &str {
        "follower pressure"
    }

    fn set_time(&mut self, time: f64) {
        self.now = self.factor.at(time);
    }

    fn next_change(&self, time: f64) -> f64 {
        self.factor.next_change(time)
    }

    fn freeze(&mut self, x: &[Vec3]) {
        let areas = self.patch.area_vectors(x).into_iter();
        self.frozen = areas.map(|(node, area)| (node, area * -self.pressure)).collect();
    }

    fn value(&self, v: &[Vec3]) -> f64 {
        -self.now * self.frozen.iter().map(|&(node, force)| force.dot(v[node])).sum::<f64>()
    }

    fn add_gradient(&self, _v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for &(node, force) in &self.frozen {
            out[node] -= force * (scale * self.now);
        }
    }

    /// Zero: the potential is linear.
    fn add_hessian(&self, _v: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schedule;

    /// The closed surface of a tetrahedron of ten nodes, its middles moved off the edges.
    fn bulged() -> (Vec<Vec3>, SurfacePatch) {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 1.2, Vec3::new(0.2, 0.1, 0.9)];
        let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let off = |k: usize| Vec3::new((1.7 * k as f64).sin(), (2.3 * k as f64).cos(), 0.3) * 0.1;
        let middle = |(k, [a, b]): (usize, [usize; 2])| 0.5 * (corners[a] + corners[b]) + off(k);
        let middles = edges.into_iter().enumerate().map(middle);
        let x = corners.into_iter().chain(middles).collect();
        let number = |a: usize, b: usize| {
            let edge = [a.min(b), a.max(b)];
            4 + edges.iter().position(|own| *own == edge).expect("an edge") as u32
        };
        let face = |[a, b, c]: [usize; 3]| {
            [a as u32, b as u32, c as u32, number(a, b), number(b, c), number(c, a)]
        };
        let quadratic = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map(face).to_vec();
        (x, SurfacePatch { triangles: Vec::new(), quadratic })
    }

    /// `integral of x . n dA / 3`, of which the area vectors have the shape functions.
    fn volume(patch: &SurfacePatch, x: &[Vec3]) -> f64 {
        patch.area_vectors(x).iter().map(|&(node, area)| area.dot(x[node])).sum::<f64>() / 3.0
    }

    fn linear() -> (Vec<Vec3>, SurfacePatch) {
        let (x, patch) = bulged();
        let split = |&[a, b, c, ab, bc, ca]: &[u32; 6]| {
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        let triangles = patch.quadratic.iter().flat_map(split).collect();
        (x, SurfacePatch { triangles, quadratic: Vec::new() })
    }

    #[test]
    fn area_vectors_of_a_closed_surface_are_the_gradient_of_its_volume() {
        for (x, patch) in [linear(), bulged()] {
            let areas = patch.area_vectors(&x);
            let sum: Vec3 = areas.iter().map(|(_, area)| *area).sum();
            assert!(sum.length() < 1e-14, "{sum}");
            let step = 1e-5;
            for &(node, area) in &areas {
                for axis in 0..3 {
                    let at = |by: f64| {
                        let mut moved = x.clone();
                        moved[node][axis] += by;
                        volume(&patch, &moved)
                    };
                    let seen = (at(step) - at(-step)) / (2.0 * step);
                    assert!(
                        (seen - area[axis]).abs() < 1e-9,
                        "node {node}: {seen}, not {}",
                        area[axis]
                    );
                }
            }
        }
    }

    #[test]
    fn the_resultant_on_a_flat_patch_is_pressure_times_area_whatever_the_elements() {
        let x = [
            Vec3::ZERO,
            Vec3::X * 2.0,
            Vec3::Y * 3.0,
            Vec3::X,
            Vec3::new(1.0, 1.5, 0.0),
            Vec3::Y * 1.5,
        ];
        let quadratic = SurfacePatch { quadratic: vec![[0, 1, 2, 3, 4, 5]], ..Default::default() };
        let triangles = vec![[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]];
        let linear = SurfacePatch { triangles, ..Default::default() };
        for patch in [quadratic, linear] {
            let vectors: Vec3 = patch.area_vectors(&x).iter().map(|(_, area)| *area).sum();
            assert!((vectors - Vec3::Z * 3.0).length() < 1e-14, "{vectors}");
            let area: f64 = patch.areas(&x).iter().map(|(_, area)| area).sum();
            assert!((area - 3.0).abs() < 1e-14, "{area}");
            // Of a flat patch both say the same of each node.
            let areas: BTreeMap<usize, f64> = patch.areas(&x).into_iter().collect();
            for (node, vector) in patch.area_vectors(&x) {
                let area = areas.get(&node).copied().unwrap_or(0.0);
                assert!(
                    (vector - Vec3::Z * area).length() < 1e-14,
                    "node {node}: {vector}, not {area}"
                );
            }
        }
    }

    #[test]
    fn the_load_pushes_inwards_and_follows_the_surface_from_step_to_step() {
        let (x, patch) = bulged();
        let mut load = FollowerPressure::new(patch.clone(), &x, 5.0, Schedule::constant(2.0));
        let turned: Vec<Vec3> = x.iter().map(|x| Vec3::new(-x.y, x.x, x.z)).collect();
        let force = |load: &FollowerPressure| {
            let mut gradient = vec![Vec3::ZERO; x.len()];
            load.add_gradient(&[], 1.0, &mut gradient);
            gradient.into_iter().map(|g| -g).collect::<Vec<_>>()
        };
        let before = force(&load);
        for (node, area) in patch.area_vectors(&x) {
            assert!((before[node] + 10.0 * area).length() < 1e-13);
        }
        load.freeze(&turned);
        for (now, before) in force(&load).iter().zip(&before) {
            assert!((*now - Vec3::new(-before.y, before.x, before.z)).length() < 1e-13);
        }
        let v: Vec<Vec3> = x.iter().map(|x| Vec3::new(x.y, 0.3 - x.x, x.z)).collect();
        let power: f64 = force(&load).iter().zip(&v).map(|(f, v)| f.dot(*v)).sum();
        assert!((load.value(&v) + power).abs() < 1e-13);
    }
}
