//! Point fields of frames.

use super::skins::within;
use resile_contact::CollisionMesh;
use resile_math::{Mat3, Vec3};
use resile_record::{FieldValues, FrameField};
use resile_scene::description::PointField;
use resile_system::NodalStress;
use resile_world::{BodyForces, World};
use std::ops::{Add, Mul};
use std::sync::Arc;

/// The values of fields at the points of all surfaces with these rest positions (m), in a world with steps of
/// `h` (s).
pub(super) fn of_points(
    fields: &[PointField],
    (world, h): (&mut World, f64),
    surfaces: &[Arc<CollisionMesh>],
    rest: &[Vec3],
) -> Vec<FrameField> {
    let accelerations = match fields.contains(&PointField::Acceleration) {
        true => world.accelerations(),
        false => Vec::new(),
    };
    let forces = forces(fields, (world, h), surfaces);
    let at = CurrentState { world, surfaces, rest, forces, accelerations };
    fields.iter().flat_map(|field| at.fields(*field)).collect()
}

/// Contact forces by body, if the output asks for them.
fn forces(
    fields: &[PointField],
    (world, h): (&mut World, f64),
    surfaces: &[Arc<CollisionMesh>],
) -> Vec<BodyForces> {
    use PointField::{ContactForce, ContactPressure, FrictionForce};
    if !fields.iter().any(|f| matches!(f, ContactForce | ContactPressure | FrictionForce)) {
        return Vec::new();
    }
    let none = |surface: &Arc<CollisionMesh>| {
        let none = vec![Vec3::ZERO; surface.point_count()];
        BodyForces { normal: none.clone(), friction: none }
    };
    world.contact_forces(h).map_or_else(|| surfaces.iter().map(none).collect(), |all| all.bodies)
}

/// A field of one array.
fn one(name: &'static str, unit: &'static str, values: impl Into<FieldValues>) -> Vec<FrameField> {
    vec![FrameField { name, unit, values: values.into() }]
}

/// Data of the present state.
struct CurrentState<'a> {
    world: &'a World,
    surfaces: &'a [Arc<CollisionMesh>],
    /// The points of all surfaces at rest (m).
    rest: &'a [Vec3],
    /// Contact forces by body.
    forces: Vec<BodyForces>,
    /// Accelerations of the nodes of each body.
    accelerations: Vec<Vec<Vec3>>,
}

impl CurrentState<'_> {
    /// The arrays of a field: one, or one for each component to be coloured.
    fn fields(&self, field: PointField) -> Vec<FrameField> {
        use NodalStress as Stress;
        use PointField as Wanted;
        let none = Mat3::ZERO;
        match field {
            Wanted::RestPosition => one("rest_position", "m", self.rest.to_vec()),
            Wanted::Displacement => one("displacement", "m", self.displacements()),
            Wanted::Acceleration => one("acceleration", "m/s^2", self.accelerations()),
            Wanted::DeformationDeterminant => {
                one("det_f", "1", self.of_nodes(1.0, Stress::determinant))
            }
            Wanted::GreenStrain => one("green_strain", "1", self.of_nodes(none, Stress::green)),
            Wanted::PrincipalStretches => self.stretches(),
            Wanted::CauchyStress => one("cauchy_stress", "Pa", self.of_nodes(none, Stress::cauchy)),
            Wanted::Thickness => one("thickness", "m", self.of_nodes(0.0, Stress::thickness)),
            Wanted::VonMises => one("von_mises", "Pa", self.of_nodes(0.0, Stress::von_mises)),
            Wanted::StrainEnergyDensity => {
                one("strain_energy_density", "J/m^3", self.of_nodes(0.0, Stress::density))
            }
            Wanted::PlasticStrain => {
                one("plastic_strain", "1", self.of_nodes(0.0, Stress::plastic_strain))
            }
            Wanted::ContactForce => one("contact_force", "N", self.forces(|body| &body.normal)),
            Wanted::ContactPressure => one("contact_pressure", "Pa", self.pressures()),
            Wanted::FrictionForce => one("friction_force", "N", self.forces(|body| &body.friction)),
        }
    }

    /// Principal stretches as separate scalar fields.
    fn stretches(&self) -> Vec<FrameField> {
        let all = self.of_nodes(Vec3::ONE, NodalStress::stretches);
        let field = |(k, name)| {
            let values = all.iter().map(|stretches: &Vec3| stretches[k]).collect::<Vec<f64>>();
            FrameField { name, unit: "1", values: values.into() }
        };
        ["stretch_1", "stretch_2", "stretch_3"].into_iter().enumerate().map(field).collect()
    }

    fn displacements(&self) -> Vec<Vec3> {
        let positions = self.of_points(|body| &self.world.state(body).positions);
        let displacements = positions.into_iter().zip(self.rest).map(|(x, rest)| x - *rest);
        displacements.collect()
    }

    fn accelerations(&self) -> Vec<Vec3> {
        self.of_points(|body| &self.accelerations[body])
    }

    /// Nodal vectors interpolated to the points.
    fn of_points<'v>(&self, of_body: impl Fn(usize) -> &'v Vec<Vec3>) -> Vec<Vec3> {
        let surfaces = self.surfaces.iter().enumerate();
        surfaces.flat_map(|(body, surface)| surface.points(of_body(body)).into_owned()).collect()
    }

    fn forces(&self, of: fn(&BodyForces) -> &Vec<Vec3>) -> Vec<Vec3> {
        self.forces.iter().flat_map(of).copied().collect()
    }

    /// Force over area (Pa); zero at interior points.
    fn pressures(&self) -> Vec<f64> {
        let of_body = |(forces, surface): (&BodyForces, &Arc<CollisionMesh>)| {
            let mut pressures = vec![0.0; surface.point_count()];
            for (&vertex, area) in surface.vertices().iter().zip(surface.vertex_areas()) {
                pressures[vertex as usize] = forces.normal[vertex as usize].length() / area;
            }
            pressures
        };
        self.forces.iter().zip(self.surfaces).flat_map(of_body).collect()
    }

    /// Nodal values interpolated to the points; `undeformed` without elements.
    fn of_nodes<T: Copy + Add<Output = T> + Mul<f64, Output = T>>(
        &self,
        undeformed: T,
        of: fn(&NodalStress, usize) -> Option<T>,
    ) -> Vec<T> {
        let of_body = |(number, surface): (usize, &Arc<CollisionMesh>)| {
            let stress = self.world.stress(number);
            let at = |node: usize| of(&stress, node).unwrap_or(undeformed);
            match surface.embedding() {
                None => (0..surface.point_count()).map(at).collect::<Vec<T>>(),
                Some(embedding) => embedding
                    .iter()
                    .map(|point| {
                        let terms = point.nodes.iter().zip(within(point));
                        let terms = terms.map(|(&node, weight)| at(node as usize) * weight);
                        terms.reduce(T::add).unwrap_or(undeformed)
                    })
                    .collect(),
            }
        };
        self.surfaces.iter().enumerate().flat_map(of_body).collect()
    }
}
