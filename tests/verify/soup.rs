//! Random triangles, against a search that looks at every pair.

use super::support::{Body, Made};
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

type Triangle = [[f32; 3]; 3];

/// Triangles of very different sizes, each with vertices of its own.
fn soup() -> impl Strategy<Value = Vec<Triangle>> {
    let triangle =
        (prop::array::uniform3(-1.0..1.0_f32), prop::array::uniform9(-1.0..1.0_f32), 0..6_i32)
            .prop_map(|(at, corners, size)| {
                let scale = 2_f32.powi(-size);
                [0, 1, 2].map(|i| [0, 1, 2].map(|k| at[k] + scale * corners[3 * i + k]))
            });
    prop::collection::vec(triangle, 2..60)
}

fn body(name: &'static str, triangles: &[Triangle]) -> Body {
    let numbers: Vec<[u32; 3]> =
        (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Body::sheet(name, triangles.as_flattened(), &numbers)
}

/// Whether an edge of one triangle goes through the other, in plain double precision, by the
/// equations of Möller and Trumbore (1997). Random triangles are in no special position.
fn meet(a: &Triangle, b: &Triangle) -> bool {
    let real = |t: &Triangle| t.map(|p| p.map(f64::from));
    let minus = |p: [f64; 3], q: [f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let cross = |p: [f64; 3], q: [f64; 3]| {
        [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    };
    let pierces = |from: [f64; 3], to: [f64; 3], t: &[[f64; 3]; 3]| {
        let (way, e, f) = (minus(to, from), minus(t[1], t[0]), minus(t[2], t[0]));
        let p = cross(way, f);
        let (det, s) = (dot(e, p), minus(from, t[0]));
        let u = dot(s, p) / det;
        let q = cross(s, e);
        let (v, along) = (dot(way, q) / det, dot(f, q) / det);
        u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&along)
    };
    let (a, b) = (real(a), real(b));
    (0..3).any(|i| pierces(a[i], a[(i + 1) % 3], &b) || pierces(b[i], b[(i + 1) % 3], &a))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_crossings_are_found(soup in soup(), cut in 0.0..1.0) {
        let cut = (cut * soup.len() as f64) as usize;
        let (one, other) = soup.split_at(cut.clamp(1, soup.len() - 1));
        let made = Made::new(&[body("one", one), body("other", other)]);
        let report = made.check();
        let pairs = (0..soup.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let expected = pairs.filter(|&(i, j)| meet(&soup[i], &soup[j])).count();
        // In single precision a corner may come to lie on another triangle.
        prop_assert_eq!(report.crossing_count + report.touching, expected as u64);
        prop_assert!(report.touching <= 2);
    }

    #[test]
    fn report_is_equal_for_any_number_of_threads(soup in soup()) {
        let (one, other) = soup.split_at(soup.len() / 2);
        let mut moving = body("other", other);
        for i in 0..9 {
            moving = moving.then([0.1 * i as f32, 0.0, 0.0]);
        }
        let made = Made::new(&[body("one", one), moving]);
        let on = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| made.check())
        };
        prop_assert_eq!(on(1), on(3));
    }
}
