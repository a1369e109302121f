//! The seam between what is minimised and how.

use crate::iteration::Limit;
use resile_linalg::{Assembly, Block as _, BlockSink as _, Dyad};
use resile_math::{Mat3, Psd, Vec3};
use std::ops::Range;

/// A function of `len()` positions to be minimised over those that are free.
///
/// All slices have `len()` entries. Values are in any one unit; a Newton step is
/// in metres whatever it is. That `u` are positions in space is more than a name:
/// iterative linear solvers look for the rigid motions of groups of nodes about them.
pub trait Objective {
    /// Number of nodes.
    fn len(&self) -> usize;

    /// Whether there is nothing to solve for.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For each node whether it is solved for. The others stay where they are,
    /// or go where [`prescribed`](Self::prescribed) says.
    fn free(&self) -> &[bool];

    /// Free nodes, ascending, that are free in some directions only: each with the orthogonal projector onto these.
    fn guided(&self) -> &[(usize, Mat3)] {
        &[]
    }

    /// Nodes that are not free and where they must end, in metres; of [guided](Self::guided) nodes only the
    /// components in the directions that are not free count. A node listed
    /// here may start elsewhere: the solver moves it along a straight line, as fast
    /// as the step bound allows. Nodes already there may be listed.
    fn prescribed(&self) -> &[(usize, Vec3)];

    /// Where the minimiser may be, seen from `u`, where `gradient` is the derivative over
    /// the free nodes; prescribed nodes stay as they are in `u`. A bad guess costs an
    /// evaluation and no more: the solver goes there only if that is a free way down.
    fn guess(&self, u: &[Vec3], gradient: &[Vec3]) -> Option<Vec<Vec3>> {
        let _ = (u, gradient);
        None
    }

    /// Where `step` leads from `u` if what turns in it turns, instead of going straight on and
    /// growing; nothing if nothing turns by an angle that matters. Taken if it is a free way down.
    fn turned(&self, u: &[Vec3], step: &[Vec3]) -> Option<Vec<Vec3>> {
        let _ = (u, step);
        None
    }

    /// The function; `+inf` (or NaN) where `u` is inadmissible. `u` lies on the
    /// segment of the last [`step_bound`](Self::step_bound), within its bound.
    fn value(&self, u: &[Vec3]) -> f64;

    /// Writes (does not add) the derivative to `out`, entries of nodes that are
    /// not free included.
    fn gradient(&self, u: &[Vec3], out: &mut [Vec3]);

    /// Writes the derivative as [`gradient`](Self::gradient) does and returns the [value](Self::value), both to the
    /// bit as they are by themselves.
    fn value_and_gradient(&self, u: &[Vec3], out: &mut [Vec3]) -> f64 {
        self.gradient(u, out);
        self.value(u)
    }

    /// The second derivative: the whole sequence `begin`, pushes, `end_static`,
    /// pushes, and `finish` if the implementation wants the matrix (the solver
    /// calls it in any case). Blocks of nodes that are not free are pushed too.
    fn hessian(&self, u: &[Vec3], psd: Psd, out: &mut Assembly);

    /// A positive definite matrix of one number a pair of nodes that, the same for the three
    /// components, stands for the second derivative of all but
    /// [couplings](Self::coupling_hessian) wherever `u` is: the sequence of
    /// [`hessian`](Self::hessian). [`LocalGlobal`](crate::LocalGlobal) asks for it once a
    /// minimisation; it is fastest if it is the same to the bit in the next one.
    ///
    /// By default the traces of the blocks of the projected second derivative at `u`.
    fn laplacian(&self, u: &[Vec3], out: &mut Assembly<f64>) {
        let mut whole = Assembly::new(self.len());
        self.hessian(u, Psd::Clamp, &mut whole);
        let matrix = whole.finish();
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

    /// The projected second derivative at `u` of what [`laplacian`](Self::laplacian) leaves out
    /// because it comes, goes and is stiff in some directions only, as contact is; the same sequence.
    fn coupling_hessian(&self, u: &[Vec3], out: &mut Assembly) {
        let _ = u;
        out.begin();
        out.end_static();
        out.finish();
    }

    /// The largest known fraction in (0, 1] of the path `from` to `to` on which the
    /// function is finite, on the safe side. The one moment where the objective
    /// may change: it makes ready for evaluations on that segment (contact
    /// candidates). Called with `from == to` before the first evaluation.
    fn step_bound(&mut self, from: &[Vec3], to: &[Vec3]) -> f64;

    /// What sets the last [step bound](Self::step_bound), which was that of this path and below one; nothing if it is not
    /// known. Asked for a [trace](crate::Minimiser::trace) alone.
    fn limit(&mut self, from: &[Vec3], to: &[Vec3]) -> Option<Limit> {
        let _ = (from, to);
        None
    }

    /// The nodes of each body, one after the other: what can be solved for alone. None if there is
    /// nothing to gain by that.
    fn bodies(&self) -> Vec<Range<usize>> {
        Vec::new()
    }

    /// Leaves out until [`unfocus`](Self::unfocus) what depends on none of these [bodies](Self::bodies), ascending.
    /// While other nodes stay where they are values are those of before less a constant, and
    /// derivatives are right at the nodes of these bodies. A step bound comes before the next evaluation.
    fn focus(&mut self, bodies: &[usize]) {
        let _ = bodies;
    }

    /// Goes back to what was evaluated before the last [`focus`](Self::focus). `u` may lie on the segment of the
    /// last step bound, which was in that focus.
    fn unfocus(&mut self) {}

    /// How many pairs of things that may meet the last step bounds had to look at: where there are many, a guess
    /// seldom leads anywhere.
    fn pair_count(&self) -> usize {
        0
    }
}
