//! Test problems of the methods, built from terms of the library.

use resile_energy::{
    CentralField, CoordinateLaw, CoordinateTerm, DeformableLine, Intervals, Lame, LineMaterial,
    MassDamping, Material, RigidPreservingDamping, SpringElement, SpringLaw, Springs,
    StiffnessDamping, TetElasticity,
};
use resile_mesh::generate::BoxGrid;
use resile_system::{Body, Held, Motion, Prescribed, State, System, Vec3};

/// A system and its initial state.
#[derive(Debug)]
pub struct Problem {
    /// The system.
    pub system: System,
    /// Its state at time zero.
    pub start: State,
}

impl Problem {
    /// Bodies with the positions and velocities of all their nodes.
    pub(crate) fn new(bodies: Vec<Body>, positions: Vec<Vec3>, velocities: Vec<Vec3>) -> Self {
        Self { system: System::new(bodies), start: State::new(0.0, positions, velocities) }
    }

    /// A particle of one coordinate x under a law, from position `x` and velocity `v`.
    fn coordinate(mass: f64, law: CoordinateLaw, x: f64, v: f64) -> Self {
        let body = Body::new("particle", vec![mass]).with(CoordinateTerm::new(vec![0], 0, law));
        Self::new(vec![body], vec![Vec3::X * x], vec![Vec3::X * v])
    }

    /// The problem with mass damping of all its bodies at `rate` (1/s).
    #[must_use]
    pub fn damped(self, rate: f64) -> Self {
        let bodies = self.system.bodies().iter().cloned().map(|body| {
            let masses = body.masses.clone();
            body.with_dissipation(MassDamping::new(masses, rate))
        });
        Self { system: System::new(bodies.collect()), start: self.start }
    }
}

/// A harmonic oscillator of unit mass, `x'' = -k x`, from position `x` and velocity `v`.
pub fn oscillator(stiffness: f64, x: f64, v: f64) -> Problem {
    polynomial(vec![0.0, 0.0, 0.5 * stiffness], x, v)
}

/// A particle of unit mass in the potential `sum_k c_k x^k`.
pub fn polynomial(coefficients: Vec<f64>, x: f64, v: f64) -> Problem {
    Problem::coordinate(1.0, CoordinateLaw::Polynomial { coefficients }, x, v)
}

/// A pendulum of unit mass and length, 9.8 m/s^2, released at an angle of 1 rad.
pub fn pendulum() -> Problem {
    Problem::coordinate(1.0, CoordinateLaw::Cosine { amplitude: 9.8 }, 1.0, 0.0)
}

/// An orbit of eccentricity `e` around a centre of unit strength, semi-major axis one
/// (period 2 pi), from its nearest point (Hairer, Lubich, Wanner, *Geometric
/// Numerical Integration*, I.2.3).
pub fn kepler(e: f64) -> Problem {
    let field = CentralField::new(vec![1.0], Vec3::ZERO, 1.0);
    let speed = ((1.0 + e) / (1.0 - e)).sqrt();
    let body = Body::new("planet", vec![1.0]).with(field);
    Problem::new(vec![body], vec![Vec3::X * (1.0 - e)], vec![Vec3::Y * speed])
}

/// Unit masses on a line, a metre apart, joined by Hookean springs; the first has an initial velocity.
pub fn spring_chain(nodes: usize, stiffness: f64) -> Problem {
    let x: Vec<Vec3> = (0..nodes).map(|i| Vec3::X * i as f64).collect();
    let springs = (1..nodes).map(|i| SpringElement::at_rest([i - 1, i], &x, stiffness)).collect();
    let springs = Springs::new(nodes, springs, SpringLaw::Hooke).expect("neighbours are nodes");
    let mut v = vec![Vec3::ZERO; nodes];
    v[0] = Vec3::new(0.3, 0.2, 0.0);
    Problem::new(vec![Body::new("chain", vec![1.0; nodes]).with(springs)], x, v)
}

/// AVF's quartic, `128 x^4` from x = -1.10, v = 12.25, of its figure 2.
pub fn quartic() -> Problem {
    polynomial(vec![0.0, 0.0, 0.0, 0.0, 128.0], -1.10, 12.25)
}

/// AVF's particle on a quartic spring under gravity, `10 x + 1500 (x^2 - 1)^2` from
/// x = 0.6, v = -9 (its section 4).
pub fn avf_particle() -> Problem {
    polynomial(vec![1500.0, 10.0, -3000.0, 0.0, 1500.0], 0.6, -9.0)
}

/// BLEND's spring (its eq. 7): a particle of 0.5 kg on a Saint Venant-Kirchhoff spring of 1e5 N/m^3 with a rest length
/// of 1 m. The spring starts with a length of 1.5 m, and the particle with 10 m/s across it. The other end is held.
pub fn blend_spring() -> Problem {
    let x = vec![Vec3::ZERO, Vec3::X * 1.5];
    let spring = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: 1e5 };
    let springs = Springs::new(2, vec![spring], SpringLaw::StVenantKirchhoff);
    let mut body = Body::new("spring", vec![1.0, 0.5]).with(springs.expect("two nodes"));
    body.prescribed = vec![Prescribed {
        node: 0,
        start: Vec3::ZERO,
        motion: Motion::Fixed,
        until: None,
        held: Held::All,
    }];
    Problem::new(vec![body], x, vec![Vec3::ZERO, Vec3::Y * 10.0])
}

/// The bar of ASEARCH, section 5.5, with the parameters that reproduce its Table 2:
/// 31 nodes a thirtieth of a metre apart, 10 kg/m, the end nodes with half a mass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Speed of sound c (m/s); the modulus is `10 c^2` N.
    pub sound_speed: f64,
}

impl Bar {
    /// Number of nodes.
    pub const NODES: usize = 31;
    /// Length of an interval (m).
    pub const DX: f64 = 1.0 / 30.0;

    /// Mass of each node (kg).
    pub fn masses() -> Vec<f64> {
        let mut masses = vec![10.0 * Self::DX; Self::NODES];
        masses[0] /= 2.0;
        masses[Self::NODES - 1] /= 2.0;
        masses
    }

    /// The elastic bar without loads.
    fn body(self) -> Body {
        let mu = 10.0 * self.sound_speed * self.sound_speed / 2.0;
        let lengths = vec![Self::DX; Self::NODES - 1];
        let elastic = Intervals::new((0..Self::NODES).collect(), 0, lengths, mu);
        Body::new("bar", Self::masses()).with(elastic)
    }

    /// Rest positions of the nodes (m), of which the first is at `from`.
    fn nodes(from: f64) -> Vec<Vec3> {
        (0..Self::NODES).map(|i| Vec3::X * (from + Self::DX * i as f64)).collect()
    }

    /// The bar that approaches a barrier at x = 0 with 1 m/s; its first node is `gap` (m) before the barrier.
    pub fn incoming(self, gap: f64) -> Problem {
        let law = CoordinateLaw::BarrierWall { at: 0.0, kappa: 100.0, d_hat: 0.01 };
        let wall = CoordinateTerm::new((0..Self::NODES).collect(), 0, law);
        let body = self.body().with(wall);
        Problem::new(vec![body], Self::nodes(gap), vec![-Vec3::X; Self::NODES])
    }

    /// The bar in free vibration in its first mode; its ends start with `speed` (m/s).
    pub fn vibrating(self, speed: f64) -> Problem {
        let phase = |i: usize| std::f64::consts::PI * i as f64 / (Self::NODES - 1) as f64;
        let v = (0..Self::NODES).map(|i| Vec3::X * speed * phase(i).cos()).collect();
        Problem::new(vec![self.body()], Self::nodes(-0.5), v)
    }

    /// Velocity of the centre of mass (m/s).
    pub fn mean_velocity(v: &[Vec3]) -> f64 {
        let masses = Self::masses();
        let momentum: f64 = masses.iter().zip(v).map(|(m, v)| m * v.x).sum();
        momentum / masses.iter().sum::<f64>()
    }
}

/// Damping of a [`block`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BlockDamping {
    /// No damping.
    Undamped,
    /// Rayleigh damping: the rate (1/s) of the masses and the time (s) of the stiffness.
    Rayleigh(f64, f64),
    /// Damping of deformation at this rate (1/s), without damping of rigid motion.
    RigidPreserving(f64),
}

/// Material of a [`block`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BlockMaterial {
    /// Neo-Hookean.
    NeoHookean,
    /// Saint Venant-Kirchhoff: a quartic polynomial.
    StVenantKirchhoff,
    /// Corotated: finite under inversion.
    Corotated,
}

/// A box of `cells` cubes along each edge of 0.2 m, 1000 kg/m^3, Poisson's ratio 0.3
/// and the modulus `young` (Pa), at rest.
///
/// # Panics
/// If there are no cells, or the modulus is not positive.
pub fn block(cells: usize, material: BlockMaterial, young: f64, damping: BlockDamping) -> Problem {
    let mesh = BoxGrid { cells: [cells; 3], size: Vec3::splat(0.2) }.build();
    let mesh = mesh.expect("a box has cells");
    let lame = Lame::from_young_poisson(young, 0.3).expect("a material has a modulus");
    let material = match material {
        BlockMaterial::NeoHookean => Material::NeoHookean(lame),
        BlockMaterial::StVenantKirchhoff => Material::StVenantKirchhoff(lame),
        BlockMaterial::Corotated => Material::Corotated(lame),
    };
    let elastic =
        || TetElasticity::new(&mesh.positions, &mesh.tets, material).expect("a box has volume");
    let masses = mesh.lumped_masses(1000.0);
    let body = Body::new("block", masses.clone()).with(elastic());
    let body = match damping {
        BlockDamping::Undamped => body,
        BlockDamping::Rayleigh(rate, time) => body
            .with_dissipation(StiffnessDamping::new(Box::new(elastic()), masses.len(), time))
            .with_dissipation(MassDamping::new(masses, rate)),
        BlockDamping::RigidPreserving(rate) => {
            body.with_dissipation(RigidPreservingDamping::new(masses, rate))
        }
    };
    let velocities = vec![Vec3::ZERO; mesh.positions.len()];
    Problem::new(vec![body], mesh.positions, velocities)
}

/// A [`block`] that spins about a skew axis at `spin` (rad/s) and starts stretched along
/// x and sheared, so that it vibrates as well.
pub fn spinning_block(
    cells: usize,
    material: BlockMaterial,
    young: f64,
    damping: BlockDamping,
    spin: f64,
) -> Problem {
    let mut problem = block(cells, material, young, damping);
    let omega = Vec3::new(0.3, 1.0, 0.5).normalize() * spin;
    let start = &mut problem.start;
    for (x, v) in start.positions.iter_mut().zip(&mut start.velocities) {
        *x = Vec3::new(1.15 * x.x + 0.1 * x.y, x.y, 0.95 * x.z);
        *v = omega.cross(*x);
    }
    problem
}

/// A particle of unit mass at `x = phase`, v = -1, before a penalty wall of stiffness `k` at zero
/// (ASEARCH, appendix E; with a step of one `k` is hbar).
pub fn penalty_wall(k: f64, phase: f64) -> Problem {
    let law = CoordinateLaw::PenaltyWall { at: 0.0, stiffness: k };
    Problem::coordinate(1.0, law, phase, -1.0)
}

/// EXPLICIT's deformable line: a helix of `points` points, 1 cm thick, 1000 kg/m^3, springs
/// and volumes of 1e5 Pa, 1e-3 N m^2 against torsion, set swaying at 0.2 m/s.
///
/// # Panics
/// If there are too few points for a smooth helix (about ten).
pub fn helix(points: usize) -> Problem {
    let point = |i: usize| {
        let t = i as f64 / (points - 1) as f64;
        let (sin, cos) = (t * 3.0 * std::f64::consts::PI).sin_cos();
        Vec3::new(0.1 * cos, 0.3 * t, 0.1 * sin)
    };
    let curve: Vec<Vec3> = (0..points).map(point).collect();
    let material = LineMaterial {
        density: 1000.0,
        spring_modulus: 1e5,
        volume_modulus: 1e5,
        torsional_rigidity: 1e-3,
    };
    let line = DeformableLine::along(&curve, 0.01, material).expect("a smooth helix");
    let sway = |i: usize| Vec3::X * (0.2 * (0.1 * (i / 3) as f64).sin());
    let v = (0..line.nodes.len()).map(sway).collect();
    Problem::new(vec![line.body("line")], line.nodes, v)
}
