//! Queries recorded by others, with exact answers (Wang et al. 2021).

use resile_contact::ccd::time_of_impact;
use resile_contact::distance::{Closest, PairKind};
use resile_system::Vec3;
use std::path::Path;

struct Query {
    name: String,
    start: [Vec3; 4],
    end: [Vec3; 4],
    toi: Option<f64>,
    distance2: [f64; 2],
}

fn read(file: &str) -> Option<Vec<Query>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/ccd").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        #[allow(clippy::print_stderr, reason = "a skipped test has to say so")]
        {
            eprintln!("SKIPPED: {} is absent", path.display());
        }
        return None;
    };
    Some(text.lines().skip(1).map(parse).collect())
}

fn parse(line: &str) -> Query {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |k: usize| cells[k].parse::<f64>().unwrap();
    let point = |k: usize| Vec3::new(number(k), number(k + 1), number(k + 2));
    Query {
        name: format!("{} {}", cells[0], cells[1]),
        start: std::array::from_fn(|k| point(2 + 3 * k)),
        end: std::array::from_fn(|k| point(14 + 3 * k)),
        toi: (cells[26] == "1").then(|| number(27)),
        distance2: [number(29), number(30)],
    }
}

fn no_hit_is_missed(file: &str, kind: PairKind) {
    let Some(queries) = read(file) else { return };
    assert!(queries.len() > 1000 && queries.iter().filter(|q| q.toi.is_some()).count() > 100);
    for q in queries {
        let time = time_of_impact(kind, &q.start, &q.end, 0.0);
        assert!((0.0..=1.0).contains(&time), "{}: {time}", q.name);
        if let Some(toi) = q.toi {
            assert!(time < toi || (time == 0.0 && toi == 0.0), "{}: {time} for {toi}", q.name);
        }
        assert_eq!(time > 0.0, q.distance2[0] > 0.0, "{}: {time}", q.name);
    }
}

#[test]
fn no_vertex_face_hit_is_missed_or_reported_late_and_every_free_start_can_move() {
    no_hit_is_missed("vertex_face.csv", PairKind::VertexFace);
}

#[test]
fn no_edge_edge_hit_is_missed_or_reported_late_and_every_free_start_can_move() {
    no_hit_is_missed("edge_edge.csv", PairKind::EdgeEdge);
}

/// What one rounding of a pair's extent does to its distance, relative to it: above
/// 1e-12 only for distances below 2.2e-4 of the extent.
fn conditioning(x: &[Vec3; 4], distance2: f64) -> f64 {
    let extent2 = x.iter().map(|y| (*y - x[0]).length_squared()).fold(0.0, f64::max);
    f64::EPSILON * (extent2 / distance2).sqrt()
}

fn distances_are_exact(file: &str, kind: PairKind) {
    let Some(queries) = read(file) else { return };
    let mut checked = 0;
    for q in &queries {
        for (x, expected) in [(&q.start, q.distance2[0]), (&q.end, q.distance2[1])] {
            let actual = Closest::new(kind, x).distance2();
            let bound = 1e-12f64.max(conditioning(x, expected));
            if expected > 0.0 && bound < 1e-3 {
                checked += 1;
                assert!(
                    (actual / expected - 1.0).abs() < bound,
                    "{}: {actual} for {expected}",
                    q.name
                );
            }
        }
    }
    assert!(checked > 2000, "{checked}");
}

#[test]
fn vertex_face_distances_are_exact_up_to_conditioning() {
    distances_are_exact("vertex_face.csv", PairKind::VertexFace);
}

#[test]
fn edge_edge_distances_are_exact_up_to_conditioning() {
    distances_are_exact("edge_edge.csv", PairKind::EdgeEdge);
}
