//! Sums and products of two numbers with what rounding took away (Dekker 1971, Knuth 1969).

/// The rounded sum, and what is missing from it: exact unless the sum overflows.
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let virtual_b = sum - a;
    (sum, (a - (sum - virtual_b)) + (b - virtual_b))
}

/// The rounded product, and what is missing from it: exact unless the product overflows or what
/// is missing underflows.
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}
