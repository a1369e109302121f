//! Solution with a supernodal factor for the three components of a vector at once.
//!
//! A matrix of numbers has one factor for all three components. With three right-hand sides a solve is
//! bound by reading the factor, so each sweep here reads each number once, in place. A general matrix
//! product copies its operands into tiles first, which costs as much as the product.

use faer::sparse::linalg::cholesky::supernodal::SymbolicSupernodalCholesky;
use resile_math::Vec3;
use wide::f64x4;

/// Columns of a supernode that are processed together: the number of independent sums.
const COLUMNS_PER_PASS: usize = 8;

/// Solves `L L^T x = b` in place, for a factor in faer's layout: each supernode is a column-major matrix
/// of its own consecutive rows, followed by the rows of its pattern.
///
/// `x` has one row of three components per node, in the order of elimination; `local` is scratch. The order
/// of sums is fixed by the factor. Cost: 6 flops and 16 bytes read for each number of the factor.
pub(super) fn solve(
    symbolic: &SymbolicSupernodalCholesky<u32>,
    values: &[f64],
    x: &mut [f64x4],
    local: &mut Vec<f64x4>,
) {
    let count = symbolic.n_supernodes();
    for s in 0..count {
        let node = Supernode::new(symbolic, values, s);
        local.clear();
        local.extend_from_slice(&x[node.own_rows()]);
        local.resize(node.rows(), f64x4::ZERO);
        node.forward(local);
        let (diagonal_rows, below) = local.split_at(node.width);
        x[node.own_rows()].copy_from_slice(diagonal_rows);
        for (&row, change) in node.pattern.iter().zip(below) {
            x[row as usize] += *change;
        }
    }
    for s in (0..count).rev() {
        let node = Supernode::new(symbolic, values, s);
        local.clear();
        local.extend_from_slice(&x[node.own_rows()]);
        local.extend(node.pattern.iter().map(|&row| x[row as usize]));
        node.backward(local);
        x[node.own_rows()].copy_from_slice(&local[..node.width]);
    }
}

/// A row of a right-hand side or a solution.
pub(super) fn row(v: Vec3) -> f64x4 {
    f64x4::new([v.x, v.y, v.z, 0.0])
}

/// The three components of a row.
pub(super) fn vector(row: f64x4) -> Vec3 {
    let [x, y, z, _] = row.to_array();
    Vec3::new(x, y, z)
}

/// Consecutive columns of the factor with one pattern.
struct Supernode<'a> {
    start: usize,
    width: usize,
    /// Rows below those of the supernode.
    pattern: &'a [u32],
    /// Column-major, `width + pattern.len()` values per column; the upper triangle is not read.
    values: &'a [f64],
}

impl<'a> Supernode<'a> {
    /// Supernode `s` of the factor with these `values`.
    fn new(symbolic: &'a SymbolicSupernodalCholesky<u32>, values: &'a [f64], s: usize) -> Self {
        let start = symbolic.supernode_begin()[s] as usize;
        let width = symbolic.supernode_end()[s] as usize - start;
        let [from, to] = [s, s + 1].map(|s| symbolic.col_ptr_for_val()[s] as usize);
        let pattern = symbolic.supernode(s).pattern();
        Self { start, width, pattern, values: &values[from..to] }
    }

    /// Rows of the supernode itself.
    fn own_rows(&self) -> std::ops::Range<usize> {
        self.start..self.start + self.width
    }

    /// Number of rows of the supernode and of its pattern.
    fn rows(&self) -> usize {
        self.width + self.pattern.len()
    }

    /// Columns `first..first + N`, starting at the diagonal of the first one.
    fn columns<const N: usize>(&self, first: usize) -> [&'a [f64]; N] {
        let rows = self.rows();
        std::array::from_fn(|k| &self.values[(first + k) * rows + first..(first + k + 1) * rows])
    }

    /// Forward substitution of the supernode's rows, and update of the rows below.
    fn forward(&self, x: &mut [f64x4]) {
        let mut column = 0;
        while column + COLUMNS_PER_PASS <= self.width {
            forward::<COLUMNS_PER_PASS>(self.columns(column), &mut x[column..]);
            column += COLUMNS_PER_PASS;
        }
        for column in column..self.width {
            forward::<1>(self.columns(column), &mut x[column..]);
        }
    }

    /// Backward substitution of the supernode's rows from the known rows below.
    fn backward(&self, x: &mut [f64x4]) {
        let full_passes = self.width - self.width % COLUMNS_PER_PASS;
        for column in (full_passes..self.width).rev() {
            backward::<1>(self.columns(column), &mut x[column..]);
        }
        for column in (0..full_passes).step_by(COLUMNS_PER_PASS).rev() {
            backward::<COLUMNS_PER_PASS>(self.columns(column), &mut x[column..]);
        }
    }
}

/// Forward substitution with `N` columns of the factor.
fn forward<const N: usize>(columns: [&[f64]; N], x: &mut [f64x4]) {
    let (diagonal_rows, below) = x.split_at_mut(N);
    for k in 0..N {
        let solved = diagonal_rows[k] * f64x4::splat(1.0 / columns[k][k]);
        diagonal_rows[k] = solved;
        for i in k + 1..N {
            diagonal_rows[i] -= f64x4::splat(columns[k][i]) * solved;
        }
    }
    let diagonal_rows: [f64x4; N] = std::array::from_fn(|k| diagonal_rows[k]);
    let columns = columns.map(|column| &column[N..N + below.len()]);
    for (i, x) in below.iter_mut().enumerate() {
        for k in 0..N {
            *x = f64x4::splat(columns[k][i]).mul_neg_add(diagonal_rows[k], *x);
        }
    }
}

/// Back substitution with `N` columns of the factor.
fn backward<const N: usize>(columns: [&[f64]; N], x: &mut [f64x4]) {
    let (diagonal_rows, below) = x.split_at_mut(N);
    let mut sums = [f64x4::ZERO; N];
    let lower = columns.map(|column| &column[N..N + below.len()]);
    for (i, x) in below.iter().enumerate() {
        for k in 0..N {
            sums[k] = f64x4::splat(lower[k][i]).mul_add(*x, sums[k]);
        }
    }
    for k in (0..N).rev() {
        let mut right_side = diagonal_rows[k] - sums[k];
        for i in k + 1..N {
            right_side -= f64x4::splat(columns[k][i]) * diagonal_rows[i];
        }
        diagonal_rows[k] = right_side * f64x4::splat(1.0 / columns[k][k]);
    }
}
