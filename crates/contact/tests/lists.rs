//! What is kept of one search for the next changes nothing.

mod common;
use common::{SETTINGS, arrange, cube};
use proptest::prelude::*;
use resile_contact::{CollisionMesh, CollisionScene, Contact, HessianBlocks};
use resile_system::{Coupling, Energy, Hessian, Path, Psd, Vec3};
use std::sync::Arc;

/// Cubes in a block, 8 cm apart of each other where 10 cm are near: enough of them that pairs are listed.
fn heap() -> (CollisionScene, Vec<Vec3>) {
    let (rest, triangles) = cube(1);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let place = |k: usize| Vec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64) * 1.08;
    let x = (0..18).flat_map(|k| rest.iter().map(move |p| *p + place(k))).collect();
    (arrange(&vec![surface; 18], vec![], vec![], 0.3), x)
}

/// The bound of a path and what there is at its end, as far as it is free.
fn found(contact: &mut Contact, from: &[Vec3], to: &[Vec3]) -> (f64, Vec<Vec3>) {
    let free = contact.step_bound(&[Path { from, to }]);
    (free, from.iter().zip(to).map(|(a, b)| *a + (*b - *a) * free).collect())
}

fn hessian(contact: &Contact, x: &[Vec3]) -> HessianBlocks {
    let mut out = HessianBlocks::default();
    contact.add_hessian(x, Psd::Exact, &mut Hessian::new(&mut out, 0, 1.0));
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// In each move most bodies go by less than a skin, some by more, and one corner by as much as it takes to bump.
    #[test]
    fn listed_pairs_are_those_that_a_search_finds(
        moves in prop::collection::vec(
            (prop::collection::vec(common::point(1.0), 18), 0.0..0.01, 0.0..0.2, 0_usize..144), 12,
        ),
    ) {
        let (scene, mut x) = heap();
        let mut contact = Contact::new(scene.clone(), SETTINGS);
        for (k, (ways, little, much, corner)) in moves.into_iter().enumerate() {
            if k == 8 {
                contact.begin_step();
            }
            let way = |i: usize| ways[i / 8] * if (i / 8 + k).is_multiple_of(6) { much } else { little };
            let mut to: Vec<Vec3> = x.iter().enumerate().map(|(i, x)| *x + way(i)).collect();
            to[corner] += ways[corner / 8] * if k % 4 == 3 { 0.3 } else { 0.02 };
            let (free, end) = found(&mut contact, &x, &to);
            let mut fresh = Contact::new(scene.clone(), SETTINGS);
            prop_assert_eq!(free, found(&mut fresh, &x, &to).0, "move {}", k);
            for x in [&x, &end] {
                prop_assert_eq!(contact.value(x), fresh.value(x));
                let [mut listed, mut searched] = [(); 2].map(|()| vec![Vec3::ZERO; x.len()]);
                contact.add_gradient(x, 1.0, &mut listed);
                fresh.add_gradient(x, 1.0, &mut searched);
                prop_assert_eq!(&listed, &searched);
                prop_assert_eq!(contact.certificate(x).contacts, fresh.certificate(x).contacts);
                let [listed, searched] = [&contact, &fresh].map(|c| hessian(c, x).times(&ways.repeat(8)));
                let most = searched.iter().map(|v| v.length()).fold(0.0, f64::max);
                prop_assert!(listed.iter().zip(&searched).all(|(a, b)| a.distance(*b) <= 1e-12 * most));
            }
            x = end;
        }
        prop_assert!(contact.value(&x) > 0.0);
    }
}
