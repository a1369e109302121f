//! The traits of energies: `Energy` and `Coupling`.

use crate::{CouplingPart, Impact, ImpulseResponse, Inelastic, Links, NodalStress, SearchHint};
use resile_math::{Mat3, Psd, Vec3};
use resile_sparse::{BlockSink, Dyad};
use std::fmt;
use std::ops::Range;

/// The properties of a configuration that a term can prove.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// Smallest distance (m) between surfaces in the search range of contact, infinite if there are
    /// none.
    pub min_distance: f64,
    /// Smallest determinant of a deformation gradient; infinite if none exists.
    pub min_det_f: f64,
    /// Whether a term that forbids inversion cannot prove that determinants are positive.
    pub inverted: bool,
    /// Number of pairs in contact (nearer than `d_hat`).
    pub contacts: usize,
}

impl Certificate {
    /// The certificate of a term without checks.
    pub const NOTHING: Self = Self {
        min_distance: f64::INFINITY,
        min_det_f: f64::INFINITY,
        inverted: false,
        contacts: 0,
    };

    /// The certificate of a term of elements with the smallest determinant `min_det_f`. The elements are inverted unless
    /// it is positive, if the material `forbids_inversion`.
    pub fn of_elements(min_det_f: f64, forbids_inversion: bool) -> Self {
        // The match fails also for NaN.
        let inverted = forbids_inversion && !matches!(min_det_f, det if det > 0.0);
        Self { min_det_f, inverted, ..Self::NOTHING }
    }

    /// The certificate of two terms together.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            min_distance: self.min_distance.min(other.min_distance),
            min_det_f: self.min_det_f.min(other.min_det_f),
            inverted: self.inverted || other.inverted,
            contacts: self.contacts + other.contacts,
        }
    }
}

/// A straight path of all nodes between two configurations (m). Methods that evaluate forces
/// away from the end point use several paths at once.
#[derive(Debug, Clone, Copy)]
pub struct Path<'a> {
    /// Positions of the nodes at the start (m).
    pub from: &'a [Vec3],
    /// Positions of the nodes at the end (m).
    pub to: &'a [Vec3],
}

impl<'a> Path<'a> {
    /// The constant path at `x`: a search along it makes evaluation at `x` valid.
    pub fn at(x: &'a [Vec3]) -> Self {
        Self { from: x, to: x }
    }

    /// The path of a range of nodes.
    #[must_use]
    pub fn of(self, nodes: Range<usize>) -> Self {
        Self { from: &self.from[nodes.clone()], to: &self.to[nodes] }
    }
}

/// A sink for 3x3 Hessian blocks with the node numbers of one body.
///
/// Each unordered pair of nodes is added once: `add(i, j, block)` implies the transposed block at
/// `(j, i)`.
pub struct Hessian<'a> {
    sink: &'a mut dyn BlockSink,
    offset: usize,
    scale: f64,
}

impl<'a> Hessian<'a> {
    /// Blocks are multiplied by `scale` and moved to rows from `offset` on.
    pub fn new(sink: &'a mut dyn BlockSink, offset: usize, scale: f64) -> Self {
        Self { sink, offset, scale }
    }

    /// Adds `block` (J/m^2) at nodes `(i, j)` and its transpose at `(j, i)`.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, block: Mat3) {
        self.sink.add(i + self.offset, j + self.offset, block * self.scale);
    }

    /// Adds `weight a a^T` (J/m^2), where a has the `entries` by node (each node once) and is otherwise zero. Sinks
    /// that do not store dyads add block-diagonal upper bounds instead ([`Dyad::majorant`]).
    pub fn add_dyad(&mut self, weight: f64, entries: &[(usize, Vec3)]) {
        let entries = entries.iter().map(|&(i, a)| (i + self.offset, a)).collect();
        let dyad = Dyad { weight: weight * self.scale, entries };
        if !self.sink.add_dyad(dyad.weight, &dyad.entries) {
            dyad.majorant().for_each(|(i, block)| self.sink.add(i, i, block));
        }
    }

    /// Adds the `block` (J/m^2) of each of `pairs`, by its index: distinct pairs `(i, j)`, `i <= j`, in
    /// ascending order. Several threads may call `block` at the same time.
    ///
    /// # Panics
    /// It may panic if the pairs are not ascending, but never adds to a wrong place.
    pub fn add_each(&mut self, pairs: &[(u32, u32)], block: impl Fn(usize) -> Mat3 + Sync) {
        let scale = self.scale;
        self.sink.add_each(self.offset, pairs, &|k| block(k) * scale);
    }
}

impl fmt::Debug for Hessian<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hessian")
            .field("offset", &self.offset)
            .field("scale", &self.scale)
            .finish_non_exhaustive()
    }
}

/// A sink for the weights of a [Laplacian](Energy::add_laplacian), which are multiples of the 3x3
/// identity, with the node numbers of one body.
pub struct Laplacian<'a> {
    sink: &'a mut dyn BlockSink<f64>,
    offset: usize,
    scale: f64,
}

impl<'a> Laplacian<'a> {
    /// Weights are multiplied by `scale` and moved to rows from `offset` on.
    pub fn new(sink: &'a mut dyn BlockSink<f64>, offset: usize, scale: f64) -> Self {
        Self { sink, offset, scale }
    }

    /// Adds `weight` (J/m^2) at nodes `(i, j)` and, if they differ, at `(j, i)`.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, weight: f64) {
        self.sink.add(i + self.offset, j + self.offset, weight * self.scale);
    }
}

/// Adds the trace of each block.
impl BlockSink for Laplacian<'_> {
    fn add(&mut self, i: usize, j: usize, block: Mat3) {
        self.add(i, j, block.x_axis.x + block.y_axis.y + block.z_axis.z);
    }
}

impl fmt::Debug for Laplacian<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Laplacian")
            .field("offset", &self.offset)
            .field("scale", &self.scale)
            .finish_non_exhaustive()
    }
}

/// A potential P(x, t), in joules, conservative at fixed time.
///
/// `x` are the positions (metres) of the nodes the term was built for: the nodes
/// of its body for a body's term, all nodes of the system for a [`Coupling`].
/// Evaluation takes `&self`, and the time (s) of what the term prescribes, such as moving targets, as an argument. A
/// term of a body is a value that never changes: with other history variables it is [another
/// one](Inelastic::with_internal).
pub trait Energy: Send + Sync {
    /// The name of the term's column in the energy ledger, such as `elastic`.
    fn name(&self) -> &str;

    /// Whether the term is internal: invariant under rigid motion of the body and independent of time, apart from
    /// the relaxation of history variables. Elasticity is
    /// internal; weight, loads and supports are not.
    fn is_internal(&self) -> bool {
        false
    }

    /// Whether the term is a load whose forces change with the shape of the body, such as a pressure. Its second
    /// derivative is not a stiffness of the unloaded body.
    fn is_follower_load(&self) -> bool {
        false
    }

    /// The acceleration (m/s^2) of a uniform field at `time` (s), equal for all nodes and positions; zero for
    /// other terms.
    fn uniform_acceleration(&self, _time: f64) -> Vec3 {
        Vec3::ZERO
    }

    /// Whether the potential is translation invariant apart from its
    /// [uniform field](Self::uniform_acceleration). A body with only such terms and without contact is in free fall.
    fn is_translation_invariant(&self) -> bool {
        false
    }

    /// The first time (s) after `time` at which a prescribed quantity of the term or its velocity jumps; infinite if
    /// there is none.
    fn next_change(&self, _time: f64) -> f64 {
        f64::INFINITY
    }

    /// The mean velocity (m/s) between both `times` (s) of the support to which the term ties the body; `None` if it is
    /// not a support.
    fn support_velocity(&self, _times: [f64; 2]) -> Option<Vec3> {
        None
    }

    /// Whether the term is a dead load, whose forces depend on time only, and they differ between both `times` (s).
    fn is_varying_dead_load(&self, _times: [f64; 2]) -> bool {
        false
    }

    /// P(x, t) in joules at `time` (s); `+inf` where `x` is inadmissible (inverted, crossing).
    fn value(&self, time: f64, x: &[Vec3]) -> f64;

    /// `out += scale * dP/dx`, newtons times `scale`.
    fn add_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]);

    /// Adds the gradient like [`add_gradient`](Self::add_gradient) and returns P, both bitwise equal to the separate
    /// calls, with shared work. The gradient is meaningless for inadmissible `x`.
    fn value_and_gradient(&self, time: f64, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        self.add_gradient(time, x, scale, out);
        self.value(time, x)
    }

    /// Adds d2P/dx2. For terms of bodies the pairs of nodes and their order must be the same in every call; for
    /// couplings they may change.
    fn add_hessian(&self, time: f64, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>);

    /// Adds a symmetric, positive semi-definite matrix L with one number per pair of nodes, which replaces
    /// d2P/dx2 in each component, independent of `x`: the global matrix
    /// `sum w A^T A` of Projective Dynamics (Bouaziz, Martin, Liu, Kavan & Pauly 2014, eq. 10).
    /// If P is a weighted squared distance to a projection, a step with L is a local/global step, otherwise a
    /// quasi-Newton step (Liu, Bouaziz & Kavan 2017, section 4). Order and pairs are constant, as in
    /// [`add_hessian`](Self::add_hessian).
    ///
    /// The default is the traces of the projected Hessian blocks at `x`, an upper bound for blocks
    /// `w n n^T`, such as those of springs.
    fn add_laplacian(&self, time: f64, x: &[Vec3], out: &mut Laplacian<'_>) {
        self.add_hessian(time, x, Psd::Clamp, &mut Hessian::new(out, 0, 1.0));
    }

    /// Largest fraction in (0, 1] of the straight paths, traversed simultaneously, that is certainly
    /// admissible, independent of time. For couplings see [`Coupling::search`].
    fn step_bound(&self, _paths: &[Path<'_>]) -> f64 {
        1.0
    }

    /// The term as one with history variables, if it has any.
    fn inelastic(&self) -> Option<&dyn Inelastic> {
        None
    }

    /// The properties that can be proved at `x`.
    fn certificate(&self, _x: &[Vec3]) -> Certificate {
        Certificate::NOTHING
    }

    /// Adds the stress of the elements of the term to their nodes.
    fn add_stress(&self, _x: &[Vec3], _out: &mut NodalStress) {}

    /// Work (J) of external agents through the explicit time dependence of the term, while the nodes
    /// moved `from -> to` in `times`.
    fn work(&self, _from: &[Vec3], _to: &[Vec3], _times: [f64; 2]) -> f64 {
        0.0
    }
}

/// An energy between bodies. Node numbers are those of the system.
pub trait Coupling: Energy {
    /// Finds the pairs near the straight paths, which are traversed simultaneously, and returns the
    /// [bound](Energy::step_bound) of the paths. Evaluation is valid on every path up to the bound of the last search.
    /// [`System::along`](crate::System::along) calls it. `hint` is that of the earlier searches of the step.
    fn search_with(&mut self, paths: &[Path<'_>], _hint: &mut SearchHint) -> f64 {
        self.step_bound(paths)
    }

    /// [`search_with`](Self::search_with) without a hint.
    fn search(&mut self, paths: &[Path<'_>]) -> f64 {
        self.search_with(paths, &mut SearchHint::default())
    }

    /// Adds half the energy of each pair of bodies to each of the two; the sum over bodies is
    /// `value(time, x)`. Obstacles get no part: the other body gets all.
    fn add_energy_by_body(&self, time: f64, x: &[Vec3], bodies: &mut [f64]);

    /// Adds to each body the rate of change (W) of its part for nodal velocities `v` (m/s): the derivative of
    /// [`add_energy_by_body`](Self::add_energy_by_body) along `v`.
    fn add_energy_rates_by_body(&self, time: f64, x: &[Vec3], v: &[Vec3], bodies: &mut [f64]);

    /// Adds to each body its part of the [work](Energy::work) through the explicit time dependence of the term. Terms
    /// without such a dependence keep the default.
    fn add_work_by_body(
        &self,
        _from: &[Vec3],
        _to: &[Vec3],
        _times: [f64; 2],
        _bodies: &mut [f64],
    ) {
    }

    /// Links the bodies that exchange force at `x`.
    fn link(&self, x: &[Vec3], links: &mut Links);

    /// Whether any pair has a coefficient of restitution.
    fn has_restitution_pairs(&self) -> bool {
        false
    }

    /// The impacts of pairs with a coefficient of restitution that are active at `x` (m). `responses` are those of the
    /// bodies.
    fn impacts(&self, _x: &[Vec3], _responses: &[ImpulseResponse]) -> Vec<Impact> {
        Vec::new()
    }

    /// The coupling restricted to these bodies: pairs without a node of them may be omitted, and no other body moves. A
    /// search of the restriction must precede its first evaluation. If the whole was searched before, it can be
    /// evaluated afterwards along the paths of the last search of the restriction, up to their bound.
    fn restricted(&mut self, bodies: &[bool]) -> CouplingPart<'_>;

    /// The numbers of the two colliders whose impact limits the paths of the last [search](Self::search), if
    /// any. For traces of the solver: it may cost as much as the bound.
    fn first_impact(&self, _paths: &[Path<'_>]) -> Option<[usize; 2]> {
        None
    }

    /// The number of pairs of primitives that the last searches found near their paths.
    fn pair_count(&self) -> usize {
        0
    }
}

impl fmt::Debug for dyn Energy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Energy({})", self.name())
    }
}

impl fmt::Debug for dyn Coupling + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Coupling({})", self.name())
    }
}
