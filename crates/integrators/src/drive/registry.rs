//! The list of all methods, over which tests and studies iterate.
//!
//! A method that is missing here is not tested; `resile-scene` checks that every method that a scene can name is
//! listed.

use crate::{
    A1, ASearch, AlphaRule, Avf, Bdf2, Blend, Control, Decoupled, GeneralizedAlpha, ImplicitEuler,
    Integrator, Newmark, Quadrature, RungeKutta, Steering, Theta,
};

/// A method with its theoretical properties.
pub struct Method {
    /// Name in tables: that of the integrator, with parameters where several share it.
    pub name: String,
    /// The method.
    pub integrator: Box<dyn Integrator>,
    /// Whether a step is a linear map for a linear problem; false for methods that control energy.
    pub linear: bool,
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Method").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A method whose step is linear for linear problems.
fn linear(name: &str, integrator: impl Integrator + 'static) -> Method {
    Method { name: name.to_owned(), integrator: Box::new(integrator), linear: true }
}

/// A method that controls energy.
fn energy_controlled(name: &str, integrator: impl Integrator + 'static) -> Method {
    Method { linear: false, ..linear(name, integrator) }
}

/// A Runge-Kutta method under its own name.
fn runge_kutta(method: RungeKutta) -> Method {
    linear(method.name, method)
}

/// A-search with this rule and the paper's limits.
pub fn a_search(control: Control) -> ASearch {
    ASearch { rule: AlphaRule { control, ..AlphaRule::default() }, ..ASearch::default() }
}

/// Explicit methods.
pub fn explicit() -> Vec<Method> {
    vec![
        runge_kutta(RungeKutta::forward_euler()),
        runge_kutta(RungeKutta::symplectic_euler()),
        runge_kutta(RungeKutta::averaged_midpoint()),
        runge_kutta(RungeKutta::explicit_midpoint()),
        runge_kutta(RungeKutta::modified_half_step()),
        runge_kutta(RungeKutta::heun()),
        runge_kutta(RungeKutta::symplectic_midpoint()),
        runge_kutta(RungeKutta::verlet()),
        runge_kutta(RungeKutta::forest_ruth()),
        runge_kutta(RungeKutta::runge_kutta_4()),
    ]
}

/// Methods that solve stages.
pub fn implicit() -> Vec<Method> {
    let sdirk2 = RungeKutta::sdirk2();
    let decoupled =
        |steering| Decoupled::over(&sdirk2, steering).expect("the adjoint of SDIRK2 can be solved");
    vec![
        linear("implicit Euler", ImplicitEuler),
        linear("inner theta 0.7", Theta { theta: 0.7 }),
        linear("outer theta 0.7", RungeKutta::theta_outer(0.7).expect("in range")),
        linear("Newmark 0.4, 0.7", Newmark { beta: 0.4, gamma: 0.7 }),
        linear("A-1", A1),
        energy_controlled("A-search", ASearch::default()),
        energy_controlled("A-search, sparse", a_search(Control::Sparse { dead_band: 1e-9 })),
        energy_controlled("A-search, filtered", a_search(Control::FILTERED)),
        linear("implicit midpoint", Theta::MIDPOINT),
        runge_kutta(RungeKutta::trapezoidal()),
        linear("Newmark 0.3, 0.5", Newmark { beta: 0.3, gamma: 0.5 }),
        linear("generalized-alpha 0.5", GeneralizedAlpha { rho_inf: 0.5 }),
        linear("BDF2", Bdf2),
        runge_kutta(RungeKutta::sdirk2()),
        runge_kutta(RungeKutta::tr_bdf2()),
        runge_kutta(RungeKutta::bathe()),
        linear("AVF, Simpson", Avf { quadrature: Quadrature::Simpson }),
        linear("AVF, Gauss 3", Avf { quadrature: Quadrature::Gauss { nodes: 3 } }),
        linear("decoupled SDIRK2", decoupled(Steering::One)),
        energy_controlled("decoupled SDIRK2, searched", decoupled(Steering::search())),
        energy_controlled("blending", Blend::default()),
    ]
}

/// All methods, the explicit ones first.
pub fn all() -> Vec<Method> {
    explicit().into_iter().chain(implicit()).collect()
}
