//! A cube that is pressed on a plane, minimised under each barrier.

use crate::common::{SETTINGS, arrange, cube};
use resile_contact::ccd::FLOOR;
use resile_contact::{
    Barrier, BarrierPotential, Candidates, CollisionMesh, CollisionScene, Plane, Psd, intersections,
};
use resile_system::Vec3;
use std::sync::Arc;

/// The positions of a cube whose lowest points are at this height.
fn at(rest: &[Vec3], height: f64) -> Vec<Vec3> {
    rest.iter().map(|p| *p + Vec3::Y * height).collect()
}

/// Newton's method in the height of a rigid cube under a load (N), each step bounded by
/// collision detection: the heights it takes, all of which must have a gap.
fn minimised(barrier: Barrier, load: f64) -> Vec<f64> {
    let potential = BarrierPotential { barrier, ..SETTINGS };
    let (rest, triangles) = cube(2);
    let mesh = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let plane = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 1 };
    let scene: CollisionScene = arrange(&[mesh], vec![plane], vec![], 0.0);
    let up = vec![Vec3::Y; rest.len()];
    let mut heights = vec![0.9 * SETTINGS.d_hat];
    for _ in 0..60 {
        let height = heights[heights.len() - 1];
        let x = at(&rest, height);
        let here = Candidates::near(&scene, &x, potential.d_hat);
        let slope: f64 = potential.gradient(&scene, &here, &x).iter().map(|g| g.y).sum();
        let blocks = potential.hessian(&scene, &here, &x, Psd::Clamp);
        let curvature: f64 = blocks.times(&up).iter().map(|column| column.y).sum();
        let step = -(slope + load) / curvature;
        let found = Candidates::search(&scene, &x, &at(&rest, height + step), potential.d_hat);
        let energy = |height: f64| {
            potential.value(&scene, &found.candidates, &at(&rest, height)) + load * height
        };
        let mut taken = step * found.collision_free;
        while taken != 0.0 && energy(height + taken) > energy(height) {
            taken *= 0.5;
        }
        heights.push(height + taken);
        assert!(energy(height + taken).is_finite());
        assert!(intersections(&scene, &at(&rest, height + taken), 1).is_empty());
    }
    heights
}

/// The area (m^2) that stands on the plane: the corners have area on the sides too, as has the
/// rim, which the plane sees.
fn standing() -> f64 {
    let (rest, triangles) = cube(2);
    let below = |t: &[u32; 3]| t.iter().filter(|&&i| rest[i as usize].y == 0.0).count() as f64;
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| rest[i as usize]);
        0.5 * (b - a).cross(c - a).length()
    };
    triangles.iter().map(|t| area(t) * below(t) / 3.0).sum()
}

#[test]
fn load_within_the_barrier_limit_is_balanced() {
    for barrier in Barrier::ALL {
        let load = 0.5 * SETTINGS.kappa * standing();
        let height = *minimised(barrier, load).last().unwrap();
        // The side faces have vertices that the plane sees from farther away, at d_hat and more.
        let pressure = -SETTINGS.kappa * SETTINGS.d_hat * barrier.at(height, SETTINGS.d_hat).first;
        assert!((pressure * standing() / load - 1.0).abs() < 1e-9, "{barrier:?}: {height}");
    }
}

#[test]
fn load_beyond_the_cubic_barrier_keeps_a_gap_without_balance() {
    let load = 3.0 * SETTINGS.kappa * standing();
    for barrier in Barrier::ALL {
        let heights = minimised(barrier, load);
        assert!(heights.iter().all(|&height| height > 0.0), "{barrier:?}");
        let last = heights[heights.len() - 1];
        if barrier == Barrier::Cubic {
            assert!((0.9 * FLOOR..1e-9).contains(&last), "{last}");
        } else {
            assert!(last > 1e-3 * SETTINGS.d_hat, "{barrier:?}: {last}");
        }
    }
}
