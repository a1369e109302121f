//! Settings of a solve, with defaults.

use crate::{LocalGlobal, Minimiser, Newton};

/// Solver of the systems `H p = -g`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinearChoice {
    /// Cholesky if its predicted number of operations is at most `flop_limit`. Otherwise conjugate gradients, until a
    /// solve has cost as much as the factorisation; Cholesky is then used for the rest of the minimisation. A wrong
    /// choice therefore costs at most about twice the right one.
    Auto {
        /// Floating-point operations of one factorisation.
        flop_limit: f64,
        /// Settings of conjugate gradients.
        iterative: Iterative,
    },
    /// Always Cholesky.
    Direct,
    /// Conjugate gradients only; stagnation is an error.
    Iterative(Iterative),
}

/// Settings of conjugate gradients inside Newton.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iterative {
    /// Largest relative residual of a linear solve. Newton's method reduces it while it converges fast and its
    /// remaining error is large. With a kept matrix, which gains only a few digits, it is at most a quarter.
    pub tolerance: f64,
    /// Maximum number of iterations; a solve with more has stagnated.
    pub max_iterations: usize,
}

impl Default for Iterative {
    /// A tolerance of 3e-2: in their first 10 to 120 steps (`sim run --steps`) the cubes, the twisted bar, the soft
    /// ball and the membrane of `scenes/` take as many Newton iterations as with 1e-2, and 20 % fewer conjugate
    /// gradient iterations. With 1e-1 they take up to 1 % more Newton iterations and another 25 % fewer of conjugate
    /// gradients.
    fn default() -> Self {
        Self { tolerance: 3e-2, max_iterations: 2000 }
    }
}

impl Default for LinearChoice {
    /// `Auto` with a limit of 4e6 operations, which corresponds to a solid of 200 nodes or a chain of 50,000.
    /// Conjugate gradients are faster for solids of more than 30 nodes (0.6 against 4.9 ms at 729 nodes,
    /// `benches/README.md`), but where both take negligible time the exact solution is preferable.
    fn default() -> Self {
        Self::Auto { flop_limit: 4e6, iterative: Iterative::default() }
    }
}

impl LinearChoice {
    /// Settings of conjugate gradients.
    pub(crate) fn iterative(&self) -> Iterative {
        match self {
            Self::Auto { iterative, .. } | Self::Iterative(iterative) => *iterative,
            Self::Direct => Iterative { tolerance: 0.0, ..Iterative::default() },
        }
    }
}

/// Projection of Hessians to positive semi-definite matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectionPolicy {
    /// Only if the exact Hessian fails: it is not positive definite, or its direction does not descend. Projection
    /// removes negative curvature, so steps can become too short: STARK's hanging bar needed five times the Newton
    /// iterations with it, while on `scenes/dice.ron` it makes no difference (756 against 769 in 120 steps). An exact
    /// Hessian that failed will probably fail again at the next iterate, and each try costs a factorisation, so after
    /// the n-th failure in a row `2^(n-1) - 1` iterations (at most 7) are projected without trying; success resets
    /// the count.
    #[default]
    OnDemand,
    /// The Hessian is projected in every iteration.
    Always,
}

/// Settings of [`Newton`](crate::Newton).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonSettings {
    /// Maximum number of Newton iterations.
    pub max_iterations: usize,
    /// Maximum number of halvings in a line search.
    pub max_backtracks: usize,
    /// Linear solver.
    pub linear: LinearChoice,
    /// Projection of Hessians.
    pub projection: ProjectionPolicy,
}

impl Default for NewtonSettings {
    fn default() -> Self {
        Self {
            max_iterations: 200,
            max_backtracks: 40,
            linear: LinearChoice::default(),
            projection: ProjectionPolicy::default(),
        }
    }
}

/// Settings of [`LocalGlobal`](crate::LocalGlobal).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LocalGlobalSettings {
    /// Number of iterations after which a solve ends even if its tolerance is not met. With `None` a solve ends at its
    /// tolerance, or fails after [`NewtonSettings::max_iterations`].
    pub iterations: Option<usize>,
    /// Settings shared with Newton's method: limits, line search, conjugate gradients. Solves for velocities alone use
    /// Newton's method with all of these settings.
    pub newton: NewtonSettings,
}

/// The method of minimisation, with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// [`Newton`](crate::Newton).
    Newton(NewtonSettings),
    /// [`LocalGlobal`](crate::LocalGlobal).
    LocalGlobal(LocalGlobalSettings),
}

impl Default for Method {
    fn default() -> Self {
        Self::Newton(NewtonSettings::default())
    }
}

impl From<NewtonSettings> for Method {
    fn from(settings: NewtonSettings) -> Self {
        Self::Newton(settings)
    }
}

impl From<LocalGlobalSettings> for Method {
    fn from(settings: LocalGlobalSettings) -> Self {
        Self::LocalGlobal(settings)
    }
}

impl Method {
    /// The settings of Newton's method, for solves that always use it.
    pub fn newton(&self) -> NewtonSettings {
        match self {
            Self::Newton(newton) | Self::LocalGlobal(LocalGlobalSettings { newton, .. }) => *newton,
        }
    }

    /// A new minimiser.
    pub fn minimiser(&self) -> Box<dyn Minimiser> {
        match self {
            Self::Newton(settings) => Box::new(Newton::new(*settings)),
            Self::LocalGlobal(settings) => Box::new(LocalGlobal::new(*settings)),
        }
    }
}
