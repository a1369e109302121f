//! Particles on springs, on coordinates, and before a wall.

use resile_energy::{
    CoordinateLaw, CoordinateTerm, MassDamping, SpringElement, SpringLaw, Springs,
};
use resile_system::{Body, State, System, Vec3};

fn on_x(law: CoordinateLaw) -> Body {
    Body::new("particle", vec![1.0]).with(CoordinateTerm::new(vec![0], 0, law))
}

/// The angle of a pendulum of unit mass and length under `gravity` (m/s^2), from rest at 1.
pub fn pendulum(gravity: f64) -> (System, State) {
    let body = on_x(CoordinateLaw::Cosine { amplitude: gravity });
    (System::new(vec![body]), State::new(0.0, vec![Vec3::X], vec![Vec3::ZERO]))
}

/// `k x^2 / 2`.
pub fn oscillator(stiffness: f64) -> Body {
    on_x(CoordinateLaw::Polynomial { coefficients: vec![0.0, 0.0, 0.5 * stiffness] })
}

/// An oscillator of `k = 20` that loses a fifth of its velocity a second.
pub fn damped_oscillator() -> (System, State) {
    let body = oscillator(20.0).with_dissipation(MassDamping::new(vec![1.0], 0.2));
    (System::new(vec![body]), State::new(0.0, vec![Vec3::X * 0.7], vec![Vec3::X * 0.4]))
}

/// `k x^2 / 2` where x < 0: the penalty wall of ASEARCH, appendix E.
pub fn before_a_wall(stiffness: f64) -> Body {
    on_x(CoordinateLaw::PenaltyWall { at: 0.0, stiffness })
}

/// A tetrahedron of springs, which turns and vibrates.
pub fn net() -> (System, State) {
    let mut x = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.3, 0.2, 0.9)];
    let pairs = (0..4).flat_map(|i| (i + 1..4).map(move |j| [i, j]));
    let springs = pairs.map(|nodes| SpringElement::at_rest(nodes, &x, 40.0)).collect();
    let springs = Springs::new(4, springs, SpringLaw::Hooke).unwrap();
    x[3] += Vec3::new(0.05, 0.1, 0.2);
    let v = vec![Vec3::Y, Vec3::ZERO, Vec3::new(0.3, -0.2, 1.0), Vec3::Z];
    let body = Body::new("net", vec![1.0, 0.5, 2.0, 0.7]).with(springs);
    (System::new(vec![body]), State::new(0.0, x, v))
}
