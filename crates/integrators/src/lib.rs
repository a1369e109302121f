//! Time: stages, integrators, and energy control.
