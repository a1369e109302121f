//! The check has poses of its own; they are those that runs move by.

use proptest::prelude::*;
use resile_assembly::motion_of;
use resile_math::Vec3;
use resile_scene::text::SceneText;
use resile_verify::ObstacleShape;

/// A scene of one obstacle with this motion.
fn scene(motion: &str) -> String {
    format!(
        "(version: 1, materials: {{}}, bodies: [], gravity: (0, 0, 0),
          obstacles: [Mesh(name: \"wall\", file: \"w.obj\", friction: 0, motion: {motion})],
          contact: Barrier(d_hat: 1e-3, kappa: 1e5, friction_rule: Mean),
          integrator: ImplicitEuler, time: (step: \"1/100\", duration: 1))"
    )
}

fn agree(motion: &str, start: [f64; 3], time: f64) -> Result<(), TestCaseError> {
    let text = SceneText::new("motion.ron", scene(motion));
    let scene = text.read().unwrap_or_else(|errors| panic!("{errors:?}"));
    let described = scene.obstacles[0].motion().expect("it moves");
    let kinematic = motion_of(described, scene.units);
    let rules = scene.rules();
    let ObstacleShape::Moving(own) = &rules.obstacles[0].shape else { panic!("{rules:?}") };
    let [own, kinematic] = [
        Vec3::from_array(own.position(start, time)),
        kinematic.position(Vec3::from_array(start), time),
    ];
    prop_assert!(own.distance(kinematic) < 1e-12, "{own} {kinematic}");
    Ok(())
}

proptest! {
    #[test]
    fn steady_motions_agree(
        velocity in prop::array::uniform3(-2.0..2.0), spin in prop::array::uniform3(-9.0..9.0),
        start in prop::array::uniform3(-1.0..1.0), time in -1.0..2.0,
    ) {
        let motion = format!(
            "Move(velocity: {velocity:?}, angular_velocity: {spin:?}, pivot: (0.2, 0.1, -0.3), \
             start: 0.25, end: 1.5)"
        );
        agree(&motion.replace('[', "(").replace(']', ")"), start, time)?;
    }

    #[test]
    fn motions_through_keys_agree(
        degrees in prop::array::uniform3(-800.0..800.0), tilt in -1.0..1.0, smooth: bool,
        start in prop::array::uniform3(-1.0..1.0), time in -0.1..0.7,
    ) {
        let [first, second, third] = degrees;
        let way = if smooth { "Smooth" } else { "Linear" };
        let motion = format!(
            "Keys(pivot: (0.2, 0.1, -0.3), interpolation: {way}, keys: [
                (time: 0.1, rotate: (axis: (0, 1, 0), degrees: {first})),
                (time: 0.3, translate: (0.3, 0, 0), rotate: (axis: (0, 2, 0), degrees: {second})),
                (time: 0.6, translate: (0, 1, 0), rotate: (axis: ({tilt}, 1, 0), degrees: {third}))])"
        );
        agree(&motion, start, time)?;
    }
}
