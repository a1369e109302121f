//! Record of an iteration of a minimisation, for the step rules of a descent and for traces.

/// Result of an attempt at a step. The step rules depend on this record alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Decrease of the value that the quadratic model predicts for the full step: half of the negative slope along
    /// the step. NaN while prescribed nodes are moving.
    pub predicted: f64,
    /// Actual decrease of the value.
    pub actual: f64,
    /// Fraction of the full step that the step bound permits.
    pub bound: f64,
    /// Fraction of the full step that was taken, above one if it was extended; zero if it was rejected.
    pub fraction: f64,
    /// Why the step taken is not the full step.
    pub cut: Cut,
    /// Whether the step was first tried with exact rotations.
    pub rotated_first: bool,
}

impl Outcome {
    /// No attempt yet.
    pub const NONE: Self = Self {
        predicted: f64::NAN,
        actual: 0.0,
        bound: 1.0,
        fraction: 0.0,
        cut: Cut::None,
        rotated_first: false,
    };

    /// Whether the step taken is shorter than the full step, so that its slope does not predict the remaining decrease.
    pub fn is_shortened(&self) -> bool {
        matches!(self.cut, Cut::Bound | Cut::Decrease)
    }
}

/// Why the step taken is not the full step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cut {
    /// The full step was taken.
    None,
    /// The step ends at its bound: a collision or the inversion of an element.
    Bound,
    /// The value did not decrease sufficiently at the bound, so the step was halved, or rejected after the last halving.
    Decrease,
    /// The step follows exact rotations of bodies instead of a straight line.
    Rotated,
    /// The step was extended, because the curvature is smaller than that of the model.
    Extended,
    /// The step was rejected: its bound is zero, or the only point tried has no lower value.
    Refused,
}

impl Cut {
    /// The cut of a step whose length is this bound.
    pub(crate) fn of_bound(bound: f64) -> Self {
        if bound < 1.0 { Self::Bound } else { Self::None }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Bound => "bound",
            Self::Decrease => "decrease",
            Self::Rotated => "turned",
            Self::Extended => "extended",
            Self::Refused => "refused",
        }
    }
}

/// The constraint that limits the length of a step, with indices of the objective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// Two colliders would touch.
    Impact {
        /// Indices of the colliders.
        colliders: [usize; 2],
    },
    /// A term inside a body is undefined beyond the limit: an element would invert.
    Term {
        /// The body.
        body: usize,
        /// Name of the term.
        term: String,
    },
}

/// The matrix of a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curvature {
    /// The Hessian.
    Exact,
    /// The Hessian with the blocks of its terms projected to semi-definite ones.
    Projected,
    /// A projected Hessian with a part of its diagonal added.
    Shifted,
    /// The matrix of the previous iteration, with its factorisation or preconditioner.
    Kept,
    /// The constant matrix of [`LocalGlobal`](crate::LocalGlobal).
    Constant,
}

impl Curvature {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Projected => "projected",
            Self::Shifted => "shifted",
            Self::Kept => "kept",
            Self::Constant => "constant",
        }
    }
}

/// One iteration of a minimisation, for a [trace](crate::Minimiser::trace).
#[derive(Debug, Clone, PartialEq)]
pub struct Iteration {
    /// Bodies that were solved separately, ascending; empty if all bodies were solved together.
    pub part: Vec<usize>,
    /// Number of the iteration in its minimisation, from 1.
    pub number: usize,
    /// Value before the step.
    pub value: f64,
    /// Max norm of the gradient before the step, over the free nodes.
    pub gradient: f64,
    /// Max norm of the gradient after the step, if it was evaluated.
    pub gradient_left: Option<f64>,
    /// Max norm of the full step (m), over the free nodes.
    pub step: f64,
    /// Result of the last attempt at a step.
    pub outcome: Outcome,
    /// The constraint that limited the step; `None` if none did or it is unknown.
    pub limit: Option<Limit>,
    /// The matrix of the last attempt; `None` if no direction was found.
    pub curvature: Option<Curvature>,
    /// Conjugate gradient iterations in all attempts.
    pub linear: usize,
    /// Cholesky factorisations of the matrix in all attempts.
    pub factorisations: usize,
    /// Halvings of the line search in all attempts.
    pub backtracks: usize,
}
