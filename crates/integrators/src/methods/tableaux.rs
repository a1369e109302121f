//! The named Runge-Kutta methods: coefficients with their sources.
//!
//! Explicit methods have the names of EXPLICIT; where its formulas are illegible, `docs/methods.md` states our
//! choice. All explicit methods check each position at which they evaluate forces, and the end. A step with a
//! collision or an inverted element fails and is repeated in halves.

use crate::methods::runge_kutta::{Companion, RungeKutta};
use crate::parameters::ParameterError;
use crate::tableau::{Tableau, TableauError};
use resile_math::elementary;
use resile_math::parameters::Allowed;

impl RungeKutta {
    /// A method without an error estimate.
    fn named(name: &'static str, order: u32, tableau: Tableau) -> Self {
        Self { name, tableau, order, companion: None }
    }

    /// The method with the weights of a [`Companion`], by which it estimates its error.
    fn with_companion(self, start: f64, weights: &[f64]) -> Self {
        Self { companion: Some(Companion { start, weights: weights.to_vec() }), ..self }
    }

    /// The method of any Butcher tableau, explicit or diagonally implicit.
    ///
    /// # Errors
    /// If the coefficients do not define a consistent method of that kind.
    pub fn butcher(a: &[Vec<f64>], b: &[f64]) -> Result<Self, TableauError> {
        let tableau = Tableau::butcher(a, b)?;
        Ok(Self::named("Runge-Kutta", tableau.order(), tableau))
    }

    /// Implicit Euler as a Runge-Kutta method, for methods that are built on a tableau.
    pub fn implicit_euler() -> Self {
        Self::named("implicit Euler", 1, Tableau::known(&[&[1.0]], &[1.0]))
    }

    /// `x + h v`, `v + h a(x)`. First order; unstable without damping.
    pub fn forward_euler() -> Self {
        Self::named("forward Euler", 1, Tableau::known(&[&[0.0]], &[1.0]))
    }

    /// `v' = v + h a(x)`, then `x' = x + h v'`. First order, symplectic (Cromer 1981).
    pub fn symplectic_euler() -> Self {
        Self::named("symplectic Euler", 1, Tableau::drift_kick(&[0.0, 1.0], &[1.0]))
    }

    /// The explicit midpoint rule, EXPLICIT's "half step": forces from half a step of
    /// forward Euler. Second order (Runge 1895).
    pub fn explicit_midpoint() -> Self {
        Self::named("explicit midpoint", 2, Tableau::known(&[&[0.0], &[0.5, 0.0]], &[0.0, 1.0]))
    }

    /// EXPLICIT's "midpoint": `v' = v + h a(x)`, `x' = x + h (v + v') / 2`. First order.
    pub fn averaged_midpoint() -> Self {
        let a: &[&[f64]] = &[&[0.0], &[1.0, 0.0]];
        let p: &[&[f64]] = &[&[0.0], &[1.0, 0.0]];
        Self::named("averaged midpoint", 1, Tableau::partitioned(a, &[1.0, 0.0], p, &[0.5, 0.5]))
    }

    /// Half a drift, a kick, half a drift: the drift-kick-drift leapfrog. Second order, symplectic.
    pub fn symplectic_midpoint() -> Self {
        Self::named("symplectic midpoint", 2, Tableau::drift_kick(&[0.5, 0.5], &[1.0]))
    }

    /// EXPLICIT's modified half step: the explicit midpoint rule whose half stage computes its position with its own
    /// velocity, as the full step does. Second order.
    pub fn modified_half_step() -> Self {
        let a: &[&[f64]] = &[&[0.0], &[0.5, 0.0]];
        let p: &[&[f64]] = &[&[0.0], &[0.0, 0.5]];
        Self::named("modified half step", 2, Tableau::partitioned(a, &[0.0, 1.0], p, &[0.0, 1.0]))
    }

    /// Heun's method, the explicit trapezoidal rule. Second order (Heun 1900).
    pub fn heun() -> Self {
        Self::named("Heun", 2, Tableau::known(&[&[0.0], &[1.0, 0.0]], &[0.5, 0.5]))
    }

    /// The classical fourth-order method (Kutta 1901).
    pub fn runge_kutta_4() -> Self {
        let (third, sixth) = (1.0 / 3.0, 1.0 / 6.0);
        let a: &[&[f64]] = &[&[0.0], &[0.5, 0.0], &[0.0, 0.5, 0.0], &[0.0, 0.0, 1.0, 0.0]];
        Self::named("Runge-Kutta 4", 4, Tableau::known(a, &[sixth, third, third, sixth]))
    }

    /// Velocity Verlet: half a kick, a drift, half a kick (Verlet 1967). Second order, symplectic. The last half kick
    /// uses the velocity at the end of the drift, so the method has first order with damping.
    pub fn verlet() -> Self {
        Self::named("Verlet", 2, Tableau::drift_kick(&[0.0, 1.0], &[0.5, 0.5]))
    }

    /// Forest and Ruth's composition of three leapfrogs (Physica D 43, 1990). Fourth order and symplectic for forces
    /// that do not depend on velocities.
    pub fn forest_ruth() -> Self {
        let outer = 1.0 / (2.0 - elementary::cbrt(2.0));
        let inner = 1.0 - 2.0 * outer;
        let middle = 0.5 * (outer + inner);
        let drift = [0.5 * outer, middle, middle, 0.5 * outer];
        Self::named("Forest-Ruth", 4, Tableau::drift_kick(&drift, &[outer, inner, outer]))
    }

    /// The trapezoidal rule. Second order; unstable in stiff contact.
    pub fn trapezoidal() -> Self {
        Self::named("trapezoidal", 2, Self::outer_theta(0.5))
    }

    /// Range of the `theta` of [`theta_outer`](Self::theta_outer).
    pub const THETA_OUTER: Allowed = Allowed::Between(0.0..=1.0);

    /// The outer theta method: forces at both ends, `theta` of them at the new one.
    /// Second order at one half (trapezoidal rule), else first.
    ///
    /// # Errors
    ///
    /// If `theta` is not in [`THETA_OUTER`](Self::THETA_OUTER).
    pub fn theta_outer(theta: f64) -> Result<Self, ParameterError> {
        Self::THETA_OUTER.check("theta", theta)?;
        let order = if theta == 0.5 { 2 } else { 1 };
        Ok(Self::named("outer theta", order, Self::outer_theta(theta)))
    }

    /// The tableau of the outer theta method.
    fn outer_theta(theta: f64) -> Tableau {
        let row = [1.0 - theta, theta];
        Tableau::known(&[&[0.0], &row], &row)
    }

    /// Alexander's two-stage method, gamma = 1 - 1/sqrt 2: second order, L-stable
    /// (R. Alexander, SIAM J. Numer. Anal. 14, 1977).
    pub fn sdirk2() -> Self {
        let gamma = 1.0 - 0.5f64.sqrt();
        let row = [1.0 - gamma, gamma];
        // The weights of `v` at 0, gamma and 1 in the quadrature of degree two.
        let middle = 1.0 / (6.0 * gamma * (1.0 - gamma));
        let end = 0.5 - middle * gamma;
        Self::named("SDIRK2", 2, Tableau::known(&[&[gamma], &row], &row))
            .with_companion(1.0 - middle - end, &[middle, end])
    }

    /// The trapezoidal rule over a part of the step, BDF2 over the rest, split such that
    /// both stages have one diagonal: gamma = 2 - sqrt 2 (Bank et al., IEEE Trans. 32,
    /// 1985; Hosea and Shampine, Appl. Numer. Math. 20, 1996). Second order, L-stable.
    pub fn tr_bdf2() -> Self {
        let w = 0.125f64.sqrt();
        let d = 1.0 - 0.5f64.sqrt();
        let row = [w, w, d];
        // The third-order companion of Hosea and Shampine.
        let companion = [(1.0 - w) / 3.0, (3.0 * w + 1.0) / 3.0, d / 3.0];
        Self::named("TR-BDF2", 2, Tableau::known(&[&[0.0], &[d, d], &row], &row))
            .with_companion(0.0, &companion)
    }

    /// Bathe's method: the trapezoidal rule over half the step, then the three-point
    /// backward formula (Bathe and Baig, Computers and Structures 83, 2005).
    pub fn bathe() -> Self {
        let third = 1.0 / 3.0;
        let row = [third; 3];
        Self::named("Bathe", 2, Tableau::known(&[&[0.0], &[0.25, 0.25], &row], &row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Order conditions of partitioned methods to order two, on every pair of tables
    /// (Hairer, Lubich, Wanner, *Geometric Numerical Integration*, III.2).
    #[test]
    fn tableaux_satisfy_their_order_conditions() {
        let second = [
            RungeKutta::explicit_midpoint(),
            RungeKutta::symplectic_midpoint(),
            RungeKutta::modified_half_step(),
            RungeKutta::heun(),
            RungeKutta::runge_kutta_4(),
            RungeKutta::verlet(),
            RungeKutta::forest_ruth(),
            RungeKutta::trapezoidal(),
            RungeKutta::sdirk2(),
            RungeKutta::tr_bdf2(),
            RungeKutta::bathe(),
        ];
        let first = [
            RungeKutta::forward_euler(),
            RungeKutta::symplectic_euler(),
            RungeKutta::averaged_midpoint(),
            RungeKutta::theta_outer(0.7).expect("it is in range"),
        ];
        let dot = |weights: &[f64], rows: &[Vec<f64>]| -> f64 {
            weights.iter().zip(rows).map(|(w, row)| w * row.iter().sum::<f64>()).sum()
        };
        for method in first.iter().chain(&second) {
            let Tableau { velocity_weights: b, position_weights: q, .. } = &method.tableau;
            assert!((b.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{}", method.name);
            assert!((q.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{}", method.name);
        }
        // x'' needs q a e, v'' on positions b p e; velocity-dependent forces would need
        // b a e and q p e too, which kicks and drifts do not have.
        let half = |method: &RungeKutta| {
            let Tableau { velocity_weights: b, position_weights: q, .. } = &method.tableau;
            [dot(q, &method.tableau.velocity_rows), dot(b, &method.tableau.position_rows)]
        };
        for method in &second {
            for sum in half(method) {
                assert!((sum - 0.5).abs() < 1e-14, "{}: {sum}", method.name);
            }
        }
        for method in &first {
            assert!(half(method).iter().any(|sum| (sum - 0.5).abs() > 0.1), "{}", method.name);
        }
    }
}
