//! What stretched sheets do, against the theory of elasticity and of drums.

use crate::shell_support::solve::{equilibrium, frequencies, masses, stiffness};
use crate::shell_support::*;
use resile_energy::{Gravity, MembraneLaw, PlaneLame, RestAngles, SheetMaterial};
use resile_math::Vec3;
use resile_mesh::generate::{Disc, Sheet};
use resile_system::{Energy, Psd};

#[test]
fn a_hanging_sheet_becomes_longer_by_half_its_weight_over_its_stiffness() {
    let (width, length) = (0.5, 2.0);
    let (young, thickness, density, gravity) = (2e7, 1e-3, 1100.0, 9.81);
    let mesh = Sheet { cells: [5, 20], size: [width, length] }.build().expect("positive");
    let sheet = SheetMaterial::new(young, 0.3, thickness).expect("parameters in range");
    // rho g L^2 / 2 E
    let expected = density * gravity * length * length / (2.0 * young);
    for law in
        [MembraneLaw::StVenantKirchhoff(sheet.plane()), MembraneLaw::NeoHookean(sheet.plane())]
    {
        let mut stretch = membrane(&mesh, law);
        let mut bend = bending(&mesh, sheet.flexural_rigidity(), RestAngles::Flat);
        let weights = masses(&mesh, density * thickness);
        let mut weight = Gravity::new(weights, Vec3::Z * gravity);
        // Hung up along its upper edge so that it may become narrower.
        let held = |node: usize, axis: usize| {
            let p = mesh.positions[node];
            p.z < 1e-9 - length / 2.0 && (axis != 0 || p.x.abs() > width / 2.0 - 1e-9 && p.x < 0.0)
        };
        // Off its plane, from where it must find back.
        let mut x = crate::common::deformed(&mesh.positions, resile_math::Mat3::IDENTITY, 0.0);
        x.iter_mut().enumerate().for_each(|(i, x)| {
            x.y += if held(i, 1) { 0.0 } else { 0.02 * crate::common::noise(i) };
        });
        let terms: &mut [&mut dyn Energy] = &mut [&mut stretch, &mut bend, &mut weight];
        equilibrium(terms, &mut x, &held, 1e-8);
        let lowest = x.iter().map(|x| x.z).fold(0.0, f64::max) - length / 2.0;
        // Strains reach 0.1 %, of which the theory of small ones neglects the square; and what
        // the straight upper edge holds back of the contraction is of order nu (width/length)^2.
        assert!((lowest / expected - 1.0).abs() < 0.004, "{law:?}: {lowest} {expected}");
        assert!(x.iter().all(|x| x.y.abs() < 1e-6), "the sheet hangs in its plane");
    }
}

/// Zeros of Bessel functions of orders 0, 1, 2, 0 (Abramowitz & Stegun, table 9.5); modes with
/// nodal diameters come in pairs.
const ZEROS: [f64; 6] = [2.404826, 3.831706, 3.831706, 5.135622, 5.135622, 5.520078];

#[test]
fn a_drum_sounds_at_the_zeros_of_bessel_functions() {
    let (radius, stretch, density) = (0.3, 1.1, 0.26);
    let lame = PlaneLame::from_stretching(3e3, 0.3).expect("parameters in range");
    for law in [MembraneLaw::StVenantKirchhoff(lame), MembraneLaw::NeoHookean(lame)] {
        let mut errors = Vec::new();
        for rings in [8, 16] {
            let mesh = Disc { radius, rings }.build().expect("sizes are positive");
            let drum = membrane(&mesh, law);
            let x: Vec<Vec3> = mesh.positions.iter().map(|p| *p * stretch).collect();
            let held = |node: usize, axis: usize| {
                axis != 1 || mesh.positions[node].length() > radius * (1.0 - 1e-9)
            };
            let k = stiffness(&[&drum], &x, Psd::Exact, &held);
            let found = frequencies(&k, &masses(&mesh, density), &held, ZEROS.len());
            // Tension a unit length of the stretched sheet, and its density.
            let dpsi = match law {
                MembraneLaw::StVenantKirchhoff(l) => {
                    stretch * (stretch * stretch - 1.0) * (l.mu() + l.lambda())
                }
                MembraneLaw::NeoHookean(l) => {
                    let [trace, j] = [2.0, 1.0].map(|k| k * stretch * stretch);
                    l.mu() * (stretch - least_over_the_thickness(l, trace, j).0 / stretch)
                }
            };
            let (tension, density) = (dpsi / stretch, density / (stretch * stretch));
            let speed = (tension / density).sqrt();
            let error = |(w, zero): (&f64, &f64)| w * radius * stretch / (zero * speed) - 1.0;
            errors.push(found.iter().zip(&ZEROS).map(error).collect::<Vec<f64>>());
        }
        for (coarse, fine) in errors[0].iter().zip(&errors[1]) {
            assert!(fine.abs() < 0.02 && fine.abs() < 0.35 * coarse.abs(), "{errors:?}");
        }
    }
}
