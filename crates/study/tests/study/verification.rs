//! Engineers' benchmarks on coarse meshes.

use resile_study::verification::{measure, table};

#[test]
fn benchmarks_reproduce_their_published_values() {
    let entries = measure(true, &|_| {}).expect("every case can be computed");
    for entry in &entries {
        assert_ne!(entry.as_published(), Some(false), "{entry:?}: {}", entry.ratio());
    }
    assert_eq!(table(&entries).failed_verdicts(), 0);
    // Linear tetrahedra of the same cells miss the bending stress of the thick plate that quadratic ones have.
    let le10: Vec<f64> =
        entries.iter().filter(|e| e.case.contains("LE10")).map(|e| e.ratio()).collect();
    assert!((le10[0] - 1.0).abs() > 3.0 * (le10[1] - 1.0).abs(), "{le10:?}");
    // Straight edges make the bore of the cylinder a polygon.
    let lame: Vec<f64> = entries
        .iter()
        .filter(|e| e.case.contains("Lame") && e.quantity.contains("displacement"))
        .map(|e| (e.ratio() - 1.0).abs())
        .collect();
    assert!(lame.len() == 2 && lame[1] < 0.02 * lame[0], "{lame:?}");
}
