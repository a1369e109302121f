use super::*;
use crate::cg::{BlockJacobi, CgLimits, CgOutcome, ConjugateGradients, dot};
use nalgebra::DMatrix;
use resile_math::{Mat3, outer};
use resile_sparse::{Assembly, BlockSink};

/// Nodes and springs of a box with all its diagonals, as stiff as an elastic solid.
struct Lattice {
    positions: Vec<Vec3>,
    springs: Vec<(usize, usize)>,
}

impl Lattice {
    /// Builds a lattice with `node_counts` nodes along the axes, displaced at random by a tenth of the `spacing`.
    /// Springs connect each node to its 26 neighbours.
    fn new(node_counts: [usize; 3], spacing: f64) -> Self {
        let grid_index = |i: usize| {
            [
                i / node_counts[2] / node_counts[1],
                i / node_counts[2] % node_counts[1],
                i % node_counts[2],
            ]
        };
        let nodes = node_counts[0] * node_counts[1] * node_counts[2];
        let positions = (0..nodes)
            .map(|i| {
                Vec3::from_array(grid_index(i).map(|k| k as f64 * spacing))
                    + 0.1 * spacing * jitter(i)
            })
            .collect();
        let mut springs = Vec::new();
        for i in 0..nodes {
            let [x, y, z] = grid_index(i);
            for d in 1..27 {
                let (a, b, c) = (x + d / 9, y + d / 3 % 3, z + d % 3);
                // Offsets are 0, 1 or 2 along x, and -1, 0 or 1 along y and z.
                let (a, b, c) = (a as i64, b as i64 - 1, c as i64 - 1);
                let is_neighbour = a < node_counts[0] as i64
                    && (0..node_counts[1] as i64).contains(&b)
                    && (0..node_counts[2] as i64).contains(&c)
                    && a - (x as i64) < 2;
                let j = (a * node_counts[1] as i64 + b) * node_counts[2] as i64 + c;
                // Each spring is added once, at the node with the lower index.
                if is_neighbour && j > i as i64 {
                    springs.push((i, j as usize));
                }
            }
        }
        Self { positions, springs }
    }

    fn rows(&self) -> usize {
        self.positions.len()
    }
}

/// Returns a pseudorandom vector with coordinates from -1 to 1.
fn jitter(k: usize) -> Vec3 {
    let x = k as f64;
    Vec3::new((12.9898 * x).sin(), (78.233 * x + 1.0).sin(), (37.719 * x + 2.0).sin())
}

/// Assembles the matrix of unit masses and springs of stiffness `k`, the static part, and of `contacts`: pairs of nodes
/// with the normal and the stiffness of their contact.
fn assemble(lattice: &Lattice, k: f64, contacts: &[(usize, usize, Vec3, f64)]) -> Assembly {
    let mut a = Assembly::new(lattice.rows());
    let push = |a: &mut Assembly| {
        a.begin();
        (0..lattice.rows()).for_each(|i| a.add(i, i, Mat3::IDENTITY));
        for &(i, j) in &lattice.springs {
            let direction = (lattice.positions[i] - lattice.positions[j]).normalize();
            // A tenth of the stiffness acts across the spring, because elements resist shear.
            let block = k * (outer(direction, direction) + 0.1 * Mat3::IDENTITY);
            a.add(i, i, block);
            a.add(j, j, block);
            a.add(i, j, -block);
        }
        a.end_static();
    };
    push(&mut a);
    for &(i, j, normal, stiffness) in contacts {
        let block = stiffness * (outer(normal, normal) + 0.3 * Mat3::IDENTITY);
        a.add(i, i, block);
        if i != j {
            a.add(j, j, block);
            a.add(i, j, -block);
        }
    }
    a.finish();
    a
}

/// A matrix with the data of its layout.
struct Case {
    positions: Vec<Vec3>,
    free: Vec<bool>,
    pattern: Arc<BlockPattern>,
    stiff: Vec<u32>,
    a: SymmetricBlockMatrix,
}

impl Case {
    /// Assembles the case of a lattice with springs of stiffness `k` and with `contacts`. Rows and columns of the nodes
    /// for which `fixed` returns true are those of the identity.
    fn new(
        lattice: &Lattice,
        k: f64,
        contacts: &[(usize, usize, Vec3, f64)],
        fixed: impl Fn(usize) -> bool,
    ) -> Self {
        let mut assembly = assemble(lattice, k, contacts);
        let free: Vec<bool> = (0..lattice.rows()).map(|i| !fixed(i)).collect();
        let stiff = assembly.stiffened(3.0).map(|i| i as u32).collect();
        let pattern = assembly.static_pattern().clone();
        let mut a = assembly.finish().clone();
        for (block, (i, j)) in a.blocks.iter_mut().zip(a.pattern.pairs()) {
            if !(free[i as usize] && free[j as usize]) {
                *block = if i == j { Mat3::IDENTITY } else { Mat3::ZERO };
            }
        }
        Self { positions: lattice.positions.clone(), free, pattern, stiff, a }
    }

    fn layout(&self) -> Layout<'_> {
        Layout {
            pattern: &self.pattern,
            free: &self.free,
            positions: &self.positions,
            stiff: &self.stiff,
        }
    }

    /// Returns a pseudorandom right-hand side that vanishes at fixed nodes.
    fn right_side(&self) -> Vec<Vec3> {
        let entry = |(i, free): (usize, &bool)| if *free { jitter(i) } else { Vec3::ZERO };
        self.free.iter().enumerate().map(entry).collect()
    }

    /// Returns the number of conjugate gradient iterations to a relative residual of `tolerance`.
    fn iterations(&self, tolerance: f64) -> usize {
        let mut preconditioner = TwoLevel::new();
        preconditioner.prepare(&self.a, &self.layout()).unwrap();
        let mut x = vec![Vec3::ZERO; self.a.rows()];
        let limits = CgLimits { tolerance, max_iterations: 1000 };
        let outcome = ConjugateGradients::new().solve(
            &self.a,
            &mut preconditioner,
            &self.right_side(),
            &mut x,
            limits,
        );
        let CgOutcome::Converged { iterations, .. } = outcome else { panic!("{outcome:?}") };
        iterations
    }
}

/// Returns `v` in the order of the sweep.
fn permuted(inverse: &TwoLevel, v: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; v.len()];
    inverse.permute(v, &mut out);
    out
}

/// Returns `count` contacts, alternately between two nodes far apart and of a node with a floor.
fn contacts(lattice: &Lattice, count: usize, stiffness: f64) -> Vec<(usize, usize, Vec3, f64)> {
    let n = lattice.rows();
    (0..count)
        .map(|c| {
            let normal = (Vec3::Z + 0.2 * jitter(c)).normalize();
            let k = stiffness * 0.1f64.powi((c % 4) as i32);
            if c % 2 == 0 { (c, n - 1 - c / 2, normal, k) } else { (c, c, normal, k) }
        })
        .collect()
}

#[test]
fn preconditioner_is_symmetric_and_positive_definite() {
    let lattice = Lattice::new([5, 4, 6], 0.01);
    for stiffness in [0.0, 1e2, 1e7] {
        let contacts = contacts(&lattice, 15, stiffness);
        let case = Case::new(&lattice, 300.0, &contacts, |i| i % 11 == 4);
        assert_eq!(stiffness > 1e4, case.stiff.len() > 10, "{}", case.stiff.len());
        let mut preconditioner = TwoLevel::new();
        preconditioner.prepare(&case.a, &case.layout()).unwrap();
        let n = 3 * case.a.rows();
        let mut dense = DMatrix::zeros(n, n);
        let mut z = vec![Vec3::ZERO; case.a.rows()];
        let mut permuted_z = z.clone();
        for k in 0..n {
            let mut unit = vec![Vec3::ZERO; case.a.rows()];
            unit[k / 3][k % 3] = 1.0;
            let permuted_unit = permuted(&preconditioner, &unit);
            preconditioner.apply(&permuted_unit, 1.0, &mut permuted_z);
            z.fill(Vec3::ZERO);
            preconditioner.unpermute(&permuted_z, &mut z);
            z.iter().enumerate().for_each(|(i, z)| {
                (0..3).for_each(|c| dense[(3 * i + c, k)] = z[c]);
            });
        }
        // Symmetric to single precision, and nowhere near singular.
        let skew = (&dense - dense.transpose()).amax() / dense.amax();
        assert!(skew < 1e-5, "{stiffness:e}: {skew:e}");
        let eigenvalues = ((&dense + dense.transpose()) * 0.5).symmetric_eigenvalues();
        assert!(eigenvalues.min() > 0.0, "{stiffness:e}: {eigenvalues}");
        // `M^-1 A` of a multiplicative cycle has no eigenvalue above one, and none
        // near zero.
        let mut matrix = DMatrix::zeros(n, n);
        for ((i, j), block) in case.a.pattern.pairs().zip(&case.a.blocks) {
            for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                matrix[(3 * i as usize + r, 3 * j as usize + c)] = block.col(c)[r];
                matrix[(3 * j as usize + c, 3 * i as usize + r)] = block.col(c)[r];
            }
        }
        let factor = matrix.cholesky().unwrap().l();
        let ratio = (factor.transpose() * dense * factor).symmetric_eigenvalues();
        let range = (ratio.min(), ratio.max());
        assert!(range.0 > 0.05 && range.1 < 1.0 + 1e-4, "{stiffness:e}: {range:?}");
    }
}

#[test]
fn iteration_count_is_bounded_over_stiffness_and_size() {
    // The stiffness of a spring in units of the mass of a node: E h / (m / dt^2).
    for k in [1.0, 1e2, 1e4, 1e6] {
        for n in [6, 12, 20] {
            let lattice = Lattice::new([n, n, n], 0.01);
            let case = Case::new(&lattice, k, &[], |_| false);
            let iterations = (case.iterations(1e-2), case.iterations(1e-6));
            assert!(iterations.0 <= 5 && iterations.1 <= 16, "{k:e} {n}: {iterations:?}");
        }
        let bar = Lattice::new([60, 7, 7], 0.01);
        let held = Case::new(&bar, k, &[], |i| i < 49);
        let iterations = (held.iterations(1e-2), held.iterations(1e-6));
        assert!(iterations.0 <= 5 && iterations.1 <= 16, "bar, {k:e}: {iterations:?}");
    }
}

#[test]
fn iteration_count_is_bounded_over_contact_stiffness() {
    let lattice = Lattice::new([12, 12, 12], 0.01);
    for contrast in [1.0, 1e2, 1e4, 1e6, 1e8] {
        let contacts = contacts(&lattice, 120, 100.0 * contrast);
        let case = Case::new(&lattice, 100.0, &contacts, |_| false);
        let iterations = (case.iterations(1e-2), case.iterations(1e-6));
        assert!(iterations.0 <= 6 && iterations.1 <= 21, "{contrast:e}: {iterations:?}");
    }
}

#[test]
fn iteration_count_is_bounded_with_affine_bodies_and_particles() {
    // Twenty affine bodies of four nodes with very stiff mutual coupling and weak
    // contact with the next, ten particles, and a solid.
    let mut lattice = Lattice::new([6, 6, 6], 0.01);
    let first = lattice.rows();
    let tetrahedron = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mut contacts = Vec::new();
    for body in 0..20 {
        let start = lattice.rows();
        let origin = Vec3::new(body as f64, 3.0, 0.0);
        lattice.positions.extend(tetrahedron.map(|x| origin + x));
        if body > 0 {
            contacts.push((start - 1, start, Vec3::X, 1e3));
        }
    }
    let last = lattice.rows();
    lattice.positions.extend((0..10).map(|i| Vec3::new(0.0, 9.0, i as f64)));
    let mut assembly = assemble(&lattice, 100.0, &[]);
    let bodies: Vec<(usize, usize)> = (first..last)
        .step_by(4)
        .flat_map(|s| (0..4).flat_map(move |i| (0..i).map(move |j| (s + j, s + i))))
        .collect();
    assembly = {
        let matrix = assembly.finish();
        let pairs = matrix.pattern.pairs();
        let mut stiff = Assembly::new(lattice.rows());
        stiff.begin();
        for ((i, j), block) in pairs.zip(&matrix.blocks) {
            stiff.add(i as usize, j as usize, *block);
        }
        for &(i, j) in &bodies {
            let direction = (lattice.positions[i] - lattice.positions[j]).normalize();
            let block = 1e7 * outer(direction, direction);
            stiff.add(i, i, block);
            stiff.add(j, j, block);
            stiff.add(i, j, -block);
        }
        stiff.end_static();
        for &(i, j, normal, k) in &contacts {
            let block = k * outer(normal, normal);
            stiff.add(i, i, block);
            stiff.add(j, j, block);
            stiff.add(i, j, -block);
        }
        stiff.finish();
        stiff
    };
    let case = Case {
        positions: lattice.positions.clone(),
        free: vec![true; lattice.rows()],
        pattern: assembly.static_pattern().clone(),
        stiff: Vec::new(),
        a: assembly.finish().clone(),
    };
    let iterations = (case.iterations(1e-2), case.iterations(1e-6));
    assert!(iterations.0 <= 7 && iterations.1 <= 15, "{iterations:?}");
}

#[test]
fn solution_equals_that_of_block_jacobi() {
    let lattice = Lattice::new([7, 5, 6], 0.01);
    let contacts = contacts(&lattice, 12, 1e3);
    let case = Case::new(&lattice, 50.0, &contacts, |i| i < 9);
    let b = case.right_side();
    let limits = CgLimits { tolerance: 1e-12, max_iterations: 2000 };
    let (mut x, mut expected) = (b.clone(), b.clone());
    let mut cg = ConjugateGradients::new();
    cg.solve(&case.a, &mut BlockJacobi::new(&case.a).unwrap(), &b, &mut expected, limits);
    let mut preconditioner = TwoLevel::new();
    preconditioner.prepare(&case.a, &case.layout()).unwrap();
    cg.solve(&case.a, &mut preconditioner, &b, &mut x, limits);
    for (x, expected) in x.iter().zip(&expected) {
        assert!((*x - *expected).length() < 1e-10, "{x} {expected}");
    }
}

#[test]
fn products_equal_those_of_the_matrix_to_single_precision() {
    for (n, parts) in [([6, 5, 4], 1), ([30, 12, 9], 2), ([22, 22, 22], 4)] {
        let lattice = Lattice::new(n, 0.01);
        let contacts = contacts(&lattice, 40, 1e9);
        let case = Case::new(&lattice, 1e4, &contacts, |i| i % 31 == 7);
        let mut inverse = TwoLevel::new();
        inverse.prepare(&case.a, &case.layout()).unwrap();
        assert_eq!(inverse.row_partition.parts().len(), parts);
        let scale = inverse.rows.scale;
        let unit = 1.0 / scale;
        let x = case.right_side();
        let z = permuted(&inverse, &x).iter().map(|z| *z * unit).collect::<Vec<_>>();
        let (mut p, mut product) = (vec![Vec3::ONE; x.len()], vec![Vec3::ZERO; x.len()]);
        let curvature = inverse.update_direction(0.0, &z, &mut p, &mut product);
        assert!((curvature / dot(&p, &product) - 1.0).abs() < 1e-13, "{curvature:e}");
        let mut expected = vec![Vec3::ZERO; x.len()];
        case.a.multiply(&x, &mut expected);
        let errors = product.iter().zip(permuted(&inverse, &expected));
        let error = errors
            .fold(0.0, |e: f64, (actual, expected)| e.max((*actual - expected).length() * unit));
        // Rounding a contact, 1e9, would be an error of 60.
        assert!(error < 1e-6 * 1e4, "{error:e}");
    }
}

#[test]
fn products_keep_the_exact_energy_of_rigid_translation() {
    let lattice = Lattice::new([20, 10, 10], 0.01);
    // Springs so stiff that rounding them is more than the inertia of a node.
    let case = Case::new(&lattice, 1e9, &[], |_| false);
    let mut inverse = TwoLevel::new();
    inverse.prepare(&case.a, &case.layout()).unwrap();
    let z = vec![Vec3::new(0.3, -1.0, 0.7); case.a.rows()];
    let (mut p, mut product) = (z.clone(), z.clone());
    let energy = inverse.update_direction(0.0, &z, &mut p, &mut product) / inverse.rows.scale;
    let inertia = dot(&z, &z);
    assert!((energy / inertia - 1.0).abs() < 1e-4, "{energy} {inertia}");
}

#[test]
fn indefinite_matrices_are_rejected() {
    let lattice = Lattice::new([4, 4, 4], 0.01);
    let mut case = Case::new(&lattice, 1.0, &[], |_| false);
    // Definite at each node, but not for the body as a whole.
    for i in 0..case.a.rows() {
        *case.a.diagonal_mut(i) -= Mat3::IDENTITY * 1.5;
    }
    let mut preconditioner = TwoLevel::new();
    let refused = Err(PreconditionerError::NotPositiveDefinite);
    assert_eq!(preconditioner.prepare(&case.a, &case.layout()), refused);
    let nan = case.a.blocks.len() / 2;
    case.a.blocks[nan] = Mat3::NAN;
    assert_eq!(preconditioner.prepare(&case.a, &case.layout()), refused);
}

#[test]
fn bits_are_independent_of_threads_and_previous_solves() {
    let lattice = Lattice::new([18, 18, 18], 0.01);
    let case = |count| Case::new(&lattice, 200.0, &contacts(&lattice, count, 1e5), |i| i < 18);
    let (case, other) = (case(100), case(40));
    assert!(lattice.rows() >= 2 * 2000, "large enough to be shared");
    let solve = |preconditioner: &mut TwoLevel, case: &Case| {
        preconditioner.prepare(&case.a, &case.layout()).unwrap();
        let mut x = vec![Vec3::ZERO; case.a.rows()];
        let limits = CgLimits { tolerance: 1e-4, max_iterations: 100 };
        ConjugateGradients::new().solve(
            &case.a,
            preconditioner,
            &case.right_side(),
            &mut x,
            limits,
        );
        x
    };
    let fresh = solve(&mut TwoLevel::new(), &case);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut preconditioner = TwoLevel::new();
        pool.install(|| solve(&mut preconditioner, &other));
        assert!(pool.install(|| solve(&mut preconditioner, &case)) == fresh, "{threads} threads");
    }
}
