//! What frames say of their points, against what is known of uniform deformations and of free fall.

use super::support::Trial;
use resile_record::{Existing, Playback, PlayedFrame};

/// A box that begins stretched, and falls without anything to meet.
const STRETCHED: &str = r#"(
    version: 1,
    materials: {"rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3))},
    bodies: [(
        name: "box",
        shape: Box(size: (0.1, 0.2, 0.1), cells: (2, 3, 2)),
        material: "rubber",
        deform: [
            Stretch(axis: X, factor: 1.25), Stretch(axis: Y, factor: 0.5), Stretch(axis: Z, factor: 2),
        ],
        placement: (rotate: [(axis: (0, 0, 1), degrees: 90)], translate: (1, 2, 3)),
    )],
    gravity: (0, -9.5, 0),
    integrator: ImplicitEuler,
    time: (step: 0.001953125, duration: 0.00390625),
    solver: (tolerance: 1e-10),
    output: (
        frame_rate: 1e4,
        fields: [
            RestPosition, Displacement, Acceleration, DeformationDeterminant, GreenStrain,
            PrincipalStretches, CauchyStress, VonMises, Velocity, Force, PrincipalStresses,
        ],
    ),
)"#;

fn frames(text: &str, set: &[&str]) -> Vec<PlayedFrame> {
    let trial = Trial::new(text);
    trial.complete(set, Existing::Refuse);
    let run = Playback::open(trial.folder()).expect("a run leaves frames");
    let frames = (0..run.times().len()).map(|number| run.frame(number));
    frames.collect::<Result<_, _>>().expect("they are whole")
}

fn values<const N: usize>(frame: &PlayedFrame, name: &str) -> Vec<[f32; N]> {
    let field = frame.field(name).unwrap_or_else(|| panic!("no field {name}"));
    assert_eq!(field.components, N, "{name}");
    field.values.as_chunks::<N>().0.to_vec()
}

#[test]
fn fields_without_a_dimension_have_no_unit() {
    let trial = Trial::new(STRETCHED);
    trial.complete(&[], Existing::Refuse);
    let run = Playback::open(trial.folder()).expect("a run leaves frames");
    let units = ["det_f", "green_strain", "velocity", "von_mises"].map(|field| run.unit(field));
    assert_eq!(units, [None, None, Some("m/s"), Some("Pa")]);
}

#[test]
fn uniform_stretch_has_a_uniform_strain_field() {
    let frames = frames(STRETCHED, &[]);
    let first = &frames[0];
    let near = |a: f32, b: f32, size: f32| assert!((a - b).abs() <= 1e-5 * size, "{a} for {b}");
    for (name, expected) in
        [("det_f", 1.25), ("stretch_1", 2.0), ("stretch_2", 1.25), ("stretch_3", 0.5)]
    {
        values::<1>(first, name).iter().for_each(|[found]| near(*found, expected, 1.0));
    }
    // Turned by a quarter: what is stretched along y and x lies along x and y; F is R diag(1.25, 0.5, 2) R^T.
    let strain = |stretch: f32| 0.5 * (stretch * stretch - 1.0);
    let expected = [strain(0.5), strain(1.25), strain(2.0), 0.0, 0.0, 0.0];
    for found in values::<6>(first, "green_strain") {
        (0..6).for_each(|k| near(found[k], expected[k], 1.0));
    }
    // (mu (F F^T - I) + lambda ln J I) / J
    let (mu, lambda) = (2e5 / 2.6, 2e5 * 0.3 / (1.3 * 0.4));
    let stress = |stretch: f32| (mu * (stretch * stretch - 1.0) + lambda * 1.25f32.ln()) / 1.25;
    let expected = [stress(0.5), stress(1.25), stress(2.0), 0.0, 0.0, 0.0];
    for found in values::<6>(first, "cauchy_stress") {
        (0..6).for_each(|k| near(found[k], expected[k], 1e6));
    }
    for (name, expected) in
        ["stress_1", "stress_2", "stress_3"].into_iter().zip([2, 1, 0].map(|k| expected[k]))
    {
        values::<1>(first, name).iter().for_each(|[found]| near(*found, expected, 1e6));
    }
    let apart = |i: usize, k: usize| (expected[i] - expected[k]).powi(2);
    let equivalent = (0.5 * (apart(0, 1) + apart(1, 2) + apart(2, 0))).sqrt();
    values::<1>(first, "von_mises").iter().for_each(|[found]| near(*found, equivalent, 1e6));
}

#[test]
fn displacement_field_is_relative_to_the_rest_placement() {
    for frame in frames(STRETCHED, &[]) {
        let rest = values::<3>(&frame, "rest_position");
        let displacement = values::<3>(&frame, "displacement");
        for ((x, rest), found) in frame.positions.iter().zip(&rest).zip(&displacement) {
            (0..3).for_each(|k| assert!((x[k] - rest[k] - found[k]).abs() < 1e-6));
            if frame.time == 0.0 {
                // The ends with the smallest coordinates of the shape stay.
                let [at_x, at_y, at_z] = [1.1 - rest[0], rest[1] - 1.95, rest[2] - 2.95];
                let expected = [0.5 * at_x, 0.25 * at_y, at_z];
                (0..3).for_each(|k| assert!((found[k] - expected[k]).abs() < 1e-6, "{found:?}"));
            }
        }
    }
}

/// Implicit Euler takes the forces where a step ends, so that they are what velocities change by.
#[test]
fn acceleration_field_is_the_change_of_velocity_over_the_step() {
    let stretched = frames(STRETCHED, &[]);
    let h = 0.001953125;
    assert_eq!(stretched.len(), 3);
    for pair in stretched.windows(2) {
        let [before, after] = [&pair[0], &pair[1]].map(|frame| values::<3>(frame, "velocity"));
        for ((before, after), found) in
            before.iter().zip(&after).zip(values::<3>(&pair[1], "acceleration"))
        {
            for k in 0..3 {
                let expected = (after[k] - before[k]) / h;
                assert!((found[k] - expected).abs() < 0.1, "{found:?} for {expected}");
            }
        }
    }
    for frame in frames(STRETCHED, &["bodies.box.deform=[]"]) {
        for found in values::<3>(&frame, "acceleration") {
            let apart = [found[0], found[1] + 9.5, found[2]];
            assert!(apart.iter().all(|a| a.abs() < 1e-5), "{found:?}");
        }
    }
}

/// Free nodes have the force mass times acceleration; the sum over a body in free fall is its weight.
#[test]
fn force_field_sums_to_the_weight_in_free_fall() {
    let volume = 0.1 * 0.2 * 0.1;
    let trial = Trial::new(STRETCHED);
    trial.complete(&[], Existing::Refuse);
    let run = Playback::open(trial.folder()).expect("a run leaves frames");
    for &time in run.times() {
        // Points inside are not drawn.
        let frame = run.all_points_at(time).expect("it is whole");
        let forces = values::<3>(&frame, "force");
        let sum = |k: usize| forces.iter().map(|force| f64::from(force[k])).sum::<f64>();
        let largest = forces.as_flattened().iter().fold(0.0f32, |a, b| a.max(b.abs()));
        assert!(largest > 100.0, "elastic forces act on the nodes: {largest}");
        for (k, expected) in [0.0, -9.5 * 1000.0 * volume, 0.0].into_iter().enumerate() {
            assert!((sum(k) - expected).abs() < 1e-3, "{} for {expected}", sum(k));
        }
    }
}

/// The velocity is a field of all frames; its name in a list of fields adds nothing.
#[test]
fn velocity_field_is_written_once() {
    let names = |fields: &str| -> Vec<String> {
        let set = format!("output.fields={fields}");
        let frames = frames(STRETCHED, &[&set]);
        frames[0].fields.iter().map(|field| field.name.clone()).collect()
    };
    assert_eq!(names("[Velocity, Displacement]"), ["velocity", "displacement"]);
    assert_eq!(names("[Velocity]"), names("[]"));
}

#[test]
fn output_fields_do_not_change_the_motion() {
    let moved = |fields: &str| {
        let trial = Trial::new(super::support::DICE);
        let fields = format!("output.fields={fields}");
        trial.complete(&["output.formats=[Vtu]", "time.duration=0.2", &fields], Existing::Refuse);
        trial.states(&[])
    };
    assert_eq!(moved("[]"), moved("[Acceleration, ContactForce, CauchyStress]"));
}
