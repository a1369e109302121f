//! A search against all pairs, one by one.

use crate::common::{SETTINGS, arrange, cube, point, rotation};
use proptest::prelude::*;
use resile_contact::{Candidates, CollisionMesh, CollisionScene, PrimitivePairs, time_of_impact};
use resile_system::Vec3;
use std::cell::Cell;
use std::sync::Arc;

/// Two cubes of eight cells, one turned, and the other above it.
fn two_cubes(angles: Vec3, gap: f64) -> (CollisionScene, Vec<Vec3>) {
    let (rest, triangles) = cube(2);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let turn = rotation(angles);
    let turned: Vec<Vec3> = rest.iter().map(|p| turn(*p)).collect();
    let low = turned.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let above = turned.iter().map(|p| *p + Vec3::new(0.1, 1.0 + gap - low, 0.15));
    let x = rest.iter().copied().chain(above).collect();
    (arrange(&[surface.clone(), surface], vec![], vec![], 0.0), x)
}

/// Every vertex with every triangle, every edge with every other.
fn all_pairs(scene: &CollisionScene) -> Candidates {
    let (edges, faces) = (scene.edges().count(), scene.triangles().count());
    let vertices: Vec<u32> = scene.vertices().collect();
    let pairs = PrimitivePairs {
        vertex_faces: vertices
            .iter()
            .flat_map(|&v| (0..faces).map(move |f| [v as usize, f]))
            .collect(),
        edge_edges: (0..edges).flat_map(|e| (0..e).map(move |f| [f, e])).collect(),
        ..PrimitivePairs::default()
    };
    Candidates::from_pairs(scene, &pairs).expect("all of them exist")
}

/// The path is cut where the first of all pairs would touch, however early, and whatever repels on
/// what is left of it is listed.
#[test]
fn search_finds_the_first_impact_and_every_earlier_force() {
    let (early, pressed) = (Cell::new(0), Cell::new(0));
    let config = ProptestConfig { cases: 48, ..ProptestConfig::default() };
    let case = (point(1.0), 0.01f64..0.3, prop::collection::vec(point(0.3), 16), 0.0f64..8.0);
    proptest!(config, |((angles, gap, moves, fall) in case)| {
        let (scene, from) = two_cubes(angles, gap);
        let down = |i: usize| Vec3::Y * if i < from.len() / 2 { 0.0 } else { -fall };
        let to: Vec<Vec3> =
            from.iter().enumerate().map(|(i, x)| *x + down(i) + moves[i % 16]).collect();
        let found = Candidates::search(&scene, &from, &to, SETTINGS.d_hat);
        let all = all_pairs(&scene);
        let free = time_of_impact(&scene, &all, &from, &to);
        prop_assert_eq!(found.collision_free, free);
        early.set(early.get() + usize::from(free < 0.5));
        for s in [0.0, 0.3, 0.7, 1.0] {
            let t = s * free;
            let x: Vec<Vec3> = from.iter().zip(&to).map(|(a, b)| *a + (*b - *a) * t).collect();
            let want = SETTINGS.value(&scene, &all, &x);
            let got = SETTINGS.value(&scene, &found.candidates, &x);
            prop_assert!((got - want).abs() <= 1e-12 * want, "{} for {} at {}", got, want, s);
            pressed.set(pressed.get() + usize::from(want > 0.0));
        }
    });
    assert!(early.get() > 10 && pressed.get() > 40, "{early:?} {pressed:?}");
}
