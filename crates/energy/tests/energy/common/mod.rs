//! Meshes, deformations and matrices that the tests share.

#![allow(dead_code, reason = "each test file uses its own part")]

use nalgebra::DMatrix;
use proptest::prelude::*;
use resile_energy::{
    ElastoPlastic, Lame, Material, QuadraticTetElasticity, TetElasticity, VonMises,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::TetMesh;
use resile_sparse::BlockSink;
use resile_system::check::DenseSink;
use resile_system::{Energy, FlowHeat, Hessian, Inelastic, NodalStress, Psd};
use std::ops::Deref;
use std::sync::Arc;

/// A box of `nx * ny * nz` unit cells, six tetrahedra each (Kuhn's subdivision).
pub(crate) fn grid(nx: usize, ny: usize, nz: usize) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let at = |i: usize, j: usize, k: usize| ((k * (ny + 1) + j) * (nx + 1) + i) as u32;
    let mut x = Vec::new();
    let mut tets = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                x.push(Vec3::new(i as f64, j as f64, k as f64));
            }
        }
    }
    const AXES: [[usize; 3]; 6] =
        [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                for (order, axes) in AXES.iter().enumerate() {
                    let mut corner = [i, j, k];
                    let mut tet = [at(i, j, k); 4];
                    for (slot, &axis) in axes.iter().enumerate() {
                        corner[axis] += 1;
                        tet[slot + 1] = at(corner[0], corner[1], corner[2]);
                    }
                    if order >= 3 {
                        tet.swap(1, 2);
                    }
                    tets.push(tet);
                }
            }
        }
    }
    (x, tets)
}

/// The tetrahedron whose edge matrix is the identity: its F is that of its edges,
/// and its Hessian at nodes 1, 2, 3 is d2psi/dF2 over six.
pub(crate) fn corner() -> (Vec<Vec3>, Vec<[u32; 4]>) {
    (vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], vec![[0, 1, 2, 3]])
}

/// Positions of the corner with deformation gradient `f`, off the origin.
pub(crate) fn corner_at(f: Mat3) -> Vec<Vec3> {
    let origin = Vec3::new(0.25, -0.5, 1.0);
    corner().0.iter().map(|x| origin + f * *x).collect()
}

pub(crate) fn lame() -> Lame {
    Lame::from_young_poisson(3.0, 0.35).expect("parameters in range")
}

/// The isotropic materials.
pub(crate) fn materials() -> [Material; 5] {
    let flow = VonMises::new(1.8, 0.2).expect("parameters in range");
    [
        Material::NeoHookean(lame()),
        Material::Corotated(lame()),
        Material::StVenantKirchhoff(lame()),
        Material::Hencky(lame()),
        Material::ElastoPlastic(ElastoPlastic { lame: lame(), flow }),
    ]
}

pub(crate) fn body(mesh: &(Vec<Vec3>, Vec<[u32; 4]>), material: Material) -> TetElasticity {
    TetElasticity::new(&mesh.0, &mesh.1, material).expect("the mesh is a proper one")
}

/// Numbers in (-1, 1) that look random and are always the same.
pub(crate) fn noise(k: usize) -> f64 {
    let mut z = (k as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// `f x` with noise of the given size.
pub(crate) fn deformed(x: &[Vec3], f: Mat3, size: f64) -> Vec<Vec3> {
    let shake = |i: usize| Vec3::new(noise(3 * i), noise(3 * i + 1), noise(3 * i + 2));
    x.iter().enumerate().map(|(i, x)| f * *x + shake(i) * size).collect()
}

/// At time zero.
pub(crate) fn gradient(energy: &dyn Energy, x: &[Vec3]) -> Vec<Vec3> {
    gradient_at(0.0, energy, x)
}

pub(crate) fn gradient_at(time: f64, energy: &dyn Energy, x: &[Vec3]) -> Vec<Vec3> {
    let mut out = vec![Vec3::ZERO; x.len()];
    energy.add_gradient(time, x, 1.0, &mut out);
    out
}

/// At time zero.
pub(crate) fn hessian(energy: &dyn Energy, x: &[Vec3], psd: Psd) -> DMatrix<f64> {
    hessian_at(0.0, energy, x, psd)
}

pub(crate) fn hessian_at(time: f64, energy: &dyn Energy, x: &[Vec3], psd: Psd) -> DMatrix<f64> {
    let mut sink = DenseSink::new(x.len());
    energy.add_hessian(time, x, psd, &mut Hessian::new(&mut sink, 0, 1.0));
    DMatrix::from_fn(sink.size(), sink.size(), |i, j| sink.at(i, j))
}

/// All that is pushed, in order.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Pushes(pub(crate) Vec<(usize, usize, Mat3)>);

impl BlockSink for Pushes {
    fn add(&mut self, i: usize, j: usize, block: Mat3) {
        self.0.push((i, j, block));
    }
}

pub(crate) fn rotation() -> impl Strategy<Value = Mat3> {
    prop::array::uniform3(-3.0f64..3.0).prop_map(|w| {
        Mat3::from_rotation_x(w[0]) * Mat3::from_rotation_y(w[1]) * Mat3::from_rotation_z(w[2])
    })
}

/// Singular values of an element: ordinary, extreme and coinciding ones.
pub(crate) fn stretches() -> impl Strategy<Value = Vec3> {
    let any = 0.2f64..3.0;
    prop_oneof![
        (any.clone(), any.clone(), any.clone()).prop_map(|(a, b, c)| Vec3::new(a, b, c)),
        (any.clone(), any.clone()).prop_map(|(a, b)| Vec3::new(a, b, b)),
        any.clone().prop_map(Vec3::splat),
        (any, -1e-9f64..1e-9).prop_map(|(a, e)| Vec3::new(a + e, a, a - e)),
        (-1e-3f64..1e-3).prop_map(|e| Vec3::new(1.0 + e, 1.0, 1.0 - e)),
        Just(Vec3::new(4.0, 0.5, 0.1)),
        Just(Vec3::ONE),
    ]
}

/// U diag(s) V^T with any rotations.
pub(crate) fn gradients() -> impl Strategy<Value = Mat3> {
    (rotation(), stretches(), rotation())
        .prop_map(|(u, s, v)| u * Mat3::from_diagonal(s) * v.transpose())
}

/// As [`gradients`], inverted. Values that cancel are left out: there the rotation
/// of the corotated material is not unique.
pub(crate) fn inverted_gradients() -> impl Strategy<Value = Mat3> {
    (rotation(), stretches(), rotation()).prop_map(|(u, s, v)| {
        let smallest = s.min_element();
        let s = Vec3::new(s.x + 0.1, s.y + 0.1, -0.8 * smallest.min(s.z));
        u * Mat3::from_diagonal(s) * v.transpose()
    })
}

/// Bound of the rounding error of a determinant: 4e-15 times the sum of the absolute values of its products.
pub(crate) fn determinant_tolerance(m: Mat3) -> f64 {
    let [a, b, c] = [m.x_axis.abs(), m.y_axis.abs(), m.z_axis.abs()];
    let products = a.x * (b.y * c.z + b.z * c.y)
        + a.y * (b.x * c.z + b.z * c.x)
        + a.z * (b.x * c.y + b.y * c.x);
    4e-15 * products
}

/// `a` with its negative eigenvalues set to zero.
pub(crate) fn clamped(a: &DMatrix<f64>) -> DMatrix<f64> {
    let eigen = a.clone().symmetric_eigen();
    let values = DMatrix::from_diagonal(&eigen.eigenvalues.map(|x| x.max(0.0)));
    &eigen.eigenvectors * values * eigen.eigenvectors.transpose()
}

/// A term over several steps, with its history variables.
pub(crate) struct Evolving {
    energy: Arc<dyn Energy>,
    variables: Vec<f64>,
}

impl Evolving {
    pub(crate) fn new(energy: impl Energy + 'static) -> Self {
        Self { energy: Arc::new(energy), variables: Vec::new() }
    }

    pub(crate) fn inelastic(&self) -> &dyn Inelastic {
        self.energy.inelastic().expect("it has a history")
    }

    /// Empty before the first flow.
    pub(crate) fn variables(&self) -> &[f64] {
        &self.variables
    }

    pub(crate) fn set_variables(&mut self, variables: &[f64], since: f64) {
        self.energy = self.inelastic().with_internal(variables, since);
        self.variables = variables.to_vec();
    }

    /// Ends a step.
    pub(crate) fn flow(&mut self, time: f64, x: &[Vec3]) -> FlowHeat {
        let Some(inelastic) = self.energy.inelastic() else { return FlowHeat::default() };
        let mut variables = Vec::new();
        let heat = inelastic.flow(time, x, &mut variables);
        assert_eq!(variables.len(), inelastic.internal_count());
        self.set_variables(&variables, time);
        heat
    }
}

impl Deref for Evolving {
    type Target = dyn Energy;

    fn deref(&self) -> &(dyn Energy + 'static) {
        &*self.energy
    }
}

/// A box of 2 x 1 x 1 of linear and of quadratic elements, with its rest positions.
pub(crate) fn linear_and_quadratic(material: Material) -> Vec<(Evolving, Vec<Vec3>)> {
    let (positions, tets) = grid(2, 1, 1);
    let mesh = TetMesh { positions: positions.clone(), tets: tets.clone() }.quadratic();
    let linear = TetElasticity::new(&positions, &tets, material).expect("a mesh");
    let quadratic = QuadraticTetElasticity::new(&mesh.positions, &mesh.elements, material);
    let quadratic = quadratic.expect("a mesh");
    vec![(Evolving::new(linear), positions), (Evolving::new(quadratic), mesh.positions)]
}

/// A bar of this logarithmic strain at constant volume.
pub(crate) fn pulled(rest: &[Vec3], strain: f64) -> Vec<Vec3> {
    let side = (-0.5 * strain).exp();
    deformed(rest, Mat3::from_diagonal(Vec3::new(strain.exp(), side, side)), 0.0)
}

/// The axial stress less the lateral one (Pa) of terms that act together, at the time of their history variables.
pub(crate) fn tension(terms: &[&dyn Energy], x: &[Vec3]) -> f64 {
    let mut stress = NodalStress::new(x.len());
    terms.iter().for_each(|term| term.add_stress(x, &mut stress));
    let cauchy = stress.cauchy(0).expect("elements are around it");
    cauchy.x_axis.x - cauchy.y_axis.y
}

/// The position of the point of barycentric coordinates `l` in a quadratic element.
pub(crate) fn position(x: &[Vec3], element: &[u32; 10], l: [f64; 4]) -> Vec3 {
    let at = |k: usize| x[element[k] as usize];
    let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let corners: Vec3 = (0..4).map(|i| at(i) * (l[i] * (2.0 * l[i] - 1.0))).sum();
    let middles: Vec3 =
        (edges.iter().zip(4..)).map(|([i, j], k)| at(k) * (4.0 * l[*i] * l[*j])).sum();
    corners + middles
}

/// det F at this point, by central differences of positions, which are exact for quadratic maps.
pub(crate) fn determinant(rest: &[Vec3], x: &[Vec3], element: &[u32; 10], l: [f64; 4]) -> f64 {
    let along = |x: &[Vec3], k: usize| {
        let at = |s: f64| {
            let mut moved = l;
            moved[k] += s;
            moved[0] -= s;
            position(x, element, moved)
        };
        at(0.5) - at(-0.5)
    };
    let edges = |x: &[Vec3]| Mat3::from_cols(along(x, 1), along(x, 2), along(x, 3)).determinant();
    edges(x) / edges(rest)
}
