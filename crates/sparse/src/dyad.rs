//! Matrices of rank one beside a sparse matrix.
//!
//! A quantity that depends on all nodes of a surface, such as the volume of an enclosed gas, couples each pair of
//! them, and would fill the matrix if it were stored in blocks. Products add the matrix of rank one.

use resile_math::{Mat3, Vec3, outer};

/// The matrix `weight a a^T`.
#[derive(Debug, Clone, PartialEq)]
pub struct Dyad {
    /// Weight, of either sign.
    pub weight: f64,
    /// Nonzero rows of the vector a, each once, with their entries.
    pub entries: Vec<(usize, Vec3)>,
}

impl Dyad {
    /// `a . x`.
    pub fn dot(&self, x: &[Vec3]) -> f64 {
        self.entries.iter().map(|&(i, a)| a.dot(x[i])).sum()
    }

    /// `out += scale a`.
    pub fn add_to(&self, scale: f64, out: &mut [Vec3]) {
        self.entries.iter().for_each(|&(i, a)| out[i] += a * scale);
    }

    /// Restricts the vector to free directions: `a <- P a`.
    pub(crate) fn constrain(&mut self, free: &[bool], guided: &[(usize, Mat3)]) {
        self.entries.retain(|&(i, _)| free[i]);
        for (i, a) in &mut self.entries {
            if let Ok(index) = guided.binary_search_by_key(i, |&(row, _)| row) {
                *a = guided[index].1 * *a;
            }
        }
    }

    /// Largest entry of the matrix.
    pub fn largest_entry(&self) -> f64 {
        let largest = self.entries.iter().map(|(_, a)| a.abs().max_element()).fold(0.0, f64::max);
        self.weight.abs() * largest * largest
    }

    /// Block diagonal matrix that is an upper bound of this one for a weight that is not negative:
    /// `sum_j |a_j| a_i a_i^T / |a_i|` at row i, by the Cauchy-Schwarz inequality. It scales with the entries like
    /// the matrix itself.
    pub fn majorant(&self) -> impl Iterator<Item = (usize, Mat3)> + '_ {
        let total: f64 = self.entries.iter().map(|(_, a)| a.length()).sum();
        self.entries.iter().map(move |&(i, a)| {
            let length = a.length();
            let factor = if length > 0.0 { self.weight.max(0.0) * total / length } else { 0.0 };
            (i, outer(a, a) * factor)
        })
    }
}
