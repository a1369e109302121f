//! Loads and targets that vary in time.

use super::net;
use resile_energy::{
    Attachment, Factor, FieldLaw, FieldLoad, FollowerLaw, FollowerLoad, Force, LoadPoints,
    Schedule, Sine, Spring, SurfacePatch,
};
use resile_expression::{Expression, Field, Grammar};
use resile_system::{Body, Motion, State, System, Vec3};
use std::sync::Arc;

fn field(texts: [&str; 3]) -> Field<3> {
    Field::new(texts.map(|text| Expression::parse(text, Grammar::Scene).unwrap()), 1.0, 1.0)
}

fn sine(frequency: f64, amplitude: f64) -> Factor {
    let sine = Sine { frequency, amplitude, phase: 0.4, offset: 0.3 };
    Factor::sine(Schedule::constant(1.0), sine)
}

/// Springs between nodes and their places at rest, moved by `motion`.
fn anchored(x: &[Vec3], stiffness: f64, motion: &Motion) -> Attachment {
    let spring = |(node, start): (usize, &Vec3)| {
        let motion = motion.clone();
        Spring { point: node.into(), start: *start, motion, stiffness }
    };
    Attachment::new(x.len(), x.iter().enumerate().map(spring).collect()).unwrap()
}

/// A net of springs, and the places of its nodes.
fn bare_net() -> (Body, State) {
    let (system, state) = net();
    let [body] = <[Body; 1]>::try_from(system.bodies().to_vec()).unwrap();
    (body, state)
}

/// A net under a force that is a sine of time.
pub fn net_under_a_sine() -> (System, State) {
    let (body, state) = bare_net();
    let forces = vec![(0, Vec3::new(2.0, -1.0, 0.5)), (3, Vec3::new(-4.0, 1.0, 3.0))];
    let force = Force::new(4, forces, sine(1.3, 3.0)).unwrap();
    (System::new(vec![body.with(force)]), state)
}

/// A net under a load that is an expression of place and time.
pub fn net_under_an_expression() -> (System, State) {
    let (body, state) = bare_net();
    let points = Arc::new(LoadPoints::in_tets(&state.positions, &[[0, 1, 2, 3]]));
    let law = FieldLaw::Body(field(["90 * sin(7 * t)", "60 * x * t", "-80 * cos(5 * t) * y"]));
    let load = FieldLoad::new(law, points, Schedule::constant(1.0));
    (System::new(vec![body.with(load)]), state)
}

/// A net on springs to anchors that move.
pub fn net_on_moving_anchors() -> (System, State) {
    let (body, state) = bare_net();
    let motion = Motion::Displaced(Arc::new(field(["0.4 * sin(6 * t)", "t^2", "0.3 * x * t"])));
    let anchors = anchored(&state.positions, 15.0, &motion);
    (System::new(vec![body.with(anchors)]), state)
}

/// Particles on springs, and a pressure that follows their triangle. They move alike, so the direction of the pressure, which
/// is lagged, is constant.
pub fn triangle_under_pressure() -> (System, State) {
    let x = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.3, 0.9, 0.4)];
    let patch = SurfacePatch { triangles: vec![[0, 1, 2]], quadratic: Vec::new() };
    let load = FollowerLoad::new(FollowerLaw::Pressure(patch, 6.0), sine(1.1, 3.0));
    let body = Body::new("triangle", vec![0.8; 3]);
    let body = body.with(anchored(&x, 15.0, &Motion::Fixed)).with_dissipation(load);
    let v = vec![Vec3::new(0.2, 0.1, -0.3); 3];
    (System::new(vec![body]), State::new(0.0, x, v))
}
