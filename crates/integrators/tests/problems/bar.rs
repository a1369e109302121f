//! The bouncing bar of ASEARCH, section 5.5, with the parameters that reproduce
//! its Table 2: 31 nodes a thirtieth of a metre apart, 10 kg/m, neo-Hookean
//! intervals `dx (mu/2 (F^2 - 1) - mu ln F)` with `mu = E/2`, `E = 10 c^2`, and a
//! wall at x = 0 with barrier `-100 (x/d_hat - 1)^2 ln(x/d_hat)` J a node.

use resile_system::{Body, Energy, Hessian, Mat3, Psd, State, Vec3, Way};

const NODES: usize = 31;
const DX: f64 = 1.0 / 30.0;
const D_HAT: f64 = 0.01;
const KAPPA: f64 = 100.0;

/// The bar and, if it has one, its wall.
pub struct Bar {
    pub sound_speed: f64,
    pub wall: bool,
}

fn xx(entry: f64) -> Mat3 {
    Mat3::from_diagonal(Vec3::new(entry, 0.0, 0.0))
}

impl Bar {
    /// The bar as a body: end nodes carry half the mass of inner ones.
    pub fn body(self) -> Body {
        let mut masses = vec![10.0 * DX; NODES];
        masses[0] /= 2.0;
        masses[NODES - 1] /= 2.0;
        Body::new("bar", masses).with(self)
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

    fn mu(&self) -> f64 {
        10.0 * self.sound_speed * self.sound_speed / 2.0
    }
}

/// The barrier's value and first two derivatives at distance `d`.
fn barrier(d: f64) -> [f64; 3] {
    if d >= D_HAT {
        return [0.0; 3];
    }
    let (s, log) = (d / D_HAT, (d / D_HAT).ln());
    let value = -(s - 1.0) * (s - 1.0) * log;
    let first = -2.0 * (s - 1.0) * log - (s - 1.0) * (s - 1.0) / s;
    let second = -2.0 * log - 4.0 * (s - 1.0) / s + (s - 1.0) * (s - 1.0) / (s * s);
    [KAPPA * value, KAPPA * first / D_HAT, KAPPA * second / (D_HAT * D_HAT)]
}

impl Energy for Bar {
    fn name(&self) -> &str {
        "elastic"
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        let mut sum = 0.0;
        for pair in x.windows(2) {
            let f = (pair[1].x - pair[0].x) / DX;
            if f <= 0.0 {
                return f64::INFINITY;
            }
            sum += DX * self.mu() * (0.5 * (f * f - 1.0) - f.ln());
        }
        if self.wall {
            if x.iter().any(|x| x.x <= 0.0) {
                return f64::INFINITY;
            }
            sum += x.iter().map(|x| barrier(x.x)[0]).sum::<f64>();
        }
        sum
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        for i in 0..x.len() - 1 {
            let f = (x[i + 1].x - x[i].x) / DX;
            let force = scale * self.mu() * (f - 1.0 / f);
            out[i + 1].x += force;
            out[i].x -= force;
        }
        if self.wall {
            x.iter().zip(out).for_each(|(x, out)| out.x += scale * barrier(x.x)[1]);
        }
    }

    fn add_hessian(&self, x: &[Vec3], _psd: Psd, out: &mut Hessian<'_>) {
        for i in 0..x.len() - 1 {
            let f = (x[i + 1].x - x[i].x) / DX;
            let k = self.mu() * (1.0 + 1.0 / (f * f)) / DX;
            out.add(i, i, xx(k));
            out.add(i + 1, i + 1, xx(k));
            out.add(i, i + 1, xx(-k));
        }
        for (i, x) in x.iter().enumerate() {
            out.add(i, i, xx(if self.wall { barrier(x.x)[2] } else { 0.0 }));
        }
    }

    fn step_bound(&mut self, ways: &[Way<'_>]) -> f64 {
        ways.iter().map(|way| self.bound(way.from, way.to)).fold(1.0, f64::min)
    }
}

impl Bar {
    fn bound(&self, from: &[Vec3], to: &[Vec3]) -> f64 {
        // Keep a tenth of every length and of every distance to the wall.
        let keep = |a: f64, b: f64| if b < 0.1 * a { 0.9 * a / (a - b) } else { 1.0 };
        let mut bound: f64 = 1.0;
        for i in 0..from.len() - 1 {
            bound = bound.min(keep(from[i + 1].x - from[i].x, to[i + 1].x - to[i].x));
        }
        if self.wall {
            bound = (0..from.len()).fold(bound, |b, i| b.min(keep(from[i].x, to[i].x)));
        }
        bound
    }
}
