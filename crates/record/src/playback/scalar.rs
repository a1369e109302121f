//! Scalars that are derived from the fields of frames.

use super::{PlayedFrame, PointField};
use resile_math::{Mat3, Vec3};
use resile_system::principal_stresses;

/// Names of the components of vectors.
const VECTOR_COMPONENTS: [&str; 3] = ["x", "y", "z"];
/// Names of the components of symmetric tensors, in the order of VTK.
const TENSOR_COMPONENTS: [&str; 6] = ["xx", "yy", "zz", "xy", "yz", "xz"];
/// Names of the principal values of symmetric tensors, the largest first.
const PRINCIPAL_VALUES: [&str; 3] = ["1", "2", "3"];

/// A scalar of each vertex, derived from a field of frames.
///
/// Its name is that of a scalar field; that of a vector field for its length (`speed` for that of `velocity`); or that
/// of a field with a component or a principal value: `displacement_y`, `cauchy_stress_xx`, `cauchy_stress_1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexScalar {
    field: String,
    measure: Measure,
}

/// How a scalar results from the components of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// Length of a vector.
    Length,
    /// One of the components.
    Component(usize),
    /// A principal value of a symmetric tensor, by its rank: 0 is the largest.
    Principal(usize),
}

impl VertexScalar {
    /// The scalar of this name that a frame has; `None` if it has no such field, or a tensor of this name.
    pub fn find(frame: &PlayedFrame, name: &str) -> Option<Self> {
        let of_field = |field: &PointField, measure| Self { field: field.name.clone(), measure };
        if let Some(field) = frame.field(if name == "speed" { "velocity" } else { name }) {
            return match field.components {
                1 => Some(of_field(field, Measure::Component(0))),
                3 => Some(of_field(field, Measure::Length)),
                _ => None,
            };
        }
        let (field_name, component) = name.rsplit_once('_')?;
        let field = frame.field(field_name)?;
        let index = |names: &[&str]| names.iter().position(|name| *name == component);
        let measure = match field.components {
            3 => Measure::Component(index(&VECTOR_COMPONENTS)?),
            6 => index(&TENSOR_COMPONENTS)
                .map(Measure::Component)
                .or_else(|| index(&PRINCIPAL_VALUES).map(Measure::Principal))?,
            _ => return None,
        };
        Some(of_field(field, measure))
    }

    /// Name of the field from which it is derived.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Whether it is the length of a vector, whose scale begins at zero.
    pub fn is_length(&self) -> bool {
        self.measure == Measure::Length
    }

    /// The value at each vertex of a frame, in the unit of the field; `None` if the frame lacks the field.
    pub fn values(&self, frame: &PlayedFrame) -> Option<Vec<f32>> {
        let PointField { components, values, .. } = frame.field(&self.field)?;
        let value_of = |values: &[f32]| match self.measure {
            Measure::Length => values.iter().map(|x| x * x).sum::<f32>().sqrt(),
            Measure::Component(component) => values[component],
            Measure::Principal(rank) => principal_values(values)[rank],
        };
        Some(values.chunks_exact(*components).map(value_of).collect())
    }
}

/// Principal values of the symmetric tensor with these six components, the largest first.
fn principal_values(components: &[f32]) -> [f32; 3] {
    let value = |component: usize| f64::from(components[component]);
    let [xx, yy, zz, xy, yz, xz] = [0, 1, 2, 3, 4, 5].map(value);
    let tensor =
        Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
    principal_stresses(tensor).to_array().map(|value| value as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> PlayedFrame {
        let field = |name: &str, components, values: &[f32]| PointField {
            name: name.to_owned(),
            components,
            values: values.to_vec(),
        };
        // The tensors have the principal values 7, 3, -2 and 5, 4, -3.
        let tensors = [5.0, 5.0, -2.0, 2.0, 0.0, 0.0, 4.0, 1.0, 1.0, 0.0, 4.0, 0.0];
        PlayedFrame {
            time: 0.0,
            positions: vec![[0.0; 3]; 2],
            fields: vec![
                field("velocity", 3, &[3.0, 0.0, -4.0, 0.0, -1.0, 0.0]),
                field("heat", 1, &[1.5, -2.5]),
                field("heat_x", 1, &[8.0, 9.0]),
                field("cauchy_stress", 6, &tensors),
            ],
        }
    }

    #[test]
    fn scalars_are_values_lengths_components_and_principal_values() {
        let frame = frame();
        let close = |name: &str, expected: [f32; 2]| {
            let scalar = VertexScalar::find(&frame, name).unwrap_or_else(|| panic!("no {name}"));
            let values = scalar.values(&frame).expect("the frame has the field");
            let is_close = |(a, b): (&f32, f32)| (a - b).abs() < 1e-5;
            assert!(values.iter().zip(expected).all(is_close), "{name}: {values:?}");
        };
        close("heat", [1.5, -2.5]);
        close("heat_x", [8.0, 9.0]);
        close("speed", [5.0, 1.0]);
        close("velocity", [5.0, 1.0]);
        close("velocity_z", [-4.0, 0.0]);
        close("cauchy_stress_xy", [2.0, 0.0]);
        close("cauchy_stress_yz", [0.0, 4.0]);
        close("cauchy_stress_zz", [-2.0, 1.0]);
        close("cauchy_stress_1", [7.0, 5.0]);
        close("cauchy_stress_2", [3.0, 4.0]);
        close("cauchy_stress_3", [-2.0, -3.0]);
    }

    #[test]
    fn tensors_and_absent_components_are_no_scalars() {
        for name in ["cauchy_stress", "cauchy_stress_4", "velocity_xx", "heat_1", "pressure", "x"] {
            assert_eq!(VertexScalar::find(&frame(), name), None, "{name}");
        }
    }
}
