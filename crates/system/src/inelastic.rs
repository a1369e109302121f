//! Energies with history variables.

use crate::{Energy, FlowHeat, Vec3};
use std::sync::Arc;

/// An [energy](Energy) with [history variables](crate::Internal), such as plastic deformation.
///
/// An energy is a value: its variables never change. These methods return the energy with other variables, and the
/// variables that a step leaves.
pub trait Inelastic {
    /// Number of history variables.
    fn internal_count(&self) -> usize;

    /// Whether these are history variables of the term, or empty.
    fn admits_internal(&self, variables: &[f64]) -> bool;

    /// The energy with these history variables, which are those of the time `since` (s); an empty slice is the virgin state.
    /// Terms that relax evolve from there: they depend on the time that has passed since. Minus infinity makes them
    /// relaxed. O(elements); constant data is shared.
    fn with_internal(&self, variables: &[f64], since: f64) -> Arc<dyn Energy>;

    /// Ends a step at `time` (s) at `x` (m) by plastic and viscous flow. Appends the history variables after it, which are
    /// those of `time`, `internal_count` numbers. Returns the heat; what it [releases](FlowHeat::released) is P before the flow
    /// minus P after it. The gradient at `x` does not change, up to rounding.
    fn flow(&self, time: f64, x: &[Vec3], variables: &mut Vec<f64>) -> FlowHeat;
}
