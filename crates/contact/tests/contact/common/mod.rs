//! Shapes and arrangements for the tests.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use proptest::prelude::*;
use resile_contact::distance::PairKind;
use resile_contact::{
    Barrier, BarrierPotential, Collider, CollisionMesh, CollisionScene, FrictionPotential,
    LaggedFriction, ObstacleMesh, Obstacles, PairTable, Plane, Role,
};
use resile_system::VelocityRelaxation;
use resile_system::{CouplingDissipationPotential, DissipationPotential, Rounds, Vec3};
use std::sync::Arc;

pub const SETTINGS: BarrierPotential =
    BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 0.1, kappa: 1e4 };

pub const FRICTION: FrictionPotential = FrictionPotential { slip_speed: 0.01 };

/// A box of `n^3` cells over `[0, 1]^3`: its surface nodes and triangles.
pub fn cube(n: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut nodes: Vec<[usize; 3]> = Vec::new();
    let mut triangles = Vec::new();
    let mut id = |c: [usize; 3]| {
        nodes.iter().position(|&o| o == c).unwrap_or_else(|| {
            nodes.push(c);
            nodes.len() - 1
        }) as u32
    };
    for axis in 0..3 {
        for side in [0, n] {
            for i in 0..n {
                for j in 0..n {
                    let mut corner = |a: usize, b: usize| {
                        let mut c = [0; 3];
                        c[axis] = side;
                        c[(axis + 1) % 3] = a;
                        c[(axis + 2) % 3] = b;
                        id(c)
                    };
                    let q =
                        [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                    if side == n {
                        triangles.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                    } else {
                        triangles.extend([[q[0], q[2], q[1]], [q[0], q[3], q[2]]]);
                    }
                }
            }
        }
    }
    let scale = 1.0 / n as f64;
    let place = |c: &[usize; 3]| Vec3::new(c[0] as f64, c[1] as f64, c[2] as f64) * scale;
    (nodes.iter().map(place).collect(), triangles)
}

pub fn arrange(
    surfaces: &[Arc<CollisionMesh>],
    planes: Vec<Plane>,
    meshes: Vec<ObstacleMesh>,
    mu: f64,
) -> CollisionScene {
    let roles = vec![Role::Simulated; surfaces.len()];
    arrange_as(&roles, surfaces, planes, meshes, mu)
}

pub fn arrange_as(
    roles: &[Role],
    surfaces: &[Arc<CollisionMesh>],
    planes: Vec<Plane>,
    meshes: Vec<ObstacleMesh>,
    mu: f64,
) -> CollisionScene {
    arrange_thick(&vec![0.0; surfaces.len()], roles, surfaces, planes, meshes, mu)
}

pub fn arrange_thick(
    offsets: &[f64],
    roles: &[Role],
    surfaces: &[Arc<CollisionMesh>],
    planes: Vec<Plane>,
    meshes: Vec<ObstacleMesh>,
    mu: f64,
) -> CollisionScene {
    let count = surfaces.len() + planes.len() + meshes.len();
    let mut pairs = PairTable::of_groups(vec![0; count]);
    pairs.set_friction(0, 0, mu);
    let mut first_node = 0;
    let placed = surfaces.iter().enumerate().map(|(body, surface)| {
        let here = first_node;
        first_node += surface.node_count();
        Collider {
            role: roles[body],
            mesh: surface.clone(),
            number: body,
            body,
            first_node: here,
            half_thickness: offsets[body],
        }
    });
    let obstacles = Arc::new(Obstacles::new(planes, meshes).unwrap());
    CollisionScene::new(placed.collect(), obstacles, Arc::new(pairs))
}

pub const KINDS: [PairKind; 4] =
    [PairKind::VertexFace, PairKind::EdgeEdge, PairKind::VertexEdge, PairKind::VertexVertex];

/// The points of a pair of this kind: where fewer than four count, the last is repeated.
pub fn of_kind(kind: PairKind, x: [Vec3; 4]) -> [Vec3; 4] {
    std::array::from_fn(|k| x[k.min(kind.points() - 1)])
}

pub fn point(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from_array)
}

pub fn rotation(angles: Vec3) -> impl Fn(Vec3) -> Vec3 {
    let length = angles.length().max(1e-12);
    let turn = resile_system::Mat3::from_axis_angle(angles / length, length);
    move |x| turn * x
}

/// Largest residual `m (v - u) + h dD/dv` (kg m/s) of a free node at the velocities that `friction.relax` returns for a
/// guess at rest and a time `h` (s), and at `u`. The masses are between 33 g and 1 kg, those of the first `fixed` nodes
/// infinite.
pub fn relaxed_residual(friction: &LaggedFriction, u: &[Vec3], h: f64, fixed: usize) -> [f64; 2] {
    let mobility: Vec<f64> =
        (0..u.len()).map(|i| if i < fixed { 0.0 } else { [1.0, 30.0, 5.0][i % 3] }).collect();
    let mut v = u.to_vec();
    let rounds = Rounds { max_rounds: 400, tolerance: 1e-13 };
    let guess = vec![Vec3::ZERO; u.len()];
    friction.relax(&VelocityRelaxation { h, mobility: &mobility, guess: &guess, rounds }, &mut v);
    assert!(v[..fixed] == u[..fixed], "what nothing moves has moved");
    let residual = |v: &[Vec3]| {
        let mut left = vec![Vec3::ZERO; u.len()];
        friction.add_gradient(0.0, v, h, &mut left);
        for i in fixed..u.len() {
            left[i] += (v[i] - u[i]) / mobility[i];
        }
        left[fixed..].iter().map(|r| r.length()).fold(0.0, f64::max)
    };
    [residual(&v), residual(u)]
}
