//! The generalized-alpha method (J. Chung and G. M. Hulbert, *A time integration algorithm for
//! structural dynamics with improved numerical dissipation: the generalized-alpha method*, J. Appl.
//! Mech. 60, 1993).
//!
//! ```text
//! x_n+1 = x_n + h v_n + h^2 ((1/2 - beta) a_n + beta a_n+1)
//! v_n+1 = v_n + h ((1 - gamma) a_n + gamma a_n+1)
//! m ((1 - am) a_n+1 + am a_n) = -grad P((1 - af) x_n+1 + af x_n, t_f) - dD/dv((1 - af) v_n+1 + af v_n, t_f)
//! ```
//!
//! with `t_f = t_n + (1 - af) h`, `am = (2 r - 1) / (r + 1)`, `af = r / (r + 1)`, `gamma = 1/2 - am + af` and
//! `beta = (1 - am + af)^2 / 4` (their equations 17, 20 and 25), where `r` is the spectral radius at infinite
//! frequency. The acceleration at the end of a step satisfies no equation of motion: it is stored for the next step.
//! Without a stored value, as at the start, the acceleration follows from the forces.
//!
//! Rotating bodies are integrated in space, not in a co-rotating frame.

use crate::error::StepError;
use crate::methods::newmark::Newmark;
use crate::methods::newmark_formulas::NewmarkFormulas;
use crate::parameters::ParameterError;
use crate::stage::{Lag, PotentialTerm, Stage};
use crate::step::{Integrator, Step, StepEnd, integrator};
use resile_math::Vec3;
use resile_math::parameters::Allowed;
use resile_system::{FieldFormat, Quantity, Record, RecordFormat};

/// Key of the acceleration (m/s^2) at the end of the last step.
const ACCELERATION: &str = "generalized-alpha.acceleration";

/// The generalized-alpha method: second order, stable at every step on linear problems. Among such methods it has the
/// least low-frequency damping for a given high-frequency damping.
#[derive(Debug, Clone, Copy)]
pub struct GeneralizedAlpha {
    /// Spectral radius at infinite frequency, in [0, 1]: the factor by which a step multiplies unresolved vibrations.
    /// There is no damping at one.
    pub rho_inf: f64,
}

/// The coefficients in Chung and Hulbert's letters.
struct Coefficients {
    /// Weight of the acceleration at the start in the equation of motion.
    am: f64,
    /// Weight of the positions and velocities at the start in the equation of motion.
    af: f64,
    /// Weight of the new acceleration in the position.
    beta: f64,
    /// Weight of the new acceleration in the velocity.
    gamma: f64,
}

impl GeneralizedAlpha {
    /// The coefficients for this spectral radius.
    fn coefficients(&self) -> Coefficients {
        let r = self.rho_inf;
        let (am, af) = ((2.0 * r - 1.0) / (r + 1.0), r / (r + 1.0));
        Coefficients { am, af, beta: 0.25 * (1.0 - am + af).powi(2), gamma: 0.5 - am + af }
    }
}

/// The acceleration (m/s^2) at the start of `step`: the stored one, otherwise that of the forces.
fn start_acceleration(step: &mut Step<'_>) -> Vec<Vec3> {
    if let Some(record) = step.state.memory.get(ACCELERATION) {
        return record.fields[0].values.clone();
    }
    let gradient = step.start_gradient();
    let v = step.velocities_at_start();
    step.acceleration(&gradient, &step.dissipative_gradient(&step.dissipation_frame_at_start(), &v))
}

impl GeneralizedAlpha {
    /// Range of `rho_inf`.
    pub const RHO_INF: Allowed = Allowed::Between(0.0..=1.0);
}

impl Integrator for GeneralizedAlpha {
    fn check(&self) -> Result<(), ParameterError> {
        Ok(Self::RHO_INF.check("rho_inf", self.rho_inf)?)
    }

    fn name(&self) -> &'static str {
        "generalized-alpha"
    }

    fn max_energy_gain(&self) -> Option<f64> {
        (self.rho_inf < 1.0).then_some(integrator::MAX_GAIN_WITH_START_FORCES)
    }

    fn is_multistep(&self) -> bool {
        true
    }

    /// Exact for falling bodies: the remembered acceleration is constant in free fall.
    fn falls_exactly(&self) -> bool {
        true
    }

    fn order(&self) -> u32 {
        2
    }

    fn records(&self) -> Vec<RecordFormat> {
        vec![RecordFormat::new(ACCELERATION).with_field(FieldFormat::Action)]
    }

    fn step(&self, step: &mut Step<'_>) -> Result<StepEnd, StepError> {
        let a = start_acceleration(step);
        let v = step.start_velocities();
        let coefficients = self.coefficients();
        let Coefficients { beta, gamma, .. } = coefficients;
        let method = Newmark { beta, gamma };
        let formulas = NewmarkFormulas::new(method, step.h, &step.state.positions, &v, &a);
        let stage = stage(step, &coefficients, &formulas, &v, &a);
        let mut next = step.solve_only(&stage, |i, x| formulas.velocity(i, x))?;
        let end_acceleration =
            |(i, x): (usize, &Vec3)| step.system.free_part(i, formulas.acceleration(i, *x));
        let accelerations = next.positions.iter().enumerate().map(end_acceleration).collect();
        let record = Record::default().with(Quantity::Action, accelerations);
        next.memory.insert(ACCELERATION, record);
        step.set_prescribed_velocities(1.0, &mut next.velocities);
        let start_frame = step.dissipation_frame_at_start();
        let mut heat = step.heat(&start_frame, 0.5, &step.velocities_at_start());
        heat += &step.heat(&step.dissipation_frame_at_end(), 0.5, &next.velocities);
        Ok(StepEnd::new(next, heat))
    }
}

/// The problem for the positions at the end of a step from the velocities `v` (m/s) and accelerations `a` (m/s^2).
fn stage(
    step: &Step<'_>,
    &Coefficients { am, af, .. }: &Coefficients,
    formulas: &NewmarkFormulas,
    v: &[Vec3],
    a: &[Vec3],
) -> Stage {
    let known_positions = &formulas.known_positions;
    let weight = formulas.acceleration_weight / (1.0 - am);
    let force_time = step.time_at(1.0 - af);
    let shift = |i: usize| (1.0 - af) * formulas.velocity(i, Vec3::ZERO) + af * v[i];
    let lag = Lag {
        time: force_time,
        force_weight: weight,
        rate: (1.0 - af) * formulas.rate,
        shift: (0..a.len()).map(shift).collect(),
        co_rotation: step.rotation_in_space(&step.frame(1.0 - af), (1.0 - af) * step.h),
    };
    Stage {
        time: step.end_time(),
        predictor: (0..a.len()).map(|i| known_positions[i] - weight * am * a[i]).collect(),
        terms: vec![PotentialTerm {
            time: force_time,
            weight: weight / (1.0 - af),
            fraction: 1.0 - af,
            base: step.state.positions.clone(),
        }],
        lag: step.with_prescribed_velocities(1.0 - af, step.end_time(), lag),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StageSolver, advance};
    use resile_energy::{CoordinateLaw, CoordinateTerm};
    use resile_math::Mat3;
    use resile_solver::NewtonSettings;
    use resile_system::{Body, Memory, State, System};

    const RADII: [f64; 4] = [0.0, 0.3, 0.8, 1.0];

    fn oscillator(stiffness: f64) -> Body {
        let law = CoordinateLaw::Polynomial { coefficients: vec![0.0, 0.0, 0.5 * stiffness] };
        Body::new("mass", vec![1.0]).with(CoordinateTerm::new(vec![0], 0, law))
    }

    fn state(x: f64, v: f64, a: Option<f64>) -> State {
        let mut state = State::new(0.0, vec![Vec3::X * x], vec![Vec3::X * v]);
        if let Some(a) = a {
            let record = Record::default().with(Quantity::Action, vec![Vec3::X * a]);
            state.memory.insert(ACCELERATION, record);
        }
        state
    }

    fn step(method: &GeneralizedAlpha, bodies: Vec<Body>, state: &mut State) {
        let mut solver = StageSolver::new(1e-14, NewtonSettings::default());
        advance(method, &mut System::new(bodies), &mut solver, state, 1.0).expect("it is convex");
    }

    fn numbers(state: &State) -> Vec3 {
        let a = &state.memory.get(ACCELERATION).expect("it was stepped").fields[0].values;
        Vec3::new(state.positions[0].x, state.velocities[0].x, a[0].x)
    }

    /// The amplification matrix of a step of length one on `x'' = -k x` in the unknowns
    /// `(x, v, a)`: the three equations of the method, solved as they stand.
    fn closed_form(method: &GeneralizedAlpha, k: f64) -> Mat3 {
        let Coefficients { am, af, beta, gamma } = method.coefficients();
        let new = [[1.0, 0.0, k * (1.0 - af)], [0.0, 1.0, 0.0], [-beta, -gamma, 1.0 - am]];
        let old = [[1.0, 0.0, -k * af], [1.0, 1.0, 0.0], [0.5 - beta, 1.0 - gamma, -am]];
        Mat3::from_cols_array_2d(&new).inverse() * Mat3::from_cols_array_2d(&old)
    }

    /// `lim |A^n|^(1/n)`.
    fn spectral_radius(mut a: Mat3) -> f64 {
        let mut log = 0.0;
        for k in 0..40 {
            let largest = a.to_cols_array().iter().fold(0.0f64, |m, e| m.max(e.abs()));
            if largest == 0.0 {
                return 0.0;
            }
            log += largest.ln() / f64::from(k).exp2();
            a *= largest.recip();
            a = a * a;
        }
        log.exp()
    }

    #[test]
    fn step_equals_the_amplification_matrix() {
        for rho_inf in RADII {
            let method = GeneralizedAlpha { rho_inf };
            for k in [0.01, 1.0, 30.0, 1e4] {
                for start in [Vec3::X, Vec3::Y, Vec3::Z] {
                    let mut state = state(start.x, start.y, Some(start.z));
                    step(&method, vec![oscillator(k)], &mut state);
                    let (seen, expected) = (numbers(&state), closed_form(&method, k) * start);
                    let off = (seen - expected).length();
                    assert!(off < 1e-10 * (1.0 + k), "{method:?}, {k}: {seen}, not {expected}");
                }
            }
        }
    }

    #[test]
    fn unresolved_modes_have_the_requested_spectral_radius_and_none_grows() {
        for rho_inf in RADII {
            let method = GeneralizedAlpha { rho_inf };
            let radius = spectral_radius(closed_form(&method, 1e12));
            assert!((radius - rho_inf).abs() < 1e-3, "{radius}, not {rho_inf}");
            for decade in -3..12 {
                let radius = spectral_radius(closed_form(&method, 10f64.powi(decade)));
                assert!(radius < 1.0 + 1e-6, "{method:?} at 1e{decade}: {radius}");
            }
        }
    }

    #[test]
    fn start_without_memory_uses_the_acceleration_of_the_forces() {
        let method = GeneralizedAlpha { rho_inf: 0.6 };
        let [mut fresh, mut told] = [None, Some(-30.0 * 0.7)].map(|a| state(0.7, 0.4, a));
        step(&method, vec![oscillator(30.0)], &mut fresh);
        step(&method, vec![oscillator(30.0)], &mut told);
        assert_eq!(fresh, told);
    }

    #[test]
    fn accelerations_survive_joining_and_splitting_of_bodies() {
        let method = GeneralizedAlpha { rho_inf: 0.6 };
        let bodies = || [oscillator(30.0), oscillator(3.0)];
        let mut alone = [state(0.7, 0.4, None), state(-0.2, 0.1, None)];
        for (state, body) in alone.iter_mut().zip(bodies()) {
            step(&method, vec![body], state);
        }
        let mut joined = State::join(alone.iter());
        assert_ne!(joined.memory, Memory::default());
        step(&method, bodies().into(), &mut joined);
        for (b, (state, body)) in alone.iter_mut().zip(bodies()).enumerate() {
            step(&method, vec![body], state);
            assert_eq!(joined.part(b..b + 1, b), *state);
        }
    }
}
