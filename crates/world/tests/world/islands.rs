//! Which bodies are solved together.

use crate::support::{EDGE, H, Setup, all_bits, bits, step, tetrahedron};
use resile_system::Vec3;
use resile_world::{Retried, Retry, World};

const FALL: Vec3 = Vec3::new(0.0, -10.0, 0.0);

/// Two bodies: one rests, the other comes down onto it.
fn meeting() -> World {
    Setup::default().world(vec![
        tetrahedron("lower", Vec3::ZERO, Vec3::ZERO, Vec3::ZERO),
        tetrahedron("upper", Vec3::Y * (2.0 * EDGE), Vec3::Y * -1.0, Vec3::ZERO),
    ])
}

#[test]
fn islands_merge_while_bodies_may_meet_and_split_afterwards() {
    let mut world = meeting();
    let islands: Vec<usize> =
        (1..=60).map(|number| step(&mut world, number).islands.len()).collect();
    let met = islands.iter().position(|&count| count == 1);
    let met = met.unwrap_or_else(|| panic!("they never meet: {islands:?}"));
    assert!(met > 5, "they begin 0.1 m apart, at 1 m/s: {islands:?}");
    assert_eq!(islands.last(), Some(&2), "they part: {islands:?}");
    assert!(world.intersections(1).is_empty());
    let linear = world.momenta().linear;
    assert!((linear.y + 0.4).abs() < 1e-5, "momentum of 0.4 kg at 1 m/s: {linear}");
}

/// A body that falls faster than the guess expects: the step is solved apart, found to cross, and solved together.
fn surprised(expected: Vec3) -> World {
    let lower = tetrahedron("lower", Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    let far = tetrahedron("far", Vec3::X * 9.0, Vec3::X, FALL * 100.0);
    let upper = tetrahedron("upper", Vec3::Y * (1.3 * EDGE), Vec3::ZERO, FALL * 100.0);
    Setup { expected, ..Setup::default() }.world(vec![lower, far, upper])
}

#[test]
fn islands_that_meet_are_merged_with_equal_bits() {
    let mut world = surprised(Vec3::ZERO);
    world.trace(true);
    let record = step(&mut world, 1);
    assert_eq!(record.islands, [vec![0, 2], vec![1]]);
    let merge = Retried { retry: Retry::Merge, bodies: vec![0, 2], step: H };
    assert_eq!(record.retries, [merge]);
    assert!(world.intersections(1).is_empty());
    let solved: Vec<_> =
        world.take_trace().into_iter().map(|island| (island.bodies, island.kept)).collect();
    let apart = [(vec![0], false), (vec![1], true), (vec![2], false)];
    assert_eq!(solved, [&apart[..], &[(vec![0, 2], true)]].concat());
    assert!(world.take_trace().is_empty(), "it is given once");

    let mut foreseen = surprised(FALL * 100.0);
    foreseen.trace(true);
    assert!(step(&mut foreseen, 1).retries.is_empty());
    let solved: Vec<_> = foreseen.take_trace().into_iter().map(|island| island.bodies).collect();
    assert_eq!(solved, [vec![0, 2], vec![1]], "a right guess needs one solve");
    assert_eq!(all_bits(&foreseen), all_bits(&world));
}

#[test]
fn distant_bodies_do_not_change_a_bit() {
    let alone = |with_others: bool| {
        let mut parts = vec![tetrahedron("alone", Vec3::X * -9.0, Vec3::X, FALL)];
        if with_others {
            parts.push(tetrahedron("lower", Vec3::ZERO, Vec3::ZERO, Vec3::ZERO));
            parts.push(tetrahedron("upper", Vec3::Y * (1.1 * EDGE), Vec3::Y * -1.0, FALL));
        }
        let mut world = Setup { expected: FALL, ..Setup::default() }.world(parts);
        (1..=20).for_each(|number| _ = step(&mut world, number));
        bits(&world, 0)
    };
    assert_eq!(alone(true), alone(false));
}

#[test]
fn trace_changes_no_bit_and_equals_the_solver_report() {
    let (mut plain, mut traced) = (meeting(), meeting());
    traced.trace(true);
    let mut impacts = 0;
    for number in 1..=30 {
        step(&mut plain, number);
        let record = step(&mut traced, number);
        let islands = traced.take_trace();
        let solves = || islands.iter().flat_map(|island| &island.solves);
        let rows = || solves().flat_map(|solve| &solve.iterations);
        let whole = rows().filter(|row| row.part.is_empty()).count();
        assert_eq!(whole, record.solve.iterations, "step {number}");
        assert!(solves().all(|solve| solve.step == H));
        impacts += rows().filter(|row| row.limit.is_some()).count();
    }
    assert_eq!(all_bits(&traced), all_bits(&plain));
    assert!(impacts > 0, "an impact cuts a step");
    traced.trace(false);
    step(&mut traced, 31);
    assert!(traced.take_trace().is_empty());
}
