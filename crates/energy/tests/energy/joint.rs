//! Joints: derivatives, momentum, what they allow, and whose energy it is.

use crate::common::*;
use resile_energy::{
    Anchor, AnchorError, Joint, JointBody, JointError, JointShape, Joints, RestLengths,
};
use resile_math::{Mat3, Vec3};
use resile_system::check::{energy_derivatives, energy_derivatives_at};
use resile_system::{Body, Coupling, Energy, Links, Psd, System};
use std::sync::Arc;

/// The system's nodes 0 to 4 are body 0, 5 to 8 body 1, 9 to 11 body 2.
const FIRST: [usize; 3] = [0, 5, 9];
const COUNTS: [usize; 3] = [5, 4, 3];

fn random() -> Vec<Vec3> {
    (0..12).map(|i| Vec3::new(noise(3 * i), noise(3 * i + 1), noise(3 * i + 2))).collect()
}

fn joint(bodies: [usize; 2], points: [Vec<Anchor>; 2]) -> Joint {
    let counts = bodies.map(|body| COUNTS[body]);
    let shape = JointShape::new(counts, points, 20.0).expect("in order");
    let bodies = bodies.map(|body| JointBody { body, first_node: FIRST[body] });
    Joint { shape: Arc::new(shape), bodies }
}

/// A point inside a tetrahedron.
fn inside(nodes: [usize; 4]) -> Anchor {
    Anchor::new(nodes.into_iter().zip([0.1, 0.2, 0.3, 0.4]).collect())
}

/// A hinge between bodies 0 and 1, a ball joint between 2 and 0, and one of body 1 with
/// itself, both of whose points have node 2 of it.
fn joints() -> Joints {
    Joints::new(vec![
        joint([0, 1], [vec![inside([0, 1, 2, 3]), 4.into()], vec![1.into(), inside([3, 2, 1, 0])]]),
        joint([2, 0], [vec![0.into()], vec![Anchor::new(vec![(2, 1.5), (4, -0.5)])]]),
        joint([1, 1], [vec![Anchor::new(vec![(0, 0.5), (2, 0.5)])], vec![2.into()]]),
    ])
}

#[test]
fn derivatives_are_those_of_the_value_and_the_hessian_is_positive_as_it_is() {
    let joints = joints();
    let errors = energy_derivatives(&joints, &random(), 1e-2).expect("they are apart");
    assert!(errors.gradient < 1e-11 && errors.hessian < 1e-11, "{errors:?}");
    let [exact, clamp] = [Psd::Exact, Psd::Clamp].map(|psd| hessian(&joints, &random(), psd));
    assert_eq!(exact, clamp);
    assert!(exact.symmetric_eigenvalues().min() > -1e-13 * exact.norm());
}

#[test]
fn joints_conserve_both_momenta() {
    let force = gradient(&joints(), &random());
    let torque: Vec3 = random().iter().zip(&force).map(|(x, f)| x.cross(*f)).sum();
    assert!(force.iter().sum::<Vec3>().length() < 1e-13 && torque.length() < 1e-12);
    let pulled = force.iter().filter(|f| f.length() > 0.1).count();
    assert_eq!(pulled, 10, "all nodes but two of body 2");
}

/// Bodies 0 and 1 as copies of one tetrahedron, joined at its corners 0 and 1 and turned
/// against each other.
fn turned(points: usize, about: Vec3, through: Vec3) -> f64 {
    let corners = random()[..4].to_vec();
    let anchors = || (0..points).map(Anchor::from).collect::<Vec<_>>();
    let joints = Joints::new(vec![joint([0, 1], [anchors(), anchors()])]);
    let turn = Mat3::from_axis_angle(about.normalize(), 1.1);
    let mut x = random();
    x[..4].copy_from_slice(&corners);
    for (k, corner) in corners.iter().enumerate() {
        x[FIRST[1] + k] = through + turn * (*corner - through);
    }
    joints.value(0.0, &x)
}

#[test]
fn one_point_is_a_ball_joint_and_two_are_a_hinge() {
    let [a, b] = [random()[0], random()[1]];
    assert!(turned(1, Vec3::new(1.0, 2.0, 3.0), a) < 1e-28, "any turn about the point");
    assert!(turned(1, Vec3::new(1.0, 2.0, 3.0), b) > 0.1, "none about another");
    assert!(turned(2, b - a, a) < 1e-28, "the turn about the line");
    assert!(turned(2, Vec3::new(1.0, 2.0, 3.0), a) > 0.1, "no other one");
}

#[test]
fn shares_are_halves_and_jointed_bodies_are_linked() {
    let x = random();
    let all = joints();
    let mut shares = [0.0; 3];
    all.add_energy_by_body(0.0, &x, &mut shares);
    assert!((shares.iter().sum::<f64>() - all.value(0.0, &x)).abs() < 1e-13);
    let alone = joint([2, 0], [vec![0.into()], vec![3.into()]]);
    let single = Joints::new(vec![alone]);
    let mut shares = [0.0; 3];
    single.add_energy_by_body(0.0, &x, &mut shares);
    assert_eq!(shares, [0.5 * single.value(0.0, &x), 0.0, 0.5 * single.value(0.0, &x)]);
    assert!((single.value(0.0, &x) - 10.0 * (x[9] - x[3]).length_squared()).abs() < 1e-13);
    let mut links = Links::new(3);
    single.link(&x, &mut links);
    assert_eq!(links.groups(), [vec![0, 2], vec![1]]);
}

#[test]
fn a_system_with_its_bodies_in_another_order_has_the_same_energies() {
    let x = random();
    let bodies = |order: [usize; 3]| -> Vec<Body> {
        order.map(|b| Body::new(format!("{b}"), vec![1.0; COUNTS[b]])).into()
    };
    let hinge = |places: [JointBody; 2]| {
        let mut joint = joint([0, 1], [vec![inside([0, 1, 2, 3])], vec![1.into()]]);
        joint.bodies = places;
        Joints::new(vec![joint])
    };
    let place = |body, first_node| JointBody { body, first_node };
    let mut here = System::new(bodies([0, 1, 2])).with_coupling(hinge([place(0, 0), place(1, 5)]));
    let mut there = System::new(bodies([1, 2, 0])).with_coupling(hinge([place(2, 7), place(0, 0)]));
    let moved: Vec<Vec3> = [&x[5..9], &x[9..], &x[..5]].concat();
    let [a, b, c] = here.at(&x).potential_by_body(0.0, &x)[..] else { panic!("three bodies") };
    assert_eq!(there.at(&moved).potential_by_body(0.0, &moved), [b, c, a]);
    assert!(a > 0.1 && c == 0.0);
}

#[test]
fn invalid_joints_are_rejected() {
    let make = |points, stiffness| JointShape::new([5, 4], points, stiffness);
    let one = || vec![Anchor::from(0)];
    let unpaired = make([one(), vec![]], 1.0);
    assert_eq!(unpaired, Err(JointError::Points { counts: [1, 0] }));
    let empty = make([vec![], vec![]], 1.0);
    assert_eq!(empty, Err(JointError::Points { counts: [0, 0] }));
    let lost = make([one(), vec![4.into()]], 1.0);
    let cause = AnchorError::NoSuchNode { node: 4, nodes: 4 };
    assert_eq!(lost, Err(JointError::Point { side: 1, point: 0, cause }));
    let half = make([one(), vec![Anchor::new(vec![(0, 0.5)])]], 1.0);
    let cause = AnchorError::Weights { sum: 0.5 };
    assert_eq!(half, Err(JointError::Point { side: 1, point: 0, cause }));
    for stiffness in [0.0, -1.0, f64::INFINITY] {
        let limp = make([one(), one()], stiffness);
        assert_eq!(limp, Err(JointError::Stiffness { stiffness }));
    }
}

/// Ties between bodies 0 and 1 that rest at distances and shorten from 1 s on.
fn ties(pushes: bool) -> Joints {
    let points = [vec![inside([0, 1, 2, 3]), 4.into()], vec![1.into(), inside([3, 2, 1, 0])]];
    let shape = JointShape::new([COUNTS[0], COUNTS[1]], points, 20.0).expect("in order");
    let rest = RestLengths {
        lengths: vec![0.3, 5.0],
        closing_speed: 0.5,
        start: 1.0,
        least: 0.25,
        pushes,
    };
    let shape = Arc::new(shape.resting_at(rest).expect("they are lengths"));
    let bodies = [0, 1].map(|body| JointBody { body, first_node: FIRST[body] });
    Joints::new(vec![Joint { shape, bodies }])
}

#[test]
fn points_that_rest_at_distances_have_the_derivatives_of_their_value() {
    let ties = ties(true);
    for time in [0.0, 1.3, 40.0] {
        let errors = energy_derivatives_at(time, &ties, &random(), 1e-4).expect("they are apart");
        assert!(errors.gradient < 1e-7 && errors.hessian < 1e-6, "{time}: {errors:?}");
        let clamped = hessian_at(time, &ties, &random(), Psd::Clamp);
        assert!(clamped.symmetric_eigenvalues().min() > -1e-13 * clamped.norm());
    }
    // A thread that is slack has no force, no stiffness and no energy.
    let slack = self::ties(false);
    let pulled = gradient(&slack, &random()).iter().filter(|f| f.length() > 0.0).count();
    assert_eq!(pulled, 5, "nodes of the first pair alone");
    // The second pair is shorter than at rest, and gives way across.
    let exact = hessian(&ties, &random(), Psd::Exact);
    assert!(exact.symmetric_eigenvalues().min() < -1.0);
}

/// Nodes that stand still do no work: all of the gain is that of the lengths.
#[test]
fn what_shortens_the_lengths_does_the_work_that_the_springs_gain() {
    for pushes in [true, false] {
        what_shortens_does_the_work(pushes);
    }
}

fn what_shortens_does_the_work(pushes: bool) {
    let (ties, x) = (ties(pushes), random());
    let at = |time: f64| ties.value(time, &x);
    // A thread of 5 m is slack until it is as short as what it joins.
    let spans = [([0.2, 0.9], false), ([0.5, 1.05], true), ([2.0, 9.0], pushes)];
    for (times, some) in spans {
        let gain = at(times[1]) - at(times[0]);
        let mut work = [0.0; 3];
        self::ties(pushes).add_work_by_body(&x, &x, times, &mut work);
        assert_eq!(work[0], work[1], "half to each");
        assert!((work[0] + work[1] - gain).abs() < 1e-12, "{work:?} {gain}");
        assert_eq!(gain != 0.0, some, "{times:?}");
    }
    let ties = self::ties(pushes);
    // Where both begin to shorten, where the first has 0.25 m, and where the second has.
    let changes = [0.0, 1.0, 1.2].map(|time| ties.next_change(time));
    assert!((changes[1] - 1.1).abs() < 1e-12 && (changes[2] - 10.5).abs() < 1e-12, "{changes:?}");
    assert_eq!((changes[0], ties.next_change(11.0)), (1.0, f64::INFINITY));
}

#[test]
fn invalid_lengths_are_rejected() {
    let make = |lengths: Vec<f64>, closing_speed: f64| {
        let shape = JointShape::new([5, 4], [vec![0.into()], vec![1.into()]], 1.0).expect("one");
        shape.resting_at(RestLengths {
            lengths,
            closing_speed,
            start: 0.0,
            least: 0.0,
            pushes: true,
        })
    };
    let refused = Err(JointError::Lengths { pairs: 1 });
    assert_eq!(make(vec![], 0.0), refused);
    assert_eq!(make(vec![-1.0], 0.0), refused);
    assert_eq!(make(vec![1.0], f64::NAN), refused);
    assert!(make(vec![1.0], 0.0).is_ok());
}
