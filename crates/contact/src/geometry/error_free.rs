//! Error-free transformations: sums and products with their rounding errors (Dekker 1971, Knuth 1969).

/// Rounded sum and its rounding error: exact unless the sum overflows.
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let virtual_b = sum - a;
    (sum, (a - (sum - virtual_b)) + (b - virtual_b))
}

/// Rounded product and its rounding error: exact unless the product overflows or the error underflows.
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}
