//! The seams between physics and everything else.

use crate::{Impact, Links, NodalStress};
use resile_linalg::{BlockSink, Dyad};
use resile_math::{Mat3, Psd, Vec3};
use std::fmt;
use std::ops::Range;

/// What a term can prove about a configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// Smallest distance between surfaces that contact watches, in metres;
    /// infinite if nothing is near enough to be looked at.
    pub min_distance: f64,
    /// Smallest determinant of a deformation gradient; infinite if none exists.
    pub min_det_f: f64,
    /// Whether a term that forbids inversion does not prove that determinants are positive.
    pub inverted: bool,
    /// Number of pairs in contact (nearer than `d_hat`).
    pub contacts: usize,
}

impl Certificate {
    /// The certificate of a term that watches nothing.
    pub const NOTHING: Self = Self {
        min_distance: f64::INFINITY,
        min_det_f: f64::INFINITY,
        inverted: false,
        contacts: 0,
    };

    /// The certificate of a term of elements with a smallest determinant, which `forbids` inversion
    /// or does not.
    pub fn of_elements(min_det_f: f64, forbids: bool) -> Self {
        // True for what is not a number, too.
        let inverted = forbids && !matches!(min_det_f, det if det > 0.0);
        Self { min_det_f, inverted, ..Self::NOTHING }
    }

    /// The certificate of two terms together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            min_distance: self.min_distance.min(other.min_distance),
            min_det_f: self.min_det_f.min(other.min_det_f),
            inverted: self.inverted || other.inverted,
            contacts: self.contacts + other.contacts,
        }
    }
}

/// A straight way of all nodes between two positions (m). A method whose forces are
/// taken off the end point travels several at once.
#[derive(Debug, Clone, Copy)]
pub struct Path<'a> {
    /// Where it begins.
    pub from: &'a [Vec3],
    /// Where it would end.
    pub to: &'a [Vec3],
}

impl<'a> Path<'a> {
    /// The path that stays at `x`: asking its bound makes evaluation at `x` valid.
    pub fn at(x: &'a [Vec3]) -> Self {
        Self { from: x, to: x }
    }

    /// The way of some of the nodes.
    #[must_use]
    pub fn of(self, nodes: Range<usize>) -> Self {
        Self { from: &self.from[nodes.clone()], to: &self.to[nodes] }
    }
}

/// Where Hessian blocks go: a sink for 3x3 blocks, seen from one body.
///
/// Each unordered pair of nodes is pushed once: `add(i, j, block)` also means the
/// transposed block at `(j, i)`.
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

    /// Adds `weight a a^T` (J/m^2), a being zero but for `entries` by node, each node once. A sink that has no place for a matrix that couples
    /// all these nodes takes diagonal blocks that are not below it ([`Dyad::majorant`]).
    pub fn add_dyad(&mut self, weight: f64, entries: &[(usize, Vec3)]) {
        let entries = entries.iter().map(|&(i, a)| (i + self.offset, a)).collect();
        let dyad = Dyad { weight: weight * self.scale, entries };
        if !self.sink.add_dyad(dyad.weight, &dyad.entries) {
            dyad.majorant().for_each(|(i, block)| self.sink.add(i, i, block));
        }
    }

    /// Adds the `block` (J/m^2) of each of `pairs`, by its number among them: pairs `(i, j)`,
    /// `i <= j`, that ascend, each once. Blocks may be asked for from several threads at once.
    ///
    /// # Panics
    /// It may, but adds nothing in a wrong place, if the pairs do not ascend.
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

/// Where the weights of a [Laplacian](Energy::add_laplacian) go: numbers that stand for
/// multiples of the 3x3 identity, seen from one body.
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

/// Of each block the trace.
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

/// A conservative potential P(x), in joules.
///
/// `x` are the positions (metres) of the nodes the term was built for: the nodes
/// of its body for a body's term, all nodes of the system for a [`Coupling`].
/// Evaluation takes `&self`; a term changes state only in `set_time`,
/// `step_bound` and `set_internal`, which a [`System`](crate::System) calls before evaluation, and in `flow`
/// at the end of a step.
pub trait Energy: Send + Sync {
    /// The name of the term's column in the energy ledger, such as `elastic`.
    fn name(&self) -> &str;

    /// Whether the term holds its body together: it has one energy wherever the body is moved and turned as a whole,
    /// and depends on no time. Elasticity does; weight, loads and supports do not.
    fn is_internal(&self) -> bool {
        false
    }

    /// Fixes the time (s) of what the term prescribes, such as moving targets.
    fn set_time(&mut self, _time: f64) {}

    /// The acceleration (m/s^2) at `time` (s) that the term gives every node alike, wherever it is: a
    /// uniform field's; zero for others.
    fn uniform_acceleration(&self, _time: f64) -> Vec3 {
        Vec3::ZERO
    }

    /// Whether a motion of all nodes alike changes the potential by nothing but what the
    /// [uniform field](Self::uniform_acceleration) says: the term acts between the nodes, and ties the body to no place.
    /// What has only such terms, and touches nothing, is in free fall.
    fn is_translation_invariant(&self) -> bool {
        false
    }

    /// The first time (s) after `time` at which what the term prescribes jumps, or goes on at
    /// another velocity; infinite if there is none.
    fn next_change(&self, _time: f64) -> f64 {
        f64::INFINITY
    }

    /// P(x) in joules; `+inf` where `x` is inadmissible (inverted, crossing).
    fn value(&self, x: &[Vec3]) -> f64;

    /// `out += scale * dP/dx`, newtons times `scale`.
    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]);

    /// Adds the gradient as [`add_gradient`](Self::add_gradient) does and returns P(x), both to the bit as they are
    /// by themselves: less work for terms that need the same for both. Of an inadmissible `x` the gradient says nothing.
    fn value_and_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) -> f64 {
        self.add_gradient(x, scale, out);
        self.value(x)
    }

    /// Pushes d2P/dx2. The order and the pairs of nodes pushed must be the same in every
    /// call for a body's term; a coupling's may change.
    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>);

    /// Pushes a symmetric, positive semi-definite matrix L of one number a pair of nodes, such
    /// that L, the same for each component, stands for d2P/dx2 wherever `x` is: the global matrix
    /// `sum w A^T A` of Projective Dynamics (Bouaziz, Martin, Liu, Kavan & Pauly 2014, eq. 10).
    /// Where P is a weighted squared distance to a projection, a step with it is a local and a
    /// global step; where it is not, a quasi-Newton step (Liu, Bouaziz & Kavan 2017, section 4).
    /// Order and pairs are those of every call, as in [`add_hessian`](Self::add_hessian).
    ///
    /// Without a matrix of its own a term has the traces of the blocks of its Hessian at `x`, projected:
    /// not below it for blocks `w n n^T`, as those of springs are.
    fn add_laplacian(&self, x: &[Vec3], out: &mut Laplacian<'_>) {
        self.add_hessian(x, Psd::Clamp, &mut Hessian::new(out, 0, 1.0));
    }

    /// Largest fraction in (0, 1] of the straight paths, all travelled together, that
    /// surely stays admissible, whatever the time. The one place where contact candidates are
    /// rebuilt: after it, evaluation is valid on every path as far as it is bounded. A system asks
    /// it by [`System::along`](crate::System::along).
    fn step_bound(&mut self, _paths: &[Path<'_>]) -> f64 {
        1.0
    }

    /// How many [internal variables](crate::Internal) the term of a body has.
    fn internal_count(&self) -> usize {
        0
    }

    /// Whether these are numbers that some flow of the term could have left, or none at all.
    fn admits_internal(&self, variables: &[f64]) -> bool {
        variables.is_empty()
    }

    /// Appends the internal variables, `internal_count` numbers.
    fn add_internal(&self, _variables: &mut Vec<f64>) {}

    /// Sets the internal variables; of an empty slice to those of the virgin term.
    fn set_internal(&mut self, _variables: &[f64]) {}

    /// Ends a step at `x`: what yields there flows, and internal variables are afterwards those of the
    /// flow. Returns the energy (J, not negative) that it takes: P(x) before less P(x) afterwards. The gradient
    /// at `x` stays but for rounding.
    fn flow(&mut self, _x: &[Vec3]) -> f64 {
        0.0
    }

    /// What can be proved of `x`.
    fn certificate(&self, _x: &[Vec3]) -> Certificate {
        Certificate::NOTHING
    }

    /// Adds the stress of the term's elements to their nodes.
    fn add_stress(&self, _x: &[Vec3], _out: &mut NodalStress) {}

    /// Work (J) done on the nodes from outside through the term's own
    /// dependence on time, while they went `from -> to` in `times`.
    fn work(&self, _from: &[Vec3], _to: &[Vec3], _times: [f64; 2]) -> f64 {
        0.0
    }
}

/// An energy between bodies. Node numbers are the system's.
pub trait Coupling: Energy {
    /// Adds the energy of each pair of bodies to its bodies, half to each; the
    /// sum over bodies is `value(x)`. An obstacle takes no share.
    fn add_energy_by_body(&self, x: &[Vec3], bodies: &mut [f64]);

    /// Adds to each body the rate (W) at which its share changes while the nodes move at
    /// `v` (m/s): the derivative of [`add_energy_by_body`](Self::add_energy_by_body) along `v`.
    fn add_energy_rates_by_body(&self, x: &[Vec3], v: &[Vec3], bodies: &mut [f64]);

    /// Adds to each body its share of the [work](Energy::work) done from outside through the term's own dependence on
    /// time.
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
    fn restitutes(&self) -> bool {
        false
    }

    /// The pairs of surfaces with a coefficient of restitution that press on each other at `x` (m).
    fn impacts(&self, _x: &[Vec3]) -> Vec<Impact> {
        Vec::new()
    }

    /// Says that until [`unfocus`](Self::unfocus) energies, forces and step bounds are asked for the sake of these
    /// bodies alone, by the number of the body. What no node of theirs has a part in
    /// may be left out, and all others stay where they are. A step bound comes before the next evaluation.
    fn focus(&mut self, _bodies: &[bool]) {}

    /// Goes back to the bodies of before the last [`focus`](Self::focus). If there was a step bound before it and one
    /// since, evaluation is right along the paths of the last one, as far as they are free.
    fn unfocus(&mut self) {}

    /// The numbers of the two colliders whose impact ends these paths, which are those of the last
    /// [step bound](Energy::step_bound); nothing if none does. For a trace of a solver: it may cost as much as the bound.
    fn first_impact(&self, _paths: &[Path<'_>]) -> Option<[usize; 2]> {
        None
    }

    /// A step begins. What is found from here on may depend on nothing that was found before: a run that is resumed
    /// here has found nothing.
    fn begin_step(&mut self) {}

    /// How many pairs of primitives the last [step bounds](Energy::step_bound) found near their paths: how
    /// crowded it is.
    fn pair_count(&self) -> usize {
        0
    }
}

/// When to stop [changing](Dissipation::relax) velocities round after round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounds {
    /// How many there are at most.
    pub most: usize,
    /// The change of a velocity (m/s) that a round has to exceed for another to follow.
    pub tolerance: f64,
}

/// A dissipation potential D(v), in watts; its force is -dD/dv.
///
/// A different type from [`Energy`], so that the two cannot be summed by
/// accident and what is dissipated can always be told.
pub trait Dissipation: Send + Sync {
    /// The name of the term.
    fn name(&self) -> &str;

    /// Whether a velocity that all nodes have alike changes nothing: the term acts between the nodes, not against what
    /// is around the body.
    fn is_galilean_invariant(&self) -> bool {
        false
    }

    /// Fixes the time (s) of terms that depend on it.
    fn set_time(&mut self, _time: f64) {}

    /// The first time (s) after `time` at which the term jumps or has a kink; infinite if there is none.
    fn next_change(&self, _time: f64) -> f64 {
        f64::INFINITY
    }

    /// Notes the velocities `v` (m/s) at the start of a step, before [`freeze`](Self::freeze), for a term whose law differs
    /// between stick and slip.
    fn note_velocities(&mut self, _v: &[Vec3]) {}

    /// Fixes what is lagged (normal forces, tangent planes, stiffness) at the
    /// positions `x` at the start of a step.
    fn freeze(&mut self, x: &[Vec3]);

    /// Lags what force there is at the end `x` of the step too, for [`weigh`](Self::weigh);
    /// the next `freeze` forgets it. Says whether anything is lagged now that the force at
    /// one end or the other sets. A term that no force sets stays as it is frozen.
    fn freeze_end(&mut self, _x: &[Vec3]) -> bool {
        false
    }

    /// After `freeze_end`: of what the force at the start of the step sets the fraction
    /// `start` acts, of what that at the end does `1 - start`, neither below zero. The
    /// fraction is given by node; of the nodes of a pair the largest one counts.
    fn weigh(&mut self, _start: &[f64]) {}

    /// Changes the velocities `v` (m/s) of nodes with these inverse masses (1/kg, zero where nothing moves a
    /// node) to what minimises `1/2 |u - v|_m^2 + h D(u)` over `u`, or near it, in so many `rounds` of
    /// changes. It may begin at `guess`. A term that cannot do so any faster than Newton's method does nothing.
    fn relax(
        &self,
        _h: f64,
        (_mobility, _guess): (&[f64], &[Vec3]),
        _v: &mut [Vec3],
        _rounds: Rounds,
    ) {
    }

    /// Says that until [`unfocus`](Self::unfocus), while nothing is frozen, the potential is asked for the sake of
    /// these bodies alone, as [`Coupling::focus`].
    fn focus(&mut self, _bodies: &[bool]) {}

    /// Goes back to the bodies of before the last [`focus`](Self::focus).
    fn unfocus(&mut self) {}

    /// D(v) in watts.
    fn value(&self, v: &[Vec3]) -> f64;

    /// `out += scale * dD/dv`.
    fn add_gradient(&self, v: &[Vec3], scale: f64, out: &mut [Vec3]);

    /// Pushes d2D/dv2 (kg/s).
    fn add_hessian(&self, v: &[Vec3], psd: Psd, out: &mut Hessian<'_>);

    /// Pushes a symmetric, positive semi-definite matrix (kg/s) of one number a pair of nodes that
    /// stands for d2D/dv2, as [`Energy::add_laplacian`] does. It is factorised whenever it is another one, and therefore
    /// should depend on `v` and on what is frozen as little as it can.
    ///
    /// Without a matrix of its own a term has the traces of the blocks of its Hessian at `v`, projected.
    fn add_laplacian(&self, v: &[Vec3], out: &mut Laplacian<'_>) {
        self.add_hessian(v, Psd::Clamp, &mut Hessian::new(out, 0, 1.0));
    }

    /// Adds to each body the power (W) that the term takes from nodes moving at `kinematic` (m/s)
    /// while all of them move at `v`: `dD/dv(v) . kinematic`, of each pair of bodies half to each; an
    /// obstacle takes no share, as in [`Coupling::add_energy_by_body`]. A term of one body, which has
    /// no other body to share with, adds nothing.
    fn add_power_by_body(&self, _v: &[Vec3], _kinematic: &[Vec3], _bodies: &mut [f64]) {}
}

impl fmt::Debug for dyn Energy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Energy({})", self.name())
    }
}

impl fmt::Debug for dyn Coupling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Coupling({})", self.name())
    }
}

impl fmt::Debug for dyn Dissipation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Dissipation({})", self.name())
    }
}
