//! Boundary conditions, loads, laws and units of `PolyFEM`, as the features of a scene.

use crate::files::Files;

const MATERIAL: &str = r#""materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000}"#;
/// The sides of the cube: 1 at x = 0, 2 at x = 1, 3 at y = 0, 4 the rest of the surface.
const SIDES: &str = r#""surface_selection": [
    {"id": 1, "axis": -1, "position": 0.01}, {"id": 2, "axis": 1, "position": 0.99},
    {"id": 3, "axis": -2, "position": 0.01}, {"id": 4, "center": [0.5, 0.5, 0.5], "radius": 9}]"#;
const TIME: &str =
    r#""time": {"dt": 0.1, "tend": 2}, "solver": {"advanced": {"lump_mass_matrix": true}}"#;

/// A cube with these conditions, and what else there is.
fn problem(conditions: &str, rest: &str) -> String {
    format!(
        r#"{{"geometry": [{{"mesh": "meshes/cube.msh", {SIDES}}}], {rest},
        "boundary_conditions": {{{conditions}}}}}"#
    )
}

/// The scene without its line breaks.
fn scene(conditions: &str, rest: &str) -> String {
    let text = Files::new().scene("a.json", &problem(conditions, rest));
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.replace("( ", "(").replace(", )", ")").replace("[ ", "[").replace(", ]", "]")
}

fn in_time(conditions: &str) -> String {
    scene(conditions, &format!("{MATERIAL}, {TIME}"))
}

fn refused(conditions: &str, rest: &str) -> String {
    let found = Files::new().refused("a.json", &problem(conditions, rest));
    found.into_iter().map(|(line, what)| format!("{line:?} {what}\n")).collect()
}

const LEFT: &str = "region: Plane(point: (0.01, 0, 0), normal: (-1, 0, 0))";
const RIGHT: &str = "region: Plane(point: (0.99, 0, 0), normal: (1, 0, 0))";

#[test]
fn components_are_held_separately() {
    let scene = in_time(
        r#""dirichlet_boundary": [
        {"id": 1, "value": [0, 7, 7], "dimension": [true, false, false]},
        {"id": 2, "value": ["0.1*t", 0, 0], "dimension": [true, false, true]},
        {"id": 3, "value": [0, 0, 0], "dimension": [false, true, false]}]"#,
    );
    assert!(scene.contains(&format!("({LEFT}, motion: Fixed, axes: \"x\")")), "{scene}");
    let pulled = format!("({RIGHT}, motion: Move(velocity: (0.1, 0, 0)), axes: \"xz\")");
    assert!(scene.contains(&pulled), "{scene}");
    let below =
        "(region: Plane(point: (0, 0.01, 0), normal: (0, -1, 0)), motion: Fixed, axes: \"y\")";
    assert!(scene.contains(below), "{scene}");
}

#[test]
fn second_condition_of_a_node_holds_its_remaining_components() {
    let scene = in_time(
        r#""dirichlet_boundary": [{"id": 1, "value": [0, 0, 0]},
        {"id": 3, "value": [0, 0, 0], "dimension": [false, true, true]},
        {"id": 1, "value": ["t", 0, 0]}]"#,
    );
    // The edge between both sides belongs to the first.
    assert_eq!(scene.matches("motion: Fixed").count(), 2, "{scene}");
    assert!(scene.contains(&format!("({LEFT}, motion: Fixed)")), "{scene}");
    assert!(scene.contains("motion: Fixed, axes: \"yz\")"), "{scene}");
    assert!(!scene.contains("Move"), "{scene}");
}

#[test]
fn displacements_follow_lists_of_times_and_interpolations() {
    let moved = |extra: &str| {
        let conditions = format!(r#""dirichlet_boundary": [{{"id": 2, {extra}}}]"#);
        let scene = in_time(&conditions);
        let begin = scene.find("motion: ").unwrap() + 8;
        scene[begin..].split(" }").next().unwrap().to_owned()
    };
    let listed =
        moved(r#""value": [[0, 1, 1], [0, 0, 4], [0, 0, 0]], "time_reference": [0, 1, 2]"#);
    let keys =
        "keys: [(time: 0), (time: 1, translate: (1, 0, 0)), (time: 2, translate: (1, 4, 0))]";
    assert!(listed.contains(keys), "{listed}");
    let linear = moved(r#""value": [0.2, 0, 0], "interpolation": [{"type": "linear"}]"#);
    assert!(linear.contains("Move(velocity: (0.2, 0, 0))"), "{linear}");
    let each = moved(
        r#""value": [2, 3, 0], "interpolation": [{"type": "linear_ramp", "to": 1}, {"type": "none"},
        {"type": "piecewise_linear", "points": [0, 1], "values": [0, 1]}]"#,
    );
    let keys = "(time: 0.1, translate: (0.2, 3, 0)), (time: 1, translate: (2, 3, 0)), (time: 2, translate: (2, 3, 0))";
    assert!(each.contains(keys), "{each}");
    let side = moved(r#""value": ["0.1*x*t", 0, 0]"#);
    assert!(side.contains("Move(velocity: (0.1, 0, 0))"), "{side}");
}

#[test]
fn forces_on_faces_are_tractions() {
    let scene = in_time(r#""neumann_boundary": [{"id": 2, "value": [0, -5, 3]}]"#);
    assert!(
        scene.contains(&format!("terms: [Traction(traction: (0, -5, 3), {RIGHT})]")),
        "{scene}"
    );
    let ramp =
        in_time(r#""neumann_boundary": [{"id": 2, "value": [0, "-5*min(t,1)", "10*min(t,1)"]}]"#);
    let expected = format!("Traction(traction: (0, -5, 10), {RIGHT}, factor: Ramp(end: 1))");
    assert!(ramp.contains(&expected), "{ramp}");
    let apart = in_time(r#""neumann_boundary": [{"id": 2, "value": ["4*t", 0, "3*sin(2*pi*t)"]}]"#);
    let first = format!("Traction(traction: (8, 0, 0), {RIGHT}, factor: Ramp(end: 2))");
    assert!(apart.contains(&first), "{apart}");
    assert!(apart.contains("factor: Sine(frequency: 1"), "{apart}");
    let table = in_time(
        r#""neumann_boundary": [{"id": 2, "value": [2, 0, 0], "interpolation": [
        {"type": "piecewise_linear", "points": [0, 0.5, 1.5], "values": [0, 3, 1]}]}]"#,
    );
    let factor = "factor: Table(points: [(0, 0), (0.5, 1), (1.5, 0.3333333333333)])";
    assert!(table.contains("traction: (6, 0, 0)") && table.contains(factor), "{table}");
}

#[test]
fn time_curves_are_sampled_with_a_note() {
    let text = problem(
        r#""neumann_boundary": [{"id": 2, "value": ["t^2", 0, 0]}]"#,
        &format!("{MATERIAL}, {TIME}"),
    );
    let imported = Files::new().import("a.json", &text).unwrap();
    assert_eq!(imported.notes.len(), 1, "{:?}", imported.notes);
    assert!(imported.notes[0].contains("ends of steps"), "{:?}", imported.notes);
    assert!(imported.scene.contains("(0.1, 0.0025)"), "{}", imported.scene);
}

#[test]
fn pressure_acts_along_the_outward_normal_of_the_source() {
    let part = in_time(r#""pressure_boundary": [{"id": 2, "value": 30}]"#);
    assert!(part.contains(&format!("SurfacePressure(pressure: -30, {RIGHT})")), "{part}");
    let fixed = in_time(r#""normal_aligned_neumann_boundary": [{"id": 2, "value": 30}]"#);
    let expected = format!("SurfacePressure(pressure: -30, {RIGHT}, follows: false)");
    assert!(fixed.contains(&expected), "{fixed}");
    let whole = in_time(r#""pressure_boundary": [{"id": [1, 2, 3, 4], "value": "30*t"}]"#);
    assert!(whole.contains("terms: [Pressure(pressure: 60, factor: Ramp(end: 2))]"), "{whole}");
}

#[test]
fn changing_gravity_becomes_a_force() {
    let scene = in_time(r#""rhs": [0, "9*min(t,1)", 0]"#);
    assert!(scene.contains("gravity: (0, 0, 0)"), "{scene}");
    assert!(scene.contains("force: (0, -9000, 0), factor: Ramp(end: 1))"), "{scene}");
}

#[test]
fn static_problems_are_evaluated_at_time_one() {
    let scene = scene(
        r#""dirichlet_boundary": [{"id": 1, "value": ["3*t", 0, 0]}],
        "neumann_boundary": [{"id": 2, "value": ["2*t", 0, 0]}], "rhs": [0, "4*t", 0]"#,
        MATERIAL,
    );
    assert!(scene.contains("traction: (2, 0, 0)"), "{scene}");
    assert!(scene.contains("gravity: (0, -4, 0)"), "{scene}");
    assert!(!scene.contains("factor"), "{scene}");
}

#[test]
fn material_laws_keep_their_names_and_parameters() {
    let model = |law: &str| {
        let scene = scene("", &format!(r#""materials": {{{law}, "rho": 7}}, {TIME}"#));
        let begin = scene.find("model: ").unwrap() + 7;
        scene[begin..].split(")}").next().unwrap().to_owned()
    };
    for (law, expected) in [
        (
            r#""type": "LinearElasticity", "E": 2e4, "nu": 0.3"#,
            "Linear(young: 20000, poisson: 0.3)",
        ),
        (
            r#""type": "HookeLinearElasticity", "lambda": 4, "mu": 4"#,
            "Linear(young: 10, poisson: 0.25)",
        ),
        (
            r#""type": "MooneyRivlin", "c1": 5, "c2": 2, "k": 900"#,
            "MooneyRivlin(c10: 5, c01: 2, bulk: 900)",
        ),
        (
            r#""type": "MooneyRivlin3Param", "c1": 5, "c2": 2, "c3": 0, "d1": 450"#,
            "MooneyRivlin(c10: 5, c01: 2, bulk: 900)",
        ),
        (
            r#""type": "IncompressibleOgden", "c": [6, -2], "m": [2, -4], "k": 900"#,
            "Ogden(first: (3, 2), second: (0.5, -4), bulk: 900)",
        ),
        (
            r#""type": "UnconstrainedOgden", "mus": [6], "alphas": [4], "Ds": [0.5]"#,
            "Ogden(first: (3, 4), bulk: 4)",
        ),
        (
            r#""type": "MaterialSum", "models": [{"type": "IsochoricNeoHookean", "E": 12, "nu": 0.5},
            {"type": "VolumePenalty", "k": 90}]"#,
            "MooneyRivlin(c10: 2, c01: 0, bulk: 90)",
        ),
    ] {
        assert_eq!(model(law), expected, "{law}");
    }
}

/// By the grammar of scenes, in m and s, at t = 1 in static problems.
#[test]
fn quantities_that_depend_on_the_place_are_expressions() {
    let rest = r#""units": {"length": "mm", "mass": "g", "time": "ms"},
        "materials": {"type": "NeoHookean", "E": 2, "nu": 0.4, "rho": 1e-3},
        "initial_conditions": {"velocity": [{"id": 0, "value": ["y", 4, 0]}],
            "solution": [{"id": 0, "value": [0, 0, "0.1*(x - 6)"]}]}"#;
    let conditions = r#""dirichlet_boundary": [{"id": 1, "value": ["0.5*y*t", 0, "-z^2*t"]}],
        "neumann_boundary": [{"id": 2, "value": ["y", 3, 0]}], "rhs": ["t*x", 0, 9]"#;
    let moving = scene(conditions, &format!(r#"{rest}, "time": {{"dt": 5, "time_steps": 20}}"#));
    for expected in [
        r#"Displacement(("1e-3*(0.5*(1e3*y)*(1e3*t))", 0, "1e-3*((-(1e3*z))^2*(1e3*t))"))"#,
        r#"Traction(traction: ("1e9*y", 3e6, 0)"#,
        r#"BodyForce(force: ("-1e6*(1e3*t*(1e3*x))", 0, -9e6))"#,
        r#"velocity: (0, 4, 0)"#,
        r#"velocity_field: Expression(("1e3*y", 0, 0))"#,
        r#"displacement: (0, 0, "1e-4*(1e3*x - 6)")"#,
    ] {
        assert!(moving.contains(expected), "{expected}: {moving}");
    }
    let still = scene(conditions, rest);
    assert!(still.contains(r#"force: ("-1e6*(1e3*x)", 0, -9e6)"#), "{still}");
}

#[test]
fn quantities_are_converted_to_si() {
    let scene = scene(
        r#""dirichlet_boundary": [{"id": 1, "value": ["0.5*t", 0, 0]}],
        "neumann_boundary": [{"id": 2, "value": [0, 3, 0]}], "rhs": [0, {"value": 9.81, "unit": "m/s^2"}, 0]"#,
        r#""units": {"length": "mm", "mass": "g", "time": "ms"},
        "materials": {"type": "NeoHookean", "E": {"value": 2, "unit": "MPa"}, "nu": 0.4, "rho": 1e-3},
        "initial_conditions": {"velocity": [{"id": 0, "value": [0, 4, 0]}]},
        "contact": {"enabled": true, "dhat": 0.01}, "time": {"dt": 5, "time_steps": 20}"#,
    );
    for expected in [
        "density: 1000, model: NeoHookean(young: 2e6",
        "placement: (scale: 0.001)",
        "region: Plane(point: (6e-6, 0, 0), normal: (-1, 0, 0)), motion: Move(velocity: (0.5, 0, 0))",
        "Traction(traction: (0, 3e6, 0)",
        "gravity: (0, -9.81, 0)",
        "velocity: (0, 4, 0)",
        "d_hat: 1e-5",
        "slip_speed: 0.001",
        "time: (step: 0.005, duration: 0.1)",
    ] {
        assert!(scene.contains(expected), "{expected}: {scene}");
    }
}

#[test]
fn unsupported_loads_and_materials_are_rejected_by_name() {
    let rest = format!("{MATERIAL}, {TIME}");
    for (conditions, message) in [
        (r#""pressure_boundary": [{"id": 2, "value": "y"}]"#, "pressure_boundary.0.value"),
        (r#""pressure_cavity": [{"id": 2, "value": 1}]"#, "enclosed gas"),
        (r#""rhs": [0, "x+", 0]"#, "rhs.1"),
        (
            r#""dirichlet_boundary": [{"id": 2, "value": [1, 0, 0], "dimension": [true]}]"#,
            "dirichlet_boundary.0.dimension",
        ),
        (
            r#""neumann_boundary": [{"id": 2, "value": [1, 0, 0], "interpolation": [{"type": "piecewise_cubic"}]}]"#,
            "piecewise_cubic",
        ),
    ] {
        let found = refused(conditions, &rest);
        assert!(found.contains(message) && found.contains("Some("), "{conditions}: {found}");
    }
    for (law, message) in [
        (r#""type": "MooneyRivlin3Param", "c1": 5, "c2": 2, "c3": 1, "d1": 4"#, "materials.c3"),
        (
            r#""type": "IncompressibleOgden", "c": [1, 1, 1, 1], "m": [1, 2, 3, 4], "k": 9"#,
            "one to three",
        ),
        (r#""type": "IsochoricNeoHookean", "E": 1, "nu": 0.3"#, "changes of volume"),
        (r#""type": "HGOFiber", "k1": 1, "k2": 2"#, "HGOFiber"),
        (r#""type": "NeoHookean", "E": {"value": 1, "unit": "kg"}, "nu": 0.3"#, "`kg` is no unit"),
    ] {
        let found = refused("", &format!(r#""materials": {{{law}}}, {TIME}"#));
        assert!(found.contains(message), "{law}: {found}");
    }
}
