//! All methods, with what theory says of them.

use resile_integrators::{
    A1, ASearch, AlphaRule, Avf, Bdf2, Blend, Control, Decoupled, EnergyTarget, ImplicitEuler,
    Integrator, Newmark, Quadrature, RungeKutta, Steering, Theta,
};

/// A method under study.
pub struct Method {
    /// What tables call it: the integrator's name, with parameters where several share it.
    pub name: String,
    /// The method itself.
    pub integrator: Box<dyn Integrator>,
    /// Its order of accuracy.
    pub order: f64,
    /// Whether a step is a linear map on a linear problem. A method that looks at
    /// energies is not.
    pub linear: bool,
}

impl std::fmt::Debug for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Method").field("name", &self.name).finish_non_exhaustive()
    }
}

fn linear(name: &str, order: f64, integrator: impl Integrator + 'static) -> Method {
    Method { name: name.to_owned(), integrator: Box::new(integrator), order, linear: true }
}

fn steered(name: &str, order: f64, integrator: impl Integrator + 'static) -> Method {
    Method { linear: false, ..linear(name, order, integrator) }
}

fn runge_kutta(order: f64, method: RungeKutta) -> Method {
    linear(method.name, order, method)
}

/// A-search with this rule and the paper's limits.
pub fn a_search(control: Control) -> ASearch {
    ASearch { rule: AlphaRule { control, ..AlphaRule::default() }, ..ASearch::default() }
}

/// Explicit methods.
pub fn explicit() -> Vec<Method> {
    vec![
        runge_kutta(1.0, RungeKutta::forward_euler()),
        runge_kutta(1.0, RungeKutta::symplectic_euler()),
        runge_kutta(1.0, RungeKutta::averaged_midpoint()),
        runge_kutta(2.0, RungeKutta::explicit_midpoint()),
        runge_kutta(2.0, RungeKutta::modified_half_step()),
        runge_kutta(2.0, RungeKutta::heun()),
        runge_kutta(2.0, RungeKutta::symplectic_midpoint()),
        runge_kutta(2.0, RungeKutta::verlet()),
        runge_kutta(4.0, RungeKutta::forest_ruth()),
        runge_kutta(4.0, RungeKutta::runge_kutta_4()),
    ]
}

/// Methods that solve stages.
pub fn implicit() -> Vec<Method> {
    let sdirk2 = RungeKutta::sdirk2();
    let decoupled =
        |steering| Decoupled::over(&sdirk2, steering).expect("the adjoint of SDIRK2 can be solved");
    let searched =
        Steering::Searched { target: EnergyTarget::default(), rule: AlphaRule::default() };
    vec![
        linear("implicit Euler", 1.0, ImplicitEuler),
        linear("inner theta 0.7", 1.0, Theta { theta: 0.7 }),
        linear("outer theta 0.7", 1.0, RungeKutta::theta_outer(0.7)),
        linear("Newmark 0.4, 0.7", 1.0, Newmark { beta: 0.4, gamma: 0.7 }),
        linear("A-1", 1.0, A1),
        steered("A-search", 1.0, ASearch::default()),
        steered("A-search, sparse", 1.0, a_search(Control::Sparse { dead_band: 1e-9 })),
        steered("A-search, filtered", 1.0, a_search(Control::FILTERED)),
        linear("implicit midpoint", 2.0, Theta::MIDPOINT),
        runge_kutta(2.0, RungeKutta::trapezoidal()),
        linear("Newmark 0.3, 0.5", 2.0, Newmark { beta: 0.3, gamma: 0.5 }),
        linear("BDF2", 2.0, Bdf2),
        runge_kutta(2.0, RungeKutta::sdirk2()),
        runge_kutta(2.0, RungeKutta::tr_bdf2()),
        runge_kutta(2.0, RungeKutta::bathe()),
        linear("AVF, Simpson", 2.0, Avf { quadrature: Quadrature::SIMPSON }),
        linear("AVF, Gauss 3", 2.0, Avf { quadrature: Quadrature::Gauss(3) }),
        linear("decoupled SDIRK2", 2.0, decoupled(Steering::Symplectic)),
        steered("decoupled SDIRK2, searched", 2.0, decoupled(searched)),
        steered("blending", 2.0, Blend::default()),
    ]
}

/// All of them, the explicit ones first.
pub fn all() -> Vec<Method> {
    explicit().into_iter().chain(implicit()).collect()
}
