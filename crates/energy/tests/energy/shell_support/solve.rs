//! Equilibria and frequencies of a few terms, with coordinates held one by one.

use resile_linalg::direct::Cholesky;
use resile_math::Vec3;
use resile_sparse::{Assembly, BlockPattern, SymmetricBlockMatrix};
use resile_system::{Energy, Hessian, Psd};

/// The stiffness at `x`, with unit rows for the coordinates that are held.
pub(crate) fn stiffness(
    terms: &[&dyn Energy],
    x: &[Vec3],
    psd: Psd,
    held: &dyn Fn(usize, usize) -> bool,
) -> SymmetricBlockMatrix {
    let mut assembly = Assembly::new(x.len());
    assembly.begin();
    for term in terms {
        term.add_hessian(0.0, x, psd, &mut Hessian::new(&mut assembly, 0, 1.0));
    }
    assembly.end_static();
    let mut matrix = assembly.finish().clone();
    let pattern: std::sync::Arc<BlockPattern> = matrix.pattern.clone();
    for (block, (i, j)) in matrix.blocks.iter_mut().zip(pattern.pairs()) {
        let (i, j) = (i as usize, j as usize);
        for r in 0..3 {
            for c in 0..3 {
                if held(i, r) || held(j, c) {
                    block.col_mut(c)[r] = if i == j && r == c { 1.0 } else { 0.0 };
                }
            }
        }
    }
    matrix
}

fn free_part(v: &mut [Vec3], held: &dyn Fn(usize, usize) -> bool) {
    for (i, v) in v.iter_mut().enumerate() {
        (0..3).filter(|&k| held(i, k)).for_each(|k| v[k] = 0.0);
    }
}

/// The displacement under small `loads` (N) at `x`: linear statics.
pub(crate) fn small_displacement(
    terms: &[&dyn Energy],
    x: &[Vec3],
    loads: &[Vec3],
    held: &dyn Fn(usize, usize) -> bool,
) -> Vec<Vec3> {
    let mut cholesky = Cholesky::new();
    cholesky.factorize(&stiffness(terms, x, Psd::Exact, held)).expect("the structure is stable");
    let mut loads = loads.to_vec();
    free_part(&mut loads, held);
    let mut u = vec![Vec3::ZERO; x.len()];
    cholesky.solve(&loads, &mut u);
    u
}

/// Newton's method from `x` to the nearest equilibrium: exact Hessians where they are
/// definite, projected ones elsewhere. Returns the number of iterations.
pub(crate) fn equilibrium(
    terms: &mut [&mut dyn Energy],
    x: &mut Vec<Vec3>,
    held: &dyn Fn(usize, usize) -> bool,
    tolerance: f64,
) -> usize {
    let mut cholesky = Cholesky::new();
    for iteration in 0..200 {
        let views: Vec<&dyn Energy> = terms.iter().map(|t| &**t).collect();
        let value = |x: &[Vec3]| views.iter().map(|t| t.value(0.0, x)).sum::<f64>();
        let mut force = vec![Vec3::ZERO; x.len()];
        views.iter().for_each(|t| t.add_gradient(0.0, x, -1.0, &mut force));
        free_part(&mut force, held);
        if cholesky.factorize(&stiffness(&views, x, Psd::Exact, held)).is_err() {
            let mut k = stiffness(&views, x, Psd::Clamp, held);
            // A hair of stiffness for what nothing resists.
            let shift = 1e-9 * (0..k.rows()).map(|i| k.diagonal(i).x_axis.x).fold(0.0, f64::max);
            (0..k.rows()).for_each(|i| *k.diagonal_mut(i) += resile_math::Mat3::IDENTITY * shift);
            cholesky.factorize(&k).expect("projected Hessians are semi-definite");
        }
        let mut step = vec![Vec3::ZERO; x.len()];
        cholesky.solve(&force, &mut step);
        if step.iter().all(|s| s.length() < tolerance) {
            return iteration;
        }
        let here = value(x);
        let moved =
            |t: f64| -> Vec<Vec3> { x.iter().zip(&step).map(|(x, s)| *x + *s * t).collect() };
        let slope: f64 = force.iter().zip(&step).map(|(f, s)| f.dot(*s)).sum();
        let mut t = 1.0;
        // Rounding of the value, of strains that are differences of lengths, decides nothing.
        let k = stiffness(&views, x, Psd::Exact, held);
        let stiffest = (0..k.rows()).map(|i| k.diagonal(i).x_axis.length()).fold(0.0, f64::max);
        let extent = x.iter().map(|x| x.length_squared()).fold(0.0, f64::max);
        let rounding = f64::EPSILON * stiffest * extent + 1e-14 * here.abs();
        while value(&moved(t)) > here - 1e-4 * t * slope + rounding {
            t *= 0.5;
            assert!(t > 1e-12, "the line search stalls at iteration {iteration}, slope {slope:e}");
        }
        *x = moved(t);
    }
    panic!("no equilibrium in 200 iterations");
}

/// The lowest angular frequencies (1/s) of `K u = w^2 M u`, by subspace iteration with a
/// few vectors to spare (Bathe, *Finite Element Procedures*, section 11.6).
pub(crate) fn frequencies(
    k: &SymmetricBlockMatrix,
    masses: &[f64],
    held: &dyn Fn(usize, usize) -> bool,
    count: usize,
) -> Vec<f64> {
    use nalgebra::{Cholesky as Dense, DMatrix};
    let mut cholesky = Cholesky::new();
    cholesky.factorize(k).expect("the structure is stable");
    let size = count + 6;
    let mut vectors: Vec<Vec<Vec3>> = (0..size)
        .map(|s| {
            let noise = |i: usize| crate::common::noise(7919 * s + i);
            (0..masses.len())
                .map(|i| Vec3::new(noise(3 * i), noise(3 * i + 1), noise(3 * i + 2)))
                .collect()
        })
        .collect();
    let dot = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
    let mut values = vec![0.0; size];
    for _ in 0..40 {
        let mut images = Vec::new();
        for v in &mut vectors {
            v.iter_mut().zip(masses).for_each(|(v, m)| *v *= *m);
            free_part(v, held);
            let mut u = vec![Vec3::ZERO; masses.len()];
            cholesky.solve(v, &mut u);
            images.push(u);
        }
        let stiff = DMatrix::from_fn(size, size, |i, j| dot(&images[i], &vectors[j]));
        let heavy =
            |u: &[Vec3]| -> Vec<Vec3> { u.iter().zip(masses).map(|(u, m)| *u * *m).collect() };
        let heavy: Vec<Vec<Vec3>> = images.iter().map(|u| heavy(u)).collect();
        let mass = DMatrix::from_fn(size, size, |i, j| dot(&images[i], &heavy[j]));
        let lower = Dense::new(mass).expect("the vectors are independent").l();
        let inverse = lower.try_inverse().expect("a factor");
        let eigen = (&inverse * stiff * inverse.transpose()).symmetric_eigen();
        let mixes = inverse.transpose() * &eigen.eigenvectors;
        values = eigen.eigenvalues.iter().copied().collect();
        vectors = (0..size)
            .map(|s| {
                (0..masses.len())
                    .map(|i| (0..size).map(|r| images[r][i] * mixes[(r, s)]).sum())
                    .collect()
            })
            .collect();
    }
    values.sort_unstable_by(f64::total_cmp);
    values.truncate(count);
    values.into_iter().map(f64::sqrt).collect()
}

/// Area density times a third of the area of each node's triangles.
pub(crate) fn masses(mesh: &resile_mesh::TriMesh, density: f64) -> Vec<f64> {
    mesh.surface().vertex_areas(&mesh.positions).iter().map(|a| a * density).collect()
}
