//! Pressures that follow the surface and have a potential.

use super::discretisation::Discretisation;
use super::{faces, loads};
use resile_energy::{PatchPressure, SurfacePatch};
use resile_math::Mat3;
use resile_scene::description::{Problem, Term, TimeFunction};
use resile_system::{Motion, Prescribed};
use std::collections::{BTreeMap, BTreeSet};

/// Parameters that terms of equal pressure share.
type PressureKey<'t> = (f64, f64, Option<f64>, Option<&'t TimeFunction>);

/// The potentials of pressures that follow the surface, and the indices of the terms that they replace. Terms with
/// equal pressures over time form one surface, so that a common edge of two regions is not a boundary. Terms without
/// a potential are omitted.
pub(super) fn pressure_potentials(
    terms: &[Term],
    discretisation: &Discretisation,
    prescribed: &[Prescribed],
    path: &str,
) -> Result<(Vec<PatchPressure>, BTreeSet<usize>), Problem> {
    let mut groups: Vec<(PressureKey<'_>, Vec<usize>, SurfacePatch)> = Vec::new();
    for (k, term) in terms.iter().enumerate() {
        let Term::SurfacePressure { pressure, region, follows: true, start, end, factor } = term
        else {
            continue;
        };
        let patch =
            faces::patch_in_region(region, discretisation, format!("{path}.terms[{k}].region"))?;
        // The checks refuse expressions as pressures that follow the surface.
        let Some(pressure) = pressure.number() else { continue };
        let key = (pressure, *start, *end, factor.as_ref());
        match groups.iter_mut().find(|(other, ..)| *other == key) {
            Some((_, indices, merged)) if are_disjoint(merged, &patch) => {
                indices.push(k);
                merged.triangles.extend(patch.triangles);
                merged.quadratic.extend(patch.quadratic);
            }
            _ => groups.push((key, vec![k], patch)),
        }
    }
    let projectors = free_projectors(prescribed);
    let projector = |node: usize| projectors.get(&node).copied().unwrap_or(Mat3::IDENTITY);
    let (mut potentials, mut replaced) = (Vec::new(), BTreeSet::new());
    for ((pressure, start, end, factor), indices, patch) in groups {
        let path = format!("{path}.terms[{}]", indices[0]);
        let factor = loads::time_factor(start, end, factor, &path)?;
        let potential =
            PatchPressure::new(patch, &discretisation.start, projector, pressure, factor);
        if let Some(potential) = potential {
            potentials.push(potential);
            replaced.extend(indices);
        }
    }
    Ok((potentials, replaced))
}

/// Whether two patches have no face in common.
fn are_disjoint(a: &SurfacePatch, b: &SurfacePatch) -> bool {
    let faces: BTreeSet<[u32; 3]> = a.flat().into_iter().collect();
    b.flat().iter().all(|face| !faces.contains(face))
}

/// For nodes that are held for the whole run, the projectors onto their free directions.
fn free_projectors(prescribed: &[Prescribed]) -> BTreeMap<usize, Mat3> {
    let mut projectors = BTreeMap::new();
    for hold in
        prescribed.iter().filter(|hold| hold.motion == Motion::Fixed && hold.until.is_none())
    {
        *projectors.entry(hold.node).or_insert(Mat3::IDENTITY) -= hold.held.projector();
    }
    projectors
}
