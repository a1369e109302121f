//! Affine bodies: four nodes have the body's mass properties and energy, exactly.

use resile_energy::{AffineBody, AffineError, Lame, Material};
use resile_math::{Mat3, Vec3, outer};
use resile_mesh::generate::{BoxSurface, Torus};
use resile_mesh::{Moments, TriMesh};
use resile_system::Energy;

/// A skew brick far from the origin, and a ring.
fn shapes() -> Vec<TriMesh> {
    let mut brick =
        BoxSurface { size: Vec3::new(0.3, 0.1, 0.02), cells: [4, 2, 1] }.build().unwrap();
    let turn = Mat3::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 0.7);
    for p in &mut brick.positions {
        *p = turn * *p + Vec3::new(5.0, -3.0, 8.0);
    }
    let torus = Torus { ring_radius: 0.2, tube_radius: 0.05, around_ring: 24, around_tube: 12 };
    vec![brick, torus.build().unwrap()]
}

#[test]
fn four_equal_masses_have_the_moments_of_the_body() {
    for mesh in shapes() {
        let Moments { volume, center, second } = mesh.moments().unwrap();
        let body = AffineBody::new(&mesh.moments().unwrap()).unwrap();
        let density = 700.0;
        let (nodes, masses) = (body.nodes(), body.masses(density));
        let sum: f64 = masses.iter().sum();
        assert!((sum / (density * volume) - 1.0).abs() < 1e-14);
        let mean: Vec3 = nodes.iter().zip(masses).map(|(p, m)| *p * m).sum::<Vec3>() / sum;
        assert!((mean - center).length() < 1e-13 * center.length().max(1.0));
        let moments = nodes
            .iter()
            .zip(masses)
            .fold(Mat3::ZERO, |sum, (p, m)| sum + outer(*p - center, *p - center) * m);
        let error = (moments - second * density).to_cols_array();
        let size = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        assert!(error.iter().all(|e| e.abs() < 1e-12 * density * size), "{error:?}");
    }
}

#[test]
fn placed_body_keeps_its_weights_and_moments() {
    let turn = Mat3::from_axis_angle(Vec3::new(-0.4, 1.0, 0.8).normalize(), 2.1);
    let shift = Vec3::new(0.3, -7.0, 2.0);
    for mesh in shapes() {
        let body = AffineBody::new(&mesh.moments().unwrap()).unwrap();
        let moved = body.moved(turn, shift);
        assert_eq!(moved.masses(700.0), body.masses(700.0));
        for point in &mesh.positions {
            let [before, after] = [body.weights(*point), moved.weights(turn * *point + shift)];
            assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 1e-12), "{after:?}");
        }
        let there = TriMesh {
            positions: mesh.positions.iter().map(|p| turn * *p + shift).collect(),
            triangles: mesh.triangles.clone(),
        };
        let Moments { volume, second, .. } = there.moments().unwrap();
        let center = moved.nodes().iter().sum::<Vec3>() / 4.0;
        let of_nodes = moved.nodes().map(|p| outer(p - center, p - center) * (0.25 * volume));
        let error = of_nodes.into_iter().fold(second * -1.0, |sum, own| sum + own);
        let size = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        assert!(error.to_cols_array().iter().all(|e| e.abs() < 1e-9 * size), "{error:?}");
    }
}

#[test]
fn surface_points_follow_every_affine_motion_of_the_nodes() {
    let map = Mat3::from_cols(
        Vec3::new(1.1, 0.2, 0.0),
        Vec3::new(-0.3, 0.9, 0.4),
        Vec3::new(0.1, -0.2, 1.3),
    );
    let shift = Vec3::new(0.3, -7.0, 2.0);
    for mesh in shapes() {
        let body = AffineBody::new(&mesh.moments().unwrap()).unwrap();
        let moved = body.nodes().map(|p| map * p + shift);
        for point in &mesh.positions {
            let w = body.weights(*point);
            let there: Vec3 = moved.iter().zip(w).map(|(p, w)| *p * w).sum();
            assert!((there - (map * *point + shift)).length() < 1e-12);
        }
        let gradient = body.deformation_gradient(&moved) - map;
        assert!(gradient.to_cols_array().iter().all(|e| e.abs() < 1e-12));
    }
}

#[test]
fn the_orthogonality_potential_is_a_material_without_lateral_stiffness() {
    let mesh = &shapes()[0];
    let body = AffineBody::new(&mesh.moments().unwrap()).unwrap();
    let kappa = 3e6;
    let lame = Lame::from_young_poisson(8.0 * kappa, 0.0).unwrap();
    let energy = body.elasticity(Material::StVenantKirchhoff(lame));
    let turn = Mat3::from_axis_angle(Vec3::Y, 2.0);
    let a = turn
        * Mat3::from_cols(
            Vec3::new(1.01, 0.02, 0.0),
            Vec3::new(0.0, 0.97, 0.01),
            Vec3::new(-0.03, 0.0, 1.0),
        );
    let x = body.nodes().map(|p| a * p + Vec3::X);
    let excess = a * a.transpose() - Mat3::IDENTITY;
    let square: f64 = excess.to_cols_array().iter().map(|e| e * e).sum();
    let expected = kappa * body.volume() * square;
    assert!((energy.value(0.0, &x) / expected - 1.0).abs() < 1e-11);
    assert!(energy.value(0.0, &body.nodes().map(|p| turn * p)) < 1e-20 * kappa);
}

#[test]
fn surfaces_without_an_inside_are_rejected() {
    let mut mesh = shapes().remove(0);
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let error = AffineBody::new(&mesh.moments().unwrap()).unwrap_err();
    assert!(matches!(error, AffineError::NoVolume { volume } if volume < 0.0));
    let flat = Moments { volume: 1.0, center: Vec3::ZERO, second: outer(Vec3::X, Vec3::X) };
    assert_eq!(AffineBody::new(&flat), Err(AffineError::Degenerate));
}
