//! What is kept of one search for the next changes nothing.

use crate::common::{SETTINGS, arrange, cube};
use proptest::prelude::*;
use resile_contact::{
    CollisionMesh, CollisionScene, Contact, Embedding, HessianBlocks, ObstacleMesh,
};
use resile_system::{Coupling, Energy, Hessian, Path, Psd, SearchHint, Vec3};
use std::sync::Arc;

/// Cubes in a block above an obstacle like them, 8 cm apart of each other where 10 cm are near: enough of them that
/// pairs are listed. Every third is affine. Which body each node is of.
fn heap() -> (CollisionScene, Vec<Vec3>, Vec<usize>) {
    let (rest, triangles) = cube(1);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let hang = |x: &Vec3| Embedding {
        nodes: [0, 1, 2, 3],
        weights: [1.0 - x.x - x.y - x.z, x.x, x.y, x.z],
    };
    let solid = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let affine = rest.iter().map(hang).collect();
    let affine = Arc::new(CollisionMesh::embedded(&rest, &triangles, affine, 4).unwrap());
    let surfaces: Vec<_> =
        (0..18).map(|k| if k % 3 == 1 { affine.clone() } else { solid.clone() }).collect();
    let place = |k: usize| Vec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64) * 1.08;
    let (mut x, mut bodies) = (Vec::new(), Vec::new());
    for k in 0..18 {
        let nodes = if k % 3 == 1 { &corners[..] } else { &rest };
        x.extend(nodes.iter().map(|p| *p + place(k)));
        bodies.extend(vec![k; nodes.len()]);
    }
    let below: Vec<Vec3> = rest.iter().map(|p| *p - Vec3::Z * 1.08).collect();
    let below = ObstacleMesh { mesh: solid, positions: below, collider: 18 };
    (arrange(&surfaces, vec![], vec![below], 0.3), x, bodies)
}

/// The bound of a path and what there is at its end, as far as it is free.
fn found(
    (contact, hint): (&mut Contact, &mut SearchHint),
    from: &[Vec3],
    to: &[Vec3],
) -> (f64, Vec<Vec3>) {
    let free = contact.search_with(&[Path { from, to }], hint);
    (free, from.iter().zip(to).map(|(a, b)| *a + (*b - *a) * free).collect())
}

fn hessian(contact: &Contact, x: &[Vec3]) -> HessianBlocks {
    let mut out = HessianBlocks::default();
    contact.add_hessian(0.0, x, Psd::Exact, &mut Hessian::new(&mut out, 0, 1.0));
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// In each move most bodies go by less than a skin, some by more, and one corner by as much as it takes to bump.
    #[test]
    fn listed_pairs_are_those_that_a_search_finds(
        moves in prop::collection::vec(
            (prop::collection::vec(crate::common::point(1.0), 18), 0.0..0.01, 0.0..0.2, 0_usize..120), 12,
        ),
    ) {
        let (scene, mut x, bodies) = heap();
        let mut contact = Contact::new(scene.clone(), SETTINGS);
        let mut hint = SearchHint::default();
        for (k, (ways, little, much, corner)) in moves.into_iter().enumerate() {
            if k == 8 {
                hint = SearchHint::default();
            }
            let way = |i: usize| ways[bodies[i]] * if (bodies[i] + k).is_multiple_of(6) { much } else { little };
            let mut to: Vec<Vec3> = x.iter().enumerate().map(|(i, x)| *x + way(i)).collect();
            to[corner] += ways[bodies[corner]] * if k % 4 == 3 { 0.3 } else { 0.02 };
            let (free, end) = found((&mut contact, &mut hint), &x, &to);
            let mut fresh = Contact::new(scene.clone(), SETTINGS);
            let none = &mut SearchHint::default();
            prop_assert_eq!(free, found((&mut fresh, none), &x, &to).0, "move {}", k);
            for x in [&x, &end] {
                prop_assert_eq!(contact.value(0.0, x), fresh.value(0.0, x));
                let [mut listed, mut searched] = [(); 2].map(|()| vec![Vec3::ZERO; x.len()]);
                contact.add_gradient(0.0, x, 1.0, &mut listed);
                fresh.add_gradient(0.0, x, 1.0, &mut searched);
                prop_assert_eq!(&listed, &searched);
                prop_assert_eq!(contact.certificate(x).contacts, fresh.certificate(x).contacts);
                let v: Vec<Vec3> = bodies.iter().map(|&b| ways[b]).collect();
                let [listed, searched] = [&contact, &fresh].map(|c| hessian(c, x).times(&v));
                let most = searched.iter().map(|v| v.length()).fold(0.0, f64::max);
                prop_assert!(listed.iter().zip(&searched).all(|(a, b)| a.distance(*b) <= 1e-12 * most));
            }
            x = end;
        }
        prop_assert!(contact.value(0.0, &x) > 0.0);
    }
}
