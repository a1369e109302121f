//! Viscous flow as a change of the rest shape of elements.
//!
//! `F = F_e F_v` as in plasticity, but the flow goes on for as long as there is stress. A term knows the time at which
//! its history variables were last updated. A time `h` later its energy is that of elements of which the elastic strain
//! e at that time has relaxed by a factor, with a smaller shear modulus:
//!
//! ```text
//!   P(x) = sum V mu mean |e~|^2,   e~ = dev ln (F G),   G = F_v^-1 exp((start - 1) e)
//! ```
//!
//! ([`Relaxation`] has the factors). Its gradient is exactly the stress of a strain that grew at a constant rate, and
//! it is an ordinary potential of positions: solvers and integrators need no special case for the flow. With `h = 0` it
//! is the energy of the springs, with infinite `h` it is zero.

use super::group_sum;
use super::plastic::{VOLUME_TOLERANCE, isochoric};
use super::rest::InverseEdges;
use crate::material::{Branch, Hencky, Materials, Relaxation};
use resile_math::lanes::{Lane, Mat3x8, Vec3x8, dot};
use resile_math::svd::SignedSvd;
use resile_math::symmetric3::Symmetric3x8;
use resile_math::{Mat3, elementary};
use resile_system::FlowHeat;
use std::array::from_fn;

/// Number of history variables per integration point: `F_v^-1` by columns, and the deviator e of the elastic
/// logarithmic strain in the intermediate configuration, by its entries xx, yy, zz, yz, xz, xy.
const VARIABLES: usize = 15;

/// An integration point of eight elements.
#[derive(Debug, Clone, Copy)]
struct ViscousPoint {
    /// `F_v^-1`.
    inverse_viscous: Mat3x8,
    /// e.
    strain: LogStrain,
}

/// Eight elements with `Q` integration points each.
#[derive(Debug, Clone)]
struct ViscousGroup<const Q: usize> {
    rest: InverseEdges<Q>,
    branch: Branch,
    /// Elements in the group.
    count: usize,
    points: [ViscousPoint; Q],
}

/// The history variables of a branch of a Prony series, with `Q` integration points for each element.
#[derive(Debug, Clone)]
pub(super) struct Viscosity<const Q: usize> {
    groups: Vec<ViscousGroup<Q>>,
    /// The time (s) of the history variables.
    since: f64,
}

impl<const Q: usize> Viscosity<Q> {
    /// The history of groups with these inverse rest edges and numbers of elements; `None` if the materials do not
    /// relax.
    pub(super) fn new(
        materials: &Materials,
        groups: impl ExactSizeIterator<Item = (InverseEdges<Q>, usize)>,
    ) -> Option<Self> {
        let group = |(index, (rest, count)): (usize, (InverseEdges<Q>, usize))| {
            let branch = materials.of_group(index).relaxing()?;
            Some(ViscousGroup { rest, branch, count, points: [ViscousPoint::VIRGIN; Q] })
        };
        let groups = groups.enumerate().map(group).collect::<Option<Vec<_>>>()?;
        (!groups.is_empty()).then_some(Self { groups, since: 0.0 })
    }

    /// Returns `Dm^-1 G`, with the rest edges `Dm`, and the strain energy density of an integration point of a group at
    /// `time` (s).
    pub(super) fn at(&self, time: f64, group_index: usize, point_index: usize) -> (Mat3x8, Hencky) {
        let group = &self.groups[group_index];
        let relaxation = group.branch.relaxation(self.elapsed(time));
        let g = group.points[point_index].relaxed(relaxation.start);
        let inverse = group.rest.at(point_index).mul(&g);
        (inverse, group.branch.spring.with_shear_scaled(relaxation.mean))
    }

    /// Time since the last update of the history variables (s); zero for earlier times.
    fn elapsed(&self, time: f64) -> f64 {
        (time - self.since).max(0.0)
    }

    /// Number of history variables.
    pub(super) fn count(&self) -> usize {
        VARIABLES * Q * self.groups.iter().map(|group| group.count).sum::<usize>()
    }

    /// Whether `variables` has all history variables of all elements, or none, and those of each integration point are
    /// finite and isochoric: the determinant of `F_v^-1` is one and the trace of the strain is zero, up to a tolerance.
    pub(super) fn admits(&self, variables: &[f64]) -> bool {
        let is_admissible = |point_variables: &[f64]| {
            let volume_ratio = Mat3::from_cols_slice(point_variables).determinant();
            let strain = &point_variables[9..];
            let trace = strain[0] + strain[1] + strain[2];
            let is_finite = strain.iter().all(|entry| entry.is_finite());
            let is_isochoric =
                (volume_ratio - 1.0).abs() < VOLUME_TOLERANCE && trace.abs() < VOLUME_TOLERANCE;
            is_finite && is_isochoric
        };
        let is_complete = variables.len() == self.count() || variables.is_empty();
        is_complete && variables.chunks_exact(VARIABLES).all(is_admissible)
    }

    /// Appends the history variables to `out`: for each element, [`VARIABLES`] for each of its integration points.
    pub(super) fn add_variables(&self, out: &mut Vec<f64>) {
        for group in &self.groups {
            let strains = group.points.each_ref().map(|point| point.strain.matrix());
            for l in 0..group.count {
                for (point, strain) in group.points.iter().zip(&strains) {
                    out.extend(point.inverse_viscous.lane(l).to_cols_array());
                    let Symmetric3x8 { diagonal, off: off_diagonal } = strain;
                    let entries = diagonal.iter().chain(off_diagonal);
                    out.extend(entries.map(|entry| entry.as_array()[l]));
                }
            }
        }
    }

    /// Sets the history variables to `variables`, in the order of [`add_variables`](Self::add_variables), and the time
    /// of their last update to `since` (s). An empty slice means virgin elements.
    pub(super) fn set_variables(&mut self, variables: &[f64], since: f64) {
        self.since = since;
        let mut chunks = variables.chunks_exact(VARIABLES * Q);
        for group in &mut self.groups {
            let elements: Vec<&[f64]> = chunks.by_ref().take(group.count).collect();
            for (q, point) in group.points.iter_mut().enumerate() {
                *point = match elements.last() {
                    None => ViscousPoint::VIRGIN,
                    // Unused lanes of an incomplete group have the variables of its last element.
                    Some(last) => ViscousPoint::from_variables(|l, k| {
                        elements.get(l).unwrap_or(last)[q * VARIABLES + k]
                    }),
                };
            }
        }
    }

    /// The heat (J) of the dashpots at a constant rate of strain up to `time` (s), minus the energy that
    /// [`flow`](Self::flow) releases. `elastic` and `volume` are those of `flow`.
    pub(super) fn relaxed(
        &self,
        time: f64,
        elastic: impl Fn(usize, usize, &Mat3x8) -> Mat3x8 + Sync,
        volume: impl Fn(usize, usize) -> Lane + Sync,
    ) -> f64 {
        let elapsed = self.elapsed(time);
        let group_value = |(index, group): (usize, &ViscousGroup<Q>)| {
            let relaxation = group.branch.relaxation(elapsed);
            let point_value = |(q, point): (usize, &ViscousPoint)| {
                let inverse = group.rest.at(q).mul(&point.relaxed(relaxation.start));
                let strain = LogStrain::new(&elastic(index, q, &inverse));
                let heat = group.branch.heat(&point.strain, &strain, &relaxation)
                    - group.branch.released(&strain, &relaxation);
                sum(heat * volume(index, q), group.count)
            };
            group.points.iter().enumerate().map(point_value).sum::<f64>()
        };
        group_sum::sum(&self.groups, group_value)
    }

    /// Updates the history variables of each integration point to `time` (s) and returns the heat (J).
    ///
    /// `elastic(group_index, point_index, inverse)` is `F G` for `inverse = Dm^-1 G`, and
    /// `volume(group_index, point_index)` is the volume (m^3) of the integration point in each element.
    pub(super) fn flow(
        &mut self,
        time: f64,
        elastic: impl Fn(usize, usize, &Mat3x8) -> Mat3x8 + Sync,
        volume: impl Fn(usize, usize) -> Lane + Sync,
    ) -> FlowHeat {
        let relaxed = self.relaxed(time, &elastic, &volume);
        let elapsed = self.elapsed(time);
        let group_value = |(index, group): (usize, &mut ViscousGroup<Q>)| {
            let ViscousGroup { rest, branch, count, points } = group;
            let relaxation = branch.relaxation(elapsed);
            let point_value = |(q, point): (usize, &mut ViscousPoint)| {
                let inverse_viscous = point.relaxed(relaxation.start);
                let strain = LogStrain::new(&elastic(index, q, &rest.at(q).mul(&inverse_viscous)));
                let viscous_factor = strain.exponential(relaxation.mean - Lane::ONE);
                point.inverse_viscous = isochoric(&inverse_viscous.mul(&viscous_factor));
                point.strain = strain.scaled(relaxation.mean);
                sum(branch.released(&strain, &relaxation) * volume(index, q), *count)
            };
            points.iter_mut().enumerate().map(point_value).sum::<f64>()
        };
        let heat = group_sum::sum_mut(&mut self.groups, group_value);
        self.since = time;
        FlowHeat { viscous: heat, relaxed, ..FlowHeat::default() }
    }
}

impl ViscousPoint {
    /// A point without flow and strain.
    const VIRGIN: Self = Self {
        inverse_viscous: Mat3x8::IDENTITY,
        strain: LogStrain { deviator: [Lane::ZERO; 3], v: Mat3x8::IDENTITY },
    };

    /// The point with the history variables `variable(lane, index)`, in the order of [`VARIABLES`].
    fn from_variables(variable: impl Fn(usize, usize) -> f64) -> Self {
        let lanes = |k: usize| Lane::new(from_fn(|l| variable(l, k)));
        let (diagonal, off_diagonal) = (from_fn(|i| lanes(9 + i)), from_fn(|i| lanes(12 + i)));
        let strain = Symmetric3x8 { diagonal, off: off_diagonal };
        let (deviator, v) = strain.eigen();
        let inverse_viscous = Mat3x8 { cols: from_fn(|c| from_fn(|r| lanes(3 * c + r))) };
        Self { inverse_viscous, strain: LogStrain { deviator, v } }
    }

    /// `G = F_v^-1 exp((start - 1) e)`.
    fn relaxed(&self, start: Lane) -> Mat3x8 {
        self.inverse_viscous.mul(&self.strain.exponential(start - Lane::ONE))
    }
}

/// The deviator of the logarithm of the right stretch of eight elements: `V diag(deviator) V^T`.
#[derive(Debug, Clone, Copy)]
struct LogStrain {
    deviator: Vec3x8,
    v: Mat3x8,
}

impl LogStrain {
    /// The logarithmic strain of an elastic deformation gradient.
    fn new(elastic: &Mat3x8) -> Self {
        let SignedSvd { s, v, .. } = SignedSvd::new(elastic);
        let logarithms = s.map(|s| s.ln());
        let mean = (logarithms[0] + logarithms[1] + logarithms[2]) * Lane::splat(1.0 / 3.0);
        Self { deviator: logarithms.map(|logarithm| logarithm - mean), v }
    }

    /// The strain times `factor`.
    fn scaled(&self, factor: Lane) -> Self {
        Self { deviator: self.deviator.map(|e| factor * e), ..*self }
    }

    /// `V diag(values) V^T`.
    fn spectral_matrix(&self, values: &Vec3x8) -> Mat3x8 {
        let cols = from_fn(|k| self.v.cols[k].map(|v| v * values[k]));
        Mat3x8 { cols }.mul_transpose(&self.v)
    }

    /// The exponential of `factor` times the strain.
    fn exponential(&self, factor: Lane) -> Mat3x8 {
        let stretch = |e: Lane| Lane::new((factor * e).to_array().map(elementary::exp));
        self.spectral_matrix(&self.deviator.map(stretch))
    }

    /// The strain as a symmetric matrix.
    fn matrix(&self) -> Symmetric3x8 {
        let Mat3x8 { cols: [x, y, z] } = self.spectral_matrix(&self.deviator);
        Symmetric3x8 { diagonal: [x[0], y[1], z[2]], off: [z[1], z[0], y[0]] }
    }
}

impl Branch {
    /// The heat (J/m^3) of the dashpots while the strain grows from `initial` to `strain`.
    fn heat(&self, initial: &LogStrain, strain: &LogStrain, relaxation: &Relaxation) -> Lane {
        let initial_strain = initial.spectral_matrix(&initial.deviator);
        let growth =
            initial_strain.scale_add(-relaxation.start, &strain.spectral_matrix(&strain.deviator));
        let [a, b, c] = relaxation.dissipation_factors;
        let sum = a * initial_strain.contract(&initial_strain)
            + b * initial_strain.contract(&growth)
            + c * growth.contract(&growth);
        self.spring.shear() * (sum + sum)
    }

    /// The energy (J/m^3) by which the potential falls at the end of a step.
    fn released(&self, strain: &LogStrain, relaxation: &Relaxation) -> Lane {
        let factor = relaxation.mean * (Lane::ONE - relaxation.mean);
        self.spring.shear() * factor * dot(&strain.deviator, &strain.deviator)
    }
}

/// The sum of the first `count` lanes.
fn sum(lanes: Lane, count: usize) -> f64 {
    lanes.as_array()[..count].iter().sum()
}
