//! Points of quadrature rules, for loads that depend on position.

use resile_system::Vec3;

/// A rule of fourteen points on a tetrahedron, exact for polynomials of degree five (Walkington 2000, *Quadrature on
/// simplices of arbitrary dimension*): two quadruples of points `(a, a, a, 1 - 3a)`, then six points
/// `(a, a, 1/2 - a, 1/2 - a)`. Each entry is the parameter `a` and the weight relative to the volume.
const QUADRUPLES: [(f64, f64); 2] = [
    (0.310_885_919_263_300_6, 0.112_687_925_718_015_85),
    (0.092_735_250_310_891_23, 0.073_493_043_116_361_95),
];
/// Parameter `a` and weight of the six points `(a, a, 1/2 - a, 1/2 - a)`.
const SEXTUPLE: (f64, f64) = (0.045_503_704_125_649_65, 0.042_546_020_777_081_47);

/// Points at which a load is evaluated: their positions at rest, integration weights, and shape functions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LoadPoints {
    /// Positions at rest (m).
    positions: Vec<Vec3>,
    /// Weights: the outward area (m^2) of points of a surface, `(volume, 0, 0)` (m^3) of points of a solid.
    measures: Vec<Vec3>,
    /// For each point, the end of its entries in `shape_values`.
    ends: Vec<usize>,
    /// Nodes and the values of their shape functions, point after point.
    shape_values: Vec<(u32, f64)>,
}

impl LoadPoints {
    /// Points of a rule of degree five in linear tetrahedra whose nodes are at `x` (m). O(tetrahedra).
    pub fn in_tets(x: &[Vec3], tets: &[[u32; 4]]) -> Self {
        let mut load_points = Self::default();
        for nodes in tets {
            let [a, b, c, d] = nodes.map(|node| x[node as usize]);
            let volume = (b - a).cross(c - a).dot(d - a).abs() / 6.0;
            for (coordinates, weight) in tetrahedron_rule() {
                let [p, q, r, s] = coordinates;
                let position = a * p + b * q + c * r + d * s;
                load_points.push(nodes, &coordinates, position, Vec3::X * (volume * weight));
            }
        }
        load_points
    }

    /// Points of the same rule in quadratic tetrahedra: four corners, then the middles of the edges 01, 02, 03, 12, 13,
    /// 23.
    pub fn in_quadratic_tets(x: &[Vec3], elements: &[[u32; 10]]) -> Self {
        let mut load_points = Self::default();
        for nodes in elements {
            let positions = nodes.map(|node| x[node as usize]);
            let interpolate = |weights: &[f64; 10]| {
                weights.iter().zip(&positions).map(|(weight, x)| *x * *weight).sum::<Vec3>()
            };
            for (point, weight) in tetrahedron_rule() {
                let shapes = quadratic(point);
                let [a, b, c] = quadratic_tangents(point).map(|tangent| interpolate(&tangent));
                let volume = a.cross(b).dot(c).abs() / 6.0;
                load_points.push(nodes, &shapes, interpolate(&shapes), Vec3::X * (volume * weight));
            }
        }
        load_points
    }

    /// Adds a point with the values of the shape functions of `nodes` there, its rest position (m) and its measure.
    pub(crate) fn push(&mut self, nodes: &[u32], shapes: &[f64], position: Vec3, measure: Vec3) {
        self.positions.push(position);
        self.measures.push(measure);
        self.shape_values.extend(nodes.iter().copied().zip(shapes.iter().copied()));
        self.ends.push(self.shape_values.len());
    }

    /// Positions at rest (m).
    pub fn places(&self) -> &[Vec3] {
        &self.positions
    }

    /// Upper bound of the node indices: one more than the largest.
    pub(crate) fn node_count(&self) -> usize {
        self.shape_values.iter().map(|(node, _)| *node as usize + 1).max().unwrap_or(0)
    }

    /// Each point: its rest position (m), its measure, and its nodes with their shape functions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Vec3, Vec3, &[(u32, f64)])> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let shape_values =
            starts.zip(&self.ends).map(|(start, end)| &self.shape_values[*start..*end]);
        self.positions
            .iter()
            .zip(&self.measures)
            .zip(shape_values)
            .map(|((position, measure), shape_values)| (*position, *measure, shape_values))
    }
}

/// The rule of fourteen points: barycentric coordinates and weights, whose sum is one.
pub fn tetrahedron_rule() -> impl Iterator<Item = ([f64; 4], f64)> {
    const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let quadruples = QUADRUPLES.into_iter().flat_map(|(a, weight)| {
        (0..4).map(move |k| {
            let mut coordinates = [a; 4];
            coordinates[k] = 1.0 - 3.0 * a;
            (coordinates, weight)
        })
    });
    let (a, weight) = SEXTUPLE;
    let sextuple = PAIRS.into_iter().map(move |pair| {
        let mut coordinates = [a; 4];
        pair.iter().for_each(|&k| coordinates[k] = 0.5 - a);
        (coordinates, weight)
    });
    quadruples.chain(sextuple)
}

/// Shape functions of a quadratic tetrahedron at barycentric coordinates.
fn quadratic([p, q, r, s]: [f64; 4]) -> [f64; 10] {
    let corner = |l: f64| l * (2.0 * l - 1.0);
    let middle = |a: f64, b: f64| 4.0 * a * b;
    [
        corner(p),
        corner(q),
        corner(r),
        corner(s),
        middle(p, q),
        middle(p, r),
        middle(p, s),
        middle(q, r),
        middle(q, s),
        middle(r, s),
    ]
}

/// Derivatives of the quadratic shape functions by q, r and s where `p = 1 - q - r - s`.
fn quadratic_tangents([p, q, r, s]: [f64; 4]) -> [[f64; 10]; 3] {
    let [dp, dq, dr, ds] = [p, q, r, s].map(|l| 4.0 * l - 1.0);
    let [p, q, r, s] = [p, q, r, s].map(|l| 4.0 * l);
    [
        [-dp, dq, 0.0, 0.0, p - q, -r, -s, r, s, 0.0],
        [-dp, 0.0, dr, 0.0, -q, p - r, -s, q, 0.0, s],
        [-dp, 0.0, 0.0, ds, -q, -r, p - s, 0.0, q, r],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: u32) -> f64 {
        (1..=n).map(f64::from).product()
    }

    /// `integral of p^i q^j r^k s^l = 6 V i! j! k! l! / (i + j + k + l + 3)!`.
    #[test]
    fn the_rule_is_exact_up_to_degree_five() {
        let mut inexact = 0.0_f64;
        for [i, j, k, l] in (0..7_u32.pow(4)).map(|n| [n % 7, n / 7 % 7, n / 49 % 7, n / 343]) {
            let degree = i + j + k + l;
            let monomial = |[p, q, r, s]: [f64; 4]| {
                p.powi(i as i32) * q.powi(j as i32) * r.powi(k as i32) * s.powi(l as i32)
            };
            let sum: f64 = tetrahedron_rule().map(|(at, weight)| weight * monomial(at)).sum();
            let exact =
                6.0 * [i, j, k, l].map(factorial).iter().product::<f64>() / factorial(degree + 3);
            match degree {
                0..=5 => assert!((sum - exact).abs() < 1e-15, "{i} {j} {k} {l}: {sum}, {exact}"),
                6 => inexact = inexact.max((sum - exact).abs()),
                _ => {}
            }
        }
        assert!(inexact > 1e-6, "the degree is five, not more");
    }

    #[test]
    fn shape_functions_are_one_at_their_node_and_their_derivatives_are_differences() {
        let [p, q, r, s] = [0.4, 0.3, 0.2, 0.1];
        assert!((quadratic([p, q, r, s]).iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(quadratic([0.0, 0.5, 0.0, 0.5])[8], 1.0);
        let h = 1e-6;
        let moves = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for (along, tangent) in moves.into_iter().zip(quadratic_tangents([p, q, r, s])) {
            let at = |h: f64| {
                let [b, c, d] = along.map(|step| step * h);
                quadratic([p - b - c - d, q + b, r + c, s + d])
            };
            for ((after, before), slope) in at(h).iter().zip(at(-h)).zip(tangent) {
                assert!(((after - before) / (2.0 * h) - slope).abs() < 1e-9);
            }
        }
    }
}
