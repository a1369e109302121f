//! Expressions of place and time in scenes: mistakes, units, and values that are not finite.

use resile_assembly::{Built, build};
use resile_math::Vec3;
use resile_runner::{RunError, Stepper};
use resile_scene::description::{Problem, Scene};
use resile_scene::text::SceneText;
use resile_watch::Interrupt;
use std::path::Path;

fn text(body: &str, units: [&str; 5]) -> String {
    let [units, density, young, size, tolerance] = units;
    format!(
        r#"(
            version: 1, {units}
            materials: {{ "m": (density: {density}, model: NeoHookean(young: {young}, poisson: 0.3)) }},
            bodies: [(
                name: "cube",
                shape: Box(size: ({size}, {size}, {size}), cells: (2, 2, 2)),
                material: "m",
                {body}
            )],
            gravity: (0, 0, 0),
            contact: Off,
            integrator: ImplicitEuler,
            time: (step: "1/100", duration: 0.5),
            solver: (tolerance: {tolerance}),
        )"#
    )
}

const METRES: [&str; 5] = ["", "1000", "1e5", "0.1", "1e-4"];
const MILLIMETRES: [&str; 5] = ["units: Millimetres,", "1e-9", "0.1", "100", "0.1"];

fn read(text: &str) -> Scene {
    let loaded = SceneText::new("test.ron", text.to_owned()).load();
    loaded.unwrap_or_else(|errors| panic!("{}", errors[0])).scene
}

fn built(scene: &Scene) -> Built {
    build(scene, Path::new(".")).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// The first problem of a body.
fn problem(body: &str) -> Problem {
    let scene = read_unchecked(&text(body, METRES));
    let problems = match build(&scene, Path::new(".")) {
        Ok(built) => panic!("it is built: {:?}", built.warnings),
        Err(problems) => problems,
    };
    problems.into_iter().next().expect("there is one")
}

fn read_unchecked(text: &str) -> Scene {
    Scene::from_ron(text).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (body, path, message) in [
        (
            r#"terms: [BodyForce(force: (0, "2*q", 0))],"#,
            "bodies[0].terms[0].force[1]",
            "character 3: `q` is neither a variable nor a function",
        ),
        (
            r#"terms: [Force(force: (1, 0, 0), factor: Expression("x"))],"#,
            "bodies[0].terms[0].factor[0]",
            "\"x\" has a place",
        ),
        (
            r#"velocity_field: Expression(("t", 0, 0)),"#,
            "bodies[0].velocity_field[0][0]",
            "depends on t",
        ),
        (r#"displacement: (0, "(x", 0),"#, "bodies[0].displacement[1]", "`)` is expected"),
        (
            r#"terms: [SurfacePressure(pressure: "x")],"#,
            "bodies[0].terms[0].pressure",
            "does not follow",
        ),
        (
            r#"hold: [(region: All, motion: Displacement(("0.1*x", 0, 0)))],"#,
            "bodies[0].hold[0].motion",
            "at t = 0",
        ),
        (
            r#"kind: Shell(thickness: 0.001), terms: [BodyForce(force: (0, 1, 0))],"#,
            "bodies[0].terms[0]",
            "needs the elements of a solid",
        ),
        (r#"kind: Affine, displacement: (0, 1, 0),"#, "bodies[0].displacement", "is affine"),
    ] {
        let found = problem(body);
        assert!(found.path == path && found.message.contains(message), "{body}: {found:?}");
        assert!(!found.help.is_empty(), "{found:?}");
    }
}

/// The start and the end are evaluated wherever the value is used.
#[test]
fn values_that_are_not_finite_at_the_ends_are_refused() {
    for (body, path, message) in [
        (
            r#"terms: [Force(force: (1, 0, 0), factor: Expression("ln(0.5 - t)"))],"#,
            "bodies[0].terms[0].factor",
            "the expression is -inf at t = 0.5 s",
        ),
        (
            r#"terms: [BodyForce(force: ("sqrt(0.3 - t)", 0, 0))],"#,
            "bodies[0].terms[0].force",
            "the expression is NaN at (",
        ),
        (
            r#"hold: [(region: All, motion: Displacement(("t/(x - 0.05)", 0, 0)))],"#,
            "bodies[0].hold[0].motion",
            "at (0.050000, -0.050000, -0.050000) m at t = 0 s",
        ),
    ] {
        let found = problem(body);
        assert!(found.path == path && found.message.contains(message), "{body}: {found:?}");
    }
}

/// Values at the ends of all steps are checked before the first one.
#[test]
fn values_that_are_not_finite_in_between_are_refused() {
    for (body, path, message) in [
        (
            r#"terms: [BodyForce(force: (0, "x*ln((t - 0.2)^2)", 0))],"#,
            "bodies[0].terms[0].force",
            "m at t = 0.2 s",
        ),
        (
            r#"terms: [Force(force: (0, 1, 0), factor: Expression("1/(t - 0.31)"))],"#,
            "bodies[0].terms[0].factor",
            "the expression is inf at t = 0.31 s",
        ),
        (
            r#"terms: [Force(force: (0, 1, 0), factor: Expression("1/t"))],"#,
            "bodies[0].terms[0].factor",
            "the expression is inf at t = 0 s",
        ),
    ] {
        let found = problem(body);
        assert!(found.path == path && found.message.contains(message), "{body}: {found:?}");
        assert!(found.help.contains("from the start to the end"), "{found:?}");
    }
}

/// A step that could not be checked before, here after the end of the scene, fails and says where and when.
#[test]
fn step_with_a_value_that_is_not_finite_fails() {
    let body = r#"terms: [BodyForce(force: (0, "x*ln((t - 0.2)^2)", 0))],"#;
    let scene = read(&text(body, METRES).replace("duration: 0.5", "duration: 0.1"));
    let built = built(&scene);
    let mut stepper = Stepper::new(scene, built, Interrupt::new());
    let failure = (0..30).find_map(|_| stepper.advance().err()).expect("it ends");
    let RunError::UndefinedExpression { step, undefined } = failure else { panic!("{failure}") };
    assert_eq!((step, undefined.time), (20, 0.2));
    assert_eq!(undefined.path, "bodies[0].terms[0].force");
    assert!(
        undefined.to_string().starts_with("bodies[0].terms[0].force is inf at ("),
        "{undefined}"
    );
    assert!(undefined.place.is_some());
}

/// Expressions are written in the units of the scene.
#[test]
fn a_scene_in_millimetres_has_the_motion_of_that_in_metres() {
    let in_metres = r#"
        velocity_field: Expression((0, "0.3*z", 0)),
        displacement: ("0.1*(y + 0.05)", 0, 0),
        hold: [(
            region: Plane(point: (0, -0.0499, 0), normal: (0, -1, 0)),
            motion: Displacement(("0.01*sin(3*t) + x*t", "0*y", 0)),
        )],
        terms: [
            BodyForce(force: ("2e5*x", 500, "-3e3*t")),
            Traction(
                traction: (40, "1e3*z", 0),
                region: Plane(point: (0, 0.0499, 0), normal: (0, 1, 0)),
                factor: Expression("sin(t)"),
            ),
            SurfacePressure(pressure: "100 + 1e3*y", follows: false),
        ],"#;
    let in_millimetres = r#"
        velocity_field: Expression((0, "0.3*z", 0)),
        displacement: ("0.1*(y + 50)", 0, 0),
        hold: [(
            region: Plane(point: (0, -49.9, 0), normal: (0, -1, 0)),
            motion: Displacement(("10*sin(3*t) + x*t", "0*y", 0)),
        )],
        terms: [
            BodyForce(force: ("2e-7*x", 5e-7, "-3e-6*t")),
            Traction(
                traction: (4e-5, "1e-6*z", 0),
                region: Plane(point: (0, 49.9, 0), normal: (0, 1, 0)),
                factor: Expression("sin(t)"),
            ),
            SurfacePressure(pressure: "1e-4 + 1e-6*y", follows: false),
        ],"#;
    let ends = [(in_metres, METRES), (in_millimetres, MILLIMETRES)].map(|(body, units)| {
        let scene = read(&text(body, units));
        let built = built(&scene);
        let mut stepper = Stepper::new(scene, built, Interrupt::new());
        for _ in 0..5 {
            stepper.advance().unwrap_or_else(|failure| panic!("{failure}"));
        }
        stepper.world().state(0).positions.clone()
    });
    let off = |(a, b): (&Vec3, &Vec3)| (*a - *b).length();
    let largest = ends[0].iter().zip(&ends[1]).map(off).fold(0.0, f64::max);
    assert!(largest < 1e-8, "{largest} m");
    // The two texts have no number in common that would hide a wrong unit.
    let moved = ends[0].iter().map(|x| x.length()).fold(0.0, f64::max);
    assert!(moved > 0.08);
}

/// Numbers and texts are kept as they are written, in either form.
#[test]
fn expressions_are_written_back() {
    let body = r#"
        displacement: (0, 1.5, "0.1*y"),
        terms: [BodyForce(force: ("2e-7*x", 5e-7, 0), factor: Expression("t"))],"#;
    let scene = read_unchecked(&text(body, MILLIMETRES));
    assert_eq!(Scene::from_ron(&scene.to_ron()).ok().as_ref(), Some(&scene));
    assert_eq!(Scene::from_json(&scene.to_json()).ok().as_ref(), Some(&scene));
    assert!(scene.to_ron().contains("1.5") && scene.to_json().contains("\"2e-7*x\""));
}
