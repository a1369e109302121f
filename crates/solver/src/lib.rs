//! Minimisation: the objective seam, Newton, line search, linear solvers, reports.
