//! Solids that were filled have node masses with their moments, as those of any solid have.

use resile_math::{Mat3, Vec3, outer};
use resile_mesher::implicit::Field;
use resile_mesher::stuffing::{Pieces, Resolution, Stuffing};

#[test]
fn filled_surfaces_have_the_moments_of_the_solid() {
    let ball = Field::Sphere { center: Vec3::new(0.1, -0.2, 0.3), radius: 1.0 };
    for (size, grade) in [(0.7, 0), (0.4, 0), (0.2, 2)] {
        let stuffing = Stuffing { resolution: Resolution::Size(size), grade, pieces: Pieces::All };
        let mesh = stuffing.fill(|p| ball.value(p), ball.bounds().unwrap()).unwrap().mesh;
        let masses = mesh.node_masses(1.0);
        let lumped = mesh.lumped_masses(1.0);
        assert!(masses.iter().zip(&lumped).all(|(m, l)| *m >= (0.1 - 1e-6) * l));
        let expected = mesh.moments().unwrap();
        let mass: f64 = masses.iter().sum();
        let first: Vec3 = mesh.positions.iter().zip(&masses).map(|(p, m)| *p * *m).sum();
        let center = first / mass;
        let second = |(p, m): (&Vec3, &f64)| outer(*p - center, *p - center) * *m;
        let second =
            (mesh.positions.iter().zip(&masses).map(second)).fold(Mat3::ZERO, |sum, one| sum + one);
        assert!((mass / expected.volume - 1.0).abs() < 1e-12);
        assert!(center.distance(expected.center) < 1e-12);
        assert!((second - expected.second).to_cols_array().iter().all(|e| e.abs() < 1e-12));
    }
}
