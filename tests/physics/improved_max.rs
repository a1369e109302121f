//! Contact of facets with the improved max operator.

use super::{Simulation, polyhedra};
use resile_math::{Quat, Vec3};

const RADIUS: f64 = 0.028;

/// Turn of the second sphere in the scene of `docs/contact.md`.
const TURN: (Vec3, f64) = (Vec3::new(1.0, 2.0, 3.0), 40.0);

/// The largest speed (m/s) by which spheres that met head on at 1 m/s without friction turn at their surface. The second one is
/// turned about an axis by an angle in degrees.
fn surface_speed(subdivisions: usize, (axis, degrees): (Vec3, f64), improved_max: bool) -> f64 {
    let Vec3 { x, y, z } = axis;
    let mut spheres = Simulation::new(&format!(
        r#"(
            version: 1,
            materials: {{ "m": (density: 2000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
            bodies: [
                (name: "a", shape: Sphere(radius: {RADIUS}, subdivisions: {subdivisions}), kind: Affine, material: "m",
                    friction: 0, velocity: (1, 0, 0)),
                (name: "b", shape: Sphere(radius: {RADIUS}, subdivisions: {subdivisions}), kind: Affine, material: "m",
                    friction: 0, placement: (rotate: [(axis: ({x}, {y}, {z}), degrees: {degrees})], translate: (0.06, 0, 0))),
            ],
            gravity: (0, 0, 0),
            contact: Barrier(d_hat: 1e-3, kappa: 1e7, friction_rule: Min, improved_max: {improved_max}),
            integrator: ASearch(),
            time: (step: "1/960", duration: 0.02),
        )"#
    ));
    for _ in 0..19 {
        spheres.advance();
    }
    let of_body = |body: usize| {
        let momenta = spheres.world.momenta_of(body);
        let spin = momenta.angular - spheres.world.center_of_mass(body).cross(momenta.linear);
        let inertia = 0.4 * 0.5 * spheres.world.mass() * RADIUS * RADIUS;
        RADIUS * spin.length() / inertia
    };
    of_body(0).max(of_body(1))
}

/// The same speed of rigid polyhedra.
fn of_polyhedra(subdivisions: usize, (axis, degrees): (Vec3, f64)) -> f64 {
    let turn = Quat::from_axis_angle(axis.normalize(), degrees.to_radians());
    polyhedra::surface_speed(subdivisions, turn)
}

/// Root mean square over some orientations.
fn root_mean_square(count: usize, speed: impl Fn((Vec3, f64)) -> f64) -> f64 {
    let turn = |k: f64| {
        let axis = Vec3::new((1.3 * k).sin() + 0.1, (2.1 * k).cos(), (0.7 * k).sin());
        (axis, 40.0 + 13.0 * k)
    };
    let squares = (0..count).map(|k| speed(turn(k as f64)).powi(2));
    (squares.sum::<f64>() / count as f64).sqrt()
}

/// The normals of facets differ from the radius by up to two degrees, which remains. The figures are those of
/// `docs/contact.md`.
#[test]
#[allow(clippy::print_stdout, reason = "the figures, where they are asked for")]
fn facets_turn_spheres_three_times_less_with_the_improved_max_operator() {
    let [with, without] = [true, false].map(|improved| surface_speed(4, TURN, improved));
    let exact = of_polyhedra(4, TURN);
    println!(
        "surface speed (m/s): {with:.3} with the operator, {without:.3} without, {exact:.3} of polyhedra"
    );
    assert!(with < 0.1 && without > 0.2, "{with} and {without} m/s");
    assert!(with < exact, "{with} and {exact} m/s");
}

/// Facets act along their own normals: rigid polyhedra turn each other as well, by an exact impulse without friction. The
/// speed tends to zero with the edges. The figures are those of `docs/contact.md`.
#[test]
#[allow(clippy::print_stdout, reason = "the figures, where they are asked for")]
fn spheres_turn_each_other_as_polyhedra_do_and_less_with_finer_facets() {
    const COUNT: usize = 8;
    let [coarse, .., fine] = [3, 4, 5].map(|subdivisions| {
        let ours = root_mean_square(COUNT, |turn| surface_speed(subdivisions, turn, true));
        let exact = root_mean_square(COUNT, |turn| of_polyhedra(subdivisions, turn));
        println!("{subdivisions} subdivisions: {ours:.4} m/s, polyhedra {exact:.4} m/s");
        assert!(ours < 1.5 * exact, "{subdivisions} subdivisions: {ours} for {exact} m/s");
        [ours, exact]
    });
    // Slopes of facets are of first order in the edges, which are a quarter as long.
    assert!((3.0..6.0).contains(&(coarse[1] / fine[1])), "{coarse:?} and {fine:?} m/s");
    assert!(coarse[0] > 8.0 * fine[0], "{coarse:?} and {fine:?} m/s");
    // A tangential impulse of mu times the normal one turns a sphere at 2.5 mu.
    assert!(fine[0] / 2.5 < 0.005, "{fine:?} m/s");
}
