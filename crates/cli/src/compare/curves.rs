//! Curves of a comparison, from the history of a run.

use super::Variant;
use super::restitution::CentreOfMassMotion;
use super::row::MOMENTA;
use resile_math::Vec3;
use resile_plot::Point;
use resile_record::{Columns, OutputError, Status};
use resile_runner::Start;
use resile_scene::description::Units;
use std::path::Path;

/// The curves of one variant over time, including its start.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VariantCurves {
    /// The name in legends.
    pub(super) name: String,
    /// The integrator's name in the scene format.
    pub(super) method: String,
    /// Index of its integrator and of its step.
    pub(super) method_and_step: [usize; 2],
    /// Initial energy above the ground level (J).
    pub(super) initial_energy: f64,
    /// The ground level (J).
    pub(super) ground: f64,
    /// Kinetic and potential energy (J).
    pub(super) total: Vec<Point>,
    /// Kinetic energy (J).
    pub(super) kinetic: Vec<Point>,
    /// Energy target (J).
    pub(super) target: Vec<Point>,
    /// Alpha.
    pub(super) alpha: Vec<Point>,
    /// Magnitudes of linear (kg m/s) and angular momentum (kg m^2/s).
    pub(super) momenta: [Vec<Point>; 2],
    /// The last momenta, linear and angular.
    pub(super) last_momenta: [Vec3; 2],
    /// Velocity of the centre of mass and number of contacts over time.
    pub(super) motions: Vec<CentreOfMassMotion>,
}

impl VariantCurves {
    /// Reads the curves of a variant from the history of its run.
    pub(super) fn read(
        variant: &Variant,
        start: &Start,
        history: &Path,
        status: Status,
    ) -> Result<Self, OutputError> {
        let suffix = match status {
            Status::Complete => "",
            Status::Interrupted => " (interrupted)",
            Status::Failed => " (failed)",
        };
        let mut curves = Self::at_start(format!("{}{suffix}", variant.name()), start);
        curves.method_and_step = variant.method_and_step;
        curves.method.clone_from(&variant.method);
        curves.add_history(&Columns::read(history)?, start.mass)?;
        Ok(curves)
    }

    /// Curves with the initial state alone.
    pub(super) fn at_start(name: String, start: &Start) -> Self {
        Self {
            name,
            method: String::new(),
            method_and_step: [0, 0],
            initial_energy: start.energy_above_ground(),
            ground: start.ground.unwrap_or(0.0),
            total: vec![(0.0, start.energy)],
            kinetic: vec![(0.0, start.kinetic)],
            target: Vec::new(),
            alpha: Vec::new(),
            momenta: [start.momentum, start.angular].map(|p| vec![(0.0, p.length())]),
            last_momenta: [start.momentum, start.angular],
            motions: vec![CentreOfMassMotion {
                time: 0.0,
                contacts: start.contacts,
                velocity: start.momentum / start.mass,
            }],
        }
    }

    /// The curves, which are in SI, in other units. The motion of the centre of mass is not a curve.
    pub(super) fn in_units(&self, units: Units) -> Self {
        let convert = |points: &[Point], si: &str| {
            points.iter().map(|&(time, value)| (time, units.number(value, si))).collect()
        };
        let [linear, angular] = &self.momenta;
        Self {
            initial_energy: units.number(self.initial_energy, "J"),
            ground: units.number(self.ground, "J"),
            total: convert(&self.total, "J"),
            kinetic: convert(&self.kinetic, "J"),
            target: convert(&self.target, "J"),
            momenta: [convert(linear, MOMENTA[0]), convert(angular, MOMENTA[1])],
            ..self.clone()
        }
    }

    /// Adds all rows of a history except the initial one, which is known.
    pub(super) fn add_history(&mut self, history: &Columns, mass: f64) -> Result<(), OutputError> {
        let scalars =
            history.select(["step", "time", "total", "kinetic", "target", "alpha", "contacts"])?;
        let linear = history.select(["momentum_x", "momentum_y", "momentum_z"])?;
        let angular = history.select(["angular_x", "angular_y", "angular_z"])?;
        let to_vector = |values: [Option<f64>; 3]| {
            Vec3::from_array(values.map(|value| value.unwrap_or(f64::NAN)))
        };
        let momenta = linear.zip(angular).map(|(linear, angular)| [linear, angular].map(to_vector));
        for ([step, time, total, kinetic, target, alpha, contacts], momenta) in scalars.zip(momenta)
        {
            if step == Some(0.0) {
                continue;
            }
            let (Some(time), Some(total), Some(kinetic)) = (time, total, kinetic) else { continue };
            self.total.push((time, total));
            self.kinetic.push((time, kinetic));
            self.target.extend(target.map(|target| (time, target)));
            self.alpha.extend(alpha.map(|alpha| (time, alpha)));
            self.last_momenta = momenta;
            for (curve, momentum) in self.momenta.iter_mut().zip(self.last_momenta) {
                curve.push((time, momentum.length()));
            }
            let contacts = contacts.map_or(0, |count| count as u64);
            self.motions.push(CentreOfMassMotion { time, contacts, velocity: momenta[0] / mass });
        }
        Ok(())
    }
}
