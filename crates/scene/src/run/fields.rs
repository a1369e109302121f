//! What frames say of their points beyond where they go.

use crate::description::PointField;
use resile_contact::CollisionMesh;
use resile_math::Vec3;
use resile_record::{FieldValues, FrameField};
use resile_world::{BodyForces, World, WorldForces};
use std::sync::Arc;

/// The values of some fields at the points of all surfaces. Without contact there is no force.
pub(super) fn of_points(
    wanted: &[PointField],
    world: &World,
    surfaces: &[Arc<CollisionMesh>],
) -> Vec<FrameField> {
    let bodies = world.contact_forces().map_or_else(
        || surfaces.iter().map(|surface| no_forces(surface)).collect(),
        |WorldForces { bodies, .. }| bodies,
    );
    let vectors = |of: fn(&BodyForces) -> &Vec<Vec3>| {
        FieldValues::Vectors(bodies.iter().flat_map(of).copied().collect())
    };
    let field = |wanted: &PointField| match wanted {
        PointField::ContactForce => {
            FrameField { name: "contact_force", unit: "N", values: vectors(|body| &body.normal) }
        }
        PointField::ContactPressure => {
            let pressures = bodies.iter().zip(surfaces).flat_map(|(b, s)| pressures(b, s));
            let values = FieldValues::Scalars(pressures.collect());
            FrameField { name: "contact_pressure", unit: "Pa", values }
        }
        PointField::FrictionForce => {
            FrameField { name: "friction_force", unit: "N", values: vectors(|body| &body.friction) }
        }
    };
    wanted.iter().map(field).collect()
}

fn no_forces(surface: &CollisionMesh) -> BodyForces {
    let none = vec![Vec3::ZERO; surface.point_count()];
    BodyForces { normal: none.clone(), friction: none }
}

/// Force over area (Pa) of every point; points inside have none.
fn pressures(forces: &BodyForces, surface: &CollisionMesh) -> Vec<f64> {
    let mut pressures = vec![0.0; surface.point_count()];
    for (&vertex, area) in surface.vertices().iter().zip(surface.vertex_areas()) {
        pressures[vertex as usize] = forces.normal[vertex as usize].length() / area;
    }
    pressures
}
