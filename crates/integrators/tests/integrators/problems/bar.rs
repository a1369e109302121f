//! The bouncing bar of ASEARCH, section 5.5, with the parameters that reproduce
//! its Table 2: 31 nodes a thirtieth of a metre apart, 10 kg/m, neo-Hookean
//! intervals with `mu = E/2`, `E = 10 c^2`, and a wall at x = 0 with barrier
//! `-100 (x/d_hat - 1)^2 ln(x/d_hat)` J a node.

use resile_energy::{CoordinateLaw, CoordinateTerm, Intervals};
use resile_system::{Body, State, Vec3};

const NODES: usize = 31;
const DX: f64 = 1.0 / 30.0;

/// The bar and, if it has one, its wall.
pub struct Bar {
    pub sound_speed: f64,
    pub wall: bool,
}

impl Bar {
    /// The bar as a body: end nodes carry half the mass of inner ones.
    pub fn body(self) -> Body {
        let mut masses = vec![10.0 * DX; NODES];
        masses[0] /= 2.0;
        masses[NODES - 1] /= 2.0;
        let mu = 10.0 * self.sound_speed * self.sound_speed / 2.0;
        let elastic = Intervals::new((0..NODES).collect(), 0, vec![DX; NODES - 1], mu);
        let body = Body::new("bar", masses).with(elastic);
        let wall = CoordinateLaw::BarrierWall { at: 0.0, kappa: 100.0, d_hat: 0.01 };
        match self.wall {
            true => body.with(CoordinateTerm::new((0..NODES).collect(), 0, wall)),
            false => body,
        }
    }

    /// The bar 0.1 m from the wall, coming in at 1 m/s.
    pub fn incoming() -> State {
        let x = (0..NODES).map(|i| Vec3::X * (0.1 + DX * i as f64)).collect();
        State::new(0.0, x, vec![-Vec3::X; NODES])
    }

    /// Free vibration in the first mode, far from the wall, at `speed` (m/s).
    pub fn vibrating(speed: f64) -> State {
        let x = (0..NODES).map(|i| Vec3::X * (10.0 + DX * i as f64)).collect();
        let phase = |i: usize| std::f64::consts::PI * i as f64 / (NODES - 1) as f64;
        let v = (0..NODES).map(|i| Vec3::X * speed * phase(i).cos()).collect();
        State::new(0.0, x, v)
    }

    /// Velocity of the centre of mass (m/s).
    pub fn mean_velocity(masses: &[f64], v: &[Vec3]) -> f64 {
        let momentum: f64 = masses.iter().zip(v).map(|(m, v)| m * v.x).sum();
        momentum / masses.iter().sum::<f64>()
    }
}
