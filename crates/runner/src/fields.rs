//! Point fields of frames.

use super::skins::clamped_weights;
use resile_contact::CollisionMesh;
use resile_math::{Mat3, Vec3};
use resile_record::{FieldValues, FrameField};
use resile_scene::description::PointField;
use resile_system::{NodalStress, principal_stresses};
use resile_world::{BodyForces, World};
use std::ops::{Add, Mul};
use std::sync::Arc;

/// The values of the requested fields in the present state of a world with steps of `h` (s), at the points of all
/// surfaces, whose rest positions (m) are given.
pub(super) fn point_fields(
    fields: &[PointField],
    (world, h): (&mut World, f64),
    surfaces: &[Arc<CollisionMesh>],
    rest: &[Vec3],
) -> Vec<FrameField> {
    let accelerations = match fields.contains(&PointField::Acceleration) {
        true => world.accelerations(),
        false => Vec::new(),
    };
    let net_forces = match fields.contains(&PointField::Force) {
        true => world.net_forces(),
        false => Vec::new(),
    };
    let forces = contact_forces(fields, (world, h), surfaces);
    let state = CurrentState { world, surfaces, rest, forces, accelerations, net_forces };
    fields.iter().flat_map(|field| state.fields(*field)).collect()
}

/// The contact forces on the points of each body; empty if no requested field needs them.
fn contact_forces(
    fields: &[PointField],
    (world, h): (&mut World, f64),
    surfaces: &[Arc<CollisionMesh>],
) -> Vec<BodyForces> {
    use PointField::{ContactForce, ContactPressure, FrictionForce};
    if !fields.iter().any(|f| matches!(f, ContactForce | ContactPressure | FrictionForce)) {
        return Vec::new();
    }
    let zero_forces = |surface: &Arc<CollisionMesh>| {
        let zeros = vec![Vec3::ZERO; surface.point_count()];
        BodyForces { normal: zeros.clone(), friction: zeros }
    };
    world
        .contact_forces(h)
        .map_or_else(|| surfaces.iter().map(zero_forces).collect(), |forces| forces.bodies)
}

/// A field that consists of one array.
fn single_field(
    name: &'static str,
    unit: &'static str,
    values: impl Into<FieldValues>,
) -> Vec<FrameField> {
    vec![FrameField { name, unit, values: values.into() }]
}

/// Principal values as separate scalar fields, the largest first.
fn principal_fields(
    names: [&'static str; 3],
    unit: &'static str,
    values: &[Vec3],
) -> Vec<FrameField> {
    let field = |(k, name)| {
        let values = values.iter().map(|point: &Vec3| point[k]).collect::<Vec<f64>>();
        FrameField { name, unit, values: values.into() }
    };
    names.into_iter().enumerate().map(field).collect()
}

/// What fields are computed from: the world, the points, forces and accelerations.
struct CurrentState<'a> {
    world: &'a World,
    surfaces: &'a [Arc<CollisionMesh>],
    /// Rest positions of the points of all surfaces (m).
    rest: &'a [Vec3],
    /// Contact forces by body.
    forces: Vec<BodyForces>,
    /// Accelerations of the nodes of each body.
    accelerations: Vec<Vec<Vec3>>,
    /// Sums of the forces of all terms on the nodes of each body (N).
    net_forces: Vec<Vec<Vec3>>,
}

impl CurrentState<'_> {
    /// The arrays of a field: one for each principal value, and none for the velocity, which all frames have.
    fn fields(&self, field: PointField) -> Vec<FrameField> {
        use NodalStress as Stress;
        use PointField as Field;
        let zero = Mat3::ZERO;
        match field {
            Field::RestPosition => single_field("rest_position", "m", self.rest.to_vec()),
            Field::Displacement => single_field("displacement", "m", self.displacements()),
            Field::Velocity => Vec::new(),
            Field::Acceleration => single_field("acceleration", "m/s^2", self.accelerations()),
            Field::Force => single_field("force", "N", self.net_forces()),
            Field::DeformationDeterminant => {
                single_field("det_f", "1", self.interpolate(1.0, Stress::determinant))
            }
            Field::GreenStrain => {
                single_field("green_strain", "1", self.interpolate(zero, Stress::green))
            }
            Field::PrincipalStretches => principal_fields(
                ["stretch_1", "stretch_2", "stretch_3"],
                "1",
                &self.interpolate(Vec3::ONE, Stress::stretches),
            ),
            Field::CauchyStress => {
                single_field("cauchy_stress", "Pa", self.interpolate(zero, Stress::cauchy))
            }
            Field::PrincipalStresses => {
                let stresses = self.interpolate(zero, Stress::cauchy).into_iter();
                principal_fields(
                    ["stress_1", "stress_2", "stress_3"],
                    "Pa",
                    &stresses.map(principal_stresses).collect::<Vec<_>>(),
                )
            }
            Field::Thickness => {
                single_field("thickness", "m", self.interpolate(0.0, Stress::thickness))
            }
            Field::VonMises => {
                single_field("von_mises", "Pa", self.interpolate(0.0, Stress::von_mises))
            }
            Field::StrainEnergyDensity => single_field(
                "strain_energy_density",
                "J/m^3",
                self.interpolate(0.0, Stress::energy_density),
            ),
            Field::PlasticStrain => {
                single_field("plastic_strain", "1", self.interpolate(0.0, Stress::plastic_strain))
            }
            Field::ContactForce => {
                single_field("contact_force", "N", self.forces(|body| &body.normal))
            }
            Field::ContactPressure => single_field("contact_pressure", "Pa", self.pressures()),
            Field::FrictionForce => {
                single_field("friction_force", "N", self.forces(|body| &body.friction))
            }
        }
    }

    /// Displacements of the points from their rest positions (m).
    fn displacements(&self) -> Vec<Vec3> {
        let positions = self.vectors_at_points(|body| &self.world.state(body).positions);
        let displacements = positions.into_iter().zip(self.rest).map(|(x, rest)| x - *rest);
        displacements.collect()
    }

    /// Accelerations of the points (m/s^2).
    fn accelerations(&self) -> Vec<Vec3> {
        self.vectors_at_points(|body| &self.accelerations[body])
    }

    /// Sums of the forces of all terms on the points (N): those on the nodes; zero at points between nodes, on which
    /// no term acts.
    fn net_forces(&self) -> Vec<Vec3> {
        let bodies = self.surfaces.iter().zip(&self.net_forces);
        let forces = bodies.map(|(surface, forces)| match surface.embedding() {
            None => forces[..surface.point_count()].to_vec(),
            Some(_) => vec![Vec3::ZERO; surface.point_count()],
        });
        forces.flatten().collect()
    }

    /// Nodal vectors, given for each body, at the points of its surface. Embedded points are interpolated.
    fn vectors_at_points<'v>(&self, nodal_vectors: impl Fn(usize) -> &'v Vec<Vec3>) -> Vec<Vec3> {
        let surfaces = self.surfaces.iter().enumerate();
        surfaces
            .flat_map(|(body, surface)| surface.points(nodal_vectors(body)).into_owned())
            .collect()
    }

    /// The contact forces of one kind (N) at all points.
    fn forces(&self, kind: fn(&BodyForces) -> &Vec<Vec3>) -> Vec<Vec3> {
        self.forces.iter().flat_map(kind).copied().collect()
    }

    /// Normal contact force over vertex area (Pa); zero at interior points.
    fn pressures(&self) -> Vec<f64> {
        let pressures_of_body = |(forces, surface): (&BodyForces, &Arc<CollisionMesh>)| {
            let mut pressures = vec![0.0; surface.point_count()];
            for (&vertex, area) in surface.vertices().iter().zip(surface.vertex_areas()) {
                pressures[vertex as usize] = forces.normal[vertex as usize].length() / area;
            }
            pressures
        };
        self.forces.iter().zip(self.surfaces).flat_map(pressures_of_body).collect()
    }

    /// Values of the material at the points of all surfaces, from its nodal values. Embedded points are interpolated;
    /// nodes without elements have the value `undeformed`.
    fn interpolate<T: Copy + Add<Output = T> + Mul<f64, Output = T>>(
        &self,
        undeformed: T,
        nodal_value: fn(&NodalStress, usize) -> Option<T>,
    ) -> Vec<T> {
        let point_values = |(body, surface): (usize, &Arc<CollisionMesh>)| {
            let stress = self.world.stress(body);
            let value_at = |node: usize| nodal_value(&stress, node).unwrap_or(undeformed);
            match surface.embedding() {
                None => (0..surface.point_count()).map(value_at).collect::<Vec<T>>(),
                Some(embedding) => embedding
                    .iter()
                    .map(|point| {
                        let terms = point.nodes.iter().zip(clamped_weights(point));
                        let terms = terms.map(|(&node, weight)| value_at(node as usize) * weight);
                        terms.reduce(T::add).unwrap_or(undeformed)
                    })
                    .collect(),
            }
        };
        self.surfaces.iter().enumerate().flat_map(point_values).collect()
    }
}
