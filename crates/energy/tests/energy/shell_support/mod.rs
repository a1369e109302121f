//! Surfaces and states that the tests of shells share.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod solve;

use crate::common::noise;
use resile_energy::{
    MembraneLaw, PlaneLame, PlateBending, PlateStiffness, RestAngles, ShellBending, ShellMembrane,
};
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

pub(crate) fn plate_bending(
    mesh: &TriMesh,
    plate: PlateStiffness,
    angles: RestAngles,
) -> PlateBending {
    PlateBending::new(&mesh.positions, &mesh.triangles, plate, angles, None)
        .expect("the mesh is a proper one")
}

/// How the cells of a rectangle are cut into triangles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cut {
    /// All diagonals in the same direction.
    Structured,
    /// Diagonals that alternate, as those of `Sheet`.
    Crossed,
    /// Diagonals of a random direction between points that were moved at random.
    Random,
}

pub(crate) const CUTS: [Cut; 3] = [Cut::Structured, Cut::Crossed, Cut::Random];

/// A rectangle around the origin in the plane y = 0.
pub(crate) fn rectangle(cut: Cut, cells: [usize; 2], size: [f64; 2]) -> TriMesh {
    let mut mesh = Sheet { cells, size }.build().expect("sizes are positive");
    if cut == Cut::Crossed {
        return mesh;
    }
    let [nx, nz] = cells;
    let at = |i: usize, k: usize| (i + (nx + 1) * k) as u32;
    mesh.triangles.clear();
    for (i, k) in (0..nz).flat_map(|k| (0..nx).map(move |i| (i, k))) {
        let [a, b, c, d] = [at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)];
        let other = cut == Cut::Random && noise(3 * a as usize) > 0.0;
        mesh.triangles.extend(if other { [[a, b, d], [b, c, d]] } else { [[a, b, c], [a, c, d]] });
    }
    if cut == Cut::Random {
        for (i, k) in (0..=nz).flat_map(|k| (0..=nx).map(move |i| (i, k))) {
            let node = at(i, k) as usize;
            let shift = |n: usize, cells: usize, seed: usize| {
                if n == 0 || n == cells { 0.0 } else { 0.25 * noise(seed) / cells as f64 }
            };
            mesh.positions[node].x += size[0] * shift(i, nx, 5 * node + 1);
            mesh.positions[node].z += size[1] * shift(k, nz, 5 * node + 2);
        }
    }
    mesh
}
