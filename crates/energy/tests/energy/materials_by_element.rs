//! Bodies whose elements have parameters of their own.

use crate::common::*;
use nalgebra::DMatrix;
use resile_energy::{
    ElementError, Fibre, Lame, Material, MaterialError, Materials, QuadraticTetElasticity,
    TetElasticity,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::TetMesh;
use resile_system::{Energy, Psd};

/// A law with the parameters of element `e`.
type ByElement = fn(usize) -> Material;

fn stiffness(e: usize) -> Lame {
    Lame::from_young_poisson(1.0 + e as f64, 0.1 + 0.02 * e as f64).expect("in range")
}

fn fibre(e: usize) -> Material {
    let direction = Vec3::new(noise(3 * e), noise(3 * e + 1), noise(3 * e + 2));
    Material::Fibre(Fibre::new(stiffness(e), 2.0, 0.1 * e as f64, direction).expect("in range"))
}

const LAWS: [ByElement; 4] = [
    |e| Material::NeoHookean(stiffness(e)),
    |e| Material::Corotated(stiffness(e)),
    |e| Material::StVenantKirchhoff(stiffness(e)),
    fibre,
];

fn materials_of(count: usize, law: ByElement) -> Materials {
    Materials::by_element(&(0..count).map(law).collect::<Vec<_>>()).expect("one law")
}

/// Value, gradient, and both Hessians.
fn all_of(energy: &dyn Energy, x: &[Vec3]) -> (f64, Vec<Vec3>, [DMatrix<f64>; 2]) {
    let hessians = [Psd::Exact, Psd::Clamp].map(|psd| hessian(energy, x, psd));
    (energy.value(0.0, x), gradient(energy, x), hessians)
}

fn are_sums(energy: &dyn Energy, parts: &[Box<dyn Energy>], x: &[Vec3]) {
    let (value, slope, hessians) = all_of(energy, x);
    let mut rest = (value, slope.clone(), hessians.clone());
    for part in parts {
        let part = all_of(&**part, x);
        rest.0 -= part.0;
        rest.1.iter_mut().zip(part.1).for_each(|(rest, part)| *rest -= part);
        rest.2.iter_mut().zip(part.2).for_each(|(rest, part)| *rest -= part);
    }
    let largest = slope.iter().map(|g| g.length()).fold(0.0, f64::max);
    assert!(rest.0.abs() < 1e-13 * value && value > 0.0, "{} {value}", rest.0);
    assert!(rest.1.iter().all(|g| g.length() < 1e-13 * largest));
    (rest.2.iter().zip(&hessians))
        .for_each(|(rest, all)| assert!(rest.norm() < 1e-13 * all.norm()));
}

#[test]
fn materials_by_element_are_the_sum_of_bodies_of_one_element() {
    // Two groups, the second not full.
    let (rest, tets) = grid(2, 1, 1);
    let tets = &tets[..11];
    let turned = Mat3::from_rotation_x(0.7) * Mat3::from_diagonal(Vec3::new(1.3, 0.9, 0.8));
    let quadratic = TetMesh { positions: rest.clone(), tets: tets.to_vec() }.quadratic();
    for law in LAWS {
        let body = TetElasticity::new(&rest, tets, materials_of(tets.len(), law)).expect("proper");
        let one = |(e, tet): (usize, &[u32; 4])| -> Box<dyn Energy> {
            Box::new(TetElasticity::new(&rest, &[*tet], law(e)).expect("proper"))
        };
        let parts: Vec<_> = tets.iter().enumerate().map(one).collect();
        are_sums(&body, &parts, &deformed(&rest, turned, 0.1));

        let (rest, elements) = (&quadratic.positions, &quadratic.elements);
        let materials = materials_of(elements.len(), law);
        let body = QuadraticTetElasticity::new(rest, elements, materials).expect("proper");
        let one = |(e, element): (usize, &[u32; 10])| -> Box<dyn Energy> {
            Box::new(QuadraticTetElasticity::new(rest, &[*element], law(e)).expect("proper"))
        };
        let parts: Vec<_> = elements.iter().enumerate().map(one).collect();
        are_sums(&body, &parts, &deformed(rest, turned, 0.03));
    }
}

#[test]
fn materials_that_are_all_the_same_are_one_to_the_bit() {
    let (rest, tets) = grid(3, 2, 2);
    let x = deformed(&rest, Mat3::from_diagonal(Vec3::new(1.2, 0.9, 0.8)), 0.1);
    for law in LAWS {
        let uniform = TetElasticity::new(&rest, &tets, law(3)).expect("proper");
        let same = Materials::by_element(&vec![law(3); tets.len()]).expect("one law");
        let listed = TetElasticity::new(&rest, &tets, same).expect("proper");
        assert_eq!(all_of(&uniform, &x), all_of(&listed, &x));
    }
}

#[test]
fn materials_of_two_laws_and_of_too_few_elements_are_refused() {
    let (rest, tets) = grid(1, 1, 2);
    let mut mixed: Vec<Material> = (0..12).map(LAWS[0]).collect();
    mixed[10] = LAWS[1](10);
    let refused = Materials::by_element(&mixed).expect_err("they are of two laws");
    assert_eq!(refused, MaterialError::MixedLaws { first: 8, element: 10 });

    let refused = TetElasticity::new(&rest, &tets, materials_of(11, LAWS[0]));
    let error = refused.expect_err("there are twelve elements");
    assert_eq!(error, ElementError::Materials { elements: 12, materials: 11 });
}
