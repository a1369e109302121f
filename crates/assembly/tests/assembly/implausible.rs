//! Joints, springs and contact whose numbers cannot be meant.

use resile_assembly::{Checked, check};
use resile_scene::text::SceneText;
use resile_watch::Tally;
use std::path::Path;

/// The warnings about a cube of 0.1 m and 1 kg at a height of 1 m, with further fields of body and scene: path and
/// message.
fn warnings(body: &str, scene: &str) -> Vec<String> {
    let text = format!(
        r#"(
            version: 2,
            materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
            bodies: [(
                name: "bob", shape: Box(size: (0.1, 0.1, 0.1), cells: (2, 2, 2)), material: "m",
                placement: (translate: (0, 1, 0)), {body}
            )],
            output: (formats: []), time: (step: 0.01, duration: 1), {scene}
        )"#
    );
    let scene = SceneText::new("bob.ron", text).read().expect("it is a scene");
    let Checked { built, warnings, .. } = check(&scene, Path::new("."), &Tally::default());
    let built = built.expect("it can be built").warnings;
    built.iter().chain(&warnings).map(|p| format!("{}: {}", p.path, p.message)).collect()
}

/// Asserts that there is one warning with this beginning, or none if it is empty.
fn assert_warned(body: &str, scene: &str, beginning: &str) {
    let warnings = warnings(body, scene);
    let expected = usize::from(!beginning.is_empty());
    assert_eq!(warnings.len(), expected, "{body} {scene}: {warnings:?}");
    assert!(warnings.iter().all(|warning| warning.starts_with(beginning)), "{warnings:?}");
}

/// The diagonal of the cube is 0.173 m, so that its joint may be 1.73 m from it: that is the rod of a pendulum.
#[test]
fn joints_far_from_their_body_are_warned_about() {
    let joint = |height: f64| {
        format!("joints: [Ball(a: \"bob\", at: (0, {height}, 0), stiffness: 1e5)], contact: Off")
    };
    for height in [1.0, 2.0, 2.7] {
        assert_warned("kind: Affine", &joint(height), "");
    }
    let far = "joints[0].at: the joint is 1.9500 m from \"bob\", 11 times the size of that body";
    assert_warned("kind: Affine", &joint(3.0), far);
    let hinge = "joints: [Hinge(a: \"bob\", at: (50, 1, 0), axis: (0, 0, 0.1), stiffness: 1e5)], contact: Off";
    assert_warned("kind: Affine", hinge, "joints[0].at: the joint is 49.9500 m from \"bob\"");
    let long = "joints: [Hinge(a: \"bob\", at: (0, 1, 0), axis: (0, 0, 1000), stiffness: 1e5)], contact: Off";
    let end = "joints[0].axis: an end of the axis is 499.9500 m from \"bob\", 2886 times the size";
    assert_warned("kind: Affine", long, end);
}

/// In a second, 27 springs of 1e-4 N/m take 1e-3 of the weight of 1 kg. At 1.05 m from the origin, 4e18 N/m times the
/// rounding of positions is the force that moves the cube by its size in a step.
#[test]
fn springs_that_are_too_soft_or_too_stiff_are_warned_about() {
    let attach =
        |stiffness: &str| format!("attach: [(region: All, stiffness: {stiffness}, motion: Fixed)]");
    let path = "bodies[0].attach[0].stiffness: ";
    for (stiffness, message) in [
        ("1e-6", "the springs do nothing"),
        ("7e-5", "the springs do nothing"),
        ("1e-4", ""),
        ("1e4", ""),
        ("1e12", ""),
        ("4e18", ""),
        ("5e18", "a stiffness of 5e18 N/m cannot be resolved"),
    ] {
        let beginning = if message.is_empty() { String::new() } else { format!("{path}{message}") };
        assert_warned(&attach(stiffness), "contact: Off", &beginning);
    }
    // Weak springs keep a static problem regular.
    assert_warned(&attach("1e-6"), "contact: Off, analysis: Static", "");
    let joint = |stiffness: &str| {
        format!("joints: [Ball(a: \"bob\", at: (0, 1, 0), stiffness: {stiffness})], contact: Off")
    };
    assert_warned("kind: Affine", &joint("1e-6"), "joints[0].stiffness: the springs do nothing");
    assert_warned("kind: Affine", &joint("1e19"), "joints[0].stiffness: a stiffness of 1e19 N/m");
}

/// A light body on a floor is warned of; alone, in a joint, it lies on nothing.
#[test]
fn body_alone_is_not_warned_of_contact_at_rest() {
    let light = |scene: &str| {
        let contact = "contact: Barrier(d_hat: 1e-4, kappa: 1e9)";
        warnings("kind: Affine", &format!("{contact}, solver: (tolerance: 0.1), {scene}"))
    };
    let joint = "joints: [Ball(a: \"bob\", at: (0, 1.05, 0), stiffness: 1e5)]";
    assert_eq!(light(joint), [""; 0]);
    let floor = "obstacles: [Plane(name: \"floor\", point: (0, 0, 0), normal: (0, 1, 0))]";
    let warned = light(floor);
    assert!(warned.len() == 1 && warned[0].starts_with("solver.tolerance: "), "{warned:?}");
}

#[test]
fn blending_with_friction_is_warned_about() {
    let scene = |integrator: &str| {
        format!(
            "obstacles: [Plane(name: \"floor\", point: (0, -1, 0), normal: (0, 1, 0), friction: 0.3)], integrator: {integrator}"
        )
    };
    let beginning = "integrator: bodies that slide with friction hop under `Blend`";
    assert_warned("friction: 0.2", &scene("Blend()"), beginning);
    assert_warned("friction: 0.2", &scene("ASearch()"), "");
    assert_warned("friction: 0", &scene("Blend()"), "");
}

/// The cube has 1 kg and a step is 0.01 s, so that `h^2 k/m` is 9 at 9e4 N/m, and at 4.5e4 N/m between two cubes.
#[test]
fn joints_that_are_too_stiff_for_the_filtered_rule_are_warned_about() {
    let scene = |stiffness: &str, b: &str, integrator: &str| {
        format!(
            "joints: [Ball(a: \"bob\", {b} at: (0, 1, 0), stiffness: {stiffness})], contact: Off, integrator: {integrator}"
        )
    };
    let filtered = "ASearch(control: Filtered())";
    let beginning = "integrator.control: `Filtered` loses motion to joints[0] or gains energy there: h^2 k/m is ";
    assert_warned("kind: Affine", &scene("9.1e4", "", filtered), &format!("{beginning}9,"));
    assert_warned("kind: Affine", &scene("1e6", "", filtered), &format!("{beginning}100,"));
    for (stiffness, integrator) in [("8.9e4", filtered), ("1e6", "ASearch()"), ("1e6", "A1")] {
        assert_warned("kind: Affine", &scene(stiffness, "", integrator), "");
    }
    let copies = "kind: Affine, repeat: Row(count: 2, step: (0, 1, 0))";
    let pair = |stiffness: &str| {
        scene(stiffness, "", filtered).replace("a: \"bob\",", "a: \"bob[0]\", b: \"bob[1]\",")
    };
    assert_warned(copies, &pair("4.6e4"), &format!("{beginning}9,"));
    assert_warned(copies, &pair("4.4e4"), "");
}
