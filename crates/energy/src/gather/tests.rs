//! Comparison of the gather with sequential sums.

use super::section::PATCHES_PER_SECTION;
use super::*;
use resile_sparse::Assembly;
use resile_system::check::DenseSink;
use std::array::from_fn;

const NODES: usize = 2999;
/// Three patches, the last one partly filled.
const THREE_PATCHES: usize = 3 * ELEMENTS_PER_PATCH - 5;
/// Two sections, the second of two patches.
const TWO_SECTIONS: usize = PATCHES_PER_SECTION * ELEMENTS_PER_PATCH + ELEMENTS_PER_PATCH + 3;
/// One patch whose last group is partly filled.
const ONE_PATCH: usize = 43;

/// Elements that share nodes within and across patches, with unordered node numbers.
fn elements(count: usize) -> Vec<[u32; 4]> {
    (0..count as u32).map(|e| from_fn(|k| (e * 7 + k as u32 * 31) % NODES as u32)).collect()
}

/// The block of element `e` at its pair `k`; all blocks differ.
fn block(e: usize, k: usize) -> Mat3 {
    let number = |n: usize| ((100 * e + 10 * k + n) as f64 * 0.37).sin();
    let block = Mat3::from_cols_array(&from_fn(number));
    // Pairs of a node with itself are symmetric.
    if [0, 4, 7, 9].contains(&k) { block + block.transpose() } else { block }
}

/// The blocks of element `e` as a square, with NaN below the diagonal, which must be ignored.
fn square(e: usize) -> [[Mat3; 4]; 4] {
    let mut blocks = [[Mat3::NAN; 4]; 4];
    local_pairs::<4>().enumerate().for_each(|(k, (a, b))| blocks[a][b] = block(e, k));
    blocks
}

/// The force of element `e` on its node `k`; the sum is zero.
fn force(e: usize, k: usize) -> Vec3 {
    match k {
        0 => -(1..4).map(|k| force(e, k)).sum::<Vec3>(),
        _ => block(e, k).x_axis,
    }
}

#[test]
fn gather_hessians_are_the_sums_of_all_elements() {
    for count in [0, ONE_PATCH, THREE_PATCHES, TWO_SECTIONS] {
        let elements = elements(count);
        let gather = Gather::new(NODES, &elements).expect("the nodes exist");
        let [mut by_eight, mut by_one, mut expected] = from_fn(|_| Assembly::new(NODES));
        gather.add_hessians_x8(
            &mut Hessian::new(&mut by_eight, 0, 2.0),
            |group, out: &mut [Mat3x8; 10]| {
                *out = from_fn(|k| Mat3x8::from_lanes(&from_fn(|l| block(group * LANES + l, k))));
            },
        );
        gather.add_hessians(&mut Hessian::new(&mut by_one, 0, 2.0), square);
        let mut hessian = Hessian::new(&mut expected, 0, 2.0);
        for (e, nodes) in elements.iter().enumerate() {
            for (k, (a, b)) in local_pairs::<4>().enumerate() {
                hessian.add(nodes[a] as usize, nodes[b] as usize, block(e, k));
            }
        }
        let expected = expected.finish();
        for actual in [by_eight.finish(), by_one.finish()] {
            assert_eq!(actual.pattern, expected.pattern);
            let close = |(a, b): (&Mat3, &Mat3)| a.abs_diff_eq(*b, 1e-13);
            assert!(actual.blocks.iter().zip(&expected.blocks).all(close), "{count} elements");
        }
    }
}

#[test]
fn gather_gradients_and_values_are_the_sums_of_all_elements() {
    for count in [0, ONE_PATCH, THREE_PATCHES, TWO_SECTIONS] {
        let elements = elements(count);
        let gather = Gather::new(NODES, &elements).expect("the nodes exist");
        let mut expected = vec![Vec3::ONE; NODES];
        for (e, nodes) in elements.iter().enumerate() {
            (0..4).for_each(|k| expected[nodes[k] as usize] += 0.5 * force(e, k));
        }
        let lanes = |group: usize, k: usize| -> Vec3x8 {
            from_fn(|i| Lane::new(from_fn(|l| force(group * LANES + l, k)[i])))
        };
        let [mut by_eight, mut by_one] = from_fn(|_| vec![Vec3::ONE; NODES]);
        gather.add_gradients_x8(0.5, &mut by_eight, |group| [1, 2, 3].map(|k| lanes(group, k)));
        gather.add_gradients(&mut by_one, |e| from_fn(|k| 0.5 * force(e, k)));
        let mut together = vec![Vec3::ONE; NODES];
        let add = |group: usize, sum: Lane| sum + lanes(group, 1)[0];
        let sum = gather.sum_and_add_gradients_x8(0.5, &mut together, |group, sum| {
            (add(group, sum), [1, 2, 3].map(|k| lanes(group, k)))
        });
        assert_eq!((sum, &together), (gather.sum_x8(add), &by_eight));
        for actual in [by_eight, by_one] {
            assert!(actual.iter().zip(&expected).all(|(a, b)| a.abs_diff_eq(*b, 1e-13)));
        }
        let value = |e: usize| block(e, 0).x_axis.x;
        let straight: f64 = (0..count).map(value).sum();
        assert!((gather.sum(value) - straight).abs() < 1e-12 * (1.0 + count as f64));
        let inside = |e: usize| if e < count { value(e) } else { 0.0 };
        let of_group = |group: usize| Lane::new(from_fn(|l| inside(group * LANES + l)));
        let by_eight = gather.sum_x8(|group, sum| sum + of_group(group));
        assert!((by_eight - straight).abs() < 1e-12 * (1.0 + count as f64));
        let least = (0..count.next_multiple_of(LANES)).map(inside).fold(f64::INFINITY, f64::min);
        assert_eq!(gather.min_x8(of_group), least);
    }
}

#[test]
fn gather_is_bitwise_equal_for_any_number_of_threads() {
    let elements = elements(TWO_SECTIONS);
    let gather = Gather::new(NODES, &elements).expect("the nodes exist");
    let sums = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut gradient = vec![Vec3::ONE; NODES];
            gather.add_gradients(&mut gradient, |e| from_fn(|k| force(e, k)));
            let mut hessian = DenseSink::new(NODES);
            gather.add_hessians(&mut Hessian::new(&mut hessian, 0, 1.0), square);
            let row: Vec<u64> = (0..hessian.size()).map(|k| hessian.at(93, k).to_bits()).collect();
            (gather.sum(|e| block(e, 0).x_axis.x).to_bits(), gradient, row)
        })
    };
    let one = sums(1);
    assert!(one.2.iter().any(|bits| *bits != 0), "the row is of nodes that elements have");
    for threads in [2, 3, 5] {
        assert_eq!(sums(threads), one);
    }
}

#[test]
fn gather_refuses_missing_and_repeated_nodes() {
    let good = [0, 1, 2];
    let refused = |bad| Gather::new(4, &[good, bad]).expect_err("the second is bad");
    let missing = GatherError::NoSuchNode { element: 1, node: 4, nodes: 4 };
    assert_eq!(refused([1, 4, 2]), missing);
    assert_eq!(refused([1, 3, 1]), GatherError::Repeated { element: 1, node: 1 });
}
