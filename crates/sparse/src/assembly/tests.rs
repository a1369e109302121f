//! Sums by recorded route, by search and by parallel addition are equal to those of single blocks.

use super::*;
use resile_math::Vec3;

fn block(k: f64) -> Mat3 {
    Mat3::from_cols(Vec3::new(k, 1.0, 2.0), Vec3::new(0.5, k, 3.0), Vec3::new(1.5, 2.5, k))
}

fn push_static(a: &mut Assembly) {
    a.begin();
    for i in 0..4 {
        a.add(i, i, Mat3::from_diagonal(Vec3::splat(4.0)));
    }
    a.add(1, 0, block(1.0));
    a.add(1, 2, block(2.0));
    a.add(0, 1, block(3.0));
    a.end_static();
}

#[test]
fn replay_growth_and_forget_growth_keep_the_sums() {
    let mut a = Assembly::new(4);
    push_static(&mut a);
    let first = a.finish().clone();
    assert_eq!(
        first.blocks[first.pattern.find(0, 1).unwrap()],
        block(1.0).transpose() + block(3.0)
    );

    push_static(&mut a);
    a.add(3, 1, block(7.0));
    a.add(1, 2, block(1.0));
    let grown = a.finish().clone();
    assert_eq!(grown.pattern.len(), first.pattern.len() + 1);
    assert_eq!(grown.blocks[grown.pattern.find(1, 3).unwrap()], block(7.0).transpose());
    assert_eq!(grown.blocks[grown.pattern.find(1, 2).unwrap()], block(2.0) + block(1.0));

    push_static(&mut a);
    assert_eq!(a.finish().pattern.len(), grown.pattern.len(), "growth stays until forgotten");
    a.forget_growth();
    push_static(&mut a);
    assert_eq!(a.finish().blocks, first.blocks);
}

/// A route without slots would add all blocks of the second pass at the first slot.
#[test]
fn sum_whose_static_part_was_not_ended_is_equal_in_every_pass() {
    let mut assembly = Assembly::new(4);
    let mut sum = || {
        assembly.begin();
        assembly.add(0, 0, block(2.0));
        assembly.add(1, 2, block(3.0));
        assembly.finish();
        assembly.add(3, 3, block(5.0));
        assembly.finish().clone()
    };
    let first = sum();
    assert_eq!(first.blocks[first.pattern.find(1, 2).unwrap()], block(3.0));
    for _ in 0..2 {
        let again = sum();
        assert_eq!(
            (again.pattern.len(), again.blocks),
            (first.pattern.len(), first.blocks.clone())
        );
    }
}

#[test]
fn changed_static_part_is_recorded_again() {
    let stream = |a: &mut Assembly, pairs: &[(usize, usize)]| {
        a.begin();
        pairs.iter().zip(1..).for_each(|(&(i, j), k)| a.add(i, j, block(f64::from(k))));
        a.end_static();
        a.add(3, 0, block(9.0));
        // At their present slots, not at the recorded ones.
        pairs.iter().for_each(|&(i, j)| a.add(i, j, block(4.0)));
        a.finish().clone()
    };
    let first = [(0, 0), (0, 1), (1, 2)];
    for other in [&[(0, 0), (0, 1)][..], &[(0, 0), (2, 3), (1, 2), (2, 3)], &[(0, 0); 5], &[]] {
        let (mut used, mut fresh) = (Assembly::new(4), Assembly::new(4));
        stream(&mut used, &first);
        for _ in 0..2 {
            used.forget_growth();
            let (sum, expected) = (stream(&mut used, other), stream(&mut fresh, other));
            assert_eq!((sum.pattern, sum.blocks), (expected.pattern, expected.blocks), "{other:?}");
            assert_eq!(used.static_pattern(), fresh.static_pattern());
        }
        assert_eq!(used.route, fresh.route);
    }
}

/// As many pairs as are shared between threads, of nodes from 10 on, between other blocks.
#[test]
fn add_each_equals_repeated_add_for_any_number_of_threads() {
    let rows = MIN_PARALLEL_PAIRS / 3 + 20;
    let pairs: Vec<(u32, u32)> =
        (0..rows as u32 - 15).flat_map(|i| [0, 1, 5].map(|k| (i, i + k))).collect();
    assert!(pairs.len() >= MIN_PARALLEL_PAIRS);
    let of = |k: usize| block((k as f64 * 0.37).sin());
    let stream = |a: &mut Assembly, each: &dyn Fn(&mut Assembly)| {
        a.begin();
        a.add(3, 3, block(2.0));
        each(a);
        a.add(12, 11, block(4.0));
        a.end_static();
        // A pair that is found in the static pattern only once it has grown.
        a.add(0, 40, block(5.0));
        a.finish().blocks.clone()
    };
    let one_by_one = |a: &mut Assembly| {
        let all = pairs.iter().enumerate();
        all.for_each(|(k, &(i, j))| a.add(i as usize + 10, j as usize + 10, of(k)));
    };
    let at_once = |a: &mut Assembly| a.add_each(10, &pairs, &of);
    let expected = stream(&mut Assembly::new(rows), &one_by_one);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut a = Assembly::new(rows);
        // Recorded, then replayed in a pattern that has grown.
        for _ in 0..3 {
            assert_eq!(pool.install(|| stream(&mut a, &at_once)), expected);
        }
    }
}

/// Nodes 1 and 3 only, in rows 0 and 1; in a nested map only node 3, in row 0.
#[test]
fn renumbered_adds_blocks_to_mapped_rows_and_drops_unmapped_ones() {
    let mut whole = Assembly::new(4);
    let push = |a: &mut Assembly| {
        push_static(a);
        a.add(3, 1, block(7.0));
        a.add(3, 2, block(9.0));
        a.add(3, 3, block(5.0));
    };
    push(&mut whole);
    let whole = whole.finish().clone();
    let of_whole = |i: u32, j: u32| whole.blocks[whole.pattern.find(i, j).unwrap()];

    let rows: Arc<[u32]> = vec![NO_ROW, 0, NO_ROW, 1].into();
    let mut part = Assembly::new(2);
    // Recorded, then replayed.
    for _ in 0..2 {
        part.renumbered(&rows, push);
        let sum = part.finish();
        let of_part = |i: u32, j: u32| sum.blocks[sum.pattern.find(i, j).unwrap()];
        for ((i, j), (k, l)) in [((0, 0), (1, 1)), ((0, 1), (1, 3)), ((1, 1), (3, 3))] {
            assert_eq!(of_part(i, j), of_whole(k, l), "{i} {j}");
        }
        assert_eq!(sum.pattern.len(), 3);
    }
    let of_part: Arc<[u32]> = vec![NO_ROW, 0].into();
    let mut one = Assembly::new(1);
    one.renumbered(&of_part, |one| one.renumbered(&rows, push));
    assert_eq!(one.finish().blocks, [of_whole(3, 3)]);
}
