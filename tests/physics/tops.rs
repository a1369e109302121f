//! Bodies that turn fast on a floor, about an axis near which they touch it.

use super::Simulation;
use resile_math::{Mat3, Vec3};

/// A disc of which the lowest facet stands on a smooth floor.
#[test]
fn coin_on_its_edge_keeps_spinning() {
    let mut coin = Simulation::of_file("study/coin", &[]);
    let (place, start) = (coin.com(), coin.observe());
    let momentum = coin.world.momenta_of(0).angular.y;
    for step in 1..=240 {
        let record = coin.advance();
        let kept = coin.world.momenta_of(0).angular.y / momentum;
        assert!((kept - 1.0).abs() < 1e-6, "step {step}: {kept} of its angular momentum");
        let energy = record.observed.total() / start.total();
        assert!((energy - 1.0).abs() < 1e-3, "step {step}: {energy} of its energy");
        let moved = (coin.com() - place).length();
        assert!(moved < 1e-3, "step {step}: {moved} m from its place");
    }
}

/// The angular momentum (kg m^2/s) of the upright top at 1 rad/s about `axis`.
fn moment_of_inertia(axis: Vec3) -> f64 {
    let spin = format!("bodies.top.angular_velocity=({:?}, {:?}, {:?})", axis.x, axis.y, axis.z);
    let upright = Simulation::of_file("study/top", &["bodies.top.placement.rotate=[]", &spin]);
    upright.world.momenta_of(0).angular.dot(axis)
}

/// On a smooth floor the horizontal place of the centre is kept, and the floor bears the weight: what a
/// symmetric body does then is in Landau and Lifshitz, *Mechanics*, section 35. Not followed it falls within a
/// third of a second.
#[test]
fn top_on_its_tip_precesses_at_the_rigid_rate() {
    let [about_axis, across] = [Vec3::Y, Vec3::X].map(moment_of_inertia);
    let mut top = Simulation::of_file("study/top", &[]);
    let tilt = 20f64.to_radians();
    let point = Vec3::new(0.0, 0.0101, 0.0);
    let (arm, spin) = (top.com() - point, Vec3::new(-17.071, 57.637, 0.0));
    let along = spin.dot(arm.normalize());
    let (half, moment) = (0.5 * about_axis * along, top.world.mass() * 9.81 * arm.length());
    let slow = across * tilt.cos();
    let place = top.com();
    let exact = (half - (half * half - slow * moment).sqrt()) / slow;

    let start = edges(&top);
    let axis = |top: &Simulation| edges(top) * start.inverse() * arm.normalize();
    let (mut angle, mut before) = (0.0, axis(&top));
    for step in 1..=120 {
        top.advance();
        let now = axis(&top);
        angle += before.cross(now).y.atan2(before.dot(now) - before.y * now.y);
        let tilted = now.y.acos() - tilt;
        assert!(tilted.abs() < 3f64.to_radians(), "step {step}: nods by {tilted} rad");
        before = now;
    }
    let moved = (top.com() - place).with_y(0.0).length();
    assert!(moved < 1e-6, "{moved} m from its place");
    assert!((angle / exact - 1.0).abs() < 0.04, "{angle} rad in a second, not {exact}");
}

/// Those of the four nodes of an affine body.
fn edges(simulation: &Simulation) -> Mat3 {
    let x = &simulation.world.state(0).positions;
    Mat3::from_cols(x[1] - x[0], x[2] - x[0], x[3] - x[0])
}
