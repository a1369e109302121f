//! Loads that depend on position.

use super::discretisation::{Discretisation, Elastic};
use super::evaluated::Evaluated;
use super::{error, faces, loads};
use resile_energy::{FieldLaw, FieldLoad, LoadPoints};
use resile_scene::description::{Formula, Problem, Term};
use std::sync::Arc;

/// The load of a term that is given by expressions, with these expressions; `None` for other terms.
pub(super) fn field_load(
    term: &Term,
    discretisation: &Discretisation,
    path: &str,
) -> Result<Option<(FieldLoad, Evaluated)>, Problem> {
    let units = discretisation.units;
    let region_path = || format!("{path}.region");
    let face_points = |region| -> Result<_, Problem> {
        let patch = faces::patch_in_region(region, discretisation, region_path())?;
        Ok(Arc::new(patch.load_points(&discretisation.placed)))
    };
    let (law, points, evaluated, start, end, factor) = match term {
        Term::BodyForce { force, start, end, factor } => {
            let points = Arc::new(solid_points(discretisation, path)?);
            let field = Formula::field(force, units, "N/m^3");
            let evaluated = Evaluated::vector(format!("{path}.force"), field.clone(), &points);
            (FieldLaw::Body(field), points, evaluated, start, end, factor)
        }
        Term::Traction { traction, region, start, end, factor }
            if Formula::numbers(traction).is_none() =>
        {
            let points = face_points(region)?;
            let field = Formula::field(traction, units, "Pa");
            let evaluated = Evaluated::vector(format!("{path}.traction"), field.clone(), &points);
            (FieldLaw::Traction(field), points, evaluated, start, end, factor)
        }
        Term::SurfacePressure { pressure, region, start, end, factor, .. }
            if pressure.number().is_none() =>
        {
            let points = face_points(region)?;
            let field = Formula::field(std::array::from_ref(pressure), units, "Pa");
            let evaluated = Evaluated::number(format!("{path}.pressure"), field.clone(), &points);
            (FieldLaw::Pressure(field), points, evaluated, start, end, factor)
        }
        _ => return Ok(None),
    };
    let factor = loads::time_factor(*start, *end, factor.as_ref(), path)?;
    Ok(Some((FieldLoad::new(law, points, factor), evaluated)))
}

/// The integration points of the elements of a solid.
fn solid_points(discretisation: &Discretisation, path: &str) -> Result<LoadPoints, Problem> {
    let placed = &discretisation.placed;
    match &discretisation.elastic {
        Elastic::Tets(_) => Ok(LoadPoints::in_tets(placed, &discretisation.tets)),
        Elastic::Quadratic(_, elements) => Ok(LoadPoints::in_quadratic_tets(placed, elements)),
        _ => {
            let help = "a surface takes a `Traction`, any body a `Force` by masses";
            Err(error(path, "a body force needs the elements of a solid", help))
        }
    }
}
