//! Eigenvectors of dense symmetric matrices of a few rows by Householder tridiagonalisation and QL.
//!
//! Householder reflections and implicit QL steps with Wilkinson's shift (Golub & Van Loan, *Matrix
//! Computations*, 8.3; Martin & Wilkinson 1968, *The implicit QL algorithm*) take a third of the time
//! of the Jacobi method of [`small`](crate::small) at nine rows. Small eigenvalues lose relative
//! accuracy: each has an error of a few roundings of the largest.

use crate::elementary::hypot;

/// Largest number of QL steps per eigenvalue; two are usual.
const MAX_STEPS: usize = 50;

/// Eigenvalues and, in rows, their unit eigenvectors; `None` if an entry is not finite. Reads the
/// upper triangle only.
pub(crate) fn eigenvectors<const N: usize>(a: &[[f64; N]; N]) -> Option<([f64; N], [[f64; N]; N])> {
    let mut reduced = *a;
    for i in 0..N {
        for j in 0..i {
            reduced[i][j] = a[j][i];
        }
    }
    let mut rows = reduce(&mut reduced);
    let mut values: [f64; N] = std::array::from_fn(|i| reduced[i][i]);
    let mut subdiagonal = [0.0; N];
    for i in 1..N {
        subdiagonal[i - 1] = reduced[i][i - 1];
    }
    for l in 0..N {
        diagonalise(l, &mut values, &mut subdiagonal, &mut rows)?;
    }
    values.iter().all(|value| value.is_finite()).then_some((values, rows))
}

/// Householder reduction `a = Q T Q^T` to a tridiagonal `T`, in place; returns the rows of `Q^T`.
fn reduce<const N: usize>(a: &mut [[f64; N]; N]) -> [[f64; N]; N] {
    let mut rows = [[0.0; N]; N];
    (0..N).for_each(|i| rows[i][i] = 1.0);
    for k in 0..N.saturating_sub(2) {
        // The Householder reflection that zeroes column k below its subdiagonal entry.
        let mut v = [0.0; N];
        (k + 1..N).for_each(|i| v[i] = a[i][k]);
        let squared_remainder: f64 = v[k + 2..].iter().map(|x| x * x).sum();
        if squared_remainder == 0.0 {
            continue;
        }
        let length = (v[k + 1] * v[k + 1] + squared_remainder).sqrt().copysign(v[k + 1]);
        v[k + 1] += length;
        let beta = 1.0 / (length * v[k + 1]);
        a[k + 1][k] = -length;
        // A = A - v w^T - w v^T, with w = p - (beta/2) (p.v) v and p = beta A v.
        let mut w = [0.0; N];
        for i in k + 1..N {
            w[i] = beta * product(&a[i], &v, k + 1);
        }
        let half = 0.5 * beta * product(&w, &v, k + 1);
        (k + 1..N).for_each(|i| w[i] -= half * v[i]);
        for i in k + 1..N {
            for j in k + 1..N {
                a[i][j] -= v[i] * w[j] + w[i] * v[j];
            }
        }
        // Q^T = H Q^T.
        let mut products = [0.0; N];
        for i in k + 1..N {
            products
                .iter_mut()
                .zip(&rows[i])
                .for_each(|(product_entry, row)| *product_entry += beta * v[i] * row);
        }
        for i in k + 1..N {
            rows[i]
                .iter_mut()
                .zip(&products)
                .for_each(|(row, product_entry)| *row -= v[i] * product_entry);
        }
    }
    rows
}

/// The scalar product of `a[first..]` and `b[first..]`.
fn product<const N: usize>(a: &[f64; N], b: &[f64; N], first: usize) -> f64 {
    a[first..].iter().zip(&b[first..]).map(|(a, b)| a * b).sum()
}

/// Reduces `subdiagonal[l]` to zero by QL steps on the block that is coupled to it; `None` after
/// [`MAX_STEPS`].
fn diagonalise<const N: usize>(
    l: usize,
    values: &mut [f64; N],
    subdiagonal: &mut [f64; N],
    rows: &mut [[f64; N]; N],
) -> Option<()> {
    for _ in 0..MAX_STEPS {
        let is_negligible = |m: usize| {
            subdiagonal[m].abs() <= f64::EPSILON * (values[m].abs() + values[m + 1].abs())
        };
        let end = (l..N - 1).find(|&m| is_negligible(m)).unwrap_or(N - 1);
        if end == l {
            return Some(());
        }
        ql_step(l, end, values, subdiagonal, rows);
    }
    None
}

/// Applies one QL step with an implicit shift to the block from `l` to `end` of the tridiagonal matrix with the
/// diagonal `values`. `subdiagonal[i]` is the entry between `i` and `i + 1`. The rotations are applied to `rows`, too.
fn ql_step<const N: usize>(
    l: usize,
    end: usize,
    values: &mut [f64; N],
    subdiagonal: &mut [f64; N],
    rows: &mut [[f64; N]; N],
) {
    let ratio = (values[l + 1] - values[l]) / (2.0 * subdiagonal[l]);
    let shift = subdiagonal[l] / (ratio + hypot(ratio, 1.0).copysign(ratio));
    let mut g = values[end] - values[l] + shift;
    let (mut sine, mut cosine, mut p) = (1.0, 1.0, 0.0);
    for i in (l..end).rev() {
        let (f, b) = (sine * subdiagonal[i], cosine * subdiagonal[i]);
        let length = hypot(f, g);
        subdiagonal[i + 1] = length;
        if length == 0.0 {
            // The subdiagonal entry is zero, so the matrix decouples here.
            values[i + 1] -= p;
            subdiagonal[end] = 0.0;
            return;
        }
        (sine, cosine) = (f / length, g / length);
        g = values[i + 1] - p;
        let r = (values[i] - g) * sine + 2.0 * cosine * b;
        p = sine * r;
        values[i + 1] = g + p;
        g = cosine * r - b;
        let (upper_rows, lower_rows) = rows.split_at_mut(i + 1);
        for (x, y) in upper_rows[i].iter_mut().zip(&mut lower_rows[0]) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
    }
    values[l] -= p;
    subdiagonal[l] = g;
    subdiagonal[end] = 0.0;
}
