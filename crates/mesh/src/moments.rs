//! Volume, centroid and second moments of solids and of the inside of closed surfaces.

use crate::quadratic::EDGES;
use crate::{TetMesh, TriMesh};
use resile_math::small::SymmetricEigen;
use resile_math::{Mat3, Vec3, cholesky, outer};
use std::array::from_fn;
use std::sync::LazyLock;

/// Integrals over a solid, or the inside of a closed surface, exact for flat faces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// Signed volume (m^3); negative if the triangles face inward.
    pub volume: f64,
    /// Centroid (m).
    pub center: Vec3,
    /// `integral (x - center)(x - center)^T dV` (m^5).
    pub second: Mat3,
}

impl Moments {
    /// Moments of signed tetrahedra with corners (m) relative to `origin` (m); `None` without volume. For a tetrahedron
    /// with the corners `p_i`, `integral x x^T dV = V/20 (sum_i p_i p_i^T + (sum_i p_i)(sum_i p_i)^T)`.
    fn new(origin: Vec3, tets: impl Iterator<Item = [Vec3; 4]>) -> Option<Self> {
        let Integrals { mut volume, mut first, mut second } = Integrals::ZERO;
        for corners in tets {
            let [a, b, c, d] = corners;
            let v = (b - a).cross(c - a).dot(d - a) / 6.0;
            let sum = a + b + c + d;
            volume += v;
            first += sum * (v / 4.0);
            let squares = corners.iter().fold(outer(sum, sum), |m, p| m + outer(*p, *p));
            second += squares * (v / 20.0);
        }
        Integrals { volume, first, second }.moments(origin)
    }

    /// Largest relative error, over all axes through the centre, of the moments of inertia of point masses (kg) at
    /// `points` (m), compared with a homogeneous body of the same mass and these moments. Infinite for a body without
    /// volume.
    ///
    /// With the inertia tensors `J(S) = tr(S) I - S` of the second moments `S`, it is the largest `|lambda - 1|` of the
    /// generalised eigenvalues of the two tensors. Costs one pass over the points.
    pub fn inertia_error(&self, points: &[Vec3], masses: &[f64]) -> f64 {
        let inertia = |s: Mat3| {
            let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
            Mat3::from_diagonal(Vec3::splat(trace)) - s
        };
        let mass: f64 = masses.iter().sum();
        let arm = |p: &Vec3| *p - self.center;
        let second = points.iter().zip(masses).map(|(p, m)| outer(arm(p), arm(p)) * *m);
        let point_inertia = inertia(second.fold(Mat3::ZERO, |sum, term| sum + term) * mass.recip());
        let Some(root) = cholesky(inertia(self.second * self.volume.recip())) else {
            return f64::INFINITY;
        };
        let inverse = root.inverse();
        let ratio = inverse * point_inertia * inverse.transpose();
        let rows: [[f64; 3]; 3] = from_fn(|i| from_fn(|j| ratio.col(j)[i]));
        let values = SymmetricEigen::new(&rows).values;
        values.into_iter().map(|value| (value - 1.0).abs()).fold(0.0, f64::max)
    }
}

/// Integrals over a solid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Integrals {
    /// `integral dV` (m^3).
    pub(crate) volume: f64,
    /// `integral x dV` (m^4).
    first: Vec3,
    /// `integral x x^T dV` (m^5).
    second: Mat3,
}

impl Integrals {
    pub(crate) const ZERO: Self = Self { volume: 0.0, first: Vec3::ZERO, second: Mat3::ZERO };

    /// Integrals over a quadratic tetrahedron with these nodes (m). The integrand is a polynomial of degree seven in
    /// barycentric coordinates, for which the rule is exact.
    pub(crate) fn new(nodes: &[Vec3; 10]) -> Self {
        let mut sum = Self::ZERO;
        for point in RULE.iter() {
            let x = weighted_sum(&point.shapes, nodes);
            let [a, b, c] = point.derivatives.map(|weights| weighted_sum(&weights, nodes));
            let volume = point.weight * a.cross(b).dot(c) / 6.0;
            sum = sum.plus(&Self { volume, first: x * volume, second: outer(x, x) * volume });
        }
        sum
    }

    /// Sum of the integrals over two solids.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        Self {
            volume: self.volume + other.volume,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }

    /// The moments of the solid, whose coordinates are relative to `origin` (m); `None` without volume.
    pub(crate) fn moments(&self, origin: Vec3) -> Option<Moments> {
        let Self { volume, first, second } = *self;
        if volume == 0.0 || !volume.is_finite() {
            return None;
        }
        let center = first / volume;
        Some(Moments {
            volume,
            center: origin + center,
            second: second - outer(center, center) * volume,
        })
    }
}

/// Quadrature rule of degree seven on a tetrahedron.
static RULE: LazyLock<Vec<QuadraturePoint>> = LazyLock::new(|| grundmann_moeller().collect());

/// Sum of node vectors weighted by shape functions or their derivatives.
fn weighted_sum(weights: &[f64; 10], nodes: &[Vec3; 10]) -> Vec3 {
    weights.iter().zip(nodes).map(|(weight, x)| *x * *weight).sum()
}

/// A point of a quadrature rule in a quadratic tetrahedron.
struct QuadraturePoint {
    /// Fraction of the volume of the reference element.
    weight: f64,
    /// Shape functions of the nodes.
    shapes: [f64; 10],
    /// Derivatives of the shape functions by the barycentric coordinates 1, 2 and 3.
    derivatives: [[f64; 10]; 3],
}

impl QuadraturePoint {
    /// Evaluates the shape functions of the ten nodes at barycentric coordinates `l`.
    fn new(l: [f64; 4], weight: f64) -> Self {
        let shape = |k: usize| match k {
            0..4 => l[k] * (2.0 * l[k] - 1.0),
            _ => EDGES[k - 4].iter().fold(4.0, |product, &i| product * l[i]),
        };
        let derivative = |k: usize, i: usize| match k {
            0..4 if k == i => 4.0 * l[k] - 1.0,
            0..4 => 0.0,
            _ => match EDGES[k - 4] {
                [a, b] if a == i => 4.0 * l[b],
                [a, b] if b == i => 4.0 * l[a],
                _ => 0.0,
            },
        };
        let derivatives = from_fn(|i| from_fn(|k| derivative(k, i + 1) - derivative(k, 0)));
        Self { weight, shapes: from_fn(shape), derivatives }
    }
}

/// The rule of Grundmann & Moeller 1978, *Invariant integration formulas for the n-simplex by combinatorial methods*,
/// of degree `2 S + 1` on a tetrahedron. For S = 3 it has 35 points; weights alternate in sign and their absolute
/// values sum to 12.
fn grundmann_moeller() -> impl Iterator<Item = QuadraturePoint> {
    const S: usize = 3;
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    (0..=S).flat_map(move |i| {
        let parts = (2 * S + 4 - 2 * i) as f64;
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        let powers = parts.powi(2 * S as i32 + 1) / 4.0_f64.powi(S as i32);
        let weight = 6.0 * sign * powers / (factorial(i) * factorial(2 * S + 4 - i));
        compositions(S - i)
            .map(move |b| QuadraturePoint::new(b.map(|b| (2 * b + 1) as f64 / parts), weight))
    })
}

/// All quadruples of natural numbers with this sum.
fn compositions(sum: usize) -> impl Iterator<Item = [usize; 4]> {
    (0..=sum).flat_map(move |a| {
        (0..=sum - a).flat_map(move |b| (0..=sum - a - b).map(move |c| [a, b, c, sum - a - b - c]))
    })
}

impl TetMesh {
    /// Moments of the solid; `None` if it has no volume.
    pub fn moments(&self) -> Option<Moments> {
        let elements: Vec<usize> = (0..self.tets.len()).collect();
        self.moments_of(&elements)
    }

    /// Moments of a subset of the elements.
    pub(crate) fn moments_of(&self, tets: &[usize]) -> Option<Moments> {
        // Coordinates are relative to one of the nodes, because a distant origin would cause cancellation.
        let origin = self.corners(*tets.first()?)[0];
        Moments::new(origin, tets.iter().map(|&tet| self.corners(tet).map(|p| p - origin)))
    }
}

impl TriMesh {
    /// Moments of the enclosed volume by the divergence theorem: sums over the signed tetrahedra from one point
    /// to all triangles. Mirtich 1996, *Fast and accurate computation of polyhedral mass properties*, has an
    /// equivalent form. `None` if the surface encloses no volume; meaningless if it is open.
    pub fn moments(&self) -> Option<Moments> {
        let &apex = self.positions.first()?;
        let cones = (0..self.triangles.len()).map(|t| {
            let [a, b, c] = self.corners(t).map(|p| p - apex);
            [Vec3::ZERO, a, b, c]
        });
        Moments::new(apex, cones)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{BoxSurface, Icosphere};

    fn close(a: Mat3, b: Mat3, size: f64) {
        let difference = a - b;
        assert!(difference.to_cols_array().iter().all(|d| d.abs() < 1e-12 * size), "{a} {b}");
    }

    #[test]
    fn translated_and_rotated_box_has_the_exact_moments() {
        let size = Vec3::new(2.0, 0.5, 1.0);
        let mut mesh = BoxSurface { size, cells: [3, 2, 4] }.build().unwrap();
        let shift = Vec3::new(30.0, -4.0, 7.0);
        mesh.positions.iter_mut().for_each(|p| *p += shift);
        let moments = mesh.moments().unwrap();
        assert!((moments.volume - 1.0).abs() < 1e-12);
        assert!((moments.center - shift).length() < 1e-12);
        close(moments.second, Mat3::from_diagonal(size * size / 12.0), 1.0);
    }

    /// `integral L^m dV / V = 3! m! / (|m| + 3)!`.
    #[test]
    fn the_rule_integrates_monomials_of_degree_seven_exactly() {
        let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
        // Barycentric coordinates from the shape functions, which sum to them: L_0 = N_0 + (N_01 + N_02 + N_03) / 2.
        let coordinates = |point: &QuadraturePoint| -> [f64; 4] {
            from_fn(|i| {
                let halves =
                    EDGES.iter().zip(&point.shapes[4..]).filter(|(edge, _)| edge.contains(&i));
                point.shapes[i] + 0.5 * halves.map(|(_, shape)| shape).sum::<f64>()
            })
        };
        for powers in (0..=7).flat_map(compositions) {
            let monomial = |point: QuadraturePoint| {
                let l = coordinates(&point);
                let value: f64 = l.iter().zip(powers).map(|(l, m)| l.powi(m as i32)).product();
                point.weight * value
            };
            let sum: f64 = grundmann_moeller().map(monomial).sum();
            let total: usize = powers.iter().sum();
            let product: f64 = powers.iter().map(|m| factorial(*m)).product();
            let exact = 6.0 * product / factorial(total + 3);
            assert!((sum - exact).abs() < 1e-14, "{powers:?}: {sum} {exact}");
        }
    }

    #[test]
    fn moments_of_a_ball_converge_and_change_sign_with_orientation() {
        let mut mesh = Icosphere { radius: 1.0, subdivisions: 5 }.build().unwrap();
        let moments = mesh.moments().unwrap();
        let ball = std::f64::consts::PI * 4.0 / 15.0;
        assert!((moments.second.x_axis.x / ball - 1.0).abs() < 5e-3);
        mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        assert!(mesh.moments().unwrap().volume < 0.0);
    }
}
