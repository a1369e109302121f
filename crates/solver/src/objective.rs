//! The interface between objectives and minimisers.

use crate::iteration::Limit;
use crate::linearisation::Linearisation;
use resile_math::{Mat3, Psd, Vec3};
use resile_sparse::{Assembly, Block as _, BlockSink as _, Dyad};
use std::ops::Range;

/// A function of `len()` positions to be minimised over those that are free.
///
/// All slices have `len()` entries. Values may have any unit; a Newton step is in metres. `u` must be positions in
/// space, because iterative linear solvers use the rigid motions of groups of nodes.
pub trait Objective {
    /// Number of nodes.
    fn len(&self) -> usize;

    /// Whether the number of nodes is zero.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether each node is an unknown. The others are fixed or [prescribed](Self::prescribed).
    fn free(&self) -> &[bool];

    /// Free nodes, ascending, that are free in some directions only, each with the orthogonal projector onto these
    /// directions.
    fn guided(&self) -> &[(usize, Mat3)] {
        &[]
    }

    /// Nodes that are not free or only [guided](Self::guided), with their target positions (m). For guided nodes only the
    /// components in the constrained directions count. A node may start away from its target: the solver moves it along a straight line,
    /// as fast as the step bound permits. Nodes that have already arrived may be listed.
    fn prescribed(&self) -> &[(usize, Vec3)];

    /// Largest root of the sum of the squared distances (m) of [prescribed](Self::prescribed) nodes from their targets at
    /// which blocked nodes may stay. With the default of zero they have to reach their targets.
    fn permitted_lag(&self) -> f64 {
        0.0
    }

    /// A guess of the minimiser from `u`, where `gradient` is the derivative over the free nodes; prescribed nodes stay
    /// at their positions in `u`. A bad guess costs only an evaluation: the solver uses it only if its path is free of
    /// collisions and the value decreases.
    fn guess(&self, u: &[Vec3], gradient: &[Vec3]) -> Option<Vec<Vec3>> {
        let _ = (u, gradient);
        None
    }

    /// The retraction of `step` at `u`: the positions (m) after the step with exact instead of linearised rotations of
    /// bodies; `None` if all rotations are small. The solver uses it only if its path is free of collisions and the value
    /// decreases.
    fn retract(&self, u: &[Vec3], step: &[Vec3]) -> Option<Vec<Vec3>> {
        let _ = (u, step);
        None
    }

    /// The value of the function; `+inf` (or NaN) where `u` is inadmissible. `u` lies on the segment of the last
    /// [`step_bound`](Self::step_bound), within its bound.
    fn value(&self, u: &[Vec3]) -> f64;

    /// Writes (does not add) the derivative to `out`, including entries of nodes that are not free.
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]);

    /// Writes the derivative like [`gradient`](Self::gradient) and returns the [value](Self::value), both bitwise the
    /// same as separately.
    fn value_and_gradient(&self, u: &[Vec3], out: &mut [Vec3]) -> f64 {
        self.gradient(u, out);
        self.value(u)
    }

    /// The linearisation at the iterate `u` of a minimisation, from that of the previous iterate; exact for the first
    /// iterate, where `previous` is `None`.
    fn linearise(&self, u: &[Vec3], previous: Option<&Linearisation>) -> Linearisation {
        let _ = (u, previous);
        Linearisation::EXACT
    }

    /// Whether the gradient contains dry friction, which changes by its full amount within the slip speed. A last step
    /// must then reduce the gradient further.
    fn has_friction(&self) -> bool {
        false
    }

    /// Assembles the second derivative, or the matrix of the `linearisation` at `u`: calls `begin`, pushes static blocks, calls `end_static`, and pushes the other
    /// blocks. The implementation may call `finish`; the solver calls it in any case. Blocks of nodes that are not free
    /// are pushed too.
    fn hessian(&self, u: &[Vec3], linearisation: &Linearisation, psd: Psd, out: &mut Assembly);

    /// A positive definite matrix that approximates the second derivative of all terms but
    /// [couplings](Self::coupling_hessian) for every `u`. It has one scalar per pair of nodes, the same for the three
    /// components, and is assembled like [`hessian`](Self::hessian).
    /// [`LocalGlobal`](crate::LocalGlobal) requests it once per minimisation, which is fastest if the matrix is
    /// bitwise equal to the previous one. The default uses the traces of the blocks of the projected second
    /// derivative at `u`.
    fn laplacian(&self, u: &[Vec3], out: &mut Assembly<f64>) {
        let mut assembly = Assembly::new(self.len());
        self.hessian(u, &Linearisation::EXACT, Psd::Clamp, &mut assembly);
        let matrix = assembly.finish();
        out.begin();
        out.end_static();
        for ((i, j), block) in matrix.pattern.pairs().zip(&matrix.blocks) {
            out.add(i as usize, j as usize, block.trace());
        }
        for (i, block) in matrix.dyads.iter().flat_map(Dyad::majorant) {
            out.add(i, i, block.trace());
        }
        out.finish();
    }

    /// The projected second derivative at `u` of the terms that [`laplacian`](Self::laplacian) omits because, like
    /// contact, they appear and disappear and are stiff in some directions only. It is assembled like
    /// [`hessian`](Self::hessian).
    fn coupling_hessian(&self, u: &[Vec3], linearisation: &Linearisation, out: &mut Assembly) {
        let _ = (u, linearisation);
        out.begin();
        out.end_static();
        out.finish();
    }

    /// A fraction in (0, 1] of the path from `from` to `to` up to which the function is finite. Only this call may
    /// change the objective: it prepares evaluations on that segment (contact candidates). It is called with
    /// `from == to` before the first evaluation.
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64;

    /// The constraint that caused the last [step bound](Self::step_bound), which must have been that of this path and
    /// below one; `None` if it is unknown. Used only by a [trace](crate::Minimiser::trace).
    fn limit(&mut self, from: &[Vec3], to: &[Vec3]) -> Option<Limit> {
        let _ = (from, to);
        None
    }

    /// The consecutive nodes of each body, for separate solves. Empty if these have no advantage.
    fn bodies(&self) -> Vec<Range<usize>> {
        Vec::new()
    }

    /// The objective without the terms that depend on none of these [bodies](Self::bodies) (ascending indices); `None`
    /// if they cannot be solved separately. While other nodes are fixed, values differ from the full ones by a
    /// constant, and derivatives are correct at the nodes of these bodies. [`step_bound`](Self::step_bound) of the
    /// restriction must be called before its first evaluation; afterwards the whole objective may be evaluated on the
    /// segment of the last step bound.
    fn restricted(&mut self, bodies: &[usize]) -> Option<Box<dyn Objective + '_>> {
        let _ = bodies;
        None
    }

    /// Number of pairs in or near contact in the last step bounds. With many pairs, [guesses](Self::guess) seldom
    /// succeed.
    fn pair_count(&self) -> usize {
        0
    }
}
