//! Elasticity of quadratic tetrahedra with ten nodes: four corners and six midpoints of edges.
//!
//! # Shape
//! With barycentric coordinates `L` of the element, rest positions `X` and positions `x` of its nodes,
//!
//! ```text
//!   N_i = L_i (2 L_i - 1),   N_ij = 4 L_i L_j,   dx/dL = sum_a x_a dN_a/dL,   F = dx/dL (dX/dL)^-1
//! ```
//!
//! (Zienkiewicz & Taylor, *The Finite Element Method*, 8.8.2; the map `X(L)` with the same shape functions makes the
//! element isoparametric.) The numbers `dN_a/dL_i` at an integration point are the same for all elements, so stress
//! and blocks are computed as for a linear tetrahedron with the edges `dX/dL` at each integration point, and then
//! combined. In an element with straight edges at rest `dX/dL` is constant; in a curved one it is linear in `L`.
//!
//! # Integration
//! The rule uses all nodes and the centre. Straight elements have weights of 1/30 at each node and 2/3 at the
//! centre, which is exact for polynomials of degree two, such as the energy of small strains. Curved elements have
//! weights of 1/60 at corners, 1/15 at midpoint nodes and 8/15 at the centre, which is exact for polynomials of
//! degree three, such as `det dX/dL` and the integrals of `grad N_a`: their volume is exact, and a uniform stress
//! exerts no force on interior nodes. All weights are positive. Four interior points are exact to degree two as
//! well, but det F is usually smallest at the boundary of an element, where a material that forbids inversion must
//! be evaluated.
//!
//! # Inversion
//! `dx/dL` is linear in L and its determinant is a cubic polynomial, which is bounded from below by the smallest of
//! its twenty Bernstein coefficients (Johnen, Remacle & Geuzaine 2013, *Geometrical validity of
//! curvilinear finite elements*). If that bound is not positive, the element is divided recursively
//! into eight subelements, whose coefficients are closer to the determinant. On a straight path
//! each coefficient is a cubic of the fraction, like the volume of a linear element. A state is
//! admissible only if the determinant is proved to be positive everywhere; a step bound proves this for all
//! fractions up to it. The rest shape of a curved element satisfies the same, so `det F`, the ratio of the
//! determinants in both states, is positive exactly where `det dx/dL` is.

mod bernstein;
mod rest;

use super::history::{Evaluated, History};
use super::rest::check_count;
use super::tangent::{self, Blocks};
use super::{ElementError, NOW, PAIRS, element_stresses};
use crate::gather::Gather;
use crate::material::Materials;
use bernstein::PathSize;
use resile_math::Vec3;
use resile_math::lanes::{LANES, Lane, Mat3x8, Vec3x8, scale_add};
use resile_system::{Certificate, Energy, FlowHeat, Hessian, Inelastic, NodalStress, Path, Psd};
use rest::QuadraticGroup;
use std::array::from_fn;
use std::ops::Range;
use std::sync::Arc;

/// Nodes of an element.
const NODES: usize = 10;
/// Integration points: the nodes, then the centre.
const POINTS: usize = NODES + 1;
/// Unordered pairs of nodes, including a node with itself.
const NODE_PAIRS: usize = NODES * (NODES + 1) / 2;
/// The end points of the edge of each midpoint.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// An integration point.
#[derive(Debug, Clone, Copy)]
struct Point {
    /// Weight as a fraction of the volume of a straight element.
    weight: f64,
    /// `c_ai`: the coefficient of `grad L_i` in the gradient of the shape function of node a.
    gradients: [[f64; 4]; NODES],
}

/// The nodes, then the centre.
const QUADRATURE_POINTS: [Point; POINTS] = points();
/// Weights of the points in a curved element, as fractions of a sixth of `det dX/dL`.
const CURVED_WEIGHTS: [f64; POINTS] = curved_weights();

/// The weights of curved elements: 1/60 at corners, 1/15 at midpoint nodes, 8/15 at the centre.
const fn curved_weights() -> [f64; POINTS] {
    let mut weights = [1.0 / 15.0; POINTS];
    let mut corner = 0;
    while corner < 4 {
        weights[corner] = 1.0 / 60.0;
        corner += 1;
    }
    weights[NODES] = 8.0 / 15.0;
    weights
}

/// The integration points of straight elements.
const fn points() -> [Point; POINTS] {
    let mut points = [point(2.0 / 3.0, [0.25; 4]); POINTS];
    let mut a = 0;
    while a < NODES {
        let mut l = [0.0; 4];
        if a < 4 {
            l[a] = 1.0;
        } else {
            l[EDGES[a - 4][0]] = 0.5;
            l[EDGES[a - 4][1]] = 0.5;
        }
        points[a] = point(1.0 / 30.0, l);
        a += 1;
    }
    points
}

/// The point of barycentric coordinates `l`.
const fn point(weight: f64, l: [f64; 4]) -> Point {
    let mut gradients = [[0.0; 4]; NODES];
    let mut i = 0;
    while i < 4 {
        gradients[i][i] = 4.0 * l[i] - 1.0;
        i += 1;
    }
    let mut e = 0;
    while e < 6 {
        let [i, j] = EDGES[e];
        gradients[4 + e][i] = 4.0 * l[j];
        gradients[4 + e][j] = 4.0 * l[i];
        e += 1;
    }
    Point { weight, gradients }
}

/// `P(x) = sum_e sum_q V_eq psi_e(F_e(x, q))`: elastic energy of a body of quadratic
/// tetrahedra, with the deformation gradient `F_e` and the rest volume `V_eq` of the points of integration,
/// and the strain energy density `psi_e` of the element's material. Edges may be curved at rest.
///
/// Evaluation is parallel in the current rayon pool, and bitwise equal for any number of threads.
/// `benches/README.md` lists the cost of an element.
#[derive(Debug)]
pub struct QuadraticTetElasticity {
    groups: Arc<[QuadraticGroup]>,
    gather: Arc<Gather<NODES>>,
    materials: Arc<Materials>,
    history: History<POINTS>,
    /// Whether the stress of this term adds to that of another term over the same elements.
    is_overlay: bool,
}

impl QuadraticTetElasticity {
    /// Elasticity of `elements` over the rest positions `rest` (m). Each has its corners first, as
    /// [`TetElasticity`](super::TetElasticity) has them, then the midpoints of the edges 01, 02, 03, 12, 13, 23.
    ///
    /// # Errors
    /// Positions that are not finite, nodes that do not exist, all elements whose corners span no positive volume,
    /// and a number of materials that differs from that of elements. Further all curved elements whose map from
    /// barycentric coordinates is not proved to have a positive determinant everywhere.
    pub fn new(
        rest: &[Vec3],
        elements: &[[u32; NODES]],
        materials: impl Into<Materials>,
    ) -> Result<Self, ElementError> {
        let materials = check_count(materials.into(), elements.len())?;
        let groups = rest::groups(rest, elements)?;
        let shapes = groups.iter().map(|group| (group.inverse.clone(), group.count));
        let history = History::new(&materials, shapes);
        let gather = Arc::new(Gather::unchecked(elements));
        let (groups, materials) = (groups.into(), materials.into());
        Ok(Self { groups, gather, materials, history, is_overlay: false })
    }

    /// Returns the inverse rest edges and the strain energy density of a group at an integration point and at `time`
    /// (s).
    #[inline(always)]
    fn evaluated(&self, time: f64, group_index: usize, point: usize) -> Evaluated<'_> {
        let elastic =
            || (self.groups[group_index].inverse.at(point), self.materials.of_group(group_index));
        self.history.evaluated(time, [group_index, point], elastic)
    }

    /// This term as an overlay that acts in parallel with another term over the same elements: their nodal
    /// [stresses](NodalStress) add up.
    #[must_use]
    pub fn overlaid(self) -> Self {
        Self { is_overlay: true, ..self }
    }

    /// Number of elements.
    pub fn element_count(&self) -> usize {
        self.groups.iter().map(|group| group.count).sum()
    }

    /// The elements that are not proved to have positive volume everywhere at `x`, each with
    /// the lower bound of its det F. Initial states of materials that forbid inversion must have none.
    pub fn inverted(&self, x: &[Vec3]) -> Vec<(usize, f64)> {
        let mut elements = Vec::new();
        for (group_index, group) in self.groups.iter().enumerate() {
            let bound = group.min_determinant(x);
            for (l, &bound) in bound.as_array()[..group.count].iter().enumerate() {
                // The comparison is also false for NaN.
                let is_positive = bound > 0.0;
                if !is_positive {
                    elements.push((group_index * LANES + l, bound));
                }
            }
        }
        elements
    }

    /// Adds the energy (J) of the elements of a group to `sum`.
    #[inline]
    fn add_energy(&self, time: f64, group_index: usize, x: &[Vec3], sum: Lane) -> Lane {
        let group = &self.groups[group_index];
        let nodes = group.gather(x);
        let psi = |q: usize| {
            let evaluated = self.evaluated(time, group_index, q);
            let (inverse, energy_density) = evaluated.parts();
            energy_density.value(&edges(&nodes, &QUADRATURE_POINTS[q]).mul(inverse))
        };
        match &group.curved {
            Some(curved) => (0..POINTS).fold(sum, |sum, q| curved.volumes[q].mul_add(psi(q), sum)),
            None => {
                let weight = |q: usize| Lane::splat(QUADRATURE_POINTS[q].weight);
                let mean = (0..POINTS).fold(Lane::ZERO, |mean, q| weight(q).mul_add(psi(q), mean));
                group.volume.mul_add(mean, sum)
            }
        }
    }

    /// The gradients at the nodes except the first.
    #[inline]
    fn gradients(&self, time: f64, group_index: usize, x: &[Vec3]) -> [Vec3x8; NODES - 1] {
        let group = &self.groups[group_index];
        let nodes = group.gather(x);
        let mut out = [[Lane::ZERO; 3]; NODES - 1];
        for (q, point) in QUADRATURE_POINTS.iter().enumerate() {
            let evaluated = self.evaluated(time, group_index, q);
            let (inverse, energy_density) = evaluated.parts();
            let stress = energy_density.stress(&edges(&nodes, point).mul(inverse));
            let weighted_stress = stress.scale(group.volume_at(q));
            let [b, c, d] = weighted_stress.mul_transpose(inverse).cols;
            let a: Vec3x8 = from_fn(|i| -(b[i] + c[i] + d[i]));
            let corners = [a, b, c, d];
            for (out, gradient) in out.iter_mut().zip(&point.gradients[1..]) {
                for (factor, force) in gradient.iter().zip(&corners).filter(|(f, _)| **f != 0.0) {
                    *out = scale_add(Lane::splat(*factor), force, out);
                }
            }
        }
        out
    }

    /// The Hessian blocks of a group of eight elements.
    fn blocks(
        &self,
        (time, group_index): (f64, usize),
        x: &[Vec3],
        psd: Psd,
        out: &mut [Mat3x8; NODE_PAIRS],
    ) {
        let group = &self.groups[group_index];
        let nodes = group.gather(x);
        out.fill(Mat3x8 { cols: [[Lane::ZERO; 3]; 3] });
        let mut linear = [Mat3x8::IDENTITY; PAIRS.len()];
        for (q, point) in QUADRATURE_POINTS.iter().enumerate() {
            let evaluated = self.evaluated(time, group_index, q);
            let (inverse, energy_density) = evaluated.parts();
            let f = edges(&nodes, point).mul(inverse);
            tangent::evaluate(energy_density, &f, inverse, group.volume_at(q), psd, &mut linear);
            combine(point, &linear, out);
        }
    }
}

/// Adds `K_ab = sum_ij c_ai c_bj K_ij`, with the blocks `K_ij` of the linear element.
fn combine(point: &Point, linear: &Blocks, out: &mut [Mat3x8; NODE_PAIRS]) {
    let full: [[Mat3x8; 4]; 4] = from_fn(|i| from_fn(|j| corner_block(linear, i, j)));
    let node_pairs = (0..NODES).flat_map(|a| (a..NODES).map(move |b| (a, b)));
    for (out, (a, b)) in out.iter_mut().zip(node_pairs) {
        let (gradients_a, gradients_b) = (&point.gradients[a], &point.gradients[b]);
        for i in (0..4).filter(|&i| gradients_a[i] != 0.0) {
            for j in (0..4).filter(|&j| gradients_b[j] != 0.0) {
                *out = full[i][j].scale_add(Lane::splat(gradients_a[i] * gradients_b[j]), out);
            }
        }
    }
}

/// The block of the corners `i` and `j` of the linear element.
fn corner_block(linear: &Blocks, i: usize, j: usize) -> Mat3x8 {
    let slot = |pair| PAIRS.iter().position(|p| *p == pair).expect("all pairs are there");
    if i <= j { linear[slot((i, j))] } else { linear[slot((j, i))].transpose() }
}

impl Energy for QuadraticTetElasticity {
    fn name(&self) -> &str {
        "elastic"
    }

    fn is_translation_invariant(&self) -> bool {
        true
    }

    fn is_internal(&self) -> bool {
        true
    }

    fn value(&self, time: f64, x: &[Vec3]) -> f64 {
        let sum = self.gather.sum_x8(|group_index, sum| self.add_energy(time, group_index, x, sum));
        // NaN stems from infinity times the zero weight of a copy, or from positions that are not finite.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.gather
            .add_gradients_x8(scale, out, |group_index| self.gradients(time, group_index, x));
    }

    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.gather.add_hessians_x8(out, |group_index, blocks| {
            self.blocks((time, group_index), x, psd, blocks);
        });
    }

    /// Returns the largest fraction of the paths up to which det F is proved to stay positive everywhere, if a material
    /// forbids inversion, and otherwise one. The Bernstein coefficients of the proof keep a tenth of their initial
    /// values. Zero if positivity is not proved at the start.
    fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
        if !self.materials.forbid_inversion() {
            return 1.0;
        }
        let bound = |path: &Path<'_>| {
            let group_bound = |range: Range<usize>| {
                let groups = self.groups[range].iter();
                groups.fold(1.0, |bound, group| group.step_bound(path.from, path.to, bound))
            };
            self.gather.fold_x8(1.0, group_bound, f64::min)
        };
        paths.iter().map(bound).fold(1.0, f64::min)
    }

    /// Adds the stress of each element at its nodes.
    fn add_stress(&self, x: &[Vec3], out: &mut NodalStress) {
        for (group_index, group) in self.groups.iter().enumerate() {
            let nodes = group.gather(x);
            for (a, point) in QUADRATURE_POINTS[..NODES].iter().enumerate() {
                let edges = edges(&nodes, point);
                let evaluated = self.evaluated(NOW, group_index, a);
                let stresses =
                    element_stresses(&evaluated, &edges.mul(group.inverse.at(a)), &edges);
                let plastic_point = self.history.plastic(group_index, a);
                for (l, strained) in stresses.iter().enumerate().take(group.count) {
                    let volume = group.volume.as_array()[l];
                    let node = group.nodes[l][a] as usize;
                    match self.is_overlay {
                        true => out.add_overlay(node, volume, strained),
                        false => out.add(node, volume, strained),
                    }
                    plastic_point
                        .into_iter()
                        .for_each(|point| point.add_strain(l, node, volume, out));
                }
            }
        }
    }

    fn inelastic(&self) -> Option<&dyn Inelastic> {
        self.history.is_present().then_some(self)
    }

    /// Nonzero for a branch of a Prony series, and for plastic flow that depends on its rate.
    fn work(&self, _from: &[Vec3], to: &[Vec3], times: [f64; 2]) -> f64 {
        self.history.work(
            times[1],
            |group_index, q, inverse| self.groups[group_index].edges_at(to, q).mul(inverse),
            |group_index, q| self.groups[group_index].volume_at(q),
        )
    }

    /// A lower bound of det F over all elements: the smallest Bernstein coefficient of elements, or of
    /// subelements where that is not positive; of curved elements the smallest ratio to the coefficients at rest.
    /// Minus infinity for NaN.
    fn certificate(&self, x: &[Vec3]) -> Certificate {
        let min_det_f =
            self.gather.min_x8(|group_index| self.groups[group_index].min_determinant(x));
        Certificate::of_elements(min_det_f, self.materials.forbid_inversion())
    }
}

impl Inelastic for QuadraticTetElasticity {
    fn internal_count(&self) -> usize {
        self.history.count()
    }

    fn admits_internal(&self, variables: &[f64]) -> bool {
        self.history.admits(variables)
    }

    fn with_internal(&self, variables: &[f64], since: f64) -> Arc<dyn Energy> {
        let Self { groups, gather, materials, history, is_overlay } = self;
        let history = history.with_variables(variables, since);
        let (groups, gather, materials) = (groups.clone(), gather.clone(), materials.clone());
        Arc::new(Self { groups, gather, materials, history, is_overlay: *is_overlay })
    }

    fn flow(&self, time: f64, x: &[Vec3], variables: &mut Vec<f64>) -> FlowHeat {
        self.history.flow(
            time,
            |group_index, q, inverse| self.groups[group_index].edges_at(x, q).mul(inverse),
            |group_index, q| self.groups[group_index].volume_at(q),
            variables,
        )
    }
}

impl QuadraticGroup {
    /// The derivatives of position by barycentric coordinates at an integration point.
    fn edges_at(&self, x: &[Vec3], point: usize) -> Mat3x8 {
        edges(&self.gather(x), &QUADRATURE_POINTS[point])
    }

    /// A lower bound of det F; minus infinity for NaN.
    fn min_determinant(&self, x: &[Vec3]) -> Lane {
        let corners = self.at_corners(x);
        match &self.curved {
            None => {
                bernstein::min_determinant(&corners, self.count) * self.inverse.at(0).determinant()
            }
            Some(curved) => curved.determinant.min_ratio(&corners, self.count),
        }
    }

    /// The fraction of the path, at most `bound`, up to which det F is proved to be positive.
    fn step_bound(&self, from: &[Vec3], to: &[Vec3], bound: f64) -> f64 {
        let (a, end) = (self.at_corners(from), self.at_corners(to));
        let b = from_fn(|k| a[k].scale_add(-Lane::ONE, &end[k]));
        bernstein::step_bound(&a, &b, self.path_size(from, to), self.count, bound)
    }

    /// The largest coordinates of positions and displacements of each element.
    fn path_size(&self, from: &[Vec3], to: &[Vec3]) -> PathSize {
        let largest = |position: &dyn Fn(usize) -> Vec3| {
            Lane::new(self.nodes.map(|nodes| {
                let magnitudes =
                    nodes.iter().map(|&node| position(node as usize).abs().max_element());
                magnitudes.fold(0.0, f64::max)
            }))
        };
        PathSize { start: largest(&|i| from[i]), displacement: largest(&|i| to[i] - from[i]) }
    }
}

/// The derivatives of position by `L_1 - L_0`, `L_2 - L_0`, `L_3 - L_0` at a point, from the positions of the nodes
/// after the first minus that of the first.
#[inline(always)]
fn edges(nodes: &[Vec3x8; NODES - 1], point: &Point) -> Mat3x8 {
    let column = |i: usize| {
        let mut sum = [Lane::ZERO; 3];
        for (node, gradient) in nodes.iter().zip(&point.gradients[1..]) {
            let factor = gradient[i] - gradient[0];
            if factor != 0.0 {
                sum = scale_add(Lane::splat(factor), node, &sum);
            }
        }
        sum
    };
    Mat3x8 { cols: [column(1), column(2), column(3)] }
}
