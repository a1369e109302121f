//! Record of an iteration of a minimisation, for the rules of a descent and for traces.

/// Result of an attempt at a step. The rules of a descent depend on this record alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The decrease of the value that the quadratic model predicts of the whole step: half of the slope
    /// along it. Not a number where prescribed nodes are on their way.
    pub predicted: f64,
    /// The decrease of the value.
    pub actual: f64,
    /// The fraction of the step that the step bound allows.
    pub bound: f64,
    /// The fraction of the step that was taken; zero if it was refused.
    pub fraction: f64,
    /// Why it is not the whole step.
    pub cut: Cut,
    /// Whether the step was tried first with its turns as rotations.
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

    /// Whether the step is shorter than its direction, so that its slope does not predict the remaining decrease.
    pub fn is_shortened(&self) -> bool {
        matches!(self.cut, Cut::Bound | Cut::Decrease)
    }
}

/// Why a step is not the whole one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cut {
    /// It is.
    None,
    /// The step bound: collision or the inversion of an element.
    Bound,
    /// The value did not decrease sufficiently, so that it was halved, from the bound on.
    Decrease,
    /// It follows the rotations of bodies instead of a straight line.
    Turned,
    /// It was extended, because the value bends less than its model.
    Extended,
    /// It was refused: the path is shut, or the only point that was tried is no better.
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
            Self::Turned => "turned",
            Self::Extended => "extended",
            Self::Refused => "refused",
        }
    }
}

/// The constraint that limits the length of a step, with numbers of the objective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// Two colliders would touch.
    Impact {
        /// Which.
        colliders: [usize; 2],
    },
    /// A term inside a body is not defined beyond: an element would invert.
    Term {
        /// The body.
        body: usize,
        /// The name of the term.
        term: String,
    },
}

/// The matrix by which a direction was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curvature {
    /// The Hessian.
    Exact,
    /// The Hessian with the blocks of its terms projected to semi-definite ones.
    Projected,
    /// A projected Hessian with part of its diagonal added.
    Shifted,
    /// The matrix of the iteration before, with its factorisation or preconditioner.
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
    /// The bodies that were solved for alone, ascending; empty if all were.
    pub part: Vec<usize>,
    /// Number of the iteration in its minimisation, from 1.
    pub number: usize,
    /// The value before.
    pub value: f64,
    /// Max norm of the gradient before, over the free nodes.
    pub gradient: f64,
    /// The same after the step, where it was evaluated.
    pub gradient_left: Option<f64>,
    /// Max norm of the whole step (m), over the free nodes.
    pub step: f64,
    /// The last attempt.
    pub outcome: Outcome,
    /// Constraint that limited the step, if one did and it is known.
    pub limit: Option<Limit>,
    /// The matrix of the last attempt; none if no direction was found.
    pub curvature: Option<Curvature>,
    /// Iterations of conjugate gradients, over all attempts.
    pub linear: usize,
    /// Cholesky factorisations of a whole matrix, over all attempts.
    pub factorisations: usize,
    /// Halvings of the line search, over all attempts.
    pub backtracks: usize,
}
