//! What frames say of their points beyond where they go.

use crate::description::PointField;
use resile_contact::CollisionMesh;
use resile_math::Vec3;
use resile_record::{FieldValues, FrameField};
use resile_system::NodalStress;
use resile_world::{BodyForces, World};
use std::sync::Arc;

/// The values of some fields at the points of all surfaces.
pub(super) fn of_points(
    wanted: &[PointField],
    world: &World,
    surfaces: &[Arc<CollisionMesh>],
) -> Vec<FrameField> {
    let at = Now { world, surfaces, forces: forces(wanted, world, surfaces) };
    wanted.iter().map(|field| at.field(*field)).collect()
}

/// The forces of contact by body, if somebody wants them; without contact there are none.
fn forces(
    wanted: &[PointField],
    world: &World,
    surfaces: &[Arc<CollisionMesh>],
) -> Vec<BodyForces> {
    use PointField::{ContactForce, ContactPressure, FrictionForce};
    if !wanted.iter().any(|f| matches!(f, ContactForce | ContactPressure | FrictionForce)) {
        return Vec::new();
    }
    let none = |surface: &Arc<CollisionMesh>| {
        let none = vec![Vec3::ZERO; surface.point_count()];
        BodyForces { normal: none.clone(), friction: none }
    };
    world.contact_forces().map_or_else(|| surfaces.iter().map(none).collect(), |all| all.bodies)
}

/// The world as it is.
struct Now<'a> {
    world: &'a World,
    surfaces: &'a [Arc<CollisionMesh>],
    forces: Vec<BodyForces>,
}

impl Now<'_> {
    fn field(&self, field: PointField) -> FrameField {
        let (name, unit, values) = match field {
            PointField::ContactForce => ("contact_force", "N", self.vectors(|body| &body.normal)),
            PointField::ContactPressure => ("contact_pressure", "Pa", self.pressures()),
            PointField::FrictionForce => {
                ("friction_force", "N", self.vectors(|body| &body.friction))
            }
            PointField::VonMises => ("von_mises", "Pa", self.of_nodes(NodalStress::von_mises)),
            PointField::StrainEnergyDensity => {
                ("strain_energy_density", "J/m^3", self.of_nodes(NodalStress::density))
            }
        };
        FrameField { name, unit, values }
    }

    fn vectors(&self, of: fn(&BodyForces) -> &Vec<Vec3>) -> FieldValues {
        FieldValues::Vectors(self.forces.iter().flat_map(of).copied().collect())
    }

    /// Force over area (Pa); points inside have none.
    fn pressures(&self) -> FieldValues {
        let of_body = |(forces, surface): (&BodyForces, &Arc<CollisionMesh>)| {
            let mut pressures = vec![0.0; surface.point_count()];
            for (&vertex, area) in surface.vertices().iter().zip(surface.vertex_areas()) {
                pressures[vertex as usize] = forces.normal[vertex as usize].length() / area;
            }
            pressures
        };
        FieldValues::Scalars(self.forces.iter().zip(self.surfaces).flat_map(of_body).collect())
    }

    /// What nodes feel, at the points that hang on them; zero where there are no elements.
    fn of_nodes(&self, of: fn(&NodalStress, usize) -> Option<f64>) -> FieldValues {
        let of_body = |(number, surface): (usize, &Arc<CollisionMesh>)| {
            let stress = self.world.stress(number);
            let at = |node: usize| of(&stress, node).unwrap_or(0.0);
            match surface.embedding() {
                None => (0..surface.point_count()).map(at).collect::<Vec<f64>>(),
                Some(embedding) => embedding
                    .iter()
                    .map(|point| {
                        let terms = point.nodes.iter().zip(point.weights);
                        terms.map(|(&node, weight)| weight * at(node as usize)).sum()
                    })
                    .collect(),
            }
        };
        FieldValues::Scalars(self.surfaces.iter().enumerate().flat_map(of_body).collect())
    }
}
