//! Restitution of bodies that meet at an edge or a face.

use super::Simulation;

/// The edge of a box that meets a floor does not separate with a coefficient of zero, although strain and barrier are
/// compressed at the end of the impact: the box rotates about it. The values are those of a rigid box.
#[test]
fn edge_of_a_box_stays_on_the_floor_after_a_plastic_impact() {
    for integrator in ["ImplicitEuler", "Bdf2", "TrBdf2", "A1", "ASearch()"] {
        for steps_a_second in [240, 480, 960] {
            let mut falling = Simulation::begun(&format!(
                r#"(
                    version: 2, units: Metres,
                    materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                    bodies: [(name: "box", shape: Box(size: (0.4, 0.1, 0.1), cells: (8, 2, 2)), kind: Solid, material: "m",
                        placement: (rotate: [(axis: (0, 0, 1), degrees: 30)], translate: (0, 0.16330127, 0)),
                        velocity: (0, -1, 0), friction: 0, restitution: 0)],
                    gravity: (0, 0, 0),
                    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
                    contact: Barrier(),
                    integrator: {integrator},
                    time: (step: "1/{steps_a_second}", duration: 1),
                )"#
            ));
            for _ in 0..steps_a_second / 20 {
                drop(falling.advance());
            }
            let spin = falling.world.momenta().angular.z / (4.0 * (0.4 * 0.4 + 0.1 * 0.1) / 12.0);
            let speed = falling.velocity().y;
            let context = format!("{integrator}, 1/{steps_a_second} s: {spin} rad/s, {speed} m/s");
            assert!((spin / -4.1018 - 1.0).abs() < 0.02, "{context}");
            assert!((speed / -0.6079 - 1.0).abs() < 0.02, "{context}");
        }
    }
}

/// Boxes that meet flat in free space move on together with a coefficient of zero, although strain and barrier are compressed
/// at the end of the impact.
#[test]
fn boxes_stay_together_after_a_plastic_impact() {
    let body = |name: &str, x: f64, density: &str, speed: f64, kind: &str| {
        format!(
            r#"(name: "{name}", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), kind: {kind}, material: "{density}",
                placement: (translate: ({x:?}, 0, 0)), velocity: ({speed:?}, 0, 0), friction: 0, restitution: 0),"#
        )
    };
    for integrator in ["ImplicitEuler", "TrBdf2", "A1", "ASearch()"] {
        for kind in ["Affine", "Solid"] {
            let mut boxes = Simulation::begun(&format!(
                r#"(
                    version: 2, units: Metres,
                    materials: {{
                        "light": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)),
                        "heavy": (density: 5000, model: NeoHookean(young: 1e8, poisson: 0.3)),
                    }},
                    bodies: [{}{}],
                    gravity: (0, 0, 0),
                    contact: Barrier(),
                    integrator: {integrator},
                    time: (step: "1/120", duration: 1),
                )"#,
                body("first", -0.056, "light", 1.0, kind),
                body("second", 0.056, "heavy", 0.0, kind),
            ));
            for _ in 0..20 {
                drop(boxes.advance());
            }
            let speeds =
                [(0, 1.0), (1, 5.0)].map(|(b, mass)| boxes.world.momenta_of(b).linear.x / mass);
            for speed in speeds {
                assert!((speed * 6.0 - 1.0).abs() < 0.01, "{integrator}, {kind}: {speeds:?} m/s");
            }
        }
    }
}

/// Boxes that fall flat on a plane without friction do not turn, and rebound at their restitution, although the barrier forces
/// at the vertices of a face are unequal.
#[test]
fn box_that_lands_flat_does_not_turn() {
    let boxes = [
        ("Affine", "(0.1, 0.1, 0.1), cells: (1, 1, 1)"),
        ("Affine", "(0.1, 0.03, 0.1), cells: (2, 1, 2)"),
        ("Solid", "(0.1, 0.1, 0.1), cells: (2, 2, 2)"),
    ];
    for integrator in ["ASearch()", "TrBdf2"] {
        for (kind, size) in boxes {
            let mut falling = Simulation::begun(&format!(
                r#"(
                    version: 2, units: Metres,
                    materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e8, poisson: 0.3)) }},
                    bodies: [(name: "box", shape: Box(size: {size}), kind: {kind}, material: "m", friction: 0,
                        restitution: 0.7, placement: (translate: (0, 0.1, 0)), velocity: (0, -1, 0))],
                    gravity: (0, 0, 0),
                    obstacles: [Plane(name: "floor", point: (0, 0, 0), normal: (0, 1, 0), friction: 0)],
                    contact: Barrier(),
                    integrator: {integrator},
                    time: (step: "1/120", duration: 1),
                )"#
            ));
            (0..24).for_each(|_| drop(falling.advance()));
            let (momenta, centre) = (falling.world.momenta(), falling.com());
            let spin = (momenta.angular - centre.cross(momenta.linear)).length();
            // The speed of a corner if the box had this angular momentum.
            let corner_speed = spin / (falling.world.mass() * 0.1 / 6.0);
            let speed = falling.velocity().y;
            let context =
                format!("{integrator}, {kind} {size}: {speed} m/s, corners {corner_speed} m/s");
            assert!((speed / 0.7 - 1.0).abs() < 0.02 && corner_speed < 0.005, "{context}");
        }
    }
}
