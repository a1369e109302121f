//! Surfaces and states that the tests of shells share.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod solve;

use resile_energy::{MembraneLaw, PlaneLame, RestAngles, ShellBending, ShellMembrane};
use resile_math::Vec3;
use resile_mesh::TriMesh;
use resile_mesh::generate::Sheet;

pub(crate) fn lame() -> PlaneLame {
    PlaneLame::from_stretching(3.0, 0.35).expect("parameters in range")
}

/// Energy (J/m^2) of the tetrahedra's neo-Hookean law with the trace of the metric of a sheet, the
/// ratio `j` of its areas and the square `c` of the stretch across it.
fn neo_hookean(lame: PlaneLame, [trace, j, c]: [f64; 3]) -> f64 {
    let nu = lame.poisson();
    let ln_j = (j * c.sqrt()).ln();
    let lambda = lame.mu() * 2.0 * nu / (1.0 - 2.0 * nu);
    lame.mu() / 2.0 * (trace + c - 3.0) - lame.mu() * ln_j + lambda / 2.0 * ln_j * ln_j
}

/// The square of the stretch of the thickness for which the energy of the tetrahedra's law is least, and
/// that energy, by golden section.
pub(crate) fn least_over_the_thickness(lame: PlaneLame, trace: f64, j: f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let psi = |w: f64| neo_hookean(lame, [trace, j, w.exp()]);
    let (mut low, mut high) = (-20.0, 20.0);
    for _ in 0..80 {
        let third = GOLDEN * (high - low);
        if psi(high - third) < psi(low + third) { high = low + third } else { low = high - third }
    }
    let w = 0.5 * (low + high);
    (w.exp(), psi(w))
}

pub(crate) fn laws() -> [MembraneLaw; 2] {
    [MembraneLaw::StVenantKirchhoff(lame()), MembraneLaw::NeoHookean(lame())]
}

/// A sheet of unit squares.
pub(crate) fn squares(nx: usize, nz: usize) -> TriMesh {
    let size = [nx as f64, nz as f64];
    Sheet { cells: [nx, nz], size }.build().expect("sizes are positive")
}

/// Equilateral triangles of the given side in the plane y = 0: `rows` rows of `2 columns`
/// triangles, the long sides along x and the short ones zigzag.
pub(crate) fn equilateral(columns: usize, rows: usize, side: f64) -> TriMesh {
    let height = side * 0.75_f64.sqrt();
    let at = |i: usize, k: usize| (k * (columns + 1) + i) as u32;
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for k in 0..=rows {
        for i in 0..=columns {
            let shift = if k.is_multiple_of(2) { 0.0 } else { 0.5 };
            positions.push(Vec3::new(side * (i as f64 + shift), 0.0, height * k as f64));
        }
    }
    for k in 0..rows {
        for i in 0..columns {
            let [a, b, c, d] = [at(i, k), at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)];
            if k.is_multiple_of(2) {
                triangles.extend([[a, c, b], [b, c, d]]);
            } else {
                triangles.extend([[a, c, d], [a, d, b]]);
            }
        }
    }
    TriMesh { positions, triangles }
}

pub(crate) fn membrane(mesh: &TriMesh, law: MembraneLaw) -> ShellMembrane {
    ShellMembrane::new(&mesh.positions, &mesh.triangles, law).expect("the mesh is a proper one")
}

pub(crate) fn bending(mesh: &TriMesh, rigidity: f64, angles: RestAngles) -> ShellBending {
    ShellBending::new(&mesh.positions, &mesh.triangles, rigidity, angles)
        .expect("the mesh is a proper one")
}

/// Two triangles on an edge along x, the second turned by theta out of the plane of the
/// first: its normal turns from the first's by theta around the edge.
pub(crate) fn hinge(theta: f64) -> TriMesh {
    let (sin, cos) = theta.sin_cos();
    let positions = vec![
        Vec3::new(0.0, 0.0, 0.0),
        Vec3::new(1.2, 0.0, 0.0),
        Vec3::new(0.3, 0.9, 0.0),
        Vec3::new(0.7, -0.8 * cos, -0.8 * sin),
    ];
    TriMesh { positions, triangles: vec![[0, 1, 2], [1, 0, 3]] }
}
