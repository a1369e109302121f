//! Plastic deformation as a change of the rest shape of elements.
//!
//! `F = F_e F_p`, so `F_e = Ds Dm^-1 F_p^-1`: plastic flow replaces the gradients of the shape
//! functions by `Dm^-1 F_p^-1`, from which stress, blocks and potential follow as usual. Flow is
//! isochoric, `det F_p = 1`, so masses and inversion bounds do not change.

use super::group_sum;
use super::rest::InverseEdges;
use crate::material::{Flow, Hencky, Materials};
use resile_math::lanes::{Lane, Mat3x8};
use resile_math::{Mat3, elementary};
use resile_system::NodalStress;
use std::array::from_fn;

/// Number of history variables per integration point: `F_p^-1` by columns, and the equivalent
/// plastic strain.
const VARIABLES: usize = 10;
/// Tolerance of `det F_p^-1 = 1`, for rounding.
pub(super) const VOLUME_TOLERANCE: f64 = 1e-9;

/// An integration point of eight elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlasticPoint {
    /// `Dm^-1 F_p^-1`.
    pub(super) inverse: Mat3x8,
    /// The hardened potential.
    pub(super) density: Hencky,
    /// `F_p^-1`.
    inverse_plastic: Mat3x8,
    /// The equivalent plastic strain.
    strain: Lane,
}

/// Eight elements with `Q` integration points each.
#[derive(Debug, Clone)]
struct PlasticGroup<const Q: usize> {
    rest: InverseEdges<Q>,
    /// The potential without hardening.
    virgin: Hencky,
    /// Number of elements in the group.
    count: usize,
    points: [PlasticPoint; Q],
}

/// The history variables of the elements of a term, with `Q` integration points each.
#[derive(Debug, Clone)]
pub(super) struct Plasticity<const Q: usize> {
    /// `None` for elastic groups.
    groups: Vec<Option<PlasticGroup<Q>>>,
    /// The time (s) of the history variables, for elements whose yielding depends on the rate.
    since: f64,
    depends_on_rate: bool,
}

impl<const Q: usize> Plasticity<Q> {
    /// The history of groups with these inverse rest edges and numbers of elements; `None` if all materials are
    /// elastic.
    pub(super) fn new(
        materials: &Materials,
        groups: impl ExactSizeIterator<Item = (InverseEdges<Q>, usize)>,
    ) -> Option<Self> {
        // This is checked first, because the integration points need more memory than the mesh.
        if (0..groups.len()).all(|index| materials.of_group(index).yielding().is_none()) {
            return None;
        }
        let group = |(index, (rest, count)): (usize, (InverseEdges<Q>, usize))| {
            let virgin = materials.of_group(index).yielding()?;
            let points = from_fn(|q| virgin_point(*rest.at(q), virgin));
            Some(PlasticGroup { rest, virgin, count, points })
        };
        let groups: Vec<_> = groups.enumerate().map(group).collect();
        let depends_on_rate =
            groups.iter().flatten().any(|group: &PlasticGroup<Q>| group.virgin.over(0.0).is_some());
        Some(Self { groups, since: 0.0, depends_on_rate })
    }

    /// An integration point, if the group can yield.
    #[inline(always)]
    pub(super) fn at(&self, group: usize, point: usize) -> Option<&PlasticPoint> {
        self.groups[group].as_ref().map(|group| &group.points[point])
    }

    /// The potential of a point at `time` (s), if it depends on time.
    #[inline(always)]
    pub(super) fn over(&self, time: f64, point: &PlasticPoint) -> Option<Hencky> {
        point.density.over(self.elapsed(time))
    }

    /// Time since the last update of the history variables (s); zero for earlier times.
    fn elapsed(&self, time: f64) -> f64 {
        (time - self.since).max(0.0)
    }

    /// Number of history variables.
    pub(super) fn count(&self) -> usize {
        let elements: usize = self.groups.iter().flatten().map(|group| group.count).sum();
        VARIABLES * Q * elements
    }

    /// Whether the variables are isochoric, or empty.
    pub(super) fn admits(&self, variables: &[f64]) -> bool {
        let is_admissible = |point: &[f64]| {
            let (volume, strain) =
                (Mat3::from_cols_slice(point).determinant(), point[VARIABLES - 1]);
            (volume - 1.0).abs() < VOLUME_TOLERANCE && strain >= 0.0 && strain.is_finite()
        };
        let is_complete = variables.len() == self.count() || variables.is_empty();
        is_complete && variables.chunks_exact(VARIABLES).all(is_admissible)
    }

    /// Appends the variables, element by element.
    pub(super) fn add_variables(&self, out: &mut Vec<f64>) {
        for group in self.groups.iter().flatten() {
            for l in 0..group.count {
                for point in &group.points {
                    out.extend(point.inverse_plastic.lane(l).to_cols_array());
                    out.push(point.strain.as_array()[l]);
                }
            }
        }
    }

    /// Sets variables in the order in which they are appended, those of the time `since` (s); an empty slice means
    /// virgin elements.
    pub(super) fn set_variables(&mut self, variables: &[f64], since: f64) {
        self.since = since;
        let mut chunks = variables.chunks_exact(VARIABLES * Q);
        for group in self.groups.iter_mut().flatten() {
            let elements: Vec<&[f64]> = chunks.by_ref().take(group.count).collect();
            let virgin = group.virgin;
            for (q, point) in group.points.iter_mut().enumerate() {
                let rest = *group.rest.at(q);
                *point = virgin_point(rest, virgin);
                let variable = |l: usize, k: usize| {
                    let element = elements[l.min(elements.len() - 1)];
                    element[q * VARIABLES + k]
                };
                if !elements.is_empty() {
                    let lanes = |k: usize| Lane::new(from_fn(|l| variable(l, k)));
                    let cols = from_fn(|column| from_fn(|row| lanes(3 * column + row)));
                    point.put(rest, virgin, Mat3x8 { cols }, lanes(VARIABLES - 1));
                }
            }
        }
    }

    /// The heat (J) of flow at a constant rate up to `time`, minus the energy that [`flow`](Self::flow) releases.
    /// `elastic` and `volume` are those of `flow`.
    pub(super) fn overstress(
        &self,
        time: f64,
        elastic: impl Fn(usize, usize, &Mat3x8) -> Mat3x8 + Sync,
        volume: impl Fn(usize, usize) -> Lane + Sync,
    ) -> f64 {
        if !self.depends_on_rate {
            return 0.0;
        }
        let group_value = |(index, group): (usize, &Option<PlasticGroup<Q>>)| {
            let Some(PlasticGroup { points, .. }) = group else { return 0.0 };
            let point_value = |(q, point): (usize, &PlasticPoint)| {
                let Some(density) = self.over(time, point) else { return 0.0 };
                let heat = density.overstress(&elastic(index, q, &point.inverse));
                (heat * volume(index, q)).as_array().iter().sum()
            };
            points.iter().enumerate().map(point_value).sum::<f64>()
        };
        group_sum::sum(&self.groups, group_value)
    }

    /// Performs the plastic flow of each point up to `time` (s); `elastic` returns `F_e` by group, point and inverse
    /// rest edges, and `volume` (m^3) is that of a point of each element. Returns the energy (J) that leaves the
    /// potential.
    pub(super) fn flow(
        &mut self,
        time: f64,
        elastic: impl Fn(usize, usize, &Mat3x8) -> Mat3x8 + Sync,
        volume: impl Fn(usize, usize) -> Lane + Sync,
    ) -> f64 {
        let elapsed = self.elapsed(time);
        let group_value = |(index, group): (usize, &mut Option<PlasticGroup<Q>>)| {
            let Some(PlasticGroup { rest, virgin, points, .. }) = group else { return 0.0 };
            let mut dissipated = 0.0;
            for (q, point) in points.iter_mut().enumerate() {
                let density = point.density.over(elapsed).unwrap_or(point.density);
                let Some(flow) = density.flow(&elastic(index, q, &point.inverse)) else {
                    continue;
                };
                dissipated += (flow.work * volume(index, q)).as_array().iter().sum::<f64>();
                let (inverse_plastic, strain) = point.after(&flow);
                point.put(*rest.at(q), *virgin, inverse_plastic, strain);
            }
            dissipated
        };
        let heat = group_sum::sum_mut(&mut self.groups, group_value);
        self.since = time;
        heat
    }
}

/// An integration point without plastic strain.
fn virgin_point(rest: Mat3x8, virgin: Hencky) -> PlasticPoint {
    let (inverse_plastic, strain) = (Mat3x8::IDENTITY, Lane::ZERO);
    PlasticPoint { inverse: rest, density: virgin, inverse_plastic, strain }
}

impl PlasticPoint {
    /// Adds the plastic strain of element `l` to a node; `volume` is that of the element (m^3).
    pub(super) fn add_strain(&self, l: usize, node: usize, volume: f64, out: &mut NodalStress) {
        let strain = self.strain * self.density.share();
        out.add_plastic_strain(node, volume, strain.as_array()[l]);
    }

    /// Sets the variables; the rest shape of virgin elements is bitwise unchanged.
    fn put(&mut self, rest: Mat3x8, virgin: Hencky, inverse_plastic: Mat3x8, strain: Lane) {
        let has_flowed = strain.simd_gt(Lane::ZERO);
        let product = rest.mul(&inverse_plastic);
        let entry = |c: usize, r: usize| has_flowed.select(product.cols[c][r], rest.cols[c][r]);
        self.inverse = Mat3x8 { cols: from_fn(|c| from_fn(|r| entry(c, r))) };
        (self.inverse_plastic, self.strain, self.density) =
            (inverse_plastic, strain, virgin.after(strain));
    }

    /// `F_p^-1`, of determinant one, and the equivalent plastic strain after `flow`.
    fn after(&self, flow: &Flow) -> (Mat3x8, Lane) {
        let has_flow = flow.slip.simd_gt(Lane::ZERO);
        let updated = isochoric(&self.inverse_plastic.mul(&flow.factor));
        let entry = |c: usize, r: usize| {
            has_flow.select(updated.cols[c][r], self.inverse_plastic.cols[c][r])
        };
        let inverse_plastic = Mat3x8 { cols: from_fn(|c| from_fn(|r| entry(c, r))) };
        (inverse_plastic, flow.slip.mul_add(Lane::splat((2.0f64 / 3.0).sqrt()), self.strain))
    }
}

/// The deformation scaled to determinant one.
pub(super) fn isochoric(a: &Mat3x8) -> Mat3x8 {
    let cube_root = a.determinant().to_array().map(elementary::cbrt);
    a.scale(Lane::ONE / Lane::new(cube_root))
}
