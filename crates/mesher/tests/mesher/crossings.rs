//! Boundaries of filled surfaces do not cross themselves, whatever is filled and how fine.

use rayon::prelude::*;
use resile_contact::{CollisionMesh, CollisionScene, intersections};
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_mesh::generate::{BoxGrid, Extrusion};
use resile_mesher::creases::Creases;
use resile_mesher::signed_distance::fill_surface;
use resile_mesher::stuffing::{Pieces, Resolution, Stuffing};

/// Pairs that every test run fills.
const SAMPLE: u64 = 60;

/// Numbers that depend on a seed alone.
struct Random(u64);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn count(&mut self, low: usize, high: usize) -> usize {
        self.between(low as f64, high as f64 + 1.0) as usize
    }
}

/// A box about ten times as long as wide, or a plate.
fn bar(random: &mut Random) -> TriMesh {
    let size = Vec3::new(1.0, random.between(0.08, 0.5), random.between(0.08, 0.5));
    let mut bar = BoxGrid { cells: [1; 3], size }.build().unwrap().boundary();
    bar.positions.iter_mut().for_each(|p| *p -= 0.5 * size);
    bar
}

/// A pipe of few sides.
fn tube(random: &mut Random) -> TriMesh {
    let sides = random.count(3, 12);
    let outer = random.between(0.12, 0.3);
    let inner = outer * random.between(0.3, 0.8);
    let ring = |radius: f64, y: f64| {
        (0..sides).map(move |k| {
            let (sine, cosine) = (std::f64::consts::TAU * k as f64 / sides as f64).sin_cos();
            Vec3::new(radius * cosine, y, radius * sine)
        })
    };
    let rings = [(outer, -0.5), (outer, 0.5), (inner, 0.5), (inner, -0.5)];
    let positions = rings.into_iter().flat_map(|(radius, y)| ring(radius, y)).collect();
    let vertex = |ring: usize, k: usize| ((ring % 4) * sides + k % sides) as u32;
    let quad = |ring: usize, k: usize| {
        let [a, b, c, d] =
            [vertex(ring, k), vertex(ring + 1, k), vertex(ring + 1, k + 1), vertex(ring, k + 1)];
        [[a, b, c], [a, c, d]]
    };
    let triangles = (0..4).flat_map(|r| (0..sides).flat_map(move |k| quad(r, k))).collect();
    TriMesh { positions, triangles }
}

fn wedge(random: &mut Random) -> TriMesh {
    let corners =
        vec![[-0.5, 0.0], [0.5, 0.0], [random.between(-0.6, 0.6), random.between(0.1, 0.5)]];
    let wedge = Extrusion { corners, depth: random.between(0.2, 0.8), along: 2 };
    wedge.build().unwrap()
}

/// Two of these that lie across each other or side by side.
fn pair(random: &mut Random) -> TriMesh {
    let mut both = TriMesh::default();
    for _ in 0..2 {
        let shape = match random.count(0, 2) {
            0 => bar(random),
            1 => tube(random),
            _ => wedge(random),
        };
        let mut vector =
            |size: f64| Vec3::from_array([0; 3].map(|_: i32| random.between(-size, size)));
        let (axis, shift) = (vector(1.0) + Vec3::splat(1e-3), vector(0.25));
        let rotation = Mat3::from_axis_angle(axis.normalize(), random.between(0.0, 6.0));
        let first = both.positions.len() as u32;
        both.positions.extend(shape.positions.iter().map(|p| rotation * *p + shift));
        both.triangles.extend(shape.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    both
}

/// Fills the pair of this number; how often the boundary crosses itself by the test of scenes.
fn crossings(number: u64) -> usize {
    let mut random = Random(number.wrapping_mul(0x5851_f42d_4c95_7f2d));
    let surface = pair(&mut random);
    assert!(surface.enclosed_volume() > 0.0, "{number}");
    let resolution = Resolution::Tets(random.count(200, 2000));
    let stuffing = Stuffing { resolution, grade: 0, pieces: Pieces::Largest };
    let Ok(filled) = fill_surface(&surface, &stuffing, Creases::Keep(40.0)) else { return 0 };
    let boundary = filled.solid.mesh.boundary();
    let mesh = CollisionMesh::new(&boundary.positions, &boundary.triangles).unwrap();
    intersections(&CollisionScene::of_meshes([mesh]), &boundary.positions, 10).len()
}

fn crossed(numbers: std::ops::Range<u64>) -> Vec<u64> {
    numbers.into_par_iter().filter(|&number| crossings(number) > 0).collect()
}

#[test]
fn filled_pairs_do_not_intersect() {
    assert_eq!(crossed(0..SAMPLE), [0; 0]);
}

/// `cargo test --workspace --test mesher crossings -- --ignored`.
#[test]
#[ignore = "10,000 fills: more than seven minutes on two cores"]
fn ten_thousand_filled_pairs_do_not_intersect() {
    assert_eq!(crossed(0..10_000), [0; 0]);
}
