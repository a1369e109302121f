//! Warnings of combinations of numbers that suggest a wrong unit or axis.

use super::problem::Checker;
use super::{Material, Obstacle, Scene, Units};

/// Engineering materials: name, density (kg/m^3) and Young's modulus (Pa).
const ENGINEERING_MATERIALS: [(&str, f64, f64); 9] = [
    ("steel", 7850.0, 2.05e11),
    ("stainless steel", 8000.0, 1.95e11),
    ("cast iron", 7200.0, 1.1e11),
    ("copper", 8960.0, 1.2e11),
    ("brass", 8500.0, 1.0e11),
    ("titanium", 4450.0, 1.1e11),
    ("aluminium", 2700.0, 7.0e10),
    ("glass", 2500.0, 7.0e10),
    ("concrete", 2400.0, 3.0e10),
];
/// Relative tolerances of density and modulus for a match with a known material.
const MATERIAL_TOLERANCE: [f64; 2] = [0.05, 0.25];
/// The unit of moduli of SI.
const PASCAL: &str = "Pa";
/// Units of moduli that may have been meant, in pascals.
const UNITS: [(&str, f64); 3] = [("kPa", 1e3), ("MPa", 1e6), ("GPa", 1e9)];
/// A density (kg/m^3) and a Young's modulus (Pa): no material is denser than the first and softer than the second.
const METAL: [f64; 2] = [5000.0, 1e7];
/// Kilograms per cubic metre in a gram per cubic centimetre.
const GRAM_PER_CUBIC_CENTIMETRE: f64 = 1000.0;
/// Modulus over density (m^2/s^2) that no material exceeds; that of diamond is 3e8.
const MAX_SPECIFIC_MODULUS: f64 = 1e9;

/// Whether two numbers differ by at most a relative tolerance.
fn is_near(a: f64, b: f64, tolerance: f64) -> bool {
    (a / b - 1.0).abs() <= tolerance
}

/// The known material with this density (kg/m^3) and, in one of the units of a list, this modulus; with the unit.
fn engineering_material<'a>(
    density: f64,
    young: f64,
    units: &'a [(&'static str, f64)],
) -> Option<(&'static str, &'a (&'static str, f64))> {
    let [density_tolerance, young_tolerance] = MATERIAL_TOLERANCE;
    ENGINEERING_MATERIALS.iter().find_map(|&(name, known_density, known_young)| {
        if !is_near(density, known_density, density_tolerance) {
            return None;
        }
        let has_known_modulus =
            |&&(_, factor): &&(&str, f64)| is_near(young * factor, known_young, young_tolerance);
        Some((name, units.iter().find(has_known_modulus)?))
    })
}

/// Warns of a plausible density that is that of a known material in g/cm^3, or too small for the modulus.
pub(super) fn warn_density_unit(c: &mut Checker, path: &str, material: &Material) {
    let (density, young) = (material.density, material.model.young());
    let dense = density * GRAM_PER_CUBIC_CENTIMETRE;
    let units = c.units;
    let [shown, meant, modulus] =
        [(density, "kg/m^3"), (dense, "kg/m^3"), (young, "Pa")].map(|(x, si)| units.show(x, si));
    let all_units: Vec<_> = [(PASCAL, 1.0)].into_iter().chain(UNITS).collect();
    let path = format!("{path}.density");
    let observation = format!("density is {shown} at a Young's modulus of {modulus}");
    match engineering_material(dense, young, &all_units) {
        Some((name, &(unit, factor))) if units == Units::Metres => {
            let (modulus_unit, modulus_help) = match unit {
                PASCAL => (String::new(), String::new()),
                _ => (
                    format!(" and its modulus in {unit}"),
                    format!(", moduli in pascals: {:e}", young * factor),
                ),
            };
            c.warn(
                &path,
                format!("{observation}: that is {name} with its density in g/cm^3{modulus_unit}"),
                format!("densities are in kg/m^3: {dense}{modulus_help}"),
            );
        }
        Some((name, _)) => c.warn(
            &path,
            format!("{observation}: that is {name} with a thousandth of its density"),
            format!("{name} has {meant}"),
        ),
        None if young > MAX_SPECIFIC_MODULUS * density => {
            let [metal, foam] = [7850.0, 30.0].map(|density| units.show(density, "kg/m^3"));
            let [stiff, soft] = [2.1e11, 1e6].map(|young| units.number(young, "Pa"));
            let help = format!(
                "steel has {metal} and {stiff:e} {unit}, a foam {foam} and {soft:e} {unit}",
                unit = units.symbol("Pa")
            );
            c.warn(&path, format!("{observation}: nothing as light is as stiff"), help);
        }
        None => {}
    }
}

/// Warns of a modulus that is that of a known material in another unit, or that no material of this density has.
pub(super) fn warn_modulus_unit(c: &mut Checker, path: &str, material: &Material) {
    let (density, young) = (material.density, material.model.young());
    let candidate = engineering_material(density, young, &UNITS);
    let path = format!("{path}.model.young");
    let units = c.units;
    let [shown, density_text] =
        [(young, "Pa"), (density, "kg/m^3")].map(|(x, si)| units.show(x, si));
    let observation = format!("Young's modulus is {shown} at a density of {density_text}");
    match candidate {
        Some((name, &(unit, factor))) if units == Units::Metres => c.warn(
            &path,
            format!("{observation}: that is {name} with its modulus in {unit}"),
            format!("moduli are in pascals: {:e}", young * factor),
        ),
        Some((name, &(_, factor))) => c.warn(
            &path,
            format!("{observation}: that is {name} with its modulus in another unit"),
            format!(
                "moduli are in {}: {:e}",
                units.symbol("Pa"),
                units.number(young * factor, "Pa")
            ),
        ),
        None if density >= METAL[0] && young < METAL[1] => c.warn(
            &path,
            format!("{observation}: nothing as dense is as soft"),
            match units {
                Units::Metres => {
                    "moduli are in pascals, steel has 2.1e11; densities in kg/m^3, rubber has 1000"
                }
                Units::Millimetres => {
                    "moduli are in MPa, steel has 2.1e5; densities in t/mm^3, rubber has 1e-9"
                }
                Units::Centimetres => {
                    "moduli are in dyn/cm^2, steel has 2.1e12; densities in g/cm^3, rubber has 1"
                }
            },
        ),
        None => {}
    }
}

impl Scene {
    /// Warns of gravity that is parallel to all planes.
    pub(super) fn warn_gravity_parallel_to_planes(&self, c: &mut Checker) {
        let planes = self.obstacles.iter().map(|obstacle| match obstacle {
            Obstacle::Plane { normal, name, .. } => Some((*normal, name)),
            _ => None,
        });
        let Some(planes) = planes.collect::<Option<Vec<_>>>() else { return };
        let first_normal = planes.first().map(|(normal, _)| *normal);
        let Some(down) = only_axis(self.gravity) else { return };
        let Some(up) = first_normal.and_then(only_axis) else { return };
        if planes.iter().any(|(normal, _)| normal[down] != 0.0) {
            return;
        }
        let (axes, g) = (["x", "y", "z"], self.gravity[down]);
        let mut turned_gravity = [0.0; 3];
        turned_gravity[up] = -g.abs() * planes[0].0[up].signum();
        let [x, y, z] = turned_gravity.map(|g| self.units.number(g, "m/s^2"));
        c.warn(
            "gravity",
            format!(
                "gravity is along {}, and plane \"{}\" faces {}: bodies fall past it",
                axes[down], planes[0].1, axes[up]
            ),
            format!(
                "gravity on that plane: ({x}, {y}, {z}); or turn its normal along {}",
                axes[down]
            ),
        );
    }
}

/// The index of the only component of a vector that is not zero; `None` if there are several or none.
pub(super) fn only_axis(vector: [f64; 3]) -> Option<usize> {
    let mut nonzero = (0..3).filter(|&k| vector[k] != 0.0);
    nonzero.next().filter(|_| nonzero.next().is_none())
}
