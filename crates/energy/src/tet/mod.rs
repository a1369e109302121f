//! Elasticity of tetrahedra: linear ones here, quadratic ones in [`quadratic`].

mod inversion;
mod quadratic;
mod rest;
mod tangent;

pub use quadratic::QuadraticTetElasticity;
pub use rest::ElementError;

use crate::material::{Density, Material};
use crate::patches::{self, Patches};
use resile_math::Vec3;
use resile_math::lanes::{LANES, Lane, Mat3x8};
use resile_system::{Energy, Hessian, Proof, Psd, Way};
use rest::Group;
use tangent::PAIRS;

/// `V(x) = sum_e V_e psi(F_e(x))`: elastic energy of a body of linear tetrahedra of
/// one material, with `F_e` the constant deformation gradient of element e and `V_e`
/// its rest volume.
///
/// Evaluation is shared by the threads of the rayon pool it is called in, with the
/// same bits for any number of them. What a tetrahedron costs is in `benches/README.md`.
#[derive(Debug)]
pub struct TetElasticity {
    groups: Vec<Group>,
    patches: Patches<4>,
    density: Box<dyn Density>,
}

impl TetElasticity {
    /// Elasticity of the elements `tets` over the rest positions `rest` (m). From its
    /// node 3 the face (0, 1, 2) of an element is seen counter-clockwise:
    /// `det [x1 - x0, x2 - x0, x3 - x0] > 0`.
    ///
    /// # Errors
    /// Positions that are not finite, nodes that do not exist, and all elements
    /// that are inverted or flat, with their volumes.
    pub fn new(rest: &[Vec3], tets: &[[u32; 4]], material: Material) -> Result<Self, ElementError> {
        let groups = rest::groups(rest, tets)?;
        Ok(Self { groups, patches: Patches::new(tets), density: material.density() })
    }

    /// The energy `volume * psi(F)` of a body that deforms as the one tetrahedron `rest`
    /// (m), positively oriented, does.
    pub(crate) fn uniform(rest: &[Vec3; 4], volume: f64, material: Material) -> Self {
        Self {
            groups: vec![rest::uniform(rest, volume)],
            patches: Patches::new(&[[0, 1, 2, 3]]),
            density: material.density(),
        }
    }

    /// Number of elements.
    pub fn element_count(&self) -> usize {
        self.groups.iter().map(|g| g.count).sum()
    }

    /// The elements without positive volume at `x`, each with its det F. A start
    /// state of a material that forbids inversion must have none.
    pub fn inverted(&self, x: &[Vec3]) -> Vec<(usize, f64)> {
        let mut found = Vec::new();
        for (number, group) in self.groups.iter().enumerate() {
            let det = group.deformation_gradient(x).determinant();
            for (l, &det) in det.as_array()[..group.count].iter().enumerate() {
                // False for what is not a number, too.
                let upright = det > 0.0;
                if !upright {
                    found.push((number * LANES + l, det));
                }
            }
        }
        found
    }

    fn chunk_energy(&self, chunk: &[Group], x: &[Vec3]) -> f64 {
        let mut sum = Lane::ZERO;
        for group in chunk {
            sum = group.volume.mul_add(self.density.value(&group.deformation_gradient(x)), sum);
        }
        sum.as_array().iter().sum()
    }
}

impl Energy for TetElasticity {
    fn name(&self) -> &str {
        "elastic"
    }

    fn value(&self, x: &[Vec3]) -> f64 {
        let sum = patches::fold(&self.groups, 0.0, |c| self.chunk_energy(c, x), |a, b| a + b);
        // Infinity times the zero weight of a copy, or positions that are not finite.
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    fn add_gradient(&self, x: &[Vec3], scale: f64, out: &mut [Vec3]) {
        self.patches.add_gradients(&self.groups, scale, out, |group| {
            let stress = self.density.stress(&group.deformation_gradient(x));
            stress.scale(group.volume).mul_transpose(&group.inverse).cols
        });
    }

    fn add_hessian(&self, x: &[Vec3], psd: Psd, out: &mut Hessian<'_>) {
        self.patches.add_blocks(&self.groups, out, |group, blocks| {
            let f = group.deformation_gradient(x);
            tangent::evaluate(&*self.density, &f, &group.inverse, group.volume, psd, blocks);
        });
    }

    /// Where the material forbids inversion: no element loses more than nine tenths
    /// of its volume on the way.
    fn step_bound(&mut self, ways: &[Way<'_>]) -> f64 {
        if !self.density.forbids_inversion() {
            return 1.0;
        }
        let bound = |way: &Way<'_>| {
            let of_chunk = |c: &[Group]| inversion::step_bound(c, way.from, way.to);
            patches::fold(&self.groups, 1.0, of_chunk, f64::min)
        };
        ways.iter().map(bound).fold(1.0, f64::min)
    }

    /// The smallest det F; minus infinity if one is not a number.
    fn proof(&self, x: &[Vec3]) -> Proof {
        let least = |chunk: &[Group]| {
            let mut least = Lane::splat(f64::INFINITY);
            for group in chunk {
                let det = determinant(group, x);
                least = det.simd_lt(least).select(det, least);
            }
            least.as_array().iter().copied().fold(f64::INFINITY, f64::min)
        };
        let min_det_f = patches::fold(&self.groups, f64::INFINITY, least, f64::min);
        Proof { min_det_f, ..Proof::NOTHING }
    }
}

/// det F, with minus infinity for what is not a number.
#[inline]
fn determinant(group: &Group, x: &[Vec3]) -> Lane {
    let f: Mat3x8 = group.deformation_gradient(x);
    let det = f.determinant();
    det.simd_eq(det).select(det, Lane::splat(f64::NEG_INFINITY))
}
