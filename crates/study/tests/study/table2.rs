//! ASEARCH, Table 2, at h = 1/3000 s. Coarser steps are tested in `resile-integrators`.

use resile_study::table2::{self, Method};

#[test]
fn medium_bar_rebounds_as_in_the_paper() {
    for entry in table2::measure(&[3000], &[10.0], &|_| {}) {
        let known = entry.parameters.reference_values();
        let Some(known) = known else {
            assert_eq!(entry.parameters.method, Method::Trapezoidal);
            continue;
        };
        assert_eq!(entry.as_expected(), Some(true), "{entry:?}, {known:?}");
        // Our own notes have four digits of the same parameters.
        let v = entry.velocity.expect("the run ends");
        assert!((v - known.notes).abs() < 2e-4, "{v}, {known:?}");
    }
}

#[test]
fn trapezoidal_rule_diverges_on_the_soft_bar_and_not_on_the_stiff_one() {
    for entry in table2::measure(&[30, 300], &[1.0, 100.0], &|_| {}) {
        if entry.parameters.method == Method::Trapezoidal {
            assert_eq!(entry.as_expected(), Some(true), "{entry:?}");
        }
    }
}
